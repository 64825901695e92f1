/* SPDX-License-Identifier: Apache-2.0 */
/* float16 and bfloat16 to float32 and back, whole runs at a time, for the loops of several rooms.
 * With F16C the float16 conversions are instructions; elsewhere they are branch-free integer code
 * that gives the same bits, NaNs included: made quiet, the payload cut to the bits that fit.
 * Rounding is to nearest even. */
#ifndef JG_TENSOR_HALF_H
#define JG_TENSOR_HALF_H

#include <stdint.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

static inline uint32_t half_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float half_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float f32_of_half(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7fff) << 13;
    /* Moving the exponent's bias by multiplication also makes subnormals right. It needs subnormals
     * to be enabled: a thread that flushes them to zero reads subnormal halfs as 0. */
    uint32_t finite = half_bits_of(half_float_of(rest) * 0x1p112f);
    uint32_t quiet = rest > 0x0f800000u ? 0x7fc00000u : 0x7f800000u;
    return half_float_of(sign | (rest >= 0x0f800000u ? rest | quiet : finite));
}

static inline uint16_t half_of_f32(float x)
{
    uint32_t bits = half_bits_of(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    /* Normal results: move the bias, round to even at bit 13. Beyond 65520 that reaches
     * infinity. */
    uint32_t normal = (rest - 0x38000000u + 0xfff + (rest >> 13 & 1)) >> 13;
    normal = normal > 0x7c00 ? 0x7c00 : normal;
    /* Subnormal results: adding 0.5 puts the lowest bit that remains at the lowest bit of the
     * sum. */
    uint32_t subnormal = half_bits_of(half_float_of(rest) + 0.5f) - 0x3f000000u;
    uint32_t nan = 0x7e00 | (rest >> 13 & 0x3ff);
    uint32_t result = rest < 0x38800000u ? subnormal : normal;
    result = rest >= 0x7f800000u ? 0x7c00 : result;
    result = rest > 0x7f800000u ? nan : result;
    return (uint16_t)(sign | result);
}

static inline void f32s_of_FLOAT16(float *dst, const uint16_t *a, int64_t n)
{
    int64_t i = 0;
#if defined __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm512_storeu_ps(
            dst + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(a + i))));
#elif defined __F16C__
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(dst + i,
                         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(a + i))));
#endif
    for (; i < n; ++i)
        dst[i] = f32_of_half(a[i]);
}

static inline void FLOAT16_of_f32s(uint16_t *dst, const float *a, int64_t n)
{
    int64_t i = 0;
#if defined __AVX512F__
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(dst + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(a + i), 0));
#elif defined __F16C__
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(dst + i), _mm256_cvtps_ph(_mm256_loadu_ps(a + i), 0));
#endif
    for (; i < n; ++i)
        dst[i] = half_of_f32(a[i]);
}

static inline float f32_of_bfloat(uint16_t bfloat)
{
    return half_float_of((uint32_t)bfloat << 16);
}

static inline uint16_t bfloat_of_f32(float x)
{
    uint32_t bits = half_bits_of(x);
    /* Half a unit less one, and one more where the bit that stays is odd: ties go to even. The
     * carry into the exponent is right, up to infinity. */
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t nan = bits >> 16 | 0x40;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000u ? nan : rounded);
}

static inline void f32s_of_BFLOAT16(float *dst, const uint16_t *a, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        dst[i] = f32_of_bfloat(a[i]);
}

static inline void BFLOAT16_of_f32s(uint16_t *dst, const float *a, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        dst[i] = bfloat_of_f32(a[i]);
}

#endif
