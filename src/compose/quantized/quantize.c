/* SPDX-License-Identifier: Apache-2.0 */
/* Quantised matrices: rows cut in groups, each element a code of a few bits, each group a scale.
 * Modes, formulas and bit positions are MLX's, so that either library reads what the other wrote.
 * Scales and codes are elementwise work; only putting codes together in words and taking them apart
 * again are routines. */
#include "compose/quantized/quantize.h"

/* Exact both ways: rows are whole groups, of 8 codes or more, and those whole bytes. */
static void packed_shape(const jg_array *x, int64_t bits, bool back, int64_t *shape)
{
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = x->dims[i];
    int64_t *last = &shape[x->ndim - 1];
    *last = back ? *last * 32 / bits : *last * bits / 32;
}

/* 32 / bits need not be whole: codes of 3, 5 and 6 bits reach over the borders of words. */
jg_status compose_pack(jg_op op, jg_array *x, int64_t bits, bool back, jg_array **out)
{
    const primitive_attributes attributes = {.pack = {.bits = bits}};
    int64_t shape[JG_MAX_NDIM];
    jg_array *dense;
    packed_shape(x, bits, back, shape);
    JG_TRY(graph_contiguous(x, &dense));
    jg_status status = graph_routine(op, back ? JG_DTYPE_UINT8 : JG_DTYPE_UINT32, x->ndim, shape, 1,
                                     &dense, &attributes, out);
    jg_array_release(dense);
    return status;
}

/* On a device the same is spelled in ops. */
static jg_array *pack(compose_scope *scope, jg_op op, const quantization *scheme, jg_array *x,
                      bool back)
{
    int64_t shape[JG_MAX_NDIM];
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    if (!node_is_on_host(x)) {
        packed_shape(x, scheme->bits, back, shape);
        return scope_shaped(scope, jg_reshape, quantization_bits(scope, scheme, x, back), x->ndim,
                            shape);
    }
    jg_status status = compose_pack(op, x, scheme->bits, back, &made);
    return scope_take(scope, status, made);
}

/* Gives the arrays to the list, which is as long as it says, or releases the scope's failure. */
static jg_status finish_list(compose_scope *scope, int count, jg_array *const *arrays,
                             jg_array_list *out)
{
    jg_array **given = NULL;
    if (scope->status == JG_OK && (given = base_alloc((size_t)count * sizeof *given)) == NULL)
        scope->status = base_nomem((size_t)count * sizeof *given, "a list of arrays");
    for (int i = 0; scope->status == JG_OK && i < count; ++i)
        given[i] = jg_array_retain(arrays[i]);
    if (scope->status == JG_OK)
        *out = (jg_array_list){.count = count, .arrays = given};
    jg_array *spare = NULL;
    jg_status status = scope_finish(scope, arrays[0], &spare);
    jg_array_release(spare);
    return status;
}

/* The list is words and scales, and for affine matrices biases: the operands of dequantize in their
 * order. */
jg_status compose_quantize(jg_array *w, const int64_t *group_size, const int64_t *bits,
                           const char *mode, jg_array *global_scale, jg_array_list *out)
{
    compose_scope scope = {0};
    quantization scheme;
    JG_TRY(quantization_read(JG_OP_quantize, mode, group_size, bits, &scheme));
    JG_TRY(quantization_check_matrix(&scheme, "w", w));
    JG_TRY(quantization_check_global(&scheme, global_scale));
    scheme.dtype = (jg_dtype)w->dtype;
    int64_t columns = w->dims[w->ndim - 1], count = columns / scheme.group;
    jg_array *groups = quantization_cut(&scope, &scheme, w);
    quantization_group of = quantization_scales(&scope, &scheme, groups, global_scale);
    jg_array *codes = quantization_reshape(&scope, quantization_codes(&scope, &scheme, groups, &of),
                                           2, columns, 0);
    jg_array *words = pack(&scope, JG_OP_quantize, &scheme, codes, false);
    if (scheme.mode != QUANTIZED_AFFINE) {
        jg_array *const pair[] = {words, quantization_reshape(&scope, of.code, 2, count, 0)};
        return finish_list(&scope, 2, pair, out);
    }
    jg_dtype dtype = (jg_dtype)w->dtype;
    jg_array *const parts[] = {
        words, scope_cast(&scope, quantization_reshape(&scope, of.scale, 2, count, 0), dtype),
        scope_cast(&scope, quantization_reshape(&scope, of.bias, 2, count, 0), dtype)};
    return finish_list(&scope, 3, parts, out);
}

