/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: the few operations on keys that sorting is made of, of as many at a time as
 * the instruction set takes: the lanes of a vector with AVX2 and AVX-512, one elsewhere. For both
 * widths of keys, 32 and 64 bits, under names that end in the width.
 *
 * lanesN is a vector and maskN says which of its lanes. Where a function takes a distance or a
 * width, that is a constant in each call, so that each becomes one instruction. */
#ifndef JG_ROUTINE_SORT_LANES_H
#define JG_ROUTINE_SORT_LANES_H

#include <stdint.h>

#define SORT_INLINE static inline __attribute__((always_inline))

#if defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512VL__
#include <immintrin.h>

enum { SORT_LANES_32 = 16, SORT_LANES_64 = 8 };

#define SORT_LANES(BITS, MASK, COUNT)                                                              \
    typedef __m512i lanes##BITS;                                                                   \
    typedef MASK mask##BITS;                                                                       \
    SORT_INLINE mask##BITS first_lanes_##BITS(int64_t count)                                       \
    {                                                                                              \
        unsigned all = (1u << (COUNT)) - 1;                                                        \
        return (mask##BITS)(count >= (COUNT) ? all : count <= 0 ? 0 : (1u << count) - 1);          \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_load_##BITS(const int##BITS##_t *from)                           \
    {                                                                                              \
        return _mm512_loadu_si512(from);                                                           \
    }                                                                                              \
    SORT_INLINE void lanes_store_##BITS(int##BITS##_t *to, lanes##BITS v)                          \
    {                                                                                              \
        _mm512_storeu_si512(to, v);                                                                \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_of_##BITS(int##BITS##_t key)                                     \
    {                                                                                              \
        return _mm512_set1_epi##BITS(key);                                                         \
    }                                                                                              \
    /* The first count keys, and the largest possible in all lanes behind. */                      \
    SORT_INLINE lanes##BITS lanes_load_first_##BITS(const int##BITS##_t *from, int64_t count)      \
    {                                                                                              \
        return _mm512_mask_loadu_epi##BITS(lanes_of_##BITS(INT##BITS##_MAX),                       \
                                           first_lanes_##BITS(count), from);                       \
    }                                                                                              \
    SORT_INLINE void lanes_store_first_##BITS(int##BITS##_t *to, lanes##BITS v, int64_t count)     \
    {                                                                                              \
        _mm512_mask_storeu_epi##BITS(to, first_lanes_##BITS(count), v);                            \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_least_##BITS(lanes##BITS x, lanes##BITS y)                       \
    {                                                                                              \
        return _mm512_min_epi##BITS(x, y);                                                         \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_greatest_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return _mm512_max_epi##BITS(x, y);                                                         \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_above_##BITS(lanes##BITS x, lanes##BITS y)                        \
    {                                                                                              \
        return _mm512_cmpgt_epi##BITS##_mask(x, y);                                                \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_not_above_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return _mm512_cmple_epi##BITS##_mask(x, y);                                                \
    }                                                                                              \
    SORT_INLINE int lanes_count_##BITS(mask##BITS which)                                           \
    {                                                                                              \
        return __builtin_popcount(which);                                                          \
    }                                                                                              \
    /* The lanes in the mask, moved together to the front. */                                      \
    SORT_INLINE lanes##BITS lanes_kept_##BITS(lanes##BITS v, mask##BITS which)                     \
    {                                                                                              \
        return _mm512_maskz_compress_epi##BITS(which, v);                                          \
    }                                                                                              \
    /* Puts the lesser of two lanes `distance` apart into the lower one. */                        \
    SORT_INLINE lanes##BITS lanes_ordered_##BITS(lanes##BITS v, lanes##BITS other, int distance)   \
    {                                                                                              \
        unsigned lower = distance == 1   ? 0x5555                                                  \
                         : distance == 2 ? 0x3333                                                  \
                         : distance == 4 ? 0x0f0f                                                  \
                                         : 0x00ff;                                                 \
        return _mm512_mask_min_epi##BITS(_mm512_max_epi##BITS(v, other), (mask##BITS)lower, v,     \
                                         other);                                                   \
    }                                                                                              \
    /* Moves keys that are not above the pivot to *low and up, others to below *high. At *low    \
     * too many lanes may be written: the keys that follow overwrite them. */ \
    SORT_INLINE void lanes_split_##BITS(lanes##BITS v, lanes##BITS pivot, int##BITS##_t **low,     \
                                        int##BITS##_t **high)                                      \
    {                                                                                              \
        mask##BITS above = lanes_above_##BITS(v, pivot);                                           \
        int count = lanes_count_##BITS(above);                                                     \
        lanes_store_##BITS(*low, lanes_kept_##BITS(v, lanes_not_above_##BITS(v, pivot)));          \
        lanes_store_first_##BITS(*high - count, lanes_kept_##BITS(v, above), count);               \
        *low += (COUNT)-count;                                                                     \
        *high -= count;                                                                            \
    }

SORT_LANES(32, __mmask16, SORT_LANES_32)
SORT_LANES(64, __mmask8, SORT_LANES_64)

/* Lanes exchanged with those at a distance of 1, 2 or 4. */
SORT_INLINE lanes32 lanes_exchanged_32(lanes32 v, int distance)
{
    return distance == 1   ? _mm512_shuffle_epi32(v, 0xB1)
           : distance == 2 ? _mm512_shuffle_epi32(v, 0x4E)
                           : _mm512_shuffle_i32x4(v, v, 0xB1);
}

SORT_INLINE lanes64 lanes_exchanged_64(lanes64 v, int distance)
{
    return distance == 1 ? _mm512_permutex_epi64(v, 0xB1) : _mm512_permutex_epi64(v, 0x4E);
}

/* Each `width` lanes in reverse. */
SORT_INLINE lanes32 lanes_mirrored_32(lanes32 v, int width)
{
    const __m512i eight = _mm512_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
    const __m512i all = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return width == 2   ? _mm512_shuffle_epi32(v, 0xB1)
           : width == 4 ? _mm512_shuffle_epi32(v, 0x1B)
                        : _mm512_permutexvar_epi32(width == 8 ? eight : all, v);
}

SORT_INLINE lanes64 lanes_mirrored_64(lanes64 v, int width)
{
    return width == 2   ? _mm512_permutex_epi64(v, 0xB1)
           : width == 4 ? _mm512_permutex_epi64(v, 0x1B)
                        : _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
}

#elif defined __AVX2__
#include <immintrin.h>
#include <string.h>

enum { SORT_LANES_32 = 8, SORT_LANES_64 = 4 };

/* A permutation of 8 parts of 32 bits that brings those outside a mask to the front and those in it
 * behind them, both in their order: a byte for each part, the first part's lowest. */
#define SORT_ONES(which, part) __builtin_popcount((which) & ((1 << (part)) - 1))
#define SORT_PART(which, part)                                                                     \
    ((uint64_t)(part) << 8 * ((which) >> (part)&1                                                  \
                                  ? 8 - __builtin_popcount(which) + SORT_ONES(which, part)         \
                                  : (part)-SORT_ONES(which, part)))
#define SORT_PARTED(which)                                                                         \
    (SORT_PART(which, 0) | SORT_PART(which, 1) | SORT_PART(which, 2) | SORT_PART(which, 3) |       \
     SORT_PART(which, 4) | SORT_PART(which, 5) | SORT_PART(which, 6) | SORT_PART(which, 7))
#define SORT_PARTED_4(which)                                                                       \
    SORT_PARTED(which), SORT_PARTED(which + 1), SORT_PARTED(which + 2), SORT_PARTED(which + 3)
#define SORT_PARTED_16(which)                                                                      \
    SORT_PARTED_4(which), SORT_PARTED_4(which + 4), SORT_PARTED_4(which + 8),                      \
        SORT_PARTED_4(which + 12)
#define SORT_PARTED_64(which)                                                                      \
    SORT_PARTED_16(which), SORT_PARTED_16(which + 16), SORT_PARTED_16(which + 32),                 \
        SORT_PARTED_16(which + 48)
static const uint64_t sort_parted[256] = {SORT_PARTED_64(0), SORT_PARTED_64(64),
                                          SORT_PARTED_64(128), SORT_PARTED_64(192)};

SORT_INLINE __m256i sort_part(__m256i v, unsigned which)
{
    __m128i parts = _mm_cvtsi64_si128((int64_t)sort_parted[which]);
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(parts));
}

/* A mask has a bit for each 32 bits of a vector, so two for a key of 64. */
SORT_INLINE unsigned sort_mask(__m256i truth)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(truth));
}

static const int32_t sort_first[16] = {-1, -1, -1, -1, -1, -1, -1, -1};

/* True in the first `parts` parts of 32 bits; at most 8. */
SORT_INLINE __m256i sort_truth(int64_t parts)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)(sort_first + 8 - parts));
}

