/* SPDX-License-Identifier: Apache-2.0 */
/* repr(x) and str(x), laid out as NumPy does it: array([1., 2., 3.], dtype=float32) and [1. 2. 3.].
 *
 * Elements are read in place, and only those that are shown: of more than `threshold` elements that
 * is `edge` at each end of each axis. A first walk collects them, the format is chosen to fit them
 * all, and a second walk writes them. */
#include "array/array.h"
#include "array/float_text.h"
#include "base/narrow.h"

#define PREFIX "array("

/* One printing of one array. The text's memory grows; once that fails, `failed` is set and what
 * follows is dropped. */
typedef struct printer {
    jg_view view;
    py_print_options options;
    bool summary, plain; /* plain: str, without commas and dtype */
    jg_number *shown;
    int64_t nshown, capacity, next;
    py_float_format real, imaginary;
    int width; /* of integers and bools */
    char *text;
    size_t length, text_capacity;
    size_t line; /* where the current line starts in the text */
    bool failed;
} printer;

static void append(printer *p, const char *bytes, size_t count)
{
    if (p->length + count + 1 > p->text_capacity) {
        size_t capacity = 2 * (p->length + count + 1);
        char *text = PyMem_Realloc(p->text, capacity);
        if (!text) {
            p->failed = true;
            return;
        }
        p->text = text;
        p->text_capacity = capacity;
    }
    memcpy(p->text + p->length, bytes, count);
    p->length += count;
}

static void append_text(printer *p, const char *text)
{
    append(p, text, strlen(text));
}

/* Blanks at the end of the line before are taken away: the separator leaves one. */
static void new_line(printer *p, int indent)
{
    while (p->length > 0 && p->text[p->length - 1] == ' ')
        --p->length;
    append_text(p, "\n");
    p->line = p->length;
    for (int i = 0; i < indent; ++i)
        append_text(p, " ");
}

/* Reads one element. offset: in elements, may be negative. raises: TypeError for opaque handles */
static int show(printer *p, int64_t offset)
{
    if (p->nshown == p->capacity) {
        int64_t capacity = p->capacity ? 2 * p->capacity : 64;
        jg_number *shown = PyMem_Realloc(p->shown, (size_t)capacity * sizeof *shown);
        if (!shown) {
            PyErr_NoMemory();
            return -1;
        }
        p->shown = shown;
        p->capacity = capacity;
    }
    const void *data = (const char *)p->view.data + p->view.byte_offset;
    return py_check(jg_number_load(p->view.dtype, data, offset, &p->shown[p->nshown++]));
}

/* Whether the middle of the axis is left out, for which "..." stands. */
static bool is_cut(const printer *p, int axis)
{
    return p->summary && p->view.shape[axis] > 2 * p->options.edge;
}

/* Both walks visit the same elements in the same order, as write_element takes the next one from
 * the list. */
static int collect(printer *p, int axis, int64_t offset)
{
    if (axis == p->view.ndim)
        return show(p, offset);
    int64_t extent = p->view.shape[axis];
    for (int64_t i = 0; i < extent; ++i) {
        if (is_cut(p, axis) && i == p->options.edge)
            i = extent - p->options.edge;
        if (collect(p, axis + 1, offset + i * p->view.strides[axis]) < 0)
            return -1;
    }
    return 0;
}

static double real_part(const void *context, int64_t at)
{
    return ((const jg_number *)context)[at].re;
}

static double imaginary_part(const void *context, int64_t at)
{
    return ((const jg_number *)context)[at].im;
}

static void write_integer(jg_number number, int width, char out[PY_FLOAT_TEXT_SIZE])
{
    if (number.kind == JG_KIND_UINT)
        snprintf(out, PY_FLOAT_TEXT_SIZE, "%*llu", width, (unsigned long long)number.u64);
    else
        snprintf(out, PY_FLOAT_TEXT_SIZE, "%*lld", width, (long long)number.i64);
}

