/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one complex number: sizes, roots, and what exp and the like are made of.
 *
 * Each is written once, in double precision. complex64 is computed in it and rounded once for each
 * part, so that neither overflow on the way nor cancellation shows. Special values are those of
 * C99's annex G, which the Array API asks for. What is spelled in arithmetic has no branches, so
 * that a loop around it becomes vector code, if angles are known to be small.
 *
 * The bounds in units in the last place (ULP) are of the distance from the exact result in units of
 * its size, |got - exact| / (eps |exact|): a part that is much smaller than the other may have
 * fewer digits right. tests/python/ops/test_complex_functions.py checks them. */
#ifndef JG_MATH_COMPLEX_MATH_H
#define JG_MATH_COMPLEX_MATH_H

#include "math/vector_math.h"

typedef struct complex64 {
    float re, im;
} complex64;

typedef struct complex128 {
    double re, im;
} complex128;

VECTOR_FUNCTION complex128 widen(complex64 z)
{
    return (complex128){(double)z.re, (double)z.im};
}

VECTOR_FUNCTION complex64 narrow(complex128 z)
{
    return (complex64){(float)z.re, (float)z.im};
}

/* A comparison is used because every compiler turns it into vector code. */
VECTOR_FUNCTION int is_infinite(double x)
{
    return fabs(x) == (double)INFINITY;
}

VECTOR_FUNCTION int is_finite(double x)
{
    return fabs(x) < (double)INFINITY;
}

/* A power of two that brings a size into the range where squares neither overflow nor lose
 * digits. */
VECTOR_FUNCTION double scale_of(double size)
{
    double down = size > 0x1p510 ? 0x1p-600 : 1;
    return size < 0x1p-450 ? 0x1p600 : down;
}

VECTOR_FUNCTION double larger_part(complex128 z)
{
    double x = fabs(z.re), y = fabs(z.im);
    return x > y ? x : y;
}

/* sqrt(x^2 + y^2) of numbers in that range; infinite if one part is infinite, whatever the other
 * is. 1.3 ULP. */
VECTOR_FUNCTION double plain_modulus(double x, double y)
{
    double size = sqrt(x * x + y * y);
    size = is_infinite(x) ? (double)INFINITY : size;
    return is_infinite(y) ? (double)INFINITY : size;
}

/* |z|. */
VECTOR_FUNCTION double complex_modulus_f64(complex128 z)
{
    double scale = scale_of(larger_part(z));
    return plain_modulus(z.re * scale, z.im * scale) * (1 / scale);
}

/* The same, rounded once. */
VECTOR_FUNCTION float complex_modulus_f32(complex64 z)
{
    return (float)plain_modulus((double)z.re, (double)z.im);
}

/* z / |z|; 0 of 0; of an infinite part beside a finite one, the axis it lies on. 2 ULP. */
VECTOR_FUNCTION complex128 complex_sign_f64(complex128 z)
{
    double scale = scale_of(larger_part(z)), x = z.re * scale, y = z.im * scale;
    x = is_infinite(x) & is_finite(y) ? copysign(1, x) : x;
    y = is_infinite(y) & is_finite(x) ? copysign(1, y) : y;
    x = is_infinite(z.im) & is_finite(z.re) ? copysign(0.0, z.re) : x;
    y = is_infinite(z.re) & is_finite(z.im) ? copysign(0.0, z.im) : y;
    double size = plain_modulus(x, y), divisor = size == 0 ? 1 : size;
    double re = size == 0 ? 0 : x / divisor, im = size == 0 ? 0 : y / divisor;
    int is_nan = (re != re) | (im != im);
    return (complex128){is_nan ? (double)NAN : re, is_nan ? (double)NAN : im};
}

/* Smith's algorithm: scales by the larger part of y, so that no intermediate overflows needlessly;
 * by zero it gives what its parts divided by zero give. */
