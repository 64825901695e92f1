/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: many elements into one accumulator (fold), or rows of elements into as many
 * accumulators (rows). Which lane of which accumulator an element goes to depends on its place
 * alone, never on the width of the machine's vectors: every instruction set gives the same sums. */

/* Vectors of 64 bytes, whatever the machine has; GCC and Clang split them where they must.
 * Functions hand them on through memory: how they are passed depends on the machine, and
 * compilers warn of it. */
typedef float lanes_f32 __attribute__((vector_size(64)));
typedef double lanes_f64 __attribute__((vector_size(64)));
typedef float lanes_f32_unaligned __attribute__((vector_size(64), aligned(4), may_alias));
typedef double lanes_f64_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
typedef double wide_f64 __attribute__((vector_size(128)));

/* Reading 8 KiB ahead took a fifth off a long sum: the hardware's own prefetching stops at each
 * page. An address past the end does no harm. */
#define AHEAD(a, i) __builtin_prefetch((const char *)((a) + (i)) + 8192)

#define LOAD_F32(a, i) ((lanes_f32) * (const lanes_f32_unaligned *)(const void *)((a) + (i)))
#define LOAD_F64(a, i) ((lanes_f64) * (const lanes_f64_unaligned *)(const void *)((a) + (i)))

/* ---- sums of floats: fold ---- */

/* Adds up to 1024 floats, a multiple of 64, in 64 lanes (at most 16 additions each), and those
 * by fours. */
static inline void sum_block_f32(const float *a, int64_t n, lanes_f32 *out)
{
    lanes_f32 s0 = LOAD_F32(a, 0), s1 = LOAD_F32(a, 16), s2 = LOAD_F32(a, 32), s3 = LOAD_F32(a, 48);
    for (int64_t i = 64; i < n; i += 64) {
        AHEAD(a, i);
        AHEAD(a, i + 16);
        AHEAD(a, i + 32);
        AHEAD(a, i + 48);
        s0 += LOAD_F32(a, i);
        s1 += LOAD_F32(a, i + 16);
        s2 += LOAD_F32(a, i + 32);
        s3 += LOAD_F32(a, i + 48);
    }
    *out = (s0 + s1) + (s2 + s3);
}

/* Lane l of sums holds elements l mod 16, so that the parts of complex numbers stay apart. */
static inline void sum_lanes_f32(const float *a, int64_t n, wide_f64 *out)
{
    wide_f64 sums = {0};
    lanes_f32 sum;
    int64_t count;
    for (; n >= 64; a += count, n -= count) {
        count = n < 1024 ? n & ~(int64_t)63 : 1024;
        sum_block_f32(a, count, &sum);
        sums += __builtin_convertvector(sum, wide_f64);
    }
    if (n > 0) {
        float rest[64] = {0};
        memcpy(rest, a, (size_t)n * sizeof *a);
        sum_block_f32(rest, 64, &sum);
        sums += __builtin_convertvector(sum, wide_f64);
    }
    *out = sums;
}

static void fold_add_FLOAT32(void *acc, const void *a, int64_t n)
{
    wide_f64 sums;
    sum_lanes_f32(a, n, &sums);
    double sum = 0;
    for (int lane = 0; lane < 16; ++lane)
        sum += sums[lane];
    *(double *)acc += sum;
}

static void fold_add_COMPLEX64(void *acc, const void *a, int64_t n)
{
    wide_f64 sums;
    double *to = acc, re = 0, im = 0;
    sum_lanes_f32(a, 2 * n, &sums);
    for (int lane = 0; lane < 16; lane += 2) {
        re += sums[lane];
        im += sums[lane + 1];
    }
    to[0] += re;
    to[1] += im;
}

/* sum += x with the rounding error of that addition in error (Knuth's two-sum, any order of
 * sizes). An infinite sum has error NaN, which finish ignores. */
#define TWO_SUM(T, sum, error, x)                                                                  \
    do {                                                                                           \
        T new_sum_ = (sum) + (x), part_ = new_sum_ - (sum);                                        \
        (error) += ((sum) - (new_sum_ - part_)) + ((x)-part_);                                     \
        (sum) = new_sum_;                                                                          \
    } while (0)

