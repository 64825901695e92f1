/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise primitives that are no function of one complex number: casts, parts, conjugates, and
 * the absolute value and the sign of complex numbers. */
#include "transform/rules/rules.h"

jg_status tangent_cast(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    return transform_cast(tangents[0], (jg_dtype)node->dtype, out);
}

/* The share is cast to the input's dtype. */
jg_status cotangent_cast(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    (void)node;
    return reverse_give(pass, 0, cotangent);
}

jg_status tangent_real(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    (void)node;
    return jg_real(tangents[0], out);
}

jg_status cotangent_real(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    (void)node;
    return reverse_give(pass, 0, cotangent);
}

jg_status tangent_imag(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    (void)node;
    return jg_imag(tangents[0], out);
}

static jg_array *imaginary_unit(compose_scope *scope, jg_dtype dtype)
{
    const jg_number unit = {.kind = JG_KIND_COMPLEX, .im = 1};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(dtype, 0, NULL, unit, &made);
    return scope_take(scope, status, made);
}

jg_status cotangent_imag(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *unit = imaginary_unit(&scope, (jg_dtype)node->inputs[0]->dtype);
    jg_array *share = scope_binary(&scope, jg_multiply, cotangent, unit);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

jg_status tangent_conjugate(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    (void)node;
    return jg_conj(tangents[0], out);
}

jg_status cotangent_conjugate(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    jg_array *share;
    (void)node;
    JG_TRY(jg_conj(cotangent, &share));
    jg_status status = reverse_give(pass, 0, share);
    jg_array_release(share);
    return status;
}

static bool is_of_complex(const jg_array *node)
{
    return dtype_is_complex((jg_dtype)node->inputs[0]->dtype);
}

/* d|z| = Re(conj(sign z) dz). */
jg_status tangent_abs(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    if (!is_of_complex(node))
        return formula_tangent(node, tangents, out);
    compose_scope scope = {0};
    jg_array *sign = scope_unary(&scope, jg_sign, node->inputs[0]);
    jg_array *turned =
        scope_binary(&scope, jg_multiply, scope_unary(&scope, jg_conj, sign), tangents[0]);
    return scope_finish(&scope, scope_unary(&scope, jg_real, turned), out);
}

jg_status cotangent_abs(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    if (!is_of_complex(node))
        return formula_cotangent(pass, node, cotangent);
    compose_scope scope = {0};
    jg_array *sign = scope_unary(&scope, jg_sign, node->inputs[0]);
    jg_array *share = scope_binary(&scope, jg_multiply, sign, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

/* The part of x / |z| that is at a right angle to z: what turns z / |z|. It is the derivative of
 * the sign in both directions; at 0 the sign jumps, and the derivative is taken to be 0. */
static jg_array *turning_part(compose_scope *scope, jg_array *node, jg_array *x)
{
    jg_array *z = node->inputs[0], *size = scope_unary(scope, jg_abs, z);
    jg_array *along = scope_unary(
        scope, jg_real, scope_binary(scope, jg_multiply, scope_unary(scope, jg_conj, node), x));
    jg_array *across =
        scope_binary(scope, jg_subtract, x, scope_binary(scope, jg_multiply, node, along));
    jg_array *none = scope_binary(scope, jg_equal, size, scope_number(scope, size, 0));
    jg_array *safe = scope_where(scope, none, scope_number(scope, size, 1), size);
    jg_array *turned = scope_binary(scope, jg_divide, across, safe);
    return scope_where(scope, none, scope_number(scope, node, 0), turned);
}

jg_status tangent_sign(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    *out = NULL;
    if (!is_of_complex(node))
        return JG_OK;
    return scope_finish(&scope, turning_part(&scope, node, tangents[0]), out);
}

jg_status cotangent_sign(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    if (!is_of_complex(node))
        return JG_OK;
    jg_array *share = turning_part(&scope, node, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

/* A marker passes tangents on unchanged. */
jg_status tangent_marker(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    (void)node;
    *out = jg_array_retain(tangents[0]);
    return JG_OK;
}

jg_status cotangent_marker(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    (void)node;
    return reverse_give(pass, 0, cotangent);
}
