/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics over axes, spelled in primitives: fusion makes of them as few passes as it can.
 *
 * They are computed in the dtype of the result, half precision in float32 and rounded once, at the
 * end. The variance takes two passes, the mean first: a sum of squares would lose digits if the
 * mean is far from zero. */
#include "compose/compose.h"
#include <math.h>

/* The common data of the steps of a statistic. */
typedef struct statistic {
    compose_scope scope;
    jg_array *x; /* in the dtype that is computed in; NULL after a failure */
    jg_dtype operand, result;
    int naxes;
    const int64_t *axes;
    int64_t count; /* of the elements that make one result */
} statistic;

/* gives: s->operand, result and count; they are not changed after a failure */
static jg_status check_arguments(jg_op op, const jg_array *x, int naxes, const int64_t *axes,
                                 statistic *s)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    uint64_t set;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    JG_TRY(shape_axes("axis", naxes, axes, x->ndim, &set));
    s->operand = types.operand[0];
    s->result = types.result;
    s->count = 1;
    for (int i = 0; i < x->ndim; ++i)
        s->count *= set >> i & 1 ? x->dims[i] : 1;
    return JG_OK;
}

/* The dtypes are defined after a failure, too: finish casts by them before it asks the scope. */
static statistic statistic_of(jg_op op, jg_array *x, int naxes, const int64_t *axes)
{
    statistic s = {
        .naxes = naxes, .axes = axes, .operand = JG_DTYPE_FLOAT32, .result = JG_DTYPE_FLOAT32};
    s.scope.status = check_arguments(op, x, naxes, axes, &s);
    s.x = scope_cast(&s.scope, x, compose_wide(s.operand));
    return s;
}

static jg_array *number_of(statistic *s, double value)
{
    return s->scope.status == JG_OK ? scope_number(&s->scope, s->x, value) : NULL;
}

static jg_array *sum_of(statistic *s, jg_array *x, bool keepdims)
{
    return scope_reduce(&s->scope, compose_sum, x, s->naxes, s->axes, keepdims);
}

static jg_array *mean_of(statistic *s, bool keepdims)
{
    return scope_binary(&s->scope, jg_divide, sum_of(s, s->x, keepdims),
                        number_of(s, (double)s->count));
}

/* The result in its dtype. */
static jg_status finish(statistic *s, jg_array *wide, jg_array **out)
{
    return scope_finish(&s->scope, scope_cast(&s->scope, wide, s->result), out);
}

jg_status compose_mean(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    statistic s = statistic_of(JG_OP_mean, x, naxes, axes);
    return finish(&s, mean_of(&s, keepdims), out);
}

jg_array *scope_squared_size(compose_scope *scope, jg_array *x)
{
    if (x == NULL || !dtype_is_complex((jg_dtype)x->dtype))
        return scope_binary(scope, jg_multiply, x, x);
    jg_array *re = scope_unary(scope, jg_real, x), *im = scope_unary(scope, jg_imag, x);
    return scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, re, re),
                        scope_binary(scope, jg_multiply, im, im));
}

static jg_array *variance_of(statistic *s, bool keepdims, double correction)
{
    /* With no degree of freedom left the sum is divided by 0: NaN or inf, as in NumPy. */
    double divisor = (double)s->count - correction;
    jg_array *distance = scope_binary(&s->scope, jg_subtract, s->x, mean_of(s, true));
    jg_array *sum = sum_of(s, scope_squared_size(&s->scope, distance), keepdims);
    jg_array *count = sum == NULL ? NULL : scope_number(&s->scope, sum, divisor > 0 ? divisor : 0);
    return scope_binary(&s->scope, jg_divide, sum, count);
}

jg_status compose_var(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                      jg_array **out)
{
    statistic s = statistic_of(JG_OP_var, x, naxes, axes);
    return finish(&s, variance_of(&s, keepdims, correction), out);
}

jg_status compose_std(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                      jg_array **out)
{
    statistic s = statistic_of(JG_OP_std, x, naxes, axes);
    return finish(&s, scope_unary(&s.scope, jg_sqrt, variance_of(&s, keepdims, correction)), out);
}

/* The number that is subtracted from x so that no exponential overflows: the largest element of
 * each sum, but 0 if that is infinite or NaN, to avoid inf - inf. It is a constant for derivatives.
 * A sum of no elements has no largest element. */
static jg_array *shift_of(statistic *s)
{
    compose_scope *scope = &s->scope;
    if (s->count == 0)
        return number_of(s, 0);
    jg_array *peak = scope_reduce(scope, jg_max, s->x, s->naxes, s->axes, true);
    /* isfinite is not used: `<` is false for NaN and for inf, and needs only one comparison. */
    jg_array *finite = scope_binary(scope, jg_less, scope_unary(scope, jg_abs, peak),
                                    number_of(s, (double)INFINITY));
    return scope_unary(scope, jg_stop_gradient, scope_where(scope, finite, peak, number_of(s, 0)));
}

jg_status compose_logsumexp(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                            jg_array **out)
{
    statistic s = statistic_of(JG_OP_logsumexp, x, naxes, axes);
    jg_array *shift = shift_of(&s);
    jg_array *shifted = scope_binary(&s.scope, jg_subtract, s.x, shift);
    jg_array *total = sum_of(&s, scope_unary(&s.scope, jg_exp, shifted), true);
    jg_array *log = scope_binary(&s.scope, jg_add, scope_unary(&s.scope, jg_log, total), shift);
    if (!keepdims)
        /* -1 axes mean all to a reduction and those of extent 1 to jg_squeeze: after the sum over
         * all these are the same. */
        log = scope_shaped(&s.scope, jg_squeeze, log, naxes, axes);
    return finish(&s, log, out);
}

jg_status compose_ptp(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_ptp, 1, &dtype, &types));
    jg_array *most = scope_reduce(&scope, jg_max, x, naxes, axes, keepdims),
             *least = scope_reduce(&scope, jg_min, x, naxes, axes, keepdims);
    return scope_finish(&scope, scope_binary(&scope, jg_subtract, most, least), out);
}

jg_status compose_count_nonzero(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                                jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    compose_scope scope = {0};
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_count_nonzero, 1, &dtype, &types));
    jg_array *nonzero = scope_cast(&scope, x, types.operand[0]);
    return scope_finish(&scope, scope_reduce(&scope, compose_sum, nonzero, naxes, axes, keepdims),
                        out);
}

jg_status compose_sum(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    return graph_reduce(JG_OP_sum, x, naxes, axes, keepdims, out);
}
