/* SPDX-License-Identifier: Apache-2.0 */
/* The ops: every function works out the dtype and shape of its result and gives a new node of the
 * lazy graph. Written by tools/optable.py from src/op/op.def.
 *
 * Operands x1 and x2 (and condition) are broadcast and promoted to their common dtype. TYPE is
 * raised for a dtype that the op does not compute on, VALUE for an argument that is NULL but must
 * not be. A message begins with the name of the op that was called, in brackets. A
 * function computes nothing and does not wait, unless its text says that it computes an operand:
 * then it raises what jg_eval raises, and waits until the operand is in memory. */
#ifndef JOGGLE_OPS_H
#define JOGGLE_OPS_H

#include <joggle/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A padding of convolutions and pooling in place of a number: as many zeros as leave a result for
 * each stride of the input. */
#define JG_PADDING_SAME INT64_MIN

/* The sum x1 + x2; for bool, logical or.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_add(jg_array *x1, jg_array *x2, jg_array **out);

/* The difference x1 - x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_subtract(jg_array *x1, jg_array *x2, jg_array **out);

/* The product x1 * x2; for bool, logical and.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_multiply(jg_array *x1, jg_array *x2, jg_array **out);

/* The quotient x1 / x2; integers are divided as floating numbers.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_divide(jg_array *x1, jg_array *x2, jg_array **out);

/* The greatest whole number not above x1 / x2; an integer divided by zero gives 0.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_floor_divide(jg_array *x1, jg_array *x2, jg_array **out);

/* x1 - x2 * floor(x1 / x2), with the sign of x2; an integer by zero gives 0.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_remainder(jg_array *x1, jg_array *x2, jg_array **out);

/* x1 - x2 * trunc(x1 / x2), with the sign of x1; an integer by zero gives 0.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_fmod(jg_array *x1, jg_array *x2, jg_array **out);

/* The greatest common divisor of |x1| and |x2|; 0 where both are zero.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_gcd(jg_array *x1, jg_array *x2, jg_array **out);

/* The least common multiple of |x1| and |x2|; 0 where one of them is zero.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_lcm(jg_array *x1, jg_array *x2, jg_array **out);

/* pow(x1, x2) in float64, or in complex128 for complex numbers.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_float_power(jg_array *x1, jg_array *x2, jg_array **out);

/* x1 raised to x2; an integer to a negative power gives 0 unless |x1| is 1.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_pow(jg_array *x1, jg_array *x2, jg_array **out);

/* The larger of x1 and x2; NaN if either is NaN.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_maximum(jg_array *x1, jg_array *x2, jg_array **out);

/* The smaller of x1 and x2; NaN if either is NaN.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_minimum(jg_array *x1, jg_array *x2, jg_array **out);

/* The larger of x1 and x2; the other one where one of them is NaN.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_fmax(jg_array *x1, jg_array *x2, jg_array **out);

/* The smaller of x1 and x2; the other one where one of them is NaN.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_fmin(jg_array *x1, jg_array *x2, jg_array **out);

/* 0 where x1 is below zero, x2 where x1 is zero, 1 above; NaN where x1 is NaN.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_heaviside(jg_array *x1, jg_array *x2, jg_array **out);

/* -x; an unsigned integer wraps around modulo 2^bits.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_negative(jg_array *x, jg_array **out);

/* The absolute value of x; the magnitude of a complex number is real.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_abs(jg_array *x, jg_array **out);

/* The real part of x; if x is in memory, a view of that part.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_real(jg_array *x, jg_array **out);

/* The imaginary part of x; if x is in memory, a view of that part; for a real x, zeros.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_imag(jg_array *x, jg_array **out);

/* The angle of x in the complex plane, in [-pi, pi].
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_angle(jg_array *x, jg_array **out);

/* x with its imaginary part negated; a real x itself.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_conj(jg_array *x, jg_array **out);

/* x * x; for bool, x itself.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_square(jg_array *x, jg_array **out);

/* +x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_positive(jg_array *x, jg_array **out);

/* x, as a constant of the functions that are differentiated.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_stop_gradient(jg_array *x, jg_array **out);

/* -1, 0 or 1 for x below, equal to or above zero; x / |x| if complex; NaN for NaN.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_sign(jg_array *x, jg_array **out);

/* 1 / x; integers are divided as floating numbers.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_reciprocal(jg_array *x, jg_array **out);

/* floor_divide(x1, x2) and remainder(x1, x2).
 * keeps: x1, x2 | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_divmod(jg_array *x1, jg_array *x2, jg_array_list *out);

/* The magnitude of x1 with the sign of x2; a zero and a NaN have a sign, too.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_copysign(jg_array *x1, jg_array *x2, jg_array **out);

/* The next value of the dtype after x1 towards x2; x2 where they are equal.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_nextafter(jg_array *x1, jg_array *x2, jg_array **out);

/* The distance from x to the next value away from zero; -0 counts as 0; NaN for infinities.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_spacing(jg_array *x, jg_array **out);

/* The absolute value of x, a float.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_fabs(jg_array *x, jg_array **out);

/* m in [0.5, 1), with x's sign, and an int32 e for which x = m * 2^e.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_frexp(jg_array *x, jg_array_list *out);

/* x1 * 2^x2, rounded once; x2 are integers.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_ldexp(jg_array *x1, jg_array *x2, jg_array **out);

/* The fraction of x and its whole part, both with the sign of x.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_modf(jg_array *x, jg_array_list *out);

/* x limited to [min, max]; min and max are broadcast, and either may be left out. min may be
 * NULL. max may be NULL.
 * keeps: x, min, max | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM
 * */
JG_API JG_CHECKED jg_status jg_clip(jg_array *x, jg_array *min, jg_array *max, jg_array **out);

