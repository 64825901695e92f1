/* SPDX-License-Identifier: Apache-2.0 */
/* The expressions of math/apply.inc.h as functions of one element, or of LANES of them in memory.
 * Not part of the library: clang makes bitcode of this file, from which the compiling tier
 * (src/jit) inlines the functions that its loops need. So both tiers have one source for the
 * meaning of an instruction, and give the same bits.
 *
 * scalar_apply, scalar_kernel and scalar_cast say which function computes what, by the numbers that
 * instructions and dtypes have; the second counts from the first instruction that only kernels
 * have. bool is a byte, 0 or 1; float16 and bfloat16 are their 16 bits. Functions of the C library
 * are called by the names of math/libm.def. */
#include "kernel/kernel.h"
#include "math/complex_math.h"
#include "tensor/threefry.h"

/* Functions that the compiler does not know, so that it does not replace them. */
#define JG_LIBM(name, T, count) LIBM_##count(name, T)
#define LIBM_1(name, T) T libm_##name(T x) __attribute__((const, nothrow));
#define LIBM_2(name, T) T libm_##name(T x, T y) __attribute__((const, nothrow));
#include "math/libm.def"
#undef JG_LIBM
#define sin(x) libm_sin(x)
#define cos(x) libm_cos(x)
#define tan(x) libm_tan(x)
#define exp(x) libm_exp(x)
#define log1p(x) libm_log1p(x)
#define erf(x) libm_erf(x)
#define erfc(x) libm_erfc(x)
#define __builtin_pow(x, y) libm_pow(x, y)
#define __builtin_powf(x, y) libm_powf(x, y)
#define __builtin_fmod(x, y) joined_fmod(x, y)
#define __builtin_fmodf(x, y) libm_fmodf(x, y)

#include "math/vector_math.h"

#define EACH(i, n) for (int64_t i = 0; i < (n); ++i)
#define ONE_ELEMENT static inline __attribute__((always_inline))

/* fmod by one joined multiplication and subtraction where the quotient is below 2^52, so that its
 * whole part is right or, rounded up, one too large. The rest is a multiple of the divisor's last
 * digit and not larger than the divisor, so it is exact, as fmod is. */
ONE_ELEMENT double joined_fmod(double x, double y)
{
    double dividend = __builtin_fabs(x), divisor = __builtin_fabs(y);
    double quotient = dividend / divisor;
    double rest = __builtin_fma(-__builtin_trunc(quotient), divisor, dividend);
    rest = rest < 0 ? rest + divisor : rest;
    rest = (divisor == (double)INFINITY) & (dividend < divisor) ? dividend : rest;
    return quotient < 0x1p52 ? __builtin_copysign(rest, x) : libm_fmod(x, y);
}

/* With LANES, a function takes that many elements of each operand. Its loop is one vector's work,
 * which clang vectorises if possible. */
#ifdef LANES
#define ONE(name) name##_one
/* Programs with wider elements than these take fewer lanes. */
#define WIDEST (LANES == 64 ? 1 : LANES == 32 ? 2 : 8)
#define EACH_LANE                                                                                  \
    _Pragma(                                                                                       \
        "clang loop vectorize_width(LANES) interleave_count(1) unroll(disable)") for (int i = 0;   \
                                                                                      i < LANES;   \
                                                                                      ++i)
#define LANES_1(name, R, T)                                                                        \
    static void name(R *restrict to, const T *xs)                                                  \
    {                                                                                              \
        if (sizeof(R) <= WIDEST && sizeof(T) <= WIDEST)                                            \
            EACH_LANE to[i] = name##_one(xs[i]);                                                   \
    }
#define LANES_2(name, R, T)                                                                        \
    static void name(R *restrict to, const T *xs, const T *ys)                                     \
    {                                                                                              \
        if (sizeof(T) <= WIDEST)                                                                   \
            EACH_LANE to[i] = name##_one(xs[i], ys[i]);                                            \
    }
