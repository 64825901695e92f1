/* SPDX-License-Identifier: Apache-2.0 */
/* Linear algebra that routines of LAPACK compute: brings the operands into one dtype, checks that
 * their last two axes are the matrices that the routine takes, and gives the dtype and shape of the
 * results. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

jg_status compose_check_matrices(jg_op op, const char *name, const jg_array *x, bool square)
{
    if (x->ndim < 2)
        return base_fail(JG_ERR_VALUE, "[%s] %s: has %d axes, allowed are two or more", op_name(op),
                         name, x->ndim);
    int64_t rows = x->dims[x->ndim - 2], columns = x->dims[x->ndim - 1];
    if (square && rows != columns)
        return base_fail(JG_ERR_VALUE,
                         "[%s] %s: has matrices of %" PRId64 " by %" PRId64
                         ", allowed are square ones",
                         op_name(op), name, rows, columns);
    return JG_OK;
}

/* a in a dtype that LAPACK has. gives: *out, +1 */
static jg_status prepare(jg_op op, jg_array *a, bool square, jg_array **out)
{
    jg_dtype dtype = (jg_dtype)a->dtype;
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    JG_TRY(compose_check_matrices(op, "a", a, square));
    return graph_cast(a, types.operand[0], out);
}

/* The common properties from which results are made. less is the smaller of rows and columns. */
typedef struct factored {
    const jg_array *x;
    jg_dtype dtype, real, complex; /* x's, that of its parts, and the complex one of those */
    int64_t rows, columns, less;
} factored;

static factored factored_of(const jg_array *x)
{
    const jg_dtype dtype = (jg_dtype)x->dtype, real = dtype_real_part(dtype);
    const int64_t rows = x->dims[x->ndim - 2], columns = x->dims[x->ndim - 1];
    return (factored){x,
                      dtype,
                      real,
                      real == JG_DTYPE_FLOAT64 ? JG_DTYPE_COMPLEX128 : JG_DTYPE_COMPLEX64,
                      rows,
                      columns,
                      int64_min(rows, columns)};
}

/* Results of one routine, as its operand and attributes make them. shapes: memory of theirs. */
typedef struct factor_results {
    int count;
    graph_result results[GRAPH_MAX_RESULTS];
    int64_t shapes[GRAPH_MAX_RESULTS][JG_MAX_NDIM];
} factor_results;

/* A result of the dtype with the batch's axes, and these two; NONE for one that is not there. */
enum { NONE = -1 };

static void add_result(const factored *a, jg_dtype dtype, int64_t rows, int64_t columns,
                       factor_results *out)
{
    int64_t *shape = out->shapes[out->count];
    int ndim = a->x->ndim - 2;
    memcpy(shape, a->x->dims, (size_t)ndim * sizeof *shape);
    if (rows != NONE)
        shape[ndim++] = rows;
    if (columns != NONE)
        shape[ndim++] = columns;
    out->results[out->count++] = (graph_result){dtype, ndim, shape};
}

jg_status compose_square_matrix(jg_op op, jg_array *a, const primitive_attributes *attributes,
                                jg_array **out)
{
    jg_array *x;
    JG_TRY(prepare(op, a, true, &x));
    jg_status status =
        graph_routine(op, (jg_dtype)x->dtype, x->ndim, x->dims, 1, &x, attributes, out);
    jg_array_release(x);
    return status;
}

jg_status compose_linalg_cholesky(jg_array *a, bool upper, jg_array **out)
{
    const primitive_attributes attributes = {.cholesky = {.upper = upper}};
    return compose_square_matrix(JG_OP_linalg_cholesky, a, &attributes, out);
}

/* A is L @ L^H or U^H @ U, so both triangular systems are solved, one after the other. A vector is
 * made a column, as between the two it has an axis for each matrix. */
