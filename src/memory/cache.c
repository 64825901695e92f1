/* SPDX-License-Identifier: Apache-2.0 */
/* Freed blocks, kept for the next of their size on their device. Sizes go up in four steps per
 * doubling, and in 32 of those from 64 KiB on, so at most a fifth of a small block is slack, and a
 * 33rd of a large one. A block in the cache is a whole buffer with its count at zero; its memory is
 * poisoned. */
#include "memory/memory.h"
#include <joggle/memory.h>
#include <pthread.h>

/* From the alignment of blocks to more than any address space has. */
enum { SMALLEST_BITS = 8, LARGE_BITS = 16, FEW_STEPS = 4, STEPS = 32 };
enum { SMALL_CLASSES = (LARGE_BITS - SMALLEST_BITS) * FEW_STEPS };
_Static_assert(1 << SMALLEST_BITS == BASE_BLOCK_ALIGNMENT, "no block is smaller than its slot");
_Static_assert(CACHE_CLASSES == SMALL_CLASSES + (63 - LARGE_BITS) * STEPS,
               "every size has its class");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jg_buffer *kept[DEVICE_MAX][CACHE_CLASSES];
static size_t kept_nbytes[DEVICE_MAX];

static size_t nbytes_of(int bits, int steps, int above)
{
    size_t base = (size_t)1 << bits;
    return base + base / (size_t)steps * (size_t)above;
}

/* 2^k, 1.25, 1.5 and 1.75 times that, 2^(k + 1), ...; the same in 32nds */
size_t cache_class_nbytes(int size_class)
{
    int large = size_class - SMALL_CLASSES;
    return large < 0 ? nbytes_of(SMALLEST_BITS + size_class / FEW_STEPS, FEW_STEPS,
                                 size_class % FEW_STEPS)
                     : nbytes_of(LARGE_BITS + large / STEPS, STEPS, large % STEPS);
}

int cache_class_of(size_t nbytes)
{
    if (nbytes <= (size_t)1 << SMALLEST_BITS)
        return 0;
    int bits = 63 - __builtin_clzll(nbytes - 1); /* 2^bits < nbytes <= 2^(bits + 1) */
    bool large = bits >= LARGE_BITS;
    int steps = large ? STEPS : FEW_STEPS;
    size_t base = (size_t)1 << bits, step = base / (size_t)steps;
    /* 1 to the number of steps: with that it is the first class of the next doubling. */
    int above = (int)(size_ceil_div(nbytes - base, step));
    return large ? SMALL_CLASSES + (bits - LARGE_BITS) * STEPS + above
                 : (bits - SMALLEST_BITS) * FEW_STEPS + above;
}

/* Takes a kept buffer of the device with that number. gives: the buffer, or NULL */
static jg_buffer *take(int device, int size_class)
{
    pthread_mutex_lock(&lock);
    jg_buffer *buffer = kept[device][size_class];
    if (buffer != NULL) {
        kept[device][size_class] = buffer->next;
        kept_nbytes[device] -= buffer->nbytes;
    }
    pthread_mutex_unlock(&lock);
    return buffer;
}

jg_buffer *cache_take(const jg_device *device, int size_class)
{
    return take(device->index, size_class);
}

/* The block freed last is reused first, as it may still be in the processor's caches. */
bool cache_keep(jg_buffer *buffer, size_t limit)
{
    int device = buffer->device->index;
    pthread_mutex_lock(&lock);
    bool fits = kept_nbytes[device] + buffer->nbytes <= limit;
    if (fits) {
        if (buffer_is_on_host(buffer))
            poison_begin(buffer->handle, buffer->nbytes);
        jg_buffer **first = &kept[device][buffer->size_class];
        buffer->next = *first;
        *first = buffer;
        kept_nbytes[device] += buffer->nbytes;
    }
    pthread_mutex_unlock(&lock);
    return fits;
}

size_t cache_nbytes(const jg_device *device)
{
    pthread_mutex_lock(&lock);
    size_t nbytes = kept_nbytes[device->index];
    pthread_mutex_unlock(&lock);
    return nbytes;
}

/* Larger blocks go first, as they free the most memory per call. */
void cache_trim(const jg_device *device, size_t limit)
{
    for (int i = CACHE_CLASSES - 1; i >= 0 && cache_nbytes(device) > limit; --i) {
        jg_buffer *buffer;
        while (cache_nbytes(device) > limit && (buffer = take(device->index, i)) != NULL)
            block_free(buffer);
    }
}

void cache_install_hooks(void)
{
    fork_hold(&lock);
}