static inline void sum_block_f64(const double *a, int64_t n, lanes_f64 *out)
{
    lanes_f64 s0 = LOAD_F64(a, 0), s1 = LOAD_F64(a, 8), s2 = LOAD_F64(a, 16), s3 = LOAD_F64(a, 24);
    for (int64_t i = 32; i < n; i += 32) {
        AHEAD(a, i);
        AHEAD(a, i + 8);
        AHEAD(a, i + 16);
        AHEAD(a, i + 24);
        s0 += LOAD_F64(a, i);
        s1 += LOAD_F64(a, i + 8);
        s2 += LOAD_F64(a, i + 16);
        s3 += LOAD_F64(a, i + 24);
    }
    *out = (s0 + s1) + (s2 + s3);
}

static inline void sum_lanes_f64(const double *a, int64_t n, lanes_f64 *sums, lanes_f64 *errors)
{
    lanes_f64 sum = {0}, error = {0}, block;
    int64_t count;
    for (; n >= 32; a += count, n -= count) {
        count = n < 512 ? n & ~(int64_t)31 : 512;
        sum_block_f64(a, count, &block);
        TWO_SUM(lanes_f64, sum, error, block);
    }
    if (n > 0) {
        double rest[32] = {0};
        memcpy(rest, a, (size_t)n * sizeof *a);
        sum_block_f64(rest, 32, &block);
        TWO_SUM(lanes_f64, sum, error, block);
    }
    *sums = sum;
    *errors = error;
}

static void fold_add_FLOAT64(void *acc, const void *a, int64_t n)
{
    lanes_f64 sums, errors;
    double *to = acc;
    sum_lanes_f64(a, n, &sums, &errors);
    for (int lane = 0; lane < 8; ++lane) {
        TWO_SUM(double, to[0], to[1], sums[lane]);
        to[1] += errors[lane];
    }
}

/* The accumulator: both sums, then both errors, as of two floats (see rows_add_FLOAT64). */
static void fold_add_COMPLEX128(void *acc, const void *a, int64_t n)
{
    lanes_f64 sums, errors;
    double *to = acc;
    sum_lanes_f64(a, 2 * n, &sums, &errors);
    for (int lane = 0; lane < 8; ++lane) {
        TWO_SUM(double, to[lane & 1], to[2 + (lane & 1)], sums[lane]);
        to[2 + (lane & 1)] += errors[lane];
    }
}

/* ---- sums of floats: rows ---- */

#define ROW(T, a, r) ((const T *)(const void *)((const char *)(a) + (r)*stride))

/* Eight rows are added as a tree before they meet the accumulator, which saves its traffic. */
#define TREE (((r0[i] + r1[i]) + (r2[i] + r3[i])) + ((r4[i] + r5[i]) + (r6[i] + r7[i])))
#define EIGHT_ROWS(T)                                                                              \
    const T *r0 = ROW(T, a, 0), *r1 = ROW(T, a, 1), *r2 = ROW(T, a, 2), *r3 = ROW(T, a, 3);        \
    const T *r4 = ROW(T, a, 4), *r5 = ROW(T, a, 5), *r6 = ROW(T, a, 6), *r7 = ROW(T, a, 7)

static void rows_add_FLOAT32(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    double *to = acc;
    for (; nrows >= 8; nrows -= 8, a = (const char *)a + 8 * stride) {
        EIGHT_ROWS(float);
        EACH(i, n)
        to[i] += (double)TREE;
    }
    for (; nrows > 0; --nrows, a = (const char *)a + stride) {
        const float *row = a;
        EACH(i, n)
        to[i] += (double)row[i];
    }
}

static void rows_add_FLOAT64(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    double *sums = acc, *errors = sums + n;
    for (; nrows >= 8; nrows -= 8, a = (const char *)a + 8 * stride) {
        EIGHT_ROWS(double);
        EACH(i, n)
        {
            double sum = sums[i], error = errors[i], x = TREE;
            TWO_SUM(double, sum, error, x);
            sums[i] = sum;
            errors[i] = error;
        }
    }
    for (; nrows > 0; --nrows, a = (const char *)a + stride) {
        const double *row = a;
        EACH(i, n)
        {
            double sum = sums[i], error = errors[i], x = row[i];
            TWO_SUM(double, sum, error, x);
            sums[i] = sum;
            errors[i] = error;
        }
    }
}