#define LANES_3(name, T)                                                                           \
    static void name(T *restrict to, const uint8_t *xs, const T *ys, const T *zs)                  \
    {                                                                                              \
        EACH_LANE to[i] = name##_one(xs[i], ys[i], zs[i]);                                         \
    }
#else
#define ONE(name) name
#define LANES_1(name, R, T)
#define LANES_2(name, R, T)
#define LANES_3(name, T)
#endif

#define UNARY(OP, NAME, T, R, expression)                                                          \
    ONE_ELEMENT R ONE(OP##_##NAME)(T x)                                                            \
    {                                                                                              \
        return (R)(expression);                                                                    \
    }                                                                                              \
    LANES_1(OP##_##NAME, R, T)
#define BINARY(OP, NAME, T, R, expression)                                                         \
    ONE_ELEMENT R ONE(OP##_##NAME)(T x, T y)                                                       \
    {                                                                                              \
        return (R)(expression);                                                                    \
    }                                                                                              \
    LANES_2(OP##_##NAME, R, T)
/* Variants for operands of one element: of one element they are the function itself. */
#define BINARY_X(...)
#define BINARY_Y(...)
#define SELECT_OF(OP, NAME, T, y_now, z_now)                                                       \
    ONE_ELEMENT T ONE(OP##_##NAME)(uint8_t x, T y, T z)                                            \
    {                                                                                              \
        return x != 0 ? y : z;                                                                     \
    }                                                                                              \
    LANES_3(OP##_##NAME, T)
#define SELECT_TRUTH(NAME)                                                                         \
    ONE_ELEMENT uint8_t ONE(SELECT_##NAME)(uint8_t x, uint8_t y, uint8_t z)                        \
    {                                                                                              \
        return (x != 0 ? y : z) != 0;                                                              \
    }                                                                                              \
    LANES_3(SELECT_##NAME, uint8_t)
#ifdef LANES
#define LIMITED_FUNCTION(OP, name, NAME, T, bits, s)                                               \
    static void OP##_##NAME(T *restrict to, const T *xs)                                           \
    {                                                                                              \
        int large = 0;                                                                             \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE to[i] = vector_##name##_##bits(xs[i]);                                           \
        EACH_LANE large |= __builtin_fabs##s(xs[i]) > (T)TRIG_LIMIT;                               \
        if (__builtin_expect(large, 0))                                                            \
            for (int i = 0; i < LANES; ++i)                                                        \
                if (__builtin_fabs##s(xs[i]) > (T)TRIG_LIMIT)                                      \
                    to[i] = (T)name((double)xs[i]);                                                \
    }
#else
#define LIMITED_FUNCTION(OP, name, NAME, T, bits, s)                                               \
    ONE_ELEMENT T OP##_##NAME(T x)                                                                 \
    {                                                                                              \
        return __builtin_fabs##s(x) > (T)TRIG_LIMIT ? (T)name((double)x)                           \
                                                    : vector_##name##_##bits(x);                   \
    }
#endif

/* The range is checked after the computation, which is right for most. */
#ifdef LANES
#define NEAR_FUNCTION(OP, name, NAME, T, bits)                                                     \
    static void OP##_##NAME(T *restrict to, const T *xs)                                           \
    {                                                                                              \
        int far = 0;                                                                               \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE to[i] = near_##name##_##bits(xs[i]);                                             \
        EACH_LANE far |= offset_##name##_##bits(xs[i]) >= NEAR_##name##_##bits;                    \
        if (__builtin_expect(far, 0))                                                              \
            EACH_LANE to[i] = vector_##name##_##bits(xs[i]);                                       \
    }
#define NEAR_BINARY(OP, name, NAME, T, bits)                                                       \
    static void OP##_##NAME(T *restrict to, const T *xs, const T *ys)                              \
    {                                                                                              \
        int far = 0;                                                                               \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE to[i] = near_##name##_##bits(xs[i], ys[i]);                                      \
        EACH_LANE far |= is_far_##name##_##bits(xs[i], ys[i]);                                     \
        if (__builtin_expect(far, 0))                                                              \
            EACH_LANE to[i] = vector_##name##_##bits(xs[i], ys[i]);                                \
    }
#else
#define NEAR_FUNCTION(OP, name, NAME, T, bits) UNARY(OP, NAME, T, T, vector_##name##_##bits(x))
#define NEAR_BINARY(OP, name, NAME, T, bits) BINARY(OP, NAME, T, T, vector_##name##_##bits(x, y))
#endif

#ifdef LANES
#define NEAR_DIVISION(OP, divided)                                                                 \
    static void OP##_FLOAT32(float *restrict to, const float *xs, const float *ys)                 \
    {                                                                                              \
        int far = 0;                                                                               \
        if (sizeof(float) > WIDEST)                                                                \
            return;                                                                                \
        EACH_LANE to[i] = divided(xs[i], ys[i], near_rest(xs[i], ys[i]));                          \
        EACH_LANE far |= is_far(xs[i], ys[i]);                                                     \
        if (__builtin_expect(far, 0))                                                              \
            for (int i = 0; i < LANES; ++i)                                                        \
                to[i] = divided(xs[i], ys[i], __builtin_fmodf(xs[i], ys[i]));                      \
    }
#else
#define NEAR_DIVISION(OP, divided)                                                                 \
    ONE_ELEMENT float OP##_FLOAT32(float x, float y)                                               \
    {                                                                                              \
        return divided(x, y, is_far(x, y) ? __builtin_fmodf(x, y) : near_rest(x, y));              \
    }
#endif

#ifdef LANES
#define LONG_QUOTIENT(OP, NAME, T, divided)                                                        \
    static void OP##_##NAME(T *restrict to, const T *xs, const T *ys)                              \
    {                                                                                              \
        uint64_t far = 0, far_divisor = 0;                                                         \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE to[i] = near_##divided(xs[i], ys[i]);                                            \
        EACH_LANE far |= FAR_BITS(NAME, xs[i], 48) | FAR_BITS(NAME, ys[i], 48);                    \
        if (__builtin_expect(far == 0, 1))                                                         \
            return;                                                                                \
        EACH_LANE far_divisor |= FAR_BITS(NAME, ys[i], 32);                                        \
        if (far_divisor == 0)                                                                      \
            EACH_LANE to[i] = long_##divided(xs[i], ys[i]);                                        \
        else                                                                                       \
            for (int i = 0; i < LANES; ++i)                                                        \
                to[i] = divided(xs[i], ys[i]);                                                     \
    }
#define INTEGER_POWER(NAME, T)                                                                     \
    static void POWER_##NAME(T *restrict to, const T *xs, const T *ys)                             \
    {                                                                                              \
        T exponents[LANES], factors[LANES], bits = 0;                                              \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE exponents[i] = (T)exponent_##NAME(ys[i]);                                        \
        EACH_LANE bits |= exponents[i];                                                            \
        EACH_LANE factors[i] = xs[i];                                                              \
        EACH_LANE to[i] = (T)first_power_##NAME(xs[i], ys[i]);                                     \
        while ((bits >>= 1) != 0) {                                                                \
            EACH_LANE exponents[i] >>= 1;                                                          \
            EACH_LANE factors[i] = (T)((WRAP_##NAME)factors[i] * (WRAP_##NAME)factors[i]);         \
            EACH_LANE to[i] =                                                                      \
                (T)((WRAP_##NAME)to[i] *                                                           \
                    factor_of_bit_##NAME((WRAP_##NAME)factors[i], (WRAP_##NAME)exponents[i]));     \
        }                                                                                          \
    }
#else
#define DIVIDED(function, NAME) function##_##NAME
#define LONG_QUOTIENT(OP, NAME, T, divided) BINARY(OP, NAME, T, T, divided(x, y))
#define INTEGER_POWER(NAME, T) BINARY(POWER, NAME, T, T, power_##NAME(x, y))
#endif

#define CAST_LOOP(FROM, F, TO, T, expression)                                                      \
    ONE_ELEMENT T ONE(FROM##_AS_##TO)(F x)                                                         \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    LANES_1(FROM##_AS_##TO, T, F)
#define CAST_FROM_HALF(FROM, TO, T, expression)                                                    \
    ONE_ELEMENT T ONE(FROM##_AS_##TO)(uint16_t stored)                                             \
    {                                                                                              \
        float x = f32_of_##FROM(stored);                                                           \
        return expression;                                                                         \
    }                                                                                              \
    LANES_1(FROM##_AS_##TO, T, uint16_t)
#define CAST_TO_HALF(FROM, F, TO, expression)                                                      \
    ONE_ELEMENT uint16_t ONE(FROM##_AS_##TO)(F x)                                                  \
    {                                                                                              \
        return TO##_of_f32(expression);                                                            \
    }                                                                                              \
    LANES_1(FROM##_AS_##TO, uint16_t, F)
#define HALF_DIRECT(NAME)                                                                          \
    ONE_ELEMENT float ONE(NAME##_AS_FLOAT32)(uint16_t x)                                           \
    {                                                                                              \
        return f32_of_##NAME(x);                                                                   \
    }                                                                                              \
    ONE_ELEMENT uint16_t ONE(FLOAT32_AS_##NAME)(float x)                                           \
    {                                                                                              \
        return NAME##_of_f32(x);                                                                   \
    }                                                                                              \
    LANES_1(NAME##_AS_FLOAT32, float, uint16_t)                                                    \
    LANES_1(FLOAT32_AS_##NAME, uint16_t, float)
#define HALF_TO_HALF(FROM, TO)                                                                     \
    ONE_ELEMENT uint16_t ONE(FROM##_AS_##TO)(uint16_t x)                                           \
    {                                                                                              \
        return TO##_of_f32(f32_of_##FROM(x));                                                      \
    }                                                                                              \
    LANES_1(FROM##_AS_##TO, uint16_t, uint16_t)
#define OF_COMPLEX(OP) [JG_DTYPE_COMPLEX64] = 0 /* tier 0 has them */

#include "math/dtypes.inc.h"
#include "math/half.inc.h"
#include "math/integer.inc.h"

/* With the CPU's own conversions where it has them, which give the same bits as the integer
 * code. */
#if defined __F16C__ || defined __aarch64__
ONE_ELEMENT float f32_of_FLOAT16(uint16_t bits)
{
    _Float16 x;
    memcpy(&x, &bits, sizeof x);
    return (float)x;
}

ONE_ELEMENT uint16_t FLOAT16_of_f32(float x)
{
    uint16_t bits;
    _Float16 rounded = (_Float16)x;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}
#else
ONE_ELEMENT float f32_of_FLOAT16(uint16_t bits)
{
    return f32_of_half(bits);
}

ONE_ELEMENT uint16_t FLOAT16_of_f32(float x)
{
    return half_of_f32(x);
}
#endif

ONE_ELEMENT float f32_of_BFLOAT16(uint16_t x)
{
    float result;
    f32s_of_BFLOAT16(&result, &x, 1);
    return result;
}

ONE_ELEMENT uint16_t BFLOAT16_of_f32(float x)
{
    uint16_t result;
    BFLOAT16_of_f32s(&result, &x, 1);
    return result;
}

#include "math/apply.inc.h"
#include "math/cast.inc.h"
#include "math/function.inc.h"

BINARY(THREEFRY, UINT64, uint64_t, uint64_t, threefry_bits(x, y))
BINARY(THREEFRY_HALF, UINT64, uint64_t, uint64_t, threefry_half(x, y))

#ifndef LANES

/* C's division, with the cases that it leaves undefined settled as in math/integer.inc.h. */
#define SIGNED_QUOTIENT(NAME, T)                                                                   \
    BINARY(TRUNC_DIVIDE, NAME, T, T,                                                               \
           y == 0    ? 0                                                                           \
           : y == -1 ? (WRAP_##NAME)0 - (WRAP_##NAME)x                                             \
                     : (WRAP_##NAME)(x / y))                                                       \
    BINARY(TRUNC_REMAINDER, NAME, T, T, y == 0 || y == -1 ? 0 : x % y)
#define UNSIGNED_QUOTIENT(NAME, T)                                                                 \
    BINARY(TRUNC_DIVIDE, NAME, T, T, y == 0 ? 0 : x / y)                                           \
    BINARY(TRUNC_REMAINDER, NAME, T, T, y == 0 ? 0 : x % y)

/* Shifted to the top of 64 bits, with ones below that stop the count. */
#define UNSIGNED_OF(T, x) ((uint64_t)(x) & (UINT64_MAX >> (64 - BITS(T))))
#define LEADING(T, x)                                                                              \
    (BITS(T) == 64 && (x) == 0                                                                     \
         ? 64                                                                                      \
         : __builtin_clzll(BITS(T) == 64 ? UNSIGNED_OF(T, x)                                       \
                                         : (UNSIGNED_OF(T, x) << (64 - BITS(T) & 63)) |            \
                                               ((uint64_t)1 << (63 - BITS(T) & 63))))
#define TRAILING(T, x) ((x) == 0 ? BITS(T) : __builtin_ctzll(UNSIGNED_OF(T, x)))

#define COUNTING(NAME, T)                                                                          \
    UNARY(POPCOUNT, NAME, T, T, __builtin_popcountll(UNSIGNED_OF(T, x)))                           \
    UNARY(COUNT_LEADING_ZEROS, NAME, T, T, LEADING(T, x))                                          \
    UNARY(COUNT_TRAILING_ZEROS, NAME, T, T, TRAILING(T, x))                                        \
    BINARY(ADD_OVERFLOWS, NAME, T, uint8_t, __builtin_add_overflow(x, y, &(T){0}))                 \
    BINARY(SUBTRACT_OVERFLOWS, NAME, T, uint8_t, __builtin_sub_overflow(x, y, &(T){0}))            \
    BINARY(MULTIPLY_OVERFLOWS, NAME, T, uint8_t, __builtin_mul_overflow(x, y, &(T){0}))

#define FLOAT_EXTRAS(NAME, T, s)                                                                   \
    BINARY(TRUNC_DIVIDE, NAME, T, T, __builtin_trunc##s(x / y))                                    \
    UNARY(IS_NAN, NAME, T, uint8_t, x != x)                                                        \
    UNARY(IS_INFINITE, NAME, T, uint8_t, __builtin_fabs##s(x) == (T)INFINITY)                      \
    ONE_ELEMENT T FMA_##NAME(T x, T y, T z)                                                        \
    {                                                                                              \
        return __builtin_fma##s(x, y, z);                                                          \
    }

SIGNED_DTYPES(SIGNED_QUOTIENT)
UNSIGNED_DTYPES(UNSIGNED_QUOTIENT)
INTEGER_DTYPES(COUNTING)
BINARY(TRUNC_REMAINDER, FLOAT32, float, float,
       is_far(x, y) ? __builtin_fmodf(x, y) : near_rest(x, y))
BINARY(TRUNC_REMAINDER, FLOAT64, double, double, __builtin_fmod(x, y))
FLOAT_EXTRAS(FLOAT32, float, f)
FLOAT_EXTRAS(FLOAT64, double, )

/* The upper of 64 random bits as a number in [0, 1), as many as the type has digits. */
ONE_ELEMENT float RANDOM_FLOAT32(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-24f;
}

ONE_ELEMENT double RANDOM_FLOAT64(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

ONE_ELEMENT uint16_t RANDOM_FLOAT16(uint64_t bits)
{
    return FLOAT16_of_f32((float)(bits >> 53) * 0x1p-11f);
}

ONE_ELEMENT uint16_t RANDOM_BFLOAT16(uint64_t bits)
{
    return BFLOAT16_of_f32((float)(bits >> 56) * 0x1p-8f);
}

#define OF_KERNELS(OP) [KERNEL_##OP - PROGRAM_OP_COUNT]

const void *const scalar_kernel[KERNEL_OP_COUNT - PROGRAM_OP_COUNT][JG_DTYPE_COUNT] = {
    OF_KERNELS(TRUNC_DIVIDE) = {OF_INTEGERS(TRUNC_DIVIDE), OF_FLOATS(TRUNC_DIVIDE)},
    OF_KERNELS(TRUNC_REMAINDER) = {OF_INTEGERS(TRUNC_REMAINDER), OF_FLOATS(TRUNC_REMAINDER)},
    OF_KERNELS(POPCOUNT) = {OF_INTEGERS(POPCOUNT)},
    OF_KERNELS(COUNT_LEADING_ZEROS) = {OF_INTEGERS(COUNT_LEADING_ZEROS)},
    OF_KERNELS(COUNT_TRAILING_ZEROS) = {OF_INTEGERS(COUNT_TRAILING_ZEROS)},
    OF_KERNELS(ADD_OVERFLOWS) = {OF_INTEGERS(ADD_OVERFLOWS)},
    OF_KERNELS(SUBTRACT_OVERFLOWS) = {OF_INTEGERS(SUBTRACT_OVERFLOWS)},
    OF_KERNELS(MULTIPLY_OVERFLOWS) = {OF_INTEGERS(MULTIPLY_OVERFLOWS)},
    OF_KERNELS(FMA) = {OF_FLOATS(FMA)},
    OF_KERNELS(IS_NAN) = {OF_FLOATS(IS_NAN)},
    OF_KERNELS(IS_INFINITE) = {OF_FLOATS(IS_INFINITE)},
    OF_KERNELS(RANDOM) = {ENTRY(RANDOM, FLOAT16), ENTRY(RANDOM, BFLOAT16), OF_FLOATS(RANDOM)},
};

#endif

#define COPIES_OF_STORED [JG_DTYPE_COMPLEX32] = 0 /* moved, never computed with */

#ifdef LANES
/* An exponent is most often 2, and the same for all. */
#define POWER_OR_SQUARE(NAME, T, WRAP)                                                             \
    static void SQUARE_OR_POWER_##NAME(T *restrict to, const T *xs, const T *ys)                   \
    {                                                                                              \
        int others = 0;                                                                            \
        if (sizeof(T) > WIDEST)                                                                    \
            return;                                                                                \
        EACH_LANE others |= ys[i] != 2;                                                            \
        if (others)                                                                                \
            POWER_##NAME(to, xs, ys);                                                              \
        else                                                                                       \
            EACH_LANE to[i] = (T)((WRAP)xs[i] * (WRAP)xs[i]);                                      \
    }
#define POWER_OR_SQUARE_WRAPPED(NAME, T) POWER_OR_SQUARE(NAME, T, WRAP_##NAME)
INTEGER_DTYPES(POWER_OR_SQUARE_WRAPPED)
POWER_OR_SQUARE(FLOAT32, float, float)
POWER_OR_SQUARE(FLOAT64, double, double)
#define POWER_COLUMNS OF_INTEGERS(SQUARE_OR_POWER), OF_FLOATS(SQUARE_OR_POWER)
#endif

const void *const scalar_apply[PROGRAM_OP_COUNT][JG_DTYPE_COUNT] = APPLY_TABLE;

const void *const scalar_cast[JG_DTYPE_COUNT][JG_DTYPE_COUNT] = {
    CAST_ROW(BOOL),     CAST_ROW(INT8),    CAST_ROW(INT16),   CAST_ROW(INT32),  CAST_ROW(INT64),
    CAST_ROW(UINT8),    CAST_ROW(UINT16),  CAST_ROW(UINT32),  CAST_ROW(UINT64), CAST_ROW(FLOAT16),
    CAST_ROW(BFLOAT16), CAST_ROW(FLOAT32), CAST_ROW(FLOAT64),
};
