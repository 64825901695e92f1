/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of floats: a few additions in their own precision, then in twice that (see tile_reduction).
 * An element's lane depends on its index alone, so every instruction set gives the same sums. */

/* Vectors of 64 bytes on any machine; GCC and Clang split them if necessary. Functions pass them
 * through memory: the calling convention for vectors depends on the machine, and compilers warn of
 * it. */
typedef float lanes_f32 __attribute__((vector_size(64)));
typedef double lanes_f64 __attribute__((vector_size(64)));
typedef float lanes_f32_unaligned __attribute__((vector_size(64), aligned(4), may_alias));
typedef double lanes_f64_unaligned __attribute__((vector_size(64), aligned(8), may_alias));
typedef float four_f32 __attribute__((vector_size(16)));
typedef double four_f64 __attribute__((vector_size(32)));

/* The bytes that one instruction adds. GCC splits longer vectors and keeps their sums in memory. */
#if defined __AVX512F__
enum { PART_NBYTES = 64 };
#elif defined __AVX__
enum { PART_NBYTES = 32 };
#else
enum { PART_NBYTES = 16 };
#endif
enum { PARTS = 64 / PART_NBYTES };
typedef float part_f32 __attribute__((vector_size(PART_NBYTES)));
typedef double part_f64 __attribute__((vector_size(PART_NBYTES)));
typedef float part_f32_unaligned __attribute__((vector_size(PART_NBYTES), aligned(4), may_alias));
typedef double part_f64_unaligned __attribute__((vector_size(PART_NBYTES), aligned(8), may_alias));

#define UNROLL_PARTS _Pragma("GCC unroll 16")
#define PART_F32(a, i) ((part_f32) * (const part_f32_unaligned *)(const void *)((a) + (i)))
#define PART_F64(a, i) ((part_f64) * (const part_f64_unaligned *)(const void *)((a) + (i)))

/* With AVX-512, reading 8 KiB ahead took a fifth off a long sum: the hardware's own prefetching
 * stops at each page. On Zen 3 the sum became a fifth slower by it. An address past the end does no
 * harm. */
#if defined __AVX512F__
#define AHEAD(a, i) __builtin_prefetch((const char *)((a) + (i)) + 8192)
#else
#define AHEAD(a, i) ((void)(i))
#endif

#define LOAD_F32(a, i) ((lanes_f32) * (const lanes_f32_unaligned *)(const void *)((a) + (i)))
#define LOAD_F64(a, i) ((lanes_f64) * (const lanes_f64_unaligned *)(const void *)((a) + (i)))

/* The first n elements, and zeros after them; n may be 0 or less. Masked elements are not read, so
 * no memory past the end is read. */
#if defined __AVX512F__
static inline part_f32 load_some_f32(const float *a, int64_t n)
{
    unsigned mask = n >= 16 ? 0xffff : n > 0 ? (1U << n) - 1 : 0;
    return (part_f32)_mm512_maskz_loadu_ps((__mmask16)mask, a);
}

