/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of products with quantised matrices, in float32.
 *
 * expand turns codes into floats that stay in the cache; rows and columns multiply them a tile at a
 * time, with all of the tile's sums in registers. dot is for products of few rows, where codes
 * are used once: they go from registers straight into the sum, a word in each lane, so x has been
 * arranged in the order in which codes come out of words. Sums use fused multiply-adds where the
 * instruction set has them, as the products of a library do. */
#include "routine/quantized/quantized_vectors.h"

#if defined __AVX512F__
enum { TILE_COLUMNS = 6, PART = 8 };
#elif defined __AVX2__
enum { TILE_COLUMNS = 3, PART = 8 };
#else
enum { TILE_COLUMNS = 2, PART = 4 };
#endif
/* Rows and columns of a tile whose columns lie side by side. */
enum { COLUMNS_ROWS = 6, WIDE = LANES == 16 ? 4 * LANES : 2 * LANES };

/* PART: how many of the eight codes that fill whole bytes are expanded at once. */
typedef float part_floats __attribute__((vector_size(PART * 4)));
typedef uint32_t part_words __attribute__((vector_size(PART * 4)));
typedef int32_t part_wholes __attribute__((vector_size(PART * 4)));

/* Marks a function that is unused where the processor finds the numbers in a table. */
#define SPARE INLINE __attribute__((unused))

/* One text for vectors of several lengths: W unsigned, S signed, F floating. The bits of a code are
 * those in the mask. */
#define DECODERS(LENGTH, W, S, F)                                                                  \
    INLINE F floats_of_##LENGTH(W codes, uint32_t mask)                                            \
    {                                                                                              \
        return __builtin_convertvector((S)(codes & mask), F);                                      \
    }                                                                                              \
    INLINE F larger_##LENGTH(F a, F b)                                                             \
    {                                                                                              \
        S above = a > b;                                                                           \
        return (F)(((S)a & above) | ((S)b & ~above));                                              \
    }                                                                                              \
    /* The numbers lie on three straight lines: m / 2, m - 2 and 2 m - 8. */                       \
    SPARE F e2m1_of_##LENGTH(W codes, uint32_t mask)                                               \
    {                                                                                              \
        F m = floats_of_##LENGTH(codes, mask & 7);                                                 \
        F size = larger_##LENGTH(m * 0.5f, larger_##LENGTH(m - 2, m * 2 - 8));                     \
        return (F)((W)size | (codes & 8) << 28);                                                   \
    }                                                                                              \
    /* Exponents count from 2^-6; below are multiples of 2^-9. */                                  \
    INLINE F e4m3_of_##LENGTH(W codes, uint32_t mask)                                              \
    {                                                                                              \
        W low = codes & (mask & 0x7f);                                                             \
        S subnormal = (S)(low < 8);                                                                \
        W normal = (low << 20) + (120u << 23);                                                     \
        W small = (W)(floats_of_##LENGTH(low, ~0u) * 0x1p-9f);                                     \
        W size = (normal & (W)~subnormal) | (small & (W)subnormal);                                \
        return (F)(size | (codes & 0x80) << 24);                                                   \
    }
DECODERS(part, part_words, part_wholes, part_floats)
DECODERS(lanes, words, wholes, vec)

/* Four bits choose from a table in one instruction, which ignores the bits above them. */
#ifdef __AVX512F__
INLINE vec four_bits_of_lanes(words codes, uint32_t mask)
{
    const vec table = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    (void)mask;
    return _mm512_permutexvar_ps((__m512i)codes, table);
}

INLINE vec four_floats_of_lanes(words codes, uint32_t mask)
{
    const vec table = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1.0f, -1.5f, -2, -3, -4, -6};
    (void)mask;
    return _mm512_permutexvar_ps((__m512i)codes, table);
}
#else
#define four_bits_of_lanes floats_of_lanes
#define four_floats_of_lanes e2m1_of_lanes
#endif
#define four_bits_of_part floats_of_part
#define four_floats_of_part e2m1_of_part

/* So many bytes, read in whole pieces: assembling them in memory would stall the load that
 * follows. */
INLINE uint64_t take_bytes(const uint8_t *from, uint32_t count)
{
    uint64_t eight = 0;
    uint32_t four = 0, at = 0;
    uint16_t two = 0;
    if (count == 8) {
        memcpy(&eight, from, sizeof eight);
        return eight;
    }
    if (count & 4) {
        memcpy(&four, from, sizeof four);
        at = 4;
    }
    eight = four;
    if (count & 2) {
        memcpy(&two, from + at, sizeof two);
        eight |= (uint64_t)two << 8 * at;
        at += 2;
    }
    return count & 1 ? eight | (uint64_t)from[at] << 8 * at : eight;
}

