/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse trigonometric functions. The angle of two floats is evaluated in double precision
 * with a shorter polynomial, and rounds correctly but for one case in a thousand. */
#ifndef JG_MATH_VECTOR_ARC_H
#define JG_MATH_VECTOR_ARC_H

#include "math/vector_bits.h"

/* pi / 2 in two parts. */
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define HALF_PI_F32 0x1.921fb6p+0f
#define HALF_PI_LOW_F32 -0x1.777a5cp-25f

/* (asin(x) - x) / x^3 by z = x^2 up to 1/4. */
VECTOR_FUNCTION double asin_core_f64(double z)
{
    double p = 0x1.0570c75ab9cc8p-5;
    p = madd_f64(p, z, -0x1.09dca06f73434p-6);
    p = madd_f64(p, z, 0x1.3ffa799d8e620p-6);
    p = madd_f64(p, z, 0x1.abc739e7431b6p-8);
    p = madd_f64(p, z, 0x1.8ec3e16f06c27p-7);
    p = madd_f64(p, z, 0x1.c6fda0f08431bp-7);
    p = madd_f64(p, z, 0x1.1c6be32df71d1p-6);
    p = madd_f64(p, z, 0x1.6e89f428cf1f2p-6);
    p = madd_f64(p, z, 0x1.f1c72c39cf763p-6);
    p = madd_f64(p, z, 0x1.6db6db4278535p-5);
    p = madd_f64(p, z, 0x1.333333336e82cp-4);
    p = madd_f64(p, z, 0x1.5555555555390p-3);
    return p;
}

/* (atan(x) - x) / x^3 by z = x^2 up to tan(pi/8)^2. */
VECTOR_FUNCTION double atan_core_f64(double z)
{
    double p = -0x1.256bc5119d4d8p-6;
    p = madd_f64(p, z, 0x1.37d6345c77050p-5);
    p = madd_f64(p, z, -0x1.9cd2ecbc86d3fp-5);
    p = madd_f64(p, z, 0x1.df0f53f4647cbp-5);
    p = madd_f64(p, z, -0x1.10ebb8c3e5957p-4);
    p = madd_f64(p, z, 0x1.3b111925862f8p-4);
    p = madd_f64(p, z, -0x1.745cf8dce939dp-4);
    p = madd_f64(p, z, 0x1.c71c70e614713p-4);
    p = madd_f64(p, z, -0x1.24924922ad6fep-3);
    p = madd_f64(p, z, 0x1.999999999586dp-3);
    p = madd_f64(p, z, -0x1.555555555553dp-2);
    return p;
}

/* For float32: relative errors far below its rounding. */
VECTOR_FUNCTION double atan_core_short(double z)
{
    double p = -0x1.f1f1d2e5ca697p-5;
    p = madd_f64(p, z, 0x1.b1ed300270378p-4);
    p = madd_f64(p, z, -0x1.23b537c233d21p-3);
    p = madd_f64(p, z, 0x1.9991977edb652p-3);
    p = madd_f64(p, z, -0x1.5555492c0b2e4p-2);
    return p;
}

/* asin of |x| <= 1/2; beyond, of sqrt((1 - |x|) / 2), twice which is what |x|'s lacks to pi/2. */
VECTOR_FUNCTION double asin_inner(double x)
{
    double size = fabs(x), z = size > 0.5 ? 0.5 - 0.5 * size : size * size;
    double y = size > 0.5 ? sqrt(z) : size;
    return madd_f64(y * z, asin_core_f64(z), y);
}

/* HALF_PI_LOW is added where it counts before the result is rounded: outer is pi/2 - 2 inner. */
VECTOR_FUNCTION double vector_asin_f64(double x)
{
    double inner = asin_inner(x), outer = HALF_PI - (2.0 * inner - HALF_PI_LOW);
    return copysign(fabs(x) > 0.5 ? outer : inner, x);
}

/* Three cases: near 1 twice asin of the half-angle, near -1 pi less that, and pi/2 - asin
 * between. */
VECTOR_FUNCTION double vector_acos_f64(double x)
{
    double inner = asin_inner(x), twice = 2.0 * inner;
    double middle = HALF_PI - (copysign(inner, x) - HALF_PI_LOW);
    double left = 2.0 * HALF_PI - (twice - 2.0 * HALF_PI_LOW), outer = x < 0.0 ? left : twice;
    return fabs(x) > 0.5 ? outer : middle;
}

/* The angle of (x, y), by the ratio of the two or of their difference and sum, so that it is at
 * most tan(pi/8): from 0, pi/4 or pi/2, and turned over for x to the left. */
