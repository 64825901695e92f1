/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular factors and triangular systems. Derivatives of the factors are those of Giles (2008),
 * "Collected matrix derivative results for forward and reverse mode algorithmic differentiation",
 * and Seeger et al. (2017), "Auto-differentiating linear algebra": a factor times the part of a
 * matrix that leaves it a triangle. */
#include "transform/rules/matrices.h"

/* A = L L^H: dL = L half(L^-1 dA L^-H). Of the triangle that is read dA is completed; U is L^H. */
jg_status tangent_cholesky(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const bool upper = node_attributes_of(node)->cholesky.upper;
    jg_array *lower = upper ? scope_adjoint(&scope, node) : node;
    jg_array *change = matrix_hermitian(&scope, tangents[0], upper);
    jg_array *half = matrix_solve_left(&scope, lower, change, false, false);
    jg_array *turned = upper ? node : scope_adjoint(&scope, lower);
    jg_array *whole = matrix_solve_right(&scope, turned, half, true, false);
    jg_array *made = matrix_product(&scope, lower, matrix_half(&scope, whole, false));
    return scope_finish(&scope, upper ? scope_adjoint(&scope, made) : made, out);
}

/* X = (L L^H)^-1: dX = -X (dL L^H + L dL^H) X. */
jg_status tangent_cholesky_inverse(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const bool upper = node_attributes_of(node)->cholesky_inverse.upper;
    jg_array *factor = matrix_triangle(&scope, node->inputs[0], upper, 0);
    jg_array *change = matrix_triangle(&scope, tangents[0], upper, 0);
    jg_array *half = upper ? matrix_product(&scope, scope_adjoint(&scope, factor), change)
                           : matrix_product(&scope, change, scope_adjoint(&scope, factor));
    jg_array *whole = scope_binary(&scope, jg_add, half, scope_adjoint(&scope, half));
    jg_array *made = matrix_product(&scope, matrix_product(&scope, node, whole), node);
    return scope_finish(&scope, scope_unary(&scope, jg_negative, made), out);
}

/* X = T^-1: dX = -X dT X. */
jg_status tangent_triangular_inverse(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const bool upper = node_attributes_of(node)->triangular_inverse.upper;
    jg_array *change = matrix_triangle(&scope, tangents[0], upper, 0);
    jg_array *made = matrix_product(&scope, matrix_product(&scope, node, change), node);
    return scope_finish(&scope, scope_unary(&scope, jg_negative, made), out);
}

/* T X = B: dX = T^-1 (dB - dT X). */
jg_status tangent_triangular_solve(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const triangular_solve_attributes attributes = node_attributes_of(node)->triangular_solve;
    jg_array *right = tangents[1];
    if (tangents[0] != NULL) {
        int64_t strict = attributes.upper ? 1 : -1;
        jg_array *change = matrix_triangle(&scope, tangents[0], attributes.upper,
                                           attributes.unit_diagonal ? strict : 0);
        jg_array *moved = matrix_product(&scope, change, node);
        right = right == NULL ? scope_unary(&scope, jg_negative, moved)
                              : scope_binary(&scope, jg_subtract, right, moved);
    }
    jg_array *made = matrix_solve_left(&scope, node->inputs[0], right, attributes.upper,
                                       attributes.unit_diagonal);
    return scope_finish(&scope, made, out);
}

/* The cotangent of B is T^-H g, and that of T is -T^-H g X^H where T is read. */
jg_status cotangent_triangular_solve(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    const triangular_solve_attributes attributes = node_attributes_of(node)->triangular_solve;
    jg_array *turned = scope_adjoint(&scope, node->inputs[0]);
    jg_array *right =
        matrix_solve_left(&scope, turned, cotangent, !attributes.upper, attributes.unit_diagonal);
    if (scope.status == JG_OK && reverse_wants(pass, 1))
        scope.status = reverse_give(pass, 1, right);
    if (scope.status == JG_OK && reverse_wants(pass, 0)) {
        int64_t strict = attributes.upper ? 1 : -1;
        jg_array *product = matrix_product(&scope, right, scope_adjoint(&scope, node));
        jg_array *share = scope_unary(&scope, jg_negative,
                                      matrix_triangle(&scope, product, attributes.upper,
                                                      attributes.unit_diagonal ? strict : 0));
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 0, share);
    }
    return scope_close(&scope);
}

/* The rows of x in the order that elimination took them: the inverse of that of result 2. */
static jg_array *permute_rows(compose_scope *scope, jg_array *node, jg_array *x)
{
    const int64_t last = -1, rows = matrix_rows(x), row_axis = -2;
    jg_array *made = NULL;
    jg_array *order = matrix_result(scope, node, 2, JG_DTYPE_UINT32, rows, -1);
    if (order == NULL)
        return NULL;
    jg_status status = jg_argsort(order, &last, false, true, &made);
    jg_array *from = transform_vector_column(scope, scope_take(scope, status, made));
    if (from == NULL)
        return NULL;
    status = jg_take_along_axis(x, from, &row_axis, &made);
    return scope_take(scope, status, made);
}

/* U of n rows with ones on the diagonal behind its own rows. */
static jg_array *square_upper(compose_scope *scope, jg_array *factors, int64_t less, int64_t n)
{
    jg_array *upper = matrix_part(scope, factors, (matrix_range){0, less, 0, n});
    upper = matrix_triangle(scope, upper, true, 0);
    if (less == n || upper == NULL)
        return upper;
    jg_array *taken = matrix_extend(scope, matrix_unit(scope, factors, less), n - less, n - less);
    jg_array *ones = scope_binary(scope, jg_subtract, matrix_unit(scope, factors, n), taken);
    return scope_binary(scope, jg_add, matrix_extend(scope, upper, n - less, 0), ones);
}

/* L of m columns, with zeros behind its own but for the diagonal of ones. */
static jg_array *square_lower(compose_scope *scope, jg_array *factors, int64_t less, int64_t m)
{
    jg_array *lower = matrix_part(scope, factors, (matrix_range){0, m, 0, less});
    lower = matrix_triangle(scope, lower, false, -1);
    return scope_binary(scope, jg_add, matrix_extend(scope, lower, 0, m - less),
                        matrix_unit(scope, factors, m));
}

/* With L and U made square and F = L^-1 P dA U^-1: dL = L strict(F), dU = upper(F) U. Results 1 and
 * 2 are integers. */
jg_status tangent_lu(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t m = matrix_rows(node), n = matrix_columns(node), less = int64_min(m, n);
    jg_array *lower = square_lower(&scope, node, less, m);
    jg_array *upper = square_upper(&scope, node, less, n);
    jg_array *change = permute_rows(&scope, node, tangents[0]);
    jg_array *inner = matrix_solve_left(&scope, lower, change, false, true);
    inner = matrix_solve_right(&scope, upper, inner, true, false);
    jg_array *of_lower = matrix_product(&scope, lower, matrix_triangle(&scope, inner, false, -1));
    jg_array *of_upper = matrix_product(&scope, matrix_triangle(&scope, inner, true, 0), upper);
    return scope_finish(&scope, scope_binary(&scope, jg_add, of_lower, of_upper), out);
}