/* x with NaN and the infinities replaced by numbers.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_nan_to_num(jg_array *x, double nan, const double *posinf,
                                          const double *neginf, jg_array **out);

/* Whether x1 < x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_less(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 <= x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_less_equal(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 > x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_greater(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 >= x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_greater_equal(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 == x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_equal(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 != x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_not_equal(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x is NaN.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isnan(jg_array *x, jg_array **out);

/* Whether x is infinite, of either sign.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isinf(jg_array *x, jg_array **out);

/* Whether x is neither NaN nor infinite.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isfinite(jg_array *x, jg_array **out);

/* Whether x is positive infinity.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isposinf(jg_array *x, jg_array **out);

/* Whether x is negative infinity.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isneginf(jg_array *x, jg_array **out);

/* Whether the sign bit of x is set, also of a zero or a NaN.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_signbit(jg_array *x, jg_array **out);

/* Whether |x1 - x2| <= atol + rtol * |x2|; infinities are close to themselves.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_isclose(jg_array *x1, jg_array *x2, double rtol, double atol,
                                       bool equal_nan, jg_array **out);

/* Whether isclose holds everywhere, as a 0-d bool.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_allclose(jg_array *x1, jg_array *x2, double rtol, double atol,
                                        bool equal_nan, jg_array **out);

/* Whether x1 and x2 have one shape and equal elements, as a 0-d bool.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_array_equal(jg_array *x1, jg_array *x2, bool equal_nan,
                                           jg_array **out);

/* Whether x1 and x2 are both true.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_logical_and(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x1 or x2 is true.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_logical_or(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether exactly one of x1 and x2 is true.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_logical_xor(jg_array *x1, jg_array *x2, jg_array **out);

/* Whether x is false.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_logical_not(jg_array *x, jg_array **out);

/* The bits set in both x1 and x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_and(jg_array *x1, jg_array *x2, jg_array **out);

/* The bits set in x1 or in x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_or(jg_array *x1, jg_array *x2, jg_array **out);

/* The bits set in exactly one of x1 and x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_xor(jg_array *x1, jg_array *x2, jg_array **out);

/* Every bit of x inverted; for bool, logical not.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_invert(jg_array *x, jg_array **out);

/* x1 shifted left by x2 bits; 0 once x2 reaches the width.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_left_shift(jg_array *x1, jg_array *x2, jg_array **out);

/* x1 shifted right by x2 bits, the sign kept.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_right_shift(jg_array *x1, jg_array *x2, jg_array **out);

/* How many bits of |x| are set, as a uint8.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_bitwise_count(jg_array *x, jg_array **out);

/* e raised to x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_exp(jg_array *x, jg_array **out);

/* 2 raised to x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_exp2(jg_array *x, jg_array **out);

/* exp(x) - 1, exact where x is small.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_expm1(jg_array *x, jg_array **out);

/* The natural logarithm of x; NaN below zero.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_log(jg_array *x, jg_array **out);

/* The logarithm of x to base 2; NaN below zero.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_log2(jg_array *x, jg_array **out);

/* The logarithm of x to base 10; NaN below zero.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_log10(jg_array *x, jg_array **out);

/* log(1 + x), exact where x is small; NaN below -1.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_log1p(jg_array *x, jg_array **out);

/* log(exp(x1) + exp(x2)) without overflow.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_logaddexp(jg_array *x1, jg_array *x2, jg_array **out);

/* log2(2^x1 + 2^x2) without overflow.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_logaddexp2(jg_array *x1, jg_array *x2, jg_array **out);

/* The square root of x; NaN below zero.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_sqrt(jg_array *x, jg_array **out);

/* The cube root of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_cbrt(jg_array *x, jg_array **out);

/* 1 / sqrt(x).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_rsqrt(jg_array *x, jg_array **out);

/* sqrt(x1^2 + x2^2) without overflow; infinite if x1 or x2 is infinite.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_hypot(jg_array *x1, jg_array *x2, jg_array **out);

/* The sine of x radians.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_sin(jg_array *x, jg_array **out);

/* The cosine of x radians.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_cos(jg_array *x, jg_array **out);

/* The tangent of x radians.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_tan(jg_array *x, jg_array **out);

/* The angle in [-pi/2, pi/2] whose sine is x; NaN outside [-1, 1].
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_asin(jg_array *x, jg_array **out);

/* The angle in [0, pi] whose cosine is x; NaN outside [-1, 1].
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_acos(jg_array *x, jg_array **out);

/* The angle in [-pi/2, pi/2] whose tangent is x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_atan(jg_array *x, jg_array **out);

/* The angle in [-pi, pi] of the point with x2 to the right and x1 up.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_atan2(jg_array *x1, jg_array *x2, jg_array **out);

/* The hyperbolic sine of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_sinh(jg_array *x, jg_array **out);

/* The hyperbolic cosine of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_cosh(jg_array *x, jg_array **out);

/* The hyperbolic tangent of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_tanh(jg_array *x, jg_array **out);

/* The inverse hyperbolic sine of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_asinh(jg_array *x, jg_array **out);

/* The inverse hyperbolic cosine of x; NaN below 1.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_acosh(jg_array *x, jg_array **out);

/* The inverse hyperbolic tangent of x; NaN outside [-1, 1].
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_atanh(jg_array *x, jg_array **out);

/* x radians in degrees.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_degrees(jg_array *x, jg_array **out);

/* x degrees in radians.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_radians(jg_array *x, jg_array **out);

/* The error function of x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_erf(jg_array *x, jg_array **out);

/* The inverse of the error function; NaN outside [-1, 1].
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_erfinv(jg_array *x, jg_array **out);

/* 1 / (1 + exp(-x)).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_sigmoid(jg_array *x, jg_array **out);

/* log(1 + exp(x)).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_softplus(jg_array *x, jg_array **out);

/* x * sigmoid(x).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_silu(jg_array *x, jg_array **out);

/* x / 2 * (1 + erf(x / sqrt(2))).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_gelu(jg_array *x, jg_array **out);

/* gelu by way of tanh: x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))).
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_gelu_approx(jg_array *x, jg_array **out);

/* The greatest whole number not above x, in x's dtype.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_floor(jg_array *x, jg_array **out);

/* The smallest whole number not below x, in x's dtype.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_ceil(jg_array *x, jg_array **out);

/* x without its fraction, in x's dtype.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_trunc(jg_array *x, jg_array **out);

/* The nearest number with that many decimals, in x's dtype; halfway, the even neighbour.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_round(jg_array *x, int64_t decimals, jg_array **out);

/* x1 where the condition holds, else x2.
 * keeps: condition, x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_where(jg_array *condition, jg_array *x1, jg_array *x2,
                                     jg_array **out);

/* The same values in memory of their own, row-major.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_copy(jg_array *x, jg_array **out);

/* x in another dtype; integers truncate floats, reals take the real part of complex numbers.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE for no dtype, NOMEM */
JG_API JG_CHECKED jg_status jg_astype(jg_array *x, jg_dtype dtype, jg_array **out);

/* The sum over axes; integers are summed in 64 bits or in dtype; an empty sum is 0. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_sum(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   const jg_dtype *dtype, jg_array **out);

/* The product over axes; integers in 64 bits or in dtype; an empty product is 1. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_prod(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                    const jg_dtype *dtype, jg_array **out);

/* The largest value over axes; NaN if any is NaN. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_max(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   jg_array **out);

/* The smallest value over axes; NaN if any is NaN. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_min(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   jg_array **out);

/* The smallest and the largest value over axes, as min and max give them. naxes JG_ALL_AXES
 * means None.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, AXIS and VALUE for axes, NOMEM
 * */
JG_API JG_CHECKED jg_status jg_minmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      jg_array_list *out);

/* The difference of the largest and the smallest value over axes: max - min. naxes JG_ALL_AXES
 * means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_ptp(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   jg_array **out);

/* Whether any element over axes is true; False for no elements. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_any(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   jg_array **out);

/* Whether all elements over axes are true; True for no elements. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_all(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   jg_array **out);

/* How many elements over axes are not zero, as an int64. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_count_nonzero(jg_array *x, int naxes, const int64_t *axes,
                                             bool keepdims, jg_array **out);

/* The arithmetic mean over axes; NaN for no elements. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_mean(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                    jg_array **out);

/* The mean squared distance from the mean over axes; divided by count - correction. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_var(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   double correction, jg_array **out);

/* The square root of var. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_std(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                   double correction, jg_array **out);

/* log of the sum of exp(x) over axes, without overflow; -inf for no elements. naxes JG_ALL_AXES
 * means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_logsumexp(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                         jg_array **out);

/* The sum of the elements that are not NaN, or 0. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nansum(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      const jg_dtype *dtype, jg_array **out);

/* The product of the elements that are not NaN, or 1. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanprod(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                       const jg_dtype *dtype, jg_array **out);

/* The largest element that is not NaN, or NaN. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      jg_array **out);

/* The smallest element that is not NaN, or NaN. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanmin(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      jg_array **out);

/* The mean of the elements that are not NaN, or NaN. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanmean(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                       jg_array **out);

/* The variance of the elements that are not NaN; NaN where no degree of freedom is left. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanvar(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      double correction, jg_array **out);

/* The square root of nanvar. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanstd(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      double correction, jg_array **out);

/* argmax with NaN counted as -inf.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no elements, NOMEM */
JG_API JG_CHECKED jg_status jg_nanargmax(jg_array *x, const int64_t *axis, bool keepdims,
                                         jg_array **out);

/* argmin with NaN counted as inf.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no elements, NOMEM */
JG_API JG_CHECKED jg_status jg_nanargmin(jg_array *x, const int64_t *axis, bool keepdims,
                                         jg_array **out);

/* cumsum with NaN counted as 0.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_nancumsum(jg_array *x, const int64_t *axis, bool reverse,
                                         bool inclusive, const jg_dtype *dtype, jg_array **out);

/* cumprod with NaN counted as 1.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_nancumprod(jg_array *x, const int64_t *axis, bool reverse,
                                          bool inclusive, const jg_dtype *dtype, jg_array **out);

/* The index of the first NaN or largest value, along an axis or in row-major order.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no elements, NOMEM */
JG_API JG_CHECKED jg_status jg_argmax(jg_array *x, const int64_t *axis, bool keepdims,
                                      jg_array **out);

