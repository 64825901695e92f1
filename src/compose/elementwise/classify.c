/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the kind of number that an element is. Integers and bools are finite, and their sign bit
 * is set if they are below zero. Floats are compared with infinity or with themselves. */
#include "compose/compose.h"
#include <math.h>

/* For complex numbers either part decides; for integers it is false everywhere. */
jg_status compose_isnan(jg_array *x, jg_array **out)
{
    return jg_not_equal(x, x, out);
}

/* x, or |x|, compared with an infinity; of what cannot be infinite, `otherwise` compares x with
 * itself. */
static jg_status against_infinity(jg_op op, jg_array *x, bool magnitude, double infinity,
                                  compose_binary *compare, compose_binary *otherwise,
                                  jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    if (!dtype_is_floating(dtype))
        return otherwise(x, x, out);
    jg_array *left = magnitude ? scope_unary(&scope, jg_abs, x) : x;
    jg_array *bound = scope_number(&scope, x, infinity);
    return scope_finish(&scope, scope_binary(&scope, compare, left, bound), out);
}

/* A test of a complex number holds if it holds for both parts, or for one of them. */
static jg_status by_parts(jg_array *x, compose_unary *is, compose_binary *join, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *re = scope_unary(&scope, is, scope_unary(&scope, jg_real, x));
    jg_array *im = scope_unary(&scope, is, scope_unary(&scope, jg_imag, x));
    return scope_finish(&scope, scope_binary(&scope, join, re, im), out);
}

jg_status compose_isinf(jg_array *x, jg_array **out)
{
    if (dtype_is_complex((jg_dtype)x->dtype))
        return by_parts(x, jg_isinf, jg_logical_or, out);
    return against_infinity(JG_OP_isinf, x, true, (double)INFINITY, jg_equal, jg_not_equal, out);
}

jg_status compose_isfinite(jg_array *x, jg_array **out)
{
    if (dtype_is_complex((jg_dtype)x->dtype))
        return by_parts(x, jg_isfinite, jg_logical_and, out);
    return against_infinity(JG_OP_isfinite, x, true, (double)INFINITY, jg_less, jg_equal, out);
}

jg_status compose_isposinf(jg_array *x, jg_array **out)
{
    return against_infinity(JG_OP_isposinf, x, false, (double)INFINITY, jg_equal, jg_not_equal,
                            out);
}

jg_status compose_isneginf(jg_array *x, jg_array **out)
{
    return against_infinity(JG_OP_isneginf, x, false, -(double)INFINITY, jg_equal, jg_not_equal,
                            out);
}

/* A zero and a NaN show their sign once it is moved to a 1. */
jg_status compose_signbit(jg_array *x, jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(JG_OP_signbit, 1, &dtype, &types));
    if (dtype == JG_DTYPE_BOOL)
        return jg_not_equal(x, x, out);
    jg_array *zero = scope_number(&scope, x, 0), *signed_one = x;
    if (dtype_is_floating(dtype))
        signed_one = scope_binary(&scope, jg_copysign, scope_number(&scope, x, 1), x);
    return scope_finish(&scope, scope_binary(&scope, jg_less, signed_one, zero), out);
}
