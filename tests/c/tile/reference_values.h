/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of an instruction for one element, spelled out without regard to speed. Integers are
 * kept in 64 bits, floats in double (from which a rounding to float32 of one +, -, *, / or square
 * root is the same as rounding once). */
#ifndef TILE_REFERENCE_VALUES_H
#define TILE_REFERENCE_VALUES_H

#include "program/executor.h"
#include <complex.h>
#include <math.h>
#include <string.h>

typedef struct value {
    int64_t i; /* bool, integers (uint64 as its bits) */
    double re, im;
} value;

static inline jg_dtype_kind kind_of(jg_dtype dtype)
{
    return (jg_dtype_kind)dtype_rows[dtype].kind;
}

static inline bool is_whole(jg_dtype dtype)
{
    return kind_of(dtype) == JG_KIND_INT || kind_of(dtype) == JG_KIND_UINT ||
           dtype == JG_DTYPE_BOOL;
}

/* Cuts an integer to the dtype's width. */
static inline int64_t wrap(int64_t i, jg_dtype dtype)
{
    int bits = dtype_rows[dtype].bits;
    if (bits == 64)
        return i;
    uint64_t u = (uint64_t)i << (64 - bits);
    return kind_of(dtype) == JG_KIND_INT ? (int64_t)u >> (64 - bits) : (int64_t)(u >> (64 - bits));
}

static inline value load_value(const void *from, jg_dtype dtype)
{
    value x = {0, 0, 0};
    float f[2];
    double d[2];
    uint16_t h;
    if (dtype == JG_DTYPE_BOOL) {
        x.i = *(const uint8_t *)from != 0;
    } else if (is_whole(dtype)) {
        memcpy(&x.i, from, dtype_itemsize(dtype)); /* little-endian */
        x.i = wrap(x.i, dtype);
    } else if (dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_BFLOAT16) {
        memcpy(&h, from, 2);
        x.re = (double)(dtype == JG_DTYPE_FLOAT16 ? float_from_half(h) : float_from_bfloat(h));
    } else if (dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64) {
        f[1] = 0;
        memcpy(f, from, dtype_itemsize(dtype));
        x.re = (double)f[0];
        x.im = (double)f[1];
    } else {
        d[1] = 0;
        memcpy(d, from, dtype_itemsize(dtype));
        x.re = d[0];
        x.im = d[1];
    }
    return x;
}

/* To nearest even among float16s or bfloat16s, directly from double. */
static inline uint16_t half_bits(double x, jg_dtype dtype)
{
    float f = (float)x;
    if (fabs(x) < (double)INFINITY && (double)f != x) { /* make the float odd: see round to odd */
        uint32_t bits;
        memcpy(&bits, &f, 4);
        if (!(bits & 1))
            bits += fabs((double)f) < fabs(x) ? 1u : ~0u;
        memcpy(&f, &bits, 4);
    }
    return dtype == JG_DTYPE_FLOAT16 ? float_to_half(f) : float_to_bfloat(f);
}

static inline void store_value(void *to, value x, jg_dtype dtype)
{
    uint16_t h;
    if (dtype == JG_DTYPE_BOOL) {
        *(uint8_t *)to = x.i != 0;
    } else if (is_whole(dtype)) {
        memcpy(to, &x.i, dtype_itemsize(dtype));
    } else if (dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_BFLOAT16) {
        h = half_bits(x.re, dtype);
        memcpy(to, &h, 2);
    } else if (dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64) {
        float f[2] = {(float)x.re, (float)x.im};
        memcpy(to, f, dtype_itemsize(dtype));
    } else {
        double d[2] = {x.re, x.im};
        memcpy(to, d, dtype_itemsize(dtype));
    }
}

/* What a register of the dtype can hold of x. */
static inline value rounded(value x, jg_dtype dtype)
{
    char bytes[16];
    store_value(bytes, x, dtype);
    return load_value(bytes, dtype);
}

static inline int64_t saturate(double x, jg_dtype dtype)
{
    int bits = dtype_rows[dtype].bits;
    bool is_signed = kind_of(dtype) == JG_KIND_INT;
    double lowest = is_signed ? -ldexp(1, bits - 1) : 0,
           limit = ldexp(1, is_signed ? bits - 1 : bits);
    uint64_t ones = ~(uint64_t)0 >> (64 - bits);
    if (isnan(x))
        return 0;
    if (x >= limit)
        return (int64_t)(is_signed ? ones >> 1 : ones);
    if (x < lowest)
        return is_signed ? wrap((int64_t)((uint64_t)1 << (bits - 1)), dtype) : 0;
    return is_signed ? (int64_t)x : (int64_t)(uint64_t)(x < 0 ? 0 : x);
}

