/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of planes on a device that the host does not address: zeros, copies of pieces to the
 * host, and copies back. All work is complete when the calls return. */
#include "field/field.h"
#include <string.h>

enum { PIECE_NBYTES = 4 << 20 }; /* of what is the same all over */

jg_status field_fill_bytes(const jg_buffer *buffer, uint64_t offset, size_t nbytes,
                           const void *item, size_t itemsize)
{
    size_t length = size_min(nbytes, PIECE_NBYTES);
    char *piece = base_alloc(length > 0 ? length : 1);
    if (piece == NULL)
        return base_nomem(length, "a field's values");
    for (size_t i = 0; i + itemsize <= length; i += itemsize)
        memcpy(piece + i, item, itemsize);
    jg_status status = JG_OK;
    for (size_t done = 0; done < nbytes && status == JG_OK; done += length)
        status = buffer_write(buffer, offset + done, size_min(nbytes - done, length), piece);
    base_free(piece);
    return status;
}

/* The bytes that the plane spans, from the buffer's start. raises: VALUE */
static jg_status find_span(const jg_array *plane, field_copy *out)
{
    jg_layout layout;
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)plane->dtype);
    node_layout(plane, &layout);
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    out->offset = (uint64_t)(lowest * itemsize);
    out->nbytes = plane->size > 0 ? (size_t)((highest + 1 - lowest) * itemsize) : 0;
    out->start = (layout.offset - lowest) * itemsize;
    return JG_OK;
}

jg_status field_copy_open(const jg_array *plane, bool reads, field_copy *out)
{
    *out = (field_copy){.buffer = plane->buffer};
    if (buffer_is_on_host(plane->buffer)) {
        out->address = node_address(plane);
        return JG_OK;
    }
    JG_TRY(memory_works_wait_for(plane->buffer));
    JG_TRY(find_span(plane, out));
    out->bytes = base_alloc(out->nbytes > 0 ? out->nbytes : 1);
    if (out->bytes == NULL)
        return base_nomem(out->nbytes, "a field's values");
    out->address = out->bytes + out->start;
    jg_status status = reads && out->nbytes > 0
                           ? buffer_read(out->buffer, out->offset, out->nbytes, out->bytes)
                           : JG_OK;
    if (status != JG_OK)
        base_free(out->bytes);
    return status;
}

jg_status field_copy_close(field_copy *copy, bool writes)
{
    jg_status status = JG_OK;
    if (copy->bytes != NULL && writes && copy->nbytes > 0)
        status = buffer_write(copy->buffer, copy->offset, copy->nbytes, copy->bytes);
    base_free(copy->bytes);
    return status;
}

jg_status field_before_write(const jg_array *plane, uint64_t offset, size_t nbytes)
{
    const jg_buffer *buffer = plane->buffer;
    const char *low = (const char *)buffer->handle + offset;
    if (device_has_addresses(buffer->device))
        return run_before_write(low, low + nbytes);
    return run_before_write(buffer->low, buffer->high);
}
