/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks that joggle's own heap goes through: blocks are counted, and a test can make any one of
 * them fail. The counters are relaxed atomics; nothing orders by them. */
#include "base/base.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int_fast64_t live_blocks;
static atomic_int_fast64_t fail_countdown;

/* Whether this allocation is the one to fail. The countdown is 0 when no failure is asked for. */
static bool must_fail(void)
{
    if (JG_LIKELY(atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0))
        return false;
    return atomic_fetch_sub_explicit(&fail_countdown, 1, memory_order_relaxed) == 1;
}

static void *counted(void *block)
{
    if (JG_LIKELY(block != NULL))
        atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
    return block;
}

void *base_alloc(size_t nbytes)
{
    return must_fail() ? NULL : counted(malloc(nbytes ? nbytes : 1));
}

void *base_alloc_zeroed(size_t nbytes)
{
    return must_fail() ? NULL : counted(calloc(1, nbytes ? nbytes : 1));
}

void *base_copy(const void *bytes, size_t nbytes)
{
    void *block = base_alloc(nbytes);
    return block != NULL ? memcpy(block, bytes, nbytes) : NULL;
}

void *base_alloc_aligned(size_t alignment, size_t nbytes)
{
    void *block = NULL;
    if (must_fail() || posix_memalign(&block, alignment, nbytes ? nbytes : 1) != 0)
        return NULL;
    return counted(block);
}

void base_free(void *block)
{
    if (block == NULL)
        return;
    atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
    free(block);
}

int64_t base_live_blocks(void)
{
    return atomic_load_explicit(&live_blocks, memory_order_relaxed);
}

void base_fail_nth(int64_t nth)
{
    atomic_store_explicit(&fail_countdown, nth, memory_order_relaxed);
}

jg_status base_nomem(size_t nbytes, const char *what)
{
    return base_fail(JG_ERR_NOMEM, "out of memory: %zu bytes for %s", nbytes, what);
}
