/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths of vectors, norms of matrices, and condition numbers, spelled in reductions and singular
 * values. Half precision is computed in float32 and rounded once, at the end: squares of float16
 * overflow from 256 on. */
#include "compose/compose.h"
#include <math.h>
#include <string.h>

static jg_array *root_of_squares(compose_scope *scope, jg_array *x, int naxes, const int64_t *axes,
                                 bool keepdims)
{
    jg_array *squares = scope_squared_size(scope, x);
    return scope_unary(scope, jg_sqrt,
                       scope_reduce(scope, compose_sum, squares, naxes, axes, keepdims));
}

static jg_array *count_of_others_than_zero(compose_scope *scope, jg_array *x, int naxes,
                                           const int64_t *axes, bool keepdims)
{
    if (x == NULL)
        return NULL;
    jg_array *others = scope_binary(scope, jg_not_equal, x, scope_whole(scope, x, 0));
    others = scope_cast(scope, others, dtype_real_part((jg_dtype)x->dtype));
    return scope_reduce(scope, compose_sum, others, naxes, axes, keepdims);
}

static jg_array *root_of_powers(compose_scope *scope, jg_array *size, double ord, int naxes,
                                const int64_t *axes, bool keepdims)
{
    if (size == NULL)
        return NULL;
    jg_array *powers = scope_binary(scope, jg_pow, size, scope_number(scope, size, ord));
    jg_array *sum = scope_reduce(scope, compose_sum, powers, naxes, axes, keepdims);
    if (sum == NULL)
        return NULL;
    return scope_binary(scope, jg_pow, sum, scope_number(scope, sum, 1 / ord));
}

/* The maximum of numbers that are not negative. That of no elements is 0, as a sum gives it. */
static jg_status largest(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    return (x->size == 0 ? compose_sum : jg_max)(x, naxes, axes, keepdims, out);
}

static jg_array *length_of(compose_scope *scope, jg_array *x, double ord, int naxes,
                           const int64_t *axes, bool keepdims)
{
    if (ord == 2)
        return root_of_squares(scope, x, naxes, axes, keepdims);
    if (ord == 0)
        return count_of_others_than_zero(scope, x, naxes, axes, keepdims);
    jg_array *size = scope_unary(scope, jg_abs, x);
    if (ord == 1)
        return scope_reduce(scope, compose_sum, size, naxes, axes, keepdims);
    if (isinf(ord))
        return scope_reduce(scope, ord > 0 ? largest : jg_min, size, naxes, axes, keepdims);
    return root_of_powers(scope, size, ord, naxes, axes, keepdims);
}

jg_status compose_linalg_vector_norm(jg_array *a, int naxes, const int64_t *axes, bool keepdims,
                                     double ord, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    jg_array *wide = scope_widen(&scope, JG_OP_linalg_vector_norm, a, &dtype);
    jg_array *length = length_of(&scope, wide, ord, naxes, axes, keepdims);
    return scope_finish(&scope, scope_cast(&scope, length, dtype), out);
}

/* A norm by its name: what is reduced in the end, and how. */
typedef struct matrix_norm {
    const char *name;
    enum { ALL_ELEMENTS, SINGULAR_VALUES, SUMS_OF_COLUMNS, SUMS_OF_ROWS } of;
    compose_reduction *reduce;
} matrix_norm;

static const int64_t columns_axis[] = {-2}, rows_axis[] = {-1}, both_axes[] = {-2, -1};

static const matrix_norm norms[] = {
    {"fro", ALL_ELEMENTS, NULL},     {"nuc", SINGULAR_VALUES, compose_sum},
    {"2", SINGULAR_VALUES, largest}, {"-2", SINGULAR_VALUES, jg_min},
    {"1", SUMS_OF_COLUMNS, largest}, {"-1", SUMS_OF_COLUMNS, jg_min},
    {"inf", SUMS_OF_ROWS, largest},  {"-inf", SUMS_OF_ROWS, jg_min},
};

static jg_status find_norm(jg_op op, const char *argument, const char *name,
                           const matrix_norm **out)
{
    for (size_t i = 0; i < sizeof norms / sizeof *norms; ++i)
        if (strcmp(norms[i].name, name) == 0) {
            *out = &norms[i];
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[%s] %s: got '%s', allowed are fro, nuc, 1, -1, 2, -2, inf and -inf",
                     op_name(op), argument, name);
}

