/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as numbers of the host, for dtypes of every width. The small floats are decoded from one
 * table, which also says what a float dtype can hold. They are OCP's 8-bit floats ("OCP 8-bit
 * Floating Point Specification", 2023: E4M3, E5M2), those of its MX formats ("OCP Microscaling
 * Formats", 2023: E8M0, FP6, FP4), IEEE-like ones (E3M4, E4M3 with infinities), and the FNUZ
 * variants, which have one zero, and their only NaN has the bits of negative zero. */
#include "tensor/tensor.h"
#include <joggle/array.h>
#include <math.h>
#include <string.h>

/* How a format uses its highest exponent; see small_float.def. */
typedef enum float_specials {
    SPECIALS_IEEE,
    SPECIALS_FN,
    SPECIALS_FNUZ,
    SPECIALS_NONE
} float_specials;

/* A row of small_float.def; exponent_bits is 0 for dtypes that have none. */
typedef struct float_format {
    uint8_t exponent_bits, mantissa_bits, specials;
    uint16_t bias;
} float_format;

static const float_format float_formats[JG_DTYPE_COUNT] = {
#define JG_SMALL_FLOAT(NAME, exponent_bits, mantissa_bits, bias, specials)                         \
    [JG_DTYPE_##NAME] = {exponent_bits, mantissa_bits, SPECIALS_##specials, bias},
#define JG_PACKED_FLOAT JG_SMALL_FLOAT
#define JG_WIDE_FLOAT JG_SMALL_FLOAT
#include "tensor/small_float.def"
#undef JG_WIDE_FLOAT
#undef JG_PACKED_FLOAT
#undef JG_SMALL_FLOAT
};

int dtype_significand_bits(jg_dtype dtype)
{
    return float_formats[dtype].mantissa_bits + 1;
}

/* The bits of an integer's or a bool's value without its sign. */
static int magnitude_bits(jg_dtype dtype)
{
    switch (dtype_rows[dtype].kind) {
    case JG_KIND_BOOL: return 1;
    case JG_KIND_INT: return dtype_rows[dtype].bits - 1;
    default: return dtype_rows[dtype].bits;
    }
}

/* The least integer is a power of two, which a float of fewer bits has as well. float16 has the
 * range of the integers whose bits fit its significand. */
static bool holds_integers(jg_dtype wide, jg_dtype narrow)
{
    switch (dtype_rows[wide].kind) {
    case JG_KIND_FLOAT: return magnitude_bits(narrow) <= dtype_significand_bits(wide);
    case JG_KIND_UINT:
        return dtype_rows[narrow].kind != JG_KIND_INT &&
               magnitude_bits(narrow) <= magnitude_bits(wide);
    case JG_KIND_INT: return magnitude_bits(narrow) <= magnitude_bits(wide);
    default: return false;
    }
}

bool dtype_holds(jg_dtype wide, jg_dtype narrow)
{
    if (!jg_dtype_is_computable(wide) || !jg_dtype_is_computable(narrow))
        return false;
    if (wide == narrow)
        return true;
    if (dtype_is_complex(wide))
        return dtype_holds(dtype_real_part(wide), dtype_real_part(narrow));
    if (dtype_is_complex(narrow))
        return false;
    if (dtype_is_floating(narrow)) /* the two of 16 bits have other exponents */
        return dtype_is_floating(wide) && dtype_rows[wide].bits > dtype_rows[narrow].bits;
    return holds_integers(wide, narrow);
}

/* Infinity or NaN, and no number. */
static bool is_special(const float_format *format, unsigned exponent, unsigned mantissa,
                       bool negative)
{
    bool top = exponent == (1u << format->exponent_bits) - 1;
    switch (format->specials) {
    case SPECIALS_IEEE: return top;
    case SPECIALS_FN: return top && mantissa == (1u << format->mantissa_bits) - 1;
    case SPECIALS_FNUZ: return negative && exponent == 0 && mantissa == 0;
    default: return false;
    }
}

/* Exact: a double holds every value of 16 bits or fewer. */
static double format_value(const float_format *format, unsigned bits)
{
    unsigned mantissa = bits & ((1u << format->mantissa_bits) - 1);
    unsigned exponent = bits >> format->mantissa_bits & ((1u << format->exponent_bits) - 1);
    bool negative = bits >> (format->mantissa_bits + format->exponent_bits) & 1;
    double value;
    if (is_special(format, exponent, mantissa, negative))
        value = format->specials == SPECIALS_IEEE && mantissa == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        value = ldexp(mantissa, 1 - format->bias - format->mantissa_bits);
    else
        value = ldexp((1u << format->mantissa_bits) + mantissa,
                      (int)exponent - format->bias - format->mantissa_bits);
    return negative ? -value : value;
}

/* An exponent alone: a power of two, all ones is NaN. */
static double exponent_value(unsigned bits)
{
    return bits == 0xff ? NAN : ldexp(1, (int)bits - 127);
}

/* bits / 2^dropped, 1 to 63, rounded to the nearest, of two to the even one. */
static uint64_t round_off(uint64_t bits, int dropped)
{
    uint64_t half = UINT64_C(1) << (dropped - 1), rest = bits & (2 * half - 1);
    uint64_t kept = bits >> dropped;
    return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

/* IEEE 754 binary128. 63 bits of the significand, the last one set if any after it is, round as all
 * 113 do. Rounding happens once: in the conversion to double, or, for results that are subnormal,
 * in round_off. Its own subnormals, and all numbers for which `below` is too large, are less than
 * half of the least double. */
static double quad_value(const void *data)
{
    uint64_t words[2];
    memcpy(words, data, sizeof words);
    int exponent = (int)(words[1] >> 48 & 0x7fff), below = 16383 - 1022 - exponent;
    uint64_t high = words[1] & ((UINT64_C(1) << 48) - 1);
    uint64_t leading = (UINT64_C(1) << 48 | high) << 14 | words[0] >> 50 | (words[0] << 14 != 0);
    double value;
    if (exponent == 0x7fff)
        value = high != 0 || words[0] != 0 ? NAN : INFINITY;
    else if (below > 0)
        value = below > 53 ? 0 : ldexp((double)round_off(leading, 10 + below), -1074);
    else
        value = ldexp((double)leading, exponent - 16383 - 62);
    return words[1] >> 63 ? -value : value;
}

/* The bits of an element that is a byte or less; it never crosses more than one byte boundary. */
static unsigned packed_bits(const void *data, int64_t index, int bits)
{
    const uint8_t *bytes = data;
    int64_t first = index * bits;
    unsigned low = bytes[first / 8], shift = (unsigned)(first % 8);
    if (shift + (unsigned)bits > 8)
        low |= (unsigned)bytes[first / 8 + 1] << 8;
    return low >> shift & ((1u << bits) - 1);
}

/* The narrow integers in two's complement, for the dtypes of fewer than 8 bits. */
static jg_number small_integer(const dtype_row *row, unsigned bits)
{
    int64_t value = bits;
    if (row->kind == JG_KIND_INT && (bits >> (row->bits - 1) & 1))
        value -= INT64_C(1) << row->bits;
    return (jg_number){.kind = (jg_dtype_kind)row->kind, .i64 = value, .u64 = (uint64_t)value};
}

static jg_number complex_half(const void *element)
{
    uint16_t parts[2];
    memcpy(parts, element, sizeof parts);
    return (jg_number){.kind = JG_KIND_COMPLEX,
                       .re = (double)float_from_half(parts[0]),
                       .im = (double)float_from_half(parts[1])};
}

jg_status jg_number_load(jg_dtype dtype, const void *data, int64_t index, jg_number *out)
{
    if ((unsigned)dtype >= JG_DTYPE_COUNT)
        return base_fail(JG_ERR_TYPE, "dtype: got number %d, allowed are those of jg_dtype",
                         (int)dtype);
    const dtype_row *row = &dtype_rows[dtype];
    /* For dtypes of less than a byte the item size is 0 and `element` is not used: packed_bits
     * finds them by their index. */
    const char *element = (const char *)data + index * (int64_t)dtype_itemsize(dtype);
    if (row->computable)
        *out = scalar_number(element, dtype);
    else if (float_formats[dtype].exponent_bits != 0)
        *out = (jg_number){
            .kind = JG_KIND_FLOAT,
            .re = format_value(&float_formats[dtype], packed_bits(data, index, row->bits))};
    else if (dtype == JG_DTYPE_FLOAT8_E8M0FNU)
        *out =
            (jg_number){.kind = JG_KIND_FLOAT, .re = exponent_value(packed_bits(data, index, 8))};
    else if (dtype == JG_DTYPE_COMPLEX32)
        *out = complex_half(element);
    else if (dtype == JG_DTYPE_FLOAT128)
        *out = (jg_number){.kind = JG_KIND_FLOAT, .re = quad_value(element)};
    else if (row->kind == JG_KIND_INT || row->kind == JG_KIND_UINT)
        *out = small_integer(row, packed_bits(data, index, row->bits));
    else
        return base_fail(JG_ERR_TYPE, "dtype: got %s, allowed are dtypes of numbers", row->name);
    return JG_OK;
}

/* The highest number, without its exponent: FN has all ones but the last, which is its NaN. */
static double largest_value(const float_format *format)
{
    double ones = ldexp(2, format->mantissa_bits) - (format->specials == SPECIALS_FN ? 2 : 1);
    int exponent = (1 << format->exponent_bits) - (format->specials == SPECIALS_IEEE ? 2 : 1);
    return ldexp(ones, exponent - format->bias - format->mantissa_bits);
}

jg_status jg_dtype_float_limits(jg_dtype dtype, jg_float_limits *out)
{
    jg_dtype part = (unsigned)dtype < JG_DTYPE_COUNT ? dtype_real_part(dtype) : JG_DTYPE_OPAQUE;
    const float_format *format = &float_formats[part];
    if (format->exponent_bits == 0)
        return base_fail(JG_ERR_TYPE, "dtype: got %s, allowed are floats and complex numbers",
                         jg_dtype_name(dtype));
    out->dtype = part;
    out->largest = largest_value(format);
    /* The distance from 1 to the next number, as in C's <float.h> and NumPy's finfo. */
    out->epsilon = ldexp(1, -format->mantissa_bits);
    out->smallest_normal = ldexp(1, 1 - format->bias);
    out->smallest_subnormal = ldexp(1, 1 - format->bias - format->mantissa_bits);
    return JG_OK;
}
