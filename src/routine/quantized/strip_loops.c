/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a strip of rows of 4-bit codes with one row of x, which is first written as bytes.
 *
 * Turning codes into floats takes as long as multiplying them. Instead, each number of x becomes an
 * integer of 23 bits, in units of a power of two that fits the largest of its group, and the
 * integer is cut into three digits of a byte each. Sums of codes times digits are exact, and the
 * CPU has an instruction for sums of products of bytes. The only error is that of rounding x to
 * 2^-22 of its group's largest, about as large as the rounding of sums of floats. */
#include "routine/quantized/quantized_vectors.h"

#if defined __AVX2__
enum {
    NBYTES = sizeof(vec), /* of codes in a block; a lane takes the eight codes of four bytes */
    BLOCK = 2 * NBYTES,   /* codes */
    DIGITS = 3,           /* of weights 1, LOW and MIDDLE * LOW */
    LOW = 1 << 7,         /* the lowest digit is -64 to 63 */
    MIDDLE = 1 << 8,      /* the next one -128 to 127 */
    BITS = 21,            /* the largest of a group is below 2^(BITS + 1) */
    MIN_EXPONENT = -80,   /* of a group's largest, so that units are not subnormal */
    TOGETHER = 2,         /* rows that meet x at once */
    ROWS = 16,            /* whose scales are taken at once, */
    SCALES = 2048,        /* if they are no more than that: a chunk of a row has 512 */
    AHEAD = 2048          /* bytes from what is read to what is fetched */
};
typedef int8_t bytes __attribute__((vector_size(NBYTES)));
typedef int16_t shorts __attribute__((vector_size(NBYTES)));
typedef uint16_t halves __attribute__((vector_size(NBYTES)));

/* Codes times digits, and pairs of those added. */
INLINE shorts multiply_bytes(halves codes, bytes digits)
{
#ifdef __AVX512F__
    return (shorts)_mm512_maddubs_epi16((__m512i)codes, (__m512i)digits);
#else
    return (shorts)_mm256_maddubs_epi16((__m256i)codes, (__m256i)digits);
#endif
}

/* Pairs are added, times a weight. */
INLINE wholes weigh(shorts sums, int16_t weight)
{
    shorts weights = weight - (shorts){0};
#ifdef __AVX512F__
    return (wholes)_mm512_madd_epi16((__m512i)sums, (__m512i)weights);
#else
    return (wholes)_mm256_madd_epi16((__m256i)sums, (__m256i)weights);
#endif
}

INLINE bytes load_bytes(const int8_t *from)
{
    bytes value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* A block of codes of some rows times x: low halves of bytes first, then high ones, of each digit.
 * At most 4 * 15 * 128 comes together in 16 bits. The highest digit is negated, so that its weight
 * is one of 16 bits. Digits are loaded once for all rows. */
INLINE void block_sums(const halves *codes, int rows, const int8_t *x, vec *to)
{
    static const int16_t weights[DIGITS] = {1, LOW, -LOW * MIDDLE};
    wholes all[TOGETHER];
    _Pragma("GCC unroll 4") for (int d = 0; d < DIGITS; ++d, x += 2 * NBYTES)
    {
        bytes even = load_bytes(x), odd = load_bytes(x + NBYTES);
        _Pragma("GCC unroll 4") for (int row = 0; row < rows; ++row)
        {
            shorts sums = multiply_bytes(codes[row] & 0x0f0f, even) +
                          multiply_bytes(codes[row] >> 4 & 0x0f0f, odd);
            wholes part = weigh(sums, weights[d]);
            all[row] = d == 0 ? part : all[row] + part;
        }
    }
    _Pragma("GCC unroll 4") for (int row = 0; row < rows; ++row) to[row] =
        __builtin_convertvector(all[row], vec);
}

/* The scales of a block's lanes, of one group where groups are no shorter than blocks. */
INLINE vec scales_at(const float *scales, int64_t at, int shift, bool is_one)
{
    if (is_one)
        return scales[at >> shift] - (vec){0};
    return choose(scales + (at >> shift), lane_indices(BLOCK / LANES, shift));
}

/* Rows that meet x at once, `apart` from each other, from the first on. */
typedef struct strip_rows {
    int64_t first, apart;
    const float *scales; /* of a row as many as whole blocks have, and LANES more; */
    int64_t each;        /* so many from one row to the next */
} strip_rows;

/* The next block of each row's codes; of the last one so many bytes as there are. */
INLINE void load_blocks(const uint8_t *codes, int64_t step, int rows, size_t nbytes, halves *to)
{
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r)
    {
        to[r] = (halves){0};
        memcpy(&to[r], codes + r * step, nbytes);
    }
}

