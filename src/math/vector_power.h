/* SPDX-License-Identifier: Apache-2.0 */
/* x to the y, with C99's special values. float32 is computed in double precision. float64 takes the
 * logarithm in two doubles, some 2^-64 off, as y may multiply its error by a thousand; the parts of
 * products are what joined multiplications give, and without those libm is faster.
 *
 * Half of the time would go into numbers that are not positive and normal, and into extreme
 * exponents. For all others near_power_f32 and near_power_f64 give the same bits (vector_log.h);
 * is_far_power_ tells which are which. */
#ifndef JG_MATH_VECTOR_POWER_H
#define JG_MATH_VECTOR_POWER_H

#include "math/vector_log.h"

/* log2(m) / s by z = s^2, for m between sqrt(1/2) and sqrt(2) and s = (m - 1) / (m + 1). The
 * relative error is 2^-37. */
VECTOR_FUNCTION double log2_core_short(double z)
{
    double p = 0x1.5ceab656e9645p-2;
    p = madd_f64(p, z, 0x1.a58d6536d6655p-2);
    p = madd_f64(p, z, 0x1.2777803c7cae9p-1);
    p = madd_f64(p, z, 0x1.ec709d124f918p-1);
    return madd_f64(p, z, 0x1.71547652bee6dp1);
}

/* 2^r for |r| <= 1/2, relative error 2^-34. */
VECTOR_FUNCTION double exp2_core_short(double r)
{
    double p = 0x1.020e22486c7f8p-16;
    p = madd_f64(p, r, 0x1.446d5500701eap-13);
    p = madd_f64(p, r, 0x1.5d8605af52327p-10);
    p = madd_f64(p, r, 0x1.3b29d8dceac38p-7);
    p = madd_f64(p, r, 0x1.c6b08e401918p-5);
    p = madd_f64(p, r, 0x1.ebfbe0a755f17p-3);
    p = madd_f64(p, r, 0x1.62e42fefb51c7p-1);
    return madd_f64(p, r, 0x1.ffffffffabac6p-1);
}

/* k + log2(1 + f) */
VECTOR_FUNCTION double log2_short(float k, float f)
{
    double wide = (double)f, s = wide / (2.0 + wide);
    return madd_f64(s, log2_core_short(s * s), (double)k);
}

/* 2^p, cut as in vector_exp.h. */
VECTOR_FUNCTION float exp2_short(double p)
{
    p = at_least_f64(p, -200.0);
    double rounded = cut_f64(p + SCALER_F64, SCALER_F64 + 200.0);
    double scale = f64_of_bits(bits_of_f64(rounded) << 52);
    return (float)(scale * exp2_core_short(p - (rounded - SCALER_F64)));
}

/* |x|^y, given the size: infinities of y are cut to what has the same effect. */
VECTOR_FUNCTION float power_of_size_f32(float size, float y)
{
    float f, k = log_split_f32(size, &f);
    double log2 = log_special_f64((double)size, log2_short(k, f));
    y = y > 0x1p40f ? 0x1p40f : y;
    y = y < -0x1p40f ? -0x1p40f : y;
    return exp2_short((double)y * log2);
}

/* x^y from |x|^y: adds the sign, NaN if a negative number has no power, and 1 for arguments that
 * give 1 whatever the other one is. */
VECTOR_FUNCTION float joined_power_f32(float x, float y)
{
    float size = fabsf(y), sum = size + 0x1p23f;
    /* From 2^23 on every float is whole, from 2^24 on even; below, the sum with 2^23 has the number
     * in its low bits. */
    int is_whole = (size >= 0x1p23f) | (sum - 0x1p23f == size);
    int may_be_odd = is_whole & (size < 0x1p24f);
    uint32_t is_odd = bits_of_f32(size < 0x1p23f ? sum : size) & (uint32_t)may_be_odd;
    float result = power_of_size_f32(fabsf(x), y);
    result = f32_of_bits(bits_of_f32(result) ^ (bits_of_f32(x) & (is_odd << 31)));
    result = ((x < 0.0f) & (x > -INFINITY) & !is_whole) ? NAN : result;
    return ((x == 1.0f) | (y == 0.0f)) ? 1.0f : result;
}

/* The rounding error of the product x y, which must not have overflowed. */
VECTOR_FUNCTION double product_rest_f64(double x, double y, double product)
{
    return madd_f64(x, y, -product);
}

/* u in atanh(s) / s = 1 + z (1/3 + z u), relative error 2^-57. */
VECTOR_FUNCTION double atanh_core_f64(double z)
{
    double p = 0x1.b98fde84ac354p-5;
    p = madd_f64(p, z, 0x1.e37d6fc41ab26p-5);
    p = madd_f64(p, z, 0x1.1103e5cb4211ep-4);
    p = madd_f64(p, z, 0x1.3b1402096518cp-4);
    p = madd_f64(p, z, 0x1.745d165a26a81p-4);
    p = madd_f64(p, z, 0x1.c71c71c859bccp-4);
    p = madd_f64(p, z, 0x1.2492492491fa2p-3);
    return madd_f64(p, z, 0x1.999999999999ap-3);
}

/* Half the logarithm of (1 + f) 2^k, and in *low what it rounds off. It is k log(2) / 2 + atanh(s),
 * s = f / (2 + f), every term but u in two parts. */
