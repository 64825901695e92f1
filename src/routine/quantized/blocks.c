/* SPDX-License-Identifier: Apache-2.0 */
/* Products of many rows with a quantised matrix that is small enough to be expanded once, into the
 * scratch of the call, for all of them. Rows of the result are made a block at a time, so that what
 * follows the product finds a block in a cache.
 *
 * The expanded matrix lies in panels of as many columns of the result as the loop makes side by
 * side, row after row of the product's terms; the last one is filled up with zeros. */
#include "routine/quantized/product.h"
#include <string.h>

enum {
    MIN_ROWS = 16,           /* of x, that pay for expanding the matrix apart */
    MAX_FLOATS = 4 << 20,    /* of the matrix: they stay in a third-level cache */
    SPAN = 128,              /* columns that are expanded at once: whole groups, whole panels */
    TERMS = 256,             /* that all rows of a block meet at once: whole groups */
    GROUP_FLOATS = 32 << 10, /* of w, that they meet at once, from the second-level cache */
    BLOCK_FLOATS = 32 << 10, /* of a block of the result, and of its rows of x */
    ROW_STEP = 6,            /* rows that the loop makes at once */
    MIN_STEPS = 4,           /* of a block of many terms: w is read again for each */
    MAX_STEPS = 40
};

bool quantized_has_blocks(const product *p)
{
    return p->batch == 1 && p->rhs == NULL && p->m >= MIN_ROWS && p->k > 0 &&
           p->n <= MAX_FLOATS / p->k;
}

static int64_t padded_columns(const product *p)
{
    return round_up(p->n, SPAN);
}

size_t quantized_blocks_scratch(const product *p)
{
    return (size_t)(padded_columns(p) * p->k) * sizeof(float);
}

int64_t quantized_blocks_spans(const product *p)
{
    return padded_columns(p) / SPAN;
}

/* The begin of the panel of that column of the result. */
static float *panel_at(const product *p, int64_t column)
{
    return (float *)p->call->scratch + column * p->k;
}

/* Rows of w, each a column of a panel. Rows a power of two apart would meet in few lines of the
 * cache. */
static void turn_rows(const product *p, const quantized_matrices *operands, int64_t start,
                      int64_t columns)
{
    enum { STEP = TERMS + 16, MAX_WIDE = 64 };
    float rows[MAX_WIDE * STEP], *to = panel_at(p, start);
    int64_t wide = p->loops->wide;
    memset(rows + columns * STEP, 0, (size_t)((wide - columns) * STEP) * sizeof *rows);
    for (int64_t first = 0; first < p->k; first += TERMS) {
        int64_t count = int64_min(p->k - first, TERMS);
        for (int64_t column = 0; column < columns; ++column)
            quantized_expand(p, operands, start + column, first, count, rows + column * STEP);
        for (int64_t k = 0; k < count; ++k, to += wide)
            for (int64_t column = 0; column < wide; ++column)
                to[column] = rows[column * STEP + k];
    }
}

/* Parts of rows of w, each a row of panels. */
static void move_rows(const product *p, const quantized_matrices *operands, int64_t start,
                      int64_t columns)
{
    float row[SPAN] = {0};
    int64_t wide = p->loops->wide;
    for (int64_t k = 0; k < p->k; ++k) {
        quantized_expand(p, operands, k, start, columns, row);
        for (int64_t column = 0; column < columns; column += wide)
            memcpy(panel_at(p, start + column) + k * wide, row + column,
                   (size_t)wide * sizeof *row);
    }
}

void quantized_blocks_expand(const product *p, const quantized_matrices *operands, int64_t span)
{
    int64_t start = span * SPAN, end = int64_min(start + SPAN, p->n), wide = p->loops->wide;
    if (!p->transposed)
        move_rows(p, operands, start, end - start);
    else
        for (int64_t column = start; column < end; column += wide)
            turn_rows(p, operands, column, int64_min(end - column, wide));
}

int64_t quantized_blocks_rows(const product *p)
{
    int64_t longest = int64_max(p->n, p->k), least = p->k > TERMS ? MIN_STEPS : 1;
    int64_t limit = p->call->beside == NULL ? BLOCK_FLOATS : BLOCK_FLOATS / 2;
    int64_t steps = limit / ROW_STEP / longest;
    steps = steps < least ? least : int64_min(steps, MAX_STEPS);
    return steps * ROW_STEP;
}

/* The operand that is read together with the result, in the pass that adds the last terms; NULL
 * otherwise. */
static const char *beside_at(const product *p, int64_t row, int64_t column, int64_t first)
{
    if (p->call->beside == NULL || first + TERMS < p->k)
        return NULL;
    return p->call->beside + (row * p->n + column) * (int64_t)sizeof(float);
}

/* All rows of a block meet a group of panels after the other, which stays in the cache. */
void quantized_blocks_run(const product *p, const quantized_matrices *operands, int64_t block)
{
    int64_t rows = quantized_blocks_rows(p), start = block * rows;
    for (int64_t first = 0; first < p->k; first += TERMS) {
        int64_t terms = int64_min(p->k - first, TERMS),
                columns = GROUP_FLOATS / terms / SPAN * SPAN;
        for (int64_t column = 0; column < p->n; column += columns)
            p->loops->panels(&(quantized_tile){.x = operands->x + start * p->x_row + first,
                                               .w = panel_at(p, column) + first * p->loops->wide,
                                               .to = operands->to + start * p->n + column,
                                               .x_row = p->x_row,
                                               .w_row = p->loops->wide * p->k,
                                               .to_row = p->n,
                                               .m = int64_min(p->m - start, rows),
                                               .n = int64_min(p->n - column, columns),
                                               .k = terms,
                                               .ahead = beside_at(p, start, column, first),
                                               .adds = first > 0});
    }
}
