/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise loops by instruction and dtype. x, y and z are the operands' elements. A file that
 * needs something other than loops defines UNARY and the like before it includes this one
 * (jit/llvm/scalar.c). An expression is written once, here, and means the same in a loop, in its
 * variants for one element, and in compiled code. */

#ifndef UNARY
#define UNARY(OP, NAME, T, R, expression)                                                          \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        R *to = dst;                                                                               \
        const T *xs = a;                                                                           \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            T x = xs[i];                                                                           \
            to[i] = (R)(expression);                                                               \
        }                                                                                          \
    }

/* x0 and y0 are read before the loop: an operand that is one element may be overwritten by the
 * tile. */
#define BINARY(OP, NAME, T, R, expression) BINARY_OF(OP, NAME, T, R, expression, xs[i], ys[i])
#define BINARY_OF(OP, NAME, T, R, expression, x_now, y_now)                                        \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        R *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        const T x0 = n > 0 ? xs[0] : (T){0}, y0 = n > 0 ? ys[0] : (T){0};                          \
        (void)x0;                                                                                  \
        (void)y0;                                                                                  \
        (void)c;                                                                                   \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            T x = x_now, y = y_now;                                                                \
            to[i] = (R)(expression);                                                               \
        }                                                                                          \
    }

/* The variants where x or y is one element for the whole tile. */
#define BINARY_X(OP, NAME, T, R, expression) BINARY_OF(OP##_X, NAME, T, R, expression, x0, ys[i])
#define BINARY_Y(OP, NAME, T, R, expression) BINARY_OF(OP##_Y, NAME, T, R, expression, xs[i], y0)

#define SELECT_OF(OP, NAME, T, y_now, z_now)                                                       \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const uint8_t *xs = a;                                                                     \
        const T *ys = b, *zs = c;                                                                  \
        const T y0 = n > 0 ? ys[0] : (T){0}, z0 = n > 0 ? zs[0] : (T){0};                          \
        (void)y0;                                                                                  \
        (void)z0;                                                                                  \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            T y = y_now, z = z_now;                                                                \
            to[i] = xs[i] != 0 ? y : z;                                                            \
        }                                                                                          \
    }

/* SELECT for bools. Any byte but 0 is true; results are 0 or 1. */
#define SELECT_TRUTH(NAME)                                                                         \
    static void SELECT_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)   \
    {                                                                                              \
        uint8_t *to = dst;                                                                         \
        const uint8_t *xs = a, *ys = b, *zs = c;                                                   \
        EACH(i, n)                                                                                 \
        {                                                                                          \
            uint8_t y = ys[i], z = zs[i];                                                          \
            to[i] = (xs[i] != 0 ? y : z) != 0;                                                     \
        }                                                                                          \
    }
#endif

#define COPY(NAME, T) UNARY(COPY, NAME, T, T, x)
#define SELECT(NAME, T) SELECT_OF(SELECT, NAME, T, ys[i], zs[i])

#define COMPARE(NAME, T)                                                                           \
    BINARY(LESS, NAME, T, uint8_t, x < y)                                                          \
    BINARY(LESS_EQUAL, NAME, T, uint8_t, x <= y)                                                   \
    BINARY(EQUAL, NAME, T, uint8_t, x == y)                                                        \
    BINARY(NOT_EQUAL, NAME, T, uint8_t, x != y)

UNARY(COPY, BOOL, uint8_t, uint8_t, x != 0)
UNARY(ABS, BOOL, uint8_t, uint8_t, x != 0)
UNARY(NOT, BOOL, uint8_t, uint8_t, x == 0)
BINARY(OR, BOOL, uint8_t, uint8_t, (x | y) != 0)
BINARY(AND, BOOL, uint8_t, uint8_t, (x != 0) & (y != 0))
BINARY(XOR, BOOL, uint8_t, uint8_t, (x != 0) != (y != 0))
BINARY(LESS, BOOL, uint8_t, uint8_t, (x == 0) & (y != 0))
BINARY(LESS_EQUAL, BOOL, uint8_t, uint8_t, (x == 0) | (y != 0))
BINARY(EQUAL, BOOL, uint8_t, uint8_t, (x != 0) == (y != 0))

