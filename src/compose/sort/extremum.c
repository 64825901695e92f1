/* SPDX-License-Identifier: Apache-2.0 */
/* argmax and argmin: the index of an extremum along an axis, or among all elements in row-major
 * order. */
#include "compose/compose.h"

/* No elements have no extremum; NumPy refuses this, too. */
static jg_status check(jg_op op, const jg_array *x, int axis)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    if (x->dims[axis] == 0)
        return base_fail(JG_ERR_VALUE, "[%s] x: axis %d is empty, allowed is at least one element",
                         op_name(op), axis);
    return JG_OK;
}

jg_status compose_extremum_index(jg_op op, jg_array *x, const extremum_index_attributes *attributes,
                                 bool keepdims, jg_array **out)
{
    const primitive_attributes own_attributes = {.extremum_index = *attributes};
    int64_t shape[JG_MAX_NDIM];
    int ndim;
    jg_array *dense;
    JG_TRY(check(op, x, (int)attributes->axis));
    op_reduced_shape(x->ndim, x->dims, UINT64_C(1) << attributes->axis, keepdims, &ndim, shape);
    JG_TRY(compose_dense_rows(x, &dense));
    jg_status status =
        graph_routine(op, JG_DTYPE_INT64, ndim, shape, 1, &dense, &own_attributes, out);
    jg_array_release(dense);
    return status;
}

static jg_status find_index(jg_op op, jg_array *x, int axis, bool keepdims, jg_array **out)
{
    const extremum_index_attributes attributes = {.axis = axis, .smallest = op == JG_OP_argmin};
    return compose_extremum_index(op, x, &attributes, keepdims, out);
}

/* Among all elements; with keepdims every axis stays, with an extent of 1. */
static jg_status find_among_all(jg_op op, jg_array *x, bool keepdims, jg_array **out)
{
    int64_t ones[JG_MAX_NDIM];
    compose_scope scope = {0};
    jg_array *index = NULL;
    for (int i = 0; i < x->ndim; ++i)
        ones[i] = 1;
    jg_array *flat = scope_unary(&scope, jg_ravel, x);
    if (flat != NULL) {
        jg_status status = find_index(op, flat, 0, false, &index);
        index = scope_take(&scope, status, index);
    }
    if (keepdims)
        index = scope_shaped(&scope, jg_reshape, index, x->ndim, ones);
    return scope_finish(&scope, index, out);
}

static jg_status index_of(jg_op op, jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    int at;
    if (axis == NULL)
        return find_among_all(op, x, keepdims, out);
    JG_TRY(shape_axis("axis", *axis, x->ndim, &at));
    return find_index(op, x, at, keepdims, out);
}

jg_status compose_argmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    return index_of(JG_OP_argmax, x, axis, keepdims, out);
}

jg_status compose_argmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    return index_of(JG_OP_argmin, x, axis, keepdims, out);
}