static jg_dtype dequantized_dtype(const quantization *scheme, const jg_array *scales)
{
    return scheme->mode == QUANTIZED_AFFINE ? (jg_dtype)scales->dtype : JG_DTYPE_BFLOAT16;
}

jg_array *quantization_numbers(compose_scope *scope, const quantization *scheme, jg_array *w,
                               jg_array *scales, jg_array *biases, jg_array *global_scale,
                               jg_dtype worked)
{
    bool affine = scheme->mode == QUANTIZED_AFFINE;
    int64_t columns = quantization_columns(scheme, w), groups = columns / scheme->group;
    jg_array *codes = pack(scope, JG_OP_dequantize, scheme, w, true);
    codes = quantization_reshape(scope, codes, 1, groups, scheme->group);
    jg_array *values = quantization_values(scope, scheme, codes, worked);
    jg_array *scale = affine ? scope_cast(scope, scales, worked)
                             : quantization_scale_values(scope, scheme, scales, global_scale);
    values =
        scope_binary(scope, jg_multiply, values, quantization_reshape(scope, scale, 1, groups, 1));
    if (affine)
        values = scope_binary(
            scope, jg_add, values,
            quantization_reshape(scope, scope_cast(scope, biases, worked), 1, groups, 1));
    return quantization_reshape(scope, values, 2, columns, 0);
}

jg_status compose_dequantize(jg_array *w, jg_array *scales, jg_array *biases,
                             const int64_t *group_size, const int64_t *bits, const char *mode,
                             jg_array *global_scale, const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    quantization scheme;
    JG_TRY(quantization_read(JG_OP_dequantize, mode, group_size, bits, &scheme));
    JG_TRY(quantization_check(&scheme, w, scales, biases, global_scale));
    jg_dtype result = dtype != NULL ? *dtype : dequantized_dtype(&scheme, scales);
    if (!dtype_is_single_or_half(result))
        return base_fail(JG_ERR_TYPE,
                         "[dequantize] dtype: got %s, allowed are float16, bfloat16 and float32",
                         jg_dtype_name(result));
    bool affine = scheme.mode == QUANTIZED_AFFINE;
    /* As in MLX, affine matrices are dequantised in the dtype of their scales, so its rounding is
     * part of the result. */
    jg_dtype worked = affine ? (jg_dtype)scales->dtype : JG_DTYPE_FLOAT32;
    jg_array *values =
        quantization_numbers(&scope, &scheme, w, scales, biases, global_scale, worked);
    return scope_finish(&scope, scope_cast(&scope, values, result), out);
}

jg_status compose_to_fp8(jg_array *x, jg_array **out)
{
    compose_scope scope = {0};
    if (!dtype_is_floating((jg_dtype)x->dtype) || !dtype_rows[x->dtype].computable)
        return base_fail(JG_ERR_TYPE, "[to_fp8] x: got %s, allowed are floats",
                         dtype_rows[x->dtype].name);
    return scope_finish(&scope, quantization_to_e4m3(&scope, x), out);
}

jg_status compose_from_fp8(jg_array *x, const jg_dtype *dtype, jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype result = dtype != NULL ? *dtype : JG_DTYPE_BFLOAT16;
    if (x->dtype != JG_DTYPE_UINT8)
        return base_fail(JG_ERR_TYPE, "[from_fp8] x: got %s, allowed is uint8",
                         dtype_rows[x->dtype].name);
    if (!dtype_is_floating(result) || !dtype_rows[result].computable)
        return base_fail(JG_ERR_TYPE, "[from_fp8] dtype: got %s, allowed are floats",
                         jg_dtype_name(result));
    return scope_finish(&scope, quantization_from_e4m3(&scope, x, result), out);
}
