/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one complex number that are computed element by element: logarithms, inverse
 * functions and powers. The inverse ones are libm's, whose branch cuts are C99's. */
#ifndef JG_TILE_COMPLEX_LIBM_H
#define JG_TILE_COMPLEX_LIBM_H

#include "tile/complex_math.h"
#include <complex.h>
#undef I

/* complex_<name>_f64 by libm's c<name>. */
#define LIBM_COMPLEX(name)                                                                         \
    static inline complex128 complex_##name##_f64(complex128 z)                                    \
    {                                                                                              \
        double _Complex result = c##name(CMPLX(z.re, z.im));                                       \
        return (complex128){creal(result), cimag(result)};                                         \
    }
LIBM_COMPLEX(log)
LIBM_COMPLEX(asin)
LIBM_COMPLEX(acos)
LIBM_COMPLEX(atan)
LIBM_COMPLEX(asinh)
LIBM_COMPLEX(acosh)
LIBM_COMPLEX(atanh)

/* In the disk around 0 where 1 + z would lose digits: |1 + z|^2 - 1 = 2 x + x^2 + y^2. 3 ULP. */
static inline complex128 complex_log1p_f64(complex128 z)
{
    if (!(larger_part(z) < 0.5))
        return complex_log_f64((complex128){1 + z.re, z.im});
    double more = z.re * (2 + z.re) + z.im * z.im;
    return (complex128){0.5 * log1p(more), atan2(z.im, 1 + z.re)};
}

/* The real part from |z| itself where it is not near 1, so that powers of the base are exact. */
static inline complex128 scaled_log(complex128 z, double real_log, double scale)
{
    complex128 natural = complex_log_f64(z);
    double size = complex_modulus_f64(z);
    int is_plain = size < (double)INFINITY && (size < 0.5 || size > 2) && size > 0x1p-1000;
    return (complex128){is_plain ? real_log : natural.re * scale, natural.im * scale};
}

static inline complex128 complex_log2_f64(complex128 z)
{
    return scaled_log(z, log2(complex_modulus_f64(z)), 0x1.71547652b82fep+0);
}

static inline complex128 complex_log10_f64(complex128 z)
{
    return scaled_log(z, log10(complex_modulus_f64(z)), 0x1.bcb7b1526e50ep-2);
}

static inline complex128 complex_multiply_f64(complex128 x, complex128 y)
{
    return (complex128){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

/* z^n by squaring, for a small whole n. */
static inline complex128 whole_power(complex128 z, int n)
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

/* x^y: products where y is a whole number of at most two digits, else e^(y log x). A zero to a
 * power whose real part is positive is 0. */
static inline complex128 complex_power_f64(complex128 x, complex128 y)
{
    enum { MOST = 100 };
    if (y.im == 0 && fabs(y.re) < MOST && y.re == floor(y.re)) {
        complex128 whole = whole_power(x, (int)fabs(y.re)), one = {1, 0};
        return y.re < 0 ? complex_divide_f64(one, whole) : whole;
    }
    if (x.re == 0 && x.im == 0 && y.re > 0)
        return (complex128){0, 0};
    double _Complex result = cpow(CMPLX(x.re, x.im), CMPLX(y.re, y.im));
    return (complex128){creal(result), cimag(result)};
}

/* ---- in single precision ---- */

#define NARROW_FUNCTION(name)                                                                      \
    static inline complex64 complex_##name##_f32(complex64 z)                                      \
    {                                                                                              \
        return narrow(complex_##name##_f64(widen(z)));                                             \
    }
NARROW_FUNCTION(sign)
NARROW_FUNCTION(sqrt)
NARROW_FUNCTION(exp)
NARROW_FUNCTION(expm1)
NARROW_FUNCTION(log)
NARROW_FUNCTION(log2)
NARROW_FUNCTION(log10)
NARROW_FUNCTION(log1p)
NARROW_FUNCTION(sin)
NARROW_FUNCTION(cos)
NARROW_FUNCTION(tan)
NARROW_FUNCTION(asin)
NARROW_FUNCTION(acos)
NARROW_FUNCTION(atan)
NARROW_FUNCTION(sinh)
NARROW_FUNCTION(cosh)
NARROW_FUNCTION(tanh)
NARROW_FUNCTION(asinh)
NARROW_FUNCTION(acosh)
NARROW_FUNCTION(atanh)

static inline complex64 complex_power_f32(complex64 x, complex64 y)
{
    return narrow(complex_power_f64(widen(x), widen(y)));
}

#endif