static inline value cast_value(value x, jg_dtype from, jg_dtype to)
{
    value y = {0, 0, 0};
    if (to == JG_DTYPE_BOOL) {
        y.i = is_whole(from) ? x.i != 0 : x.re != 0 || x.im != 0;
    } else if (is_whole(to)) {
        y.i = is_whole(from) ? wrap(x.i, to) : saturate(x.re, to);
    } else if (is_whole(from)) {
        /* Through double a 64-bit integer could be rounded twice. */
        bool huge = kind_of(from) == JG_KIND_UINT;
        if (to == JG_DTYPE_FLOAT32 || to == JG_DTYPE_COMPLEX64)
            y.re = (double)(huge ? (float)(uint64_t)x.i : (float)x.i);
        else
            y.re = huge ? (double)(uint64_t)x.i : (double)x.i;
    } else {
        y.re = x.re;
        y.im = x.im;
    }
    return rounded(y, to);
}

/* The bound of accuracy.def; 0 for what rounds correctly, as everything but floats does. */
static inline double allowed_ulps(program_op op, jg_dtype type)
{
    static const double bounds[PROGRAM_OP_COUNT][2] = {
#define JG_ACCURACY(OP, single, wide, ...) [PROGRAM_##OP] = {single, wide},
#include "math/accuracy.def"
#undef JG_ACCURACY
    };
    return dtype_is_floating(type) ? bounds[op][type == JG_DTYPE_FLOAT64] : 0;
}

static inline bool less(value x, value y, jg_dtype type)
{
    if (kind_of(type) == JG_KIND_UINT)
        return (uint64_t)x.i < (uint64_t)y.i;
    return is_whole(type) ? x.i < y.i : x.re < y.re;
}

static inline bool equal(value x, value y, jg_dtype type)
{
    return is_whole(type) ? x.i == y.i : x.re == y.re && x.im == y.im;
}

static inline int64_t floor_quotient(int64_t x, int64_t y, jg_dtype type, bool rest)
{
    if (y == 0)
        return 0;
    if (kind_of(type) == JG_KIND_UINT)
        return (int64_t)(rest ? (uint64_t)x % (uint64_t)y : (uint64_t)x / (uint64_t)y);
    if (y == -1)
        return rest ? 0 : (int64_t) - (uint64_t)x;
    int64_t quotient = x / y, remainder = x % y;
    if (remainder != 0 && (remainder < 0) != (y < 0)) {
        quotient -= 1;
        remainder += y;
    }
    return rest ? remainder : quotient;
}

/* Euclid's. */
static inline int64_t common_divisor_of(int64_t x, int64_t y, jg_dtype type)
{
    bool is_unsigned = kind_of(type) == JG_KIND_UINT;
    uint64_t a = is_unsigned || x > 0 ? (uint64_t)x : -(uint64_t)x;
    uint64_t b = is_unsigned || y > 0 ? (uint64_t)y : -(uint64_t)y;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (int64_t)a;
}

static inline int64_t whole_power(int64_t x, int64_t y, jg_dtype type)
{
    uint64_t result = 1;
    if (kind_of(type) == JG_KIND_INT && y < 0)
        return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
    for (int bit = 63; bit >= 0; --bit) {
        result *= result;
        if ((uint64_t)y >> bit & 1)
            result *= (uint64_t)x;
    }
    return (int64_t)result;
}

/* Threefry-2x32 as the paper's text has it: a key injection after every four rounds. */
static inline uint64_t encrypt(uint64_t counter, uint64_t key)
{
    static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    uint32_t x[2] = {(uint32_t)counter, (uint32_t)(counter >> 32)};
    uint32_t words[3] = {(uint32_t)key, (uint32_t)(key >> 32), 0x1BD11BDA};
    words[2] ^= words[0] ^ words[1];
    for (uint32_t round = 0; round <= 20; ++round) {
        if (round % 4 == 0) {
            x[0] += words[round / 4 % 3];
            x[1] += words[(round / 4 + 1) % 3] + round / 4;
        }
        if (round == 20)
            break;
        int by = rotations[round % 8];
        x[0] += x[1];
        x[1] = (x[1] << by | x[1] >> (32 - by)) ^ x[0];
    }
    return x[0] | (uint64_t)x[1] << 32;
}

