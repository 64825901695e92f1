/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisations along axes, composed of primitives: fusion makes one pass over memory of each.
 * Half precision is computed in float32 and rounded once, at the end. */
#include "compose/compose.h"
#include <string.h>

jg_array *scope_widen(compose_scope *scope, jg_op op, jg_array *x, jg_dtype *result)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    *result = dtype; /* defined also after a failure */
    scope->status = op_resolve_types(op, 1, &dtype, &types);
    if (scope->status != JG_OK)
        return NULL;
    *result = types.result;
    return scope_cast(scope, x, compose_wide(types.operand[0]));
}

/* x less its largest value: no exponential of it overflows. An empty x has no largest value and
 * needs none. No derivative passes the shift, which cancels. A row of -inf only becomes NaN, as
 * -inf less -inf is: softmax has no value there. */
static jg_array *below_peak(compose_scope *scope, jg_array *x, int naxes, const int64_t *axes)
{
    if (scope->status != JG_OK || x->size == 0)
        return x;
    jg_array *peak = scope_reduce(scope, jg_max, x, naxes, axes, true);
    return scope_binary(scope, jg_subtract, x, scope_unary(scope, jg_stop_gradient, peak));
}

/* 1 / x, once in a row: the products with it cost less than quotients. */
static jg_array *over(compose_scope *scope, jg_array *x)
{
    if (scope->status != JG_OK)
        return NULL;
    return scope_binary(scope, jg_divide, scope_number(scope, x, 1), x);
}

/* exp(x - max) / sum of it: the shift cancels, and the sum is 1 at least. */
jg_status compose_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    jg_array *wide = scope_widen(&scope, JG_OP_softmax, x, &dtype);
    jg_array *shifted = below_peak(&scope, wide, naxes, axes);
    jg_array *powers = scope_unary(&scope, jg_exp, shifted);
    jg_array *total = scope_reduce(&scope, compose_sum, powers, naxes, axes, true);
    jg_array *shares = scope_binary(&scope, jg_multiply, powers, over(&scope, total));
    return scope_finish(&scope, scope_cast(&scope, shares, dtype), out);
}

/* This is not the logarithm of softmax, which would be -inf where the exponential underflows. */
jg_status compose_log_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    jg_array *wide = scope_widen(&scope, JG_OP_log_softmax, x, &dtype);
    jg_array *shifted = below_peak(&scope, wide, naxes, axes);
    jg_array *powers = scope_unary(&scope, jg_exp, shifted);
    jg_array *total = scope_reduce(&scope, compose_sum, powers, naxes, axes, true);
    jg_array *logs = scope_binary(&scope, jg_subtract, shifted, scope_unary(&scope, jg_log, total));
    return scope_finish(&scope, scope_cast(&scope, logs, dtype), out);
}

/* A weight or bias has the extent of x's last axis. */
static jg_status check_along_last(const char *op, const char *name, const jg_array *x,
                                  const jg_array *along)
{
    if (along == NULL || (along->ndim == 1 && along->dims[0] == x->dims[x->ndim - 1]))
        return JG_OK;
    char text[200];
    return base_fail(JG_ERR_VALUE, "[%s] %s: got shape %s, allowed is (%lld,), the last axis of x",
                     op, name, text_extents(text, sizeof text, along->ndim, along->dims),
                     (long long)x->dims[x->ndim - 1]);
}

static jg_status check_normed(jg_op op, const jg_array *x, const jg_array *weight,
                              const jg_array *bias)
{
    if (x->ndim == 0)
        return base_fail(JG_ERR_VALUE, "[%s] x: got 0 axes, allowed is 1 or more", op_name(op));
    JG_TRY(check_along_last(op_name(op), "weight", x, weight));
    return check_along_last(op_name(op), "bias", x, bias);
}

/* x / sqrt(mean(x * x) + eps) along the last axis. eps keeps rows of zeros at zero. */
static jg_array *over_rms(compose_scope *scope, jg_array *x, double eps)
{
    const int64_t last = -1;
    jg_array *squares = scope_binary(scope, jg_multiply, x, x);
    jg_array *mean = scope_reduce(scope, jg_mean, squares, 1, &last, true);
    if (mean == NULL)
        return NULL;
    jg_array *above = scope_binary(scope, jg_add, mean, scope_number(scope, mean, eps));
    return scope_binary(scope, jg_multiply, x, over(scope, scope_unary(scope, jg_sqrt, above)));
}

