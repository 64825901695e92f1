/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that NumPy has besides the standard's. Fusion makes one pass of each. */
#include "compose/compose.h"

/* Both operands in the dtype that the row's rule computes in, NULL after a failure. */
typedef struct operands {
    compose_scope scope;
    jg_array *x, *y;
} operands;

static operands operands_of(jg_op op, jg_array *x1, jg_array *x2)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    operands o = {0};
    op_types types;
    o.scope.status = op_resolve_types(op, 2, dtypes, &types);
    if (o.scope.status != JG_OK)
        return o;
    o.x = scope_cast(&o.scope, x1, types.operand[0]);
    o.y = scope_cast(&o.scope, x2, types.operand[1]);
    return o;
}

/* |x|, whose derivative at 0 is 1 or -1 by the sign of the zero, where jg_abs has 0. */
static jg_array *magnitude(compose_scope *s, jg_array *x)
{
    jg_array *sign = scope_binary(s, jg_copysign, scope_number(s, x, 1), x);
    return scope_binary(s, jg_multiply, x, sign);
}

/* For integers the remainder of a floor division has y's sign; if it is not 0 and x's sign differs,
 * y is subtracted once. For floats that would round, but the remainder of the magnitudes is
 * exact. */
jg_status compose_fmod(jg_array *x1, jg_array *x2, jg_array **out)
{
    operands o = operands_of(JG_OP_fmod, x1, x2);
    compose_scope *s = &o.scope;
    if (o.y == NULL)
        return scope_finish(s, NULL, out);
    if (dtype_is_floating((jg_dtype)o.x->dtype)) {
        jg_array *x = magnitude(s, o.x), *y = scope_unary(s, jg_abs, o.y);
        jg_array *rest = scope_binary(s, jg_remainder, x, y);
        return scope_finish(s, scope_binary(s, jg_copysign, rest, o.x), out);
    }
    jg_array *zero = scope_number(s, o.x, 0), *rest = scope_binary(s, jg_remainder, o.x, o.y);
    jg_array *signs = scope_binary(s, jg_not_equal, scope_binary(s, jg_less, o.x, zero),
                                   scope_binary(s, jg_less, o.y, zero));
    jg_array *other =
        scope_binary(s, jg_logical_and, signs, scope_binary(s, jg_not_equal, rest, zero));
    jg_array *moved = scope_binary(s, jg_subtract, rest, o.y);
    return scope_finish(s, scope_where(s, other, moved, rest), out);
}

/* x1 / gcd * x2: dividing first overflows only if the result does. Dividing by a gcd of 0 gives
 * 0. */
jg_status compose_lcm(jg_array *x1, jg_array *x2, jg_array **out)
{
    operands o = operands_of(JG_OP_lcm, x1, x2);
    compose_scope *s = &o.scope;
    jg_array *x = scope_unary(s, jg_abs, o.x), *y = scope_unary(s, jg_abs, o.y);
    jg_array *part = scope_binary(s, jg_floor_divide, x, scope_binary(s, jg_gcd, x, y));
    return scope_finish(s, scope_binary(s, jg_multiply, part, y), out);
}

jg_status compose_float_power(jg_array *x1, jg_array *x2, jg_array **out)
{
    operands o = operands_of(JG_OP_float_power, x1, x2);
    jg_dtype dtype = o.x != NULL && dtype_is_complex((jg_dtype)o.x->dtype) ? JG_DTYPE_COMPLEX128
                                                                           : JG_DTYPE_FLOAT64;
    jg_array *x = scope_cast(&o.scope, o.x, dtype), *y = scope_cast(&o.scope, o.y, dtype);
    return scope_finish(&o.scope, scope_binary(&o.scope, jg_pow, x, y), out);
}

/* choose(x, y), and where one is NaN, the other. */
static jg_status beside_nan(jg_op op, compose_binary *choose, jg_array *x1, jg_array *x2,
                            jg_array **out)
{
    operands o = operands_of(op, x1, x2);
    compose_scope *s = &o.scope;
    jg_array *chosen = scope_binary(s, choose, o.x, o.y);
    if (chosen == NULL || !dtype_is_floating((jg_dtype)chosen->dtype))
        return scope_finish(s, chosen, out);
    jg_array *one = scope_where(s, scope_unary(s, jg_isnan, o.y), o.x, chosen);
    return scope_finish(s, scope_where(s, scope_unary(s, jg_isnan, o.x), o.y, one), out);
}

jg_status compose_fmax(jg_array *x1, jg_array *x2, jg_array **out)
{
    return beside_nan(JG_OP_fmax, jg_maximum, x1, x2, out);
}

jg_status compose_fmin(jg_array *x1, jg_array *x2, jg_array **out)
{
    return beside_nan(JG_OP_fmin, jg_minimum, x1, x2, out);
}

