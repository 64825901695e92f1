/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: sizes, broadcasting, and axes named from either end. */
#include "tensor/tensor.h"
#include <inttypes.h>
#include <string.h>

static jg_status fail_size(int ndim, const int64_t *shape)
{
    char text[200];
    return base_fail(JG_ERR_VALUE,
                     "shape: got %s, which has too many elements, allowed are below 2^63",
                     text_extents(text, sizeof text, ndim, shape));
}

jg_status shape_size(int ndim, const int64_t *shape, int64_t *out)
{
    /* The product goes over the extents that are not 0, so that an empty shape has row-major
     * strides that fit as well, and is refused or not whatever the order of its axes. */
    int64_t size = 1;
    bool empty = false;
    for (int i = 0; i < ndim; ++i) {
        if (JG_UNLIKELY(shape[i] < 0))
            return base_fail(JG_ERR_VALUE,
                             "shape: axis %d has extent %" PRId64 ", allowed is 0 or more", i,
                             shape[i]);
        empty |= shape[i] == 0;
        if (JG_UNLIKELY(__builtin_mul_overflow(size, shape[i] ? shape[i] : 1, &size)))
            return fail_size(ndim, shape);
    }
    *out = empty ? 0 : size;
    return JG_OK;
}

static jg_status fail_broadcast(int andim, const int64_t *a, int bndim, const int64_t *b)
{
    char atext[200], btext[200];
    return base_fail(
        JG_ERR_VALUE, "shapes %s and %s do not broadcast: allowed are extents that are equal or 1",
        text_extents(atext, sizeof atext, andim, a), text_extents(btext, sizeof btext, bndim, b));
}

jg_status shape_broadcast(int andim, const int64_t *a, int bndim, const int64_t *b, int *ndim,
                          int64_t *shape)
{
    int n = int_max(andim, bndim);
    /* Counted from the last axis, where shapes are aligned; `shape` may be a or b. An extent of 0
     * broadcasts with 1 and gives 0. */
    for (int i = 1; i <= n; ++i) {
        int64_t x = i <= andim ? a[andim - i] : 1;
        int64_t y = i <= bndim ? b[bndim - i] : 1;
        if (JG_UNLIKELY(x != y && x != 1 && y != 1))
            return fail_broadcast(andim, a, bndim, b);
        shape[n - i] = x == 1 ? y : x;
    }
    *ndim = n;
    return JG_OK;
}

jg_status shape_axis(const char *argument, int64_t axis, int ndim, int *out)
{
    if (ndim == 0)
        return base_fail(JG_ERR_AXIS,
                         "%s: got %" PRId64 ", allowed is none, as a 0-d array has no axes",
                         argument, axis);
    if (axis < -ndim || axis >= ndim)
        return base_fail(JG_ERR_AXIS, "%s: got %" PRId64 ", allowed for %d axes is %d to %d",
                         argument, axis, ndim, -ndim, ndim - 1);
    *out = (int)(axis < 0 ? axis + ndim : axis);
    return JG_OK;
}

jg_status shape_axes(const char *argument, int naxes, const int64_t *axes, int ndim, uint64_t *out)
{
    if (naxes < 0) {
        /* A shift by 64 is undefined. */
        *out = ndim == 64 ? ~UINT64_C(0) : (UINT64_C(1) << ndim) - 1;
        return JG_OK;
    }
    uint64_t set = 0;
    for (int i = 0; i < naxes; ++i) {
        int axis = 0;
        JG_TRY(shape_axis(argument, axes[i], ndim, &axis));
        uint64_t bit = UINT64_C(1) << axis;
        if (set & bit)
            return base_fail(JG_ERR_VALUE, "%s: names axis %d twice; allowed is each axis once",
                             argument, axis);
        set |= bit;
    }
    *out = set;
    return JG_OK;
}
