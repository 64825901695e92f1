/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a strip of rows of four bits with one row of x, for whose numbers bytes stand.
 *
 * Turning codes into floats takes as long as multiplying them. Instead, each number of x becomes an
 * integer of 23 bits, in units of a power of two that fits the largest of its group, cut in three
 * digits that are bytes. Sums of codes times digits are exact, and there is an instruction for sums
 * of so many bytes. What is left of an error is that of rounding x to 2^-22 of its group's largest,
 * about what rounding the sums of floats amounts to. */
#include "routine/quantized/quantized_vectors.h"

#if defined __AVX2__
enum {
    NBYTES = sizeof(vec), /* of codes in a block; a lane takes the eight of four bytes */
    BLOCK = 2 * NBYTES,   /* codes */
    DIGITS = 3,           /* of weights 1, LOW and MIDDLE * LOW */
    LOW = 1 << 7,         /* the lowest digit is -64 to 63 */
    MIDDLE = 1 << 8,      /* the next one -128 to 127 */
    BITS = 21,            /* the largest of a group is below 2^(BITS + 1) */
    LEAST_EXPONENT = -80, /* of what is largest: units are far from subnormal */
    ROWS = 16,            /* whose scales are taken at once, */
    ROOM = 2048,          /* if they are no more than that: a chunk of a row has 512 */
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

/* A block of codes times x: low halves of bytes first, then high ones, of each digit. At most
 * 4 * 15 * 128 comes together in 16 bits. The highest digit is negated, so that its weight is
 * one of 16 bits. */
INLINE vec block_sums(halves codes, const int8_t *x)
{
    halves low = codes & 0x0f0f, high = codes >> 4 & 0x0f0f;
    shorts sums[DIGITS];
    for (int d = 0; d < DIGITS; ++d, x += 2 * NBYTES)
        sums[d] = multiply_bytes(low, load_bytes(x)) + multiply_bytes(high, load_bytes(x + NBYTES));
    wholes all = weigh(sums[0], 1) + weigh(sums[1], LOW) + weigh(sums[2], -LOW * MIDDLE);
    return __builtin_convertvector(all, vec);
}

/* The scales of a block's lanes, of one group where groups are no shorter than blocks. */
INLINE vec scales_at(const float *scales, int64_t at, int shift, bool is_one)
{
    if (is_one)
        return scales[at >> shift] - (vec){0};
    return choose(scales + (at >> shift), lane_indices(BLOCK / LANES, shift));
}

/* Adds the row's products to `sum`. scales: as many as whole blocks have, and LANES more. */
INLINE float row_sum(const quantized_strip *strip, int64_t row, const float *scales, int shift,
                     bool is_one, vec sum)
{
    const uint8_t *codes = strip->codes + row * strip->codes_row;
    const int8_t *x = strip->x;
    halves block;
    int64_t at = 0;
    for (; at + BLOCK <= strip->count; at += BLOCK, codes += NBYTES, x += 2 * DIGITS * NBYTES) {
        __builtin_prefetch(codes + AHEAD);
        memcpy(&block, codes, sizeof block);
        sum = multiply_add(block_sums(block, x), scales_at(scales, at, shift, is_one), sum);
    }
    if (at < strip->count) {
        block = (halves){0};
        memcpy(&block, codes, (size_t)(strip->count - at) / 2);
        sum = multiply_add(block_sums(block, x), scales_at(scales, at, shift, is_one), sum);
    }
    return add_lanes(sum);
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

/* Floats in `room`, if they do not lie there as such. */
INLINE const float *floats_of(quantized_scale kind, const char *from, int64_t count, float *room)
{
    if (kind == QUANTIZED_SCALE_FLOAT32)
        return (const float *)(const void *)from;
    ROUTINE_NAMED(quantized_floats)(kind, from, count, room);
    return room;
}

/* Scales of a row become those of its products with x; zeros follow them. gives: what biases add to
 * the row's sum, in parts */
INLINE vec take_scales(const quantized_strip *strip, int64_t row, int64_t groups, float *to)
{
    float room[2][QUANTIZED_CHUNK / 16];
    const char *at = strip->scales + row * strip->scales_row;
    const float *scales = floats_of(strip->kind, at, groups, room[0]), *biases;
    biases = floats_of(strip->kind, strip->biases + row * strip->biases_row, groups, room[1]);
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
 * stall the loads of a row. */
INLINE void add_rows(const quantized_strip *strip, int shift, bool is_one)
{
    _Alignas(64) float scales[ROOM + QUANTIZED_LANES];
    vec sums[ROWS];
    int64_t groups = strip->count >> shift, each = groups, rows = strip->rows;
    while (each << shift & (BLOCK - 1))
        each += 1; /* to the end of a block */
    int64_t most = ROOM / each < ROWS ? ROOM / each : ROWS;
    for (int64_t first = 0, end; first < rows; first = end) {
        end = first + most < rows ? first + most : rows;
        for (int64_t row = first; row < end; ++row)
            sums[row - first] = take_scales(strip, row, groups, scales + (row - first) * each);
        for (int64_t row = first; row < end; ++row) {
            float sum = row_sum(strip, row, scales + (row - first) * each, shift, is_one,
                                sums[row - first]);
            strip->to[row] = strip->adds ? strip->to[row] + sum : sum;
        }
    }
}

static void strip_sums(const quantized_strip *strip)
{
    int shift = __builtin_ctz((unsigned)strip->group);
    if (strip->group >= BLOCK)
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
        largest = size > largest ? size : largest;
    }
    for (int64_t i = 0; i < count; i += LANES)
        sums += load(x + i);
    *sum = add_lanes(sums);
    *exponent = 0;
    if (largest == 0)
        return true;
    /* Room for the highest digit: what is next to a power of two counts as one. */
    *exponent = (int)(((uint32_t)largest + (1u << 16)) >> 23) - 127;
    return *exponent >= LEAST_EXPONENT && *exponent < 127;
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
    memset(to, 0, (size_t)(DIGITS * ((count + BLOCK - 1) / BLOCK * BLOCK)));
    for (int64_t at = 0; at < count; at += group, ++units, ++sums) {
        int exponent;
        if (!measure(x + at, group, &exponent, sums))
            return false;
        float per_unit = power_of_two(BITS - exponent);
        *units = power_of_two(exponent - BITS);
        int64_t each = group < BLOCK ? group : BLOCK;
        for (int64_t i = at; i < at + group; i += each)
            write_digits(x + i, each, per_unit, to + i / BLOCK * DIGITS * BLOCK + i % BLOCK / 2);
    }
    return true;
}

const quantized_strips ROUTINE_NAMED(quantized_strips) = {.write_x = write_x, .sums = strip_sums};
#else
const quantized_strips ROUTINE_NAMED(quantized_strips) = {NULL};
#endif
