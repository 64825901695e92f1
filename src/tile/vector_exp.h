/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials and the hyperbolic functions made of them. All reduce x to n ln(2) + r and apply
 * the power of two at the end. Arguments are first cut to where results overflow or vanish, so that
 * n fits the tricks with exponents; a NaN passes the comparisons and comes out of the sums. */
#ifndef JG_TILE_VECTOR_EXP_H
#define JG_TILE_VECTOR_EXP_H

#include "tile/vector_bits.h"

/* q in e^r = 1 + r + r^2 q(r) for |r| <= ln(2)/2; the relative error of e^r - 1 is 2^-28. */
VECTOR_FUNCTION float exp_core_f32(float r)
{
    float q = 0x1.6a4b3cp-10f;
    q = madd_f32(q, r, 0x1.12398ep-7f);
    q = madd_f32(q, r, 0x1.5558b2p-5f);
    q = madd_f32(q, r, 0x1.555492p-3f);
    return madd_f32(q, r, 0x1.fffffcp-2f);
}

/* The same, relative error 2^-57. */
VECTOR_FUNCTION double exp_core_f64(double r)
{
    double q = 0x1.ad952258e23f8p-26;
    q = madd_f64(q, r, 0x1.28ae22da5bd7bp-22);
    q = madd_f64(q, r, 0x1.71df17d407b2fp-19);
    q = madd_f64(q, r, 0x1.a019993a0c1d8p-16);
    q = madd_f64(q, r, 0x1.a01a01304908ep-13);
    q = madd_f64(q, r, 0x1.6c16c1848265ep-10);
    q = madd_f64(q, r, 0x1.1111111126aa3p-7);
    q = madd_f64(q, r, 0x1.5555555550699p-5);
    q = madd_f64(q, r, 0x1.55555555554fep-3);
    return madd_f64(q, r, 0x1.000000000000ap-1);
}

/* e^r - 1. */
VECTOR_FUNCTION float expm1_near_f32(float r)
{
    return madd_f32(r * r, exp_core_f32(r), r);
}

VECTOR_FUNCTION double expm1_near_f64(double r)
{
    return madd_f64(r * r, exp_core_f64(r), r);
}

/* e^r, so that as little as can be is rounded before the last sum. */
VECTOR_FUNCTION float exp_near_f32(float r)
{
    if (JOINS_F32)
        return madd_f32(r, madd_f32(r, exp_core_f32(r), 1.0f), 1.0f);
    return 1.0f + expm1_near_f32(r);
}

VECTOR_FUNCTION double exp_near_f64(double r)
{
    if (JOINS_F64)
        return madd_f64(r, madd_f64(r, exp_core_f64(r), 1.0), 1.0);
    return 1.0 + expm1_near_f64(r);
}

/* x - n ln(2), with ln(2) in two parts (Cody and Waite); n times the first part is exact for |n|
 * < 2^11. */
VECTOR_FUNCTION float reduce_ln2_f32(float x, float n)
{
    return madd_f32(n, 0x1.bd0106p-13f, madd_f32(n, -0x1.63p-1f, x));
}

VECTOR_FUNCTION double reduce_ln2_f64(double x, double n)
{
    return madd_f64(n, -0x1.a39ef35793c76p-33, madd_f64(n, -0x1.62e42feep-1, x));
}

/* The same for small n: of ln(2) in one part a joined multiplication takes exact multiples. */
VECTOR_FUNCTION float roughly_reduce_ln2_f32(float x, float n)
{
    if (JOINS_F32)
        return madd_f32(n, -0x1.62e43p-1f, x);
    return reduce_ln2_f32(x, n);
}

VECTOR_FUNCTION double roughly_reduce_ln2_f64(double x, double n)
{
    if (JOINS_F64)
        return madd_f64(n, -0x1.62e42fefa39efp-1, x);
    return reduce_ln2_f64(x, n);
}

/* e^x. The power of two is applied in two halves, each in range, so that the one
 * rounding of a subnormal result is that of the last product; overflow gives infinity in the
 * same way. */
