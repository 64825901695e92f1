/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a strip of rows of 4-bit codes with one row of x, which is first written as bytes.
 *
 * Turning codes into floats takes as long as multiplying them. Instead, each number of x becomes an
 * integer of 23 bits, in units of a power of two that fits the largest of its group, and the
 * integer is cut into three digits of a byte each. Sums of codes times digits are exact, and the
 * CPU has an instruction for sums of products of bytes, of two or (AVX-512 VNNI) of four. The only
 * error is that of rounding x to 2^-22 of its group's largest, about as large as the rounding of
 * sums of floats. */
#include "routine/quantized/quantized_vectors.h"

#if defined __AVX2__
enum {
    NBYTES = sizeof(vec), /* of codes in a block; a lane takes the eight codes of four bytes */
    LANE_SHIFT = 3,       /* their logarithm */
    BLOCK = 2 * NBYTES,   /* codes */
    BLOCK_SHIFT = LANES == 16 ? 7 : 6,
    DIGITS = 3, /* of weights 1, LOW and MIDDLE * LOW */
    LOW_BITS = 7,
    MIDDLE_BITS = 8,
    LOW = 1 << LOW_BITS,       /* the lowest digit is -64 to 63 */
    MIDDLE = 1 << MIDDLE_BITS, /* the next one -128 to 127 */
    BITS = 21,                 /* the largest of a group is below 2^(BITS + 1) */
    MIN_EXPONENT = -80,        /* of a group's largest, so that units are not subnormal */
    AHEAD = 2048,              /* bytes from the codes that are read to those that are
                                  prefetched, */
    SCALES_AHEAD = 128         /* and of scales */
};
typedef int8_t bytes __attribute__((vector_size(NBYTES)));
typedef int16_t shorts __attribute__((vector_size(NBYTES)));
typedef uint16_t halves __attribute__((vector_size(NBYTES)));

/* Rows that meet x at once. */
enum { TOGETHER_PAIRS = 2, TOGETHER_FOURS = 4 };

