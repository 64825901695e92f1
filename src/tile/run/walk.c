/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over loops: where the frame's addresses are, and the steps of the tile that is there. */
#include "tile/code.h"

/* All buffers move together; a stride of 0 leaves one where it is. */
void tile_nest_move(tile_frame *frame, int loop, int64_t steps)
{
    const tile_code *code = frame->code;
    const int64_t *strides = code->strides + loop * code->nbuffers;
    for (int b = 0; b < code->nbuffers; ++b)
        frame->at[b] += strides[b] * steps;
}

/* The addresses must be those of index 0. Extents may be 0 only if linear is 0, hence no division
 * then. */
void tile_nest_seek(tile_frame *frame, int first, int last, int64_t linear, int64_t *index)
{
    const int64_t *extents = frame->code->extents;
    for (int d = last - 1; d >= first; --d) {
        int64_t quotient = d == first || linear == 0 ? 0 : linear / extents[d];
        index[d] = linear - quotient * extents[d];
        linear = quotient;
        if (index[d] != 0)
            tile_nest_move(frame, d, index[d]);
    }
}

/* false after the last index, with the frame's addresses back at the first. */
bool tile_nest_advance(tile_frame *frame, int first, int last, int64_t *index)
{
    const int64_t *extents = frame->code->extents;
    for (int d = last - 1; d >= first; --d) {
        if (++index[d] < extents[d]) {
            tile_nest_move(frame, d, 1);
            return true;
        }
        tile_nest_move(frame, d, 1 - extents[d]);
        index[d] = 0;
    }
    return false;
}

void tile_nest_return(tile_frame *frame, int first, int last, const int64_t *index)
{
    for (int d = first; d < last; ++d)
        if (index[d] != 0)
            tile_nest_move(frame, d, -index[d]);
}

/* Slots of memory that is read in place point to where the tile begins. */
void tile_run_tile_steps(tile_frame *frame, const tile_steps *steps, int64_t start, int64_t n)
{
    const tile_code *code = frame->code;
    for (int i = 0; i < code->ndirect; ++i) {
        const tile_direct *direct = &code->direct[i];
        frame->slots[direct->slot] =
            (char *)(intptr_t)(frame->at[direct->slot] + start * direct->itemsize);
    }
    tile_span span = {.nest = &code->nest, .at = frame->at, .start = start, .n = n};
    tile_steps_run_tile(frame, steps, &span);
}

void tile_run_tile(tile_frame *frame, int64_t start, int64_t n)
{
    tile_run_tile_steps(frame, &frame->code->tile, start, n);
}
