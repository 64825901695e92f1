/* SPDX-License-Identifier: Apache-2.0 */
/* sin, cos and tan of |x| up to TRIG_LIMIT: x less n pi/2, then a polynomial on [-pi/4, pi/4].
 *
 * pi/2 is in parts, so that what the subtractions round off is known and arguments close to a
 * multiple of pi/2 are as accurate as others. Beyond the limit loops call libm, element by
 * element. The floats' n is off by up to 0.02 there, so their polynomials fit up to 0.83. */
#ifndef JG_MATH_VECTOR_TRIG_H
#define JG_MATH_VECTOR_TRIG_H

#include "math/vector_bits.h"

#define TRIG_LIMIT 1e6

/* The whole number of quarter turns nearest to x. In double for float32 too: 1e6 has 20 bits before
 * the point. */
VECTOR_FUNCTION double quarter_turns(double x)
{
    return madd_f64(x, 0x1.45f306dc9c883p-1, ROUNDER_F64) - ROUNDER_F64;
}

/* x - n pi/2 with the n nearest to x, which is in the low bits of *turns, and in *low, below 2^-24,
 * what the result has too much. Of the joined multiplications the first is exact, as its result is
 * below 1 and a multiple of 2^-22; `fine` is the next part's product, a multiple of 2^-24 so that
 * the difference is exact as well. The signs are such that of -0 comes -0, and a *low of 0. */
VECTOR_FUNCTION float reduce_turns_f32(float x, uint32_t *turns, float *low)
{
    if (!JOINS_F32) {
        double whole = quarter_turns((double)x);
        double reduced = ((double)x - whole * 0x1.921fb544p+0) - whole * 0x1.0b4611a626331p-34;
        *turns = (uint32_t)(int32_t)whole;
        *low = (float)((double)(float)reduced - reduced);
        return (float)reduced;
    }
    float rounded = madd_f32(x, 0x1.45f306p-1f, ROUNDER_F32), n = rounded - ROUNDER_F32;
    float coarse = madd_f32(n, -0x1.921fb4p+0f, x);
    float fine = madd_f32(n, 0x1.4442d2p-24f, 0.75f) - 0.75f;
    *turns = bits_of_f32(rounded);
    *low = madd_f32(n, -0x1.ee59dap-50f, madd_f32(n, 0x1.4442d2p-24f, -fine));
    return coarse - fine;
}

/* sin (of an even number of turns more) or cos of the remainder, with the sign of the turns. */
VECTOR_FUNCTION float turn_f32(float r, float low, uint32_t turns)
{
    float z = r * r;
    float p = 0x1.986292p-13f;
    p = madd_f32(p, z, -0x1.110486p-7f);
    p = madd_f32(p, z, 0x1.55553ep-3f);
    float sine = r - madd_f32(r * z, p, low);
    float q = 0x1.9938b0p-16f;
    q = madd_f32(q, z, -0x1.6c09bap-10f);
    q = madd_f32(q, z, 0x1.555546p-5f);
    float half = 0.5f * z, near = 1.0f - half;
    float cosine = near + (((1.0f - near) - half) + madd_f32(z * z, q, r * low));
    float result = turns & 1 ? cosine : sine;
    return f32_of_bits(bits_of_f32(result) ^ (turns << 30 & 0x80000000u));
}

VECTOR_FUNCTION float vector_sin_f32(float x)
{
    uint32_t turns;
    float low, r = reduce_turns_f32(x, &turns, &low), result = turn_f32(r, low, turns);
    return JOINS_F32 || x != 0.0f ? result : x;
}

VECTOR_FUNCTION float vector_cos_f32(float x)
{
    uint32_t turns;
    float low, r = reduce_turns_f32(x, &turns, &low);
    return turn_f32(r, low, turns + 1);
}

/* x - n pi/2, and in *low what the result rounds off. Two differences with their errors (two-sum),
 * as n pi/2 is in four parts, the first three of them with products that are exact. */
