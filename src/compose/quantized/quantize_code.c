/* SPDX-License-Identifier: Apache-2.0 */
/* From numbers to codes and scales, and back: the formulas of the modes, as elementwise work and
 * reductions over groups. They are MLX's to the bit: which way a tie goes, and that an affine group
 * counts from the end of its range that is farther from 0. */
#include "compose/quantized/quantize.h"
#include <math.h>

#define E4M3_LARGEST 448.0
#define E2M1_LARGEST 6.0
/* The least step, so that nothing is divided by 0. */
#define MIN_SPAN 1e-7 /* of a group that holds one value only */

static jg_array *over(compose_scope *scope, jg_array *x, double divisor)
{
    return x == NULL ? NULL : scope_binary(scope, jg_divide, x, scope_number(scope, x, divisor));
}

static jg_array *round_whole(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status = jg_round(x, 0, &made);
    return scope_take(scope, status, made);
}

static jg_array *limit(compose_scope *scope, jg_array *x, double low, double high)
{
    if (x == NULL)
        return NULL;
    jg_array *above = scope_binary(scope, jg_maximum, x, scope_number(scope, x, low));
    return scope_binary(scope, jg_minimum, above, scope_number(scope, x, high));
}

jg_array *quantization_reshape(compose_scope *scope, jg_array *x, int dropped, int64_t first,
                               int64_t second)
{
    int64_t shape[JG_MAX_NDIM + 1];
    if (x == NULL)
        return NULL;
    int kept = x->ndim - dropped;
    for (int i = 0; i < kept; ++i)
        shape[i] = x->dims[i];
    shape[kept] = first;
    shape[kept + 1] = second;
    return scope_shaped(scope, jg_reshape, x, kept + (second == 0 ? 1 : 2), shape);
}

jg_array *quantization_cut(compose_scope *scope, const quantization *scheme, jg_array *x)
{
    jg_array *wide = scope_cast(scope, x, JG_DTYPE_FLOAT32);
    if (wide == NULL)
        return NULL;
    return quantization_reshape(scope, wide, 1, wide->dims[wide->ndim - 1] / scheme->group,
                                scheme->group);
}

/* One bit is the group's least value or its largest. */
static quantization_group one_bit_scales(compose_scope *scope, jg_array *least, jg_array *most)
{
    jg_array *span = scope_binary(scope, jg_subtract, most, least);
    if (span == NULL)
        return (quantization_group){0};
    jg_array *scale = scope_binary(scope, jg_maximum, span, scope_number(scope, span, MIN_SPAN));
    return (quantization_group){.scale = scale, .bias = least};
}

/* Counted from the end of the range that is farther from 0, with a step that leads through 0. */
static quantization_group affine_scales(compose_scope *scope, const quantization *scheme,
                                        jg_array *groups)
{
    const int64_t last = -1;
    jg_array *most = scope_reduce(scope, jg_max, groups, 1, &last, true);
    jg_array *least = scope_reduce(scope, jg_min, groups, 1, &last, true);
    if (scheme->bits == 1)
        return one_bit_scales(scope, least, most);
    jg_array *below = scope_binary(scope, jg_greater, scope_unary(scope, jg_abs, least),
                                   scope_unary(scope, jg_abs, most));
    jg_array *step =
        over(scope, scope_binary(scope, jg_subtract, most, least), (1 << scheme->bits) - 1);
    if (step == NULL)
        return (quantization_group){0};
    step = scope_binary(scope, jg_maximum, step, scope_number(scope, step, MIN_SPAN));
    step = scope_where(scope, below, step, scope_unary(scope, jg_negative, step));
    jg_array *edge = scope_where(scope, below, least, most);
    jg_array *count = round_whole(scope, scope_binary(scope, jg_divide, edge, step));
    if (count == NULL)
        return (quantization_group){0};
    jg_array *zero = scope_number(scope, count, 0);
    /* The step is stretched so that 0 is a whole number of steps from the edge, and thus exact;
     * where the edge is nearer to 0 than half a step there is no such number, and the group counts
     * from 0. */
    jg_array *counts = scope_binary(scope, jg_not_equal, count, zero);
    jg_array *exact = scope_where(scope, counts, scope_binary(scope, jg_divide, edge, count), step);
    return (quantization_group){.scale = exact, .bias = scope_where(scope, counts, edge, zero)};
}

jg_array *quantization_to_e4m3(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    jg_array *limited = limit(scope, x, -E4M3_LARGEST, E4M3_LARGEST);
    jg_array *small = scope_cast(scope, limited, JG_DTYPE_FLOAT8_E4M3FN);
    if (small == NULL)
        return NULL;
    jg_status status = jg_bitcast(small, JG_DTYPE_UINT8, &made);
    return scope_take(scope, status, made);
}

