/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers over memory of others, from the import to the end of the struct. */
#include "memory/memory.h"
#include <string.h>

/* A foreign buffer is only a struct, and every import makes and frees one. */
static JG_FAST_THREAD_LOCAL base_freelist foreign_pool;

jg_status buffer_take_foreign(jg_device *device, jg_device_id origin, void *handle, size_t nbytes,
                              unsigned flags, void (*release)(void *), void *context,
                              jg_buffer **out)
{
    jg_buffer *buffer = freelist_take(&foreign_pool, sizeof *buffer);
    if (JG_UNLIKELY(buffer == NULL && (buffer = base_alloc(sizeof *buffer)) == NULL))
        return base_nomem(sizeof *buffer, "an imported tensor");
    atomic_init(&buffer->refs, 1);
    atomic_init(&buffer->flags, flags | BUFFER_FOREIGN);
    atomic_init(&buffer->writers, 0);
    buffer->device = device;
    buffer->origin = origin;
    buffer->handle = handle;
    buffer->nbytes = nbytes;
    memset(buffer->readers, 0, sizeof buffer->readers);
    buffer->low = buffer->high = handle;
    if (device_has_addresses(device) && !device_is_host(device))
        buffer->high += nbytes;
    else if (!device_is_host(device))
        buffer->high += 1;
    buffer->release = release;
    buffer->context = context;
    *out = buffer;
    return JG_OK;
}

void buffer_free_foreign(jg_buffer *buffer)
{
    freelist_give(&foreign_pool, buffer, sizeof *buffer);
}
