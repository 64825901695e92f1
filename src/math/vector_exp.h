/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials and the hyperbolic functions made of them. All reduce x to n ln(2) + r and apply the
 * power of two at the end. n is limited to where results have overflowed, so that 2^n can be made
 * in the exponent's bits: r is large then, and so is the polynomial, whose coefficients are all
 * positive. Where results underflow to 0, x is limited. A NaN propagates through the sums. */
#ifndef JG_MATH_VECTOR_EXP_H
#define JG_MATH_VECTOR_EXP_H

#include "math/vector_bits.h"

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

/* x 2^n of n + TWO_SCALERS. The power of two is applied in two halves, each in range, so that the
 * one rounding of a subnormal result is that of the last product; overflow gives infinity in the
 * same way. */
VECTOR_FUNCTION float scaled_f32(float x, float rounded)
{
    uint32_t half = bits_of_f32(rounded) << 22 & 0x7f800000u;
    uint32_t rest = (bits_of_f32(rounded) << 23) - half;
    return x * f32_of_bits(half) * f32_of_bits(rest);
}

VECTOR_FUNCTION double scaled_f64(double x, double rounded)
{
    uint64_t half = bits_of_f64(rounded) << 51 & 0x7ff0000000000000u;
    uint64_t rest = (bits_of_f64(rounded) << 52) - half;
    return x * f64_of_bits(half) * f64_of_bits(rest);
}

VECTOR_FUNCTION float vector_exp_f32(float x)
{
    x = at_least_f32(x, -105.0f);
    float rounded = madd_f32(x, 0x1.715476p0f, TWO_SCALERS_F32);
    rounded = cut_f32(rounded, TWO_SCALERS_F32 + 130.0f);
    return scaled_f32(exp_near_f32(reduce_ln2_f32(x, rounded - TWO_SCALERS_F32)), rounded);
}

/* The same of x <= 0 or NaN, where results below the smallest normal number may be 0; -inf gives 0.
 * The power of two is then applied in one step, and no x needs to be limited. */
VECTOR_FUNCTION float vector_exp_below_f32(float x)
{
    float rounded = madd_f32(x, 0x1.715476p0f, SCALER_F32);
    float near = exp_near_f32(reduce_ln2_f32(x, rounded - SCALER_F32));
    float scaled = near * f32_of_bits(bits_of_f32(rounded) << 23);
    return x < -87.3365f ? 0.0f : scaled;
}

VECTOR_FUNCTION double vector_exp_f64(double x)
{
    x = at_least_f64(x, -746.0);
    double rounded = madd_f64(x, 0x1.71547652b82fep0, TWO_SCALERS_F64);
    rounded = cut_f64(rounded, TWO_SCALERS_F64 + 1030.0);
    return scaled_f64(exp_near_f64(reduce_ln2_f64(x, rounded - TWO_SCALERS_F64)), rounded);
}

/* 2^x: the way of exp, with r exact before it is scaled. */
VECTOR_FUNCTION float vector_exp2_f32(float x)
{
    x = at_least_f32(x, -151.0f);
    float rounded = cut_f32(x + TWO_SCALERS_F32, TWO_SCALERS_F32 + 130.0f);
    float n = rounded - TWO_SCALERS_F32;
    return scaled_f32(exp_near_f32((x - n) * 0x1.62e430p-1f), rounded);
}

VECTOR_FUNCTION double vector_exp2_f64(double x)
{
    x = at_least_f64(x, -1080.0);
    double rounded = cut_f64(x + TWO_SCALERS_F64, TWO_SCALERS_F64 + 1030.0);
    double n = rounded - TWO_SCALERS_F64;
    return scaled_f64(exp_near_f64((x - n) * 0x1.62e42fefa39efp-1), rounded);
}

/* e^x - 1 = 2 (s r^2 q + (s r + (s - 1/2))) with s = 2^(n-1), so that s is finite wherever the
 * result is. */
VECTOR_FUNCTION float vector_expm1_f32(float x)
{
    float inside = at_least_f32(x, -18.0f);
    float rounded = madd_f32(inside, 0x1.715476p0f, SCALER_F32 - 1.0f);
    rounded = cut_f32(rounded, SCALER_F32 + 127.0f);
    float r = reduce_ln2_f32(inside, rounded - (SCALER_F32 - 1.0f));
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float line = madd_f32(scale, r, scale - 0.5f);
    float result = 2.0f * madd_f32(scale, r * r * exp_core_f32(r), line);
    return fabsf(x) < 0x1p-30f ? x : result;
}

VECTOR_FUNCTION double vector_expm1_f64(double x)
{
    double inside = at_least_f64(x, -40.0);
    double rounded = madd_f64(inside, 0x1.71547652b82fep0, SCALER_F64 - 1.0);
    rounded = cut_f64(rounded, SCALER_F64 + 1023.0);
    double r = reduce_ln2_f64(inside, rounded - (SCALER_F64 - 1.0));
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double line = madd_f64(scale, r, scale - 0.5);
    double result = 2.0 * madd_f64(scale, r * r * exp_core_f64(r), line);
    return fabs(x) < 0x1p-60 ? x : result;
}

