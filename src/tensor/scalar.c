/* SPDX-License-Identifier: Apache-2.0 */
/* One element as bytes, to and from the union that holds constants and arguments.
 *
 * A value is brought to the kind of the dtype first (an integer becomes a double for a float
 * dtype), then narrowed to its width. Nothing here is undefined: integers wrap, doubles beyond an
 * integer dtype saturate, NaN becomes 0. Only computable dtypes have a way in and out. */
#include "tensor/tensor.h"
#include <assert.h>
#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes of an integer come first");

/* The bool kind has its value in i64, as the integers. */
double scalar_real(jg_scalar value, jg_dtype_kind kind)
{
    switch (kind) {
    case JG_KIND_FLOAT: return value.f64;
    case JG_KIND_COMPLEX: return value.complex_parts[0];
    case JG_KIND_UINT: return (double)value.u64;
    default: return (double)value.i64;
    }
}

/* The same on the way to a float of as many bits. For one narrower than a double, integers that a
 * double cannot hold are not rounded but cut, with an odd last bit if anything was lost: they are
 * rounded once more (see round_to_odd). 42 bits are left at least. */
static double real_for(jg_scalar value, jg_dtype_kind kind, int bits)
{
    if (bits == 64 || kind == JG_KIND_FLOAT || kind == JG_KIND_COMPLEX)
        return scalar_real(value, kind);
    bool negative = kind != JG_KIND_UINT && value.i64 < 0;
    uint64_t size = negative ? 0 - value.u64 : value.u64, rest = size & 0x7ff;
    if (size >> 53 != 0)
        size = (size - rest) | (uint64_t)(rest != 0) << 11;
    return negative ? -(double)size : (double)size;
}

static bool truth_of(jg_scalar value, jg_dtype_kind kind)
{
    if (kind == JG_KIND_FLOAT)
        return value.f64 != 0;
    if (kind == JG_KIND_COMPLEX)
        return value.complex_parts[0] != 0 || value.complex_parts[1] != 0;
    return value.u64 != 0;
}

/* Truncated towards zero and clipped to what the width holds, as two's complement. */
static uint64_t signed_of(double value, int bits)
{
    double limit = ldexp(1, bits - 1);
    if (isnan(value))
        return 0;
    if (value >= limit)
        return UINT64_MAX >> (65 - bits);
    return value <= -limit ? UINT64_MAX << (bits - 1) : (uint64_t)(int64_t)value;
}

static uint64_t unsigned_of(double value, int bits)
{
    if (!(value > 0))
        return 0;
    return value >= ldexp(1, bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)value;
}

static uint64_t integer_of(jg_scalar value, jg_dtype_kind kind, const dtype_row *row)
{
    if (kind != JG_KIND_FLOAT && kind != JG_KIND_COMPLEX)
        return value.u64;
    double real = scalar_real(value, kind);
    return row->kind == JG_KIND_INT ? signed_of(real, row->bits) : unsigned_of(real, row->bits);
}

/* The float that further rounding treats as it would treat value: what is cut off survives as an
 * odd last bit (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
 * Rounding to nearest twice would not do: 1 + 2^-11 + 2^-40 must not become a tie on the way to
 * float16. */
static float round_to_odd(double value)
{
    float rounded = (float)value;
    uint32_t bits;
    if (isnan(value) || (double)rounded == value)
        return rounded;
    memcpy(&bits, &rounded, sizeof bits);
    /* Subtracting 1 from the bits gives the next float towards zero: truncation, whichever way it
     * was rounded. From infinity it gives the largest float. */
    bits -= fabs((double)rounded) > fabs(value);
    bits |= 1;
    memcpy(&rounded, &bits, sizeof bits);
    return rounded;
}

/* bits: of the dtype, 16, 32 or 64; bfloat tells the two of 16 bits apart. float32 rounds once, and
 * the narrower two once as well, by way of round_to_odd. */
static void store_float(double value, bool bfloat, int bits, void *out)
{
    float single = (float)value;
    uint16_t half;
    if (bits == 16) {
        single = round_to_odd(value);
        half = bfloat ? float_to_bfloat(single) : float_to_half(single);
        memcpy(out, &half, sizeof half);
    } else if (bits == 32) {
        memcpy(out, &single, sizeof single);
    } else {
        memcpy(out, &value, sizeof value);
    }
}

static double load_float(const void *element, bool bfloat, int bits)
{
    double value;
    float single;
    uint16_t half;
    if (bits == 16) {
        memcpy(&half, element, sizeof half);
        return bfloat ? (double)float_from_bfloat(half) : (double)float_from_half(half);
    }
    if (bits == 32) {
        memcpy(&single, element, sizeof single);
        return (double)single;
    }
    memcpy(&value, element, sizeof value);
    return value;
}

