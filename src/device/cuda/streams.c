/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries, which DLPack names by numbers: most are the driver's own handles. */
#include "device/cuda/cuda.h"
#include <inttypes.h>

jg_status cuda_stream_read(const jg_device *device, int64_t number, void **out)
{
    const cuda_vendor *vendor = ((const cuda_device *)(const void *)device)->driver->vendor;
    if (number == JG_STREAM_DEFAULT)
        number = (int64_t)vendor->legacy_stream;
    if (!vendor->is_stream(number))
        return base_fail(JG_ERR_BUFFER, "stream: got %" PRId64 " for %s:%d, allowed are %s", number,
                         device->ops->name, (int)device->id.id, vendor->allowed);
    *out = (void *)(uintptr_t)number;
    return JG_OK;
}

int64_t cuda_stream_number(const jg_device *device, void *queue)
{
    (void)device;
    return (int64_t)(uintptr_t)((cuda_queue *)queue)->stream;
}

jg_status cuda_stream_adopt(jg_device *device, void *stream, void **out)
{
    cuda_queue *queue = base_alloc_zeroed(sizeof *queue);
    (void)device;
    if (queue == NULL)
        return base_nomem(sizeof *queue, "a queue");
    pthread_mutex_init(&queue->lock, NULL);
    queue->stream = stream;
    *out = queue;
    return JG_OK;
}

/* The context is current. */
static jg_status lead(cuda_device *device, cuda_queue *queue, void *stream)
{
    void *event;
    JG_TRY(cuda_queue_catch_up(device, queue));
    JG_TRY(cuda_event_record(device, queue->stream, &event));
    jg_status status = CUDA_DO(device, stream_wait_event, stream, event, 0);
    cuda_event_drop(device, event);
    return status;
}

/* A mark is not used: it would take over the labels that a later mark of the queue has to tell. */
jg_status cuda_stream_lead(jg_device *device, void *queue, void *stream)
{
    cuda_device *entered;
    if (((cuda_queue *)queue)->stream == stream)
        return JG_OK;
    JG_TRY(cuda_enter(device, &entered));
    jg_status status = lead(entered, queue, stream);
    cuda_leave();
    return status;
}

void cuda_settle(jg_device *device)
{
    cuda_device *own = cuda_of(device);
    if (cuda_is_lost(own) || cuda_enter(device, NULL) != JG_OK)
        return;
    (void)own->driver->call.context_wait();
    cuda_leave();
}
