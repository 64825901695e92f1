/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithms and what is made of them: the inverse hyperbolic functions, log(e^x + e^y), and hypot,
 * which guards against overflow in the same way as they do.
 *
 * A third of a logarithm's time would go into arguments that are not positive normal numbers. So
 * there is near_<name>_f32 for runs of arguments that all are, or that all lie in another range: x
 * belongs to it if offset_<name>_f32(x) is below NEAR_<name>_f32, and there it has the bits of
 * vector_<name>_f32; of float64 for the three plain logarithms. A loop tests some hundred elements,
 * and then runs one of the two functions over them. */
#ifndef JG_MATH_VECTOR_LOG_H
#define JG_MATH_VECTOR_LOG_H

#include "math/vector_exp.h"

/* p in log(1 + f) = f - f^2/2 + f^3 p. */
VECTOR_FUNCTION float log_core_f32(float f)
{
    float z = f * f;
    float even = madd_f32(z, 0x1.13c324p-4f, 0x1.e6df8p-4f);
    even = madd_f32(even, z, 0x1.233ae4p-3f);
    even = madd_f32(even, z, 0x1.99a47ep-3f);
    even = madd_f32(even, z, 0x1.55554ap-2f);
    float odd = madd_f32(z, -0x1.dda24ap-4f, -0x1.fc3d1p-4f);
    odd = madd_f32(odd, z, -0x1.555b9ap-3f);
    odd = madd_f32(odd, z, -0x1.00000ep-2f);
    return madd_f32(odd, f, even);
}

/* g in log(1 + f) = f - (f^2/2 - s (f^2/2 + z g)), s = f / (2 + f), z = s^2. */
VECTOR_FUNCTION double log_core_f64(double z)
{
    double g = 0x1.2f0bd8627c12dp-3;
    g = madd_f64(g, z, 0x1.39a116de2eadp-3);
    g = madd_f64(g, z, 0x1.7466454b27bc1p-3);
    g = madd_f64(g, z, 0x1.c71c51e9bb514p-3);
    g = madd_f64(g, z, 0x1.249249421966p-2);
    g = madd_f64(g, z, 0x1.999999997faafp-2);
    g = madd_f64(g, z, 0x1.5555555555593p-1);
    return g;
}

/* The logarithm of what has none: of 0, negative numbers, infinity and NaN. */
VECTOR_FUNCTION float log_special_f32(float x, float result)
{
    result = x < INFINITY ? result : x;
    result = x < 0.0f ? NAN : result;
    return x == 0.0f ? -INFINITY : result;
}

VECTOR_FUNCTION double log_special_f64(double x, double result)
{
    result = x < (double)INFINITY ? result : x;
    result = x < 0.0 ? (double)NAN : result;
    return x == 0.0 ? -(double)INFINITY : result;
}

/* k and f in x = (1 + f) 2^k, 1 + f in [sqrt(1/2), sqrt(2)). */
VECTOR_FUNCTION float log_split_f32(float x, float *f)
{
    float subnormal = x < 0x1p-126f ? 1.0f : 0.0f;
    float scaled = x < 0x1p-126f ? x * 0x1p23f : x;
    uint32_t bits = bits_of_f32(scaled) - 0x3f3504f3u; /* sqrt(1/2) */
    *f = f32_of_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    return (float)((int32_t)bits >> 23) - subnormal * 23.0f;
}

