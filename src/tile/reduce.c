/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions. Results are independent of each other and are what units divide; one result is
 * computed on one thread, so a sum over everything is one unit. (Later: units over parts of the
 * reduced loops with an accumulator each, and a last step that adds those.) */
#include "tile/code.h"

/* The last steps on n results from the start-th on, of the row of results whose begin is at. */
static void run_last(tile_frame *frame, const int64_t *at, int64_t start, int64_t n)
{
    const tile_code *code = frame->code;
    for (int i = 0; i < code->nresult_direct; ++i) {
        const tile_direct *direct = &code->result_direct[i];
        frame->slots[direct->slot] =
            (char *)(intptr_t)(at[direct->slot] + start * direct->itemsize);
    }
    tile_place place = {&code->results, at, start, n};
    steps_run_tile(frame, &code->last, &place);
}

/* ---- INNER: one result after the other ---- */

/* One row of the reduced loops into the accumulator. */
static void fold_row(tile_frame *frame)
{
    const tile_code *code = frame->code;
    const tile_nest *nest = &code->nest;
    if (code->only_reduces) {
        code->reduction->fold(frame->acc, (const void *)(intptr_t)frame->at[code->reduced],
                              nest->row);
        return;
    }
    steps_run_one(frame, &code->row);
    for (int64_t start = 0; start < nest->row; start += nest->tile) {
        int64_t rest = nest->row - start, n = rest < nest->tile ? rest : nest->tile;
        run_tile(frame, start, n);
        code->reduction->fold(frame->acc, frame->slots[code->reduced], n);
    }
}

static void reduce_one(tile_frame *frame)
{
    const tile_nest *nest = &frame->code->nest;
    int last = nest->linear ? nest->first : nest->first + nest->ndim - 1;
    int64_t index[JG_MAX_NDIM];
    frame->code->reduction->begin(frame->acc, 1);
    if (nest->size == 0)
        return;
    nest_seek(frame, nest->first, last, 0, index);
    do
        fold_row(frame);
    while (nest_advance(frame, nest->first, last, index));
}

/* Results first to last - 1, gathered in the result register until it is full. */
void run_inner(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    int kept = code->nest.first;
    int64_t index[JG_MAX_NDIM], origin[PROGRAM_MAX_BUFFERS];
    for (int b = 0; b < code->nbuffers; ++b)
        origin[b] = frame->at[b];
    nest_seek(frame, 0, kept, first, index);
    while (first < last) {
        int64_t rest = last - first, n = rest < code->results.tile ? rest : code->results.tile;
        for (int64_t i = 0; i < n; ++i) {
            reduce_one(frame);
            code->reduction->finish(frame->slots[code->result] + (i << code->result_size_log),
                                    frame->acc, 1);
            nest_advance(frame, 0, kept, index);
        }
        run_last(frame, origin, first, n);
        first += n;
    }
}

/* ---- OUTER: a tile of results at a time ---- */

/* Every reduced index for one tile of results; frame->at is as before when it returns. */
static void reduce_tile(tile_frame *frame, int64_t start, int64_t n)
{
    const tile_code *code = frame->code;
    int first = code->ndim - code->nreduced,
        last = code->only_reduces ? code->ndim - 1 : code->ndim;
    int64_t index[JG_MAX_NDIM];
    int64_t innermost = code->extents[code->ndim - 1];
    nest_seek(frame, first, last, 0, index);
    do {
        if (code->only_reduces) {
            int64_t stride = code->strides[(code->ndim - 1) * code->nbuffers + code->reduced];
            int64_t from = frame->at[code->reduced] + (start << code->result_size_log);
            code->reduction->rows(frame->acc, (const void *)(intptr_t)from, stride, innermost, n);
        } else {
            steps_run_one(frame, &code->row);
            run_tile(frame, start, n);
            code->reduction->rows(frame->acc, frame->slots[code->reduced], 0, 1, n);
        }
    } while (nest_advance(frame, first, last, index));
}

void run_outer(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    const tile_nest *nest = &code->nest;
    int outer = nest->linear ? 0 : nest->ndim - 1;
    int64_t row = first / nest->tiles_per_row, tile = first - row * nest->tiles_per_row;
    int64_t index[JG_MAX_NDIM];
    bool empty = false;
    for (int d = code->ndim - code->nreduced; d < code->ndim; ++d)
        empty |= code->extents[d] == 0;
    nest_seek(frame, 0, outer, row, index);
    for (; first < last; ++first, ++tile) {
        if (tile == nest->tiles_per_row) {
            nest_advance(frame, 0, outer, index);
            tile = 0;
        }
        int64_t start = tile * nest->tile, rest = nest->row - start;
        int64_t n = rest < nest->tile ? rest : nest->tile;
        code->reduction->begin(frame->acc, n);
        if (!empty)
            reduce_tile(frame, start, n);
        code->reduction->finish(frame->slots[code->result], frame->acc, n);
        run_last(frame, frame->at, start, n);
    }
}
