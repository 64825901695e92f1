/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to ranks and back, for sorting: ranks of 32 bits where those tell all elements
 * apart, else of 64. Descending order is the order of the inverted ranks. */
#include "routine/loops.h"
#include "routine/sort/rank.h"

/* With a step of 1 as a loop of its own, which becomes vector code. */
#define OVER_ELEMENTS(body)                                                                        \
    if (step == 1)                                                                                 \
        for (int64_t i = 0, at = 0; i < count; ++i, at = i)                                        \
    body else for (int64_t i = 0, at = 0; i < count; ++i, at = i * step) body

/* IN: an element's bits; KEY: its rank. ODD(x): whether other elements have the same rank. */
#define ELEMENT_FUNCTIONS(NAME, IN, KEY, RANK, ELEMENT, ODD)                                       \
    static bool read_##NAME(const void *from, int64_t step, int64_t count, bool descending,        \
                            void *ranks)                                                           \
    {                                                                                              \
        const IN *x = from;                                                                        \
        KEY *restrict to = ranks, turn = -(KEY)descending, odd = 0;                                \
        OVER_ELEMENTS({                                                                            \
            to[i] = (KEY)(RANK(x[at]) ^ turn);                                                     \
            odd |= (KEY)(ODD(x[at]));                                                              \
        })                                                                                         \
        return odd != 0;                                                                           \
    }                                                                                              \
                                                                                                   \
    static void write_##NAME(const void *ranks, int64_t count, bool descending, void *to)          \
    {                                                                                              \
        const KEY *from = ranks;                                                                   \
        KEY turn = -(KEY)descending;                                                               \
        IN *elements = to;                                                                         \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            KEY rank = from[i] ^ turn;                                                             \
            elements[i] = (IN)(ELEMENT(rank));                                                     \
        }                                                                                          \
    }

/* Rank in the high half, index in the low one: sorting such keys is stable, and indices are below
 * 2^32. */
#define PACK_FUNCTION(NAME, IN, RANK)                                                              \
    static void pack_##NAME(const void *from, int64_t step, int64_t count, int64_t first,          \
                            bool descending, int64_t *to)                                          \
    {                                                                                              \
        const IN *x = from;                                                                        \
        int32_t turn = -(int32_t)descending;                                                       \
        OVER_ELEMENTS({                                                                            \
            uint64_t rank = (uint32_t)(RANK(x[at]) ^ turn);                                        \
            to[i] = (int64_t)(rank << 32 | (uint64_t)(first + i));                                 \
        })                                                                                         \
    }

/* Restores zeros and NaN, whose ranks are shared, from the elements that were sorted, in their
 * order. */
#define RESTORE_FUNCTION(NAME, IN, ZERO, ODD)                                                      \
    static void restore_##NAME(const void *from, int64_t step, void *sorted, int64_t count)        \
    {                                                                                              \
        const IN *x = from;                                                                        \
        IN *to = sorted;                                                                           \
        int64_t zeros = 0, others = 0;                                                             \
        for (int64_t i = 0; i < count; ++i)                                                        \
            if (ZERO(to[i])) {                                                                     \
                while (!(ZERO(x[zeros * step])))                                                   \
                    zeros += 1;                                                                    \
                to[i] = x[zeros++ * step];                                                         \
            } else if (ODD(to[i])) {                                                               \
                while (!(ODD(x[others * step])) || ZERO(x[others * step]))                         \
                    others += 1;                                                                   \
                to[i] = x[others++ * step];                                                        \
            }                                                                                      \
    }

/* How many elements there are of each rank, and the elements of those counts. Ranks of signed and
 * unsigned integers share the table: it begins a third of its levels below 0. */
#define TALLY_FUNCTIONS(NAME, IN, RANK, ELEMENT, LEVELS)                                           \
    static void tally_##NAME(const void *from, int64_t step, int64_t count, uint32_t *counts)      \
    {                                                                                              \
        const IN *x = from;                                                                        \
        for (int64_t i = 0; i < count; ++i)                                                        \
            counts[RANK(x[i * step]) + (LEVELS) / 3] += 1;                                         \
    }                                                                                              \
                                                                                                   \
    static void spill_##NAME(const uint32_t *counts, bool descending, void *to)                    \
    {                                                                                              \
        IN *out = to;                                                                              \
        for (int32_t i = 0; i < (LEVELS); ++i) {                                                   \
            int32_t level = descending ? (LEVELS)-1 - i : i, rank = level - (LEVELS) / 3;          \
            for (uint32_t k = counts[level]; k > 0; --k)                                           \
                *out++ = (IN)(ELEMENT(rank));                                                      \
        }                                                                                          \
    }