jg_status compose_linalg_cholesky_solve(jg_array *b, jg_array *a, bool upper, jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    if (b->ndim == 1) {
        jg_array *column, *solved = NULL;
        JG_TRY(jg_expand_dims(b, 1, &last, &column));
        jg_status status = jg_linalg_cholesky_solve(column, a, upper, &solved);
        jg_array_release(column);
        JG_TRY(status);
        status = jg_squeeze(solved, 1, &last, out);
        jg_array_release(solved);
        return status;
    }
    jg_array *turned = scope_unary(&scope, jg_conj, scope_unary(&scope, jg_matrix_transpose, a));
    jg_array *lower = upper ? turned : a, *other = upper ? a : turned, *half = NULL, *made = NULL;
    if (turned != NULL) {
        jg_status status = jg_linalg_solve_triangular(lower, b, false, false, &half);
        half = scope_take(&scope, status, half);
    }
    if (half != NULL) {
        jg_status status = jg_linalg_solve_triangular(other, half, true, false, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

jg_status compose_linalg_cholesky_inv(jg_array *a, bool upper, jg_array **out)
{
    const primitive_attributes attributes = {.cholesky_inverse = {.upper = upper}};
    return compose_square_matrix(JG_OP_linalg_cholesky_inv, a, &attributes, out);
}

jg_status compose_linalg_tri_inv(jg_array *a, bool upper, jg_array **out)
{
    const primitive_attributes attributes = {.triangular_inverse = {.upper = upper}};
    return compose_square_matrix(JG_OP_linalg_tri_inv, a, &attributes, out);
}

jg_status compose_linalg_inv(jg_array *a, bool quiet, jg_array **out)
{
    const primitive_attributes attributes = {.inverse = {.quiet = quiet}};
    return compose_square_matrix(JG_OP_linalg_inv, a, &attributes, out);
}

/* One side, broadcast to the batch that both have together. */
static jg_status spread(jg_array *x, int ndim, int64_t *batch, jg_array **out)
{
    batch[ndim] = x->dims[x->ndim - 2];
    batch[ndim + 1] = x->dims[x->ndim - 1];
    return jg_broadcast_to(x, ndim + 2, batch, out);
}

/* Both sides' last two axes stay as they are; the routine reads the broadcast views. */
static jg_status solve_spread(jg_op op, jg_array *a, jg_array *b,
                              const primitive_attributes *attributes, jg_array **out)
{
    int64_t batch[JG_MAX_NDIM + 2];
    int ndim;
    jg_array *sides[2] = {NULL, NULL};
    jg_status status;
    JG_TRY(shape_broadcast(a->ndim - 2, a->dims, b->ndim - 2, b->dims, &ndim, batch));
    JG_TRY_DONE(spread(a, ndim, batch, &sides[0]));
    JG_TRY_DONE(spread(b, ndim, batch, &sides[1]));
    JG_TRY_DONE(graph_routine(op, (jg_dtype)b->dtype, sides[1]->ndim, sides[1]->dims, 2, sides,
                              attributes, out));
done:
    jg_array_release(sides[0]);
    jg_array_release(sides[1]);
    return status;
}

/* b of one axis is a vector, of more a batch of matrices: its rows are the last axis but one. */
jg_status compose_check_rows(jg_op op, const jg_array *a, const jg_array *b)
{
    if (b->ndim == 0)
        return base_fail(JG_ERR_VALUE, "[%s] b: has 0 axes, allowed are one or more", op_name(op));
    int64_t rows = b->dims[b->ndim > 1 ? b->ndim - 2 : 0], allowed = a->dims[a->ndim - 2];
    if (rows != allowed)
        return base_fail(JG_ERR_VALUE,
                         "[%s] b: has %" PRId64 " rows, allowed are %" PRId64 ", as many as a has",
                         op_name(op), rows, allowed);
    return JG_OK;
}

/* A vector is one column, for every matrix of a. */
jg_status compose_solve(jg_op op, jg_array *a, jg_array *b, const primitive_attributes *attributes,
                        jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)a->dtype, (jg_dtype)b->dtype};
    const int64_t last = -1;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(op, 2, dtypes, &types));
    JG_TRY(compose_check_matrices(op, "a", a, true));
    JG_TRY(compose_check_rows(op, a, b));
    bool is_vector = b->ndim == 1;
    jg_array *left = scope_cast(&scope, a, types.operand[0]);
    jg_array *right = scope_cast(&scope, b, types.operand[1]), *made = NULL;
    if (is_vector)
        right = scope_shaped(&scope, jg_expand_dims, right, 1, &last);
    if (right != NULL) {
        jg_status status = solve_spread(op, left, right, attributes, &made);
        made = scope_take(&scope, status, made);
    }
    if (is_vector)
        made = scope_shaped(&scope, jg_squeeze, made, 1, &last);
    return scope_finish(&scope, made, out);
}