/* The index of the first NaN or smallest value, along an axis or in row-major order.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no elements, NOMEM */
JG_API JG_CHECKED jg_status jg_argmin(jg_array *x, const int64_t *axis, bool keepdims,
                                      jg_array **out);

/* The running sum along an axis, or over all elements in row-major order.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cumsum(jg_array *x, const int64_t *axis, bool reverse,
                                      bool inclusive, const jg_dtype *dtype, jg_array **out);

/* The running product along an axis, or over all elements in row-major order.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cumprod(jg_array *x, const int64_t *axis, bool reverse,
                                       bool inclusive, const jg_dtype *dtype, jg_array **out);

/* The largest value so far along an axis; NaN after the first NaN.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cummax(jg_array *x, const int64_t *axis, bool reverse,
                                      bool inclusive, jg_array **out);

/* The smallest value so far along an axis; NaN after the first NaN.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cummin(jg_array *x, const int64_t *axis, bool reverse,
                                      bool inclusive, jg_array **out);

/* The logarithm of the running sum of exp(x), without overflow.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_logcumsumexp(jg_array *x, const int64_t *axis, bool reverse,
                                            bool inclusive, jg_array **out);

/* The running sum along an axis, which is optional for a vector; a leading 0 on request.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cumulative_sum(jg_array *x, const int64_t *axis,
                                              const jg_dtype *dtype, bool include_initial,
                                              jg_array **out);

/* The running product along an axis, which is optional for a vector; a leading 1 on request.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_cumulative_prod(jg_array *x, const int64_t *axis,
                                               const jg_dtype *dtype, bool include_initial,
                                               jg_array **out);

/* The differences of neighbours along an axis, n times, with prepend and append joined. prepend
 * may be NULL. append may be NULL.
 * keeps: x, prepend, append | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for a
 * negative n and shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_diff(jg_array *x, int64_t n, int64_t axis, jg_array *prepend,
                                    jg_array *append, jg_array **out);

/* exp(x) divided by its sum along axes, without overflow. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out);

/* The logarithm of softmax, without overflow. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_log_softmax(jg_array *x, int naxes, const int64_t *axes,
                                           jg_array **out);

/* x divided by the root of its mean square along the last axis, times weight. weight may be
 * NULL.
 * keeps: x, weight | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_rms_norm(jg_array *x, jg_array *weight, double eps, jg_array **out);

/* x with pairs of the first dims features rotated by angles that grow with the position. freqs
 * may be NULL.
 * keeps: a, offset, freqs | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_rope(jg_array *a, int64_t dims, bool traditional, const double *base,
                                    double scale, jg_array *offset, jg_array *freqs,
                                    jg_array **out);

/* logsumexp(logits) - logits[target] along the last axis, in float32 at least.
 * keeps: logits, targets | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_cross_entropy(jg_array *logits, jg_array *targets, jg_array **out);

/* x normalized to mean 0 and variance 1 along the last axis, times weight, plus bias. weight may
 * be NULL. bias may be NULL.
 * keeps: x, weight, bias | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_layer_norm(jg_array *x, jg_array *weight, jg_array *bias, double eps,
                                          jg_array **out);

/* The slices of x at indices along the axes; the index arrays' own axes come first.
 * keeps: x, indices | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes and
 * indices, NOMEM */
JG_API JG_CHECKED jg_status jg_gather(jg_array *x, int count, jg_array *const *indices, int naxes,
                                      const int64_t *axes, jg_array **out);

/* The slices of x at the indices along an axis, or the elements at them in row-major order.
 * keeps: x, indices | gives: *out, +1 | raises: TYPE, AXIS for axis, NOMEM */
JG_API JG_CHECKED jg_status jg_take(jg_array *x, jg_array *indices, const int64_t *axis,
                                    jg_array **out);

/* The elements of x at the indices along an axis; x and indices match along the others.
 * keeps: x, indices | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_take_along_axis(jg_array *x, jg_array *indices, const int64_t *axis,
                                               jg_array **out);

/* x with values at the indices along an axis; the three match along the others.
 * keeps: x, indices, values | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes
 * that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_put_along_axis(jg_array *x, jg_array *indices, jg_array *values,
                                              const int64_t *axis, jg_array **out);

/* x with updates written at indices along the axes; the last update of an element stays.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter(jg_array *x, int count, jg_array *const *indices,
                                       jg_array *updates, int naxes, const int64_t *axes,
                                       jg_array **out);

/* x with updates added at indices along the axes, one after the other.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_add(jg_array *x, int count, jg_array *const *indices,
                                           jg_array *updates, int naxes, const int64_t *axes,
                                           jg_array **out);

/* x with updates subtracted at indices along the axes.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_subtract(jg_array *x, int count, jg_array *const *indices,
                                                jg_array *updates, int naxes, const int64_t *axes,
                                                jg_array **out);

/* x multiplied by updates at indices along the axes.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_multiply(jg_array *x, int count, jg_array *const *indices,
                                                jg_array *updates, int naxes, const int64_t *axes,
                                                jg_array **out);

/* x, which is no integer, divided by updates at indices along the axes.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_divide(jg_array *x, int count, jg_array *const *indices,
                                              jg_array *updates, int naxes, const int64_t *axes,
                                              jg_array **out);

/* x raised to updates at indices along the axes, one after the other.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_power(jg_array *x, int count, jg_array *const *indices,
                                             jg_array *updates, int naxes, const int64_t *axes,
                                             jg_array **out);

/* The larger of x and updates at the indices along the axes; NaN if either is NaN.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_max(jg_array *x, int count, jg_array *const *indices,
                                           jg_array *updates, int naxes, const int64_t *axes,
                                           jg_array **out);

/* The smaller of x and updates at the indices along the axes; NaN if either is NaN.
 * keeps: x, indices, updates | gives: *out, +1 | raises: TYPE, AXIS, INDEX and VALUE for axes,
 * indices and updates, NOMEM */
JG_API JG_CHECKED jg_status jg_scatter_min(jg_array *x, int count, jg_array *const *indices,
                                           jg_array *updates, int naxes, const int64_t *axes,
                                           jg_array **out);

/* The coordinates, as int64, of x's elements that are not zero, by axis. Computes x.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for x without axes,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_nonzero(jg_array *x, jg_array_list *out);

/* The coordinates of x's elements that are not zero, a row for each. Computes x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_argwhere(jg_array *x, jg_array **out);

/* The row-major positions of x's elements that are not zero. Computes x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_flatnonzero(jg_array *x, jg_array **out);

/* The slices of x along an axis for which the condition holds. Computes the condition.
 * keeps: condition, x | gives: *out, +1 | raises: TYPE, AXIS for axis, NOMEM */
JG_API JG_CHECKED jg_status jg_compress(jg_array *condition, jg_array *x, const int64_t *axis,
                                        jg_array **out);

/* The elements of x, in row-major order, where the condition holds. Computes the condition.
 * keeps: condition, x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_extract(jg_array *condition, jg_array *x, jg_array **out);

/* The matrix product over the last two axes, the others broadcast.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_matmul(jg_array *x1, jg_array *x2, jg_array **out);

/* a @ b of the matrices of a and b that index arrays choose. lhs_indices may be NULL.
 * rhs_indices may be NULL.
 * keeps: a, b, lhs_indices, rhs_indices | gives: *out, +1 | raises: TYPE, VALUE for shapes that
 * do not fit, INDEX for indices, NOMEM */
JG_API JG_CHECKED jg_status jg_gather_mm(jg_array *a, jg_array *b, jg_array *lhs_indices,
                                         jg_array *rhs_indices, bool sorted_indices,
                                         jg_array **out);

