/* SPDX-License-Identifier: Apache-2.0 */
/* Index arrays that say which matrices of two stacks are multiplied. A missing one means all
 * matrices; both are broadcast to one shape. */
#include "compose/linalg/matrix_indices.h"

/* The numbers of all matrices of x, in its own axes before the last two. */
static jg_array *every_matrix(compose_scope *scope, const jg_array *x)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    jg_number count = one;
    jg_array *made = NULL;
    for (int i = 0; i < x->ndim - 2; ++i)
        count.i64 *= x->dims[i];
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, count, one, &made);
    return scope_shaped(scope, jg_reshape, scope_take(scope, status, made), x->ndim - 2, x->dims);
}

jg_status compose_matrix_indices_check(const char *op, const char *name, const jg_array *indices)
{
    if (indices == NULL || dtype_is_index((jg_dtype)indices->dtype))
        return JG_OK;
    return base_fail(JG_ERR_TYPE, "[%s] %s: got %s, allowed are integers", op, name,
                     dtype_rows[indices->dtype].name);
}

void scope_matrix_indices(compose_scope *scope, const char *op, const jg_array *x,
                          const jg_array *w, compose_matrix_indices *indices)
{
    jg_array *lhs = indices->lhs != NULL ? indices->lhs : every_matrix(scope, x);
    jg_array *rhs = indices->rhs != NULL ? indices->rhs : every_matrix(scope, w);
    lhs = indices->lhs = lhs != NULL ? scope_cast(scope, lhs, JG_DTYPE_INT64) : NULL;
    rhs = indices->rhs = rhs != NULL ? scope_cast(scope, rhs, JG_DTYPE_INT64) : NULL;
    if (scope->status != JG_OK)
        return;
    scope->status =
        shape_broadcast(lhs->ndim, lhs->dims, rhs->ndim, rhs->dims, &indices->ndim, indices->batch);
    if (scope->status == JG_OK && indices->ndim > JG_MAX_NDIM - 2)
        scope->status = base_fail(JG_ERR_VALUE, "[%s] rhs_indices: got %d axes, allowed are %d", op,
                                  indices->ndim, JG_MAX_NDIM - 2);
    indices->lhs = scope_shaped(scope, jg_broadcast_to, lhs, indices->ndim, indices->batch);
    indices->rhs = scope_shaped(scope, jg_broadcast_to, rhs, indices->ndim, indices->batch);
}
