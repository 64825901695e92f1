/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest decimal that reads back as the same element of its dtype. Python's own repr finds it
 * for doubles; for the narrow dtypes, whose values are handed around as doubles, it would print
 * digits that they do not have. */
#include "array/float_text.h"
#include <math.h>

/* The significant bits and the smallest normal exponent of the float dtypes that ops compute in and
 * of their complex kin. false for others, such as FP8, whose values are printed in full. */
static bool precision_of(jg_dtype dtype, int *bits, int *lowest)
{
    jg_float_limits limits;
    if (jg_dtype_bits(dtype) < 16 || jg_dtype_float_limits(dtype, &limits) != JG_OK)
        return false;
    *bits = 1 - ilogb(limits.epsilon);
    *lowest = ilogb(limits.smallest_normal);
    return true;
}

/* Whether `near` is rounded to value, with the halves going to even values. value: one of the
 * dtype's own, so that the distance to its neighbours is known. near lies on the same side of
 * zero. */
static bool rounds_to(double near, double value, int bits, int lowest)
{
    if (near == value)
        return true;
    /* Doubles are compared as such: PyOS_string_to_double has rounded already. */
    if (bits == 53)
        return false;
    int exponent;
    double mantissa = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    /* The power of two of the last bit; subnormal values share that of the smallest normal one. */
    int unit = (exponent - 1 > lowest ? exponent - 1 : lowest) - (bits - 1);
    double half = ldexp(0.5, unit), distance = fabs(near) - fabs(value);
    if (distance < 0 && mantissa == 0.5 && exponent - 1 > lowest)
        half *= 0.5; /* below a power of two the steps are half as long */
    if (fabs(distance) != half)
        return fabs(distance) < half;
    return fmod(ldexp(fabs(value), -unit), 2.0) == 0.0;
}

/* The decimal with that many digits that is nearest to value. */
static double nearest_decimal(double value, int digits)
{
    char *text = PyOS_double_to_string(value, 'e', digits - 1, 0, NULL);
    double near = text ? PyOS_string_to_double(text, NULL, NULL) : value;
    PyMem_Free(text);
    return near;
}

/* The next decimal with that many digits that is further from zero. */
static double next_decimal(double decimal, int digits)
{
    int exponent = (int)floor(log10(fabs(decimal)));
    return nearest_decimal(decimal + copysign(pow(10, exponent - digits + 1), decimal), digits);
}

/* 17 digits tell any double from any other, so nothing needs more. Below a power of two the steps
 * are half as long as above it: the nearest decimal may belong to the element below, and the next
 * one to value. Of doubles that one is value itself, as they are all that is looked at. */
int py_shortest_digits(double value, jg_dtype dtype, double *near)
{
    int bits, lowest;
    *near = value;
    if (!precision_of(dtype, &bits, &lowest))
        return 17;
    for (int digits = 1; digits < 17 && isfinite(value); ++digits) {
        double decimal = nearest_decimal(value, digits);
        if (rounds_to(decimal, value, bits, lowest))
            return digits;
        if (bits == 53 || fabs(decimal) >= fabs(value) || decimal == 0)
            continue;
        decimal = next_decimal(decimal, digits);
        if (!rounds_to(decimal, value, bits, lowest))
            continue;
        *near = decimal;
        return digits;
    }
    return 17;
}

void py_print_double(double value, char code, int precision, int flags,
                     char out[PY_FLOAT_TEXT_SIZE])
{
    char *text = PyOS_double_to_string(value, code, precision, flags, NULL);
    snprintf(out, PY_FLOAT_TEXT_SIZE, "%s", text ? text : "0.e+00");
    PyMem_Free(text);
}

double py_exponent_limit(jg_dtype dtype, double wide)
{
    int bits, lowest;
    if (!precision_of(dtype, &bits, &lowest) || bits == 53)
        return wide;
    return pow(10, floor((bits - 1) * log10(2))); /* the digits that are kept for sure: FLT_DIG */
}

/* Below the limit all whole numbers of the dtype are exact. */
void py_float_text(double value, jg_dtype dtype, bool whole, char out[PY_FLOAT_TEXT_SIZE])
{
    double size = fabs(value), near;
    int digits = py_shortest_digits(value, dtype, &near);
    if (!isfinite(value)) {
        snprintf(out, PY_FLOAT_TEXT_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    if (digits > 15) { /* a double, whose shortest text need not be the nearest of its length */
        py_print_double(value, 'r', 0, whole ? Py_DTSF_ADD_DOT_0 : 0, out);
        return;
    }
    py_print_double(near, 'e', digits - 1, 0, out);
    if (size != 0 && (size < 1e-4 || size >= py_exponent_limit(dtype, 1e16)))
        return;
    int behind = digits - 1 - atoi(strchr(out, 'e') + 1);
    py_print_double(near, 'f', behind > 0 ? behind : whole, 0, out);
}

void py_complex_text(double real, double imaginary, jg_dtype dtype, char *out)
{
    char first[PY_FLOAT_TEXT_SIZE], second[PY_FLOAT_TEXT_SIZE];
    py_float_text(real, dtype, false, first);
    py_float_text(imaginary, dtype, false, second);
    const char *sign = second[0] == '-' ? "" : "+";
    if (real == 0 && !signbit(real))
        snprintf(out, PY_FLOAT_TEXT_SIZE, "%.390sj", second);
    else
        snprintf(out, 2 * PY_FLOAT_TEXT_SIZE, "(%.390s%s%.390sj)", first, sign, second);
}
