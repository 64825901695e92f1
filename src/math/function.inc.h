/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of floats, each a loop around one function of vector_math.h. A new one is a word in
 * one of the lists. */

/* X(INSTRUCTION, name): vector_<name>_f32 and vector_<name>_f64 compute it; for the first four
 * lists and LIMITED_FUNCTIONS also complex_<name>_f64 of a complex number. */
#define ANALYTIC_FUNCTIONS(X, ...)                                                                 \
    X(ASIN, asin, __VA_ARGS__)                                                                     \
    X(ACOS, acos, __VA_ARGS__)                                                                     \
    X(ATAN, atan, __VA_ARGS__)                                                                     \
    X(ATANH, atanh, __VA_ARGS__)
/* Functions that have a near_<name>_f32 and a near_<name>_f64 (vector_log.h). */
#define LOGARITHMS(X, ...)                                                                         \
    X(LOG, log, __VA_ARGS__)                                                                       \
    X(LOG2, log2, __VA_ARGS__)                                                                     \
    X(LOG10, log10, __VA_ARGS__)
/* Functions that have only a near_<name>_f32. */
#define NEAR_FUNCTIONS(X, ...)                                                                     \
    X(LOG1P, log1p, __VA_ARGS__)                                                                   \
    X(ASINH, asinh, __VA_ARGS__)                                                                   \
    X(ACOSH, acosh, __VA_ARGS__)
/* Functions in which a part of a complex number is an angle. */
#define EXPONENTIAL_FUNCTIONS(X, ...)                                                              \
    X(EXP, exp, __VA_ARGS__)                                                                       \
    X(EXPM1, expm1, __VA_ARGS__)                                                                   \
    X(SINH, sinh, __VA_ARGS__)                                                                     \
    X(COSH, cosh, __VA_ARGS__)                                                                     \
    X(TANH, tanh, __VA_ARGS__)
#define REAL_FUNCTIONS(X, ...)                                                                     \
    X(EXP2, exp2, __VA_ARGS__)                                                                     \
    X(ERF, erf, __VA_ARGS__)                                                                       \
    X(ERFINV, erfinv, __VA_ARGS__)                                                                 \
    X(SIGMOID, sigmoid, __VA_ARGS__)
/* Functions that are valid for |x| up to TRIG_LIMIT only. */
#define LIMITED_FUNCTIONS(X, ...)                                                                  \
    X(SIN, sin, __VA_ARGS__)                                                                       \
    X(COS, cos, __VA_ARGS__)                                                                       \
    X(TAN, tan, __VA_ARGS__)
#define BINARY_FUNCTIONS(X, ...)                                                                   \
    X(ATAN2, atan2, __VA_ARGS__)                                                                   \
    X(HYPOT, hypot, __VA_ARGS__)                                                                   \
    X(LOG_ADD_EXP, log_add_exp, __VA_ARGS__)

#define UNARY_FUNCTION(OP, name, NAME, T, bits) UNARY(OP, NAME, T, T, vector_##name##_##bits(x))
#define BINARY_FUNCTION(OP, name, NAME, T, bits)                                                   \
    BINARY(OP, NAME, T, T, vector_##name##_##bits(x, y))

/* A run without large arguments is a vector loop; in others libm takes the large ones, or gives NaN
 * where they are infinite. */
#ifndef LIMITED_FUNCTION
#define LIMITED_RUN 256
#define LIMITED_FUNCTION(OP, name, NAME, T, bits, s)                                               \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a;                                                                           \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= LIMITED_RUN, to += LIMITED_RUN, xs += LIMITED_RUN) {                    \
            int64_t count = int64_min(n, LIMITED_RUN);                                             \
            int large = 0;                                                                         \
            EACH(i, count)                                                                         \
            large |= __builtin_fabs##s(xs[i]) > (T)TRIG_LIMIT;                                     \
            if (!large) {                                                                          \
                EACH(i, count)                                                                     \
                to[i] = vector_##name##_##bits(xs[i]);                                             \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < count; ++i)                                                    \
                to[i] = __builtin_fabs##s(xs[i]) > (T)TRIG_LIMIT ? (T)name((double)xs[i])          \
                                                                 : vector_##name##_##bits(xs[i]);  \
        }                                                                                          \
    }

#define NEAR_BINARY(OP, name, NAME, T, bits)                                                       \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        (void)c;                                                                                   \
        for (; n > 0; n -= LIMITED_RUN, to += LIMITED_RUN, xs += LIMITED_RUN, ys += LIMITED_RUN) { \
            int64_t count = int64_min(n, LIMITED_RUN);                                             \
            int far = 0;                                                                           \
            EACH(i, count)                                                                         \
            far |= is_far_##name##_##bits(xs[i], ys[i]);                                           \
            if (!far) {                                                                            \
                EACH(i, count)                                                                     \
                to[i] = near_##name##_##bits(xs[i], ys[i]);                                        \
            } else {                                                                               \
                EACH(i, count)                                                                     \
                to[i] = vector_##name##_##bits(xs[i], ys[i]);                                      \
            }                                                                                      \
        }                                                                                          \
    }
#endif

