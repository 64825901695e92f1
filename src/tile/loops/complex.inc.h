/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise loops of complex64 and complex128, with the macros of math/apply.inc.h. */

/* Sums and the like use the loops of twice as many floats. */
#define COMPLEX_AS_REAL(OP, NAME, REAL)                                                            \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        OP##_##REAL(dst, a, b, c, 2 * n);                                                          \
    }

/* Two numbers side by side in a vector are multiplied with two products and one sum, each rounded:
 * the real parts of q = (swapped x) * (im of y) change their sign as bits. Written as plain loops,
 * GCC 12 makes fused multiply-subtract-add of them even with -ffp-contract=off, and the end of a
 * tile would round differently from its middle. So the end, too, goes through a vector. */
#if defined __AVX512F__
#define NATIVE_BYTES 64
#elif defined __AVX__
#define NATIVE_BYTES 32
#else
#define NATIVE_BYTES 16
#endif
#ifdef __clang__
#define COMPLEX_MULTIPLY(NAME, T, PART, WORD)                                                      \
    BINARY(MULTIPLY, NAME, T, T, ((T){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}))
#else
#define COMPLEX_MULTIPLY(NAME, T, PART, WORD)                                                      \
    typedef PART parts_##NAME __attribute__((vector_size(NATIVE_BYTES)));                          \
    typedef WORD words_##NAME __attribute__((vector_size(NATIVE_BYTES)));                          \
    enum { PARTS_##NAME = NATIVE_BYTES / sizeof(PART) };                                           \
    static inline void multiply_parts_##NAME(void *to, const void *xs, const void *ys)             \
    {                                                                                              \
        words_##NAME re, im, swapped, sign;                                                        \
        parts_##NAME x, y;                                                                         \
        for (unsigned l = 0; l < PARTS_##NAME; ++l) {                                              \
            re[l] = l & ~1u;                                                                       \
            im[l] = l | 1u;                                                                        \
            swapped[l] = l ^ 1u;                                                                   \
            sign[l] = l & 1 ? 0 : (WORD)1 << (sizeof(WORD) * 8 - 1);                               \
        }                                                                                          \
        memcpy(&x, xs, sizeof x);                                                                  \
        memcpy(&y, ys, sizeof y);                                                                  \
        parts_##NAME p = x * __builtin_shuffle(y, re);                                             \
        parts_##NAME q = __builtin_shuffle(x, swapped) * __builtin_shuffle(y, im);                 \
        p += (parts_##NAME)((words_##NAME)q ^ sign);                                               \
        memcpy(to, &p, sizeof p);                                                                  \
    }                                                                                              \
    static void MULTIPLY_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n) \
    {                                                                                              \
        PART *to = dst, end[2][PARTS_##NAME] = {{0}};                                              \
        const PART *xs = a, *ys = b;                                                               \
        (void)c;                                                                                   \
        for (n *= 2; n >= PARTS_##NAME; n -= PARTS_##NAME) {                                       \
            multiply_parts_##NAME(to, xs, ys);                                                     \
            to += PARTS_##NAME;                                                                    \
            xs += PARTS_##NAME;                                                                    \
            ys += PARTS_##NAME;                                                                    \
        }                                                                                          \
        memcpy(end[0], xs, (size_t)n * sizeof(PART));                                              \
        memcpy(end[1], ys, (size_t)n * sizeof(PART));                                              \
        multiply_parts_##NAME(end[0], end[0], end[1]);                                             \
        memcpy(to, end[0], (size_t)n * sizeof(PART));                                              \
    }
#endif

/* complex64 is divided in double precision. */
#define COMPLEX_RUN 128
#define COMPLEX_DIVIDE(NAME, T, PART)                                                              \
    static void DIVIDE_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)   \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        double re[COMPLEX_RUN], im[COMPLEX_RUN];                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= COMPLEX_RUN, to += COMPLEX_RUN, xs += COMPLEX_RUN, ys += COMPLEX_RUN) { \
            int64_t count = int64_min(n, COMPLEX_RUN);                                             \
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

/* Functions are computed in double precision on real and imaginary parts in separate arrays, so
 * that the loop becomes vector code. The loop that separates them also finds whether all parts are
 * small enough for the trigonometric polynomials. */
#define COMPLEX_APART(NAME, T, PART)                                                               \
    static inline int take_apart_##NAME(const T *xs, double *re, double *im, int64_t n)            \
    {                                                                                              \
        int large = 0;                                                                             \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            re[i] = (double)xs[i].re;                                                              \
            im[i] = (double)xs[i].im;                                                              \
            large |= !(fabs(re[i]) <= TRIG_LIMIT) | !(fabs(im[i]) <= TRIG_LIMIT);                  \
        }                                                                                          \
        return !large;                                                                             \
    }                                                                                              \
    static inline void put_together_##NAME(T *to, const double *re, const double *im, int64_t n)   \
    {                                                                                              \
        EACH(i, n)                                                                                 \
        to[i] = (T){(PART)re[i], (PART)im[i]};                                                     \
    }
