/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting keys on several threads: bounds are chosen from a sample, blocks of keys are split by
 * them, what a part has in each block is copied to where the part lies, and each part is sorted by
 * itself. A split does what a thread that sorts alone would begin with, so only the copy is more
 * work. Sorted keys do not depend on the bounds, so nothing depends on the number of threads. */
#include "routine/sort/sort.h"
#include <string.h>

/* LEAST_BLOCK: keys, so that splits of a block take longer than to begin them. */
enum { MAX_PARTS = 16, MAX_BLOCKS = 64, LEAST_BLOCK = 1 << 13, SAMPLES_PER_PART = 64 };

/* One sort, which the threads share: each writes to rows or ranges of its own. */
typedef struct shared_sort {
    const sort_loops *loops;
    char *keys, *scratch;
    char *split, *moved;  /* of these two memories, the one in which splits end, and the other */
    int64_t count, block; /* keys, and how many of them make a block */
    int parts;
    int64_t bounds[MAX_PARTS];             /* in the bytes of keys */
    int64_t counts[MAX_BLOCKS][MAX_PARTS]; /* keys that a block has of each part */
    int64_t starts[MAX_BLOCKS][MAX_PARTS]; /* where they go */
    int64_t part_starts[MAX_PARTS + 1];
} shared_sort;

static int64_t block_count(const shared_sort *s)
{
    return ceil_div(s->count, s->block);
}

static int64_t keys_in(const shared_sort *s, int64_t block)
{
    int64_t first = block * s->block;
    return int64_min(s->count - first, s->block);
}

static char *block_in(const shared_sort *s, char *memory, int64_t block)
{
    return memory + (size_t)(block * s->block) * s->loops->nbytes;
}

/* Bounds may be equal; then parts between them are empty. */
static void choose_bounds(shared_sort *s)
{
    enum { SAMPLES = MAX_PARTS * SAMPLES_PER_PART };
    int64_t sample[SAMPLES], scratch[SAMPLES];
    size_t nbytes = s->loops->nbytes;
    int64_t count = (int64_t)s->parts * SAMPLES_PER_PART, apart = s->count / count;
    uint64_t seed = (uint64_t)s->count;
    for (int64_t i = 0; i < count; ++i) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t index = i * apart + (int64_t)((seed >> 33) % (uint64_t)apart);
        memcpy((char *)sample + (size_t)i * nbytes, s->keys + (size_t)index * nbytes, nbytes);
    }
    s->loops->sort(sample, scratch, count, false);
    for (int64_t i = 1; i < s->parts; ++i)
        memcpy((char *)s->bounds + (size_t)(i - 1) * nbytes,
               (char *)sample + (size_t)(i * SAMPLES_PER_PART) * nbytes, nbytes);
}

static void split_blocks(void *context, int64_t first, int64_t last)
{
    shared_sort *s = context;
    for (int64_t i = first; i < last; ++i)
        s->loops->split_parts(block_in(s, s->keys, i), block_in(s, s->scratch, i), keys_in(s, i),
                              s->bounds, s->parts, s->counts[i]);
}

/* Turns the number of keys that each block has of each part into where it puts them. */
static void assign_blocks(shared_sort *s)
{
    int64_t start = 0;
    for (int part = 0; part < s->parts; ++part) {
        s->part_starts[part] = start;
        for (int64_t i = 0; i < block_count(s); ++i) {
            s->starts[i][part] = start;
            start += s->counts[i][part];
        }
    }
    s->part_starts[s->parts] = start;
}

static void move_blocks(void *context, int64_t first, int64_t last)
{
    shared_sort *s = context;
    size_t size = s->loops->nbytes;
    for (int64_t i = first; i < last; ++i) {
        const char *from = block_in(s, s->split, i);
        for (int part = 0; part < s->parts; ++part) {
            size_t nbytes = (size_t)s->counts[i][part] * size;
            memcpy(s->moved + (size_t)s->starts[i][part] * size, from, nbytes);
            from += nbytes;
        }
    }
}

static void sort_parts(void *context, int64_t first, int64_t last)
{
    shared_sort *s = context;
    size_t nbytes = s->loops->nbytes;
    for (int64_t part = first; part < last; ++part) {
        int64_t start = s->part_starts[part];
        s->loops->sort(s->keys + (size_t)start * nbytes, s->scratch + (size_t)start * nbytes,
                       s->part_starts[part + 1] - start, s->moved == s->scratch);
    }
}

/* More parts than threads, as the sample cuts them only about equally; a power of two. */
static int parts_for(int threads)
{
    int parts = 4;
    while (parts < 2 * threads && parts < MAX_PARTS)
        parts *= 2;
    return parts;
}

static int64_t block_for(int64_t count)
{
    int64_t least = ceil_div(count, MAX_BLOCKS);
    return int64_max(least, LEAST_BLOCK);
}

/* Cuts the keys by bounds into parts, each of which one thread sorts: the splits of all blocks tell
 * where each moves what it has of a part; then the parts are independent. */
void sort_shared(const sort_loops *loops, void *keys, void *scratch, int64_t count)
{
    int threads = pool_size();
    if (threads == 1 || count < SORT_LONG) {
        loops->sort(keys, scratch, count, false);
        return;
    }
    shared_sort s = {.loops = loops,
                     .keys = keys,
                     .scratch = scratch,
                     .count = count,
                     .block = block_for(count),
                     .parts = parts_for(threads)};
    bool odd = __builtin_ctz((unsigned)s.parts) % 2 != 0;
    s.split = odd ? s.scratch : s.keys;
    s.moved = odd ? s.keys : s.scratch;
    choose_bounds(&s);
    pool_run(block_count(&s), 1, split_blocks, &s);
    assign_blocks(&s);
    pool_run(block_count(&s), 1, move_blocks, &s);
    pool_run(s.parts, 1, sort_parts, &s);
}
