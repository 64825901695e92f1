/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: products of integer matrices. whole_loops.c is compiled once for each
 * instruction set. */
#ifndef JG_LIBRARY_WHOLE_H
#define JG_LIBRARY_WHOLE_H

#include "library/library.h"

typedef void whole_loop(const matmul_call *call);

/* The loops of one width of integers, of both signs: sums wrap. Any strides. */
typedef struct whole_loops {
    whole_loop *vector; /* n is 1 */
    whole_loop *matrix;
} whole_loops;

/* Computes the product of integers of 8 to 64 bits. gives: whether the dtype is one */
bool library_whole_matmul(const matmul_call *call);

#endif
