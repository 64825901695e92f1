/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: counted blocks. A buffer of joggle's own goes back to the cache unchanged; a foreign one
 * (foreign.c) is freed after its release function was called. */
#include "memory/memory.h"
#include <joggle/memory.h>

/* A block of joggle's own that is in no cache. */
static void free_block(jg_buffer *buffer)
{
    device_free(buffer->device, buffer->handle, buffer->nbytes);
    base_free(buffer);
}

/* Asks the device for memory, and asks again after emptying the cache if there was none, and each
 * time work under way has ended, which frees what it used. */
static jg_status alloc_block(jg_device *device, size_t nbytes, void **out)
{
    if (JG_LIKELY(device_alloc(device, nbytes, out) == JG_OK))
        return JG_OK;
    for (;;) {
        int64_t seen = progress_count();
        cache_trim(device, 0);
        jg_status status = device_alloc(device, nbytes, out);
        if (status != JG_ERR_NOMEM || !progress_wait(seen))
            return status;
    }
}

/* A new block, whose count is still 0. gives: *out | raises: NOMEM, DEVICE */
static jg_status make(jg_device *device, int size_class, jg_buffer **out)
{
    jg_buffer *buffer = base_alloc_zeroed(sizeof *buffer);
    if (buffer == NULL) {
        base_nomem(sizeof *buffer, "a buffer");
        return JG_ERR_NOMEM;
    }
    buffer->nbytes = cache_class_nbytes(size_class);
    jg_status status = alloc_block(device, buffer->nbytes, &buffer->handle);
    if (status != JG_OK) {
        base_free(buffer);
        return status;
    }
    buffer->device = device;
    buffer->origin = device->id;
    buffer->size_class = size_class;
    *out = buffer;
    return JG_OK;
}

/* A block from the cache, else a new one, counted as in use. The cache is asked first because the
 * blocks that it keeps count against the limit that memory_reserve checks.
 * gives: *out | raises: NOMEM, DEVICE */
static jg_status take_block(jg_device *device, int size_class, jg_buffer **out)
{
    size_t nbytes = cache_class_nbytes(size_class);
    jg_buffer *buffer = cache_take(device, size_class);
    jg_status status = memory_reserve(device, nbytes);
    if (status != JG_OK) {
        if (buffer != NULL)
            free_block(buffer);
        return status;
    }
    *out = buffer;
    if (buffer == NULL && (status = make(device, size_class, out)) != JG_OK)
        memory_unreserve(device, nbytes);
    return status;
}

static void begin_use(jg_buffer *buffer)
{
    atomic_store_explicit(&buffer->refs, 1, memory_order_relaxed);
    atomic_store_explicit(&buffer->flags, 0, memory_order_relaxed);
    buffer->low = buffer->handle;
    buffer->high = buffer->low + (device_is_host(buffer->device) ? buffer->nbytes : 1);
}

bool buffer_find(jg_device *device, size_t nbytes, jg_buffer **out)
{
    jg_buffer *buffer =
        nbytes <= (size_t)INT64_MAX / 2 ? cache_take(device, cache_class_of(nbytes)) : NULL;
    if (buffer == NULL)
        return false;
    if (!memory_reserve_kept(device, buffer->nbytes)) {
        free_block(buffer);
        return false;
    }
    begin_use(buffer);
    *out = buffer;
    return true;
}

jg_status buffer_new(jg_device *device, size_t nbytes, jg_buffer **out)
{
    jg_buffer *buffer;
    if (nbytes > (size_t)INT64_MAX / 2)
        return base_nomem(nbytes, "an array");
    JG_TRY(take_block(device, cache_class_of(nbytes), &buffer));
    begin_use(buffer);
    *out = buffer;
    return JG_OK;
}

jg_buffer *buffer_retain(jg_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->refs, 1, memory_order_relaxed);
    return buffer;
}

/* Whether work that another library has given the device may still read it, although that library
 * has dropped its tensor: libraries free memory in the order of their streams. */
static bool may_be_read_outside(const jg_buffer *buffer)
{
    return device_has_streams(buffer->device) &&
           atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_EXPORTED;
}

void buffer_release(jg_buffer *buffer)
{
    if (buffer == NULL || atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (buffer_is_foreign(buffer)) {
        memory_run_release(buffer);
        return;
    }
    if (JG_UNLIKELY(may_be_read_outside(buffer)))
        memory_settle_later(buffer);
    else
        buffer_recycle(buffer);
}

/* Another thread may take the buffer as soon as it is in the cache. */
void buffer_recycle(jg_buffer *buffer)
{
    size_t nbytes = buffer->nbytes;
    const jg_device *device = buffer->device;
    if (!cache_keep(buffer, memory_cache_limit(device)))
        free_block(buffer);
    memory_unreserve(device, nbytes);
}

jg_status buffer_read(const jg_buffer *buffer, uint64_t offset, size_t nbytes, void *to)
{
    const device_copy copy = {DEVICE_TO_HOST, {to, 0}, {buffer->handle, offset}, nbytes};
    return device_copy_all(buffer->device, NULL, 1, &copy);
}

jg_status buffer_write(const jg_buffer *buffer, uint64_t offset, size_t nbytes, const void *from)
{
    const device_copy copy = {
        DEVICE_FROM_HOST, {buffer->handle, offset}, {(void *)from, 0}, nbytes};
    return device_copy_all(buffer->device, NULL, 1, &copy);
}

void buffer_begin_writing(jg_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->writers, 1, memory_order_relaxed);
}

void buffer_end_writing(jg_buffer *buffer)
{
    atomic_fetch_sub_explicit(&buffer->writers, 1, memory_order_release);
}

/* References are read before writers, so a writer that ends in between is taken for another holder.
 */
bool buffer_is_exclusive(const jg_buffer *buffer)
{
    int refs = atomic_load_explicit(&buffer->refs, memory_order_acquire);
    int writers = atomic_load_explicit(&buffer->writers, memory_order_acquire);
    return refs - writers == 1 && (atomic_load_explicit(&buffer->flags, memory_order_acquire) &
                                   (BUFFER_FOREIGN | BUFFER_EXPORTED | BUFFER_READ_ONLY)) == 0;
}
