/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that the cache does not keep. To free one may wait for the device's work, and threads that
 * use other devices may wait for joggle's locks meanwhile. So the free is delayed until the thread
 * has dropped the locks under which it delays releases (reaper.c). */
#include "memory/memory.h"

JG_FAST_THREAD_LOCAL int memory_deferrals;

static JG_FAST_THREAD_LOCAL jg_buffer *surplus; /* linked by next */

void memory_free_unlocked(jg_buffer *block)
{
    if (memory_deferrals == 0 || device_is_host(block->device)) {
        block_free(block);
    } else {
        block->next = surplus;
        surplus = block;
    }
}

bool surplus_is_any(void)
{
    return surplus != NULL;
}

void surplus_free(void)
{
    while (surplus != NULL) {
        jg_buffer *block = surplus;
        surplus = block->next;
        block_free(block);
    }
}