jg_status compose_linalg_solve(jg_array *a, jg_array *b, jg_array **out)
{
    return compose_solve(JG_OP_linalg_solve, a, b, NULL, out);
}

jg_status compose_linalg_solve_triangular(jg_array *a, jg_array *b, bool upper, bool unit_diagonal,
                                          jg_array **out)
{
    const primitive_attributes attributes = {
        .triangular_solve = {.upper = upper, .unit_diagonal = unit_diagonal}};
    return compose_solve(JG_OP_linalg_solve_triangular, a, b, &attributes, out);
}

/* Q R with Q rows by k, or square if complete; R has as many rows as Q has columns. */
static void describe_qr(const factored *a, const primitive_attributes *attributes,
                        factor_results *out)
{
    const int64_t inner = attributes->qr.complete ? a->rows : a->less;
    add_result(a, a->dtype, a->rows, inner, out);
    add_result(a, a->dtype, inner, a->columns, out);
}

/* U is rows by k and V^H k by columns, k the lesser of both; in full, U and V^H are square. */
static void describe_svd(const factored *a, const primitive_attributes *attributes,
                         factor_results *out)
{
    const bool full = attributes->svd.complete;
    add_result(a, a->dtype, a->rows, full ? a->rows : a->less, out);
    add_result(a, a->real, a->less, NONE, out);
    add_result(a, a->dtype, full ? a->columns : a->less, a->columns, out);
}

/* Hermitian matrices have real values; of others both values and vectors are complex, even of a
 * real matrix. */
static void describe_hermitian(const factored *a, const primitive_attributes *attributes,
                               factor_results *out)
{
    (void)attributes;
    add_result(a, a->real, a->rows, NONE, out);
    add_result(a, a->dtype, a->rows, a->rows, out);
}

static void describe_eigen(const factored *a, const primitive_attributes *attributes,
                           factor_results *out)
{
    (void)attributes;
    add_result(a, a->complex, a->rows, NONE, out);
    add_result(a, a->complex, a->rows, a->rows, out);
}

/* Sign, logarithm of the absolute value, determinant. */
static void describe_determinant(const factored *a, const primitive_attributes *attributes,
                                 factor_results *out)
{
    (void)attributes;
    add_result(a, a->dtype, NONE, NONE, out);
    add_result(a, a->real, NONE, NONE, out);
    add_result(a, a->dtype, NONE, NONE, out);
}

/* Both factors in one matrix, pivots as LAPACK counts them but from 0, and the order of rows that
 * these lead to. */
static void describe_lu(const factored *a, const primitive_attributes *attributes,
                        factor_results *out)
{
    (void)attributes;
    add_result(a, a->dtype, a->rows, a->columns, out);
    add_result(a, JG_DTYPE_UINT32, a->less, NONE, out);
    add_result(a, JG_DTYPE_UINT32, a->rows, NONE, out);
}