/* The sign is -1, 0, 1 or NaN: what is not 0 becomes 0, 1 or NaN when the lower half is cut off. */
jg_status compose_heaviside(jg_array *x1, jg_array *x2, jg_array **out)
{
    operands o = operands_of(JG_OP_heaviside, x1, x2);
    compose_scope *s = &o.scope;
    jg_array *zero = o.x == NULL ? NULL : scope_number(s, o.x, 0);
    jg_array *step = scope_binary(s, jg_maximum, scope_unary(s, jg_sign, o.x), zero);
    return scope_finish(s, scope_where(s, scope_binary(s, jg_equal, o.x, zero), o.y, step), out);
}

/* The larger operand plus the logarithm of the rest of the sum, so that nothing overflows. The
 * larger operand is a constant for derivatives: the derivatives, also at equal operands, are those
 * of logaddexp. */
jg_status compose_logaddexp2(jg_array *x1, jg_array *x2, jg_array **out)
{
    operands o = operands_of(JG_OP_logaddexp2, x1, x2);
    compose_scope *s = &o.scope;
    jg_dtype result = o.x == NULL ? JG_DTYPE_FLOAT32 : (jg_dtype)o.x->dtype;
    jg_array *x = scope_cast(s, o.x, compose_wide(result)),
             *y = scope_cast(s, o.y, compose_wide(result));
    if (y == NULL)
        return scope_finish(s, NULL, out);
    jg_array *top = scope_unary(s, jg_stop_gradient, scope_binary(s, jg_maximum, x, y));
    top = scope_where(s, scope_unary(s, jg_isinf, top), scope_number(s, x, 0), top);
    jg_array *scale = scope_number(s, x, 0.6931471805599453094); /* log(2) */
    x = scope_binary(s, jg_multiply, scope_binary(s, jg_subtract, x, top), scale);
    y = scope_binary(s, jg_multiply, scope_binary(s, jg_subtract, y, top), scale);
    jg_array *rest = scope_binary(s, jg_logaddexp, x, y);
    rest = scope_binary(s, jg_divide, rest, scale);
    return scope_finish(s, scope_cast(s, scope_binary(s, jg_add, top, rest), result), out);
}

/* |x|^(1/3), whose exponent is not quite a third, and a step of Newton's method, which brings the
 * error below the last digit. 0 and the infinities take no step: it would be NaN, in derivatives
 * too, of which that at 0 is infinite. */
jg_status compose_cbrt(jg_array *x, jg_array **out)
{
    compose_scope scope = {0}, *s = &scope;
    jg_dtype result;
    jg_array *wide = scope_widen(s, JG_OP_cbrt, x, &result);
    if (wide == NULL)
        return scope_finish(s, NULL, out);
    jg_array *size = magnitude(s, wide);
    jg_array *third = scope_number(s, wide, 1.0 / 3);
    jg_array *power = scope_binary(s, jg_pow, size, third);
    jg_array *own = scope_binary(s, jg_equal, scope_binary(s, jg_add, wide, wide), wide);
    jg_array *root = scope_where(s, own, scope_number(s, wide, 1), power);
    jg_array *other = scope_binary(s, jg_divide, size, scope_binary(s, jg_multiply, root, root));
    jg_array *error = scope_binary(s, jg_subtract, root, other);
    root = scope_binary(s, jg_subtract, root, scope_binary(s, jg_multiply, error, third));
    root = scope_where(s, own, power, root);
    root = scope_binary(s, jg_copysign, root, wide);
    return scope_finish(s, scope_cast(s, root, result), out);
}

/* Sums of neighbouring bits, then of pairs, and so on; a product adds up the bytes. Signed numbers
 * are widened with their sign first, so that |x| is right for the most negative one, too. */
static jg_array *count_bits(compose_scope *s, jg_array *x)
{
    static const uint64_t masks[] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
    for (int i = 0; i < 3 && x != NULL; ++i) {
        jg_array *mask = scope_whole(s, x, (int64_t)masks[i]);
        jg_array *upper = scope_binary(s, jg_bitwise_right_shift, x, scope_whole(s, x, 1 << i));
        x = scope_binary(s, jg_add, scope_binary(s, jg_bitwise_and, x, mask),
                         scope_binary(s, jg_bitwise_and, upper, mask));
    }
    if (x == NULL)
        return NULL;
    jg_array *bytes = scope_binary(s, jg_multiply, x, scope_whole(s, x, 0x0101010101010101));
    return scope_binary(s, jg_bitwise_right_shift, bytes, scope_whole(s, x, 56));
}

jg_status compose_bitwise_count(jg_array *x, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_bitwise_count, 1, &dtype, &types));
    jg_array *size = x;
    if (dtype_rows[dtype].kind == JG_KIND_INT)
        size = scope_unary(&scope, jg_abs, scope_cast(&scope, x, JG_DTYPE_INT64));
    jg_array *count = count_bits(&scope, scope_cast(&scope, size, JG_DTYPE_UINT64));
    return scope_finish(&scope, scope_cast(&scope, count, JG_DTYPE_UINT8), out);
}
