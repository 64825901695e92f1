/* SPDX-License-Identifier: Apache-2.0 */
/* stream: order and waiting. A stream runs its tasks one after the other on a thread of its own; an
 * event is a point that others wait for, and carries the failure of the work before it.
 *
 * Lock order: a stream's lock and an event's lock are leaves; nothing is called with either
 * held. */
#ifndef JG_STREAM_H
#define JG_STREAM_H

#include "base/base.h"

typedef struct jg_event jg_event;
typedef struct jg_stream jg_stream;

/* ---- event.c ---- */

/* An event that has not happened. gives: *out, +1 | raises: NOMEM */
jg_status event_new(jg_event **out);
jg_event *event_retain(jg_event *event);
void event_release(jg_event *event); /* NULL is fine */

/* Makes the event happen, once, with the failure or without (NULL). keeps: a copy | wakes all
 * waiters */
void event_set(jg_event *event, const jg_error *error);

bool event_is_set(const jg_event *event);
bool event_has_failed(const jg_event *event); /* meaningful once it is set */

/* Waits on the calling thread. raises: what the event carries */
jg_status event_wait(jg_event *event);

/* ---- stream.c ---- */

typedef struct stream_task {
    struct stream_task *next;
    void (*run)(struct stream_task *task); /* called once on the stream's thread; owns the task */
} stream_task;

/* The one host stream. Lives forever; its thread starts with the first task and is a daemon. */
jg_stream *stream_host(void);

/* Makes the stream ready for forks; the first submission does so too. Whoever submits with a
 * lock held that it takes for a fork itself calls this before it installs its own hooks. */
void stream_install_hooks(void);

/* Appends a task. takes: task (on JG_OK) | raises: NOMEM when the thread cannot be started */
jg_status stream_submit(jg_stream *stream, stream_task *task);

/* Waits until every task submitted before has run. */
void stream_synchronize(jg_stream *stream);

/* Whether the calling thread is a stream's own. */
bool stream_is_worker(void);

#endif
