/* SPDX-License-Identifier: Apache-2.0 */
/* Views as functions from layout to layout.
 *
 * Invariant: a layout that these functions return has ndim within 0..JG_MAX_NDIM, no negative
 * extent, and a size and element bounds that fit int64. Offsets and strides come only from valid
 * layouts, so sums within the bounds cannot overflow. */
#include "tensor/tensor.h"
#include <inttypes.h>
#include <string.h>

static jg_status check_ndim(int64_t ndim)
{
    if (JG_UNLIKELY(ndim < 0 || ndim > JG_MAX_NDIM))
        return base_fail(JG_ERR_VALUE, "ndim: got %" PRId64 ", allowed 0 to %d", ndim, JG_MAX_NDIM);
    return JG_OK;
}

/* The product cannot overflow: callers have called shape_size, which counts an extent of 0 as 1 as
 * well. */
void layout_row_major(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;
    for (int i = ndim - 1; i >= 0; --i) {
        strides[i] = stride;
        stride *= shape[i] ? shape[i] : 1;
    }
}

jg_status layout_init(jg_layout *out, int ndim, const int64_t *shape)
{
    JG_TRY(check_ndim(ndim));
    JG_TRY(shape_size(ndim, shape, &out->size));
    out->ndim = ndim;
    out->offset = 0;
    for (int i = 0; i < ndim; ++i)
        out->shape[i] = shape[i];
    layout_row_major(ndim, shape, out->strides);
    return JG_OK;
}

void layout_copy(jg_layout *to, const jg_layout *from)
{
    to->ndim = from->ndim;
    to->size = from->size;
    to->offset = from->offset;
    memcpy(to->shape, from->shape, (size_t)from->ndim * sizeof *from->shape);
    memcpy(to->strides, from->strides, (size_t)from->ndim * sizeof *from->strides);
}

/* Extents of 1 are passed over: no index steps along them, so whatever stride they have is
 * right. */
bool layout_is_contiguous(const jg_layout *layout)
{
    int64_t stride = 1;
    if (layout->size == 0)
        return true;
    for (int i = layout->ndim - 1; i >= 0; --i) {
        if (layout->shape[i] != 1 && layout->strides[i] != stride)
            return false;
        stride *= layout->shape[i];
    }
    return true;
}

jg_status layout_bounds(const jg_layout *layout, int64_t *lowest, int64_t *highest)
{
    int64_t low = layout->offset, high = layout->offset;
    for (int i = 0; i < layout->ndim && layout->size > 0; ++i) {
        int64_t reach;
        int64_t *end = layout->strides[i] < 0 ? &low : &high;
        if (__builtin_mul_overflow(layout->shape[i] - 1, layout->strides[i], &reach) ||
            __builtin_add_overflow(*end, reach, end))
            return base_fail(JG_ERR_VALUE,
                             "strides: axis %d (extent %" PRId64 ", stride %" PRId64
                             ") reaches outside 63 bits, allowed are offsets within them",
                             i, layout->shape[i], layout->strides[i]);
    }
    *lowest = layout->size ? low : 0;
    *highest = layout->size ? high : -1;
    return JG_OK;
}

/* Sorted by stride, each axis must step over all that the smaller ones span. That is sufficient but
 * not necessary: strides 2 and 3 of extents 3 and 2 share no element, but count as overlapping. */
bool layout_may_overlap(const jg_layout *layout)
{
    int64_t strides[JG_MAX_NDIM], spans[JG_MAX_NDIM];
    int count = 0;
    for (int i = 0; i < layout->ndim; ++i) {
        int64_t stride = layout->strides[i] < 0 ? -layout->strides[i] : layout->strides[i];
        if (layout->shape[i] <= 1)
            continue;
        int at = count++;
        for (; at > 0 && strides[at - 1] > stride; --at) {
            strides[at] = strides[at - 1];
            spans[at] = spans[at - 1];
        }
        strides[at] = stride;
        spans[at] = stride * (layout->shape[i] - 1);
    }
    int64_t reach = 0;
    for (int i = 0; i < count; ++i) {
        if (strides[i] <= reach)
            return layout->size > 0;
        reach += spans[i];
    }
    return false;
}

static jg_status fail_reshape(int64_t size, int ndim, const int64_t *shape)
{
    char text[200];
    return base_fail(JG_ERR_VALUE,
                     "shape: %s does not hold %" PRId64 " elements, allowed are shapes that do",
                     text_extents(text, sizeof text, ndim, shape), size);
}