VECTOR_FUNCTION complex128 complex_divide_f64(complex128 x, complex128 y)
{
    int flips = fabs(y.re) < fabs(y.im), by_zero = (y.re == 0) & (y.im == 0);
    double large = flips ? y.im : y.re, small = flips ? y.re : y.im;
    double quotient = small / large, ratio = by_zero ? 0 : quotient;
    double inverse = 1 / (large + small * ratio);
    double scale = by_zero ? (double)INFINITY : inverse;
    double re_flipped = x.re * ratio + x.im, re_plain = x.re + x.im * ratio;
    double im_flipped = x.im * ratio - x.re, im_plain = x.im - x.re * ratio;
    return (complex128){(flips ? re_flipped : re_plain) * scale,
                        (flips ? im_flipped : im_plain) * scale};
}

/* The root in the right half-plane, given the size of scale z: with m = |z| and
 * t = sqrt((m + |re|) / 2) it is t and im / (2 t), the other way round left of the imaginary
 * axis. */
VECTOR_FUNCTION complex128 root_by_size(complex128 z, double scale, double size)
{
    double back = scale > 1 ? 0x1p-300 : 0x1p300, inverse = scale == 1 ? 1 : back;
    double large = sqrt(0.5 * size + 0.5 * fabs(z.re * scale));
    double quotient = 0.5 * fabs(z.im * scale) / large, small = large == 0 ? 0 : quotient;
    double re = (z.re < 0 ? small : large) * inverse, im = (z.re < 0 ? large : small) * inverse;
    return (complex128){re, copysign(im, z.im)};
}

/* 2 ULP. */
VECTOR_FUNCTION complex128 complex_sqrt_f64(complex128 z)
{
    double scale = scale_of(larger_part(z));
    complex128 root = root_by_size(z, scale, plain_modulus(z.re * scale, z.im * scale));
    double im = is_infinite(z.im) ? (double)INFINITY : root.im;
    return (complex128){is_infinite(z.im) ? (double)INFINITY : root.re, copysign(im, z.im)};
}

/* Large angles are left to libm, so such a loop is not vector code. */
VECTOR_FUNCTION double sin_of(double x, int is_small)
{
    return !is_small && !(fabs(x) <= TRIG_LIMIT) ? sin(x) : vector_sin_f64(x);
}

VECTOR_FUNCTION double cos_of(double x, int is_small)
{
    return !is_small && !(fabs(x) <= TRIG_LIMIT) ? cos(x) : vector_cos_f64(x);
}

/* e^x times (c, s) and a power of two, where e^x alone may overflow or underflow. A factor above 1
 * is multiplied first, so that no denormal c or s loses digits, and a factor below 1 last. The
 * caller handles NaNs in c and s from an infinite angle. */
VECTOR_FUNCTION complex128 exp_times(double x, double c, double s, double scale)
{
    double high = x > 709.0 ? 709.0 : 0.0, shift = x < -708.0 ? -708.0 : high;
    double factor = vector_exp_f64(x - shift);
    double first = x > 709.0 ? 0x1.d422d2be5dc9bp+1022 * scale : 1.0;   /* e^709 */
    double rest = x < -708.0 ? 0x1.7c8ab2288c9abp-1022 * scale : scale; /* e^-708 */
    double last = x > 709.0 ? 1.0 : rest;
    return (complex128){c * first * factor * last, s * first * factor * last};
}

/* The cases of infinite x: with +inf and an angle without direction the result is infinite, with
 * -inf zero; an angle of zero has no imaginary part whatever x is. */
VECTOR_FUNCTION complex128 settle_exp(complex128 z, complex128 result)
{
    int turns = !is_finite(z.im), vanishes = z.re == -(double)INFINITY;
    double limit = vanishes ? 0 : z.re;
    double re = is_infinite(z.re) & turns ? limit : result.re;
    double im = vanishes & turns ? copysign(0.0, z.im) : result.im;
    return (complex128){re, z.im == 0 ? z.im : im};
}

/* 3 ULP. */
VECTOR_FUNCTION complex128 complex_exp_f64(complex128 z, int is_small)
{
    return settle_exp(z, exp_times(z.re, cos_of(z.im, is_small), sin_of(z.im, is_small), 1.0));
}

/* e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y / 2). 4 ULP. */
VECTOR_FUNCTION complex128 complex_expm1_f64(complex128 z, int is_small)
{
    complex128 whole = complex_exp_f64(z, is_small);
    double half = sin_of(0.5 * z.im, is_small);
    double re = vector_expm1_f64(z.re) * cos_of(z.im, is_small) - 2 * half * half;
    return (complex128){fabs(z.re) < 40.0 ? re + 0.0 : whole.re - 1, whole.im}; /* never -0 */
}

