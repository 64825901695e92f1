/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that follow from their indices: ranges compared and combined, so that fusion computes them
 * where they are used and they need no memory. */
#include "compose/compose.h"
#include <inttypes.h>
#include <stdlib.h>

static jg_number whole(int64_t value)
{
    return (jg_number){.kind = JG_KIND_INT, .i64 = value};
}

static jg_number real(double value)
{
    return (jg_number){.kind = JG_KIND_FLOAT, .re = value};
}

static jg_status check_count(const char *op, const char *argument, int64_t count)
{
    if (count < 0 || count > INT64_MAX / 4) /* sums of two extents and a diagonal stay in range */
        return base_fail(JG_ERR_VALUE, "[%s] %s: got %" PRId64 ", allowed is 0 to 2^61 - 1", op,
                         argument, count);
    return JG_OK;
}

static jg_array *constant(compose_scope *scope, jg_dtype dtype, jg_number value)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(dtype, 0, NULL, value, &made);
    return scope_take(scope, status, made);
}

/* first, first + 1, ... along an axis, as a row, or as a column if column is true. count has been
 * checked, so that first + count does not overflow. */
static jg_array *indices(compose_scope *scope, int64_t first, int64_t count, bool is_column)
{
    const int64_t shape[2] = {count, 1};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        jg_arange(JG_DTYPE_INT64, whole(first), whole(first + count), whole(1), &made);
    made = scope_take(scope, status, made);
    return is_column ? scope_shaped(scope, jg_reshape, made, 2, shape) : made;
}

/* op(row index + k, column index) for each index of a matrix. */
static jg_array *compare_indices(compose_scope *scope, compose_binary *op, int64_t rows,
                                 int64_t columns, int64_t k)
{
    jg_array *row = indices(scope, k, rows, true), *column = indices(scope, 0, columns, false);
    return scope_binary(scope, op, row, column);
}

/* Clips k to the matrix: all diagonals outside of it are empty alike. So no sum of indices
 * overflows. */
static int64_t clip_diagonal(int64_t k, int64_t rows, int64_t columns)
{
    return int64_clamp(k, -rows, columns);
}

/* Clipped, so that k beyond the corners gives all or nothing without an overflow. */
static jg_status make_mask(const char *name, compose_binary *op, int64_t rows,
                           const int64_t *n_cols, int64_t k, const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    int64_t columns = n_cols != NULL ? *n_cols : rows;
    JG_TRY(check_count(name, "n_rows", rows));
    JG_TRY(check_count(name, "n_cols", columns));
    jg_array *mask = compare_indices(&scope, op, rows, columns, clip_diagonal(k, rows, columns));
    mask = scope_cast(&scope, mask, dtype != NULL ? *dtype : DTYPE_DEFAULT_FLOAT);
    return scope_finish(&scope, mask, out);
}

jg_status compose_eye(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                      jg_array **out)
{
    return make_mask("eye", jg_equal, n_rows, n_cols, k, dtype, out);
}

jg_status compose_identity(int64_t n, const jg_dtype *dtype, jg_array **out)
{
    return make_mask("identity", jg_equal, n, NULL, 0, dtype, out);
}

jg_status compose_tri(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                      jg_array **out)
{
    return make_mask("tri", jg_greater_equal, n_rows, n_cols, k, dtype, out);
}

/* start + i * step in float64, as in NumPy; the last is stop itself. */
static jg_array *spaced(compose_scope *scope, double start, double stop, int64_t num, bool endpoint)
{
    int64_t steps = endpoint ? num - 1 : num;
    jg_array *index = indices(scope, 0, num, false);
    jg_array *first = constant(scope, JG_DTYPE_FLOAT64, real(start));
    jg_array *step =
        constant(scope, JG_DTYPE_FLOAT64, real(steps > 0 ? (stop - start) / (double)steps : 0));
    jg_array *ways = scope_cast(scope, index, JG_DTYPE_FLOAT64);
    jg_array *values =
        scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, ways, step), first);
    if (!endpoint || num < 2)
        return values;
    /* The last one is stop itself, as start + (num - 1) * step may differ from it by a rounding
     * error. */
    jg_array *last = constant(scope, JG_DTYPE_INT64, whole(num - 1));
    jg_array *is_last = scope_binary(scope, jg_equal, index, last);
    jg_array *end = constant(scope, JG_DTYPE_FLOAT64, real(stop));
    return scope_where(scope, is_last, end, values);
}

/* For integers towards minus infinity, as NumPy does since 1.20, not towards zero as a cast
 * would. */
