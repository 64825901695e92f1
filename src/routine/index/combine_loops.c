/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise half of scatter: two loops for each mode and dtype, from one expression. Integers
 * wrap; half precision is computed in float32 and rounded after each step, as the ops do; an
 * extremum is NaN if either is. `points` goes through its offsets in order, so that an element that
 * is named twice takes both updates. */
#include "routine/loops.h"
#include <complex.h>
#include <math.h>

/* to and from never overlap: updates that lie in the result's memory are copied before. */
#define LOOP(NAME, T, NEXT)                                                                        \
    static void NAME##_line(void *to, int64_t to_step, const void *from, int64_t from_step,        \
                            int64_t count)                                                         \
    {                                                                                              \
        T *restrict target = to;                                                                   \
        const T *restrict source = from;                                                           \
        if (to_step == 1 && from_step == 1) {                                                      \
            for (int64_t i = 0; i < count; ++i)                                                    \
                target[i] = NEXT(target[i], source[i]);                                            \
            return;                                                                                \
        }                                                                                          \
        for (int64_t i = 0; i < count; ++i)                                                        \
            target[i * to_step] = NEXT(target[i * to_step], source[i * from_step]);                \
    }                                                                                              \
    static void NAME##_points(void *to, const int64_t *offsets, const void *from,                  \
                              int64_t from_step, int64_t count)                                    \
    {                                                                                              \
        T *restrict target = to;                                                                   \
        const T *restrict source = from;                                                           \
        for (int64_t i = 0; i < count; ++i)                                                        \
            target[offsets[i]] = NEXT(target[offsets[i]], source[i * from_step]);                  \
    }

#define TAKE(x, y) (y)
LOOP(set_8, uint8_t, TAKE)
LOOP(set_16, uint16_t, TAKE)
LOOP(set_32, uint32_t, TAKE)
LOOP(set_64, uint64_t, TAKE)
LOOP(set_128, routine_word128, TAKE)

/* Indexed by the logarithm of the itemsize. */
static const combine_loop sets[] = {{set_8_line, set_8_points},
                                    {set_16_line, set_16_points},
                                    {set_32_line, set_32_points},
                                    {set_64_line, set_64_points},
                                    {set_128_line, set_128_points}};

#define SUM(x, y) ((x) + (y))
#define DIFFERENCE(x, y) ((x) - (y))
#define PRODUCT(x, y) ((x) * (y))
#define QUOTIENT(x, y) ((x) / (y))
#define LARGER(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
/* For bools. In foreign memory any byte but 0 is true. */
#define EITHER(x, y) (((x) | (y)) != 0)
#define BOTH(x, y) ((x) != 0 && (y) != 0)

static uint64_t power_unsigned(uint64_t x, uint64_t exponent)
{
    uint64_t power = 1;
    for (; exponent != 0; exponent >>= 1, x *= x)
        power *= exponent & 1 ? x : 1;
    return power;
}

/* A negative exponent gives 0 unless |x| is 1. */
static uint64_t power_signed(int64_t x, int64_t exponent)
{
    if (exponent >= 0)
        return power_unsigned((uint64_t)x, (uint64_t)exponent);
    if (x == -1)
        return exponent & 1 ? (uint64_t)-1 : 1;
    return x == 1;
}

#define POWER_SIGNED(x, y) power_signed(x, y)
#define POWER_UNSIGNED(x, y) power_unsigned(x, y)
#define POWER_FLOAT(x, y) powf(x, y)
#define POWER_DOUBLE(x, y) pow(x, y)

