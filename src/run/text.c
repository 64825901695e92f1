/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of an array as text. All are as wide as the widest that is shown, so columns stand
 * below each other. */
#include "run/run.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Arrays with more elements than THRESHOLD show EDGE elements at each end of each axis, as in
 * NumPy. */
enum { THRESHOLD = 1000, EDGE = 3, ELEMENT_SIZE = 80 };

/* One text under way. The view is of memory of the host. */
typedef struct text_run {
    const jg_view *view;
    int64_t index[JG_MAX_NDIM];
    bool shortened;
    int width; /* of each element; 0 while the widest is looked for */
    int widest;
    base_text *text;
} text_run;

static int format_number(jg_dtype dtype, jg_number number, char out[ELEMENT_SIZE])
{
    char real[TEXT_DOUBLE_SIZE], imaginary[TEXT_DOUBLE_SIZE];
    int digits = dtype_significand_bits(dtype_real_part(dtype));
    switch (number.kind) {
    case JG_KIND_BOOL: return snprintf(out, ELEMENT_SIZE, number.i64 ? "True" : "False");
    case JG_KIND_INT: return snprintf(out, ELEMENT_SIZE, "%" PRId64, number.i64);
    case JG_KIND_UINT: return snprintf(out, ELEMENT_SIZE, "%" PRIu64, number.u64);
    case JG_KIND_FLOAT:
        return snprintf(out, ELEMENT_SIZE, "%s", text_double(real, number.re, digits));
    default:
        text_double(real, number.re, digits);
        text_double(imaginary, number.im, digits);
        return snprintf(out, ELEMENT_SIZE, "%s%s%sj", real, imaginary[0] == '-' ? "" : "+",
                        imaginary);
    }
}

/* An element of two lanes, which is a pair of FP4, is shown as two numbers with a colon. */
static jg_status add_element(text_run *run)
{
    char element[2 * ELEMENT_SIZE];
    int length = 0;
    for (int lane = 0; lane < run->view->lanes; ++lane) {
        jg_number number;
        JG_TRY(jg_view_load(run->view, run->index, lane, &number));
        if (lane > 0)
            element[length++] = ':';
        length += format_number(run->view->dtype, number, element + length);
    }
    if (run->width == 0)
        run->widest = int_max(length, run->widest);
    else
        text_add(run->text, "%*s", run->width, element);
    return JG_OK;
}

static void add_text(text_run *run, const char *text)
{
    if (run->width > 0)
        text_add(run->text, "%s", text);
}

/* Between two parts of an axis; the innermost one runs along a line. */
static void add_break(text_run *run, int axis)
{
    int lines = run->view->ndim - 1 - axis;
    add_text(run, lines == 0 ? ", " : ",");
    for (int i = 0; i < lines; ++i)
        add_text(run, "\n");
    for (int i = 0; lines > 0 && i <= axis; ++i)
        add_text(run, " ");
}

/* The part of the array at the first `axis` numbers of run->index; as deep as there are axes. */
static jg_status add_part(text_run *run, int axis)
{
    const jg_view *view = run->view;
    if (axis == view->ndim)
        return add_element(run);
    int64_t extent = view->shape[axis];
    bool shortened = run->shortened && extent > 2 * EDGE;
    add_text(run, "[");
    for (int64_t i = 0; i < extent; ++i) {
        if (i > 0)
            add_break(run, axis);
        if (shortened && i == EDGE) {
            add_text(run, "...");
            add_break(run, axis);
            i = extent - EDGE;
        }
        run->index[axis] = i;
        JG_TRY(add_part(run, axis + 1));
    }
    add_text(run, "]");
    return JG_OK;
}

static jg_status view_text(const jg_view *view, base_text *text)
{
    int64_t size = jg_view_size(view), brackets = 1;
    for (int axis = 0; axis < view->ndim && view->shape[axis] > 0; ++axis)
        if (__builtin_mul_overflow(brackets, view->shape[axis], &brackets))
            brackets = INT64_MAX;
    text_run run = {.view = view, .shortened = brackets > THRESHOLD, .text = text};
    if (size > 0)
        JG_TRY(add_part(&run, 0));
    run.width = run.widest > 0 ? run.widest : 1;
    return add_part(&run, 0);
}

jg_status jg_array_text(jg_array *x, char **out)
{
    base_text text = {0};
    jg_array *host = NULL;
    jg_view view;
    jg_status status;
    JG_TRY_DONE(jg_to_device(x, (jg_device_id){JG_DEVICE_CPU, 0}, &host));
    JG_TRY_DONE(jg_array_view(host, &view));
    JG_TRY_DONE(view_text(&view, &text));
    status = text_finish(&text, out);
done:
    text_clear(&text);
    jg_array_release(host);
    return status;
}
