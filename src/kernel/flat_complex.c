/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of complex numbers, spelled in those of their parts: the formulas of
 * math/complex_math.h, which has the reasons. As there, functions of complex64 are computed in
 * float64 and rounded once. Logarithms and what is made of them need products without rounding
 * errors (math/complex_inverse.h), for which there is no spelling yet. */
#include "kernel/flat_build.h"
#include <math.h>

#define ADD(x, y) flat_two(m, PROGRAM_ADD, x, y)
#define SUBTRACT(x, y) flat_two(m, PROGRAM_SUBTRACT, x, y)
#define MULTIPLY(x, y) flat_two(m, PROGRAM_MULTIPLY, x, y)
#define DIVIDE(x, y) flat_two(m, PROGRAM_DIVIDE, x, y)
#define COPYSIGN(x, y) flat_two(m, PROGRAM_COPYSIGN, x, y)
#define LESS(x, y) flat_two(m, PROGRAM_LESS, x, y)
#define EQUAL(x, y) flat_two(m, PROGRAM_EQUAL, x, y)
#define NOT_EQUAL(x, y) flat_two(m, PROGRAM_NOT_EQUAL, x, y)
#define BOTH(x, y) flat_two(m, PROGRAM_AND, x, y)
#define EITHER(x, y) flat_two(m, PROGRAM_OR, x, y)
#define NOT(x) flat_one(m, PROGRAM_NOT, x)
#define ABS(x) flat_one(m, PROGRAM_ABS, x)
#define NEGATE(x) flat_one(m, PROGRAM_NEGATE, x)
#define SQRT(x) flat_one(m, PROGRAM_SQRT, x)
#define SELECT(condition, x, y) flat_select(m, condition, x, y)
#define NUMBER(x) flat_real(m, JG_DTYPE_FLOAT64, x)

/* Sizes beyond which squares overflow or lose digits, and the powers of two that bring them back:
 * math/complex_math.h, "A power of two that brings a size into the range". */
#define LARGE 0x1p510
#define SMALL 0x1p-450
#define SCALE_DOWN 0x1p-600
#define SCALE_UP 0x1p600
#define BACK_FROM_UP 0x1p-300 /* of a root: 1 / sqrt(SCALE_UP) */
#define BACK_FROM_DOWN 0x1p300

/* Exponents whose exponentials are just inside the range, and these: exp_times there. */
#define HIGHEST 709
#define LOWEST (-708)
#define EXP_OF_HIGHEST 0x1.d422d2be5dc9bp+1022
#define EXP_OF_LOWEST 0x1.7c8ab2288c9abp-1022

/* Beyond the first e^-x is nothing beside e^x, so that sinh x and cosh x are both e^|x| / 2; beyond
 * the second tanh x is rounded to 1. */
#define ONE_EXPONENTIAL 40
#define TANGENT_IS_ONE 22

static uint32_t is_infinite(flat_making *m, uint32_t x)
{
    return EQUAL(ABS(x), NUMBER(INFINITY));
}

static uint32_t is_finite(flat_making *m, uint32_t x)
{
    return LESS(ABS(x), NUMBER(INFINITY));
}

/* A power of two that brings a size into the range of squares. */
static uint32_t scale_of(flat_making *m, flat_number z)
{
    uint32_t x = ABS(z.re), y = ABS(z.im), size = SELECT(LESS(y, x), x, y);
    uint32_t down = SELECT(LESS(NUMBER(LARGE), size), NUMBER(SCALE_DOWN), NUMBER(1));
    return SELECT(LESS(size, NUMBER(SMALL)), NUMBER(SCALE_UP), down);
}

/* sqrt(x^2 + y^2) in that range; infinite where a part is. */
static uint32_t plain_modulus(flat_making *m, uint32_t x, uint32_t y)
{
    uint32_t size = SQRT(ADD(MULTIPLY(x, x), MULTIPLY(y, y)));
    size = SELECT(is_infinite(m, x), NUMBER(INFINITY), size);
    return SELECT(is_infinite(m, y), NUMBER(INFINITY), size);
}

