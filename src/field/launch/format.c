/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a kernel's messages as text, in the formats that Python's format() knows for
 * numbers: alignment, sign, zeros, width, precision and type. Anything else in a format is
 * ignored. */
#include "field/kernel.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WIDTH = 200 }; /* of width and precision, so that a number fits a block on the stack */

typedef struct number_format {
    char flags[4];        /* as printf's: at most "-", a sign and "0" */
    int width, precision; /* precision -1: none given */
    char type;            /* 0: the value's own */
} number_format;

/* Reads all digits, however large the number is; no digits are 0. */
static int read_number(const char **at, const char *end)
{
    int number = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
        number = number < MAX_WIDTH ? 10 * number + (**at - '0') : number;
    return int_min(number, MAX_WIDTH);
}

/* Numbers are aligned right, as in C. */
static number_format read_format(const kernel_piece *piece)
{
    number_format format = {.precision = -1};
    const char *at = piece->text, *end = at + piece->length;
    char *flag = format.flags;
    if (at < end && (*at == '<' || *at == '>'))
        *at++ == '<' ? (void)(*flag++ = '-') : (void)0;
    if (at < end && (*at == '+' || *at == ' '))
        *flag++ = *at++;
    if (at < end && *at == '0')
        *flag++ = *at++;
    format.width = read_number(&at, end);
    if (at < end && *at == '.') {
        at += 1;
        format.precision = read_number(&at, end);
    }
    if (at < end)
        format.type = *at;
    return format;
}

/* The text is made by printf with a composed pattern: '*' takes the width and the precision, which
 * is 6 if none is given, as in Python. printf also decides about zeros before a NaN or an
 * infinity. */
static void format_float(double value, const number_format *format, base_text *out)
{
    char text[MAX_WIDTH + 400], pattern[16]; /* 309 digits, a point and the precision at most */
    char type = format->type != 0 && strchr("eEfFgG", format->type) != NULL ? format->type : 'g';
    snprintf(pattern, sizeof pattern, "%%%s*.*%c", format->flags, type);
    snprintf(text, sizeof text, pattern, format->width,
             format->precision >= 0 ? format->precision : 6, value);
    text_add(out, "%s", text);
}

/* The precision is the least number of digits, as in C. Negative numbers in base 8 and 16 are
 * printed by their bits. */
static void format_integer(jg_scalar value, bool is_signed, const number_format *format,
                           base_text *out)
{
    char text[2 * MAX_WIDTH + 32], pattern[24];
    bool hex = format->type == 'x' || format->type == 'X' || format->type == 'o';
    const char *type = !hex                  ? is_signed ? PRId64 : PRIu64
                       : format->type == 'x' ? PRIx64
                       : format->type == 'X' ? PRIX64
                                             : PRIo64;
    snprintf(pattern, sizeof pattern, "%%%s*.*%s", format->flags, type);
    snprintf(text, sizeof text, pattern, format->width, format->precision, value.i64);
    text_add(out, "%s", text);
}

/* Without a format, floats have the digits that they keep for sure, FLT_DIG and DBL_DIG of
 * <float.h>, and integers and bools are as a kernel's text prints them. A float's type prints
 * integers as floats, as in Python. */
void field_format_value(jg_dtype type, uint64_t bits, const kernel_piece *piece, base_text *out)
{
    jg_scalar value;
    number_format format = read_format(piece);
    jg_dtype_kind kind = scalar_load(&bits, type, &value);
    bool real = format.type != 0 && strchr("eEfFgG", format.type) != NULL;
    if (piece->length == 0 && dtype_is_floating(type))
        format.precision = type == JG_DTYPE_FLOAT64 ? 15 : 6;
    if (kind == JG_KIND_FLOAT)
        format_float(value.f64, &format, out);
    else if (piece->length == 0)
        kernel_print_bits(type, bits, out);
    else if (real)
        format_float(scalar_real(value, kind), &format, out);
    else
        format_integer(value, kind == JG_KIND_INT, &format, out);
}
