/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: vectors of floats as the loops of quantised products use them, of the length
 * that the instruction set has. */
#ifndef JG_ROUTINE_QUANTIZED_VECTORS_H
#define JG_ROUTINE_QUANTIZED_VECTORS_H

#include "routine/loops.h"
#include "tensor/float_lanes.h"

typedef int32_t wholes __attribute__((vector_size(sizeof(vec))));

INLINE vec multiply_add(vec a, vec b, vec c)
{
#if defined __AVX512F__
    return _mm512_fmadd_ps(a, b, c);
#elif defined __AVX2__
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

/* Halves to halves, in the same order on every machine of that width. */
INLINE float add_lanes(vec value)
{
#if defined __AVX512F__
    return _mm512_reduce_add_ps(value);
#elif defined __AVX2__
    __m128 sum = _mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
    sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
    return _mm_cvtss_f32(_mm_add_ss(sum, _mm_movehdup_ps(sum)));
#else
    return (value[0] + value[2]) + (value[1] + value[3]);
#endif
}

/* Which of the next scales each lane takes, if a lane has `each` codes and a group 2^shift. */
INLINE wholes lane_indices(int each, int shift)
{
#if defined __AVX512F__
    const wholes lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif defined __AVX2__
    const wholes lanes = {0, 1, 2, 3, 4, 5, 6, 7};
#else
    const wholes lanes = {0, 1, 2, 3};
#endif
    return lanes * each >> shift;
}

INLINE vec choose(const float *from, wholes indices)
{
#if defined __AVX512F__
    return _mm512_permutexvar_ps((__m512i)indices, load(from));
#elif defined __AVX2__
    return _mm256_permutevar8x32_ps(load(from), (__m256i)indices);
#else
    return (vec){from[indices[0]], from[indices[1]], from[indices[2]], from[indices[3]]};
#endif
}

#endif
