/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: a product with a quantised matrix, as its call asks for it, and how parts of
 * the matrix become floats. */
#ifndef JG_ROUTINE_QUANTIZED_PRODUCT_H
#define JG_ROUTINE_QUANTIZED_PRODUCT_H

#include "routine/loops.h"

/* The parameters of a call. Row lengths are in elements of the operand. */
typedef struct product {
    const routine_call *call;
    const routine_operand *x, *w, *scales, *biases, *lhs,
        *rhs; /* of the last three, NULL for none */
    const quantized_loops *loops;
    quantized_code code;
    quantized_scale scale;
    bool transposed;
    int bits, group;
    int64_t m, n, k, batch;
    int64_t x_row, w_row, scales_row, biases_row;
} product;

/* The matrices of one product of the batch. */
typedef struct quantized_matrices {
    const float *x;
    const char *words, *scales, *biases;
    float *to;
} quantized_matrices;

/* span.c: parts of rows of the matrix */

/* Scales of a span as floats; biases stay zero where there are none. */
typedef struct quantized_scales {
    float scales[QUANTIZED_CHUNK / 16 + QUANTIZED_LANES];
    float biases[QUANTIZED_CHUNK / 16 + QUANTIZED_LANES];
} quantized_scales;

void quantized_clear_scales(const product *p, quantized_scales *buffer);

/* Codes first to first + count - 1 of a row of w: whole groups, of a chunk at most. The span has
 * the scales in the buffer, which was cleared before its first use if there are no biases. */
quantized_span quantized_span_at(const product *p, const quantized_matrices *operands, int64_t row,
                                 int64_t first, int64_t count, quantized_scales *buffer);

/* The same codes as floats. */
void quantized_expand(const product *p, const quantized_matrices *operands, int64_t row,
                      int64_t first, int64_t count, float *to);

/* blocks.c: products of many rows, a block of rows after the other */

/* Whether the product is made so: a single one of many rows, with a matrix that is small enough to
 * be expanded as a whole. */
bool quantized_has_blocks(const product *p);

/* The scratch memory for the expanded matrix. */
size_t quantized_blocks_scratch(const product *p);

/* The first step expands spans of columns of the result: their number, and the expansion of one. */
int64_t quantized_blocks_spans(const product *p);
void quantized_blocks_expand(const product *p, const quantized_matrices *operands, int64_t span);

/* Rows of the result that a unit of the second step makes, but for the last. */
int64_t quantized_blocks_rows(const product *p);
void quantized_blocks_run(const product *p, const quantized_matrices *operands, int64_t block);

#endif
