/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions one result after the other: the elements of each are folded tile by tile. Units divide
 * the results, or parts of results if these are few and long. */
#include "tile/code.h"
#include <string.h>

/* Elements of a row that are never split between parts; a multiple of every tile length that is
 * shorter. */
enum { CHUNK = 64 << 10 };

/* Parts and calls begin at chunks, so that sums are cut in the same way whether or not the operand
 * is in memory. */
static int64_t chunks_of_row(const tile_nest *nest)
{
    return ceil_div(nest->row, CHUNK);
}

static int64_t count_chunks(const tile_nest *nest)
{
    return nest->row == 0 ? 0 : nest->size / nest->row * chunks_of_row(nest);
}

/* The same for one row of code whose elements another tier computes. That tier gets the address of
 * the row's first element, as if all elements of the row lay there. */
static void fold_made(tile_frame *frame, int64_t start, int64_t end)
{
    const tile_code *code = frame->code;
    void *addresses[PROGRAM_MAX_BUFFERS];
    memcpy(addresses, frame->addresses, (size_t)code->nbuffers * sizeof *addresses);
    for (int64_t unit = start / code->unit; start < end; start += code->unit, ++unit) {
        int64_t rest = end - start, n = int64_min(rest, code->unit);
        uintptr_t offset = (uintptr_t)start << code->result_size_log;
        addresses[code->nbuffers] = (void *)((uintptr_t)frame->kept - offset);
        code->maker->run(code->elements, addresses, frame->scalars, NULL, unit, unit + 1);
        code->reduction->fold(frame->acc, frame->kept, n);
    }
}

/* n elements, which lie dense. */
static void fold_elements(tile_frame *frame, const void *from, int64_t n)
{
    const tile_code *code = frame->code;
    if (code->counts != NULL)
        code->counts(frame->acc, from, n);
    else
        code->reduction->fold(frame->acc, from, n);
}

/* The products of n pairs. Those of a long run are folded tile by tile, as if they were computed
 * before the sum. */
static void fold_products(tile_frame *frame, const char *from, const char *other, int64_t n)
{
    const tile_code *code = frame->code;
    while (n > 0) {
        int64_t count = int64_min(n, code->nest.tile);
        code->product(frame->acc, from, other, count);
        from += count << code->reduced_size_log;
        other += count << code->reduced_size_log;
        n -= count;
    }
}

/* The address of an element of a buffer's row. */
static const char *element_at(const tile_frame *frame, uint16_t buffer, int64_t i)
{
    return (const char *)(intptr_t)(frame->at[buffer] + (i << frame->code->reduced_size_log));
}

/* Elements start to end - 1 of the row. */
static void fold_span(tile_frame *frame, int64_t start, int64_t end)
{
    const tile_code *code = frame->code;
    if (code->maker != NULL) {
        fold_made(frame, start, end);
        return;
    }
    if (code->only_reduces && code->product != NULL) {
        fold_products(frame, element_at(frame, code->reduced, start),
                      element_at(frame, code->other, start), end - start);
        return;
    }
    if (code->only_reduces) {
        fold_elements(frame, element_at(frame, code->reduced, start), end - start);
        return;
    }
    for (int64_t tile = code->nest.tile; start < end; start += tile) {
        int64_t n = int64_min(end - start, tile);
        tile_run_tile(frame, start, n);
        if (code->product != NULL)
            fold_products(frame, frame->slots[code->reduced], frame->slots[code->other], n);
        else
            fold_elements(frame, frame->slots[code->reduced], n);
    }
}

/* Chunks first to last - 1 of the reduced loops, at least one, counted row by row. */
static void fold_chunks(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_nest *nest = &frame->code->nest;
    int outer = nest->linear ? nest->first : nest->first + nest->ndim - 1;
    int64_t per_row = chunks_of_row(nest), row = first == 0 ? 0 : first / per_row;
    int64_t chunk = first - row * per_row, index[JG_MAX_NDIM];
    tile_nest_seek(frame, nest->first, outer, row, index);
    for (;;) {
        tile_steps_run_one(frame, &frame->code->row);
        for (; chunk < per_row && first < last; ++chunk, ++first) {
            int64_t end = (chunk + 1) * CHUNK;
            fold_span(frame, chunk * CHUNK, int64_min(end, nest->row));
        }
        if (first == last)
            break;
        chunk = 0;
        tile_nest_advance(frame, nest->first, outer, index);
    }
    tile_nest_return(frame, nest->first, outer, index);
}