jg_status layout_reshape_extents(int64_t size, int ndim, const int64_t *shape, int64_t *out)
{
    int64_t product, unknown = -1;
    JG_TRY(check_ndim(ndim));
    for (int i = 0; i < ndim; ++i) {
        out[i] = shape[i];
        if (shape[i] != -1)
            continue;
        if (unknown >= 0)
            return base_fail(JG_ERR_VALUE, "shape: axes %d and %d are both -1, allowed is one",
                             (int)unknown, i);
        unknown = i;
        out[i] = 1;
    }
    JG_TRY(shape_size(ndim, out, &product));
    if (unknown >= 0) {
        /* With an extent of 0 beside it, -1 could be anything: NumPy refuses it as well. */
        if (product == 0 || size % product != 0)
            return fail_reshape(size, ndim, shape);
        out[unknown] = size / product;
    } else if (product != size) {
        return fail_reshape(size, ndim, shape);
    }
    return JG_OK;
}

/* The axes of more than one element. gives: how many there are */
static int drop_ones(const jg_layout *from, int64_t *extents, int64_t *strides)
{
    int count = 0;
    for (int i = 0; i < from->ndim; ++i) {
        if (from->shape[i] == 1)
            continue;
        extents[count] = from->shape[i];
        strides[count++] = from->strides[i];
    }
    return count;
}

/* Moves the ends of a run of old axes and one of new ones, of one each, to where their products are
 * equal. */
static void match_run(const int64_t *extents, const int64_t *shape, int *old_end, int *new_end)
{
    int64_t have = extents[*old_end - 1], want = shape[*new_end - 1];
    while (have != want) {
        if (have < want)
            have *= extents[(*old_end)++];
        else
            want *= shape[(*new_end)++];
    }
}

static bool is_evenly_strided(const int64_t *extents, const int64_t *strides, int first, int end)
{
    for (int i = first; i + 1 < end; ++i)
        if (strides[i] != strides[i + 1] * extents[i + 1])
            return false;
    return true;
}

/* Splits both shapes into runs of axes with equal products; within a run the old axes must be one
 * evenly strided block, whose innermost stride the new axes then multiply up from. Not for empty
 * layouts, whose products never meet; layout_reshape treats them as contiguous. */
static bool reshape_strides(const jg_layout *from, int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t extents[JG_MAX_NDIM], steps[JG_MAX_NDIM];
    int count = drop_ones(from, extents, steps), new = 0;
    for (int old = 0, old_end; old < count; old = old_end) {
        int new_end = new + 1;
        old_end = old + 1;
        match_run(extents, shape, &old_end, &new_end);
        if (!is_evenly_strided(extents, steps, old, old_end))
            return false;
        int64_t stride = steps[old_end - 1];
        for (int i = new_end - 1; i >= new; --i) {
            strides[i] = stride;
            stride *= shape[i];
        }
        new = new_end;
    }
    for (; new < ndim; ++new)
        strides[new] = 1; /* only extents of 1 are left */
    return true;
}

jg_status layout_reshape(const jg_layout *from, int ndim, const int64_t *shape, jg_layout *to,
                         bool *fits)
{
    int64_t extents[JG_MAX_NDIM];
    JG_TRY(layout_reshape_extents(from->size, ndim, shape, extents));
    if (layout_is_contiguous(from)) {
        /* Kept before layout_init, which sets it to 0. */
        int64_t offset = from->offset;
        JG_TRY(layout_init(to, ndim, extents));
        to->offset = offset;
        *fits = true;
        return JG_OK;
    }
    int64_t strides[JG_MAX_NDIM];
    *fits = reshape_strides(from, ndim, extents, strides);
    if (!*fits)
        return JG_OK;
    to->ndim = ndim;
    to->size = from->size;
    to->offset = from->offset;
    memcpy(to->shape, extents, (size_t)ndim * sizeof *extents);
    memcpy(to->strides, strides, (size_t)ndim * sizeof *strides);
    return JG_OK;
}

jg_status layout_permute(const jg_layout *from, int naxes, const int64_t *axes, jg_layout *to)
{
    uint64_t set;
    JG_TRY(shape_axes("axes", naxes, axes, from->ndim, &set));
    if (naxes != from->ndim)
        return base_fail(JG_ERR_VALUE, "axes: got %d, allowed is one for each of %d axes", naxes,
                         from->ndim);
    for (int i = 0; i < naxes; ++i) {
        int64_t axis = axes[i] < 0 ? axes[i] + from->ndim : axes[i];
        to->shape[i] = from->shape[axis];
        to->strides[i] = from->strides[axis];
    }
    to->ndim = from->ndim;
    to->size = from->size;
    to->offset = from->offset;
    return JG_OK;
}

