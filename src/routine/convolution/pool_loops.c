/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of pooling: the largest or the sum of elements that lie under each other, of up
 * to four rows at once, and along a row. NaN is larger than anything. */
#include "routine/loops.h"

/* Elements do not depend on each other. */
#if defined __clang__
#define EACH(i, n) _Pragma("clang loop vectorize(assume_safety)") for (int64_t i = 0; i < (n); ++i)
#else
#define EACH(i, n) _Pragma("GCC ivdep") for (int64_t i = 0; i < (n); ++i)
#endif

#define LARGER(x, y) ((y) > (x) ? (y) : (x))
#define SUM(x, y) ((x) + (y))

/* Without branches, which would keep loops over several rows from becoming vector code. */
#define LARGER_FLOAT(T)                                                                            \
    static inline T larger_##T(T x, T y)                                                           \
    {                                                                                              \
        return ((y > x) | (y != y)) ? y : x;                                                       \
    }
LARGER_FLOAT(float)
LARGER_FLOAT(double)

/* NONE: the result of no elements. */
#define FOLD(NAME, T, OP, NONE)                                                                    \
    static void fold_##NAME(void *to, const void *const *rows, int count, int64_t n)               \
    {                                                                                              \
        T *sums = to;                                                                              \
        const T *a = rows[0], *b = rows[count > 1 ? 1 : 0], *c = rows[count > 2 ? 2 : 0],          \
                *d = rows[count > 3 ? 3 : 0];                                                      \
        if (count == 1)                                                                            \
            EACH(i, n)                                                                             \
        sums[i] = OP(sums[i], a[i]);                                                               \
        else if (count == 2) EACH(i, n) sums[i] = OP(OP(sums[i], a[i]), b[i]);                     \
        else if (count == 3) EACH(i, n) sums[i] = OP(OP(OP(sums[i], a[i]), b[i]), c[i]);           \
        else EACH(i, n) sums[i] = OP(OP(OP(OP(sums[i], a[i]), b[i]), c[i]), d[i]);                 \
    }                                                                                              \
    static void begin_##NAME(void *to, const void *const *rows, int count, int64_t n)              \
    {                                                                                              \
        T *sums = to;                                                                              \
        const T *a = rows[0], *b = rows[count > 1 ? 1 : 0], *c = rows[count > 2 ? 2 : 0],          \
                *d = rows[count > 3 ? 3 : 0];                                                      \
        if (count == 0)                                                                            \
            EACH(i, n)                                                                             \
        sums[i] = NONE;                                                                            \
        else if (count == 1) EACH(i, n) sums[i] = a[i];                                            \
        else if (count == 2) EACH(i, n) sums[i] = OP(a[i], b[i]);                                  \
        else if (count == 3) EACH(i, n) sums[i] = OP(OP(a[i], b[i]), c[i]);                        \
        else EACH(i, n) sums[i] = OP(OP(OP(a[i], b[i]), c[i]), d[i]);                              \
    }                                                                                              \
    static void slide_##NAME(const void *row, int64_t taps, int64_t apart, int64_t step, void *to, \
                             int64_t n)                                                            \
    {                                                                                              \
        const T *from = row;                                                                       \
        T *sums = to;                                                                              \
        if (taps == 0)                                                                             \
            EACH(i, n)                                                                             \
        sums[i] = NONE;                                                                            \
        for (int64_t k = 0; k < taps; ++k, from += apart) {                                        \
            if (k == 0)                                                                            \
                EACH(i, n)                                                                         \
            sums[i] = from[i * step];                                                              \
            else if (step == 1) EACH(i, n) sums[i] = OP(sums[i], from[i]);                         \
            else if (step == 2) EACH(i, n) sums[i] = OP(sums[i], from[2 * i]);                     \
            else EACH(i, n) sums[i] = OP(sums[i], from[i * step]);                                 \
        }                                                                                          \
    }                                                                                              \
    static const pooling_loops loops_##NAME = {begin_##NAME, fold_##NAME, slide_##NAME};

/* Powers of two are divided by exactly as they are multiplied with, which is quicker. */
#define DIVIDE(NAME, T)                                                                            \
    static void divide_##NAME(void *to, double divisor, int64_t n)                                 \
    {                                                                                              \
        T *sums = to, by = (T)divisor, inverse = 1 / by;                                           \
        int64_t whole = (int64_t)divisor;                                                          \
        if ((double)whole == divisor && whole > 0 && (whole & (whole - 1)) == 0)                   \
            EACH(i, n)                                                                             \
        sums[i] *= inverse;                                                                        \
        else EACH(i, n) sums[i] /= by;                                                             \
    }

#define INTEGERS(X)                                                                                \
    X(BOOL, uint8_t, 0)                                                                            \
    X(INT8, int8_t, INT8_MIN)                                                                      \
    X(INT16, int16_t, INT16_MIN)                                                                   \
    X(INT32, int32_t, INT32_MIN)                                                                   \
    X(INT64, int64_t, INT64_MIN)                                                                   \
    X(UINT8, uint8_t, 0)                                                                           \
    X(UINT16, uint16_t, 0)                                                                         \
    X(UINT32, uint32_t, 0)                                                                         \
    X(UINT64, uint64_t, 0)

#define LARGEST_OF(NAME, T, NONE) FOLD(largest_##NAME, T, LARGER, NONE)
#define LARGEST_AT(NAME, T, NONE) [JG_DTYPE_##NAME] = &loops_largest_##NAME,

INTEGERS(LARGEST_OF)
FOLD(largest_FLOAT32, float, larger_float, -__builtin_inff())
FOLD(largest_FLOAT64, double, larger_double, -__builtin_inf())
FOLD(sum_FLOAT32, float, SUM, 0)
FOLD(sum_FLOAT64, double, SUM, 0)
DIVIDE(FLOAT32, float)
DIVIDE(FLOAT64, double)

const pooling_table ROUTINE_NAMED(routine_pools) = {
    .largest = {INTEGERS(LARGEST_AT)[JG_DTYPE_FLOAT32] = &loops_largest_FLOAT32,
                [JG_DTYPE_FLOAT64] = &loops_largest_FLOAT64},
    .sums = {[JG_DTYPE_FLOAT32] = &loops_sum_FLOAT32, [JG_DTYPE_FLOAT64] = &loops_sum_FLOAT64},
    .divide = {[JG_DTYPE_FLOAT32] = divide_FLOAT32, [JG_DTYPE_FLOAT64] = divide_FLOAT64},
};
