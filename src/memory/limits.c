/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that arrays use on each device, and the limits on it.
 *
 * Bytes are counted as in use before a block is allocated, so that threads which allocate at the
 * same time do not exceed the limit together. Blocks in the cache count against it too, and are
 * freed first. A device has the limits of the options, which are stored nowhere else, unless it was
 * given its own. */
#include "memory/memory.h"
#include <inttypes.h>
#include <joggle/memory.h>
#include <stdio.h>

/* An option's number, read again only when some option has changed. */
typedef struct limit {
    const char *name;
    base_option option;
    atomic_uint generation;
    atomic_size_t nbytes;
} limit;

typedef enum limit_kind { LIMIT_MEMORY, LIMIT_CACHE, LIMIT_KINDS } limit_kind;

static limit limits[LIMIT_KINDS] = {
    [LIMIT_MEMORY] = {.name = "memory_limit", .option = OPTION_MEMORY_LIMIT},
    [LIMIT_CACHE] = {.name = "cache_limit", .option = OPTION_CACHE_LIMIT},
};

/* The use of one device's memory, and its limits. */
typedef struct device_use {
    atomic_int_fast64_t active, peak;
    atomic_size_t limits[LIMIT_KINDS]; /* one more than the limit; 0 where the option's holds */
} device_use;

static device_use uses[DEVICE_MAX];

static size_t read_limit(limit *option_limit)
{
    unsigned now = option_generation();
    if (JG_UNLIKELY(now != atomic_load_explicit(&option_limit->generation, memory_order_acquire))) {
        size_t asked = (size_t)option_int(option_limit->option);
        atomic_store_explicit(&option_limit->nbytes, asked, memory_order_relaxed);
        atomic_store_explicit(&option_limit->generation, now, memory_order_release);
    }
    return atomic_load_explicit(&option_limit->nbytes, memory_order_relaxed);
}

static size_t limit_of(const jg_device *device, limit_kind kind)
{
    size_t device_limit =
        atomic_load_explicit(&uses[device->index].limits[kind], memory_order_relaxed);
    return JG_UNLIKELY(device_limit > 0) ? device_limit - 1 : read_limit(&limits[kind]);
}

size_t memory_cache_limit(const jg_device *device)
{
    return limit_of(device, LIMIT_CACHE);
}

static size_t active_on(const jg_device *device)
{
    return (size_t)atomic_load_explicit(&uses[device->index].active, memory_order_relaxed);
}

static void raise_peak(device_use *use, int64_t value)
{
    int_fast64_t seen = atomic_load_explicit(&use->peak, memory_order_relaxed);
    while (value > seen &&
           !atomic_compare_exchange_weak_explicit(&use->peak, &seen, value, memory_order_relaxed,
                                                  memory_order_relaxed))
        continue;
}

void memory_unreserve(const jg_device *device, size_t nbytes)
{
    atomic_fetch_sub_explicit(&uses[device->index].active, (int64_t)nbytes, memory_order_relaxed);
}

/* This adds before it compares, so that two threads which would exceed the limit together cannot
 * both succeed. */
static bool try_reserve(const jg_device *device, size_t nbytes, size_t allowed)
{
    device_use *use = &uses[device->index];
    int64_t now = atomic_fetch_add_explicit(&use->active, (int64_t)nbytes, memory_order_relaxed) +
                  (int64_t)nbytes;
    if (JG_LIKELY((size_t)now <= allowed)) {
        raise_peak(use, now);
        return true;
    }
    memory_unreserve(device, nbytes);
    return false;
}

bool memory_reserve_kept(const jg_device *device, size_t nbytes)
{
    return try_reserve(device, nbytes, limit_of(device, LIMIT_MEMORY));
}

static jg_status fail_limit(const jg_device *device, size_t nbytes, size_t allowed)
{
    return base_fail(JG_ERR_NOMEM,
                     "out of memory: %zu bytes for an array on %s:%d; %zu are in use, allowed are "
                     "%zu",
                     nbytes, device_name(device), (int)device->id.id, active_on(device), allowed);
}

jg_status memory_reserve(const jg_device *device, size_t nbytes)
{
    size_t allowed = limit_of(device, LIMIT_MEMORY);
    for (;;) {
        /* Read before the attempt, as work that ends between the attempt and the wait has freed
         * memory too. Without a limit no thread waits, and the lock is not taken. */
        int64_t seen = JG_UNLIKELY(allowed != INT64_MAX) ? progress_count() : 0;
        if (try_reserve(device, nbytes, allowed))
            break;
        if (nbytes > allowed || !progress_wait(seen))
            return fail_limit(device, nbytes, allowed);
    }
    /* The bytes in the cache and those in use must stay below the limit together. */
    size_t taken = active_on(device);
    if (JG_UNLIKELY(allowed != INT64_MAX))
        cache_trim(device, taken < allowed ? allowed - taken : 0);
    return JG_OK;
}

