/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions of the ops that are spelled in others: NULL is refused, and a failure names
 * the op that was called. Those of ops that are one node are in graph/apply.c.
 * Written by tools/optable.py from src/op/op.def. */
#include "compose/compose.h"

/* clang-format off */
jg_status jg_fmod(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(fmod, x1);
    GRAPH_NEEDS(fmod, x2);
    GRAPH_NEEDS(fmod, out);
    jg_status status = compose_fmod(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fmod, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_lcm(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(lcm, x1);
    GRAPH_NEEDS(lcm, x2);
    GRAPH_NEEDS(lcm, out);
    jg_status status = compose_lcm(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_lcm, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_float_power(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(float_power, x1);
    GRAPH_NEEDS(float_power, x2);
    GRAPH_NEEDS(float_power, out);
    jg_status status = compose_float_power(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_float_power, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_pow(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(pow, x1);
    GRAPH_NEEDS(pow, x2);
    GRAPH_NEEDS(pow, out);
    jg_status status = compose_pow(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_pow, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_fmax(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(fmax, x1);
    GRAPH_NEEDS(fmax, x2);
    GRAPH_NEEDS(fmax, out);
    jg_status status = compose_fmax(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fmax, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_fmin(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(fmin, x1);
    GRAPH_NEEDS(fmin, x2);
    GRAPH_NEEDS(fmin, out);
    jg_status status = compose_fmin(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fmin, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_heaviside(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(heaviside, x1);
    GRAPH_NEEDS(heaviside, x2);
    GRAPH_NEEDS(heaviside, out);
    jg_status status = compose_heaviside(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_heaviside, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_real(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(real, x);
    GRAPH_NEEDS(real, out);
    jg_status status = compose_real(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_real, status, 1, (jg_array *[]){x});
}

jg_status jg_imag(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(imag, x);
    GRAPH_NEEDS(imag, out);
    jg_status status = compose_imag(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_imag, status, 1, (jg_array *[]){x});
}

jg_status jg_angle(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(angle, x);
    GRAPH_NEEDS(angle, out);
    jg_status status = compose_angle(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_angle, status, 1, (jg_array *[]){x});
}

jg_status jg_conj(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(conj, x);
    GRAPH_NEEDS(conj, out);
    jg_status status = compose_conj(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conj, status, 1, (jg_array *[]){x});
}

jg_status jg_square(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(square, x);
    GRAPH_NEEDS(square, out);
    jg_status status = compose_square(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_square, status, 1, (jg_array *[]){x});
}

jg_status jg_stop_gradient(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(stop_gradient, x);
    GRAPH_NEEDS(stop_gradient, out);
    jg_status status = compose_stop_gradient(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_stop_gradient, status, 1,
        (jg_array *[]){x});
}

jg_status jg_reciprocal(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(reciprocal, x);
    GRAPH_NEEDS(reciprocal, out);
    jg_status status = compose_reciprocal(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_reciprocal, status, 1,
        (jg_array *[]){x});
}

jg_status jg_divmod(jg_array *x1, jg_array *x2, jg_array_list *out)
{
    GRAPH_NEEDS(divmod, x1);
    GRAPH_NEEDS(divmod, x2);
    GRAPH_NEEDS(divmod, out);
    jg_status status = compose_divmod(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_divmod, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_spacing(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(spacing, x);
    GRAPH_NEEDS(spacing, out);
    jg_status status = compose_spacing(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_spacing, status, 1, (jg_array *[]){x});
}

jg_status jg_fabs(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(fabs, x);
    GRAPH_NEEDS(fabs, out);
    jg_status status = compose_fabs(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fabs, status, 1, (jg_array *[]){x});
}

jg_status jg_frexp(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(frexp, x);
    GRAPH_NEEDS(frexp, out);
    jg_status status = compose_frexp(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_frexp, status, 1, (jg_array *[]){x});
}

jg_status jg_ldexp(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(ldexp, x1);
    GRAPH_NEEDS(ldexp, x2);
    GRAPH_NEEDS(ldexp, out);
    jg_status status = compose_ldexp(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_ldexp, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_modf(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(modf, x);
    GRAPH_NEEDS(modf, out);
    jg_status status = compose_modf(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_modf, status, 1, (jg_array *[]){x});
}

jg_status jg_clip(jg_array *x, jg_array *min, jg_array *max, jg_array **out)
{
    GRAPH_NEEDS(clip, x);
    GRAPH_NEEDS(clip, out);
    jg_status status = compose_clip(x, min, max, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_clip, status, 1, (jg_array *[]){x});
}

jg_status jg_nan_to_num(jg_array *x, double nan, const double *posinf, const double *neginf,
                        jg_array **out)
{
    GRAPH_NEEDS(nan_to_num, x);
    GRAPH_NEEDS(nan_to_num, out);
    jg_status status = compose_nan_to_num(x, nan, posinf, neginf, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nan_to_num, status, 1,
        (jg_array *[]){x});
}

jg_status jg_greater(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(greater, x1);
    GRAPH_NEEDS(greater, x2);
    GRAPH_NEEDS(greater, out);
    jg_status status = compose_greater(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_greater, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_greater_equal(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(greater_equal, x1);
    GRAPH_NEEDS(greater_equal, x2);
    GRAPH_NEEDS(greater_equal, out);
    jg_status status = compose_greater_equal(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_greater_equal, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_isnan(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(isnan, x);
    GRAPH_NEEDS(isnan, out);
    jg_status status = compose_isnan(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isnan, status, 1, (jg_array *[]){x});
}

jg_status jg_isinf(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(isinf, x);
    GRAPH_NEEDS(isinf, out);
    jg_status status = compose_isinf(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isinf, status, 1, (jg_array *[]){x});
}

jg_status jg_isfinite(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(isfinite, x);
    GRAPH_NEEDS(isfinite, out);
    jg_status status = compose_isfinite(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isfinite, status, 1,
        (jg_array *[]){x});
}

jg_status jg_isposinf(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(isposinf, x);
    GRAPH_NEEDS(isposinf, out);
    jg_status status = compose_isposinf(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isposinf, status, 1,
        (jg_array *[]){x});
}

jg_status jg_isneginf(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(isneginf, x);
    GRAPH_NEEDS(isneginf, out);
    jg_status status = compose_isneginf(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isneginf, status, 1,
        (jg_array *[]){x});
}

jg_status jg_signbit(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(signbit, x);
    GRAPH_NEEDS(signbit, out);
    jg_status status = compose_signbit(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_signbit, status, 1, (jg_array *[]){x});
}

jg_status jg_isclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                     jg_array **out)
{
    GRAPH_NEEDS(isclose, x1);
    GRAPH_NEEDS(isclose, x2);
    GRAPH_NEEDS(isclose, out);
    jg_status status = compose_isclose(x1, x2, rtol, atol, equal_nan, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isclose, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_allclose(jg_array *x1, jg_array *x2, double rtol, double atol, bool equal_nan,
                      jg_array **out)
{
    GRAPH_NEEDS(allclose, x1);
    GRAPH_NEEDS(allclose, x2);
    GRAPH_NEEDS(allclose, out);
    jg_status status = compose_allclose(x1, x2, rtol, atol, equal_nan, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_allclose, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_array_equal(jg_array *x1, jg_array *x2, bool equal_nan, jg_array **out)
{
    GRAPH_NEEDS(array_equal, x1);
    GRAPH_NEEDS(array_equal, x2);
    GRAPH_NEEDS(array_equal, out);
    jg_status status = compose_array_equal(x1, x2, equal_nan, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_array_equal, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_bitwise_count(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(bitwise_count, x);
    GRAPH_NEEDS(bitwise_count, out);
    jg_status status = compose_bitwise_count(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_bitwise_count, status, 1,
        (jg_array *[]){x});
}

jg_status jg_logaddexp2(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(logaddexp2, x1);
    GRAPH_NEEDS(logaddexp2, x2);
    GRAPH_NEEDS(logaddexp2, out);
    jg_status status = compose_logaddexp2(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_logaddexp2, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_cbrt(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(cbrt, x);
    GRAPH_NEEDS(cbrt, out);
    jg_status status = compose_cbrt(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cbrt, status, 1, (jg_array *[]){x});
}

jg_status jg_rsqrt(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(rsqrt, x);
    GRAPH_NEEDS(rsqrt, out);
    jg_status status = compose_rsqrt(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_rsqrt, status, 1, (jg_array *[]){x});
}

jg_status jg_degrees(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(degrees, x);
    GRAPH_NEEDS(degrees, out);
    jg_status status = compose_degrees(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_degrees, status, 1, (jg_array *[]){x});
}

jg_status jg_radians(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(radians, x);
    GRAPH_NEEDS(radians, out);
    jg_status status = compose_radians(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_radians, status, 1, (jg_array *[]){x});
}

jg_status jg_softplus(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(softplus, x);
    GRAPH_NEEDS(softplus, out);
    jg_status status = compose_softplus(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_softplus, status, 1,
        (jg_array *[]){x});
}

jg_status jg_silu(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(silu, x);
    GRAPH_NEEDS(silu, out);
    jg_status status = compose_silu(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_silu, status, 1, (jg_array *[]){x});
}

jg_status jg_gelu(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(gelu, x);
    GRAPH_NEEDS(gelu, out);
    jg_status status = compose_gelu(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gelu, status, 1, (jg_array *[]){x});
}

jg_status jg_gelu_approx(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(gelu_approx, x);
    GRAPH_NEEDS(gelu_approx, out);
    jg_status status = compose_gelu_approx(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gelu_approx, status, 1,
        (jg_array *[]){x});
}

jg_status jg_round(jg_array *x, int64_t decimals, jg_array **out)
{
    GRAPH_NEEDS(round, x);
    GRAPH_NEEDS(round, out);
    jg_status status = compose_round(x, decimals, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_round, status, 1, (jg_array *[]){x});
}

jg_status jg_minmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array_list *out)
{
    GRAPH_NEEDS(minmax, x);
    if (naxes > 0)
        GRAPH_NEEDS(minmax, axes);
    GRAPH_NEEDS(minmax, out);
    jg_status status = compose_minmax(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_minmax, status, 1, (jg_array *[]){x});
}

jg_status jg_ptp(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(ptp, x);
    if (naxes > 0)
        GRAPH_NEEDS(ptp, axes);
    GRAPH_NEEDS(ptp, out);
    jg_status status = compose_ptp(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_ptp, status, 1, (jg_array *[]){x});
}

jg_status jg_count_nonzero(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                           jg_array **out)
{
    GRAPH_NEEDS(count_nonzero, x);
    if (naxes > 0)
        GRAPH_NEEDS(count_nonzero, axes);
    GRAPH_NEEDS(count_nonzero, out);
    jg_status status = compose_count_nonzero(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_count_nonzero, status, 1,
        (jg_array *[]){x});
}

jg_status jg_mean(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(mean, x);
    if (naxes > 0)
        GRAPH_NEEDS(mean, axes);
    GRAPH_NEEDS(mean, out);
    jg_status status = compose_mean(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_mean, status, 1, (jg_array *[]){x});
}

jg_status jg_var(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                 jg_array **out)
{
    GRAPH_NEEDS(var, x);
    if (naxes > 0)
        GRAPH_NEEDS(var, axes);
    GRAPH_NEEDS(var, out);
    jg_status status = compose_var(x, naxes, axes, keepdims, correction, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_var, status, 1, (jg_array *[]){x});
}

jg_status jg_std(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                 jg_array **out)
{
    GRAPH_NEEDS(std, x);
    if (naxes > 0)
        GRAPH_NEEDS(std, axes);
    GRAPH_NEEDS(std, out);
    jg_status status = compose_std(x, naxes, axes, keepdims, correction, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_std, status, 1, (jg_array *[]){x});
}

jg_status jg_logsumexp(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(logsumexp, x);
    if (naxes > 0)
        GRAPH_NEEDS(logsumexp, axes);
    GRAPH_NEEDS(logsumexp, out);
    jg_status status = compose_logsumexp(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_logsumexp, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nansum(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                    const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(nansum, x);
    if (naxes > 0)
        GRAPH_NEEDS(nansum, axes);
    GRAPH_NEEDS(nansum, out);
    jg_status status = compose_nansum(x, naxes, axes, keepdims, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nansum, status, 1, (jg_array *[]){x});
}

jg_status jg_nanprod(jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                     const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(nanprod, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanprod, axes);
    GRAPH_NEEDS(nanprod, out);
    jg_status status = compose_nanprod(x, naxes, axes, keepdims, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanprod, status, 1, (jg_array *[]){x});
}

jg_status jg_nanmax(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanmax, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanmax, axes);
    GRAPH_NEEDS(nanmax, out);
    jg_status status = compose_nanmax(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanmax, status, 1, (jg_array *[]){x});
}

jg_status jg_nanmin(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanmin, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanmin, axes);
    GRAPH_NEEDS(nanmin, out);
    jg_status status = compose_nanmin(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanmin, status, 1, (jg_array *[]){x});
}

jg_status jg_nanmean(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanmean, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanmean, axes);
    GRAPH_NEEDS(nanmean, out);
    jg_status status = compose_nanmean(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanmean, status, 1, (jg_array *[]){x});
}

jg_status jg_nanvar(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                    jg_array **out)
{
    GRAPH_NEEDS(nanvar, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanvar, axes);
    GRAPH_NEEDS(nanvar, out);
    jg_status status = compose_nanvar(x, naxes, axes, keepdims, correction, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanvar, status, 1, (jg_array *[]){x});
}

jg_status jg_nanstd(jg_array *x, int naxes, const int64_t *axes, bool keepdims, double correction,
                    jg_array **out)
{
    GRAPH_NEEDS(nanstd, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanstd, axes);
    GRAPH_NEEDS(nanstd, out);
    jg_status status = compose_nanstd(x, naxes, axes, keepdims, correction, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanstd, status, 1, (jg_array *[]){x});
}

jg_status jg_nanargmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanargmax, x);
    GRAPH_NEEDS(nanargmax, out);
    jg_status status = compose_nanargmax(x, axis, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanargmax, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nanargmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanargmin, x);
    GRAPH_NEEDS(nanargmin, out);
    jg_status status = compose_nanargmin(x, axis, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanargmin, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nancumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                       const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(nancumsum, x);
    GRAPH_NEEDS(nancumsum, out);
    jg_status status = compose_nancumsum(x, axis, reverse, inclusive, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nancumsum, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nancumprod(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                        const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(nancumprod, x);
    GRAPH_NEEDS(nancumprod, out);
    jg_status status = compose_nancumprod(x, axis, reverse, inclusive, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nancumprod, status, 1,
        (jg_array *[]){x});
}

jg_status jg_argmax(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(argmax, x);
    GRAPH_NEEDS(argmax, out);
    jg_status status = compose_argmax(x, axis, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argmax, status, 1, (jg_array *[]){x});
}

jg_status jg_argmin(jg_array *x, const int64_t *axis, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(argmin, x);
    GRAPH_NEEDS(argmin, out);
    jg_status status = compose_argmin(x, axis, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argmin, status, 1, (jg_array *[]){x});
}

jg_status jg_cumsum(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                    const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(cumsum, x);
    GRAPH_NEEDS(cumsum, out);
    jg_status status = compose_cumsum(x, axis, reverse, inclusive, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cumsum, status, 1, (jg_array *[]){x});
}

jg_status jg_cumprod(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                     const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(cumprod, x);
    GRAPH_NEEDS(cumprod, out);
    jg_status status = compose_cumprod(x, axis, reverse, inclusive, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cumprod, status, 1, (jg_array *[]){x});
}

jg_status jg_cummax(jg_array *x, const int64_t *axis, bool reverse, bool inclusive, jg_array **out)
{
    GRAPH_NEEDS(cummax, x);
    GRAPH_NEEDS(cummax, out);
    jg_status status = compose_cummax(x, axis, reverse, inclusive, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cummax, status, 1, (jg_array *[]){x});
}

jg_status jg_cummin(jg_array *x, const int64_t *axis, bool reverse, bool inclusive, jg_array **out)
{
    GRAPH_NEEDS(cummin, x);
    GRAPH_NEEDS(cummin, out);
    jg_status status = compose_cummin(x, axis, reverse, inclusive, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cummin, status, 1, (jg_array *[]){x});
}

jg_status jg_logcumsumexp(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,
                          jg_array **out)
{
    GRAPH_NEEDS(logcumsumexp, x);
    GRAPH_NEEDS(logcumsumexp, out);
    jg_status status = compose_logcumsumexp(x, axis, reverse, inclusive, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_logcumsumexp, status, 1,
        (jg_array *[]){x});
}

jg_status jg_cumulative_sum(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                            bool include_initial, jg_array **out)
{
    GRAPH_NEEDS(cumulative_sum, x);
    GRAPH_NEEDS(cumulative_sum, out);
    jg_status status = compose_cumulative_sum(x, axis, dtype, include_initial, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cumulative_sum, status, 1,
        (jg_array *[]){x});
}

jg_status jg_cumulative_prod(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                             bool include_initial, jg_array **out)
{
    GRAPH_NEEDS(cumulative_prod, x);
    GRAPH_NEEDS(cumulative_prod, out);
    jg_status status = compose_cumulative_prod(x, axis, dtype, include_initial, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cumulative_prod, status, 1,
        (jg_array *[]){x});
}

jg_status jg_diff(jg_array *x, int64_t n, int64_t axis, jg_array *prepend, jg_array *append,
                  jg_array **out)
{
    GRAPH_NEEDS(diff, x);
    GRAPH_NEEDS(diff, out);
    jg_status status = compose_diff(x, n, axis, prepend, append, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_diff, status, 1, (jg_array *[]){x});
}

jg_status jg_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(softmax, x);
    if (naxes > 0)
        GRAPH_NEEDS(softmax, axes);
    GRAPH_NEEDS(softmax, out);
    jg_status status = compose_softmax(x, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_softmax, status, 1, (jg_array *[]){x});
}

jg_status jg_log_softmax(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(log_softmax, x);
    if (naxes > 0)
        GRAPH_NEEDS(log_softmax, axes);
    GRAPH_NEEDS(log_softmax, out);
    jg_status status = compose_log_softmax(x, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_log_softmax, status, 1,
        (jg_array *[]){x});
}

jg_status jg_rms_norm(jg_array *x, jg_array *weight, double eps, jg_array **out)
{
    GRAPH_NEEDS(rms_norm, x);
    GRAPH_NEEDS(rms_norm, out);
    jg_status status = compose_rms_norm(x, weight, eps, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_rms_norm, status, 1,
        (jg_array *[]){x});
}

jg_status jg_rope(jg_array *a, int64_t dims, bool traditional, const double *base, double scale,
                  jg_array *offset, jg_array *freqs, jg_array **out)
{
    GRAPH_NEEDS(rope, a);
    GRAPH_NEEDS(rope, offset);
    GRAPH_NEEDS(rope, out);
    jg_status status = compose_rope(a, dims, traditional, base, scale, offset, freqs, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_rope, status, 0, NULL);
}

jg_status jg_cross_entropy(jg_array *logits, jg_array *targets, jg_array **out)
{
    GRAPH_NEEDS(cross_entropy, logits);
    GRAPH_NEEDS(cross_entropy, targets);
    GRAPH_NEEDS(cross_entropy, out);
    jg_status status = compose_cross_entropy(logits, targets, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cross_entropy, status, 0, NULL);
}

jg_status jg_layer_norm(jg_array *x, jg_array *weight, jg_array *bias, double eps, jg_array **out)
{
    GRAPH_NEEDS(layer_norm, x);
    GRAPH_NEEDS(layer_norm, out);
    jg_status status = compose_layer_norm(x, weight, bias, eps, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_layer_norm, status, 1,
        (jg_array *[]){x});
}

jg_status jg_gather(jg_array *x, int count, jg_array *const *indices, int naxes,
                    const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(gather, x);
    JG_TRY(graph_check_list(JG_OP_gather, "indices", count, indices));
    if (naxes > 0)
        GRAPH_NEEDS(gather, axes);
    GRAPH_NEEDS(gather, out);
    jg_status status = compose_gather(x, count, indices, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gather, status, 1, (jg_array *[]){x});
}

jg_status jg_take(jg_array *x, jg_array *indices, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(take, x);
    GRAPH_NEEDS(take, indices);
    GRAPH_NEEDS(take, out);
    jg_status status = compose_take(x, indices, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_take, status, 1, (jg_array *[]){x});
}

jg_status jg_take_along_axis(jg_array *x, jg_array *indices, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(take_along_axis, x);
    GRAPH_NEEDS(take_along_axis, indices);
    GRAPH_NEEDS(take_along_axis, out);
    jg_status status = compose_take_along_axis(x, indices, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_take_along_axis, status, 1,
        (jg_array *[]){x});
}

jg_status jg_put_along_axis(jg_array *x, jg_array *indices, jg_array *values, const int64_t *axis,
                            jg_array **out)
{
    GRAPH_NEEDS(put_along_axis, x);
    GRAPH_NEEDS(put_along_axis, indices);
    GRAPH_NEEDS(put_along_axis, values);
    GRAPH_NEEDS(put_along_axis, out);
    jg_status status = compose_put_along_axis(x, indices, values, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_put_along_axis, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter(jg_array *x, int count, jg_array *const *indices, jg_array *updates, int naxes,
                     const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter, x);
    JG_TRY(graph_check_list(JG_OP_scatter, "indices", count, indices));
    GRAPH_NEEDS(scatter, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter, axes);
    GRAPH_NEEDS(scatter, out);
    jg_status status = compose_scatter(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter, status, 1, (jg_array *[]){x});
}

jg_status jg_scatter_add(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                         int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_add, x);
    JG_TRY(graph_check_list(JG_OP_scatter_add, "indices", count, indices));
    GRAPH_NEEDS(scatter_add, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_add, axes);
    GRAPH_NEEDS(scatter_add, out);
    jg_status status = compose_scatter_add(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_add, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_subtract(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                              int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_subtract, x);
    JG_TRY(graph_check_list(JG_OP_scatter_subtract, "indices", count, indices));
    GRAPH_NEEDS(scatter_subtract, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_subtract, axes);
    GRAPH_NEEDS(scatter_subtract, out);
    jg_status status = compose_scatter_subtract(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_subtract, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_multiply(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                              int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_multiply, x);
    JG_TRY(graph_check_list(JG_OP_scatter_multiply, "indices", count, indices));
    GRAPH_NEEDS(scatter_multiply, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_multiply, axes);
    GRAPH_NEEDS(scatter_multiply, out);
    jg_status status = compose_scatter_multiply(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_multiply, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_divide(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                            int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_divide, x);
    JG_TRY(graph_check_list(JG_OP_scatter_divide, "indices", count, indices));
    GRAPH_NEEDS(scatter_divide, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_divide, axes);
    GRAPH_NEEDS(scatter_divide, out);
    jg_status status = compose_scatter_divide(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_divide, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_power(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                           int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_power, x);
    JG_TRY(graph_check_list(JG_OP_scatter_power, "indices", count, indices));
    GRAPH_NEEDS(scatter_power, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_power, axes);
    GRAPH_NEEDS(scatter_power, out);
    jg_status status = compose_scatter_power(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_power, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_max(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                         int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_max, x);
    JG_TRY(graph_check_list(JG_OP_scatter_max, "indices", count, indices));
    GRAPH_NEEDS(scatter_max, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_max, axes);
    GRAPH_NEEDS(scatter_max, out);
    jg_status status = compose_scatter_max(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_max, status, 1,
        (jg_array *[]){x});
}

jg_status jg_scatter_min(jg_array *x, int count, jg_array *const *indices, jg_array *updates,
                         int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(scatter_min, x);
    JG_TRY(graph_check_list(JG_OP_scatter_min, "indices", count, indices));
    GRAPH_NEEDS(scatter_min, updates);
    if (naxes > 0)
        GRAPH_NEEDS(scatter_min, axes);
    GRAPH_NEEDS(scatter_min, out);
    jg_status status = compose_scatter_min(x, count, indices, updates, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scatter_min, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nonzero(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(nonzero, x);
    GRAPH_NEEDS(nonzero, out);
    jg_status status = compose_nonzero(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nonzero, status, 1, (jg_array *[]){x});
}

jg_status jg_argwhere(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(argwhere, x);
    GRAPH_NEEDS(argwhere, out);
    jg_status status = compose_argwhere(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argwhere, status, 1,
        (jg_array *[]){x});
}

jg_status jg_flatnonzero(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(flatnonzero, x);
    GRAPH_NEEDS(flatnonzero, out);
    jg_status status = compose_flatnonzero(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_flatnonzero, status, 1,
        (jg_array *[]){x});
}

jg_status jg_compress(jg_array *condition, jg_array *x, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(compress, condition);
    GRAPH_NEEDS(compress, x);
    GRAPH_NEEDS(compress, out);
    jg_status status = compose_compress(condition, x, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_compress, status, 0, NULL);
}

jg_status jg_extract(jg_array *condition, jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(extract, condition);
    GRAPH_NEEDS(extract, x);
    GRAPH_NEEDS(extract, out);
    jg_status status = compose_extract(condition, x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_extract, status, 0, NULL);
}

jg_status jg_matmul(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(matmul, x1);
    GRAPH_NEEDS(matmul, x2);
    GRAPH_NEEDS(matmul, out);
    jg_status status = compose_matmul(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_matmul, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_gather_mm(jg_array *a, jg_array *b, jg_array *lhs_indices, jg_array *rhs_indices,
                       bool sorted_indices, jg_array **out)
{
    GRAPH_NEEDS(gather_mm, a);
    GRAPH_NEEDS(gather_mm, b);
    GRAPH_NEEDS(gather_mm, out);
    jg_status status = compose_gather_mm(a, b, lhs_indices, rhs_indices, sorted_indices, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gather_mm, status, 0, NULL);
}

jg_status jg_block_masked_mm(jg_array *a, jg_array *b, int64_t block_size, jg_array *mask_out,
                             jg_array *mask_lhs, jg_array *mask_rhs, jg_array **out)
{
    GRAPH_NEEDS(block_masked_mm, a);
    GRAPH_NEEDS(block_masked_mm, b);
    GRAPH_NEEDS(block_masked_mm, out);
    jg_status status = compose_block_masked_mm(a, b, block_size, mask_out, mask_lhs, mask_rhs, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_block_masked_mm, status, 0, NULL);
}

jg_status jg_segmented_mm(jg_array *a, jg_array *b, jg_array *segments, jg_array **out)
{
    GRAPH_NEEDS(segmented_mm, a);
    GRAPH_NEEDS(segmented_mm, b);
    GRAPH_NEEDS(segmented_mm, segments);
    GRAPH_NEEDS(segmented_mm, out);
    jg_status status = compose_segmented_mm(a, b, segments, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_segmented_mm, status, 0, NULL);
}

jg_status jg_addmm(jg_array *c, jg_array *a, jg_array *b, double alpha, double beta, jg_array **out)
{
    GRAPH_NEEDS(addmm, c);
    GRAPH_NEEDS(addmm, a);
    GRAPH_NEEDS(addmm, b);
    GRAPH_NEEDS(addmm, out);
    jg_status status = compose_addmm(c, a, b, alpha, beta, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_addmm, status, 0, NULL);
}

jg_status jg_outer(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(outer, x1);
    GRAPH_NEEDS(outer, x2);
    GRAPH_NEEDS(outer, out);
    jg_status status = compose_outer(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_outer, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_inner(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(inner, x1);
    GRAPH_NEEDS(inner, x2);
    GRAPH_NEEDS(inner, out);
    jg_status status = compose_inner(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_inner, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_vecdot(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out)
{
    GRAPH_NEEDS(vecdot, x1);
    GRAPH_NEEDS(vecdot, x2);
    GRAPH_NEEDS(vecdot, out);
    jg_status status = compose_vecdot(x1, x2, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_vecdot, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_tensordot(jg_array *x1, jg_array *x2, int naxes, const int64_t *axes1,
                       const int64_t *axes2, jg_array **out)
{
    GRAPH_NEEDS(tensordot, x1);
    GRAPH_NEEDS(tensordot, x2);
    GRAPH_NEEDS(tensordot, out);
    jg_status status = compose_tensordot(x1, x2, naxes, axes1, axes2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_tensordot, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_einsum(const char *subscripts, int count, jg_array *const *operands, jg_array **out)
{
    GRAPH_NEEDS(einsum, subscripts);
    JG_TRY(graph_check_list(JG_OP_einsum, "operands", count, operands));
    GRAPH_NEEDS(einsum, out);
    jg_status status = compose_einsum(subscripts, count, operands, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_einsum, status, 0, NULL);
}

jg_status jg_scaled_dot_product_attention(jg_array *q, jg_array *k, jg_array *v, double scale,
                                          jg_array *mask, bool causal, jg_array **out)
{
    GRAPH_NEEDS(scaled_dot_product_attention, q);
    GRAPH_NEEDS(scaled_dot_product_attention, k);
    GRAPH_NEEDS(scaled_dot_product_attention, v);
    GRAPH_NEEDS(scaled_dot_product_attention, out);
    jg_status status = compose_scaled_dot_product_attention(q, k, v, scale, mask, causal, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_scaled_dot_product_attention, status,
        0, NULL);
}

jg_status jg_quantize(jg_array *w, const int64_t *group_size, const int64_t *bits, const char *mode,
                      jg_array *global_scale, jg_array_list *out)
{
    GRAPH_NEEDS(quantize, w);
    GRAPH_NEEDS(quantize, mode);
    GRAPH_NEEDS(quantize, out);
    jg_status status = compose_quantize(w, group_size, bits, mode, global_scale, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_quantize, status, 0, NULL);
}

jg_status jg_dequantize(jg_array *w, jg_array *scales, jg_array *biases, const int64_t *group_size,
                        const int64_t *bits, const char *mode, jg_array *global_scale,
                        const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(dequantize, w);
    GRAPH_NEEDS(dequantize, scales);
    GRAPH_NEEDS(dequantize, mode);
    GRAPH_NEEDS(dequantize, out);
    jg_status status = compose_dequantize(w, scales, biases, group_size, bits, mode, global_scale,
        dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_dequantize, status, 0, NULL);
}

jg_status jg_quantized_matmul(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                              bool transpose, const int64_t *group_size, const int64_t *bits,
                              const char *mode, jg_array **out)
{
    GRAPH_NEEDS(quantized_matmul, x);
    GRAPH_NEEDS(quantized_matmul, w);
    GRAPH_NEEDS(quantized_matmul, scales);
    GRAPH_NEEDS(quantized_matmul, mode);
    GRAPH_NEEDS(quantized_matmul, out);
    jg_status status = compose_quantized_matmul(x, w, scales, biases, transpose, group_size, bits,
        mode, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_quantized_matmul, status, 1,
        (jg_array *[]){x});
}

jg_status jg_gather_qmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *biases,
                        jg_array *lhs_indices, jg_array *rhs_indices, bool transpose,
                        const int64_t *group_size, const int64_t *bits, const char *mode,
                        jg_array *global_scale, bool sorted_indices, jg_array **out)
{
    GRAPH_NEEDS(gather_qmm, x);
    GRAPH_NEEDS(gather_qmm, w);
    GRAPH_NEEDS(gather_qmm, scales);
    GRAPH_NEEDS(gather_qmm, mode);
    GRAPH_NEEDS(gather_qmm, out);
    jg_status status = compose_gather_qmm(x, w, scales, biases, lhs_indices, rhs_indices, transpose,
        group_size, bits, mode, global_scale, sorted_indices, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gather_qmm, status, 1,
        (jg_array *[]){x});
}

jg_status jg_qqmm(jg_array *x, jg_array *w, jg_array *scales, const int64_t *group_size,
                  const int64_t *bits, const char *mode, jg_array *global_scale_x,
                  jg_array *global_scale_w, jg_array **out)
{
    GRAPH_NEEDS(qqmm, x);
    GRAPH_NEEDS(qqmm, w);
    GRAPH_NEEDS(qqmm, mode);
    GRAPH_NEEDS(qqmm, out);
    jg_status status = compose_qqmm(x, w, scales, group_size, bits, mode, global_scale_x,
        global_scale_w, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_qqmm, status, 1, (jg_array *[]){x});
}

jg_status jg_gather_qqmm(jg_array *x, jg_array *w, jg_array *scales, jg_array *lhs_indices,
                         jg_array *rhs_indices, const int64_t *group_size, const int64_t *bits,
                         const char *mode, jg_array *global_scale_x, jg_array *global_scale_w,
                         bool sorted_indices, jg_array **out)
{
    GRAPH_NEEDS(gather_qqmm, x);
    GRAPH_NEEDS(gather_qqmm, w);
    GRAPH_NEEDS(gather_qqmm, mode);
    GRAPH_NEEDS(gather_qqmm, out);
    jg_status status = compose_gather_qqmm(x, w, scales, lhs_indices, rhs_indices, group_size, bits,
        mode, global_scale_x, global_scale_w, sorted_indices, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_gather_qqmm, status, 1,
        (jg_array *[]){x});
}

jg_status jg_hadamard_transform(jg_array *a, const double *scale, jg_array **out)
{
    GRAPH_NEEDS(hadamard_transform, a);
    GRAPH_NEEDS(hadamard_transform, out);
    jg_status status = compose_hadamard_transform(a, scale, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_hadamard_transform, status, 0, NULL);
}

jg_status jg_to_fp8(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(to_fp8, x);
    GRAPH_NEEDS(to_fp8, out);
    jg_status status = compose_to_fp8(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_to_fp8, status, 1, (jg_array *[]){x});
}

jg_status jg_from_fp8(jg_array *x, const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(from_fp8, x);
    GRAPH_NEEDS(from_fp8, out);
    jg_status status = compose_from_fp8(x, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_from_fp8, status, 1,
        (jg_array *[]){x});
}

jg_status jg_eye(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                 jg_array **out)
{
    GRAPH_NEEDS(eye, out);
    jg_status status = compose_eye(n_rows, n_cols, k, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_eye, status, 0, NULL);
}

jg_status jg_identity(int64_t n, const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(identity, out);
    jg_status status = compose_identity(n, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_identity, status, 0, NULL);
}

jg_status jg_tri(int64_t n_rows, const int64_t *n_cols, int64_t k, const jg_dtype *dtype,
                 jg_array **out)
{
    GRAPH_NEEDS(tri, out);
    jg_status status = compose_tri(n_rows, n_cols, k, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_tri, status, 0, NULL);
}

jg_status jg_linspace(double start, double stop, int64_t num, bool endpoint, const jg_dtype *dtype,
                      jg_array **out)
{
    GRAPH_NEEDS(linspace, out);
    jg_status status = compose_linspace(start, stop, num, endpoint, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linspace, status, 0, NULL);
}

jg_status jg_logspace(double start, double stop, int64_t num, bool endpoint, double base,
                      const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(logspace, out);
    jg_status status = compose_logspace(start, stop, num, endpoint, base, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_logspace, status, 0, NULL);
}

jg_status jg_vander(jg_array *x, const int64_t *N, bool increasing, jg_array **out)
{
    GRAPH_NEEDS(vander, x);
    GRAPH_NEEDS(vander, out);
    jg_status status = compose_vander(x, N, increasing, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_vander, status, 1, (jg_array *[]){x});
}

jg_status jg_hanning(int64_t M, jg_array **out)
{
    GRAPH_NEEDS(hanning, out);
    jg_status status = compose_hanning(M, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_hanning, status, 0, NULL);
}

jg_status jg_hamming(int64_t M, jg_array **out)
{
    GRAPH_NEEDS(hamming, out);
    jg_status status = compose_hamming(M, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_hamming, status, 0, NULL);
}

jg_status jg_blackman(int64_t M, jg_array **out)
{
    GRAPH_NEEDS(blackman, out);
    jg_status status = compose_blackman(M, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_blackman, status, 0, NULL);
}

jg_status jg_bartlett(int64_t M, jg_array **out)
{
    GRAPH_NEEDS(bartlett, out);
    jg_status status = compose_bartlett(M, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_bartlett, status, 0, NULL);
}

jg_status jg_tril(jg_array *x, int64_t k, jg_array **out)
{
    GRAPH_NEEDS(tril, x);
    GRAPH_NEEDS(tril, out);
    jg_status status = compose_tril(x, k, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_tril, status, 1, (jg_array *[]){x});
}

jg_status jg_triu(jg_array *x, int64_t k, jg_array **out)
{
    GRAPH_NEEDS(triu, x);
    GRAPH_NEEDS(triu, out);
    jg_status status = compose_triu(x, k, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_triu, status, 1, (jg_array *[]){x});
}

jg_status jg_diag(jg_array *x, int64_t k, jg_array **out)
{
    GRAPH_NEEDS(diag, x);
    GRAPH_NEEDS(diag, out);
    jg_status status = compose_diag(x, k, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_diag, status, 1, (jg_array *[]){x});
}

jg_status jg_concat(int count, jg_array *const *arrays, const int64_t *axis, jg_array **out)
{
    JG_TRY(graph_check_list(JG_OP_concat, "arrays", count, arrays));
    GRAPH_NEEDS(concat, out);
    jg_status status = compose_concat(count, arrays, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_concat, status, 0, NULL);
}

jg_status jg_stack(int count, jg_array *const *arrays, int64_t axis, jg_array **out)
{
    JG_TRY(graph_check_list(JG_OP_stack, "arrays", count, arrays));
    GRAPH_NEEDS(stack, out);
    jg_status status = compose_stack(count, arrays, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_stack, status, 0, NULL);
}

jg_status jg_hstack(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(graph_check_list(JG_OP_hstack, "arrays", count, arrays));
    GRAPH_NEEDS(hstack, out);
    jg_status status = compose_hstack(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_hstack, status, 0, NULL);
}

jg_status jg_vstack(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(graph_check_list(JG_OP_vstack, "arrays", count, arrays));
    GRAPH_NEEDS(vstack, out);
    jg_status status = compose_vstack(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_vstack, status, 0, NULL);
}

jg_status jg_pad(jg_array *x, int npad_width, const int64_t *pad_width, const char *mode,
                 jg_array *constant_values, jg_array **out)
{
    GRAPH_NEEDS(pad, x);
    if (npad_width > 0)
        GRAPH_NEEDS(pad, pad_width);
    GRAPH_NEEDS(pad, mode);
    GRAPH_NEEDS(pad, out);
    jg_status status = compose_pad(x, npad_width, pad_width, mode, constant_values, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_pad, status, 1, (jg_array *[]){x});
}

jg_status jg_roll(jg_array *x, int nshift, const int64_t *shift, int naxes, const int64_t *axes,
                  jg_array **out)
{
    GRAPH_NEEDS(roll, x);
    if (nshift > 0)
        GRAPH_NEEDS(roll, shift);
    if (naxes > 0)
        GRAPH_NEEDS(roll, axes);
    GRAPH_NEEDS(roll, out);
    jg_status status = compose_roll(x, nshift, shift, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_roll, status, 1, (jg_array *[]){x});
}

jg_status jg_tile(jg_array *x, int nrepetitions, const int64_t *repetitions, jg_array **out)
{
    GRAPH_NEEDS(tile, x);
    if (nrepetitions > 0)
        GRAPH_NEEDS(tile, repetitions);
    GRAPH_NEEDS(tile, out);
    jg_status status = compose_tile(x, nrepetitions, repetitions, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_tile, status, 1, (jg_array *[]){x});
}

jg_status jg_repeat(jg_array *x, jg_array *repeats, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(repeat, x);
    GRAPH_NEEDS(repeat, repeats);
    GRAPH_NEEDS(repeat, out);
    jg_status status = compose_repeat(x, repeats, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_repeat, status, 1, (jg_array *[]){x});
}

jg_status jg_conv1d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                    int npadding, const int64_t *padding_low, const int64_t *padding_high,
                    int ndilation, const int64_t *dilation, int64_t groups, const char *data_format,
                    jg_array **out)
{
    GRAPH_NEEDS(conv1d, input);
    GRAPH_NEEDS(conv1d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv1d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv1d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv1d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv1d, dilation);
    GRAPH_NEEDS(conv1d, data_format);
    GRAPH_NEEDS(conv1d, out);
    jg_status status = compose_conv1d(input, weight, nstride, stride, npadding, padding_low,
        padding_high, ndilation, dilation, groups, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv1d, status, 0, NULL);
}

jg_status jg_conv2d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                    int npadding, const int64_t *padding_low, const int64_t *padding_high,
                    int ndilation, const int64_t *dilation, int64_t groups, const char *data_format,
                    jg_array **out)
{
    GRAPH_NEEDS(conv2d, input);
    GRAPH_NEEDS(conv2d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv2d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv2d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv2d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv2d, dilation);
    GRAPH_NEEDS(conv2d, data_format);
    GRAPH_NEEDS(conv2d, out);
    jg_status status = compose_conv2d(input, weight, nstride, stride, npadding, padding_low,
        padding_high, ndilation, dilation, groups, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv2d, status, 0, NULL);
}

jg_status jg_conv3d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                    int npadding, const int64_t *padding_low, const int64_t *padding_high,
                    int ndilation, const int64_t *dilation, int64_t groups, const char *data_format,
                    jg_array **out)
{
    GRAPH_NEEDS(conv3d, input);
    GRAPH_NEEDS(conv3d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv3d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv3d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv3d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv3d, dilation);
    GRAPH_NEEDS(conv3d, data_format);
    GRAPH_NEEDS(conv3d, out);
    jg_status status = compose_conv3d(input, weight, nstride, stride, npadding, padding_low,
        padding_high, ndilation, dilation, groups, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv3d, status, 0, NULL);
}

jg_status jg_conv_general(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                          int npadding, const int64_t *padding_low, const int64_t *padding_high,
                          int nkernel_dilation, const int64_t *kernel_dilation, int ninput_dilation,
                          const int64_t *input_dilation, int64_t groups, bool flip,
                          const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(conv_general, input);
    GRAPH_NEEDS(conv_general, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv_general, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv_general, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv_general, padding_high);
    if (nkernel_dilation > 0)
        GRAPH_NEEDS(conv_general, kernel_dilation);
    if (ninput_dilation > 0)
        GRAPH_NEEDS(conv_general, input_dilation);
    GRAPH_NEEDS(conv_general, data_format);
    GRAPH_NEEDS(conv_general, out);
    jg_status status = compose_conv_general(input, weight, nstride, stride, npadding, padding_low,
        padding_high, nkernel_dilation, kernel_dilation, ninput_dilation, input_dilation, groups,
        flip, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv_general, status, 0, NULL);
}

jg_status jg_conv_transpose1d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                              int npadding, const int64_t *padding_low, const int64_t *padding_high,
                              int ndilation, const int64_t *dilation, int noutput_padding,
                              const int64_t *output_padding, int64_t groups,
                              const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(conv_transpose1d, input);
    GRAPH_NEEDS(conv_transpose1d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv_transpose1d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose1d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose1d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv_transpose1d, dilation);
    if (noutput_padding > 0)
        GRAPH_NEEDS(conv_transpose1d, output_padding);
    GRAPH_NEEDS(conv_transpose1d, data_format);
    GRAPH_NEEDS(conv_transpose1d, out);
    jg_status status = compose_conv_transpose1d(input, weight, nstride, stride, npadding,
        padding_low, padding_high, ndilation, dilation, noutput_padding, output_padding, groups,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv_transpose1d, status, 0, NULL);
}

jg_status jg_conv_transpose2d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                              int npadding, const int64_t *padding_low, const int64_t *padding_high,
                              int ndilation, const int64_t *dilation, int noutput_padding,
                              const int64_t *output_padding, int64_t groups,
                              const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(conv_transpose2d, input);
    GRAPH_NEEDS(conv_transpose2d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv_transpose2d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose2d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose2d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv_transpose2d, dilation);
    if (noutput_padding > 0)
        GRAPH_NEEDS(conv_transpose2d, output_padding);
    GRAPH_NEEDS(conv_transpose2d, data_format);
    GRAPH_NEEDS(conv_transpose2d, out);
    jg_status status = compose_conv_transpose2d(input, weight, nstride, stride, npadding,
        padding_low, padding_high, ndilation, dilation, noutput_padding, output_padding, groups,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv_transpose2d, status, 0, NULL);
}

jg_status jg_conv_transpose3d(jg_array *input, jg_array *weight, int nstride, const int64_t *stride,
                              int npadding, const int64_t *padding_low, const int64_t *padding_high,
                              int ndilation, const int64_t *dilation, int noutput_padding,
                              const int64_t *output_padding, int64_t groups,
                              const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(conv_transpose3d, input);
    GRAPH_NEEDS(conv_transpose3d, weight);
    if (nstride > 0)
        GRAPH_NEEDS(conv_transpose3d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose3d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(conv_transpose3d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(conv_transpose3d, dilation);
    if (noutput_padding > 0)
        GRAPH_NEEDS(conv_transpose3d, output_padding);
    GRAPH_NEEDS(conv_transpose3d, data_format);
    GRAPH_NEEDS(conv_transpose3d, out);
    jg_status status = compose_conv_transpose3d(input, weight, nstride, stride, npadding,
        padding_low, padding_high, ndilation, dilation, noutput_padding, output_padding, groups,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_conv_transpose3d, status, 0, NULL);
}

jg_status jg_convolve(jg_array *a, jg_array *v, const char *mode, jg_array **out)
{
    GRAPH_NEEDS(convolve, a);
    GRAPH_NEEDS(convolve, v);
    GRAPH_NEEDS(convolve, mode);
    GRAPH_NEEDS(convolve, out);
    jg_status status = compose_convolve(a, v, mode, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_convolve, status, 0, NULL);
}

jg_status jg_max_pool1d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, int ndilation, const int64_t *dilation,
                        bool ceil_mode, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(max_pool1d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(max_pool1d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(max_pool1d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool1d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool1d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(max_pool1d, dilation);
    GRAPH_NEEDS(max_pool1d, data_format);
    GRAPH_NEEDS(max_pool1d, out);
    jg_status status = compose_max_pool1d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ndilation, dilation, ceil_mode, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_max_pool1d, status, 0, NULL);
}

jg_status jg_max_pool2d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, int ndilation, const int64_t *dilation,
                        bool ceil_mode, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(max_pool2d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(max_pool2d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(max_pool2d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool2d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool2d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(max_pool2d, dilation);
    GRAPH_NEEDS(max_pool2d, data_format);
    GRAPH_NEEDS(max_pool2d, out);
    jg_status status = compose_max_pool2d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ndilation, dilation, ceil_mode, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_max_pool2d, status, 0, NULL);
}

jg_status jg_max_pool3d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, int ndilation, const int64_t *dilation,
                        bool ceil_mode, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(max_pool3d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(max_pool3d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(max_pool3d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool3d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(max_pool3d, padding_high);
    if (ndilation > 0)
        GRAPH_NEEDS(max_pool3d, dilation);
    GRAPH_NEEDS(max_pool3d, data_format);
    GRAPH_NEEDS(max_pool3d, out);
    jg_status status = compose_max_pool3d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ndilation, dilation, ceil_mode, data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_max_pool3d, status, 0, NULL);
}

jg_status jg_avg_pool1d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, bool ceil_mode, bool count_include_pad,
                        const int64_t *divisor_override, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(avg_pool1d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(avg_pool1d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(avg_pool1d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool1d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool1d, padding_high);
    GRAPH_NEEDS(avg_pool1d, data_format);
    GRAPH_NEEDS(avg_pool1d, out);
    jg_status status = compose_avg_pool1d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ceil_mode, count_include_pad, divisor_override,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_avg_pool1d, status, 0, NULL);
}

jg_status jg_avg_pool2d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, bool ceil_mode, bool count_include_pad,
                        const int64_t *divisor_override, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(avg_pool2d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(avg_pool2d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(avg_pool2d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool2d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool2d, padding_high);
    GRAPH_NEEDS(avg_pool2d, data_format);
    GRAPH_NEEDS(avg_pool2d, out);
    jg_status status = compose_avg_pool2d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ceil_mode, count_include_pad, divisor_override,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_avg_pool2d, status, 0, NULL);
}

jg_status jg_avg_pool3d(jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,
                        const int64_t *stride, int npadding, const int64_t *padding_low,
                        const int64_t *padding_high, bool ceil_mode, bool count_include_pad,
                        const int64_t *divisor_override, const char *data_format, jg_array **out)
{
    GRAPH_NEEDS(avg_pool3d, input);
    if (nkernel_size > 0)
        GRAPH_NEEDS(avg_pool3d, kernel_size);
    if (nstride > 0)
        GRAPH_NEEDS(avg_pool3d, stride);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool3d, padding_low);
    if (npadding > 0)
        GRAPH_NEEDS(avg_pool3d, padding_high);
    GRAPH_NEEDS(avg_pool3d, data_format);
    GRAPH_NEEDS(avg_pool3d, out);
    jg_status status = compose_avg_pool3d(input, nkernel_size, kernel_size, nstride, stride,
        npadding, padding_low, padding_high, ceil_mode, count_include_pad, divisor_override,
        data_format, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_avg_pool3d, status, 0, NULL);
}

jg_status jg_reshape(jg_array *x, int ndim, const int64_t *shape, jg_array **out)
{
    GRAPH_NEEDS(reshape, x);
    if (ndim > 0)
        GRAPH_NEEDS(reshape, shape);
    GRAPH_NEEDS(reshape, out);
    jg_status status = compose_reshape(x, ndim, shape, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_reshape, status, 1, (jg_array *[]){x});
}

jg_status jg_broadcast_to(jg_array *x, int ndim, const int64_t *shape, jg_array **out)
{
    GRAPH_NEEDS(broadcast_to, x);
    if (ndim > 0)
        GRAPH_NEEDS(broadcast_to, shape);
    GRAPH_NEEDS(broadcast_to, out);
    jg_status status = compose_broadcast_to(x, ndim, shape, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_broadcast_to, status, 1,
        (jg_array *[]){x});
}

jg_status jg_permute_dims(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(permute_dims, x);
    if (naxes > 0)
        GRAPH_NEEDS(permute_dims, axes);
    GRAPH_NEEDS(permute_dims, out);
    jg_status status = compose_permute_dims(x, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_permute_dims, status, 1,
        (jg_array *[]){x});
}

jg_status jg_squeeze(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(squeeze, x);
    if (naxes > 0)
        GRAPH_NEEDS(squeeze, axes);
    GRAPH_NEEDS(squeeze, out);
    jg_status status = compose_squeeze(x, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_squeeze, status, 1, (jg_array *[]){x});
}

jg_status jg_expand_dims(jg_array *x, int naxis, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(expand_dims, x);
    if (naxis > 0)
        GRAPH_NEEDS(expand_dims, axis);
    GRAPH_NEEDS(expand_dims, out);
    jg_status status = compose_expand_dims(x, naxis, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_expand_dims, status, 1,
        (jg_array *[]){x});
}

jg_status jg_matrix_transpose(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(matrix_transpose, x);
    GRAPH_NEEDS(matrix_transpose, out);
    jg_status status = compose_matrix_transpose(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_matrix_transpose, status, 1,
        (jg_array *[]){x});
}

jg_status jg_swapaxes(jg_array *x, int64_t axis1, int64_t axis2, jg_array **out)
{
    GRAPH_NEEDS(swapaxes, x);
    GRAPH_NEEDS(swapaxes, out);
    jg_status status = compose_swapaxes(x, axis1, axis2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_swapaxes, status, 1,
        (jg_array *[]){x});
}

jg_status jg_moveaxis(jg_array *x, int nsource, const int64_t *source, int ndestination,
                      const int64_t *destination, jg_array **out)
{
    GRAPH_NEEDS(moveaxis, x);
    if (nsource > 0)
        GRAPH_NEEDS(moveaxis, source);
    if (ndestination > 0)
        GRAPH_NEEDS(moveaxis, destination);
    GRAPH_NEEDS(moveaxis, out);
    jg_status status = compose_moveaxis(x, nsource, source, ndestination, destination, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_moveaxis, status, 1,
        (jg_array *[]){x});
}

jg_status jg_flip(jg_array *x, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(flip, x);
    if (naxes > 0)
        GRAPH_NEEDS(flip, axes);
    GRAPH_NEEDS(flip, out);
    jg_status status = compose_flip(x, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_flip, status, 1, (jg_array *[]){x});
}

jg_status jg_rot90(jg_array *x, int64_t k, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(rot90, x);
    if (naxes > 0)
        GRAPH_NEEDS(rot90, axes);
    GRAPH_NEEDS(rot90, out);
    jg_status status = compose_rot90(x, k, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_rot90, status, 1, (jg_array *[]){x});
}

jg_status jg_flatten(jg_array *x, int64_t start_axis, int64_t end_axis, jg_array **out)
{
    GRAPH_NEEDS(flatten, x);
    GRAPH_NEEDS(flatten, out);
    jg_status status = compose_flatten(x, start_axis, end_axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_flatten, status, 1, (jg_array *[]){x});
}

jg_status jg_unflatten(jg_array *x, int64_t axis, int ndim, const int64_t *shape, jg_array **out)
{
    GRAPH_NEEDS(unflatten, x);
    if (ndim > 0)
        GRAPH_NEEDS(unflatten, shape);
    GRAPH_NEEDS(unflatten, out);
    jg_status status = compose_unflatten(x, axis, ndim, shape, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unflatten, status, 1,
        (jg_array *[]){x});
}

jg_status jg_ravel(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(ravel, x);
    GRAPH_NEEDS(ravel, out);
    jg_status status = compose_ravel(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_ravel, status, 1, (jg_array *[]){x});
}

jg_status jg_diagonal(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2, jg_array **out)
{
    GRAPH_NEEDS(diagonal, x);
    GRAPH_NEEDS(diagonal, out);
    jg_status status = compose_diagonal(x, offset, axis1, axis2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_diagonal, status, 1,
        (jg_array *[]){x});
}

jg_status jg_trace(jg_array *x, int64_t offset, int64_t axis1, int64_t axis2, const jg_dtype *dtype,
                   jg_array **out)
{
    GRAPH_NEEDS(trace, x);
    GRAPH_NEEDS(trace, out);
    jg_status status = compose_trace(x, offset, axis1, axis2, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_trace, status, 1, (jg_array *[]){x});
}

jg_status jg_as_strided(jg_array *x, int nshape, const int64_t *shape, int nstrides,
                        const int64_t *strides, int64_t offset, jg_array **out)
{
    GRAPH_NEEDS(as_strided, x);
    if (nshape > 0)
        GRAPH_NEEDS(as_strided, shape);
    if (nstrides > 0)
        GRAPH_NEEDS(as_strided, strides);
    GRAPH_NEEDS(as_strided, out);
    jg_status status = compose_as_strided(x, nshape, shape, nstrides, strides, offset, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_as_strided, status, 1,
        (jg_array *[]){x});
}

jg_status jg_bitcast(jg_array *x, jg_dtype dtype, jg_array **out)
{
    GRAPH_NEEDS(bitcast, x);
    GRAPH_NEEDS(bitcast, out);
    jg_status status = compose_bitcast(x, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_bitcast, status, 1, (jg_array *[]){x});
}

jg_status jg_contiguous(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(contiguous, x);
    GRAPH_NEEDS(contiguous, out);
    jg_status status = compose_contiguous(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_contiguous, status, 1,
        (jg_array *[]){x});
}

jg_status jg_split(jg_array *x, int nindices_or_sections, const int64_t *indices_or_sections,
                   int64_t axis, jg_array_list *out)
{
    GRAPH_NEEDS(split, x);
    if (nindices_or_sections != 0)
        GRAPH_NEEDS(split, indices_or_sections);
    GRAPH_NEEDS(split, out);
    jg_status status = compose_split(x, nindices_or_sections, indices_or_sections, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_split, status, 1, (jg_array *[]){x});
}

jg_status jg_array_split(jg_array *x, int nindices_or_sections, const int64_t *indices_or_sections,
                         int64_t axis, jg_array_list *out)
{
    GRAPH_NEEDS(array_split, x);
    if (nindices_or_sections != 0)
        GRAPH_NEEDS(array_split, indices_or_sections);
    GRAPH_NEEDS(array_split, out);
    jg_status status = compose_array_split(x, nindices_or_sections, indices_or_sections, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_array_split, status, 1,
        (jg_array *[]){x});
}

jg_status jg_unstack(jg_array *x, int64_t axis, jg_array_list *out)
{
    GRAPH_NEEDS(unstack, x);
    GRAPH_NEEDS(unstack, out);
    jg_status status = compose_unstack(x, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unstack, status, 1, (jg_array *[]){x});
}

jg_status jg_broadcast_arrays(int count, jg_array *const *arrays, jg_array_list *out)
{
    JG_TRY(graph_check_list(JG_OP_broadcast_arrays, "arrays", count, arrays));
    GRAPH_NEEDS(broadcast_arrays, out);
    jg_status status = compose_broadcast_arrays(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_broadcast_arrays, status, 0, NULL);
}

jg_status jg_atleast_1d(int count, jg_array *const *arrays, jg_array_list *out)
{
    JG_TRY(graph_check_list(JG_OP_atleast_1d, "arrays", count, arrays));
    GRAPH_NEEDS(atleast_1d, out);
    jg_status status = compose_atleast_1d(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_atleast_1d, status, 0, NULL);
}

jg_status jg_atleast_2d(int count, jg_array *const *arrays, jg_array_list *out)
{
    JG_TRY(graph_check_list(JG_OP_atleast_2d, "arrays", count, arrays));
    GRAPH_NEEDS(atleast_2d, out);
    jg_status status = compose_atleast_2d(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_atleast_2d, status, 0, NULL);
}

jg_status jg_atleast_3d(int count, jg_array *const *arrays, jg_array_list *out)
{
    JG_TRY(graph_check_list(JG_OP_atleast_3d, "arrays", count, arrays));
    GRAPH_NEEDS(atleast_3d, out);
    jg_status status = compose_atleast_3d(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_atleast_3d, status, 0, NULL);
}

jg_status jg_meshgrid(int count, jg_array *const *arrays, bool sparse, const char *indexing,
                      jg_array_list *out)
{
    JG_TRY(graph_check_list(JG_OP_meshgrid, "arrays", count, arrays));
    GRAPH_NEEDS(meshgrid, indexing);
    GRAPH_NEEDS(meshgrid, out);
    jg_status status = compose_meshgrid(count, arrays, sparse, indexing, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_meshgrid, status, 0, NULL);
}

jg_status jg_sort(jg_array *x, const int64_t *axis, bool descending, bool stable, jg_array **out)
{
    GRAPH_NEEDS(sort, x);
    GRAPH_NEEDS(sort, out);
    jg_status status = compose_sort(x, axis, descending, stable, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_sort, status, 1, (jg_array *[]){x});
}

jg_status jg_argsort(jg_array *x, const int64_t *axis, bool descending, bool stable, jg_array **out)
{
    GRAPH_NEEDS(argsort, x);
    GRAPH_NEEDS(argsort, out);
    jg_status status = compose_argsort(x, axis, descending, stable, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argsort, status, 1, (jg_array *[]){x});
}

jg_status jg_partition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(partition, x);
    GRAPH_NEEDS(partition, out);
    jg_status status = compose_partition(x, kth, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_partition, status, 1,
        (jg_array *[]){x});
}

jg_status jg_argpartition(jg_array *x, int64_t kth, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(argpartition, x);
    GRAPH_NEEDS(argpartition, out);
    jg_status status = compose_argpartition(x, kth, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argpartition, status, 1,
        (jg_array *[]){x});
}

jg_status jg_topk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(topk, x);
    GRAPH_NEEDS(topk, out);
    jg_status status = compose_topk(x, k, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_topk, status, 1, (jg_array *[]){x});
}

jg_status jg_argtopk(jg_array *x, int64_t k, const int64_t *axis, jg_array **out)
{
    GRAPH_NEEDS(argtopk, x);
    GRAPH_NEEDS(argtopk, out);
    jg_status status = compose_argtopk(x, k, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_argtopk, status, 1, (jg_array *[]){x});
}

jg_status jg_searchsorted(jg_array *x1, jg_array *x2, const char *side, jg_array *sorter,
                          jg_array **out)
{
    GRAPH_NEEDS(searchsorted, x1);
    GRAPH_NEEDS(searchsorted, x2);
    GRAPH_NEEDS(searchsorted, side);
    GRAPH_NEEDS(searchsorted, out);
    jg_status status = compose_searchsorted(x1, x2, side, sorter, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_searchsorted, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_isin(jg_array *x1, jg_array *x2, bool invert, jg_array **out)
{
    GRAPH_NEEDS(isin, x1);
    GRAPH_NEEDS(isin, x2);
    GRAPH_NEEDS(isin, out);
    jg_status status = compose_isin(x1, x2, invert, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_isin, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_unique_all(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(unique_all, x);
    GRAPH_NEEDS(unique_all, out);
    jg_status status = compose_unique_all(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unique_all, status, 1,
        (jg_array *[]){x});
}

jg_status jg_unique_counts(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(unique_counts, x);
    GRAPH_NEEDS(unique_counts, out);
    jg_status status = compose_unique_counts(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unique_counts, status, 1,
        (jg_array *[]){x});
}

jg_status jg_unique_inverse(jg_array *x, jg_array_list *out)
{
    GRAPH_NEEDS(unique_inverse, x);
    GRAPH_NEEDS(unique_inverse, out);
    jg_status status = compose_unique_inverse(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unique_inverse, status, 1,
        (jg_array *[]){x});
}

jg_status jg_unique_values(jg_array *x, jg_array **out)
{
    GRAPH_NEEDS(unique_values, x);
    GRAPH_NEEDS(unique_values, out);
    jg_status status = compose_unique_values(x, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_unique_values, status, 1,
        (jg_array *[]){x});
}

jg_status jg_median(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(median, x);
    if (naxes > 0)
        GRAPH_NEEDS(median, axes);
    GRAPH_NEEDS(median, out);
    jg_status status = compose_median(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_median, status, 1, (jg_array *[]){x});
}

jg_status jg_quantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                      const char *method, jg_array **out)
{
    GRAPH_NEEDS(quantile, x);
    GRAPH_NEEDS(quantile, q);
    if (naxes > 0)
        GRAPH_NEEDS(quantile, axes);
    GRAPH_NEEDS(quantile, method);
    GRAPH_NEEDS(quantile, out);
    jg_status status = compose_quantile(x, q, naxes, axes, keepdims, method, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_quantile, status, 1,
        (jg_array *[]){x});
}

jg_status jg_percentile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                        const char *method, jg_array **out)
{
    GRAPH_NEEDS(percentile, x);
    GRAPH_NEEDS(percentile, q);
    if (naxes > 0)
        GRAPH_NEEDS(percentile, axes);
    GRAPH_NEEDS(percentile, method);
    GRAPH_NEEDS(percentile, out);
    jg_status status = compose_percentile(x, q, naxes, axes, keepdims, method, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_percentile, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nanmedian(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    GRAPH_NEEDS(nanmedian, x);
    if (naxes > 0)
        GRAPH_NEEDS(nanmedian, axes);
    GRAPH_NEEDS(nanmedian, out);
    jg_status status = compose_nanmedian(x, naxes, axes, keepdims, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanmedian, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nanquantile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                         const char *method, jg_array **out)
{
    GRAPH_NEEDS(nanquantile, x);
    GRAPH_NEEDS(nanquantile, q);
    if (naxes > 0)
        GRAPH_NEEDS(nanquantile, axes);
    GRAPH_NEEDS(nanquantile, method);
    GRAPH_NEEDS(nanquantile, out);
    jg_status status = compose_nanquantile(x, q, naxes, axes, keepdims, method, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanquantile, status, 1,
        (jg_array *[]){x});
}

jg_status jg_nanpercentile(jg_array *x, jg_array *q, int naxes, const int64_t *axes, bool keepdims,
                           const char *method, jg_array **out)
{
    GRAPH_NEEDS(nanpercentile, x);
    GRAPH_NEEDS(nanpercentile, q);
    if (naxes > 0)
        GRAPH_NEEDS(nanpercentile, axes);
    GRAPH_NEEDS(nanpercentile, method);
    GRAPH_NEEDS(nanpercentile, out);
    jg_status status = compose_nanpercentile(x, q, naxes, axes, keepdims, method, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_nanpercentile, status, 1,
        (jg_array *[]){x});
}

jg_status jg_random_key(int64_t seed, jg_array **out)
{
    GRAPH_NEEDS(random_key, out);
    jg_status status = compose_random_key(seed, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_key, status, 0, NULL);
}

jg_status jg_random_split(jg_array *key, int64_t num, jg_array **out)
{
    GRAPH_NEEDS(random_split, out);
    jg_status status = compose_random_split(key, num, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_split, status, 0, NULL);
}

jg_status jg_random_uniform(jg_array *key, jg_array *low, jg_array *high, int ndim,
                            const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    GRAPH_NEEDS(random_uniform, low);
    GRAPH_NEEDS(random_uniform, high);
    if (ndim > 0)
        GRAPH_NEEDS(random_uniform, shape);
    GRAPH_NEEDS(random_uniform, out);
    jg_status status = compose_random_uniform(key, low, high, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_uniform, status, 0, NULL);
}

jg_status jg_random_randint(jg_array *key, jg_array *low, jg_array *high, int ndim,
                            const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    GRAPH_NEEDS(random_randint, low);
    GRAPH_NEEDS(random_randint, high);
    if (ndim > 0)
        GRAPH_NEEDS(random_randint, shape);
    GRAPH_NEEDS(random_randint, out);
    jg_status status = compose_random_randint(key, low, high, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_randint, status, 0, NULL);
}

jg_status jg_random_normal(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                           jg_array **out)
{
    if (ndim > 0)
        GRAPH_NEEDS(random_normal, shape);
    GRAPH_NEEDS(random_normal, out);
    jg_status status = compose_random_normal(key, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_normal, status, 0, NULL);
}

jg_status jg_random_truncated_normal(jg_array *key, jg_array *low, jg_array *high, int ndim,
                                     const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    GRAPH_NEEDS(random_truncated_normal, low);
    GRAPH_NEEDS(random_truncated_normal, high);
    if (ndim > 0)
        GRAPH_NEEDS(random_truncated_normal, shape);
    GRAPH_NEEDS(random_truncated_normal, out);
    jg_status status = compose_random_truncated_normal(key, low, high, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_truncated_normal, status, 0,
        NULL);
}

jg_status jg_random_laplace(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                            jg_array **out)
{
    if (ndim > 0)
        GRAPH_NEEDS(random_laplace, shape);
    GRAPH_NEEDS(random_laplace, out);
    jg_status status = compose_random_laplace(key, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_laplace, status, 0, NULL);
}

jg_status jg_random_gumbel(jg_array *key, int ndim, const int64_t *shape, jg_dtype dtype,
                           jg_array **out)
{
    if (ndim > 0)
        GRAPH_NEEDS(random_gumbel, shape);
    GRAPH_NEEDS(random_gumbel, out);
    jg_status status = compose_random_gumbel(key, ndim, shape, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_gumbel, status, 0, NULL);
}

jg_status jg_random_categorical(jg_array *key, jg_array *logits, int64_t axis,
                                const int64_t *num_samples, jg_array **out)
{
    GRAPH_NEEDS(random_categorical, logits);
    GRAPH_NEEDS(random_categorical, out);
    jg_status status = compose_random_categorical(key, logits, axis, num_samples, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_categorical, status, 0, NULL);
}

jg_status jg_random_bernoulli(jg_array *key, jg_array *p, int ndim, const int64_t *shape,
                              jg_array **out)
{
    GRAPH_NEEDS(random_bernoulli, p);
    if (ndim > 0)
        GRAPH_NEEDS(random_bernoulli, shape);
    GRAPH_NEEDS(random_bernoulli, out);
    jg_status status = compose_random_bernoulli(key, p, ndim, shape, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_random_bernoulli, status, 0, NULL);
}

jg_status jg_kron(jg_array *x1, jg_array *x2, jg_array **out)
{
    GRAPH_NEEDS(kron, x1);
    GRAPH_NEEDS(kron, x2);
    GRAPH_NEEDS(kron, out);
    jg_status status = compose_kron(x1, x2, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_kron, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_cross(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out)
{
    GRAPH_NEEDS(cross, x1);
    GRAPH_NEEDS(cross, x2);
    GRAPH_NEEDS(cross, out);
    jg_status status = compose_cross(x1, x2, axis, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_cross, status, 2,
        (jg_array *[]){x1, x2});
}

jg_status jg_linalg_cholesky(jg_array *a, bool upper, jg_array **out)
{
    GRAPH_NEEDS(linalg_cholesky, a);
    GRAPH_NEEDS(linalg_cholesky, out);
    jg_status status = compose_linalg_cholesky(a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_cholesky, status, 0, NULL);
}

jg_status jg_linalg_cholesky_inv(jg_array *a, bool upper, jg_array **out)
{
    GRAPH_NEEDS(linalg_cholesky_inv, a);
    GRAPH_NEEDS(linalg_cholesky_inv, out);
    jg_status status = compose_linalg_cholesky_inv(a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_cholesky_inv, status, 0, NULL);
}

jg_status jg_linalg_tri_inv(jg_array *a, bool upper, jg_array **out)
{
    GRAPH_NEEDS(linalg_tri_inv, a);
    GRAPH_NEEDS(linalg_tri_inv, out);
    jg_status status = compose_linalg_tri_inv(a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_tri_inv, status, 0, NULL);
}

jg_status jg_linalg_inv(jg_array *a, bool quiet, jg_array **out)
{
    GRAPH_NEEDS(linalg_inv, a);
    GRAPH_NEEDS(linalg_inv, out);
    jg_status status = compose_linalg_inv(a, quiet, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_inv, status, 0, NULL);
}

jg_status jg_linalg_solve(jg_array *a, jg_array *b, jg_array **out)
{
    GRAPH_NEEDS(linalg_solve, a);
    GRAPH_NEEDS(linalg_solve, b);
    GRAPH_NEEDS(linalg_solve, out);
    jg_status status = compose_linalg_solve(a, b, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_solve, status, 0, NULL);
}

jg_status jg_linalg_solve_triangular(jg_array *a, jg_array *b, bool upper, bool unit_diagonal,
                                     jg_array **out)
{
    GRAPH_NEEDS(linalg_solve_triangular, a);
    GRAPH_NEEDS(linalg_solve_triangular, b);
    GRAPH_NEEDS(linalg_solve_triangular, out);
    jg_status status = compose_linalg_solve_triangular(a, b, upper, unit_diagonal, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_solve_triangular, status, 0,
        NULL);
}

jg_status jg_linalg_det(jg_array *a, jg_array **out)
{
    GRAPH_NEEDS(linalg_det, a);
    GRAPH_NEEDS(linalg_det, out);
    jg_status status = compose_linalg_det(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_det, status, 0, NULL);
}

jg_status jg_linalg_slogdet(jg_array *a, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_slogdet, a);
    GRAPH_NEEDS(linalg_slogdet, out);
    jg_status status = compose_linalg_slogdet(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_slogdet, status, 0, NULL);
}

jg_status jg_linalg_lu(jg_array *a, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_lu, a);
    GRAPH_NEEDS(linalg_lu, out);
    jg_status status = compose_linalg_lu(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_lu, status, 0, NULL);
}

jg_status jg_linalg_lu_factor(jg_array *a, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_lu_factor, a);
    GRAPH_NEEDS(linalg_lu_factor, out);
    jg_status status = compose_linalg_lu_factor(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_lu_factor, status, 0, NULL);
}

jg_status jg_linalg_qr(jg_array *a, bool complete, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_qr, a);
    GRAPH_NEEDS(linalg_qr, out);
    jg_status status = compose_linalg_qr(a, complete, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_qr, status, 0, NULL);
}

jg_status jg_linalg_svd(jg_array *a, bool full_matrices, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_svd, a);
    GRAPH_NEEDS(linalg_svd, out);
    jg_status status = compose_linalg_svd(a, full_matrices, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_svd, status, 0, NULL);
}

jg_status jg_linalg_svdvals(jg_array *a, jg_array **out)
{
    GRAPH_NEEDS(linalg_svdvals, a);
    GRAPH_NEEDS(linalg_svdvals, out);
    jg_status status = compose_linalg_svdvals(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_svdvals, status, 0, NULL);
}

jg_status jg_linalg_eigh(jg_array *a, bool upper, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_eigh, a);
    GRAPH_NEEDS(linalg_eigh, out);
    jg_status status = compose_linalg_eigh(a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_eigh, status, 0, NULL);
}

jg_status jg_linalg_eigvalsh(jg_array *a, bool upper, jg_array **out)
{
    GRAPH_NEEDS(linalg_eigvalsh, a);
    GRAPH_NEEDS(linalg_eigvalsh, out);
    jg_status status = compose_linalg_eigvalsh(a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_eigvalsh, status, 0, NULL);
}

jg_status jg_linalg_eig(jg_array *a, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_eig, a);
    GRAPH_NEEDS(linalg_eig, out);
    jg_status status = compose_linalg_eig(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_eig, status, 0, NULL);
}

jg_status jg_linalg_eigvals(jg_array *a, jg_array **out)
{
    GRAPH_NEEDS(linalg_eigvals, a);
    GRAPH_NEEDS(linalg_eigvals, out);
    jg_status status = compose_linalg_eigvals(a, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_eigvals, status, 0, NULL);
}

jg_status jg_linalg_cholesky_solve(jg_array *b, jg_array *a, bool upper, jg_array **out)
{
    GRAPH_NEEDS(linalg_cholesky_solve, b);
    GRAPH_NEEDS(linalg_cholesky_solve, a);
    GRAPH_NEEDS(linalg_cholesky_solve, out);
    jg_status status = compose_linalg_cholesky_solve(b, a, upper, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_cholesky_solve, status, 0,
        NULL);
}

jg_status jg_linalg_pinv(jg_array *a, jg_array *rtol, jg_array **out)
{
    GRAPH_NEEDS(linalg_pinv, a);
    GRAPH_NEEDS(linalg_pinv, out);
    jg_status status = compose_linalg_pinv(a, rtol, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_pinv, status, 0, NULL);
}

jg_status jg_linalg_lstsq(jg_array *a, jg_array *b, jg_array *rcond, jg_array_list *out)
{
    GRAPH_NEEDS(linalg_lstsq, a);
    GRAPH_NEEDS(linalg_lstsq, b);
    GRAPH_NEEDS(linalg_lstsq, out);
    jg_status status = compose_linalg_lstsq(a, b, rcond, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_lstsq, status, 0, NULL);
}

jg_status jg_linalg_matrix_rank(jg_array *a, jg_array *tol, jg_array *rtol, jg_array **out)
{
    GRAPH_NEEDS(linalg_matrix_rank, a);
    GRAPH_NEEDS(linalg_matrix_rank, out);
    jg_status status = compose_linalg_matrix_rank(a, tol, rtol, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_matrix_rank, status, 0, NULL);
}

jg_status jg_linalg_cond(jg_array *a, const char *p, jg_array **out)
{
    GRAPH_NEEDS(linalg_cond, a);
    GRAPH_NEEDS(linalg_cond, p);
    GRAPH_NEEDS(linalg_cond, out);
    jg_status status = compose_linalg_cond(a, p, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_cond, status, 0, NULL);
}

jg_status jg_linalg_vector_norm(jg_array *a, int naxes, const int64_t *axes, bool keepdims,
                                double ord, jg_array **out)
{
    GRAPH_NEEDS(linalg_vector_norm, a);
    if (naxes > 0)
        GRAPH_NEEDS(linalg_vector_norm, axes);
    GRAPH_NEEDS(linalg_vector_norm, out);
    jg_status status = compose_linalg_vector_norm(a, naxes, axes, keepdims, ord, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_vector_norm, status, 0, NULL);
}

jg_status jg_linalg_matrix_norm(jg_array *a, bool keepdims, const char *ord, jg_array **out)
{
    GRAPH_NEEDS(linalg_matrix_norm, a);
    GRAPH_NEEDS(linalg_matrix_norm, ord);
    GRAPH_NEEDS(linalg_matrix_norm, out);
    jg_status status = compose_linalg_matrix_norm(a, keepdims, ord, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_matrix_norm, status, 0, NULL);
}

jg_status jg_linalg_matrix_power(jg_array *a, int64_t n, jg_array **out)
{
    GRAPH_NEEDS(linalg_matrix_power, a);
    GRAPH_NEEDS(linalg_matrix_power, out);
    jg_status status = compose_linalg_matrix_power(a, n, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_matrix_power, status, 0, NULL);
}

jg_status jg_linalg_multi_dot(int count, jg_array *const *arrays, jg_array **out)
{
    JG_TRY(graph_check_list(JG_OP_linalg_multi_dot, "arrays", count, arrays));
    GRAPH_NEEDS(linalg_multi_dot, out);
    jg_status status = compose_linalg_multi_dot(count, arrays, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_linalg_multi_dot, status, 0, NULL);
}

jg_status jg_fft_fft(jg_array *a, const int64_t *n, int64_t axis, const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_fft, a);
    GRAPH_NEEDS(fft_fft, norm);
    GRAPH_NEEDS(fft_fft, out);
    jg_status status = compose_fft_fft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_fft, status, 0, NULL);
}

jg_status jg_fft_ifft(jg_array *a, const int64_t *n, int64_t axis, const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_ifft, a);
    GRAPH_NEEDS(fft_ifft, norm);
    GRAPH_NEEDS(fft_ifft, out);
    jg_status status = compose_fft_ifft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_ifft, status, 0, NULL);
}

jg_status jg_fft_rfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_rfft, a);
    GRAPH_NEEDS(fft_rfft, norm);
    GRAPH_NEEDS(fft_rfft, out);
    jg_status status = compose_fft_rfft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_rfft, status, 0, NULL);
}

jg_status jg_fft_irfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                       jg_array **out)
{
    GRAPH_NEEDS(fft_irfft, a);
    GRAPH_NEEDS(fft_irfft, norm);
    GRAPH_NEEDS(fft_irfft, out);
    jg_status status = compose_fft_irfft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_irfft, status, 0, NULL);
}

jg_status jg_fft_hfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_hfft, a);
    GRAPH_NEEDS(fft_hfft, norm);
    GRAPH_NEEDS(fft_hfft, out);
    jg_status status = compose_fft_hfft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_hfft, status, 0, NULL);
}

jg_status jg_fft_ihfft(jg_array *a, const int64_t *n, int64_t axis, const char *norm,
                       jg_array **out)
{
    GRAPH_NEEDS(fft_ihfft, a);
    GRAPH_NEEDS(fft_ihfft, norm);
    GRAPH_NEEDS(fft_ihfft, out);
    jg_status status = compose_fft_ihfft(a, n, axis, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_ihfft, status, 0, NULL);
}

jg_status jg_fft_fftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                      const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_fftn, a);
    if (ns > 0)
        GRAPH_NEEDS(fft_fftn, s);
    if (naxes > 0)
        GRAPH_NEEDS(fft_fftn, axes);
    GRAPH_NEEDS(fft_fftn, norm);
    GRAPH_NEEDS(fft_fftn, out);
    jg_status status = compose_fft_fftn(a, ns, s, naxes, axes, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_fftn, status, 0, NULL);
}

jg_status jg_fft_ifftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                       const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_ifftn, a);
    if (ns > 0)
        GRAPH_NEEDS(fft_ifftn, s);
    if (naxes > 0)
        GRAPH_NEEDS(fft_ifftn, axes);
    GRAPH_NEEDS(fft_ifftn, norm);
    GRAPH_NEEDS(fft_ifftn, out);
    jg_status status = compose_fft_ifftn(a, ns, s, naxes, axes, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_ifftn, status, 0, NULL);
}

jg_status jg_fft_rfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                       const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_rfftn, a);
    if (ns > 0)
        GRAPH_NEEDS(fft_rfftn, s);
    if (naxes > 0)
        GRAPH_NEEDS(fft_rfftn, axes);
    GRAPH_NEEDS(fft_rfftn, norm);
    GRAPH_NEEDS(fft_rfftn, out);
    jg_status status = compose_fft_rfftn(a, ns, s, naxes, axes, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_rfftn, status, 0, NULL);
}

jg_status jg_fft_irfftn(jg_array *a, int ns, const int64_t *s, int naxes, const int64_t *axes,
                        const char *norm, jg_array **out)
{
    GRAPH_NEEDS(fft_irfftn, a);
    if (ns > 0)
        GRAPH_NEEDS(fft_irfftn, s);
    if (naxes > 0)
        GRAPH_NEEDS(fft_irfftn, axes);
    GRAPH_NEEDS(fft_irfftn, norm);
    GRAPH_NEEDS(fft_irfftn, out);
    jg_status status = compose_fft_irfftn(a, ns, s, naxes, axes, norm, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_irfftn, status, 0, NULL);
}

jg_status jg_fft_fftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(fft_fftshift, a);
    if (naxes > 0)
        GRAPH_NEEDS(fft_fftshift, axes);
    GRAPH_NEEDS(fft_fftshift, out);
    jg_status status = compose_fft_fftshift(a, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_fftshift, status, 0, NULL);
}

jg_status jg_fft_ifftshift(jg_array *a, int naxes, const int64_t *axes, jg_array **out)
{
    GRAPH_NEEDS(fft_ifftshift, a);
    if (naxes > 0)
        GRAPH_NEEDS(fft_ifftshift, axes);
    GRAPH_NEEDS(fft_ifftshift, out);
    jg_status status = compose_fft_ifftshift(a, naxes, axes, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_ifftshift, status, 0, NULL);
}

jg_status jg_fft_fftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(fft_fftfreq, out);
    jg_status status = compose_fft_fftfreq(n, d, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_fftfreq, status, 0, NULL);
}

jg_status jg_fft_rfftfreq(int64_t n, double d, const jg_dtype *dtype, jg_array **out)
{
    GRAPH_NEEDS(fft_rfftfreq, out);
    jg_status status = compose_fft_rfftfreq(n, d, dtype, out);
    return status == JG_OK ? JG_OK : graph_call_failed(JG_OP_fft_rfftfreq, status, 0, NULL);
}
/* clang-format on */
