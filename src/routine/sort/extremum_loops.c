/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of argmax and argmin. Elements are compared as whole numbers of the same order, largest
 * first: a float's magnitude with its sign, NaN beyond all others, and for the smallest in reverse
 * order. The first of equal elements is found, as only a greater one replaces it. In lines that lie
 * dense, vectors find the extremum of a part, and its place is searched for once. */
#include "routine/loops.h"
#include "routine/sort/rank.h"
#include "tensor/extremum.h"
#include <math.h>

/* Elements that vectors take at once: MANY, or in shorter lines FEW. PART: elements that the first
 * cache holds. */
enum { MANY = 64, FEW = 16, PART = 8192 };

/* The extremum of at least FEW elements, which are compared as READ(x), a KEY; none is NaN. What
 * does not fill vectors is read with elements before it. */
#define TOP_OF_WHOLE(NAME, IN, KEY, READ, relation)                                                \
    static inline KEY top_of_run_##NAME(const IN *from, int64_t count)                             \
    {                                                                                              \
        KEY best = READ(from[0]);                                                                  \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            KEY key = READ(from[i]);                                                               \
            best = EXTREMUM_OF(relation, key, best);                                               \
        }                                                                                          \
        return best;                                                                               \
    }                                                                                              \
                                                                                                   \
    static inline KEY top_of_few_##NAME(const IN *from, int64_t count)                             \
    {                                                                                              \
        int64_t last = count - FEW, second = int64_min(FEW, last),                                 \
                third = int64_min(2 * FEW, last);                                                  \
        KEY best[FEW];                                                                             \
        EXTREMUM_LOOP for (int k = 0; k < FEW; ++k)                                                \
        {                                                                                          \
            KEY a = READ(from[k]), b = READ(from[second + k]), c = READ(from[third + k]),          \
                d = READ(from[last + k]);                                                          \
            a = EXTREMUM_OF(relation, b, a);                                                       \
            c = EXTREMUM_OF(relation, d, c);                                                       \
            best[k] = EXTREMUM_OF(relation, c, a);                                                 \
        }                                                                                          \
        KEY top = best[0];                                                                         \
        for (int k = 0; k < FEW; ++k)                                                              \
            top = EXTREMUM_OF(relation, best[k], top);                                             \
        return top;                                                                                \
    }                                                                                              \
                                                                                                   \
    static inline KEY top_of_##NAME(const IN *from, int64_t count, bool *has_nan)                  \
    {                                                                                              \
        *has_nan = false;                                                                          \
        if (count < MANY)                                                                          \
            return top_of_few_##NAME(from, count);                                                 \
        KEY top = top_of_run_##NAME(from, count / MANY * MANY);                                    \
        KEY last = top_of_run_##NAME(from + count - MANY, MANY);                                   \
        return EXTREMUM_OF(relation, last, top);                                                   \
    }

/* The index of the first of at least LANES elements, from the index on, that is equal to the key;
 * one is, and none of those before it. */
#define PLACE_IN_LANES(NAME, IN, KEY, BITS, READ, LANES)                                           \
    static inline int64_t place_##LANES##_of_##NAME(const IN *from, int64_t count, int64_t index,  \
                                                    KEY key)                                       \
    {                                                                                              \
        for (;; index += (LANES)) {                                                                \
            int64_t first = int64_min(index, count - (LANES));                                     \
            BITS place = (LANES);                                                                  \
            EXTREMUM_LOOP for (int k = 0; k < (LANES); ++k)                                        \
            {                                                                                      \
                BITS at = READ(from[first + k]) == key ? (BITS)k : (BITS)(LANES);                  \
                place = at < place ? at : place;                                                   \
            }                                                                                      \
            if (place < (LANES))                                                                   \
                return first + (int64_t)place;                                                     \
        }                                                                                          \
    }

/* The index of the first of at least FEW elements' extremum, which is that of the first NaN if
 * there is one. No element is beyond LIMIT. BITS is an integer as wide as KEY. */
