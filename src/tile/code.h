/* SPDX-License-Identifier: Apache-2.0 */
/* The code that prepare makes and run executes.
 *
 * A program becomes four lists of steps: `run` steps run once per run and compute values that no
 * loop changes; `row` steps run once per row of tiles and compute values that only the outer loops
 * change. Both compute one element, which FILL then copies over a tile if a tile step needs it;
 * `tile` steps for each tile; and `last` steps for each tile of results of a reduction. If rows are
 * passed over several times, each pass has its own row and tile steps.
 *
 * Steps name memory by slot. The first slots are the program's buffers: a slot of a buffer that
 * lies dense under the tile points straight into it. The others are registers: tiles of scratch
 * memory. */
#ifndef JG_TILE_CODE_H
#define JG_TILE_CODE_H

#include "tile/loops.h"
#include "tile/tile.h"

typedef enum tile_form {
    TILE_MAP,   /* no reduction: tiles over all loops */
    TILE_GRID,  /* no reduction: tiles over blocks of two loops */
    TILE_INNER, /* each result by itself: tiles over the reduced loops */
    TILE_OUTER, /* a tile of results at a time: over the kept loops, once for each reduced index */
    TILE_ROWS   /* several passes over each row, which is all of the reduced loops: passes.c */
} tile_form;

typedef enum tile_action {
    TILE_APPLY,          /* loop(dst, a, b, c) */
    TILE_GATHER,         /* buffer's elements under the tile into dst */
    TILE_SEQUENCE,       /* the index buffer's values under the tile into dst */
    TILE_FETCH,          /* one element of buffer into dst */
    TILE_FETCH_SEQUENCE, /* one value of the index buffer into dst */
    TILE_FETCH_SCALAR,   /* scalar argument number `buffer` into dst */
    TILE_FILL,           /* the first element of dst over all of it */
    TILE_SCATTER,        /* a into buffer's elements under the tile */
    TILE_STREAM,         /* a into buffer, dense, past the caches */
    TILE_PUT             /* the first element of a into one of buffer */
} tile_action;

typedef struct tile_step {
    tile_loop loop;   /* TILE_APPLY */
    uint8_t action;   /* tile_action */
    uint8_t size_log; /* logarithm of the itemsize, for everything but TILE_APPLY */
    uint8_t buffer;
    uint16_t dst, a, b, c; /* slots */
    uint16_t count;        /* TILE_FILL: elements */
} tile_step;

/* Run in order, once for each tile, for each row, or once per run, by their level. */
typedef struct tile_steps {
    tile_step *steps;
    int count;
} tile_steps;

/* A reduction of a pass: what it takes in tile by tile, and where its result goes. */
typedef struct tile_fold {
    const tile_reduction *reduction;
    tile_fold_product
        product; /* of `from` and `other`, and the sum of that; NULL for `from` alone */
    uint16_t from, other, to; /* slots */
    uint32_t acc;             /* bytes into the accumulators */
} tile_fold;

typedef struct tile_pass {
    tile_steps before; /* once for the row */
    tile_steps tile;
    int first_fold, nfolds;
    bool whole; /* nothing is computed: reductions read the row from memory in one call */
} tile_pass;

/* A register as long as a row, for what one pass computes and a later one uses. */
typedef struct tile_kept {
    uint16_t slot;
    uint16_t itemsize;
    size_t offset;
} tile_kept;

/* The loops that tiles are laid over: loops first to first + ndim - 1 of the space. Without
 * `linear`, tiles lie along the last of them, and the others make rows; with it, tiles run over
 * the linear index of all of them, and buffers that are not dense over them all are walked
 * element by element. */
typedef struct tile_nest {
    int first, ndim;
    bool linear;
    bool grid;             /* tiles lie over two loops, see grid.c; row and tiles_per_row unused */
    int64_t size;          /* product of the extents */
    int64_t row;           /* elements of a row: the last extent, or size if linear */
    int64_t tile;          /* elements of a tile; the last of a row may have fewer */
    int64_t tiles_per_row; /* 0 for an empty row */
} tile_nest;

/* A buffer that tile steps address directly. */
typedef struct tile_direct {
    uint16_t slot;
    uint16_t itemsize;
} tile_direct;

typedef struct tile_code {
    const program_executor *executor;
    const tile_loops *loops;
    tile_form form;
    int ndim, nreduced, nbuffers, nslots;
    tile_nest nest;           /* what tile steps work over */
    tile_nest results;        /* of a reduction: what the last steps work over */
    int64_t nunits, per_unit; /* of nest tiles (MAP, OUTER) or of results (INNER) */
    int64_t total;            /* how many of those there are */
    int across;               /* GRID: the loop that a tile's rows are indices of */
    int64_t rows, columns;    /* GRID: of a tile; those at the end of a loop may have fewer */
    tile_steps run, row, tile, last;
    tile_direct *direct; /* for tile steps */
    int ndirect;
    tile_direct *result_direct; /* for last steps */
    int nresult_direct;
    const tile_reduction *reduction;
    tile_fold_true counts;     /* INNER: takes in the bools whose sum is made, or NULL */
    tile_fold_product product; /* INNER: of `reduced` and `other`, and the sum of that, or NULL */
    tile_each_product each_product; /* of the same, for rows; not NULL where that is not */
    int64_t nparts; /* of the reduced loops, each with a unit of its own; combined by finish */
    size_t shared_nbytes; /* of their accumulators, by the space alone; 0 without parts */
    tile_loop combine;    /* OUTER: adds rows of an operand that is made row by row, or NULL */
    tile_product_rows products; /* OUTER: makes and adds rows of products of two buffers, or NULL */
    uint8_t factors[2];         /* these buffers; the second may be one element for a tile, */
    bool scaled;                /* and then is */
    int npasses, nfolds, nkept; /* of TILE_ROWS; one more pass follows, with `before` alone */
    tile_pass *passes;
    tile_fold *folds;
    tile_kept *kept;
    /* slots: what is folded, the REDUCE_ instruction's operand, the bools that are counted or the
     * two factors, and the instruction's value */
    uint16_t reduced, other, result;
    int reduced_size_log, result_size_log;
    bool only_reduces; /* the operand is a dense buffer: rows of it can be reduced in one call */
    bool streams;
    const program_executor *maker; /* of code for the elements that are reduced, or NULL: made.c */
    executor_code *elements;
    int64_t unit; /* elements of a unit of that code */
    size_t slots_nbytes, register_nbytes, acc_nbytes, kept_nbytes, scratch_nbytes;
    int64_t *extents; /* ndim */
    int64_t
        *strides; /* loop by loop: strides[loop * nbuffers + buffer], bytes (steps for an index) */
    int64_t *walks; /* buffer by buffer: walks[buffer * ndim + loop], the same numbers */
} tile_code;

