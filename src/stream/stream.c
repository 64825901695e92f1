/* SPDX-License-Identifier: Apache-2.0 */
/* The host stream: a first-in first-out queue and the thread that empties it.
 *
 * The thread is detached and starts with the first task. After fork() the child has no such
 * thread: the fork hooks hold the lock over the fork, so that the queue is whole in the child,
 * and let the next submission start a thread of the child's own, which finds the tasks that were
 * pending. */
#include "stream/stream.h"
#include <pthread.h>

struct jg_stream {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task came, or one has run */
    stream_task *first, **last;
    int64_t submitted, completed;
    bool started;
};

static jg_stream host = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER,
    .last = &host.first,
};
static pthread_once_t hooks_once = PTHREAD_ONCE_INIT;
static JG_FAST_THREAD_LOCAL bool is_worker;

static void before_fork(void)
{
    pthread_mutex_lock(&host.lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&host.lock);
}

static void after_fork_child(void)
{
    pthread_cond_init(&host.changed,
                      NULL); /* its waiters are threads that the child does not have */
    host.started = false;
    host.completed = host.submitted; /* a task that was running in the parent stays the parent's */
    for (stream_task *task = host.first; task != NULL; task = task->next)
        host.completed -= 1;
    pthread_mutex_unlock(&host.lock);
}

static void install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void stream_install_hooks(void)
{
    pthread_once(&hooks_once, install_hooks);
}

jg_stream *stream_host(void)
{
    return &host;
}

bool stream_is_worker(void)
{
    return is_worker;
}

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

static void *work(void *argument)
{
    jg_stream *stream = argument;
    is_worker = true;
    pthread_setname_np(pthread_self(), "joggle stream");
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        stream_task *task = pop(stream);
        pthread_mutex_unlock(&stream->lock);
        task->run(task);
        pthread_mutex_lock(&stream->lock);
        stream->completed += 1;
        pthread_cond_broadcast(&stream->changed);
    }
    return NULL;
}

static jg_status start(jg_stream *stream)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, work, stream);
    pthread_attr_destroy(&attributes);
    if (failed)
        return jg_fail(JG_ERR_NOMEM, "the thread of a stream could not be started (error %d)",
                       failed);
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
        pthread_cond_broadcast(&stream->changed);
    }
    pthread_mutex_unlock(&stream->lock);
    return status;
}

void stream_synchronize(jg_stream *stream)
{
    int64_t start_ns = trace_start();
    pthread_mutex_lock(&stream->lock);
    int64_t target = stream->submitted;
    if (!stream->started && stream->first != NULL)
        (void)start(stream); /* after a fork; if it fails the wait below would be for nothing */
    bool waited = stream->started && stream->completed < target;
    while (stream->started && stream->completed < target)
        pthread_cond_wait(&stream->changed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    if (waited && start_ns != 0)
        trace_add("wait", "synchronize", start_ns, NULL);
}