static void store_complex(jg_scalar value, jg_dtype_kind kind, int bits, char *out)
{
    double imaginary = kind == JG_KIND_COMPLEX ? value.complex_parts[1] : 0;
    store_float(real_for(value, kind, bits / 2), false, bits / 2, out);
    store_float(imaginary, false, bits / 2, out + bits / 16);
}

void scalar_store(jg_scalar value, jg_dtype_kind kind, jg_dtype dtype, void *out)
{
    const dtype_row *row = &dtype_rows[dtype];
    assert(row->computable);
    uint64_t integer;
    switch ((jg_dtype_kind)row->kind) {
    case JG_KIND_BOOL: *(uint8_t *)out = truth_of(value, kind); break;
    case JG_KIND_FLOAT:
        store_float(real_for(value, kind, row->bits), dtype == JG_DTYPE_BFLOAT16, row->bits, out);
        break;
    case JG_KIND_COMPLEX: store_complex(value, kind, row->bits, out); break;
    default: integer = integer_of(value, kind, row); memcpy(out, &integer, row->bits / 8u);
    }
}

static bool integer_fits(bool negative, uint64_t magnitude, const dtype_row *row)
{
    if (row->kind == JG_KIND_UINT)
        return !negative && magnitude <= UINT64_MAX >> (64 - row->bits);
    return magnitude <= (UINT64_C(1) << (row->bits - 1)) - !negative;
}

static bool float_fits(double value, const dtype_row *row)
{
    bool is_signed = row->kind == JG_KIND_INT;
    double limit = ldexp(1, row->bits - is_signed), whole = trunc(value);
    return whole < limit && whole >= (is_signed ? -limit : 0.0); /* a NaN is neither */
}

bool scalar_fits(jg_scalar value, jg_dtype_kind kind, jg_dtype dtype)
{
    if (!dtype_is_integer(dtype))
        return true;
    if (kind == JG_KIND_FLOAT)
        return float_fits(value.f64, &dtype_rows[dtype]);
    bool negative = kind != JG_KIND_UINT && value.i64 < 0;
    return integer_fits(negative, negative ? 0 - value.u64 : value.u64, &dtype_rows[dtype]);
}

/* The integer's low bytes with its sign spread over the rest, if it has one. */
static uint64_t load_integer(const void *element, const dtype_row *row)
{
    uint64_t value = 0;
    unsigned unused = 64u - row->bits;
    memcpy(&value, element, row->bits / 8u);
    if (row->kind == JG_KIND_INT)
        return (uint64_t)((int64_t)(value << unused) >> unused);
    return value;
}

jg_dtype_kind scalar_load(const void *element, jg_dtype dtype, jg_scalar *out)
{
    const dtype_row *row = &dtype_rows[dtype];
    assert(row->computable);
    /* Sets all of the union, as callers may copy more than the member that the kind names. */
    memset(out, 0, sizeof *out);
    switch ((jg_dtype_kind)row->kind) {
    case JG_KIND_BOOL: out->i64 = *(const uint8_t *)element != 0; break;
    case JG_KIND_FLOAT:
        out->f64 = load_float(element, dtype == JG_DTYPE_BFLOAT16, row->bits);
        break;
    case JG_KIND_COMPLEX:
        out->complex_parts[0] = load_float(element, false, row->bits / 2);
        out->complex_parts[1] =
            load_float((const char *)element + row->bits / 16, false, row->bits / 2);
        break;
    default: out->u64 = load_integer(element, row);
    }
    return (jg_dtype_kind)row->kind;
}

jg_scalar scalar_of_number(const jg_number *number)
{
    jg_scalar value = {{0, 0}};
    switch (number->kind) {
    case JG_KIND_UINT: value.u64 = number->u64; break;
    case JG_KIND_FLOAT: value.f64 = number->re; break;
    case JG_KIND_COMPLEX:
        value.complex_parts[0] = number->re;
        value.complex_parts[1] = number->im;
        break;
    default: value.i64 = number->i64;
    }
    return value;
}

jg_number scalar_number(const void *element, jg_dtype dtype)
{
    jg_scalar value;
    jg_number out = {.kind = scalar_load(element, dtype, &value)};
    out.i64 = value.i64;
    out.u64 = value.u64;
    if (out.kind == JG_KIND_FLOAT)
        out.re = value.f64;
    if (out.kind == JG_KIND_COMPLEX) {
        out.re = value.complex_parts[0];
        out.im = value.complex_parts[1];
    }
    return out;
}