/* The same of a positive normal number. */
VECTOR_FUNCTION float near_split_f32(float x, float *f)
{
    uint32_t bits = bits_of_f32(x) - 0x3f3504f3u;
    *f = f32_of_bits((bits & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
    return (float)((int32_t)bits >> 23);
}

#define NEAR_log_f32 0x7f000000u
VECTOR_FUNCTION uint32_t offset_log_f32(float x)
{
    return bits_of_f32(x) - 0x00800000u;
}

VECTOR_FUNCTION double log_split_f64(double x, double *f)
{
    double subnormal = x < 0x1p-1022 ? 1.0 : 0.0;
    double scaled = x < 0x1p-1022 ? x * 0x1p52 : x;
    uint64_t bits = bits_of_f64(scaled) - 0x3fe6a09e667f3bcdu; /* sqrt(1/2) */
    /* The exponent plus 2^10 is put into the low bits of 2^52, as SSE2 cannot convert 64-bit
     * integers. */
    uint64_t exponent = (bits + 0x4000000000000000u) >> 52;
    *f = f64_of_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    return f64_of_bits(0x4330000000000000u | exponent) - 0x1.00000000004p52 - subnormal * 52.0;
}

VECTOR_FUNCTION double near_split_f64(double x, double *f)
{
    uint64_t bits = bits_of_f64(x) - 0x3fe6a09e667f3bcdu;
    uint64_t exponent = (bits + 0x4000000000000000u) >> 52;
    *f = f64_of_bits((bits & 0x000fffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
    return f64_of_bits(0x4330000000000000u | exponent) - 0x1.00000000004p52;
}

#define NEAR_log_f64 0x7fe0000000000000u
VECTOR_FUNCTION uint64_t offset_log_f64(double x)
{
    return bits_of_f64(x) - 0x0010000000000000u;
}

/* f - f^2/2 + f^3 p(f) + k ln(2) */
VECTOR_FUNCTION float log_of_split_f32(float k, float f)
{
    float square = f * f;
    float tail = madd_f32(f * square, log_core_f32(f), k * -0x1.bd0106p-13f);
    return madd_f32(k, 0x1.63p-1f, f + madd_f32(-0.5f, square, tail));
}

VECTOR_FUNCTION float near_log_f32(float x)
{
    float f, k = near_split_f32(x, &f);
    return log_of_split_f32(k, f);
}

VECTOR_FUNCTION float vector_log_f32(float x)
{
    float f, k = log_split_f32(x, &f);
    return log_special_f32(x, log_of_split_f32(k, f));
}

/* log of m 2^k: with s = f / (2 + f), log(1 + f) = f - (f^2/2 - s (f^2/2 + z g(z))), z = s^2,
 * the form that fdlibm's e_log.c uses. */
VECTOR_FUNCTION double log_of_split_f64(double k, double f)
{
    double s = f / (2.0 + f), z = s * s;
    double g = log_core_f64(z);
    double half_square = 0.5 * f * f;
    double tail = madd_f64(s, madd_f64(z, g, half_square), k * 0x1.a39ef35793c76p-33);
    return madd_f64(k, 0x1.62e42feep-1, f - (half_square - tail));
}

VECTOR_FUNCTION double near_log_f64(double x)
{
    double f, k = near_split_f64(x, &f);
    return log_of_split_f64(k, f);
}

VECTOR_FUNCTION double vector_log_f64(double x)
{
    double f, k = log_split_f64(x, &f);
    return log_special_f64(x, log_of_split_f64(k, f));
}

/* log(1 + f) - f */
VECTOR_FUNCTION float log_tail_f32(float f)
{
    float square = f * f;
    return madd_f32(-0.5f, square, f * square * log_core_f32(f));
}

VECTOR_FUNCTION double log_tail_f64(double f)
{
    double s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    return s * madd_f64(z, log_core_f64(z), half_square) - half_square;
}

/* f (high + low) + rest, of which only the last sum rounds by much. high has half of a type's
 * digits: where there is no joined multiplication, f is cut so that the large product is exact. */
VECTOR_FUNCTION double scale_log_f64(double f, double high, double low, double rest)
{
    if (JOINS_F64)
        return madd_f64(f, high, madd_f64(f, low, rest));
    double coarse = f64_of_bits(bits_of_f64(f) & 0xfffffffff8000000u);
    return coarse * high + ((f - coarse) * high + (f * low + rest));
}

/* log2((1 + f) 2^k), plus the correction, in natural units, of a number that was rounded. */
VECTOR_FUNCTION double log2_of_split_f64(double k, double f, double correction)
{
    double tail = (log_tail_f64(f) + correction) * 0x1.71547652b82fep0;
    return k + scale_log_f64(f, 0x1.7154768p0, -0x1.6a3e80f444178p-27, tail);
}

VECTOR_FUNCTION double log2_corrected_f64(double x, double correction)
{
    double f, k = log_split_f64(x, &f);
    return log_special_f64(x, log2_of_split_f64(k, f, correction));
}

#define NEAR_log2_f64 NEAR_log_f64
VECTOR_FUNCTION uint64_t offset_log2_f64(double x)
{
    return offset_log_f64(x);
}

VECTOR_FUNCTION double near_log2_f64(double x)
{
    double f, k = near_split_f64(x, &f);
    return log2_of_split_f64(k, f, 0.0);
}

VECTOR_FUNCTION double vector_log2_f64(double x)
{
    return log2_corrected_f64(x, 0.0);
}

/* k log10(2) is in two parts, of which the first is exact. */
VECTOR_FUNCTION double log10_of_split_f64(double k, double f, double correction)
{
    double tail = log_tail_f64(f) + correction;
    double small = madd_f64(tail, 0x1.bcb7b1526e50ep-2, k * 0x1.e7fbcc47c4acdp-40);
    double scaled = scale_log_f64(f, 0x1.bcb7b18p-2, -0x1.6c8d78e6acaa4p-29, small);
    return madd_f64(k, 0x1.34413509fp-2, scaled);
}

VECTOR_FUNCTION double log10_corrected_f64(double x, double correction)
{
    double f, k = log_split_f64(x, &f);
    return log_special_f64(x, log10_of_split_f64(k, f, correction));
}

#define NEAR_log10_f64 NEAR_log_f64
VECTOR_FUNCTION uint64_t offset_log10_f64(double x)
{
    return offset_log_f64(x);
}

VECTOR_FUNCTION double near_log10_f64(double x)
{
    double f, k = near_split_f64(x, &f);
    return log10_of_split_f64(k, f, 0.0);
}

VECTOR_FUNCTION double vector_log10_f64(double x)
{
    return log10_corrected_f64(x, 0.0);
}

/* k + f log2(e) + f^2 p(f), log2(e) in two parts. */
VECTOR_FUNCTION float log2_of_split_f32(float k, float f)
{
    float z = f * f;
    float even = madd_f32(z, -0x1.c3a15ep-4f, -0x1.87f62ap-3f);
    even = madd_f32(even, z, -0x1.eaa27ap-3f);
    even = madd_f32(even, z, -0x1.715afep-2f);
    even = madd_f32(even, z, -0x1.715470p-1f);
    float odd = madd_f32(z, 0x1.7f2676p-3f, 0x1.a2ca00p-3f);
    odd = madd_f32(odd, z, 0x1.277f44p-2f);
    odd = madd_f32(odd, z, 0x1.ec7094p-2f);
    float tail = madd_f32(z, madd_f32(odd, f, even), f * 0x1.4ae0c0p-26f);
    return k + madd_f32(f, 0x1.715476p0f, tail);
}

#define NEAR_log2_f32 NEAR_log_f32
VECTOR_FUNCTION uint32_t offset_log2_f32(float x)
{
    return offset_log_f32(x);
}

VECTOR_FUNCTION float near_log2_f32(float x)
{
    float f, k = near_split_f32(x, &f);
    return JOINS_F32 ? log2_of_split_f32(k, f) : (float)vector_log2_f64((double)x);
}

VECTOR_FUNCTION float vector_log2_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_log2_f64((double)x);
    float f, k = log_split_f32(x, &f);
    return log_special_f32(x, log2_of_split_f32(k, f));
}

/* The same with k log10(2), which is in two parts. */
VECTOR_FUNCTION float log10_of_split_f32(float k, float f)
{
    float z = f * f;
    float even = madd_f32(z, -0x1.108326p-5f, -0x1.d794ecp-5f);
    even = madd_f32(even, z, -0x1.276a30p-4f);
    even = madd_f32(even, z, -0x1.bcbf52p-4f);
    even = madd_f32(even, z, -0x1.bcb7aap-3f);
    float odd = madd_f32(z, 0x1.cd0c18p-5f, 0x1.f84ba2p-5f);
    odd = madd_f32(odd, z, 0x1.63d06ap-4f);
    odd = madd_f32(odd, z, 0x1.287a70p-3f);
    float tail = madd_f32(z, madd_f32(odd, f, even), k * -0x1.ec10c0p-27f);
    return madd_f32(k, 0x1.344136p-2f, madd_f32(f, 0x1.bcb7b2p-2f, tail));
}

#define NEAR_log10_f32 NEAR_log_f32
VECTOR_FUNCTION uint32_t offset_log10_f32(float x)
{
    return offset_log_f32(x);
}

VECTOR_FUNCTION float near_log10_f32(float x)
{
    float f, k = near_split_f32(x, &f);
    return JOINS_F32 ? log10_of_split_f32(k, f) : (float)vector_log10_f64((double)x);
}

VECTOR_FUNCTION float vector_log10_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_log10_f64((double)x);
    float f, k = log_split_f32(x, &f);
    return log_special_f32(x, log10_of_split_f32(k, f));
}

VECTOR_FUNCTION double log_corrected_f64(double x, double correction)
{
    double f, k = log_split_f64(x, &f);
    double small = log_tail_f64(f) + madd_f64(k, 0x1.a39ef35793c76p-33, correction);
    return log_special_f64(x, madd_f64(k, 0x1.62e42feep-1, f + small));
}

/* log of u = 1 + x, plus what the sum lost over u. `lost` is exact: the larger of the two is
 * subtracted first. */
VECTOR_FUNCTION double vector_log1p_f64(double x)
{
    double u = 1.0 + x, lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    double result = log_corrected_f64(u, lost / u);
    return fabs(x) < 0x1p-60 ? x : result;
}

/* log(1 + f + low) for 1 + f = m 2^k below 2^30: m - 1 = f 2^-k + (2^-k - 1) is rounded once. */
VECTOR_FUNCTION float log1p_of_parts_f32(float f, float low)
{
    uint32_t bits = bits_of_f32(1.0f + f) - 0x3f3504f3u;
    float k = (float)((int32_t)bits >> 23);
    float scale = f32_of_bits(0x3f800000u - (bits & 0xff800000u));
    float m = madd_f32(scale, f, scale - 1.0f), z = m * m;
    float tail = madd_f32(scale, low, k * -0x1.bd0106p-13f);
    tail = madd_f32(m * z, log_core_f32(m), tail);
    return madd_f32(k, 0x1.63p-1f, m + madd_f32(-0.5f, z, tail));
}

/* The interval: 1 + x is above 0, where it is at least 2^-24, and below 2^30. */
#define NEAR_log1p_f32 0x1b800000u
VECTOR_FUNCTION uint32_t offset_log1p_f32(float x)
{
    return bits_of_f32(1.0f + x) - 0x33000000u;
}

VECTOR_FUNCTION float near_log1p_f32(float x)
{
    return JOINS_F32 ? copysignf(log1p_of_parts_f32(x, 0.0f), x)
                     : (float)vector_log1p_f64((double)x);
}

VECTOR_FUNCTION float vector_log1p_f32(float x)
{
    float near = near_log1p_f32(x);
    return offset_log1p_f32(x) < NEAR_log1p_f32 ? near : vector_log_f32(1.0f + x);
}

/* log(x + sqrt(x^2 + 1)) as log1p; far out, where the square would overflow, log(2 x). */
VECTOR_FUNCTION double vector_asinh_f64(double x)
{
    double size = fabs(x), far = size > 0x1p60 ? 0x1.62e42fefa39efp-1 : 0.0;
    double inside = size > 0x1p60 ? 1.0 : size, square = inside * inside;
    double near = inside + square / (1.0 + sqrt(1.0 + square));
    return copysign(vector_log1p_f64(size > 0x1p60 ? size : near) + far, x);
}

/* log(x + sqrt(x^2 - 1)) as log1p of t = x - 1, which is exact near 1. */
VECTOR_FUNCTION double vector_acosh_f64(double x)
{
    double far = x > 0x1p60 ? 0x1.62e42fefa39efp-1 : 0.0;
    double t = x > 0x1p60 ? 1.0 : x - 1.0, near = t + sqrt(t * (t + 2.0));
    double result = vector_log1p_f64(x > 0x1p60 ? x : near) + far;
    return x < 1.0 ? (double)NAN : result;
}

/* log((1 + x) / (1 - x)) / 2 as log1p(2 x / (1 - x)) / 2: exact to first order near 0. */
VECTOR_FUNCTION double vector_atanh_f64(double x)
{
    double size = fabs(x);
    return copysign(0.5 * vector_log1p_f64(2.0 * size / (1.0 - size)), x);
}

/* log(2 x), which is as exact for x above 2^30. */
VECTOR_FUNCTION float log_of_twice_f32(float x)
{
    return vector_log_f32(x) + 0x1.62e430p-1f;
}

#define NEAR_asinh_f32 0x4e800000u
VECTOR_FUNCTION uint32_t offset_asinh_f32(float x)
{
    return bits_of_f32(fabsf(x));
}

VECTOR_FUNCTION float near_asinh_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_asinh_f64((double)x);
    float size = fabsf(x), square = size * size;
    float more = square / (1.0f + sqrtf(madd_f32(size, size, 1.0f)));
    float f = size + more, low = (size - f) + more;
    return copysignf(log1p_of_parts_f32(f, low), x);
}

VECTOR_FUNCTION float vector_asinh_f32(float x)
{
    float near = near_asinh_f32(x), far = copysignf(log_of_twice_f32(fabsf(x)), x);
    return offset_asinh_f32(x) < NEAR_asinh_f32 ? near : far;
}

/* From 1 to 2^30. */
#define NEAR_acosh_f32 0x0f000000u
VECTOR_FUNCTION uint32_t offset_acosh_f32(float x)
{
    return bits_of_f32(x) - 0x3f800000u;
}

VECTOR_FUNCTION float near_acosh_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_acosh_f64((double)x);
    float t = x - 1.0f, root = sqrtf(madd_f32(t, t, t + t));
    float f = t + root, low = (root - f) + t;
    return log1p_of_parts_f32(f, low);
}

