/* SPDX-License-Identifier: Apache-2.0 */
/* One line in order. Its elements become ranks, whole numbers of the same order, which are sorted
 * and become elements again. Of indices, each key is a rank and, in its low bits, the index, so
 * that equal elements stay in their order. Ranks of 64 bits leave no bits for indices:
 * sort_wide.c. */
#include "routine/sort/sort.h"
#include <string.h>

/* Blocks are taken from the front, so a line's memory ends behind the last one it uses. */
size_t sort_line_nbytes(const sort_line *line, bool indices)
{
    const sort_elements *elements = sort_elements_of(line->dtype);
    int blocks = SORT_KEYS + 1;
    if (elements->read_minor != NULL)
        blocks = SORT_ALL_BLOCKS;
    else if (elements->wide && (indices || elements->write == NULL))
        blocks = SORT_BEFORE + 1;
    else if (indices ? line->kept == line->count
                     : sort_fits_result(line, dtype_itemsize(line->dtype)))
        blocks = SORT_SCRATCH + 1;
    return (size_t)blocks * size_whole_lines((size_t)line->count * sizeof(int64_t));
}

/* The state that the threads of a pass share. odd: whether elements that differ have the same
 * rank. */
typedef struct line_pass {
    const sort_line *line;
    const sort_elements *elements;
    void *keys, *to;
    atomic_bool odd;
} line_pass;

static const char *element_at(const sort_line *line, int64_t index)
{
    return line->from + index * line->step * (int64_t)dtype_itemsize(line->dtype);
}

static void read_ranks(void *context, int64_t first, int64_t last)
{
    line_pass *pass = context;
    const sort_line *line = pass->line;
    if (pass->elements->read(element_at(line, first), line->step, last - first, line->descending,
                             (char *)pass->keys + (size_t)first * sort_key_nbytes(pass->elements)))
        atomic_store_explicit(&pass->odd, true, memory_order_relaxed);
}

static void write_elements(void *context, int64_t first, int64_t last)
{
    line_pass *pass = context;
    pass->elements->write((char *)pass->keys + (size_t)first * sort_key_nbytes(pass->elements),
                          last - first, pass->line->descending,
                          (char *)pass->to + (size_t)first * dtype_itemsize(pass->line->dtype));
}

static void pack_indices(void *context, int64_t first, int64_t last)
{
    line_pass *pass = context;
    const sort_line *line = pass->line;
    pass->elements->pack(element_at(line, first), line->step, last - first, first, line->descending,
                         (int64_t *)pass->keys + first);
}

static int64_t *ranks_of(const sort_line *line, const sort_elements *elements)
{
    line_pass pass = {.line = line, .elements = elements, .keys = sort_block(line, SORT_RANKS)};
    pool_run(line->count, sort_grain(line, line->count), read_ranks, &pass);
    return pass.keys;
}

/* Sorts by the minor ranks, then stably by the major ones. */
static void order_twice(const sort_line *line, const sort_elements *elements, int64_t *to)
{
    int64_t *minors = sort_block(line, SORT_MINORS), *before = sort_block(line, SORT_BEFORE),
            count = line->count;
    sort_line all = *line;
    all.first = 0;
    all.last = all.kept = count;
    elements->read_minor(line->from, line->step, count, line->descending, minors);
    sort_order_ranks(&all, minors, before);
    const int64_t *ranks = ranks_of(line, elements);
    for (int64_t i = 0; i < count; ++i)
        minors[i] = ranks[before[i]];
    sort_order_ranks(&all, minors, to);
    for (int64_t i = 0; i < count; ++i)
        to[i] = before[to[i]];
}

/* Complex numbers have ranks of two parts: ordered by the minor one first, then stably by the
 * other. */
static void order_wide(const sort_line *line, const sort_elements *elements, int64_t *to)
{
    if (elements->read_minor != NULL)
        order_twice(line, elements, to);
    else
        sort_order_ranks(line, ranks_of(line, elements), to);
}

/* All indices; only `kept` of them are wanted. */
static void order_indices(const sort_line *line, const sort_elements *elements, int64_t *to)
{
    if (elements->wide) {
        order_wide(line, elements, to);
        return;
    }
    line_pass pass = {.line = line, .elements = elements, .keys = to};
    pool_run(line->count, sort_grain(line, line->count), pack_indices, &pass);
    sort_order_keys(line, to, true);
    sort_keep_indices(to, line->kept, 32);
}

void sort_line_indices(const sort_line *line, int64_t *to)
{
    int64_t *all = line->kept == line->count ? to : sort_block(line, SORT_KEYS);
    order_indices(line, sort_elements_of(line->dtype), all);
    if (all != to)
        memcpy(to, all, (size_t)line->kept * sizeof *to);
}

/* Elements that cannot be computed back from their ranks. */
static void gather_values(const sort_line *line, const sort_elements *elements, void *to)
{
    size_t nbytes = dtype_itemsize(line->dtype);
    int64_t *order = sort_block(line, SORT_KEYS);
    order_indices(line, elements, order);
    for (int64_t i = 0; i < line->kept; ++i)
        memcpy((char *)to + (size_t)i * nbytes, element_at(line, order[i]), nbytes);
}

/* Counting passes over all levels, so it is for longer lines; and it orders all elements. */
static bool is_counted(const sort_line *line, const sort_elements *elements)
{
    return elements->levels > 0 && line->count >= elements->levels && line->count <= UINT32_MAX &&
           line->first == 0 && line->last == line->count;
}

/* restore puts back what different elements of one rank were, -0 and NaN above all. */
static void count_values(const sort_line *line, const sort_elements *elements, void *to)
{
    uint32_t *counts = sort_block(line, SORT_SCRATCH);
    memset(counts, 0, (size_t)elements->levels * sizeof *counts);
    elements->tally(line->from, line->step, line->count, counts);
    elements->spill(counts, line->descending, to);
    if (elements->restore != NULL)
        elements->restore(line->from, line->step, to, line->count);
}

/* Elements that cannot be computed from their ranks are gathered by their indices; long lines of
 * few possible values are counted; all others are sorted as ranks and written back. The result
 * serves as the keys' memory where it is large enough. */
void sort_line_values(const sort_line *line, void *to)
{
    const sort_elements *elements = sort_elements_of(line->dtype);
    line_pass pass = {.line = line, .elements = elements, .to = to};
    if (elements->write == NULL) {
        gather_values(line, elements, to);
        return;
    }
    if (is_counted(line, elements)) {
        count_values(line, elements, to);
        return;
    }
    pass.keys =
        sort_fits_result(line, dtype_itemsize(line->dtype)) ? to : sort_block(line, SORT_KEYS);
    pool_run(line->count, sort_grain(line, line->count), read_ranks, &pass);
    sort_order_keys(line, pass.keys, elements->wide);
    pool_run(line->kept, sort_grain(line, line->kept), write_elements, &pass);
    if (pass.odd && elements->restore != NULL)
        elements->restore(line->from, line->step, to, line->kept);
}
