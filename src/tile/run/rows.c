/* SPDX-License-Identifier: Apache-2.0 */
/* Running passes: each row is read from memory once and passed over while it lies in the cache.
 * Rows are independent of each other and are what units divide. */
#include "tile/code.h"

/* Points the slots at the part of the kept values of the row that is under the tile: values of
 * earlier passes, or values that are being kept. */
static void point_kept(tile_frame *frame, int64_t start)
{
    const tile_code *code = frame->code;
    for (int i = 0; i < code->nkept; ++i)
        frame->slots[code->kept[i].slot] =
            frame->kept + code->kept[i].offset + start * code->kept[i].itemsize;
}

static void fold_tile(tile_frame *frame, const tile_fold *fold, int64_t n)
{
    char *acc = frame->acc + fold->acc;
    if (fold->product != NULL)
        fold->product(acc, frame->slots[fold->from], frame->slots[fold->other], n);
    else
        fold->reduction->fold(acc, frame->slots[fold->from], n);
}

/* Folds end a tile, so that what they take in is still in the first-level cache. */
static void run_pass(tile_frame *frame, const tile_pass *pass)
{
    const tile_code *code = frame->code;
    const tile_nest *nest = &code->nest;
    const tile_fold *folds = code->folds + pass->first_fold;
    int64_t tile = pass->whole ? nest->row : nest->tile;
    tile_steps_run_one(frame, &pass->before);
    for (int i = 0; i < pass->nfolds; ++i)
        folds[i].reduction->begin(frame->acc + folds[i].acc, 1);
    for (int64_t start = 0; start < nest->row; start += tile) {
        int64_t rest = nest->row - start, n = int64_min(rest, tile);
        point_kept(frame, start);
        tile_run_tile_steps(frame, &pass->tile, start, n);
        for (int i = 0; i < pass->nfolds; ++i)
            fold_tile(frame, &folds[i], n);
    }
    for (int i = 0; i < pass->nfolds; ++i)
        folds[i].reduction->finish(frame->slots[folds[i].to], frame->acc + folds[i].acc, 1);
}

void tile_run_rows(tile_frame *frame, int64_t first, int64_t last)
{
    const tile_code *code = frame->code;
    int kept = code->nest.first;
    int64_t index[JG_MAX_NDIM];
    tile_nest_seek(frame, 0, kept, first, index);
    for (; first < last; ++first) {
        for (int i = 0; i < code->npasses; ++i)
            run_pass(frame, &code->passes[i]);
        tile_steps_run_one(frame, &code->passes[code->npasses].before);
        tile_nest_advance(frame, 0, kept, index);
    }
}
