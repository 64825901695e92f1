/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of floats: a few additions in their own precision, then in twice that (see tile_reduction).
 * An element's lane depends on its index alone, so every instruction set gives the same sums. */

/* Vectors of 64 bytes, whatever the machine has; GCC and Clang split them where they must.
 * Functions hand them on through memory: how they are passed depends on the machine, and
 * compilers warn of it. */
typedef float lanes_f32 __attribute__((vector_size(64)));
typedef double lanes_f64 __attribute__((vector_size(64)));
typedef float lanes_f32_unaligned __attribute__((vector_size(64), aligned(4), may_alias));
typedef double lanes_f64_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
typedef double wide_f64 __attribute__((vector_size(128)));
typedef float four_f32 __attribute__((vector_size(16)));
typedef double four_f64 __attribute__((vector_size(32)));

/* Reading 8 KiB ahead took a fifth off a long sum: the hardware's own prefetching stops at each
 * page. An address past the end does no harm. */
#define AHEAD(a, i) __builtin_prefetch((const char *)((a) + (i)) + 8192)

#define LOAD_F32(a, i) ((lanes_f32) * (const lanes_f32_unaligned *)(const void *)((a) + (i)))
#define LOAD_F64(a, i) ((lanes_f64) * (const lanes_f64_unaligned *)(const void *)((a) + (i)))

/* The first n elements, and zeros after them. */
static inline void load_some_f32(const float *a, int64_t n, lanes_f32 *out)
{
    if (n >= 16) {
        *out = LOAD_F32(a, 0);
        return;
    }
#ifdef __AVX512F__
    /* Masked lanes are not read, so nothing past the end is. */
    *out = (lanes_f32)_mm512_maskz_loadu_ps((__mmask16)(n > 0 ? (1 << n) - 1 : 0), a);
#else
    float some[16] = {0};
    for (int64_t i = 0; i < n; ++i)
        some[i] = a[i];
    *out = LOAD_F32(some, 0);
#endif
}

/* n may be 0 or less; then nothing is read. */
static inline void load_some_f64(const double *a, int64_t n, lanes_f64 *out)
{
    if (n >= 8) {
        *out = LOAD_F64(a, 0);
        return;
    }
#ifdef __AVX512F__
    *out = (lanes_f64)_mm512_maskz_loadu_pd((__mmask8)(n > 0 ? (1 << n) - 1 : 0), a);
#else
    double some[8] = {0};
    for (int64_t i = 0; i < n; ++i)
        some[i] = a[i];
    *out = LOAD_F64(some, 0);
#endif
}

/* Adds 16 lanes in float32 to 16 in float64. By fours: there is no conversion of more lanes without
 * AVX-512, and compilers make one of each lane then. */
static inline void add_wide(const lanes_f32 *sum, four_f64 *sums)
{
    for (int i = 0; i < 4; ++i) {
        four_f32 part;
        memcpy(&part, (const char *)sum + (size_t)i * sizeof part, sizeof part);
        sums[i] += __builtin_convertvector(part, four_f64);
    }
}

/* The upper half is added to the lower half, again and again: fewer dependent additions than lane
 * by lane. */
static inline double add_lanes(const four_f64 *sums)
{
    four_f64 four = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    return (four[0] + four[2]) + (four[1] + four[3]);
}

#define ROW(T, a, r) ((const T *)(const void *)((const char *)(a) + (r)*stride))

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

/* Fewer than 64 floats, as if zeros were behind them. */
static inline void sum_rest_f32(const float *a, int64_t n, lanes_f32 *out)
{
    lanes_f32 s0, s1, s2, s3;
    load_some_f32(a, n, &s0);
    if (n > 16) {
        load_some_f32(a + 16, n - 16, &s1);
        s0 += s1;
    }
    if (n > 32) {
        load_some_f32(a + 32, n - 32, &s2);
        load_some_f32(a + 48, n - 48, &s3);
        s0 += s2 + s3;
    }
    *out = s0;
}

