/* SPDX-License-Identifier: Apache-2.0 */
/* Products in float32 of halves that were cast. A device that multiplies halves sums them in
 * float32, and a product of two halves is exact there: so it reads what the casts read, and no
 * float32 copies of the operands are in memory.
 *
 * Both casts must be read by the product alone and asked for by no caller. */
#include "plan/draft.h"

enum { SIDES = 2, MAX_AXES = DEVICE_PRODUCT_LOOPS + 2 /* whatever loops its batches need */ };

bool plan_device_takes_halves(int device)
{
    const device_facts *facts = device_facts_of(device_at(device));
    return facts != NULL && facts->shape == DEVICE_GROUP;
}

static const jg_array *half_of(const plan_draft *draft, const jg_array *x, int side)
{
    const jg_array *cast = x->inputs[side];
    int nreads = x->inputs[0] == x->inputs[1] ? 2 : 1;
    if (cast->primitive != PRIMITIVE_cast || node_has_storage(cast) || cast->stored ||
        walk_target(cast) != cast || draft->nodes[cast->slot].nreads != nreads)
        return NULL;
    const jg_array *half = cast->inputs[0];
    jg_dtype dtype = (jg_dtype)half->dtype;
    return dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_BFLOAT16 ? half : NULL;
}

bool plan_multiplies_halves(const plan_draft *draft, const jg_array *x)
{
    const jg_array *halves[SIDES];
    if (x->primitive != PRIMITIVE_matmul || x->dtype != JG_DTYPE_FLOAT32 || x->ndim > MAX_AXES ||
        !plan_device_takes_halves(draft->walk->device))
        return false;
    for (int side = 0; side < SIDES; ++side)
        if ((halves[side] = half_of(draft, x, side)) == NULL)
            return false;
    return halves[0]->dtype == halves[1]->dtype;
}
