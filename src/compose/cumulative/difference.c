/* SPDX-License-Identifier: Apache-2.0 */
/* Differences along an axis: each step subtracts a view of the array from the view one element on,
 * so that one step is one pass over memory. `prepend` and `append` are joined to the array first; a
 * single number is one element at that end. */
#include "compose/compose.h"
#include <inttypes.h>

/* count elements of x along an axis, from start on. */
static jg_status window(jg_array *x, int axis, int64_t start, int64_t count, jg_array **out)
{
    jg_layout from, to;
    node_layout(x, &from);
    JG_TRY(layout_slice(&from, axis, start, count, 1, true, &to));
    return compose_view(x, &to, out);
}

/* The difference of bools is whether they are unequal, as they have no -1. */
static jg_status step(jg_array *x, int axis, jg_array **out)
{
    int64_t count = x->dims[axis] > 0 ? x->dims[axis] - 1 : 0;
    jg_array *later, *earlier;
    JG_TRY(window(x, axis, x->dims[axis] - count, count, &later));
    jg_status status = window(x, axis, 0, count, &earlier);
    if (status == JG_OK) {
        status = (x->dtype == JG_DTYPE_BOOL ? jg_not_equal : jg_subtract)(later, earlier, out);
        jg_array_release(earlier);
    }
    jg_array_release(later);
    return status;
}

/* An array to be joined to x: itself, or a number as one element of each row. */
static jg_status joinable(jg_array *end, const jg_array *x, int axis, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM];
    if (end->ndim > 0) {
        *out = jg_array_retain(end);
        return JG_OK;
    }
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i == axis ? 1 : x->dims[i];
    return jg_broadcast_to(end, x->ndim, shape, out);
}

/* The parts may have other dtypes: concat brings them to the common one. */
static jg_status joined(jg_array *x, int axis, jg_array *prepend, jg_array *append, jg_array **out)
{
    jg_array *const ends[3] = {prepend, x, append};
    jg_array *parts[3];
    const int64_t at = axis;
    int count = 0;
    jg_status status = JG_OK;
    for (int i = 0; i < 3 && status == JG_OK; ++i)
        if (ends[i] != NULL) {
            status = joinable(ends[i], x, axis, &parts[count]);
            count += status == JG_OK;
        }
    if (status == JG_OK)
        status = jg_concat(count, parts, &at, out);
    while (count > 0)
        jg_array_release(parts[--count]);
    return status;
}

jg_status compose_diff(jg_array *x, int64_t n, int64_t axis, jg_array *prepend, jg_array *append,
                       jg_array **out)
{
    int at;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    if (n < 0)
        return base_fail(JG_ERR_VALUE, "[diff] n: got %" PRId64 ", allowed 0 and up", n);
    /* value is owned from here on, and replaced by each step's result. */
    jg_array *value = jg_array_retain(x);
    jg_status status = JG_OK;
    if (prepend != NULL || append != NULL) {
        jg_array_release(value);
        JG_TRY(joined(x, at, prepend, append, &value));
    }
    /* The first step is taken on an empty axis, too, so that its dtype is checked; more would
     * change nothing. */
    for (int64_t i = 0; status == JG_OK && i < n && (i == 0 || value->dims[at] > 0); ++i) {
        jg_array *next;
        status = step(value, at, &next);
        if (status == JG_OK) {
            jg_array_release(value);
            value = next;
        }
    }
    if (status == JG_OK)
        *out = value;
    else
        jg_array_release(value);
    return status;
}
