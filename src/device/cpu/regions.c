/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 32 KiB to 16 MiB, beside each other in regions of huge pages.
 *
 * A matrix that is read once, as the weights of a model are for each token, comes from memory at 22
 * GB/s if it lies on pages of 4 KiB, and at 36 on huge ones (Zen 4, one thread): processors fetch
 * ahead no further than a page. A block alone is on huge pages only where it fills them.
 *
 * A region is aligned to its size, so that a block's address tells which one it lies in. Behind it,
 * on a small page, are the bits that say which units are used. Blocks are put in the first gap of
 * the oldest region that has one. A region without blocks is freed: freed blocks are kept by the
 * cache above (memory/cache.c). */
#include "device/cpu/regions.h"
#include "base/base.h"
#include <pthread.h>
#include <sys/mman.h>

enum {
    UNIT = 4 << 10,
    REGION = 32 << 20,
    UNITS = REGION / UNIT,
    WORD = 64, /* units that a word tells of */
    PAGE_UNITS = HUGE_PAGE / UNIT
};

typedef struct region region;

struct region {
    region *next;
    int used;    /* units */
    int longest; /* no gap has more units */
    uint64_t bits[UNITS / WORD];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static region *regions; /* the oldest first */

static char *memory_of(region *r)
{
    return (char *)r - REGION;
}

/* The first unit from `at` on that is used, or that is not; UNITS if there is none. */
static int next_unit(const region *r, int at, bool used)
{
    while (at < UNITS) {
        uint64_t word = (used ? r->bits[at / WORD] : ~r->bits[at / WORD]) >> at % WORD;
        if (word != 0)
            return at + __builtin_ctzll(word);
        at = (at / WORD + 1) * WORD;
    }
    return UNITS;
}

static void mark_units(region *r, int first, int count, bool used)
{
    for (int at = first, end = first + count, next; at < end; at = next) {
        next = int_min(end, (at / WORD + 1) * WORD);
        uint64_t bits = ~UINT64_C(0) >> (WORD - (next - at)) << at % WORD;
        if (used)
            r->bits[at / WORD] |= bits;
        else
            r->bits[at / WORD] &= ~bits;
    }
    r->used += used ? count : -count;
}

/* gives: the first unit of a gap of `count` units, or UNITS if there is none */
static int find_gap(region *r, int count)
{
    int longest = 0;
    if (r->longest < count)
        return UNITS;
    for (int at = next_unit(r, 0, false); at < UNITS;) {
        int end = next_unit(r, at, true);
        if (end - at >= count)
            return at;
        longest = int_max(longest, end - at);
        at = next_unit(r, end, false);
    }
    r->longest = longest;
    return UNITS;
}

/* gives: NULL where there is no memory */
static region *add_region(void)
{
    char *memory = base_alloc_aligned(REGION, REGION + sizeof(region));
    if (memory == NULL)
        return NULL;
    madvise(memory, REGION, MADV_HUGEPAGE); /* a hint, which may fail without harm */
    poison_begin(memory, REGION);
    region *r = (region *)(void *)(memory + REGION), **last = &regions;
    memset(r, 0, sizeof *r);
    r->longest = UNITS;
    while (*last != NULL)
        last = &(*last)->next;
    *last = r;
    return r;
}

static int units_of(size_t nbytes)
{
    return (int)size_ceil_div(nbytes, UNIT);
}

void *regions_alloc(size_t nbytes)
{
    int count = units_of(nbytes), at = UNITS;
    pthread_mutex_lock(&lock);
    region *r = regions;
    while (r != NULL && (at = find_gap(r, count)) == UNITS)
        r = r->next;
    if (r == NULL && (r = add_region()) != NULL)
        at = find_gap(r, count);
    if (r != NULL)
        mark_units(r, at, count, true);
    pthread_mutex_unlock(&lock);
    if (r == NULL)
        return NULL;
    char *block = memory_of(r) + (size_t)at * UNIT;
    poison_end(block, nbytes);
    return block;
}

/* Gives the system those pages of the units back in which nothing is used. */
static void return_pages(region *r, int first, int count)
{
    for (int at = first / PAGE_UNITS * PAGE_UNITS; at < first + count; at += PAGE_UNITS)
        if (next_unit(r, at, true) >= at + PAGE_UNITS)
            madvise(memory_of(r) + (size_t)at * UNIT, HUGE_PAGE, MADV_DONTNEED);
}

static void remove_region(region *r)
{
    region **at = &regions;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
}

void regions_free(void *block, size_t nbytes)
{
    size_t offset = (uintptr_t)block % REGION;
    region *r = (region *)(void *)((char *)block - offset + REGION);
    int first = (int)(offset / UNIT), count = units_of(nbytes);
    poison_begin(block, nbytes);
    pthread_mutex_lock(&lock);
    mark_units(r, first, count, false);
    r->longest = UNITS;
    bool is_empty = r->used == 0;
    if (is_empty)
        remove_region(r);
    else
        return_pages(r, first, count);
    pthread_mutex_unlock(&lock);
    if (is_empty)
        base_free(memory_of(r));
}

void regions_install_hooks(void)
{
    fork_hold(&lock);
}
