/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when and on which thread foreign memory is released.
 *
 * A deleter may take the GIL, and a thread that waits for us may hold it. So a release that
 * becomes due while joggle holds locks is delayed until they are dropped, and one that becomes due
 * on a stream's thread goes to the reaper, a thread that nothing waits for while holding a lock. */
#include "memory/memory.h"
#include <pthread.h>

/* The buffers to release at the outermost memory_defer_end, linked by jg_buffer.next. */
static JG_FAST_THREAD_LOCAL jg_buffer *deferred;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static jg_buffer *queue;
/* busy: the reaper has taken a list off the queue and runs it. Under the lock, as the queue. */
static bool started, busy;
static JG_FAST_THREAD_LOCAL bool is_reaper; /* the calling thread */

/* Waits for each device that has a block of joggle's own on the list, which is mostly one. */
static void settle_all(const jg_buffer *buffer)
{
    const jg_device *settled = NULL;
    for (; buffer != NULL; buffer = buffer->next)
        if (!buffer_is_foreign(buffer) && buffer->device != settled) {
            device_settle(buffer->device);
            settled = buffer->device;
        }
}

/* The owner may call joggle, which must not release the lock of the caller of this evaluation: the
 * owner's own call does so where it waits. */
static void give_back(jg_buffer *buffer)
{
    base_leaver before = leaver_set((base_leaver){0});
    if (buffer->release != NULL)
        buffer->release(buffer->context);
    leaver_set(before);
    buffer_free_foreign(buffer);
}

/* No lock is held. A release may run any code, so the next buffer is read before it. */
static void run_all(jg_buffer *buffer)
{
    settle_all(buffer);
    while (buffer != NULL) {
        jg_buffer *next = buffer->next;
        if (buffer_is_foreign(buffer))
            give_back(buffer);
        else
            block_recycle(buffer);
        buffer = next;
    }
}

static void *reap(void *argument)
{
    (void)argument;
    is_reaper = true;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (queue == NULL)
            pthread_cond_wait(&changed, &lock);
        jg_buffer *all = queue;
        queue = NULL;
        busy = true;
        pthread_mutex_unlock(&lock);
        run_all(all);
        pthread_mutex_lock(&lock);
        busy = false;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

/* The lock is held. */
static bool start_reaper(void)
{
    pthread_t thread;
    if (!started && pthread_create(&thread, NULL, reap, NULL) == 0) {
        pthread_detach(thread);
        started = true;
    }
    return started;
}

/* If no thread can be started, this one runs the releases: leaving the memory unreleased would be
 * worse. */
static void hand_over(jg_buffer *list)
{
    jg_buffer *last = list;
    while (last->next != NULL)
        last = last->next;
    pthread_mutex_lock(&lock);
    bool taken = start_reaper();
    if (taken) {
        last->next = queue;
        queue = list;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (!taken)
        run_all(list);
}

void memory_settle_later(jg_buffer *buffer)
{
    buffer->next = NULL;
    hand_over(buffer);
}

/* The buffer goes on the list even if it may be released at once: its release may drop the last
 * reference to another import, and that call has to find deferrals under way. */
void memory_run_release(jg_buffer *buffer)
{
    memory_defer_begin();
    buffer->next = deferred;
    deferred = buffer;
    memory_defer_end();
}

void memory_defer_begin(void)
{
    memory_deferrals += 1;
}

static void run_deferred(void)
{
    while (deferred != NULL || surplus_is_any()) {
        jg_buffer *list = deferred;
        deferred = NULL;
        surplus_free();
        if (list == NULL)
            continue;
        if (stream_is_worker())
            hand_over(list);
        else
            run_all(list);
    }
}

/* Deferrals go down after the releases: what they release in turn is put off and found by the
 * loop, so that a long chain of imports of exports needs no more stack than a short one. */
void memory_defer_end(void)
{
    if (memory_deferrals == 1 && JG_UNLIKELY(deferred != NULL || surplus_is_any()))
        run_deferred();
    memory_deferrals -= 1;
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_child(void)
{
    pthread_cond_init(&changed, NULL);
    started = busy = false;
    is_reaper = false; /* a deleter has forked */
    pthread_mutex_unlock(&lock);
}

void memory_install_hooks(void)
{
    cache_install_hooks();
    readers_install_hooks();
    mapping_install_hooks();
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* The lock is held. It is released while the interrupt check runs. gives: whether the wait goes
 * on */
static bool wait_a_slice(const unsigned *begun)
{
    if (begun == NULL) {
        pthread_cond_wait(&changed, &lock);
        return true;
    }
    if (interrupt_wait(&changed, &lock))
        return true;
    pthread_mutex_unlock(&lock);
    bool interrupted = interrupt_check(*begun);
    pthread_mutex_lock(&lock);
    return !interrupted;
}

jg_status memory_drain(const unsigned *begun)
{
    bool goes_on = true;
    if (is_reaper)
        return JG_OK;
    pthread_mutex_lock(&lock);
    while (goes_on && started && (queue != NULL || busy))
        goes_on = wait_a_slice(begun);
    pthread_mutex_unlock(&lock);
    return goes_on ? JG_OK : interrupt_fail();
}