/* The codes of a part, a lane each, from the bytes of eight. */
INLINE part_words take_part(const uint8_t *from, uint32_t width, uint32_t part)
{
    uint64_t bits = take_bytes(from, width) >> part * PART * width;
    uint32_t mask = (1u << width) - 1, low = (uint32_t)bits, high = (uint32_t)(bits >> 4 * width);
#ifdef __AVX2__
    if (width <= 4) {
        const part_words shifts = {0,         width,     2 * width, 3 * width,
                                   4 * width, 5 * width, 6 * width, 7 * width};
        return (part_words){low, low, low, low, low, low, low, low} >> shifts & mask;
    }
    const part_words shifts = {0, width, 2 * width, 3 * width, 0, width, 2 * width, 3 * width};
    return (part_words){low, low, low, low, high, high, high, high} >> shifts & mask;
#else
    (void)high;
    return (part_words){low, low >> width, low >> 2 * width, low >> 3 * width} & mask;
#endif
}

/* Codes are taken eight at a time, which are WIDTH bytes: groups are multiples of eight. */
#define EXPAND(NAME, WIDTH, DECODE)                                                                \
    static void expand_##NAME(const quantized_span *span, float *to)                               \
    {                                                                                              \
        const uint8_t *from = span->codes;                                                         \
        int64_t groups = span->count / span->group, group = span->group;                           \
        for (int64_t g = 0; g < groups; ++g) {                                                     \
            float scale = span->scales[g], bias = span->biases[g];                                 \
            for (int64_t i = 0; i < group; i += 8, from += WIDTH)                                  \
                for (uint32_t part = 0; part < 8 / PART; ++part, to += PART) {                     \
                    part_words codes = take_part(from, WIDTH, part);                               \
                    part_floats values = DECODE(codes, ~0u) * scale + bias;                        \
                    memcpy(to, &values, sizeof values);                                            \
                }                                                                                  \
        }                                                                                          \
    }

#define CODES_OF(WIDTH) (32 / (WIDTH))

/* A lane takes a word, whose codes all belong to one group: groups have at least as many codes as a
 * word. Numbers of x after the row's end are zeros. */