/* Adds the products of the rows to their sums. */
INLINE void row_sums(const quantized_strip *strip, const strip_rows *of, int rows, int shift,
                     bool is_one, const vec *sums)
{
    int64_t step = of->apart * strip->codes_row, at = 0;
    const uint8_t *codes = strip->codes + of->first * strip->codes_row;
    const int8_t *x = strip->x;
    halves block[TOGETHER];
    vec sum[TOGETHER], products[TOGETHER];
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r) sum[r] = sums[r];
    for (; at < strip->count; at += BLOCK, codes += NBYTES, x += 2 * DIGITS * NBYTES) {
        if (JG_LIKELY(at + BLOCK <= strip->count))
            load_blocks(codes, step, rows, sizeof *block, block);
        else
            load_blocks(codes, step, rows, (size_t)(strip->count - at) / 2, block);
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r)
            __builtin_prefetch(codes + r * step + AHEAD);
        block_sums(block, rows, x, products);
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r) sum[r] = multiply_add(
            products[r], scales_at(of->scales + r * of->each, at, shift, is_one), sum[r]);
    }
    for (int r = 0; r < rows; ++r) {
        float total = add_lanes(sum[r]), *to = &strip->to[of->first + r * of->apart];
        *to = strip->adds ? *to + total : total;
    }
}

/* The next `count` of an array, at most LANES, and zeros. */
INLINE vec load_some(const float *from, int64_t count)
{
    if (count >= LANES)
        return load(from);
#ifdef __AVX512F__
    return _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
#else
    const wholes lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    return _mm256_maskload_ps(from, (__m256i)(lanes < (int32_t)count));
#endif
}

/* Floats in `memory`, if they do not lie there as such. */
INLINE const float *floats_of(quantized_scale kind, const char *from, int64_t count, float *memory)
{
    if (kind == QUANTIZED_SCALE_FLOAT32)
        return (const float *)(const void *)from;
    ROUTINE_NAMED(quantized_floats)(kind, from, count, memory);
    return memory;
}

/* Scales of a row become those of its products with x; zeros follow them. gives: what biases add to
 * the row's sum, in parts */
INLINE vec take_scales(const quantized_strip *strip, int64_t row, int64_t groups, float *to)
{
    float copies[2][QUANTIZED_CHUNK / 16];
    const char *at = strip->scales + row * strip->scales_row;
    const float *scales = floats_of(strip->kind, at, groups, copies[0]), *biases;
    biases = floats_of(strip->kind, strip->biases + row * strip->biases_row, groups, copies[1]);
    vec sum = {0};
    for (int64_t g = 0; g < groups; g += LANES) {
        vec products = load_some(scales + g, groups - g) * load_some(strip->units + g, groups - g);
        memcpy(to + g, &products, sizeof products);
        sum = multiply_add(load_some(biases + g, groups - g),
                           load_some(strip->sums + g, groups - g), sum);
    }
    return sum;
}

/* Scales of several rows are taken before their codes, as what was just stored in parts would
 * stall the loads of a row. gives: the next of the rows that are to come */
INLINE int64_t add_some_rows(const quantized_strip *strip, int64_t first, int64_t apart, int rows,
                             int64_t end, int shift, bool is_one)
{
    _Alignas(64) float scales[SCALES + QUANTIZED_LANES];
    vec sums[ROWS];
    int64_t groups = strip->count >> shift, each = groups;
    while (each << shift & (BLOCK - 1))
        each += 1; /* to the end of a block */
    int64_t most = (int64_min(SCALES / each, ROWS)) / rows;
    end = int64_min(first + most, end);
    for (int64_t i = 0; i < (end - first) * rows; ++i)
        sums[i] =
            take_scales(strip, first + i / rows + i % rows * apart, groups, scales + i * each);
    for (int64_t row = first, i = 0; row < end; ++row, i += rows)
        row_sums(strip, &(strip_rows){row, apart, scales + i * each, each}, rows, shift, is_one,
                 sums + i);
    return end;
}

