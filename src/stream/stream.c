/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: first-in first-out queues, each with a thread that empties it, and their table.
 *
 * A thread is detached and starts with the first task. After fork() the child has no such threads:
 * the fork hooks hold all locks over the fork, so that the queues are whole in the child, and the
 * next submission or wait starts a thread of the child's own, which finds the tasks that were
 * pending. A task that was running stays the parent's. */
#include "stream/stream.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STREAMS = 1024 };

/* A queue of tasks that one thread runs in their order: `submitted` counts those that came and
 * `completed` those that have run, so a task with a number up to `completed` is over. Both, and the
 * list, are under the lock. A stream is never freed; its index stays its own. */
struct jg_stream {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task came, or one has run */
    stream_task *first, **last;
    int64_t submitted, completed;
    bool started;
    atomic_int busy; /* tasks that have not run to their end */
    atomic_int refs; /* of users; a stream that has none may be given to another user */
    unsigned index;
    jg_device_id device;
    bool adopted;                /* the queue is over another library's stream */
    void *_Atomic queue;         /* what the device runs for it; NULL before the first use */
    jg_stream *_Atomic follower; /* whose tasks wait for the queue; NULL before the first */
};

static jg_stream host = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .last = &host.first,
    .refs = 1,
    .device = {JG_DEVICE_CPU, 0},
};
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static jg_stream *_Atomic streams[MAX_STREAMS] = {&host};
static atomic_uint nstreams = 1;

static pthread_once_t hooks_once = PTHREAD_ONCE_INIT;
static JG_FAST_THREAD_LOCAL bool is_worker;
JG_FAST_THREAD_LOCAL uint16_t stream_current[DEVICE_MAX];

/* The stream that threads start with, by device; 0 of one that has none yet, and of the CPU. */
static _Atomic uint16_t first_of[DEVICE_MAX];

unsigned stream_count(void)
{
    return atomic_load_explicit(&nstreams, memory_order_acquire);
}

jg_stream *stream_at(unsigned index)
{
    return atomic_load_explicit(&streams[index], memory_order_acquire);
}

jg_stream *stream_host(void)
{
    return &host;
}

bool stream_is_worker(void)
{
    return is_worker;
}

bool stream_is_idle(const jg_stream *stream)
{
    return atomic_load_explicit(&stream->busy, memory_order_acquire) == 0;
}

/* Waits for the next task. The caller holds the lock, which is released during the wait. */
static stream_task *pop(jg_stream *stream)
{
    while (stream->first == NULL)
        pthread_cond_wait(&stream->changed, &stream->lock);
    stream_task *task = stream->first;
    stream->first = task->next;
    if (stream->first == NULL)
        stream->last = &stream->first;
    return task;
}

/* For debuggers and traces. */
static void name_thread(unsigned index)
{
    char name[16]; /* the most that the system keeps */
    snprintf(name, sizeof name, "jg stream %u", index % 10000);
    pthread_setname_np(pthread_self(), name);
}

/* busy is decremented before finish, so that a thread which finish wakes finds the stream idle;
 * completed is incremented after it, so that a thread which synchronizes finds the task's memory
 * freed. */
static void *work(void *argument)
{
    jg_stream *stream = argument;
    is_worker = true;
    progress_enter();
    name_thread(stream->index);
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        stream_task *task = pop(stream);
        pthread_mutex_unlock(&stream->lock);
        task->run(task);
        atomic_fetch_sub_explicit(&stream->busy, 1, memory_order_release);
        task->finish(task);
        progress_end();
        pthread_mutex_lock(&stream->lock);
        stream->completed += 1;
        pthread_cond_broadcast(&stream->changed);
    }
    return NULL;
}

/* The stream's lock is held. */
static jg_status start(jg_stream *stream)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, work, stream);
    pthread_attr_destroy(&attributes);
    if (failed)
        return base_fail(JG_ERR_NOMEM, "the thread of a stream could not be started: %s",
                         strerror(failed));
    stream->started = true;
    return JG_OK;
}

