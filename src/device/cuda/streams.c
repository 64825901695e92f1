/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries, which DLPack names by numbers: 1 is the legacy default stream, 2 that
 * of the thread, and every other number is the driver's own handle. The driver takes 1 and 2 for
 * handles as well. 0 could mean either default stream, so it is refused. */
#include "device/cuda/cuda.h"
#include <inttypes.h>

enum { LEGACY = 1 };

jg_status cuda_stream_read(const jg_device *device, int64_t number, void **out)
{
    if (number == JG_STREAM_DEFAULT)
        number = LEGACY;
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

/* An event in the first stream that the second one waits for. */
static jg_status order(jg_device *device, void *first, void *second)
{
    void *event;
    JG_TRY(cuda_enter(device, NULL));
    jg_status status = cuda_call(device, "cuEventCreate", cuda.event_new(&event, CUDA_NO_TIMING));
    if (status == JG_OK) {
        status = cuda_call(device, "cuEventRecord", cuda.event_record(event, first));
        if (status == JG_OK)
            status =
                cuda_call(device, "cuStreamWaitEvent", cuda.stream_wait_event(second, event, 0));
        (void)cuda.event_free(event); /* the driver keeps it for those who wait */
    }
    cuda_leave();
    return status;
}

jg_status cuda_stream_follow(jg_device *device, void *stream, void *queue)
{
    void *own = ((cuda_queue *)queue)->stream;
    return own == stream ? JG_OK : order(device, stream, own);
}

jg_status cuda_stream_lead(jg_device *device, void *queue, void *stream)
{
    void *own = ((cuda_queue *)queue)->stream;
    return own == stream ? JG_OK : order(device, own, stream);
}

void cuda_settle(jg_device *device)
{
    if (cuda_is_lost() || cuda_enter(device, NULL) != JG_OK)
        return;
    (void)cuda.context_wait();
    cuda_leave();
}
