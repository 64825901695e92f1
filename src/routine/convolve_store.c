/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a convolution that do not lie as the result wants them: rounded, and moved. */
#include "routine/convolve.h"

enum { TOGETHER = 8 };

/* In place: what is written is never ahead of what is read. */
static void round_sums(const convolution *c, const convolve_block *block)
{
    int64_t count = block->rows * block->columns;
    routine_kernels_chosen()->convolves->narrow[c->dtype](block->sums, count, block->sums);
}

/* Rows become columns, where rows of the result lie side by side. */
static void transpose(const convolution *c, const convolve_block *block)
{
    int64_t places[CONVOLVE_MAX_COLUMNS], wide = (int64_t)dtype_itemsize(c->wide);
    const void *rows[TOGETHER];
    for (int64_t i = 0; i < block->columns; ++i)
        places[i] = i * block->to_column;
    for (int64_t first = 0; first < block->rows; first += TOGETHER) {
        int64_t rest = block->rows - first, count = rest < TOGETHER ? rest : TOGETHER;
        for (int64_t r = 0; r < count; ++r)
            rows[r] = (char *)block->sums + (first + r) * block->row * wide;
        c->kernels->interleave(rows, (int)count, block->columns, places, block->to + first * wide);
    }
}

static void move_rows(const convolution *c, const convolve_block *block)
{
    size_t itemsize = dtype_itemsize(c->dtype), scalar = itemsize / (size_t)c->parts;
    int64_t columns = block->columns / c->parts, step = block->to_column * (int64_t)itemsize;
    for (int64_t r = 0; r < block->rows; ++r)
        routine_spread_run(block->to + r * block->to_row * (int64_t)itemsize,
                           (char *)block->sums + (size_t)(r * block->row) * scalar, columns, step,
                           itemsize);
}

void convolve_store(const convolution *c, const convolve_block *block)
{
    convolve_block whole = *block;
    if (block->row == 1) { /* one column */
        whole.columns = block->rows;
        whole.to_column = block->to_row;
        whole.rows = 1;
    }
    if (c->casts)
        round_sums(c, &whole);
    if (!c->casts && c->parts == 1 && whole.to_row == 1 && whole.rows > 1 &&
        whole.columns <= CONVOLVE_MAX_COLUMNS)
        transpose(c, &whole);
    else
        move_rows(c, &whole);
}
