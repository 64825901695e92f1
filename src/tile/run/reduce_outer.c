/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions a tile of results at a time: elements of neighbouring results are adjacent, and each
 * reduced index adds a row of elements to a row of accumulators. Units divide the tiles, or parts
 * of the tiles' reduced indices if tiles are few. */
#include "tile/code.h"

/* A tile of results under way: where it lies in its row, and its reduced indices' loops. */
typedef struct outer_tile {
    int64_t start, n;
    int first, last;
    int64_t index[JG_MAX_NDIM];
} outer_tile;

static int64_t count_reduced(const tile_code *code)
{
    int64_t count = 1;
    for (int d = code->ndim - code->nreduced; d < code->ndim; ++d)
        count *= code->extents[d];
    return count;
}

/* tile: its number within the row. index is set when the reduced loops are entered. */
static outer_tile tile_at(const tile_code *code, int64_t tile)
{
    const tile_nest *nest = &code->nest;
    int64_t start = tile * nest->tile, rest = nest->row - start;
    return (outer_tile){.start = start,
                        .n = int64_min(rest, nest->tile),
                        .first = code->ndim - code->nreduced,
                        .last = code->ndim};
}

/* Adds elements that are in memory: as many reduced indices as the innermost loop has left, at most
 * `most`. gives: how many */
static int64_t take_in(tile_frame *frame, outer_tile *tile, int64_t most)
{
    const tile_code *code = frame->code;
    int inner = code->ndim - 1;
    int64_t stride = code->strides[inner * code->nbuffers + code->reduced];
    int64_t from = frame->at[code->reduced] + (tile->start << code->result_size_log);
    int64_t left = code->extents[inner] - tile->index[inner], count = int64_min(left, most);
    code->reduction->rows(frame->acc, (const void *)(intptr_t)from, stride, count, tile->n);
    tile_nest_move(frame, inner, count - 1);
    tile->index[inner] += count - 1;
    tile_nest_advance(frame, tile->first, tile->last, tile->index);
    return count;
}

/* Makes one row of the operand and takes it in. */
static void make_row(tile_frame *frame, outer_tile *tile)
{
    const tile_code *code = frame->code;
    tile_steps_run_one(frame, &code->row);
    tile_run_tile(frame, tile->start, tile->n);
    code->reduction->rows(frame->acc, frame->slots[code->reduced], 0, 1, tile->n);
    tile_nest_advance(frame, tile->first, tile->last, tile->index);
}

/* Makes one row in pieces that stay in the first-level cache, and adds it to the block, or puts it
 * there if it is the first. */
static void add_row(tile_frame *frame, outer_tile *tile, bool first)
{
    const tile_code *code = frame->code;
    char *own = frame->slots[code->reduced];
    tile_steps_run_one(frame, &code->row);
    for (int64_t start = 0; start < tile->n; start += TILE_SIZE) {
        int64_t rest = tile->n - start, n = int64_min(rest, TILE_SIZE);
        char *block = frame->kept + (start << code->result_size_log);
        frame->slots[code->reduced] = first ? block : own;
        tile_run_tile(frame, tile->start + start, n);
        if (!first)
            code->combine(block, block, own, own, n);
    }
    frame->slots[code->reduced] = own;
    tile_nest_advance(frame, tile->first, tile->last, tile->index);
}

/* Makes and takes in TILE_ROW_GROUP rows of products at once; false where the innermost loop has
 * fewer left. */
static bool take_products(tile_frame *frame, outer_tile *tile)
{
    const tile_code *code = frame->code;
    int inner = code->ndim - 1, a = code->factors[0], b = code->factors[1];
    const int64_t *strides = code->strides + inner * code->nbuffers;
    if (code->extents[inner] - tile->index[inner] < TILE_ROW_GROUP)
        return false;
    int64_t offset = tile->start << code->result_size_log, beside = code->scaled ? 0 : offset;
    code->products(frame->acc, (const void *)(intptr_t)(frame->at[a] + offset), strides[a],
                   (const void *)(intptr_t)(frame->at[b] + beside), strides[b], tile->n);
    tile_nest_move(frame, inner, TILE_ROW_GROUP - 1);
    tile->index[inner] += TILE_ROW_GROUP - 1;
    tile_nest_advance(frame, tile->first, tile->last, tile->index);
    return true;
}

