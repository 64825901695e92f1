/* SPDX-License-Identifier: Apache-2.0 */
/* Inverses, linear systems and determinants. */
#include "transform/rules/matrices.h"

/* X = A^-1: dX = -X dA X. */
jg_status tangent_inverse(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = matrix_product(&scope, matrix_product(&scope, node, tangents[0]), node);
    return scope_finish(&scope, scope_unary(&scope, jg_negative, made), out);
}

/* A X = B: dX = A^-1 (dB - dA X). */
jg_status tangent_solve(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *right = tangents[1];
    if (tangents[0] != NULL) {
        jg_array *moved = matrix_product(&scope, tangents[0], node);
        right = right == NULL ? scope_unary(&scope, jg_negative, moved)
                              : scope_binary(&scope, jg_subtract, right, moved);
    }
    return scope_finish(&scope, scope_binary(&scope, jg_linalg_solve, node->inputs[0], right), out);
}

/* The cotangent of B is A^-H g, and that of A is -A^-H g X^H. */
jg_status cotangent_solve(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *turned = scope_adjoint(&scope, node->inputs[0]);
    jg_array *right = scope_binary(&scope, jg_linalg_solve, turned, cotangent);
    if (scope.status == JG_OK && reverse_wants(pass, 1))
        scope.status = reverse_give(pass, 1, right);
    if (scope.status == JG_OK && reverse_wants(pass, 0)) {
        jg_array *product = matrix_product(&scope, right, scope_adjoint(&scope, node));
        jg_array *share = scope_unary(&scope, jg_negative, product);
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 0, share);
    }
    return scope_close(&scope);
}

enum { SIGN, LOGARITHM, DETERMINANT };

static jg_array *inverse_without_error(compose_scope *scope, jg_array *a)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_linalg_inv(a, true, &made);
    return scope_take(scope, status, made);
}

/* d log|det A| = Re tr(A^-1 dA), and the sign turns by the imaginary part. Of a singular matrix
 * these are infinite or NaN. */
static jg_array *tangent_of_logarithm(compose_scope *scope, jg_array *node, jg_array *change)
{
    jg_array *inverse = inverse_without_error(scope, node->inputs[0]);
    jg_array *trace = matrix_trace(scope, matrix_product(scope, inverse, change));
    if (scope->status != JG_OK || !matrix_is_complex(node->inputs[0]))
        return trace;
    jg_array *real = scope_unary(scope, jg_real, trace);
    if (node->result == LOGARITHM)
        return real;
    jg_array *turn = scope_binary(scope, jg_subtract, trace, real);
    return scope_binary(scope, jg_multiply, node, turn);
}

/* U^H, V of the singular vectors, as constants. */
typedef struct constant_basis {
    jg_array *uh, *v, *s;
} constant_basis;

/* LAPACK refuses NaN, so what is not finite counts as 0 here; it is in A itself still. */
static constant_basis basis_of(compose_scope *scope, jg_array *a)
{
    constant_basis out = {0};
    jg_array_list list;
    jg_array *still = scope_unary(scope, jg_stop_gradient, a);
    jg_array *finite = scope_unary(scope, jg_isfinite, still);
    still = scope_where(scope, finite, still, scope_number(scope, still, 0));
    if (still == NULL || (scope->status = jg_linalg_svd(still, true, &list)) != JG_OK)
        return out;
    jg_array *u = scope_take(scope, JG_OK, list.arrays[0]);
    out.s = scope_take(scope, JG_OK, list.arrays[1]);
    jg_array *vh = scope_take(scope, JG_OK, list.arrays[2]);
    base_free(list.arrays);
    out.uh = scope_adjoint(scope, u);
    out.v = scope_adjoint(scope, vh);
    return out;
}

static jg_array *in_basis(compose_scope *scope, const constant_basis *basis, jg_array *x)
{
    return matrix_product(scope, matrix_product(scope, basis->uh, x), basis->v);
}

/* A matrix in four parts, the last two rows and columns apart. */
typedef struct bordered {
    jg_array *inner, *columns, *rows, *corner;
} bordered;

