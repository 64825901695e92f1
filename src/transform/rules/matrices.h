/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what the rules of linear algebra have in common. Matrices are the last two
 * axes; x may be NULL in a scope that has failed. */
#ifndef JG_TRANSFORM_MATRICES_H
#define JG_TRANSFORM_MATRICES_H

#include "transform/rules/rules.h"

/* a b, of matrices or of stacks of them. */
jg_array *matrix_product(compose_scope *scope, jg_array *a, jg_array *b);

/* Zeros outside a triangle, which begins at diagonal k. What lies there is not read. */
jg_array *matrix_triangle(compose_scope *scope, jg_array *x, bool upper, int64_t k);

/* The triangle with half of the diagonal. */
jg_array *matrix_half(compose_scope *scope, jg_array *x, bool upper);

/* The Hermitian matrix that is given by one triangle of x. */
jg_array *matrix_hermitian(compose_scope *scope, jg_array *x, bool upper);

/* T^-1 x, and x T^-1, for a triangle T. */
jg_array *matrix_solve_left(compose_scope *scope, jg_array *t, jg_array *x, bool upper, bool unit);
jg_array *matrix_solve_right(compose_scope *scope, jg_array *t, jg_array *x, bool upper, bool unit);

/* The rows and columns from a first one up to a last one that is left out. waits: never */
typedef struct matrix_range {
    int64_t row, rows_end, column, columns_end;
} matrix_range;
jg_array *matrix_part(compose_scope *scope, jg_array *x, matrix_range range);

/* x with rows and columns of zeros behind it. */
jg_array *matrix_extend(compose_scope *scope, jg_array *x, int64_t rows, int64_t columns);

/* The diagonals of square matrices, as vectors; and the sums of these. */
jg_array *matrix_diagonal(compose_scope *scope, jg_array *x);
jg_array *matrix_trace(compose_scope *scope, jg_array *x);

/* Vectors as rows, (..., 1, n), and as columns, (..., n, 1). */
jg_array *transform_vector_row(compose_scope *scope, jg_array *x);
jg_array *transform_vector_column(compose_scope *scope, jg_array *x);

/* The tolerance (..., 1, 1) below which elements of vectors (..., n) count as zero: n times the
 * rounding of the largest element. It is a constant. */
jg_array *transform_vector_rounding(compose_scope *scope, jg_array *x);

/* The unit matrix of n rows in x's dtype. */
jg_array *matrix_unit(compose_scope *scope, const jg_array *x, int64_t n);

static inline int64_t matrix_rows(const jg_array *x)
{
    return x->dims[x->ndim - 2];
}
static inline int64_t matrix_columns(const jg_array *x)
{
    return x->dims[x->ndim - 1];
}
static inline bool matrix_is_complex(const jg_array *x)
{
    return dtype_is_complex((jg_dtype)x->dtype);
}

/* Result number `result` of node's call. like: of its dtype; its shape is that of node's input with
 * the last two axes replaced by these, -1 for none. */
jg_array *matrix_result(compose_scope *scope, jg_array *node, int result, jg_dtype dtype,
                        int64_t rows, int64_t columns);

#endif
