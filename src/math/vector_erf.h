/* SPDX-License-Identifier: Apache-2.0 */
/* The error function and its inverse. */
#ifndef JG_MATH_VECTOR_ERF_H
#define JG_MATH_VECTOR_ERF_H

#include "math/vector_log.h"

/* Below 1 an odd polynomial, whose first coefficient is 1 and a rest; above, 1 - e^p(|x|), where
 * p fits the logarithm of erfc. From 4 (6 in double) on the result is 1. NaN passes the comparisons
 * as a large number, and so does all that is made of it. In float both polynomials have as many
 * coefficients and are one, with those of the side that x is on; p is a logarithm to base 2, as
 * that has a whole part without a product, and 2^r is within what erfc leaves of it. */
VECTOR_FUNCTION float vector_erf_f32(float x)
{
    float size = fabsf(x), y = size > 4.0f ? 4.0f : size;
    int is_small = size < 1.0f;
    float t = is_small ? x * x : y;
    float p = is_small ? 0x1.48f1e8p-14f : 0x1.18b9bep-12f;
    p = madd_f32(p, t, is_small ? -0x1.a3eca6p-11f : -0x1.15eeb6p-8f);
    p = madd_f32(p, t, is_small ? 0x1.540a44p-8f : 0x1.01b4d4p-5f);
    p = madd_f32(p, t, is_small ? -0x1.b7fabp-6f : -0x1.307018p-3f);
    p = madd_f32(p, t, is_small ? 0x1.ce2d28p-4f : -0x1.d76e88p-1f);
    p = madd_f32(p, t, is_small ? -0x1.81274p-2f : -0x1.a03fe6p+0f);
    p = madd_f32(p, t, is_small ? 0x1.06eba8p-3f : -0x1.0b8d8cp-11f);
    float rounded = p + SCALER_F32;
    float scale = f32_of_bits(bits_of_f32(rounded) << 23);
    float r = p - (rounded - SCALER_F32);
    float q = 0x1.5f8906p-10f;
    q = madd_f32(q, r, 0x1.3d107ap-7f);
    q = madd_f32(q, r, 0x1.c6ae2cp-5f);
    q = madd_f32(q, r, 0x1.ebf906p-3f);
    q = madd_f32(q, r, 0x1.62e434p-1f);
    q = madd_f32(q, r, 1.0f);
    float result = is_small ? madd_f32(size, p, size) : madd_f32(-scale, q, 1.0f);
    return copysignf(result, x);
}

VECTOR_FUNCTION double erf_small_f64(double x)
{
    double z = x * x;
    double p = 0x1.03a7ad41a3552p-34;
    p = madd_f64(p, z, -0x1.37c0108e2b3fep-30);
    p = madd_f64(p, z, 0x1.f76db7aed840ep-27);
    p = madd_f64(p, z, -0x1.5f18487db6633p-23);
    p = madd_f64(p, z, 0x1.b9de61f29ce52p-20);
    p = madd_f64(p, z, -0x1.f4d1d49578921p-17);
    p = madd_f64(p, z, 0x1.f9a3211d8287cp-14);
    p = madd_f64(p, z, -0x1.c02db3d4e3d7bp-11);
    p = madd_f64(p, z, 0x1.565bcd0d9d6e0p-8);
    p = madd_f64(p, z, -0x1.b82ce31284430p-6);
    p = madd_f64(p, z, 0x1.ce2f21a042b1bp-4);
    p = madd_f64(p, z, -0x1.812746b0379e6p-2);
    return madd_f64(x, madd_f64(z, p, 0x1.06eba8214db69p-3), x);
}

VECTOR_FUNCTION double vector_erf_f64(double x)
{
    double size = fabs(x), y = size > 6.0 ? 6.0 : size;
    double p = 0x1.23adba676dfbbp-40;
    p = madd_f64(p, y, -0x1.a2f7202336d4dp-35);
    p = madd_f64(p, y, 0x1.195ec79b434c1p-30);
    p = madd_f64(p, y, -0x1.d5128b410ba95p-27);
    p = madd_f64(p, y, 0x1.0f41a285ccbf5p-23);
    p = madd_f64(p, y, -0x1.cbe64b0bf0812p-21);
    p = madd_f64(p, y, 0x1.24f81163c91f9p-18);
    p = madd_f64(p, y, -0x1.17ffa19c3b8c2p-16);
    p = madd_f64(p, y, 0x1.7ed0f490dffd6p-15);
    p = madd_f64(p, y, -0x1.2db6c095689c7p-14);
    p = madd_f64(p, y, -0x1.5d2bc1531a944p-15);
    p = madd_f64(p, y, 0x1.4d7ca7ed76297p-11);
    p = madd_f64(p, y, -0x1.ce131a41a1062p-10);
    p = madd_f64(p, y, 0x1.1fc4f7060a3f2p-12);
    p = madd_f64(p, y, 0x1.38a5ebead59b4p-6);
    p = madd_f64(p, y, -0x1.a4dcb8e47c8cap-4);
    p = madd_f64(p, y, -0x1.45f40f31dc683p-1);
    p = madd_f64(p, y, -0x1.20dd5954d314fp+0);
    p = madd_f64(p, y, -0x1.57e8e9ce1dd81p-23);
    double rounded = madd_f64(p, 0x1.71547652b82fep0, SCALER_F64);
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    double rest = expm1_near_f64(reduce_ln2_f64(p, rounded - SCALER_F64));
    double large = (1.0 - scale) - scale * rest;
    double result = size < 1.0 ? erf_small_f64(size) : large;
    return copysign(result, x);
}

