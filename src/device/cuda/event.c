/* SPDX-License-Identifier: Apache-2.0 */
/* Events of the driver, some of which are kept. A queue that waits for an event waits for what it
 * was when the wait was given, so it may be recorded anew while other queues still wait. */
#include "device/cuda/cuda.h"

jg_status cuda_event_take(cuda_device *device, void **out)
{
    void *event = NULL;
    pthread_mutex_lock(&device->keeping);
    if (device->nevents > 0)
        event = device->events[--device->nevents];
    pthread_mutex_unlock(&device->keeping);
    *out = event;
    return event != NULL ? JG_OK : CUDA_DO(device, event_new, out, CUDA_NO_TIMING);
}

void cuda_event_drop(cuda_device *device, void *event)
{
    pthread_mutex_lock(&device->keeping);
    bool kept = device->nevents < CUDA_MAX_EVENTS;
    if (kept)
        device->events[device->nevents++] = event;
    pthread_mutex_unlock(&device->keeping);
    if (!kept)
        (void)CUDA_CALL_OF(device, event_free, event);
}

jg_status cuda_event_record(cuda_device *device, void *stream, void **out)
{
    void *event;
    JG_TRY(cuda_event_take(device, &event));
    jg_status status = CUDA_DO(device, event_record, event, stream);
    if (status == JG_OK)
        *out = event;
    else
        cuda_event_drop(device, event);
    return status;
}
