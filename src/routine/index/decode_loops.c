/* SPDX-License-Identifier: Apache-2.0 */
/* From the numbers in an index array to offsets, with every number checked: a loop without branches
 * for each dtype. Offsets of numbers that are out of range are never used. */
#include "routine/loops.h"

#define SIGNED(x) ((int64_t)(x))
/* A number beyond int64 is beyond any extent. */
#define UNSIGNED64(x) ((int64_t)((x) > INT64_MAX ? INT64_MAX : (x)))

/* In unsigned arithmetic, as a number out of range may overflow int64. */
#define OFFSET_OF(start, at, stride)                                                               \
    ((int64_t)((uint64_t)(start) + (uint64_t)(at) * (uint64_t)(stride)))

#define LOOP(NUMBER, OFFSET)                                                                       \
    for (int64_t i = 0; i < count; ++i) {                                                          \
        int64_t at = NUMBER;                                                                       \
        at += at < 0 ? extent : 0;                                                                 \
        outside |= (uint64_t)at >= (uint64_t)extent;                                               \
        offsets[i] = OFFSET;                                                                       \
    }

#define DECODE(NAME, T, AS_INT64)                                                                  \
    static bool decode_##NAME(const indices_decoding *d)                                           \
    {                                                                                              \
        const T *restrict from = d->from;                                                          \
        const int64_t step = d->step, count = d->count, extent = d->extent, stride = d->stride;    \
        const int64_t base = d->base;                                                              \
        int64_t *restrict offsets = d->offsets;                                                    \
        uint64_t outside = 0;                                                                      \
        if (d->begins && step == 1 && stride == 1)                                                 \
            LOOP(AS_INT64(from[i]), OFFSET_OF(base, at, 1))                                        \
        else if (d->begins)                                                                        \
            LOOP(AS_INT64(from[i * step]), OFFSET_OF(base, at, stride))                            \
        else                                                                                       \
            LOOP(AS_INT64(from[i * step]), OFFSET_OF(offsets[i], at, stride))                      \
        return !outside;                                                                           \
    }

DECODE(INT8, int8_t, SIGNED)
DECODE(INT16, int16_t, SIGNED)
DECODE(INT32, int32_t, SIGNED)
DECODE(INT64, int64_t, SIGNED)
DECODE(UINT8, uint8_t, SIGNED)
DECODE(UINT16, uint16_t, SIGNED)
DECODE(UINT32, uint32_t, SIGNED)
DECODE(UINT64, uint64_t, UNSIGNED64)

indices_decoder *const ROUTINE_NAMED(routine_decoders)[JG_DTYPE_COUNT] = {
    [JG_DTYPE_INT8] = decode_INT8,     [JG_DTYPE_INT16] = decode_INT16,
    [JG_DTYPE_INT32] = decode_INT32,   [JG_DTYPE_INT64] = decode_INT64,
    [JG_DTYPE_UINT8] = decode_UINT8,   [JG_DTYPE_UINT16] = decode_UINT16,
    [JG_DTYPE_UINT32] = decode_UINT32, [JG_DTYPE_UINT64] = decode_UINT64,
};
