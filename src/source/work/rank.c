/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as numbers without sign of the same order, as the host's sorting has them
 * (routine/sort/rank_loops.c): zeros are equal, NaN come last, and complex numbers are ordered by
 * their real parts and then by their imaginary ones. Where one number of 64 bits does not suffice,
 * there are two. */
#include "source/draft.h"
#include <inttypes.h>

source_rank source_rank_of(jg_dtype dtype)
{
    int bits = dtype_rows[dtype].bits;
    return bits == 128 ? KEY_DOUBLE : bits == 64 ? KEY_WIDE : KEY_NARROW;
}

bool source_rank_is_taken(jg_dtype dtype, device_refusal *refusal)
{
    return (dtype_rows[dtype].computable && source_value_type(dtype) != NULL) ||
           source_refuse(refusal, -1, "the order of %s cannot be printed", dtype_rows[dtype].name);
}

/* The integer that holds the bits of a float, or of a part of a complex number. */
static const char *signed_type(jg_dtype part)
{
    return dtype_rows[part].bits == 64 ? "int64_t" : "int32_t";
}

/* The bits of the largest magnitude. */
static uint64_t highest_of(jg_dtype part)
{
    return UINT64_MAX >> (65 - dtype_rows[part].bits);
}

/* The rank of the bits of a float, as signed(bits), in as many bits. Infinity has only ones in its
 * exponent; larger bits are NaN. */
static void print_float(source_draft *d, jg_dtype part)
{
    const char *type = signed_type(part);
    uint64_t high = highest_of(part);
    uint64_t infinity = high & UINT64_MAX << (dtype_significand_bits(part) - 1);
    source_write_open(d, "FUNCTION %s signed_%d(%s bits)", type, d->number, type);
    source_write_line(d, "const %s magnitude = bits & (%s)0x%" PRIx64 ";", type, type, high);
    source_write_line(d,
                      "return magnitude > (%s)0x%" PRIx64 " ? (%s)0x%" PRIx64
                      " : bits < 0 ? -magnitude : magnitude;",
                      type, infinity, type, high);
    source_write_close(d);
}

/* Numbers with a NaN come last: those whose real part is none, by that; those whose imaginary part
 * is none; the others. minor: the second part of the order */
static void print_parts(source_draft *d, jg_dtype part)
{
    const char *type = signed_type(part);
    uint64_t most = highest_of(part);
    int number = d->number;
    source_write_open(d, "FUNCTION %s major_%d(%s re, %s im)", type, number, type, type);
    source_write_line(d, "const %s most = (%s)0x%" PRIx64 ";", type, type, most);
    source_write_line(d, "return re == most ? most - (im == most ? 0 : 1) : im == most ? most - 2 "
                         ": re;");
    source_write_close(d);
    source_write_open(d, "FUNCTION %s minor_%d(%s re, %s im)", type, number, type, type);
    source_write_line(d, "const %s most = (%s)0x%" PRIx64 ";", type, type, most);
    source_write_line(d, "return im != most ? im : re == most ? 0 : re;");
    source_write_close(d);
}

/* The integer type of an element's bits, signed if the dtype is; for dtypes whose rank is one
 * integer. */