/* Rows of several parts of the strip are taken together: processors fetch as many streams of memory
 * ahead faster than one. */
INLINE void add_rows(const quantized_strip *strip, int shift, bool is_one)
{
    int64_t apart = strip->rows / TOGETHER, row = 0;
    while (row < apart)
        row = add_some_rows(strip, row, apart, TOGETHER, apart, shift, is_one);
    for (row = apart * TOGETHER; row < strip->rows;)
        row = add_some_rows(strip, row, 1, 1, strip->rows, shift, is_one);
}

static void strip_sums(const quantized_strip *strip)
{
    int shift = __builtin_ctz((unsigned)strip->group);
    if (strip->group == BLOCK)
        add_rows(strip, __builtin_ctz((unsigned)BLOCK), true);
    else if (strip->group >= BLOCK)
        add_rows(strip, shift, true);
    else
        add_rows(strip, shift, false);
}

/* The exponent of the group's largest, and the sum over the group. gives: false where a unit would
 * be out of range, or an element is not finite */
static bool measure(const float *x, int64_t count, int *exponent, float *sum)
{
    int32_t largest = 0, bits[QUANTIZED_LARGEST_GROUP];
    vec sums = {0};
    memcpy(bits, x, (size_t)count * sizeof *bits);
    for (int64_t i = 0; i < count; ++i) {
        int32_t size = bits[i] & 0x7fffffff;
        largest = int_max(size, largest);
    }
    for (int64_t i = 0; i < count; i += LANES)
        sums += load(x + i);
    *sum = add_lanes(sums);
    *exponent = 0;
    if (largest == 0)
        return true;
    /* Rounds up numbers just below a power of two, so that the highest digit does not overflow. */
    *exponent = (int)(((uint32_t)largest + (1u << 16)) >> 23) - 127;
    return *exponent >= MIN_EXPONENT && *exponent < 127;
}

static float power_of_two(int exponent)
{
    int32_t bits = (exponent + 127) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The digits of a piece of a group, which lies in one block: those of even elements first. */
static void write_digits(const float *x, int64_t count, float per_unit, int8_t *to)
{
    int8_t digits[DIGITS][BLOCK];
    for (int64_t i = 0; i < count; ++i) {
        int32_t value = (int32_t)__builtin_rintf(x[i] * per_unit);
        int32_t low = ((value + LOW / 2) & (LOW - 1)) - LOW / 2, rest = (value - low) / LOW;
        int32_t middle = ((rest + MIDDLE / 2) & (MIDDLE - 1)) - MIDDLE / 2;
        digits[0][i] = (int8_t)low;
        digits[1][i] = (int8_t)middle;
        digits[2][i] = (int8_t)((middle - rest) / MIDDLE);
    }
    for (int d = 0; d < DIGITS; ++d, to += 2 * NBYTES)
        for (int64_t i = 0; i < count / 2; ++i) {
            to[i] = digits[d][2 * i];
            to[i + NBYTES] = digits[d][2 * i + 1];
        }
}

static bool write_x(const float *x, int64_t count, int group, int8_t *to, float *units, float *sums)
{
    memset(to, 0, (size_t)(DIGITS * (round_up(count, BLOCK))));
    for (int64_t at = 0; at < count; at += group, ++units, ++sums) {
        int exponent;
        if (!measure(x + at, group, &exponent, sums))
            return false;
        float per_unit = power_of_two(BITS - exponent);
        *units = power_of_two(exponent - BITS);
        int64_t each = int_min(group, BLOCK);
        for (int64_t i = at; i < at + group; i += each)
            write_digits(x + i, each, per_unit, to + i / BLOCK * DIGITS * BLOCK + i % BLOCK / 2);
    }
    return true;
}

const quantized_strips ROUTINE_NAMED(quantized_strips) = {.write_x = write_x, .sums = strip_sums};
#else
const quantized_strips ROUTINE_NAMED(quantized_strips) = {NULL};
#endif
