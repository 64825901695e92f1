/* SPDX-License-Identifier: Apache-2.0 */
/* The computation of each instruction for one element. tools/prelude.py cuts the preprocessed text
 * of this file into the functions that printed kernels use. It is not compiled for the host.
 *
 * A function is named by instruction and dtype (ADD_FLOAT32), a cast by both dtypes
 * (FLOAT32_AS_INT8). bool is a byte, 0 or 1; float16 and bfloat16 are their 16 bits, small floats
 * their 8. The tool writes the names of C's functions with the width of their operands (fabs_f32),
 * which each dialect defines, as it does the functions that take numbers as bits. */

#define INT8_MIN (-128)
#define INT8_MAX 127
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define INT64_MIN (-(int64_t)0x7fffffffffffffff - 1)
#define INT64_MAX ((int64_t)0x7fffffffffffffff)
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 0xffffffffu
#define UINT64_MAX (~(uint64_t)0)
#define UINT32_C(x) x##u

/* cpow is not on devices. */
#define complex_power_f64 complex_power_by_libm
#include "math/complex_inverse.h"
#undef complex_power_f64
#include "math/vector_math.h"
#include "tensor/half.h"
#include "tensor/threefry.h"

/* The remainder by long division: every difference is exact. */
static inline double exact_rest(double x, double y)
{
    double rest = fabs(x), divisor = fabs(y), part = divisor;
    if (!(rest < (double)INFINITY) | !(divisor > 0))
        return (double)NAN;
    while (part <= rest - part)
        part += part;
    for (; part > divisor; part *= 0.5)
        rest = rest >= part ? rest - part : rest;
    return copysign(rest >= divisor ? rest - divisor : rest, x);
}

/* If the quotient is below 2^52, one fused multiply-subtract is enough: the whole part of the
 * quotient is correct or one too large, and the remainder is exact. */
static inline double joined_rest(double x, double y)
{
    double dividend = fabs(x), divisor = fabs(y), quotient = dividend / divisor;
    double rest = __builtin_fma(-trunc(quotient), divisor, dividend);
    rest = rest < 0 ? rest + divisor : rest;
    rest = (divisor == (double)INFINITY) & (dividend < divisor) ? dividend : rest;
    return quotient < 0x1p52 ? copysign(rest, x) : exact_rest(x, y);
}

#define __builtin_fmod(x, y) joined_rest(x, y)
#define __builtin_fmodf(x, y) ((float)exact_rest((double)(x), (double)(y)))

#define FUNCTION_1(OP, NAME, T, R, expression)                                                     \
    static inline R OP##_##NAME(T x)                                                               \
    {                                                                                              \
        return (R)(expression);                                                                    \
    }
#define UNARY(OP, NAME, T, R, expression) FUNCTION_1(OP, NAME, T, R, expression)
#define BINARY(OP, NAME, T, R, expression)                                                         \
    static inline R OP##_##NAME(T x, T y)                                                          \
    {                                                                                              \
        return (R)(expression);                                                                    \
    }
#define BINARY_X(...)
#define BINARY_Y(...)
#define SELECT_OF(OP, NAME, T, y_now, z_now) SELECT_AS_##OP(NAME, T)
#define SELECT_AS_SELECT_Y(NAME, T) /* the variants of tiles */
#define SELECT_AS_SELECT_Z(NAME, T)
#define SELECT_AS_SELECT(NAME, T)                                                                  \
    static inline T SELECT_##NAME(uint8_t x, T y, T z)                                             \
    {                                                                                              \
        return x != 0 ? y : z;                                                                     \
    }
#define SELECT_TRUTH(NAME)                                                                         \
    static inline uint8_t SELECT_##NAME(uint8_t x, uint8_t y, uint8_t z)                           \
    {                                                                                              \
        return (x != 0 ? y : z) != 0;                                                              \
    }
#define LIMITED_FUNCTION(OP, name, NAME, T, bits, s)                                               \
    static inline T OP##_##NAME(T x)                                                               \
    {                                                                                              \
        return __builtin_fabs##s(x) > (T)TRIG_LIMIT ? (T)name((double)x)                           \
                                                    : vector_##name##_##bits(x);                   \
    }
#define NEAR_FUNCTION(OP, name, NAME, T, bits) UNARY(OP, NAME, T, T, vector_##name##_##bits(x))
#define NEAR_BINARY(OP, name, NAME, T, bits) BINARY(OP, NAME, T, T, vector_##name##_##bits(x, y))
#define NEAR_DIVISION(OP, divided)                                                                 \
    static inline float OP##_FLOAT32(float x, float y)                                             \
    {                                                                                              \
        return divided(x, y, is_far(x, y) ? __builtin_fmodf(x, y) : near_rest(x, y));              \
    }

