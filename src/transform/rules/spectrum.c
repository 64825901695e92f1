/* SPDX-License-Identifier: Apache-2.0 */
/* QR factors, singular values and eigenvalues. Vectors of equal values are not determined, nor are
 * the phases of vectors; derivatives through them are right for functions that do not depend on the
 * choice. Where values meet, up to rounding, the share of one vector in another's change is 0.
 *
 * Walter, Lehmann and Lamour (2010) for QR; Giles (2008) and Townsend (2016), "Differentiating the
 * singular value decomposition", with the phases of Wan and Zhang (2019) for SVD. */
#include "transform/rules/matrices.h"

/* QR */

/* W = Q^H dQ, which is skew-Hermitian, from Q^H dA R^-1: its strict lower triangle is theirs, and
 * the imaginary part of its diagonal, as that of R stays real. */
static jg_array *turn_of(compose_scope *scope, jg_array *inner)
{
    jg_array *lower = matrix_triangle(scope, inner, false, -1);
    jg_array *turn = scope_binary(scope, jg_subtract, lower, scope_adjoint(scope, lower));
    if (scope->status != JG_OK || !matrix_is_complex(inner))
        return turn;
    jg_array *imaginary =
        scope_binary(scope, jg_subtract, inner, scope_unary(scope, jg_real, inner));
    jg_array *unit = matrix_unit(scope, inner, matrix_rows(inner));
    return scope_binary(scope, jg_add, turn, scope_binary(scope, jg_multiply, unit, imaginary));
}

/* The first k columns of A determine Q: with B for them, dQ = dB R^-1 + Q (W - Q^H dB R^-1). All of
 * A determines R: dR = Q^H dA - W R. Of tall matrices the further columns of a complete Q are any
 * that are orthogonal to the first: they have no derivative. */
jg_status tangent_qr(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *a = node->inputs[0];
    const int64_t m = matrix_rows(a), n = matrix_columns(a), k = int64_min(m, n);
    const int64_t width = node_attributes_of(node)->qr.complete ? m : k;
    const jg_dtype dtype = (jg_dtype)node->dtype;
    if (node->result == 0 && width > k)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "[linalg_qr] mode: the Q of mode 'complete' has no derivative where a has "
                         "more rows than columns, allowed is 'reduced'");
    jg_array *q = matrix_result(&scope, node, 0, dtype, m, width);
    jg_array *r = matrix_result(&scope, node, 1, dtype, width, n);
    q = matrix_part(&scope, q, (matrix_range){0, m, 0, k});
    r = matrix_part(&scope, r, (matrix_range){0, k, 0, n});
    jg_array *square = matrix_part(&scope, r, (matrix_range){0, k, 0, k});
    jg_array *first = matrix_part(&scope, tangents[0], (matrix_range){0, m, 0, k});
    jg_array *solved = matrix_solve_right(&scope, square, first, true, false);
    jg_array *turned = scope_adjoint(&scope, q);
    jg_array *inner = matrix_product(&scope, turned, solved);
    jg_array *turn = turn_of(&scope, inner), *made;
    if (node->result == 0) {
        jg_array *within =
            matrix_product(&scope, q, scope_binary(&scope, jg_subtract, turn, inner));
        made = scope_binary(&scope, jg_add, solved, within);
    } else {
        jg_array *whole = matrix_product(&scope, turned, tangents[0]);
        made = scope_binary(&scope, jg_subtract, whole, matrix_product(&scope, turn, r));
        made = matrix_triangle(&scope, made, true, 0);
        made = matrix_extend(&scope, made, width - k, 0);
    }
    return scope_finish(&scope, made, out);
}

/* 1 / x, and 0 where |x| counts as zero. Both ways of the choice are finite for the sake of their
 * derivatives. */
static jg_array *inverse_or_zero(compose_scope *scope, jg_array *x, jg_array *rounding)
{
    if (scope->status != JG_OK)
        return NULL;
    jg_array *size = scope_unary(scope, jg_abs, scope_unary(scope, jg_stop_gradient, x));
    jg_array *none = scope_binary(scope, jg_less_equal, size, rounding);
    jg_array *safe = scope_where(scope, none, scope_number(scope, x, 1), x);
    jg_array *inverse = scope_unary(scope, jg_reciprocal, safe);
    return scope_where(scope, none, scope_number(scope, x, 0), inverse);
}

/* x_j - x_i in row i and column j. */
static jg_array *differences(compose_scope *scope, jg_array *x)
{
    return scope_binary(scope, jg_subtract, transform_vector_row(scope, x),
                        transform_vector_column(scope, x));
}

/* A V = V diag(w): with B = V^H dA V, dw is the diagonal of B and dV = V F, F_ij = B_ij / (w_j -
 * w_i). */