static const char *bits_of(jg_dtype dtype)
{
    static const char *const bits[] = {
        [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t"};
    bool is_unsigned = dtype == JG_DTYPE_BOOL || jg_dtype_kind_of(dtype) == JG_KIND_UINT;
    return is_unsigned                   ? source_value_type(dtype)
           : dtype == JG_DTYPE_COMPLEX64 ? "uint64_t"
                                         : bits[dtype_itemsize(dtype)];
}

static void print_narrow(source_draft *d, jg_dtype dtype)
{
    if (dtype == JG_DTYPE_BOOL || jg_dtype_kind_of(dtype) == JG_KIND_UINT)
        source_write_line(d, "return (uint32_t)x;");
    else if (dtype_is_floating(dtype))
        source_write_line(d, "return (uint32_t)signed_%d(x) ^ 0x80000000u;", d->number);
    else
        source_write_line(d, "return (uint32_t)(int32_t)x ^ 0x80000000u;");
}

static void print_wide(source_draft *d, jg_dtype dtype)
{
    int number = d->number;
    if (dtype == JG_DTYPE_UINT64) {
        source_write_line(d, "return x;");
    } else if (dtype == JG_DTYPE_COMPLEX64) {
        source_write_line(d, "const int32_t re = signed_%d((int32_t)(uint32_t)x);", number);
        source_write_line(d, "const int32_t im = signed_%d((int32_t)(uint32_t)(x >> 32));", number);
        source_write_line(d,
                          "return (uint64_t)((uint32_t)major_%d(re, im) ^ 0x80000000u) << 32 | "
                          "((uint32_t)minor_%d(re, im) ^ 0x80000000u);",
                          number, number);
    } else if (dtype == JG_DTYPE_FLOAT64) {
        source_write_line(d, "return (uint64_t)signed_%d(x) ^ (uint64_t)1 << 63;", number);
    } else {
        source_write_line(d, "return (uint64_t)x ^ (uint64_t)1 << 63;");
    }
}

static void print_double(source_draft *d)
{
    int number = d->number;
    source_write_line(d, "const int64_t re = signed_%d(AT(const int64_t, at));", number);
    source_write_line(d, "const int64_t im = signed_%d(AT(const int64_t, at + 8));", number);
    source_write_line(d, "rank_%d made;", number);
    source_write_line(d, "made.major = (uint64_t)major_%d(re, im) ^ (uint64_t)1 << 63;", number);
    source_write_line(d, "made.minor = (uint64_t)minor_%d(re, im) ^ (uint64_t)1 << 63;", number);
    source_write_line(d, "return made;");
}

static void print_of_bits(source_draft *d, jg_dtype dtype)
{
    int number = d->number;
    source_write_line(d, "typedef %s bits_%d;", bits_of(dtype), number);
    source_write_open(d, "FUNCTION rank_%d rank_of_bits_%d(bits_%d x)", number, number, number);
    if (source_rank_of(dtype) == KEY_NARROW)
        print_narrow(d, dtype);
    else
        print_wide(d, dtype);
    source_write_close(d);
    source_write_line(d,
                      "FUNCTION rank_%d rank_of_%d(MEMORY const uint8_t *at) { return "
                      "rank_of_bits_%d(AT(const bits_%d, at)); }",
                      number, number, number, number);
}

static void print_comparison(source_draft *d, source_rank rank)
{
    source_write_open(d, "FUNCTION int is_less_%d(rank_%d x, rank_%d y)", d->number, d->number,
                      d->number);
    source_write_line(d, rank == KEY_DOUBLE ? "return x.major < y.major || (x.major == y.major && "
                                              "x.minor < y.minor);"
                                            : "return x < y;");
    source_write_close(d);
}

void source_rank_print(source_draft *d, jg_dtype dtype)
{
    const source_rank rank = source_rank_of(dtype);
    const jg_dtype part = dtype_real_part(dtype);
    if (rank == KEY_DOUBLE)
        source_write_line(d, "typedef struct { uint64_t major, minor; } rank_%d;", d->number);
    else
        source_write_line(d, "typedef uint%d_t rank_%d;", rank == KEY_WIDE ? 64 : 32, d->number);
    if (dtype_is_floating(part))
        print_float(d, part);
    if (dtype_is_complex(dtype))
        print_parts(d, part);
    if (rank == KEY_DOUBLE) {
        source_write_open(d, "FUNCTION rank_%d rank_of_%d(MEMORY const uint8_t *at)", d->number,
                          d->number);
        print_double(d);
        source_write_close(d);
    } else {
        print_of_bits(d, dtype);
    }
    print_comparison(d, rank);
}