jg_status stream_submit(jg_stream *stream, stream_task *task)
{
    stream_install_hooks();
    task->next = NULL;
    pthread_mutex_lock(&stream->lock);
    jg_status status = stream->started ? JG_OK : start(stream);
    if (status == JG_OK) {
        *stream->last = task;
        stream->last = &task->next;
        stream->submitted += 1;
        progress_begin();
        atomic_fetch_add_explicit(&stream->busy, 1, memory_order_relaxed);
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

/* The stream's lock is held. After a failure no thread waits for a worker that does not exist. */
static void start_if_orphaned(jg_stream *stream)
{
    if (!stream->started && stream->first != NULL)
        (void)start(stream);
}

static void start_orphaned(void)
{
    for (unsigned i = 0; i < stream_count(); ++i) {
        jg_stream *stream = stream_at(i);
        pthread_mutex_lock(&stream->lock);
        start_if_orphaned(stream);
        pthread_mutex_unlock(&stream->lock);
    }
}

static void before_fork(void)
{
    pthread_mutex_lock(&table_lock);
    for (unsigned i = 0; i < stream_count(); ++i)
        pthread_mutex_lock(&stream_at(i)->lock);
    progress_before_fork();
}

static void unlock_all(void)
{
    for (unsigned i = 0; i < stream_count(); ++i)
        pthread_mutex_unlock(&stream_at(i)->lock);
    pthread_mutex_unlock(&table_lock);
}

static void after_fork_parent(void)
{
    progress_after_fork(false, 0);
    unlock_all();
}

/* The condition's waiters are threads that the child does not have. The task that was running is
 * left to the parent: it is off the list and counts as completed. All locks are held.
 * gives: how many tasks wait */
static int restart(jg_stream *stream)
{
    int pending = 0;
    pthread_cond_init(&stream->changed, NULL);
    stream->started = false;
    for (stream_task *task = stream->first; task != NULL; task = task->next) {
        pending += 1;
        if (task->event != NULL)
            event_adopt(task->event);
    }
    stream->completed = stream->submitted - pending;
    atomic_store_explicit(&stream->busy, pending, memory_order_relaxed);
    return pending;
}

/* This first marks all events as lost, then adopts those whose tasks are still queued. */
static void after_fork_child(void)
{
    int64_t pending = 0;
    event_lose_all();
    for (unsigned i = 0; i < stream_count(); ++i)
        pending += restart(stream_at(i));
    progress_after_fork(true, pending);
    stream_adopt_later(pending > 0 ? start_orphaned : NULL);
    unlock_all();
}

static void install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void stream_install_hooks(void)
{
    pthread_once(&hooks_once, install_hooks);
}

/* The stream's lock is held. */
static bool has_reached(const jg_stream *stream, int64_t target)
{
    return !stream->started || stream->completed >= target;
}

/* The stream's lock is held. It is released while the interrupt check runs. */
static jg_status wait_a_slice(jg_stream *stream, unsigned begun)
{
    if (interrupt_wait(&stream->changed, &stream->lock))
        return JG_OK;
    pthread_mutex_unlock(&stream->lock);
    bool interrupted = interrupt_check(begun);
    pthread_mutex_lock(&stream->lock);
    return interrupted ? interrupt_fail() : JG_OK;
}

static jg_status synchronize(jg_stream *stream, bool interruptible, unsigned begun)
{
    int64_t start_ns = trace_start();
    jg_status status = JG_OK;
    leave_before_waiting();
    pthread_mutex_lock(&stream->lock);
    int64_t target = stream->submitted;
    start_if_orphaned(stream);
    bool waited = !has_reached(stream, target);
    while (status == JG_OK && !has_reached(stream, target)) {
        if (interruptible)
            status = wait_a_slice(stream, begun);
        else
            pthread_cond_wait(&stream->changed, &stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
    if (waited && start_ns != 0)
        trace_add("wait", "synchronize", start_ns, NULL);
    return status;
}

/* Tasks are given to the follower before they count as completed. */
static jg_status synchronize_both(jg_stream *stream, bool interruptible, unsigned begun)
{
    JG_TRY(synchronize(stream, interruptible, begun));
    jg_stream *follower = atomic_load_explicit(&stream->follower, memory_order_acquire);
    return follower != NULL ? synchronize(follower, interruptible, begun) : JG_OK;
}

void stream_synchronize(jg_stream *stream)
{
    (void)synchronize_both(stream, false, 0);
}

jg_status stream_synchronize_interruptibly(jg_stream *stream, unsigned begun)
{
    return synchronize_both(stream, true, begun);
}

void stream_synchronize_all(void)
{
    for (unsigned i = 0; i < stream_count(); ++i)
        stream_synchronize(stream_at(i));
}

jg_status stream_synchronize_all_interruptibly(unsigned begun)
{
    for (unsigned i = 0; i < stream_count(); ++i)
        JG_TRY(synchronize_both(stream_at(i), true, begun));
    return JG_OK;
}

/* A stream without references on which nothing is queued. The table's lock is held. */
static jg_stream *find_unused(jg_device_id device)
{
    for (unsigned i = 1; i < stream_count(); ++i) {
        jg_stream *stream = stream_at(i);
        if (atomic_load_explicit(&stream->refs, memory_order_acquire) == 0 && !stream->adopted &&
            stream_is_idle(stream) && stream->device.type == device.type &&
            stream->device.id == device.id)
            return jg_stream_retain(stream);
    }
    return NULL;
}

/* The table's lock is held. Readers do not take it, so the slot is filled before the count includes
 * it. */
static jg_status add_stream(jg_device_id device, void *adopted, jg_stream **out)
{
    unsigned index = stream_count();
    if (index == MAX_STREAMS)
        return base_fail(JG_ERR_UNSUPPORTED, "[new_stream] there are %d streams, allowed are %d",
                         (int)index, MAX_STREAMS);
    jg_stream *stream = base_alloc_zeroed(sizeof *stream);
    if (stream == NULL)
        return base_nomem(sizeof *stream, "a stream");
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
    stream->last = &stream->first;
    stream->index = index;
    stream->device = device;
    stream->adopted = adopted != NULL;
    atomic_init(&stream->queue, adopted);
    atomic_init(&stream->refs, 1);
    atomic_store_explicit(&streams[index], stream, memory_order_release);
    atomic_store_explicit(&nstreams, index + 1, memory_order_release);
    *out = stream;
    return JG_OK;
}

jg_status jg_stream_new(jg_device_id device, jg_stream **out)
{
    jg_device *found;
    JG_TRY(device_require(device, &found));
    stream_install_hooks();
    pthread_mutex_lock(&table_lock);
    jg_stream *stream = find_unused(found->id);
    jg_status status = JG_OK;
    if (stream != NULL)
        *out = stream;
    else
        status = add_stream(found->id, NULL, out);
    pthread_mutex_unlock(&table_lock);
    return status;
}

/* The stream that was adopted as a queue with that number before. The table's lock is held. */
static jg_stream *find_adopted(const jg_device *device, int64_t number)
{
    for (unsigned i = 1; i < stream_count(); ++i) {
        jg_stream *stream = stream_at(i);
        if (stream->adopted && stream->device.type == device->id.type &&
            stream->device.id == device->id.id &&
            device_stream_number(device, stream_known_queue(stream)) == number)
            return stream;
    }
    return NULL;
}

jg_status stream_add_adopted(jg_device *device, void *queue, bool *taken, jg_stream **out)
{
    jg_status status = JG_OK;
    stream_install_hooks();
    pthread_mutex_lock(&table_lock);
    jg_stream *stream = find_adopted(device, device_stream_number(device, queue));
    if (stream != NULL) {
        *out = jg_stream_retain(stream);
    } else {
        status = add_stream(device->id, queue, out);
        *taken = status == JG_OK;
    }
    pthread_mutex_unlock(&table_lock);
    return status;
}

bool stream_is_abandoned(const jg_stream *stream)
{
    return stream->adopted && atomic_load_explicit(&stream->refs, memory_order_acquire) == 0;
}

uint16_t stream_first_of(int device)
{
    return atomic_load_explicit(&first_of[device], memory_order_acquire);
}

/* The stream is never released: it keeps its first reference forever. */
jg_status stream_open_device(int device)
{
    jg_status status = JG_OK;
    if (JG_LIKELY(device == 0 || stream_first_of(device) != 0))
        return JG_OK;
    stream_install_hooks();
    pthread_mutex_lock(&table_lock);
    if (stream_first_of(device) == 0) {
        jg_stream *stream;
        status = add_stream(device_at(device)->id, NULL, &stream);
        if (status == JG_OK)
            atomic_store_explicit(&first_of[device], (uint16_t)stream->index, memory_order_release);
    }
    pthread_mutex_unlock(&table_lock);
    return status;
}

void *stream_known_queue(const jg_stream *stream)
{
    return atomic_load_explicit(&stream->queue, memory_order_acquire);
}

bool stream_set_queue(jg_stream *stream, void *queue)
{
    void *none = NULL;
    return atomic_compare_exchange_strong(&stream->queue, &none, queue);
}

/* A stream of the same device that is given out only once, as it keeps its reference. */
static jg_status find_follower(jg_stream *stream, jg_stream **out)
{
    jg_status status = JG_OK;
    pthread_mutex_lock(&table_lock);
    jg_stream *follower = atomic_load_explicit(&stream->follower, memory_order_relaxed);
    if (follower == NULL && (status = add_stream(stream->device, NULL, &follower)) == JG_OK)
        atomic_store_explicit(&stream->follower, follower, memory_order_release);
    pthread_mutex_unlock(&table_lock);
    *out = follower;
    return status;
}

jg_status stream_follow(jg_stream *stream, stream_task *task)
{
    jg_stream *follower = atomic_load_explicit(&stream->follower, memory_order_acquire);
    if (JG_UNLIKELY(follower == NULL))
        JG_TRY(find_follower(stream, &follower));
    return stream_submit(follower, task);
}

jg_stream *jg_stream_retain(jg_stream *stream)
{
    atomic_fetch_add_explicit(&stream->refs, 1, memory_order_relaxed);
    return stream;
}

void jg_stream_release(jg_stream *stream)
{
    if (stream != NULL)
        atomic_fetch_sub_explicit(&stream->refs, 1, memory_order_release);
}

jg_device_id jg_stream_device(const jg_stream *stream)
{
    return stream->device;
}

int jg_stream_index(const jg_stream *stream)
{
    return (int)stream->index;
}

jg_status jg_stream_default(jg_device_id device, jg_stream **out)
{
    jg_device *found;
    JG_TRY(device_require(device, &found));
    JG_TRY(stream_open_device(found->index));
    *out = jg_stream_retain(stream_at(stream_for(found->index)));
    return JG_OK;
}

void jg_stream_set_default(jg_stream *stream)
{
    stream_current[device_find(stream->device)->index] = (uint16_t)stream->index;
}

jg_status jg_stream_synchronize(jg_stream *stream)
{
    return stream_synchronize_interruptibly(stream, interrupt_begin());
}
