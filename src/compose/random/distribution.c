/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions: functions of uniform draws, one draw for each element, so that they are as lazy,
 * parallel and reproducible as those. Most are the quantile functions of their distributions. */
#include "compose/compose.h"
#include "compose/random/random.h"
#include <math.h>

/* c in (-1, 1), symmetric about 0, which it never is. */
static jg_array *centred_unit(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype,
                              int ndim, const int64_t *shape)
{
    jg_array *unit = random_unit(scope, op, key, dtype, true, ndim, shape);
    if (unit == NULL)
        return NULL;
    jg_array *twice = scope_binary(scope, jg_multiply, unit, scope_number(scope, unit, 2));
    return scope_binary(scope, jg_subtract, twice, scope_number(scope, unit, 1));
}

/* The normal distribution's quantile: sqrt(2) erfinv(c). */
static jg_array *normal_quantile(compose_scope *scope, jg_array *centred, double deviation)
{
    jg_array *quantile = scope_unary(scope, jg_erfinv, centred);
    if (quantile == NULL)
        return NULL;
    return scope_binary(scope, jg_multiply, quantile,
                        scope_number(scope, quantile, sqrt(2) * deviation));
}

/* In float32, from half of the bits a number of (0, 1], from the others an angle: the first
 * coordinate of a point of the plane whose squared radius has the exponential distribution (Box and
 * Muller). It costs less than the quantile, and its largest value is 6.7. */
static jg_array *normal_of_bits(compose_scope *scope, jg_array *bits)
{
    if (bits == NULL)
        return NULL;
    jg_array *half = scope_whole(scope, bits, 32);
    /* The conversion uses 32-bit integers, because any instruction set can convert vectors of them
     * to floats. */
    jg_array *high =
        scope_cast(scope, scope_binary(scope, jg_bitwise_right_shift, bits, half), JG_DTYPE_UINT32);
    high = scope_cast(scope, high, JG_DTYPE_FLOAT32);
    jg_array *low = scope_cast(scope, scope_cast(scope, bits, JG_DTYPE_INT32), JG_DTYPE_FLOAT32);
    if (high == NULL)
        return NULL;
    jg_array *chance = scope_binary(scope, jg_add, high, scope_number(scope, high, 0.5));
    jg_array *logarithm = scope_unary(scope, jg_log, scope_times(scope, chance, 0x1p-32));
    jg_array *radius = scope_unary(scope, jg_sqrt, scope_times(scope, logarithm, -2));
    jg_array *cosine = scope_unary(scope, jg_cos, scope_times(scope, low, M_PI * 0x1p-31));
    return scope_binary(scope, jg_multiply, radius, cosine);
}

/* Real and imaginary parts of variance 1/2, side by side. The two draws of a number lie beside one
 * another as its parts do, so that seeing them as complex takes no copy. Variances of 1/2 add up to
 * 1. */
static jg_status complex_normal(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL;
    int64_t parts[JG_MAX_NDIM + 1];
    if (ndim >= JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[random_normal] shape: got %d axes, allowed are %d", ndim,
                         JG_MAX_NDIM - 1);
    for (int i = 0; i < ndim; ++i)
        parts[i] = shape[i];
    parts[ndim] = 2;
    jg_array *centred =
        centred_unit(&scope, JG_OP_random_normal, key, dtype_real_part(dtype), ndim + 1, parts);
    jg_array *pairs = normal_quantile(&scope, centred, sqrt(0.5));
    if (pairs == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_bitcast(pairs, dtype, &made);
    jg_array *value = scope_take(&scope, status, made);
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, value, ndim, shape), out);
}

jg_array *random_moved(compose_scope *scope, jg_array *drawn, jg_array *loc, jg_array *scale)
{
    if (drawn == NULL)
        return NULL;
    const jg_dtype dtype = (jg_dtype)drawn->dtype;
    if (scale != NULL)
        drawn = scope_binary(scope, jg_multiply, drawn, scope_cast(scope, scale, dtype));
    if (loc != NULL)
        drawn = scope_binary(scope, jg_add, drawn, scope_cast(scope, loc, dtype));
    return drawn;
}

/* float64 uses the quantile of all bits of a draw, as halves of 32 bits would be too coarse. */
static jg_status standard_normal(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                 jg_array **out)
{
    compose_scope scope = {0};
    if (dtype_is_complex(dtype))
        return complex_normal(key, ndim, shape, dtype, out);
    JG_TRY(random_check_floating(JG_OP_random_normal, dtype));
    jg_array *value =
        dtype == JG_DTYPE_FLOAT64
            ? normal_quantile(&scope,
                              centred_unit(&scope, JG_OP_random_normal, key, dtype, ndim, shape), 1)
            : normal_of_bits(&scope, random_bits(&scope, JG_OP_random_normal, key, ndim, shape));
    return scope_finish(&scope, scope_cast(&scope, value, dtype), out);
}

