/* SPDX-License-Identifier: Apache-2.0 */
/* The common code of the two forms of a reduction: the steps after it, and the parts into which a
 * long reduction is divided. A part has accumulators of its own in the launch's shared memory; when
 * all units have run they are combined in the order of the parts, so that the result depends
 * neither on the number of threads nor on their speed. */
#include "tile/code.h"

/* `at` and not frame->at, which has gone on to the next results by now. */
void reduce_last(tile_frame *frame, const int64_t *at, int64_t start, int64_t n)
{
    const tile_code *code = frame->code;
    for (int i = 0; i < code->nresult_direct; ++i) {
        const tile_direct *direct = &code->result_direct[i];
        frame->slots[direct->slot] =
            (char *)(intptr_t)(at[direct->slot] + start * direct->itemsize);
    }
    tile_span span = {.nest = &code->results, .at = at, .start = start, .n = n};
    tile_steps_run_tile(frame, &code->last, &span);
}

/* Parts are whole grains of nearly equal number. They depend on the code alone, so the result does
 * not depend on which thread ran which part. */
void reduce_part(const tile_code *code, int64_t count, int64_t grain, int64_t part, int64_t *first,
                 int64_t *last)
{
    int64_t grains = ceil_div(count, grain);
    int64_t end = grains * (part + 1) / code->nparts * grain;
    *first = grains * part / code->nparts * grain;
    *last = int64_min(end, count);
}

char *reduce_part_acc(const tile_frame *frame, int64_t unit)
{
    return frame->shared + unit * (int64_t)frame->code->acc_nbytes;
}

/* Into the accumulators of the first part: units are counted result by result, its parts side by
 * side. */
char *reduce_merge(const tile_frame *frame, int64_t index, int64_t n)
{
    const tile_code *code = frame->code;
    char *acc = reduce_part_acc(frame, index * code->nparts);
    for (int64_t part = 1; part < code->nparts; ++part)
        code->reduction->merge(acc, acc + part * (int64_t)code->acc_nbytes, n);
    return acc;
}
