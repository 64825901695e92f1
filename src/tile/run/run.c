/* SPDX-License-Identifier: Apache-2.0 */
/* Running code: setting up a frame, and the tiles of a program without a reduction.
 * Nothing here depends on the length of a tile, so that a launch on a few elements costs little. */
#include "tile/code.h"
#include <string.h>

/* Tiles first to last - 1, counted row by row. */
static void run_map(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_nest *nest = &frame->code->nest;
    int outer = nest->linear ? 0 : nest->ndim - 1;
    int64_t row = first == 0 ? 0 : first / nest->tiles_per_row;
    int64_t tile = first - row * nest->tiles_per_row;
    int64_t index[JG_MAX_NDIM];
    tile_nest_seek(frame, 0, outer, row, index);
    for (;;) {
        tile_steps_run_one(frame, &frame->code->row);
        for (; tile < nest->tiles_per_row && first < last; ++tile, ++first) {
            int64_t start = tile * nest->tile, rest = nest->row - start;
            tile_run_tile(frame, start, int64_min(rest, nest->tile));
        }
        if (first == last)
            return;
        tile = 0;
        tile_nest_advance(frame, 0, outer, index);
    }
}

/* The scratch memory: slots, accumulators, registers, then what passes keep. gives: it, for
 * scratch_give */
static char *frame_init(tile_frame *frame, const tile_code *code, void *const *addresses,
                        const jg_scalar *scalars, void *shared)
{
    char *scratch = scratch_take(code->scratch_nbytes);
    char *memory = scratch + code->slots_nbytes;
    frame->code = code;
    frame->addresses = addresses;
    frame->scalars = scalars;
    frame->shared = shared;
    frame->slots = (char **)(void *)scratch;
    frame->acc = memory;
    memory += code->acc_nbytes;
    for (int b = 0; b < code->nbuffers; ++b) {
        frame->at[b] = (int64_t)(intptr_t)addresses[b];
        frame->slots[b] = NULL;
    }
    for (int i = code->nbuffers; i < code->nslots; ++i, memory += code->register_nbytes)
        frame->slots[i] = memory;
    frame->kept = memory;
    return scratch;
}

static void run(const executor_code *opaque, void *const *addresses, const jg_scalar *scalars,
                void *shared, int64_t first, int64_t last)
{
    const tile_code *code = (const tile_code *)(const void *)opaque;
    tile_frame frame;
    if (first >= last)
        return;
    /* The last unit may have fewer. */
    first *= code->per_unit;
    last = last == code->nunits ? code->total : last * code->per_unit;
    char *scratch = frame_init(&frame, code, addresses, scalars, shared);
    tile_steps_run_one(&frame, &code->run);
    switch (code->form) {
    case TILE_MAP: run_map(&frame, first, last); break;
    case TILE_GRID: tile_run_grid(&frame, first, last); break;
    case TILE_INNER: tile_run_inner(&frame, first, last); break;
    case TILE_OUTER: tile_run_outer(&frame, first, last); break;
    case TILE_ROWS: tile_run_rows(&frame, first, last); break;
    }
    if (code->streams)
        code->loops->stream_fence();
    scratch_give(scratch);
}

static void finish(const executor_code *opaque, void *const *addresses, const jg_scalar *scalars,
                   void *shared)
{
    const tile_code *code = (const tile_code *)(const void *)opaque;
    tile_frame frame;
    /* finish runs on one thread, because parts are used only if results are few, absolutely or
     * compared with the reduced elements. */
    if (code->nparts <= 1)
        return;
    char *scratch = frame_init(&frame, code, addresses, scalars, shared);
    tile_steps_run_one(&frame, &code->run);
    if (code->form == TILE_INNER)
        tile_finish_inner(&frame);
    else
        tile_finish_outer(&frame);
    scratch_give(scratch);
}

static int64_t units(const executor_code *opaque)
{
    return ((const tile_code *)(const void *)opaque)->nunits;
}

static size_t shared_nbytes(const executor_code *opaque)
{
    size_t nbytes = ((const tile_code *)(const void *)opaque)->shared_nbytes;
    return nbytes > EXECUTOR_SHARED_NBYTES ? nbytes : 0;
}

/* In a grid, consecutive tiles form a run if they hold whole rows, and each has the same number of
 * rows. */
static int64_t grid_elements(const tile_code *code)
{
    int inner = code->ndim - 1;
    bool whole = code->across == inner - 1 && code->columns >= code->extents[inner];
    bool equal = code->ndim == 2 || code->extents[code->across] % code->rows == 0;
    return whole && equal ? code->per_unit * code->rows * code->extents[inner] : 0;
}

/* Rows of tiles are runs where a unit has all tiles of a row. */
static int64_t unit_elements(const executor_code *opaque)
{
    const tile_code *code = (const tile_code *)(const void *)opaque;
    const tile_nest *nest = &code->nest;
    if (code->form == TILE_ROWS)
        return code->per_unit * nest->row;
    if (code->form == TILE_GRID)
        return grid_elements(code);
    if (code->form != TILE_MAP || nest->row == 0)
        return 0;
    if (nest->row == nest->size)
        return code->per_unit * nest->tile;
    return code->per_unit % nest->tiles_per_row == 0
               ? code->per_unit / nest->tiles_per_row * nest->row
               : 0;
}

static void release(executor_code *opaque)
{
    const tile_code *code = (const tile_code *)(const void *)opaque;
    if (code->elements != NULL)
        code->maker->release(code->elements);
    base_free(opaque);
}

static jg_status prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    return tile_prepare(&tile_executor, program, space, out);
}

static jg_status prepare_with(const jg_program *program, const program_space *space,
                              const program_executor *maker, executor_code **out)
{
    return tile_prepare_with(&tile_executor, program, space, maker, out);
}

const program_executor tile_executor = {
    .name = "tile",
    .accepts = tile_accepts,
    .prepare = prepare,
    .prepare_with = prepare_with,
    .units = units,
    .shared_nbytes = shared_nbytes,
    .unit_elements = unit_elements,
    .run = run,
    .finish = finish,
    .release = release,
};