static inline int64_t apply_whole(program_op op, int64_t x, int64_t y, jg_dtype type)
{
    int bits = dtype_rows[type].bits;
    bool is_bool = type == JG_DTYPE_BOOL, is_unsigned = kind_of(type) == JG_KIND_UINT;
    bool inside = is_unsigned ? (uint64_t)y < (uint64_t)bits : y >= 0 && y < bits;
    uint64_t a = (uint64_t)x, b = (uint64_t)y;
    bool below = is_unsigned ? a < b : x < y;
    switch (op) {
    case PROGRAM_COPY:
    case PROGRAM_FLOOR:
    case PROGRAM_CEIL:
    case PROGRAM_TRUNC:
    case PROGRAM_ROUND: return x;
    case PROGRAM_SIGN: return is_unsigned ? x != 0 : (x > 0) - (x < 0);
    case PROGRAM_NEGATE: return (int64_t)-a;
    case PROGRAM_ABS: return !is_unsigned && x < 0 ? (int64_t)-a : x;
    case PROGRAM_NOT: return is_bool ? !x : ~x;
    case PROGRAM_ADD: return is_bool ? x | y : (int64_t)(a + b);
    case PROGRAM_SUBTRACT: return (int64_t)(a - b);
    case PROGRAM_MULTIPLY: return (int64_t)(a * b);
    case PROGRAM_FLOOR_DIVIDE: return floor_quotient(x, y, type, false);
    case PROGRAM_REMAINDER: return floor_quotient(x, y, type, true);
    case PROGRAM_GCD: return common_divisor_of(x, y, type);
    case PROGRAM_POWER: return whole_power(x, y, type);
    case PROGRAM_THREEFRY: return (int64_t)encrypt(a, b);
    case PROGRAM_THREEFRY_HALF: return (int64_t)(uint32_t)(encrypt(a >> 1, b) >> (a & 1) * 32);
    case PROGRAM_MAXIMUM: return below ? y : x;
    case PROGRAM_MINIMUM: return below ? x : y;
    case PROGRAM_AND: return x & y;
    case PROGRAM_OR: return x | y;
    case PROGRAM_XOR: return x ^ y;
    case PROGRAM_SHIFT_LEFT: return inside ? (int64_t)(a << b) : 0;
    case PROGRAM_SHIFT_RIGHT:
        return inside ? (is_unsigned ? (int64_t)(a >> b) : x >> y) : is_unsigned || x >= 0 ? 0 : -1;
    default: return 0;
    }
}

static inline double float_floor_divide(double x, double y, bool single)
{
    double rest = fmod(x, y), quotient;
    if (y == 0 || isnan(rest) || isinf(y))
        return floor(x / y);
    quotient = x - rest;
    quotient = single ? (double)(float)((float)quotient / (float)y) : quotient / y;
    if (rest != 0 && (rest < 0) != (y < 0))
        quotient -= 1;
    return quotient == 0 ? copysign(0, x / y) : round(quotient);
}