VECTOR_FUNCTION float vector_acosh_f32(float x)
{
    float near = near_acosh_f32(x), far = x < 1.0f ? NAN : log_of_twice_f32(x);
    return offset_acosh_f32(x) < NEAR_acosh_f32 ? near : far;
}

/* log((1 + x) / (1 - x)) / 2 = k log(2) / 2 + atanh(s): the quotient is 2^k (1 + s) / (1 - s),
 * where k, from the difference of the bits of the two, makes s at most 0.2. s is a quotient of x
 * and 1 +- 2^k, which are exact for small k, above 1/2 of 1 + x and the exact 1 - x. */
VECTOR_FUNCTION float vector_atanh_f32(float x)
{
    if (!JOINS_F32)
        return (float)vector_atanh_f64((double)x);
    float size = fabsf(x);
    float above = 1.0f + size, below = 1.0f - size;
    uint32_t ratio = bits_of_f32(above) - bits_of_f32(below) + 0x00400000u;
    float k = (float)((int32_t)ratio >> 23);
    float power = f32_of_bits((ratio & 0xff800000u) + 0x3f800000u);
    uint32_t far = above_f32(size, 0.5f);
    float less = pick_f32(far, -power, 1.0f - power), more = pick_f32(far, power, 1.0f + power);
    float y = pick_f32(far, below, size);
    float difference = madd_f32(y, pick_f32(far, less, more), pick_f32(far, above, less));
    float sum = madd_f32(y, pick_f32(far, more, less), pick_f32(far, above, more));
    float s = difference / sum, z = s * s;
    float p = madd_f32(z, 0x1.36eeb6p-3f, 0x1.992a9ap-3f);
    p = madd_f32(p, z, 0x1.5555b4p-2f);
    float tail = madd_f32(s * z, p, k * -0x1.bd0106p-14f);
    float result = madd_f32(k, 0x1.63p-2f, s + tail);
    result = size == 1.0f ? INFINITY : result;
    return copysignf(size > 1.0f ? NAN : result, x);
}

