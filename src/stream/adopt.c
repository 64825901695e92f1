/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that a fork left without threads: who waits starts those threads first, whatever it waits
 * for. stream.c, which knows how, tells so in the child; waits need not know streams for it. */
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