/* Routines with several results, which are in the routine's order. */
static const struct factorisation {
    void (*describe)(const factored *a, const primitive_attributes *attributes,
                     factor_results *out);
    bool square;
} factorisations[PRIMITIVE_COUNT] = {
    [PRIMITIVE_qr] = {describe_qr, false},
    [PRIMITIVE_svd] = {describe_svd, false},
    [PRIMITIVE_lu] = {describe_lu, false},
    [PRIMITIVE_eigen_hermitian] = {describe_hermitian, true},
    [PRIMITIVE_eigen] = {describe_eigen, true},
    [PRIMITIVE_determinant] = {describe_determinant, true},
};

jg_status compose_factors(jg_op op, jg_array *a, const primitive_attributes *attributes, int *count,
                          jg_array **made)
{
    const struct factorisation *row = &factorisations[op_primitive(op)];
    factor_results all = {.count = 0};
    jg_array *x;
    JG_TRY(prepare(op, a, row->square, &x));
    const factored of = factored_of(x);
    row->describe(&of, attributes, &all);
    jg_status status = graph_routine_results(op, all.count, all.results, 1, &x, attributes, made);
    jg_array_release(x);
    *count = all.count;
    return status;
}

/* The list has the results that are kept, in their order. The routine's node knows which results
 * are used and leaves out the work for the others, such as vectors beside singular values.
 * takes: made */
static jg_status keep(int count, jg_array **made, unsigned kept, jg_array_list *out)
{
    size_t nbytes = (size_t)count * sizeof *made;
    jg_array_list list = {0, base_alloc(nbytes)};
    if (list.arrays == NULL)
        return base_nomem(nbytes, "a list of arrays");
    for (int i = 0; i < count; ++i)
        if (kept >> i & 1)
            list.arrays[list.count++] = made[i];
        else
            jg_array_release(made[i]);
    *out = list;
    return JG_OK;
}

/* The only array of a list. takes: list (on JG_OK) */
static jg_status only(jg_status status, jg_array_list *list, jg_array **out)
{
    JG_TRY(status);
    *out = list->arrays[0];
    base_free(list->arrays);
    return JG_OK;
}

static jg_status several(jg_op op, jg_array *a, const primitive_attributes *attributes,
                         unsigned kept, jg_array_list *out)
{
    jg_array *made[GRAPH_MAX_RESULTS];
    int count;
    JG_TRY(compose_factors(op, a, attributes, &count, made));
    jg_status status = keep(count, made, kept, out);
    if (status != JG_OK)
        node_release_all(count, made);
    return status;
}

enum { FIRST = 1, SECOND = 2, THIRD = 4 };

jg_status compose_linalg_qr(jg_array *a, bool complete, jg_array_list *out)
{
    const primitive_attributes attributes = {.qr = {.complete = complete}};
    return several(JG_OP_linalg_qr, a, &attributes, FIRST | SECOND, out);
}

jg_status compose_linalg_svd(jg_array *a, bool full_matrices, jg_array_list *out)
{
    const primitive_attributes attributes = {.svd = {.complete = full_matrices}};
    return several(JG_OP_linalg_svd, a, &attributes, FIRST | SECOND | THIRD, out);
}

jg_status compose_linalg_svdvals(jg_array *a, jg_array **out)
{
    const primitive_attributes attributes = {.svd = {.complete = false}};
    jg_array_list list;
    return only(several(JG_OP_linalg_svdvals, a, &attributes, SECOND, &list), &list, out);
}

jg_status compose_linalg_eigh(jg_array *a, bool upper, jg_array_list *out)
{
    const primitive_attributes attributes = {.eigen_hermitian = {.upper = upper}};
    return several(JG_OP_linalg_eigh, a, &attributes, FIRST | SECOND, out);
}

jg_status compose_linalg_eigvalsh(jg_array *a, bool upper, jg_array **out)
{
    const primitive_attributes attributes = {.eigen_hermitian = {.upper = upper}};
    jg_array_list list;
    return only(several(JG_OP_linalg_eigvalsh, a, &attributes, FIRST, &list), &list, out);
}

