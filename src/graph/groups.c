/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of messages: one for each group of processes, made with the group's first message and
 * kept. The groups of a program that makes very many share them: a group is never freed. A node
 * that is a message belongs to its group's stream, whichever the thread's own is. */
#include "graph/graph.h"
#include <pthread.h>

static _Atomic uint64_t next_order = 1; /* 0 is no order */
enum { MOST_STREAMS = 256 };
static _Atomic uint16_t streams[MOST_STREAMS]; /* 0: none yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static jg_status open_locked(int64_t group)
{
    jg_stream *stream;
    if (graph_group_stream(group) != 0)
        return JG_OK;
    JG_TRY(jg_stream_new((jg_device_id){JG_DEVICE_CPU, 0}, &stream));
    atomic_store_explicit(&streams[group % MOST_STREAMS], (uint16_t)jg_stream_index(stream),
                          memory_order_release);
    return JG_OK; /* the reference stays */
}

jg_status graph_group_open(int64_t group)
{
    if (JG_LIKELY(graph_group_stream(group) != 0))
        return JG_OK;
    pthread_mutex_lock(&lock);
    jg_status status = open_locked(group);
    pthread_mutex_unlock(&lock);
    return status;
}

uint16_t graph_group_stream(int64_t group)
{
    return atomic_load_explicit(&streams[group % MOST_STREAMS], memory_order_acquire);
}

bool graph_group_any(void)
{
    return atomic_load_explicit(&next_order, memory_order_relaxed) > 1;
}

uint64_t graph_group_order(uint64_t count)
{
    return atomic_fetch_add_explicit(&next_order, count, memory_order_relaxed);
}