static inline part_f64 load_some_f64(const double *a, int64_t n)
{
    unsigned mask = n >= 8 ? 0xff : n > 0 ? (1U << n) - 1 : 0;
    return (part_f64)_mm512_maskz_loadu_pd((__mmask8)mask, a);
}
#elif defined __AVX__
static const int32_t some_of_eight[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

static inline __m256i mask_some(int64_t n, int64_t most)
{
    n = int64_clamp(n, 0, most);
    return _mm256_loadu_si256((const __m256i *)(const void *)(some_of_eight + 8 - n * (8 / most)));
}

static inline part_f32 load_some_f32(const float *a, int64_t n)
{
    return (part_f32)_mm256_maskload_ps(a, mask_some(n, 8));
}

static inline part_f64 load_some_f64(const double *a, int64_t n)
{
    return (part_f64)_mm256_maskload_pd(a, mask_some(n, 4));
}
#else
static inline part_f32 load_some_f32(const float *a, int64_t n)
{
    part_f32 some = {0};
    if (n >= PART_NBYTES / 4)
        return PART_F32(a, 0);
    for (int64_t i = 0; i < n; ++i)
        some[i] = a[i];
    return some;
}

static inline part_f64 load_some_f64(const double *a, int64_t n)
{
    part_f64 some = {0};
    if (n >= PART_NBYTES / 8)
        return PART_F64(a, 0);
    for (int64_t i = 0; i < n; ++i)
        some[i] = a[i];
    return some;
}
#endif

/* The sums are cleared by vectors, because GCC would otherwise call memset. */
static inline void clear_wide(four_f64 *sums)
{
    UNROLL_PARTS for (int i = 0; i < 4; ++i) sums[i] = (four_f64){0};
}

/* Adds 16 lanes in float32 to 16 in float64. By fours: there is no conversion of more lanes without
 * AVX-512, and compilers make one of each lane then. */
static inline void add_wide(const lanes_f32 *sum, four_f64 *sums)
{
    UNROLL_PARTS for (int i = 0; i < 4; ++i)
    {
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

/* Adds up the terms TERM(0) to TERM(n - 1); n is a multiple of the elements of four vectors of 64
 * bytes. The terms are summed in the vectors' lanes, and these by fours. AHEAD_OF(i): the address
 * to prefetch before term i. */
#define SUM_BLOCK(NAME, n, TERM, AHEAD_OF, out)                                                    \
    enum { EACH_PART = PART_NBYTES / (int)sizeof((part_##NAME){0}[0]) };                           \
    part_##NAME sums_[4 * PARTS];                                                                  \
    UNROLL_PARTS for (int j_ = 0; j_ < 4 * PARTS; ++j_) sums_[j_] = TERM(j_ * EACH_PART);          \
    for (int64_t i_ = 4 * PARTS * EACH_PART; i_ < (n); i_ += 4 * PARTS * EACH_PART) {              \
        UNROLL_PARTS for (int j_ = 0; j_ < 4; ++j_) AHEAD_OF(i_ + j_ * PARTS * EACH_PART);         \
        UNROLL_PARTS for (int j_ = 0; j_ < 4 * PARTS; ++j_) sums_[j_] +=                           \
            TERM(i_ + j_ * EACH_PART);                                                             \
    }                                                                                              \
    UNROLL_PARTS for (int j_ = 0; j_ < PARTS; ++j_)                                                \
    {                                                                                              \
        part_##NAME sum_ =                                                                         \
            (sums_[j_] + sums_[PARTS + j_]) + (sums_[2 * PARTS + j_] + sums_[3 * PARTS + j_]);     \
        memcpy((char *)(out) + j_ * PART_NBYTES, &sum_, sizeof sum_);                              \
    }

/* Up to BLOCK_F32 floats, a multiple of 64, in 64 lanes: at most 16 additions each. */
static inline void sum_block_f32(const float *a, int64_t n, lanes_f32 *out)
{
#define TERM(i) PART_F32(a, i)
#define AHEAD_OF(i) AHEAD(a, i)
    SUM_BLOCK(f32, n, TERM, AHEAD_OF, out)
#undef TERM
#undef AHEAD_OF
}

/* Fewer terms than a block has, as if zeros were behind them: SOME(i) has terms i on. */
#define SUM_REST(NAME, n, SOME, out)                                                               \
    enum {                                                                                         \
        EACH_PART = PART_NBYTES / (int)sizeof((part_##NAME){0}[0]),                                \
        QUARTER = PARTS * EACH_PART                                                                \
    };                                                                                             \
    UNROLL_PARTS for (int j_ = 0; j_ < PARTS; ++j_)                                                \
    {                                                                                              \
        int64_t i_ = j_ * EACH_PART;                                                               \
        part_##NAME sum_ = SOME(i_);                                                               \
        if ((n) > QUARTER)                                                                         \
            sum_ += SOME(QUARTER + i_);                                                            \
        if ((n) > 2 * QUARTER)                                                                     \
            sum_ += SOME(2 * QUARTER + i_) + SOME(3 * QUARTER + i_);                               \
        memcpy((char *)(out) + j_ * PART_NBYTES, &sum_, sizeof sum_);                              \
    }

/* Fewer than 64 floats. */
static inline void sum_rest_f32(const float *a, int64_t n, lanes_f32 *out)
{
#define SOME(i) load_some_f32(a + (i), n - (i))
    SUM_REST(f32, n, SOME, out)
#undef SOME
}

/* Processors without AVX-512 that were measured read two streams of memory a third faster than one,
 * and one faster than one whose lines are fetched ahead. So halves of a span are summed side by
 * side, some vectors of the one after some of the other. The sums of the second half's blocks wait
 * until those of the first have been added: so they are added in order, as elsewhere. */
#if defined __AVX512F__
enum { HAS_HALVES = 0 };
#else
enum { HAS_HALVES = 1 };
#endif
enum { BLOCK_F32 = 1024, MAX_HALF = 32 /* blocks */ };

/* Adds elements `from` to `to` - 1 of a block to its sums, which keep their place in memory. */
static inline void add_piece_f32(const float *a, int from, int to, part_f32 *kept)
{
    enum { EACH_PART = PART_NBYTES / 4, COUNT = 4 * PARTS };
    part_f32 sums[COUNT];
    UNROLL_PARTS for (int j = 0; j < COUNT; ++j) sums[j] =
        from == 0 ? PART_F32(a, j * EACH_PART) : kept[j] + PART_F32(a, from + j * EACH_PART);
    for (int i = from + COUNT * EACH_PART; i < to; i += COUNT * EACH_PART)
        UNROLL_PARTS for (int j = 0; j < COUNT; ++j) sums[j] += PART_F32(a, i + j * EACH_PART);
    UNROLL_PARTS for (int j = 0; j < COUNT; ++j) kept[j] = sums[j];
}

/* The end of SUM_BLOCK. */
static inline void join_parts_f32(const part_f32 *sums, lanes_f32 *out)
{
    UNROLL_PARTS for (int j = 0; j < PARTS; ++j)
    {
        part_f32 sum = (sums[j] + sums[PARTS + j]) + (sums[2 * PARTS + j] + sums[3 * PARTS + j]);
        memcpy((char *)out + j * PART_NBYTES, &sum, sizeof sum);
    }
}

/* Adds 2 * blocks blocks to the sums. */
static inline void sum_halves_f32(const float *a, int64_t blocks, four_f64 *sums)
{
    enum { PIECE = 128 };
    lanes_f32 first, later[MAX_HALF];
    part_f32 parts[2][4 * PARTS];
    for (int64_t b = 0; b < blocks; ++b, a += BLOCK_F32) {
        const float *other = a + blocks * BLOCK_F32;
        add_piece_f32(a, 0, PIECE, parts[0]);
        add_piece_f32(other, 0, PIECE, parts[1]);
        for (int i = PIECE; i < BLOCK_F32; i += PIECE) {
            add_piece_f32(a, i, i + PIECE, parts[0]);
            add_piece_f32(other, i, i + PIECE, parts[1]);
        }
        join_parts_f32(parts[0], &first);
        join_parts_f32(parts[1], &later[b]);
        add_wide(&first, sums);
    }
    for (int64_t b = 0; b < blocks; ++b)
        add_wide(&later[b], sums);
}

/* Lane l of both holds elements l mod 16, so that the parts of complex numbers stay apart. */
static inline void sum_lanes_f32(const float *a, int64_t n, four_f64 *out)
{
    four_f64 sums[4];
    lanes_f32 sum;
    int64_t count;
    clear_wide(sums);
    for (; HAS_HALVES && n >= 2 * BLOCK_F32; a += count, n -= count) {
        int64_t blocks = int64_min(n / (2 * BLOCK_F32), MAX_HALF);
        sum_halves_f32(a, blocks, sums);
        count = 2 * blocks * BLOCK_F32;
    }
    for (; n >= 64; a += count, n -= count) {
        count = n < BLOCK_F32 ? n & ~(int64_t)63 : BLOCK_F32;
        sum_block_f32(a, count, &sum);
        add_wide(&sum, sums);
    }
    if (n > 0) {
        sum_rest_f32(a, n, &sum);
        add_wide(&sum, sums);
    }
    UNROLL_PARTS for (int i = 0; i < 4; ++i) out[i] = sums[i];
}

static void fold_add_FLOAT32(void *acc, const void *a, int64_t n)
{
    four_f64 sums[4];
    sum_lanes_f32(a, n, sums);
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
#define TERM(i) PART_F64(a, i)
#define AHEAD_OF(i) AHEAD(a, i)
    SUM_BLOCK(f64, n, TERM, AHEAD_OF, out)
#undef TERM
#undef AHEAD_OF
}

/* Fewer than 32 doubles. */
static inline void sum_rest_f64(const double *a, int64_t n, lanes_f64 *out)
{
#define SOME(i) load_some_f64(a + (i), n - (i))
    SUM_REST(f64, n, SOME, out)
#undef SOME
}

/* Adds blocks of up to 512 doubles, and a rest, by eight lanes. The lanes are parts as wide as a
 * register, and never copied in other widths, for which a processor would wait. BLOCK(count, out)
 * and REST(count, out) add up the next elements, NEXT(count) goes on. */
#define SUM_LANES_F64(n, BLOCK, REST, NEXT, sums, errors)                                          \
    part_f64 sum_[PARTS], error_[PARTS];                                                           \
    UNROLL_PARTS for (int j_ = 0; j_ < PARTS; ++j_) sum_[j_] = error_[j_] = (part_f64){0};         \
    while ((n) > 0) {                                                                              \
        int64_t count_ = (n) < 32 ? (n) : (n) < 512 ? (n) & ~(int64_t)31 : 512;                    \
        lanes_f64 block_;                                                                          \
        if (count_ < 32)                                                                           \
            REST(count_, &block_);                                                                 \
        else                                                                                       \
            BLOCK(count_, &block_);                                                                \
        UNROLL_PARTS for (int j_ = 0; j_ < PARTS; ++j_)                                            \
        {                                                                                          \
            part_f64 x_;                                                                           \
            memcpy(&x_, (char *)&block_ + j_ * PART_NBYTES, sizeof x_);                            \
            TWO_SUM(part_f64, sum_[j_], error_[j_], x_);                                           \
        }                                                                                          \
        NEXT(count_);                                                                              \
    }                                                                                              \
    UNROLL_PARTS for (int j_ = 0; j_ < PARTS; ++j_)                                                \
    {                                                                                              \
        memcpy((char *)(sums) + j_ * PART_NBYTES, &sum_[j_], sizeof sum_[j_]);                     \
        memcpy((char *)(errors) + j_ * PART_NBYTES, &error_[j_], sizeof error_[j_]);               \
    }

static inline void sum_lanes_f64(const double *a, int64_t n, lanes_f64 *sums, lanes_f64 *errors)
{
#define BLOCK(count, out) sum_block_f64(a, count, out)
#define REST(count, out) sum_rest_f64(a, count, out)
#define NEXT(count) a += (count), n -= (count)
    SUM_LANES_F64(n, BLOCK, REST, NEXT, sums, errors)
#undef BLOCK
#undef REST
#undef NEXT
}

/* acc: the sum, and the error that it has made so far (TWO_SUM). */
static inline void add_lanes_f64(double *acc, const lanes_f64 *sums, const lanes_f64 *errors)
{
    for (int lane = 0; lane < 8; ++lane) {
        TWO_SUM(double, acc[0], acc[1], (*sums)[lane]);
        acc[1] += (*errors)[lane];
    }
}

static void fold_add_FLOAT64(void *acc, const void *a, int64_t n)
{
    lanes_f64 sums, errors;
    sum_lanes_f64(a, n, &sums, &errors);
    add_lanes_f64(acc, &sums, &errors);
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

/* Eight rows of products, each rounded, without storing them in between. */
#define EIGHT_PRODUCTS                                                                             \
    (((((((r0[i] * Y(0) + r1[i] * Y(1)) + r2[i] * Y(2)) + r3[i] * Y(3)) + r4[i] * Y(4)) +          \
       r5[i] * Y(5)) +                                                                             \
      r6[i] * Y(6)) +                                                                              \
     r7[i] * Y(7))

static void rows_product_FLOAT32(void *acc, const void *a, int64_t stride, const void *b,
                                 int64_t b_stride, int64_t n)
{
    double *to = acc;
    EIGHT_ROWS(float);
    const float *y[8];
    for (int r = 0; r < 8; ++r)
        y[r] = (const float *)(const void *)((const char *)b + r * b_stride);
#define Y(r) y[r][i]
    EACH(i, n)
    to[i] += (double)EIGHT_PRODUCTS;
#undef Y
}

static void rows_scaled_FLOAT32(void *acc, const void *a, int64_t stride, const void *b,
                                int64_t b_stride, int64_t n)
{
    double *to = acc;
    EIGHT_ROWS(float);
    float y[8];
    for (int r = 0; r < 8; ++r)
        memcpy(&y[r], (const char *)b + r * b_stride, sizeof y[r]);
#define Y(r) y[r]
    EACH(i, n)
    to[i] += (double)EIGHT_PRODUCTS;
#undef Y
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
