/* SPDX-License-Identifier: Apache-2.0 */
/* Floating numbers taken apart and put together: sign, fraction, exponent, last place.
 *
 * Dtypes of fewer bits are computed in float64, where all of their numbers are normal and products
 * with powers of two exact: only the conversion back rounds. */
#include "compose/compose.h"
#include <math.h>

/* gives: *out, of what the scope holds, +1 each | raises: the scope's failure, NOMEM */
static jg_status finish_pair(compose_scope *scope, jg_array *first, jg_array *second,
                             jg_array_list *out)
{
    jg_array **pair = base_alloc(2 * sizeof *pair);
    if (pair == NULL && scope->status == JG_OK)
        scope->status = base_nomem(2 * sizeof *pair, "two arrays");
    if (scope->status != JG_OK) {
        base_free(pair);
        return scope_finish(scope, NULL, NULL);
    }
    pair[1] = jg_array_retain(second);
    *out = (jg_array_list){2, pair};
    return scope_finish(scope, first, &pair[0]);
}

jg_status compose_fabs(jg_array *x, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype result;
    jg_array *size = scope_unary(&scope, jg_abs, scope_widen(&scope, JG_OP_fabs, x, &result));
    return scope_finish(&scope, scope_cast(&scope, size, result), out);
}

/* The spacing of infinity is NaN: inf - inf. */
jg_status compose_spacing(jg_array *x, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_spacing, 1, &dtype, &types));
    jg_array *value = scope_cast(&scope, x, types.result);
    jg_array *size = scope_unary(&scope, jg_abs, value);
    if (size == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *next =
        scope_binary(&scope, jg_nextafter, size, scope_number(&scope, value, (double)INFINITY));
    jg_array *step = scope_binary(&scope, jg_subtract, next, size);
    jg_array *below = scope_binary(&scope, jg_less, value, scope_number(&scope, value, 0));
    jg_array *negative = scope_unary(&scope, jg_negative, step);
    return scope_finish(&scope, scope_where(&scope, below, negative, step), out);
}

/* The fraction of infinity is 0. */
jg_status compose_modf(jg_array *x, jg_array_list *out)
{
    const jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_modf, 1, &dtype, &types));
    jg_array *value = scope_cast(&scope, x, types.result);
    jg_array *whole = scope_unary(&scope, jg_trunc, value);
    jg_array *rest = scope_binary(&scope, jg_subtract, value, whole);
    jg_array *zero = rest == NULL ? NULL : scope_number(&scope, value, 0);
    rest = scope_where(&scope, scope_unary(&scope, jg_isinf, value), zero, rest);
    return finish_pair(&scope, scope_binary(&scope, jg_copysign, rest, value), whole, out);
}

/* 2^exponent, exact for whole exponents of normal numbers. */
static jg_array *power_of_two(compose_scope *scope, jg_array *exponent)
{
    return scope_unary(scope, jg_exp2, scope_cast(scope, exponent, JG_DTYPE_FLOAT64));
}

/* Fraction and exponent of a size that is neither 0 nor infinite, as float64. */
typedef struct parts {
    jg_array *fraction, *exponent;
} parts;

/* The exponent comes from a logarithm, which may be one off near a power of two. Then the fraction
 * is outside [0.5, 1), which corrects it. */
static parts parts_of(compose_scope *s, jg_array *size)
{
    jg_array *one = scope_number(s, size, 1), *half = scope_number(s, size, 0.5);
    jg_array *exponent =
        scope_binary(s, jg_add, scope_unary(s, jg_floor, scope_unary(s, jg_log2, size)), one);
    jg_array *inverse = power_of_two(s, scope_unary(s, jg_negative, exponent));
    jg_array *fraction = scope_binary(s, jg_multiply, size, inverse);
    jg_array *above = scope_binary(s, jg_less_equal, one, fraction),
             *below = scope_binary(s, jg_less, fraction, half);
    jg_array *more = scope_binary(s, jg_subtract, scope_cast(s, above, JG_DTYPE_FLOAT64),
                                  scope_cast(s, below, JG_DTYPE_FLOAT64));
    inverse = power_of_two(s, scope_unary(s, jg_negative, more));
    return (parts){scope_binary(s, jg_multiply, fraction, inverse),
                   scope_binary(s, jg_add, exponent, more)};
}

