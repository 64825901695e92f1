/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of joggle's own memory: buffers without a reference, which come from the cache or the
 * device and go back there. */
#include "memory/memory.h"

/* Asks the device for memory. If there is none, asks again after emptying the cache, and again
 * after each running work that has ended, which frees its memory. */
static jg_status alloc_block(jg_device *device, size_t nbytes, void **out)
{
    jg_status status = device_alloc(device, nbytes, out);
    bool waited = true;
    while (JG_UNLIKELY(status == JG_ERR_NOMEM) && waited) {
        int64_t seen = progress_count();
        cache_trim(device, 0);
        status = device_alloc(device, nbytes, out);
        waited = status == JG_ERR_NOMEM && progress_wait(seen);
    }
    return status;
}

/* A new block, whose count is still 0. gives: *out | raises: NOMEM, DEVICE */
static jg_status make(jg_device *device, int size_class, jg_buffer **out)
{
    jg_buffer *buffer = base_alloc_zeroed(sizeof *buffer);
    if (buffer == NULL)
        return base_nomem(sizeof *buffer, "a buffer");
    buffer->nbytes = cache_class_nbytes(size_class);
    jg_status status = alloc_block(device, buffer->nbytes, &buffer->handle);
    if (status != JG_OK) {
        base_free(buffer);
        return status;
    }
    if (device_is_host(device))
        poison_begin(buffer->handle, buffer->nbytes);
    buffer->device = device;
    buffer->origin = device->id;
    buffer->size_class = size_class;
    *out = buffer;
    return JG_OK;
}

/* The cache is asked first because the blocks that it keeps count against the limit that
 * memory_reserve checks. */
jg_status block_take(jg_device *device, int size_class, jg_buffer **out)
{
    size_t nbytes = cache_class_nbytes(size_class);
    jg_buffer *buffer = cache_take(device, size_class);
    jg_status status = memory_reserve(device, nbytes);
    if (status != JG_OK) {
        if (buffer != NULL)
            block_free(buffer);
        return status;
    }
    if (buffer == NULL && (status = make(device, size_class, &buffer)) != JG_OK) {
        memory_unreserve(device, nbytes);
        return status;
    }
    *out = buffer;
    return JG_OK;
}

/* Another thread may take the buffer as soon as it is in the cache. */
void block_recycle(jg_buffer *buffer)
{
    size_t nbytes = buffer->nbytes;
    const jg_device *device = buffer->device;
    if (!cache_keep(buffer, memory_cache_limit(device)))
        memory_free_unlocked(buffer);
    memory_unreserve(device, nbytes);
}
