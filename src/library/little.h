/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: products of little matrices, for which a call of BLAS, which copies both,
 * takes longer than the product. little_loops.c is compiled once for each instruction set. */
#ifndef JG_LIBRARY_LITTLE_H
#define JG_LIBRARY_LITTLE_H

#include "library/library.h"

enum {
    LITTLE = 64,             /* rows, columns and terms of a sum at most */
    LITTLE_NBYTES = 24 << 10 /* of b at most: a first cache holds it beside the others */
};

typedef void library_little_loop(const matmul_call *call);

/* Computes the product if it is one of float32 or float64 matrices that are that little, elements
 * of b's rows are adjacent, and the instruction set in use has a loop. gives: whether it did */
bool library_little_matmul(const matmul_call *call);

#endif
