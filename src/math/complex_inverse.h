/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one complex number: logarithms, inverse functions and powers.
 *
 * All but powers are made of square roots and of the real logarithm and
 * arctangent without a branch, so that loops around them become vector code.
 * The inverse functions follow Kahan ("Branch cuts for complex elementary
 * functions", 1987): no difference in them cancels, and the sign of a zero says
 * on which side of a cut a number lies. 2 ULP. */
#ifndef JG_MATH_COMPLEX_INVERSE_H
#define JG_MATH_COMPLEX_INVERSE_H

#include "math/complex_math.h"
#include <complex.h>
#undef I

/* A size in parts: its logarithm is (log(square) + correction) / 2 + exponent
 * log(2). */
typedef struct complex_size {
    double square, correction, exponent;
} complex_size;

/* The value, or infinity where a part of z is infinite. */
VECTOR_FUNCTION double unless_infinite(complex128 z, double value)
{
    value = is_infinite(z.re) ? (double)INFINITY : value;
    return is_infinite(z.im) ? (double)INFINITY : value;
}

/* The square of |z|: near 1 it is 1 + more, elsewhere it is the square of a multiple of z. */
VECTOR_FUNCTION complex_size complex_size_of(complex128 z, double more, int is_near)
{
    double scale = scale_of(larger_part(z)), x = z.re * scale, y = z.im * scale, sum = 1 + more;
    double square = unless_infinite(z, is_near ? sum : x * x + y * y);
    double correction = is_near ? (more - (sum - 1)) / sum : 0, down = scale < 1 ? 600 : 0;
    correction = sum == 0 ? 0 : correction;
    return (complex_size){square, correction, scale > 1 ? -600 : down};
}

/* |z|^2 - 1 where |z| is about 1, as a difference of squares that are not rounded. */
VECTOR_FUNCTION double complex_size_more(complex128 z)
{
    double x = fabs(z.re), y = fabs(z.im), most = x > y ? x : y, least = x > y ? y : x;
    return (most - 1) * (most + 1) + least * least;
}

/* Whether log |z| may be close to 0, so that the rounding of |z|^2 would be most of the result. */
VECTOR_FUNCTION int is_near_1(complex128 z)
{
    double square = z.re * z.re + z.im * z.im;
    return (square > 0.3) & (square < 3);
}

VECTOR_FUNCTION complex_size complex_size_plain(complex128 z)
{
    return complex_size_of(z, complex_size_more(z), is_near_1(z));
}

/* log(2), and log10(2) to scale exponents. */
#define LN_2 0x1.62e42fefa39efp-1
#define LOG10_2 0x1.34413509f79ffp-2

VECTOR_FUNCTION complex128 complex_log_of_size(complex128 z, complex_size size)
{
    double log = 0.5 * log_corrected_f64(size.square, size.correction) + size.exponent * LN_2;
    return (complex128){log, vector_atan2_f64(z.im, z.re)};
}

VECTOR_FUNCTION complex128 complex_log_f64(complex128 z)
{
    return complex_log_of_size(z, complex_size_plain(z));
}

/* In the disk around 0 where 1 + z would lose digits: |1 + z|^2 - 1 = 2 x + x^2
 * + y^2. */
VECTOR_FUNCTION complex128 complex_log1p_f64(complex128 z)
{
    complex128 sum = {1 + z.re, z.im};
    double square = z.re * z.re + z.im * z.im, more = 2 * z.re + square;
    more = square < 0.2 ? more : complex_size_more(sum);
    return complex_log_of_size(sum, complex_size_of(sum, more, (square < 0.2) | is_near_1(sum)));
}

VECTOR_FUNCTION complex128 complex_log2_f64(complex128 z)
{
    complex_size size = complex_size_plain(z);
    double log = 0.5 * log2_corrected_f64(size.square, size.correction) + size.exponent;
    return (complex128){log, vector_atan2_f64(z.im, z.re) * 0x1.71547652b82fep+0};
}

VECTOR_FUNCTION complex128 complex_log10_f64(complex128 z)
{
    complex_size size = complex_size_plain(z);
    double log = 0.5 * log10_corrected_f64(size.square, size.correction) + size.exponent * LOG10_2;
    return (complex128){log, vector_atan2_f64(z.im, z.re) * 0x1.bcb7b1526e50ep-2};
}

/* A number with the direction of z that may be squared. Huge numbers are divided by 2^400, whose
 * logarithm is given; beside an infinite part, a finite part becomes 0. */
VECTOR_FUNCTION complex128 tame(complex128 z, double *shift)
{
    double size = unless_infinite(z, larger_part(z)), scale = size > 0x1p500 ? 0x1p-400 : 1;
    double finite = size == (double)INFINITY ? 0 : scale, x = z.re * finite, y = z.im * finite;
    x = is_infinite(z.re) ? copysign(0x1p500, z.re) : x;
    y = is_infinite(z.im) ? copysign(0x1p500, z.im) : y;
    *shift = size > 0x1p500 ? 400 * LN_2 : 0;
    return (complex128){x, y};
}

/* The sides that asin and acos share: sqrt(1 - z), sqrt(1 + z), and the
 * imaginary part of asin. */
typedef struct arc_parts {
    complex128 below, above;
    double im;
} arc_parts;

VECTOR_FUNCTION complex128 finite_sqrt(double re, double im)
{
    complex128 z = {re, im};
    double scale = scale_of(larger_part(z)), x = re * scale, y = im * scale;
    return root_by_size(z, scale, sqrt(x * x + y * y));
}

VECTOR_FUNCTION arc_parts complex_arc(complex128 z)
{
    double shift;
    complex128 tamed = tame(z, &shift);
    complex128 below = finite_sqrt(1 - tamed.re, -tamed.im);
    complex128 above = finite_sqrt(1 + tamed.re, tamed.im);
    double size = fabs(below.re * above.im - below.im * above.re);
    double im = unless_infinite(z, vector_asinh_f64(size) + shift);
    return (arc_parts){below, above, copysign(im, z.im)};
}

VECTOR_FUNCTION complex128 complex_asin_f64(complex128 z)
{
    double shift;
    arc_parts arc = complex_arc(z);
    double across = arc.below.re * arc.above.re - arc.below.im * arc.above.im;
    double re = vector_atan2_f64(tame(z, &shift).re, across);
    return (complex128){z.re == 0 ? z.re : re, arc.im};
}

VECTOR_FUNCTION complex128 complex_acos_f64(complex128 z)
{
    arc_parts arc = complex_arc(z);
    double re = 2 * vector_atan2_f64(arc.below.re, arc.above.re);
    return (complex128){z.re == 0 ? HALF_PI : re, -arc.im};
}

VECTOR_FUNCTION complex128 complex_asinh_f64(complex128 z)
{
    return turned_back(complex_asin_f64(turned(z)));
}

VECTOR_FUNCTION complex128 complex_acosh_f64(complex128 z)
{
    complex128 angle = complex_acos_f64(z);
    return (complex128){fabs(angle.im), copysign(angle.re, z.im)};
}

/* log1p(4 x / ((1 - x)^2 + y^2)) / 4 + i atan2(2 y, (1 - x) (1 + x) - y^2) / 2
 * for x >= 0. Far out that is x / |z|^2 and pi / 2; at 1, log(2 / y) / 2. */
VECTOR_FUNCTION complex128 complex_atanh_f64(complex128 z)
{
    double x = fabs(z.re), y = fabs(z.im), less = 1 - x, tiny = 0x1p-400;
    int is_far = !(larger_part(z) <= 0x1p500), is_pole = (x == 1) & (y < tiny);
    double near = 4 * x / (less * less + y * y), pole = 1 / (y * 0x1p100);
    double sum = is_pole ? pole : 1 + near, lost = near > 1 ? 1 - (sum - near) : near - (sum - 1);
    double log = log_corrected_f64(sum, is_pole ? 0 : lost / sum);
    double re = is_pole ? 0.5 * (log + 101 * LN_2) : 0.25 * log;
    re = near < 0x1p-60 ? 0.25 * near : re;
    double far_x = x * 0x1p-600, far_y = y * 0x1p-600;
    double far = far_x / (far_x * far_x + far_y * far_y) * 0x1p-600;
    far = (is_infinite(x) | is_infinite(y)) ? 0 : far;
    re = is_far ? far : re;
    re = x == 0 ? 0 : re;
    double im = 0.5 * vector_atan2_f64(2 * y, less * (1 + x) - y * y);
    im = (is_far & (y == y) & ((x == x) | is_infinite(y))) ? HALF_PI : im;
    return (complex128){copysign(re, z.re), copysign(im, z.im)};
}

VECTOR_FUNCTION complex128 complex_atan_f64(complex128 z)
{
    return turned_back(complex_atanh_f64(turned(z)));
}

VECTOR_FUNCTION complex128 complex_multiply_f64(complex128 x, complex128 y)
{
    return (complex128){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* z^n by squaring, for a small whole n. */
VECTOR_FUNCTION complex128 whole_power(complex128 z, int n)
{
    complex128 result = {1, 0};
    for (; n > 0; n >>= 1) {
        if (n & 1)
            result = complex_multiply_f64(result, z);
        if (n > 1)
            z = complex_multiply_f64(z, z);
    }
    return result;
}

/* x^y: products where y is a whole number of at most two digits, else e^(y log
 * x). A zero to a power whose real part is positive is 0. */
VECTOR_FUNCTION complex128 complex_power_f64(complex128 x, complex128 y)
{
    /* Whole powers are exact where products are; cpow goes by the logarithm and would lose
     * digits. */
    enum { MAX_WHOLE = 100 };
    if (y.im == 0 && fabs(y.re) < MAX_WHOLE && y.re == floor(y.re)) {
        complex128 whole = whole_power(x, (int)fabs(y.re)), one = {1, 0};
        return y.re < 0 ? complex_divide_f64(one, whole) : whole;
    }
    if (x.re == 0 && x.im == 0 && y.re > 0)
        return (complex128){0, 0};
    double _Complex result = cpow(CMPLX(x.re, x.im), CMPLX(y.re, y.im));
    return (complex128){creal(result), cimag(result)};
}

VECTOR_FUNCTION complex64 complex_power_f32(complex64 x, complex64 y)
{
    return narrow(complex_power_f64(widen(x), widen(y)));
}

#endif
