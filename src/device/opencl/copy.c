/* SPDX-License-Identifier: Apache-2.0 */
/* Copies to, from and within an OpenCL device. None waits: the caller keeps the host's memory until
 * the copy has run. */
#include "device/opencl/opencl.h"

static char *host(device_place place)
{
    return (char *)place.handle + place.offset;
}

static int enqueue(void *queue, const device_copy *copy, const char **call, void **event)
{
    device_place to = copy->to, from = copy->from;
    switch (copy->direction) {
    case DEVICE_TO_HOST:
        *call = "clEnqueueReadBuffer";
        return opencl.read(queue, from.handle, 0, from.offset, copy->nbytes, host(to), 0, NULL,
                           event);
    case DEVICE_FROM_HOST:
        *call = "clEnqueueWriteBuffer";
        return opencl.write(queue, to.handle, 0, to.offset, copy->nbytes, host(from), 0, NULL,
                            event);
    default:
        *call = "clEnqueueCopyBuffer";
        return opencl.copy(queue, from.handle, to.handle, from.offset, to.offset, copy->nbytes, 0,
                           NULL, event);
    }
}

jg_status opencl_copy(jg_device *device, void *opaque, const device_copy *copy)
{
    opencl_queue *queue = opaque;
    const char *call;
    void *event = NULL;
    JG_TRY(opencl_check(device));
    JG_TRY(opencl_queue_begin(queue, 1));
    int error = enqueue(queue->queue, copy, &call, &event);
    if (error == 0)
        opencl_queue_keep(queue, event, "copy");
    opencl_queue_end(queue);
    return opencl_call(device, call, error);
}