jg_status compose_random_normal(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                jg_array *loc, jg_array *scale, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL;
    jg_status status = standard_normal(key, ndim, shape, dtype, &made);
    jg_array *drawn = scope_take(&scope, status, made);
    return scope_finish(&scope, random_moved(&scope, drawn, loc, scale), out);
}

/* The bounds' values under erf(bound / sqrt(2)), so that a uniform draw between them needs no
 * rejection. Infinite bounds give -1 and 1, the whole distribution. */
static jg_array *bound_quantile(compose_scope *scope, jg_array *bound)
{
    if (bound == NULL)
        return NULL;
    return scope_unary(scope, jg_erf, scope_times(scope, bound, sqrt(0.5)));
}

/* Whether both bounds are so far out on one side that few bits of erf tell them from 1. */
static jg_array *in_one_tail(compose_scope *scope, jg_array *low, jg_array *high)
{
    jg_array *least = scope_binary(scope, jg_minimum, low, high);
    jg_array *most = scope_binary(scope, jg_maximum, low, high);
    if (least == NULL || most == NULL)
        return NULL;
    jg_array *above =
        scope_binary(scope, jg_greater_equal, least, scope_number(scope, least, NORMAL_TAIL_START));
    jg_array *below =
        scope_binary(scope, jg_less_equal, most, scope_number(scope, most, -NORMAL_TAIL_START));
    return scope_binary(scope, jg_logical_or, above, below);
}

/* Whether numbers that are known tell that the bounds are not in one tail. */
static bool surely_not_in_one_tail(const jg_array *low, const jg_array *high)
{
    double a = compose_known_number(low), b = compose_known_number(high);
    return fabs(a) < NORMAL_TAIL_START || fabs(b) < NORMAL_TAIL_START ||
           (a <= -NORMAL_TAIL_START && b >= NORMAL_TAIL_START) ||
           (b <= -NORMAL_TAIL_START && a >= NORMAL_TAIL_START);
}

/* The quantile between bounds that are not in one tail. */
static jg_array *middle_quantile(compose_scope *scope, jg_array *unit, jg_array *low,
                                 jg_array *high)
{
    jg_array *lowest = bound_quantile(scope, low);
    jg_array *span = scope_binary(scope, jg_subtract, bound_quantile(scope, high), lowest);
    jg_array *centred =
        scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, unit, span), lowest);
    return normal_quantile(scope, centred, 1);
}

/* Brings value back into the open interval, which rounding may have left. An empty interval, low >=
 * high, gives some number near its bounds; it is not refused, as bounds are data. */
static jg_array *between(compose_scope *scope, jg_array *value, jg_array *low, jg_array *high)
{
    jg_array *least = scope_binary(scope, jg_nextafter, low, high);
    jg_array *most = scope_binary(scope, jg_nextafter, high, low);
    return scope_binary(scope, jg_minimum, scope_binary(scope, jg_maximum, value, least), most);
}

/* x, and a number where the quantile of a tail is not taken: its derivative there may be infinite,
 * and zero times that is no zero. */
static jg_array *in_tail_or(compose_scope *scope, jg_array *tail, jg_array *x, double other)
{
    if (scope->status != JG_OK || !node_is_traced(x))
        return x;
    return scope_where(scope, tail, x, scope_number(scope, x, other));
}

/* Computed in float64: far from 0, float32 could not tell the bounds' quantiles apart. */
jg_status compose_random_truncated_normal(jg_array *key, jg_array *low, jg_array *high, int nshape,
                                          const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    const jg_op op = JG_OP_random_truncated_normal;
    const jg_dtype wide = JG_DTYPE_FLOAT64;
    compose_scope scope = {0};
    random_shape draws;
    JG_TRY(random_check_floating(op, dtype));
    JG_TRY(random_bounds_shape(low, high, nshape, shape, &draws));
    jg_array *unit = random_unit(&scope, op, key, wide, true, draws.ndim, draws.extents);
    jg_array *wide_low = scope_cast(&scope, low, wide), *wide_high = scope_cast(&scope, high, wide);
    jg_array *value = middle_quantile(&scope, unit, wide_low, wide_high);
    if (!surely_not_in_one_tail(low, high)) {
        jg_array *tail = in_one_tail(&scope, wide_low, wide_high);
        jg_array *from = in_tail_or(&scope, tail, wide_low, 1);
        jg_array *to = in_tail_or(&scope, tail, wide_high, 2);
        value = scope_where(&scope, tail, normal_tail_quantile(&scope, unit, from, to), value);
    }
    value = scope_cast(&scope, value, dtype);
    low = scope_cast(&scope, low, dtype);
    high = scope_cast(&scope, high, dtype);
    value = between(&scope, value, low, high);
    return scope_finish(
        &scope, scope_shaped(&scope, jg_broadcast_to, value, draws.ndim, draws.extents), out);
}