/* Lane l of both holds elements l mod 16, so that the parts of complex numbers stay apart. */
static inline void sum_lanes_f32(const float *a, int64_t n, four_f64 *out)
{
    four_f64 sums[4] = {{0}, {0}, {0}, {0}};
    lanes_f32 sum;
    int64_t count;
    for (; n >= 64; a += count, n -= count) {
        count = n < 1024 ? n & ~(int64_t)63 : 1024;
        sum_block_f32(a, count, &sum);
        add_wide(&sum, sums);
    }
    if (n > 0) {
        sum_rest_f32(a, n, &sum);
        add_wide(&sum, sums);
    }
    for (int i = 0; i < 4; ++i)
        out[i] = sums[i];
}

static void fold_add_FLOAT32(void *acc, const void *a, int64_t n)
{
    four_f64 sums[4];
    sum_lanes_f32(a, n, sums);
    *(double *)acc += add_lanes(sums);
}

#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* The sums that add_lanes gives of each of four rows, side by side, with additions in the same
 * order. */
static inline void add_lanes_of_rows(const four_f64 *rows, four_f64 *out)
{
    four_f64 first = PICK(rows[0], rows[1], 0, 1, 4, 5) + PICK(rows[0], rows[1], 2, 3, 6, 7);
    four_f64 second = PICK(rows[2], rows[3], 0, 1, 4, 5) + PICK(rows[2], rows[3], 2, 3, 6, 7);
    *out = PICK(first, second, 0, 2, 4, 6) + PICK(first, second, 1, 3, 5, 7);
}

/* As fold_add does it, four rows at a time. */
static void each_add_FLOAT32(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    float *to = dst;
    for (; nrows >= 4; nrows -= 4, to += 4, a = (const char *)a + 4 * stride) {
        four_f64 rows[4], sums;
        for (int r = 0; r < 4; ++r) {
            four_f64 lanes[4];
            sum_lanes_f32(ROW(float, a, r), n, lanes);
            rows[r] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
        }
        add_lanes_of_rows(rows, &sums);
        for (int r = 0; r < 4; ++r)
            to[r] = (float)(0.0 + sums[r]);
    }
    for (; nrows > 0; --nrows, ++to, a = (const char *)a + stride) {
        double sum = 0;
        fold_add_FLOAT32(&sum, a, n);
        *to = (float)sum;
    }
}

/* The same of products, each rounded, without storing them in between. */
static inline void sum_product_block_f32(const float *a, const float *b, int64_t n, lanes_f32 *out)
{
    lanes_f32 s0 = LOAD_F32(a, 0) * LOAD_F32(b, 0), s1 = LOAD_F32(a, 16) * LOAD_F32(b, 16);
    lanes_f32 s2 = LOAD_F32(a, 32) * LOAD_F32(b, 32), s3 = LOAD_F32(a, 48) * LOAD_F32(b, 48);
    for (int64_t i = 64; i < n; i += 64) {
        s0 += LOAD_F32(a, i) * LOAD_F32(b, i);
        s1 += LOAD_F32(a, i + 16) * LOAD_F32(b, i + 16);
        s2 += LOAD_F32(a, i + 32) * LOAD_F32(b, i + 32);
        s3 += LOAD_F32(a, i + 48) * LOAD_F32(b, i + 48);
    }
    *out = (s0 + s1) + (s2 + s3);
}

/* As fold_add_FLOAT32: blocks are summed in float32 lanes, and these in double. What is left over
 * is filled up with zeros, whose products add nothing. */
static void fold_product_FLOAT32(void *acc, const void *a, const void *b, int64_t n)
{
    const float *xs = a, *ys = b;
    four_f64 sums[4] = {{0}, {0}, {0}, {0}};
    lanes_f32 block;
    int64_t count;
    for (; n >= 64; xs += count, ys += count, n -= count) {
        count = n < 1024 ? n & ~(int64_t)63 : 1024;
        sum_product_block_f32(xs, ys, count, &block);
        add_wide(&block, sums);
    }
    if (n > 0) {
        float rest[2][64] = {{0}};
        memcpy(rest[0], xs, (size_t)n * sizeof *xs);
        memcpy(rest[1], ys, (size_t)n * sizeof *ys);
        sum_product_block_f32(rest[0], rest[1], 64, &block);
        add_wide(&block, sums);
    }
    *(double *)acc += add_lanes(sums);
}

