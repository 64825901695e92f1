/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the keys of a line, as far as they are wanted: ranks alone, or ranks with indices. */
#include "routine/sort/sort.h"

void sort_all_keys(const sort_line *line, const sort_loops *loops, void *keys)
{
    void *scratch = sort_block(line, SORT_SCRATCH);
    if (line->alone)
        loops->sort(keys, scratch, line->count, false);
    else
        sort_shared(loops, keys, scratch, line->count);
}

/* Sorts as much as the line asks for. */
void sort_order_keys(const sort_line *line, void *keys, bool wide)
{
    const sort_loops *loops = &routine_loops_chosen()->sorts[wide];
    void *scratch = sort_block(line, SORT_SCRATCH);
    if (line->first == 0 && line->last == line->count) {
        sort_all_keys(line, loops, keys);
        return;
    }
    /* Selection has found the first `kept` keys, but not in order. */
    loops->select(keys, scratch, line->count, line->first, line->last);
    if (line->kept < line->count)
        loops->sort(keys, scratch, line->kept, false);
}

void sort_keep_indices(int64_t *keys, int64_t count, int index_bits)
{
    int64_t mask = (INT64_C(1) << index_bits) - 1;
    for (int64_t i = 0; i < count; ++i)
        keys[i] &= mask;
}
