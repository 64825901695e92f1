/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of convolutions, in float and in double. Sums stay in registers over all terms,
 * and products are added to them without rounding in between where the instruction set has that: as
 * with matrix products, the last bits depend on it.
 *
 * multiply makes a block of results (pixels by channels) from broadcast elements of x and packed
 * weights; slide works out one result channel along the pixels, where those lie side by side; blend
 * is in blend_loops.c. */
#include "routine/convolution/vectors.h"
#include "routine/loops.h"
#include "tensor/half.h"
#include <string.h>
#if defined __AVX512F__ && defined __AVX512BW__
#include <immintrin.h>
#define HAS_PAIRS
#endif

/* Rows whose sums fit into the registers, beside two vectors of weights and an element of x. */
#if FEW_REGISTERS
enum { MAX_ROWS = 6 };
#else
enum { MAX_ROWS = 14 };
#endif

enum { THIRDS = (CONVOLVE_MAX_ROWS + 2) / 3, SLIDE_VECTORS = 8 };

/* Terms of a run that lie whole vectors apart: as many meet a vector of x while it is in a
 * register. */
enum { SLIDE_TERMS = FEW_REGISTERS ? 1 : 4 };

/* Hides a value's origin from the compiler, so that it does not keep a pointer for each row:
 * fourteen pointers would not fit the registers, five bases and three offsets do. */
#define OPAQUE(x) __asm__("" : "+r"(x))

/* Prefetches the first nbytes bytes of a row. */
ALWAYS void fetch_row(const char *row, const int nbytes)
{
    UNROLL for (int at = 0; at < nbytes; at += 64) __builtin_prefetch(row + at, 0, 2);
}

