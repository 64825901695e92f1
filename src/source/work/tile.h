/* SPDX-License-Identifier: Apache-2.0 */
/* Private to source: sums of products of two operands' elements in tiles, which products of
 * matrices (product.c) and convolutions (convolve.c) are. The element of row i and column j of the
 * result is the sum over the terms k of left (i, k) times right (k, j). */
#ifndef JG_SOURCE_TILE_H
#define JG_SOURCE_TILE_H

#include "source/draft.h"

/* The first words of the block. */
enum { TILE_ROWS, TILE_COLUMNS, TILE_INNER, TILE_ROW_TILES, TILE_COLUMN_TILES, TILE_WORDS };

/* Prints lines in the kernel, from names that are declared there. */
typedef void tile_print(source_draft *d, const void *work);

/* How elements are found where that is more than strides. */
typedef struct tile_places {
    tile_print *row;   /* from i: what the next but one need */
    tile_print *term;  /* from k: likewise */
    tile_print *left;  /* from both: `place`, and what `inside` is besides */
    tile_print *right; /* from k's and j: `place` */
    tile_print *out;   /* from i: `to`, where column 0 of the row lies */
} tile_places;

typedef struct tile_text {
    jg_dtype dtype;    /* of all three */
    int nbuffers;      /* of the kernel, left, right and out first */
    const void *work;  /* handed to what prints */
    tile_print *start; /* from `batch`: may lessen inner; declares left, right, out and out_column;
                               without places also left_row, left_column and so on */
    const tile_places *places; /* NULL: by those steps */
} tile_text;

/* Whether the device can make such sums, and has the memory for it. gives: false and *refusal */
bool source_tile_is_taken(const device_facts *facts, jg_dtype dtype, device_refusal *refusal);

/* The one kernel. */
void source_tile_print(source_draft *d, const tile_text *text);

/* Adds one step for all tiles of all batches; its first words are set, and the others are what
 * those of the launch are. */
void source_tile_add(const device_facts *facts, jg_dtype dtype, const int64_t *sizes, int nwords,
                     device_launch *launch);
enum { TILE_SIZE_BATCH, TILE_SIZE_ROWS, TILE_SIZE_COLUMNS, TILE_SIZE_INNER, TILE_SIZES };

#endif