enum { LEVELS_8 = 3 << 7, LEVELS_16 = 3 << 15 }; /* ranks from minus a third of them on */

#define SAME(x) (x)
#define NEVER(x) 0
#define UNSIGNED_32(x) (int32_t)((uint32_t)(x) ^ UINT32_C(0x80000000))
#define UNSIGNED_64(x) (int64_t)((uint64_t)(x) ^ (UINT64_C(1) << 63))

/* A float's bits are those of its magnitude and its sign. */
#define OF_RANK(rank, sign_bit)                                                                    \
    ((((rank) ^ RANK_SIGN(rank)) - RANK_SIGN(rank)) | (RANK_SIGN(rank) & (sign_bit)))
#define IS_ODD(T, bits, high, infinity) (((bits) & (high)) > (infinity) || (bits) == ~(high))
#define IS_ZERO(T, bits, high, infinity) (((bits) & (high)) == 0)

#define HALF(x) RANK_HALF(RANK_OF, x)
#define BFLOAT(x) RANK_BFLOAT(RANK_OF, x)
#define FLOAT(x) RANK_FLOAT(RANK_OF, x)
#define DOUBLE(x) RANK_DOUBLE(RANK_OF, x)
#define OF_HALF(rank) OF_RANK(rank, ~INT16_MAX)
#define OF_FLOAT(rank) OF_RANK(rank, ~INT32_MAX)
#define OF_DOUBLE(rank) OF_RANK(rank, ~INT64_MAX)
#define ODD_HALF(x) RANK_HALF(IS_ODD, x)
#define ODD_BFLOAT(x) RANK_BFLOAT(IS_ODD, x)
#define ODD_FLOAT(x) RANK_FLOAT(IS_ODD, x)
#define ODD_DOUBLE(x) RANK_DOUBLE(IS_ODD, x)
#define ZERO_HALF(x) RANK_HALF(IS_ZERO, x)
#define ZERO_FLOAT(x) RANK_FLOAT(IS_ZERO, x)
#define ZERO_DOUBLE(x) RANK_DOUBLE(IS_ZERO, x)

/* X(NAME, IN, RANK, ELEMENT, LEVELS) */
#define SMALL_INTEGERS(X)                                                                          \
    X(BOOL, uint8_t, SAME, SAME, LEVELS_8)                                                         \
    X(INT8, int8_t, SAME, SAME, LEVELS_8)                                                          \
    X(UINT8, uint8_t, SAME, SAME, LEVELS_8)                                                        \
    X(INT16, int16_t, SAME, SAME, LEVELS_16)                                                       \
    X(UINT16, uint16_t, SAME, SAME, LEVELS_16)

#define SMALL_INTEGER(NAME, IN, RANK, ELEMENT, LEVELS)                                             \
    ELEMENT_FUNCTIONS(NAME, IN, int32_t, RANK, ELEMENT, NEVER)                                     \
    PACK_FUNCTION(NAME, IN, RANK)                                                                  \
    TALLY_FUNCTIONS(NAME, IN, RANK, ELEMENT, LEVELS)
SMALL_INTEGERS(SMALL_INTEGER)

ELEMENT_FUNCTIONS(INT32, int32_t, int32_t, SAME, SAME, NEVER)
ELEMENT_FUNCTIONS(UINT32, uint32_t, int32_t, UNSIGNED_32, (uint32_t)UNSIGNED_32, NEVER)
ELEMENT_FUNCTIONS(INT64, int64_t, int64_t, SAME, SAME, NEVER)
ELEMENT_FUNCTIONS(UINT64, uint64_t, int64_t, UNSIGNED_64, (uint64_t)UNSIGNED_64, NEVER)
PACK_FUNCTION(INT32, int32_t, SAME)
PACK_FUNCTION(UINT32, uint32_t, UNSIGNED_32)

#define HALF_FUNCTIONS(NAME, RANK, ODD)                                                            \
    ELEMENT_FUNCTIONS(NAME, bits16, int32_t, RANK, OF_HALF, ODD)                                   \
    PACK_FUNCTION(NAME, bits16, RANK)                                                              \
    RESTORE_FUNCTION(NAME, bits16, ZERO_HALF, ODD)                                                 \
    TALLY_FUNCTIONS(NAME, bits16, RANK, OF_HALF, LEVELS_16)
HALF_FUNCTIONS(FLOAT16, HALF, ODD_HALF)
HALF_FUNCTIONS(BFLOAT16, BFLOAT, ODD_BFLOAT)

