/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values as they lie, in float16, bfloat16 and float32, against a few rows of float32.
 * They are read from memory once for each few rows, and widened in registers. Sums use fused
 * multiply-adds where the instruction set has them, as those of products do. */
#include "routine/quantized/quantized_vectors.h"

enum {
    ROWS = LANES == 16 ? 4 : 2, /* that are taken together: their sums are in registers */
    LINES = 4,                  /* keys */
    VECTORS = 4                 /* of values */
};
typedef float quad __attribute__((vector_size(16)));

/* Halves are added to halves, as add_lanes does. */
INLINE quad quad_of(vec value)
{
#if defined __AVX512F__
    const __m256 half =
        _mm256_add_ps(_mm512_castps512_ps256(value), _mm512_extractf32x8_ps(value, 1));
    return (quad)_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif defined __AVX2__
    return (quad)_mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1));
#else
    return value;
#endif
}

INLINE float sum_of_quad(quad x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

/* The same of four vectors, a lane each. */
INLINE quad sums_of_four(const vec *values)
{
    const quad a = quad_of(values[0]), b = quad_of(values[1]), c = quad_of(values[2]),
               d = quad_of(values[3]);
    const quad ab =
        __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const quad cd =
        __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
           __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* Prefetches a line that is read later into the second-level cache. */
INLINE void fetch_line(const attention_lines *call, int64_t line)
{
    enum { CACHE_LINE = 64 };
    const char *from = call->ahead + line * call->ahead_step;
    for (int64_t at = 0; at < call->ahead_length; at += CACHE_LINE)
        __builtin_prefetch(from + at, 0, 2);
}

#define ELEMENT float
#define NAME(name) name##_FLOAT32
#include "routine/attention/read_lines.inc.h"
#undef NAME
#undef ELEMENT
#define ELEMENT uint16_t
#define NAME(name) name##_FLOAT16
#include "routine/attention/read_lines.inc.h"
#undef NAME
#define NAME(name) name##_BFLOAT16
#include "routine/attention/read_lines.inc.h"
#undef NAME
#undef ELEMENT

const attention_reader *const ROUTINE_NAMED(attention_readers)[JG_DTYPE_COUNT] = {
    [JG_DTYPE_FLOAT16] = &reader_FLOAT16,
    [JG_DTYPE_BFLOAT16] = &reader_BFLOAT16,
    [JG_DTYPE_FLOAT32] = &reader_FLOAT32,
};