/* x as the ops on it are computed. The result has the dtype that x, weight and bias have in common:
 * half precision that meets a float32 weight goes on as float32, as in MLX. gives: *result */
static jg_array *widen_all(compose_scope *scope, jg_op op, jg_array *x, const jg_array *weight,
                           const jg_array *bias, jg_dtype *result)
{
    const jg_array *const all[] = {x, weight, bias};
    jg_dtype dtypes[3];
    op_types types;
    int count = 0;
    for (int i = 0; i < 3; ++i)
        if (all[i] != NULL)
            dtypes[count++] = (jg_dtype)all[i]->dtype;
    *result = dtypes[0]; /* defined also after a failure */
    scope->status = op_resolve_types(op, count, dtypes, &types);
    if (scope->status != JG_OK)
        return NULL;
    *result = types.result;
    return scope_cast(scope, x, compose_wide(types.result));
}

/* normed * weight + bias, either of which may be NULL, in the dtype of the result. */
static jg_status scale_and_finish(compose_scope *scope, jg_array *normed, jg_array *weight,
                                  jg_array *bias, jg_dtype dtype, jg_array **out)
{
    if (normed != NULL && weight != NULL)
        normed = scope_binary(scope, jg_multiply, normed,
                              scope_cast(scope, weight, (jg_dtype)normed->dtype));
    if (normed != NULL && bias != NULL)
        normed =
            scope_binary(scope, jg_add, normed, scope_cast(scope, bias, (jg_dtype)normed->dtype));
    return scope_finish(scope, scope_cast(scope, normed, dtype), out);
}

jg_status compose_rms_norm(jg_array *x, jg_array *weight, double eps, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    JG_TRY(check_normed(JG_OP_rms_norm, x, weight, NULL));
    jg_array *normed =
        over_rms(&scope, widen_all(&scope, JG_OP_rms_norm, x, weight, NULL, &dtype), eps);
    return scale_and_finish(&scope, normed, weight, NULL, dtype, out);
}

/* The rms of x less its mean is its standard deviation. */
jg_status compose_layer_norm(jg_array *x, jg_array *weight, jg_array *bias, double eps,
                             jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    jg_dtype dtype;
    JG_TRY(check_normed(JG_OP_layer_norm, x, weight, bias));
    jg_array *wide = widen_all(&scope, JG_OP_layer_norm, x, weight, bias, &dtype);
    jg_array *mean = scope_reduce(&scope, jg_mean, wide, 1, &last, true);
    jg_array *centred = scope_binary(&scope, jg_subtract, wide, mean);
    return scale_and_finish(&scope, over_rms(&scope, centred, eps), weight, bias, dtype, out);
}

/* Targets are data, so those out of range are not found here: the gather reports them when it
 * runs. */
static jg_status check_targets(const jg_array *logits, const jg_array *targets)
{
    char text[200];
    if (!dtype_is_index((jg_dtype)targets->dtype))
        return base_fail(JG_ERR_TYPE, "[cross_entropy] targets: got %s, allowed are integers",
                         dtype_rows[targets->dtype].name);
    if (logits->ndim == targets->ndim + 1 &&
        memcmp(logits->dims, targets->dims, (size_t)targets->ndim * sizeof *targets->dims) == 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[cross_entropy] targets: got shape %s, allowed is that of logits without its "
                     "last axis",
                     text_extents(text, sizeof text, targets->ndim, targets->dims));
}

/* Half precision is computed and returned in float32, as losses are small differences. */
jg_status compose_cross_entropy(jg_array *logits, jg_array *targets, jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    jg_dtype dtype;
    jg_array *made = NULL;
    JG_TRY(check_targets(logits, targets));
    jg_array *wide = scope_widen(&scope, JG_OP_cross_entropy, logits, &dtype);
    jg_array *total = scope_reduce(&scope, jg_logsumexp, wide, 1, &last, false);
    if (total == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = compose_new_axis(targets, -1, &made);
    jg_array *indices = scope_take(&scope, status, made);
    if (indices != NULL)
        status = jg_take_along_axis(logits, indices, &last, &made);
    jg_array *chosen = scope_shaped(&scope, jg_squeeze, scope_take(&scope, status, made), 1, &last);
    chosen = scope_cast(&scope, chosen, compose_wide(dtype));
    return scope_finish(&scope, scope_binary(&scope, jg_subtract, total, chosen), out);
}