#define NEAR_FUNCTION(NAME, IN, KEY, BITS, READ, relation, LIMIT, IS_NAN)                          \
    PLACE_IN_LANES(NAME, IN, KEY, BITS, READ, 64)                                                  \
    PLACE_IN_LANES(NAME, IN, KEY, BITS, READ, 16)                                                  \
    static inline int64_t near_##NAME(const void *line, int64_t count)                             \
    {                                                                                              \
        const IN *from = line;                                                                     \
        KEY best = READ(from[0]);                                                                  \
        int64_t index = 0, length = int64_min(count, PART);                                        \
        for (int64_t part = 0; part < count; part += PART) {                                       \
            int64_t first = int64_min(part, count - length);                                       \
            bool has_nan;                                                                          \
            KEY top = top_of_##NAME(from + first, length, &has_nan);                               \
            if (has_nan) {                                                                         \
                while (!IS_NAN(from[first]))                                                       \
                    ++first;                                                                       \
                return first;                                                                      \
            }                                                                                      \
            index = top relation best ? first : index;                                             \
            best = EXTREMUM_OF(relation, top, best);                                               \
            if (best == (LIMIT))                                                                   \
                break;                                                                             \
        }                                                                                          \
        return count < MANY ? place_16_of_##NAME(from, count, index, best)                         \
                            : place_64_of_##NAME(from, count, index, best);                        \
    }
#define ALWAYS(x) true
/* No NaN compares equal to it. */
#define NO_LIMIT NAN

/* An instance for elements IN, compared as RANK(x), a KEY; INDEX is an integer as wide as KEY. */
#define EXTREMUM_LOOPS(NAME, IN, KEY, INDEX, RANK)                                                 \
    static int64_t along_##NAME(const void *line, int64_t count, int64_t step)                     \
    {                                                                                              \
        const IN *from = line;                                                                     \
        if (step == 1 && count >= FEW)                                                             \
            return near_##NAME(line, count);                                                       \
        int64_t index = 0;                                                                         \
        KEY best = RANK(from[0]);                                                                  \
        for (int64_t i = 1; i < count; ++i) {                                                      \
            KEY rank = RANK(from[i * step]);                                                       \
            index = rank > best ? i : index;                                                       \
            best = rank > best ? rank : best;                                                      \
        }                                                                                          \
        return index;                                                                              \
    }                                                                                              \
                                                                                                   \
    /* What is apart and narrower than its key keeps GCC from making vector code. */               \
    static inline void gather_##NAME(const IN *restrict from, int64_t apart, IN *restrict to,      \
                                     int64_t lines)                                                \
    {                                                                                              \
        for (int64_t j = 0; j < lines; ++j)                                                        \
            to[j] = from[j * apart];                                                               \
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
        IN near[EXTREMUM_STRIP];                                                                   \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            best[j] = RANK(from[j * apart]);                                                       \
            found[j] = 0;                                                                          \
        }                                                                                          \
        for (int64_t i = 1; i < count; ++i)                                                        \
            if (apart == 1)                                                                        \
                row_##NAME(from + i * step, 1, (INDEX)i, best, found, lines);                      \
            else if (sizeof(IN) < sizeof(INDEX)) {                                                 \
                gather_##NAME(from + i * step, apart, near, lines);                                \
                row_##NAME(near, 1, (INDEX)i, best, found, lines);                                 \
            } else                                                                                 \
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
#define EXTREMA(X)                                                                                 \
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
    X(BFLOAT16, bits16, int32_t, int32_t, LARGEST_BFLOAT, SMALLEST_BFLOAT)                         \
    X(FLOAT32, bits32, int32_t, int32_t, LARGEST_FLOAT, SMALLEST_FLOAT)                            \
    X(FLOAT64, bits64, int64_t, int64_t, LARGEST_DOUBLE, SMALLEST_DOUBLE)

