/* SPDX-License-Identifier: Apache-2.0 */
/* From the numbers in an index array to places, with every number checked: a loop without branches
 * for each dtype, once for any processor and once for AVX-512, which has the comparisons and the
 * products of 64 bits that it takes. */
#include "routine/indices.h"

#define SIGNED(x) ((int64_t)(x))
#define UNSIGNED64(x) ((int64_t)((x) > INT64_MAX ? INT64_MAX : (x)))

#define LOOP(NUMBER, PLACE)                                                                        \
    for (int64_t i = 0; i < count; ++i) {                                                          \
        int64_t at = NUMBER;                                                                       \
        at += at < 0 ? extent : 0;                                                                 \
        outside |= (uint64_t)at >= (uint64_t)extent;                                               \
        places[i] = PLACE;                                                                         \
    }

#define DECODE(ISA, NAME, T, AS_INT64)                                                             \
    FOR_##ISA static bool decode_##NAME##_##ISA(const indices_decoding *d)                         \
    {                                                                                              \
        const T *restrict from = d->from;                                                          \
        const int64_t step = d->step, count = d->count, extent = d->extent, stride = d->stride;    \
        const int64_t base = d->base;                                                              \
        int64_t *restrict places = d->places;                                                      \
        uint64_t outside = 0;                                                                      \
        if (d->begins && step == 1 && stride == 1)                                                 \
            LOOP(AS_INT64(from[i]), base + at)                                                     \
        else if (d->begins)                                                                        \
            LOOP(AS_INT64(from[i * step]), base + at * stride)                                     \
        else                                                                                       \
            LOOP(AS_INT64(from[i * step]), places[i] + at * stride)                                \
        return !outside;                                                                           \
    }

#define DECODERS(ISA)                                                                              \
    DECODE(ISA, INT8, int8_t, SIGNED)                                                              \
    DECODE(ISA, INT16, int16_t, SIGNED)                                                            \
    DECODE(ISA, INT32, int32_t, SIGNED)                                                            \
    DECODE(ISA, INT64, int64_t, SIGNED)                                                            \
    DECODE(ISA, UINT8, uint8_t, SIGNED)                                                            \
    DECODE(ISA, UINT16, uint16_t, SIGNED)                                                          \
    DECODE(ISA, UINT32, uint32_t, SIGNED)                                                          \
    DECODE(ISA, UINT64, uint64_t, UNSIGNED64)                                                      \
    static bool (*const decoders_##ISA[JG_DTYPE_COUNT])(const indices_decoding *d) = {             \
        [JG_DTYPE_INT8] = decode_INT8_##ISA,     [JG_DTYPE_INT16] = decode_INT16_##ISA,            \
        [JG_DTYPE_INT32] = decode_INT32_##ISA,   [JG_DTYPE_INT64] = decode_INT64_##ISA,            \
        [JG_DTYPE_UINT8] = decode_UINT8_##ISA,   [JG_DTYPE_UINT16] = decode_UINT16_##ISA,          \
        [JG_DTYPE_UINT32] = decode_UINT32_##ISA, [JG_DTYPE_UINT64] = decode_UINT64_##ISA,          \
    };

#define FOR_ANY
DECODERS(ANY)

#ifdef __x86_64__
#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"), optimize("O3")))
DECODERS(AVX512)

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

bool indices_decode(jg_dtype dtype, const indices_decoding *decoding)
{
#ifdef __x86_64__
    if (has_avx512())
        return decoders_AVX512[dtype](decoding);
#endif
    return decoders_ANY[dtype](decoding);
}
