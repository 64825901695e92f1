/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a flag that is set once, with a lock and a condition only for those who have to wait. */
#include "stream/stream.h"
#include <pthread.h>
#include <stdatomic.h>

struct jg_event {
    atomic_int refs;
    atomic_bool set;
    bool failed; /* written before `set`, read after it */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    jg_error error;
};

jg_status event_new(jg_event **out)
{
    jg_event *event = base_alloc(sizeof *event);
    if (event == NULL)
        return base_nomem(sizeof *event, "an event");
    atomic_init(&event->refs, 1);
    atomic_init(&event->set, false);
    event->failed = false;
    pthread_mutex_init(&event->lock, NULL);
    pthread_cond_init(&event->changed, NULL);
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
    pthread_cond_destroy(&event->changed);
    pthread_mutex_destroy(&event->lock);
    base_free(event);
}

void event_set(jg_event *event, const jg_error *error)
{
    pthread_mutex_lock(&event->lock);
    event->failed = error != NULL;
    if (error != NULL)
        event->error = *error;
    atomic_store_explicit(&event->set, true, memory_order_release);
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

bool event_is_set(const jg_event *event)
{
    return atomic_load_explicit(&event->set, memory_order_acquire);
}

bool event_has_failed(const jg_event *event)
{
    return event_is_set(event) && event->failed;
}

jg_status event_wait(jg_event *event)
{
    if (!event_is_set(event)) {
        int64_t start = trace_start();
        pthread_mutex_lock(&event->lock);
        while (!event_is_set(event))
            pthread_cond_wait(&event->changed, &event->lock);
        pthread_mutex_unlock(&event->lock);
        if (start != 0)
            trace_add("wait", "wait for an event", start, NULL);
    }
    return event->failed ? error_raise(&event->error) : JG_OK;
}