static inline double float_remainder(double x, double y)
{
    double rest = fmod(x, y);
    if (rest == 0)
        return copysign(0, y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

static inline double log_add_exp(double x, double y)
{
    double largest = isnan(x) || x > y ? x : y;
    return x == y ? x + log(2) : largest + log1p(exp(-fabs(x - y)));
}

/* By bisection: erfc tells where 1 - |x| is on the way to 0. */
static inline double inverse_erf(double x)
{
    long double low = 0, high = 7, rest = 1 - fabsl((long double)x);
    if (!(rest > 0))
        return rest == 0 ? copysign((double)INFINITY, x) : (double)NAN;
    if (fabs(x) < 1e-6)
        return (double)((long double)x * 0.886226925452758013649L *
                        (1 + 0.2617993878L * (long double)x * (long double)x));
    for (int i = 0; i < 110; ++i) {
        long double middle = (low + high) / 2;
        bool is_below = rest < 0.5L ? erfcl(middle) > rest : erfl(middle) < fabsl((long double)x);
        *(is_below ? &low : &high) = middle;
    }
    return copysign((double)low, x);
}

/* The functions; NaN for an instruction that is none. */
static inline double apply_function(program_op op, double x, double y)
{
    switch (op) {
    case PROGRAM_EXP: return exp(x);
    case PROGRAM_EXP2: return exp2(x);
    case PROGRAM_EXPM1: return expm1(x);
    case PROGRAM_LOG: return log(x);
    case PROGRAM_LOG2: return log2(x);
    case PROGRAM_LOG10: return log10(x);
    case PROGRAM_LOG1P: return log1p(x);
    case PROGRAM_SIN: return sin(x);
    case PROGRAM_COS: return cos(x);
    case PROGRAM_TAN: return tan(x);
    case PROGRAM_ASIN: return asin(x);
    case PROGRAM_ACOS: return acos(x);
    case PROGRAM_ATAN: return atan(x);
    case PROGRAM_SINH: return sinh(x);
    case PROGRAM_COSH: return cosh(x);
    case PROGRAM_TANH: return tanh(x);
    case PROGRAM_ASINH: return asinh(x);
    case PROGRAM_ACOSH: return acosh(x);
    case PROGRAM_ATANH: return atanh(x);
    case PROGRAM_ERF: return erf(x);
    case PROGRAM_ERFINV: return inverse_erf(x);
    case PROGRAM_SIGMOID: return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
    case PROGRAM_ATAN2: return atan2(x, y);
    case PROGRAM_HYPOT: return hypot(x, y);
    case PROGRAM_LOG_ADD_EXP: return log_add_exp(x, y);
    default: return (double)NAN;
    }
}

static inline double apply_float(program_op op, double x, double y, bool single)
{
    switch (op) {
    case PROGRAM_COPY: return x;
    case PROGRAM_NEGATE: return -x;
    case PROGRAM_ABS: return fabs(x);
    case PROGRAM_FLOOR: return floor(x);
    case PROGRAM_SQRT: return sqrt(x);
    case PROGRAM_CEIL: return ceil(x);
    case PROGRAM_TRUNC: return trunc(x);
    case PROGRAM_ROUND: return nearbyint(x);
    case PROGRAM_SIGN: return isnan(x) ? x : (x > 0) - (x < 0);
    case PROGRAM_COPYSIGN: return copysign(x, y);
    case PROGRAM_NEXT_AFTER:
        return single ? (double)nextafterf((float)x, (float)y) : nextafter(x, y);
    case PROGRAM_ADD: return x + y;
    case PROGRAM_SUBTRACT: return x - y;
    case PROGRAM_MULTIPLY: return x * y;
    case PROGRAM_DIVIDE: return x / y;
    case PROGRAM_FLOOR_DIVIDE: return float_floor_divide(x, y, single);
    case PROGRAM_REMAINDER: return float_remainder(x, y);
    case PROGRAM_POWER: return single ? (double)powf((float)x, (float)y) : pow(x, y);
    case PROGRAM_MAXIMUM: return isnan(x) || x > y ? x : y;
    case PROGRAM_MINIMUM: return isnan(x) || x < y ? x : y;
    default: return apply_function(op, x, y);
    }
}

static inline value of_complex(long double _Complex z)
{
    return (value){0, (double)creall(z), (double)cimagl(z)};
}

static inline value complex_sign(value z)
{
    double size = hypot(z.re, z.im);
    return size == 0 ? (value){0, 0, 0} : (value){0, z.re / size, z.im / size};
}

/* Functions whose values are accurate as a whole; false for another instruction. */
static inline bool complex_function(program_op op, value x, value y, value *out)
{
    const long double ln2 = 0.693147180559945309417L, ln10 = 2.302585092994045684018L;
    long double _Complex z = CMPLXL((long double)x.re, (long double)x.im);
    switch (op) {
    case PROGRAM_SQRT: *out = of_complex(csqrtl(z)); return true;
    case PROGRAM_EXP: *out = of_complex(cexpl(z)); return true;
    case PROGRAM_EXPM1: *out = of_complex(cexpl(z) - 1); return true;
    case PROGRAM_LOG: *out = of_complex(clogl(z)); return true;
    case PROGRAM_LOG1P: *out = of_complex(clogl(1 + z)); return true;
    case PROGRAM_LOG2: *out = of_complex(clogl(z) / ln2); return true;
    case PROGRAM_LOG10: *out = of_complex(clogl(z) / ln10); return true;
    case PROGRAM_SIN: *out = of_complex(csinl(z)); return true;
    case PROGRAM_COS: *out = of_complex(ccosl(z)); return true;
    case PROGRAM_TAN: *out = of_complex(ctanl(z)); return true;
    case PROGRAM_ASIN: *out = of_complex(casinl(z)); return true;
    case PROGRAM_ACOS: *out = of_complex(cacosl(z)); return true;
    case PROGRAM_ATAN: *out = of_complex(catanl(z)); return true;
    case PROGRAM_SINH: *out = of_complex(csinhl(z)); return true;
    case PROGRAM_COSH: *out = of_complex(ccoshl(z)); return true;
    case PROGRAM_TANH: *out = of_complex(ctanhl(z)); return true;
    case PROGRAM_ASINH: *out = of_complex(casinhl(z)); return true;
    case PROGRAM_ACOSH: *out = of_complex(cacoshl(z)); return true;
    case PROGRAM_ATANH: *out = of_complex(catanhl(z)); return true;
    case PROGRAM_SIGN: *out = complex_sign(x); return true;
    case PROGRAM_POWER:
        *out = of_complex(cpowl(z, CMPLXL((long double)y.re, (long double)y.im)));
        return true;
    default: return false;
    }
}

static inline value apply_complex(program_op op, value x, value y, jg_dtype type)
{
    value z = {0, 0, 0};
    double scale = y.re * y.re + y.im * y.im;
    if (complex_function(op, x, y, &z))
        return z;
    switch (op) {
    case PROGRAM_COPY: return x;
    case PROGRAM_ROUND: return (value){0, rint(x.re), rint(x.im)};
    case PROGRAM_ABS: return (value){0, hypot(x.re, x.im), 0};
    case PROGRAM_REAL: return (value){0, x.re, 0};
    case PROGRAM_IMAG: return (value){0, x.im, 0};
    case PROGRAM_CONJUGATE: return (value){0, x.re, -x.im};
    case PROGRAM_NEGATE: return (value){0, -x.re, -x.im};
    case PROGRAM_ADD: return (value){0, x.re + y.re, x.im + y.im};
    case PROGRAM_SUBTRACT: return (value){0, x.re - y.re, x.im - y.im};
    case PROGRAM_MULTIPLY: z = (value){0, x.re * y.re, x.re * y.im}; break;
    case PROGRAM_DIVIDE:
        return (value){0, (x.re * y.re + x.im * y.im) / scale, (x.im * y.re - x.re * y.im) / scale};
    default: return z;
    }
    jg_dtype part = type == JG_DTYPE_COMPLEX64 ? JG_DTYPE_FLOAT32 : JG_DTYPE_FLOAT64;
    value products = {0, x.im * y.im, 0}, crossed = {0, x.im * y.re, 0}, own = {0, z.im, 0};
    z.re = rounded(z, part).re - rounded(products, part).re;
    z.im = rounded(own, part).re + rounded(crossed, part).re;
    return z;
}

/* The next float16 or bfloat16 after x towards y. */
static inline double next_half(double x, double y, jg_dtype type)
{
    uint16_t bits = half_bits(x == 0 ? copysign(0, y) : x, type);
    if (isnan(x) || isnan(y) || x == y)
        return isnan(x) ? x : y;
    bits = (uint16_t)(x == 0 || (y > x) == (x > 0) ? bits + 1 : bits - 1);
    return (double)(type == JG_DTYPE_FLOAT16 ? float_from_half(bits) : float_from_bfloat(bits));
}

static inline value apply_value(const program_inst *inst, const value *x)
{
    jg_dtype type = (jg_dtype)inst->type;
    switch (inst->op) {
    case PROGRAM_CAST: return cast_value(x[0], type, (jg_dtype)inst->to);
    case PROGRAM_SELECT: return x[0].i ? x[1] : x[2];
    case PROGRAM_LESS: return (value){less(x[0], x[1], type), 0, 0};
    case PROGRAM_LESS_EQUAL:
        return (value){less(x[0], x[1], type) || equal(x[0], x[1], type), 0, 0};
    case PROGRAM_EQUAL: return (value){equal(x[0], x[1], type), 0, 0};
    case PROGRAM_NOT_EQUAL: return (value){!equal(x[0], x[1], type), 0, 0};
    default: break;
    }
    value y = {0, 0, 0};
    if (inst->op == PROGRAM_NEXT_AFTER && (type == JG_DTYPE_FLOAT16 || type == JG_DTYPE_BFLOAT16))
        y.re = next_half(x[0].re, x[1].re, type);
    else if (is_whole(type))
        y.i = wrap(apply_whole((program_op)inst->op, x[0].i, x[1].i, type), type);
    else if (kind_of(type) == JG_KIND_COMPLEX)
        y = apply_complex((program_op)inst->op, x[0], x[1], type);
    else
        y.re = apply_float((program_op)inst->op, x[0].re, x[1].re, type == JG_DTYPE_FLOAT32);
    return rounded(y, (jg_dtype)inst->to);
}

#endif
