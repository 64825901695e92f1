/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of products with few vectors, of float16, bfloat16 and float32. */
#include "library/few.h"
#include "tensor/float_lanes.h"

enum {
    SUMS = FEW_STRIP + 2 * LANES, /* of a strip: of its whole vectors, then of those at its ends */
    STEPS = 4,                    /* vectors of a row, or rows, that are in registers at once */
    LINE = 64,                    /* bytes of a line of the cache */
    ROWS_OF_FOUR = LANES == 16 ? STEPS : 2, /* rows at once whose sums with four vectors fit */
    AHEAD = 256,           /* bytes from the read position to the prefetched one, for data that is
                              read once */
    FROM_MEMORY = 16 << 20 /* bytes of a matrix that no cache is likely to hold */
};

/* Prefetches data that is read within tens of steps into the first-level cache. If it went to the
 * second-level cache first, lines in the third-level cache would be waited for twice. */
INLINE void fetch(const void *from)
{
    __builtin_prefetch(from, 0, 3);
}

/* Prefetches data that is read many lines later into the second-level cache. */
INLINE void fetch_far(const void *from)
{
    __builtin_prefetch(from, 0, 2);
}

INLINE void store(vec value, float *to)
{
    memcpy(to, &value, sizeof value);
}

INLINE vec part_of_FLOAT16(const uint16_t *from, int part)
{
    (void)part;
    return lanes_of_FLOAT16(from);
}

INLINE vec part_of_FLOAT32(const float *from, int part)
{
    (void)part;
    return load(from);
}

/* The numbers at even places come first: with pairs in words, one shift or one mask is enough. */
INLINE vec part_of_BFLOAT16(const uint16_t *from, int part)
{
    words pairs;
    memcpy(&pairs, from, sizeof pairs);
    return (vec)(part == 0 ? pairs << 16 : pairs & 0xffff0000);
}

/* x in the order of those parts. */
static void arrange(float *x, int64_t count)
{
    for (int64_t at = 0; at < count; at += 2 * LANES) {
        float block[2 * LANES];
        memcpy(block, x + at, sizeof block);
        for (int i = 0; i < LANES; ++i) {
            x[at + i] = block[2 * i];
            x[at + LANES + i] = block[2 * i + 1];
        }
    }
}

INLINE float add_lanes(vec value)
{
    float lanes[LANES];
    store(value, lanes);
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; ++i)
            lanes[i] += lanes[i + width];
    return lanes[0];
}

typedef float four_lanes __attribute__((vector_size(16)));

/* The first steps of add_lanes: the upper half added to the lower one, down to four lanes. */
INLINE four_lanes add_to_four(vec value)
{
#if defined __AVX512F__
    __m256d upper = _mm512_extractf64x4_pd(_mm512_castps_pd(value), 1);
    __m256 eight = _mm512_castps512_ps256(value) + _mm256_castpd_ps(upper);
    return _mm256_castps256_ps128(eight) + _mm256_extractf128_ps(eight, 1);
#elif defined __AVX2__
    return _mm256_castps256_ps128(value) + _mm256_extractf128_ps(value, 1);
#else
    return value;
#endif
}

#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

/* Computes add_lanes of each of four vectors, with the additions in the same order. */
INLINE void add_lanes_of_four(const vec *values, float *to)
{
    four_lanes a = add_to_four(values[0]), b = add_to_four(values[1]);
    four_lanes c = add_to_four(values[2]), d = add_to_four(values[3]);
    four_lanes first = PICK(a, b, 0, 1, 4, 5) + PICK(a, b, 2, 3, 6, 7);
    four_lanes second = PICK(c, d, 0, 1, 4, 5) + PICK(c, d, 2, 3, 6, 7);
    four_lanes sums = PICK(first, second, 0, 2, 4, 6) + PICK(first, second, 1, 3, 5, 7);
    memcpy(to, &sums, sizeof sums);
}

/* The last `count` lanes, fewer than there are, and zeros. Zeros on both sides of a product: an
 * infinity times zero would be NaN. */
INLINE vec last_of(vec value, int64_t count)
{
    static const uint32_t masks[2 * LANES] = {[LANES... 2 * LANES - 1] = UINT32_MAX};
    words mask;
    memcpy(&mask, masks + count, sizeof mask);
    return (vec)((words)value & mask);
}

INLINE void narrow_FLOAT16(uint16_t *to, const float *from, int64_t count)
{
    FLOAT16_of_f32s(to, from, count);
}

INLINE void narrow_BFLOAT16(uint16_t *to, const float *from, int64_t count)
{
    BFLOAT16_of_f32s(to, from, count);
}

INLINE void narrow_FLOAT32(float *to, const float *from, int64_t count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

INLINE void f32s_of_FLOAT32(float *to, const float *from, int64_t count)
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

/* Columns whose sums are in memory at once: vectors from `first` on. Vectors at their ends share
 * columns with those, or with the next strip's: both find the same sums. */
typedef struct few_strip {
    int64_t first, whole;
    int64_t ends[2]; /* the columns where they begin */
    int end_count;
    int64_t some; /* columns of a matrix with fewer columns than a vector has lanes, otherwise 0 */
} few_strip;

/* The columns before the first one whose elements begin whole vectors in all rows: vectors that lie
 * in two lines of the cache take longer. 0 where that is the first column, or none is. */
static int64_t head_of(const few_call *call, size_t itemsize)
{
    size_t nbytes = LANES * itemsize, over = (size_t)((uintptr_t)call->matrix % nbytes);
    bool is_alike = call->k_step * (int64_t)itemsize % (int64_t)nbytes == 0;
    bool is_reached = over > 0 && over % itemsize == 0 && call->rows >= LANES;
    return is_alike && is_reached ? (int64_t)((nbytes - over) / itemsize) : 0;
}

static few_strip strip_of(const few_call *call, int64_t from, int64_t head)
{
    few_strip to = {.first = from + head, .some = call->rows < LANES ? call->rows : 0};
    int64_t count = int64_min(call->rows - to.first, FEW_STRIP);
    to.whole = count / LANES * LANES;
    if (head > 0)
        to.ends[to.end_count++] = from;
    if (to.whole < count)
        to.ends[to.end_count++] = to.some > 0 ? 0 : to.first + count - LANES;
    return to;
}

#define ELEMENT uint16_t
#define TERMS LANES
#define NAME(name) name##_FLOAT16
#include "library/few.inc.h"
#undef NAME
#undef TERMS
#define TERMS (2 * LANES)
#define NAME(name) name##_BFLOAT16
#include "library/few.inc.h"
#undef NAME
#undef TERMS
#undef ELEMENT
#define TERMS LANES
#define ELEMENT float
#define NAME(name) name##_FLOAT32
#include "library/few.inc.h"

extern const few_loops LIBRARY_NAMED(library_few_loops)[3];

const few_loops LIBRARY_NAMED(library_few_loops)[3] = {
    {widen_FLOAT16, NULL, dots_FLOAT16, strips_FLOAT16},
    {widen_BFLOAT16, arrange, dots_BFLOAT16, strips_BFLOAT16},
    {widen_FLOAT32, NULL, dots_FLOAT32, strips_FLOAT32},
};
