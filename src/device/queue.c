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

jg_status device_product_new(jg_device *device, const device_product *product,
                             size_t *scratch_nbytes, void **out)
{
    *out = NULL;
    *scratch_nbytes = 0;
    if (device->ops->product_new == NULL)
        return JG_OK;
    return device->ops->product_new(device, product, scratch_nbytes, out);
}

void device_product_free(jg_device *device, void *made)
{
    if (made != NULL)
        device->ops->product_free(device, made);
}

jg_status device_product_run(jg_device *device, void *queue, void *made,
                             const device_product_start *start)
{
    return device->ops->product_run(device, queue, made, start);
}

/* The queue of the device's own, for copies of no stream. The mutex is held. */
static jg_status require_own_queue(jg_device *device)
{
    return device->queue != NULL ? JG_OK : device_queue_new(device, &device->queue);
}

/* Calls give and marks what it gave. After a failure too, as that must have run before its memory
 * is freed; the mark may write another message then, so the first failure is captured before. The
 * caller holds the mutex, so that a failure which the mark reports is a failure of this work. */
static jg_status give_and_mark(jg_device *device, void *queue, device_give *give, void *context,
                               jg_error *failure, void **mark)
{
    if (queue == NULL) {
        JG_TRY(require_own_queue(device));
        queue = device->queue;
    }
    failure->status = give(context, queue);
    if (failure->status != JG_OK)
        error_capture(failure, failure->status);
    jg_status recorded = device->ops->mark_record(device, queue, mark);
    return failure->status == JG_OK ? recorded : failure->status;
}

jg_status device_submit(jg_device *device, void *queue, device_give *give, void *context,
                        void **mark)
{
    jg_error failure = {.status = JG_OK};
    *mark = NULL;
    pthread_mutex_lock(&device->submitting);
    jg_status status = give_and_mark(device, queue, give, context, &failure, mark);
    pthread_mutex_unlock(&device->submitting);
    if (failure.status == JG_OK)
        return status;
    if (*mark != NULL)
        (void)device_mark_finish(device, *mark);
    return error_raise(&failure);
}

jg_status device_run(jg_device *device, void *queue, device_give *give, void *context)
{
    void *mark;
    JG_TRY(device_submit(device, queue, give, context, &mark));
    return device_mark_finish(device, mark);
}

typedef struct copies_given {
    jg_device *device;
    int count;
    const device_copy *copies;
} copies_given;

static jg_status give_copies(void *context, void *queue)
{
    const copies_given *given = context;
    for (int i = 0; i < given->count; ++i)
        JG_TRY(device_copy_start(given->device, queue, &given->copies[i]));
    return JG_OK;
}

jg_status device_copy_all(jg_device *device, void *queue, int count, const device_copy *copies)
{
    copies_given given = {device, count, copies};
    return device_run(device, queue, give_copies, &given);
}

bool device_mark_is_set(jg_device *device, void *mark)
{
    return device->ops->mark_is_set(device, mark);
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
        return base_fail(JG_ERR_DEVICE,
                         "device: got %s:%d, which takes no memory of others, allowed are devices "
                         "that do; make a copy",
                         device->ops->name, (int)device->id.id);
    return device->ops->adopt(device, handle, nbytes);
}

jg_status device_tell_memory(jg_device *device, device_memory *out)
{
    if (device->ops->memory == NULL)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "device: got %s:%d, which does not tell how much memory it has, allowed "
                         "are devices that do",
                         device->ops->name, (int)device->id.id);
    return device->ops->memory(device, out);
}

/* Numbers become streams here, so that callers need not know what a driver's are. */
static jg_status read_stream(const jg_device *device, int64_t number, void **out)
{
    return device->ops->stream_read(device, number, out);
}

jg_status device_stream_check(const jg_device *device, int64_t number)
{
    void *stream;
    return read_stream(device, number, &stream);
}

jg_status device_stream_adopt(jg_device *device, int64_t number, void **out)
{
    void *stream;
    JG_TRY(read_stream(device, number, &stream));
    return device->ops->stream_adopt(device, stream, out);
}

jg_status device_stream_mark(jg_device *device, int64_t number, void **out)
{
    void *stream;
    JG_TRY(read_stream(device, number, &stream));
    return device->ops->stream_mark(device, stream, out);
}

static jg_status make_own_queue_wait(jg_device *device, void *mark)
{
    pthread_mutex_lock(&device->submitting);
    jg_status status = require_own_queue(device);
    if (status == JG_OK)
        status = device->ops->queue_wait(device, device->queue, mark);
    pthread_mutex_unlock(&device->submitting);
    return status;
}

jg_status device_queue_wait(jg_device *device, void *queue, void *mark)
{
    return queue != NULL ? device->ops->queue_wait(device, queue, mark)
                         : make_own_queue_wait(device, mark);
}

void device_mark_drop(jg_device *device, void *mark)
{
    device->ops->mark_free(device, mark);
}

jg_status device_stream_lead(jg_device *device, void *queue, int64_t number)
{
    void *stream;
    JG_TRY(read_stream(device, number, &stream));
    return device->ops->stream_lead(device, queue, stream);
}

int64_t device_stream_number(const jg_device *device, void *queue)
{
    return device->ops->stream_number(device, queue);
}

void device_settle(jg_device *device)
{
    if (device->ops->settle != NULL)
        device->ops->settle(device);
}