#define VECTOR_TYPES(NAME, T)                                                                      \
    enum { LANES_##NAME = VECTOR_NBYTES / (int)sizeof(T) };                                        \
    typedef T vector_##T                                                                           \
        __attribute__((vector_size(VECTOR_NBYTES), aligned(sizeof(T)), may_alias));                \
    typedef T vector_##NAME                                                                        \
        __attribute__((vector_size(VECTOR_NBYTES), aligned(sizeof(T)), may_alias));                \
    typedef T eight_##NAME                                                                         \
        __attribute__((vector_size(8 * sizeof(T)), aligned(sizeof(T)), may_alias));                \
    typedef T four_##NAME                                                                          \
        __attribute__((vector_size(4 * sizeof(T)), aligned(sizeof(T)), may_alias));

/* T: the elements of x and w; F: those of sums. rows and vectors are constants at each call, so
 * that `sums` becomes registers. Columns beyond tile->columns are computed and not stored. */
#define MULTIPLY(NAME, T, F, ADD)                                                                  \
    ALWAYS void store_row_##NAME(F *to, const vector_##F *sums, int vectors, int64_t columns)      \
    {                                                                                              \
        if (columns == vectors * LANES_##NAME) {                                                   \
            UNROLL for (int v = 0; v < vectors; ++v) * (vector_##F *)(to + v * LANES_##NAME) =     \
                sums[v];                                                                           \
            return;                                                                                \
        }                                                                                          \
        vector_##F all[2] = {sums[0], sums[vectors - 1]};                                          \
        memcpy(to, all, (size_t)columns * sizeof(F));                                              \
    }                                                                                              \
    ALWAYS void multiply_##NAME(const convolve_tile *tile, const int rows, const int vectors)      \
    {                                                                                              \
        vector_##F sums[MAX_ROWS][2];                                                              \
        /* A share of the rows with each run: a processor waits for a dozen lines at most. */      \
        bool fetches = tile->ahead != NULL && tile->nruns > 0;                                     \
        int64_t fetched = 0, share = fetches ? ceil_div(rows, tile->nruns) : 0;                    \
        UNROLL for (int r = 0; r < rows; ++r) UNROLL for (int v = 0; v < vectors; ++v)             \
            sums[r][v] = (vector_##F){0};                                                          \
        if (tile->adds)                                                                            \
            UNROLL for (int r = 0; r < rows; ++r) UNROLL for (int v = 0; v < vectors;              \
                                                              ++v) sums[r][v] =                    \
                *(const vector_##F *)((const F *)tile->y + r * tile->y_row + v * LANES_##NAME);    \
        for (int64_t i = 0; i < tile->nruns; ++i) {                                                \
            for (int64_t last = fetched + share; fetched < last && fetched < rows; ++fetched)      \
                fetch_row(tile->ahead + fetched * tile->y_row * (int64_t)sizeof(F),                \
                          vectors * VECTOR_NBYTES);                                                \
            const T *w = (const T *)tile->w + tile->runs[i].term * tile->w_step;                   \
            const T *end = w + tile->length * tile->w_step;                                        \
            const T *x = (const T *)tile->x + tile->runs[i].x, *bases[THIRDS];                     \
            int64_t offsets[3] = {0, tile->x_row, 2 * tile->x_row};                                \
            UNROLL for (int t = 0; t < THIRDS; ++t)                                                \
            {                                                                                      \
                bases[t] = x + 3 * t * tile->x_row;                                                \
                OPAQUE(bases[t]);                                                                  \
            }                                                                                      \
            for (; w < end; w += tile->w_step) {                                                   \
                vector_##NAME weights[2];                                                          \
                UNROLL for (int t = 0; t < 3; ++t) OPAQUE(offsets[t]);                             \
                UNROLL for (int v = 0; v < vectors; ++v) weights[v] =                              \
                    *(const vector_##NAME *)(w + v * LANES_##NAME);                                \
                UNROLL for (int r = 0; r < rows; ++r)                                              \
                {                                                                                  \
                    T element = bases[r / 3][offsets[r % 3]];                                      \
                    UNROLL for (int v = 0; v < vectors; ++v) sums[r][v] =                          \
                        ADD(sums[r][v], element, weights[v]);                                      \
                }                                                                                  \
                UNROLL for (int t = 0; t < 3; ++t) offsets[t] += tile->x_step;                     \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int r = 0; r < rows; ++r)                                                      \
            store_row_##NAME((F *)tile->y + r * tile->y_row, sums[r], vectors, tile->columns);     \
    }

/* One function for each number of rows and vectors. */
#define MULTIPLY_ROWS(NAME, ROWS)                                                                  \
    static void multiply_##NAME##_##ROWS##_1(const convolve_tile *tile)                            \
    {                                                                                              \
        multiply_##NAME(tile, ROWS, 1);                                                            \
    }                                                                                              \
    static void multiply_##NAME##_##ROWS##_2(const convolve_tile *tile)                            \
    {                                                                                              \
        multiply_##NAME(tile, ROWS, 2);                                                            \
    }
#define MULTIPLY_AT(NAME, ROWS)                                                                    \
    [(ROWS)-1] = {multiply_##NAME##_##ROWS##_1, multiply_##NAME##_##ROWS##_2},

#define FEW_ROWS(X, NAME) X(NAME, 1) X(NAME, 2) X(NAME, 3) X(NAME, 4) X(NAME, 5) X(NAME, 6)
#if FEW_REGISTERS
#define EACH_ROWS FEW_ROWS
#else
#define EACH_ROWS(X, NAME)                                                                         \
    FEW_ROWS(X, NAME)                                                                              \
    X(NAME, 7)                                                                                     \
    X(NAME, 8) X(NAME, 9) X(NAME, 10) X(NAME, 11) X(NAME, 12) X(NAME, 13) X(NAME, 14)
#endif

/* Adds up a run's terms, which ADD(NAME, k) adds to the sums, in the order in which SLIDE_FULL
 * does. */
#define SLIDE_EACH(NAME, length, ADD)                                                              \
    int64_t k_ = 0;                                                                                \
    for (; SLIDE_TERMS > 1 && k_ + (SLIDE_TERMS * LANES_##NAME) <= (length);                       \
         k_ += (SLIDE_TERMS * LANES_##NAME))                                                       \
        for (int64_t r_ = k_; r_ < k_ + LANES_##NAME; ++r_)                                        \
            UNROLL for (int t_ = 0; t_ < SLIDE_TERMS; ++t_)                                        \
            {                                                                                      \
                ADD(NAME, r_ + t_ * LANES_##NAME);                                                 \
            }                                                                                      \
    for (; k_ < (length); ++k_) {                                                                  \
        ADD(NAME, k_);                                                                             \
    }

/* The same where all vectors follow one another: each is read once for several terms, as reading
 * takes longer than multiplying where a vector lies in two lines of the cache. */
#define SLIDE_FULL(NAME, sums, from, by, length)                                                   \
    int64_t k_ = 0;                                                                                \
    for (; k_ + (SLIDE_TERMS * LANES_##NAME) <= (length); k_ += (SLIDE_TERMS * LANES_##NAME))      \
        for (int64_t r_ = k_; r_ < k_ + LANES_##NAME; ++r_) {                                      \
            vector_##NAME x_[SLIDE_VECTORS + SLIDE_TERMS - 1];                                     \
            UNROLL for (int v_ = 0; v_ < SLIDE_VECTORS + SLIDE_TERMS - 1; ++v_) x_[v_] =           \
                *(const vector_##NAME *)((from) + r_ + v_ * LANES_##NAME);                         \
            UNROLL for (int t_ = 0; t_ < SLIDE_TERMS; ++t_)                                        \
                UNROLL for (int v_ = 0; v_ < SLIDE_VECTORS; ++v_) sums[v_] +=                      \
                (by)[r_ + t_ * LANES_##NAME] * x_[v_ + t_];                                        \
        }                                                                                          \
    for (; k_ < (length); ++k_)                                                                    \
        UNROLL for (int v_ = 0; v_ < SLIDE_VECTORS; ++v_) sums[v_] +=                              \
            (by)[k_] * *(const vector_##NAME *)((from) + k_ + v_ * LANES_##NAME);

#define SLIDE_ONE(NAME, k) sum += by[k] * from[k]
#define SLIDE_SOME(NAME, k)                                                                        \
    UNROLL for (int v = 0; v < vectors; ++v) sums[v] +=                                            \
        by[k] * *(const vector_##NAME *)(from + (k) + (v < vectors - 1 ? v * LANES_##NAME : last))

/* Vectors at the end of a line overlap those before them, so some results are computed twice. */
#define SLIDE(NAME, T)                                                                             \
    ALWAYS void slide_block_##NAME(const convolve_tile *tile, const T *x, T *y, int64_t at,        \
                                   const int vectors, int64_t last)                                \
    {                                                                                              \
        vector_##NAME sums[SLIDE_VECTORS];                                                         \
        const T *w = tile->w;                                                                      \
        bool full = SLIDE_TERMS > 1 && vectors == SLIDE_VECTORS &&                                 \
                    last == (SLIDE_VECTORS - 1) * LANES_##NAME;                                    \
        UNROLL for (int v = 0; v < vectors; ++v) sums[v] = (vector_##NAME){0};                     \
        for (int64_t i = 0; i < tile->nruns; ++i) {                                                \
            const T *from = x + at + tile->runs[i].x, *by = w + tile->runs[i].term;                \
            if (full) {                                                                            \
                SLIDE_FULL(NAME, sums, from, by, tile->length)                                     \
            } else {                                                                               \
                SLIDE_EACH(NAME, tile->length, SLIDE_SOME)                                         \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int v = 0; v < vectors; ++v)                                                   \
        {                                                                                          \
            T *to = y + at + (v < vectors - 1 ? v * LANES_##NAME : last);                          \
            *(vector_##NAME *)to = sums[v];                                                        \
        }                                                                                          \
    }                                                                                              \
    /* Up to `vectors` vectors; the last one may overlap the one before it. */                     \
    ALWAYS int64_t slide_end_##NAME(const convolve_tile *tile, const T *x, T *y, int64_t at,       \
                                    const int vectors)                                             \
    {                                                                                              \
        int64_t last = (vectors - 1) * LANES_##NAME, end = tile->rows - LANES_##NAME - at;         \
        slide_block_##NAME(tile, x, y, at, vectors, int64_min(last, end));                         \
        return at + vectors * LANES_##NAME;                                                        \
    }                                                                                              \
    static void slide_rest_##NAME(const convolve_tile *tile, const T *x, T *y, int64_t at)         \
    {                                                                                              \
        for (; at < tile->rows; ++at) {                                                            \
            T sum = 0;                                                                             \
            for (int64_t i = 0; i < tile->nruns; ++i) {                                            \
                const T *from = x + at + tile->runs[i].x;                                          \
                const T *by = (const T *)tile->w + tile->runs[i].term;                             \
                SLIDE_EACH(NAME, tile->length, SLIDE_ONE)                                          \
            }                                                                                      \
            y[at] = sum;                                                                           \
        }                                                                                          \
    }                                                                                              \
    static void slide_line_##NAME(const convolve_tile *tile, const T *x, T *y)                     \
    {                                                                                              \
        int64_t at = 0;                                                                            \
        while (at < tile->rows && tile->rows >= LANES_##NAME) {                                    \
            int64_t rest = tile->rows - at;                                                        \
            if (rest > 7 * LANES_##NAME)                                                           \
                at = slide_end_##NAME(tile, x, y, at, 8);                                          \
            else if (rest > 3 * LANES_##NAME)                                                      \
                at = slide_end_##NAME(tile, x, y, at, 4);                                          \
            else if (rest > 2 * LANES_##NAME)                                                      \
                at = slide_end_##NAME(tile, x, y, at, 3);                                          \
            else if (rest > LANES_##NAME)                                                          \
                at = slide_end_##NAME(tile, x, y, at, 2);                                          \
            else                                                                                   \
                at = slide_end_##NAME(tile, x, y, at, 1);                                          \
        }                                                                                          \
        slide_rest_##NAME(tile, x, y, at);                                                         \
    }                                                                                              \
    static void slide_##NAME(const convolve_tile *tile)                                            \
    {                                                                                              \
        const T *x = tile->x;                                                                      \
        T *y = tile->y;                                                                            \
        for (int64_t i = 0; i < tile->lines; ++i, x += tile->x_line, y += tile->y_line)            \
            slide_line_##NAME(tile, x, y);                                                         \
    }

#define LOW(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(x, y) __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(x, y) __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(x, y) __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOW_HALVES(x, y) __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_HALVES(x, y) __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15)

/* Eight rows of eight, transposed in three steps: of neighbours, of pairs, of halves. */
#define INTERLEAVE(NAME, T)                                                                        \
    ALWAYS void transpose_##NAME(const void *const *rows, int64_t at, const int64_t *offsets,      \
                                 T *to)                                                            \
    {                                                                                              \
        eight_##NAME a[8], b[8];                                                                   \
        UNROLL for (int i = 0; i < 8; i += 2)                                                      \
        {                                                                                          \
            eight_##NAME x = *(const eight_##NAME *)((const T *)rows[i] + at);                     \
            eight_##NAME y = *(const eight_##NAME *)((const T *)rows[i + 1] + at);                 \
            a[i] = LOW(x, y);                                                                      \
            a[i + 1] = HIGH(x, y);                                                                 \
        }                                                                                          \
        UNROLL for (int i = 0; i < 8; i += 4)                                                      \
        {                                                                                          \
            b[i] = LOW_PAIRS(a[i], a[i + 2]);                                                      \
            b[i + 1] = HIGH_PAIRS(a[i], a[i + 2]);                                                 \
            b[i + 2] = LOW_PAIRS(a[i + 1], a[i + 3]);                                              \
            b[i + 3] = HIGH_PAIRS(a[i + 1], a[i + 3]);                                             \
        }                                                                                          \
        UNROLL for (int i = 0; i < 4; ++i)                                                         \
        {                                                                                          \
            *(eight_##NAME *)(to + offsets[at + i]) = LOW_HALVES(b[i], b[i + 4]);                  \
            *(eight_##NAME *)(to + offsets[at + i + 4]) = HIGH_HALVES(b[i], b[i + 4]);             \
        }                                                                                          \
    }                                                                                              \
    /* Four columns of eight rows. */                                                              \
    ALWAYS void transpose_few_##NAME(const void *const *rows, int64_t at, const int64_t *offsets,  \
                                     T *to)                                                        \
    {                                                                                              \
        for (int first = 0; first < 8; first += 4) {                                               \
            four_##NAME a[4], b[4];                                                                \
            UNROLL for (int i = 0; i < 4; ++i) a[i] =                                              \
                *(const four_##NAME *)((const T *)rows[first + i] + at);                           \
            UNROLL for (int i = 0; i < 2; ++i)                                                     \
            {                                                                                      \
                b[i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 0, 4, 1, 5);                \
                b[i + 2] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], 2, 6, 3, 7);            \
            }                                                                                      \
            UNROLL for (int i = 0; i < 4; i += 2)                                                  \
            {                                                                                      \
                T *low = to + offsets[at + i] + first, *high = to + offsets[at + i + 1] + first;   \
                *(four_##NAME *)low = __builtin_shufflevector(b[i], b[i + 1], 0, 1, 4, 5);         \
                *(four_##NAME *)high = __builtin_shufflevector(b[i], b[i + 1], 2, 3, 6, 7);        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* The last columns are taken together with some of those before them. */                      \
    static void interleave_##NAME(const void *const *rows, int count, int64_t length,              \
                                  const int64_t *offsets, void *to)                                \
    {                                                                                              \
        int64_t at = 0;                                                                            \
        for (; count == 8 && at + 8 <= length; at += 8)                                            \
            transpose_##NAME(rows, at, offsets, to);                                               \
        if (count == 8 && at < length && length >= 8) {                                            \
            transpose_##NAME(rows, length - 8, offsets, to);                                       \
            at = length;                                                                           \
        } else if (count == 8 && at < length && length >= 4) {                                     \
            transpose_few_##NAME(rows, 0, offsets, to);                                            \
            transpose_few_##NAME(rows, length - 4, offsets, to);                                   \
            at = length;                                                                           \
        }                                                                                          \
        for (; at < length; ++at)                                                                  \
            for (int i = 0; i < count; ++i)                                                        \
                ((T *)to)[offsets[at] + i] = ((const T *)rows[i])[at];                             \
    }

#define ADD_PRODUCT(sum, element, weights) ((sum) + (element) * (weights))

#define LOOPS(NAME, T)                                                                             \
    VECTOR_TYPES(NAME, T)                                                                          \
    MULTIPLY(NAME, T, T, ADD_PRODUCT)                                                              \
    EACH_ROWS(MULTIPLY_ROWS, NAME)                                                                 \
    SLIDE(NAME, T)                                                                                 \
    INTERLEAVE(NAME, T)                                                                            \
    static const convolve_loops loops_##NAME = {                                                   \
        .lanes = LANES_##NAME,                                                                     \
        .most_rows = MAX_ROWS,                                                                     \
        .multiply = {EACH_ROWS(MULTIPLY_AT, NAME)},                                                \
        .blend = ROUTINE_NAMED(convolve_blend_##NAME),                                             \
        .slide = slide_##NAME,                                                                     \
        .interleave = interleave_##NAME,                                                           \
    };

LOOPS(f32, float)
LOOPS(f64, double)

/* Integers wrap. They have the sliding loop only. */
#define WHOLE_LOOPS(NAME, T)                                                                       \
    VECTOR_TYPES(NAME, T)                                                                          \
    SLIDE(NAME, T)                                                                                 \
    INTERLEAVE(NAME, T)                                                                            \
    static const convolve_loops loops_##NAME = {                                                   \
        .lanes = LANES_##NAME,                                                                     \
        .most_rows = MAX_ROWS,                                                                     \
        .slide = slide_##NAME,                                                                     \
        .interleave = interleave_##NAME,                                                           \
    };

WHOLE_LOOPS(u32, uint32_t)
WHOLE_LOOPS(u64, uint64_t)

#define CASTS(NAME, WIDEN, T, NARROW, WIDE)                                                        \
    static void widen_##NAME(const void *from, int64_t count, void *to)                            \
    {                                                                                              \
        WIDEN((WIDE *)to, (const T *)from, count);                                                 \
    }                                                                                              \
    static void narrow_##NAME(const void *from, int64_t count, void *to)                           \
    {                                                                                              \
        NARROW((T *)to, (const WIDE *)from, count);                                                \
    }
#define CAST_EACH(to, from, count)                                                                 \
    for (int64_t i = 0; i < (count); ++i)                                                          \
        (to)[i] = (__typeof__(+*(to)))(from)[i];
#define CAST_DOWN(to, from, count)                                                                 \
    for (int64_t i = 0; i < (count); ++i)                                                          \
        (to)[i] = (__typeof__(*(to)))(from)[i];

CASTS(FLOAT16, f32s_of_FLOAT16, uint16_t, FLOAT16_of_f32s, float)
CASTS(BFLOAT16, f32s_of_BFLOAT16, uint16_t, BFLOAT16_of_f32s, float)
CASTS(INT8, CAST_EACH, int8_t, CAST_DOWN, uint32_t)
CASTS(INT16, CAST_EACH, int16_t, CAST_DOWN, uint32_t)
CASTS(UINT8, CAST_EACH, uint8_t, CAST_DOWN, uint32_t)
CASTS(UINT16, CAST_EACH, uint16_t, CAST_DOWN, uint32_t)

#define WIDEN_AT(NAME) [JG_DTYPE_##NAME] = widen_##NAME
#define NARROW_AT(NAME) [JG_DTYPE_##NAME] = narrow_##NAME

#ifdef HAS_PAIRS
#if defined __clang__
#pragma clang attribute push(__attribute__((target("avx512bf16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512bf16")
#endif

/* Two channels in one element: their products are added in float32, subnormals as zeros. */
typedef uint32_t pair __attribute__((aligned(2), may_alias));
enum { LANES_pair = LANES_f32 };
typedef uint32_t vector_pair __attribute__((vector_size(VECTOR_NBYTES), aligned(2), may_alias));

ALWAYS vector_float add_pairs(vector_float sum, uint32_t element, vector_pair weights)
{
    return (vector_float)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)element),
                                          (__m512bh)weights);
}

MULTIPLY(pair, pair, float, add_pairs)
EACH_ROWS(MULTIPLY_ROWS, pair)

#if defined __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

static const convolve_loops loops_pair = {
    .lanes = LANES_pair,
    .most_rows = MAX_ROWS,
    .multiply = {EACH_ROWS(MULTIPLY_AT, pair)},
    .interleave = interleave_f32,
};

static bool has_pairs(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16");
}
#endif

const convolve_table ROUTINE_NAMED(routine_convolves) = {
    .loops = {[JG_DTYPE_FLOAT32] = &loops_f32,
              [JG_DTYPE_FLOAT64] = &loops_f64,
              [JG_DTYPE_INT32] = &loops_u32,
              [JG_DTYPE_INT64] = &loops_u64},
#ifdef HAS_PAIRS
    .pairs = &loops_pair,
    .has_pairs = has_pairs,
#endif
    .widen = {WIDEN_AT(FLOAT16), WIDEN_AT(BFLOAT16), WIDEN_AT(INT8), WIDEN_AT(INT16),
              WIDEN_AT(UINT8), WIDEN_AT(UINT16)},
    .narrow = {NARROW_AT(FLOAT16), NARROW_AT(BFLOAT16), NARROW_AT(INT8), NARROW_AT(INT16),
               NARROW_AT(UINT8), NARROW_AT(UINT16)},
};
