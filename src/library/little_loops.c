/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of products of little matrices: the rows of b are read where they lie, and the sums of
 * some rows and columns of the result are in registers. */
#include "library/little.h"

#if defined __AVX2__ && !defined __AVX512F__
#include "library/jacobi.h"
#include "tensor/float_lanes.h"

/* The size of a block of the result, rows by vectors: enough sums to hide the latency of one, and
 * few enough for the registers. */
enum { VECTORS = 3, ROWS_OF_1 = 8, ROWS_OF_2 = 6, ROWS_OF_3 = 4 };

INLINE __m256i mask_of_f32(int64_t count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lanes);
}

INLINE __m256i mask_of_f64(int64_t count)
{
    const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lanes);
}

INLINE __m256 load_some_f32(const float *from, __m256i mask)
{
    return _mm256_maskload_ps(from, mask);
}

INLINE __m256d load_some_f64(const double *from, __m256i mask)
{
    return _mm256_maskload_pd(from, mask);
}

/* The value is stored in parts: a store with a mask takes about twelve times as long on AMD's
 * processors. */
INLINE void store_some_f32(float *to, __m256 value, int64_t count)
{
    __m128 part = _mm256_castps256_ps128(value);
    if (count & 4) {
        _mm_storeu_ps(to, part);
        part = _mm256_extractf128_ps(value, 1);
        to += 4;
    }
    if (count & 2) {
        _mm_storel_pi((__m64 *)(void *)to, part);
        part = _mm_movehl_ps(part, part);
        to += 2;
    }
    if (count & 1)
        _mm_store_ss(to, part);
}

INLINE void store_some_f64(double *to, __m256d value, int64_t count)
{
    __m128d part = _mm256_castpd256_pd128(value);
    if (count & 2) {
        _mm_storeu_pd(to, part);
        part = _mm256_extractf128_pd(value, 1);
        to += 2;
    }
    if (count & 1)
        _mm_store_sd(to, part);
}

#define REAL float
#define VECTOR __m256
#define COUNT 8
#define NAME(name) name##_f32
#include "library/little.inc.h"
#undef REAL
#undef VECTOR
#undef COUNT
#undef NAME

#define REAL double
#define VECTOR __m256d
#define COUNT 4
#define NAME(name) name##_f64
#include "library/little.inc.h"

extern library_little_loop *const LIBRARY_NAMED(library_little)[2];
library_little_loop *const LIBRARY_NAMED(library_little)[2] = {multiply_f32, multiply_f64};
#endif