static jg_array *norm_by_values(compose_scope *scope, const matrix_norm *norm, jg_array *x,
                                bool keepdims)
{
    jg_array *values = scope_unary(scope, jg_linalg_svdvals, x);
    jg_array *made = scope_reduce(scope, norm->reduce, values, 1, rows_axis, keepdims);
    return keepdims ? scope_shaped(scope, jg_expand_dims, made, 1, rows_axis) : made;
}

static jg_array *norm_by_sums(compose_scope *scope, const matrix_norm *norm, jg_array *x,
                              bool keepdims)
{
    const int64_t *along = norm->of == SUMS_OF_COLUMNS ? columns_axis : rows_axis;
    jg_array *size = scope_unary(scope, jg_abs, x);
    jg_array *sums = scope_reduce(scope, compose_sum, size, 1, along, true);
    return scope_reduce(scope, norm->reduce, sums, 2, both_axes, keepdims);
}

static jg_array *norm_of(compose_scope *scope, const matrix_norm *norm, jg_array *x, bool keepdims)
{
    switch (norm->of) {
    case ALL_ELEMENTS: return root_of_squares(scope, x, 2, both_axes, keepdims);
    case SINGULAR_VALUES: return norm_by_values(scope, norm, x, keepdims);
    default: return norm_by_sums(scope, norm, x, keepdims);
    }
}

jg_status compose_linalg_matrix_norm(jg_array *a, bool keepdims, const char *ord, jg_array **out)
{
    const jg_op op = JG_OP_linalg_matrix_norm;
    compose_scope scope = {0};
    const matrix_norm *norm;
    jg_dtype dtype;
    JG_TRY(compose_check_matrices(op, "a", a, false));
    JG_TRY(find_norm(op, "ord", ord, &norm));
    jg_array *wide = scope_widen(&scope, op, a, &dtype);
    return scope_finish(&scope, scope_cast(&scope, norm_of(&scope, norm, wide, keepdims), dtype),
                        out);
}

static jg_array *ratio_of_values(compose_scope *scope, jg_array *a, bool inverted)
{
    jg_array *values = scope_unary(scope, jg_linalg_svdvals, a);
    jg_array *most = scope_reduce(scope, jg_max, values, 1, rows_axis, false);
    jg_array *least = scope_reduce(scope, jg_min, values, 1, rows_axis, false);
    return inverted ? scope_binary(scope, jg_divide, least, most)
                    : scope_binary(scope, jg_divide, most, least);
}

static jg_array *product_of_norms(compose_scope *scope, const matrix_norm *norm, jg_array *a)
{
    jg_array *inverse = NULL;
    if (a == NULL)
        return NULL;
    jg_status status = jg_linalg_inv(a, true, &inverse);
    inverse = scope_take(scope, status, inverse);
    return scope_binary(scope, jg_multiply, norm_of(scope, norm, a, false),
                        norm_of(scope, norm, inverse, false));
}

/* Infinity times zero gives NaN, which only matrices that hold a NaN shall have. */
static jg_array *infinite_unless_known(compose_scope *scope, jg_array *ratio, jg_array *a)
{
    jg_array *spoilt = scope_unary(scope, jg_isnan, a);
    spoilt = scope_reduce(scope, jg_any, spoilt, 2, both_axes, false);
    jg_array *unknown = scope_unary(scope, jg_isnan, ratio);
    unknown = scope_binary(scope, jg_greater, unknown, spoilt);
    if (unknown == NULL)
        return NULL;
    return scope_where(scope, unknown, scope_number(scope, ratio, (double)INFINITY), ratio);
}

jg_status compose_linalg_cond(jg_array *a, const char *p, jg_array **out)
{
    const jg_op op = JG_OP_linalg_cond;
    compose_scope scope = {0};
    const matrix_norm *norm;
    jg_dtype dtype;
    JG_TRY(compose_check_matrices(op, "a", a, false));
    JG_TRY(find_norm(op, "p", p, &norm));
    jg_array *x = scope_widen(&scope, op, a, &dtype);
    bool by_values = norm->of == SINGULAR_VALUES && norm->reduce != compose_sum;
    jg_array *ratio = by_values ? ratio_of_values(&scope, x, norm->reduce == jg_min)
                                : product_of_norms(&scope, norm, x);
    return scope_finish(&scope, infinite_unless_known(&scope, ratio, x), out);
}
