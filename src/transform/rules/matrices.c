/* SPDX-License-Identifier: Apache-2.0 */
/* The operations from which the rules of linear algebra are built. */
#include "transform/rules/matrices.h"
#include <string.h>

jg_array *matrix_product(compose_scope *scope, jg_array *a, jg_array *b)
{
    return scope_binary(scope, jg_matmul, a, b);
}

jg_array *matrix_triangle(compose_scope *scope, jg_array *x, bool upper, int64_t k)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = upper ? jg_triu(x, k, &made) : jg_tril(x, k, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_half(compose_scope *scope, jg_array *x, bool upper)
{
    jg_array *whole = matrix_triangle(scope, x, upper, 0);
    jg_array *strict = matrix_triangle(scope, x, upper, upper ? 1 : -1);
    jg_array *both = scope_binary(scope, jg_add, whole, strict);
    return scope->status == JG_OK ? scope_times(scope, both, 0.5) : NULL;
}

jg_array *matrix_hermitian(compose_scope *scope, jg_array *x, bool upper)
{
    jg_array *half = matrix_half(scope, x, upper);
    return scope_binary(scope, jg_add, half, scope_adjoint(scope, half));
}

jg_array *matrix_solve_left(compose_scope *scope, jg_array *t, jg_array *x, bool upper, bool unit)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_linalg_solve_triangular(t, x, upper, unit, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_solve_right(compose_scope *scope, jg_array *t, jg_array *x, bool upper, bool unit)
{
    jg_array *turned = scope_unary(scope, jg_matrix_transpose, t);
    jg_array *right = scope_unary(scope, jg_matrix_transpose, x);
    return scope_unary(scope, jg_matrix_transpose,
                       matrix_solve_left(scope, turned, right, !upper, unit));
}

jg_array *matrix_part(compose_scope *scope, jg_array *x, matrix_range range)
{
    const jg_index items[] = {{.kind = JG_INDEX_ELLIPSIS},
                              {.kind = JG_INDEX_SLICE,
                               .start = range.row,
                               .has_start = true,
                               .stop = range.rows_end,
                               .has_stop = true},
                              {.kind = JG_INDEX_SLICE,
                               .start = range.column,
                               .has_start = true,
                               .stop = range.columns_end,
                               .has_stop = true}};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_slice(x, 3, items, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_extend(compose_scope *scope, jg_array *x, int64_t rows, int64_t columns)
{
    int64_t widths[2 * JG_MAX_NDIM] = {0};
    jg_array *made = NULL;
    if (scope->status != JG_OK || (rows == 0 && columns == 0))
        return x;
    widths[2 * x->ndim - 3] = rows;
    widths[2 * x->ndim - 1] = columns;
    jg_status status = jg_pad(x, 2 * x->ndim, widths, "constant", NULL, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_diagonal(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_diagonal(x, 0, -2, -1, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_trace(compose_scope *scope, jg_array *x)
{
    const int64_t last = -1;
    return scope_reduce(scope, compose_sum, matrix_diagonal(scope, x), 1, &last, false);
}

jg_array *transform_vector_row(compose_scope *scope, jg_array *x)
{
    const int64_t axis = -2;
    return scope_shaped(scope, jg_expand_dims, x, 1, &axis);
}

jg_array *transform_vector_column(compose_scope *scope, jg_array *x)
{
    const int64_t axis = -1;
    return scope_shaped(scope, jg_expand_dims, x, 1, &axis);
}

static double epsilon_of(jg_dtype dtype)
{
    bool wide = dtype == JG_DTYPE_FLOAT64 || dtype == JG_DTYPE_COMPLEX128;
    return wide ? 0x1p-52 : 0x1p-23;
}

jg_array *transform_vector_rounding(compose_scope *scope, jg_array *x)
{
    const int64_t last = -1;
    if (scope->status != JG_OK)
        return NULL;
    double share = epsilon_of((jg_dtype)x->dtype) * (double)x->dims[x->ndim - 1];
    jg_array *size = scope_unary(scope, jg_abs, scope_unary(scope, jg_stop_gradient, x));
    jg_array *largest = scope_reduce(scope, jg_max, size, 1, &last, true);
    return largest != NULL ? transform_vector_column(scope, scope_times(scope, largest, share))
                           : NULL;
}

jg_array *matrix_unit(compose_scope *scope, const jg_array *x, int64_t n)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    const jg_dtype dtype = (jg_dtype)x->dtype;
    jg_status status = jg_eye(n, NULL, 0, &dtype, &made);
    return scope_take(scope, status, made);
}

jg_array *matrix_result(compose_scope *scope, jg_array *node, int result, jg_dtype dtype,
                        int64_t rows, int64_t columns)
{
    const jg_array *a = node->inputs[0];
    int64_t shape[JG_MAX_NDIM];
    int ndim = a->ndim - 2;
    jg_array *made = NULL;
    if (scope->status != JG_OK || result == (int)node->result)
        return scope->status == JG_OK ? node : NULL;
    memcpy(shape, a->dims, (size_t)ndim * sizeof *shape);
    if (rows >= 0)
        shape[ndim++] = rows;
    if (columns >= 0)
        shape[ndim++] = columns;
    const graph_result as = {dtype, ndim, shape};
    jg_status status = node_sibling(node, result, &as, &made);
    return scope_take(scope, status, made);
}
