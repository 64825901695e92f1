/* SPDX-License-Identifier: Apache-2.0 */
/* The loops: one table per instruction set, all made from loops/all.inc.h by loops/<isa>.c.
 *
 * A loop's destination may be the same memory as a source of the same itemsize, element by element;
 * otherwise they must not overlap. n may be 0. Memory is aligned to its element. A bool that is
 * read may be any byte; a bool that is written is 0 or 1. */
#ifndef JG_TILE_LOOPS_H
#define JG_TILE_LOOPS_H

#include "program/program.h"

#define TILE_SIZE 1024   /* elements of a tile, at most */
#define TILE_ROW_GROUP 8 /* rows that are added in their own precision */
#define TILE_ITEMSIZES 5 /* 1, 2, 4, 8, 16 bytes, indexed by their logarithm */

/* dst[i] = op(a[i], b[i], c[i]) for i below n; unary ops ignore b and c. */
typedef void (*tile_loop)(void *dst, const void *a, const void *b, const void *c, int64_t n);

/* A loop nest and one buffer's strides in it, for copies between strided memory and a tile. Strides
 * in bytes. index is where the copy starts, counted from the outermost loop. */
typedef struct tile_walk {
    int ndim;
    const int64_t *extents;
    const int64_t *strides;
    const int64_t *index;
} tile_walk;

/* A tile over two loops, rows of columns, and a buffer's strides in both. Strides in bytes. */
typedef struct tile_grid {
    int64_t rows, columns, row_stride, column_stride;
} tile_grid;

/* Copies and fills by itemsize; the bytes are not looked at. */
typedef struct tile_moves {
    void (*fill)(void *dst, int64_t n); /* dst[0] to all of dst[0..n) */
    void (*gather)(void *dst, const void *from, int64_t stride, int64_t n);
    void (*scatter)(void *to, const void *src, int64_t stride, int64_t n);
    void (*gather_nest)(void *dst, const void *from, const tile_walk *walk, int64_t n);
    void (*scatter_nest)(void *to, const void *src, const tile_walk *walk, int64_t n);
    void (*gather_grid)(void *dst, const void *from, const tile_grid *grid);
    void (*scatter_grid)(void *to, const void *src, const tile_grid *grid, bool streams);
} tile_moves;

/* A reduction over one dtype. The accumulators of n results take acc_nbytes each and are laid
 * out as the functions like; n must be the same in every call on them (1 for fold).
 *
 * Sums of floats are carried in twice the precision: float32 in float64, float64 in two float64
 * of which the second holds the rounding errors of the first. Before that, up to 16 elements are
 * added in their own precision, so the error stays below that of pairwise summation. */
typedef struct tile_reduction {
    void (*begin)(void *acc, int64_t n);
    void (*fold)(void *acc, const void *a, int64_t n); /* n elements into one accumulator */
    /* Row r of n elements starts at a + r * stride bytes; element i goes into accumulator i. */
    void (*rows)(void *acc, const void *a, int64_t stride, int64_t nrows, int64_t n);
    void (*merge)(void *acc, const void *other, int64_t n); /* other accumulators into these */
    void (*finish)(void *dst, const void *acc, int64_t n);
    /* Row r of n elements starts at a + r * stride bytes, and its result goes to dst[r]. */
    void (*each)(void *dst, const void *a, int64_t stride, int64_t nrows, int64_t n);
    int acc_nbytes;
} tile_reduction;

/* Adds how many of n bools are true to an int64. */
typedef void (*tile_fold_true)(void *acc, const void *a, int64_t n);

/* Folds the products of n pairs into one accumulator of the sum. */
typedef void (*tile_fold_product)(void *acc, const void *a, const void *b, int64_t n);

/* Sums products along rows: row r of n pairs starts at a + r * a_stride bytes and at b + r *
 * b_stride bytes, and its sum, which is that of tile_fold_product, goes to dst[r]. */
typedef void (*tile_each_product)(void *dst, const void *a, int64_t a_stride, const void *b,
                                  int64_t b_stride, int64_t nrows, int64_t n);

/* Adds TILE_ROW_GROUP rows of products to n accumulators of the sum, as `rows` of the reduction
 * does with rows that are added to each other first. Row r of a starts at a + r * a_stride bytes,
 * that of b likewise. */
typedef void (*tile_product_rows)(void *acc, const void *a, int64_t a_stride, const void *b,
                                  int64_t b_stride, int64_t n);

/* A pair of instructions that one loop computes. The first instruction is ADD, SUBTRACT or
 * MULTIPLY, the second any kind. SUBTRACT_FROM is z - t: the first instruction's value t is the
 * right operand of the second. */
typedef enum tile_pair {
    TILE_PAIR_ADD,
    TILE_PAIR_SUBTRACT,
    TILE_PAIR_MULTIPLY,
    TILE_PAIR_SUBTRACT_FROM,
    TILE_PAIR_COUNT
} tile_pair;

/* Which operands of a pair are one element for the whole tile. */
typedef enum tile_pair_scalars {
    TILE_PAIR_VECTORS,
    TILE_PAIR_SCALAR_B,
    TILE_PAIR_SCALAR_C,
    TILE_PAIR_SCALARS, /* b and c */
    TILE_PAIR_SCALARS_COUNT
} tile_pair_scalars;

typedef struct tile_loops {
    const char *isa;
    tile_loop apply[PROGRAM_OP_COUNT]
                   [JG_DTYPE_COUNT]; /* by the operands' dtype; NULL: not offered */
    /* The same where operand a, b or c is one element for the whole tile. */
    tile_loop with_scalar[3][PROGRAM_OP_COUNT][JG_DTYPE_COUNT];
    /* (a first b) second c, rounded twice; NULL: not offered */
    tile_loop pairs[TILE_PAIR_SUBTRACT_FROM][TILE_PAIR_COUNT][TILE_PAIR_SCALARS_COUNT]
                   [JG_DTYPE_COUNT];
    tile_loop exp_differences[JG_DTYPE_COUNT];      /* e to a - b, where b is one element */
    tile_loop cast[JG_DTYPE_COUNT][JG_DTYPE_COUNT]; /* from, to */
    tile_reduction reductions[PROGRAM_REDUCTIONS][JG_DTYPE_COUNT]; /* from PROGRAM_REDUCE_ADD on */
    tile_fold_product fold_products[JG_DTYPE_COUNT];               /* NULL: not offered */
    tile_each_product each_products[JG_DTYPE_COUNT];               /* of the same dtypes */
    tile_fold_true fold_true;
    tile_product_rows product_rows[2]
                                  [JG_DTYPE_COUNT]; /* [1]: a row of b is one element; as above */
    tile_moves moves[TILE_ITEMSIZES];
    void (*sequence)(int64_t *dst, int64_t start, int64_t step, int64_t n);
    /* A copy past the caches, for results too large to be found there again. Weakly ordered until
     * stream_fence. */
    void (*stream)(void *dst, const void *src, size_t nbytes);
    void (*stream_fence)(void);
} tile_loops;

extern const tile_loops tile_loops_baseline;
#ifdef __x86_64__
extern const tile_loops tile_loops_avx2;
extern const tile_loops tile_loops_avx512;
#endif

/* The table in use. gives: borrowed, valid forever */
const tile_loops *tile_loops_chosen(void);

#endif