jg_array *quantization_from_e4m3(compose_scope *scope, jg_array *codes, jg_dtype dtype)
{
    jg_array *made = NULL;
    if (codes == NULL)
        return NULL;
    jg_status status = jg_bitcast(codes, JG_DTYPE_FLOAT8_E4M3FN, &made);
    return scope_cast(scope, scope_take(scope, status, made), dtype);
}

/* 2^(code - 127), as float32. */
static jg_array *e8m0_values(compose_scope *scope, jg_array *codes)
{
    jg_array *whole = scope_cast(scope, codes, JG_DTYPE_FLOAT32);
    if (whole == NULL)
        return NULL;
    jg_array *power = scope_binary(scope, jg_subtract, whole, scope_number(scope, whole, 127));
    return scope_unary(scope, jg_exp2, power);
}

/* The least power of two that is not below, and 1 where there is nothing to scale. 2^-127 to 2^127
 * by OCP's "Microscaling Formats (MX) Specification" 1.0; code 255, its NaN, is not made. */
static jg_array *e8m0_codes(compose_scope *scope, jg_array *ratio)
{
    if (ratio == NULL)
        return NULL;
    jg_array *power = scope_unary(scope, jg_ceil, scope_unary(scope, jg_log2, ratio));
    power = limit(scope, power, -127, 127);
    jg_array *zero = scope_number(scope, ratio, 0);
    power = scope_where(scope, scope_binary(scope, jg_equal, ratio, zero), zero, power);
    if (power == NULL)
        return NULL;
    power = scope_binary(scope, jg_add, power, scope_number(scope, power, 127));
    return scope_cast(scope, power, JG_DTYPE_UINT8);
}

jg_array *quantization_unit(compose_scope *scope, jg_array *global_scale)
{
    jg_array *wide = scope_cast(scope, global_scale, JG_DTYPE_FLOAT32);
    wide = scope_shaped(scope, jg_reshape, wide, 0, NULL);
    return over(scope, wide, E4M3_LARGEST * E2M1_LARGEST);
}

static quantization_group float_scales(compose_scope *scope, const quantization *scheme,
                                       jg_array *groups, jg_array *global_scale)
{
    const int64_t last = -1;
    double largest = scheme->mode == QUANTIZED_MXFP8 ? E4M3_LARGEST : E2M1_LARGEST;
    jg_array *most =
        scope_reduce(scope, jg_max, scope_unary(scope, jg_abs, groups), 1, &last, true);
    /* Rounded to the matrix's dtype and back, as MLX computes the scale in that. */
    jg_array *ratio = scope_cast(scope, over(scope, most, largest), scheme->dtype);
    ratio = scope_cast(scope, ratio, JG_DTYPE_FLOAT32);
    if (scheme->mode != QUANTIZED_NVFP4) {
        jg_array *code = e8m0_codes(scope, ratio);
        return (quantization_group){.scale = e8m0_values(scope, code), .code = code};
    }
    jg_array *unit = global_scale != NULL ? quantization_unit(scope, global_scale) : NULL;
    if (unit != NULL)
        ratio = scope_binary(scope, jg_divide, ratio, unit);
    jg_array *code = quantization_to_e4m3(scope, ratio);
    jg_array *scale = quantization_from_e4m3(scope, code, JG_DTYPE_FLOAT32);
    if (unit != NULL)
        scale = scope_binary(scope, jg_multiply, scale, unit);
    return (quantization_group){.scale = scale, .code = code};
}

/* The number of midpoints between E2M1's numbers that x lies above, plus 8 for a sign. */
static jg_status e2m1_codes(jg_array *x, jg_array **out)
{
    static const double middles[] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
    compose_scope scope = {0};
    jg_array *size = scope_unary(&scope, jg_abs, x), *code = NULL;
    for (size_t i = 0; i < JG_COUNT_OF(middles) && size != NULL; ++i) {
        jg_array *middle = scope_number(&scope, size, middles[i]);
        jg_array *above = scope_binary(&scope, jg_greater, size, middle);
        above = scope_cast(&scope, above, JG_DTYPE_UINT8);
        code = code == NULL ? above : scope_binary(&scope, jg_add, code, above);
    }
    if (code == NULL)
        return scope_finish(&scope, NULL, out);
    /* Numbers that round to 0 become +0, as in MLX. */
    jg_array *sign = scope_binary(&scope, jg_less, x, scope_number(&scope, x, -middles[0]));
    jg_array *eight =
        scope_where(&scope, sign, scope_whole(&scope, code, 8), scope_whole(&scope, code, 0));
    return scope_finish(&scope, scope_binary(&scope, jg_add, code, eight), out);
}

