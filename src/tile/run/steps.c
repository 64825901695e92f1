/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of steps: the innermost code that is not a vector loop. Nothing is checked here:
 * prepare has made steps that fit each other. */
#include "tile/code.h"
#include <string.h>

static const void *pointer(int64_t address)
{
    return (const void *)(intptr_t)address;
}

static size_t itemsize(const tile_step *step)
{
    return (size_t)1 << step->size_log;
}

/* The walk of a buffer through the nest from the tile's first element on. index has room for the
 * nest's indices. */
static tile_walk walk_from(const tile_code *code, const tile_span *span, int buffer, int64_t *index)
{
    const tile_nest *nest = span->nest;
    const int64_t *extents = code->extents + nest->first;
    int64_t rest = span->start;
    for (int d = nest->ndim - 1; d >= 0; --d) {
        int64_t quotient = d == 0 || rest == 0 ? 0 : rest / extents[d];
        index[d] = rest - quotient * extents[d];
        rest = quotient;
    }
    return (tile_walk){nest->ndim, extents, code->walks + buffer * code->ndim + nest->first, index};
}

/* The stride of the nest's innermost loop. There is one, as a nest without loops has no steps that
 * move. */
static int64_t row_stride(const tile_code *code, const tile_span *span, int buffer)
{
    return code->walks[buffer * code->ndim + span->nest->first + span->nest->ndim - 1];
}

static tile_grid grid_of(const tile_code *code, const tile_span *span, int buffer)
{
    const int64_t *walk = code->walks + buffer * code->ndim;
    return (tile_grid){span->rows, span->columns, walk[code->across], walk[code->ndim - 1]};
}

static void gather(tile_frame *frame, const tile_step *step, const tile_span *span)
{
    const tile_moves *moves = &frame->code->loops->moves[step->size_log];
    int64_t index[JG_MAX_NDIM], at = span->at[step->buffer];
    if (span->nest->grid) {
        tile_grid grid = grid_of(frame->code, span, step->buffer);
        moves->gather_grid(frame->slots[step->dst], pointer(at), &grid);
        return;
    }
    if (span->nest->linear) {
        tile_walk walk = walk_from(frame->code, span, step->buffer, index);
        moves->gather_nest(frame->slots[step->dst], pointer(at), &walk, span->n);
        return;
    }
    int64_t stride = row_stride(frame->code, span, step->buffer);
    moves->gather(frame->slots[step->dst], pointer(at + span->start * stride), stride, span->n);
}

static void scatter(tile_frame *frame, const tile_step *step, const tile_span *span)
{
    const tile_moves *moves = &frame->code->loops->moves[step->size_log];
    int64_t index[JG_MAX_NDIM], at = span->at[step->buffer];
    if (span->nest->grid) {
        tile_grid grid = grid_of(frame->code, span, step->buffer);
        moves->scatter_grid((void *)(intptr_t)at, frame->slots[step->a], &grid,
                            frame->code->streams);
        return;
    }
    if (span->nest->linear) {
        tile_walk walk = walk_from(frame->code, span, step->buffer, index);
        moves->scatter_nest((void *)(intptr_t)at, frame->slots[step->a], &walk, span->n);
        return;
    }
    int64_t stride = row_stride(frame->code, span, step->buffer);
    moves->scatter((void *)(intptr_t)(at + span->start * stride), frame->slots[step->a], stride,
                   span->n);
}

/* In a linear nest a sequence is made run by run of the innermost loop. */
static void sequence(tile_frame *frame, const tile_step *step, const tile_span *span)
{
    const tile_code *code = frame->code;
    int64_t *to = (int64_t *)(void *)frame->slots[step->dst];
    int64_t index[JG_MAX_NDIM], n = span->n, at = span->at[step->buffer];
    int64_t stride = row_stride(code, span, step->buffer);
    if (span->nest->grid) {
        tile_grid grid = grid_of(code, span, step->buffer);
        for (int64_t row = 0; row < grid.rows; ++row, to += grid.columns)
            code->loops->sequence(to, at + row * grid.row_stride, grid.column_stride, grid.columns);
        return;
    }
    if (!span->nest->linear) {
        code->loops->sequence(to, at + span->start * stride, stride, n);
        return;
    }
    tile_walk walk = walk_from(code, span, step->buffer, index);
    int inner = walk.ndim - 1;
    while (n > 0) {
        int64_t run = walk.extents[inner] - index[inner], value = at;
        run = int64_min(run, n);
        for (int d = 0; d < walk.ndim; ++d)
            value += index[d] * walk.strides[d];
        code->loops->sequence(to, value, stride, run);
        to += run;
        n -= run;
        index[inner] = 0;
        for (int d = inner - 1; d >= 0 && ++index[d] == walk.extents[d]; --d)
            index[d] = 0;
    }
}

void tile_steps_run_one(tile_frame *frame, const tile_steps *steps)
{
    char **slots = frame->slots;
    for (const tile_step *step = steps->steps, *end = step + steps->count; step < end; ++step) {
        switch (step->action) {
        case TILE_APPLY:
            step->loop(slots[step->dst], slots[step->a], slots[step->b], slots[step->c], 1);
            break;
        case TILE_FETCH:
            memcpy(slots[step->dst], pointer(frame->at[step->buffer]), itemsize(step));
            break;
        case TILE_FETCH_SEQUENCE:
            /* An index buffer's address is its value. */
            memcpy(slots[step->dst], &frame->at[step->buffer], sizeof(int64_t));
            break;
        case TILE_FETCH_SCALAR:
            memcpy(slots[step->dst], &frame->scalars[step->buffer], itemsize(step));
            break;
        case TILE_FILL:
            frame->code->loops->moves[step->size_log].fill(slots[step->dst], step->count);
            break;
        case TILE_PUT:
            memcpy((void *)(intptr_t)frame->at[step->buffer], slots[step->a], itemsize(step));
            break;
        default: break;
        }
    }
}

/* Actions on single elements are in other lists. */
void tile_steps_run_tile(tile_frame *frame, const tile_steps *steps, const tile_span *span)
{
    char **slots = frame->slots;
    int64_t n = span->n;
    for (const tile_step *step = steps->steps, *end = step + steps->count; step < end; ++step) {
        switch (step->action) {
        case TILE_APPLY:
            step->loop(slots[step->dst], slots[step->a], slots[step->b], slots[step->c], n);
            break;
        case TILE_GATHER: gather(frame, step, span); break;
        case TILE_SEQUENCE: sequence(frame, step, span); break;
        case TILE_SCATTER: scatter(frame, step, span); break;
        case TILE_STREAM:
            frame->code->loops->stream(slots[step->buffer], slots[step->a],
                                       (size_t)n * itemsize(step));
            break;
        default: break;
        }
    }
}
