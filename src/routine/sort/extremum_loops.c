/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of argmax and argmin. Elements are compared as whole numbers of the same order, largest
 * first: a float's magnitude with its sign, NaN beyond all others, and for the smallest in reverse
 * order. The first of equal elements is found, as only a greater one replaces it. */
#include "routine/loops.h"
#include "routine/sort/rank.h"
#include "tensor/extremum.h"

enum { LANES = EXTREMUM_LANES };

/* The index of the first of at least LANES elements' largest, which are compared as READ(x), a KEY:
 * a lane keeps its best element and the block that it was in. Blocks may overlap, and the last one
 * does. If two elements are UNORDERED, *odd is true and the result is not valid. */
#define NEAR_FUNCTION(NAME, IN, KEY, INDEX, READ, relation, UNORDERED)                             \
    static inline int64_t near_##NAME(const void *line, int64_t count, bool *odd)                  \
    {                                                                                              \
        const IN *from = line;                                                                     \
        KEY best[LANES];                                                                           \
        INDEX blocks[LANES] = {0}, unordered[LANES / 2] = {0}, any = 0, index = INDEX_MAX(INDEX);  \
        for (int k = 0; k < LANES; ++k)                                                            \
            best[k] = READ(from[k]);                                                               \
        for (int64_t block = 0; block < count; block += LANES) {                                   \
            int64_t first = block + LANES <= count ? block : count - LANES;                        \
            for (int k = 0; k < LANES / 2; ++k)                                                    \
                unordered[k] |= UNORDERED(from[first + k], from[first + k + LANES / 2]);           \
            for (int k = 0; k < LANES; ++k) {                                                      \
                KEY x = READ(from[first + k]);                                                     \
                blocks[k] = CHOOSE(INDEX, x relation best[k], (INDEX)first, blocks[k]);            \
                best[k] = EXTREMUM_OF(relation, x, best[k]);                                       \
            }                                                                                      \
        }                                                                                          \
        KEY tops[LANES];                                                                           \
        for (int k = 0; k < LANES; ++k)                                                            \
            tops[k] = best[k];                                                                     \
        EXTREMUM_FOLD(relation, tops, 32)                                                          \
        EXTREMUM_FOLD(relation, tops, 16)                                                          \
        EXTREMUM_FOLD(relation, tops, 8)                                                           \
        EXTREMUM_FOLD(relation, tops, 4)                                                           \
        EXTREMUM_FOLD(relation, tops, 2)                                                           \
        KEY top = EXTREMUM_OF(relation, tops[1], tops[0]);                                         \
        for (int k = 0; k < LANES; ++k) {                                                          \
            INDEX at = (blocks[k] + k) | (-(INDEX)(best[k] != top) & INDEX_MAX(INDEX));            \
            index = at < index ? at : index;                                                       \
        }                                                                                          \
        for (int k = 0; k < LANES / 2; ++k)                                                        \
            any |= unordered[k];                                                                   \
        *odd = any;                                                                                \
        return index;                                                                              \
    }
#define INDEX_MAX(INDEX) (sizeof(INDEX) == 8 ? (INDEX)INT64_MAX : (INDEX)INT32_MAX)
/* The choice uses a mask, because GCC makes a branch of a conditional store. */
#define CHOOSE(T, condition, x, y) ((y) ^ (((x) ^ (y)) & -(T)(condition)))
#define NEVER(x, y) 0

/* An instance for elements IN, compared as RANK(x), a KEY; INDEX is an integer as wide as KEY.
 * along: floats with a NaN are compared by ranks, which is slower; NaN has the greatest rank. */
#define EXTREMUM_LOOPS(NAME, IN, KEY, INDEX, RANK)                                                 \
    static int64_t along_##NAME(const void *line, int64_t count, int64_t step)                     \
    {                                                                                              \
        const IN *from = line;                                                                     \
        bool odd = true;                                                                           \
        int64_t index = step == 1 && count >= LANES ? near_##NAME(line, count, &odd) : 0;          \
        if (!odd)                                                                                  \
            return index;                                                                          \
        index = 0;                                                                                 \
        KEY best = RANK(from[0]);                                                                  \
        for (int64_t i = 1; i < count; ++i) {                                                      \
            KEY rank = RANK(from[i * step]);                                                       \
            index = rank > best ? i : index;                                                       \
            best = rank > best ? rank : best;                                                      \
        }                                                                                          \
        return index;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline void row_##NAME(const IN *restrict from, int64_t apart, INDEX index,             \
                                  KEY *restrict best, INDEX *restrict indices, int64_t lines)      \
    {                                                                                              \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            KEY rank = RANK(from[j * apart]);                                                      \
            indices[j] = rank > best[j] ? index : indices[j];                                      \
            best[j] = rank > best[j] ? rank : best[j];                                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void across_##NAME(const void *line, int64_t count, int64_t step, int64_t lines,        \
                              int64_t apart, int64_t *indices)                                     \
    {                                                                                              \
        const IN *from = line;                                                                     \
        KEY best[EXTREMUM_STRIP];                                                                  \
        INDEX found[EXTREMUM_STRIP];                                                               \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            best[j] = RANK(from[j * apart]);                                                       \
            found[j] = 0;                                                                          \
        }                                                                                          \
        for (int64_t i = 1; i < count; ++i)                                                        \
            if (apart == 1)                                                                        \
                row_##NAME(from + i * step, 1, (INDEX)i, best, found, lines);                      \
            else                                                                                   \
                row_##NAME(from + i * step, apart, (INDEX)i, best, found, lines);                  \
        for (int64_t j = 0; j < lines; ++j)                                                        \
            indices[j] = found[j];                                                                 \
    }                                                                                              \
                                                                                                   \
    static bool beats_##NAME(const void *x, const void *other)                                     \
    {                                                                                              \
        return RANK(*(const IN *)x) > RANK(*(const IN *)other);                                    \
    }                                                                                              \
                                                                                                   \
    static const extremum_loops loops_##NAME = {                                                   \
        .along = along_##NAME, .across = across_##NAME, .beats = beats_##NAME};

