/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: eigenvalues and singular values of small real matrices by Jacobi's rotations,
 * as many matrices at once as a vector has elements. jacobi_loops.c is compiled once for each
 * instruction set, with LIBRARY_ISA set to its name. Rotations join multiplications and additions
 * where the processor does, so the last digits depend on it, as those of LAPACK do. */
#ifndef JG_LIBRARY_JACOBI_H
#define JG_LIBRARY_JACOBI_H

#include "library/lapack.h"

enum {
    JACOBI_ROWS = 16, /* the most rows, and columns, that are taken */
    JACOBI_LANES = 16 /* the most matrices at once; all loops have this many, or half */
};

/* The matrices to decompose, and the results. A result without an address is not computed. */
typedef struct jacobi_call {
    lapack_matrices a;           /* singular values: with no more columns than rows */
    lapack_matrices values;      /* as columns */
    lapack_matrices left, right; /* vectors in their columns; Hermitian ones have only left */
    bool upper;                  /* which triangle of a Hermitian matrix is read */
} jacobi_call;

/* Matrices first to first + count - 1, at most `lanes`. gives: a bit for each matrix, from the
 * first on, that LAPACK must decompose: it holds NaN or an infinity, is outside the range in which
 * squares keep their digits, or has a null space whose vectors are used */
typedef uint32_t jacobi_loop(const jacobi_call *call, int64_t first, int count);

typedef struct jacobi_loops {
    int lanes;
    jacobi_loop *hermitian, *singular;
} jacobi_loops;

/* Decomposes a matrix that lanes do not take. raises: LINALG, NOMEM, naming the matrix */
typedef jg_status jacobi_rest(void *context, int64_t index);

/* Matrices first to last - 1, in lanes as far as these go. raises: what rest does */
jg_status jacobi_hermitian(const jacobi_call *call, int64_t first, int64_t last, jacobi_rest *rest,
                           void *context);
jg_status jacobi_singular(const jacobi_call *call, int64_t first, int64_t last, jacobi_rest *rest,
                          void *context);

/* Whether there are loops for such matrices, and enough matrices to fill the lanes. The number of
 * threads is not used, so the same matrices always have the same results. */
bool jacobi_takes(const lapack_matrices *a);

#ifdef LIBRARY_ISA
#define LIBRARY_JOIN_(name, isa) name##_##isa
#define LIBRARY_JOIN(name, isa) LIBRARY_JOIN_(name, isa)
#define LIBRARY_NAMED(name) LIBRARY_JOIN(name, LIBRARY_ISA)
#endif

#endif
