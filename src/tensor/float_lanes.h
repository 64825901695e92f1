/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of float32, as long as the instruction set has them, and halves that are widened to them.
 * For loops that are compiled once for each instruction set. */
#ifndef JG_TENSOR_FLOAT_LANES_H
#define JG_TENSOR_FLOAT_LANES_H

#include "tensor/half.h"
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512F__
enum { LANES = 16 };
typedef __m512 vec;
#elif defined __AVX2__
enum { LANES = 8 };
typedef __m256 vec;
#else
enum { LANES = 4 };
typedef float vec __attribute__((vector_size(16)));
#endif
typedef uint16_t half_lanes __attribute__((vector_size(2 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));

INLINE vec load(const float *from)
{
    vec value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* The number in every lane. x - 0 is x for every x, the negative zero included; x + 0 is not. */
INLINE vec spread(float value)
{
    return value - (vec){0};
}

INLINE vec lanes_of_FLOAT32(const float *from)
{
    return load(from);
}

INLINE vec lanes_of_BFLOAT16(const uint16_t *from)
{
    half_lanes bits;
    memcpy(&bits, from, sizeof bits);
    return (vec)(__builtin_convertvector(bits, words) << 16);
}

INLINE vec lanes_of_FLOAT16(const uint16_t *from)
{
#if defined __AVX512F__
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)from));
#elif defined __F16C__
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)from));
#else
    float lanes[LANES];
    for (int i = 0; i < LANES; ++i)
        lanes[i] = f32_of_half(from[i]);
    return load(lanes);
#endif
}

#endif