#define LOOPS_AS(MODE, EXPRESSION, NAME, T, NARROW, WIDEN)                                         \
    static inline T MODE##_##NAME##_next(T a, T b)                                                 \
    {                                                                                              \
        return (T)NARROW(EXPRESSION(WIDEN(a), WIDEN(b)));                                          \
    }                                                                                              \
    LOOP(MODE##_##NAME, T, MODE##_##NAME##_next)
#define SELF(x) (x)
#define AS_WORD32(x) ((uint32_t)(x))

#define OF_BOOL(MODE, EXPRESSION) LOOPS_AS(MODE, EXPRESSION, BOOL, uint8_t, SELF, SELF)
#define OF_WORDS(MODE, EXPRESSION)                                                                 \
    LOOPS_AS(MODE, EXPRESSION, UINT8, uint8_t, SELF, AS_WORD32)                                    \
    LOOPS_AS(MODE, EXPRESSION, UINT16, uint16_t, SELF, AS_WORD32)                                  \
    LOOPS_AS(MODE, EXPRESSION, UINT32, uint32_t, SELF, SELF)                                       \
    LOOPS_AS(MODE, EXPRESSION, UINT64, uint64_t, SELF, SELF)
#define OF_SIGNED(MODE, EXPRESSION)                                                                \
    LOOPS_AS(MODE, EXPRESSION, INT8, int8_t, SELF, SELF)                                           \
    LOOPS_AS(MODE, EXPRESSION, INT16, int16_t, SELF, SELF)                                         \
    LOOPS_AS(MODE, EXPRESSION, INT32, int32_t, SELF, SELF)                                         \
    LOOPS_AS(MODE, EXPRESSION, INT64, int64_t, SELF, SELF)
#define OF_HALVES(MODE, EXPRESSION)                                                                \
    LOOPS_AS(MODE, EXPRESSION, FLOAT16, uint16_t, float_to_half, float_from_half)                  \
    LOOPS_AS(MODE, EXPRESSION, BFLOAT16, uint16_t, float_to_bfloat, float_from_bfloat)
#define OF_FLOATS(MODE, EXPRESSION)                                                                \
    OF_HALVES(MODE, EXPRESSION)                                                                    \
    LOOPS_AS(MODE, EXPRESSION, FLOAT32, float, SELF, SELF)                                         \
    LOOPS_AS(MODE, EXPRESSION, FLOAT64, double, SELF, SELF)
#define OF_COMPLEX(MODE, EXPRESSION)                                                               \
    LOOPS_AS(MODE, EXPRESSION, COMPLEX64, float _Complex, SELF, SELF)                              \
    LOOPS_AS(MODE, EXPRESSION, COMPLEX128, double _Complex, SELF, SELF)

OF_BOOL(add, EITHER)
OF_WORDS(add, SUM)
OF_FLOATS(add, SUM)
OF_COMPLEX(add, SUM)
OF_WORDS(subtract, DIFFERENCE)
OF_FLOATS(subtract, DIFFERENCE)
OF_COMPLEX(subtract, DIFFERENCE)
OF_BOOL(multiply, BOTH)
OF_WORDS(multiply, PRODUCT)
OF_FLOATS(multiply, PRODUCT)
OF_COMPLEX(multiply, PRODUCT)
OF_FLOATS(divide, QUOTIENT)
OF_COMPLEX(divide, QUOTIENT)
OF_SIGNED(power, POWER_SIGNED)
OF_WORDS(power, POWER_UNSIGNED)
OF_HALVES(power, POWER_FLOAT)
LOOPS_AS(power, POWER_FLOAT, FLOAT32, float, SELF, SELF)
LOOPS_AS(power, POWER_DOUBLE, FLOAT64, double, SELF, SELF)
OF_BOOL(maximum, EITHER)
OF_SIGNED(maximum, LARGER)
OF_WORDS(maximum, LARGER)
OF_FLOATS(maximum, LARGER)
OF_BOOL(minimum, BOTH)
OF_SIGNED(minimum, SMALLER)
OF_WORDS(minimum, SMALLER)
OF_FLOATS(minimum, SMALLER)

#define ROW_AS(MODE, DTYPE, NAME)                                                                  \
    [JG_DTYPE_##DTYPE] = {MODE##_##NAME##_line, MODE##_##NAME##_points}
#define ROW(MODE, DTYPE) ROW_AS(MODE, DTYPE, DTYPE)
#define UNSIGNED_ROWS(MODE)                                                                        \
    ROW(MODE, UINT8), ROW(MODE, UINT16), ROW(MODE, UINT32), ROW(MODE, UINT64)
#define SIGNED_ROWS(MODE) ROW(MODE, INT8), ROW(MODE, INT16), ROW(MODE, INT32), ROW(MODE, INT64)
#define WORD_ROWS(MODE) /* signed integers are computed as words */                                \
    UNSIGNED_ROWS(MODE), ROW_AS(MODE, INT8, UINT8), ROW_AS(MODE, INT16, UINT16),                   \
        ROW_AS(MODE, INT32, UINT32), ROW_AS(MODE, INT64, UINT64)
#define FLOAT_ROWS(MODE)                                                                           \
    ROW(MODE, FLOAT16), ROW(MODE, BFLOAT16), ROW(MODE, FLOAT32), ROW(MODE, FLOAT64)
#define COMPLEX_ROWS(MODE) ROW(MODE, COMPLEX64), ROW(MODE, COMPLEX128)

static const combine_loop loops[JG_SCATTER_COUNT][JG_DTYPE_COUNT] = {
    [JG_SCATTER_ADD] = {ROW(add, BOOL), WORD_ROWS(add), FLOAT_ROWS(add), COMPLEX_ROWS(add)},
    [JG_SCATTER_SUBTRACT] = {WORD_ROWS(subtract), FLOAT_ROWS(subtract), COMPLEX_ROWS(subtract)},
    [JG_SCATTER_MULTIPLY] = {ROW(multiply, BOOL), WORD_ROWS(multiply), FLOAT_ROWS(multiply),
                             COMPLEX_ROWS(multiply)},
    [JG_SCATTER_DIVIDE] = {FLOAT_ROWS(divide), COMPLEX_ROWS(divide)},
    [JG_SCATTER_POWER] = {SIGNED_ROWS(power), UNSIGNED_ROWS(power), FLOAT_ROWS(power)},
    [JG_SCATTER_MAXIMUM] = {ROW(maximum, BOOL), SIGNED_ROWS(maximum), UNSIGNED_ROWS(maximum),
                            FLOAT_ROWS(maximum)},
    [JG_SCATTER_MINIMUM] = {ROW(minimum, BOOL), SIGNED_ROWS(minimum), UNSIGNED_ROWS(minimum),
                            FLOAT_ROWS(minimum)},
};

combine_loop ROUTINE_NAMED(routine_combine_loop_of)(jg_scatter_mode mode, jg_dtype dtype)
{
    return mode == JG_SCATTER_SET ? sets[__builtin_ctzll(dtype_itemsize(dtype))]
                                  : loops[mode][dtype];
}