/* a @ b with blocks of a, b and the product masked out, or times numbers. mask_out may be NULL.
 * mask_lhs may be NULL. mask_rhs may be NULL.
 * keeps: a, b, mask_out, mask_lhs, mask_rhs | gives: *out, +1 | raises: TYPE, VALUE for shapes
 * that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_block_masked_mm(jg_array *a, jg_array *b, int64_t block_size,
                                               jg_array *mask_out, jg_array *mask_lhs,
                                               jg_array *mask_rhs, jg_array **out);

/* a @ b for each segment of the inner axis, given by its ends.
 * keeps: a, b, segments | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_segmented_mm(jg_array *a, jg_array *b, jg_array *segments,
                                            jg_array **out);

/* alpha * (a @ b) + beta * c.
 * keeps: c, a, b | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_addmm(jg_array *c, jg_array *a, jg_array *b, double alpha,
                                     double beta, jg_array **out);

/* Every element of x1 times every element of x2, both flattened.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_outer(jg_array *x1, jg_array *x2, jg_array **out);

/* Sums of products over the last axes; the product if an operand is 0-d.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_inner(jg_array *x1, jg_array *x2, jg_array **out);

/* The sum of conj(x1) * x2 along an axis, the others broadcast.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_vecdot(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out);

/* Sums of products over pairs of axes. Without lists, the last naxes axes of x1 meet the first
 * of x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes and shapes, NOMEM */
JG_API JG_CHECKED jg_status jg_tensordot(jg_array *x1, jg_array *x2, int naxes,
                                         const int64_t *axes1, const int64_t *axes2,
                                         jg_array **out);

/* Einstein's summation: products summed over the labels that the result does not have.
 * keeps: operands | gives: *out, +1 | raises: TYPE, VALUE for subscripts and shapes, NOMEM */
JG_API JG_CHECKED jg_status jg_einsum(const char *subscripts, int count, jg_array *const *operands,
                                      jg_array **out);

/* softmax(scale * q @ k.T + mask) @ v for each head; sinks are scores without values. mask may
 * be NULL. sinks may be NULL.
 * keeps: q, k, v, mask, sinks | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_scaled_dot_product_attention(jg_array *q, jg_array *k, jg_array *v,
                                                            double scale, jg_array *mask,
                                                            bool causal, jg_array *sinks,
                                                            jg_array **out);

/* x as words of codes of a few bits; each group has a scale, in affine mode also a bias.
 * global_scale may be NULL.
 * keeps: w, global_scale | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_quantize(jg_array *w, const int64_t *group_size, const int64_t *bits,
                                        const char *mode, jg_array *global_scale,
                                        jg_array_list *out);

/* The numbers that the codes of a quantised matrix encode. biases may be NULL. global_scale may
 * be NULL.
 * keeps: w, scales, biases, global_scale | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_dequantize(jg_array *w, jg_array *scales, jg_array *biases,
                                          const int64_t *group_size, const int64_t *bits,
                                          const char *mode, jg_array *global_scale,
                                          const jg_dtype *dtype, jg_array **out);

/* x @ w.T, or x @ w, for a quantised matrix w, which is never expanded in memory. biases may be
 * NULL.
 * keeps: x, w, scales, biases | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_quantized_matmul(jg_array *x, jg_array *w, jg_array *scales,
                                                jg_array *biases, bool transpose,
                                                const int64_t *group_size, const int64_t *bits,
                                                const char *mode, jg_array **out);

/* quantized_matmul of the matrices of x and w that index arrays choose. biases may be NULL.
 * lhs_indices may be NULL. rhs_indices may be NULL. global_scale may be NULL.
 * keeps: x, w, scales, biases, lhs_indices, rhs_indices, global_scale | gives: *out, +1 |
 * raises: TYPE, VALUE, INDEX for indices, NOMEM */
JG_API JG_CHECKED jg_status jg_gather_qmm(jg_array *x, jg_array *w, jg_array *scales,
                                          jg_array *biases, jg_array *lhs_indices,
                                          jg_array *rhs_indices, bool transpose,
                                          const int64_t *group_size, const int64_t *bits,
                                          const char *mode, jg_array *global_scale,
                                          bool sorted_indices, jg_array **out);

/* x @ w.T with x rounded to the quantised format, and w, too, unless it is quantised. scales may
 * be NULL. global_scale_x may be NULL. global_scale_w may be NULL.
 * keeps: x, w, scales, global_scale_x, global_scale_w | gives: *out, +1 | raises: TYPE, VALUE,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_qqmm(jg_array *x, jg_array *w, jg_array *scales,
                                    const int64_t *group_size, const int64_t *bits,
                                    const char *mode, jg_array *global_scale_x,
                                    jg_array *global_scale_w, jg_array **out);

/* qqmm of the matrices of x and w that index arrays choose. scales may be NULL. lhs_indices may
 * be NULL. rhs_indices may be NULL. global_scale_x may be NULL. global_scale_w may be NULL.
 * keeps: x, w, scales, lhs_indices, rhs_indices, global_scale_x, global_scale_w | gives: *out,
 * +1 | raises: TYPE, VALUE, INDEX for indices, NOMEM */
JG_API JG_CHECKED jg_status jg_gather_qqmm(jg_array *x, jg_array *w, jg_array *scales,
                                           jg_array *lhs_indices, jg_array *rhs_indices,
                                           const int64_t *group_size, const int64_t *bits,
                                           const char *mode, jg_array *global_scale_x,
                                           jg_array *global_scale_w, bool sorted_indices,
                                           jg_array **out);

/* The Walsh-Hadamard transform along the last axis, times scale; orthonormal by default.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for a last extent that has no transform,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_hadamard_transform(jg_array *a, const double *scale, jg_array **out);

/* x rounded to E4M3 floats, as uint8; too large numbers become 448.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_to_fp8(jg_array *x, jg_array **out);

/* The numbers of E4M3 floats that are stored as uint8.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_from_fp8(jg_array *x, const jg_dtype *dtype, jg_array **out);

/* A matrix of ones on diagonal k and zeros elsewhere.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_eye(int64_t n_rows, const int64_t *n_cols, int64_t k,
                                   const jg_dtype *dtype, jg_array **out);

/* A square matrix of ones on the diagonal and zeros elsewhere.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_identity(int64_t n, const jg_dtype *dtype, jg_array **out);

/* A matrix of ones on diagonal k and below, and zeros above.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_tri(int64_t n_rows, const int64_t *n_cols, int64_t k,
                                   const jg_dtype *dtype, jg_array **out);

/* num evenly spaced numbers from start to stop; endpoint tells whether stop is included.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_linspace(double start, double stop, int64_t num, bool endpoint,
                                        const jg_dtype *dtype, jg_array **out);

/* base raised to linspace(start, stop, num, endpoint).
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_logspace(double start, double stop, int64_t num, bool endpoint,
                                        double base, const jg_dtype *dtype, jg_array **out);

/* The matrix of N powers of the vector x, in its columns, the highest first.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_vander(jg_array *x, const int64_t *N, bool increasing,
                                      jg_array **out);

/* The Hann window of M points, as float32.
 * keeps: nothing | gives: *out, +1 | raises: VALUE for a negative M, NOMEM */
JG_API JG_CHECKED jg_status jg_hanning(int64_t M, jg_array **out);

/* The Hamming window of M points, as float32.
 * keeps: nothing | gives: *out, +1 | raises: VALUE for a negative M, NOMEM */
JG_API JG_CHECKED jg_status jg_hamming(int64_t M, jg_array **out);

/* The Blackman window of M points, as float32.
 * keeps: nothing | gives: *out, +1 | raises: VALUE for a negative M, NOMEM */
JG_API JG_CHECKED jg_status jg_blackman(int64_t M, jg_array **out);

/* The triangle of M points from 0 to 1 and back, as float32.
 * keeps: nothing | gives: *out, +1 | raises: VALUE for a negative M, NOMEM */
JG_API JG_CHECKED jg_status jg_bartlett(int64_t M, jg_array **out);

