/* SPDX-License-Identifier: Apache-2.0 */
/* The error function and its inverse. */
#ifndef JG_TILE_VECTOR_ERF_H
#define JG_TILE_VECTOR_ERF_H

#include "tile/vector_log.h"

/* Below 1 an odd polynomial, whose first coefficient is 1 and a rest; above, 1 - e^p(|x|), where
 * p fits the logarithm of erfc. */
VECTOR_FUNCTION float erf_small_f32(float x)
{
    float z = x * x;
    float p = 0x1.48f1e8p-14f;
    p = madd_f32(p, z, -0x1.a3eca6p-11f);
    p = madd_f32(p, z, 0x1.540a44p-8f);
    p = madd_f32(p, z, -0x1.b7fabp-6f);
    p = madd_f32(p, z, 0x1.ce2d28p-4f);
    p = madd_f32(p, z, -0x1.81274p-2f);
    return madd_f32(x, madd_f32(z, p, 0x1.06eba8p-3f), x);
}

VECTOR_FUNCTION float vector_erf_f32(float x)
{
    float size = fabsf(x), y = size > 4.0f ? 4.0f : size;
    float p = 0x1.852e9cp-13f;
    p = madd_f32(p, y, -0x1.814d68p-9f);
    p = madd_f32(p, y, 0x1.65424ep-6f);
    p = madd_f32(p, y, -0x1.a60a9p-4f);
    p = madd_f32(p, y, -0x1.46c584p-1f);
    p = madd_f32(p, y, -0x1.2085b2p+0f);
    p = madd_f32(p, y, -0x1.72e838p-12f);
    float rounded = madd_f32(p, 0x1.715476p0f, ROUNDER_F32);
    float scale = f32_of_bits((bits_of_f32(rounded) << 23) + 0x3f800000u);
    float rest = expm1_core_f32(reduce_ln2_f32(p, rounded - ROUNDER_F32));
    float large = (1.0f - scale) - scale * rest;
    float result = size < 1.0f ? erf_small_f32(size) : large;
    return copysignf(x != x ? x : result, x);
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
    double rounded = madd_f64(p, 0x1.71547652b82fep0, ROUNDER_F64);
    double scale = f64_of_bits((bits_of_f64(rounded) << 52) + 0x3ff0000000000000u);
    double rest = expm1_core_f64(reduce_ln2_f64(p, rounded - ROUNDER_F64));
    double large = (1.0 - scale) - scale * rest;
    double result = size < 1.0 ? erf_small_f64(size) : large;
    return copysign(x != x ? x : result, x);
}

/* x times a polynomial in w = -log(1 - x^2), or in its root where that is large; in double. */
VECTOR_FUNCTION float vector_erfinv_f32(float x)
{
    double wide = (double)x, w = -vector_log_f64((1.0 - wide) * (1.0 + wide));
    double t = w - 3.125, s = sqrt(w) - 3.25;
    double p = 0x1.20e5d2d339ed9p-36;
    p = madd_f64(p, t, 0x1.7612b2fe2cc41p-31);
    p = madd_f64(p, t, -0x1.59500a9cdcddfp-28);
    p = madd_f64(p, t, -0x1.b143c96c54207p-26);
    p = madd_f64(p, t, 0x1.cd14bd91a291dp-22);
    p = madd_f64(p, t, -0x1.736aba1235730p-20);
    p = madd_f64(p, t, -0x1.d2706de76a900p-17);
    p = madd_f64(p, t, 0x1.87b0792e21510p-13);
    p = madd_f64(p, t, -0x1.845477e33f4d8p-11);
    p = madd_f64(p, t, -0x1.8b6cab1630ad5p-8);
    p = madd_f64(p, t, 0x1.ebd80d2d15df5p-3);
    p = madd_f64(p, t, 0x1.a755e7dcca170p+0);
    double center = p;
    p = -0x1.30dbf696def5cp-18;
    p = madd_f64(p, s, -0x1.340362a80beaep-12);
    p = madd_f64(p, s, 0x1.fb618fc84a92cp-11);
    p = madd_f64(p, s, -0x1.bfaf07f7f8504p-10);
    p = madd_f64(p, s, 0x1.45e333b286f5ap-9);
    p = madd_f64(p, s, -0x1.eb558f96fa796p-9);
    p = madd_f64(p, s, 0x1.6006dec8a99ccp-8);
    p = madd_f64(p, s, 0x1.0158a514cdf1bp+0);
    p = madd_f64(p, s, 0x1.8abcc36d69de4p+1);
    float result = (float)(wide * (w < 6.25 ? center : p));
    result = fabsf(x) == 1.0f ? copysignf(INFINITY, x) : result;
    return fabsf(x) > 1.0f ? NAN : result;
}

/* Newton's method from the float's result, on erf or on erfc, whichever keeps the digits: libm's,
 * element by element. */
VECTOR_FUNCTION double vector_erfinv_f64(double x)
{
    double size = fabs(x), y = (double)vector_erfinv_f32((float)size);
    if (!(size < 1.0) || size < 0x1p-60)
        return size > 1.0 ? (double)NAN : size < 1.0 ? x * 0x1.c5bf891b4ef6bp-1 : x / (1.0 - size);
    y = y < 6.0 ? y : sqrt(-log1p(-size));
    for (int i = 0; i < 3; ++i) {
        double error = size < 0.5 ? erf(y) - size : (1.0 - size) - erfc(y);
        double step = error / (0x1.20dd750429b6dp0 * exp(-y * y));
        y -= step / (1.0 + y * step);
    }
    return copysign(y, x);
}

#endif
