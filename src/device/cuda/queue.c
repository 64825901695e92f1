/* SPDX-License-Identifier: Apache-2.0 */
/* Queues, which are streams of the driver. */
#include "device/cuda/cuda.h"

void cuda_queue_note(cuda_queue *queue, const char *label)
{
    pthread_mutex_lock(&queue->lock);
    cuda_labels *labels = &queue->labels;
    if (labels->count < CUDA_MAX_LABELS)
        labels->first[labels->count] = label;
    labels->count += 1;
    pthread_mutex_unlock(&queue->lock);
}

/* Two threads may do so at once: then the queue waits twice. */
jg_status cuda_queue_catch_up(cuda_device *device, cuda_queue *queue)
{
    void *event;
    unsigned asked = atomic_load_explicit(&queue->asked, memory_order_acquire);
    if (JG_LIKELY(asked == atomic_load_explicit(&queue->told, memory_order_acquire)))
        return JG_OK;
    JG_TRY(cuda_event_record(device, cuda_legacy_stream(device), &event));
    jg_status status = CUDA_DO(device, stream_wait_event, queue->stream, event, 0);
    cuda_event_drop(device, event);
    if (status == JG_OK)
        atomic_store_explicit(&queue->told, asked, memory_order_release);
    return status;
}

jg_status cuda_queue_new(jg_device *device, void **out)
{
    cuda_device *own;
    cuda_queue *queue = base_alloc_zeroed(sizeof *queue);
    if (queue == NULL)
        return base_nomem(sizeof *queue, "a queue");
    jg_status status = cuda_enter(device, &own);
    if (status == JG_OK) {
        status = CUDA_DO(own, stream_new, &queue->stream, CUDA_NON_BLOCKING);
        cuda_leave();
    }
    if (status != JG_OK) {
        base_free(queue);
        return status;
    }
    pthread_mutex_init(&queue->lock, NULL);
    queue->owned = true;
    *out = queue;
    return JG_OK;
}

void cuda_queue_free(jg_device *device, void *opaque)
{
    cuda_queue *queue = opaque;
    cuda_device *own = cuda_of(device);
    if (queue->owned && !cuda_is_lost(own) && cuda_enter(device, NULL) == JG_OK) {
        (void)CUDA_CALL_OF(own, stream_wait, queue->stream);
        (void)CUDA_CALL_OF(own, stream_free, queue->stream);
        cuda_leave();
    }
    pthread_mutex_destroy(&queue->lock);
    base_free(queue);
}