/* Widths that fit all that is shown. A 0-d bool has no column to fill. */
static void choose_format(printer *p)
{
    jg_dtype dtype = p->view.dtype;
    int precision = p->options.precision;
    char text[PY_FLOAT_TEXT_SIZE];
    switch (jg_dtype_kind_of(dtype)) {
    case JG_KIND_BOOL: p->width = p->view.ndim > 0 ? 5 : 0; break;
    case JG_KIND_COMPLEX:
        p->real = (py_float_format){.dtype = dtype, .precision = precision};
        p->imaginary = (py_float_format){.dtype = dtype, .precision = precision, .plus = true};
        py_float_format_init(&p->imaginary, p->nshown, imaginary_part, p->shown);
        py_float_format_init(&p->real, p->nshown, real_part, p->shown);
        break;
    case JG_KIND_FLOAT:
        p->real = (py_float_format){.dtype = dtype, .precision = precision};
        py_float_format_init(&p->real, p->nshown, real_part, p->shown);
        break;
    default:
        for (int64_t i = 0; i < p->nshown; ++i) {
            write_integer(p->shown[i], 0, text);
            if ((int)strlen(text) > p->width)
                p->width = (int)strlen(text);
        }
    }
}

static void write_element(printer *p, char out[2 * PY_FLOAT_TEXT_SIZE])
{
    jg_number number = p->shown[p->next++];
    switch (number.kind) {
    case JG_KIND_BOOL:
        snprintf(out, PY_FLOAT_TEXT_SIZE, "%*s", p->width, number.i64 ? "True" : "False");
        break;
    case JG_KIND_FLOAT: py_float_format_write(&p->real, number.re, "", out); break;
    case JG_KIND_COMPLEX:
        py_float_format_write(&p->real, number.re, "", out);
        py_float_format_write(&p->imaginary, number.im, "j", out + strlen(out));
        break;
    default: write_integer(number, p->width, out);
    }
}

/* A word of the innermost axis, on a new line if this one is full; a word that is longer than a
 * line gets one for itself. width: of a line, less what closes it. */
static void write_word(printer *p, const char *word, int indent, int width)
{
    size_t column = p->length - p->line;
    if (column + strlen(word) > (size_t)width && column > (size_t)indent)
        new_line(p, indent);
    append_text(p, word);
}

/* The innermost axis, without its brackets. */
static void write_row(printer *p, int indent, int width)
{
    char word[2 * PY_FLOAT_TEXT_SIZE];
    int64_t extent = p->view.shape[p->view.ndim - 1];
    for (int64_t i = 0; i < extent; ++i) {
        if (i > 0)
            append_text(p, p->plain ? " " : ", ");
        if (is_cut(p, p->view.ndim - 1) && i == p->options.edge) {
            write_word(p, "...", indent, width - 1);
            append_text(p, p->plain ? " " : ", ");
            i = extent - p->options.edge;
        }
        write_element(p, word);
        write_word(p, word, indent, width - 1);
    }
}

/* Each axis takes a column on the left for its bracket and one on the right. Between rows stand as
 * many line ends as the axis has axes behind it, as in NumPy. */
static void write_axis(printer *p, int axis, int indent, int width)
{
    int left = p->view.ndim - axis;
    if (left == 0) {
        char word[2 * PY_FLOAT_TEXT_SIZE];
        write_element(p, word);
        append_text(p, word);
        return;
    }
    append_text(p, "[");
    if (left == 1)
        write_row(p, indent, width);
    for (int64_t i = 0; left > 1 && i < p->view.shape[axis]; ++i) {
        if (is_cut(p, axis) && i == p->options.edge) {
            append_text(p, p->plain ? "..." : "...,");
            for (int line = 1; line < left; ++line)
                new_line(p, line == left - 1 ? indent : 0);
            i = p->view.shape[axis] - p->options.edge;
        }
        write_axis(p, axis + 1, indent + 1, width - 1);
        if (i + 1 == p->view.shape[axis])
            break;
        append_text(p, p->plain ? "" : ",");
        for (int line = 1; line < left; ++line)
            new_line(p, line == left - 1 ? indent : 0);
    }
    append_text(p, "]");
}

