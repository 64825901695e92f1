/* SPDX-License-Identifier: Apache-2.0 */
/* Private to source: sums of products of two operands' elements in tiles, which products of
 * matrices (product.c) and convolutions (convolve.c) are. The element of row i and column j of the
 * result is the sum over the terms k of left (i, k) times right (k, j). */
#ifndef JG_SOURCE_TILE_H
#define JG_SOURCE_TILE_H

#include "source/draft.h"

/* The first words of the block. */
enum {
    TILE_ROWS,
    TILE_COLUMNS,
    TILE_INNER,
    TILE_ROW_TILES,
    TILE_COLUMN_TILES,
    TILE_PIECES, /* that the terms are cut into, each with groups of its own */
    TILE_LENGTH, /* terms of a piece */
    TILE_WORDS
};

/* Prints lines in the kernel, from names that are declared there. */
typedef void source_tile_work(source_draft *d, const void *work);

/* How elements are found where that is more than strides. */
typedef struct source_tile_places {
    source_tile_work *row;   /* from i: what the next but one need */
    source_tile_work *term;  /* from k: likewise */
    source_tile_work *left;  /* from both: `place`, and what `inside` is besides */
    source_tile_work *right; /* from k's and j: `place` */
    source_tile_work *out;   /* from i: `to`, where column 0 of the row lies */
} source_tile_places;

typedef struct source_tile_text {
    jg_dtype dtype;   /* of all three, unless the result widens */
    bool widens;      /* of halves: out is float32 */
    int nbuffers;     /* of the kernel, left, right and out first */
    const void *work; /* handed to what prints */
    source_tile_work
        *start; /* from `batch`: may lessen inner; declares left, right, out and out_column;
                               without places also left_row, left_column and so on */
    const source_tile_places *places; /* NULL: by those steps */
    bool left_across, right_across;   /* which steps are of an element: from term to term, or across
                                       that, from row to row and from column to column */
} source_tile_text;

/* Whether the device can make such sums, and has the memory for it. gives: false and *refusal */
bool source_tile_is_taken(const device_facts *facts, jg_dtype dtype, device_refusal *refusal);

/* All kernels of the sums. */
void source_tile_print(source_draft *d, const source_tile_text *text);

/* Adds a step for all tiles of all batches, and perhaps one that adds up pieces of their sums; its
 * first words are set, and the others are what those of the launch are. */
enum { SOURCE_TILE_STEPS = 2 };
void source_tile_add(const device_facts *facts, jg_dtype dtype, const int64_t *sizes, int nwords,
                     device_launch *launch);

/* The words of explain for the way in which the sums are made. gives: a static string */
const char *source_tile_way(const device_facts *facts, jg_dtype dtype);

/* mma.c: the same by tensor cores, where the device has them and they take the dtype. */
bool source_mma_is_taken(const device_facts *facts, jg_dtype dtype);
enum { SOURCE_MMA_KERNELS = 2 };
void source_mma_print(source_draft *d, const source_tile_text *text);

/* gives: which of its kernels makes a product of such sizes, the side of its tiles and the items of
 * a group */
int source_mma_choose(const device_facts *facts, const int64_t *sizes, int *side, int *items);

/* Declares the first words by the names of what they are. */
static inline void source_tile_words(source_draft *d)
{
    static const char *const sizes[] = {"rows",         "columns", "inner", "row_tiles",
                                        "column_tiles", "pieces",  "length"};
    for (int i = 0; i < TILE_WORDS; ++i)
        source_write_line(d, "%sint64_t %s = (int64_t)block.w[%d];",
                          i == TILE_INNER ? "" : "const ", sizes[i], i);
}

/* Declares `to`, where the result has row i. */
static inline void source_tile_out(source_draft *d, const source_tile_text *t)
{
    if (t->places != NULL)
        t->places->out(d, t->work);
    else
        source_write_line(d, "MEMORY uint8_t *const to = out + i * out_row;");
}

enum { TILE_SIZE_BATCH, TILE_SIZE_ROWS, TILE_SIZE_COLUMNS, TILE_SIZE_INNER, TILE_SIZES };

#endif
