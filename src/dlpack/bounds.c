/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes the elements of a view occupy, and whether memory can hold them there.
 *
 * All arithmetic on extents and strides from outside happens here, overflow-checked, so that users
 * of a view can multiply and add its fields freely. Distances are counted in positions (elements of
 * all lanes) and become bytes only at the end, because a packed sub-byte position is less than a
 * byte. */
#include "dlpack/dlpack.h"

#define KNOWN_FLAGS (JG_VIEW_READ_ONLY | JG_VIEW_COPIED | JG_VIEW_SUBBYTE_PADDED)

/* The lowest and the highest position touched, counted from the first element: low <= 0 <= high. */
typedef struct span {
    int64_t low, high;
} span;

int64_t dlpack_view_position_bits(const jg_view *view)
{
    int bits = dtype_rows[view->dtype].bits;
    if (bits < 8 && view->flags & JG_VIEW_SUBBYTE_PADDED)
        bits = 8;
    return (int64_t)bits * view->lanes;
}

/* Adds one axis' (extent - 1) * stride to the end that its sign points to. gives: false on
 * overflow */
static bool span_add(span *touched, int64_t extent, int64_t stride)
{
    int64_t distance;
    if (__builtin_mul_overflow(extent - 1, stride, &distance))
        return false;
    int64_t *end = distance < 0 ? &touched->low : &touched->high;
    return !__builtin_add_overflow(*end, distance, end);
}

/* gives: false if ptrdiff_t is too small for the two together, or int64_t for the positions */
static bool span_bytes(span touched, int64_t bits, int64_t *below, int64_t *above)
{
    int64_t total;
    return touched.low != INT64_MIN && touched.high != INT64_MAX &&
           dtype_packed_nbytes(-touched.low, bits, below) &&
           dtype_packed_nbytes(touched.high + 1, bits, above) &&
           !__builtin_add_overflow(*below, *above, &total) && total <= PTRDIFF_MAX;
}

static bool is_empty(const jg_view *view)
{
    bool empty = false;
    for (int i = 0; i < view->ndim; i++)
        empty |= view->shape[i] == 0;
    return empty;
}

void dlpack_view_reach(const jg_view *view, size_t *below, size_t *above)
{
    *below = *above = 0;
    if (is_empty(view))
        return;
    span touched = {0, 0};
    int64_t down = 0, up = 0;
    for (int i = 0; i < view->ndim; i++)
        (void)span_add(&touched, view->shape[i], view->strides[i]);
    (void)span_bytes(touched, dlpack_view_position_bits(view), &down, &up);
    *below = (size_t)down;
    *above = (size_t)up;
}

void *dlpack_view_address(const jg_view *view)
{
    return (void *)((uintptr_t)view->data + view->byte_offset);
}

bool dlpack_view_is_aligned(const jg_view *view)
{
    const dtype_row *row = &dtype_rows[view->dtype];
    unsigned nbytes = row->kind == JG_KIND_COMPLEX ? row->bits / 16u : row->bits / 8u;
    uint64_t first = view->byte_offset;
    if (dlpack_device_has_addresses(view->device.type))
        first += (uintptr_t)view->data;
    return nbytes < 2 || (first & (nbytes - 1)) == 0; /* every such size is a power of two */
}

void dlpack_view_copy(jg_view *to, const jg_view *from)
{
    to->data = from->data;
    to->byte_offset = from->byte_offset;
    to->device = from->device;
    to->dtype = from->dtype;
    to->lanes = from->lanes;
    to->flags = from->flags;
    to->ndim = from->ndim;
    for (int i = 0; i < from->ndim; i++) {
        to->shape[i] = from->shape[i];
        to->strides[i] = from->strides[i];
    }
}

jg_status dlpack_view_set_type(jg_view *view, jg_status status, jg_dtype dtype, int64_t lanes,
                               unsigned flags)
{
    if ((unsigned)dtype >= JG_DTYPE_COUNT)
        return base_fail(status, "dtype: got %d, allowed 0 to %d", (int)dtype, JG_DTYPE_COUNT - 1);
    const dtype_row *row = &dtype_rows[dtype];
    if (lanes < 1 || lanes > UINT16_MAX || lanes * row->lanes > UINT16_MAX)
        return base_fail(status, "lanes: got %lld, allowed 1 to %d", (long long)lanes,
                         UINT16_MAX / row->lanes);
    view->dtype = dtype;
    if (row->lanes > 1) /* a packed pair is its value with twice the lanes */
        JG_TRY(dtype_from_dlpack(row->dlpack_code, row->bits, 1, &view->dtype));
    view->lanes = (uint16_t)(lanes * row->lanes);
    view->flags = (uint16_t)(flags & KNOWN_FLAGS);
    if (row->bits >= 8) /* nothing to pad */
        view->flags &= (uint16_t)~JG_VIEW_SUBBYTE_PADDED;
    return JG_OK;
}

/* Copies the extents and gives every axis its row-major stride. An extent of 0 counts as 1
 * there, so that the strides of an empty view are what they would be with one element along that
 * axis. gives: *touched, for these strides */
