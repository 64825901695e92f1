/* SPDX-License-Identifier: Apache-2.0 */
/* Views that read memory as it lies: other strides, or other elements made of the same bytes. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

jg_status compose_contiguous(jg_array *x, jg_array **out)
{
    return graph_contiguous(x, out);
}

/* The window is over x's elements in row-major order, so that it must stay within 0 to size - 1; a
 * window of no elements reaches none (layout_bounds gives 0 to -1). */
static jg_status check_window(const jg_layout *window, int64_t size)
{
    int64_t lowest, highest;
    JG_TRY(layout_bounds(window, &lowest, &highest));
    if (lowest < 0 || highest >= size)
        return base_fail(JG_ERR_VALUE,
                         "[as_strided] strides: reach elements %" PRId64 " to %" PRId64
                         ", allowed are 0 to %" PRId64,
                         lowest, highest, size - 1);
    return JG_OK;
}

/* As in MLX, the strides refer to x's elements in row-major order, whatever the layout of x is. */
jg_status compose_as_strided(jg_array *x, int nshape, const int64_t *shape, int nstrides,
                             const int64_t *strides, int64_t offset, jg_array **out)
{
    jg_layout window;
    jg_array *dense;
    JG_TRY(nshape < 0 ? layout_init(&window, x->ndim, x->dims)
                      : layout_init(&window, nshape, shape));
    if (nstrides >= 0 && nstrides != window.ndim)
        return base_fail(JG_ERR_VALUE,
                         "[as_strided] strides: got %d, allowed is one for each of %d", nstrides,
                         window.ndim);
    if (nstrides > 0)
        memcpy(window.strides, strides, (size_t)nstrides * sizeof *strides);
    window.offset = offset;
    JG_TRY(check_window(&window, x->size));
    JG_TRY(graph_contiguous(x, &dense));
    /* An empty window keeps an offset that is within the memory. */
    window.offset = window.size > 0 ? dense->offset + offset : dense->offset;
    jg_status status = compose_view(dense, &window, out);
    jg_array_release(dense);
    return status;
}

/* Checks the request. Bytes of the last axis are regrouped, so that only its extent changes: wider
 * elements must fill it evenly, and a 0-d array has no axis to change. */
static jg_status check_view(const jg_array *x, jg_dtype dtype)
{
    size_t from = dtype_itemsize((jg_dtype)x->dtype), to = dtype_itemsize(dtype);
    if (from == 0 || to == 0)
        return base_fail(
            JG_ERR_TYPE, "[bitcast] %s: %s elements are packed, allowed are whole bytes",
            from == 0 ? "x" : "dtype", dtype_rows[from == 0 ? (jg_dtype)x->dtype : dtype].name);
    if (from == to)
        return JG_OK;
    if (x->ndim == 0)
        return base_fail(JG_ERR_VALUE,
                         "[bitcast] dtype: %s has %zu bytes, allowed for a 0-d %s are %zu",
                         dtype_rows[dtype].name, to, dtype_rows[x->dtype].name, from);
    int64_t extent = x->dims[x->ndim - 1];
    if (to > from && extent % (int64_t)(to / from) != 0)
        return base_fail(JG_ERR_VALUE,
                         "[bitcast] dtype: got %s, which takes %zu elements of x each; the last "
                         "extent is %" PRId64 ", allowed are multiples of as many",
                         dtype_rows[dtype].name, to / from, extent);
    return JG_OK;
}

/* Counts in elements `to` bytes wide what was counted in elements `from` bytes wide. */
static bool rescale(int64_t *count, int64_t from, int64_t to)
{
    if (__builtin_mul_overflow(*count, from, count))
        return false;
    bool whole = *count % to == 0;
    *count /= to;
    return whole;
}

/* The layout of x counted in the other element. false where strides cannot express it. */
static bool view_layout(const jg_array *x, int64_t from, int64_t to, jg_layout *layout)
{
    int last = x->ndim - 1;
    node_layout(x, layout);
    if (from == to)
        return true;
    /* Elements of one new element must lie side by side. The other strides, and the offset, must
     * then be whole numbers of new elements. */
    if (layout->strides[last] != 1 && layout->shape[last] != 1)
        return false;
    layout->strides[last] = 1;
    bool whole = rescale(&layout->offset, from, to) && rescale(&layout->shape[last], from, to);
    for (int i = 0; whole && i < last; ++i)
        whole = layout->shape[i] <= 1 || x->size == 0 || rescale(&layout->strides[i], from, to);
    return whole && shape_size(layout->ndim, layout->shape, &layout->size) == JG_OK;
}

/* Foreign memory may be at any address; elements are read at multiples of their part's size. */
static bool is_aligned(const jg_array *x, jg_dtype dtype)
{
    if (!node_has_storage(x) || node_root(x)->buffer == NULL)
        return true;
    size_t alignment = dtype_itemsize(dtype_real_part(dtype));
    const jg_buffer *buffer = node_root(x)->buffer;
    /* Handles of devices are aligned to more than any element (device.h). */
    return !buffer_is_on_host(buffer) || (uintptr_t)buffer->handle % alignment == 0;
}

/* A view if memory is aligned and the layout can be expressed. Else x is copied first: a copy
 * satisfies both, so the second call makes the view. */
static jg_status view_as(jg_array *x, jg_dtype dtype, jg_array **out)
{
    int64_t from = (int64_t)dtype_itemsize((jg_dtype)x->dtype), to = (int64_t)dtype_itemsize(dtype);
    jg_layout layout;
    if (is_aligned(x, dtype) && view_layout(x, from, to, &layout))
        return node_view_as(x, dtype, &layout, out);
    jg_array *dense;
    JG_TRY(graph_unary(JG_OP_copy, x, &dense));
    jg_status status = view_as(dense, dtype, out);
    jg_array_release(dense);
    return status;
}

/* A bool is 0 or 1, so bytes become bools by comparison. */
static jg_status view_as_bool(jg_array *x, jg_array **out)
{
    jg_array *bytes;
    JG_TRY(view_as(x, JG_DTYPE_UINT8, &bytes));
    jg_status status = graph_cast(bytes, JG_DTYPE_BOOL, out);
    jg_array_release(bytes);
    return status;
}

jg_status compose_bitcast(jg_array *x, jg_dtype dtype, jg_array **out)
{
    JG_TRY(check_view(x, dtype));
    if (x->dtype == dtype) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    return dtype == JG_DTYPE_BOOL ? view_as_bool(x, out) : view_as(x, dtype, out);
}
