/* SPDX-License-Identifier: Apache-2.0 */
/* The order that users ask for: a point in a stream becomes an event, and a stream waits for an
 * event. Each is a task in the stream's queue. */
#include "stream/stream.h"

/* One task serves both: it waits for `before`, then sets its own event. */
typedef struct order_task {
    stream_task task;
    jg_event *before;
} order_task;

static void run(stream_task *task)
{
    order_task *own = (order_task *)(void *)task;
    if (own->before != NULL)
        (void)event_wait(own->before); /* the readers of its results see the failure */
}

static void finish(stream_task *task)
{
    order_task *own = (order_task *)(void *)task;
    if (own->task.event != NULL)
        event_set(own->task.event);
    event_release(own->task.event);
    event_release(own->before);
    base_free(own);
}

/* Either may be NULL. The task has references of its own to both, which finish drops. */
static jg_status submit(jg_stream *stream, jg_event *before, jg_event *event)
{
    order_task *own = base_alloc(sizeof *own);
    if (own == NULL)
        return base_nomem(sizeof *own, "an event");
    *own = (order_task){.task = {.run = run, .finish = finish}};
    own->task.event = event != NULL ? event_retain(event) : NULL;
    own->before = before != NULL ? event_retain(before) : NULL;
    jg_status status = stream_submit(stream, &own->task);
    if (status != JG_OK) {
        event_release(own->task.event);
        event_release(own->before);
        base_free(own);
    }
    return status;
}

jg_status jg_stream_record(jg_stream *stream, jg_event **out)
{
    jg_event *event;
    JG_TRY(event_new(&event));
    jg_status status = submit(stream, NULL, event);
    if (status == JG_OK)
        *out = event;
    else
        event_release(event);
    return status;
}

jg_status jg_stream_wait_event(jg_stream *stream, jg_event *event)
{
    return submit(stream, event, NULL);
}