static bordered border(compose_scope *scope, jg_array *x)
{
    bordered out = {0};
    if (scope->status != JG_OK)
        return out;
    const int64_t n = matrix_rows(x);
    out.inner = matrix_part(scope, x, (matrix_range){0, n - 2, 0, n - 2});
    out.columns = matrix_part(scope, x, (matrix_range){0, n - 2, n - 2, n});
    out.rows = matrix_part(scope, x, (matrix_range){n - 2, n, 0, n - 2});
    out.corner = matrix_part(scope, x, (matrix_range){n - 2, n, n - 2, n});
    return out;
}

/* Whether more than two singular values count as zero, (..., 1, 1). */
static jg_array *loses_three_ranks(compose_scope *scope, jg_array *s)
{
    if (scope->status != JG_OK)
        return NULL;
    const int64_t n = s->dims[s->ndim - 1];
    const jg_index items[] = {{.kind = JG_INDEX_ELLIPSIS},
                              {.kind = JG_INDEX_SLICE,
                               .start = n - 3,
                               .has_start = true,
                               .stop = n - 2,
                               .has_stop = true}};
    jg_array *made = NULL;
    jg_status status = jg_slice(s, 2, items, &made);
    jg_array *third = transform_vector_row(scope, scope_take(scope, status, made));
    if (third == NULL)
        return NULL;
    return scope_binary(scope, jg_less_equal, third, transform_vector_rounding(scope, s));
}

/* The mixed discriminant of matrices of two rows, (..., 1, 1): that of x and x is twice the
 * determinant of x, and that of x and dx is its change. Its steps, and those below, have scopes of
 * their own, as one scope cannot hold them all. */
static jg_array *discriminant_of_two(compose_scope *outer, jg_array *x, jg_array *y)
{
    const int64_t axes[] = {-2, -1};
    compose_scope own = {0}, *scope = &own;
    jg_array *made = NULL;
    if (outer->status != JG_OK)
        return NULL;
    jg_status status = jg_flip(x, 2, axes, &made);
    jg_array *turned = scope_take(scope, status, made);
    jg_array *sign = matrix_unit(scope, x, 2); /* 1 on the diagonal, and -1 beside it */
    sign = scope_binary(scope, jg_add, sign, sign);
    sign = scope_binary(scope, jg_subtract, sign, scope_number(scope, sign, 1));
    turned = scope_binary(scope, jg_multiply, turned, sign);
    jg_array *terms = scope_binary(scope, jg_multiply, turned, y);
    made = scope_reduce(scope, compose_sum, terms, 2, axes, true);
    status = scope_finish(scope, made, &made);
    return scope_take(outer, status, made);
}

/* The parts of B = U^H A V, whose smallest singular values are in the corner, and of dB. */
typedef struct cofactors {
    bordered b, change;
    jg_array *inverse, *left, *right; /* B1^-1, R B1^-1, B1^-1 C, with B1 the inner part */
    jg_array *minor, *schur;          /* det B1, and the corner less R B1^-1 C */
} cofactors;

static cofactors cofactors_of(compose_scope *scope, const constant_basis *basis, jg_array *a,
                              jg_array *change, jg_array *lost)
{
    cofactors out = {.b = border(scope, in_basis(scope, basis, a)),
                     .change = border(scope, in_basis(scope, basis, change))};
    if (scope->status != JG_OK)
        return out;
    jg_array *unit = matrix_unit(scope, a, matrix_rows(out.b.inner));
    jg_array *inner = scope_where(scope, lost, unit, out.b.inner);
    out.inverse = inverse_without_error(scope, inner);
    out.left = matrix_product(scope, out.b.rows, out.inverse);
    out.right = matrix_product(scope, out.inverse, out.b.columns);
    jg_array *minor = scope_unary(scope, jg_linalg_det, inner);
    out.minor = transform_vector_column(scope, transform_vector_column(scope, minor));
    out.schur = scope_binary(scope, jg_subtract, out.b.corner,
                             matrix_product(scope, out.b.rows, out.right));
    return out;
}

