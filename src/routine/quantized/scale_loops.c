/* SPDX-License-Identifier: Apache-2.0 */
/* Scales and biases of quantised matrices as floats. */
#include "routine/loops.h"
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void floats_of_halfs(const uint16_t *from, int64_t count, float *to)
{
    int64_t i = 0;
#ifdef __F16C__
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
    for (; i < count; ++i)
        to[i] = float_from_half(from[i]);
}

/* E4M3 as codes are read (quantized_loops.c): NaN would be 480, but no scale is NaN. */
static void floats_of_bytes(const uint8_t *from, int64_t count, float *to)
{
    for (int64_t i = 0; i < count; ++i) {
        uint32_t low = from[i] & 0x7f;
        float size = low < 8 ? (float)low * 0x1p-9f : float_of_bits((low << 20) + (120u << 23));
        to[i] = from[i] & 0x80 ? -size : size;
    }
}

void ROUTINE_NAMED(quantized_floats)(quantized_scale kind, const void *from, int64_t count,
                                     float *to)
{
    const uint16_t *halfs = from;
    const uint8_t *bytes = from;
    switch (kind) {
    case QUANTIZED_SCALE_FLOAT32: memcpy(to, from, (size_t)count * sizeof *to); break;
    case QUANTIZED_SCALE_FLOAT16: floats_of_halfs(halfs, count, to); break;
    case QUANTIZED_SCALE_BFLOAT16:
        for (int64_t i = 0; i < count; ++i)
            to[i] = float_of_bits((uint32_t)halfs[i] << 16);
        break;
    case QUANTIZED_SCALE_E8M0:
        for (int64_t i = 0; i < count; ++i)
            /* 2^-127 is subnormal. */
            to[i] = float_of_bits(bytes[i] == 0 ? 1u << 22 : (uint32_t)bytes[i] << 23);
        break;
    case QUANTIZED_SCALE_E4M3: floats_of_bytes(bytes, count, to); break;
    }
}