/* -log(1 - |c|), with the sign of c. */
jg_status compose_random_laplace(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                 jg_array *loc, jg_array *scale, jg_array **out)
{
    compose_scope scope = {0};
    JG_TRY(random_check_floating(JG_OP_random_laplace, dtype));
    jg_array *centred =
        centred_unit(&scope, JG_OP_random_laplace, key, compose_wide(dtype), ndim, shape);
    jg_array *inner = scope_unary(&scope, jg_negative, scope_unary(&scope, jg_abs, centred));
    jg_array *value =
        scope_binary(&scope, jg_copysign, scope_unary(&scope, jg_log1p, inner), centred);
    value = scope_cast(&scope, value, dtype);
    return scope_finish(&scope, random_moved(&scope, value, loc, scale), out);
}

/* -log(-log(u)): the largest of many exponential draws; argmax(logits + it) draws a category. */
jg_status compose_random_gumbel(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                                jg_array **out)
{
    compose_scope scope = {0};
    JG_TRY(random_check_floating(JG_OP_random_gumbel, dtype));
    jg_array *unit =
        random_unit(&scope, JG_OP_random_gumbel, key, compose_wide(dtype), true, ndim, shape);
    jg_array *exponential = scope_unary(&scope, jg_negative, scope_unary(&scope, jg_log, unit));
    jg_array *value = scope_unary(&scope, jg_negative, scope_unary(&scope, jg_log, exponential));
    return scope_finish(&scope, scope_cast(&scope, value, dtype), out);
}

/* logits with the axis of categories last, and before it `num` copies if that is not NULL, or
 * broadcast to the shape if nshape is not JG_NONE. Only logits are broadcast; each copy gets noise
 * of its own. */
static jg_array *spread_logits(compose_scope *scope, jg_array *logits, int axis, const int64_t *num,
                               int nshape, const int64_t *shape)
{
    const int64_t from = axis, to = logits->ndim - 1, ahead = -2;
    int64_t extents[JG_MAX_NDIM];
    jg_array *made = NULL;
    jg_status status = jg_moveaxis(logits, 1, &from, 1, &to, &made);
    jg_array *moved = scope_take(scope, status, made);
    if (moved == NULL || (num == NULL && nshape == JG_NONE))
        return moved;
    int before = num != NULL ? moved->ndim - 1 : nshape;
    const int64_t *each = num != NULL ? moved->dims : shape;
    int64_t categories = moved->dims[moved->ndim - 1];
    for (int i = 0; i < before; ++i)
        extents[i] = each[i];
    if (num != NULL) {
        moved = scope_shaped(scope, jg_expand_dims, moved, 1, &ahead);
        extents[before++] = *num;
    }
    extents[before] = categories;
    return scope_shaped(scope, jg_broadcast_to, moved, before + 1, extents);
}

static jg_status check_categories(const jg_array *logits, int64_t axis, const int64_t *num,
                                  int nshape, int *at)
{
    jg_dtype dtype = dtype_with_float((jg_dtype)logits->dtype);
    JG_TRY(random_check_floating(JG_OP_random_categorical, dtype));
    JG_TRY(shape_axis("axis", axis, logits->ndim, at));
    if (num != NULL && nshape != JG_NONE)
        return base_fail(JG_ERR_VALUE,
                         "num_samples: got %lld beside shape, allowed is one of the two",
                         (long long)*num);
    if (num != NULL && *num < 0)
        return base_fail(JG_ERR_VALUE, "num_samples: got %lld, allowed is 0 or more",
                         (long long)*num);
    if (num != NULL && logits->ndim == JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "logits: got %d axes, allowed are %d", logits->ndim,
                         JG_MAX_NDIM - 1);
    if (nshape < JG_NONE || nshape >= JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "shape: got %d axes, allowed are 0 to %d", nshape,
                         JG_MAX_NDIM - 1);
    return JG_OK;
}

/* argmax(logits + Gumbel noise) is category i with probability softmax(logits)[i]. */
jg_status compose_random_categorical(jg_array *key, jg_array *logits, int64_t axis,
                                     const int64_t *num_samples, int nshape, const int64_t *shape,
                                     jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    jg_array *made = NULL;
    int at;
    JG_TRY(check_categories(logits, axis, num_samples, nshape, &at));
    jg_dtype dtype = compose_wide(dtype_with_float((jg_dtype)logits->dtype));
    jg_array *wide = scope_cast(&scope, logits, dtype);
    jg_array *spread =
        wide == NULL ? NULL : spread_logits(&scope, wide, at, num_samples, nshape, shape);
    if (spread == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_random_gumbel(key, spread->ndim, spread->dims, dtype, &made);
    jg_array *noisy = scope_binary(&scope, jg_add, spread, scope_take(&scope, status, made));
    if (noisy == NULL)
        return scope_finish(&scope, NULL, out);
    status = jg_argmax(noisy, &last, false, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}
