/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of 8 bits, which kernels have as uint8: decoded to float64 and encoded from it, with the
 * formulas of the tiles (tile/loops/storage.inc.h), bit by bit. */
#include "kernel/flat_build.h"
#include <math.h>

typedef enum small_specials { SPECIALS_IEEE, SPECIALS_FN, SPECIALS_FNUZ } small_specials;

typedef struct small_float {
    uint8_t dtype, exponent, mantissa, bias, specials;
} small_float;

#define JG_SMALL_FLOAT(NAME, E, M, bias, specials)                                                 \
    {JG_DTYPE_##NAME, E, M, bias, SPECIALS_##specials},
#define JG_PACKED_FLOAT(...)
#define JG_WIDE_FLOAT(...)
static const small_float formats[] = {
#include "tensor/small_float.def"
};
#undef JG_SMALL_FLOAT
#undef JG_PACKED_FLOAT
#undef JG_WIDE_FLOAT

static const small_float *format_of(jg_dtype dtype)
{
    for (size_t i = 0; i < JG_COUNT_OF(formats); ++i)
        if (formats[i].dtype == dtype)
            return &formats[i];
    return NULL;
}

bool flat_is_stored(jg_dtype dtype)
{
    return dtype == JG_DTYPE_FLOAT8_E8M0FNU || format_of(dtype) != NULL;
}

#define WHOLE32(x) flat_whole(m, JG_DTYPE_UINT32, x)
#define WHOLE64(x) flat_whole(m, JG_DTYPE_UINT64, (int64_t)(x))
#define REAL64(x) flat_real(m, JG_DTYPE_FLOAT64, x)

static uint32_t two(flat_making *m, uint16_t op, uint32_t x, uint32_t y)
{
    return flat_two(m, op, x, y);
}

/* Infinities and NaNs replace the decoded value, by the code without its sign. */
static uint32_t decode_special(flat_making *m, const small_float *f, uint32_t code, uint32_t rest,
                               uint32_t value)
{
    uint32_t infinity = flat_real(m, JG_DTYPE_FLOAT32, INFINITY);
    uint32_t nan = flat_real(m, JG_DTYPE_FLOAT32, NAN);
    uint32_t top = WHOLE32((((int64_t)1 << f->exponent) - 1) << f->mantissa);
    if (f->specials == SPECIALS_FN)
        return flat_select(m, two(m, PROGRAM_EQUAL, rest, WHOLE32(0x7f)), nan, value);
    if (f->specials == SPECIALS_FNUZ)
        return flat_select(m, two(m, PROGRAM_EQUAL, code, WHOLE32(0x80)), nan, value);
    uint32_t special = flat_select(m, two(m, PROGRAM_EQUAL, rest, top), infinity, nan);
    return flat_select(m, two(m, PROGRAM_LESS, rest, top), value, special);
}

static uint32_t decode_small(flat_making *m, const small_float *f, uint32_t byte)
{
    uint32_t code = flat_cast(m, byte, JG_DTYPE_UINT32);
    uint32_t rest = two(m, PROGRAM_AND, code, WHOLE32(0x7f));
    uint32_t bits = two(m, PROGRAM_SHIFT_LEFT, rest, WHOLE32(23 - f->mantissa));
    uint32_t scale = flat_real(m, JG_DTYPE_FLOAT32, ldexp(1, 127 - f->bias));
    uint32_t size = two(m, PROGRAM_MULTIPLY, flat_bitcast(m, bits, JG_DTYPE_FLOAT32), scale);
    uint32_t value = decode_special(m, f, code, rest, size);
    uint32_t is_plain = two(m, PROGRAM_LESS, code, WHOLE32(0x80));
    value = flat_select(m, is_plain, value, flat_one(m, PROGRAM_NEGATE, value));
    return flat_cast(m, value, JG_DTYPE_FLOAT64);
}

uint32_t flat_decode(flat_making *m, jg_dtype from, uint32_t code)
{
    const small_float *format = format_of(from);
    if (format != NULL)
        return decode_small(m, format, code);
    uint32_t wide = flat_cast(m, code, JG_DTYPE_UINT64);
    uint32_t bits =
        two(m, PROGRAM_SHIFT_LEFT, two(m, PROGRAM_ADD, wide, WHOLE64(896)), WHOLE64(52));
    uint32_t is_nan = two(m, PROGRAM_EQUAL, wide, WHOLE64(0xff));
    return flat_select(m, is_nan, REAL64(NAN), flat_bitcast(m, bits, JG_DTYPE_FLOAT64));
}

static uint64_t largest_code(const small_float *f)
{
    static const uint8_t largest[] = {[SPECIALS_FN] = 0x7e, [SPECIALS_FNUZ] = 0x7f};
    return f->specials == SPECIALS_IEEE ? ((((uint64_t)1 << f->exponent) - 1) << f->mantissa) - 1
                                        : largest[f->specials];
}

/* The code of a magnitude beyond the range. */
static uint32_t beyond(flat_making *m, const small_float *f, uint32_t is_nan)
{
    uint64_t infinity = largest_code(f) + 1;
    if (f->specials != SPECIALS_IEEE)
        return WHOLE64(f->specials == SPECIALS_FN ? 0x7f : 0x80);
    return flat_select(m, is_nan, WHOLE64(infinity + ((uint64_t)1 << (f->mantissa - 1))),
                       WHOLE64(infinity));
}

static uint32_t with_sign(flat_making *m, const small_float *f, uint32_t code, uint32_t sign)
{
    uint32_t both = two(m, PROGRAM_OR, code, sign);
    if (f->specials != SPECIALS_FNUZ)
        return both;
    uint32_t bare = two(m, PROGRAM_OR, two(m, PROGRAM_EQUAL, code, WHOLE64(0)),
                        two(m, PROGRAM_EQUAL, code, WHOLE64(0x80)));
    return flat_select(m, bare, code, both);
}

/* Rounded in the bits to nearest even, the exponent's bias moved. */
static uint32_t encode_normal(flat_making *m, const small_float *f, uint32_t bits)
{
    uint64_t last = 52 - f->mantissa;
    uint32_t odd =
        two(m, PROGRAM_AND, two(m, PROGRAM_SHIFT_RIGHT, bits, WHOLE64(last)), WHOLE64(1));
    uint32_t up = two(m, PROGRAM_ADD, bits, WHOLE64(((uint64_t)1 << (last - 1)) - 1));
    up = two(m, PROGRAM_SHIFT_RIGHT, two(m, PROGRAM_ADD, up, odd), WHOLE64(last));
    return two(m, PROGRAM_SUBTRACT, up, WHOLE64((uint64_t)(1023 - f->bias) << f->mantissa));
}

static uint32_t encode_small(flat_making *m, const small_float *f, uint32_t x)
{
    uint64_t step = (uint64_t)(1076 - f->bias - f->mantissa) << 52;
    uint32_t size = flat_one(m, PROGRAM_ABS, x);
    uint32_t bits = flat_bitcast(m, size, JG_DTYPE_UINT64);
    uint32_t raw = flat_bitcast(m, x, JG_DTYPE_UINT64);
    uint32_t sign =
        two(m, PROGRAM_SHIFT_LEFT, two(m, PROGRAM_SHIFT_RIGHT, raw, WHOLE64(63)), WHOLE64(7));
    uint32_t moved = two(m, PROGRAM_ADD, size, flat_bitcast(m, WHOLE64(step), JG_DTYPE_FLOAT64));
    uint32_t subnormal =
        two(m, PROGRAM_SUBTRACT, flat_bitcast(m, moved, JG_DTYPE_UINT64), WHOLE64(step));
    uint32_t is_small = two(m, PROGRAM_LESS, bits, WHOLE64((uint64_t)(1024 - f->bias) << 52));
    uint32_t code = flat_select(m, is_small, subnormal, encode_normal(m, f, bits));
    uint32_t is_nan = two(m, PROGRAM_NOT_EQUAL, x, x);
    code = flat_select(m, two(m, PROGRAM_LESS, WHOLE64(largest_code(f)), code),
                       beyond(m, f, is_nan), code);
    return flat_cast(m, with_sign(m, f, code, sign), JG_DTYPE_UINT8);
}

uint32_t flat_encode(flat_making *m, jg_dtype to, uint32_t x)
{
    const small_float *format = format_of(to);
    if (format != NULL)
        return encode_small(m, format, x);
    uint32_t bits = flat_bitcast(m, x, JG_DTYPE_UINT64), least = WHOLE64(896);
    uint32_t exponent = two(m, PROGRAM_SHIFT_RIGHT,
                            two(m, PROGRAM_ADD, bits, WHOLE64((uint64_t)1 << 51)), WHOLE64(52));
    uint32_t low = flat_select(m, two(m, PROGRAM_LESS, exponent, least), least, exponent);
    uint32_t code = two(m, PROGRAM_SUBTRACT, low, least);
    uint32_t holds = two(m, PROGRAM_AND, two(m, PROGRAM_LESS, REAL64(0), x),
                         two(m, PROGRAM_LESS, code, WHOLE64(0xff)));
    return flat_cast(m, flat_select(m, holds, code, WHOLE64(0xff)), JG_DTYPE_UINT8);
}