#define DIVIDED(function, NAME) function##_##NAME
#define LONG_QUOTIENT(OP, NAME, T, divided) BINARY(OP, NAME, T, T, divided(x, y))
#define INTEGER_POWER(NAME, T) BINARY(POWER, NAME, T, T, power_##NAME(x, y))

#define CAST_LOOP(FROM, F, TO, T, expression)                                                      \
    static inline T FROM##_AS_##TO(F x)                                                            \
    {                                                                                              \
        return expression;                                                                         \
    }
#define CAST_FROM_HALF(FROM, TO, T, expression)                                                    \
    static inline T FROM##_AS_##TO(uint16_t stored)                                                \
    {                                                                                              \
        float x = f32_of_##FROM(stored);                                                           \
        return expression;                                                                         \
    }
#define CAST_TO_HALF(FROM, F, TO, expression)                                                      \
    static inline uint16_t FROM##_AS_##TO(F x)                                                     \
    {                                                                                              \
        return TO##_of_f32(expression);                                                            \
    }
#define HALF_DIRECT(NAME)                                                                          \
    CAST_LOOP(NAME, uint16_t, FLOAT32, float, f32_of_##NAME(x))                                    \
    CAST_LOOP(FLOAT32, float, NAME, uint16_t, NAME##_of_f32(x))
#define HALF_TO_HALF(FROM, TO)                                                                     \
    CAST_LOOP(FROM, uint16_t, TO, uint16_t, TO##_of_f32(f32_of_##FROM(x)))
#define COMPLEX_TO_COMPLEX(FROM, F, TO, T)                                                         \
    CAST_LOOP(FROM, F, TO, T, ((T){PART_##TO x.re, PART_##TO x.im}))
#define PART_COMPLEX64 (float)
#define PART_COMPLEX128 (double)
#define f32_of_FLOAT16(x) f32_of_half(x)
#define FLOAT16_of_f32(x) half_of_f32(x)
#define f32_of_BFLOAT16(x) f32_of_bfloat(x)
#define BFLOAT16_of_f32(x) bfloat_of_f32(x)

#include "math/dtypes.inc.h"
#include "math/half.inc.h"
#include "math/integer.inc.h"

#include "math/apply.inc.h"
#include "math/cast.inc.h"

/* On bits there, on numbers here. */
#define NEXT_AFTER_FLOAT32 next_after_of_bits_f32
#define NEXT_AFTER_FLOAT64 next_after_of_bits_f64
#include "math/function.inc.h"
#undef NEXT_AFTER_FLOAT32
#undef NEXT_AFTER_FLOAT64
#define NEXT_NUMBER(NAME, T, bits)                                                                 \
    BINARY(NEXT_AFTER, NAME, T, T,                                                                 \
           bits##_of_bits(next_after_of_bits_##bits(bits_of_##bits(x), bits_of_##bits(y))))
NEXT_NUMBER(FLOAT32, float, f32)
NEXT_NUMBER(FLOAT64, double, f64)
#include "math/stored.inc.h"

BINARY(THREEFRY, UINT64, uint64_t, uint64_t, threefry_bits(x, y))
BINARY(THREEFRY_HALF, UINT64, uint64_t, uint64_t, threefry_half(x, y))

/* The instructions that only kernels have (kernel/inst.def), with the semantics of
 * jit/llvm/scalar.c. No dialect has all of the compiler's functions for bits, so they are spelled
 * here. */
#define SIGNED_QUOTIENT(NAME, T)                                                                   \
    BINARY(TRUNC_DIVIDE, NAME, T, T,                                                               \
           y == 0    ? 0                                                                           \
           : y == -1 ? (WRAP_##NAME)0 - (WRAP_##NAME)x                                             \
                     : (WRAP_##NAME)(x / y))                                                       \
    BINARY(TRUNC_REMAINDER, NAME, T, T, y == 0 || y == -1 ? 0 : x % y)
#define UNSIGNED_QUOTIENT(NAME, T)                                                                 \
    BINARY(TRUNC_DIVIDE, NAME, T, T, y == 0 ? 0 : x / y)                                           \
    BINARY(TRUNC_REMAINDER, NAME, T, T, y == 0 ? 0 : x % y)
SIGNED_DTYPES(SIGNED_QUOTIENT)
UNSIGNED_DTYPES(UNSIGNED_QUOTIENT)

static inline int ones_of(uint64_t x)
{
    x -= x >> 1 & (uint64_t)0x5555555555555555;
    x = (x & (uint64_t)0x3333333333333333) + (x >> 2 & (uint64_t)0x3333333333333333);
    x = (x + (x >> 4)) & (uint64_t)0x0f0f0f0f0f0f0f0f;
    return (int)(x * (uint64_t)0x0101010101010101 >> 56);
}

/* Ones below the highest one, which are counted. */
static inline int digits_of(uint64_t x)
{
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return ones_of(x);
}

#define BITS_OF(T) (8 * (int)sizeof(T))
#define UNSIGNED_OF(T, x) ((uint64_t)(x) & (UINT64_MAX >> (64 - BITS_OF(T))))
#define COUNTING(NAME, T)                                                                          \
    UNARY(POPCOUNT, NAME, T, T, ones_of(UNSIGNED_OF(T, x)))                                        \
    UNARY(COUNT_LEADING_ZEROS, NAME, T, T, BITS_OF(T) - digits_of(UNSIGNED_OF(T, x)))              \
    UNARY(COUNT_TRAILING_ZEROS, NAME, T, T,                                                        \
          x == 0 ? BITS_OF(T) : ones_of(~UNSIGNED_OF(T, x) & (UNSIGNED_OF(T, x) - 1)))
INTEGER_DTYPES(COUNTING)

#define NARROW_OVERFLOWS(NAME, T)                                                                  \
    BINARY(ADD_OVERFLOWS, NAME, T, uint8_t, (int64_t)x + (int64_t)y != (T)((int64_t)x + y))        \
    BINARY(SUBTRACT_OVERFLOWS, NAME, T, uint8_t, (int64_t)x - (int64_t)y != (T)((int64_t)x - y))   \
    BINARY(MULTIPLY_OVERFLOWS, NAME, T, uint8_t, (int64_t)x *(int64_t)y != (T)((int64_t)x * y))
NARROW_OVERFLOWS(INT8, int8_t)
NARROW_OVERFLOWS(INT16, int16_t)
NARROW_OVERFLOWS(INT32, int32_t)
NARROW_OVERFLOWS(UINT8, uint8_t)
NARROW_OVERFLOWS(UINT16, uint16_t)
BINARY(ADD_OVERFLOWS, UINT32, uint32_t, uint8_t, (uint32_t)(x + y) < x)
BINARY(SUBTRACT_OVERFLOWS, UINT32, uint32_t, uint8_t, x < y)
BINARY(MULTIPLY_OVERFLOWS, UINT32, uint32_t, uint8_t, (uint64_t)x *y >> 32 != 0)
BINARY(ADD_OVERFLOWS, UINT64, uint64_t, uint8_t, x + y < x)
BINARY(SUBTRACT_OVERFLOWS, UINT64, uint64_t, uint8_t, x < y)
BINARY(MULTIPLY_OVERFLOWS, UINT64, uint64_t, uint8_t, y != 0 && x > UINT64_MAX / y)
BINARY(ADD_OVERFLOWS, INT64, int64_t, uint8_t, y < 0 ? x < INT64_MIN - y : x > INT64_MAX - y)
BINARY(SUBTRACT_OVERFLOWS, INT64, int64_t, uint8_t, y < 0 ? x > INT64_MAX + y : x < INT64_MIN + y)

/* The product of the sizes against the largest number of its sign. */
static inline uint8_t MULTIPLY_OVERFLOWS_INT64(int64_t x, int64_t y)
{
    uint64_t a = x < 0 ? 0 - (uint64_t)x : (uint64_t)x, b = y < 0 ? 0 - (uint64_t)y : (uint64_t)y;
    uint64_t most = (uint64_t)INT64_MAX + (uint64_t)((x < 0) != (y < 0));
    return (uint8_t)(b != 0 && a > most / b);
}

#define FLOAT_EXTRAS(NAME, T, s)                                                                   \
    BINARY(TRUNC_DIVIDE, NAME, T, T, __builtin_trunc##s(x / y))                                    \
    UNARY(IS_NAN, NAME, T, uint8_t, x != x)                                                        \
    UNARY(IS_INFINITE, NAME, T, uint8_t, __builtin_fabs##s(x) == (T)INFINITY)                      \
    static inline T FMA_##NAME(T x, T y, T z)                                                      \
    {                                                                                              \
        return __builtin_fma##s(x, y, z);                                                          \
    }
FLOAT_EXTRAS(FLOAT32, float, f)
FLOAT_EXTRAS(FLOAT64, double, )
BINARY(TRUNC_REMAINDER, FLOAT32, float, float,
       is_far(x, y) ? __builtin_fmodf(x, y) : near_rest(x, y))
BINARY(TRUNC_REMAINDER, FLOAT64, double, double, __builtin_fmod(x, y))

/* The upper of 64 random bits as a number in [0, 1). */
#define DRAWN(NAME, T, expression)                                                                 \
    static inline T RANDOM_##NAME(uint64_t bits)                                                   \
    {                                                                                              \
        return expression;                                                                         \
    }
DRAWN(FLOAT32, float, (float)(bits >> 40) * 0x1p-24f)
DRAWN(FLOAT64, double, (double)(bits >> 11) * 0x1p-53)
DRAWN(FLOAT16, uint16_t, FLOAT16_of_f32((float)(bits >> 53) * 0x1p-11f))
DRAWN(BFLOAT16, uint16_t, BFLOAT16_of_f32((float)(bits >> 56) * 0x1p-8f))

/* bool: functions that other tiers map to other instructions. Integers: functions that return their
 * argument. */
BINARY(ADD, BOOL, uint8_t, uint8_t, (x | y) != 0)
BINARY(MULTIPLY, BOOL, uint8_t, uint8_t, (x != 0) & (y != 0))
BINARY(MAXIMUM, BOOL, uint8_t, uint8_t, (x | y) != 0)
BINARY(MINIMUM, BOOL, uint8_t, uint8_t, (x != 0) & (y != 0))
BINARY(NOT_EQUAL, BOOL, uint8_t, uint8_t, (x != 0) != (y != 0))
#define ROUNDED_ALREADY(NAME, T)                                                                   \
    UNARY(FLOOR, NAME, T, T, x)                                                                    \
    UNARY(CEIL, NAME, T, T, x)                                                                     \
    UNARY(TRUNC, NAME, T, T, x)                                                                    \
    UNARY(ROUND, NAME, T, T, x)
#define POSITIVE_ALREADY(NAME, T) UNARY(ABS, NAME, T, T, x)
INTEGER_DTYPES(ROUNDED_ALREADY)
UNSIGNED_DTYPES(POSITIVE_ALREADY)

#define HALF_MOVES(NAME, T)                                                                        \
    UNARY(COPY, NAME, T, T, x)                                                                     \
    SELECT_AS_SELECT(NAME, T)
HALF_DTYPES(HALF_MOVES)

/* Complex numbers: arithmetic part by part, functions in double precision, rounded once. */
#define PARTS_1(OP, NAME, T, BITS)                                                                 \
    static inline T OP##_##NAME(T x)                                                               \
    {                                                                                              \
        return (T){OP##_##BITS(x.re), OP##_##BITS(x.im)};                                          \
    }
#define PARTS_2(OP, NAME, T, BITS)                                                                 \
    static inline T OP##_##NAME(T x, T y)                                                          \
    {                                                                                              \
        return (T){OP##_##BITS(x.re, y.re), OP##_##BITS(x.im, y.im)};                              \
    }
#define COMPLEX_FUNCTION(OP, name, NAME, in, out)                                                  \
    UNARY_STRUCT(OP, NAME, out(complex_##name##_f64(in(x))))
#define COMPLEX_ANGLE_FUNCTION(OP, name, NAME, in, out)                                            \
    UNARY_STRUCT(OP, NAME, out(complex_##name##_f64(in(x), 0)))
#define UNARY_STRUCT(OP, NAME, expression)                                                         \
    static inline STRUCT_##NAME OP##_##NAME(STRUCT_##NAME x)                                       \
    {                                                                                              \
        return expression;                                                                         \
    }
#define STRUCT_COMPLEX64 complex64
#define STRUCT_COMPLEX128 complex128

static inline complex128 power_of_complex(complex128 x, complex128 y)
{
    if (y.im == 0 && fabs(y.re) < 100 && y.re == floor(y.re)) {
        complex128 whole = whole_power(x, (int)fabs(y.re)), one = (complex128){1, 0};
        return y.re < 0 ? complex_divide_f64(one, whole) : whole;
    }
    if (x.re == 0 && x.im == 0 && y.re > 0)
        return (complex128){0, 0};
    return complex_exp_f64(complex_multiply_f64(y, complex_log_f64(x)), 0);
}

#define COMPLEX(NAME, T, BITS, PART, bits, in, out)                                                \
    PARTS_1(COPY, NAME, T, BITS)                                                                   \
    PARTS_1(NEGATE, NAME, T, BITS)                                                                 \
    PARTS_1(ROUND, NAME, T, BITS)                                                                  \
    PARTS_2(ADD, NAME, T, BITS)                                                                    \
    PARTS_2(SUBTRACT, NAME, T, BITS)                                                               \
    SELECT_AS_SELECT(NAME, T)                                                                      \
    static inline T MULTIPLY_##NAME(T x, T y)                                                      \
    {                                                                                              \
        return (T){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};                          \
    }                                                                                              \
    static inline T DIVIDE_##NAME(T x, T y)                                                        \
    {                                                                                              \
        return out(complex_divide_f64(in(x), in(y)));                                              \
    }                                                                                              \
    static inline T POWER_##NAME(T x, T y)                                                         \
    {                                                                                              \
        return out(power_of_complex(in(x), in(y)));                                                \
    }                                                                                              \
    static inline T CONJUGATE_##NAME(T x)                                                          \
    {                                                                                              \
        return (T){x.re, -x.im};                                                                   \
    }                                                                                              \
    UNARY(ABS, NAME, T, PART, complex_modulus_##bits(x))                                           \
    UNARY(REAL, NAME, T, PART, x.re)                                                               \
    UNARY(IMAG, NAME, T, PART, x.im)                                                               \
    BINARY(EQUAL, NAME, T, uint8_t, (x.re == y.re) & (x.im == y.im))                               \
    BINARY(NOT_EQUAL, NAME, T, uint8_t, (x.re != y.re) | (x.im != y.im))                           \
    LOGARITHMS(COMPLEX_FUNCTION, NAME, in, out)                                                    \
    NEAR_FUNCTIONS(COMPLEX_FUNCTION, NAME, in, out)                                                \
    ANALYTIC_FUNCTIONS(COMPLEX_FUNCTION, NAME, in, out)                                            \
    COMPLEX_FUNCTION(SQRT, sqrt, NAME, in, out)                                                    \
    COMPLEX_FUNCTION(SIGN, sign, NAME, in, out)                                                    \
    EXPONENTIAL_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, NAME, in, out)                                   \
    LIMITED_FUNCTIONS(COMPLEX_ANGLE_FUNCTION, NAME, in, out)
#define AS_IT_IS(x) (x)
COMPLEX(COMPLEX64, complex64, FLOAT32, float, f32, widen, narrow)
COMPLEX(COMPLEX128, complex128, FLOAT64, double, f64, AS_IT_IS, AS_IT_IS)

/* Dtypes that can only be stored. complex32 is two float16 in a word. */
#define STORED(NAME, T)                                                                            \
    COPY(NAME, T)                                                                                  \
    CAST_LOOP(NAME, T, FLOAT64, double, f64_of_##NAME(x))                                          \
    CAST_LOOP(FLOAT64, double, NAME, T, NAME##_of_f64(x))
#define JG_SMALL_FLOAT(NAME, ...) STORED(NAME, uint8_t)
#define JG_PACKED_FLOAT(...)
#define JG_WIDE_FLOAT(...)
#include "tensor/small_float.def"
STORED(FLOAT8_E8M0FNU, uint8_t)
CAST_LOOP(FLOAT128, word128, FLOAT64, double, f64_of_FLOAT128(x))
CAST_LOOP(FLOAT64, double, FLOAT128, word128, FLOAT128_of_f64(x))
static inline word128 COPY_FLOAT128(word128 x)
{
    return x;
}
COPY(COMPLEX32, uint32_t)
static inline complex128 COMPLEX32_AS_COMPLEX128(uint32_t x)
{
    return (complex128){FLOAT16_AS_FLOAT64((uint16_t)x), FLOAT16_AS_FLOAT64((uint16_t)(x >> 16))};
}
static inline uint32_t COMPLEX128_AS_COMPLEX32(complex128 x)
{
    return (uint32_t)FLOAT64_AS_FLOAT16(x.re) | (uint32_t)FLOAT64_AS_FLOAT16(x.im) << 16;
}

/* Sums with their rounding errors beside them (Knuth's two-sum, any order of sizes); the errors of
 * an infinite sum are no numbers, and the sum stays. */
#define EXACT_SUM(NAME, T)                                                                         \
    static inline void EXACT_ADD_##NAME(T *sum, T *rest, T x)                                      \
    {                                                                                              \
        T old = *sum, next = old + x, share = next - old;                                          \
        *sum = next;                                                                               \
        *rest += (old - (next - share)) + (x - share);                                             \
    }                                                                                              \
    static inline T EXACT_TOTAL_##NAME(T sum, T rest)                                              \
    {                                                                                              \
        return rest != rest ? sum : sum + rest;                                                    \
    }
FLOAT_DTYPES(EXACT_SUM)