jg_status compose_linalg_eig(jg_array *a, jg_array_list *out)
{
    return several(JG_OP_linalg_eig, a, NULL, FIRST | SECOND, out);
}

jg_status compose_linalg_eigvals(jg_array *a, jg_array **out)
{
    jg_array_list list;
    return only(several(JG_OP_linalg_eigvals, a, NULL, FIRST, &list), &list, out);
}

jg_status compose_linalg_slogdet(jg_array *a, jg_array_list *out)
{
    return several(JG_OP_linalg_slogdet, a, NULL, FIRST | SECOND, out);
}

jg_status compose_linalg_det(jg_array *a, jg_array **out)
{
    jg_array_list list;
    return only(several(JG_OP_linalg_det, a, NULL, THIRD, &list), &list, out);
}

jg_status compose_linalg_lu_factor(jg_array *a, jg_array_list *out)
{
    return several(JG_OP_linalg_lu_factor, a, NULL, FIRST | SECOND, out);
}

/* The first `count` rows or columns of matrices. */
static jg_array *leading_part(compose_scope *scope, jg_array *x, int64_t rows, int64_t columns)
{
    const jg_index items[] = {{.kind = JG_INDEX_ELLIPSIS},
                              {.kind = JG_INDEX_SLICE, .stop = rows, .has_stop = true},
                              {.kind = JG_INDEX_SLICE, .stop = columns, .has_stop = true}};
    jg_array *made = NULL;
    jg_status status = jg_slice(x, 3, items, &made);
    return scope_take(scope, status, made);
}

/* L has ones on its diagonal, which the matrix of both factors does not hold. */
static jg_status lower_factor(jg_array *factors, const factored *s, jg_array **out)
{
    compose_scope scope = {0};
    const jg_dtype dtype = (jg_dtype)factors->dtype;
    jg_array *made = NULL, *part = leading_part(&scope, factors, s->rows, s->less);
    if (part == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_tril(part, -1, &made);
    jg_array *below = scope_take(&scope, status, made);
    if (below != NULL) {
        status = jg_eye(s->rows, &s->less, 0, &dtype, &made);
        below = scope_binary(&scope, jg_add, below, scope_take(&scope, status, made));
    }
    return scope_finish(&scope, below, out);
}

static jg_status upper_factor(jg_array *factors, const factored *s, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL, *part = leading_part(&scope, factors, s->less, s->columns);
    if (part == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_triu(part, 0, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}

/* Makes the order, L and U of the factors and the order of rows. takes: the list's arrays (on
 * JG_OK) */
static jg_status split_factors(jg_array_list *list, jg_array_list *out)
{
    jg_array *factors = list->arrays[0], *order = list->arrays[1], *lower, *upper;
    const factored s = factored_of(factors);
    size_t nbytes = 3 * sizeof *out->arrays;
    jg_array **arrays = base_alloc(nbytes);
    if (arrays == NULL)
        return base_nomem(nbytes, "a list of arrays");
    jg_status status = lower_factor(factors, &s, &lower);
    if (status == JG_OK && (status = upper_factor(factors, &s, &upper)) != JG_OK)
        jg_array_release(lower);
    if (status != JG_OK) {
        base_free(arrays);
        return status;
    }
    arrays[0] = jg_array_retain(order);
    arrays[1] = lower;
    arrays[2] = upper;
    *out = (jg_array_list){3, arrays};
    return JG_OK;
}

jg_status compose_linalg_lu(jg_array *a, jg_array_list *out)
{
    jg_array_list list;
    JG_TRY(several(JG_OP_linalg_lu, a, NULL, FIRST | THIRD, &list));
    jg_status status = split_factors(&list, out);
    jg_array_list_clear(&list);
    return status;
}
