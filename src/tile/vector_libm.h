/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are libm's, element by element. */
#ifndef JG_TILE_VECTOR_LIBM_H
#define JG_TILE_VECTOR_LIBM_H

#include "tile/vector_math.h"

/* X(name) of one argument. */
#define LIBM_FUNCTION(name)                                                                        \
    static inline float vector_##name##_f32(float x)                                               \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    static inline double vector_##name##_f64(double x)                                             \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }
LIBM_FUNCTION(exp2)
LIBM_FUNCTION(expm1)
LIBM_FUNCTION(log2)
LIBM_FUNCTION(log10)
LIBM_FUNCTION(log1p)
LIBM_FUNCTION(sin)
LIBM_FUNCTION(cos)
LIBM_FUNCTION(tan)
LIBM_FUNCTION(asin)
LIBM_FUNCTION(acos)
LIBM_FUNCTION(atan)
LIBM_FUNCTION(sinh)
LIBM_FUNCTION(cosh)
LIBM_FUNCTION(asinh)
LIBM_FUNCTION(acosh)
LIBM_FUNCTION(atanh)
LIBM_FUNCTION(erf)
#define LIBM_FUNCTION2(name)                                                                       \
    static inline float vector_##name##_f32(float x, float y)                                      \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }                                                                                              \
    static inline double vector_##name##_f64(double x, double y)                                   \
    {                                                                                              \
        return __builtin_##name(x, y);                                                             \
    }
LIBM_FUNCTION2(atan2)
LIBM_FUNCTION2(hypot)

static inline double vector_sigmoid_f64(double x)
{
    double t = vector_exp_f64(-fabs(x));
    return (x < 0 ? t : 1.0) / (1.0 + t);
}
static inline float vector_sigmoid_f32(float x)
{
    float t = vector_exp_f32(-fabsf(x));
    return (x < 0 ? t : 1.0f) / (1.0f + t);
}
static inline double vector_log_add_exp_f64(double x, double y)
{
    double difference = x == y ? 0 : x - y;
    double largest = x > y || x != x ? x : y;
    return largest + vector_log1p_f64(vector_exp_f64(-fabs(difference)));
}
static inline float vector_log_add_exp_f32(float x, float y)
{
    return (float)vector_log_add_exp_f64((double)x, (double)y);
}

/* Newton's method from a logarithmic guess. */
static inline double vector_erfinv_f64(double x)
{
    double w = log((1 - x) * (1 + x)), a = 2 / (3.14159265358979 * 0.147) + w / 2;
    double y = copysign(sqrt(sqrt(a * a - w / 0.147) - a), x);
    if (!(fabs(x) < 1))
        return x == 1 ? (double)INFINITY : x == -1 ? -(double)INFINITY : (double)NAN;
    for (int i = 0; i < 8; ++i) {
        double error = fabs(x) < 0.5 ? erf(y) - x : x < 0 ? erfc(-y) - (1 + x) : (1 - x) - erfc(y);
        y -= error / (1.12837916709551 * exp(-y * y));
    }
    return x == 0 ? x : y;
}
static inline float vector_erfinv_f32(float x)
{
    return (float)vector_erfinv_f64((double)x);
}

#endif
