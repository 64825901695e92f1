/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the work under way, on streams and on threads that evaluate: a thread that lacks memory
 * waits for some of it to end, since that frees memory.
 *
 * Lock order: this lock is a leaf. */
#include "stream/stream.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER;
static int64_t under_way; /* under the lock, as the next two */
static int64_t nended;
static int nwaiting;
static JG_FAST_THREAD_LOCAL int depth; /* of work on this thread, which cannot wait for itself */

void progress_begin(void)
{
    pthread_mutex_lock(&lock);
    under_way += 1;
    pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
    pthread_mutex_lock(&lock);
    under_way -= 1;
    nended += 1;
    if (nwaiting > 0)
        pthread_cond_broadcast(&ended);
    pthread_mutex_unlock(&lock);
}

void progress_enter(void)
{
    depth += 1;
}

void progress_leave(void)
{
    depth -= 1;
}

int64_t progress_count(void)
{
    pthread_mutex_lock(&lock);
    int64_t count = nended;
    pthread_mutex_unlock(&lock);
    return count;
}

bool progress_wait(int64_t seen)
{
    leave_before_waiting();
    stream_adopt_tasks();
    pthread_mutex_lock(&lock);
    /* Work that waited for itself to end would wait forever. */
    bool can_wait = depth == 0;
    nwaiting += 1;
    while (can_wait && nended == seen && under_way > 0)
        pthread_cond_wait(&ended, &lock);
    nwaiting -= 1;
    bool changed = nended != seen;
    pthread_mutex_unlock(&lock);
    return changed;
}

void progress_before_fork(void)
{
    pthread_mutex_lock(&lock);
}

void progress_after_fork(bool is_child, int64_t pending)
{
    if (is_child) {
        pthread_cond_init(&ended, NULL);
        under_way = pending;
        nwaiting = 0;
    }
    pthread_mutex_unlock(&lock);
}