/* One call of run. at holds, for each buffer, the address of the first element of the current
 * row (of the nest if it is linear); integers, because an index buffer's are not addresses. */
typedef struct tile_frame {
    const tile_code *code;
    char **slots;
    char *acc, *kept; /* kept: also the sum of an operand's rows, or a unit's elements */
    char *shared;     /* accumulators of parts */
    void *const *addresses;
    const jg_scalar *scalars;
    int64_t at[PROGRAM_MAX_BUFFERS];
} tile_frame;

/* Which elements a tile covers: its row's first element is at `at`, the tile begins start elements
 * further on and is n long. */
typedef struct tile_span {
    const tile_nest *nest;
    const int64_t *at;
    int64_t start, n;
    int64_t rows, columns; /* of a grid, whose tile begins at `at` */
} tile_span;

/* prepare.c */

/* The executor's first two functions: see program/executor.h. executor: what runs the code.
 * gives: *out | raises: NOMEM, UNSUPPORTED */
bool tile_accepts(const jg_program *program);
jg_status tile_prepare(const program_executor *executor, const jg_program *program,
                       const program_space *space, executor_code **out);

/* made.c: the optional one, likewise. What the maker gets is verified first.
 * gives: *out | raises: NOMEM, UNSUPPORTED; INTERNAL where a rule of program.h is broken */
jg_status tile_prepare_with(const program_executor *executor, const jg_program *program,
                            const program_space *space, const program_executor *maker,
                            executor_code **out);

/* steps.c */

/* Runs steps on one element each, where frame->at stands; and on a tile, whose dense buffers' slots
 * the caller has pointed at it. */
void tile_steps_run_one(tile_frame *frame, const tile_steps *steps);
void tile_steps_run_tile(tile_frame *frame, const tile_steps *steps, const tile_span *span);

/* walk.c */

/* Loops first to last - 1 as an odometer that moves frame->at. seek sets index and moves from
 * index zero to the linear-th; advance moves one on, or back to index zero from the last and
 * gives false. */
void tile_nest_seek(tile_frame *frame, int first, int last, int64_t linear, int64_t *index);
void tile_nest_move(tile_frame *frame, int loop, int64_t steps);
bool tile_nest_advance(tile_frame *frame, int first, int last, int64_t *index);
void tile_nest_return(tile_frame *frame, int first, int last,
                      const int64_t *index); /* to index zero */

/* Points the slots of dense buffers at the tile, then runs the steps; tile_run_tile: the tile
 * steps. */
void tile_run_tile_steps(tile_frame *frame, const tile_steps *steps, int64_t start, int64_t n);
void tile_run_tile(tile_frame *frame, int64_t start, int64_t n);

/* reduce.c: what both forms of one reduction share */

/* The last steps on n results from the start-th on, of the row of results whose begin is at. */
void reduce_last(tile_frame *frame, const int64_t *at, int64_t start, int64_t n);

/* Part number `part` of count things, cut at multiples of grain. */
void reduce_part(const tile_code *code, int64_t count, int64_t grain, int64_t part, int64_t *first,
                 int64_t *last);

/* reduce_part_acc: the accumulators of the unit's part. reduce_merge: combines those of all parts
 * of a result, or of a tile of n. Both are borrowed from the launch's shared memory. */
char *reduce_part_acc(const tile_frame *frame, int64_t unit);
char *reduce_merge(const tile_frame *frame, int64_t index, int64_t n);

/* reduce_inner.c, reduce_outer.c */

/* Results (INNER) or tiles (OUTER) first to last - 1, or as many units of parts; finish_ merges the
 * parts of all of them, once, when every unit has run. */
void tile_run_inner(tile_frame *frame, int64_t first, int64_t last);
void tile_finish_inner(tile_frame *frame);
void tile_run_outer(tile_frame *frame, int64_t first, int64_t last);
void tile_finish_outer(tile_frame *frame);

/* rows.c */

/* Rows first to last - 1, each through all passes. */
void tile_run_rows(tile_frame *frame, int64_t first, int64_t last);

/* grid.c */

/* Tiles first to last - 1 of a grid. */
void tile_run_grid(tile_frame *frame, int64_t first, int64_t last);

/* scratch.c */

/* The most that scratch_take gives; code that would need more uses shorter tiles. */
#define SCRATCH_LIMIT ((size_t)1 << 20)

/* The thread's scratch memory, 64-byte aligned, uninitialised, its own until scratch_give on the
 * same thread. Kept from run to run and freed when the thread ends. If the heap has no memory, it
 * is a reserve that one thread at a time may use, so that running never fails.
 * gives: it, for scratch_give | waits: only for that reserve */
char *scratch_take(size_t nbytes);
void scratch_give(char *scratch);

#endif