/* Even lanes hold real parts, odd ones imaginary parts: 16 is even. */
static void fold_add_COMPLEX64(void *acc, const void *a, int64_t n)
{
    four_f64 parts[4];
    double *to = acc, re = 0, im = 0, sums[16];
    sum_lanes_f32(a, 2 * n, parts);
    memcpy(sums, parts, sizeof sums);
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

/* Up to 512 doubles, a multiple of 32, in 32 lanes, as sum_block_f32. */
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

/* Fewer than 32 doubles. */
static inline void sum_rest_f64(const double *a, int64_t n, lanes_f64 *out)
{
    lanes_f64 s0, s1, s2, s3;
    load_some_f64(a, n, &s0);
    if (n > 8) {
        load_some_f64(a + 8, n - 8, &s1);
        s0 += s1;
    }
    if (n > 16) {
        load_some_f64(a + 16, n - 16, &s2);
        load_some_f64(a + 24, n - 24, &s3);
        s0 += s2 + s3;
    }
    *out = s0;
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
        sum_rest_f64(a, n, &block);
        TWO_SUM(lanes_f64, sum, error, block);
    }
    *sums = sum;
    *errors = error;
}

/* acc: the sum, and the error that it has made so far (TWO_SUM). */
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

/* TILE_ROW_GROUP rows are added to each other before they are added to the accumulator, which is
 * then read and written less often. They are added in order, as rows that are computed one after
 * the other are (reduce_outer.c). */
#define EIGHT_ADDED (((((((r0[i] + r1[i]) + r2[i]) + r3[i]) + r4[i]) + r5[i]) + r6[i]) + r7[i])
#define EIGHT_ROWS(T)                                                                              \
    const T *r0 = ROW(T, a, 0), *r1 = ROW(T, a, 1), *r2 = ROW(T, a, 2), *r3 = ROW(T, a, 3);        \
    const T *r4 = ROW(T, a, 4), *r5 = ROW(T, a, 5), *r6 = ROW(T, a, 6), *r7 = ROW(T, a, 7)

static void rows_add_FLOAT32(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    double *to = acc;
    for (; nrows >= 8; nrows -= 8, a = (const char *)a + 8 * stride) {
        EIGHT_ROWS(float);
        EACH(i, n)
        to[i] += (double)EIGHT_ADDED;
    }
    for (; nrows > 0; --nrows, a = (const char *)a + stride) {
        const float *row = a;
        EACH(i, n)
        to[i] += (double)row[i];
    }
}

/* The accumulators are n sums, then their n errors. */
static void rows_add_FLOAT64(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n)
{
    double *sums = acc, *errors = sums + n;
    for (; nrows >= 8; nrows -= 8, a = (const char *)a + 8 * stride) {
        EIGHT_ROWS(double);
        EACH(i, n)
        {
            double sum = sums[i], error = errors[i], x = EIGHT_ADDED;
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

static void merge_add_FLOAT32(void *acc, const void *other, int64_t n)
{
    double *to = acc;
    const double *sums = other;
    EACH(i, n)
    to[i] += sums[i];
}

/* Adds the sums of other parts of the same rows, with their errors. */
static void merge_add_FLOAT64(void *acc, const void *other, int64_t n)
{
    double *to = acc, *errors = to + n;
    const double *sums = other, *others = sums + n;
    EACH(i, n)
    {
        double sum = to[i], error = errors[i] + others[i], x = sums[i];
        TWO_SUM(double, sum, error, x);
        to[i] = sum;
        errors[i] = error;
    }
}

static void merge_add_COMPLEX64(void *acc, const void *other, int64_t n)
{
    merge_add_FLOAT32(acc, other, 2 * n);
}

static void merge_add_COMPLEX128(void *acc, const void *other, int64_t n)
{
    merge_add_FLOAT64(acc, other, 2 * n);
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

/* The error of an infinite or NaN sum is not added: it would turn infinity into NaN. */
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
