/* SPDX-License-Identifier: Apache-2.0 */
/* stream: order and waiting. A stream runs its tasks one after the other on a thread of its own; an
 * event is a point that threads and streams wait for, and carries the failure of the work before
 * it.
 *
 * Streams live as long as the process, so that a node can name one by its number; a stream that
 * has no references is given out again by the next jg_stream_new.
 *
 * Lock order: the table's lock, then a stream's. An event's lock is a leaf; no task is called with
 * any of them held. */
#ifndef JG_STREAM_H
#define JG_STREAM_H

#include "base/base.h"
#include "device/device.h"
#include <joggle/stream.h>

/* event.c */

/* An event that has not happened. gives: *out, +1 | raises: NOMEM | waits: never */
jg_status event_new(jg_event **out);
/* gives: event, +1 */
jg_event *event_retain(jg_event *event);
void event_release(jg_event *event); /* NULL is fine */

/* Stores the thread's last failure, which had that status, in the event. Called before event_set,
 * by the same thread. */
void event_fail(jg_event *event, jg_status status);

/* Names results, by any address of the caller's, that are as they should be although the event has
 * failed. Called before event_set, by the same thread. takes: results, for base_free */
void event_mark_valid(jg_event *event, const void **results, int count);

/* Sets the event, and wakes all that wait for it. Called once, with a reference, as a waiter may
 * drop its own at once. */
void event_set(jg_event *event);

/* Whether it has happened, or never will: its work was running on a thread that a fork left
 * behind. */
bool event_is_set(const jg_event *event);
bool event_has_failed(const jg_event *event); /* meaningful once it is set */
/* Whether event_mark_valid has named the result. */
bool event_is_valid(const jg_event *event, const void *result);

/* Tells that the work before the event has been given to a device's queue, which is still to run
 * it. Called before event_set, by the thread that gave it. */
void event_submit(jg_event *event, const void *queue);

/* Whether work that is given to the queue from now on runs after the work before the event, for
 * example because the event has happened without a failure. */
bool event_precedes(const jg_event *event, const void *queue);

/* Waits on the calling thread, with no lock held. raises: what the event carries, LOST after a fork
 * | waits: until it has happened */
jg_status event_wait(jg_event *event);

/* The same for the call that began with this many requests to interrupt. The work goes on, unless
 * it is stopped. raises: INTERRUPTED, and as event_wait */
jg_status event_wait_interruptibly(jg_event *event, unsigned begun);

/* Waits until the work before the event was given to a queue, or has ended. gives: *queue, as
 * event_submit was told; NULL where the event has happened | raises: as event_wait_interruptibly |
 * waits: until then */
jg_status event_wait_submitted(jg_event *event, unsigned begun, const void **queue);

/* Asks the work before the event to stop at a point from which it can go on later; the next wait
 * for the event withdraws that. The thread that runs the work checks for it from time to time.
 * raises: never | waits: never */
void event_stop(jg_event *event);
bool event_is_stopped(const jg_event *event);

typedef struct stream_task stream_task;

/* Leaves work that has stopped to the next thread that waits for the event, or to event_release of
 * the last reference. The task has no reference to the event any more, so the caller, which has
 * one, drops the task's. All that wait for the event wake up.
 * takes: task; its resume or its drop frees it */
void event_suspend(jg_event *event, stream_task *task);

/* Takes a reference for a caller that knows the event only from its suspended work. gives: false if
 * the event is being freed */
bool event_retain_living(jg_event *event);

/* In the child of a fork, before it has other threads: events that have not happened are lost, but
 * for those that are adopted afterwards, because their work will run here. */
void event_lose_all(void);
void event_adopt(jg_event *event);

/* stream.c */

/* A task as the first field of a struct of the submitter's. */
struct stream_task {
    stream_task *next;
    /* Called once on the stream's thread, with no lock held. */
    void (*run)(struct stream_task *task);
    /* Called after run, when the stream counts as idle if no other task is queued: sets the event,
     * and frees the task. */
    void (*finish)(struct stream_task *task);
    jg_event *event; /* that finish sets, or NULL; borrowed */
    /* Resumes suspended work (event_suspend) and finishes it, with task->event and a reference to
     * it set; frees a task that is no longer needed, which has no event. With no lock of streams
     * held. begun: for interrupt_has_come, of the call that does it; NULL if it goes on in any
     * case */
    void (*resume)(struct stream_task *task, const unsigned *begun);
    void (*drop)(struct stream_task *task);
};

/* The numbers of the calling thread's default streams by device, for the nodes that it builds;
 * 0, of another device than the CPU, where the thread has chosen none. They are no references: a
 * stream may be given out again meanwhile, and then has two users. */
extern JG_FAST_THREAD_LOCAL uint16_t stream_current[DEVICE_MAX];

/* Makes sure that the device has a stream that threads start with. Before the first array on it is
 * made. raises: NOMEM, UNSUPPORTED | waits: never */
