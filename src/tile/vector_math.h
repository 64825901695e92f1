/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log and tanh of one element, branch-free, so that a loop around them becomes vector code.
 *
 * A multiplication and an addition are joined exactly where madd_ says so, where the target has
 * FMA; elsewhere they stay apart (-ffp-contract=off). So AVX2, AVX-512, NEON and a second tier
 * that compiles this header give the same bits; x86-64 without FMA may differ from them in the
 * last bit of exp, log and tanh, within the same bounds. (Without FMA everywhere tanh took 1.3
 * times as long.)
 *
 * The polynomials are weighted minimax fits made for this file (reweighted least squares in 300
 * bits, rounded coefficient by coefficient). The error bounds in units in the last place (ULP)
 * were measured against long double libm over every float, and over a dense sample of the
 * doubles; tests/c/tile/test_vector_math.c keeps watch. Infinities, NaN, zeros with their sign,
 * subnormal arguments and subnormal results are right. */
#ifndef JG_TILE_VECTOR_MATH_H
#define JG_TILE_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float f32_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float madd_f32(float x, float y, float z)
{
#ifdef __FP_FAST_FMAF
    return __builtin_fmaf(x, y, z);
#else
    return x * y + z;
#endif
}

static inline double madd_f64(double x, double y, double z)
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

/* e^r - 1 for |r| <= ln(2)/2, relative error 2^-28: r + r^2 q(r). */
static inline float expm1_core_f32(float r)
{
    float q = 0x1.6a4b3cp-10f;
    q = madd_f32(q, r, 0x1.12398ep-7f);
    q = madd_f32(q, r, 0x1.5558b2p-5f);
    q = madd_f32(q, r, 0x1.555492p-3f);
    q = madd_f32(q, r, 0x1.fffffcp-2f);
    return madd_f32(r * r, q, r);
}

/* The same, relative error 2^-57. */
static inline double expm1_core_f64(double r)
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
static inline float reduce_ln2_f32(float x, float n)
{
    return madd_f32(n, 0x1.bd0106p-13f, madd_f32(n, -0x1.63p-1f, x));
}

static inline double reduce_ln2_f64(double x, double n)
{
    return madd_f64(n, -0x1.a39ef35793c76p-33, madd_f64(n, -0x1.62e42feep-1, x));
}

/* e^x, 1.0 ULP. The power of two is applied in two halves, each in range, so that the one
 * rounding of a subnormal result is that of the last product; overflow gives infinity in the
 * same way. */
static inline float vector_exp_f32(float x)
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
static inline double vector_exp_f64(double x)
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

/* log of m 2^k with m in [sqrt(1/2), sqrt(2)): f - f^2/2 + f^3 p(f) + k ln(2) with f = m - 1.
 * 0.9 ULP. */
static inline float vector_log_f32(float x)
{
    float subnormal = x < 0x1p-126f ? 1.0f : 0.0f;
    float scaled = x < 0x1p-126f ? x * 0x1p23f : x;
    uint32_t bits = bits_of_f32(scaled) - 0x3f3504f3u; /* sqrt(1/2) */
    float k = (float)((int32_t)bits >> 23) - subnormal * 23.0f;
    float f = f32_of_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    float p = 0x1.13c31cp-4f;
    p = madd_f32(p, f, -0x1.dda27ap-4f);
    p = madd_f32(p, f, 0x1.e6dff4p-4f);
    p = madd_f32(p, f, -0x1.fc3d1ap-4f);
    p = madd_f32(p, f, 0x1.233abcp-3f);
    p = madd_f32(p, f, -0x1.555b90p-3f);
    p = madd_f32(p, f, 0x1.99a47ap-3f);
    p = madd_f32(p, f, -0x1.000008p-2f);
    p = madd_f32(p, f, 0x1.555548p-2f);
    float square = f * f;
    float tail = madd_f32(f * square, p, k * -0x1.bd0106p-13f);
    float result = madd_f32(k, 0x1.63p-1f, f + madd_f32(-0.5f, square, tail));
    result = x < INFINITY ? result : x; /* infinity and NaN are their own logarithms */
    result = x < 0.0f ? NAN : result;
    return x == 0.0f ? -INFINITY : result;
}

/* log of m 2^k: with s = f / (2 + f), log(1 + f) = f - (f^2/2 - s (f^2/2 + z g(z))), z = s^2,
 * the form that fdlibm's e_log.c uses. 0.9 ULP. */
static inline double vector_log_f64(double x)
{
    double subnormal = x < 0x1p-1022 ? 1.0 : 0.0;
    double scaled = x < 0x1p-1022 ? x * 0x1p52 : x;
    uint64_t bits = bits_of_f64(scaled) - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    /* The exponent plus 2^10 stands in the low bits of 2^52, as SSE2 cannot convert 64-bit
     * integers. */
    uint64_t exponent = (bits + 0x4000000000000000u) >> 52;
    double k = f64_of_bits(0x4330000000000000u | exponent) - 0x1.00000000004p52;
    k -= subnormal * 52.0;
    double f = f64_of_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    double s = f / (2.0 + f), z = s * s;
    double g = 0x1.2f0bd8627c12dp-3;
    g = madd_f64(g, z, 0x1.39a116de2ead0p-3);
    g = madd_f64(g, z, 0x1.7466454b27bc1p-3);
    g = madd_f64(g, z, 0x1.c71c51e9bb514p-3);
    g = madd_f64(g, z, 0x1.2492494219660p-2);
    g = madd_f64(g, z, 0x1.999999997faafp-2);
    g = madd_f64(g, z, 0x1.5555555555593p-1);
    double half_square = 0.5 * f * f;
    double tail = madd_f64(s, madd_f64(z, g, half_square), k * 0x1.a39ef35793c76p-33);
    double result = madd_f64(k, 0x1.62e42feep-1, f - (half_square - tail));
    result = x < (double)INFINITY ? result : x;
    result = x < 0.0 ? (double)NAN : result;
    return x == 0.0 ? -(double)INFINITY : result;
}

/* tanh x = t / (t + 2) with t = e^(2|x|) - 1; below 0.35, where that rounds too often, an odd
 * polynomial. 1.5 ULP. */
static inline float vector_tanh_f32(float x)
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
static inline double vector_tanh_f64(double x)
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

#endif
