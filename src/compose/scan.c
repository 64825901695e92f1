/* SPDX-License-Identifier: Apache-2.0 */
/* Scans along an axis; without an axis, over all elements in row-major order. */
#include "compose/compose.h"

static jg_status scan_along(jg_op op, jg_array *x, int axis, bool reverse, bool inclusive,
                            jg_array **out)
{
    const int64_t values[GRAPH_MAX_VALUES] = {axis, reverse, inclusive};
    return graph_routine(op, (jg_dtype)x->dtype, x->ndim, node_shape(x), 1, &x, values, out);
}

/* The operand in the dtype that the op's rule says, flat where there is no axis. */
static jg_status prepare(jg_op op, jg_array *x, const int64_t *axis, int *at, jg_array **out)
{
    const int64_t all = -1;
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    *at = 0;
    if (axis != NULL)
        JG_TRY(shape_axis("axis", *axis, x->ndim, at));
    jg_array *operand;
    JG_TRY(graph_cast(x, types.operand[0], &operand));
    if (axis != NULL) {
        *out = operand;
        return JG_OK;
    }
    jg_status status = jg_reshape(operand, 1, &all, out);
    jg_array_release(operand);
    return status;
}

jg_status jg_cumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive, jg_array **out)
{
    int at;
    jg_array *operand;
    JG_TRY(prepare(JG_OP_cumsum, x, axis, &at, &operand));
    jg_status status = scan_along(JG_OP_cumsum, operand, at, reverse, inclusive, out);
    jg_array_release(operand);
    return status;
}
