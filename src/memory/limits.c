/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that arrays use, and the limits on it.
 *
 * Bytes are counted as in use before a block is allocated, so that threads which allocate at the
 * same time do not exceed the limit together. Blocks in the cache count against it too, and are
 * freed first. The limits are options and are stored nowhere else. */
#include "memory/memory.h"
#include <inttypes.h>
#include <joggle/memory.h>
#include <stdio.h>

static atomic_int_fast64_t active, peak;

/* An option's number, read again only when some option has changed. A number that is below 0 counts
 * as 0, and no number as the default. */
typedef struct limit {
    base_option option;
    atomic_uint generation;
    atomic_size_t nbytes;
} limit;

static limit memory_limit = {.option = OPTION_MEMORY_LIMIT},
             cache_limit = {.option = OPTION_CACHE_LIMIT};

static size_t read_limit(limit *own)
{
    unsigned now = option_generation();
    if (JG_UNLIKELY(now != atomic_load_explicit(&own->generation, memory_order_acquire))) {
        int64_t asked = option_int(own->option);
        atomic_store_explicit(&own->nbytes, asked > 0 ? (size_t)asked : 0, memory_order_relaxed);
        atomic_store_explicit(&own->generation, now, memory_order_release);
    }
    return atomic_load_explicit(&own->nbytes, memory_order_relaxed);
}

static void raise_peak(int64_t value)
{
    int_fast64_t seen = atomic_load_explicit(&peak, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak_explicit(
                               &peak, &seen, value, memory_order_relaxed, memory_order_relaxed))
        continue;
}

void memory_unreserve(size_t nbytes)
{
    atomic_fetch_sub_explicit(&active, (int64_t)nbytes, memory_order_relaxed);
}

/* This adds before it compares, so that two threads which would exceed the limit together cannot
 * both succeed. */
static bool try_reserve(size_t nbytes, size_t allowed)
{
    int64_t now =
        atomic_fetch_add_explicit(&active, (int64_t)nbytes, memory_order_relaxed) + (int64_t)nbytes;
    if (JG_LIKELY((size_t)now <= allowed)) {
        raise_peak(now);
        return true;
    }
    memory_unreserve(nbytes);
    return false;
}

static jg_status fail_limit(size_t nbytes, size_t allowed)
{
    return jg_fail(JG_ERR_NOMEM,
                   "out of memory: %zu bytes for an array; %zu are in use, allowed are %zu", nbytes,
                   jg_active_memory(), allowed);
}

jg_status memory_reserve(size_t nbytes)
{
    size_t allowed = read_limit(&memory_limit);
    for (;;) {
        /* Read before the attempt, as work that ends between the attempt and the wait has freed
         * memory too. Without a limit no thread waits, and the lock is not taken. */
        int64_t seen = JG_UNLIKELY(allowed != INT64_MAX) ? progress_count() : 0;
        if (try_reserve(nbytes, allowed))
            break;
        if (nbytes > allowed || !progress_wait(seen))
            return fail_limit(nbytes, allowed);
    }
    /* The bytes in the cache and those in use must stay below the limit together. */
    size_t taken = jg_active_memory();
    if (JG_UNLIKELY(allowed != INT64_MAX))
        cache_trim(taken < allowed ? allowed - taken : 0);
    return JG_OK;
}

size_t jg_active_memory(void)
{
    return (size_t)atomic_load_explicit(&active, memory_order_relaxed);
}

size_t jg_peak_memory(void)
{
    return (size_t)atomic_load_explicit(&peak, memory_order_relaxed);
}

void jg_reset_peak_memory(void)
{
    atomic_store_explicit(&peak, 0, memory_order_relaxed);
}

size_t jg_memory_limit(void)
{
    return read_limit(&memory_limit);
}

size_t jg_cache_limit(void)
{
    return read_limit(&cache_limit);
}

static jg_status set_limit(const char *name, limit *own, size_t nbytes, size_t *previous)
{
    char text[32];
    if (nbytes > INT64_MAX)
        return jg_fail(JG_ERR_VALUE, "%s: got %zu, allowed are 0 to %" PRId64, name, nbytes,
                       INT64_MAX);
    size_t before = read_limit(own);
    snprintf(text, sizeof text, "%zu", nbytes);
    JG_TRY(jg_option_set(name, text));
    if (previous != NULL)
        *previous = before;
    return JG_OK;
}

jg_status jg_set_memory_limit(size_t nbytes, size_t *previous)
{
    JG_TRY(set_limit("memory_limit", &memory_limit, nbytes, previous));
    size_t taken = jg_active_memory();
    cache_trim(taken < nbytes ? nbytes - taken : 0);
    return JG_OK;
}

jg_status jg_set_cache_limit(size_t nbytes, size_t *previous)
{
    JG_TRY(set_limit("cache_limit", &cache_limit, nbytes, previous));
    cache_trim(nbytes);
    return JG_OK;
}
