/* SPDX-License-Identifier: Apache-2.0 */
/* STREAM's triad with streaming stores: what the memory can do, for bench/chains.py. */
#include <xmmintrin.h>

/* y = a + 3 b; count is a multiple of 16, y is aligned to 64 bytes. */
void triad(float *y, const float *a, const float *b, long count)
{
    const __m128 factor = _mm_set1_ps(3);
#pragma omp parallel for schedule(static)
    for (long i = 0; i < count; i += 16)
        for (int j = 0; j < 16; j += 4) {
            __m128 product = _mm_mul_ps(factor, _mm_loadu_ps(b + i + j));
            _mm_stream_ps(y + i + j, _mm_add_ps(_mm_loadu_ps(a + i + j), product));
        }
    _mm_sfence();
}
