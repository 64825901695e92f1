/* SPDX-License-Identifier: Apache-2.0 */
/* Reading values on the host: each of these evaluates, waits and looks into memory. */
#include "run/run.h"
#include <inttypes.h>
#include <string.h>

static uint16_t view_flags(const jg_array *x)
{
    unsigned flags = atomic_load_explicit(&node_root(x)->buffer->flags, memory_order_relaxed);
    return flags & BUFFER_READ_ONLY ? JG_VIEW_READ_ONLY : 0;
}

/* After elements have been read: in a file that has been cut short they may be zeros. */
static jg_status check_file(const jg_array *x)
{
    const jg_buffer *buffer = node_root(x)->buffer;
    return buffer_is_of_file(buffer) ? mapping_check(mapping_at(buffer->address)) : JG_OK;
}

jg_status jg_array_view(jg_array *x, jg_view *out)
{
    JG_TRY(run_require(x));
    const dtype_row *row = &dtype_rows[x->dtype];
    size_t nbytes = (size_t)x->ndim * sizeof *x->dims;
    out->data = x->size > 0 ? node_address(x) : NULL;
    out->byte_offset = 0;
    out->device = jg_array_device(x);
    /* The one dtype with lanes is a pair of FP4, which views describe as DLPack does. */
    out->dtype = row->lanes > 1 ? JG_DTYPE_FLOAT4_E2M1FN : (jg_dtype)x->dtype;
    out->lanes = row->lanes;
    out->flags = view_flags(x);
    out->ndim = x->ndim;
    memcpy(out->shape, node_shape(x), nbytes);
    memcpy(out->strides, node_strides(x), nbytes);
    return JG_OK;
}

jg_status jg_array_copy_to(jg_array *x, void *data, size_t nbytes)
{
    int64_t strides[JG_MAX_NDIM];
    size_t itemsize = dtype_itemsize((jg_dtype)x->dtype);
    if (nbytes != jg_array_nbytes(x))
        return jg_fail(JG_ERR_VALUE, "nbytes: got %zu, allowed is %zu", nbytes, jg_array_nbytes(x));
    JG_TRY(run_require(x));
    if (nbytes == 0)
        return JG_OK;
    if (itemsize == 0 || x->contiguous) { /* packed sub-byte elements are always dense */
        memcpy(data, node_address(x), nbytes);
        return check_file(x);
    }
    layout_row_major(x->ndim, node_shape(x), strides);
    copy_strided(x->ndim, node_shape(x), itemsize, node_address(x), node_strides(x), data, strides);
    return check_file(x);
}

jg_status run_copy(jg_array *x, jg_array **out)
{
    jg_array *copy;
    JG_TRY(jg_empty((jg_dtype)x->dtype, x->ndim, node_shape(x), &copy));
    jg_status status = jg_array_copy_to(x, copy->buffer->address, jg_array_nbytes(copy));
    if (status == JG_OK)
        *out = copy;
    else
        jg_array_release(copy);
    return status;
}

jg_status jg_array_item(jg_array *x, jg_number *out)
{
    if (x->size != 1)
        return jg_fail(JG_ERR_VALUE, "x: has %" PRId64 " elements, allowed is exactly one",
                       x->size);
    JG_TRY(run_require(x));
    return jg_number_load((jg_dtype)x->dtype, node_address(x), 0, out);
}
