/* SPDX-License-Identifier: Apache-2.0 */
/* The indices of ranks of 64 bits, beside which a key has no bits for an index. There is memory for
 * a rank's difference from the least rank; if the span is too wide, its last bits are left out. The
 * few ranks that become equal by that are put in order afterwards; where there are many, the line
 * is sorted by the bits that were left out first, and then by the others. */
#include "routine/sort/sort.h"
#include <string.h>

enum { FEW = 16 }; /* the longest run that is put right by insertion */

static int bits_of(uint64_t number)
{
    return number == 0 ? 0 : 64 - __builtin_clzll(number);
}

/* The ranks' part from bit `shift` on beside indices, in order of `order` (NULL: as they are). */
static void pack_ranks(const int64_t *ranks, const int64_t *order, int64_t count, int64_t least,
                       int shift, int index_bits, int64_t *keys)
{
    uint64_t mask = (UINT64_C(1) << (63 - index_bits)) - 1;
    for (int64_t i = 0; i < count; ++i) {
        int64_t rank = ranks[order != NULL ? order[i] : i];
        uint64_t part = ((uint64_t)rank - (uint64_t)least) >> shift & mask;
        keys[i] = (int64_t)(part << index_bits | (uint64_t)i);
    }
}

static void insert_by_rank(int64_t *indices, int64_t count, const int64_t *ranks)
{
    for (int64_t i = 1; i < count; ++i) {
        int64_t index = indices[i], at = i;
        for (; at > 0 && ranks[indices[at - 1]] > ranks[index]; --at)
            indices[at] = indices[at - 1];
        indices[at] = index;
    }
}

/* Puts runs of keys that are equal but for their indices in the order of their ranks, and leaves
 * the indices. False if there is a long run. */
static bool settle_runs(int64_t *keys, int64_t count, const int64_t *ranks, int index_bits)
{
    int64_t mask = (INT64_C(1) << index_bits) - 1;
    for (int64_t first = 0, last; first < count; first = last) {
        int64_t part = keys[first] >> index_bits;
        for (last = first; last < count && keys[last] >> index_bits == part; ++last)
            keys[last] &= mask;
        if (last - first > FEW)
            return false;
        if (last - first > 1)
            insert_by_rank(keys + first, last - first, ranks);
    }
    return true;
}

/* count is at least 1. */
static void find_span(const int64_t *ranks, int64_t count, int64_t *least, int64_t *greatest)
{
    *least = INT64_MAX;
    *greatest = INT64_MIN;
    for (int64_t i = 0; i < count; ++i) {
        *least = ranks[i] < *least ? ranks[i] : *least;
        *greatest = ranks[i] > *greatest ? ranks[i] : *greatest;
    }
}

/* From the low digits of the ranks to the high ones, each as wide as a key can take. */
static void order_by_digits(const sort_line *line, const int64_t *ranks, int64_t least, int span,
                            int index_bits, int64_t *to)
{
    const sort_loops *loops = &routine_loops_chosen()->sorts[true];
    int64_t *before = sort_block(line, SORT_SPARE), count = line->count;
    for (int shift = 0; shift < span; shift += 63 - index_bits) {
        if (shift > 0)
            memcpy(before, to, (size_t)count * sizeof *to);
        pack_ranks(ranks, shift > 0 ? before : NULL, count, least, shift, index_bits, to);
        sort_all_keys(line, loops, to);
        sort_keep_indices(to, count, index_bits);
        for (int64_t i = 0; i < count && shift > 0; ++i)
            to[i] = before[to[i]];
    }
}

/* The rank that is the last of those wanted, of a copy of them all. */
static int64_t last_rank(const sort_line *line, const int64_t *ranks)
{
    int64_t *copy = sort_block(line, SORT_SPARE);
    memcpy(copy, ranks, (size_t)line->count * sizeof *copy);
    routine_loops_chosen()->sorts[true].select(copy, sort_block(line, SORT_SCRATCH), line->count,
                                               line->last - 1, line->last);
    return copy[line->last - 1];
}

/* Indices in their order: of ranks below the pivot, then of those equal to it, then the others. */
static void partition_around(const int64_t *ranks, int64_t count, int64_t pivot, int64_t *to)
{
    int64_t below = 0, equal = 0;
    for (int64_t i = 0; i < count; ++i) {
        below += ranks[i] < pivot;
        equal += ranks[i] == pivot;
    }
    int64_t starts[3] = {0, below, below + equal};
    for (int64_t i = 0; i < count; ++i)
        to[starts[(ranks[i] >= pivot) + (ranks[i] > pivot)]++] = i;
}

/* Whether a line of the first few has its memory in this line's scratch block. */
static bool fits_scratch(const sort_line *line)
{
    sort_line few = *line;
    few.count = line->kept;
    return (SORT_SPARE + 1) * size_whole_lines((size_t)few.count * sizeof(int64_t)) <=
           (size_t)line->count * sizeof(int64_t);
}

/* The first `kept` indices, which are sorted by themselves once they are found. */
static void order_first(const sort_line *line, const int64_t *ranks, int64_t *to)
{
    sort_line few = *line;
    int64_t *all = sort_block(line, SORT_SPARE), *taken = sort_block(line, SORT_BEFORE);
    few.count = few.last = line->kept;
    few.memory = sort_block(line, SORT_SCRATCH);
    partition_around(ranks, line->count, last_rank(line, ranks), all);
    for (int64_t i = 0; i < line->kept; ++i)
        taken[i] = ranks[all[i]];
    sort_order_ranks(&few, taken, to);
    for (int64_t i = 0; i < line->kept; ++i)
        to[i] = all[to[i]];
}

/* The indices of a line's ranks in sorted order; equal ones in that of their indices. */
void sort_order_ranks(const sort_line *line, const int64_t *ranks, int64_t *to)
{
    int64_t least, greatest, count = line->count;
    find_span(ranks, count, &least, &greatest);
    /* Without sign, as the difference may be beyond int64. A key has 63 bits: its sign stays
     * clear. */
    int span = bits_of((uint64_t)greatest - (uint64_t)least);
    int index_bits = bits_of((uint64_t)count - 1), shift = span - (63 - index_bits);
    /* One rank alone is wanted (a median, say): the others are put around it, unsorted. */
    if (shift > 0 && line->last == line->first + 1 && line->kept == count) {
        partition_around(ranks, count, last_rank(line, ranks), to);
        return;
    }
    if (shift > 0 && line->kept > 0 && line->kept < count && fits_scratch(line)) {
        order_first(line, ranks, to);
        return;
    }
    if (shift > 0) {
        pack_ranks(ranks, NULL, count, least, shift, index_bits, to);
        sort_all_keys(line, &routine_loops_chosen()->sorts[true], to);
        if (!settle_runs(to, count, ranks, index_bits))
            order_by_digits(line, ranks, least, span, index_bits, to);
        return;
    }
    pack_ranks(ranks, NULL, count, least, 0, index_bits, to);
    sort_order_keys(line, to, true);
    sort_keep_indices(to, line->kept, index_bits);
}