/* The dtype, which is always printed, and the shape if the brackets do not show it. */
static void write_extras(printer *p, int64_t size, bool hidden)
{
    char extras[64 + 24 * JG_MAX_NDIM] = "";
    size_t used = 0;
    if (hidden || p->summary || (size == 0 && p->view.ndim != 1)) {
        used += (size_t)snprintf(extras, sizeof extras, "shape=(");
        for (int i = 0; i < p->view.ndim; ++i)
            used += (size_t)snprintf(extras + used, sizeof extras - used, "%s%lld", i ? ", " : "",
                                     (long long)p->view.shape[i]);
        used += (size_t)snprintf(extras + used, sizeof extras - used,
                                 p->view.ndim == 1 ? ",), " : "), ");
    }
    snprintf(extras + used, sizeof extras - used, "dtype=%s)", jg_dtype_name(p->view.dtype));
    append_text(p, ",");
    if (p->length - p->line + strlen(extras) + 1 > (size_t)p->options.line_width)
        new_line(p, (int)strlen(PREFIX));
    else
        append_text(p, " ");
    append_text(p, extras);
}

/* A 0-d array's str is that of its number. */
static void write_scalar(printer *p)
{
    char text[2 * PY_FLOAT_TEXT_SIZE];
    jg_number number = p->shown[0];
    if (number.kind == JG_KIND_FLOAT)
        py_float_text(number.re, p->view.dtype, true, text);
    else if (number.kind == JG_KIND_COMPLEX)
        py_complex_text(number.re, number.im, p->view.dtype, text);
    else
        write_element(p, text);
    append_text(p, text);
}

/* indent: of the second line. width: of lines, less the text after the brackets */
static void write_elements(printer *p, int indent, int width)
{
    choose_format(p);
    if (p->plain && p->view.ndim == 0)
        write_scalar(p);
    else
        write_axis(p, 0, indent, width);
}

/* 0 or -1. p->view and p->options are set, and the array is in memory. */
static int print_array(printer *p)
{
    int64_t size = jg_view_size(&p->view);
    int prefix = p->plain ? 0 : (int)strlen(PREFIX);
    bool hidden = false;
    p->summary = size > p->options.threshold;
    append_text(p, p->plain ? "" : PREFIX);
    if (size > 0 && collect(p, 0, 0) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError))
            return -1;
        PyErr_Clear(); /* opaque handles have no number */
        hidden = true;
    }
    if (size == 0 || hidden)
        append_text(p, hidden ? "..." : "[]");
    else
        write_elements(p, prefix + 1, p->options.line_width - !p->plain);
    if (!p->plain)
        write_extras(p, size, hidden);
    if (p->failed && !PyErr_Occurred())
        PyErr_NoMemory();
    return PyErr_Occurred() ? -1 : 0; /* which floats may have left as well */
}

static PyObject *text_of(PyObject *self, bool plain)
{
    /* The printer is not on the stack: the view alone takes a kilobyte. */
    printer *p = PyMem_Calloc(1, sizeof *p);
    if (!p)
        return PyErr_NoMemory();
    p->plain = plain;
    jg_array *x = py_array_retain(self), *shown = py_on_host(x);
    PyObject *result = NULL;
    if (shown && py_view(shown, &p->view) == 0 && py_print_options_now(&p->options) == 0 &&
        print_array(p) == 0)
        result = PyUnicode_FromStringAndSize(p->text, (Py_ssize_t)p->length);
    jg_array_release(shown);
    jg_array_release(x);
    PyMem_Free(p->text);
    PyMem_Free(p->shown);
    PyMem_Free(p);
    return result;
}

PyObject *py_array_repr(PyObject *self)
{
    return text_of(self, false);
}

/* MLX's str is its repr. */
PyObject *py_array_str(PyObject *self)
{
    return text_of(self, !py_process_is_mlx());
}