/* A factor takes sizes to the middle of the range, as 2^-exponent is subnormal for the largest and
 * infinite for the smallest. 0, infinity and NaN are their own fractions. */
jg_status compose_frexp(jg_array *x, jg_array_list *out)
{
    compose_scope scope = {0}, *s = &scope;
    jg_dtype result;
    jg_array *value = scope_cast(s, scope_widen(s, JG_OP_frexp, x, &result), JG_DTYPE_FLOAT64);
    jg_array *size = scope_unary(s, jg_abs, value);
    if (size == NULL)
        return finish_pair(s, NULL, NULL, out);
    jg_array *zero = scope_number(s, value, 0);
    jg_array *small = scope_binary(s, jg_less, size, scope_number(s, value, 1));
    jg_array *factor =
        scope_where(s, small, scope_number(s, value, 0x1p54), scope_number(s, value, 0x1p-54));
    parts of = parts_of(s, scope_binary(s, jg_multiply, size, factor));
    jg_array *moved =
        scope_where(s, small, scope_number(s, value, 54), scope_number(s, value, -54));
    jg_array *exponent = scope_binary(s, jg_subtract, of.exponent, moved);
    jg_array *has = scope_binary(s, jg_logical_and, scope_unary(s, jg_isfinite, value),
                                 scope_binary(s, jg_not_equal, value, zero));
    jg_array *fraction =
        scope_where(s, has, scope_binary(s, jg_copysign, of.fraction, value), value);
    exponent = scope_where(s, has, exponent, zero);
    return finish_pair(s, scope_cast(s, fraction, result), scope_cast(s, exponent, JG_DTYPE_INT32),
                       out);
}

/* Exponents beyond +-2200, with which all is 0 or infinite, as these. */
static jg_array *bounded_exponent(compose_scope *scope, jg_array *x)
{
    if (x->dtype == JG_DTYPE_UINT64)
        x = scope_binary(scope, jg_minimum, x, scope_whole(scope, x, 2200));
    x = scope_cast(scope, x, JG_DTYPE_INT64);
    if (x == NULL)
        return NULL;
    x = scope_binary(scope, jg_minimum, x, scope_whole(scope, x, 2200));
    return scope_binary(scope, jg_maximum, x, scope_whole(scope, x, -2200));
}

/* The part of the exponent that one factor can hold: all of it for a normal result, otherwise a
 * first step. A first step down leaves 53 bits, so a number that it makes subnormal ends as 0, and
 * no other number is rounded twice. */
static jg_array *first_step(compose_scope *scope, jg_array *exponent)
{
    if (exponent == NULL)
        return NULL;
    jg_array *least = scope_whole(scope, exponent, -1022),
             *most = scope_whole(scope, exponent, 1023), *down = scope_whole(scope, exponent, -969);
    jg_array *step = scope_binary(scope, jg_minimum, exponent, most);
    return scope_where(scope, scope_binary(scope, jg_less, exponent, least), down, step);
}

jg_status compose_ldexp(jg_array *x1, jg_array *x2, jg_array **out)
{
    compose_scope scope = {0}, *s = &scope;
    jg_dtype result;
    if (!dtype_is_integer((jg_dtype)x2->dtype))
        return base_fail(JG_ERR_TYPE, "[ldexp] x2: got %s, allowed are integers",
                         dtype_rows[x2->dtype].name);
    jg_array *value = scope_cast(s, scope_widen(s, JG_OP_ldexp, x1, &result), JG_DTYPE_FLOAT64);
    jg_array *exponent = bounded_exponent(s, x2);
    for (int i = 0; i < 3; ++i) { /* each takes 969 at least off an exponent that has it */
        jg_array *step = first_step(s, exponent);
        value = scope_binary(s, jg_multiply, value, power_of_two(s, step));
        exponent = scope_binary(s, jg_subtract, exponent, step);
    }
    return scope_finish(s, scope_cast(s, value, result), out);
}
