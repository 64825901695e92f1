/* SPDX-License-Identifier: Apache-2.0 */
/* Cotangents of a node's inputs, which rules give one share after another. */
#include "transform/transform.h"

bool reverse_wants(const reverse_pass *pass, int input)
{
    return tape_inputs(pass->tape, pass->entry)[input] >= 0;
}

/* A cotangent that another was added to before is a node of this pass alone, so that the sum is
 * made in place. */
jg_status reverse_add(jg_array **value, jg_array *x)
{
    jg_array *sum;
    if (*value == NULL) {
        *value = jg_array_retain(x);
        return JG_OK;
    }
    JG_TRY(jg_add(*value, x, &sum));
    jg_array_release(*value);
    *value = sum;
    return JG_OK;
}

jg_status reverse_give(reverse_pass *pass, int input, jg_array *x)
{
    const jg_array *to = tape_arrays(pass->entry->node)[input];
    jg_array *summed, *cast, *moved;
    if (!reverse_wants(pass, input))
        return JG_OK;
    JG_TRY(transform_unbroadcast(x, to->ndim, node_shape(to), &summed));
    jg_status status = transform_cast(summed, (jg_dtype)to->dtype, &cast);
    jg_array_release(summed);
    JG_TRY(status);
    status = transform_move(cast, to, &moved);
    jg_array_release(cast);
    JG_TRY(status);
    status = reverse_add(&pass->values[tape_inputs(pass->tape, pass->entry)[input]], moved);
    jg_array_release(moved);
    return status;
}
