/* SPDX-License-Identifier: Apache-2.0 */
/* Streams of other libraries, on devices whose driver has streams that libraries share.
 *
 * What comes from another library was computed on a stream of its own. Which of joggle's streams
 * will read it is not known yet, so all queues of the device wait for that stream, and a queue that
 * is made later waits for the queues that are there. Nothing waits on the host. */
#include "stream/stream.h"
#include <inttypes.h>

bool jg_device_has_streams(jg_device_id id)
{
    const jg_device *device = jg_device_is_host_accessible(id.type) ? NULL : device_find(id);
    return device != NULL && device_has_streams(device);
}

/* raises: UNSUPPORTED where streams of others mean nothing */
static jg_status require_streams(jg_device_id id, jg_device **out)
{
    JG_TRY(device_require(id, out));
    if (device_has_streams(*out))
        return JG_OK;
    return base_fail(
        JG_ERR_UNSUPPORTED,
        "stream: %s:%d shares no streams with other libraries, allowed is a CUDA or ROCm device",
        jg_device_type_name(id.type), (int)id.id);
}

/* All queues of the device, and its own. */
static jg_status make_all_wait(jg_device *device, void *mark)
{
    jg_status status = device_queue_wait(device, NULL, mark);
    for (unsigned i = 0; status == JG_OK && i < stream_count(); ++i) {
        void *queue = stream_queue_of(i, device);
        if (queue != NULL)
            status = device_queue_wait(device, queue, mark);
    }
    return status;
}

/* The default stream has a queue from here on, so that there is one which waits. */
static jg_status require_queue(jg_device_id id)
{
    jg_stream *own;
    void *queue;
    JG_TRY(jg_stream_default(id, &own));
    jg_status status = stream_queue(own, &queue);
    jg_stream_release(own);
    return status;
}

jg_status jg_stream_follow(jg_device_id id, int64_t number)
{
    jg_device *device;
    void *mark;
    if (number == JG_STREAM_UNORDERED)
        return JG_OK;
    JG_TRY(require_streams(id, &device));
    JG_TRY(device_stream_check(device, number));
    JG_TRY(require_queue(id));
    JG_TRY(device_stream_mark(device, number, &mark));
    jg_status status = make_all_wait(device, mark);
    device_mark_drop(device, mark);
    return status;
}

jg_status jg_stream_number(jg_stream *stream, int64_t *out)
{
    jg_device *device;
    void *queue;
    JG_TRY(require_streams(jg_stream_device(stream), &device));
    JG_TRY(stream_queue(stream, &queue));
    *out = device_stream_number(device, queue);
    return JG_OK;
}

jg_status jg_stream_adopt(jg_device_id id, int64_t number, jg_stream **out)
{
    jg_device *device;
    void *queue;
    JG_TRY(require_streams(id, &device));
    if (number == JG_STREAM_UNORDERED)
        return base_fail(JG_ERR_VALUE, "stream: got %" PRId64 ", allowed is the number of a stream",
                         number);
    JG_TRY(device_stream_adopt(device, number, &queue));
    jg_status status = stream_catch_up(device, queue);
    bool taken = false;
    if (status == JG_OK)
        status = stream_add_adopted(device, queue, &taken, out);
    if (!taken)
        device_queue_free(device, queue);
    return status;
}
