/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: many elements into one accumulator (fold), or rows of elements into as many
 * accumulators (rows). Sums of floats are in sum.inc.h and each.inc.h, products of rows of them in
 * product.inc.h. Names are function_name_DTYPE; the comment at tile_reduction says what each
 * function does. */

/* NaN is greater than every number, and the first NaN is kept with its payload: vector maxima
 * ignore NaN, so a run that has one is searched again. `first` is the value that every number
 * replaces. */
#define FLOAT_EXTREMUM(name, NAME, T, BITS, relation, first)                                       \
    EXTREMUM_FUNCTION(name##_of_##NAME, T, BITS, relation)                                         \
    static void fold_##name##_##NAME(void *acc, const void *a, int64_t n)                          \
    {                                                                                              \
        const T *xs = a;                                                                           \
        T *to = acc, best;                                                                         \
        bool has_nan;                                                                              \
        if (n == 0)                                                                                \
            return;                                                                                \
        best = name##_of_##NAME(xs, n, &has_nan);                                                  \
        if (has_nan) {                                                                             \
            while (*xs == *xs)                                                                     \
                ++xs;                                                                              \
            best = *to = *xs;                                                                      \
        }                                                                                          \
        *to = EXTREMUM_OF(relation, best, *to);                                                    \
    }                                                                                              \
    static void rows_##name##_##NAME(void *acc, const void *a, int64_t stride, int64_t nrows,      \
                                     int64_t n)                                                    \
    {                                                                                              \
        T *to = acc;                                                                               \
        for (; nrows >= 4; nrows -= 4, a = (const char *)a + 4 * stride) {                         \
            const T *r0 = ROW(T, a, 0), *r1 = ROW(T, a, 1), *r2 = ROW(T, a, 2),                    \
                    *r3 = ROW(T, a, 3);                                                            \
            EACH(i, n)                                                                             \
            {                                                                                      \
                T best = to[i];                                                                    \
                best = r0[i] relation best || r0[i] != r0[i] ? r0[i] : best;                       \
                best = r1[i] relation best || r1[i] != r1[i] ? r1[i] : best;                       \
                best = r2[i] relation best || r2[i] != r2[i] ? r2[i] : best;                       \
                to[i] = r3[i] relation best || r3[i] != r3[i] ? r3[i] : best;                      \
            }                                                                                      \
        }                                                                                          \
        for (; nrows > 0; --nrows, a = (const char *)a + stride) {                                 \
            const T *row = a;                                                                      \
            EACH(i, n)                                                                             \
            {                                                                                      \
                T x = row[i], best = to[i];                                                        \
                to[i] = x relation best || x != x ? x : best;                                      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    BEGIN_AND_FINISH(name, NAME, T, first)

/* The accumulator is an element, so that others are merged as a row. */
#define BEGIN_AND_FINISH(name, NAME, T, first)                                                     \
    static void merge_##name##_##NAME(void *acc, const void *other, int64_t n)                     \
    {                                                                                              \
        rows_##name##_##NAME(acc, other, 0, 1, n);                                                 \
    }                                                                                              \
    static void begin_##name##_##NAME(void *acc, int64_t n)                                        \
    {                                                                                              \
        for (int64_t i = 0; i < n; ++i)                                                            \
            ((T *)acc)[i] = (first);                                                               \
    }                                                                                              \
    static void finish_##name##_##NAME(void *dst, const void *acc, int64_t n)                      \
    {                                                                                              \
        memcpy(dst, acc, (size_t)n * sizeof(T));                                                   \
    }

FLOAT_EXTREMUM(maximum, FLOAT32, float, int32_t, >, -INFINITY)
FLOAT_EXTREMUM(minimum, FLOAT32, float, int32_t, <, INFINITY)
FLOAT_EXTREMUM(maximum, FLOAT64, double, int64_t, >, -(double)INFINITY)
FLOAT_EXTREMUM(minimum, FLOAT64, double, int64_t, <, (double)INFINITY)

/* to: the parts of a complex number, which is multiplied by re + im i. */
static inline void multiply_into(double *to, double re, double im)
{
    double own = to[0] * re - to[1] * im;
    to[1] = to[0] * im + to[1] * re;
    to[0] = own;
}

/* The accumulator of both widths is one complex128. */
#define PRODUCT(NAME, T, WIDE, each)                                                               \
    static void rows_multiply_##NAME(void *acc, const void *a, int64_t stride, int64_t nrows,      \
                                     int64_t n)                                                    \
    {                                                                                              \
        WIDE *to = acc;                                                                            \
        for (; nrows > 0; --nrows, a = (const char *)a + stride) {                                 \
            const T *row = a;                                                                      \
            EACH(i, n)                                                                             \
            each;                                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void merge_multiply_##NAME(void *acc, const void *other, int64_t n)                     \
    {                                                                                              \
        WIDE *to = acc;                                                                            \
        const WIDE *row = other;                                                                   \
        EACH(i, n)                                                                                 \
        each;                                                                                      \
    }                                                                                              \
    static void finish_multiply_##NAME(void *dst, const void *acc, int64_t n)                      \
    {                                                                                              \
        const WIDE *from = acc;                                                                    \
        T *to = dst;                                                                               \
        EACH(i, n)                                                                                 \
        to[i] = NARROWED(NAME, from[i]);                                                           \
    }
#define NARROWED(NAME, x) NARROWED_##NAME(x)
#define NARROWED_FLOAT32(x) (float)x
#define NARROWED_FLOAT64(x) x
#define NARROWED_COMPLEX64(x) ((complex64){(float)x.re, (float)x.im})
#define NARROWED_COMPLEX128(x) x

static void begin_multiply_FLOAT32(void *acc, int64_t n)
{
    double *to = acc;
    EACH(i, n)
    to[i] = 1;
}
#define begin_multiply_FLOAT64 begin_multiply_FLOAT32

static void begin_multiply_COMPLEX64(void *acc, int64_t n)
{
    complex128 *to = acc;
    EACH(i, n)
    to[i] = (complex128){1, 0};
}
#define begin_multiply_COMPLEX128 begin_multiply_COMPLEX64

#define FOLD_PRODUCT_COMPLEX(NAME, T)                                                              \
    static void fold_multiply_##NAME(void *acc, const void *a, int64_t n)                          \
    {                                                                                              \
        const T *xs = a;                                                                           \
        for (int64_t i = 0; i < n; ++i)                                                            \
            multiply_into(acc, (double)xs[i].re, (double)xs[i].im);                                \
    }
FOLD_PRODUCT_COMPLEX(COMPLEX64, complex64)
FOLD_PRODUCT_COMPLEX(COMPLEX128, complex128)
PRODUCT(FLOAT32, float, double, to[i] *= (double)row[i])
PRODUCT(FLOAT64, double, double, to[i] *= row[i])
PRODUCT(COMPLEX64, complex64, complex128,
        multiply_into(&to[i].re, (double)row[i].re, (double)row[i].im))
PRODUCT(COMPLEX128, complex128, complex128, multiply_into(&to[i].re, row[i].re, row[i].im))

/* In folds, `best` takes in every x by `join`, and at the end it is DONE(best). */
#define ORDERLESS_FOLD(name, NAME, T, join, DONE)                                                  \
    static void fold_##name##_##NAME(void *acc, const void *a, int64_t n)                          \
    {                                                                                              \
        const T *xs = a;                                                                           \
        T best = *(T *)acc;                                                                        \
        for (int64_t i = 0; i < n; ++i) {                                                          \
            T x = xs[i];                                                                           \
            best = (T)(join);                                                                      \
        }                                                                                          \
        *(T *)acc = DONE(best);                                                                    \
    }
#define DONE_AS_IS(x) (x)
#define DONE_BOOL(x) ((x) != 0)

#define ORDERLESS_ROWS(name, NAME, T, first, step)                                                 \
    static void rows_##name##_##NAME(void *acc, const void *a, int64_t stride, int64_t nrows,      \
                                     int64_t n)                                                    \
    {                                                                                              \
        T *to = acc;                                                                               \
        for (; nrows > 0; --nrows, a = (const char *)a + stride) {                                 \
            const T *row = a;                                                                      \
            EACH(i, n)                                                                             \
            {                                                                                      \
                T x = row[i], best = to[i];                                                        \
                to[i] = (T)(step);                                                                 \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    BEGIN_AND_FINISH(name, NAME, T, first)

#define ORDERLESS(name, NAME, T, first, step)                                                      \
    ORDERLESS_FOLD(name, NAME, T, step, DONE_AS_IS)                                                \
    ORDERLESS_ROWS(name, NAME, T, first, step)

#define INTEGER_REDUCTIONS(NAME, T)                                                                \
    ORDERLESS(add, NAME, T, 0, (WRAP_##NAME)best + (WRAP_##NAME)x)                                 \
    ORDERLESS(multiply, NAME, T, 1, (WRAP_##NAME)best *(WRAP_##NAME)x)                             \
    ORDERLESS(maximum, NAME, T, NAME##_MIN, x > best ? x : best)                                   \
    ORDERLESS(minimum, NAME, T, NAME##_MAX, x < best ? x : best)
#define UINT8_MIN 0
#define UINT16_MIN 0
#define UINT32_MIN 0
#define UINT64_MIN 0
INTEGER_DTYPES(INTEGER_REDUCTIONS)
/* A comparison in each step keeps GCC from making vector code of a fold. */
ORDERLESS_FOLD(add, BOOL, uint8_t, best | x, DONE_BOOL)
ORDERLESS_FOLD(minimum, BOOL, uint8_t, x < best ? x : best, DONE_BOOL)
ORDERLESS_ROWS(add, BOOL, uint8_t, 0, (best | x) != 0)
ORDERLESS_ROWS(minimum, BOOL, uint8_t, 1, (x != 0) & best)

/* Counts in bytes, which hold that many blocks. */
static void fold_true(void *acc, const void *a, int64_t n)
{
    enum { MOST_BLOCKS = UINT8_MAX };
    typedef uint8_t bytes __attribute__((vector_size(64)));
    const uint8_t *xs = a;
    int64_t count = *(int64_t *)acc, i = 0;
    while (n - i >= (int64_t)sizeof(bytes)) {
        bytes counts = {0}, block;
        for (int k = 0; k < MOST_BLOCKS && n - i >= (int64_t)sizeof(bytes); ++k) {
            memcpy(&block, xs + i, sizeof block);
            counts -= (bytes)(block != 0);
            i += (int64_t)sizeof block;
        }
        for (int lane = 0; lane < (int)sizeof(bytes); ++lane)
            count += counts[lane];
    }
    for (; i < n; ++i)
        count += xs[i] != 0;
    *(int64_t *)acc = count;
}

/* acc can hold the largest accumulator, a complex128 with errors, and is aligned for all. */
#define EACH_ROW(name, NAME, T)                                                                    \
    static void each_##name##_##NAME(void *dst, const void *a, int64_t stride, int64_t nrows,      \
                                     int64_t n)                                                    \
    {                                                                                              \
        T *to = dst;                                                                               \
        for (int64_t r = 0; r < nrows; ++r) {                                                      \
            double acc[4];                                                                         \
            begin_##name##_##NAME(acc, 1);                                                         \
            fold_##name##_##NAME(acc, (const char *)a + r * stride, n);                            \
            finish_##name##_##NAME(to + r, acc, 1);                                                \
        }                                                                                          \
    }
#define EACH_OF_INTEGER(NAME, T)                                                                   \
    EACH_ROW(add, NAME, T)                                                                         \
    EACH_ROW(multiply, NAME, T)                                                                    \
    EACH_EXTREMUM(NAME, T)
#define EACH_EXTREMUM(NAME, T)                                                                     \
    EACH_ROW(maximum, NAME, T)                                                                     \
    EACH_ROW(minimum, NAME, T)
#define EACH_OF_COMPLEX(NAME, T)                                                                   \
    EACH_ROW(add, NAME, T)                                                                         \
    EACH_ROW(multiply, NAME, T)
INTEGER_DTYPES(EACH_OF_INTEGER)
EACH_EXTREMUM(FLOAT64, double)
EACH_EXTREMUM(FLOAT32, float)
COMPLEX_DTYPES(EACH_OF_COMPLEX)
EACH_ROW(add, BOOL, uint8_t)
EACH_ROW(minimum, BOOL, uint8_t)

#define REDUCTION(name, NAME, nbytes)                                                              \
    [JG_DTYPE_##NAME] = {begin_##name##_##NAME,                                                    \
                         fold_##name##_##NAME,                                                     \
                         rows_##name##_##NAME,                                                     \
                         merge_##name##_##NAME,                                                    \
                         finish_##name##_##NAME,                                                   \
                         each_##name##_##NAME,                                                     \
                         nbytes}
#define INTEGER_ROWS(name)                                                                         \
    REDUCTION(name, INT8, 1), REDUCTION(name, INT16, 2), REDUCTION(name, INT32, 4),                \
        REDUCTION(name, INT64, 8), REDUCTION(name, UINT8, 1), REDUCTION(name, UINT16, 2),          \
        REDUCTION(name, UINT32, 4), REDUCTION(name, UINT64, 8)
/* For bool, a sum and a maximum are "or"; a product and a minimum are "and". */
#define REDUCE_TABLE                                                                               \
    {                                                                                              \
        {REDUCTION(add, BOOL, 1),       INTEGER_ROWS(add),                                         \
         REDUCTION(add, FLOAT32, 8),    REDUCTION(add, FLOAT64, 16),                               \
         REDUCTION(add, COMPLEX64, 16), REDUCTION(add, COMPLEX128, 32)},                           \
            {REDUCTION(minimum, BOOL, 1),        INTEGER_ROWS(multiply),                           \
             REDUCTION(multiply, FLOAT32, 8),    REDUCTION(multiply, FLOAT64, 8),                  \
             REDUCTION(multiply, COMPLEX64, 16), REDUCTION(multiply, COMPLEX128, 16)},             \
            {REDUCTION(add, BOOL, 1), INTEGER_ROWS(maximum), REDUCTION(maximum, FLOAT32, 4),       \
             REDUCTION(maximum, FLOAT64, 8)},                                                      \
            {REDUCTION(minimum, BOOL, 1), INTEGER_ROWS(minimum), REDUCTION(minimum, FLOAT32, 4),   \
             REDUCTION(minimum, FLOAT64, 8)},                                                      \
    }
