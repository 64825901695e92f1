/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: products of a few vectors with a large matrix, in float16, bfloat16 and
 * float32. Such a product costs what reading the matrix costs, so the matrix is read once, as it
 * lies: a cast of half precision to float32 would cost several times the product. few_loops.c is
 * compiled once for each instruction set, with LIBRARY_ISA set to its name. */
#ifndef JG_LIBRARY_FEW_H
#define JG_LIBRARY_FEW_H

#include "library/jacobi.h"

enum {
    FEW_VECTORS = 8,      /* more are faster by packed products */
    FEW_FLOATS = 1 << 16, /* elements from which a matrix of float32 is large */
    FEW_SHORT = 8,        /* terms of a sum of float32 of which reading is a small part */
    FEW_COPY = 1024,      /* elements of vectors that need no memory from the heap */
    FEW_AT_ONCE = 4,      /* vectors whose sums are kept side by side */
    FEW_TERMS = 512,      /* a row of fewer is short for FEW_AT_ONCE vectors */
    FEW_LANES = 64,       /* x is padded with zeros to a multiple of them */
    FEW_STRIP = 1024      /* columns whose sums are in memory at once */
};

/* The sums over k of matrix[i, k] * x[v, k], for `rows` rows i and the vectors v. */
typedef struct few_call {
    const void *matrix;
    int64_t rows, k, row_step, k_step; /* steps in elements */
    const float *x;                    /* vector v begins at v * x_step */
    int64_t x_step;
    int vectors; /* 1, 2 or FEW_AT_ONCE */
    void *out;   /* row i of vector v at i * out_row + v * out_vector */
    int64_t out_row, out_vector;
} few_call;

typedef struct few_loops {
    void (*widen)(const void *from, int64_t count, float *to);
    /* Puts x, of whole FEW_LANES, in the order in which dots read it. NULL: that which it has. */
    void (*arrange)(float *x, int64_t count);
    void (*dots)(const few_call *call);   /* any steps; fast where k_step is 1 */
    void (*strips)(const few_call *call); /* where row_step is 1 */
} few_loops;

/* Whether there are so few rows or columns that library_few_matmul is used, on any machine; for
 * float32, whether the matrix is also so large that the time to read it dominates. */
bool library_few_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k);

/* The product, where library_few_takes says so and k > 0. Sums are float32's and rounded once;
 * their order, and so their last bits, depend on the instruction set and the number of vectors.
 * raises: NOMEM */
jg_status library_few_matmul(const matmul_call *call);

#endif
