/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: an attention as its call asks for it, and what its units work in. */
#ifndef JG_ROUTINE_ATTENTION_CALL_H
#define JG_ROUTINE_ATTENTION_CALL_H

#include "routine/loops.h"

enum {
    ATTENTION_LINES = 8,     /* keys that are packed together */
    ATTENTION_KEYS = 128,    /* of a block: whole panels for every instruction set */
    ATTENTION_PART = 1 << 10 /* that a unit of few rows meets: whole blocks */
};

/* q (..., N, L, D), k (..., M, T, D), v (..., M, T, E), N a multiple of M; then, where there are
 * any, the mask (..., N, L, T), bool or float32, and the sinks (..., N, 1, 1), float32. The result
 * is (..., N, L, E). The axes before are the same, and nothing is empty.
 *
 * A plan that found an attention in other ops has three operands more before the result, a float32
 * each: by which the scores are multiplied, by which they are divided, and what the shares of a row
 * add up to instead of 1. One that there is not has no shape. */
typedef struct attention {
    const routine_call *call;
    const routine_operand *q, *k, *v, *mask, *sinks, *out; /* mask, sinks: NULL if there is none */
    const routine_operand *factor, *divisor, *total;       /* likewise */
    int64_t heads, group, length, span, depth, width;      /* M, N / M, L, T, D, E */
    int64_t rows, blocks, block_rows; /* of a head of k; units; rows of a unit */
    int64_t taken_rows;               /* rows of a unit that are taken together, at most */
    int64_t panel, padded;            /* columns of a panel; E in whole panels */
    int64_t parts;                    /* units that share the keys of a block of rows */
    const convolve_loops *products;   /* whose multiply is a block of a product */
    const attention_loops *softmax;
    const attention_reader *of_keys, *of_values; /* NULL where they are packed */
} attention;

/* The memory of a unit. A matrix in panels stores all rows of a panel before the next panel. */
typedef struct attention_room {
    float *q;      /* rows by depth, scaled */
    float *keys;   /* in panels, depth by keys */
    float *values; /* in panels, keys by width */
    float *scores; /* ATTENTION_ROWS by ATTENTION_KEYS */
    float *lines;  /* ATTENTION_LINES rows of q, k or v */
    float *out;    /* rows by padded */
    float *largest, *sums;
    int64_t *offsets; /* in a panel of keys, of each element of a key */
} attention_room;

/* A unit's batch and head of k, its first row, the number of its rows, and its part of the keys. */
typedef struct attention_unit {
    int64_t batch, head, first, rows, part;
} attention_unit;

/* A factor whose columns are in panels. Steps from a row to the next, and from a panel. */
typedef struct attention_panels {
    const float *start;
    int64_t rows, row_step, panel_step;
} attention_panels;

/* describe.c */

attention attention_describe(const routine_call *call);
attention_unit attention_unit_at(const attention *a, int64_t number);

/* Elements to where the batch's part of an operand begins, then to a head, to one of its rows. */
int64_t attention_offset(const routine_operand *x, int64_t batch, int64_t head, int64_t row);

/* The offset of row r of the unit in an operand that has the heads of q. */
int64_t attention_row_offset(const attention *a, const attention_unit *unit,
                             const routine_operand *x, int64_t r);
/* The address of the element of x at the offset, borrowed from the call. */
const char *attention_address(const attention *a, const routine_operand *x, int64_t offset);

/* pack.c */

/* Rows of q, scaled. */
void attention_pack_queries(const attention *a, const attention_unit *unit,
                            const attention_room *room);

/* Keys first to first + count - 1 and their values, as columns in panels. */
void attention_pack(const attention *a, const attention_unit *unit, int64_t first, int64_t count,
                    const attention_room *room, attention_panels *keys, attention_panels *values);

/* y = x @ w, or that added to y; the columns are all of y's. */
void attention_multiply(const attention *a, const float *x, int64_t x_row,
                        const attention_panels *w, float *y, int64_t y_row, int64_t rows,
                        int64_t columns, bool adds);

/* The address of an element, borrowed as the address is. */
static inline const float *attention_float(const void *address, int64_t element)
{
    return (const float *)address + element;
}

#endif