VECTOR_FUNCTION double reduce_turns_f64(double x, double n, double *low)
{
    double a = x - n * 0x1.921fb544p+0, second = n * 0x1.0b4611a6p-34, third = n * 0x1.3198a2ep-69;
    double b = a - second, b_part = b - a, b_lost = (a - (b - b_part)) - (second + b_part);
    double c = b - third, c_part = c - b, c_lost = (b - (c - c_part)) - (third + c_part);
    double rest = (b_lost + c_lost) - n * 0x1.b839a252049c1p-104, r = c + rest;
    *low = (c - r) + rest;
    return r;
}

VECTOR_FUNCTION double sin_part_f64(double r, double low)
{
    double z = r * r;
    double p = 0x1.5d8b5522c722p-33;
    p = madd_f64(p, z, -0x1.ae5e4b82c5e3dp-26);
    p = madd_f64(p, z, 0x1.71de35552a70ap-19);
    p = madd_f64(p, z, -0x1.a01a019be921p-13);
    p = madd_f64(p, z, 0x1.111111110f73p-7);
    p = madd_f64(p, z, -0x1.5555555555548p-3);
    return r + madd_f64(r * z, p, low * madd_f64(-0.5, z, 1.0));
}

VECTOR_FUNCTION double cos_part_f64(double r, double low)
{
    double z = r * r;
    double p = -0x1.8fb13ba61d34cp-37;
    p = madd_f64(p, z, 0x1.1ee9f1670e509p-29);
    p = madd_f64(p, z, -0x1.27e4f812d3659p-22);
    p = madd_f64(p, z, 0x1.a01a019cbf863p-16);
    p = madd_f64(p, z, -0x1.6c16c16c1522p-10);
    p = madd_f64(p, z, 0x1.555555555554cp-5);
    double half = 0.5 * z, near = 1.0 - half;
    return near + (((1.0 - near) - half) + madd_f64(z * z, p, -r * low));
}

/* The turns' two lowest bits choose the function and the sign. */
VECTOR_FUNCTION double turn_f64(double r, double low, double turns)
{
    uint64_t quarter = bits_of_f64(turns + ROUNDER_F64);
    double sine = sin_part_f64(r, low), cosine = cos_part_f64(r, low);
    double result = quarter & 1 ? cosine : sine;
    return quarter & 2 ? -result : result;
}

VECTOR_FUNCTION double vector_sin_f64(double x)
{
    double low, n = quarter_turns(x), r = reduce_turns_f64(x, n, &low);
    double result = turn_f64(r, low, n);
    return x == 0.0 ? x : result;
}

VECTOR_FUNCTION double vector_cos_f64(double x)
{
    double low, n = quarter_turns(x), r = reduce_turns_f64(x, n, &low);
    return turn_f64(r, low, n + 1.0);
}

VECTOR_FUNCTION double vector_tan_f64(double x)
{
    double low, n = quarter_turns(x), r = reduce_turns_f64(x, n, &low);
    double sine = sin_part_f64(r, low), cosine = cos_part_f64(r, low);
    int odd = bits_of_f64(n + ROUNDER_F64) & 1;
    double above = odd ? -cosine : sine, below = odd ? sine : cosine, result = above / below;
    return x == 0.0 ? x : result;
}

/* tan of the remainder, or -1 over that. Near 1, where its slope is 2, `low` counts twice, and what
 * rounding it loses is most of the inverse's error and as large there. */
VECTOR_FUNCTION float vector_tan_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_tan_f64((double)x);
    uint32_t turns;
    float low, r = reduce_turns_f32(x, &turns, &low), z = r * r, square = z * z;
    float even = madd_f32(square, -0x1.4dd1b2p-8f, -0x1.8b2c44p-7f);
    even = madd_f32(even, square, -0x1.bba7a6p-5f);
    even = madd_f32(even, square, -0x1.555572p-2f);
    float odd = madd_f32(square, 0x1.7272fcp-10f, -0x1.54b51cp-6f);
    odd = madd_f32(odd, square, -0x1.1108eep-3f);
    float less = madd_f32(r * z, madd_f32(odd, z, even), madd_f32(low, z, low));
    float tangent = r - less, lost = (r - tangent) - less;
    return turns & 1 ? lost - 1.0f / tangent : tangent;
}

#endif
