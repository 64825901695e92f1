/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays from nothing: memory, constants, ranges, and numbers of the host language. */
#include "graph/graph.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static jg_status check_dtype(jg_dtype dtype)
{
    if ((unsigned)dtype >= JG_DTYPE_COUNT)
        return base_fail(JG_ERR_TYPE, "dtype: got number %d, allowed are the rows of jg_dtype",
                         (int)dtype);
    return JG_OK;
}

static jg_status check_computable(jg_dtype dtype)
{
    JG_TRY(check_dtype(dtype));
    if (!dtype_rows[dtype].computable)
        return base_fail(
            JG_ERR_TYPE,
            "dtype: %s is stored and exchanged only, allowed are dtypes that ops compute with",
            dtype_rows[dtype].name);
    return JG_OK;
}

jg_status graph_empty(jg_device *device, jg_dtype dtype, int ndim, const int64_t *shape,
                      jg_array **out)
{
    jg_layout layout;
    jg_buffer *buffer;
    size_t nbytes;
    JG_TRY(check_dtype(dtype));
    JG_TRY(layout_init(&layout, ndim, shape));
    JG_TRY(dtype_nbytes(dtype, layout.size, &nbytes));
    JG_TRY(buffer_new(device, nbytes, &buffer));
    jg_status status = node_take_buffer(buffer, dtype, &layout, out);
    if (status != JG_OK)
        buffer_release(buffer);
    return status;
}

jg_status jg_empty(jg_dtype dtype, int ndim, const int64_t *shape, jg_array **out)
{
    int device;
    JG_TRY(device_default_require(&device));
    return graph_empty(device_at(device), dtype, ndim, shape, out);
}

jg_status jg_array_from_data(const void *data, jg_dtype dtype, int ndim, const int64_t *shape,
                             jg_array **out)
{
    jg_array *made;
    JG_TRY(jg_empty(dtype, ndim, shape, &made));
    const jg_buffer *buffer = made->buffer;
    size_t nbytes = jg_array_nbytes(made);
    jg_status status = JG_OK;
    if (JG_LIKELY(buffer_is_on_host(buffer)) && nbytes > 0)
        memcpy(buffer->handle, data, nbytes);
    else
        status = buffer_write(buffer, 0, nbytes, data);
    if (status == JG_OK)
        *out = made;
    else
        jg_array_release(made);
    return status;
}

void jg_array_set_committed(jg_array *x, bool committed)
{
    x->device = (uint8_t)((x->device & NODE_DEVICE) | (committed ? 0 : NODE_ANYWHERE));
}

jg_status graph_from_data(const void *data, jg_dtype dtype, int ndim, const int64_t *shape,
                          jg_array **out)
{
    JG_TRY(jg_array_from_data(data, dtype, ndim, shape, out));
    jg_array_set_committed(*out, false);
    return JG_OK;
}

static bool fits(const jg_number *value, jg_dtype dtype)
{
    return scalar_fits(scalar_of_number(value), value->kind, dtype);
}

const char *graph_number_text(char *buffer, size_t nbytes, const jg_number *number)
{
    switch (number->kind) {
    case JG_KIND_UINT: snprintf(buffer, nbytes, "%" PRIu64, number->u64); break;
    case JG_KIND_FLOAT: snprintf(buffer, nbytes, "%g", number->re); break;
    case JG_KIND_COMPLEX: snprintf(buffer, nbytes, "%g%+gj", number->re, number->im); break;
    default: snprintf(buffer, nbytes, "%" PRId64, number->i64);
    }
    return buffer;
}

static jg_status fail_fit(jg_status status, const char *argument, const jg_number *value,
                          jg_dtype dtype)
{
    char text[64];
    return base_fail(status, "%s: %s does not fit %s, allowed are its numbers", argument,
                     graph_number_text(text, sizeof text, value), dtype_rows[dtype].name);
}

