/* SPDX-License-Identifier: Apache-2.0 */
/* Freed blocks, kept for the next of their size. Sizes go up in four steps per doubling, so at
 * most a fifth of a block is slack. A block in the cache is a whole buffer with its count at
 * zero. */
#include "memory/memory.h"
#include <joggle/array.h>
#include <pthread.h>

enum { SMALLEST_BITS = 8, STEPS = 4, CLASSES = (63 - SMALLEST_BITS) * STEPS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jg_buffer *kept[CLASSES];
static size_t kept_nbytes;
static atomic_int_fast64_t active, peak;

size_t cache_class_nbytes(int size_class)
{
    size_t base = (size_t)1 << (SMALLEST_BITS + size_class / STEPS);
    return base + base / STEPS * (size_t)(size_class % STEPS);
}

int cache_class_of(size_t nbytes)
{
    if (nbytes <= (size_t)1 << SMALLEST_BITS)
        return 0;
    int bits = 63 - __builtin_clzll(nbytes - 1); /* 2^bits < nbytes <= 2^(bits + 1) */
    size_t base = (size_t)1 << bits, step = base / STEPS;
    int above = (int)((nbytes - base + step - 1) / step);
    return (bits - SMALLEST_BITS) * STEPS + above;
}

static void raise_peak(int64_t value)
{
    int_fast64_t seen = atomic_load_explicit(&peak, memory_order_relaxed);
    while (value > seen && !atomic_compare_exchange_weak_explicit(
                               &peak, &seen, value, memory_order_relaxed, memory_order_relaxed))
        continue;
}

void cache_count(int64_t active_delta)
{
    int64_t now =
        atomic_fetch_add_explicit(&active, active_delta, memory_order_relaxed) + active_delta;
    if (active_delta > 0)
        raise_peak(now);
}

jg_buffer *cache_take(int size_class)
{
    pthread_mutex_lock(&lock);
    jg_buffer *buffer = kept[size_class];
    if (buffer != NULL) {
        kept[size_class] = buffer->next;
        kept_nbytes -= buffer->nbytes;
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

/* Read again only when some option has changed. */
static size_t limit_nbytes(void)
{
    static atomic_uint generation;
    static atomic_size_t limit;
    unsigned now = option_generation();
    if (JG_UNLIKELY(now != atomic_load_explicit(&generation, memory_order_acquire))) {
        int64_t asked = option_int(OPTION_CACHE_LIMIT);
        atomic_store_explicit(&limit, asked > 0 ? (size_t)asked : 0, memory_order_relaxed);
        atomic_store_explicit(&generation, now, memory_order_release);
    }
    return atomic_load_explicit(&limit, memory_order_relaxed);
}

bool cache_keep(jg_buffer *buffer)
{
    size_t limit = limit_nbytes();
    pthread_mutex_lock(&lock);
    bool fits = kept_nbytes + buffer->nbytes <= limit;
    if (fits) {
        buffer->next = kept[buffer->size_class];
        kept[buffer->size_class] = buffer;
        kept_nbytes += buffer->nbytes;
    }
    pthread_mutex_unlock(&lock);
    return fits;
}

void cache_empty(void)
{
    for (int i = 0; i < CLASSES; ++i) {
        for (jg_buffer *buffer = cache_take(i); buffer != NULL; buffer = cache_take(i)) {
            device_free(buffer->device, buffer->address, buffer->nbytes);
            base_free(buffer);
        }
    }
}

size_t jg_active_memory(void)
{
    return (size_t)atomic_load_explicit(&active, memory_order_relaxed);
}

size_t jg_peak_memory(void)
{
    return (size_t)atomic_load_explicit(&peak, memory_order_relaxed);
}

size_t jg_cache_memory(void)
{
    pthread_mutex_lock(&lock);
    size_t nbytes = kept_nbytes;
    pthread_mutex_unlock(&lock);
    return nbytes;
}

void jg_clear_cache(void)
{
    cache_empty();
}
