/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of PLACE. Elements are compared as whole numbers of the same order, largest first: a
 * float's magnitude with its sign, NaN beyond all others, and for the smallest everything turned
 * round. */
#include "routine/kernels.h"

enum { CHUNK = 256 }; /* of a line, whose largest is found before its place */

/* An instance for elements IN, compared as RANK(x), a KEY; INDEX is an integer as wide as KEY. */
#define PLACE_KERNELS(NAME, IN, KEY, INDEX, RANK)                                                  \
    static inline KEY top_##NAME(const IN *from, int64_t count, int64_t step)                      \
    {                                                                                              \
        KEY top = RANK(from[0]);                                                                   \
        for (int64_t i = 1; i < count; ++i) {                                                      \
            KEY rank = RANK(from[i * step]);                                                       \
            top = rank > top ? rank : top;                                                         \
        }                                                                                          \
        return top;                                                                                \
    }                                                                                              \
                                                                                                   \
    static int64_t along_##NAME(const void *line, int64_t count, int64_t step)                     \
    {                                                                                              \
        const IN *from = line;                                                                     \
        int64_t place = 0;                                                                         \
        KEY best = RANK(from[0]);                                                                  \
        for (int64_t first = 0; first < count; first += CHUNK) {                                   \
            const IN *chunk = from + first * step;                                                 \
            int64_t n = count - first < CHUNK ? count - first : CHUNK;                             \
            KEY top = step == 1 ? top_##NAME(chunk, n, 1) : top_##NAME(chunk, n, step);            \
            if (top > best) {                                                                      \
                best = top;                                                                        \
                place = first;                                                                     \
            }                                                                                      \
        }                                                                                          \
        while (RANK(from[place * step]) != best) /* it stands in the chunk that begins there */    \
            ++place;                                                                               \
        return place;                                                                              \
    }                                                                                              \
                                                                                                   \
    static inline void row_##NAME(const IN *restrict from, int64_t apart, INDEX place,             \
                                  KEY *restrict best, INDEX *restrict places, int64_t lines)       \
    {                                                                                              \
        for (int64_t j = 0; j < lines; ++j) {                                                      \
            KEY rank = RANK(from[j * apart]);                                                      \
            places[j] = rank > best[j] ? place : places[j];                                        \
            best[j] = rank > best[j] ? rank : best[j];                                             \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void across_##NAME(const void *line, int64_t count, int64_t step, int64_t lines,        \
                              int64_t apart, int64_t *places)                                      \
    {                                                                                              \
        const IN *from = line;                                                                     \
        KEY best[PLACE_STRIP];                                                                     \
        INDEX found[PLACE_STRIP];                                                                  \
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
            places[j] = found[j];                                                                  \
    }                                                                                              \
                                                                                                   \
    static bool beats_##NAME(const void *x, const void *other)                                     \
    {                                                                                              \
        return RANK(*(const IN *)x) > RANK(*(const IN *)other);                                    \
    }                                                                                              \
                                                                                                   \
    static const place_kernels kernels_##NAME = {                                                  \
        .along = along_##NAME, .across = across_##NAME, .beats = beats_##NAME};

/* ---- ranks ---- */

typedef int16_t bits16 __attribute__((may_alias));
typedef int32_t bits32 __attribute__((may_alias));
typedef int64_t bits64 __attribute__((may_alias));

/* Without branches, so that compilers make vector code of it. */
#define SIGN(bits) ((bits) >> (8 * (int)sizeof(bits) - 1))
#define SIGNED(bits, high) ((((bits) & (high)) ^ SIGN(bits)) - SIGN(bits))
#define IS_NAN(T, bits, high, infinity) (-(T)(((bits) & (high)) > (infinity)))
#define ORDER(T, bits, high, infinity)                                                             \
    ((SIGNED(bits, high) & ~IS_NAN(T, bits, high, infinity)) |                                     \
     ((high)&IS_NAN(T, bits, high, infinity)))
#define TURNED(T, bits, high, infinity)                                                            \
    ((-SIGNED(bits, high) & ~IS_NAN(T, bits, high, infinity)) |                                    \
     ((high)&IS_NAN(T, bits, high, infinity)))

#define RANK_SAME(x) (x)
#define RANK_TURNED(x) (~(x))
#define RANK_HALF(x) ORDER(int32_t, x, INT16_MAX, 0x7c00)
#define RANK_BFLOAT(x) ORDER(int32_t, x, INT16_MAX, 0x7f80)
#define RANK_FLOAT(x) ORDER(int32_t, x, INT32_MAX, 0x7f800000)
#define RANK_DOUBLE(x) ORDER(int64_t, x, INT64_MAX, INT64_C(0x7ff0000000000000))
#define TURNED_HALF(x) TURNED(int32_t, x, INT16_MAX, 0x7c00)
#define TURNED_BFLOAT(x) TURNED(int32_t, x, INT16_MAX, 0x7f80)
#define TURNED_FLOAT(x) TURNED(int32_t, x, INT32_MAX, 0x7f800000)
#define TURNED_DOUBLE(x) TURNED(int64_t, x, INT64_MAX, INT64_C(0x7ff0000000000000))

/* X(NAME, IN, KEY, INDEX, RANK, TURNED) */
#define PLACES(X)                                                                                  \
    X(BOOL, uint8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                     \
    X(INT8, int8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                      \
    X(INT16, int16_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(INT32, int32_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(INT64, int64_t, int64_t, int64_t, RANK_SAME, RANK_TURNED)                                    \
    X(UINT8, uint8_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                    \
    X(UINT16, uint16_t, int32_t, int32_t, RANK_SAME, RANK_TURNED)                                  \
    X(UINT32, uint32_t, uint32_t, int32_t, RANK_SAME, RANK_TURNED)                                 \
    X(UINT64, uint64_t, uint64_t, int64_t, RANK_SAME, RANK_TURNED)                                 \
    X(FLOAT16, bits16, int32_t, int32_t, RANK_HALF, TURNED_HALF)                                   \
    X(BFLOAT16, bits16, int32_t, int32_t, RANK_BFLOAT, TURNED_BFLOAT)                              \
    X(FLOAT32, bits32, int32_t, int32_t, RANK_FLOAT, TURNED_FLOAT)                                 \
    X(FLOAT64, bits64, int64_t, int64_t, RANK_DOUBLE, TURNED_DOUBLE)

#define INSTANCES(NAME, IN, KEY, INDEX, LARGEST_RANK, SMALLEST_RANK)                               \
    PLACE_KERNELS(largest_##NAME, IN, KEY, INDEX, LARGEST_RANK)                                    \
    PLACE_KERNELS(smallest_##NAME, IN, KEY, INDEX, SMALLEST_RANK)
PLACES(INSTANCES)

#define INSTANCES_AT(NAME, ...)                                                                    \
    [JG_DTYPE_##NAME] = {&kernels_largest_##NAME, &kernels_smallest_##NAME},
const place_kernels *const ROUTINE_NAMED(routine_places)[JG_DTYPE_COUNT][2] = {
    PLACES(INSTANCES_AT)};