/* A run is near where all its elements are. */
#ifndef NEAR_FUNCTION
#define BITS_OF_FLOAT32 uint32_t
#define BITS_OF_FLOAT64 uint64_t
#define NEAR_FUNCTION(OP, name, NAME, T, bits)                                                     \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a;                                                                           \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (; n > 0; n -= LIMITED_RUN, to += LIMITED_RUN, xs += LIMITED_RUN) {                    \
            int64_t count = int64_min(n, LIMITED_RUN);                                             \
            BITS_OF_##NAME most = 0;                                                               \
            EACH(i, count)                                                                         \
            {                                                                                      \
                BITS_OF_##NAME offset = offset_##name##_##bits(xs[i]);                             \
                most = offset > most ? offset : most;                                              \
            }                                                                                      \
            if (most < NEAR_##name##_##bits) {                                                     \
                EACH(i, count)                                                                     \
                to[i] = near_##name##_##bits(xs[i]);                                               \
            } else {                                                                               \
                EACH(i, count)                                                                     \
                to[i] = vector_##name##_##bits(xs[i]);                                             \
            }                                                                                      \
        }                                                                                          \
    }
#endif

ANALYTIC_FUNCTIONS(UNARY_FUNCTION, FLOAT32, float, f32)
ANALYTIC_FUNCTIONS(UNARY_FUNCTION, FLOAT64, double, f64)
LOGARITHMS(NEAR_FUNCTION, FLOAT32, float, f32)
LOGARITHMS(NEAR_FUNCTION, FLOAT64, double, f64)
NEAR_FUNCTIONS(NEAR_FUNCTION, FLOAT32, float, f32)
NEAR_FUNCTIONS(UNARY_FUNCTION, FLOAT64, double, f64)
EXPONENTIAL_FUNCTIONS(UNARY_FUNCTION, FLOAT32, float, f32)
EXPONENTIAL_FUNCTIONS(UNARY_FUNCTION, FLOAT64, double, f64)
REAL_FUNCTIONS(UNARY_FUNCTION, FLOAT32, float, f32)
REAL_FUNCTIONS(UNARY_FUNCTION, FLOAT64, double, f64)
LIMITED_FUNCTIONS(LIMITED_FUNCTION, FLOAT32, float, f32, f)
LIMITED_FUNCTIONS(LIMITED_FUNCTION, FLOAT64, double, f64, )
BINARY_FUNCTIONS(BINARY_FUNCTION, FLOAT32, float, f32)
BINARY_FUNCTIONS(BINARY_FUNCTION, FLOAT64, double, f64)
NEAR_BINARY(POWER, power, FLOAT32, float, f32)
NEAR_BINARY(POWER, power, FLOAT64, double, f64)

/* The neighbour of x on the way to y, on the bits: as integers without the sign bit, positive and
 * negative values count away from zero. A step onto zero keeps the sign. */
#define NEXT_AFTER(NAME, U, S, infinity)                                                           \
    static inline U next_after_##NAME(U x, U y)                                                    \
    {                                                                                              \
        const U sign = (U)((U)1 << (sizeof(U) * 8 - 1)), rest = (U)~sign;                          \
        S from = (S)(x & rest), to = (S)(y & rest);                                                \
        int is_nan = from > (S)(infinity) || to > (S)(infinity);                                   \
        U nan = from > (S)(infinity) ? x : y;                                                      \
        from = x & sign ? (S)-from : from;                                                         \
        to = y & sign ? (S)-to : to;                                                               \
        S next = (S)(from < to ? from + 1 : from - 1);                                             \
        U side = (U)(next < 0 ? sign : 0), is_below = (U)(next == 0 ? x & sign : side);            \
        U result = (U)(is_below | (U)(next < 0 ? -next : next));                                   \
        result = from == to ? y : result;                                                          \
        return is_nan ? nan : result;                                                              \
    }                                                                                              \
    BINARY(NEXT_AFTER, NAME, U, U, next_after_##NAME(x, y))

NEXT_AFTER(FLOAT16, uint16_t, int16_t, 0x7c00)
NEXT_AFTER(BFLOAT16, uint16_t, int16_t, 0x7f80)
NEXT_AFTER(FLOAT32, uint32_t, int32_t, 0x7f800000)
NEXT_AFTER(FLOAT64, uint64_t, int64_t, 0x7ff0000000000000)

#define FUNCTION_ROW(OP, name, ...) [PROGRAM_##OP] = {OF_FLOATS(OP)},
#define ANALYTIC_ROW(OP, name, ...) [PROGRAM_##OP] = {OF_FLOATS(OP), OF_COMPLEX(OP)},
#define FUNCTION_ROWS                                                                              \
    ANALYTIC_FUNCTIONS(ANALYTIC_ROW, )                                                             \
    LOGARITHMS(ANALYTIC_ROW, )                                                                     \
    NEAR_FUNCTIONS(ANALYTIC_ROW, )                                                                 \
    EXPONENTIAL_FUNCTIONS(ANALYTIC_ROW, )                                                          \
    REAL_FUNCTIONS(FUNCTION_ROW, )                                                                 \
    LIMITED_FUNCTIONS(ANALYTIC_ROW, )                                                              \
    BINARY_FUNCTIONS(FUNCTION_ROW, )                                                               \
    [PROGRAM_NEXT_AFTER] = {ENTRY(NEXT_AFTER, FLOAT16), ENTRY(NEXT_AFTER, BFLOAT16),               \
                            OF_FLOATS(NEXT_AFTER)}
