/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic and comparisons that other ops spell. Fusion makes one pass of each. */
#include "compose/compose.h"
#include <math.h>
#include <stdlib.h>

jg_status compose_square(jg_array *x, jg_array **out)
{
    return jg_multiply(x, x, out);
}

/* With NaN both orders are false, so that exchanging the operands changes nothing. */
jg_status compose_greater(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less(x2, x1, out);
}

jg_status compose_greater_equal(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less_equal(x2, x1, out);
}

/* Two nodes of the same operands, which fusion may compute in one pass. */
jg_status compose_divmod(jg_array *x1, jg_array *x2, jg_array_list *out)
{
    jg_array **pair = base_alloc(2 * sizeof *pair);
    if (pair == NULL)
        return base_nomem(2 * sizeof *pair, "two arrays");
    jg_status status = jg_floor_divide(x1, x2, &pair[0]);
    if (status == JG_OK) {
        status = jg_remainder(x1, x2, &pair[1]);
        if (status != JG_OK)
            jg_array_release(pair[0]);
    }
    if (status == JG_OK)
        *out = (jg_array_list){2, pair};
    else
        base_free(pair);
    return status;
}

/* A number op x, with x in the dtype that the row's rule computes in. The number is made in the
 * operand's dtype, so that it cannot widen it. */
static jg_status with_number(jg_op op, double number, compose_binary *spelled, jg_array *x,
                             jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    jg_array *cast = scope_cast(&scope, x, types.operand[0]);
    jg_array *constant = scope_number(&scope, cast, number);
    return scope_finish(&scope, scope_binary(&scope, spelled, constant, cast), out);
}

jg_status compose_reciprocal(jg_array *x, jg_array **out)
{
    return with_number(JG_OP_reciprocal, 1, jg_divide, x, out);
}

jg_status compose_degrees(jg_array *x, jg_array **out)
{
    return with_number(JG_OP_degrees, 57.295779513082320877, jg_multiply, x, out);
}

jg_status compose_radians(jg_array *x, jg_array **out)
{
    return with_number(JG_OP_radians, 0.017453292519943295769, jg_multiply, x, out);
}

static jg_status round_whole(jg_array *x, jg_array **out)
{
    return graph_unary(JG_OP_round, x, out);
}

/* x, or x in float64 if its dtype has fewer bits, as powers of ten must fit the dtype. */
static jg_array *widen_for(compose_scope *scope, jg_array *x, int64_t decimals)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    if (dtype_is_complex(dtype))
        return scope_cast(scope, x, JG_DTYPE_COMPLEX128);
    bool narrow = dtype != JG_DTYPE_FLOAT64 && dtype_is_floating(dtype);
    return scope_cast(scope, x,
                      narrow && llabs(decimals) < 30 ? compose_wide(dtype) : JG_DTYPE_FLOAT64);
}

/* If the product of x and the factor overflows, x has no such decimals, so it is its own result. A
 * power of ten up to 10^22 is exact in float64, but its inverse never is: so one direction
 * multiplies and the other divides. */
static jg_array *round_decimals(compose_scope *scope, jg_array *x, int64_t decimals)
{
    jg_array *wide = widen_for(scope, x, decimals);
    if (wide == NULL)
        return NULL;
    bool up = decimals > 0;
    jg_array *factor = scope_number(scope, wide, pow(10, (double)llabs(decimals)));
    jg_array *scaled = scope_binary(scope, up ? jg_multiply : jg_divide, wide, factor);
    jg_array *whole = scope_unary(scope, round_whole, scaled);
    jg_array *rounded = scope_binary(scope, up ? jg_divide : jg_multiply, whole, factor);
    return up ? scope_where(scope, scope_unary(scope, jg_isfinite, scaled), rounded, wide)
              : rounded;
}

jg_status compose_round(jg_array *x, int64_t decimals, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_round, 1, &dtype, &types));
    if (decimals == 0 || (decimals > 0 && dtype_is_integer(dtype)))
        return round_whole(x, out);
    /* 10^308 is the last power of ten that float64 has. */
    decimals = int64_clamp(decimals, -300, 300);
    jg_array *rounded = round_decimals(&scope, x, decimals);
    return scope_finish(&scope, scope_cast(&scope, rounded, types.result), out);
}

/* The limits go one after the other, so that NaN stays and the upper one wins. */
jg_status compose_clip(jg_array *x, jg_array *min, jg_array *max, jg_array **out)
{
    jg_dtype dtypes[3] = {(jg_dtype)x->dtype};
    int count = 1;
    op_types types;
    compose_scope scope = {0};
    if (min != NULL)
        dtypes[count++] = (jg_dtype)min->dtype;
    if (max != NULL)
        dtypes[count++] = (jg_dtype)max->dtype;
    JG_TRY(op_resolve_types(JG_OP_clip, count, dtypes, &types));
    jg_array *result = scope_cast(&scope, x, types.result);
    if (min != NULL)
        result = scope_binary(&scope, jg_maximum, result, min);
    if (max != NULL)
        result = scope_binary(&scope, jg_minimum, result, max);
    if (min == NULL && max == NULL) /* the result is never over the memory of x */
        result = scope_unary(&scope, jg_copy, result);
    return scope_finish(&scope, result, out);
}

