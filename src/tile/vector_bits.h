/* SPDX-License-Identifier: Apache-2.0 */
/* What the functions of vector_*.h are made of: bits of floats, and the multiplication that is
 * joined with an addition. */
#ifndef JG_TILE_VECTOR_BITS_H
#define JG_TILE_VECTOR_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Inlined whatever the compiler thinks of the size: a call in a loop is the end of its vector code,
 * and one file has hundreds of these loops. */
#define VECTOR_FUNCTION static inline __attribute__((always_inline))

VECTOR_FUNCTION uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

VECTOR_FUNCTION float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

VECTOR_FUNCTION uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

VECTOR_FUNCTION double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

VECTOR_FUNCTION float madd_f32(float x, float y, float z)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(x, y, z);
#else
    return x * y + z;
#endif
}

VECTOR_FUNCTION double madd_f64(double x, double y, double z)
{
#ifdef __FP_FAST_FMA
    return __builtin_fma(x, y, z);
#else
    return x * y + z;
#endif
}

/* Adding 1.5 * 2^23 (2^52) to a small number rounds it to a whole one, which then stands in the
 * sum's low bits: rounding and conversion without an instruction that SSE2 lacks. */
#define ROUNDER_F32 0x1.8p23f
#define ROUNDER_F64 0x1.8p52

#endif
