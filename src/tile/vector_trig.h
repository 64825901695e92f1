/* SPDX-License-Identifier: Apache-2.0 */
/* sin, cos and tan of |x| up to TRIG_LIMIT: x less n pi/2, then a polynomial on [-pi/4, pi/4].
 *
 * pi/2 is in parts of 33 bits, of which n < 2^20 takes exact multiples, with FMA and without. The
 * doubles keep what the subtractions round off, so that arguments close to a multiple of pi/2 are
 * as accurate as others. Beyond the limit kernels call libm, element by element. */
#ifndef JG_TILE_VECTOR_TRIG_H
#define JG_TILE_VECTOR_TRIG_H

#include "tile/vector_bits.h"

#define TRIG_LIMIT 1e6

/* The whole number of quarter turns nearest to x. In double for float32 too: 1e6 has 20 bits before
 * the point. */
VECTOR_FUNCTION double quarter_turns(double x)
{
    return madd_f64(x, 0x1.45f306dc9c883p-1, ROUNDER_F64) - ROUNDER_F64;
}

/* x - n pi/2 in double precision; as two floats it has all the digits that matter. */
VECTOR_FUNCTION double reduce_turns_f32(float x, double n)
{
    return madd_f64(n, -0x1.0b4611a626331p-34, madd_f64(n, -0x1.921fb544p+0, (double)x));
}

/* sin (of an even number of turns more) or cos of the remainder, with the sign of the turns. */
VECTOR_FUNCTION float turn_f32(double reduced, int32_t turns)
{
    float r = (float)reduced, low = (float)(reduced - (double)r), z = r * r;
    float p = -0x1.99540ap-13f;
    p = madd_f32(p, z, 0x1.110778p-7f);
    p = madd_f32(p, z, -0x1.555546p-3f);
    float sine = r + madd_f32(r * z, p, low);
    float q = 0x1.99e0e4p-16f;
    q = madd_f32(q, z, -0x1.6c0c1ap-10f);
    q = madd_f32(q, z, 0x1.55554ap-5f);
    float half = 0.5f * z, near = 1.0f - half;
    float cosine = near + (((1.0f - near) - half) + madd_f32(z * z, q, -r * low));
    float result = turns & 1 ? cosine : sine;
    return turns & 2 ? -result : result;
}

VECTOR_FUNCTION float vector_sin_f32(float x)
{
    double n = quarter_turns((double)x);
    float result = turn_f32(reduce_turns_f32(x, n), (int32_t)n);
    return x == 0.0f ? x : result;
}

VECTOR_FUNCTION float vector_cos_f32(float x)
{
    double n = quarter_turns((double)x);
    return turn_f32(reduce_turns_f32(x, n), (int32_t)n + 1);
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

VECTOR_FUNCTION float vector_tan_f32(float x)
{
    return (float)vector_tan_f64((double)x);
}

#endif
