/* SPDX-License-Identifier: Apache-2.0 */
/* The questions about an array that need no evaluation. */
#include "graph/graph.h"
#include <stdio.h>
#include <string.h>

void node_release_all(int count, jg_array *const *arrays)
{
    for (int i = 0; i < count; ++i)
        jg_array_release(arrays[i]);
}

void jg_array_list_clear(jg_array_list *list)
{
    node_release_all(list->count, list->arrays);
    base_free(list->arrays);
    *list = (jg_array_list){0};
}

jg_dtype jg_array_dtype(const jg_array *x)
{
    return (jg_dtype)x->dtype;
}

int jg_array_ndim(const jg_array *x)
{
    return x->ndim;
}

const int64_t *jg_array_shape(const jg_array *x)
{
    return node_shape(x);
}

const int64_t *jg_array_strides(const jg_array *x)
{
    return node_strides(x);
}

int64_t jg_array_size(const jg_array *x)
{
    return x->size;
}

/* Whether one of the arrays lies in the buffer: what several share is counted once. Quadratic, for
 * the few arrays that callers ask about at a time. */
static bool shares_memory(const jg_buffer *buffer, int count, jg_array *const *arrays)
{
    bool found = false;
    for (int i = 0; !found && i < count; ++i)
        found = node_has_storage(arrays[i]) && node_root(arrays[i])->buffer == buffer;
    return found;
}

size_t jg_buffers_nbytes(int count, jg_array *const *arrays)
{
    size_t nbytes = 0;
    for (int i = 0; i < count; ++i) {
        const jg_buffer *buffer = node_has_storage(arrays[i]) ? node_root(arrays[i])->buffer : NULL;
        if (buffer != NULL && !shares_memory(buffer, i, arrays))
            nbytes += buffer->nbytes;
    }
    return nbytes;
}

size_t jg_array_nbytes(const jg_array *x)
{
    size_t nbytes;
    /* Only a broadcast that is not stored can have more bytes than a size_t counts. */
    return dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes) == JG_OK ? nbytes : SIZE_MAX;
}

jg_device_id jg_array_device(const jg_array *x)
{
    return device_at(node_device(x))->id;
}

jg_array_state jg_array_current_state(const jg_array *x)
{
    const jg_array *root = node_root(x);
    /* Acquires, so the event that was written before the state may be read. */
    jg_array_state state = node_state(root);
    if (state != JG_ARRAY_SCHEDULED || !event_is_set(root->event))
        return state;
    return event_has_failed(root->event) && !event_is_valid(root->event, root->buffer)
               ? JG_ARRAY_FAILED
               : JG_ARRAY_AVAILABLE;
}

void node_layout(const jg_array *x, jg_layout *out)
{
    size_t nbytes = (size_t)x->ndim * sizeof *x->dims;
    out->ndim = x->ndim;
    out->size = x->size;
    out->offset = x->offset;
    memcpy(out->shape, node_shape(x), nbytes);
    memcpy(out->strides, node_strides(x), nbytes);
}

device_place node_place(const jg_array *x)
{
    size_t itemsize = dtype_itemsize((jg_dtype)x->dtype);
    /* An empty view may start past the end of a block that has no address at all. */
    uint64_t offset = x->size == 0 ? 0 : (uint64_t)x->offset * itemsize;
    return (device_place){node_root(x)->buffer->handle, offset};
}

void *node_address(const jg_array *x)
{
    device_place place = node_place(x);
    return (char *)place.handle + (int64_t)place.offset;
}

const char *node_form_text(char buffer[NODE_TEXT_SIZE], const jg_array *x)
{
    char shape[80], strides[80];
    jg_layout layout;
    jg_device_id device = jg_array_device(x);
    node_layout(x, &layout);
    snprintf(buffer, NODE_TEXT_SIZE, "%s %s with strides %s on %s:%d",
             jg_dtype_name((jg_dtype)x->dtype),
             text_extents(shape, sizeof shape, x->ndim, layout.shape),
             text_extents(strides, sizeof strides, x->ndim, layout.strides),
             jg_device_type_name(device.type), (int)device.id);
    return buffer;
}
