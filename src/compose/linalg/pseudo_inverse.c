/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks, pseudo-inverses and least squares, composed of singular values: those of at most a given
 * fraction of the largest count as zero, and so do their inverses. */
#include "compose/linalg/pseudo_inverse.h"

static const int64_t last_axis[] = {-1}, row_axis[] = {-2};

typedef struct singular_factors {
    jg_array *u, *s, *vh, *cutoff; /* cutoff: with an axis of extent 1 for the values */
    int64_t rows, columns;
} singular_factors;

/* A limit in the dtype of the values, to be compared with each of a matrix. */
static jg_array *limit_beside(compose_scope *scope, jg_array *s, jg_array *limit)
{
    limit = scope_cast(scope, limit, (jg_dtype)s->dtype);
    if (limit == NULL || limit->ndim == 0)
        return limit;
    return scope_shaped(scope, jg_expand_dims, limit, 1, last_axis);
}

/* The limit up to which singular values count as zero: rtol times the largest. If rtol is NULL, it
 * is the longer side times the dtype's epsilon. The limit is zero if there are no values. */
static jg_array *cutoff_of(compose_scope *scope, jg_array *s, int64_t rows, int64_t columns,
                           jg_array *rtol)
{
    jg_float_limits limits;
    if (s == NULL)
        return NULL;
    if (s->dims[s->ndim - 1] == 0)
        return scope_number(scope, s, 0);
    if ((scope->status = jg_dtype_float_limits((jg_dtype)s->dtype, &limits)) != JG_OK)
        return NULL;
    jg_array *largest = scope_reduce(scope, jg_max, s, 1, last_axis, true);
    double share = (double)(int64_max(rows, columns)) * limits.epsilon;
    jg_array *limit = rtol == NULL ? scope_number(scope, s, share) : limit_beside(scope, s, rtol);
    return scope_binary(scope, jg_multiply, largest, limit);
}

static singular_factors factors_of(compose_scope *scope, jg_array *a, jg_array *rtol)
{
    singular_factors out = {0};
    jg_array_list list;
    if (a == NULL || (scope->status = jg_linalg_svd(a, false, &list)) != JG_OK)
        return out;
    out.u = scope_take(scope, JG_OK, list.arrays[0]);
    out.s = scope_take(scope, JG_OK, list.arrays[1]);
    out.vh = scope_take(scope, JG_OK, list.arrays[2]);
    base_free(list.arrays);
    out.rows = a->dims[a->ndim - 2];
    out.columns = a->dims[a->ndim - 1];
    out.cutoff = cutoff_of(scope, out.s, out.rows, out.columns, rtol);
    return out;
}

/* 1 / s, and 0 where s counts as zero. */
static jg_array *inverse_values(compose_scope *scope, const singular_factors *f)
{
    jg_array *counted = scope_binary(scope, jg_greater, f->s, f->cutoff);
    if (counted == NULL)
        return NULL;
    return scope_where(scope, counted, scope_unary(scope, jg_reciprocal, f->s),
                       scope_number(scope, f->s, 0));
}

static jg_array *rank_above(compose_scope *scope, jg_array *s, jg_array *limit)
{
    jg_array *counted = scope_binary(scope, jg_greater, s, limit);
    return scope_reduce(scope, compose_sum, counted, 1, last_axis, false);
}

static jg_array *pseudo_inverse(compose_scope *scope, jg_array *a, const singular_factors *f,
                                jg_array *rtol)
{
    jg_array *weights = inverse_values(scope, f);
    weights = scope_shaped(scope, jg_expand_dims, weights, 1, row_axis);
    jg_array *right = scope_binary(scope, jg_multiply, scope_adjoint(scope, f->vh), weights);
    jg_array *value = scope_binary(scope, jg_matmul, right, scope_adjoint(scope, f->u));
    return compose_pseudo_inverse_ruled(scope, a, rtol, value);
}

jg_status compose_linalg_pinv(jg_array *a, jg_array *rtol, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    JG_TRY(compose_check_matrices(JG_OP_linalg_pinv, "a", a, false));
    jg_array *x = scope_widen(&scope, JG_OP_linalg_pinv, a, &dtype);
    singular_factors f = factors_of(&scope, x, rtol);
    return scope_finish(&scope, pseudo_inverse(&scope, x, &f, rtol), out);
}

/* The rank of a vector or a number: 1 if an element differs from zero, otherwise 0. */
static jg_array *rank_of_vector(compose_scope *scope, jg_array *x)
{
    return scope_cast(scope, scope_reduce(scope, jg_any, x, -1, NULL, false), JG_DTYPE_INT64);
}

static jg_array *rank_of_matrices(compose_scope *scope, jg_array *x, jg_array *tol, jg_array *rtol)
{
    jg_array *s = scope_unary(scope, jg_linalg_svdvals, x);
    if (s == NULL)
        return NULL;
    jg_array *limit = tol != NULL
                          ? limit_beside(scope, s, tol)
                          : cutoff_of(scope, s, x->dims[x->ndim - 2], x->dims[x->ndim - 1], rtol);
    return rank_above(scope, s, limit);
}