/* A part of one result, folded into an accumulator of its own; tile_finish_inner merges them in
 * their order. */
static void run_part(tile_frame *frame, int64_t unit)
{
    const tile_code *code = frame->code;
    int64_t result = unit / code->nparts, index[JG_MAX_NDIM], first, last;
    reduce_part(code, count_chunks(&code->nest), 1, unit % code->nparts, &first, &last);
    tile_nest_seek(frame, 0, code->nest.first, result, index);
    frame->acc = reduce_part_acc(frame, unit);
    code->reduction->begin(frame->acc, 1);
    fold_chunks(frame, first, last);
    tile_nest_return(frame, 0, code->nest.first, index);
}

/* Whether each result takes in one short row, which lies in memory as it is. */
static bool takes_rows(const tile_code *code)
{
    const tile_nest *nest = &code->nest;
    int64_t longest = code->product != NULL ? nest->tile : CHUNK;
    return code->only_reduces && code->counts == NULL && nest->size == nest->row && nest->row > 0 &&
           nest->row <= longest && nest->first > 0 && code->row.count == 0;
}

/* n results from the frame's position, run by run of the last kept loop. */
static void reduce_rows(tile_frame *frame, int64_t *index, int64_t n)
{
    const tile_code *code = frame->code;
    int kept = code->nest.first, last = kept - 1;
    const int64_t *strides = code->strides + last * code->nbuffers;
    int64_t stride = strides[code->reduced];
    int64_t other_stride = code->product != NULL ? strides[code->other] : 0;
    char *to = frame->slots[code->result];
    while (n > 0) {
        int64_t run = code->extents[last] - index[last];
        run = int64_min(run, n);
        if (code->product != NULL)
            code->each_product(to, element_at(frame, code->reduced, 0), stride,
                               element_at(frame, code->other, 0), other_stride, run,
                               code->nest.row);
        else
            code->reduction->each(to, element_at(frame, code->reduced, 0), stride, run,
                                  code->nest.row);
        to += run << code->result_size_log;
        n -= run;
        /* To the last of the run, from where tile_nest_advance goes on: it carries into the loops
         * around. */
        tile_nest_move(frame, last, run - 1);
        index[last] += run - 1;
        tile_nest_advance(frame, 0, kept, index);
    }
}

/* n results from the frame's position, one after the other. */
static void reduce_results(tile_frame *frame, int64_t *index, int64_t n)
{
    const tile_code *code = frame->code;
    int64_t chunks = count_chunks(&code->nest);
    for (int64_t i = 0; i < n; ++i) {
        code->reduction->begin(frame->acc, 1);
        if (chunks > 0)
            fold_chunks(frame, 0, chunks);
        code->reduction->finish(frame->slots[code->result] + (i << code->result_size_log),
                                frame->acc, 1);
        tile_nest_advance(frame, 0, code->nest.first, index);
    }
}

/* Results first to last - 1, gathered in the result register until it is full. */
static void run_results(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    int kept = code->nest.first;
    int64_t index[JG_MAX_NDIM], origin[PROGRAM_MAX_BUFFERS];
    for (int b = 0; b < code->nbuffers; ++b)
        origin[b] = frame->at[b];
    tile_nest_seek(frame, 0, kept, first, index);
    while (first < last) {
        int64_t rest = last - first, n = int64_min(rest, code->results.tile);
        if (takes_rows(code))
            reduce_rows(frame, index, n);
        else
            reduce_results(frame, index, n);
        reduce_last(frame, origin, first, n);
        first += n;
    }
}

void tile_run_inner(tile_frame *frame, int64_t first, int64_t last)
{
    if (frame->code->nparts == 1) {
        run_results(frame, first, last);
        return;
    }
    for (; first < last; ++first)
        run_part(frame, first);
}

/* The results are fewer than fill a tile. */
void tile_finish_inner(tile_frame *frame)
{
    const tile_code *code = frame->code;
    for (int64_t i = 0; i < code->results.size; ++i)
        code->reduction->finish(frame->slots[code->result] + (i << code->result_size_log),
                                reduce_merge(frame, i, 1), 1);
    reduce_last(frame, frame->at, 0, code->results.size);
}