#define RANK_SAME(x) (x)
#define RANK_BELOW(x) (~(x))
#define LARGEST_HALF(x) RANK_HALF(RANK_OF, x)
#define LARGEST_BFLOAT(x) RANK_BFLOAT(RANK_OF, x)
#define LARGEST_FLOAT(x) RANK_FLOAT(RANK_OF, x)
#define LARGEST_DOUBLE(x) RANK_DOUBLE(RANK_OF, x)
#define SMALLEST_HALF(x) RANK_HALF(RANK_TURNED, x)
#define SMALLEST_BFLOAT(x) RANK_BFLOAT(RANK_TURNED, x)
#define SMALLEST_FLOAT(x) RANK_FLOAT(RANK_TURNED, x)
#define SMALLEST_DOUBLE(x) RANK_DOUBLE(RANK_TURNED, x)

/* X(NAME, IN, KEY, INDEX, RANK, TURNED) */
#define RANKED_EXTREMA(X)                                                                          \
    X(BOOL, uint8_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                      \
    X(INT8, int8_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                       \
    X(INT16, int16_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                     \
    X(INT32, int32_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                     \
    X(INT64, int64_t, int64_t, int64_t, RANK_SAME, RANK_BELOW)                                     \
    X(UINT8, uint8_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                     \
    X(UINT16, uint16_t, int32_t, int32_t, RANK_SAME, RANK_BELOW)                                   \
    X(UINT32, uint32_t, uint32_t, int32_t, RANK_SAME, RANK_BELOW)                                  \
    X(UINT64, uint64_t, uint64_t, int64_t, RANK_SAME, RANK_BELOW)                                  \
    X(FLOAT16, bits16, int32_t, int32_t, LARGEST_HALF, SMALLEST_HALF)                              \
    X(BFLOAT16, bits16, int32_t, int32_t, LARGEST_BFLOAT, SMALLEST_BFLOAT)
#define EXTREMA(X)                                                                                 \
    RANKED_EXTREMA(X)                                                                              \
    X(FLOAT32, bits32, int32_t, int32_t, LARGEST_FLOAT, SMALLEST_FLOAT)                            \
    X(FLOAT64, bits64, int64_t, int64_t, LARGEST_DOUBLE, SMALLEST_DOUBLE)

#define NEAR_RANK(NAME, IN, KEY, INDEX, RANK) NEAR_FUNCTION(NAME, IN, KEY, INDEX, RANK, >, NEVER)
#define NEAR_RANKS(NAME, IN, KEY, INDEX, RANK, TURNED)                                             \
    NEAR_RANK(largest_##NAME, IN, KEY, INDEX, RANK)                                                \
    NEAR_RANK(smallest_##NAME, IN, KEY, INDEX, TURNED)
RANKED_EXTREMA(NEAR_RANKS)

/* Compared as they are, which takes fewer instructions than ranks do. */
NEAR_FUNCTION(largest_FLOAT32, float, float, int32_t, , >, __builtin_isunordered)
NEAR_FUNCTION(smallest_FLOAT32, float, float, int32_t, , <, __builtin_isunordered)
NEAR_FUNCTION(largest_FLOAT64, double, double, int64_t, , >, __builtin_isunordered)
NEAR_FUNCTION(smallest_FLOAT64, double, double, int64_t, , <, __builtin_isunordered)

#define INSTANCES(NAME, IN, KEY, INDEX, LARGEST_RANK, SMALLEST_RANK)                               \
    EXTREMUM_LOOPS(largest_##NAME, IN, KEY, INDEX, LARGEST_RANK)                                   \
    EXTREMUM_LOOPS(smallest_##NAME, IN, KEY, INDEX, SMALLEST_RANK)
EXTREMA(INSTANCES)

#define INSTANCES_AT(NAME, ...) [JG_DTYPE_##NAME] = {&loops_largest_##NAME, &loops_smallest_##NAME},
const extremum_loops *const ROUTINE_NAMED(routine_extrema)[JG_DTYPE_COUNT][2] = {
    EXTREMA(INSTANCES_AT)};
