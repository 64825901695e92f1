/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements at the offsets that whole numbers name. A block of numbers is checked by vector
 * code; those out of range load the first element instead, so that loads need no branch, and are
 * reported at the end. The loads themselves are scalar: vector gathers took longer on Zen 4. */
#include "routine/loops.h"

/* Offsets of a block stay in registers between the two loops. */
enum { BLOCK = 16 };

#define LOOK_UP(NUMBER, BITS, WORD)                                                                \
    static bool look_up_##NUMBER##_##BITS(const routine_lookup *lookup)                            \
    {                                                                                              \
        const NUMBER##_t *numbers = lookup->numbers;                                               \
        const WORD *restrict from = lookup->from;                                                  \
        WORD *restrict to = lookup->to;                                                            \
        const int64_t extent = lookup->extent, stride = lookup->stride;                            \
        uint64_t outside = 0;                                                                      \
        for (int64_t left = lookup->count; left > 0; left -= BLOCK) {                              \
            int64_t offsets[BLOCK] = {0}, count = int64_min(left, BLOCK);                          \
            for (int64_t i = 0; i < count; ++i) {                                                  \
                int64_t at = (int64_t)numbers[i] + (numbers[i] < 0 ? extent : 0);                  \
                bool wrong = (uint64_t)at >= (uint64_t)extent;                                     \
                outside |= wrong;                                                                  \
                offsets[i] = wrong ? 0 : at * stride;                                              \
            }                                                                                      \
            for (int64_t i = 0; i < count; ++i)                                                    \
                to[i] = from[offsets[i]];                                                          \
            numbers += count;                                                                      \
            to += count;                                                                           \
        }                                                                                          \
        return !outside;                                                                           \
    }

#define LOOK_UPS(NUMBER)                                                                           \
    LOOK_UP(NUMBER, 8, uint8_t)                                                                    \
    LOOK_UP(NUMBER, 16, uint16_t)                                                                  \
    LOOK_UP(NUMBER, 32, uint32_t)                                                                  \
    LOOK_UP(NUMBER, 64, uint64_t)                                                                  \
    LOOK_UP(NUMBER, 128, routine_word128)
LOOK_UPS(int32)
LOOK_UPS(int64)

#define ROW(NUMBER)                                                                                \
    {                                                                                              \
        look_up_##NUMBER##_8, look_up_##NUMBER##_16, look_up_##NUMBER##_32, look_up_##NUMBER##_64, \
            look_up_##NUMBER##_128                                                                 \
    }

routine_look_up *const ROUTINE_NAMED(routine_look_ups)[JG_DTYPE_COUNT][ROUTINE_ITEMSIZES] = {
    [JG_DTYPE_INT32] = ROW(int32),
    [JG_DTYPE_INT64] = ROW(int64),
};
