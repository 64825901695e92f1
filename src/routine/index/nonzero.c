/* SPDX-License-Identifier: Apache-2.0 */
/* The indices of true bools. The bools are cut into blocks: the first step counts each, the second
 * writes the indices of each behind those of the blocks before it. How many there are in all was
 * counted when the result's shape was made; memory of others may have changed since. */
#include "routine/loops.h"
#include <inttypes.h>

/* Bools of a unit: enough to be worth claiming, few enough that all threads get some. */
enum { BLOCK = 64 << 10 };

/* A result without rows, of an x without axes, has no indices to be written. */
static int64_t count_blocks(const routine_call *call)
{
    int64_t size = call->operands[0].size;
    return size > 0 && call->operands[1].size > 0 ? (size - 1) / BLOCK + 1 : 0;
}

static int two_steps(const routine_call *call)
{
    (void)call;
    return 2;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    return count_blocks(call);
}

static size_t scratch(const routine_call *call)
{
    return (size_t)count_blocks(call) * sizeof(int64_t);
}

static int64_t block_end(const routine_call *call, int64_t block)
{
    int64_t end = (block + 1) * BLOCK, size = call->operands[0].size;
    return int64_min(end, size);
}

typedef struct true_indices {
    const uint8_t *bools;
    int ndim;
    const int64_t *shape;
    int64_t *out, *end; /* of the last axis; nothing is written from end on */
    int64_t row_step;   /* from the coordinates of an axis to those of the next */
} true_indices;

/* The indices of bools first to last - 1, all in the line along the last axis that begins at start.
 * The last axis's coordinates are written first; those of the others are the same for the whole
 * line. */
static void write_line(true_indices *p, int64_t start, int64_t first, int64_t last)
{
    int64_t count = routine_loops_chosen()->write_true(p->bools + start, first - start,
                                                       last - start, p->out, p->end);
    int64_t line = start / p->shape[p->ndim - 1];
    int64_t *out = p->out;
    for (int i = p->ndim - 2; i >= 0; --i) {
        out -= p->row_step;
        for (int64_t j = 0; j < count; ++j)
            out[j] = line % p->shape[i];
        line /= p->shape[i];
    }
    p->out += count;
}

static void write_lines(true_indices *p, int64_t first, int64_t last)
{
    int64_t extent = p->shape[p->ndim - 1];
    while (first < last) {
        int64_t start = first / extent * extent;
        int64_t end = int64_min(start + extent, last);
        write_line(p, start, first, end);
        first = end;
    }
}

static jg_status fail_changed(void)
{
    return base_fail(JG_ERR_VALUE, "x: changed while its true elements were looked for, allowed is "
                                   "none that is written meanwhile");
}

static jg_status write_block(const routine_call *call, int64_t block)
{
    const routine_operand *bools = &call->operands[0], *result = &call->operands[1];
    const int64_t *counts = call->scratch;
    int64_t before = 0, rows = result->shape[0], total = result->shape[1];
    bool flat = call->attributes->nonzero.flat;
    for (int64_t i = 0; i < block; ++i)
        before += counts[i];
    /* After the last block there are no elements left to fill the rest of a row. */
    int64_t so_far = before + counts[block];
    if (so_far > total || (so_far < total && block + 1 == count_blocks(call)))
        return fail_changed();
    /* The result has a row for each axis, `total` long. */
    int64_t *out = (int64_t *)call->addresses[1] + (rows - 1) * total + before;
    true_indices p = {.bools = call->addresses[0],
                      .ndim = flat ? 1 : bools->ndim,
                      .shape = flat ? &bools->size : bools->shape,
                      .out = out,
                      .end = out + counts[block],
                      .row_step = total};
    write_lines(&p, block * BLOCK, block_end(call, block));
    return p.out == p.end ? JG_OK : fail_changed();
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    const uint8_t *bools = call->addresses[0];
    int64_t *counts = call->scratch;
    jg_status status = JG_OK;
    for (int64_t block = first; block < last && status == JG_OK; ++block) {
        int64_t begin = block * BLOCK;
        if (step == 0)
            counts[block] =
                routine_loops_chosen()->count_true(bools + begin, block_end(call, block) - begin);
        else
            status = write_block(call, block);
    }
    return status;
}

const jg_routine routine_nonzero = {
    .name = "nonzero", .steps = two_steps, .units = units, .run = run, .scratch = scratch};