VECTOR_FUNCTION double half_log_parts_f64(double k, double f, double *low)
{
    double divisor = 2.0 + f, divisor_low = f - (divisor - 2.0);
    double inverse = 1.0 / divisor, s = f * inverse;
    double s_low = (madd_f64(-s, divisor, f) - s * divisor_low) * inverse;
    double z = s * s, z_low = product_rest_f64(s, s, z) + 2.0 * s * s_low;
    double u = z * atanh_core_f64(z);
    double c = 0x1.5555555555555p-2 + u;
    double c_low = ((0x1.5555555555555p-2 - c) + u) + 0x1.5555555555555p-56;
    double w = z * c, w_low = product_rest_f64(z, c, w) + (z * c_low + z_low * c);
    double t = s * w, t_low = product_rest_f64(s, w, t) + (s * w_low + s_low * w);
    double sum = s + t, sum_low = ((s - sum) + t) + (t_low + s_low);
    double whole = k * 0x1.62e42feep-2, high = whole + sum;
    double high_low = ((whole - high) + sum) + madd_f64(k, 0x1.a39ef35793c76p-34, sum_low);
    double result = high + high_low;
    *low = (high - result) + high_low;
    return result;
}

/* e^(x + low), where low is at most a rounding of x. */
VECTOR_FUNCTION double exp_of_parts_f64(double x, double low)
{
    double rounded = madd_f64(x, 0x1.71547652b82fep0, TWO_SCALERS_F64);
    double n = rounded - TWO_SCALERS_F64;
    double first = madd_f64(n, -0x1.62e42feep-1, x);
    double second = madd_f64(n, 0x1.a39ef35793c76p-33, -low);
    double r = first - second, r_low = (first - r) - second;
    double sum = 1.0 + r, sum_low = (1.0 - sum) + r;
    double near = sum + (sum_low + madd_f64(r * r, exp_core_f64(r), r_low * sum));
    return scaled_f64(near, rounded);
}

/* e to twice y times the half logarithm in two parts. */
VECTOR_FUNCTION double power_of_parts_f64(double half, double low, double y)
{
    double twice = y + y, p = twice * half, rest = product_rest_f64(twice, half, p) + twice * low;
    int is_inside = fabs(p) < 746.0;
    p = at_least_f64(p, -746.0);
    p = p > 710.0 ? 710.0 : p;
    return exp_of_parts_f64(p, is_inside ? rest : 0.0);
}

VECTOR_FUNCTION double power_of_size_f64(double size, double y)
{
    double f, k = log_split_f64(size, &f), low;
    double half = log_special_f64(size, half_log_parts_f64(k, f, &low));
    y = y > 0x1p65 ? 0x1p65 : y;
    y = y < -0x1p65 ? -0x1p65 : y;
    return power_of_parts_f64(half, low, y);
}

VECTOR_FUNCTION double joined_power_f64(double x, double y)
{
    /* The same method as in joined_power_f32, with 2^52 and 2^53. */
    double size = fabs(y), sum = size + 0x1p52;
    int is_whole = (size >= 0x1p52) | (sum - 0x1p52 == size);
    int may_be_odd = is_whole & (size < 0x1p53);
    uint64_t is_odd = bits_of_f64(size < 0x1p52 ? sum : size) & (uint64_t)may_be_odd;
    double result = power_of_size_f64(fabs(x), y);
    result = f64_of_bits(bits_of_f64(result) ^ (bits_of_f64(x) & (is_odd << 63)));
    result = ((x < 0.0) & (x > -(double)INFINITY) & !is_whole) ? (double)NAN : result;
    return ((x == 1.0) | (y == 0.0)) ? 1.0 : result;
}

VECTOR_FUNCTION int is_far_power_f32(float x, float y)
{
    return (offset_log_f32(x) >= NEAR_log_f32) | !(fabsf(y) <= 0x1p40f);
}

VECTOR_FUNCTION int is_far_power_f64(double x, double y)
{
    return (offset_log_f64(x) >= NEAR_log_f64) | !(fabs(y) <= 0x1p65);
}

/* A power of 2 is the product, however its exponent is given, as loops with one exponent
 * multiply. */
VECTOR_FUNCTION float near_power_f32(float x, float y)
{
    float f, k = near_split_f32(x, &f);
    float power = JOINS_F64 ? exp2_short((double)y * log2_short(k, f)) : powf(x, y);
    return y == 2.0f ? x * x : power;
}

VECTOR_FUNCTION double near_power_f64(double x, double y)
{
    double f, k = near_split_f64(x, &f), low, half = half_log_parts_f64(k, f, &low);
    double power = JOINS_F64 ? power_of_parts_f64(half, low, y) : pow(x, y);
    return y == 2.0 ? x * x : power;
}

VECTOR_FUNCTION float vector_power_f32(float x, float y)
{
    float power = JOINS_F64 ? joined_power_f32(x, y) : powf(x, y);
    return y == 2.0f ? x * x : power;
}

VECTOR_FUNCTION double vector_power_f64(double x, double y)
{
    double power = JOINS_F64 ? joined_power_f64(x, y) : pow(x, y);
    return y == 2.0 ? x * x : power;
}

#endif
