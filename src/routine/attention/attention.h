/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: the softmax of scores that come block after block, and products with keys and
 * values as they lie. The files *_loops.c are compiled once for each instruction set. */
#ifndef JG_ROUTINE_ATTENTION_H
#define JG_ROUTINE_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ATTENTION_STRIP = 32, /* columns that are taken together */
    ATTENTION_ROWS = 28   /* at most in a block: its scores stay in the first cache */
};

/* Rows of scores, of a multiple of ATTENTION_STRIP columns each; columns that are none hold -inf.
 * What was seen of each row before: the largest score, -inf if there was none, and the sum of
 * exp(score - largest). */
typedef struct attention_scores {
    float *scores;
    int64_t row_step, rows, columns;
    float *largest, *sums;
    float *factors; /* out: by what results of the row's earlier columns are multiplied */
} attention_scores;

/* Rows of float32 against lines of a matrix, whose elements lie side by side. Steps are in
 * elements. */
typedef struct attention_lines {
    const void *lines;
    int64_t step, count, length; /* from a line to the next; lines; elements of each */
    const float *x;
    float *to;
    int64_t x_row, to_row, rows;
    bool adds; /* of blend: to what `to` holds */

    /* As many lines of the same length at these addresses are prefetched meanwhile; NULL: none. */
    const char *ahead;
    int64_t ahead_step, ahead_length;
} attention_lines;

typedef struct attention_reader {
    /* to[r][j] = sum over i of x[r][i] lines[j][i] */
    void (*dots)(const attention_lines *call);
    /* to[r][i] (+)= sum over j of x[r][j] lines[j][i]; whole vectors are written */
    void (*blend)(const attention_lines *call);
} attention_reader;

typedef struct attention_loops {
    /* Scores become exp(score - largest), and the rows' states those with these columns. */
    void (*fold)(const attention_scores *block);
    void (*scale)(float *row, int64_t count, float factor);
    const attention_reader *const *readers; /* by dtype of the lines: half precision, float32 */
} attention_loops;

#endif
