/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "transform/rules/rules.h"

static jg_array *adjoint(compose_scope *scope, jg_array *x)
{
    jg_array *turned = scope_unary(scope, jg_matrix_transpose, x);
    if (scope->status != JG_OK || !dtype_is_complex((jg_dtype)x->dtype))
        return turned;
    return scope_unary(scope, jg_conj, turned);
}

/* c = a b: the cotangent of a is g b^H, that of b is a^H g. */
jg_status cotangent_matmul(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *a = node->inputs[0], *b = node->inputs[1];
    if (reverse_wants(pass, 0)) {
        jg_array *share = scope_binary(&scope, jg_matmul, cotangent, adjoint(&scope, b));
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 0, share);
    }
    if (reverse_wants(pass, 1)) {
        jg_array *share = scope_binary(&scope, jg_matmul, adjoint(&scope, a), cotangent);
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 1, share);
    }
    return scope_close(&scope);
}