static jg_status set_extents(jg_view *view, jg_status status, const int64_t *shape, span *touched)
{
    int64_t product = 1;
    for (int i = view->ndim - 1; i >= 0; i--) {
        int64_t extent = shape[i];
        if (extent < 0)
            return base_fail(status, "shape[%d]: got %lld, allowed 0 and up", i, (long long)extent);
        view->shape[i] = extent;
        view->strides[i] = product;
        if (__builtin_mul_overflow(product, extent == 0 ? 1 : extent, &product))
            return base_fail(status, "shape[%d]: got %lld, which makes more elements than %lld", i,
                             (long long)extent, (long long)INT64_MAX);
    }
    int64_t nbytes;
    if (!is_empty(view) && !dtype_packed_nbytes(product, dlpack_view_position_bits(view), &nbytes))
        return base_fail(status, "shape: %lld elements of %lld bits take more than %lld bytes",
                         (long long)product, (long long)dlpack_view_position_bits(view),
                         (long long)PTRDIFF_MAX);
    *touched = (span){0, product - 1};
    return JG_OK;
}

static jg_status fail_stride(const jg_view *view, jg_status status, int axis)
{
    return base_fail(
        status,
        "strides[%d]: got %lld for extent %lld, which reaches further than %lld elements or "
        "bytes",
        axis, (long long)view->strides[axis], (long long)view->shape[axis], (long long)PTRDIFF_MAX);
}

/* The axes together exceed the range: names the first axis at which they do. */
static jg_status fail_reach(const jg_view *view, jg_status status)
{
    span touched = {0, 0};
    int64_t below, above, bits = dlpack_view_position_bits(view);
    int axis = 0;
    for (; axis < view->ndim - 1; axis++)
        if (!span_add(&touched, view->shape[axis], view->strides[axis]) ||
            !span_bytes(touched, bits, &below, &above))
            break;
    return fail_stride(view, status, axis);
}

/* Copies the strides that have a meaning: an axis of extent 1 keeps the row-major one. */
static jg_status set_strides(jg_view *view, jg_status status, const int64_t *strides, span *touched)
{
    *touched = (span){0, 0};
    for (int i = 0; i < view->ndim; i++) {
        if (view->shape[i] == 1)
            continue;
        view->strides[i] = strides[i];
        if (!span_add(touched, view->shape[i], view->strides[i]))
            return fail_stride(view, status, i);
    }
    return JG_OK;
}

/* Adds the offset to the address; the elements must not wrap around either end of memory. */
static jg_status check_at_address(jg_view *view, jg_status status, size_t below, size_t above)
{
    uintptr_t first;
    if (__builtin_add_overflow((uintptr_t)view->data, view->byte_offset, &first))
        return base_fail(status, "byte_offset: got %llu, which added to data %p overflows",
                         (unsigned long long)view->byte_offset, view->data);
    if (below > first || above > UINTPTR_MAX - first)
        return base_fail(status,
                         "data: got %p, from which the strides reach %zu bytes down and %zu up, "
                         "out of memory's range",
                         (void *)first, below, above);
    view->data = (void *)first;
    view->byte_offset = 0;
    return JG_OK;
}

/* A handle's memory starts at offset 0 and its size is not known here. */
static jg_status check_at_handle(const jg_view *view, jg_status status, size_t below, size_t above)
{
    if (view->byte_offset < below)
        return base_fail(status, "byte_offset: got %llu, but the strides reach %zu bytes below it",
                         (unsigned long long)view->byte_offset, below);
    if (above > (uint64_t)PTRDIFF_MAX - view->byte_offset)
        return base_fail(status,
                         "byte_offset: got %llu, and the strides reach %zu bytes above it, "
                         "allowed %lld in all",
                         (unsigned long long)view->byte_offset, above, (long long)PTRDIFF_MAX);
    return JG_OK;
}

static jg_status set_data(jg_view *view, jg_status status, span touched)
{
    int64_t below, above;
    if (is_empty(view)) {
        view->data = NULL;
        view->byte_offset = 0;
        return JG_OK;
    }
    if (view->data == NULL)
        return base_fail(status, "data: got NULL for a tensor with elements");
    if (view->byte_offset > PTRDIFF_MAX)
        return base_fail(status, "byte_offset: got %llu, allowed 0 to %lld",
                         (unsigned long long)view->byte_offset, (long long)PTRDIFF_MAX);
    if (!span_bytes(touched, dlpack_view_position_bits(view), &below, &above))
        return fail_reach(view, status);
    return dlpack_device_has_addresses(view->device.type)
               ? check_at_address(view, status, (size_t)below, (size_t)above)
               : check_at_handle(view, status, (size_t)below, (size_t)above);
}

jg_status dlpack_view_set_layout(jg_view *view, jg_status status, int64_t ndim,
                                 const int64_t *shape, const int64_t *strides)
{
    if (ndim < 0 || ndim > JG_MAX_NDIM)
        return base_fail(status, "ndim: got %lld, allowed 0 to %d", (long long)ndim, JG_MAX_NDIM);
    if (ndim > 0 && shape == NULL)
        return base_fail(status, "shape: got NULL with ndim %lld", (long long)ndim);
    span touched = {0, 0};
    view->ndim = (int32_t)ndim;
    JG_TRY(set_extents(view, status, shape, &touched));
    if (strides != NULL && !is_empty(view))
        JG_TRY(set_strides(view, status, strides, &touched));
    return set_data(view, status, touched);
}