/* The larger, and what the smaller adds to it. Equal infinities have no difference. */
VECTOR_FUNCTION double vector_log_add_exp_f64(double x, double y)
{
    double difference = x == y ? 0.0 : x - y, largest = ((x > y) | (x != x)) ? x : y;
    return largest + vector_log1p_f64(vector_exp_f64(-fabs(difference)));
}

VECTOR_FUNCTION float vector_log_add_exp_f32(float x, float y)
{
    return (float)vector_log_add_exp_f64((double)x, (double)y);
}

/* Scaled by a power of two where a square would leave the range. */
VECTOR_FUNCTION double vector_hypot_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = a > b ? a : b;
    double scale = most > 0x1p500 ? 0x1p-600 : most < 0x1p-500 ? 0x1p600 : 1.0;
    double back = most > 0x1p500 ? 0x1p600 : most < 0x1p-500 ? 0x1p-600 : 1.0;
    a *= scale;
    b *= scale;
    double result = sqrt(madd_f64(a, a, b * b)) * back;
    int infinite = (fabs(x) == (double)INFINITY) | (fabs(y) == (double)INFINITY);
    return infinite ? (double)INFINITY : result;
}

VECTOR_FUNCTION float vector_hypot_f32(float x, float y)
{
    double a = (double)x, b = (double)y;
    float result = (float)sqrt(a * a + b * b);
    int infinite = (fabsf(x) == INFINITY) | (fabsf(y) == INFINITY);
    return infinite ? INFINITY : result;
}

#endif