jg_status stream_open_device(int device);

/* The number of the stream that threads start with, of a device that has been opened. raises:
 * never */
uint16_t stream_first_of(int device);

/* The number of the stream that the calling thread computes on. raises: never */
static inline uint16_t stream_for(int device)
{
    if (JG_LIKELY(device == 0))
        return stream_current[0];
    return stream_current[device] != 0 ? stream_current[device] : stream_first_of(device);
}

/* The stream with the number that a node has. index: the number of a stream that exists.
 * gives: borrowed, valid forever */
jg_stream *stream_at(unsigned index);

/* The stream that threads start with. Its thread, as that of any other, starts with the first task
 * and is a daemon. gives: borrowed, valid forever */
jg_stream *stream_host(void);

/* A stream's queue where it has been made, else NULL. gives: borrowed, valid forever
 * raises: never */
void *stream_known_queue(const jg_stream *stream);

/* Gives a stream its queue. takes: queue, unless the stream has one: then it gives false */
bool stream_set_queue(jg_stream *stream, void *queue);

/* How many streams there are: they have the numbers below. raises: never */
unsigned stream_count(void);

/* Makes a stream of a queue over another library's stream, or finds the stream that was made of it
 * before.
 * takes: queue, if *taken says so | gives: *out, +1 | raises: NOMEM, UNSUPPORTED */
jg_status stream_add_adopted(jg_device *device, void *queue, bool *taken, jg_stream **out);

/* Whether it is over another library's stream and has no reference: then that may have ended. */
bool stream_is_abandoned(const jg_stream *stream);

/* Makes the streams ready for forks; the first submission does so too. A room that submits
 * with a lock held that it takes for a fork itself calls this before it installs its own hooks. */
void stream_install_hooks(void);

/* Appends a task. It counts as under way (progress_begin) from here on. takes: task (on JG_OK); its
 * finish frees it | raises: NOMEM when the thread cannot be started | waits: never */
jg_status stream_submit(jg_stream *stream, stream_task *task);

/* Appends a task that waits for work of the stream's queue, on another thread than the stream's,
 * which continues meanwhile. In order, like stream_submit. The stream's own tasks call it, and
 * callers that have run one of its tasks.
 * takes: task (on JG_OK); its finish frees it | raises: NOMEM when the thread cannot be started |
 * waits: never */
jg_status stream_follow(jg_stream *stream, stream_task *task);

/* Whether no work is queued or running: then the caller's thread may do the stream's work. Work
 * that others submit after that is not ordered with it. */
bool stream_is_idle(const jg_stream *stream);

/* Waits until every task submitted before has run, and what that has given to a queue: of one
 * stream, of all of them. Failures stay with the events. Not on a stream's own thread. */
void stream_synchronize(jg_stream *stream);
void stream_synchronize_all(void);

/* The same for a call that can be interrupted. raises: INTERRUPTED */
jg_status stream_synchronize_interruptibly(jg_stream *stream, unsigned begun);
jg_status stream_synchronize_all_interruptibly(unsigned begun);

/* Whether the calling thread is a stream's own. */
bool stream_is_worker(void);

/* queue.c */

/* The queue of a stream of a device that is not the host, made when first asked for.
 * gives: borrowed, valid forever | raises: NOMEM, DEVICE */
jg_status stream_queue(jg_stream *stream, void **out);

/* The queue of the stream with this number, if the stream is the device's and may be given work,
 * else NULL. gives: borrowed, valid forever | raises: never */
void *stream_queue_of(unsigned index, const jg_device *device);

/* Work that the queue is given from now on runs after the work that the other queues of the device
 * have now: they may have waited for another library's stream. raises: NOMEM, DEVICE */
jg_status stream_catch_up(jg_device *device, void *queue);

/* adopt.c */

/* In the child of a fork, before it has other threads: the next wait calls start, which starts the
 * threads of streams that have tasks. NULL: there are none. */
void stream_adopt_later(void (*start)(void));

/* Before a wait: in the child of a fork, starts the threads of streams that have tasks. */
void stream_adopt_tasks(void);

/* progress.c */

/* Work begins to be under way, from a stream's queue or a thread that is about to run it, and ends
 * when it has released its memory. Submission does so for tasks. */
void progress_begin(void);
void progress_end(void);

/* The calling thread runs work that counts as being under way: until progress_leave it does not
 * wait for such work. */
void progress_enter(void);
void progress_leave(void);

/* How many works have ended, since the process began. */
int64_t progress_count(void);

/* Waits until more have ended than seen. gives: false if none are under way that could end, or the
 * caller itself runs one */
bool progress_wait(int64_t seen);

/* For stream.c: over a fork the lock is held; the child has the tasks that are pending alone. */
void progress_before_fork(void);
void progress_after_fork(bool is_child, int64_t pending);

#endif