/* x y, but zero if either is zero, whatever the other is. Annex G requires this for 0 times an
 * infinity. */
VECTOR_FUNCTION double product(double x, double y)
{
    double zero = copysign(0.0, copysign(1, x) * copysign(1, y));
    return ((x == 0) | (y == 0)) ? zero : x * y;
}

/* sinh x cos y + i cosh x sin y; both are e^|x| / 2 where x is large. 4 ULP. */
VECTOR_FUNCTION complex128 complex_sinh_f64(complex128 z, int is_small)
{
    double c = cos_of(z.im, is_small), s = sin_of(z.im, is_small);
    complex128 large = exp_times(fabs(z.re), copysign(1.0, z.re) * c, s, 0.5);
    int is_large = fabs(z.re) > 40.0, is_lost = is_infinite(z.re) & !is_finite(z.im);
    double re = is_large ? large.re : product(vector_sinh_f64(z.re), c);
    double im = is_large ? large.im : vector_cosh_f64(z.re) * s;
    return (complex128){is_lost ? z.re : re, z.im == 0 ? z.im : im};
}

/* cosh x cos y + i sinh x sin y. 4 ULP. */
VECTOR_FUNCTION complex128 complex_cosh_f64(complex128 z, int is_small)
{
    double c = cos_of(z.im, is_small), s = sin_of(z.im, is_small);
    complex128 large = exp_times(fabs(z.re), c, copysign(1.0, z.re) * s, 0.5);
    int is_large = fabs(z.re) > 40.0, is_lost = is_infinite(z.re) & !is_finite(z.im);
    double re = is_large ? large.re : vector_cosh_f64(z.re) * c;
    double im = is_large ? large.im : product(vector_sinh_f64(z.re), s);
    return (complex128){is_lost ? (double)INFINITY : re, z.im == 0 ? product(z.im, z.re) : im};
}

/* With d = sinh^2 x + cos^2 y: sinh x cosh x / d + i sin y cos y / d; far out +-1, and what is
 * left of the imaginary part; at infinity a zero of z's sign, as the Array API standard has it, not
 * sin 2y's as C. 5 ULP. */
VECTOR_FUNCTION complex128 complex_tanh_f64(complex128 z, int is_small)
{
    double c = cos_of(z.im, is_small), s = sin_of(z.im, is_small), x = fabs(z.re);
    double near = x > 22.0 ? 22.0 : x, odd = vector_sinh_f64(near), even = vector_cosh_f64(near);
    double divisor = odd * odd + c * c, far = 4 * s * c * vector_exp_f64(-2 * x);
    double re = x > 22.0 ? 1 : odd * even / divisor, im = x > 22.0 ? far : s * c / divisor;
    im = is_infinite(z.re) ? copysign(0.0, z.im) : im;
    im = z.im == 0 ? z.im : im;
    re = ((x > 22.0) & (im != im)) ? im : re;
    re = z.re == 0 ? 0 : re;
    re = z.re != z.re ? z.re : re;
    return (complex128){copysign(re, z.re), im};
}

/* f(i z) / i for the functions of angles. sin z = sinh(i z) / i, tan z = tanh(i z) / i, cos z =
 * cosh(i z): the special values follow from those of the hyperbolic functions. */
VECTOR_FUNCTION complex128 turned(complex128 z)
{
    return (complex128){-z.im, z.re};
}

VECTOR_FUNCTION complex128 turned_back(complex128 z)
{
    return (complex128){z.im, -z.re};
}

VECTOR_FUNCTION complex128 complex_sin_f64(complex128 z, int is_small)
{
    return turned_back(complex_sinh_f64(turned(z), is_small));
}

VECTOR_FUNCTION complex128 complex_cos_f64(complex128 z, int is_small)
{
    return complex_cosh_f64(turned(z), is_small);
}

VECTOR_FUNCTION complex128 complex_tan_f64(complex128 z, int is_small)
{
    return turned_back(complex_tanh_f64(turned(z), is_small));
}

#endif
