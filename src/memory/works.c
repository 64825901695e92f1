/* SPDX-License-Identifier: Apache-2.0 */
/* Work over places that a device still runs: launches of kernels over fields, of which no event
 * tells. Whatever the device is given after such a work comes after it, on whatever queue. The host
 * waits for works where it reads places, hands them to other libraries, or waits for everything,
 * and there the first failure is raised.
 *
 * Works are on one list, the oldest first, from which the thread that has waited for one takes it;
 * others that need the same wait for that thread. Works that have run are taken when the list is
 * next looked at, or at once by a thread that waits for them (memory_works_end_soon). The lock is a
 * leaf. */
#include "memory/memory.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

enum {
    MAX_WORKS = 256, /* then a launch waits for the oldest */
    SPINS = 64,
    MIN_PAUSE_NS = 20000,
    MAX_PAUSE_NS = 1000000
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static memory_work *first;        /* under the lock, as the next three */
static uint64_t last;             /* the number of the newest */
static jg_error kept[DEVICE_MAX]; /* the first failure of works since the last wait */
static bool has_kept[DEVICE_MAX];
static atomic_int nworks; /* on the list, and failures that are kept; written under the lock */

static void count(int change)
{
    atomic_fetch_add_explicit(&nworks, change, memory_order_release);
}

/* gives: its number */
static uint64_t append(memory_work *work)
{
    memory_work **at = &first;
    pthread_mutex_lock(&lock);
    while (*at != NULL)
        at = &(*at)->next;
    *at = work;
    work->next = NULL;
    work->waited = true; /* no other thread finishes it until it is put back */
    uint64_t number = work->number = ++last;
    count(1);
    pthread_mutex_unlock(&lock);
    return number;
}

void memory_works_keep_failure(const jg_device *device, const jg_error *failure)
{
    pthread_mutex_lock(&lock);
    if (!has_kept[device->index]) {
        has_kept[device->index] = true;
        kept[device->index] = *failure;
        count(1);
    }
    pthread_mutex_unlock(&lock);
}

static void keep_own_failure(const jg_device *device, jg_status status)
{
    jg_error failure;
    error_capture(&failure, status);
    memory_works_keep_failure(device, &failure);
}

/* The mark is set, or is waited for here. The work stays on the list until it has ended; foreign
 * owners are called after that, as they may wait for a thread that waits for the work. */
static void finish(memory_work *work)
{
    memory_work **at = &first;
    memory_defer_begin();
    jg_status status = work->end(work, device_mark_finish(work->device, work->mark));
    if (status != JG_OK)
        keep_own_failure(work->device, status);
    pthread_mutex_lock(&lock);
    while (*at != work)
        at = &(*at)->next;
    *at = work->next;
    count(-1);
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
    base_free(work);
    memory_defer_end();
}

/* The works that memory_works_wait waits for. */
typedef struct works_query {
    const jg_device *device; /* NULL: any */
    uint64_t first, last;    /* no work with a smaller number, and none with a larger one */
} works_query;

/* The oldest work of those, which is the caller's to finish then. gives: NULL where there is none;
 * *busy, whether another thread finishes one */
static memory_work *take(const works_query *query, bool *busy)
{
    memory_work *work = NULL;
    pthread_mutex_lock(&lock);
    *busy = false;
    for (memory_work *w = first; w != NULL && work == NULL && w->number <= query->last;
         w = w->next) {
        if (w->number < query->first || (query->device != NULL && w->device != query->device))
            continue;
        *busy |= w->waited;
        if (!w->waited)
            work = w;
    }
    if (work != NULL)
        work->waited = true;
    pthread_mutex_unlock(&lock);
    return work;
}

static void put_back(memory_work *work)
{
    pthread_mutex_lock(&lock);
    work->waited = false;
    pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

static void sleep_for(int64_t pause_ns)
{
    const struct timespec pause = {.tv_nsec = pause_ns};
    (void)nanosleep(&pause, NULL);
}

/* Drivers do not wait for a mark and for a signal at once, so the mark is looked at in pauses,
 * which grow. gives: false where the call was interrupted first */
static bool wait_for_mark(const memory_work *work, unsigned begun)
{
    int64_t pause = MIN_PAUSE_NS, asked = trace_clock();
    for (int turn = 0; !device_mark_is_set(work->device, work->mark); ++turn) {
        if (turn < SPINS) {
            (void)sched_yield();
            continue;
        }
        sleep_for(pause);
        pause = int64_min(2 * pause, MAX_PAUSE_NS);
        if (interrupt_has_come(begun))
            return false;
        if (trace_clock() - asked < INTERRUPT_SLICE_NS)
            continue;
        asked = trace_clock();
        if (interrupt_check(begun))
            return false;
    }
    return true;
}

/* One slice of a wait for the thread that finishes a work. */
static void wait_for_others(void)
{
    pthread_mutex_lock(&lock);
    (void)interrupt_wait(&ended, &lock);
    pthread_mutex_unlock(&lock);
}

/* work: NULL while other threads finish what is wanted. begun: of the call, NULL where it cannot be
 * interrupted. raises: INTERRUPTED */
static jg_status finish_or_wait(memory_work *work, const unsigned *begun)
{
    if (work == NULL) {
        wait_for_others();
        return begun != NULL && interrupt_check(*begun) ? interrupt_fail() : JG_OK;
    }
    if (begun != NULL && !wait_for_mark(work, *begun)) {
        put_back(work);
        return interrupt_fail();
    }
    finish(work);
    return JG_OK;
}

/* raises: INTERRUPTED */
static jg_status finish_all(const works_query *query, const unsigned *begun)
{
    for (;;) {
        bool busy;
        memory_work *work = take(query, &busy);
        if (work == NULL && !busy)
            return JG_OK;
        JG_TRY(finish_or_wait(work, begun));
    }
}

static bool take_failure(int device, jg_error *out)
{
    bool found;
    pthread_mutex_lock(&lock);
    found = has_kept[device];
    if (found) {
        *out = kept[device];
        has_kept[device] = false;
        count(-1);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static jg_status raise_failure(const jg_device *device)
{
    jg_error failure;
    for (int i = 0; i < DEVICE_MAX; ++i)
        if ((device == NULL || device->index == i) && take_failure(i, &failure))
            return error_raise(&failure);
    return JG_OK;
}

static uint64_t newest(void)
{
    pthread_mutex_lock(&lock);
    uint64_t number = last;
    pthread_mutex_unlock(&lock);
    return number;
}

jg_status memory_works_wait(const jg_device *device)
{
    unsigned begun = interrupt_begin();
    if (JG_LIKELY(atomic_load_explicit(&nworks, memory_order_acquire) == 0))
        return JG_OK;
    JG_TRY(finish_all(&(works_query){device, 0, newest()}, &begun));
    return raise_failure(device);
}

void memory_works_settle(const jg_device *device)
{
    (void)finish_all(&(works_query){device, 0, newest()}, NULL);
}

void memory_works_wait_quietly(void)
{
    jg_error failure;
    memory_works_settle(NULL);
    for (int i = 0; i < DEVICE_MAX; ++i)
        (void)take_failure(i, &failure);
}

/* Ends works that have run, without a wait; where there are too many, waits for the oldest. */
static void finish_past(void)
{
    bool busy;
    memory_work *work;
    const works_query all = {NULL, 0, newest()};
    while ((work = take(&all, &busy)) != NULL) {
        bool is_full = atomic_load_explicit(&nworks, memory_order_relaxed) > MAX_WORKS;
        if (!is_full && !device_mark_is_set(work->device, work->mark)) {
            put_back(work);
            return;
        }
        finish(work);
    }
}

jg_status memory_works_end_finished(void)
{
    if (JG_LIKELY(atomic_load_explicit(&nworks, memory_order_acquire) == 0))
        return JG_OK;
    finish_past();
    return raise_failure(NULL);
}

/* Makes all other queues of the device wait for the mark: the queue for copies without a stream,
 * and the queues of streams. */
static jg_status order_queues(const memory_work *work)
{
    JG_TRY(device_queue_wait(work->device, NULL, work->mark));
    for (unsigned i = 0; i < stream_count(); ++i) {
        void *other = stream_queue_of(i, work->device);
        if (other != NULL && other != work->queue)
            JG_TRY(device_queue_wait(work->device, other, work->mark));
    }
    return JG_OK;
}

/* The work is on the list before the queues are looked at: one that is opened meanwhile is either
 * seen here, or finds the work there and waits for it (run/blocks.c). What cannot be ordered is
 * waited for. */
uint64_t memory_works_add(memory_work *work)
{
    const jg_device *device = work->device;
    uint64_t number = append(work);
    bool ordered = order_queues(work) == JG_OK;
    put_back(work);
    if (!ordered)
        memory_works_settle(device);
    finish_past();
    return number;
}

/* A work that a stream's follower waits for. */
typedef struct end_task {
    stream_task task;
    const jg_device *device;
    uint64_t number;
} end_task;

static void end_one(stream_task *task)
{
    const end_task *own = (const end_task *)(const void *)task;
    (void)finish_all(&(works_query){own->device, own->number, own->number}, NULL);
}

static void free_task(stream_task *task)
{
    base_free(task);
}

void memory_works_end_soon(const jg_device *device, uint64_t number, jg_stream *stream)
{
    end_task *own = base_alloc(sizeof *own);
    if (own == NULL)
        return;
    *own = (end_task){{.run = end_one, .finish = free_task}, device, number};
    if (stream_follow(stream, &own->task) != JG_OK)
        base_free(own);
}

jg_status memory_works_lead(const jg_device *device, int64_t stream)
{
    void *queues[DEVICE_MAX], *queue = NULL;
    int count_queues = 0;
    if (JG_LIKELY(atomic_load_explicit(&nworks, memory_order_acquire) == 0))
        return JG_OK;
    pthread_mutex_lock(&lock);
    for (const memory_work *w = first; w != NULL && count_queues < DEVICE_MAX; w = w->next)
        if (w->device == device && w->queue != queue)
            queues[count_queues++] = queue = w->queue;
    pthread_mutex_unlock(&lock);
    if (count_queues == DEVICE_MAX)
        return memory_works_wait(device);
    for (int i = 0; i < count_queues; ++i)
        JG_TRY(device_stream_lead((jg_device *)(uintptr_t)device, queues[i], stream));
    return JG_OK;
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The driver cannot be called here, so nothing of the parent's works is touched again. */
static void after_fork_child(void)
{
    pthread_cond_init(&ended, NULL);
    first = NULL;
    memset(has_kept, 0, sizeof has_kept);
    atomic_store_explicit(&nworks, 0, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

void memory_works_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
