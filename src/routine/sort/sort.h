/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: putting one line of elements in order. sort.c finds the lines, sort_line.c
 * turns elements into keys and back, sort_wide.c those of which a key holds but a part,
 * sort_dense.c many short lines at a time; sort_keys.c sorts a line's keys, sort_shared.c with
 * several threads. */
#ifndef JG_ROUTINE_SORT_H
#define JG_ROUTINE_SORT_H

#include "routine/loops.h"

/* Longer lines are worth several threads. */
enum { SORT_LONG = 1 << 16 };

/* A line, and what is wanted of it: its elements in order, or their indices. Ranks first to last -
 * 1 are in sorted order, with no greater elements before and no lesser ones behind them. Of the
 * result, the first `kept` are wanted; if those are not all, they are all in order. */
typedef struct sort_line {
    jg_dtype dtype;
    const char *from;
    int64_t step, count; /* in elements */
    int64_t first, last, kept;
    bool descending;
    bool alone;   /* by the calling thread, as there are lines for the others */
    char *memory; /* of sort_line_nbytes, aligned to 64 bytes */
} sort_line;

/* The line's memory and where it begins do not matter for the first. */
size_t sort_line_nbytes(const sort_line *line, bool indices);
void sort_line_values(const sort_line *line, void *to);
void sort_line_indices(const sort_line *line, int64_t *to);

/* The same for `lines` lines that follow each other in x and in the result, with the memory for one
 * line. sort_takes_dense tells whether the lines can be sorted together. */
bool sort_takes_dense(const sort_line *line, bool indices);
void sort_dense_values(const sort_line *line, int64_t lines, void *to);
void sort_dense_indices(const sort_line *line, int64_t lines, int64_t *to);

/* The same as `sort` of the loops, on all threads. keys and scratch are aligned to the keys'
 * width. */
void sort_shared(const sort_loops *loops, void *keys, void *scratch, int64_t count);

/* Sorts all keys of a line, on all threads unless it is alone. */
void sort_all_keys(const sort_line *line, const sort_loops *loops, void *keys);

/* The number of elements that a thread takes in a pass over `count` elements of a line. */
static inline int64_t sort_grain(const sort_line *line, int64_t count)
{
    enum { GRAIN = 1 << 14 };
    return line->alone && count > GRAIN ? count : GRAIN;
}

/* The blocks of a line's memory, each of 8 bytes an element; a line takes the first ones. */
enum { SORT_SCRATCH, SORT_KEYS, SORT_RANKS, SORT_SPARE, SORT_BEFORE, SORT_MINORS, SORT_ALL_BLOCKS };

/* Borrowed from the line. */
static inline void *sort_block(const sort_line *line, int block)
{
    return line->memory + (size_t)block * size_whole_lines((size_t)line->count * sizeof(int64_t));
}

/* Borrowed, valid forever. */
static inline const sort_elements *sort_elements_of(jg_dtype dtype)
{
    return &routine_loops_chosen()->elements[dtype];
}

static inline size_t sort_key_nbytes(const sort_elements *elements)
{
    return elements->wide ? sizeof(int64_t) : sizeof(int32_t);
}

/* Whether a result of that itemsize can hold the keys of all elements. */
static inline bool sort_fits_result(const sort_line *line, size_t nbytes)
{
    return line->kept == line->count && nbytes == sort_key_nbytes(sort_elements_of(line->dtype));
}

/* Sorts keys of a line as much as it asks for. */
void sort_order_keys(const sort_line *line, void *keys, bool wide);

/* Leaves the low bits of keys, which are the indices. */
void sort_keep_indices(int64_t *keys, int64_t count, int index_bits);

/* The indices of a line's ranks in sorted order, as far as the line asks for them; equal ranks keep
 * the order of their indices. */
void sort_order_ranks(const sort_line *line, const int64_t *ranks, int64_t *to);

#endif