/* The matrices of x with zeros above diagonal k.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_tril(jg_array *x, int64_t k, jg_array **out);

/* The matrices of x with zeros below diagonal k.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_triu(jg_array *x, int64_t k, jg_array **out);

/* A matrix with the vector x on diagonal k; for a matrix x, its diagonal k.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_diag(jg_array *x, int64_t k, jg_array **out);

/* The arrays one after the other along an axis, in their common dtype.
 * keeps: arrays | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_concat(int count, jg_array *const *arrays, const int64_t *axis,
                                      jg_array **out);

/* The arrays side by side along a new axis, in their common dtype.
 * keeps: arrays | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_stack(int count, jg_array *const *arrays, int64_t axis,
                                     jg_array **out);

/* The arrays one after the other along the second axis, vectors along their only one.
 * keeps: arrays | gives: *out, +1 | raises: TYPE, AXIS, VALUE for shapes that do not fit, NOMEM
 * */
JG_API JG_CHECKED jg_status jg_hstack(int count, jg_array *const *arrays, jg_array **out);

/* The arrays one after the other along the first axis, vectors as rows.
 * keeps: arrays | gives: *out, +1 | raises: TYPE, AXIS, VALUE for shapes that do not fit, NOMEM
 * */
JG_API JG_CHECKED jg_status jg_vstack(int count, jg_array *const *arrays, jg_array **out);

/* x with elements before and after it on each axis; constants may differ as widths.
 * constant_values may be NULL.
 * keeps: x, constant_values | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_pad(jg_array *x, int npad_width, const int64_t *pad_width,
                                   const char *mode, jg_array *constant_values, jg_array **out);

/* x with its elements shifted along axes; those shifted past the end come first. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_roll(jg_array *x, int nshift, const int64_t *shift, int naxes,
                                    const int64_t *axes, jg_array **out);

/* x repeated along each axis.
 * keeps: x | gives: *out, +1 | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_tile(jg_array *x, int nrepetitions, const int64_t *repetitions,
                                    jg_array **out);

/* Each element repeated; repeats is a number for all or for each. Computes repeats.
 * keeps: x, repeats | gives: *out, +1 | raises: TYPE, AXIS, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_repeat(jg_array *x, jg_array *repeats, const int64_t *axis,
                                      jg_array **out);

/* Sums of weight times the elements of input under it, along one axis of space.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv1d(jg_array *input, jg_array *weight, int nstride,
                                      const int64_t *stride, int npadding,
                                      const int64_t *padding_low, const int64_t *padding_high,
                                      int ndilation, const int64_t *dilation, int64_t groups,
                                      const char *data_format, jg_array **out);

/* Sums of weight times the elements of input under it, along two axes of space.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv2d(jg_array *input, jg_array *weight, int nstride,
                                      const int64_t *stride, int npadding,
                                      const int64_t *padding_low, const int64_t *padding_high,
                                      int ndilation, const int64_t *dilation, int64_t groups,
                                      const char *data_format, jg_array **out);

/* Sums of weight times the elements of input under it, along three axes of space.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv3d(jg_array *input, jg_array *weight, int nstride,
                                      const int64_t *stride, int npadding,
                                      const int64_t *padding_low, const int64_t *padding_high,
                                      int ndilation, const int64_t *dilation, int64_t groups,
                                      const char *data_format, jg_array **out);

/* A convolution along one to three axes; flip reverses weight.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv_general(jg_array *input, jg_array *weight, int nstride,
                                            const int64_t *stride, int npadding,
                                            const int64_t *padding_low, const int64_t *padding_high,
                                            int nkernel_dilation, const int64_t *kernel_dilation,
                                            int ninput_dilation, const int64_t *input_dilation,
                                            int64_t groups, bool flip, const char *data_format,
                                            jg_array **out);

/* The transpose of conv1d: strides apply to the result.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv_transpose1d(jg_array *input, jg_array *weight, int nstride,
                                                const int64_t *stride, int npadding,
                                                const int64_t *padding_low,
                                                const int64_t *padding_high, int ndilation,
                                                const int64_t *dilation, int noutput_padding,
                                                const int64_t *output_padding, int64_t groups,
                                                const char *data_format, jg_array **out);

/* The transpose of conv2d: strides apply to the result.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv_transpose2d(jg_array *input, jg_array *weight, int nstride,
                                                const int64_t *stride, int npadding,
                                                const int64_t *padding_low,
                                                const int64_t *padding_high, int ndilation,
                                                const int64_t *dilation, int noutput_padding,
                                                const int64_t *output_padding, int64_t groups,
                                                const char *data_format, jg_array **out);

/* The transpose of conv3d: strides apply to the result.
 * keeps: input, weight | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_conv_transpose3d(jg_array *input, jg_array *weight, int nstride,
                                                const int64_t *stride, int npadding,
                                                const int64_t *padding_low,
                                                const int64_t *padding_high, int ndilation,
                                                const int64_t *dilation, int noutput_padding,
                                                const int64_t *output_padding, int64_t groups,
                                                const char *data_format, jg_array **out);

/* The convolution of two vectors: all, as long as the longer, or where they overlap fully.
 * keeps: a, v | gives: *out, +1 | raises: TYPE, VALUE for mode and what is no vector, NOMEM */
JG_API JG_CHECKED jg_status jg_convolve(jg_array *a, jg_array *v, const char *mode, jg_array **out);

/* The largest of each window along one axis of space; NaN if any is NaN. nstride JG_NONE means
 * None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_max_pool1d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          int ndilation, const int64_t *dilation, bool ceil_mode,
                                          const char *data_format, jg_array **out);

/* The largest of each window along two axes of space; NaN if any is NaN. nstride JG_NONE means
 * None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_max_pool2d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          int ndilation, const int64_t *dilation, bool ceil_mode,
                                          const char *data_format, jg_array **out);

/* The largest of each window along three axes of space; NaN if any is NaN. nstride JG_NONE means
 * None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_max_pool3d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          int ndilation, const int64_t *dilation, bool ceil_mode,
                                          const char *data_format, jg_array **out);

/* The mean of each window along one axis of space. nstride JG_NONE means None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_avg_pool1d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          bool ceil_mode, bool count_include_pad,
                                          const int64_t *divisor_override, const char *data_format,
                                          jg_array **out);

/* The mean of each window along two axes of space. nstride JG_NONE means None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_avg_pool2d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          bool ceil_mode, bool count_include_pad,
                                          const int64_t *divisor_override, const char *data_format,
                                          jg_array **out);

/* The mean of each window along three axes of space. nstride JG_NONE means None.
 * keeps: input | gives: *out, +1 | raises: TYPE, VALUE for numbers and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_avg_pool3d(jg_array *input, int nkernel_size,
                                          const int64_t *kernel_size, int nstride,
                                          const int64_t *stride, int npadding,
                                          const int64_t *padding_low, const int64_t *padding_high,
                                          bool ceil_mode, bool count_include_pad,
                                          const int64_t *divisor_override, const char *data_format,
                                          jg_array **out);

/* The same elements, in row-major order, with another shape; one extent may be -1.
 * keeps: x | gives: *out, +1 | raises: VALUE for a shape that does not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_reshape(jg_array *x, int ndim, const int64_t *shape, jg_array **out);

/* x repeated, without a copy, to a larger shape.
 * keeps: x | gives: *out, +1 | raises: VALUE for a shape that does not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_broadcast_to(jg_array *x, int ndim, const int64_t *shape,
                                            jg_array **out);

/* The axes of x in another order. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_permute_dims(jg_array *x, int naxes, const int64_t *axes,
                                            jg_array **out);

/* x without the axes named, each of extent 1. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_squeeze(jg_array *x, int naxes, const int64_t *axes, jg_array **out);

/* x with new axes of extent 1, at these positions in the result.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_expand_dims(jg_array *x, int naxis, const int64_t *axis,
                                           jg_array **out);

/* x with its last two axes exchanged.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_matrix_transpose(jg_array *x, jg_array **out);

/* x with two axes exchanged.
 * keeps: x | gives: *out, +1 | raises: AXIS for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_swapaxes(jg_array *x, int64_t axis1, int64_t axis2, jg_array **out);

/* x with axes moved to new positions, the others in their old order.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_moveaxis(jg_array *x, int nsource, const int64_t *source,
                                        int ndestination, const int64_t *destination,
                                        jg_array **out);

/* x with the order of its elements along axes reversed. naxes JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_flip(jg_array *x, int naxes, const int64_t *axes, jg_array **out);

/* x rotated k times by 90 degrees, from the first of the two axes towards the second.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_rot90(jg_array *x, int64_t k, int naxes, const int64_t *axes,
                                     jg_array **out);

/* x with the axes from start_axis to end_axis joined to one; a 0-d array becomes a vector.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_flatten(jg_array *x, int64_t start_axis, int64_t end_axis,
                                       jg_array **out);

/* x with one axis split into several; one extent may be -1.
 * keeps: x | gives: *out, +1 | raises: AXIS, VALUE for a shape that does not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_unflatten(jg_array *x, int64_t axis, int ndim, const int64_t *shape,
                                         jg_array **out);

/* All elements in row-major order, as a vector.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_ravel(jg_array *x, jg_array **out);

/* The diagonal of two axes, as the last axis; offset moves it up.
 * keeps: x | gives: *out, +1 | raises: AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_diagonal(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                                        jg_array **out);

/* The sum of the diagonal of two axes.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_trace(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2,
                                     const jg_dtype *dtype, jg_array **out);

/* A window onto the elements of x in row-major order; strides and offset in elements. nshape
 * JG_NONE means None. nstrides JG_NONE means None.
 * keeps: x | gives: *out, +1 | raises: VALUE for what lies outside, NOMEM */
