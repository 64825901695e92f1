/* SPDX-License-Identifier: Apache-2.0 */
/* float16 and bfloat16 as bit patterns, to and from float.
 *
 * Rounding is to nearest, ties to even; a NaN keeps its sign and its leading payload bits and
 * becomes quiet, as the conversion instructions of x86 (F16C) and AArch64 do it, so that
 * constants folded here agree with what a device computes. Only integer arithmetic: no rounding
 * mode can change the result. */
#include "tensor/tensor.h"
#include <string.h>

#define FLOAT_INFINITY 0x7f800000u
#define HALF_INFINITY 0x7c00u
#define FLOAT_QUIET 0x00400000u
#define HALF_QUIET 0x0200u
#define FLOAT_HALF_MAX 0x47800000u    /* 65536: from here on half overflows even before rounding */
#define FLOAT_HALF_NORMAL 0x38800000u /* 2^-14, the smallest normal half */
#define BIAS_DIFFERENCE (127u - 15u)

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value / 2^shift, rounded to nearest even. 1 <= shift <= 31 */
static uint32_t shift_rounding(uint32_t value, unsigned shift)
{
    uint32_t half = 1u << (shift - 1), odd = value >> shift & 1;
    return (value + half - 1 + odd) >> shift;
}

/* A subnormal half is mantissa * 2^-24: shifted up until its leading 1 becomes the hidden bit. */
static uint32_t widen_subnormal(uint32_t mantissa)
{
    if (mantissa == 0)
        return 0;
    unsigned shift = (unsigned)__builtin_clz(mantissa) - 21; /* leading 1 to bit 10 */
    uint32_t exponent = BIAS_DIFFERENCE + 1 - shift;
    return exponent << 23 | (mantissa << shift & 0x3ffu) << 13;
}

float float_from_half(uint16_t bits)
{
    /* Four ranges, from the largest pattern down: NaN, infinity, subnormals and zero, normal
     * numbers. */
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    uint32_t rest = bits & 0x7fffu;
    if (rest > HALF_INFINITY)
        return float_of(sign | FLOAT_INFINITY | FLOAT_QUIET | (rest & 0x3ffu) << 13);
    if (rest == HALF_INFINITY)
        return float_of(sign | FLOAT_INFINITY);
    if (rest < 0x400u)
        return float_of(sign | widen_subnormal(rest));
    return float_of(sign | ((rest << 13) + (BIAS_DIFFERENCE << 23)));
}

/* A float below 2^-14 as a multiple of 2^-24, the spacing of subnormal halfs. */
static uint32_t narrow_to_subnormal(uint32_t rest)
{
    uint32_t exponent = rest >> 23;
    if (exponent < 127 - 25) /* below half the smallest subnormal */
        return 0;
    uint32_t mantissa = (rest & 0x7fffffu) | 0x800000u; /* value = mantissa * 2^(exponent - 150) */
    return shift_rounding(mantissa, 126 - exponent);
}

uint16_t float_to_half(float value)
{
    uint32_t bits = bits_of(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    uint32_t rest = bits & 0x7fffffffu;
    uint32_t result;
    if (rest > FLOAT_INFINITY)
        result = HALF_INFINITY | HALF_QUIET | (rest >> 13 & 0x3ffu);
    else if (rest >= FLOAT_HALF_MAX)
        result = HALF_INFINITY;
    else if (rest < FLOAT_HALF_NORMAL)
        result = narrow_to_subnormal(rest);
    else /* a carry out of the mantissa is right: the exponent goes up, at the end to infinity */
        result = shift_rounding(rest - (BIAS_DIFFERENCE << 23), 13);
    return (uint16_t)(sign | result);
}

float float_from_bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    if ((wide & 0x7fffffffu) > FLOAT_INFINITY)
        wide |= FLOAT_QUIET;
    return float_of(wide);
}

uint16_t float_to_bfloat(float value)
{
    uint32_t bits = bits_of(value);
    /* A NaN whose payload lies in the bits that go would become an infinity: hence the quiet
     * bit. */
    if ((bits & 0x7fffffffu) > FLOAT_INFINITY)
        return (uint16_t)((bits | FLOAT_QUIET) >> 16);
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