jg_status tangent_eigen_hermitian(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *a = node->inputs[0];
    const jg_dtype dtype = (jg_dtype)a->dtype;
    const int64_t n = matrix_rows(a);
    *out = NULL;
    if (n == 0)
        return JG_OK;
    const bool upper = node_attributes_of(node)->eigen_hermitian.upper;
    jg_array *v = matrix_result(&scope, node, 1, dtype, n, n);
    jg_array *change = matrix_hermitian(&scope, tangents[0], upper);
    jg_array *inner = matrix_product(&scope, scope_adjoint(&scope, v), change), *made;
    if (node->result == 0) {
        /* the diagonal of a product */
        const int64_t rows = -2;
        jg_array *turned = scope_unary(&scope, jg_matrix_transpose, inner);
        made = scope_reduce(&scope, compose_sum, scope_binary(&scope, jg_multiply, turned, v), 1,
                            &rows, false);
        made = scope_unary(&scope, jg_real, made);
    } else {
        jg_array *w = matrix_result(&scope, node, 0, dtype_real_part(dtype), n, -1);
        jg_array *shares =
            inverse_or_zero(&scope, differences(&scope, w), transform_vector_rounding(&scope, w));
        inner = scope_binary(&scope, jg_multiply, shares, matrix_product(&scope, inner, v));
        made = matrix_product(&scope, v, inner);
    }
    return scope_finish(&scope, made, out);
}

/* Vectors keep their lengths of 1, and their phases as far as these are determined: each changes at
 * a right angle to itself. */
static jg_array *without_own_part(compose_scope *scope, jg_array *v, jg_array *change)
{
    const int64_t rows = -2;
    jg_array *along = scope_binary(scope, jg_multiply, scope_unary(scope, jg_conj, v), change);
    along = scope_reduce(scope, compose_sum, along, 1, &rows, true);
    return scope_binary(scope, jg_subtract, change, scope_binary(scope, jg_multiply, v, along));
}

/* The same formula as for Hermitian matrices, with V^-1 in place of V^H. */
jg_status tangent_eigen(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const jg_dtype dtype = (jg_dtype)node->dtype;
    const int64_t n = matrix_rows(node->inputs[0]);
    *out = NULL;
    if (n == 0)
        return JG_OK;
    jg_array *v = matrix_result(&scope, node, 1, dtype, n, n);
    jg_array *change = scope_cast(&scope, tangents[0], dtype);
    jg_array *inner = scope_binary(&scope, jg_linalg_solve, v, matrix_product(&scope, change, v));
    if (node->result == 0)
        return scope_finish(&scope, matrix_diagonal(&scope, inner), out);
    jg_array *w = matrix_result(&scope, node, 0, dtype, n, -1);
    jg_array *shares =
        inverse_or_zero(&scope, differences(&scope, w), transform_vector_rounding(&scope, w));
    jg_array *made = matrix_product(&scope, v, scope_binary(&scope, jg_multiply, shares, inner));
    return scope_finish(&scope, without_own_part(&scope, v, made), out);
}

/* The results of the call as its thin form has them, B = U^H dA V, and the shares of vectors in
 * each other's change. */
typedef struct singular {
    jg_array *u, *s, *vh, *v, *change, *inner;
} singular;

static singular singular_of(compose_scope *scope, jg_array *node, jg_array *change)
{
    const jg_array *a = node->inputs[0];
    const bool full = node_attributes_of(node)->svd.complete;
    const jg_dtype dtype = (jg_dtype)a->dtype;
    const int64_t m = matrix_rows(a), n = matrix_columns(a), k = int64_min(m, n);
    singular out = {.change = change};
    jg_array *u = matrix_result(scope, node, 0, dtype, m, full ? m : k);
    out.s = matrix_result(scope, node, 1, dtype_real_part(dtype), k, -1);
    jg_array *vh = matrix_result(scope, node, 2, dtype, full ? n : k, n);
    out.u = matrix_part(scope, u, (matrix_range){0, m, 0, k});
    out.vh = matrix_part(scope, vh, (matrix_range){0, k, 0, n});
    out.v = scope_adjoint(scope, out.vh);
    out.inner =
        matrix_product(scope, matrix_product(scope, scope_adjoint(scope, out.u), change), out.v);
    return out;
}

/* (B D + D B^H) / (s_j^2 - s_i^2), and with D B + B^H D for the right vectors. It has a scope of
 * its own, as a scope holds a limited number of ops. */
