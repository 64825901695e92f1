/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of memory that can be written in place: nodes that are not evaluated, and runs under
 * way. Buffers with such readers are on a list that is searched by address, as two buffers may
 * describe the same memory, such as two imports of one tensor.
 *
 * The number of buffers on the list can be read without the lock, so that a writer pays one load
 * while there are no readers. The lock is a leaf. */
#include "memory/memory.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static list_link *first; /* of the places that are read; under the lock */
static atomic_int nread; /* buffers on the list; written under the lock */
static atomic_bool tracking_foreign;
static unsigned forks; /* written while there is one thread */

#define BUFFER_OF_LINK(link) JG_LIST_ITEM(link, jg_buffer, reading)

/* Under the lock, as unlink_buffer. A buffer is on the list while it has readers of any kind. */
static void link_buffer(jg_buffer *buffer)
{
    list_add(&first, &buffer->reading);
    atomic_fetch_add_explicit(&nread, 1, memory_order_relaxed);
}

static void unlink_buffer(jg_buffer *buffer)
{
    list_remove(&first, &buffer->reading);
    atomic_fetch_sub_explicit(&nread, 1, memory_order_relaxed);
}

static int count_readers(const jg_buffer *buffer)
{
    return buffer->readers[READER_PENDING] + buffer->readers[READER_RUNNING] +
           buffer->readers[READER_LEFT];
}

void buffer_begin_reading(jg_buffer *buffer, reader_kind kind)
{
    pthread_mutex_lock(&lock);
    if (count_readers(buffer) == 0)
        link_buffer(buffer);
    buffer->readers[kind] += 1;
    pthread_mutex_unlock(&lock);
}

void buffer_end_reading(jg_buffer *buffer, reader_kind kind)
{
    pthread_mutex_lock(&lock);
    buffer->readers[kind] -= 1;
    if (count_readers(buffer) == 0)
        unlink_buffer(buffer);
    if (buffer->readers[READER_RUNNING] == 0)
        pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

/* Whether a place that overlaps the addresses has readers: of one kind, or of any for
 * READER_KINDS. Under the lock. */
static bool is_read(const char *low, const char *high, reader_kind kind)
{
    for (list_link *link = first; link != NULL; link = link->next) {
        const jg_buffer *buffer = BUFFER_OF_LINK(link);
        if (low < buffer->high && buffer->low < high &&
            (kind == READER_KINDS || buffer->readers[kind] > 0))
            return true;
    }
    return false;
}

bool readers_overlap(const void *low, const void *high)
{
    /* Relaxed: a reader that another thread adds at this moment has no order with the write
     * anyway. */
    if (JG_LIKELY(atomic_load_explicit(&nread, memory_order_relaxed) == 0))
        return false;
    pthread_mutex_lock(&lock);
    bool found = is_read(low, high, READER_KINDS);
    pthread_mutex_unlock(&lock);
    return found;
}

/* In a child a run that its parent had begun goes on if it was queued, and never ends if it was on
 * a thread: the streams are waited for instead. */
bool readers_wait(const void *low, const void *high)
{
    pthread_mutex_lock(&lock);
    bool waiting = true;
    while (is_read(low, high, READER_RUNNING) && waiting)
        waiting = interrupt_wait(&ended, &lock);
    bool running = is_read(low, high, READER_RUNNING), left = is_read(low, high, READER_LEFT);
    pthread_mutex_unlock(&lock);
    if (left && !running)
        stream_synchronize_all();
    return !running;
}

unsigned readers_forks(void)
{
    return forks;
}

void readers_track_foreign(void)
{
    atomic_store_explicit(&tracking_foreign, true, memory_order_relaxed);
}

bool readers_are_foreign_tracked(void)
{
    return atomic_load_explicit(&tracking_foreign, memory_order_relaxed);
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
    pthread_cond_init(&ended, NULL);
    forks += 1;
    for (list_link *link = first; link != NULL; link = link->next) {
        jg_buffer *buffer = BUFFER_OF_LINK(link);
        buffer->readers[READER_LEFT] += buffer->readers[READER_RUNNING];
        buffer->readers[READER_RUNNING] = 0;
    }
    pthread_mutex_unlock(&lock);
}

void readers_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
