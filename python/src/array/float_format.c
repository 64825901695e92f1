/* SPDX-License-Identifier: Apache-2.0 */
/* Floats in columns, after NumPy's FloatingFormat with its option "maxprec"
 * (numpy/_core/arrayprint.py): the numbers of an array get as many columns behind the point as the
 * one that needs most, and are in scientific notation if their sizes differ too much. That they
 * read as NumPy's do is tested against NumPy. */
#include "array/float_text.h"
#include <math.h>

/* With a point always, which those below look for. */
static void print_double(double value, char code, int precision, char out[PY_FLOAT_TEXT_SIZE])
{
    py_print_double(value, code, precision, Py_DTSF_ALT, out);
}

/* The power of ten of the first digit when value is written with that many digits. */
static int decimal_exponent(double value, int digits)
{
    char text[PY_FLOAT_TEXT_SIZE];
    print_double(value, 'e', digits - 1, text);
    return atoi(strchr(text, 'e') + 1);
}

/* The zeros behind the point, which stays, and so ends the search. text: not empty. */
static void trim_zeros(char *text)
{
    char *end = text + strlen(text);
    while (end[-1] == '0')
        --end;
    *end = '\0';
}

/* Prints as many digits after the point as the value needs, at most the format's precision; "1."
 * keeps its point. value: finite. */
static void print_positional(const py_float_format *format, double value, char *out)
{
    double near;
    int digits = py_shortest_digits(value, format->dtype, &near);
    int needed = digits - 1 - decimal_exponent(near, digits);
    if (needed >= 0 || value == 0.0) {
        bool cut = needed > format->precision;
        print_double(cut ? value : near, 'f',
                     cut          ? format->precision
                     : needed < 0 ? 0
                                  : needed,
                     out);
        trim_zeros(out);
        return;
    }
    /* More digits before the point than the value has: the rest are zeros. */
    char text[PY_FLOAT_TEXT_SIZE];
    print_double(near, 'e', digits - 1, text);
    char *to = out;
    for (const char *from = text; *from != 'e'; ++from)
        if (*from != '.')
            *to++ = *from;
    for (int i = 0; i > needed; --i)
        *to++ = '0';
    *to++ = '.';
    *to = '\0';
}

/* "-1.25e+10" in its parts: "-1.25", '+', 10. */
typedef struct scientific {
    char mantissa[PY_FLOAT_TEXT_SIZE];
    char sign;
    int exponent;
} scientific;

/* text: what print_double wrote with code 'e'. */
static void split(const char *text, scientific *out)
{
    const char *e = strchr(text, 'e');
    snprintf(out->mantissa, sizeof out->mantissa, "%.*s", (int)(e - text), text);
    out->sign = e[1];
    out->exponent = abs(atoi(e + 1));
}

/* With as many digits as the value needs, at most the format's precision after the point. */
static void print_shortest_scientific(const py_float_format *format, double value, scientific *out)
{
    char text[PY_FLOAT_TEXT_SIZE];
    double near;
    int behind = py_shortest_digits(value, format->dtype, &near) - 1;
    bool cut = behind > format->precision;
    print_double(cut ? value : near, 'e', cut ? format->precision : behind, text);
    split(text, out);
    trim_zeros(out->mantissa);
}

static int digits_of(int number)
{
    int digits = 1;
    while (number >= 10) {
        number /= 10;
        ++digits;
    }
    return digits;
}

/* A column is as wide as the widest number in it. */
static void grow(int *width, size_t length)
{
    if (*width < (int)length)
        *width = (int)length;
}

/* Widens the columns for one finite value: before and behind the point apart, as points stand below
 * each other. */
static void measure(py_float_format *format, double value)
{
    char text[PY_FLOAT_TEXT_SIZE];
    scientific parts;
    if (format->scientific) {
        print_shortest_scientific(format, value, &parts);
        snprintf(text, sizeof text, "%s", parts.mantissa);
        int exponent = digits_of(parts.exponent);
        grow(&format->exponent_digits, exponent < 2 ? 2 : (size_t)exponent);
    } else {
        print_positional(format, value, text);
    }
    const char *point = strchr(text, '.');
    size_t sign = format->plus && !signbit(value) ? 1 : 0;
    grow(&format->left, (size_t)(point - text) + sign);
    grow(&format->right, strlen(point + 1));
}