static jg_array *mixing(compose_scope *scope, const singular *f, bool right)
{
    compose_scope own = {.status = scope->status};
    if (scope->status != JG_OK)
        return NULL;
    jg_array *scale =
                 right ? transform_vector_column(&own, f->s) : transform_vector_row(&own, f->s),
             *made = NULL;
    jg_array *scaled = scope_binary(&own, jg_multiply, f->inner, scale);
    jg_array *both = scope_binary(&own, jg_add, scaled, scope_adjoint(&own, scaled));
    jg_array *rounding = transform_vector_rounding(&own, f->s);
    jg_array *apart = inverse_or_zero(&own, differences(&own, f->s), rounding);
    jg_array *sums = scope_binary(&own, jg_add, transform_vector_row(&own, f->s),
                                  transform_vector_column(&own, f->s));
    jg_array *together = inverse_or_zero(&own, sums, rounding);
    jg_array *shares = scope_binary(&own, jg_multiply, apart, together);
    jg_status status = scope_finish(&own, scope_binary(&own, jg_multiply, shares, both), &made);
    return scope_take(scope, status, made);
}

/* Half of the imaginary parts of B's diagonal, divided by s: the phase by which the left vectors
 * turn against the right ones. */
static jg_array *phases(compose_scope *scope, const singular *f, jg_array *by_s)
{
    if (scope->status != JG_OK)
        return NULL;
    jg_array *skew =
        scope_binary(scope, jg_subtract, f->inner, scope_unary(scope, jg_real, f->inner));
    jg_array *unit = matrix_unit(scope, f->inner, matrix_rows(f->inner));
    return scope_binary(scope, jg_multiply, scope_binary(scope, jg_multiply, unit, skew), by_s);
}

/* The part of dA V / s that lies outside of what U spans; there is some if U is tall. */
static jg_array *leaving(compose_scope *scope, jg_array *u, jg_array *image, jg_array *by_s)
{
    jg_array *within =
        matrix_product(scope, u, matrix_product(scope, scope_adjoint(scope, u), image));
    jg_array *outside = scope_binary(scope, jg_subtract, image, within);
    return scope_binary(scope, jg_multiply, outside, by_s);
}

static jg_array *tangent_of_left(compose_scope *scope, const singular *f)
{
    if (scope->status != JG_OK)
        return NULL;
    jg_array *rounding = transform_vector_rounding(scope, f->s);
    jg_array *by_s = inverse_or_zero(scope, transform_vector_row(scope, f->s), rounding);
    jg_array *mixed = mixing(scope, f, false);
    if (scope->status == JG_OK && matrix_is_complex(f->u))
        mixed = scope_binary(scope, jg_add, mixed, phases(scope, f, by_s));
    jg_array *made = matrix_product(scope, f->u, mixed);
    if (scope->status != JG_OK || matrix_rows(f->u) == matrix_columns(f->u))
        return made;
    jg_array *image = matrix_product(scope, f->change, f->v);
    return scope_binary(scope, jg_add, made, leaving(scope, f->u, image, by_s));
}

static jg_array *tangent_of_right(compose_scope *scope, const singular *f)
{
    jg_array *made = matrix_product(scope, f->v, mixing(scope, f, true));
    if (scope->status != JG_OK)
        return NULL;
    if (matrix_rows(f->v) != matrix_columns(f->v)) {
        jg_array *rounding = transform_vector_rounding(scope, f->s);
        jg_array *by_s = inverse_or_zero(scope, transform_vector_row(scope, f->s), rounding);
        jg_array *image = matrix_product(scope, scope_adjoint(scope, f->change), f->u);
        made = scope_binary(scope, jg_add, made, leaving(scope, f->v, image, by_s));
    }
    return scope_adjoint(scope, made);
}

/* With full matrices, the vectors beyond the singular values are any that complete the basis. */
static jg_status refuse_completion(const jg_array *node)
{
    const jg_array *a = node->inputs[0];
    const int64_t m = matrix_rows(a), n = matrix_columns(a);
    const bool full = node_attributes_of(node)->svd.complete;
    if (!full || node->result == 1 || (node->result == 0 ? m <= n : n <= m))
        return JG_OK;
    return base_fail(
        JG_ERR_UNSUPPORTED,
        "[linalg_svd] full_matrices: %s of a full decomposition has no derivative where "
        "a has more %s, allowed is False",
        node->result == 0 ? "U" : "Vh",
        node->result == 0 ? "rows than columns" : "columns than rows");
}

/* A = U diag(s) V^H: ds is the real part of B's diagonal. */
jg_status tangent_svd(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *a = node->inputs[0];
    jg_array *made;
    *out = NULL;
    if (matrix_rows(a) == 0 || matrix_columns(a) == 0)
        return JG_OK;
    JG_TRY(refuse_completion(node));
    const singular f = singular_of(&scope, node, tangents[0]);
    if (node->result == 1)
        made = scope_unary(&scope, jg_real, matrix_diagonal(&scope, f.inner));
    else
        made = node->result == 0 ? tangent_of_left(&scope, &f) : tangent_of_right(&scope, &f);
    return scope_finish(&scope, made, out);
}