static uint32_t modulus(flat_making *m, flat_number z)
{
    uint32_t scale = scale_of(m, z);
    uint32_t size = plain_modulus(m, MULTIPLY(z.re, scale), MULTIPLY(z.im, scale));
    return MULTIPLY(size, DIVIDE(NUMBER(1), scale));
}

/* z / |z|; 0 of 0; of an infinite part beside a finite one, the axis. */
static flat_number sign(flat_making *m, flat_number z)
{
    uint32_t scale = scale_of(m, z), zero = NUMBER(0), one = NUMBER(1);
    uint32_t x = MULTIPLY(z.re, scale), y = MULTIPLY(z.im, scale);
    x = SELECT(BOTH(is_infinite(m, x), is_finite(m, y)), COPYSIGN(one, x), x);
    y = SELECT(BOTH(is_infinite(m, y), is_finite(m, x)), COPYSIGN(one, y), y);
    x = SELECT(BOTH(is_infinite(m, z.im), is_finite(m, z.re)), COPYSIGN(zero, z.re), x);
    y = SELECT(BOTH(is_infinite(m, z.re), is_finite(m, z.im)), COPYSIGN(zero, z.im), y);
    uint32_t size = plain_modulus(m, x, y), is_zero = EQUAL(size, zero);
    uint32_t divisor = SELECT(is_zero, one, size);
    uint32_t re = SELECT(is_zero, zero, DIVIDE(x, divisor));
    uint32_t im = SELECT(is_zero, zero, DIVIDE(y, divisor));
    uint32_t is_nan = EITHER(NOT_EQUAL(re, re), NOT_EQUAL(im, im));
    return (flat_number){SELECT(is_nan, NUMBER(NAN), re), SELECT(is_nan, NUMBER(NAN), im)};
}

/* Smith's algorithm: R. L. Smith, "Algorithm 116: complex division", CACM 5 (1962). */
static flat_number divide(flat_making *m, flat_number x, flat_number y)
{
    uint32_t zero = NUMBER(0), flips = LESS(ABS(y.re), ABS(y.im));
    uint32_t by_zero = BOTH(EQUAL(y.re, zero), EQUAL(y.im, zero));
    uint32_t large = SELECT(flips, y.im, y.re), small = SELECT(flips, y.re, y.im);
    uint32_t ratio = SELECT(by_zero, zero, DIVIDE(small, large));
    uint32_t inverse = DIVIDE(NUMBER(1), ADD(large, MULTIPLY(small, ratio)));
    uint32_t scale = SELECT(by_zero, NUMBER(INFINITY), inverse);
    uint32_t re_flipped = ADD(MULTIPLY(x.re, ratio), x.im);
    uint32_t re_plain = ADD(x.re, MULTIPLY(x.im, ratio));
    uint32_t im_flipped = SUBTRACT(MULTIPLY(x.im, ratio), x.re);
    uint32_t im_plain = SUBTRACT(x.im, MULTIPLY(x.re, ratio));
    return (flat_number){MULTIPLY(SELECT(flips, re_flipped, re_plain), scale),
                         MULTIPLY(SELECT(flips, im_flipped, im_plain), scale)};
}

/* With m = |z| and t = sqrt((m + |re|) / 2): t and im / (2 t), the other way round left of the
 * imaginary axis. */
static flat_number root(flat_making *m, flat_number z)
{
    uint32_t zero = NUMBER(0), half = NUMBER(0.5), one = NUMBER(1), scale = scale_of(m, z);
    uint32_t size = plain_modulus(m, MULTIPLY(z.re, scale), MULTIPLY(z.im, scale));
    uint32_t back = SELECT(LESS(one, scale), NUMBER(BACK_FROM_UP), NUMBER(BACK_FROM_DOWN));
    uint32_t inverse = SELECT(EQUAL(scale, one), one, back);
    uint32_t large = SQRT(ADD(MULTIPLY(half, size), MULTIPLY(half, ABS(MULTIPLY(z.re, scale)))));
    uint32_t quotient = DIVIDE(MULTIPLY(half, ABS(MULTIPLY(z.im, scale))), large);
    uint32_t small = SELECT(EQUAL(large, zero), zero, quotient), left = LESS(z.re, zero);
    uint32_t re = MULTIPLY(SELECT(left, small, large), inverse);
    uint32_t im = COPYSIGN(MULTIPLY(SELECT(left, large, small), inverse), z.im);
    uint32_t endless = is_infinite(m, z.im), infinity = NUMBER(INFINITY);
    return (flat_number){SELECT(endless, infinity, re),
                         COPYSIGN(SELECT(endless, infinity, im), z.im)};
}