/* Whether sizes call for scientific notation: NumPy's rule. low, high: the smallest and the largest
 * size that is not zero; high is 0 if there is none. The bounds are those of the dtype: the power
 * of ten of its decimal digits, at most eight, and 0.0001 as it rounds. */
static bool wants_scientific(double low, double high, jg_dtype dtype)
{
    double limit = py_exponent_limit(dtype, 1e8), tiny = 0.0001;
    if (dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64)
        tiny = 0.0001f;
    else if (dtype == JG_DTYPE_FLOAT16 || dtype == JG_DTYPE_COMPLEX32)
        tiny = 0x1.a38p-14;
    else if (dtype == JG_DTYPE_BFLOAT16)
        tiny = 0x1.a4p-14;
    return high > 0 && (high >= limit || low < tiny || high / low > 1000.0);
}

void py_float_format_init(py_float_format *format, int64_t count,
                          double (*value)(const void *context, int64_t at), const void *context)
{
    double low = INFINITY, high = 0;
    /* First the sizes, as they decide the notation; then, in that notation, the widths. */
    bool has_nan = false, has_plus_inf = false, has_minus_inf = false;
    for (int64_t i = 0; i < count; ++i) {
        double x = value(context, i), size = fabs(x);
        has_nan = has_nan || isnan(x);
        has_plus_inf = has_plus_inf || (isinf(x) && x > 0);
        has_minus_inf = has_minus_inf || (isinf(x) && x < 0);
        if (isfinite(x) && size > 0) {
            low = size < low ? size : low;
            high = size > high ? size : high;
        }
    }
    format->scientific = wants_scientific(low, high, format->dtype);
    for (int64_t i = 0; i < count; ++i)
        if (isfinite(value(context, i)))
            measure(format, value(context, i));
    /* nan and inf are as wide as a whole number with its point and exponent. */
    int behind = format->scientific ? format->exponent_digits + 2 + format->right : format->right;
    if (has_nan || has_plus_inf || has_minus_inf) {
        int signs = format->plus || has_minus_inf ? 1 : 0;
        grow(&format->left, (size_t)(3 > behind + 1 ? 3 - behind - 1 : 0));
        grow(&format->left, (size_t)(3 + signs > behind + 1 ? 3 + signs - behind - 1 : 0));
    }
}

/* nan or inf, to the right of the column. A nan has no sign, but the plus that an imaginary part
 * has. */
static void write_special(const py_float_format *format, double value, const char *unit, char *out)
{
    int behind = format->scientific ? format->exponent_digits + 2 + format->right : format->right;
    const char *sign = isnan(value) ? (format->plus ? "+" : "")
                                    : (value < 0      ? "-"
                                       : format->plus ? "+"
                                                      : "");
    char text[8];
    snprintf(text, sizeof text, "%s%s", sign, isnan(value) ? "nan" : "inf");
    snprintf(out, PY_FLOAT_TEXT_SIZE, "%*s%s", format->left + behind + 1, text, unit);
}

void py_float_format_write(const py_float_format *format, double value, const char *unit,
                           char out[PY_FLOAT_TEXT_SIZE])
{
    char text[PY_FLOAT_TEXT_SIZE], tail[16] = "";
    if (!isfinite(value)) {
        write_special(format, value, unit, out);
        return;
    }
    const char *sign = format->plus && !signbit(value) ? "+" : "";
    if (!format->scientific) {
        print_positional(format, value, text);
    } else {
        scientific parts;
        double near;
        bool whole = py_shortest_digits(value, format->dtype, &near) - 1 <= format->right;
        print_double(whole ? near : value, 'e', format->right, text);
        split(text, &parts);
        snprintf(text, sizeof text, "%s", parts.mantissa);
        snprintf(tail, sizeof tail, "e%c%0*d", parts.sign, format->exponent_digits, parts.exponent);
    }
    const char *point = strchr(text, '.');
    /* Blanks to the left bring the point to its column, those to the right stand for zeros that
     * were not printed. The unit is in between: it belongs to the digits. */
    int before = (int)(point - text) + (int)strlen(sign), behind = (int)strlen(point + 1);
    int left = format->left > before ? format->left - before : 0;
    int right = format->right > behind && !format->scientific ? format->right - behind : 0;
    snprintf(out, PY_FLOAT_TEXT_SIZE, "%*s%s%.340s%s%s%*s", left, "", sign, text, tail, unit, right,
             "");
}
