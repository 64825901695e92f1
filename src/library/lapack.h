/* SPDX-License-Identifier: Apache-2.0 */
/* Private to library: LAPACK's subroutines, and batches of matrices in the form that it takes.
 *
 * LAPACK reads matrices column by column and writes over them. So a routine copies each matrix of a
 * batch, of any strides, to dense memory: transposed, or row by row if the transpose can be used. A
 * unit of work is a run of matrices that are worth a thread's claim. */
#ifndef JG_LIBRARY_LAPACK_H
#define JG_LIBRARY_LAPACK_H

#include "library/library.h"
#include "program/routine.h"

/* lapack.c */

/* The subroutines of one dtype. */
typedef struct lapack_calls {
#define JG_LAPACK(name, real, complex, parameters) void(*name) parameters;
#include "library/lapack.def"
#undef JG_LAPACK
} lapack_calls;

/* For float32, float64, complex64 and complex128. gives: *out | raises: LIBRARY, telling what to
 * install where there is none */
jg_status lapack_find(jg_dtype dtype, const lapack_calls **out);

/* An extent as LAPACK counts. raises: VALUE for more than 2^31 - 1 */
jg_status lapack_extent(int64_t extent, int *out);

/* The size of work, in elements: the answer that a subroutine gave, in an element of the dtype, to
 * a size of -1, but at least the size that its documentation requires. LAPACK counts in int, so
 * larger answers are wrong. raises: VALUE for more than 2^31 - 1 */
jg_status lapack_lwork(jg_dtype dtype, const void *told, double least, int *out);

const void *lapack_one(jg_dtype dtype); /* 1, for trsm; borrowed, valid forever */

/* matrices.c */

/* An operand as a batch of matrices over its last two axes; a vector's as columns. */
typedef struct lapack_matrices {
    char *address;
    jg_dtype dtype;
    size_t itemsize;
    int ndim; /* batch axes */
    const int64_t *shape, *strides;
    int64_t count, rows, columns, row_stride, column_stride;
} lapack_matrices;

/* The matrices of operand number i of the call. An unused operand has no rows and the address
 * NULL. */
lapack_matrices matrices_of(const routine_call *call, int i);

/* The operand's batch of vectors along its last axis, each as a matrix of one column. */
lapack_matrices library_vectors_of(const routine_call *call, int i);

/* Each element of the operand as a matrix of one. */
lapack_matrices library_scalars_of(const routine_call *call, int i);

/* The same batch with rows for columns. */
lapack_matrices matrices_turned(const lapack_matrices *x);

/* The first element of matrix number `index`, borrowed from x; NULL where x has no address. */
void *library_matrix_at(const lapack_matrices *x, int64_t index);

/* An element, of whatever dtype. */
typedef struct lapack_number {
    double re, im;
} lapack_number;

/* The element at the address, of any dtype, as a complex number in double. raises: never */
lapack_number library_number_at(const void *address, jg_dtype dtype);

/* Copies between a matrix and dense memory where the elements of a row (or, turned, of a column)
 * lie side by side, `leading` elements from one to the next. */
void library_matrix_load(const lapack_matrices *x, int64_t index, bool turned, void *to,
                         int64_t leading);
void library_matrix_store(const lapack_matrices *x, int64_t index, bool turned, const void *from,
                          int64_t leading);

/* The distance between columns that LAPACK works on: a line of the cache more where all columns
 * would fall on the same sets of it, which costs up to six times the time. Never 0. */
int library_matrix_leading(int rows, size_t itemsize);

/* The number of matrices in a unit, if each matrix takes that many operations; and the number of
 * units of the whole batch. */
int64_t library_batch_grain(double operations);
int64_t library_batch_units(int64_t count, double operations);

/* About those operations, for matrices that are done `group` at a time: units have whole groups. */
double library_group_operations(double operations, int group);

/* From units to matrices: first to last - 1. */
void library_batch_range(int64_t count, double operations, int64_t *first, int64_t *last);

/* The number of columns of each product that a unit computes if there are too few products for that
 * many threads; 0 if there are no columns. */
int64_t library_batch_columns(int64_t products, int64_t columns, int threads);

/* The work of the whole batch, for jg_routine.work. */
int64_t library_batch_work(int64_t count, double operations);

/* Defines NAME_units and NAME_work for jg_routine, of a batch whose matrices are operand 0, by the
 * operations that each takes. when_empty: whether results of matrices without rows have elements,
 * as a determinant and the q of a QR do. */
#define LIBRARY_BATCH(name, operations_of, when_empty)                                             \
    static int64_t name##_units(const routine_call *call, int step)                                \
    {                                                                                              \
        (void)step;                                                                                \
        lapack_matrices a = matrices_of(call, 0);                                                  \
        return a.rows > 0 || (when_empty) ? library_batch_units(a.count, operations_of(call)) : 0; \
    }                                                                                              \
    static int64_t name##_work(const routine_call *call)                                           \
    {                                                                                              \
        return library_batch_work(matrices_of(call, 0).count, operations_of(call));                \
    }

/* Memory that a range of units works in. Zero-initialised is empty. */
typedef struct workspace {
    int count;
    size_t failed_nbytes; /* the size of a block that could not be had; 0 while none has failed */
    void *blocks[8];
} workspace;

/* Memory for count items; of none, for one. gives: borrowed memory, NULL when there is none, which
 * workspace_status raises as NOMEM */
void *workspace_take(workspace *work, int64_t count, size_t itemsize);
jg_status workspace_status(const workspace *work);

/* Frees all of its memory. */
void workspace_clear(workspace *work);

/* A failure of matrix number `index` of count: "a: is singular", "a: matrix 3 is singular".
 * raises: LINALG, always */
jg_status library_batch_fail(const char *argument, int64_t index, int64_t count, const char *what);

/* small.c: real matrices of few rows, without LAPACK */

enum { SMALL_ROWS = 4, ROWS_MAX = 32 };

/* Whether small.c computes matrices with that many rows, and right-hand sides with that many
 * columns. */
static inline bool library_small_takes(jg_dtype dtype, int64_t rows, int64_t columns)
{
    return !dtype_is_complex(dtype) &&
           (rows <= SMALL_ROWS || (rows <= ROWS_MAX && columns <= ROWS_MAX));
}

/* Matrices first to last - 1 of a call of INVERSE, SOLVE, DETERMINANT. raises: LINALG */
jg_status library_small_inverse(const routine_call *call, int64_t first, int64_t last);
jg_status library_small_solve(const routine_call *call, int64_t first, int64_t last);
jg_status library_small_determinant(const routine_call *call, int64_t first, int64_t last);

/* Computes CHOLESKY, for at most SMALL_ROWS rows. raises: LINALG */
jg_status library_small_cholesky(const routine_call *call, int64_t first, int64_t last);

/* Computes QR, for at most ROWS_MAX rows and columns. */
void library_small_qr(const routine_call *call, int64_t first, int64_t last);

#endif
