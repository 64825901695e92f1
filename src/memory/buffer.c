/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: counted blocks. A buffer of joggle's own goes back to the cache unchanged; a foreign one
 * (foreign.c) is freed after its release function was called. */
#include "memory/memory.h"
#include <joggle/memory.h>

static void begin_use(jg_buffer *buffer, size_t nbytes)
{
    buffer_use(buffer, nbytes);
    atomic_store_explicit(&buffer->refs, 1, memory_order_relaxed);
    atomic_store_explicit(&buffer->flags, 0, memory_order_relaxed);
    buffer->low = buffer->handle;
    buffer->high = buffer->low + (device_has_addresses(buffer->device) ? buffer->nbytes : 1);
}

bool buffer_find(jg_device *device, size_t nbytes, jg_buffer **out)
{
    jg_buffer *buffer =
        nbytes <= (size_t)INT64_MAX / 2 ? cache_take(device, cache_class_of(nbytes)) : NULL;
    if (buffer == NULL)
        return false;
    if (!memory_reserve_kept(device, buffer->nbytes)) {
        memory_free_unlocked(buffer);
        return false;
    }
    begin_use(buffer, nbytes);
    *out = buffer;
    return true;
}

jg_status buffer_new(jg_device *device, size_t nbytes, jg_buffer **out)
{
    jg_buffer *buffer;
    if (nbytes > (size_t)INT64_MAX / 2)
        return base_nomem(nbytes, "an array");
    JG_TRY(block_take(device, cache_class_of(nbytes), &buffer));
    begin_use(buffer, nbytes);
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
        block_recycle(buffer);
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
