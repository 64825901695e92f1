/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of streams: what a device runs for them. */
#include "stream/stream.h"

static bool is_same(jg_device_id a, jg_device_id b)
{
    return a.type == b.type && a.id == b.id;
}

/* An adopted stream without references may have ended. */
void *stream_queue_of(unsigned index, const jg_device *device)
{
    const jg_stream *stream = stream_at(index);
    if (!is_same(jg_stream_device(stream), device->id) || stream_is_abandoned(stream))
        return NULL;
    return stream_known_queue(stream);
}

/* Makes the queue wait for the present work of another stream's queue. */
static jg_status follow_queue(jg_device *device, void *queue, void *other)
{
    return device_stream_lead(device, other, device_stream_number(device, queue));
}

jg_status stream_catch_up(jg_device *device, void *queue)
{
    for (unsigned i = 0; device_has_streams(device) && i < stream_count(); ++i) {
        void *other = stream_queue_of(i, device);
        if (other != NULL && other != queue)
            JG_TRY(follow_queue(device, queue, other));
    }
    return JG_OK;
}

/* No lock is held here, so of two threads that make the queue at once one frees its own again. */
jg_status stream_queue(jg_stream *stream, void **out)
{
    jg_device *device = device_find(jg_stream_device(stream));
    void *queue = stream_known_queue(stream);
    if (queue == NULL) {
        JG_TRY(device_queue_new(device, &queue));
        jg_status status = stream_catch_up(device, queue);
        bool made = status == JG_OK && stream_set_queue(stream, queue);
        if (!made)
            device_queue_free(device, queue);
        JG_TRY(status);
        queue = stream_known_queue(stream);
    }
    *out = queue;
    return JG_OK;
}