/* Adds several rows, at most `most`, to each other before they are added to the accumulators.
 * gives: how many */
static int64_t make_rows(tile_frame *frame, outer_tile *tile, int64_t most)
{
    const tile_code *code = frame->code;
    int64_t count = int64_min(most, TILE_ROW_GROUP);
    if (code->combine == NULL) {
        make_row(frame, tile);
        return 1;
    }
    if (code->products != NULL && count == TILE_ROW_GROUP && take_products(frame, tile))
        return count;
    for (int64_t row = 0; row < count; ++row)
        add_row(frame, tile, row == 0);
    code->reduction->rows(frame->acc, frame->kept, 0, 1, tile->n);
    return count;
}

/* Reduced indices first to last - 1 into fresh accumulators; frame->at is as before when it
 * returns. */
static void reduce_range(tile_frame *frame, outer_tile *tile, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    code->reduction->begin(frame->acc, tile->n);
    /* If the reduced loops are empty, the accumulators keep their first values. */
    if (first == last)
        return;
    tile_nest_seek(frame, tile->first, tile->last, first, tile->index);
    while (first < last)
        first += code->only_reduces ? take_in(frame, tile, last - first)
                                    : make_rows(frame, tile, last - first);
    tile_nest_return(frame, tile->first, tile->last, tile->index);
}

/* Results of the tile, whose number it is if it was made in parts. */
static void end_tile(tile_frame *frame, const outer_tile *tile, int64_t number)
{
    const tile_code *code = frame->code;
    char *acc = code->nparts > 1 ? reduce_merge(frame, number, tile->n) : frame->acc;
    code->reduction->finish(frame->slots[code->result], acc, tile->n);
    reduce_last(frame, frame->at, tile->start, tile->n);
}

static void run_tiles(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    const tile_nest *nest = &code->nest;
    int outer = nest->linear ? 0 : nest->ndim - 1;
    int64_t row = first / nest->tiles_per_row, column = first - row * nest->tiles_per_row;
    int64_t index[JG_MAX_NDIM], count = count_reduced(code);
    tile_nest_seek(frame, 0, outer, row, index);
    for (; first < last; ++first, ++column) {
        if (column == nest->tiles_per_row) {
            tile_nest_advance(frame, 0, outer, index);
            column = 0;
        }
        outer_tile tile = tile_at(code, column);
        reduce_range(frame, &tile, 0, count);
        end_tile(frame, &tile, first);
    }
}

/* Moves to the row of the tile that the unit or, of all parts, the index is of. */
static outer_tile seek_tile(tile_frame *frame, int64_t number, int64_t *index)
{
    const tile_nest *nest = &frame->code->nest;
    int64_t row = number / nest->tiles_per_row;
    tile_nest_seek(frame, 0, nest->linear ? 0 : nest->ndim - 1, row, index);
    return tile_at(frame->code, number - row * nest->tiles_per_row);
}

static void leave_tile(tile_frame *frame, const int64_t *index)
{
    const tile_nest *nest = &frame->code->nest;
    tile_nest_return(frame, 0, nest->linear ? 0 : nest->ndim - 1, index);
}

static void run_part(tile_frame *frame, int64_t unit)
{
    const tile_code *code = frame->code;
    int64_t index[JG_MAX_NDIM], first, last;
    outer_tile tile = seek_tile(frame, unit / code->nparts, index);
    reduce_part(code, count_reduced(code), TILE_ROW_GROUP, unit % code->nparts, &first, &last);
    frame->acc = reduce_part_acc(frame, unit);
    reduce_range(frame, &tile, first, last);
    leave_tile(frame, index);
}

void tile_run_outer(tile_frame *frame, int64_t first, int64_t last)
{
    if (frame->code->nparts == 1) {
        run_tiles(frame, first, last);
        return;
    }
    for (; first < last; ++first)
        run_part(frame, first);
}

/* Runs once, after all parts: merges those of each tile and writes its results. */
void tile_finish_outer(tile_frame *frame)
{
    const tile_code *code = frame->code;
    int64_t index[JG_MAX_NDIM];
    for (int64_t i = 0; i < code->total / code->nparts; ++i) {
        outer_tile tile = seek_tile(frame, i, index);
        end_tile(frame, &tile, i);
        leave_tile(frame, index);
    }
}