#define DOT(NAME, WIDTH, DECODE)                                                                   \
    INLINE vec dot_block_##NAME(words codes, const float *x)                                       \
    {                                                                                              \
        vec sum = {0};                                                                             \
        _Pragma("GCC unroll 32") for (int j = 0; j < CODES_OF(WIDTH); ++j)                         \
        {                                                                                          \
            words low = codes >> (WIDTH * j);                                                      \
            sum = multiply_add(DECODE(low, (1u << WIDTH) - 1), load(x + j * LANES), sum);          \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    static float dot_##NAME(const quantized_dot *dot)                                              \
    {                                                                                              \
        enum { BLOCK = LANES * CODES_OF(WIDTH) };                                                  \
        const quantized_span *span = &dot->span;                                                   \
        int shift = __builtin_ctz((unsigned)span->group);                                          \
        const wholes indices = lane_indices(CODES_OF(WIDTH), shift);                               \
        int64_t at = 0;                                                                            \
        words codes;                                                                               \
        vec sum = {0};                                                                             \
        for (; at + BLOCK <= span->count; at += BLOCK) {                                           \
            memcpy(&codes, span->codes + at * WIDTH / 8, sizeof codes);                            \
            vec scales = choose(span->scales + (at >> shift), indices);                            \
            sum = multiply_add(dot_block_##NAME(codes, dot->x + at), scales, sum);                 \
        }                                                                                          \
        if (at < span->count) {                                                                    \
            codes = (words){0};                                                                    \
            memcpy(&codes, span->codes + at * WIDTH / 8,                                           \
                   (size_t)((span->count - at) * WIDTH / 8));                                      \
            vec scales = choose(span->scales + (at >> shift), indices);                            \
            sum = multiply_add(dot_block_##NAME(codes, dot->x + at), scales, sum);                 \
        }                                                                                          \
        return add_lanes(sum) + dot_biases(dot);                                                   \
    }

/* Codes that fill no word: a lane takes the eight that fill WIDTH bytes. gives: 32 bits of each
 * lane's, from `bit` on. */
INLINE words take_words(const uint8_t *from, int width, int bit)
{
#if defined __AVX512F__
    const wholes bits = lane_indices(8 * width, 0) + bit, indices = bits >> 5, shifts = bits & 31;
    const int all = 4 * width, rest = all < LANES ? 0 : all - LANES;
    __m512i a = _mm512_maskz_loadu_epi32((__mmask16)((1u << (all - rest)) - 1), from);
    __m512i b = _mm512_maskz_loadu_epi32((__mmask16)((1u << rest) - 1), from + 4 * LANES);
    __m512i low = _mm512_permutex2var_epi32(a, (__m512i)indices, b);
    __m512i high = _mm512_permutex2var_epi32(a, (__m512i)(indices + 1), b);
    return (words)_mm512_or_si512(_mm512_srlv_epi32(low, (__m512i)shifts),
                                  _mm512_sllv_epi32(high, (__m512i)(32 - shifts)));
#else
    uint32_t lanes[LANES];
    words all;
    for (int i = 0; i < LANES; ++i)
        memcpy(&lanes[i], from + i * width + bit / 8, sizeof lanes[i]);
    memcpy(&all, lanes, sizeof all);
    return all >> (bit & 7);
#endif
}

/* Up to a word beyond a block's bytes is read: other blocks follow it, or unused bytes do. */
#define DOT_ODD(NAME, WIDTH, DECODE)                                                               \
    INLINE vec dot_block_##NAME(const uint8_t *from, const float *x)                               \
    {                                                                                              \
        enum { FIRST = WIDTH * 8 > 32 ? 32 / WIDTH : 8 }; /* codes of the first 32 bits */         \
        words low = take_words(from, WIDTH, 0);                                                    \
        words high = FIRST < 8 ? take_words(from, WIDTH, FIRST * WIDTH) : low;                     \
        vec sum = {0};                                                                             \
        _Pragma("GCC unroll 8") for (int j = 0; j < 8; ++j)                                        \
        {                                                                                          \
            words codes = j < FIRST ? low >> WIDTH * j : high >> WIDTH * (j - FIRST);              \
            sum = multiply_add(DECODE(codes, (1u << WIDTH) - 1), load(x + j * LANES), sum);        \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    static float dot_##NAME(const quantized_dot *dot)                                              \
    {                                                                                              \
        enum { BLOCK = LANES * 8 };                                                                \
        const quantized_span *span = &dot->span;                                                   \
        int shift = __builtin_ctz((unsigned)span->group);                                          \
        const wholes indices = lane_indices(8, shift);                                             \
        uint8_t last[LANES * WIDTH + 4] = {0};                                                     \
        vec sum = {0};                                                                             \
        for (int64_t at = 0; at < span->count; at += BLOCK) {                                      \
            const uint8_t *from = span->codes + at * WIDTH / 8;                                    \
            int64_t rest = span->count - at;                                                       \
            if (rest <= BLOCK)                                                                     \
                from = memcpy(last, from, (size_t)(rest * WIDTH / 8));                             \
            vec scales = choose(span->scales + (at >> shift), indices);                            \
            sum = multiply_add(dot_block_##NAME(from, dot->x + at), scales, sum);                  \
        }                                                                                          \
        return add_lanes(sum) + dot_biases(dot);                                                   \
    }

/* A bias is added to each of a group's codes. */
static float dot_biases(const quantized_dot *dot)
{
    int64_t groups = dot->span.count / dot->span.group, g = 0;
    vec sum = {0};
    float rest = 0;
    for (; g + LANES <= groups; g += LANES)
        sum = multiply_add(load(dot->span.biases + g), load(dot->sums + g), sum);
    for (; g < groups; ++g)
        rest += dot->span.biases[g] * dot->sums[g];
    return add_lanes(sum) + rest;
}

#define EACH_CODE(F)                                                                               \
    F(BITS_1, 1, floats_of)                                                                        \
    F(BITS_2, 2, floats_of)                                                                        \
    F(BITS_4, 4, four_bits_of)                                                                     \
    F(BITS_8, 8, floats_of)                                                                        \
    F(E2M1, 4, four_floats_of)                                                                     \
    F(E4M3, 8, e4m3_of)
#define EACH_ODD_CODE(F)                                                                           \
    F(BITS_3, 3, floats_of)                                                                        \
    F(BITS_5, 5, floats_of)                                                                        \
    F(BITS_6, 6, floats_of)
#define EXPAND_PARTS(NAME, WIDTH, VALUES) EXPAND(NAME, WIDTH, VALUES##_part)
#define DOT_LANES(NAME, WIDTH, VALUES) DOT(NAME, WIDTH, VALUES##_lanes)
#define DOT_ODD_LANES(NAME, WIDTH, VALUES) DOT_ODD(NAME, WIDTH, VALUES##_lanes)
EACH_CODE(EXPAND_PARTS)
EACH_ODD_CODE(EXPAND_PARTS)
EACH_CODE(DOT_LANES)
EACH_ODD_CODE(DOT_ODD_LANES)

/* The sums of a tile; rows is a constant where this is inlined, so that they stay in registers. */
INLINE void rows_tile(const quantized_tile *t, int rows, const float *x, const float *w,
                      float *sums)
{
    vec sum[QUANTIZED_TILE_ROWS][TILE_COLUMNS] = {0};
    for (int64_t k = 0; k < t->k; k += LANES) {
        vec column[TILE_COLUMNS];
        _Pragma("GCC unroll 8") for (int j = 0; j < TILE_COLUMNS; ++j) column[j] =
            load(w + j * t->w_row + k);
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; ++i)
        {
            vec row = load(x + i * t->x_row + k);
            _Pragma("GCC unroll 8") for (int j = 0; j < TILE_COLUMNS; ++j) sum[i][j] =
                multiply_add(row, column[j], sum[i][j]);
        }
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < TILE_COLUMNS; ++j)
            sums[i * TILE_COLUMNS + j] = add_lanes(sum[i][j]);
}

static void rows_tile_of(const quantized_tile *t, int rows, const float *x, const float *w,
                         float *sums)
{
    switch (rows) {
    case 1: rows_tile(t, 1, x, w, sums); break;
    case 2: rows_tile(t, 2, x, w, sums); break;
    case 3: rows_tile(t, 3, x, w, sums); break;
    default: rows_tile(t, 4, x, w, sums); break;
    }
}

/* The last tiles have rows and columns that are not stored. */
static void store_tile(const quantized_tile *t, const float *sums, int64_t i, int64_t j, int rows)
{
    for (int row = 0; row < rows; ++row)
        for (int64_t column = 0; column < TILE_COLUMNS && j + column < t->n; ++column) {
            float *to = t->to + (i + row) * t->to_row + j + column;
            float sum = sums[row * TILE_COLUMNS + column];
            *to = t->adds ? *to + sum : sum;
        }
}

static int rows_from(const quantized_tile *t, int64_t i)
{
    return t->m - i < QUANTIZED_TILE_ROWS ? (int)(t->m - i) : QUANTIZED_TILE_ROWS;
}

static void rows_product(const quantized_tile *t)
{
    float sums[QUANTIZED_TILE_ROWS * TILE_COLUMNS];
    for (int64_t i = 0; i < t->m; i += QUANTIZED_TILE_ROWS)
        for (int64_t j = 0; j < t->n; j += TILE_COLUMNS) {
            rows_tile_of(t, rows_from(t, i), t->x + i * t->x_row, t->w + j * t->w_row, sums);
            store_tile(t, sums, i, j, rows_from(t, i));
        }
}

/* n is divided into vectors, so a tile is `rows` rows by `vectors` vectors. With t->adds the sums
 * start from `to`. */
INLINE void columns_tile(const quantized_tile *t, int64_t w_row, int rows, int vectors,
                         const float *x, const float *w, float *to)
{
    enum { MAX_VECTORS = 4 };
    vec sum[COLUMNS_ROWS][MAX_VECTORS];
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j)
            sum[i][j] = t->adds ? load(to + i * t->to_row + j * LANES) : (vec){0};
    for (int64_t k = 0; k < t->k; ++k) {
        vec row[MAX_VECTORS];
        _Pragma("GCC unroll 8") for (int j = 0; j < vectors; ++j) row[j] =
            load(w + k * w_row + j * LANES);
        _Pragma("GCC unroll 8") for (int i = 0; i < rows; ++i)
        {
            vec factor = spread(x[i * t->x_row + k]);
            _Pragma("GCC unroll 8") for (int j = 0; j < vectors; ++j) sum[i][j] =
                multiply_add(factor, row[j], sum[i][j]);
        }
    }
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < vectors; ++j)
            memcpy(to + i * t->to_row + j * LANES, &sum[i][j], sizeof(vec));
}

/* Sizes are constants in each branch, so that the sums of a tile stay in registers. */
#define COLUMNS_TILE(NAME, VECTORS, W_ROW)                                                         \
    static void NAME(const quantized_tile *t, int rows, const float *x, const float *w, float *to) \
    {                                                                                              \
        switch (rows) {                                                                            \
        case 1: columns_tile(t, W_ROW, 1, VECTORS, x, w, to); break;                               \
        case 2: columns_tile(t, W_ROW, 2, VECTORS, x, w, to); break;                               \
        case 3: columns_tile(t, W_ROW, 3, VECTORS, x, w, to); break;                               \
        case 4: columns_tile(t, W_ROW, 4, VECTORS, x, w, to); break;                               \
        case 5: columns_tile(t, W_ROW, 5, VECTORS, x, w, to); break;                               \
        default: columns_tile(t, W_ROW, 6, VECTORS, x, w, to); break;                              \
        }                                                                                          \
    }
COLUMNS_TILE(narrow_tile, 1, t->w_row)
COLUMNS_TILE(wide_tile, WIDE / LANES, t->w_row)
COLUMNS_TILE(panel_tile, WIDE / LANES, WIDE)

static int columns_rows(const quantized_tile *t, int64_t i)
{
    return t->m - i < COLUMNS_ROWS ? (int)(t->m - i) : COLUMNS_ROWS;
}

/* Columns after the wide tiles are done a vector at a time: columns are whole groups of 16 or more,
 * and so whole vectors. */
static void columns_product(const quantized_tile *t)
{
    for (int64_t j = 0; j < t->n;) {
        bool wide = t->n - j >= WIDE;
        for (int64_t i = 0; i < t->m; i += COLUMNS_ROWS)
            (wide ? wide_tile : narrow_tile)(t, columns_rows(t, i), t->x + i * t->x_row, t->w + j,
                                             t->to + i * t->to_row + j);
        j += wide ? WIDE : LANES;
    }
}

/* The first `columns` of a panel, by way of a tile of its own. */
static void part_of_panel(const quantized_tile *t, int rows, int64_t columns, const float *x,
                          const float *w, float *to)
{
    float sums[COLUMNS_ROWS * WIDE] = {0};
    quantized_tile part = *t;
    part.to_row = WIDE;
    for (int i = 0; i < rows && t->adds; ++i)
        memcpy(sums + i * WIDE, to + i * t->to_row, (size_t)columns * sizeof *sums);
    panel_tile(&part, rows, x, w, sums);
    for (int i = 0; i < rows; ++i)
        memcpy(to + i * t->to_row, sums + i * WIDE, (size_t)columns * sizeof *sums);
}

/* The lines of a tile's rows. */
static void fetch_rows(const quantized_tile *t, int rows, int64_t offset)
{
    for (int i = 0; i < rows; ++i)
        for (int at = 0; at < WIDE * (int)sizeof(float); at += 64)
            __builtin_prefetch(t->ahead + (i * t->to_row + offset) * (int64_t)sizeof(float) + at);
}

static void panels_product(const quantized_tile *t)
{
    for (int64_t i = 0; i < t->m; i += COLUMNS_ROWS) {
        const float *x = t->x + i * t->x_row, *w = t->w;
        float *to = t->to + i * t->to_row;
        int rows = columns_rows(t, i);
        int64_t j = 0;
        for (; j + WIDE <= t->n; j += WIDE, w += t->w_row) {
            if (t->ahead != NULL)
                fetch_rows(t, rows, i * t->to_row + j);
            panel_tile(t, rows, x, w, to + j);
        }
        if (j < t->n)
            part_of_panel(t, rows, t->n - j, x, w, to + j);
    }
}

#define EXPANDS(NAME, WIDTH, VALUES) [QUANTIZED_##NAME] = expand_##NAME,
#define DOTS(NAME, WIDTH, VALUES) [QUANTIZED_##NAME] = dot_##NAME,
const quantized_loops ROUTINE_NAMED(quantized_loops) = {
    .expand = {EACH_CODE(EXPANDS) EACH_ODD_CODE(EXPANDS)},
    .dot = {EACH_CODE(DOTS) EACH_ODD_CODE(DOTS)},
    .floats = ROUTINE_NAMED(quantized_floats),
    .rows = rows_product,
    .columns = columns_product,
    .panels = panels_product,
    .lanes = LANES,
    .wide = WIDE,
    .strips = &ROUTINE_NAMED(quantized_strips),
};