/* Frees what the device keeps beyond its limits. */
static void trim_to_limits(const jg_device *device)
{
    size_t taken = active_on(device), allowed = limit_of(device, LIMIT_MEMORY);
    size_t left = taken < allowed ? allowed - taken : 0, kept = limit_of(device, LIMIT_CACHE);
    cache_trim(device, size_min(kept, left));
}

/* Over all devices that there are. */
typedef size_t figure(const jg_device *device);

static size_t add_up(figure *of)
{
    size_t sum = 0;
    for (int i = 0; i < device_count_all(); ++i)
        sum += of(device_at(i));
    return sum;
}

static size_t peak_on(const jg_device *device)
{
    return (size_t)atomic_load_explicit(&uses[device->index].peak, memory_order_relaxed);
}

size_t jg_active_memory(void)
{
    return add_up(active_on);
}

size_t jg_peak_memory(void)
{
    return add_up(peak_on);
}

void jg_reset_peak_memory(void)
{
    for (int i = 0; i < device_count_all(); ++i)
        atomic_store_explicit(&uses[i].peak, 0, memory_order_relaxed);
}

size_t jg_cache_memory(void)
{
    return add_up(cache_nbytes);
}

void jg_clear_cache(void)
{
    for (int i = 0; i < device_count_all(); ++i)
        cache_trim(device_at(i), 0);
}

size_t jg_memory_limit(void)
{
    return read_limit(&limits[LIMIT_MEMORY]);
}

size_t jg_cache_limit(void)
{
    return read_limit(&limits[LIMIT_CACHE]);
}

static jg_status check_limit(const char *name, size_t nbytes)
{
    if (nbytes > INT64_MAX)
        return base_fail(JG_ERR_VALUE, "%s: got %zu, allowed are 0 to %" PRId64, name, nbytes,
                         INT64_MAX);
    return JG_OK;
}

static jg_status set_limit(limit_kind kind, size_t nbytes, size_t *previous)
{
    char text[32];
    limit *option_limit = &limits[kind];
    JG_TRY(check_limit(option_limit->name, nbytes));
    size_t before = read_limit(option_limit);
    snprintf(text, sizeof text, "%zu", nbytes);
    JG_TRY(jg_option_set(option_limit->name, text));
    if (previous != NULL)
        *previous = before;
    for (int i = 0; i < device_count_all(); ++i)
        trim_to_limits(device_at(i));
    return JG_OK;
}

jg_status jg_set_memory_limit(size_t nbytes, size_t *previous)
{
    return set_limit(LIMIT_MEMORY, nbytes, previous);
}

jg_status jg_set_cache_limit(size_t nbytes, size_t *previous)
{
    return set_limit(LIMIT_CACHE, nbytes, previous);
}

static jg_status set_device_limit(jg_device_id id, limit_kind kind, size_t nbytes, size_t *previous)
{
    jg_device *device;
    JG_TRY(check_limit(limits[kind].name, nbytes));
    JG_TRY(device_require(id, &device));
    if (previous != NULL)
        *previous = limit_of(device, kind);
    atomic_store_explicit(&uses[device->index].limits[kind], nbytes + 1, memory_order_relaxed);
    trim_to_limits(device);
    return JG_OK;
}

jg_status jg_device_set_memory_limit(jg_device_id device, size_t nbytes, size_t *previous)
{
    return set_device_limit(device, LIMIT_MEMORY, nbytes, previous);
}

jg_status jg_device_set_cache_limit(jg_device_id device, size_t nbytes, size_t *previous)
{
    return set_device_limit(device, LIMIT_CACHE, nbytes, previous);
}

jg_status jg_device_memory_limits(jg_device_id id, size_t *memory, size_t *cache)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    *memory = limit_of(device, LIMIT_MEMORY);
    *cache = limit_of(device, LIMIT_CACHE);
    return JG_OK;
}

jg_status jg_device_memory_use(jg_device_id id, size_t *active, size_t *peak, size_t *cache)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    *active = active_on(device);
    *peak = peak_on(device);
    *cache = cache_nbytes(device);
    return JG_OK;
}

jg_status jg_device_reset_peak_memory(jg_device_id id)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    atomic_store_explicit(&uses[device->index].peak, 0, memory_order_relaxed);
    return JG_OK;
}

jg_status jg_device_clear_cache(jg_device_id id)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    cache_trim(device, 0);
    return JG_OK;
}
