/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and cumulative ops that leave NaN out: the op itself, over x with each NaN replaced by
 * the op's neutral number. Dtypes without NaN go to the op as they are. */
#include "compose/compose.h"
#include <math.h>

static bool has_nan(const jg_array *x)
{
    return dtype_is_floating((jg_dtype)x->dtype) || dtype_is_complex((jg_dtype)x->dtype);
}

/* x with value where it is NaN. */
static jg_array *replaced(compose_scope *scope, jg_array *x, double value)
{
    if (x == NULL || !has_nan(x))
        return x;
    return scope_where(scope, scope_unary(scope, jg_isnan, x), scope_number(scope, x, value), x);
}

typedef jg_status accumulation(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                               const jg_dtype *dtype, jg_array **out);

static jg_status accumulate(accumulation *op, double neutral, jg_array *x, int naxes,
                            const int64_t *axes, bool keepdims, const jg_dtype *dtype,
                            jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL, *from = replaced(&scope, x, neutral);
    if (from != NULL) {
        jg_status status = op(from, naxes, axes, keepdims, dtype, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

jg_status compose_nansum(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         const jg_dtype *dtype, jg_array **out)
{
    return accumulate(jg_sum, 0, x, naxes, axes, keepdims, dtype, out);
}

jg_status compose_nanprod(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                          const jg_dtype *dtype, jg_array **out)
{
    return accumulate(jg_prod, 1, x, naxes, axes, keepdims, dtype, out);
}

/* The extremum of the elements that are not NaN: NaN is replaced by the infinity that never is the
 * extremum, and the result is NaN where all are NaN. */
static jg_status extremum(compose_reduction *op, double infinity, jg_array *x, int naxes,
                          const int64_t *axes, bool keepdims, jg_array **out)
{
    compose_scope scope = {0};
    if (!dtype_is_floating((jg_dtype)x->dtype))
        return op(x, naxes, axes, keepdims, out);
    jg_array *nan = scope_unary(&scope, jg_isnan, x);
    jg_array *most = scope_reduce(&scope, op, replaced(&scope, x, infinity), naxes, axes, keepdims);
    jg_array *none = scope_reduce(&scope, jg_all, nan, naxes, axes, keepdims);
    jg_array *absent = most == NULL ? NULL : scope_number(&scope, x, (double)NAN);
    return scope_finish(&scope, scope_where(&scope, none, absent, most), out);
}

jg_status compose_nanmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    return extremum(jg_max, -(double)INFINITY, x, naxes, axes, keepdims, out);
}

jg_status compose_nanmin(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    return extremum(jg_min, (double)INFINITY, x, naxes, axes, keepdims, out);
}

/* Moments of what is not NaN: the steps share the mask of NaN and the count of the others. */
typedef struct moments {
    compose_scope scope;
    jg_array *x, *nan, *count; /* x in the dtype that is computed in; count keeps the axes */
    int naxes;
    const int64_t *axes;
    jg_dtype result;
} moments;

static jg_array *sum_of(moments *m, jg_array *x)
{
    return scope_reduce(&m->scope, compose_sum, x, m->naxes, m->axes, true);
}

static jg_array *zero_where_nan(moments *m, jg_array *x)
{
    jg_array *zero = x == NULL ? NULL : scope_number(&m->scope, x, 0);
    return scope_where(&m->scope, m->nan, zero, x);
}

static moments moments_of(jg_op op, jg_array *x, int naxes, const int64_t *axes)
{
    moments m = {.naxes = naxes, .axes = axes};
    jg_array *wide = scope_widen(&m.scope, op, x, &m.result);
    m.nan = scope_unary(&m.scope, jg_isnan, wide);
    jg_array *others = sum_of(&m, scope_unary(&m.scope, jg_logical_not, m.nan));
    if (others != NULL)
        m.count = scope_cast(&m.scope, others, dtype_real_part((jg_dtype)wide->dtype));
    m.x = wide;
    return m;
}

static jg_array *mean_of(moments *m)
{
    return scope_binary(&m->scope, jg_divide, sum_of(m, zero_where_nan(m, m->x)), m->count);
}

/* In the dtype of the result, without the axes that the steps have kept. */
static jg_status finish(moments *m, jg_array *value, bool keepdims, jg_array **out)
{
    if (!keepdims)
        /* -1 axes mean all to a reduction and those of extent 1 to jg_squeeze: after the
         * reduction of all these are the same. */
        value = scope_shaped(&m->scope, jg_squeeze, value, m->naxes, m->axes);
    return scope_finish(&m->scope, scope_cast(&m->scope, value, m->result), out);
}

jg_status compose_nanmean(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                          jg_array **out)
{
    moments m = moments_of(JG_OP_nanmean, x, naxes, axes);
    return finish(&m, mean_of(&m), keepdims, out);
}

/* With no degree of freedom left the sum is divided by 0, or by less: NaN, as in NumPy. */
static jg_array *variance_of(moments *m, double correction)
{
    compose_scope *s = &m->scope;
    jg_array *away = zero_where_nan(m, scope_binary(s, jg_subtract, m->x, mean_of(m)));
    jg_array *sum = sum_of(m, scope_squared_size(s, away));
    if (sum == NULL)
        return NULL;
    jg_array *freedom =
        scope_binary(s, jg_subtract, m->count, scope_number(s, m->count, correction));
    jg_array *left = scope_binary(s, jg_less, scope_number(s, m->count, 0), freedom);
    return scope_where(s, left, scope_binary(s, jg_divide, sum, freedom),
                       scope_number(s, sum, (double)NAN));
}

jg_status compose_nanvar(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         double correction, jg_array **out)
{
    moments m = moments_of(JG_OP_nanvar, x, naxes, axes);
    return finish(&m, variance_of(&m, correction), keepdims, out);
}

jg_status compose_nanstd(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                         double correction, jg_array **out)
{
    moments m = moments_of(JG_OP_nanstd, x, naxes, axes);
    return finish(&m, scope_unary(&m.scope, jg_sqrt, variance_of(&m, correction)), keepdims, out);
}

typedef jg_status find(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out);

static jg_status find_without(find *op, double infinity, jg_array *x, const int64_t *axis,
                              bool keepdims, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL, *from = replaced(&scope, x, infinity);
    if (from != NULL) {
        jg_status status = op(from, axis, keepdims, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

jg_status compose_nanargmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    return find_without(jg_argmax, -(double)INFINITY, x, axis, keepdims, out);
}

jg_status compose_nanargmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    return find_without(jg_argmin, (double)INFINITY, x, axis, keepdims, out);
}

typedef jg_status running(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                          const jg_dtype *dtype, jg_array **out);

static jg_status run_without(running *op, double neutral, jg_array *x, const int64_t *axis,
                             bool reverse, bool inclusive, const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL, *from = replaced(&scope, x, neutral);
    if (from != NULL) {
        jg_status status = op(from, axis, reverse, inclusive, dtype, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

jg_status compose_nancumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                            const jg_dtype *dtype, jg_array **out)
{
    return run_without(jg_cumsum, 0, x, axis, reverse, inclusive, dtype, out);
}

jg_status compose_nancumprod(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                             const jg_dtype *dtype, jg_array **out)
{
    return run_without(jg_cumprod, 1, x, axis, reverse, inclusive, dtype, out);
}