/* det B = det B1 det(corner - R B1^-1 C), differentiated: (..., 1, 1). */
static jg_array *change_of_product(compose_scope *outer, const cofactors *f)
{
    compose_scope own = {0}, *scope = &own;
    jg_array *made = NULL;
    if (outer->status != JG_OK)
        return NULL;
    jg_array *trace = matrix_trace(scope, matrix_product(scope, f->inverse, f->change.inner));
    trace = transform_vector_column(scope, transform_vector_column(scope, trace));
    jg_array *twice = discriminant_of_two(scope, f->schur, f->schur);
    jg_array *of_minor = scope_binary(scope, jg_multiply, trace, scope_times(scope, twice, 0.5));
    jg_array *inner = matrix_product(scope, f->left, f->change.inner);
    jg_array *through = scope_binary(scope, jg_subtract, inner, f->change.rows);
    jg_array *of_schur =
        scope_binary(scope, jg_add, f->change.corner, matrix_product(scope, through, f->right));
    of_schur = scope_binary(scope, jg_subtract, of_schur,
                            matrix_product(scope, f->left, f->change.columns));
    of_schur = discriminant_of_two(scope, f->schur, of_schur);
    made =
        scope_binary(scope, jg_multiply, f->minor, scope_binary(scope, jg_add, of_minor, of_schur));
    const jg_status status = scope_finish(scope, made, &made);
    return scope_take(outer, status, made);
}

/* 0, but NaN of a matrix that has an element which is not finite, (..., 1, 1). */
static jg_array *nothing_of(compose_scope *outer, jg_array *a)
{
    compose_scope own = {0}, *scope = &own;
    const int64_t axes[] = {-2, -1};
    jg_array *made = NULL;
    if (outer->status != JG_OK)
        return NULL;
    jg_array *still = scope_unary(scope, jg_stop_gradient, a);
    jg_array *nothing = scope_binary(scope, jg_subtract, still, still);
    made = scope_reduce(scope, compose_sum, nothing, 2, axes, true);
    const jg_status status = scope_finish(scope, made, &made);
    return scope_take(outer, status, made);
}

/* d det A = tr(adj(A) dA), also where A has lost one rank or two: in the bases of the singular
 * vectors at this A, taken as constants, the matrix without its last two rows and columns is
 * regular, and what these add is a polynomial. Where A has lost three ranks all minors of one row
 * and of two rows less are 0. What is spelled is a function of A, so that second derivatives are
 * right at every matrix. */
static jg_array *tangent_of_determinant(compose_scope *scope, jg_array *a, jg_array *change)
{
    if (matrix_rows(a) == 1)
        return matrix_trace(scope, change);
    if (matrix_rows(a) == 2)
        return matrix_trace(scope, discriminant_of_two(scope, a, change));
    const constant_basis basis = basis_of(scope, a);
    jg_array *lost = loses_three_ranks(scope, basis.s);
    const cofactors f = cofactors_of(scope, &basis, a, change, lost);
    jg_array *changed = change_of_product(scope, &f);
    if (changed == NULL)
        return NULL;
    changed = matrix_trace(scope, scope_where(scope, lost, nothing_of(scope, a), changed));
    jg_array *turn = scope_unary(scope, jg_linalg_det, matrix_product(scope, basis.v, basis.uh));
    if (turn == NULL)
        return NULL;
    if (matrix_is_complex(a))
        turn = scope_unary(scope, jg_conj, turn);
    return scope_binary(scope, jg_multiply, turn, changed);
}

jg_status tangent_determinant(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *a = node->inputs[0];
    *out = NULL;
    if (matrix_rows(a) == 0 || (node->result == SIGN && !matrix_is_complex(a)))
        return JG_OK;
    jg_array *made = node->result == DETERMINANT ? tangent_of_determinant(&scope, a, tangents[0])
                                                 : tangent_of_logarithm(&scope, node, tangents[0]);
    return scope_finish(&scope, made, out);
}