VECTOR_FUNCTION double atan2_of(double y, double x, int is_short)
{
    double a = fabs(y), b = fabs(x), most = a > b ? a : b;
    double scale = most > 0x1p1000 ? 0x1p-4 : most < 0x1p-900 ? 0x1p100 : 1.0;
    int both_infinite = (a == (double)INFINITY) & (b == (double)INFINITY);
    a = both_infinite ? 1.0 : a * scale;
    b = (both_infinite | (most == 0.0)) ? 1.0 : b * scale;
    int low = a <= 0x1.a827999fcef32p-2 * b, high = a >= 0x1.3504f333f9de6p1 * b;
    double middle_above = a - b, middle_below = a + b;
    double above = low ? a : high ? -b : middle_above, below = low ? b : high ? a : middle_below;
    double base = low ? 0.0 : high ? HALF_PI : 0.5 * HALF_PI;
    double base_low = low ? 0.0 : high ? HALF_PI_LOW : 0.5 * HALF_PI_LOW;
    double t = above / below, z = t * t;
    double tail = madd_f64(t * z, is_short ? atan_core_short(z) : atan_core_f64(z), base_low);
    double angle = base + (t + tail);
    double turned = 2.0 * HALF_PI - (angle - 2.0 * HALF_PI_LOW);
    angle = bits_of_f64(x) >> 63 ? turned : angle;
    angle = ((x != x) | (y != y)) ? x + y : angle;
    return copysign(angle, y);
}

/* The same of a float's size, in two parts; far is where it is above 1/2. */
VECTOR_FUNCTION float asin_inner_f32(float size, uint32_t far, float *tail)
{
    float z = pick_f32(far, madd_f32(size, -0.5f, 0.5f), size * size), square = z * z;
    float y = pick_f32(far, sqrtf(z), size);
    float even = madd_f32(square, 0x1.595c3ap-5f, 0x1.747bb6p-5f);
    even = madd_f32(even, square, 0x1.5555c8p-3f);
    float odd = madd_f32(square, 0x1.8c3e6cp-6f, 0x1.330204p-4f);
    *tail = y * z * madd_f32(odd, z, even);
    return y;
}

VECTOR_FUNCTION float vector_asin_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_asin_f64((double)x);
    float size = fabsf(x), tail;
    uint32_t far = above_f32(size, 0.5f);
    float y = asin_inner_f32(size, far, &tail);
    float outer = madd_f32(y + (tail - 0.5f * HALF_PI_LOW_F32), -2.0f, HALF_PI_F32);
    return copysignf(pick_f32(far, outer, y + tail), x);
}

VECTOR_FUNCTION float vector_acos_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_acos_f64((double)x);
    float size = fabsf(x), tail;
    uint32_t far = above_f32(size, 0.5f), left = 0u - (bits_of_f32(x) >> 31);
    float y = asin_inner_f32(size, far, &tail), inner = copysignf(y + tail, x);
    float outer = madd_f32(inner, 2.0f, pick_f32(left, 2.0f * HALF_PI_F32, 0.0f));
    return pick_f32(far, outer, HALF_PI_F32 - (inner - HALF_PI_LOW_F32));
}

VECTOR_FUNCTION double vector_atan2_f64(double y, double x)
{
    return atan2_of(y, x, 0);
}

VECTOR_FUNCTION float vector_atan2_f32(float y, float x)
{
    return (float)atan2_of((double)y, (double)x, 1);
}

VECTOR_FUNCTION double vector_atan_f64(double x)
{
    return atan2_of(x, 1.0, 0);
}

/* atan of x, or pi/2 and atan of -1/x, which is at most 1: an odd polynomial, added to x last. */
VECTOR_FUNCTION float vector_atan_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_atan_f64((double)x);
    float size = fabsf(x);
    uint32_t far = above_f32(size, 1.0f);
    float t = pick_f32(far, -1.0f, size) / pick_f32(far, size, 1.0f), z = t * t, square = z * z;
    float even = madd_f32(square, -0x1.d37072p-10f, -0x1.fd8278p-6f);
    even = madd_f32(even, square, -0x1.580940p-4f);
    even = madd_f32(even, square, -0x1.242086p-3f);
    float odd = madd_f32(square, 0x1.642cd4p-7f, 0x1.da2b32p-5f);
    odd = madd_f32(odd, square, 0x1.c08c52p-4f);
    float p = madd_f32(madd_f32(odd, z, even), z, 0x1.9991e4p-3f);
    p = madd_f32(p, z, -0x1.55553ep-2f);
    float tail = madd_f32(t * z, p, pick_f32(far, HALF_PI_LOW_F32, 0.0f));
    float base = pick_f32(far, HALF_PI_F32, 0.0f), sum = base + t;
    return copysignf(sum + (((base - sum) + t) + tail), x);
}

#endif