/* 1 / (1 + e^-x), with e^-x = s e^r: the larger of 1 and s is added last. All is taken 2^-64
 * (2^-512) times, so that s is finite where results are subnormal. */
VECTOR_FUNCTION float vector_sigmoid_f32(float x)
{
    const float one = 0x1p-64f, scaler = SCALER_F32 - 64.0f;
    float y = at_least_f32(-x, -30.0f);
    float rounded = cut_f32(madd_f32(y, 0x1.715476p0f, scaler), scaler + 152.0f);
    float t = expm1_near_f32(reduce_ln2_f32(y, rounded - scaler));
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float sum = one + scale, part = sum - one, lost = (one - (sum - part)) + (scale - part);
    return one / (sum + madd_f32(scale, t, lost));
}

VECTOR_FUNCTION double vector_sigmoid_f64(double x)
{
    const double one = 0x1p-512, scaler = SCALER_F64 - 512.0;
    double y = at_least_f64(-x, -50.0);
    double rounded = cut_f64(madd_f64(y, 0x1.71547652b82fep0, scaler), scaler + 1090.0);
    double t = expm1_near_f64(reduce_ln2_f64(y, rounded - scaler));
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double sum = one + scale, part = sum - one, lost = (one - (sum - part)) + (scale - part);
    return one / (sum + madd_f64(scale, t, lost));
}

/* tanh x = 1 - 2 / (e^(2|x|) + 1); where that rounds too often, x + x z / p(z) with z = x^2, as
 * z / (tanh(x) / x - 1) is nearly a line. Both as m + m (a / b): there is one division. */
VECTOR_FUNCTION float vector_tanh_f32(float x)
{
    float size = fabsf(x), y = cut_f32(size + size, 20.0f); /* is 1 there */
    float rounded = madd_f32(y, 0x1.715476p0f, SCALER_F32);
    float t = expm1_near_f32(roughly_reduce_ln2_f32(y, rounded - SCALER_F32));
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float large = madd_f32(scale, t, scale + 1.0f);
    float z = x * x;
    float p = 0x1.6b7282p-8f;
    p = madd_f32(p, z, -0x1.3330fap0f);
    p = madd_f32(p, z, -0x1.80001p1f);
    int is_large = size >= 0.6f; /* NaN is not */
    float quotient = (is_large ? -2.0f : z) / (is_large ? large : p);
    float m = is_large ? 1.0f : size;
    return copysignf(madd_f32(m, quotient, m), x);
}

VECTOR_FUNCTION double vector_tanh_f64(double x)
{
    double size = fabs(x), y = cut_f64(size + size, 40.0);
    double rounded = madd_f64(y, 0x1.71547652b82fep0, SCALER_F64);
    double t = expm1_near_f64(roughly_reduce_ln2_f64(y, rounded - SCALER_F64));
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double large = madd_f64(scale, t, scale + 1.0);
    double z = x * x;
    double p = 0x1.dce2910301950p-26;
    p = madd_f64(p, z, -0x1.40f68c71b2020p-21);
    p = madd_f64(p, z, 0x1.997a98ecbdac6p-17);
    p = madd_f64(p, z, -0x1.0a4e1305ee74bp-12);
    p = madd_f64(p, z, 0x1.767dce40270c2p-8);
    p = madd_f64(p, z, -0x1.3333333333155p0);
    p = madd_f64(p, z, -0x1.8000000000003p1);
    int is_large = size >= 0.57;
    double quotient = (is_large ? -2.0 : z) / (is_large ? large : p);
    double m = is_large ? 1.0 : size;
    return copysign(madd_f64(m, quotient, m), x);
}

/* e^x / 2 for x >= 0, which overflows where cosh does, later than e^x. */
VECTOR_FUNCTION double half_exp_f64(double x)
{
    double rounded = madd_f64(x, 0x1.71547652b82fep0, TWO_SCALERS_F64 - 1.0);
    rounded = cut_f64(rounded, TWO_SCALERS_F64 + 1030.0);
    return scaled_f64(exp_near_f64(reduce_ln2_f64(x, rounded - (TWO_SCALERS_F64 - 1.0))), rounded);
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

/* For x = n ln(2) + r >= 0, a = 2^n and b = 2^-n: cosh x = (a + b)/2 cosh r + (a - b)/2 sinh r, and
 * sinh x is the same with the two factors exchanged. No digits cancel except near n = 1; there the
 * product of r and sinh r's factor is added in the last step. a and b are halved, so that a is
 * finite if the result is. */
VECTOR_FUNCTION float hyperbolic_f32(float size, int is_even)
{
    float rounded = madd_f32(size, 0x1.715476p0f, SCALER_F32 - 2.0f);
    rounded = cut_f32(rounded, SCALER_F32 + 127.0f);
    float r = reduce_ln2_f32(size, rounded - (SCALER_F32 - 2.0f)), z = r * r;
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
