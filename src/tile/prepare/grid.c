/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a grid: tiles over two loops at once, where tiles along one would touch memory element
 * by element. Such are transposed reads, of which a tile takes whole cache lines, and rows too
 * short to be tiles where something is broadcast along or across them. In a grid all buffers are
 * copied into and out of registers. A grid is chosen for maps only, not for reductions. */
#include "tile/prepare/prepare.h"

enum {
    SHORT_ROW = 256,  /* longer ones are tiles of their own */
    SMALL_GRID = 512, /* elements: fewer are not worth a tile */
    LINE_NBYTES = 64,
    MAX_COLUMNS = 32 /* of a transposed read, which needs rows as well */
};

/* Some rows, and enough elements to fill a tile. */
static bool is_large_enough(const tile_draft *draft, int across)
{
    const int64_t *extents = draft->space->extents;
    int64_t rows = extents[across], columns = extents[draft->space->ndim - 1];
    return rows >= 8 && columns >= 2 && (rows >= SMALL_GRID || rows * columns >= SMALL_GRID);
}

/* The loop along which the buffer lies dense, if it is not the innermost one and that is no small
 * step either; else -1. */
static int dense_loop(const tile_draft *draft, int buffer)
{
    int inner = draft->space->ndim - 1;
    int64_t itemsize = tile_itemsize_of(draft, buffer), step = tile_stride_at(draft, buffer, inner);
    /* Steps of a few elements read each cache line in one tile anyway. */
    if (draft->program->buffers[buffer].role != PROGRAM_ROLE_READ || step == 0 ||
        (step <= 4 * itemsize && step >= -itemsize))
        return -1;
    for (int d = 0; d < inner; ++d)
        if (tile_stride_at(draft, buffer, d) == itemsize && is_large_enough(draft, d))
            return d;
    return -1;
}

static int transposed_loop(const tile_draft *draft)
{
    int across = -1;
    for (int b = 0; b < draft->program->nbuffers && across < 0; ++b)
        across = dense_loop(draft, b);
    return across;
}

/* Whether tiles over the linear index of all loops would walk a buffer run by run. */
static bool walks_short_runs(const tile_draft *draft)
{
    const tile_nest *nest = &draft->code->nest;
    for (int b = 0; nest->linear && b < draft->program->nbuffers; ++b)
        if (tile_nest_moves(draft, b) && !tile_nest_is_dense(draft, nest, b))
            return true;
    return false;
}

/* A transposed read takes as many columns as fill a cache line with the narrowest dtype's elements,
 * within 8 and MAX_COLUMNS; short rows are taken as a whole. */
static int64_t choose_columns(const tile_draft *draft, bool transposed)
{
    int64_t extent = draft->space->extents[draft->space->ndim - 1];
    int64_t wanted = SHORT_ROW;
    for (int b = 0; transposed && b < draft->program->nbuffers; ++b)
        wanted = int64_min(wanted, LINE_NBYTES / tile_itemsize_of(draft, b));
    if (transposed)
        wanted = int64_clamp(wanted, 8, MAX_COLUMNS);
    return extent < 2 * wanted ? extent : wanted;
}

/* A grid of rows and columns pays if the inner loop is short, or if an operand is transposed
 * relative to the others: then a tile reads whole cache lines of all of them. */
void tile_grid_choose(tile_draft *draft)
{
    tile_code *code = draft->code;
    int ndim = draft->space->ndim;
    if (code->form != TILE_MAP || ndim < 2)
        return;
    int across = transposed_loop(draft);
    bool transposed = across >= 0;
    if (!transposed && walks_short_runs(draft) && is_large_enough(draft, ndim - 2))
        across = ndim - 2;
    if (across < 0)
        return;
    code->form = TILE_GRID;
    code->nest.linear = false;
    code->nest.grid = true;
    code->across = across;
    code->columns = choose_columns(draft, transposed);
}

/* Whether the output, too large to be found in the cache again, is written in whole lines. */
static bool writes_lines(const tile_draft *draft, int buffer)
{
    int inner = draft->space->ndim - 1;
    int64_t itemsize = tile_itemsize_of(draft, buffer);
    return !draft->program->buffers[buffer].cached &&
           tile_stride_at(draft, buffer, inner) == itemsize &&
           draft->code->columns * itemsize % LINE_NBYTES == 0 &&
           tile_nest_count(draft) * itemsize >= EXECUTOR_STREAM_NBYTES;
}

/* longest: the most elements of a tile. nest.tile and total are set here for grids, and by
 * tile_nest_divide for others. */
void tile_grid_divide(tile_draft *draft, int64_t longest)
{
    tile_code *code = draft->code;
    const int64_t *extents = code->extents;
    code->columns = int64_min(code->columns, longest);
    code->rows = int64_min(extents[code->across], longest / code->columns);
    code->nest.tile = code->rows * code->columns;
    for (int b = 0; b < draft->program->nbuffers; ++b)
        if (draft->program->buffers[b].role == PROGRAM_ROLE_WRITE)
            code->streams = writes_lines(draft, b);
    int64_t tiles = ceil_div(extents[code->across], code->rows) *
                    (ceil_div(extents[code->ndim - 1], code->columns));
    for (int d = 0; d < code->ndim - 1; ++d)
        tiles *= d == code->across ? 1 : extents[d];
    code->total = tiles;
}