JG_API JG_CHECKED jg_status jg_as_strided(jg_array *x, int nshape, const int64_t *shape,
                                          int nstrides, const int64_t *strides, int64_t offset,
                                          jg_array **out);

/* The bytes of x read as another dtype; with another size the last extent changes.
 * keeps: x | gives: *out, +1 | raises: TYPE, VALUE for a last extent that does not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_bitcast(jg_array *x, jg_dtype dtype, jg_array **out);

/* x itself if it lies row-major without gaps, else a copy that does.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_contiguous(jg_array *x, jg_array **out);

/* The parts of x along an axis: a number of equal ones, or cut at indices. Where
 * nindices_or_sections is JG_EQUAL_PARTS, *indices_or_sections is their number.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: AXIS, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_split(jg_array *x, int nindices_or_sections,
                                     const int64_t *indices_or_sections, int64_t axis,
                                     jg_array_list *out);

/* The parts of x along an axis; unlike split, the first parts may be longer by one. Where
 * nindices_or_sections is JG_EQUAL_PARTS, *indices_or_sections is their number.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: AXIS, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_array_split(jg_array *x, int nindices_or_sections,
                                           const int64_t *indices_or_sections, int64_t axis,
                                           jg_array_list *out);

/* The slices of x along an axis, each without that axis.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: AXIS, NOMEM */
JG_API JG_CHECKED jg_status jg_unstack(jg_array *x, int64_t axis, jg_array_list *out);

/* The arrays broadcast, without a copy, to their common shape.
 * keeps: arrays | gives: *out, for jg_array_list_clear | raises: VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_broadcast_arrays(int count, jg_array *const *arrays,
                                                jg_array_list *out);

/* The arrays, each with one axis or more.
 * keeps: arrays | gives: *out, for jg_array_list_clear | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_atleast_1d(int count, jg_array *const *arrays, jg_array_list *out);

/* The arrays, each with two axes or more; new axes come first.
 * keeps: arrays | gives: *out, for jg_array_list_clear | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_atleast_2d(int count, jg_array *const *arrays, jg_array_list *out);

/* The arrays, each with three axes or more; a vector becomes the second axis.
 * keeps: arrays | gives: *out, for jg_array_list_clear | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_atleast_3d(int count, jg_array *const *arrays, jg_array_list *out);

/* The vectors broadcast, without a copy, to a grid; 'xy' exchanges its first two axes.
 * keeps: arrays | gives: *out, for jg_array_list_clear | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_meshgrid(int count, jg_array *const *arrays, bool sparse,
                                        const char *indexing, jg_array_list *out);

/* The elements in order along an axis; NaN counts as the largest.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, NOMEM */
JG_API JG_CHECKED jg_status jg_sort(jg_array *x, const int64_t *axis, bool descending, bool stable,
                                    jg_array **out);

/* The indices of the elements in sorted order; equal elements keep their order.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, NOMEM */
JG_API JG_CHECKED jg_status jg_argsort(jg_array *x, const int64_t *axis, bool descending,
                                       bool stable, jg_array **out);

/* The elements with the kth in its sorted position and no greater element before it.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, INDEX for kth, NOMEM */
JG_API JG_CHECKED jg_status jg_partition(jg_array *x, int64_t kth, const int64_t *axis,
                                         jg_array **out);

/* The indices of the elements in the order of partition.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, INDEX for kth, NOMEM */
JG_API JG_CHECKED jg_status jg_argpartition(jg_array *x, int64_t kth, const int64_t *axis,
                                            jg_array **out);

/* The k largest elements along an axis, the largest first; NaN counts as the largest.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for k, NOMEM */
JG_API JG_CHECKED jg_status jg_topk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out);

/* The indices of the k largest elements along an axis, the largest first.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for k, NOMEM */
JG_API JG_CHECKED jg_status jg_argtopk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out);

/* The positions that keep the sorted vector x1 in order if x2's elements are inserted there.
 * sorter may be NULL.
 * keeps: x1, x2, sorter | gives: *out, +1 | raises: TYPE, VALUE for side and for shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_searchsorted(jg_array *x1, jg_array *x2, const char *side,
                                            jg_array *sorter, jg_array **out);

/* Whether each element of x1 equals one of x2; NaN equals nothing.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_isin(jg_array *x1, jg_array *x2, bool invert, jg_array **out);

/* The distinct elements, their first indices, the index of each of x's elements, and counts.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_unique_all(jg_array *x, jg_array_list *out);

/* The distinct elements in ascending order, and how often each occurs. Computes x.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_unique_counts(jg_array *x, jg_array_list *out);

/* The distinct elements in order, and for each element of x its index. Computes x.
 * keeps: x | gives: *out, for jg_array_list_clear | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_unique_inverse(jg_array *x, jg_array_list *out);

/* The distinct elements in ascending order; each NaN is distinct. Computes x.
 * keeps: x | gives: *out, +1 | raises: TYPE, NOMEM */
JG_API JG_CHECKED jg_status jg_unique_values(jg_array *x, jg_array **out);

/* The middle element over axes, or the mean of the middle two; NaN if any is NaN. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_median(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                      jg_array **out);

/* The value below which a share q of the elements over axes lies, by a method of NumPy. naxes
 * JG_ALL_AXES means None.
 * keeps: x, q | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, VALUE for q and method,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_quantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                                        bool keepdims, const char *method, jg_array **out);

/* quantile(x, q / 100). naxes JG_ALL_AXES means None.
 * keeps: x, q | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, VALUE for q and method,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_percentile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                                          bool keepdims, const char *method, jg_array **out);

/* The median of elements that are not NaN; NaN where all are. Computes x if it has floats. naxes
 * JG_ALL_AXES means None.
 * keeps: x | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_nanmedian(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                         jg_array **out);

/* The quantile of elements that are not NaN; NaN where all are. Computes x of floats. naxes
 * JG_ALL_AXES means None.
 * keeps: x, q | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, VALUE for q and method,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_nanquantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes,
                                           bool keepdims, const char *method, jg_array **out);

/* nanquantile(x, q / 100). naxes JG_ALL_AXES means None.
 * keeps: x, q | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, VALUE for q and method,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_nanpercentile(jg_array *x, jg_array *q, int naxes,
                                             const int64_t *axes, bool keepdims, const char *method,
                                             jg_array **out);

/* 64 random bits for each counter x1 under the key x2, by Threefry-2x32 of 20 rounds.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_threefry(jg_array *x1, jg_array *x2, jg_array **out);

/* 32 random bits for each counter x1: half of threefry's bits for x1 >> 1.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_threefry_half(jg_array *x1, jg_array *x2, jg_array **out);

/* The key that belongs to a seed.
 * keeps: nothing | gives: *out, +1 | raises: nothing, NOMEM */
