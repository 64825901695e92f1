/* SPDX-License-Identifier: Apache-2.0 */
/* Limits what stays in memory longer because a value is computed in the group of its users.
 *
 * A value that joins a group is not written to memory; instead, its inputs are read where the group
 * runs. If routines run in between, the inputs may need much more memory: a sum of many products
 * would be one pass over all of them, each in memory of its own, while a sum that is made one
 * product after the other needs memory for two. So a group may hold only a little more than the
 * values that it saves. */
#include "plan/draft.h"

enum {
    MAX_HELD = 256 << 10, /* bytes that a group holds */
    MAX_LOOKED_AT = 24    /* nodes below one value that are visited */
};

static int64_t nbytes_of(const jg_array *x)
{
    size_t nbytes;
    if (dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes) != JG_OK)
        return 0;
    return nbytes < (size_t)1 << 42 ? (int64_t)nbytes : INT64_C(1) << 42; /* sums do not overflow */
}

static bool is_among(const int *slots, int count, int slot)
{
    for (int i = 0; i < count; ++i)
        if (slots[i] == slot)
            return true;
    return false;
}

/* Bytes of the values that the slot's value is computed from and that only this group keeps until
 * it is computed. Elementwise values between take no memory. */
static int64_t count_held(const plan_draft *draft, const plan_group *group, int slot)
{
    int met[MAX_LOOKED_AT], count = 1;
    int64_t held = 0;
    met[0] = slot;
    for (int i = 0; i < count; ++i) {
        const jg_array *x = walk_nodes(draft->walk)[met[i]];
        if (i > 0 && (node_is_routine(x) || node_is_reduction(x))) {
            held += nbytes_of(x);
            continue;
        }
        for (int j = 0; j < x->ninputs && count < MAX_LOOKED_AT; ++j) {
            int read = (int)walk_slot(x->inputs[j]);
            const jg_array *input = walk_nodes(draft->walk)[read];
            if (!node_has_storage(x->inputs[j]) && input->ninputs > 0 && !input->stored &&
                draft->nodes[read].highest_user < group->root && !is_among(met, count, read))
                met[count++] = read;
        }
    }
    return held;
}

bool hold_is_small(const plan_draft *draft, plan_group *group, int slot, bool stored)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    if (draft->nodes[group->root].nroutines == draft->nodes[slot].nroutines)
        return true;
    int64_t more = count_held(draft, group, slot) - (stored ? 0 : nbytes_of(x));
    if (more <= 0)
        return true;
    if (group->held + more > MAX_HELD)
        return false;
    group->held += more;
    return true;
}
