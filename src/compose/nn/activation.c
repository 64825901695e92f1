/* SPDX-License-Identifier: Apache-2.0 */
/* Activations: functions of one float, spelled as their formula. Half precision is computed in
 * float32 and rounded once, at the end. */
#include "compose/compose.h"

typedef jg_array *formula(compose_scope *scope, jg_array *x);

/* The operand is cast before the formula and the result after it, so that formulas work in one
 * dtype. */
static jg_status apply_formula(jg_op op, formula *spell, jg_array *x, jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    jg_array *wide = scope_cast(&scope, x, compose_wide(types.result));
    jg_array *result = spell(&scope, wide);
    return scope_finish(&scope, scope_cast(&scope, result, types.result), out);
}

/* x / 2 * (1 + y) */
static jg_array *half_of_one_plus(compose_scope *scope, jg_array *x, jg_array *y)
{
    jg_array *sum = scope_binary(scope, jg_add, y, scope_number(scope, x, 1));
    return scope_binary(scope, jg_multiply, scope_times(scope, x, 0.5), sum);
}

/* 1 / sqrt(x), as exact as both are: processors' own rsqrt has 12 or 14 bits. */
static jg_array *spell_rsqrt(compose_scope *scope, jg_array *x)
{
    jg_array *root = scope_unary(scope, jg_sqrt, x);
    return scope_binary(scope, jg_divide, scope_number(scope, x, 1), root);
}

/* max(x, 0) + log(1 + e^-|x|): nothing cancels, so float32 has no need of logaddexp's doubles. At 0
 * both extrema have the derivatives of their second operands, those of log(1 + e^x) together. */
static jg_array *spell_softplus(compose_scope *scope, jg_array *x)
{
    jg_array *below = scope_binary(scope, jg_minimum, scope_unary(scope, jg_negative, x), x);
    jg_array *small = scope_unary(scope, jg_exp, below);
    jg_array *above = scope_binary(scope, jg_maximum, x, scope_number(scope, x, 0));
    return scope_binary(scope, jg_add, above, scope_unary(scope, jg_log1p, small));
}

static jg_array *spell_silu(compose_scope *scope, jg_array *x)
{
    return scope_binary(scope, jg_multiply, x, scope_unary(scope, jg_sigmoid, x));
}

/* D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units", 2016: x times the normal
 * distribution's probability of less than x, (1 + erf(x / sqrt(2))) / 2. */
static jg_array *spell_gelu(compose_scope *scope, jg_array *x)
{
    return half_of_one_plus(
        scope, x, scope_unary(scope, jg_erf, scope_times(scope, x, 0.70710678118654752440)));
}

/* The usual approximation, tanh of sqrt(2 / pi) (x + 0.044715 x^3) = x (a x^2 + b), which takes one
 * product less. */
static jg_array *spell_gelu_approx(compose_scope *scope, jg_array *x)
{
    const double slope = 0.79788456080286535588;
    jg_array *cubic = scope_times(scope, scope_binary(scope, jg_multiply, x, x), 0.044715 * slope);
    jg_array *factor = scope_binary(scope, jg_add, cubic, scope_number(scope, x, slope));
    jg_array *inner = scope_binary(scope, jg_multiply, factor, x);
    return half_of_one_plus(scope, x, scope_unary(scope, jg_tanh, inner));
}

#define ACTIVATION(name)                                                                           \
    jg_status compose_##name(jg_array *x, jg_array **out)                                          \
    {                                                                                              \
        return apply_formula(JG_OP_##name, spell_##name, x, out);                                  \
    }
ACTIVATION(rsqrt)
ACTIVATION(softplus)
ACTIVATION(silu)
ACTIVATION(gelu)
ACTIVATION(gelu_approx)