/* The dtype that differences are judged in: wide enough for integers, and for halves. */
static jg_status closeness_dtype(jg_array *x1, jg_array *x2, jg_dtype *out)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_isclose, 2, dtypes, &types));
    *out = types.operand[0];
    if (dtype_is_complex(*out))
        return JG_OK;
    bool wide = !dtype_is_floating(*out) || *out == JG_DTYPE_FLOAT64;
    *out = wide ? JG_DTYPE_FLOAT64 : JG_DTYPE_FLOAT32;
    return JG_OK;
}

/* |a - b| <= atol + rtol |b|, as in NumPy: not symmetric. An infinite b would allow anything. */
static jg_array *within(compose_scope *scope, jg_array *a, jg_array *b, double rtol, double atol)
{
    jg_array *difference = scope_unary(scope, jg_abs, scope_binary(scope, jg_subtract, a, b));
    jg_array *size = scope_unary(scope, jg_abs, b);
    jg_array *scaled = scope_binary(scope, jg_multiply, size, scope_number(scope, size, rtol));
    jg_array *allowed = scope_binary(scope, jg_add, scaled, scope_number(scope, size, atol));
    jg_array *close = scope_binary(scope, jg_less_equal, difference, allowed);
    return scope_binary(scope, jg_logical_and, close, scope_unary(scope, jg_isfinite, b));
}

jg_status compose_isclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                          jg_array **out)
{
    jg_dtype dtype;
    compose_scope scope = {0};
    JG_TRY(closeness_dtype(x1, x2, &dtype));
    jg_array *a = scope_cast(&scope, x1, dtype), *b = scope_cast(&scope, x2, dtype);
    jg_array *result = within(&scope, a, b, rtol, atol);
    /* Infinities of one sign are close. */
    result = scope_binary(&scope, jg_logical_or, result, scope_binary(&scope, jg_equal, a, b));
    if (equal_nan) {
        jg_array *a_nan = scope_unary(&scope, jg_isnan, a),
                 *b_nan = scope_unary(&scope, jg_isnan, b);
        jg_array *both = scope_binary(&scope, jg_logical_and, a_nan, b_nan);
        result = scope_binary(&scope, jg_logical_or, result, both);
    }
    return scope_finish(&scope, result, out);
}

/* value where x is that infinity; NULL means the last number before it. nextafter towards 0 gives
 * the largest number of any dtype, with no table of them. */
static jg_array *without_infinity(compose_scope *scope, jg_array *x, double infinity,
                                  const double *value)
{
    jg_array *bound = scope_number(scope, x, infinity);
    jg_array *finite = value == NULL
                           ? scope_binary(scope, jg_nextafter, bound, scope_number(scope, x, 0))
                           : scope_number(scope, x, *value);
    return scope_where(scope, scope_binary(scope, jg_equal, x, bound), finite, x);
}

static jg_array *scope_bitcast(compose_scope *scope, jg_array *x, jg_dtype dtype)
{
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = jg_bitcast(x, dtype, &made);
    return scope_take(scope, status, made);
}

/* Each part of a complex number is replaced by itself: the array is read as one row of real parts
 * and imaginary parts in turn. */
static jg_status parts_to_num(jg_array *x, double nan, const double *posinf, const double *neginf,
                              jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype = (jg_dtype)x->dtype;
    jg_array *row = scope_shaped(&scope, jg_reshape, x, 1, &x->size), *made = NULL;
    jg_array *parts = scope_bitcast(&scope, row, dtype_real_part(dtype));
    if (parts == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_nan_to_num(parts, nan, posinf, neginf, &made);
    row = scope_bitcast(&scope, scope_take(&scope, status, made), dtype);
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, row, x->ndim, node_shape(x)), out);
}

/* Infinities are compared with, not tested for: each has a value of its own. Integers have neither,
 * and are copied. */
jg_status compose_nan_to_num(jg_array *x, double nan, const double *posinf, const double *neginf,
                             jg_array **out)
{
    compose_scope scope = {0};
    if (dtype_is_complex((jg_dtype)x->dtype))
        return parts_to_num(x, nan, posinf, neginf, out);
    if (!dtype_is_floating((jg_dtype)x->dtype))
        return jg_copy(x, out);
    jg_array *result =
        scope_where(&scope, scope_unary(&scope, jg_isnan, x), scope_number(&scope, x, nan), x);
    result = without_infinity(&scope, result, (double)INFINITY, posinf);
    result = without_infinity(&scope, result, -(double)INFINITY, neginf);
    return scope_finish(&scope, result, out);
}

/* Only a traced function can tell the difference, so what is not traced needs no node. */
jg_status compose_stop_gradient(jg_array *x, jg_array **out)
{
    if (node_is_traced(x) && dtype_is_castable((jg_dtype)x->dtype))
        return graph_unary(JG_OP_stop_gradient, x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}
