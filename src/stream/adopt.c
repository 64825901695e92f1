/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that a fork left without threads. A function that waits, for an event or a stream, calls
 * stream_adopt_tasks first, which starts the threads. stream.c sets the function that does so in
 * the child process, so the files that wait do not depend on stream.c. */
#include "stream/stream.h"
#include <stdatomic.h>

static void (*_Atomic starter)(void); /* NULL while no stream has tasks without a thread */

void stream_adopt_later(void (*start)(void))
{
    atomic_store_explicit(&starter, start, memory_order_relaxed);
}

void stream_adopt_tasks(void)
{
    void (*start)(void) = atomic_load_explicit(&starter, memory_order_relaxed);
    if (JG_LIKELY(start == NULL))
        return;
    start();
    atomic_store_explicit(&starter, NULL, memory_order_relaxed);
}
