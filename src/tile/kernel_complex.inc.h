/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise kernels of complex64 and complex128, with the macros of kernel_apply.inc.h. */

/* Sums and the like are those of twice as many floats. */
#define COMPLEX_AS_REAL(OP, NAME, REAL)                                                            \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        OP##_##REAL(dst, a, b, c, 2 * n);                                                          \
    }

/* The parts are computed apart and brought together after, a run at a time: given both at once,
 * GCC 12 makes fused multiply-subtract-add of them even with -ffp-contract=off. */
#define COMPLEX_RUN 128
#define COMPLEX_MULTIPLY(NAME, T, PART)                                                            \
    static void MULTIPLY_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n) \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        PART re[COMPLEX_RUN], im[COMPLEX_RUN];                                                     \
        (void)c;                                                                                   \
        for (; n > 0; n -= COMPLEX_RUN, to += COMPLEX_RUN, xs += COMPLEX_RUN, ys += COMPLEX_RUN) { \
            int64_t count = n < COMPLEX_RUN ? n : COMPLEX_RUN;                                     \
            EACH(i, count)                                                                         \
            re[i] = xs[i].re * ys[i].re - xs[i].im * ys[i].im;                                     \
            EACH(i, count)                                                                         \
            im[i] = xs[i].re * ys[i].im + xs[i].im * ys[i].re;                                     \
            EACH(i, count)                                                                         \
            to[i] = (T){re[i], im[i]};                                                             \
        }                                                                                          \
    }

/* complex64 is divided in double precision. */
#define COMPLEX_DIVIDE(NAME, T, PART)                                                              \
    static void DIVIDE_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)   \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        double re[COMPLEX_RUN], im[COMPLEX_RUN];                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= COMPLEX_RUN, to += COMPLEX_RUN, xs += COMPLEX_RUN, ys += COMPLEX_RUN) { \
            int64_t count = n < COMPLEX_RUN ? n : COMPLEX_RUN;                                     \
            EACH(i, count)                                                                         \
            {                                                                                      \
                complex128 x = {(double)xs[i].re, (double)xs[i].im};                               \
                complex128 y = {(double)ys[i].re, (double)ys[i].im};                               \
                complex128 quotient = complex_divide_f64(x, y);                                    \
                re[i] = quotient.re;                                                               \
                im[i] = quotient.im;                                                               \
            }                                                                                      \
            EACH(i, count)                                                                         \
            to[i] = (T){(PART)re[i], (PART)im[i]};                                                 \
        }                                                                                          \
    }

#define COMPLEX_FUNCTION(OP, name, NAME, T, bits) UNARY(OP, NAME, T, T, complex_##name##_##bits(x))

ANALYTIC_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX64, complex64, f32)
ANALYTIC_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX128, complex128, f64)
LIMITED_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX64, complex64, f32)
LIMITED_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX128, complex128, f64)
COMPLEX_FUNCTION(SQRT, sqrt, COMPLEX64, complex64, f32)
COMPLEX_FUNCTION(SQRT, sqrt, COMPLEX128, complex128, f64)
COMPLEX_FUNCTION(SIGN, sign, COMPLEX64, complex64, f32)
COMPLEX_FUNCTION(SIGN, sign, COMPLEX128, complex128, f64)
BINARY(POWER, COMPLEX64, complex64, complex64, complex_power_f32(x, y))
BINARY(POWER, COMPLEX128, complex128, complex128, complex_power_f64(x, y))

#define COMPLEX_PARTS(NAME, T, PART, bits)                                                         \
    UNARY(ABS, NAME, T, PART, complex_modulus_##bits(x))                                           \
    UNARY(REAL, NAME, T, PART, x.re)                                                               \
    UNARY(IMAG, NAME, T, PART, x.im)                                                               \
    UNARY(CONJUGATE, NAME, T, T, ((T){x.re, -x.im}))

#define COMPLEX(NAME, T, REAL, PART)                                                               \
    COMPLEX_AS_REAL(COPY, NAME, REAL)                                                              \
    COMPLEX_AS_REAL(NEGATE, NAME, REAL)                                                            \
    COMPLEX_AS_REAL(ROUND, NAME, REAL)                                                             \
    COMPLEX_AS_REAL(ADD, NAME, REAL)                                                               \
    COMPLEX_AS_REAL(SUBTRACT, NAME, REAL)                                                          \
    SELECT(NAME, T)                                                                                \
    BINARY(EQUAL, NAME, T, uint8_t, (x.re == y.re) & (x.im == y.im))                               \
    BINARY(NOT_EQUAL, NAME, T, uint8_t, (x.re != y.re) | (x.im != y.im))                           \
    COMPLEX_MULTIPLY(NAME, T, PART)                                                                \
    COMPLEX_DIVIDE(NAME, T, PART)

COMPLEX(COMPLEX64, complex64, FLOAT32, float)
COMPLEX(COMPLEX128, complex128, FLOAT64, double)
COMPLEX_PARTS(COMPLEX64, complex64, float, f32)
COMPLEX_PARTS(COMPLEX128, complex128, double, f64)