jg_status graph_number_store(const jg_number *value, jg_dtype dtype, jg_scalar *out)
{
    *out = (jg_scalar){0};
    switch (value->kind) {
    case JG_KIND_BOOL: break;
    case JG_KIND_UINT:
    case JG_KIND_INT:
        if (!fits(value, dtype))
            return fail_fit(JG_ERR_VALUE, "value", value, dtype);
        break;
    case JG_KIND_FLOAT:
        if (!fits(value, dtype))
            return fail_fit(JG_ERR_VALUE, "value", value, dtype);
        break;
    case JG_KIND_COMPLEX:
        if (!dtype_is_complex(dtype))
            return fail_fit(JG_ERR_TYPE, "value", value, dtype);
        break;
    default:
        return base_fail(JG_ERR_TYPE, "value: got kind %d, allowed are those of jg_dtype_kind",
                         (int)value->kind);
    }
    scalar_store(scalar_of_number(value), value->kind, dtype, out);
    return JG_OK;
}

/* A dtype that is only stored has its number cast. */
static jg_status full_stored(jg_dtype dtype, int ndim, const int64_t *shape, jg_number value,
                             jg_array **out)
{
    jg_array *wide;
    JG_TRY(jg_full(dtype_on_the_way(dtype), ndim, shape, value, &wide));
    jg_status status = graph_cast(wide, dtype, out);
    jg_array_release(wide);
    return status;
}

jg_status jg_full(jg_dtype dtype, int ndim, const int64_t *shape, jg_number value, jg_array **out)
{
    jg_layout layout;
    jg_scalar element;
    size_t nbytes;
    JG_TRY(check_dtype(dtype));
    if (!dtype_rows[dtype].computable)
        return full_stored(dtype, ndim, shape, value, out);
    JG_TRY(layout_init(&layout, ndim, shape));
    JG_TRY(dtype_nbytes(dtype, layout.size, &nbytes));
    JG_TRY(graph_number_store(&value, dtype, &element));
    JG_TRY(node_new(JG_OP_full, dtype, ndim, layout.shape, layout.size, out));
    (*out)->attributes.full.value = element;
    return JG_OK;
}

jg_status graph_full_beside(const jg_array *like, jg_dtype dtype, int ndim, const int64_t *shape,
                            jg_number value, jg_array **out)
{
    jg_array *made;
    JG_TRY(jg_full(dtype, ndim, shape, value, &made));
    jg_status status = graph_to_device(made, node_device(like), out);
    jg_array_release(made);
    return status;
}

jg_status jg_array_from_number(jg_number value, const jg_array *like, jg_array **out)
{
    jg_dtype dtype = jg_dtype_beside(value.kind, (jg_dtype)like->dtype);
    jg_scalar element;
    JG_TRY(graph_number_store(&value, dtype, &element));
    JG_TRY(node_new(JG_OP_full, dtype, 0, NULL, 1, out));
    (*out)->attributes.full.value = element;
    return JG_OK;
}

__extension__ typedef __int128 wide_int;

static wide_int as_integer(const jg_number *value)
{
    return value->kind == JG_KIND_UINT ? (wide_int)value->u64 : (wide_int)value->i64;
}

/* How many steps lead from start to before stop; none where step leads away from it. step is not
 * 0. */
static jg_status count_integers(wide_int start, wide_int stop, wide_int step, int64_t *out)
{
    wide_int span = stop - start;
    bool empty = span == 0 || (span > 0) != (step > 0);
    wide_int count = empty ? 0 : span / step + (span % step != 0);
    if (count > INT64_MAX)
        return base_fail(
            JG_ERR_VALUE,
            "stop: got %g, from start %g in steps of %g, allowed are counts below 2^63",
            (double)stop, (double)start, (double)step);
    *out = (int64_t)count;
    return JG_OK;
}

/* Like the function above, for floats. 2^62 is the limit because a count of bytes still fits int64;
 * a NaN fails the comparison, too, and a negative count means no elements. */