SORT_INLINE __m256i sort_least_32(__m256i x, __m256i y)
{
    return _mm256_min_epi32(x, y);
}

SORT_INLINE __m256i sort_greatest_32(__m256i x, __m256i y)
{
    return _mm256_max_epi32(x, y);
}

SORT_INLINE __m256i sort_least_64(__m256i x, __m256i y)
{
    return _mm256_blendv_epi8(x, y, _mm256_cmpgt_epi64(x, y));
}

SORT_INLINE __m256i sort_greatest_64(__m256i x, __m256i y)
{
    return _mm256_blendv_epi8(y, x, _mm256_cmpgt_epi64(x, y));
}

/* The lower lanes of `low` where lanes are ordered that far apart, the upper ones of `high`. */
SORT_INLINE __m256i sort_mixed_32(__m256i low, __m256i high, int distance)
{
    return distance == 1   ? _mm256_blend_epi32(high, low, 0x55)
           : distance == 2 ? _mm256_blend_epi32(high, low, 0x33)
                           : _mm256_blend_epi32(high, low, 0x0f);
}

SORT_INLINE __m256i sort_mixed_64(__m256i low, __m256i high, int distance)
{
    return distance == 1 ? _mm256_blend_epi32(high, low, 0x33)
                         : _mm256_blend_epi32(high, low, 0x0f);
}