/* e^x times (c, s) and a power of two, where e^x alone may leave the range. */
static flat_number exp_times(flat_making *m, uint32_t x, uint32_t c, uint32_t s, double scale)
{
    uint32_t above = LESS(NUMBER(HIGHEST), x), below = LESS(x, NUMBER(LOWEST));
    uint32_t shift = SELECT(below, NUMBER(LOWEST), SELECT(above, NUMBER(HIGHEST), NUMBER(0)));
    uint32_t factor = flat_one(m, PROGRAM_EXP, SUBTRACT(x, shift));
    uint32_t first = SELECT(above, NUMBER(EXP_OF_HIGHEST * scale), NUMBER(1));
    uint32_t rest = SELECT(below, NUMBER(EXP_OF_LOWEST * scale), NUMBER(scale));
    uint32_t last = SELECT(above, NUMBER(1), rest);
    return (flat_number){MULTIPLY(MULTIPLY(MULTIPLY(c, first), factor), last),
                         MULTIPLY(MULTIPLY(MULTIPLY(s, first), factor), last)};
}

/* e^x (cos y + i sin y), with the special values of C99's annex G. */
static flat_number exponential(flat_making *m, flat_number z)
{
    uint32_t zero = NUMBER(0), c = flat_one(m, PROGRAM_COS, z.im);
    flat_number result = exp_times(m, z.re, c, flat_one(m, PROGRAM_SIN, z.im), 1);
    uint32_t turns = NOT(is_finite(m, z.im)), vanishes = EQUAL(z.re, NUMBER(-INFINITY));
    uint32_t limit = SELECT(vanishes, zero, z.re);
    uint32_t re = SELECT(BOTH(is_infinite(m, z.re), turns), limit, result.re);
    uint32_t im = SELECT(BOTH(vanishes, turns), COPYSIGN(zero, z.im), result.im);
    return (flat_number){re, SELECT(EQUAL(z.im, zero), z.im, im)};
}

/* (e^x - 1) cos y - 2 sin^2(y / 2). */
static flat_number exponential_less_one(flat_making *m, flat_number z)
{
    flat_number whole = exponential(m, z);
    uint32_t half = flat_one(m, PROGRAM_SIN, MULTIPLY(NUMBER(0.5), z.im));
    uint32_t product = MULTIPLY(flat_one(m, PROGRAM_EXPM1, z.re), flat_one(m, PROGRAM_COS, z.im));
    uint32_t re = SUBTRACT(product, MULTIPLY(MULTIPLY(NUMBER(2), half), half));
    uint32_t near = LESS(ABS(z.re), NUMBER(ONE_EXPONENTIAL));
    return (flat_number){SELECT(near, ADD(re, NUMBER(0)), SUBTRACT(whole.re, NUMBER(1))), whole.im};
}

/* x y, zero where either is, as annex G has it for 0 times an infinity. */
static uint32_t product(flat_making *m, uint32_t x, uint32_t y)
{
    uint32_t nothing = NUMBER(0), one = NUMBER(1);
    uint32_t zero = COPYSIGN(nothing, MULTIPLY(COPYSIGN(one, x), COPYSIGN(one, y)));
    return SELECT(EITHER(EQUAL(x, nothing), EQUAL(y, nothing)), zero, MULTIPLY(x, y));
}

