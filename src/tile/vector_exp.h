/* SPDX-License-Identifier: Apache-2.0 */
/* Exponentials and the hyperbolic functions made of them. All reduce x to n ln(2) + r and apply
 * the power of two at the end. */
#ifndef JG_TILE_VECTOR_EXP_H
#define JG_TILE_VECTOR_EXP_H

#include "tile/vector_bits.h"

/* e^r - 1 for |r| <= ln(2)/2, relative error 2^-28: r + r^2 q(r). */
VECTOR_FUNCTION float expm1_core_f32(float r)
{
    float q = 0x1.6a4b3cp-10f;
    q = madd_f32(q, r, 0x1.12398ep-7f);
    q = madd_f32(q, r, 0x1.5558b2p-5f);
    q = madd_f32(q, r, 0x1.555492p-3f);
    q = madd_f32(q, r, 0x1.fffffcp-2f);
    return madd_f32(r * r, q, r);
}

/* The same, relative error 2^-57. */
VECTOR_FUNCTION double expm1_core_f64(double r)
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
    q = madd_f64(q, r, 0x1.000000000000ap-1);
    return madd_f64(r * r, q, r);
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

/* e^x, 1.0 ULP. The power of two is applied in two halves, each in range, so that the one
 * rounding of a subnormal result is that of the last product; overflow gives infinity in the
 * same way. */
VECTOR_FUNCTION float vector_exp_f32(float x)
{
    x = x < -105.0f ? -105.0f : x;
    x = x > 89.0f ? 89.0f : x;
    float rounded = madd_f32(x, 0x1.715476p0f, ROUNDER_F32);
    float n = rounded - ROUNDER_F32;
    float r = reduce_ln2_f32(x, n);
    float half_rounded = madd_f32(n, 0.5f, ROUNDER_F32);
    uint32_t half = bits_of_f32(half_rounded);
    uint32_t rest = bits_of_f32(rounded) - half + bits_of_f32(ROUNDER_F32);
    float scale = f32_of_bits((half << 23) + 0x3f800000u);
    float scale_rest = f32_of_bits((rest << 23) + 0x3f800000u);
    return (1.0f + expm1_core_f32(r)) * scale * scale_rest;
}