SORT_INLINE __m256i sort_all_32(int32_t key)
{
    return _mm256_set1_epi32(key);
}

SORT_INLINE __m256i sort_all_64(int64_t key)
{
    return _mm256_set1_epi64x(key);
}

#define SORT_LANES(BITS, COUNT)                                                                    \
    typedef __m256i lanes##BITS;                                                                   \
    typedef unsigned mask##BITS;                                                                   \
    SORT_INLINE int64_t sort_parts_##BITS(int64_t count)                                           \
    {                                                                                              \
        return (count >= (COUNT) ? (COUNT) : count <= 0 ? 0 : count) * ((BITS) / 32);              \
    }                                                                                              \
    SORT_INLINE mask##BITS first_lanes_##BITS(int64_t count)                                       \
    {                                                                                              \
        return (1u << sort_parts_##BITS(count)) - 1;                                               \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_load_##BITS(const int##BITS##_t *from)                           \
    {                                                                                              \
        return _mm256_loadu_si256((const __m256i *)(const void *)from);                            \
    }                                                                                              \
    SORT_INLINE void lanes_store_##BITS(int##BITS##_t *to, lanes##BITS v)                          \
    {                                                                                              \
        _mm256_storeu_si256((__m256i *)(void *)to, v);                                             \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_of_##BITS(int##BITS##_t key)                                     \
    {                                                                                              \
        return sort_all_##BITS(key);                                                               \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_load_first_##BITS(const int##BITS##_t *from, int64_t count)      \
    {                                                                                              \
        __m256i truth = sort_truth(sort_parts_##BITS(count));                                      \
        __m256i loaded = _mm256_maskload_epi32((const int *)(const void *)from, truth);            \
        return _mm256_blendv_epi8(sort_all_##BITS(INT##BITS##_MAX), loaded, truth);                \
    }                                                                                              \
    /* Masked stores take AMD's processors a dozen cycles. */                                      \
    SORT_INLINE void lanes_store_first_##BITS(int##BITS##_t *to, lanes##BITS v, int64_t count)     \
    {                                                                                              \
        if (count >= (COUNT))                                                                      \
            lanes_store_##BITS(to, v);                                                             \
        else if (count > 0)                                                                        \
            _mm256_maskstore_epi32((int *)(void *)to, sort_truth(sort_parts_##BITS(count)), v);    \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_least_##BITS(lanes##BITS x, lanes##BITS y)                       \
    {                                                                                              \
        return sort_least_##BITS(x, y);                                                            \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_greatest_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return sort_greatest_##BITS(x, y);                                                         \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_above_##BITS(lanes##BITS x, lanes##BITS y)                        \
    {                                                                                              \
        return sort_mask(_mm256_cmpgt_epi##BITS(x, y));                                            \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_not_above_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return lanes_above_##BITS(x, y) ^ 0xff;                                                    \
    }                                                                                              \
    SORT_INLINE int lanes_count_##BITS(mask##BITS which)                                           \
    {                                                                                              \
        return __builtin_popcount(which) / ((BITS) / 32);                                          \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_kept_##BITS(lanes##BITS v, mask##BITS which)                     \
    {                                                                                              \
        return sort_part(v, which ^ 0xff);                                                         \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_ordered_##BITS(lanes##BITS v, lanes##BITS other, int distance)   \
    {                                                                                              \
        return sort_mixed_##BITS(sort_least_##BITS(v, other), sort_greatest_##BITS(v, other),      \
                                 distance);                                                        \
    }                                                                                              \
    /* Both parts are in one vector, which is stored at both ends. Between one and two         \
     * vectors apart, each would overwrite what the other has stored. */   \
    SORT_INLINE void lanes_split_##BITS(lanes##BITS v, lanes##BITS pivot, int##BITS##_t **low,     \
                                        int##BITS##_t **high)                                      \
    {                                                                                              \
        mask##BITS above = lanes_above_##BITS(v, pivot);                                           \
        int count = lanes_count_##BITS(above);                                                     \
        int64_t apart = *high - *low;                                                              \
        v = sort_part(v, above);                                                                   \
        lanes_store_##BITS(*low, v);                                                               \
        if (__builtin_expect(apart >= 2 * (COUNT), 1)) {                                           \
            lanes_store_##BITS(*high - (COUNT), v);                                                \
        } else {                                                                                   \
            int##BITS##_t keys[COUNT];                                                             \
            lanes_store_##BITS(keys, v);                                                           \
            memcpy(*high - count, keys + (COUNT)-count, (size_t)count * sizeof *keys);             \
        }                                                                                          \
        *low += (COUNT)-count;                                                                     \
        *high -= count;                                                                            \
    }

SORT_LANES(32, SORT_LANES_32)
SORT_LANES(64, SORT_LANES_64)

SORT_INLINE lanes32 lanes_exchanged_32(lanes32 v, int distance)
{
    return distance == 1   ? _mm256_shuffle_epi32(v, 0xB1)
           : distance == 2 ? _mm256_shuffle_epi32(v, 0x4E)
                           : _mm256_permute4x64_epi64(v, 0x4E);
}

SORT_INLINE lanes64 lanes_exchanged_64(lanes64 v, int distance)
{
    return distance == 1 ? _mm256_shuffle_epi32(v, 0x4E) : _mm256_permute4x64_epi64(v, 0x4E);
}

SORT_INLINE lanes32 lanes_mirrored_32(lanes32 v, int width)
{
    const __m256i all = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return width == 2   ? _mm256_shuffle_epi32(v, 0xB1)
           : width == 4 ? _mm256_shuffle_epi32(v, 0x1B)
                        : _mm256_permutevar8x32_epi32(v, all);
}

SORT_INLINE lanes64 lanes_mirrored_64(lanes64 v, int width)
{
    return width == 2 ? _mm256_shuffle_epi32(v, 0x4E) : _mm256_permute4x64_epi64(v, 0x1B);
}

#else

enum { SORT_LANES_32 = 1, SORT_LANES_64 = 1 };

#define SORT_LANES(BITS)                                                                           \
    typedef int##BITS##_t lanes##BITS;                                                             \
    typedef unsigned mask##BITS;                                                                   \
    SORT_INLINE mask##BITS first_lanes_##BITS(int64_t count)                                       \
    {                                                                                              \
        return count > 0;                                                                          \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_load_##BITS(const int##BITS##_t *from)                           \
    {                                                                                              \
        return *from;                                                                              \
    }                                                                                              \
    SORT_INLINE void lanes_store_##BITS(int##BITS##_t *to, lanes##BITS v)                          \
    {                                                                                              \
        *to = v;                                                                                   \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_of_##BITS(int##BITS##_t key)                                     \
    {                                                                                              \
        return key;                                                                                \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_load_first_##BITS(const int##BITS##_t *from, int64_t count)      \
    {                                                                                              \
        return count > 0 ? *from : INT##BITS##_MAX;                                                \
    }                                                                                              \
    SORT_INLINE void lanes_store_first_##BITS(int##BITS##_t *to, lanes##BITS v, int64_t count)     \
    {                                                                                              \
        if (count > 0)                                                                             \
            *to = v;                                                                               \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_least_##BITS(lanes##BITS x, lanes##BITS y)                       \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_greatest_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return x < y ? y : x;                                                                      \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_above_##BITS(lanes##BITS x, lanes##BITS y)                        \
    {                                                                                              \
        return x > y;                                                                              \
    }                                                                                              \
    SORT_INLINE mask##BITS lanes_not_above_##BITS(lanes##BITS x, lanes##BITS y)                    \
    {                                                                                              \
        return x <= y;                                                                             \
    }                                                                                              \
    SORT_INLINE int lanes_count_##BITS(mask##BITS which)                                           \
    {                                                                                              \
        return (int)which;                                                                         \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_kept_##BITS(lanes##BITS v, mask##BITS which)                     \
    {                                                                                              \
        (void)which;                                                                               \
        return v;                                                                                  \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_ordered_##BITS(lanes##BITS v, lanes##BITS other, int distance)   \
    {                                                                                              \
        (void)other, (void)distance;                                                               \
        return v;                                                                                  \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_exchanged_##BITS(lanes##BITS v, int distance)                    \
    {                                                                                              \
        (void)distance;                                                                            \
        return v;                                                                                  \
    }                                                                                              \
    SORT_INLINE lanes##BITS lanes_mirrored_##BITS(lanes##BITS v, int width)                        \
    {                                                                                              \
        (void)width;                                                                               \
        return v;                                                                                  \
    }                                                                                              \
    /* The key is written to both ends, which saves a branch. */                                   \
    SORT_INLINE void lanes_split_##BITS(lanes##BITS v, lanes##BITS pivot, int##BITS##_t **low,     \
                                        int##BITS##_t **high)                                      \
    {                                                                                              \
        int count = v > pivot;                                                                     \
        **low = v;                                                                                 \
        (*high)[-1] = v;                                                                           \
        *low += 1 - count;                                                                         \
        *high -= count;                                                                            \
    }

SORT_LANES(32)
SORT_LANES(64)
#endif

#endif