/* Of keys that are as narrow as the elements. */
#define NEAR_WHOLE(NAME, IN, KEY, READ, relation, LIMIT)                                           \
    TOP_OF_WHOLE(NAME, IN, KEY, READ, relation)                                                    \
    NEAR_FUNCTION(NAME, IN, KEY, KEY, READ, relation, LIMIT, ALWAYS)
#define NEAR_INTEGER(NAME, T, LEAST, MOST)                                                         \
    NEAR_WHOLE(largest_##NAME, T, T, RANK_SAME, >, MOST)                                           \
    NEAR_WHOLE(smallest_##NAME, T, T, RANK_SAME, <, LEAST)
NEAR_INTEGER(BOOL, uint8_t, 0, 1)
NEAR_INTEGER(INT8, int8_t, INT8_MIN, INT8_MAX)
NEAR_INTEGER(INT16, int16_t, INT16_MIN, INT16_MAX)
NEAR_INTEGER(INT32, int32_t, INT32_MIN, INT32_MAX)
NEAR_INTEGER(INT64, int64_t, INT64_MIN, INT64_MAX)
NEAR_INTEGER(UINT8, uint8_t, 0, UINT8_MAX)
NEAR_INTEGER(UINT16, uint16_t, 0, UINT16_MAX)
NEAR_INTEGER(UINT32, uint32_t, 0, UINT32_MAX)
NEAR_INTEGER(UINT64, uint64_t, 0, UINT64_MAX)

/* Halves by their ranks, of which that of NaN is INT16_MAX. */
#define NARROW_RANK(RANK, x) ((int16_t)RANK(x))
#define NARROW_LARGEST_HALF(x) NARROW_RANK(LARGEST_HALF, x)
#define NARROW_SMALLEST_HALF(x) NARROW_RANK(SMALLEST_HALF, x)
#define NARROW_LARGEST_BFLOAT(x) NARROW_RANK(LARGEST_BFLOAT, x)
#define NARROW_SMALLEST_BFLOAT(x) NARROW_RANK(SMALLEST_BFLOAT, x)
NEAR_WHOLE(largest_FLOAT16, bits16, int16_t, NARROW_LARGEST_HALF, >, INT16_MAX)
NEAR_WHOLE(smallest_FLOAT16, bits16, int16_t, NARROW_SMALLEST_HALF, >, INT16_MAX)
NEAR_WHOLE(largest_BFLOAT16, bits16, int16_t, NARROW_LARGEST_BFLOAT, >, INT16_MAX)
NEAR_WHOLE(smallest_BFLOAT16, bits16, int16_t, NARROW_SMALLEST_BFLOAT, >, INT16_MAX)

/* Other floats as they are, which takes fewer instructions than ranks do. */
#define NEAR_FLOAT(NAME, T, BITS, relation)                                                        \
    EXTREMUM_FUNCTION(top_of_##NAME, T, BITS, relation)                                            \
    NEAR_FUNCTION(NAME, T, T, BITS, , relation, NO_LIMIT, __builtin_isnan)
NEAR_FLOAT(largest_FLOAT32, float, bits32, >)
NEAR_FLOAT(smallest_FLOAT32, float, bits32, <)
NEAR_FLOAT(largest_FLOAT64, double, bits64, >)
NEAR_FLOAT(smallest_FLOAT64, double, bits64, <)

#define INSTANCES(NAME, IN, KEY, INDEX, LARGEST_RANK, SMALLEST_RANK)                               \
    EXTREMUM_LOOPS(largest_##NAME, IN, KEY, INDEX, LARGEST_RANK)                                   \
    EXTREMUM_LOOPS(smallest_##NAME, IN, KEY, INDEX, SMALLEST_RANK)
EXTREMA(INSTANCES)

#define INSTANCES_AT(NAME, ...) [JG_DTYPE_##NAME] = {&loops_largest_##NAME, &loops_smallest_##NAME},
const extremum_loops *const ROUTINE_NAMED(routine_extrema)[JG_DTYPE_COUNT][2] = {
    EXTREMA(INSTANCES_AT)};
