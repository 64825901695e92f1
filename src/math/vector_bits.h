/* SPDX-License-Identifier: Apache-2.0 */
/* The basic functions of vector_*.h: bits of floats, and the multiplication that is joined with an
 * addition. */
#ifndef JG_MATH_VECTOR_BITS_H
#define JG_MATH_VECTOR_BITS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Always inlined: a loop with a call does not become vector code, and one file has hundreds of
 * these loops, which exceeds compilers' limits of size. */
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

/* All bits set where the size of a number is above the limit, or it is NaN. A choice by such a mask
 * cannot become a branch. GCC makes one of a condition that is tested twice, with a copy of all the
 * code between. */
VECTOR_FUNCTION uint32_t above_f32(float size, float limit)
{
    return (uint32_t)((int32_t)(bits_of_f32(limit) - bits_of_f32(size)) >> 31);
}

VECTOR_FUNCTION float pick_f32(uint32_t mask, float yes, float no)
{
    return f32_of_bits((bits_of_f32(yes) & mask) | (bits_of_f32(no) & ~mask));
}

/* x, or the limit, which is negative, where x is less; NaN stays. Clang makes one instruction of
 * the comparison and the choice. GCC makes two, one of which occupies a multiplier, so with GCC
 * integers are compared: as integers, negative NaNs are beyond -infinity, and adding this constant
 * moves them to the other end. */
#define PAST_INFINITY_F32 0x7fffffu
#define PAST_INFINITY_F64 0xfffffffffffffu

VECTOR_FUNCTION float at_least_f32(float x, float limit)
{
#ifdef __clang__
    return x < limit ? limit : x;
#else
    uint32_t least = bits_of_f32(limit) + PAST_INFINITY_F32;
    uint32_t moved = bits_of_f32(x) + PAST_INFINITY_F32;
    return f32_of_bits((moved < least ? moved : least) - PAST_INFINITY_F32);
#endif
}

VECTOR_FUNCTION double at_least_f64(double x, double limit)
{
#ifdef __clang__
    return x < limit ? limit : x;
#else
    uint64_t least = bits_of_f64(limit) + PAST_INFINITY_F64;
    uint64_t moved = bits_of_f64(x) + PAST_INFINITY_F64;
    return f64_of_bits((moved < least ? moved : least) - PAST_INFINITY_F64);
#endif
}

/* The smaller of two of which the limit is positive; a NaN is above or below it by its sign. */
VECTOR_FUNCTION float cut_f32(float x, float limit)
{
    int32_t bits = (int32_t)bits_of_f32(x), most = (int32_t)bits_of_f32(limit);
    return f32_of_bits((uint32_t)(bits < most ? bits : most));
}

VECTOR_FUNCTION double cut_f64(double x, double limit)
{
    int64_t bits = (int64_t)bits_of_f64(x), most = (int64_t)bits_of_f64(limit);
    return f64_of_bits((uint64_t)(bits < most ? bits : most));
}

/* Whether madd_ rounds once. */
#if defined __FP_FAST_FMAF || defined __FMA__ /* clang has the second alone */
#define JOINS_F32 1
#else
#define JOINS_F32 0
#endif
#if defined __FP_FAST_FMA || defined __FMA__
#define JOINS_F64 1
#else
#define JOINS_F64 0
#endif

VECTOR_FUNCTION float madd_f32(float x, float y, float z)
{
    return JOINS_F32 ? __builtin_fmaf(x, y, z) : x * y + z;
}

VECTOR_FUNCTION double madd_f64(double x, double y, double z)
{
    return JOINS_F64 ? __builtin_fma(x, y, z) : x * y + z;
}

/* Adding 1.5 * 2^23 (2^52) to a small number rounds it to a whole one, which then is in the sum's
 * low bits: rounding and conversion without an instruction that SSE2 lacks. */
#define ROUNDER_F32 0x1.8p23f
#define ROUNDER_F64 0x1.8p52

/* The same with an exponent's bias on top: the sum's low bits, shifted to where exponents stand,
 * are the power of two; and with two biases, which are shared out between two factors. */
#define SCALER_F32 0x1.8000fep23f
#define SCALER_F64 0x1.80000000003ffp52
#define TWO_SCALERS_F32 0x1.8001fcp23f
#define TWO_SCALERS_F64 0x1.80000000007fep52

#endif
