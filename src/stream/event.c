/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a flag that is set once, with a lock and a condition only for those who have to wait.
 *
 * An event remembers in which process it was made, as the number of forks that lie before. One that
 * has not happened when the process forks would never happen in the child, so there it counts as
 * failed, unless the child adopts it along with the task that sets it. */
#include "stream/stream.h"
#include <pthread.h>
#include <stdatomic.h>

struct jg_event {
    atomic_int refs;
    atomic_bool set;
    bool failed;    /* written before `set`, read after it */
    unsigned forks; /* before it was made or adopted */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    jg_error error;
};

static unsigned forks; /* changed in a child that has one thread */

static const jg_error lost = {
    JG_ERR_LOST,
    "the array was being computed on another thread when the process forked, which the child "
    "process does not have",
};

/* A lock and a condition for this process; those that a fork has copied may be taken, for good. */
static void make_waitable(jg_event *event)
{
    event->forks = forks;
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->changed, NULL);
}

jg_status event_new(jg_event **out)
{
    /* The message is half a kilobyte that few events need: error is set by event_fail. */
    jg_event *event = base_alloc(sizeof *event);
    if (event == NULL)
        return base_nomem(sizeof *event, "an event");
    atomic_init(&event->refs, 1);
    atomic_init(&event->set, false);
    event->failed = false;
    make_waitable(event);
    *out = event;
    return JG_OK;
}

jg_event *event_retain(jg_event *event)
{
    atomic_fetch_add_explicit(&event->refs, 1, memory_order_relaxed);
    return event;
}

void event_release(jg_event *event)
{
    if (event == NULL || atomic_fetch_sub_explicit(&event->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (event->forks == forks) { /* else another process's threads may stand in them for good */
        pthread_cond_destroy(&event->changed);
        pthread_mutex_destroy(&event->lock);
    }
    base_free(event);
}

void event_fail(jg_event *event, jg_status status)
{
    error_capture(&event->error, status);
    event->failed = true;
}

void event_set(jg_event *event)
{
    bool awaited = event->forks == forks; /* else nobody is, and the lock is not to be trusted */
    if (awaited)
        pthread_mutex_lock(&event->lock);
    atomic_store_explicit(&event->set, true, memory_order_release);
    if (!awaited)
        return;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

/* Acquires what was written before event_set: results, and `failed` with the error. */
static bool has_happened(const jg_event *event)
{
    return atomic_load_explicit(&event->set, memory_order_acquire);
}

bool event_is_set(const jg_event *event)
{
    return has_happened(event) || event->forks != forks;
}

bool event_has_failed(const jg_event *event)
{
    return has_happened(event) ? event->failed : event->forks != forks;
}

jg_status event_wait(jg_event *event)
{
    if (!event_is_set(event)) {
        int64_t start = trace_start();
        /* In the child of a fork the task that sets the event may wait for a thread. */
        stream_adopt_tasks();
        pthread_mutex_lock(&event->lock);
        while (!has_happened(event))
            pthread_cond_wait(&event->changed, &event->lock);
        pthread_mutex_unlock(&event->lock);
        if (start != 0)
            trace_add("wait", "wait for an event", start, NULL);
    }
    if (!has_happened(event))
        return error_raise(&lost);
    return event->failed ? error_raise(&event->error) : JG_OK;
}

void event_lose_all(void)
{
    forks += 1;
}

void event_adopt(jg_event *event)
{
    make_waitable(event);
}

jg_status jg_event_new(jg_event **out)
{
    return event_new(out);
}

void jg_event_set(jg_event *event)
{
    event_set(event);
}

jg_event *jg_event_retain(jg_event *event)
{
    return event_retain(event);
}

void jg_event_release(jg_event *event)
{
    event_release(event);
}

bool jg_event_is_set(const jg_event *event)
{
    return event_is_set(event);
}

jg_status jg_event_wait(jg_event *event)
{
    return event_wait(event);
}
