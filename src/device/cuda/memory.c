/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a device. A handle is an address of the device, which the driver aligns to 256 bytes;
 * addresses of other libraries may lie anywhere in their blocks. */
#include "device/cuda/cuda.h"

static uint64_t address_of(device_place place)
{
    return (uint64_t)(uintptr_t)place.handle + place.offset;
}

static char *host(device_place place)
{
    return (char *)place.handle + place.offset;
}

static jg_status fail_size(const cuda_device *own, size_t nbytes)
{
    int length;
    const char *name = cuda_function_name(own->driver->vendor, offsetof(cuda_api, alloc), &length);
    return base_fail(JG_ERR_NOMEM, "out of memory: %zu bytes of %s:%d: %.*s: %s (%d)", nbytes,
                     own->base.ops->name, (int)own->base.id.id, length, name,
                     cuda_error_name(own->driver, CUDA_NO_MEMORY), CUDA_NO_MEMORY);
}

jg_status cuda_alloc(jg_device *device, size_t nbytes, void **out)
{
    uint64_t address = 0;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    int error = CUDA_CALL_OF(own, alloc, &address, nbytes > 0 ? nbytes : 1);
    cuda_leave();
    *out = (void *)(uintptr_t)address;
    return error == CUDA_NO_MEMORY ? fail_size(own, nbytes)
                                   : cuda_check(own, offsetof(cuda_api, alloc), error);
}

/* A lost device frees nothing, and there is no remedy. */
void cuda_free(jg_device *device, void *handle, size_t nbytes)
{
    (void)nbytes;
    cuda_device *own = cuda_of(device);
    if (cuda_is_lost(own) || cuda_enter(device, NULL) != JG_OK)
        return;
    (void)CUDA_CALL_OF(own, free, (uint64_t)(uintptr_t)handle);
    cuda_leave();
}

/* Compares the driver's knowledge of one byte with the device. For an address that the driver does
 * not know, type is 0. */
static jg_status check_byte(const cuda_device *own, uint64_t address)
{
    unsigned type = 0;
    int ordinal = -1, questions[] = {CUDA_POINTER_TYPE, CUDA_POINTER_DEVICE};
    void *answers[] = {&type, &ordinal};
    const char *kind = own->base.ops->name;
    int number = (int)own->base.id.id;
    int error = CUDA_CALL_OF(own, pointer_attributes, 2, questions, answers, address);
    if (error != 0 || type != CUDA_TYPE_DEVICE)
        return base_fail(JG_ERR_BUFFER,
                         "data: %#llx is no memory of %s:%d; pass what its driver has allocated",
                         (unsigned long long)address, kind, number);
    if (ordinal != own->ordinal)
        return base_fail(JG_ERR_BUFFER,
                         "data: %#llx is memory of %s:%d, the tensor says %s:%d; name the first",
                         (unsigned long long)address, kind, ordinal, kind, number);
    return JG_OK;
}

/* A tensor may span several mappings of an allocator, so its first and its last byte are asked for,
 * and not the bounds of a block. */
jg_status cuda_adopt(jg_device *device, void *handle, uint64_t nbytes)
{
    cuda_device *own;
    uint64_t address = (uint64_t)(uintptr_t)handle;
    if (handle == NULL)
        return base_fail(JG_ERR_BUFFER, "data: got NULL, allowed is an address of %s:%d",
                         device->ops->name, (int)device->id.id);
    JG_TRY(cuda_enter(device, &own));
    jg_status status = check_byte(own, address);
    if (status == JG_OK && nbytes > 1)
        status = check_byte(own, address + nbytes - 1);
    cuda_leave();
    return status;
}

jg_status cuda_memory(jg_device *device, device_memory *out)
{
    size_t left = 0, total = 0;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    jg_status status = CUDA_DO(own, memory_info, &left, &total);
    cuda_leave();
    *out = (device_memory){.total = total, .free = left};
    return status;
}

static jg_status enqueue(const cuda_device *own, void *stream, const device_copy *copy)
{
    device_place to = copy->to, from = copy->from;
    switch (copy->direction) {
    case DEVICE_TO_HOST:
        return CUDA_DO(own, fetch, host(to), address_of(from), copy->nbytes, stream);
    case DEVICE_FROM_HOST:
        return CUDA_DO(own, send, address_of(to), host(from), copy->nbytes, stream);
    default: return CUDA_DO(own, copy, address_of(to), address_of(from), copy->nbytes, stream);
    }
}

/* Memory of the host that is not pinned is copied by way of the driver's own, for which this call
 * may wait. */
jg_status cuda_copy(jg_device *device, void *opaque, const device_copy *copy)
{
    cuda_queue *queue = opaque;
    cuda_device *own;
    JG_TRY(cuda_enter(device, &own));
    jg_status status = cuda_queue_catch_up(own, queue);
    if (status == JG_OK)
        status = enqueue(own, queue->stream, copy);
    cuda_leave();
    cuda_queue_note(queue, "copy");
    return status;
}
