/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of values on the host: each evaluates the array, waits for it and reads its memory. */
#include "run/run.h"
#include <inttypes.h>
#include <string.h>

static uint16_t view_flags(const jg_array *x)
{
    unsigned flags = atomic_load_explicit(&node_root(x)->buffer->flags, memory_order_relaxed);
    return flags & BUFFER_READ_ONLY ? JG_VIEW_READ_ONLY : 0;
}

/* Called after elements were read, as those of a truncated file may be zeros. */
static jg_status check_file(const jg_array *x)
{
    const jg_buffer *buffer = node_root(x)->buffer;
    return buffer_is_of_file(buffer) ? mapping_check(mapping_at(buffer->handle)) : JG_OK;
}

jg_status jg_array_view(jg_array *x, jg_view *out)
{
    JG_TRY(run_require(x));
    const dtype_row *row = &dtype_rows[x->dtype];
    size_t nbytes = (size_t)x->ndim * sizeof *x->dims;
    bool host = node_is_on_host(x);
    out->data = x->size == 0 ? NULL : host ? node_address(x) : node_place(x).handle;
    out->byte_offset = x->size == 0 || host ? 0 : node_place(x).offset;
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

/* Copies elements of itemsize bytes to dense memory. */
static void copy_elements(const jg_array *x, const void *from, void *to)
{
    int64_t strides[JG_MAX_NDIM];
    layout_row_major(x->ndim, node_shape(x), strides);
    copy_strided(x->ndim, node_shape(x), dtype_itemsize((jg_dtype)x->dtype), from, node_strides(x),
                 to, strides);
}

/* Copies an array that is not dense from a device, with the bytes between its elements. */
static jg_status copy_from_device(const jg_array *x, void *data)
{
    jg_layout layout;
    int64_t lowest, highest;
    size_t itemsize = dtype_itemsize((jg_dtype)x->dtype);
    node_layout(x, &layout);
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    size_t nbytes = (size_t)(highest - lowest + 1) * itemsize;
    char *block = base_alloc(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "a copy of an array");
    jg_status status =
        buffer_read(node_root(x)->buffer, (uint64_t)lowest * itemsize, nbytes, block);
    if (status == JG_OK)
        copy_elements(x, block + (size_t)(x->offset - lowest) * itemsize, data);
    base_free(block);
    return status;
}

jg_status jg_array_copy_to(jg_array *x, void *data, size_t nbytes)
{
    bool dense = dtype_itemsize((jg_dtype)x->dtype) == 0 || x->contiguous; /* packed ones are */
    if (nbytes != jg_array_nbytes(x))
        return base_fail(JG_ERR_VALUE, "nbytes: got %zu, allowed is %zu", nbytes,
                         jg_array_nbytes(x));
    JG_TRY(run_require(x));
    if (nbytes == 0)
        return JG_OK;
    JG_TRY(memory_works_wait_for(node_root(x)->buffer));
    if (!node_is_on_host(x))
        return dense ? buffer_read(node_root(x)->buffer, node_place(x).offset, nbytes, data)
                     : copy_from_device(x, data);
    if (dense)
        memcpy(data, node_address(x), nbytes);
    else
        copy_elements(x, node_address(x), data);
    return check_file(x);
}

/* Dense elements, to memory of the same device. */
static jg_status copy_within(jg_array *x, jg_array *copy)
{
    JG_TRY(run_require(x));
    device_place from = node_place(x), to = node_place(copy);
    const device_copy all = {DEVICE_WITHIN, to, from, jg_array_nbytes(x)};
    return device_copy_all(device_at(node_device(x)), NULL, 1, &all);
}

/* To any device, through host memory. */
static jg_status copy_by_host(jg_array *x, jg_array *copy)
{
    size_t nbytes = jg_array_nbytes(x);
    void *block = base_alloc(nbytes > 0 ? nbytes : 1);
    jg_status status = block != NULL ? jg_array_copy_to(x, block, nbytes)
                                     : base_nomem(nbytes, "a copy of an array");
    if (status == JG_OK)
        status = buffer_write(copy->buffer, 0, nbytes, block);
    base_free(block);
    return status;
}

/* A row-major copy on a device. gives: *out, +1, available */
static jg_status copy_to_device(jg_array *x, jg_device *device, jg_array **out)
{
    jg_array *copy;
    bool dense = dtype_itemsize((jg_dtype)x->dtype) == 0 || x->contiguous;
    JG_TRY(graph_empty(device, (jg_dtype)x->dtype, x->ndim, node_shape(x), &copy));
    jg_status status =
        dense && node_device(x) == device->index ? copy_within(x, copy) : copy_by_host(x, copy);
    if (status == JG_OK)
        *out = copy;
    else
        jg_array_release(copy);
    return status;
}

jg_status run_copy(jg_array *x, jg_array **out)
{
    jg_array *copy;
    if (!node_is_on_host(x))
        return copy_to_device(x, device_at(node_device(x)), out);
    JG_TRY(graph_empty(device_cpu(), (jg_dtype)x->dtype, x->ndim, node_shape(x), &copy));
    jg_status status = jg_array_copy_to(x, copy->buffer->handle, jg_array_nbytes(copy));
    if (status == JG_OK)
        *out = copy;
    else
        jg_array_release(copy);
    return status;
}

jg_status jg_to_device(jg_array *x, jg_device_id id, jg_array **out)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    if (node_device(x) != device->index && !dtype_is_castable((jg_dtype)x->dtype))
        return copy_to_device(x, device, out); /* no launch copies what is only stored */
    return graph_to_device(x, device->index, out);
}

jg_status jg_array_item(jg_array *x, jg_number *out)
{
    jg_scalar element;
    size_t itemsize = dtype_itemsize((jg_dtype)x->dtype);
    if (x->size != 1)
        return base_fail(JG_ERR_VALUE, "x: has %" PRId64 " elements, allowed is exactly one",
                         x->size);
    JG_TRY(run_require(x));
    if (JG_LIKELY(node_is_on_host(x)))
        return jg_number_load((jg_dtype)x->dtype, node_address(x), 0, out);
    JG_TRY(memory_works_wait_for(node_root(x)->buffer));
    JG_TRY(buffer_read(node_root(x)->buffer, node_place(x).offset, itemsize > 0 ? itemsize : 1,
                       &element));
    return jg_number_load((jg_dtype)x->dtype, &element, 0, out);
}
