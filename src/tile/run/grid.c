/* SPDX-License-Identifier: Apache-2.0 */
/* Running a grid: each tile lies over a block of two loops, at one index of all others. Tiles are
 * counted along the columns first, or down the rows first where they are written past the caches:
 * then the reads go on where those of the last tile ended. */
#include "tile/code.h"
#include <string.h>

/* Moves to a block of the loop: its first index; gives its size. */
static int64_t enter_block(tile_frame *frame, int loop, int64_t block, int64_t size)
{
    int64_t first = block * size, rest = frame->code->extents[loop] - first;
    tile_nest_move(frame, loop, first);
    return int64_min(rest, size);
}

/* Moves frame->at from the first element of all to the tile's. The fastest counter first: across
 * the rows or along the columns, then the other, then all other loops. */
static tile_span enter_tile(tile_frame *frame, int64_t tile)
{
    const tile_code *code = frame->code;
    int inner = code->ndim - 1;
    int64_t across = ceil_div(code->extents[code->across], code->rows);
    int64_t along = ceil_div(code->extents[inner], code->columns), first, second;
    if (code->streams) {
        first = tile % across, tile /= across;
        second = tile % along, tile /= along;
    } else {
        second = tile % along, tile /= along;
        first = tile % across, tile /= across;
    }
    tile_span span = {.nest = &code->nest, .at = frame->at};
    span.rows = enter_block(frame, code->across, first, code->rows);
    span.columns = enter_block(frame, inner, second, code->columns);
    span.n = span.rows * span.columns;
    for (int d = inner - 1; d >= 0 && tile > 0; --d) {
        if (d == code->across)
            continue;
        tile_nest_move(frame, d, tile % code->extents[d]);
        tile /= code->extents[d];
    }
    return span;
}

/* Addresses are put back after each tile instead of being stepped: tiles at the ends are
 * smaller. */
void tile_run_grid(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    int64_t origin[PROGRAM_MAX_BUFFERS];
    size_t nbytes = (size_t)code->nbuffers * sizeof *origin;
    memcpy(origin, frame->at, nbytes);
    for (; first < last; ++first) {
        tile_span span = enter_tile(frame, first);
        tile_steps_run_one(frame, &code->row);
        tile_steps_run_tile(frame, &code->tile, &span);
        memcpy(frame->at, origin, nbytes);
    }
}