jg_status layout_broadcast(const jg_layout *from, int ndim, const int64_t *shape, jg_layout *to)
{
    char have[200], want[200];
    JG_TRY(check_ndim(ndim));
    JG_TRY(shape_size(ndim, shape, &to->size));
    int added = ndim - from->ndim;
    bool possible = added >= 0;
    for (int i = 0; i < ndim && possible; ++i) {
        bool is_new = i < added;
        int64_t extent = is_new ? 1 : from->shape[i - added];
        possible = extent == shape[i] || extent == 1;
        to->shape[i] = shape[i];
        /* A broadcast axis has stride 0; one that keeps its extent keeps its stride, 1 beside 1
         * included. */
        to->strides[i] = is_new || (extent == 1 && shape[i] != 1) ? 0 : from->strides[i - added];
    }
    if (!possible)
        return base_fail(
            JG_ERR_VALUE,
            "shape: %s cannot be broadcast to %s, allowed are extents that are equal or 1",
            text_extents(have, sizeof have, from->ndim, from->shape),
            text_extents(want, sizeof want, ndim, shape));
    to->ndim = ndim;
    to->offset = from->offset;
    return JG_OK;
}

jg_status layout_expand(const jg_layout *from, int64_t axis, jg_layout *to)
{
    int at;
    JG_TRY(check_ndim((int64_t)from->ndim + 1));
    JG_TRY(shape_axis("axis", axis, from->ndim + 1, &at));
    for (int i = 0, j = 0; i <= from->ndim; ++i) {
        to->shape[i] = i == at ? 1 : from->shape[j];
        to->strides[i] = i == at ? 1 : from->strides[j];
        j += i != at;
    }
    to->ndim = from->ndim + 1;
    to->size = from->size;
    to->offset = from->offset;
    return JG_OK;
}

jg_status layout_squeeze(const jg_layout *from, int naxes, const int64_t *axes, jg_layout *to)
{
    uint64_t set;
    JG_TRY(shape_axes("axis", naxes, axes, from->ndim, &set));
    to->ndim = 0;
    for (int i = 0; i < from->ndim; ++i) {
        if (!(set >> i & 1)) {
            to->shape[to->ndim] = from->shape[i];
            to->strides[to->ndim++] = from->strides[i];
        } else if (from->shape[i] != 1) {
            return base_fail(JG_ERR_VALUE, "axis: %d has extent %" PRId64 ", allowed is 1", i,
                             from->shape[i]);
        }
    }
    to->size = from->size;
    to->offset = from->offset;
    return JG_OK;
}

jg_status layout_slice(const jg_layout *from, int axis, int64_t start, int64_t count, int64_t step,
                       bool keep, jg_layout *to)
{
    /* If count is 0, `last` is not used. */
    int64_t last = start + (count - 1) * step;
    if (count > 0 &&
        (start < 0 || start >= from->shape[axis] || last < 0 || last >= from->shape[axis]))
        return base_fail(JG_ERR_INDEX,
                         "index: %" PRId64 " to %" PRId64 " on axis %d, allowed is 0 to %" PRId64,
                         start, last, axis, from->shape[axis] - 1);
    int64_t offset = from->offset + (count > 0 ? start * from->strides[axis] : 0);
    if (to != from)
        layout_copy(to, from);
    to->offset = offset;
    if (keep) {
        to->shape[axis] = count;
        /* With one element the product could leave 63 bits, as step is then anything. */
        to->strides[axis] = count > 1 ? from->strides[axis] * step : from->strides[axis];
    } else {
        size_t rest = (size_t)(to->ndim - axis - 1) * sizeof *to->shape;
        memmove(to->shape + axis, to->shape + axis + 1, rest);
        memmove(to->strides + axis, to->strides + axis + 1, rest);
        to->ndim -= 1;
    }
    return shape_size(to->ndim, to->shape, &to->size);
}

/* Digits of a position in the mixed radix of the row-major strides, all of the position's sign. C
 * rounds towards zero, so a stride of -1 is the digit -1 of the last axis, and not a carry. */
static void digits_of(int64_t position, int ndim, const int64_t *strides, int64_t *digits)
{
    for (int k = 0; k < ndim; ++k) {
        digits[k] = position / strides[k];
        position %= strides[k];
    }
}

void layout_decompose(const jg_layout *view, int ndim, const int64_t *shape, int64_t *origin,
                      int64_t *steps, bool *affine)
{
    int64_t strides[JG_MAX_NDIM], low[JG_MAX_NDIM], high[JG_MAX_NDIM];
    layout_row_major(ndim, shape, strides);
    digits_of(view->offset, ndim, strides, origin);
    /* The range of each root index over all of the view: it must stay within the extent, or a step
     * would carry into the next row and the map would not be affine. */
    memcpy(low, origin, (size_t)ndim * sizeof *low);
    memcpy(high, origin, (size_t)ndim * sizeof *high);
    for (int d = 0; d < view->ndim; ++d) {
        int64_t *digits = steps + (int64_t)d * ndim;
        digits_of(view->shape[d] > 1 ? view->strides[d] : 0, ndim, strides, digits);
        for (int k = 0; k < ndim; ++k)
            *(digits[k] < 0 ? &low[k] : &high[k]) += digits[k] * (view->shape[d] - 1);
    }
    *affine = true;
    for (int k = 0; k < ndim; ++k)
        if (low[k] < 0 || high[k] >= shape[k])
            *affine = false;
}