static void rows_add_COMPLEX64(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    rows_add_FLOAT32(acc, a, stride, nrows, 2 * n);
}

static void rows_add_COMPLEX128(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    rows_add_FLOAT64(acc, a, stride, nrows, 2 * n);
}

static void begin_add_FLOAT32(void *acc, int64_t n)
{
    memset(acc, 0, (size_t)n * sizeof(double));
}

static void begin_add_FLOAT64(void *acc, int64_t n)
{
    memset(acc, 0, (size_t)n * 2 * sizeof(double));
}

static void begin_add_COMPLEX64(void *acc, int64_t n)
{
    begin_add_FLOAT32(acc, 2 * n);
}

static void begin_add_COMPLEX128(void *acc, int64_t n)
{
    begin_add_FLOAT64(acc, 2 * n);
}

static void finish_add_FLOAT32(void *dst, const void *acc, int64_t n)
{
    float *to = dst;
    const double *sums = acc;
    for (int64_t i = 0; i < n; ++i)
        to[i] = (float)sums[i];
}

static void finish_add_FLOAT64(void *dst, const void *acc, int64_t n)
{
    double *to = dst;
    const double *sums = acc, *errors = sums + n;
    for (int64_t i = 0; i < n; ++i) {
        double corrected = sums[i] + errors[i];
        to[i] = fabs(sums[i]) < (double)INFINITY ? corrected : sums[i];
    }
}

static void finish_add_COMPLEX64(void *dst, const void *acc, int64_t n)
{
    finish_add_FLOAT32(dst, acc, 2 * n);
}

static void finish_add_COMPLEX128(void *dst, const void *acc, int64_t n)
{
    finish_add_FLOAT64(dst, acc, 2 * n);
}

/* ---- extrema of floats ---- */