jg_status compose_linspace(double start, double stop, int64_t num, bool endpoint,
                           const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype result = dtype != NULL ? *dtype : DTYPE_DEFAULT_FLOAT;
    JG_TRY(check_count("linspace", "num", num));
    jg_array *values = spaced(&scope, start, stop, num, endpoint);
    if (dtype_is_integer(result))
        values = scope_unary(&scope, jg_floor, values);
    return scope_finish(&scope, scope_cast(&scope, values, result), out);
}

/* The powers are computed by pow in float64 and then rounded to the dtype: the power of a rounded
 * exponent would have a much larger error. */
jg_status compose_logspace(double start, double stop, int64_t num, bool endpoint, double base,
                           const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    JG_TRY(check_count("logspace", "num", num));
    jg_array *exponents = spaced(&scope, start, stop, num, endpoint);
    jg_array *powers =
        scope_binary(&scope, jg_pow, constant(&scope, JG_DTYPE_FLOAT64, real(base)), exponents);
    powers = scope_cast(&scope, powers, dtype != NULL ? *dtype : DTYPE_DEFAULT_FLOAT);
    return scope_finish(&scope, powers, out);
}

/* Each row is the running product of 1, x, x, ... from its low end. */
jg_status compose_vander(jg_array *x, const int64_t *N, bool increasing, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t last = -1, shape[2] = {x->size, N != NULL ? *N : x->size};
    jg_array *powers = NULL;
    if (x->ndim != 1)
        return base_fail(JG_ERR_VALUE, "[vander] x: has %d axes, allowed is one", x->ndim);
    JG_TRY(check_count("vander", "N", shape[1]));
    jg_array *column = scope_shaped(&scope, jg_reshape, x, 2, (int64_t[]){x->size, 1});
    jg_array *factors = scope_shaped(&scope, jg_broadcast_to, column, 2, shape);
    if (factors != NULL)
        scope.status = jg_cumprod(factors, &last, !increasing, false, NULL, &powers);
    return scope_finish(&scope, scope_take(&scope, scope.status, powers), out);
}

/* where, not a product with the mask: NaN and inf outside of the triangle do not show. */
static jg_status keep_triangle(const char *name, compose_binary *op, jg_array *x, int64_t k,
                               jg_array **out)
{
    compose_scope scope = {0};
    if (x->ndim < 2)
        return base_fail(JG_ERR_VALUE, "[%s] x: has %d axes, allowed is 2 or more", name, x->ndim);
    int64_t rows = x->dims[x->ndim - 2], columns = x->dims[x->ndim - 1];
    jg_array *mask = compare_indices(&scope, op, rows, columns, clip_diagonal(k, rows, columns));
    jg_array *zero = constant(&scope, (jg_dtype)x->dtype, whole(0));
    return scope_finish(&scope, scope_where(&scope, mask, x, zero), out);
}

jg_status compose_tril(jg_array *x, int64_t k, jg_array **out)
{
    return keep_triangle("tril", jg_greater_equal, x, k, out);
}

jg_status compose_triu(jg_array *x, int64_t k, jg_array **out)
{
    return keep_triangle("triu", jg_less_equal, x, k, out);
}

/* Row i of the matrix holds, on the diagonal, element i of the vector with |k| elements before or
 * after it. */
static jg_status spread_diagonal(jg_array *x, int64_t k, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *padded = NULL;
    int64_t extent;
    if (k == INT64_MIN || __builtin_add_overflow(x->size, llabs(k), &extent) || extent > UINT32_MAX)
        return base_fail(JG_ERR_VALUE,
                         "[diag] k: got %" PRId64 ", allowed are %" PRId64 " to %" PRId64, k,
                         x->size - UINT32_MAX, UINT32_MAX - x->size);
    const int64_t widths[2] = {k < 0 ? -k : 0, int64_max(k, 0)}, column[2] = {extent, 1};
    jg_status status = jg_pad(x, 2, widths, "constant", NULL, &padded);
    padded = scope_take(&scope, status, padded);
    padded = scope_shaped(&scope, jg_reshape, padded, 2, column);
    jg_array *mask = compare_indices(&scope, jg_equal, extent, extent, k);
    jg_array *zero = constant(&scope, (jg_dtype)x->dtype, whole(0));
    return scope_finish(&scope, scope_where(&scope, mask, padded, zero), out);
}

jg_status compose_diag(jg_array *x, int64_t k, jg_array **out)
{
    if (x->ndim == 1)
        return spread_diagonal(x, k, out);
    if (x->ndim != 2)
        return base_fail(JG_ERR_VALUE, "[diag] x: has %d axes, allowed are 1 and 2", x->ndim);
    return jg_diagonal(x, k, 0, 1, out);
}
