/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: the few operations on keys that sorting is made of, of as many at a time as
 * the instruction set takes: the lanes of a vector with AVX-512, one elsewhere. For both widths of
 * keys, 32 and 64 bits, under names that end in the width.
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
    }

SORT_LANES(32)
SORT_LANES(64)
#endif

#endif