VECTOR_FUNCTION float vector_exp_f32(float x)
{
    x = x < -105.0f ? -105.0f : x;
    x = x > 89.0f ? 89.0f : x;
    float rounded = madd_f32(x, 0x1.715476p0f, TWO_SCALERS_F32);
    float n = rounded - TWO_SCALERS_F32;
    float r = reduce_ln2_f32(x, n);
    float half_rounded = madd_f32(n, 0.5f, SCALER_F32);
    uint32_t half = bits_of_f32(half_rounded);
    uint32_t rest = bits_of_f32(rounded) - half;
    float scale = f32_of_bits(half << 23);
    float scale_rest = f32_of_bits(rest << 23);
    return exp_near_f32(r) * scale * scale_rest;
}

VECTOR_FUNCTION double vector_exp_f64(double x)
{
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    double rounded = madd_f64(x, 0x1.71547652b82fep0, TWO_SCALERS_F64);
    double n = rounded - TWO_SCALERS_F64;
    double r = reduce_ln2_f64(x, n);
    double half_rounded = madd_f64(n, 0.5, SCALER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half;
    double scale = f64_of_bits(half << 52);
    double scale_rest = f64_of_bits(rest << 52);
    return exp_near_f64(r) * scale * scale_rest;
}

/* 2^x: the way of exp, with r exact before it is scaled. */
VECTOR_FUNCTION float vector_exp2_f32(float x)
{
    x = x < -151.0f ? -151.0f : x;
    x = x > 129.0f ? 129.0f : x;
    float rounded = x + TWO_SCALERS_F32, n = rounded - TWO_SCALERS_F32;
    float half_rounded = madd_f32(n, 0.5f, SCALER_F32);
    uint32_t half = bits_of_f32(half_rounded);
    uint32_t rest = bits_of_f32(rounded) - half;
    float scale = f32_of_bits(half << 23);
    float scale_rest = f32_of_bits(rest << 23);
    return exp_near_f32((x - n) * 0x1.62e430p-1f) * scale * scale_rest;
}

VECTOR_FUNCTION double vector_exp2_f64(double x)
{
    x = x < -1080.0 ? -1080.0 : x;
    x = x > 1025.0 ? 1025.0 : x;
    double rounded = x + TWO_SCALERS_F64, n = rounded - TWO_SCALERS_F64;
    double half_rounded = madd_f64(n, 0.5, SCALER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half;
    double scale = f64_of_bits(half << 52);
    double scale_rest = f64_of_bits(rest << 52);
    return exp_near_f64((x - n) * 0x1.62e42fefa39efp-1) * scale * scale_rest;
}

/* e^x - 1 = 2 (s r^2 q + (s r + (s - 1/2))) with s = 2^(n-1), so that s is finite wherever the
 * result is. */
VECTOR_FUNCTION float vector_expm1_f32(float x)
{
    float inside = x < -18.0f ? -18.0f : x;
    inside = inside > 89.0f ? 89.0f : inside;
    float rounded = madd_f32(inside, 0x1.715476p0f, (SCALER_F32 - 1.0f));
    float r = reduce_ln2_f32(inside, rounded - (SCALER_F32 - 1.0f));
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float line = madd_f32(scale, r, scale - 0.5f);
    float result = 2.0f * madd_f32(scale, r * r * exp_core_f32(r), line);
    return fabsf(x) < 0x1p-30f ? x : result;
}

VECTOR_FUNCTION double vector_expm1_f64(double x)
{
    double inside = x < -40.0 ? -40.0 : x;
    inside = inside > 710.0 ? 710.0 : inside;
    double rounded = madd_f64(inside, 0x1.71547652b82fep0, (SCALER_F64 - 1.0));
    double r = reduce_ln2_f64(inside, rounded - (SCALER_F64 - 1.0));
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double line = madd_f64(scale, r, scale - 0.5);
    double result = 2.0 * madd_f64(scale, r * r * exp_core_f64(r), line);
    return fabs(x) < 0x1p-60 ? x : result;
}

/* 1 / (1 + e^-x), with e^-x = s e^r: the larger of 1 and s is added last. Where s is large, all is
 * taken 2^-64 times, so that results may be subnormal. */
VECTOR_FUNCTION float vector_sigmoid_f32(float x)
{
    float y = -x;
    y = y > 105.0f ? 105.0f : y; /* the result is 0 */
    y = y < -30.0f ? -30.0f : y; /* it is 1 */
    float rounded = madd_f32(y, 0x1.715476p0f, SCALER_F32);
    float t = expm1_near_f32(reduce_ln2_f32(y, rounded - SCALER_F32));
    uint32_t far = (bits_of_f32(SCALER_F32 + 72.0f) - bits_of_f32(rounded)) >> 31 << 29;
    float one = f32_of_bits(0x3f800000u - far);
    float scale = f32_of_bits((bits_of_f32(rounded) << 23) - far);
    float sum = one + scale, part = sum - one, lost = (one - (sum - part)) + (scale - part);
    return one / (sum + madd_f32(scale, t, lost));
}

VECTOR_FUNCTION double vector_sigmoid_f64(double x)
{
    double y = -x;
    y = y > 750.0 ? 750.0 : y;
    y = y < -50.0 ? -50.0 : y;
    double rounded = madd_f64(y, 0x1.71547652b82fep0, SCALER_F64);
    double t = expm1_near_f64(reduce_ln2_f64(y, rounded - SCALER_F64));
    uint64_t far = (bits_of_f64(SCALER_F64 + 600.0) - bits_of_f64(rounded)) >> 63 << 61;
    double one = f64_of_bits(0x3ff0000000000000u - far);
    double scale = f64_of_bits((bits_of_f64(rounded) << 52) - far);
    double sum = one + scale, part = sum - one, lost = (one - (sum - part)) + (scale - part);
    return one / (sum + madd_f64(scale, t, lost));
}

/* tanh x = 1 - 2 / (e^(2|x|) + 1); below 0.6, where that rounds too often, an odd polynomial. */
VECTOR_FUNCTION float vector_tanh_f32(float x)
{
    float size = fabsf(x), twice = size + size, y = twice > 20.0f ? 20.0f : twice; /* is 1 there */
    float rounded = madd_f32(y, 0x1.715476p0f, SCALER_F32);
    float t = expm1_near_f32(roughly_reduce_ln2_f32(y, rounded - SCALER_F32));
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float large = 1.0f - 2.0f / madd_f32(scale, t, scale + 1.0f);
    float z = x * x;
    float p = -0x1.750d0cp-8f;
    p = madd_f32(p, z, 0x1.51f8d4p-6f);
    p = madd_f32(p, z, -0x1.b835a4p-5f);
    p = madd_f32(p, z, 0x1.1106f6p-3f);
    p = madd_f32(p, z, -0x1.555532p-2f);
    float small = madd_f32(size, z * p, size);
    return copysignf(size < 0.6f ? small : large, x);
}

VECTOR_FUNCTION double vector_tanh_f64(double x)
{
    double size = fabs(x), twice = size + size, y = twice > 40.0 ? 40.0 : twice;
    double rounded = madd_f64(y, 0x1.71547652b82fep0, SCALER_F64);
    double t = expm1_near_f64(roughly_reduce_ln2_f64(y, rounded - SCALER_F64));
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double large = 1.0 - 2.0 / madd_f64(scale, t, scale + 1.0);
    double z = x * x;
    double p = 0x1.990872039a477p-15;
    p = madd_f64(p, z, -0x1.b20296ed19943p-13);
    p = madd_f64(p, z, 0x1.2e88537352f18p-11);
    p = madd_f64(p, z, -0x1.7cc2f3838fea1p-10);
    p = madd_f64(p, z, 0x1.d6c10c8f4c19bp-9);
    p = madd_f64(p, z, -0x1.226db3edf3f52p-7);
    p = madd_f64(p, z, 0x1.664f442ccf56ep-6);
    p = madd_f64(p, z, -0x1.ba1ba1a4ac343p-5);
    p = madd_f64(p, z, 0x1.11111110f6c3dp-3);
    p = madd_f64(p, z, -0x1.55555555553efp-2);
    double small = madd_f64(size, z * p, size);
    return copysign(size < 0.57 ? small : large, x);
}

/* e^x / 2 for x >= 0, which overflows where cosh does, later than e^x. */
VECTOR_FUNCTION double half_exp_f64(double x)
{
    x = x > 712.0 ? 712.0 : x;
    double rounded = madd_f64(x, 0x1.71547652b82fep0, TWO_SCALERS_F64 - 1.0);
    double n = rounded - (TWO_SCALERS_F64 - 1.0);
    double half_rounded = madd_f64(n, 0.5, SCALER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half;
    double scale = f64_of_bits(half << 52);
    double scale_rest = f64_of_bits(rest << 52);
    return exp_near_f64(reduce_ln2_f64(x, n)) * scale * scale_rest;
}

VECTOR_FUNCTION double vector_cosh_f64(double x)
{
    double half = half_exp_f64(fabs(x));
    return half + 0.25 / half;
}

/* Below 1, where the difference would cancel, an odd polynomial. */
VECTOR_FUNCTION double vector_sinh_f64(double x)
{
    double size = fabs(x), half = half_exp_f64(size), z = x * x;
    double p = 0x1.d29d77c61fa58p-48;
    p = madd_f64(p, z, 0x1.a6654f538bc46p-41);
    p = madd_f64(p, z, 0x1.61314d57734dcp-33);
    p = madd_f64(p, z, 0x1.ae64412295ca2p-26);
    p = madd_f64(p, z, 0x1.71de3a68d02ffp-19);
    p = madd_f64(p, z, 0x1.a01a01a00735bp-13);
    p = madd_f64(p, z, 0x1.111111111119bp-7);
    p = madd_f64(p, z, 0x1.5555555555555p-3);
    double small = madd_f64(size, z * p, size);
    return copysign(size < 1.0 ? small : half - 0.25 / half, x);
}

/* Of x = n ln(2) + r >= 0, with a = 2^n and b = 2^-n: cosh x = (a + b)/2 cosh r + (a - b)/2 sinh r,
 * and sinh x the same with the two factors exchanged. Nothing cancels in them but near n = 1, where
 * r sinh's factor is added last but one. Halved, so that a is finite wherever the result is. */
VECTOR_FUNCTION float hyperbolic_f32(float size, int is_even)
{
    float y = size > 89.5f ? 89.5f : size;
    float rounded = madd_f32(y, 0x1.715476p0f, SCALER_F32 - 2.0f);
    float r = reduce_ln2_f32(y, rounded - (SCALER_F32 - 2.0f)), z = r * r;
    uint32_t up_bits = bits_of_f32(rounded) << 23;
    int32_t down_bits = (int32_t)(0x7d000000u - up_bits); /* of NaN they may be any */
    float up = f32_of_bits(up_bits), down = f32_of_bits((uint32_t)(down_bits > 0 ? down_bits : 0));
    float even = madd_f32(z, 0x1.6d54bap-10f, 0x1.5554e2p-5f);
    float cosh_rest = z * madd_f32(even, z, 0.5f);
    float odd = madd_f32(z, 0x1.a2d6b0p-13f, 0x1.110fc2p-7f);
    float sinh_rest = r * z * madd_f32(odd, z, 0x1.555556p-3f);
    float sum = up + down, difference = up - down;
    float main = is_even ? sum : difference, other = is_even ? difference : sum;
    float lost = (up - main) + (is_even ? down : -down);
    float small = madd_f32(main, cosh_rest, madd_f32(other, sinh_rest, lost));
    return 2.0f * (main + madd_f32(other, r, small));
}

VECTOR_FUNCTION float vector_cosh_f32(float x)
{
    return JOINS_F32 ? hyperbolic_f32(fabsf(x), 1) : (float)vector_cosh_f64((double)x);
}

VECTOR_FUNCTION float vector_sinh_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_sinh_f64((double)x);
    float size = fabsf(x), result = hyperbolic_f32(size, 0);
    return copysignf(size < 0x1p-13f ? size : result, x);
}

#endif
