/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: products of float32 and float64 matrices of which two extents are small, for
 * which a call of BLAS, which copies both, takes longer than the product; and batches of them.
 * narrow_loops.c is compiled once for each instruction set. */
#ifndef JG_LIBRARY_NARROW_H
#define JG_LIBRARY_NARROW_H

#include "library/library.h"

enum {
    NARROW_MOST = 8,         /* of two of m, n and k, at most */
    NARROW_DOTS = 16,        /* elements of a result that are computed one by one, at most */
    NARROW_TERMS = 256,      /* terms that are summed before the sums are added to totals */
    NARROW_DOT_TERMS = 4096, /* the same of an element by itself, whose sum is made of more sums */
    NARROW_LONG_DOT = 64 << 10 /* terms from which on threads may share such an element */
};

/* Which of the loops computes a product. */
typedef enum narrow_kind {
    NARROW_NONE,
    NARROW_ROWS,   /* b is small: it is in registers for all rows of a */
    NARROW_SUMS,   /* the result is small, and in registers while k advances */
    NARROW_TURNED, /* the same of the transposes */
    NARROW_DENSE,  /* the result has few elements; a's rows and b's columns are dense */
    NARROW_SUMMED, /* the same of one element, of which c is a double for each part of the terms */
    NARROW_KINDS
} narrow_kind;

/* `count` products of which `one` is the first; steps between the operands, in elements. */
typedef struct narrow_call {
    matmul_call one;
    int64_t count, a_step, b_step, c_step;
    int64_t c_column; /* 1, except where the transposes are multiplied */
} narrow_call;

typedef void narrow_loop(const narrow_call *call);

/* Computes products by loops if these take their dtype, extents and strides, and the BLAS that the
 * user names, if any, can be opened. k > 0; where count is not 1 the results are dense, one behind
 * the other. Many terms are summed in parts, and these in double. gives: whether it did */
bool library_narrow_matmul(const matmul_call *first, int64_t count, int64_t a_step, int64_t b_step);

/* The parts, of NARROW_DOT_TERMS terms, that the product of two dense vectors is the sum of. 0: it
 * is too short to be shared by threads, no such product, or not computed by the loops. */
int64_t library_narrow_parts(const matmul_call *call);

/* Computes parts first to last - 1 of them. */
void library_narrow_sum_parts(const matmul_call *call, int64_t first, int64_t last, double *sums);

/* Adds the sums of all parts to the product, in their order, as library_narrow_matmul does. */
void library_narrow_join_parts(const matmul_call *call, const double *sums);

#endif
