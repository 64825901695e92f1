/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of set membership over keys of 32 and 64 bits: their range, marking them in a table of
 * bits, and whether keys are marked there, are equal to one of a few, or are at the index that a
 * search gave. Differences are unsigned, so that no range overflows. Nothing outside the table is
 * touched whatever the keys are, as foreign memory may change after its range was found. */
#include "routine/loops.h"

enum { PIECE = 64 }; /* keys that are compared with all the others before the next ones are */

#define MEMBER_FUNCTIONS(BITS)                                                                     \
    static void range_##BITS(const void *keys, int64_t count, int64_t *low, int64_t *high)         \
    {                                                                                              \
        const int##BITS##_t *x = keys;                                                             \
        int##BITS##_t least = x[0], most = x[0];                                                   \
        for (int64_t i = 1; i < count; ++i) {                                                      \
            least = x[i] < least ? x[i] : least;                                                   \
            most = x[i] > most ? x[i] : most;                                                      \
        }                                                                                          \
        *low = least < *low ? least : *low;                                                        \
        *high = most > *high ? most : *high;                                                       \
    }                                                                                              \
                                                                                                   \
    static void mark_##BITS(const void *keys, int64_t count, const member_table *table)            \
    {                                                                                              \
        const uint##BITS##_t *x = keys;                                                            \
        const uint##BITS##_t low = (uint##BITS##_t)table->low, span = (uint##BITS##_t)table->span; \
        uint64_t *bits = table->bits;                                                              \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            uint##BITS##_t at = x[i] - low;                                                        \
            at = at < span ? at : span;                                                            \
            bits[at / 64] |= UINT64_C(1) << at % 64;                                               \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void find_marked_##BITS(const void *keys, int64_t count, const member_table *table,     \
                                   bool invert, uint8_t *found)                                    \
    {                                                                                              \
        const uint##BITS##_t *x = keys;                                                            \
        const uint##BITS##_t low = (uint##BITS##_t)table->low, span = (uint##BITS##_t)table->span; \
        const uint64_t *bits = table->bits;                                                        \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            uint##BITS##_t at = x[i] - low, inside = at <= span;                                   \
            at = inside ? at : 0;                                                                  \
            found[i] = (uint8_t)((bits[at / 64] >> at % 64 & inside) ^ invert);                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void find_equal_##BITS(const void *keys, int64_t count, const void *others, int64_t n,  \
                                  bool invert, uint8_t *found)                                     \
    {                                                                                              \
        const int##BITS##_t *x = keys, *other = others;                                            \
        for (int64_t first = 0; first < count; first += PIECE) {                                   \
            int##BITS##_t equal[PIECE] = {0};                                                      \
            int64_t piece = int64_min(count - first, PIECE);                                       \
            for (int64_t k = 0; k < n; ++k)                                                        \
                for (int64_t i = 0; i < piece; ++i)                                                \
                    equal[i] |= x[first + i] == other[k];                                          \
            for (int64_t i = 0; i < piece; ++i)                                                    \
                found[first + i] = (uint8_t)(equal[i] ^ invert);                                   \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void find_sorted_##BITS(const void *keys, int64_t count, const void *sorted, int64_t n, \
                                   const int64_t *indices, bool invert, uint8_t *found)            \
    {                                                                                              \
        const int##BITS##_t *x = keys, *other = sorted;                                            \
        for (int64_t i = 0; i < count; ++i)                                                        \
            found[i] =                                                                             \
                (indices[i] < n && other[indices[i] < n ? indices[i] : 0] == x[i]) ^ invert;       \
    }

MEMBER_FUNCTIONS(32)
MEMBER_FUNCTIONS(64)

#define MEMBER_LOOPS(BITS)                                                                         \
    {                                                                                              \
        range_##BITS, mark_##BITS, find_marked_##BITS, find_equal_##BITS, find_sorted_##BITS       \
    }

const member_loops ROUTINE_NAMED(routine_members)[2] = {MEMBER_LOOPS(32), MEMBER_LOOPS(64)};