static jg_status count_floats(double start, double stop, double step, int64_t *out)
{
    double count = ceil((stop - start) / step);
    if (!(count < 0x1p62))
        return base_fail(
            JG_ERR_VALUE,
            "stop: got %g, from start %g in steps of %g, allowed are counts below 2^62", stop,
            start, step);
    *out = count > 0 ? (int64_t)count : 0;
    return JG_OK;
}

static double as_float(const jg_number *value)
{
    return value->kind == JG_KIND_FLOAT ? value->re : (double)as_integer(value);
}

/* Ranges of integers are computed in int64, those of floats and complex numbers in float64. */
static bool ranges_in_floats(jg_dtype dtype)
{
    return dtype_is_floating(dtype) || dtype_is_complex(dtype);
}

static jg_status check_range_number(const char *argument, const jg_number *value, jg_dtype dtype)
{
    bool wraps = value->kind == JG_KIND_UINT && dtype == JG_DTYPE_UINT64;
    if (wraps || ranges_in_floats(dtype) || fits(value, JG_DTYPE_INT64))
        return JG_OK;
    return fail_fit(JG_ERR_VALUE, argument, value, dtype);
}

/* The first element alone: a range of integers may end beyond what its dtype holds: it wraps. */
static jg_status check_first(const jg_number *start, jg_dtype dtype)
{
    if (fits(start, dtype))
        return JG_OK;
    return fail_fit(JG_ERR_VALUE, "start", start, dtype);
}

static jg_scalar range_scalar(const jg_number *value, jg_dtype dtype)
{
    if (ranges_in_floats(dtype))
        return (jg_scalar){.f64 = as_float(value)};
    return (jg_scalar){.i64 = value->kind == JG_KIND_FLOAT  ? (int64_t)value->re
                              : value->kind == JG_KIND_UINT ? (int64_t)value->u64
                                                            : value->i64};
}

/* A range has an order, so complex numbers are no part of one. */
static jg_status check_range_kind(const char *argument, const jg_number *value)
{
    if (value->kind <= JG_KIND_FLOAT)
        return JG_OK;
    char text[64];
    return base_fail(JG_ERR_TYPE, "%s: got %s, allowed are real numbers", argument,
                     graph_number_text(text, sizeof text, value));
}

static jg_status check_range_kinds(const jg_number *start, const jg_number *stop,
                                   const jg_number *step)
{
    JG_TRY(check_range_kind("start", start));
    JG_TRY(check_range_kind("stop", stop));
    return check_range_kind("step", step);
}

jg_status jg_arange(jg_dtype dtype, jg_number start, jg_number stop, jg_number step, jg_array **out)
{
    int64_t count;
    size_t nbytes;
    bool whole =
        start.kind != JG_KIND_FLOAT && stop.kind != JG_KIND_FLOAT && step.kind != JG_KIND_FLOAT;
    JG_TRY(check_computable(dtype));
    JG_TRY(check_range_kinds(&start, &stop, &step));
    if (as_float(&step) == 0)
        return base_fail(JG_ERR_VALUE, "step: got 0, allowed is any other number");
    if (whole)
        JG_TRY(count_integers(as_integer(&start), as_integer(&stop), as_integer(&step), &count));
    else
        JG_TRY(count_floats(as_float(&start), as_float(&stop), as_float(&step), &count));
    if (dtype == JG_DTYPE_BOOL && count > 2)
        return base_fail(JG_ERR_TYPE, "dtype: got bool for %" PRId64 " elements, allowed are two",
                         count);
    JG_TRY(dtype_nbytes(dtype, count, &nbytes));
    if (count > 0)
        JG_TRY(check_first(&start, dtype));
    JG_TRY(check_range_number("start", &start, dtype));
    JG_TRY(check_range_number("step", &step, dtype));
    JG_TRY(node_new(JG_OP_arange, dtype, 1, &count, count, out));
    arange_attributes *range = &(*out)->attributes.arange;
    range->start = range_scalar(&start, dtype);
    range->step = range_scalar(&step, dtype);
    return JG_OK;
}
