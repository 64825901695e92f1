/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a convolution that do not lie as the result wants them: rounded, and moved. */
#include "routine/convolution/convolve.h"
#include <string.h>

/* In place: the writes never overtake the reads. */
static void round_sums(const convolution *c, const convolve_block *block)
{
    int64_t count = block->rows * block->columns;
    c->narrow(block->sums, count, block->sums);
}

/* Rows become columns, where rows of the result lie side by side. The last ones are taken together
 * with some of those before, so that there are as many. */
static void transpose(const convolution *c, const convolve_block *block)
{
    enum { AT_ONCE = 64 };
    int64_t offsets[AT_ONCE], wide = (int64_t)dtype_itemsize(c->wide);
    int64_t count = int64_min(block->rows, CONVOLVE_TOGETHER);
    int64_t last = block->rows - count;
    const void *rows[CONVOLVE_TOGETHER];
    for (int64_t at = 0; at < block->columns; at += AT_ONCE) {
        int64_t left = block->columns - at, columns = int64_min(left, AT_ONCE);
        for (int64_t i = 0; i < columns; ++i)
            offsets[i] = (at + i) * block->to_column;
        for (int64_t i = 0; i < block->rows; i += CONVOLVE_TOGETHER) {
            int64_t first = int64_min(i, last);
            for (int64_t r = 0; r < count; ++r)
                rows[r] = (char *)block->sums + ((first + r) * block->columns + at) * wide;
            c->loops->interleave(rows, (int)count, columns, offsets, block->to + first * wide);
        }
    }
}

/* Sums that were rounded lie as densely as before, in fewer bytes. */
static void move_rows(const convolution *c, const convolve_block *block)
{
    int64_t itemsize = (int64_t)dtype_itemsize(c->dtype), columns = block->columns / c->parts;
    for (int64_t r = 0; r < block->rows; ++r) {
        char *to = block->to + r * block->to_row * itemsize;
        const char *from = (const char *)block->sums + r * columns * itemsize;
        if (block->to_column == 1)
            memcpy(to, from, (size_t)(columns * itemsize));
        else
            routine_spread_run(to, from, columns, block->to_column * itemsize, (size_t)itemsize);
    }
}

/* If the results of a row are far apart in memory and those of a column are adjacent, a transpose
 * writes whole cache lines. Writing column by column would not. */
void convolve_store(const convolution *c, const convolve_block *block)
{
    if (c->narrow != NULL)
        round_sums(c, block);
    if (c->narrow == NULL && c->parts == 1 && block->to_row == 1 && block->rows > 1)
        transpose(c, block);
    else
        move_rows(c, block);
}