/* sinh x cos y + i cosh x sin y; where `even` it is cosh x cos y + i sinh x sin y, that is cosh. */
static flat_number hyperbolic(flat_making *m, flat_number z, bool even)
{
    uint32_t zero = NUMBER(0), size = ABS(z.re), sign = COPYSIGN(NUMBER(1), z.re);
    uint32_t c = flat_one(m, PROGRAM_COS, z.im), s = flat_one(m, PROGRAM_SIN, z.im);
    flat_number large =
        exp_times(m, size, even ? c : MULTIPLY(sign, c), even ? MULTIPLY(sign, s) : s, 0.5);
    uint32_t is_large = LESS(NUMBER(ONE_EXPONENTIAL), size);
    uint32_t is_lost = BOTH(is_infinite(m, z.re), NOT(is_finite(m, z.im)));
    uint32_t odd_part = flat_one(m, PROGRAM_SINH, z.re);
    uint32_t even_part = flat_one(m, PROGRAM_COSH, z.re);
    uint32_t re = even ? MULTIPLY(even_part, c) : product(m, odd_part, c);
    uint32_t im = even ? product(m, odd_part, s) : MULTIPLY(even_part, s);
    re = SELECT(is_lost, even ? NUMBER(INFINITY) : z.re, SELECT(is_large, large.re, re));
    uint32_t flat = even ? product(m, z.im, z.re) : z.im;
    return (flat_number){re, SELECT(EQUAL(z.im, zero), flat, SELECT(is_large, large.im, im))};
}

/* With d = sinh^2 x + cos^2 y: sinh x cosh x / d + i sin y cos y / d. */
static flat_number hyperbolic_tangent(flat_making *m, flat_number z)
{
    uint32_t c = flat_one(m, PROGRAM_COS, z.im), s = flat_one(m, PROGRAM_SIN, z.im);
    uint32_t x = ABS(z.re), limit = NUMBER(TANGENT_IS_ONE), zero = NUMBER(0),
             is_far = LESS(limit, x);
    uint32_t near = SELECT(is_far, limit, x);
    uint32_t odd = flat_one(m, PROGRAM_SINH, near), even = flat_one(m, PROGRAM_COSH, near);
    uint32_t divisor = ADD(MULTIPLY(odd, odd), MULTIPLY(c, c));
    uint32_t far = MULTIPLY(MULTIPLY(MULTIPLY(NUMBER(4), s), c),
                            flat_one(m, PROGRAM_EXP, MULTIPLY(NUMBER(-2), x)));
    uint32_t re = SELECT(is_far, NUMBER(1), DIVIDE(MULTIPLY(odd, even), divisor));
    uint32_t im = SELECT(is_far, far, DIVIDE(MULTIPLY(s, c), divisor));
    im = SELECT(is_infinite(m, z.re), COPYSIGN(zero, z.im), im);
    im = SELECT(EQUAL(z.im, zero), z.im, im);
    re = SELECT(BOTH(is_far, NOT_EQUAL(im, im)), im, re);
    re = SELECT(EQUAL(z.re, zero), zero, re);
    re = SELECT(NOT_EQUAL(z.re, z.re), z.re, re);
    return (flat_number){COPYSIGN(re, z.re), im};
}

/* i z and z / i: functions of angles are those of i z, as sin z = sinh(i z) / i. */
static flat_number turned(flat_making *m, flat_number z)
{
    return (flat_number){NEGATE(z.im), z.re};
}

static flat_number turned_back(flat_making *m, flat_number z)
{
    return (flat_number){z.im, NEGATE(z.re)};
}

static flat_number multiply(flat_making *m, flat_number x, flat_number y)
{
    return (flat_number){SUBTRACT(MULTIPLY(x.re, y.re), MULTIPLY(x.im, y.im)),
                         ADD(MULTIPLY(x.im, y.re), MULTIPLY(x.re, y.im))};
}

static flat_number as_parts(flat_making *m, flat_number x, jg_dtype part)
{
    uint32_t re = flat_cast(m, x.re, part);
    return (flat_number){re, flat_cast(m, x.im, part)};
}

static flat_number each_part(flat_making *m, uint16_t op, flat_number x)
{
    uint32_t re = flat_one(m, op, x.re);
    return (flat_number){re, flat_one(m, op, x.im)};
}

static flat_number pairwise(flat_making *m, uint16_t op, flat_number x, flat_number y)
{
    uint32_t re = flat_two(m, op, x.re, y.re);
    return (flat_number){re, flat_two(m, op, x.im, y.im)};
}