/* Chosen by mask, as C has no ?: for vectors. */
#define CHOOSE(V, I, mask, x, y) ((V)(((I)(mask) & (I)(x)) | (~(I)(mask) & (I)(y))))
#define BETTER(V, I, relation, x, best) CHOOSE(V, I, ((x)relation(best)) | ((x) != (x)), x, best)
#define FLOAT_EXTREMUM(name, NAME, T, V, I, LOAD, lanes, relation, first)                          \
    static void fold_##name##_##NAME(void *acc, const void *a, int64_t n)                          \
    {                                                                                              \
        const T *xs = a;                                                                           \
        V b0 = (V){0} + (T)(first), b1 = b0, b2 = b0, b3 = b0;                                     \
        int64_t i = 0;                                                                             \
        for (; i + 4 * lanes <= n; i += 4 * lanes) {                                               \
            V x0 = LOAD(xs, i), x1 = LOAD(xs, i + lanes);                                          \
            V x2 = LOAD(xs, i + 2 * lanes), x3 = LOAD(xs, i + 3 * lanes);                          \
            AHEAD(xs, i);                                                                          \
            AHEAD(xs, i + lanes);                                                                  \
            AHEAD(xs, i + 2 * lanes);                                                              \
            AHEAD(xs, i + 3 * lanes);                                                              \
            b0 = BETTER(V, I, relation, x0, b0);                                                   \
            b1 = BETTER(V, I, relation, x1, b1);                                                   \
            b2 = BETTER(V, I, relation, x2, b2);                                                   \
            b3 = BETTER(V, I, relation, x3, b3);                                                   \
        }                                                                                          \
        b0 = BETTER(V, I, relation, b1, b0);                                                       \
        b2 = BETTER(V, I, relation, b3, b2);                                                       \
        b0 = BETTER(V, I, relation, b2, b0);                                                       \
        T best = *(T *)acc;                                                                        \
        for (int lane = 0; lane < lanes; ++lane)                                                   \
            best = b0[lane] relation best || b0[lane] != b0[lane] ? b0[lane] : best;               \
        for (; i < n; ++i)                                                                         \
            best = xs[i] relation best || xs[i] != xs[i] ? xs[i] : best;                           \
        *(T *)acc = best;                                                                          \
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

#define BEGIN_AND_FINISH(name, NAME, T, first)                                                     \
    static void begin_##name##_##NAME(void *acc, int64_t n)                                        \
    {                                                                                              \
        for (int64_t i = 0; i < n; ++i)                                                            \
            ((T *)acc)[i] = (first);                                                               \
    }                                                                                              \
    static void finish_##name##_##NAME(void *dst, const void *acc, int64_t n)                      \
    {                                                                                              \
        memcpy(dst, acc, (size_t)n * sizeof(T));                                                   \
    }

typedef int32_t mask_f32 __attribute__((vector_size(64)));
typedef int64_t mask_f64 __attribute__((vector_size(64)));

FLOAT_EXTREMUM(maximum, FLOAT32, float, lanes_f32, mask_f32, LOAD_F32, 16, >, -INFINITY)
FLOAT_EXTREMUM(minimum, FLOAT32, float, lanes_f32, mask_f32, LOAD_F32, 16, <, INFINITY)
FLOAT_EXTREMUM(maximum, FLOAT64, double, lanes_f64, mask_f64, LOAD_F64, 8, >, -(double)INFINITY)
FLOAT_EXTREMUM(minimum, FLOAT64, double, lanes_f64, mask_f64, LOAD_F64, 8, <, (double)INFINITY)

/* ---- integers and bool, whose reductions may be taken in any order ---- */

#define ORDERLESS(name, NAME, T, first, step)                                                      \
    static void fold_##name##_##NAME(void *acc, const void *a, int64_t n)                          \
    {                                                                                              \
        const T *xs = a;                                                                           \
        T best = *(T *)acc;                                                                        \
        for (int64_t i = 0; i < n; ++i) {                                                          \
            T x = xs[i];                                                                           \
            best = (T)(step);                                                                      \
        }                                                                                          \
        *(T *)acc = best;                                                                          \
    }                                                                                              \
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

#define INTEGER_REDUCTIONS(NAME, T)                                                                \
    ORDERLESS(add, NAME, T, 0, (WRAP_##NAME)best + (WRAP_##NAME)x)                                 \
    ORDERLESS(maximum, NAME, T, NAME##_MIN, x > best ? x : best)                                   \
    ORDERLESS(minimum, NAME, T, NAME##_MAX, x < best ? x : best)
#define UINT8_MIN 0
#define UINT16_MIN 0
#define UINT32_MIN 0
#define UINT64_MIN 0
INTEGER_DTYPES(INTEGER_REDUCTIONS)
ORDERLESS(add, BOOL, uint8_t, 0, (best | x) != 0)
ORDERLESS(minimum, BOOL, uint8_t, 1, (x != 0) & best)

/* ---- the table ---- */

#define REDUCTION(name, NAME, nbytes)                                                              \
    [JG_DTYPE_##NAME] = {begin_##name##_##NAME, fold_##name##_##NAME, rows_##name##_##NAME,        \
                         finish_##name##_##NAME, nbytes}
#define INTEGER_ROWS(name)                                                                         \
    REDUCTION(name, INT8, 1), REDUCTION(name, INT16, 2), REDUCTION(name, INT32, 4),                \
        REDUCTION(name, INT64, 8), REDUCTION(name, UINT8, 1), REDUCTION(name, UINT16, 2),          \
        REDUCTION(name, UINT32, 4), REDUCTION(name, UINT64, 8)
#define REDUCE_TABLE                                                                               \
    {                                                                                              \
        {REDUCTION(add, BOOL, 1),       INTEGER_ROWS(add),                                         \
         REDUCTION(add, FLOAT32, 8),    REDUCTION(add, FLOAT64, 16),                               \
         REDUCTION(add, COMPLEX64, 16), REDUCTION(add, COMPLEX128, 32)},                           \
            {REDUCTION(add, BOOL, 1), INTEGER_ROWS(maximum), REDUCTION(maximum, FLOAT32, 4),       \
             REDUCTION(maximum, FLOAT64, 8)},                                                      \
            {REDUCTION(minimum, BOOL, 1), INTEGER_ROWS(minimum), REDUCTION(minimum, FLOAT32, 4),   \
             REDUCTION(minimum, FLOAT64, 8)},                                                      \
    }
