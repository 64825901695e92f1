/* SPDX-License-Identifier: Apache-2.0 */
/* Events: a flag that is set once. Only threads that have to wait use its lock and its condition.
 *
 * An event remembers in which process it was made, as the number of forks that lie before. One that
 * has not happened when the process forks would never happen in the child, so there it counts as
 * failed, unless the child adopts it along with the task that sets it. */
#include "stream/stream.h"
#include <pthread.h>
#include <stdatomic.h>

/* `set` goes from false to true once; error, failed and the valid results are written before that
 * and do not change after it. */
struct jg_event {
    atomic_int refs;
    atomic_bool set;
    atomic_bool stopped;       /* its work should stop where it can; a waiter clears it */
    bool failed;               /* written before `set`, read after it */
    bool helped;               /* a thread was started that resumes the work; under the lock */
    stream_task *suspended;    /* the work, when it has stopped; under the lock */
    unsigned forks;            /* before it was made or adopted */
    const void *_Atomic queue; /* that has the work before it; NULL before it was given to one */
    int nvalid;                /* with what follows, written and read as `failed` is */
    const void **valid;        /* results that the failure has left as they should be */
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

/* Makes a lock and a condition for this process, as a thread that the child does not have may hold
 * those that a fork has copied. */
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
    atomic_init(&event->stopped, false);
    atomic_init(&event->queue, NULL);
    event->failed = event->helped = false;
    event->suspended = NULL;
    event->valid = NULL;
    event->nvalid = 0;
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
    if (event->suspended != NULL)
        event->suspended->drop(event->suspended);
    if (event->forks == forks) { /* otherwise threads of the parent process may be in them
                                    forever */
        pthread_cond_destroy(&event->changed);
        pthread_mutex_destroy(&event->lock);
    }
    base_free(event->valid);
    base_free(event);
}

/* Acquires what was written before event_set: results, and `failed` with the error. */
static bool has_happened(const jg_event *event)
{
    return atomic_load_explicit(&event->set, memory_order_acquire);
}

void event_fail(jg_event *event, jg_status status)
{
    error_capture(&event->error, status);
    event->failed = true;
}

void event_mark_valid(jg_event *event, const void **results, int count)
{
    event->valid = results;
    event->nvalid = count;
}

bool event_is_valid(const jg_event *event, const void *result)
{
    if (!has_happened(event))
        return false;
    for (int i = 0; i < event->nvalid; ++i)
        if (event->valid[i] == result)
            return true;
    return false;
}