JG_API JG_CHECKED jg_status jg_random_key(int64_t seed, jg_array **out);

/* num keys made from one key. key may be NULL.
 * keeps: key | gives: *out, +1 | raises: VALUE for no key or a negative num, NOMEM */
JG_API JG_CHECKED jg_status jg_random_split(jg_array *key, int64_t num, jg_array **out);

/* Floats of the uniform distribution from low to high, high excluded. key may be NULL. nshape
 * JG_NONE means None.
 * keeps: key, low, high | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_uniform(jg_array *key, jg_array *low, jg_array *high,
                                              int nshape, const int64_t *shape, jg_dtype dtype,
                                              jg_array **out);

/* Integers of the uniform distribution from low to below high, or to the dtype's largest. key
 * may be NULL. high may be NULL.
 * keeps: key, low, high | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_randint(jg_array *key, jg_array *low, jg_array *high,
                                              int ndim, const int64_t *shape, jg_dtype dtype,
                                              jg_array **out);

/* Floats of the normal distribution, times scale, plus loc. key may be NULL. loc may be NULL.
 * scale may be NULL.
 * keeps: key, loc, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_normal(jg_array *key, int ndim, const int64_t *shape,
                                             jg_dtype dtype, jg_array *loc, jg_array *scale,
                                             jg_array **out);

/* Floats of the standard normal distribution between low and high, both excluded. key may be
 * NULL. nshape JG_NONE means None.
 * keeps: key, low, high | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_truncated_normal(jg_array *key, jg_array *low, jg_array *high,
                                                       int nshape, const int64_t *shape,
                                                       jg_dtype dtype, jg_array **out);

/* Floats of the Laplace distribution, times scale, plus loc. key may be NULL. loc may be NULL.
 * scale may be NULL.
 * keeps: key, loc, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_laplace(jg_array *key, int ndim, const int64_t *shape,
                                              jg_dtype dtype, jg_array *loc, jg_array *scale,
                                              jg_array **out);

/* Floats of the standard Gumbel distribution. key may be NULL.
 * keeps: key | gives: *out, +1 | raises: TYPE, VALUE for no key or shape, NOMEM */
JG_API JG_CHECKED jg_status jg_random_gumbel(jg_array *key, int ndim, const int64_t *shape,
                                             jg_dtype dtype, jg_array **out);

/* The Cauchy distribution. key may be NULL.
 * keeps: key | gives: *out, +1 | raises: TYPE, VALUE for no key or shape, NOMEM */
JG_API JG_CHECKED jg_status jg_random_standard_cauchy(jg_array *key, int ndim, const int64_t *shape,
                                                      jg_dtype dtype, jg_array **out);

/* The logistic distribution, times scale, plus loc. key may be NULL. loc may be NULL. scale may
 * be NULL. nshape JG_NONE means None.
 * keeps: key, loc, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_logistic(jg_array *key, jg_array *loc, jg_array *scale,
                                               int nshape, const int64_t *shape, jg_dtype dtype,
                                               jg_array **out);

/* The exponential distribution of mean scale. key may be NULL. nshape JG_NONE means None.
 * keeps: key, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_exponential(jg_array *key, jg_array *scale, int nshape,
                                                  const int64_t *shape, jg_dtype dtype,
                                                  jg_array **out);

/* The Rayleigh distribution: lengths of normal pairs, times scale. key may be NULL. nshape
 * JG_NONE means None.
 * keeps: key, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_rayleigh(jg_array *key, jg_array *scale, int nshape,
                                               const int64_t *shape, jg_dtype dtype,
                                               jg_array **out);

/* The Weibull distribution of shape a. key may be NULL. nshape JG_NONE means None.
 * keeps: key, a | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_random_weibull(jg_array *key, jg_array *a, int nshape,
                                              const int64_t *shape, jg_dtype dtype, jg_array **out);

/* The Pareto distribution of exponent a, from 0. key may be NULL. nshape JG_NONE means None.
 * keeps: key, a | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_random_pareto(jg_array *key, jg_array *a, int nshape,
                                             const int64_t *shape, jg_dtype dtype, jg_array **out);

/* The gamma distribution of shape a. key may be NULL. nshape JG_NONE means None.
 * keeps: key, a, scale | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_gamma(jg_array *key, jg_array *a, jg_array *scale, int nshape,
                                            const int64_t *shape, jg_dtype dtype, jg_array **out);

/* The beta distribution of shapes a and b. key may be NULL. nshape JG_NONE means None.
 * keeps: key, a, b | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_beta(jg_array *key, jg_array *a, jg_array *b, int nshape,
                                           const int64_t *shape, jg_dtype dtype, jg_array **out);

/* Normal vectors; cov may be singular. key may be NULL. nshape JG_NONE means None.
 * keeps: key, mean, cov | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do
 * not fit; when computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_random_multivariate_normal(jg_array *key, jg_array *mean,
                                                          jg_array *cov, int nshape,
                                                          const int64_t *shape, jg_dtype dtype,
                                                          jg_array **out);

/* Indices along an axis, with the probabilities softmax(logits). key may be NULL. nshape JG_NONE
 * means None.
 * keeps: key, logits | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no key, a
 * negative count and a shape that does not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_random_categorical(jg_array *key, jg_array *logits, int64_t axis,
                                                  const int64_t *num_samples, int nshape,
                                                  const int64_t *shape, jg_array **out);

/* True with probability p. key may be NULL. nshape JG_NONE means None.
 * keeps: key, p | gives: *out, +1 | raises: TYPE, VALUE for no key and shapes that do not fit,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_random_bernoulli(jg_array *key, jg_array *p, int nshape,
                                                const int64_t *shape, jg_array **out);

/* Slices along an axis in random order. key may be NULL.
 * keeps: key, x | gives: *out, +1 | raises: AXIS for axis, VALUE for no key, NOMEM */
JG_API JG_CHECKED jg_status jg_random_permutation(jg_array *key, jg_array *x, int64_t axis,
                                                  jg_array **out);

/* Slices drawn along an axis, as likely as p says. key may be NULL. p may be NULL.
 * keeps: key, a, p | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for no key, p and more
 * draws than there are, NOMEM */
JG_API JG_CHECKED jg_status jg_random_choice(jg_array *key, jg_array *a, int ndim,
                                             const int64_t *shape, bool replace, jg_array *p,
                                             int64_t axis, jg_array **out);

/* The Kronecker product: each element of x1 is replaced by itself times all of x2.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_kron(jg_array *x1, jg_array *x2, jg_array **out);

/* The cross product of vectors of three elements along an axis, the others broadcast.
 * keeps: x1, x2 | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE for shapes that do not
 * fit, NOMEM */
JG_API JG_CHECKED jg_status jg_cross(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out);