ELEMENT_FUNCTIONS(FLOAT32, bits32, bits32, FLOAT, OF_FLOAT, ODD_FLOAT)
PACK_FUNCTION(FLOAT32, bits32, FLOAT)
RESTORE_FUNCTION(FLOAT32, bits32, ZERO_FLOAT, ODD_FLOAT)
ELEMENT_FUNCTIONS(FLOAT64, bits64, bits64, DOUBLE, OF_DOUBLE, ODD_DOUBLE)
RESTORE_FUNCTION(FLOAT64, bits64, ZERO_DOUBLE, ODD_DOUBLE)

/* Complex numbers: by their real parts and then their imaginary ones; after all of those, as in
 * NumPy, the numbers with a NaN: first those whose real part is not NaN, ordered by it, then
 * those whose imaginary part is not NaN, then the rest. MAJOR comes before MINOR in the order;
 * LARGEST is a NaN's rank. */

#define MAJOR(re, im, LARGEST)                                                                     \
    ((re) == (LARGEST) ? (LARGEST)-1 + ((im) == (LARGEST)) : (im) == (LARGEST) ? (LARGEST)-2 : (re))
#define MINOR(re, im, LARGEST)                                                                     \
    ((re) == (LARGEST) && (im) == (LARGEST) ? 0 : (im) == (LARGEST) ? (re) : (im))

/* Both ranks in one key of 64 bits: the minor one with its sign bit turned, as it counts without
 * sign. */
static bool read_COMPLEX64(const void *from, int64_t step, int64_t count, bool descending,
                           void *ranks)
{
    const bits32 *x = from;
    int64_t *to = ranks, turn = -(int64_t)descending;
    for (int64_t i = 0; i < count; ++i) {
        int32_t re = FLOAT(x[2 * i * step]), im = FLOAT(x[2 * i * step + 1]);
        uint64_t major = (uint32_t)MAJOR(re, im, INT32_MAX);
        uint64_t minor = (uint32_t)MINOR(re, im, INT32_MAX) ^ UINT32_C(0x80000000);
        to[i] = (int64_t)(major << 32 | minor) ^ turn;
    }
    return false;
}

static bool read_COMPLEX128(const void *from, int64_t step, int64_t count, bool descending,
                            void *ranks)
{
    const bits64 *x = from;
    int64_t *to = ranks, turn = -(int64_t)descending;
    for (int64_t i = 0; i < count; ++i) {
        int64_t re = DOUBLE(x[2 * i * step]), im = DOUBLE(x[2 * i * step + 1]);
        to[i] = MAJOR(re, im, INT64_MAX) ^ turn;
    }
    return false;
}

static void read_minor_COMPLEX128(const void *from, int64_t step, int64_t count, bool descending,
                                  int64_t *to)
{
    const bits64 *x = from;
    int64_t turn = -(int64_t)descending;
    for (int64_t i = 0; i < count; ++i) {
        int64_t re = DOUBLE(x[2 * i * step]), im = DOUBLE(x[2 * i * step + 1]);
        to[i] = MINOR(re, im, INT64_MAX) ^ turn;
    }
}

#define READS(NAME) .read = read_##NAME
#define WRITES(NAME) READS(NAME), .write = write_##NAME
#define PACKS(NAME) WRITES(NAME), .pack = pack_##NAME
#define TALLIES(NAME, nlevels)                                                                     \
    PACKS(NAME), .levels = nlevels, .tally = tally_##NAME, .spill = spill_##NAME
#define RESTORES(NAME) .restore = restore_##NAME

#define SMALL_INTEGER_AT(NAME, IN, RANK, ELEMENT, LEVELS)                                          \
    [JG_DTYPE_##NAME] = {TALLIES(NAME, LEVELS)},

const sort_elements ROUTINE_NAMED(routine_elements)[JG_DTYPE_COUNT] = {
    SMALL_INTEGERS(SMALL_INTEGER_AT)[JG_DTYPE_INT32] = {PACKS(INT32)},
    [JG_DTYPE_UINT32] = {PACKS(UINT32)},
    [JG_DTYPE_INT64] = {WRITES(INT64), .wide = true},
    [JG_DTYPE_UINT64] = {WRITES(UINT64), .wide = true},
    [JG_DTYPE_FLOAT16] = {TALLIES(FLOAT16, LEVELS_16), RESTORES(FLOAT16)},
    [JG_DTYPE_BFLOAT16] = {TALLIES(BFLOAT16, LEVELS_16), RESTORES(BFLOAT16)},
    [JG_DTYPE_FLOAT32] = {PACKS(FLOAT32), RESTORES(FLOAT32)},
    [JG_DTYPE_FLOAT64] = {WRITES(FLOAT64), RESTORES(FLOAT64), .wide = true},
    [JG_DTYPE_COMPLEX64] = {READS(COMPLEX64), .wide = true},
    [JG_DTYPE_COMPLEX128] = {READS(COMPLEX128), .read_minor = read_minor_COMPLEX128, .wide = true},
};
