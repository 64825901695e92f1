/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries, which DLPack names by numbers: 1 is the legacy default stream, 2 that
 * of the thread, and every other number is the driver's own handle. The driver takes 1 and 2 for
 * handles as well. 0 could mean either default stream, so it is refused. */
#include "device/cuda/cuda.h"
#include <inttypes.h>

jg_status cuda_stream_read(const jg_device *device, int64_t number, void **out)
{
    if (number == JG_STREAM_DEFAULT)
        number = CUDA_LEGACY_STREAM;
    if (number <= 0)
        return jg_fail(JG_ERR_BUFFER,
                       "stream: got %" PRId64 " for cuda:%d, allowed are None, -1, 1 (the legacy "
                       "default stream), 2 (that of the thread) and a stream's handle",
                       number, (int)device->id.id);
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
    int error = cuda.stream_wait_event(stream, event, 0);
    cuda_event_drop(device, event);
    return cuda_call(&device->base, "cuStreamWaitEvent", error);
}

/* Not by a mark, which would take over the labels that a later one of the queue has to tell. */
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
    if (cuda_is_lost() || cuda_enter(device, NULL) != JG_OK)
        return;
    (void)cuda.context_wait();
    cuda_leave();
}