/* The Cholesky factor of positive definite matrices, lower or upper.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_cholesky(jg_array *a, bool upper, jg_array **out);

/* The inverses of the matrices whose Cholesky factors a holds.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_cholesky_inv(jg_array *a, bool upper, jg_array **out);

/* The inverses of triangular matrices.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_tri_inv(jg_array *a, bool upper, jg_array **out);

/* The inverses of square matrices; if quiet, infinities for singular ones.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_inv(jg_array *a, bool quiet, jg_array **out);

/* x with a @ x = b; a vector b is one column, and other axes are broadcast.
 * keeps: a, b | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_solve(jg_array *a, jg_array *b, jg_array **out);

/* x with a @ x = b for triangular matrices a; only the triangle is read.
 * keeps: a, b | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_solve_triangular(jg_array *a, jg_array *b, bool upper,
                                                       bool unit_diagonal, jg_array **out);

/* The determinants of square matrices.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_det(jg_array *a, jg_array **out);

/* The signs of determinants, and the logarithms of their magnitudes.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_slogdet(jg_array *a, jg_array_list *out);

/* The order p of rows, L and U with a = L[p, :] @ U.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_lu(jg_array *a, jg_array_list *out);

/* L and U in one matrix, and the row, from 0, that each row was exchanged with.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_lu_factor(jg_array *a, jg_array_list *out);

/* Q with orthonormal columns, all if complete, and triangular R with a = Q @ R.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_qr(jg_array *a, bool complete, jg_array_list *out);

/* U, the singular values from the largest down, and V^H.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_svd(jg_array *a, bool full_matrices, jg_array_list *out);

/* The singular values, from the largest down.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_svdvals(jg_array *a, jg_array **out);

/* The eigenvalues of Hermitian matrices, ascending, and eigenvectors as columns.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_eigh(jg_array *a, bool upper, jg_array_list *out);

/* The eigenvalues of Hermitian matrices, ascending; one triangle is read.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_eigvalsh(jg_array *a, bool upper, jg_array **out);

/* The eigenvalues of square matrices and their eigenvectors as columns, all complex.
 * keeps: a | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes; when
 * computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_eig(jg_array *a, jg_array_list *out);

/* The eigenvalues of square matrices, complex.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_eigvals(jg_array *a, jg_array **out);

/* x with A @ x = b, where a is the Cholesky factor of A.
 * keeps: b, a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_cholesky_solve(jg_array *b, jg_array *a, bool upper,
                                                     jg_array **out);

/* Pseudo-inverses; singular values up to rtol times the largest count as zero. rtol may be NULL.
 * keeps: a, rtol | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG,
 * LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_pinv(jg_array *a, jg_array *rtol, jg_array **out);

/* Least squares, squared residuals, ranks, singular values; computes one matrix's rank. rcond
 * may be NULL.
 * keeps: a, b, rcond | gives: *out, for jg_array_list_clear | raises: TYPE, VALUE for shapes;
 * when computed LINALG, LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_lstsq(jg_array *a, jg_array *b, jg_array *rcond,
                                            jg_array_list *out);

/* How many singular values are above tol, or rtol times the largest, as int64. tol may be NULL.
 * rtol may be NULL.
 * keeps: a, tol, rtol | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG,
 * LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_matrix_rank(jg_array *a, jg_array *tol, jg_array *rtol,
                                                  jg_array **out);

/* The condition numbers by a norm of matrix_norm; infinity for singular matrices.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes and p; when computed LINALG,
 * LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_cond(jg_array *a, const char *p, jg_array **out);

/* (sum |a|^ord)^(1/ord); inf: the largest |a|, -inf: the least, 0: the count of nonzero a. naxes
 * JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_vector_norm(jg_array *a, int naxes, const int64_t *axes,
                                                  bool keepdims, double ord, jg_array **out);

/* The norms fro, nuc, 1, -1, 2, -2, inf and -inf of matrices.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes and ord; when computed LINALG,
 * LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_matrix_norm(jg_array *a, bool keepdims, const char *ord,
                                                  jg_array **out);

/* Matrices multiplied by themselves n times; for a negative n, their inverses.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for shapes; when computed LINALG, LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_matrix_power(jg_array *a, int64_t n, jg_array **out);

/* The product of matrices, in the order of the fewest multiplications; vectors may end it.
 * keeps: arrays | gives: *out, +1 | raises: TYPE, VALUE for shapes that do not fit, NOMEM */
JG_API JG_CHECKED jg_status jg_linalg_multi_dot(int count, jg_array *const *arrays, jg_array **out);

/* The discrete Fourier transform of n numbers along an axis; missing numbers count as zero.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_fft(jg_array *a, const int64_t *n, int64_t axis,
                                       const char *norm, jg_array **out);

/* The inverse of fft.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_ifft(jg_array *a, const int64_t *n, int64_t axis,
                                        const char *norm, jg_array **out);

/* The first n / 2 + 1 numbers of fft of real numbers; the others are their conjugates.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_rfft(jg_array *a, const int64_t *n, int64_t axis,
                                        const char *norm, jg_array **out);

/* The inverse of rfft: n real numbers from m; n is 2 (m - 1) if it is left out.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_irfft(jg_array *a, const int64_t *n, int64_t axis,
                                         const char *norm, jg_array **out);

/* fft of a Hermitian sequence, given by its first n / 2 + 1 numbers: n real numbers.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_hfft(jg_array *a, const int64_t *n, int64_t axis,
                                        const char *norm, jg_array **out);

/* The inverse of hfft: the first n / 2 + 1 numbers of ifft of real numbers.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axis, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_ihfft(jg_array *a, const int64_t *n, int64_t axis,
                                         const char *norm, jg_array **out);

/* fft along several axes; s has an n for each, -1 for all numbers. ns JG_NONE means None. naxes
 * JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axes, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_fftn(jg_array *a, int ns, const int64_t *s, int naxes,
                                        const int64_t *axes, const char *norm, jg_array **out);

/* The inverse of fftn. ns JG_NONE means None. naxes JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axes, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_ifftn(jg_array *a, int ns, const int64_t *s, int naxes,
                                         const int64_t *axes, const char *norm, jg_array **out);

/* rfft along the last of several axes, then fft along the others. ns JG_NONE means None. naxes
 * JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axes, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_rfftn(jg_array *a, int ns, const int64_t *s, int naxes,
                                         const int64_t *axes, const char *norm, jg_array **out);

/* The inverse of rfftn. ns JG_NONE means None. naxes JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS for axes, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_irfftn(jg_array *a, int ns, const int64_t *s, int naxes,
                                          const int64_t *axes, const char *norm, jg_array **out);

/* a with the element at zero of each axis moved to the middle. naxes JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_fftshift(jg_array *a, int naxes, const int64_t *axes,
                                            jg_array **out);

/* The inverse of fftshift. naxes JG_ALL_AXES means None.
 * keeps: a | gives: *out, +1 | raises: TYPE, AXIS and VALUE for axes, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_ifftshift(jg_array *a, int naxes, const int64_t *axes,
                                             jg_array **out);

/* The frequencies that fft of n numbers, d apart, gives; the negative ones last.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_fftfreq(int64_t n, double d, const jg_dtype *dtype,
                                           jg_array **out);

/* The frequencies that rfft of n numbers, d apart, gives.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_fft_rfftfreq(int64_t n, double d, const jg_dtype *dtype,
                                            jg_array **out);

/* The sum of all processes' a; for bool, logical or.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for group; when computed LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_all_sum(jg_array *a, int64_t group, jg_array **out);

/* The largest of all processes' a.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for group; when computed LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_all_max(jg_array *a, int64_t group, jg_array **out);

/* The least of all processes' a.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for group; when computed LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_all_min(jg_array *a, int64_t group, jg_array **out);

/* All processes' a, joined along the first axis.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for group; when computed LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_all_gather(jg_array *a, int64_t group, jg_array **out);

/* This process's part of the sum along the first axis.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for group and for an extent that the
 * processes do not divide; when computed LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_sum_scatter(jg_array *a, int64_t group, jg_array **out);

/* a, which is sent to process dst when it is computed.
 * keeps: a | gives: *out, +1 | raises: TYPE, VALUE for dst and group; when computed LIBRARY,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_send(jg_array *a, int64_t dst, int64_t group,
                                                jg_array **out);

/* The array that process src sends.
 * keeps: nothing | gives: *out, +1 | raises: TYPE, VALUE for shape, src and group; when computed
 * LIBRARY, NOMEM */
JG_API JG_CHECKED jg_status jg_distributed_recv(int ndim, const int64_t *shape, jg_dtype dtype,
                                                int64_t src, int64_t group, jg_array **out);

#ifdef __cplusplus
}
#endif
#endif