INLINE bytes load_bytes(const int8_t *from)
{
    bytes value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* So many bytes of the next block of each row's codes, and zeros. */
INLINE void load_blocks(const uint8_t *codes, int64_t step, int rows, size_t nbytes, halves *to)
{
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
        to[r] = (halves){0};
        memcpy(&to[r], codes + r * step, nbytes);
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

/* Into the second-level cache: from there on the processor fetches by itself, and what is fetched
 * early does not drive x out of the first. */
INLINE void fetch(const void *from)
{
    __builtin_prefetch(from, 0, 2);
}

/* What is read of each row's codes in a while. */
INLINE void fetch_rows(const uint8_t *codes, int64_t step, int rows)
{
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
        fetch(codes + r * step + AHEAD);
}

/* The next `count` scales of two bytes, at most LANES, and zeros. */
INLINE vec load_short_scales(quantized_scale kind, const char *from, int64_t count)
{
    uint16_t some[LANES];
    const uint16_t *bits = (const void *)from;
    if (count < LANES) {
        memset(some, 0, sizeof some);
        memcpy(some, from, (size_t)count * sizeof *some);
        bits = some;
    }
    return kind == QUANTIZED_SCALE_FLOAT16 ? lanes_of_FLOAT16(bits) : lanes_of_BFLOAT16(bits);
}

/* The same of any kind; is_float is a constant where this is inlined. */
INLINE vec load_scales(const quantized_strip *strip, bool is_float, const char *from, int64_t count)
{
    fetch(from + SCALES_AHEAD);
    return is_float ? load_some((const void *)from, count)
                    : load_short_scales(strip->kind, from, count);
}

/* Lane i of the result is lane indices[i] of the vector. */
INLINE vec choose_lanes(vec from, wholes indices)
{
#ifdef __AVX512F__
    return _mm512_permutexvar_ps((__m512i)indices, from);
#else
    return _mm256_permutevar8x32_ps(from, (__m256i)indices);
#endif
}

#ifdef __AVX512F__
/* The sums of four vectors' lanes, each in the first of four lanes: halves to halves, as add_lanes
 * does it for one. */
INLINE vec add_lanes_of_four(const vec *from)
{
    vec low =
        _mm512_shuffle_f32x4(from[0], from[1], 0x44) + _mm512_shuffle_f32x4(from[0], from[1], 0xee);
    vec high =
        _mm512_shuffle_f32x4(from[2], from[3], 0x44) + _mm512_shuffle_f32x4(from[2], from[3], 0xee);
    vec sum = _mm512_shuffle_f32x4(low, high, 0x88) + _mm512_shuffle_f32x4(low, high, 0xdd);
    sum += _mm512_permute_ps(sum, 0x4e);
    return sum + _mm512_permute_ps(sum, 0xb1);
}
#endif

/* Writes the sums of the vectors' lanes, or adds them to what is there. */
INLINE void store_sums(const vec *sums, int rows, bool adds, float *to, int64_t apart)
{
    vec totals = {0};
#ifdef __AVX512F__
    if (rows == 4)
        totals = add_lanes_of_four(sums);
    else
#endif
        for (int r = 0; r < rows; ++r)
            totals[r * LANES / 4] = add_lanes(sums[r]);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r, to += apart) {
        float total = totals[r * LANES / 4];
        *to = adds ? *to + total : total;
    }
}

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

/* A block of codes of some rows times x: low halves of bytes first, then high ones, of each digit.
 * At most 4 * 15 * 128 comes together in 16 bits. The highest digit is subtracted: so its weight is
 * one of 16 bits. Digits are loaded once for all rows. */
INLINE void block_sums_PAIRS(const halves *codes, int rows, const int8_t *x, vec *to)
{
    static const int16_t weights[DIGITS] = {1, LOW, -LOW * MIDDLE};
    wholes all[TOGETHER_PAIRS];
#pragma GCC unroll 4
    for (int d = 0; d < DIGITS; ++d, x += 2 * NBYTES) {
        bytes even = load_bytes(x), odd = load_bytes(x + NBYTES);
#pragma GCC unroll 4
        for (int row = 0; row < rows; ++row) {
            shorts sums = multiply_bytes(codes[row] & 0x0f0f, even) +
                          multiply_bytes(codes[row] >> 4 & 0x0f0f, odd);
            wholes part = weigh(sums, weights[d]);
            all[row] = d == 0 ? part : d == 1 ? all[row] + part : all[row] - part;
        }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row)
        to[row] = __builtin_convertvector(all[row], vec);
}

#define NAME(name) name##_PAIRS
#include "routine/quantized/strip_sums.inc.h"
#undef NAME

#if defined __AVX512BW__
#if defined __clang__
#pragma clang attribute push(__attribute__((target("avx512vnni"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512vnni")
#endif

/* The same numbers. A digit is shifted to its weight as the next lower one is added to it. */
INLINE void block_sums_FOURS(const halves *codes, int rows, const int8_t *x, vec *to)
{
    __m512i low[TOGETHER_FOURS], high[TOGETHER_FOURS], all[TOGETHER_FOURS];
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row) {
        low[row] = (__m512i)(codes[row] & 0x0f0f);
        high[row] = (__m512i)(codes[row] >> 4 & 0x0f0f);
    }
#pragma GCC unroll 4
    for (int d = DIGITS - 1; d >= 0; --d) {
        const int8_t *digits = x + 2 * d * NBYTES;
        __m512i even = (__m512i)load_bytes(digits), odd = (__m512i)load_bytes(digits + NBYTES);
#pragma GCC unroll 4
        for (int row = 0; row < rows; ++row) {
            __m512i sum = _mm512_setzero_si512();
            if (d < DIGITS - 1)
                sum = (__m512i)((words)all[row] << (d == 0 ? LOW_BITS : MIDDLE_BITS));
            sum = _mm512_dpbusd_epi32(sum, low[row], even);
            all[row] = _mm512_dpbusd_epi32(sum, high[row], odd);
        }
    }
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row)
        to[row] = __builtin_convertvector((wholes)all[row], vec);
}

#define NAME(name) name##_FOURS
#include "routine/quantized/strip_sums.inc.h"
#undef NAME

#if defined __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

static void strip_sums(const quantized_strip *strip)
{
#if defined __AVX512BW__
    if (__builtin_cpu_supports("avx512vnni")) {
        strip_sums_FOURS(strip);
        return;
    }
#endif
    strip_sums_PAIRS(strip);
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
    /* Rounds up numbers just below a power of two, so that the highest digit has room. */
    *exponent = (int)(((uint32_t)largest + (1u << 17)) >> 23) - 127;
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
        digits[2][i] = (int8_t)((rest - middle) / MIDDLE);
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
const quantized_strips ROUTINE_NAMED(quantized_strips) = {.write_x = NULL, .sums = NULL};
#endif