jg_status compose_linalg_matrix_rank(jg_array *a, jg_array *tol, jg_array *rtol, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    jg_array *x = scope_widen(&scope, JG_OP_linalg_matrix_rank, a, &dtype);
    jg_array *rank =
        a->ndim < 2 ? rank_of_vector(&scope, x) : rank_of_matrices(&scope, x, tol, rtol);
    return scope_finish(&scope, rank, out);
}

/* The results of jg_linalg_lstsq, in their order. */
typedef struct least_squares {
    jg_array *solution, *residuals, *rank, *s;
} least_squares;

/* If the solution may be differentiated, it is computed by the pseudo-inverse, which has rules. */
static jg_array *solution_of(compose_scope *scope, jg_array *a, const singular_factors *f,
                             jg_array *rcond, jg_array *right)
{
    if (scope->status == JG_OK && node_is_traced(a))
        return scope_binary(scope, jg_matmul, pseudo_inverse(scope, a, f, rcond), right);
    jg_array *weights = inverse_values(scope, f);
    weights = scope_shaped(scope, jg_expand_dims, weights, 1, last_axis);
    jg_array *parts = scope_binary(scope, jg_matmul, scope_adjoint(scope, f->u), right);
    parts = scope_binary(scope, jg_multiply, weights, parts);
    return scope_binary(scope, jg_matmul, scope_adjoint(scope, f->vh), parts);
}

/* One matrix of less than full rank has no residuals; to know it, its rank is computed. */
static jg_status has_residuals(const jg_array *a, jg_array *rank, bool *out)
{
    jg_number number;
    int64_t columns = a->dims[a->ndim - 1];
    *out = a->dims[a->ndim - 2] > columns;
    if (!*out || a->ndim > 2)
        return JG_OK;
    JG_TRY(jg_array_item(rank, &number));
    *out = number.i64 == columns;
    return JG_OK;
}

/* Squared lengths of the residuals, one for each column of the right side. */
static jg_array *residuals_of(compose_scope *scope, jg_array *a, jg_array *right,
                              const least_squares *found)
{
    const jg_index none[] = {{.kind = JG_INDEX_ELLIPSIS},
                             {.kind = JG_INDEX_SLICE, .stop = 0, .has_stop = true}};
    bool is_kept;
    jg_array *product = scope_binary(scope, jg_matmul, a, found->solution), *made = NULL;
    jg_array *squares = scope_squared_size(scope, scope_binary(scope, jg_subtract, right, product));
    jg_array *sums = scope_reduce(scope, compose_sum, squares, 1, row_axis, false);
    if (sums == NULL || (scope->status = has_residuals(a, found->rank, &is_kept)) != JG_OK)
        return NULL;
    if (is_kept)
        return sums;
    jg_status status = jg_slice(sums, 2, none, &made);
    return scope_take(scope, status, made);
}

static least_squares least_squares_of(compose_scope *scope, jg_array *a, jg_array *b,
                                      jg_array *rcond)
{
    const bool is_vector = b != NULL && b->ndim == 1;
    least_squares out = {0};
    jg_array *right = is_vector ? scope_shaped(scope, jg_expand_dims, b, 1, last_axis) : b;
    singular_factors f = factors_of(scope, a, rcond);
    out.solution = solution_of(scope, a, &f, rcond, right);
    out.rank = rank_above(scope, f.s, f.cutoff);
    out.residuals = residuals_of(scope, a, right, &out);
    if (is_vector)
        out.solution = scope_shaped(scope, jg_squeeze, out.solution, 1, last_axis);
    out.s = f.s;
    return out;
}

static jg_status list_of(const least_squares *found, jg_array_list *out)
{
    jg_array *const parts[] = {found->solution, found->residuals, found->rank, found->s};
    jg_array **arrays = base_alloc(sizeof parts);
    if (arrays == NULL)
        return base_nomem(sizeof parts, "a list of arrays");
    for (int i = 0; i < 4; ++i)
        arrays[i] = jg_array_retain(parts[i]);
    *out = (jg_array_list){4, arrays};
    return JG_OK;
}

jg_status compose_linalg_lstsq(jg_array *a, jg_array *b, jg_array *rcond, jg_array_list *out)
{
    const jg_op op = JG_OP_linalg_lstsq;
    const jg_dtype dtypes[] = {(jg_dtype)a->dtype, (jg_dtype)b->dtype};
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(op, 2, dtypes, &types));
    JG_TRY(compose_check_matrices(op, "a", a, false));
    JG_TRY(compose_check_rows(op, a, b));
    jg_array *left = scope_cast(&scope, a, types.operand[0]);
    jg_array *right = scope_cast(&scope, b, types.operand[1]), *last;
    least_squares found = least_squares_of(&scope, left, right, rcond);
    jg_array_list list = {0, NULL};
    if (scope.status == JG_OK)
        scope.status = list_of(&found, &list);
    jg_status status = scope_finish(&scope, found.s, &last);
    if (status == JG_OK) {
        jg_array_release(last);
        *out = list;
    }
    return status;
}