void event_set(jg_event *event)
{
    bool awaited = event->forks == forks; /* else the lock's state is undefined */
    if (awaited)
        pthread_mutex_lock(&event->lock);
    atomic_store_explicit(&event->set, true, memory_order_release);
    if (!awaited)
        return;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

bool event_is_set(const jg_event *event)
{
    return has_happened(event) || event->forks != forks;
}

bool event_has_failed(const jg_event *event)
{
    return has_happened(event) ? event->failed : event->forks != forks;
}

/* The condition is for event_wait_submitted, which few threads call; queues of devices are given
 * work far less often than the host's tiers. */
void event_submit(jg_event *event, const void *queue)
{
    bool awaited = queue != NULL && event->forks == forks;
    if (awaited)
        pthread_mutex_lock(&event->lock);
    atomic_store_explicit(&event->queue, queue, memory_order_release);
    if (!awaited)
        return;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

bool event_precedes(const jg_event *event, const void *queue)
{
    if (event_is_set(event))
        return !event_has_failed(event);
    return queue != NULL && atomic_load_explicit(&event->queue, memory_order_acquire) == queue;
}

bool event_retain_living(jg_event *event)
{
    int refs = atomic_load_explicit(&event->refs, memory_order_relaxed);
    while (refs > 0)
        if (atomic_compare_exchange_weak(&event->refs, &refs, refs + 1))
            return true;
    return false;
}

void event_stop(jg_event *event)
{
    atomic_store_explicit(&event->stopped, true, memory_order_relaxed);
}

bool event_is_stopped(const jg_event *event)
{
    return JG_UNLIKELY(atomic_load_explicit(&event->stopped, memory_order_relaxed));
}

void event_suspend(jg_event *event, stream_task *task)
{
    pthread_mutex_lock(&event->lock);
    event->suspended = task;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

/* The caller holds the lock, which is released while the work goes on. Other waiters find no
 * suspended work, and wait. begun: of the call on this thread that can be interrupted, or NULL */
static void resume(jg_event *event, const unsigned *begun)
{
    stream_task *task = event->suspended;
    event->suspended = NULL;
    event->helped = false;
    event_retain(event); /* for task->event, which is this one since the work was suspended */
    pthread_mutex_unlock(&event->lock);
    task->resume(task, begun);
    pthread_mutex_lock(&event->lock);
}

/* Goes on with the work, unless another thread does or it has been stopped again. */
static void *help(void *argument)
{
    jg_event *event = argument;
    pthread_setname_np(pthread_self(), "jg evaluation");
    pthread_mutex_lock(&event->lock);
    event->helped = false;
    if (event->suspended != NULL && !event_is_stopped(event))
        resume(event, NULL);
    pthread_mutex_unlock(&event->lock);
    event_release(event);
    return NULL;
}

/* The lock is held. gives: false without a thread */
static bool start_helper(jg_event *event)
{
    pthread_t thread;
    if (event->helped)
        return true;
    if (pthread_create(&thread, NULL, help, event_retain(event)) != 0) {
        atomic_fetch_sub_explicit(&event->refs, 1, memory_order_relaxed); /* not the last */
        return false;
    }
    pthread_detach(thread);
    event->helped = true;
    return true;
}

/* Whether the work has stopped and the caller has to resume it. The lock is held. */
static bool find_stopped(jg_event *event)
{
    if (event->suspended == NULL)
        return false;
    atomic_store_explicit(&event->stopped, false, memory_order_relaxed);
    return true;
}

/* Whether a waiter has what it waits for: that the event has happened or, where that is enough,
 * that the work before it was given to a queue. */
static bool has_come(const jg_event *event, bool submitted)
{
    return has_happened(event) ||
           (submitted && atomic_load_explicit(&event->queue, memory_order_acquire) != NULL);
}

/* The lock is held. */
static void wait_to_the_end(jg_event *event)
{
    while (!has_happened(event)) {
        if (find_stopped(event))
            resume(event, NULL);
        else
            pthread_cond_wait(&event->changed, &event->lock);
    }
}

/* The lock is held. A thread that has to ask for interrupts leaves the work to another thread, so
 * that it can go on asking, and stops that thread's work when it is interrupted. */
static jg_status wait_interruptibly(jg_event *event, bool submitted, unsigned begun)
{
    bool watched = interrupt_is_watched(), interrupted = interrupt_has_come(begun);
    bool helped = false;
    while (!has_come(event, submitted) && !interrupted) {
        if (find_stopped(event) && !(watched && start_helper(event))) {
            resume(event, &begun);
        } else {
            helped |= event->helped;
            if (interrupt_wait(&event->changed, &event->lock))
                continue;
        }
        pthread_mutex_unlock(&event->lock);
        interrupted = interrupt_check(begun);
        pthread_mutex_lock(&event->lock);
    }
    if (!interrupted || has_come(event, submitted))
        return JG_OK;
    if (helped)
        event_stop(event);
    return interrupt_fail();
}

/* How a thread waits. */
typedef struct event_waiting {
    bool interruptible; /* by requests that are not among those begun */
    bool submitted;     /* only until the work was given to a queue */
    unsigned begun;
} event_waiting;

static jg_status wait_for(jg_event *event, event_waiting options)
{
    jg_status status = JG_OK;
    int64_t start = trace_start();
    leave_before_waiting();
    /* In the child of a fork the task that sets the event may wait for a thread. */
    stream_adopt_tasks();
    pthread_mutex_lock(&event->lock);
    atomic_store_explicit(&event->stopped, false, memory_order_relaxed);
    if (options.interruptible)
        status = wait_interruptibly(event, options.submitted, options.begun);
    else
        wait_to_the_end(event);
    pthread_mutex_unlock(&event->lock);
    if (start != 0)
        trace_add("wait", "wait for an event", start, NULL);
    return status;
}

/* raises: what an event that is set carries */
static jg_status raise_failure(const jg_event *event)
{
    if (!has_happened(event))
        return error_raise(&lost);
    return event->failed ? error_of_evaluation(error_raise(&event->error)) : JG_OK;
}

static jg_status wait_and_raise(jg_event *event, event_waiting options)
{
    if (!event_is_set(event))
        JG_TRY(wait_for(event, options));
    return raise_failure(event);
}

jg_status event_wait(jg_event *event)
{
    return wait_and_raise(event, (event_waiting){0});
}

jg_status event_wait_interruptibly(jg_event *event, unsigned begun)
{
    return wait_and_raise(event, (event_waiting){.interruptible = true, .begun = begun});
}

jg_status event_wait_submitted(jg_event *event, unsigned begun, const void **queue)
{
    const event_waiting options = {.interruptible = true, .submitted = true, .begun = begun};
    if (!event_is_set(event) && !has_come(event, true))
        JG_TRY(wait_for(event, options));
    *queue = event_is_set(event) ? NULL : atomic_load_explicit(&event->queue, memory_order_acquire);
    return *queue == NULL ? raise_failure(event) : JG_OK;
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
    return event_wait_interruptibly(event, interrupt_begin());
}