/* erfinv(x) / x - 1 for |x| <= 0.8 by v = 0.64 - x^2, as a quotient p / *q, 2^-57 off. */
VECTOR_FUNCTION double erfinv_center_f64(double v, double *q)
{
    double p = -0x1.38e442539ecbep-4;
    p = madd_f64(p, v, -0x1.614ae0c359f8p+0);
    p = madd_f64(p, v, -0x1.8841d9dabaab9p+2);
    p = madd_f64(p, v, -0x1.43f7e18cd6a51p+3);
    p = madd_f64(p, v, -0x1.ad17c59f3c43ep+2);
    p = madd_f64(p, v, -0x1.279cb1079ea8p+0);
    p = madd_f64(p, v, 0x1.c1c3c75dbddbep-2);
    p = madd_f64(p, v, 0x1.0fdb2b9d0a583p-3);
    double d = 0x1.756cc3646a6cfp-4;
    d = madd_f64(d, v, 0x1.22402b447d0bp+1);
    d = madd_f64(d, v, 0x1.cc26fa4232c19p+3);
    d = madd_f64(d, v, 0x1.25cbca5068c5fp+5);
    d = madd_f64(d, v, 0x1.67af4b1b64418p+5);
    d = madd_f64(d, v, 0x1.bf6835294b77ep+4);
    d = madd_f64(d, v, 0x1.0ff62e9cf0641p+3);
    d = madd_f64(d, v, 0x1p+0);
    *q = d;
    return p;
}

/* r - erfinv(x) beyond, with r = sqrt(-log(1 - x)), by t = r - 1.25; 2^-55 of erfinv(x) off. */
VECTOR_FUNCTION double erfinv_tail_f64(double t, double *q)
{
    double p = -0x1.59820d4e6791p-31;
    p = madd_f64(p, t, 0x1.97681b51ef7fcp-23);
    p = madd_f64(p, t, 0x1.eddcfe2bd45bfp-14);
    p = madd_f64(p, t, 0x1.3bb88658dd46ep-8);
    p = madd_f64(p, t, 0x1.f0bd53f16315p-5);
    p = madd_f64(p, t, 0x1.4fb8bfc0eb643p-2);
    p = madd_f64(p, t, 0x1.d1ba3ad4baebap-1);
    p = madd_f64(p, t, 0x1.61f1de3ce14d4p+0);
    p = madd_f64(p, t, 0x1.1a90e0bd248cfp+0);
    p = madd_f64(p, t, 0x1.738c232dc2db3p-2);
    double d = 0x1.66b2daa86a24fp-15;
    d = madd_f64(d, t, 0x1.4841e70a6f0ddp-9);
    d = madd_f64(d, t, 0x1.65ec27e101468p-5);
    d = madd_f64(d, t, 0x1.54378570eee23p-2);
    d = madd_f64(d, t, 0x1.539d07bd74078p+0);
    d = madd_f64(d, t, 0x1.872ef39b2e8a6p+1);
    d = madd_f64(d, t, 0x1.08de3818f6422p+2);
    d = madd_f64(d, t, 0x1.8c87dd934f3bap+1);
    d = madd_f64(d, t, 0x1p+0);
    *q = d;
    return p;
}

VECTOR_FUNCTION double vector_erfinv_f64(double x)
{
    double size = fabs(x), r = sqrt(-vector_log_f64(1.0 - size)), center_q, tail_q;
    double center_p = erfinv_center_f64(0.64 - x * x, &center_q);
    double tail_p = erfinv_tail_f64(r - 1.25, &tail_q);
    double quotient = (size < 0.8 ? center_p : tail_p) / (size < 0.8 ? center_q : tail_q);
    double center = madd_f64(size, quotient, size), tail = r - quotient;
    double result = size < 0.8 ? center : tail;
    return copysign(size == 1.0 ? (double)INFINITY : result, x);
}

/* |x| + |x| p, where p fits erfinv(x) / x - 1 by w = -log(1 - x^2) around 2.5, from 5 on by its
 * root around 3.125, for w up to 15.95, where the last float before 1 is; 2^-27 off. As in erf,
 * both polynomials have as many coefficients. 1 - |x| is exact where w is large. */
VECTOR_FUNCTION float vector_erfinv_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_erfinv_f64((double)x);
    float size = fabsf(x), w = -near_log_f32((1.0f - size) * (1.0f + size));
    int is_near = w < 5.0f;
    float t = is_near ? w - 2.5f : sqrtf(w) - 3.125f;
    float p = is_near ? -0x1.3025f2p-27f : 0x1.11e45p-13f;
    p = madd_f32(p, t, is_near ? 0x1.8bdd66p-26f : -0x1.68bc4cp-13f);
    p = madd_f32(p, t, is_near ? 0x1.f5883p-22f : -0x1.555948p-12f);
    p = madd_f32(p, t, is_near ? -0x1.d06802p-19f : 0x1.56e1c4p-10f);
    p = madd_f32(p, t, is_near ? -0x1.4d6784p-18f : -0x1.4a3daep-9f);
    p = madd_f32(p, t, is_near ? 0x1.c9e078p-13f : 0x1.efd826p-9f);
    p = madd_f32(p, t, is_near ? -0x1.48656ep-10f : -0x1.5b6eaap-8f);
    p = madd_f32(p, t, is_near ? -0x1.11c49ap-8f : 0x1.cdf38cp-8f);
    p = madd_f32(p, t, is_near ? 0x1.f91e8ap-3f : 0x1.00f3b6p+0f);
    p = madd_f32(p, t, is_near ? 0x1.00b8bap-1f : 0x1.f55478p+0f);
    float result = size < 1.0f ? madd_f32(size, p, size) : NAN;
    return copysignf(size == 1.0f ? INFINITY : result, x);
}

#endif