/* The numbers of E2M1 lie on three straight lines: m / 2, m - 2 and 2 m - 8. */
static jg_array *e2m1_values(compose_scope *scope, jg_array *codes, jg_dtype dtype)
{
    if (codes == NULL)
        return NULL;
    jg_array *low = scope_binary(scope, jg_bitwise_and, codes, scope_whole(scope, codes, 7));
    jg_array *m = scope_cast(scope, low, dtype);
    jg_array *twice = scope_times(scope, m, 2);
    if (twice == NULL)
        return NULL;
    jg_array *second = scope_binary(scope, jg_subtract, m, scope_number(scope, m, 2));
    jg_array *third = scope_binary(scope, jg_subtract, twice, scope_number(scope, m, 8));
    jg_array *size = scope_binary(scope, jg_maximum, scope_times(scope, m, 0.5),
                                  scope_binary(scope, jg_maximum, second, third));
    jg_array *negative = scope_binary(scope, jg_greater_equal, codes, scope_whole(scope, codes, 8));
    return scope_where(scope, negative, scope_unary(scope, jg_negative, size), size);
}

/* The codes of a scale that E4M3 rounds to 0 are all 0. */
static jg_array *where_scaled(compose_scope *scope, jg_array *counted, jg_array *scale)
{
    if (counted == NULL)
        return NULL;
    jg_array *zero = scope_number(scope, scale, 0);
    return scope_where(scope, scope_binary(scope, jg_equal, scale, zero), zero, counted);
}

/* nvfp4's scales may be rounded to 0, others never are. */
jg_array *quantization_codes(compose_scope *scope, const quantization *scheme, jg_array *groups,
                             const quantization_group *of)
{
    jg_array *counted =
        of->bias != NULL ? scope_binary(scope, jg_subtract, groups, of->bias) : groups;
    counted = scope_binary(scope, jg_divide, counted, of->scale);
    if (scheme->mode == QUANTIZED_NVFP4)
        counted = where_scaled(scope, counted, of->scale);
    if (scheme->mode == QUANTIZED_MXFP8)
        return quantization_to_e4m3(scope, counted);
    if (scheme->mode != QUANTIZED_AFFINE)
        return scope_unary(scope, e2m1_codes, counted);
    counted = limit(scope, round_whole(scope, counted), 0, (1 << scheme->bits) - 1);
    return scope_cast(scope, counted, JG_DTYPE_UINT8);
}

quantization_group quantization_scales(compose_scope *scope, const quantization *scheme,
                                       jg_array *groups, jg_array *global_scale)
{
    return scheme->mode == QUANTIZED_AFFINE ? affine_scales(scope, scheme, groups)
                                            : float_scales(scope, scheme, groups, global_scale);
}

jg_array *quantization_values(compose_scope *scope, const quantization *scheme, jg_array *codes,
                              jg_dtype dtype)
{
    switch (scheme->mode) {
    case QUANTIZED_AFFINE: return scope_cast(scope, codes, dtype);
    case QUANTIZED_MXFP8: return quantization_from_e4m3(scope, codes, dtype);
    default: return e2m1_values(scope, codes, dtype);
    }
}

/* The rounded values with the derivative of the unrounded ones: the rounding counts as constant, as
 * in quantised training. */
static jg_array *straight_through(compose_scope *scope, jg_array *x, jg_array *rounded)
{
    if (scope->status != JG_OK || !node_is_traced(x))
        return rounded;
    jg_array *wide = scope_cast(scope, x, JG_DTYPE_FLOAT32);
    jg_array *still = scope_unary(scope, jg_stop_gradient, wide);
    jg_array *zero = scope_binary(scope, jg_subtract, wide, still);
    return scope_binary(scope, jg_add, scope_unary(scope, jg_stop_gradient, rounded), zero);
}

jg_array *quantization_round(compose_scope *scope, const quantization *scheme, jg_array *x,
                             jg_array *global_scale)
{
    jg_array *groups = quantization_cut(scope, scheme, x);
    quantization_group of = quantization_scales(scope, scheme, groups, global_scale);
    jg_array *codes = quantization_codes(scope, scheme, groups, &of);
    jg_array *values = quantization_values(scope, scheme, codes, JG_DTYPE_FLOAT32);
    values = scope_binary(scope, jg_multiply, values, of.scale);
    values = quantization_reshape(scope, values, 2, x->dims[x->ndim - 1], 0);
    return straight_through(scope, x, values);
}

jg_array *quantization_scale_values(compose_scope *scope, const quantization *scheme,
                                    jg_array *codes, jg_array *global_scale)
{
    if (scheme->mode != QUANTIZED_NVFP4)
        return e8m0_values(scope, codes);
    jg_array *scale = quantization_from_e4m3(scope, codes, JG_DTYPE_FLOAT32);
    if (global_scale != NULL)
        scale = scope_binary(scope, jg_multiply, scale, quantization_unit(scope, global_scale));
    return scale;
}
