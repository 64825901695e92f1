/* SPDX-License-Identifier: Apache-2.0 */
/* float_text: how many decimal digits a float needs, and how the floats of an array stand below
 * each other; for repr.c and print_options.c. */
#ifndef JG_PY_FLOAT_TEXT_H
#define JG_PY_FLOAT_TEXT_H

#include "base/core.h"

/* How arrays are printed. */
typedef struct py_print_options {
    int precision; /* digits behind the point, at most */
    int threshold; /* of more elements `edge` at each end of each axis are shown */
    int edge, line_width;
} py_print_options;

/* The options of the innermost block of printoptions that the caller runs in, or else those of the
 * process (print_options.c).
 * gives: 0 or -1 */
int py_print_options_now(py_print_options *out);

/* The number of significant digits of the shortest decimal that reads back as value in dtype.
 * gives: near, the number to write with that many digits, which is nearly always value */
int py_shortest_digits(double value, jg_dtype dtype, double *near);

/* Memory for the longest text of one float: a double has up to 309 digits before the point, and 32
 * are the most that can be asked for behind it. */
enum { PY_FLOAT_TEXT_SIZE = 400 };

/* Like snprintf, but without the locale. flags: Py_DTSF_. A failure stays pending as an exception,
 * for the caller of all that is below to look at, and the text is a zero with a point and an
 * exponent. */
void py_print_double(double value, char code, int precision, int flags,
                     char out[PY_FLOAT_TEXT_SIZE]);

/* The size from which on NumPy writes an exponent: the power of ten of the dtype's decimal digits;
 * wide: that for dtypes of 64 bits a part. */
double py_exponent_limit(jg_dtype dtype, double wide);

/* A number by itself, as NumPy's str gives it: 1.0, 1e-05, nan. whole: 1.0 and not 1. */
void py_float_text(double value, jg_dtype dtype, bool whole, char out[PY_FLOAT_TEXT_SIZE]);

/* (1+2j), or 2j where the real part is 0. out: two times that memory */
void py_complex_text(double real, double imaginary, jg_dtype dtype, char *out);

/* How the floats of one array are laid out, as NumPy does it: all with the same width, in
 * scientific notation if their sizes differ much. */
typedef struct py_float_format {
    jg_dtype dtype;
    int precision;         /* digits behind the point, at most */
    bool scientific, plus; /* plus: a sign before all, for imaginary parts */
    int left, right;       /* characters before and behind the point */
    int exponent_digits;
} py_float_format;

/* The format for count values, of which value(context, i) is one. format: its dtype, precision and
 * plus are set. */
void py_float_format_init(py_float_format *format, int64_t count,
                          double (*value)(const void *context, int64_t at), const void *context);

/* Writes one value. unit is the text right after its last digit ("" or "j"). */
void py_float_format_write(const py_float_format *format, double value, const char *unit,
                           char out[PY_FLOAT_TEXT_SIZE]);

#endif