SELECT_TRUTH(BOOL)

/* Signed overflow is undefined in C, and wraps here. */
#define WRAPPED(NAME, operator) (WRAP_##NAME) x operator(WRAP_##NAME) y

#define INTEGER(NAME, T)                                                                           \
    COPY(NAME, T)                                                                                  \
    SELECT(NAME, T)                                                                                \
    COMPARE(NAME, T)                                                                               \
    UNARY(NEGATE, NAME, T, T, (WRAP_##NAME)0 - (WRAP_##NAME)x)                                     \
    UNARY(NOT, NAME, T, T, ~x)                                                                     \
    BINARY(ADD, NAME, T, T, WRAPPED(NAME, +))                                                      \
    BINARY(SUBTRACT, NAME, T, T, WRAPPED(NAME, -))                                                 \
    BINARY(MULTIPLY, NAME, T, T, WRAPPED(NAME, *))                                                 \
    BINARY(MAXIMUM, NAME, T, T, x > y ? x : y)                                                     \
    BINARY(MINIMUM, NAME, T, T, x < y ? x : y)                                                     \
    BINARY(AND, NAME, T, T, x &y)                                                                  \
    BINARY(OR, NAME, T, T, x | y)                                                                  \
    BINARY(XOR, NAME, T, T, x ^ y)                                                                 \
    BINARY(SHIFT_LEFT, NAME, T, T, shift_left_##NAME(x, y))                                        \
    BINARY(SHIFT_RIGHT, NAME, T, T, shift_right_##NAME(x, y))

#define SIGNED(NAME, T)                                                                            \
    UNARY(ABS, NAME, T, T, x < 0 ? (WRAP_##NAME)0 - (WRAP_##NAME)x : (WRAP_##NAME)x)               \
    UNARY(SIGN, NAME, T, T, (x > 0) - (x < 0))                                                     \
    BINARY(GCD, NAME, T, T, common_divisor(magnitude(x), magnitude(y)))
#define UNSIGNED(NAME, T)                                                                          \
    UNARY(SIGN, NAME, T, T, x != 0)                                                                \
    BINARY(GCD, NAME, T, T, common_divisor(x, y))

INTEGER_DTYPES(INTEGER)
SIGNED_DTYPES(SIGNED)
UNSIGNED_DTYPES(UNSIGNED)

#define NEAR_RUN 256

/* A run of numbers of 64 bits is a vector loop if none is far, or no divisor. */
#ifndef LONG_QUOTIENT
#define LONG_QUOTIENT_RUN(function, y_now)                                                         \
    EACH(k, count)                                                                                 \
    {                                                                                              \
        int64_t i = first + k;                                                                     \
        to[i] = function(xs[i], y_now);                                                            \
    }
#define LONG_QUOTIENT_OF(OP, NAME, T, divided, y_now)                                              \
    static void OP##_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        const T *xs = a, *ys = b;                                                                  \
        const T y0 = n > 0 ? ys[0] : (T)0;                                                         \
        (void)y0;                                                                                  \
        (void)c;                                                                                   \
        for (int64_t first = 0; first < n; first += NEAR_RUN) {                                    \
            int64_t count = int64_min(n - first, NEAR_RUN);                                        \
            uint64_t far = 0, far_divisor = 0;                                                     \
            EACH(k, count)                                                                         \
            {                                                                                      \
                int64_t i = first + k;                                                             \
                far |= FAR_BITS(NAME, xs[i], 48) | FAR_BITS(NAME, y_now, 48);                      \
                far_divisor |= FAR_BITS(NAME, y_now, 32);                                          \
            }                                                                                      \
            if (far == 0)                                                                          \
                LONG_QUOTIENT_RUN(near_##divided, y_now)                                           \
            else if (far_divisor == 0)                                                             \
                LONG_QUOTIENT_RUN(long_##divided, y_now)                                           \
            else                                                                                   \
                for (int64_t i = first; i < first + count; ++i)                                    \
                    to[i] = divided(xs[i], y_now);                                                 \
        }                                                                                          \
    }
#define LONG_QUOTIENT(OP, NAME, T, divided)                                                        \
    LONG_QUOTIENT_OF(OP, NAME, T, divided, ys[i])                                                  \
    LONG_QUOTIENT_OF(OP##_Y, NAME, T, divided, y0)
#endif

#define QUOTIENT(OP, NAME, T, divided)                                                             \
    BINARY(OP, NAME, T, T, divided(x, y))                                                          \
    BINARY_Y(OP, NAME, T, T, divided(x, y))
#define DIVISION(NAME, T)                                                                          \
    QUOTIENT(FLOOR_DIVIDE, NAME, T, DIVIDED(floor_divide, NAME))                                   \
    QUOTIENT(REMAINDER, NAME, T, DIVIDED(remainder, NAME))
#define LONG_DIVISION(NAME, T)                                                                     \
    LONG_QUOTIENT(FLOOR_DIVIDE, NAME, T, floor_divide_##NAME)                                      \
    LONG_QUOTIENT(REMAINDER, NAME, T, remainder_##NAME)

NARROW_DTYPES(DIVISION)
MIDDLE_DTYPES(DIVISION)
LONG_DTYPES(LONG_DIVISION)

/* Square and multiply, for a run at once: as many steps as its largest exponent has bits. */
#ifndef INTEGER_POWER
#define RAISED_RUN 128
#define INTEGER_POWER(NAME, T)                                                                     \
    static void POWER_##NAME(void *dst, const void *a, const void *b, const void *c, int64_t n)    \
    {                                                                                              \
        T *to = dst, exponents[RAISED_RUN], factors[RAISED_RUN], results[RAISED_RUN];              \
        const T *xs = a, *ys = b;                                                                  \
        (void)c;                                                                                   \
        for (; n > 0; n -= RAISED_RUN, to += RAISED_RUN, xs += RAISED_RUN, ys += RAISED_RUN) {     \
            int64_t count = int64_min(n, RAISED_RUN);                                              \
            WRAP_##NAME bits = 0; /* a sum of narrower numbers is no vector loop */                \
            EACH(i, count)                                                                         \
            {                                                                                      \
                WRAP_##NAME exponent = exponent_##NAME(ys[i]);                                     \
                bits |= exponent;                                                                  \
                exponents[i] = (T)exponent;                                                        \
                factors[i] = xs[i];                                                                \
                results[i] = (T)first_power_##NAME(xs[i], ys[i]);                                  \
            }                                                                                      \
            while ((bits >>= 1) != 0)                                                              \
                EACH(i, count)                                                                     \
                {                                                                                  \
                    WRAP_##NAME factor = (WRAP_##NAME)factors[i];                                  \
                    factor *= factor;                                                              \
                    factors[i] = (T)factor;                                                        \
                    exponents[i] >>= 1;                                                            \
                    results[i] = (T)((WRAP_##NAME)results[i] *                                     \
                                     factor_of_bit_##NAME(factor, (WRAP_##NAME)exponents[i]));     \
                }                                                                                  \
            memcpy(to, results, (size_t)count * sizeof(T));                                        \
        }                                                                                          \
    }
#endif
INTEGER_DTYPES(INTEGER_POWER)

/* Floor division as Python and NumPy define it: from the exact remainder of the division toward
 * zero, rest, so that 1 // 0.1 is 9, as floor(1 / 0.1) would not be. Of zero, infinity and NaN it
 * is the floor of the quotient, as the Array API standard has it. */
#define FLOAT_DIVISION(T, s)                                                                       \
    static inline T remainder_##T(T x, T y, T rest)                                                \
    {                                                                                              \
        T moved = (rest < 0) != (y < 0) ? rest + y : rest;                                         \
        (void)x;                                                                                   \
        return rest == 0 ? __builtin_copysign##s(0, y) : moved;                                    \
    }                                                                                              \
    static inline T floor_divide_##T(T x, T y, T rest)                                             \
    {                                                                                              \
        T plain = x / y, quotient = (x - rest) / y;                                                \
        quotient = ((rest != 0) & ((rest < 0) != (y < 0))) ? quotient - 1 : quotient;              \
        T whole = __builtin_floor##s(quotient);                                                    \
        whole = quotient - whole > (T)0.5 ? whole + 1 : whole;                                     \
        T result = quotient == 0 ? __builtin_copysign##s(0, plain) : whole;                        \
        int special = (y == 0) | (rest != rest) | (__builtin_fabs##s(y) == (T)INFINITY);           \
        return special ? __builtin_floor##s(plain) : result;                                       \
    }

FLOAT_DIVISION(float, f)
FLOAT_DIVISION(double, )

BINARY(FLOOR_DIVIDE, FLOAT64, double, double, floor_divide_double(x, y, __builtin_fmod(x, y)))
BINARY(REMAINDER, FLOAT64, double, double, remainder_double(x, y, __builtin_fmod(x, y)))

/* The rest of floats whose quotient is below 2^29, exactly: quotient times divisor has no more than
 * the 53 digits of a double, and so has the difference. A quotient rounded up to a whole number is
 * one too large. */
static inline float near_rest(float x, float y)
{
    double dividend = __builtin_fabs((double)x), divisor = __builtin_fabs((double)y);
    double whole = __builtin_trunc(dividend / divisor);
    double rest = dividend - whole * divisor;
    rest = rest < 0 ? rest + divisor : rest;
    rest = ((divisor == (double)INFINITY) & (dividend < divisor)) ? dividend : rest;
    return __builtin_copysignf((float)rest, x);
}

static inline int is_far(float x, float y)
{
    return !(__builtin_fabs((double)x) < __builtin_fabs((double)y) * 0x1p29);
}

/* A run without large quotients is a vector loop. */
#ifndef NEAR_DIVISION
#define NEAR_DIVISION(OP, divided)                                                                 \
    static void OP##_FLOAT32(void *dst, const void *a, const void *b, const void *c, int64_t n)    \
    {                                                                                              \
        float *to = dst;                                                                           \
        const float *xs = a, *ys = b;                                                              \
        (void)c;                                                                                   \
        for (; n > 0; n -= NEAR_RUN, to += NEAR_RUN, xs += NEAR_RUN, ys += NEAR_RUN) {             \
            int64_t count = int64_min(n, NEAR_RUN);                                                \
            int far = 0;                                                                           \
            EACH(i, count)                                                                         \
            far |= is_far(xs[i], ys[i]);                                                           \
            if (!far) {                                                                            \
                EACH(i, count)                                                                     \
                to[i] = divided(xs[i], ys[i], near_rest(xs[i], ys[i]));                            \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t i = 0; i < count; ++i)                                                    \
                to[i] = divided(xs[i], ys[i], __builtin_fmodf(xs[i], ys[i]));                      \
        }                                                                                          \
    }
#endif
NEAR_DIVISION(FLOOR_DIVIDE, floor_divide_float)
NEAR_DIVISION(REMAINDER, remainder_float)

#define FLOAT(NAME, T, s)                                                                          \
    COPY(NAME, T)                                                                                  \
    SELECT(NAME, T)                                                                                \
    COMPARE(NAME, T)                                                                               \
    UNARY(NEGATE, NAME, T, T, -x)                                                                  \
    UNARY(ABS, NAME, T, T, __builtin_fabs##s(x))                                                   \
    UNARY(FLOOR, NAME, T, T, __builtin_floor##s(x))                                                \
    UNARY(CEIL, NAME, T, T, __builtin_ceil##s(x))                                                  \
    UNARY(TRUNC, NAME, T, T, __builtin_trunc##s(x))                                                \
    UNARY(ROUND, NAME, T, T, __builtin_rint##s(x))                                                 \
    UNARY(SIGN, NAME, T, T, x != x ? x : (T)((x > 0) - (x < 0)))                                   \
    BINARY(COPYSIGN, NAME, T, T, __builtin_copysign##s(x, y))                                      \
    UNARY(SQRT, NAME, T, T, __builtin_sqrt##s(x))                                                  \
    BINARY(ADD, NAME, T, T, x + y)                                                                 \
    BINARY(SUBTRACT, NAME, T, T, x - y)                                                            \
    BINARY(MULTIPLY, NAME, T, T, x *y)                                                             \
    BINARY(DIVIDE, NAME, T, T, x / y)                                                              \
    BINARY(MAXIMUM, NAME, T, T, x > y || x != x ? x : y)                                           \
    BINARY(MINIMUM, NAME, T, T, x < y || x != x ? x : y)

FLOAT(FLOAT32, float, f)
FLOAT(FLOAT64, double, )

/* WRAP: what the arithmetic wraps in, the type itself for floats. */
#define SCALAR_OPERANDS(NAME, T, WRAP)                                                             \
    BINARY_Y(ADD, NAME, T, T, (WRAP)x + (WRAP)y)                                                   \
    BINARY_Y(SUBTRACT, NAME, T, T, (WRAP)x - (WRAP)y)                                              \
    BINARY_X(SUBTRACT, NAME, T, T, (WRAP)x - (WRAP)y)                                              \
    BINARY_Y(MULTIPLY, NAME, T, T, (WRAP)x *(WRAP)y)                                               \
    BINARY_Y(LESS, NAME, T, uint8_t, x < y)                                                        \
    BINARY_X(LESS, NAME, T, uint8_t, x < y)                                                        \
    BINARY_Y(LESS_EQUAL, NAME, T, uint8_t, x <= y)                                                 \
    BINARY_X(LESS_EQUAL, NAME, T, uint8_t, x <= y)                                                 \
    BINARY_Y(EQUAL, NAME, T, uint8_t, x == y)                                                      \
    BINARY_Y(NOT_EQUAL, NAME, T, uint8_t, x != y)                                                  \
    SELECT_OF(SELECT_Y, NAME, T, y0, zs[i])                                                        \
    SELECT_OF(SELECT_Z, NAME, T, ys[i], z0)

SCALAR_OPERANDS(FLOAT32, float, float)
SCALAR_OPERANDS(FLOAT64, double, double)
SCALAR_OPERANDS(INT32, int32_t, uint32_t)
SCALAR_OPERANDS(INT64, int64_t, uint64_t)

#define SCALAR_FLOAT_OPERANDS(NAME, T)                                                             \
    BINARY_Y(DIVIDE, NAME, T, T, x / y)                                                            \
    BINARY_X(DIVIDE, NAME, T, T, x / y)                                                            \
    BINARY_Y(MAXIMUM, NAME, T, T, x > y || x != x ? x : y)                                         \
    BINARY_Y(MINIMUM, NAME, T, T, x < y || x != x ? x : y)

FLOAT_DTYPES(SCALAR_FLOAT_OPERANDS)

#define OF_SCALARS(OP)                                                                             \
    ENTRY(OP, FLOAT32), ENTRY(OP, FLOAT64), ENTRY(OP, INT32),                                      \
        ENTRY(OP, INT64) /* Indexed by the scalar operand: a, b, c. */
#define SCALAR_TABLE                                                                               \
    {                                                                                              \
        {                                                                                          \
            [PROGRAM_SUBTRACT] = {OF_SCALARS(SUBTRACT_X)},                                         \
            [PROGRAM_DIVIDE] = {OF_FLOATS(DIVIDE_X)},                                              \
            [PROGRAM_LESS] = {OF_SCALARS(LESS_X)},                                                 \
            [PROGRAM_LESS_EQUAL] = {OF_SCALARS(LESS_EQUAL_X)},                                     \
        },                                                                                         \
            {                                                                                      \
                [PROGRAM_ADD] = {OF_SCALARS(ADD_Y)},                                               \
                [PROGRAM_SUBTRACT] = {OF_SCALARS(SUBTRACT_Y)},                                     \
                [PROGRAM_MULTIPLY] = {OF_SCALARS(MULTIPLY_Y)},                                     \
                [PROGRAM_POWER] = {OF_SCALARS(POWER_Y)},                                           \
                [PROGRAM_FLOOR_DIVIDE] = {OF_INTEGERS(FLOOR_DIVIDE_Y)},                            \
                [PROGRAM_REMAINDER] = {OF_INTEGERS(REMAINDER_Y)},                                  \
                [PROGRAM_DIVIDE] = {OF_FLOATS(DIVIDE_Y)},                                          \
                [PROGRAM_MAXIMUM] = {OF_FLOATS(MAXIMUM_Y)},                                        \
                [PROGRAM_MINIMUM] = {OF_FLOATS(MINIMUM_Y)},                                        \
                [PROGRAM_LESS] = {OF_SCALARS(LESS_Y)},                                             \
                [PROGRAM_LESS_EQUAL] = {OF_SCALARS(LESS_EQUAL_Y)},                                 \
                [PROGRAM_EQUAL] = {OF_SCALARS(EQUAL_Y)},                                           \
                [PROGRAM_NOT_EQUAL] = {OF_SCALARS(NOT_EQUAL_Y)},                                   \
                [PROGRAM_SELECT] = {OF_SCALARS(SELECT_Y)},                                         \
            },                                                                                     \
            {                                                                                      \
                [PROGRAM_SELECT] = {OF_SCALARS(SELECT_Z)},                                         \
            },                                                                                     \
    }

COPY(HALF, uint16_t)
SELECT(HALF, uint16_t)

#define ENTRY(OP, NAME) [JG_DTYPE_##NAME] = OP##_##NAME
#define OF_SIGNED(OP) ENTRY(OP, INT8), ENTRY(OP, INT16), ENTRY(OP, INT32), ENTRY(OP, INT64)
#define OF_UNSIGNED(OP) ENTRY(OP, UINT8), ENTRY(OP, UINT16), ENTRY(OP, UINT32), ENTRY(OP, UINT64)
#define OF_INTEGERS(OP) OF_SIGNED(OP), OF_UNSIGNED(OP)
#define OF_FLOATS(OP) ENTRY(OP, FLOAT32), ENTRY(OP, FLOAT64)
#ifndef OF_COMPLEX
#define OF_COMPLEX(OP) ENTRY(OP, COMPLEX64), ENTRY(OP, COMPLEX128)
#endif
#define OF_HALVES(OP) [JG_DTYPE_FLOAT16] = OP##_HALF, [JG_DTYPE_BFLOAT16] = OP##_HALF
#define AS(OP, NAME, other) [JG_DTYPE_##NAME] = other##_##NAME
#define UNSIGNED_AS(OP, other)                                                                     \
    AS(OP, UINT8, other), AS(OP, UINT16, other), AS(OP, UINT32, other), AS(OP, UINT64, other)
#define SIGNED_AS(OP, other)                                                                       \
    AS(OP, INT8, other), AS(OP, INT16, other), AS(OP, INT32, other), AS(OP, INT64, other)
#define OF_ALL(OP) ENTRY(OP, BOOL), OF_INTEGERS(OP), OF_HALVES(OP), OF_FLOATS(OP), OF_COMPLEX(OP)

#ifndef POWER_COLUMNS
#define POWER_COLUMNS OF_INTEGERS(POWER), OF_FLOATS(POWER), OF_COMPLEX(POWER)
#endif

#define APPLY_TABLE                                                                                \
    {                                                                                              \
        [PROGRAM_COPY] = {OF_ALL(COPY), COPIES_OF_STORED},                                         \
        [PROGRAM_NEGATE] = {OF_INTEGERS(NEGATE), OF_FLOATS(NEGATE), OF_COMPLEX(NEGATE)},           \
        [PROGRAM_ABS] = {ENTRY(ABS, BOOL), OF_SIGNED(ABS), UNSIGNED_AS(ABS, COPY), OF_FLOATS(ABS), \
                         OF_COMPLEX(ABS)},                                                         \
        [PROGRAM_REAL] = {OF_COMPLEX(REAL)}, [PROGRAM_IMAG] = {OF_COMPLEX(IMAG)},                  \
        [PROGRAM_CONJUGATE] = {OF_COMPLEX(CONJUGATE)},                                             \
        [PROGRAM_NOT] = {ENTRY(NOT, BOOL), OF_INTEGERS(NOT)},                                      \
        [PROGRAM_FLOOR] = {SIGNED_AS(FLOOR, COPY), UNSIGNED_AS(FLOOR, COPY), OF_FLOATS(FLOOR)},    \
        [PROGRAM_CEIL] = {SIGNED_AS(CEIL, COPY), UNSIGNED_AS(CEIL, COPY), OF_FLOATS(CEIL)},        \
        [PROGRAM_TRUNC] = {SIGNED_AS(TRUNC, COPY), UNSIGNED_AS(TRUNC, COPY), OF_FLOATS(TRUNC)},    \
        [PROGRAM_ROUND] = {SIGNED_AS(ROUND, COPY), UNSIGNED_AS(ROUND, COPY), OF_FLOATS(ROUND),     \
                           OF_COMPLEX(ROUND)},                                                     \
        [PROGRAM_SIGN] = {OF_INTEGERS(SIGN), OF_FLOATS(SIGN), OF_COMPLEX(SIGN)},                   \
        [PROGRAM_SQRT] = {OF_FLOATS(SQRT), OF_COMPLEX(SQRT)},                                      \
        [PROGRAM_COPYSIGN] = {OF_FLOATS(COPYSIGN)},                                                \
        [PROGRAM_ADD] = {AS(ADD, BOOL, OR), OF_INTEGERS(ADD), OF_FLOATS(ADD), OF_COMPLEX(ADD)},    \
        [PROGRAM_SUBTRACT] = {OF_INTEGERS(SUBTRACT), OF_FLOATS(SUBTRACT), OF_COMPLEX(SUBTRACT)},   \
        [PROGRAM_MULTIPLY] = {AS(MULTIPLY, BOOL, AND), OF_INTEGERS(MULTIPLY), OF_FLOATS(MULTIPLY), \
                              OF_COMPLEX(MULTIPLY)},                                               \
        [PROGRAM_DIVIDE] = {OF_FLOATS(DIVIDE), OF_COMPLEX(DIVIDE)},                                \
        [PROGRAM_FLOOR_DIVIDE] = {OF_INTEGERS(FLOOR_DIVIDE), OF_FLOATS(FLOOR_DIVIDE)},             \
        [PROGRAM_REMAINDER] = {OF_INTEGERS(REMAINDER), OF_FLOATS(REMAINDER)},                      \
        [PROGRAM_GCD] = {OF_INTEGERS(GCD)}, [PROGRAM_POWER] = {POWER_COLUMNS},                     \
        [PROGRAM_MAXIMUM] = {AS(MAXIMUM, BOOL, OR), OF_INTEGERS(MAXIMUM), OF_FLOATS(MAXIMUM)},     \
        [PROGRAM_MINIMUM] = {AS(MINIMUM, BOOL, AND), OF_INTEGERS(MINIMUM), OF_FLOATS(MINIMUM)},    \
        [PROGRAM_AND] = {ENTRY(AND, BOOL), OF_INTEGERS(AND)},                                      \
        [PROGRAM_OR] = {ENTRY(OR, BOOL), OF_INTEGERS(OR)},                                         \
        [PROGRAM_XOR] = {ENTRY(XOR, BOOL), OF_INTEGERS(XOR)},                                      \
        [PROGRAM_SHIFT_LEFT] = {OF_INTEGERS(SHIFT_LEFT)},                                          \
        [PROGRAM_SHIFT_RIGHT] = {OF_INTEGERS(SHIFT_RIGHT)},                                        \
        [PROGRAM_THREEFRY] = {ENTRY(THREEFRY, UINT64)},                                            \
        [PROGRAM_THREEFRY_HALF] = {ENTRY(THREEFRY_HALF, UINT64)},                                  \
        [PROGRAM_LESS] = {ENTRY(LESS, BOOL), OF_INTEGERS(LESS), OF_FLOATS(LESS)},                  \
        [PROGRAM_LESS_EQUAL] = {ENTRY(LESS_EQUAL, BOOL), OF_INTEGERS(LESS_EQUAL),                  \
                                OF_FLOATS(LESS_EQUAL)},                                            \
        [PROGRAM_EQUAL] = {ENTRY(EQUAL, BOOL), OF_INTEGERS(EQUAL), OF_FLOATS(EQUAL),               \
                           OF_COMPLEX(EQUAL)},                                                     \
        [PROGRAM_NOT_EQUAL] = {AS(NOT_EQUAL, BOOL, XOR), OF_INTEGERS(NOT_EQUAL),                   \
                               OF_FLOATS(NOT_EQUAL), OF_COMPLEX(NOT_EQUAL)},                       \
        [PROGRAM_SELECT] = {OF_ALL(SELECT)}, FUNCTION_ROWS,                                        \
    }