COMPLEX_APART(COMPLEX64, complex64, float)
COMPLEX_APART(COMPLEX128, complex128, double)

/* Two statements and a declaration: only for the braces of a loop. */
#define COMPLEX_STORE(i, value)                                                                    \
    complex128 result = value;                                                                     \
    re[i] = result.re;                                                                             \
    im[i] = result.im
#define COMPLEX_FUNCTION(OP, name, NAME, T)                                                        \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a;                                                                           \
        double re[COMPLEX_RUN], im[COMPLEX_RUN];                                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= COMPLEX_RUN, to += COMPLEX_RUN, xs += COMPLEX_RUN) {                    \
            int64_t count = int64_min(n, COMPLEX_RUN);                                             \
            take_apart_##NAME(xs, re, im, count);                                                  \
            EACH(i, count)                                                                         \
            {                                                                                      \
                COMPLEX_STORE(i, complex_##name##_f64((complex128){re[i], im[i]}));                \
            }                                                                                      \
            put_together_##NAME(to, re, im, count);                                                \
        }                                                                                          \
    }
#define COMPLEX_ANGLE_FUNCTION(OP, name, NAME, T)                                                  \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a;                                                                           \
        double re[COMPLEX_RUN], im[COMPLEX_RUN];                                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= COMPLEX_RUN, to += COMPLEX_RUN, xs += COMPLEX_RUN) {                    \
            int64_t count = int64_min(n, COMPLEX_RUN);                                             \
            int64_t small = take_apart_##NAME(xs, re, im, count) ? count : 0;                      \
            EACH(i, small)                                                                         \
            {                                                                                      \
                COMPLEX_STORE(i, complex_##name##_f64((complex128){re[i], im[i]}, 1));             \
            }                                                                                      \
            for (int64_t i = small; i < count; ++i) {                                              \
                COMPLEX_STORE(i, complex_##name##_f64((complex128){re[i], im[i]}, 0));             \
            }                                                                                      \
            put_together_##NAME(to, re, im, count);                                                \
        }                                                                                          \
    }

LOGARITHMS(COMPLEX_FUNCTION, COMPLEX64, complex64)
LOGARITHMS(COMPLEX_FUNCTION, COMPLEX128, complex128)
NEAR_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX64, complex64)
NEAR_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX128, complex128)
ANALYTIC_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX64, complex64)
ANALYTIC_FUNCTIONS(COMPLEX_FUNCTION, COMPLEX128, complex128)
EXPONENTIAL_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, COMPLEX64, complex64)
EXPONENTIAL_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, COMPLEX128, complex128)
LIMITED_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, COMPLEX64, complex64)
LIMITED_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, COMPLEX128, complex128)
COMPLEX_FUNCTION(SQRT, sqrt, COMPLEX64, complex64)
COMPLEX_FUNCTION(SQRT, sqrt, COMPLEX128, complex128)
COMPLEX_FUNCTION(SIGN, sign, COMPLEX64, complex64)
COMPLEX_FUNCTION(SIGN, sign, COMPLEX128, complex128)
BINARY(POWER, COMPLEX64, complex64, complex64, complex_power_f32(x, y))
BINARY(POWER, COMPLEX128, complex128, complex128, complex_power_f64(x, y))

#define COMPLEX_PARTS(NAME, T, PART, bits)                                                         \
    UNARY(ABS, NAME, T, PART, complex_modulus_##bits(x))                                           \
    UNARY(REAL, NAME, T, PART, x.re)                                                               \
    UNARY(IMAG, NAME, T, PART, x.im)                                                               \
    UNARY(CONJUGATE, NAME, T, T, ((T){x.re, -x.im}))

#define COMPLEX(NAME, T, REAL, PART, WORD)                                                         \
    COMPLEX_AS_REAL(COPY, NAME, REAL)                                                              \
    COMPLEX_AS_REAL(NEGATE, NAME, REAL)                                                            \
    COMPLEX_AS_REAL(ROUND, NAME, REAL)                                                             \
    COMPLEX_AS_REAL(ADD, NAME, REAL)                                                               \
    COMPLEX_AS_REAL(SUBTRACT, NAME, REAL)                                                          \
    SELECT(NAME, T)                                                                                \
    BINARY(EQUAL, NAME, T, uint8_t, (x.re == y.re) & (x.im == y.im))                               \
    BINARY(NOT_EQUAL, NAME, T, uint8_t, (x.re != y.re) | (x.im != y.im))                           \
    COMPLEX_MULTIPLY(NAME, T, PART, WORD)                                                          \
    COMPLEX_DIVIDE(NAME, T, PART)

COMPLEX(COMPLEX64, complex64, FLOAT32, float, uint32_t)
COMPLEX(COMPLEX128, complex128, FLOAT64, double, uint64_t)
COMPLEX_PARTS(COMPLEX64, complex64, float, f32)
COMPLEX_PARTS(COMPLEX128, complex128, double, f64)
