/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a device's slots, and copies. Those that the caller waits for wait for a mark of their
 * own, and use a queue of the device's own where the caller names none. */
#include "device/device.h"

jg_status device_alloc(jg_device *device, size_t nbytes, void **out)
{
    return device->ops->alloc(device, nbytes, out);
}

void device_free(jg_device *device, void *handle, size_t nbytes)
{
    device->ops->free(device, handle, nbytes);
}

jg_status device_queue_new(jg_device *device, void **out)
{
    return device->ops->queue_new(device, out);
}

void device_queue_free(jg_device *device, void *queue)
{
    device->ops->queue_free(device, queue);
}

/* Gives the queue the copies and a mark behind them. The caller holds the mutex, so that a failure
 * which the mark reports is a failure of these copies. */
static jg_status submit(jg_device *device, void *queue, int count, const device_copy *copies,
                        void **mark)
{
    jg_status status = JG_OK;
    if (queue == NULL && device->queue == NULL)
        JG_TRY(device_queue_new(device, &device->queue));
    if (queue == NULL)
        queue = device->queue;
    for (int i = 0; i < count && status == JG_OK; ++i)
        if (copies[i].nbytes > 0)
            status = device->ops->copy(device, queue, &copies[i]);
    /* This waits after a failure too, as copies that were queued must have run before their memory
     * is freed. */
    jg_status recorded = device->ops->mark_record(device, queue, mark);
    return status == JG_OK ? recorded : status;
}

jg_status device_copy_all(jg_device *device, void *queue, int count, const device_copy *copies)
{
    void *mark = NULL;
    pthread_mutex_lock(&device->submitting);
    jg_status status = submit(device, queue, count, copies, &mark);
    pthread_mutex_unlock(&device->submitting);
    if (mark != NULL) {
        jg_status waited = device_mark_finish(device, mark);
        status = status == JG_OK ? waited : status;
    }
    return status;
}

jg_status device_mark_record(jg_device *device, void *queue, void **out)
{
    pthread_mutex_lock(&device->submitting);
    jg_status status = device->ops->mark_record(device, queue, out);
    pthread_mutex_unlock(&device->submitting);
    return status;
}

jg_status device_mark_finish(jg_device *device, void *mark)
{
    jg_status status = device->ops->mark_wait(device, mark);
    device->ops->mark_free(device, mark);
    return status;
}

jg_status device_copy_start(jg_device *device, void *queue, const device_copy *copy)
{
    return copy->nbytes > 0 ? device->ops->copy(device, queue, copy) : JG_OK;
}

jg_status device_adopt(jg_device *device, void *handle, uint64_t nbytes)
{
    if (device->ops->adopt == NULL)
        return jg_fail(JG_ERR_DEVICE, "device: %s:%d takes no memory of others", device->ops->name,
                       (int)device->id.id);
    return device->ops->adopt(device, handle, nbytes);
}

jg_status device_tell_memory(jg_device *device, device_memory *out)
{
    if (device->ops->memory == NULL)
        return jg_fail(JG_ERR_UNSUPPORTED, "device: %s:%d does not tell how much memory it has",
                       device->ops->name, (int)device->id.id);
    return device->ops->memory(device, out);
}
