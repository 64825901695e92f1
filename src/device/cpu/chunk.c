/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are smaller than a huge page share chunks of several. What reads the matrices of a
 * model one after the other would else wait for a translation of addresses every 4 KiB: products
 * with codes of 4 bits took twice as long.
 *
 * A chunk is cut in units. A block is the first run of free ones that is long enough. A chunk is
 * given back when its last block is. */
#include "device/cpu/chunk.h"
#include "base/base.h"
#include <pthread.h>
#include <sys/mman.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__
enum { IS_CHECKED = 1 }; /* each block is malloc's, so that what is written beyond it is found */
#else
enum { IS_CHECKED = 0 };
#endif

enum {
    LEAST_NBYTES = 64 << 10, /* of a block: fewer pages are soon translated */
    UNIT = 16 << 10,
    UNITS = 1024,
    CHUNK_NBYTES = UNITS * UNIT
};
_Static_assert(CHUNK_NBYTES % CPU_HUGE_PAGE == 0, "chunks are whole huge pages");

typedef struct cpu_chunk {
    struct cpu_chunk *next;
    char *start; /* aligned to the size of a chunk */
    int longest; /* no run of free units is longer */
    int nblocks;
    bool taken[UNITS];
} cpu_chunk;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; of what follows */
static cpu_chunk *chunks;

static void hold_over_forks(void)
{
    fork_hold(&lock);
}

bool cpu_chunk_holds(size_t nbytes)
{
    return !IS_CHECKED && nbytes >= LEAST_NBYTES && nbytes < CPU_HUGE_PAGE;
}

static int units_of(size_t nbytes)
{
    return (int)((nbytes + UNIT - 1) / UNIT);
}

static void mark(cpu_chunk *chunk, int first, int count, bool taken)
{
    for (int i = 0; i < count; ++i)
        chunk->taken[first + i] = taken;
}

/* NULL where no run is so long, which is remembered. */
static void *take_from(cpu_chunk *chunk, int count)
{
    int longest = 0;
    for (int i = 0, run = 0; i < UNITS; ++i) {
        run = chunk->taken[i] ? 0 : run + 1;
        longest = run > longest ? run : longest;
        if (run < count)
            continue;
        mark(chunk, i + 1 - count, count, true);
        chunk->nblocks += 1;
        return chunk->start + (size_t)(i + 1 - count) * UNIT;
    }
    chunk->longest = longest;
    return NULL;
}

static void *take(int count)
{
    for (cpu_chunk *chunk = chunks; chunk != NULL; chunk = chunk->next) {
        void *block = chunk->longest >= count ? take_from(chunk, count) : NULL;
        if (block != NULL)
            return block;
    }
    return NULL;
}

/* On no list yet; NULL if there is no memory. */
static cpu_chunk *new_chunk(void)
{
    cpu_chunk *chunk = base_alloc_zeroed(sizeof *chunk);
    if (chunk == NULL)
        return NULL;
    chunk->longest = UNITS;
    chunk->start = base_alloc_aligned(CHUNK_NBYTES, CHUNK_NBYTES);
    if (chunk->start == NULL) {
        base_free(chunk);
        return NULL;
    }
    madvise(chunk->start, CHUNK_NBYTES, MADV_HUGEPAGE); /* a hint, which may fail without harm */
    return chunk;
}

void *cpu_chunk_take(size_t nbytes)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, hold_over_forks);
    pthread_mutex_lock(&lock);
    void *block = take(units_of(nbytes));
    pthread_mutex_unlock(&lock);
    if (block != NULL)
        return block;
    cpu_chunk *chunk = new_chunk();
    if (chunk == NULL)
        return NULL;
    block = take_from(chunk, units_of(nbytes));
    pthread_mutex_lock(&lock);
    chunk->next = chunks;
    chunks = chunk;
    pthread_mutex_unlock(&lock);
    return block;
}

/* The place on the list that names the chunk of a block. */
static cpu_chunk **find(const char *block)
{
    cpu_chunk **at = &chunks;
    while (block < (*at)->start || block >= (*at)->start + CHUNK_NBYTES)
        at = &(*at)->next;
    return at;
}

void cpu_chunk_put(void *block, size_t nbytes)
{
    pthread_mutex_lock(&lock);
    cpu_chunk **at = find(block), *chunk = *at;
    mark(chunk, (int)(((char *)block - chunk->start) / UNIT), units_of(nbytes), false);
    chunk->longest = UNITS;
    chunk->nblocks -= 1;
    bool is_empty = chunk->nblocks == 0;
    if (is_empty)
        *at = chunk->next;
    pthread_mutex_unlock(&lock);
    if (!is_empty)
        return;
    base_free(chunk->start);
    base_free(chunk);
}