/* complex64 in float64, where its squares neither overflow nor vanish. */
static uint32_t size_of(flat_making *m, flat_number x, jg_dtype part)
{
    if (part == JG_DTYPE_FLOAT64)
        return modulus(m, x);
    flat_number wide = as_parts(m, x, JG_DTYPE_FLOAT64);
    return flat_cast(m, plain_modulus(m, wide.re, wide.im), part);
}

static flat_number real(uint32_t value)
{
    return (flat_number){value, KERNEL_NONE};
}

/* Each instruction and what it is of the operands x, y and z: PLAIN in the parts' own type, WIDE of
 * x and y in float64, and rounded once. */
#define SPELLINGS                                                                                  \
    PLAIN(COPY, x)                                                                                 \
    PLAIN(REAL, real(x.re))                                                                        \
    PLAIN(IMAG, real(x.im))                                                                        \
    PLAIN(ABS, real(size_of(m, x, part)))                                                          \
    PLAIN(CONJUGATE, ((flat_number){x.re, NEGATE(x.im)}))                                          \
    PLAIN(NEGATE, each_part(m, PROGRAM_NEGATE, x))                                                 \
    PLAIN(ROUND, each_part(m, PROGRAM_ROUND, x))                                                   \
    PLAIN(ADD, pairwise(m, PROGRAM_ADD, x, y))                                                     \
    PLAIN(SUBTRACT, pairwise(m, PROGRAM_SUBTRACT, x, y))                                           \
    PLAIN(MULTIPLY, multiply(m, x, y))                                                             \
    PLAIN(EQUAL, real(BOTH(EQUAL(x.re, y.re), EQUAL(x.im, y.im))))                                 \
    PLAIN(NOT_EQUAL, real(EITHER(NOT_EQUAL(x.re, y.re), NOT_EQUAL(x.im, y.im))))                   \
    PLAIN(SELECT, ((flat_number){SELECT(x.re, y.re, z.re), SELECT(x.re, y.im, z.im)}))             \
    WIDE(DIVIDE, divide(m, x, y))                                                                  \
    WIDE(SIGN, sign(m, x))                                                                         \
    WIDE(SQRT, root(m, x))                                                                         \
    WIDE(EXP, exponential(m, x))                                                                   \
    WIDE(EXPM1, exponential_less_one(m, x))                                                        \
    WIDE(SINH, hyperbolic(m, x, false))                                                            \
    WIDE(COSH, hyperbolic(m, x, true))                                                             \
    WIDE(TANH, hyperbolic_tangent(m, x))                                                           \
    WIDE(SIN, turned_back(m, hyperbolic(m, turned(m, x), false)))                                  \
    WIDE(COS, hyperbolic(m, turned(m, x), true))                                                   \
    WIDE(TAN, turned_back(m, hyperbolic_tangent(m, turned(m, x))))

/* Casts are spelled where values are made. */
bool flat_spells(program_op op)
{
    switch (op) {
#define PLAIN(OP, value) case PROGRAM_##OP:
#define WIDE(OP, value) case PROGRAM_##OP:
        SPELLINGS
#undef WIDE
#undef PLAIN
    case PROGRAM_CAST: return true;
    default: return false;
    }
}

/* Computes the instruction on numbers in float64. */
static flat_number in_float64(flat_making *m, program_op op, flat_number x, flat_number y)
{
    switch (op) {
#define PLAIN(OP, value)
#define WIDE(OP, value)                                                                            \
    case PROGRAM_##OP: return value;
        SPELLINGS
#undef WIDE
#undef PLAIN
    default: return x;
    }
}

flat_number flat_complex(flat_making *m, const program_inst *inst, const flat_number *operands)
{
    flat_number x = operands[0], y = operands[1], z = operands[2];
    jg_dtype part = flat_part((jg_dtype)inst->type);
    program_op op = (program_op)inst->op;
    switch (op) {
#define WIDE(OP, value)
#define PLAIN(OP, value)                                                                           \
    case PROGRAM_##OP: return value;
        SPELLINGS
#undef WIDE
#undef PLAIN
    default: break;
    }
    flat_number wide = as_parts(m, x, JG_DTYPE_FLOAT64), by = wide;
    if (op == PROGRAM_DIVIDE)
        by = as_parts(m, y, JG_DTYPE_FLOAT64);
    return as_parts(m, in_float64(m, op, wide, by), part);
}
