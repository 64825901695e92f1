/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: the softmax of scores that come block after block. attention_loops.c is
 * compiled once for each instruction set, as all files *_loops.c are. */
#ifndef JG_ROUTINE_ATTENTION_H
#define JG_ROUTINE_ATTENTION_H

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

typedef struct attention_loops {
    /* Scores become exp(score - largest), and the rows' states those with these columns. */
    void (*fold)(const attention_scores *block);
    void (*scale)(float *row, int64_t count, float factor);
} attention_loops;

#endif
