/* SPDX-License-Identifier: Apache-2.0 */
/* Short lines that follow each other: all their elements become keys, and keys elements, in one
 * pass, which costs less than a pass for each. */
#include "routine/sort/sort.h"

/* Whole lines, side by side, of elements whose ranks are as wide as they are. */
bool sort_takes_dense(const sort_line *line, bool indices)
{
    const sort_elements *elements = sort_elements_of(line->dtype);
    if (line->step != 1 || line->first != 0 || line->last != line->count ||
        line->kept != line->count)
        return false;
    return indices ? !elements->wide
                   : elements->write != NULL && sort_fits_result(line, dtype_itemsize(line->dtype));
}

static void sort_each(const sort_line *line, int64_t lines, char *keys, bool wide)
{
    const sort_loops *loops = &routine_loops_chosen()->sorts[wide];
    size_t nbytes = (size_t)line->count * loops->nbytes;
    for (int64_t i = 0; i < lines; ++i)
        loops->sort(keys + (size_t)i * nbytes, line->memory, line->count, false);
}

/* The result serves as keys, which are as wide as the elements: sort_takes_dense has seen to it. */
void sort_dense_values(const sort_line *line, int64_t lines, void *to)
{
    const sort_elements *elements = sort_elements_of(line->dtype);
    size_t nbytes = (size_t)line->count * dtype_itemsize(line->dtype);
    bool odd = elements->read(line->from, 1, lines * line->count, line->descending, to);
    sort_each(line, lines, to, elements->wide);
    elements->write(to, lines * line->count, line->descending, to);
    for (int64_t i = 0; i < lines && odd && elements->restore != NULL; ++i)
        elements->restore(line->from + (size_t)i * nbytes, 1, (char *)to + (size_t)i * nbytes,
                          line->count);
}

/* Indices are counted through all lines first. */
void sort_dense_indices(const sort_line *line, int64_t lines, int64_t *to)
{
    const sort_elements *elements = sort_elements_of(line->dtype);
    int64_t count = line->count;
    elements->pack(line->from, 1, lines * count, 0, line->descending, to);
    sort_each(line, lines, (char *)to, true);
    for (int64_t i = 0; i < lines; ++i)
        for (int64_t k = i * count; k < (i + 1) * count; ++k)
            to[k] = (to[k] & UINT32_MAX) - i * count;
}