/* e^x, 1.0 ULP. */
VECTOR_FUNCTION double vector_exp_f64(double x)
{
    x = x < -746.0 ? -746.0 : x;
    x = x > 710.0 ? 710.0 : x;
    double rounded = madd_f64(x, 0x1.71547652b82fep0, ROUNDER_F64);
    double n = rounded - ROUNDER_F64;
    double r = reduce_ln2_f64(x, n);
    double half_rounded = madd_f64(n, 0.5, ROUNDER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half + bits_of_f64(ROUNDER_F64);
    double scale = f64_of_bits((half << 52) + 0x3ff0000000000000u);
    double scale_rest = f64_of_bits((rest << 52) + 0x3ff0000000000000u);
    return (1.0 + expm1_core_f64(r)) * scale * scale_rest;
}

/* 2^x: the way of exp, with r exact before it is scaled. */
VECTOR_FUNCTION float vector_exp2_f32(float x)
{
    x = x < -151.0f ? -151.0f : x;
    x = x > 129.0f ? 129.0f : x;
    float rounded = x + ROUNDER_F32, n = rounded - ROUNDER_F32;
    float half_rounded = madd_f32(n, 0.5f, ROUNDER_F32);
    uint32_t half = bits_of_f32(half_rounded);
    uint32_t rest = bits_of_f32(rounded) - half + bits_of_f32(ROUNDER_F32);
    float scale = f32_of_bits((half << 23) + 0x3f800000u);
    float scale_rest = f32_of_bits((rest << 23) + 0x3f800000u);
    return (1.0f + expm1_core_f32((x - n) * 0x1.62e430p-1f)) * scale * scale_rest;
}

VECTOR_FUNCTION double vector_exp2_f64(double x)
{
    x = x < -1080.0 ? -1080.0 : x;
    x = x > 1025.0 ? 1025.0 : x;
    double rounded = x + ROUNDER_F64, n = rounded - ROUNDER_F64;
    double half_rounded = madd_f64(n, 0.5, ROUNDER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half + bits_of_f64(ROUNDER_F64);
    double scale = f64_of_bits((half << 52) + 0x3ff0000000000000u);
    double scale_rest = f64_of_bits((rest << 52) + 0x3ff0000000000000u);
    return (1.0 + expm1_core_f64((x - n) * 0x1.62e42fefa39efp-1)) * scale * scale_rest;
}

/* e^x - 1 = 2 (s t + (s - 1/2)) with s = 2^(n-1), so that s is finite wherever the result is. */
VECTOR_FUNCTION float vector_expm1_f32(float x)
{
    float inside = x < -18.0f ? -18.0f : x;
    inside = inside > 89.0f ? 89.0f : inside;
    float rounded = madd_f32(inside, 0x1.715476p0f, ROUNDER_F32);
    float t = expm1_core_f32(reduce_ln2_f32(inside, rounded - ROUNDER_F32));
    float scale = f32_of_bits((bits_of_f32(rounded) << 23) + 0x3f000000u);
    float result = 2.0f * madd_f32(scale, t, scale - 0.5f);
    return fabsf(x) < 0x1p-30f ? x : result;
}

VECTOR_FUNCTION double vector_expm1_f64(double x)
{
    double inside = x < -40.0 ? -40.0 : x;
    inside = inside > 710.0 ? 710.0 : inside;
    double rounded = madd_f64(inside, 0x1.71547652b82fep0, ROUNDER_F64);
    double t = expm1_core_f64(reduce_ln2_f64(inside, rounded - ROUNDER_F64));
    double scale = f64_of_bits((bits_of_f64(rounded) << 52) + 0x3fe0000000000000u);
    double result = 2.0 * madd_f64(scale, t, scale - 0.5);
    return fabs(x) < 0x1p-60 ? x : result;
}

/* By e^-|x|, which cannot overflow. */
VECTOR_FUNCTION float vector_sigmoid_f32(float x)
{
    float t = vector_exp_f32(-fabsf(x));
    return (x < 0.0f ? t : 1.0f) / (1.0f + t);
}

VECTOR_FUNCTION double vector_sigmoid_f64(double x)
{
    double t = vector_exp_f64(-fabs(x));
    return (x < 0.0 ? t : 1.0) / (1.0 + t);
}

/* tanh x = t / (t + 2) with t = e^(2|x|) - 1; below 0.35, where that rounds too often, an odd
 * polynomial. 1.5 ULP. */
VECTOR_FUNCTION float vector_tanh_f32(float x)
{
    float size = fabsf(x), y = size > 10.0f ? 20.0f : 2.0f * size; /* the result is 1 */
    float rounded = madd_f32(y, 0x1.715476p0f, ROUNDER_F32);
    float r = reduce_ln2_f32(y, rounded - ROUNDER_F32);
    float scale = f32_of_bits((bits_of_f32(rounded) << 23) + 0x3f800000u);
    float t = madd_f32(scale, expm1_core_f32(r), scale - 1.0f);
    float large = t / (t + 2.0f);
    float z = x * x;
    float p = 0x1.3ea1fap-6f;
    p = madd_f32(p, z, -0x1.b82728p-5f);
    p = madd_f32(p, z, 0x1.110c34p-3f);
    p = madd_f32(p, z, -0x1.55554ep-2f);
    float small = madd_f32(size, z * p, size);
    return copysignf(size < 0.35f ? small : large, x);
}

/* 1.5 ULP. */
VECTOR_FUNCTION double vector_tanh_f64(double x)
{
    double size = fabs(x), y = size > 20.0 ? 40.0 : 2.0 * size;
    double rounded = madd_f64(y, 0x1.71547652b82fep0, ROUNDER_F64);
    double r = reduce_ln2_f64(y, rounded - ROUNDER_F64);
    double scale = f64_of_bits((bits_of_f64(rounded) << 52) + 0x3ff0000000000000u);
    double t = madd_f64(scale, expm1_core_f64(r), scale - 1.0);
    double large = t / (t + 2.0);
    double z = x * x;
    double p = -0x1.89610d2b2c0f1p-13;
    p = madd_f64(p, z, 0x1.2eaa70f2ad12ep-11);
    p = madd_f64(p, z, -0x1.7d2bd09cc6d3dp-10);
    p = madd_f64(p, z, 0x1.d6ceb9a81bdb6p-9);
    p = madd_f64(p, z, -0x1.226e242eb37b5p-7);
    p = madd_f64(p, z, 0x1.664f483c6214fp-6);
    p = madd_f64(p, z, -0x1.ba1ba1b977fecp-5);
    p = madd_f64(p, z, 0x1.1111111110b35p-3);
    p = madd_f64(p, z, -0x1.5555555555553p-2);
    double small = madd_f64(size, z * p, size);
    return copysign(size < 0.35 ? small : large, x);
}

/* e^x / 2 for x >= 0, which overflows where cosh does, later than e^x. */
VECTOR_FUNCTION double half_exp_f64(double x)
{
    x = x > 712.0 ? 712.0 : x;
    double rounded = madd_f64(x, 0x1.71547652b82fep0, ROUNDER_F64);
    double n = rounded - ROUNDER_F64;
    double half_rounded = madd_f64(n, 0.5, ROUNDER_F64);
    uint64_t half = bits_of_f64(half_rounded);
    uint64_t rest = bits_of_f64(rounded) - half + bits_of_f64(ROUNDER_F64);
    double scale = f64_of_bits((half << 52) + 0x3ff0000000000000u);
    double scale_rest = f64_of_bits((rest << 52) + 0x3fe0000000000000u);
    return (1.0 + expm1_core_f64(reduce_ln2_f64(x, n))) * scale * scale_rest;
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

VECTOR_FUNCTION float vector_cosh_f32(float x)
{
    return (float)vector_cosh_f64((double)x);
}

VECTOR_FUNCTION float vector_sinh_f32(float x)
{
    return (float)vector_sinh_f64((double)x);
}

#endif
