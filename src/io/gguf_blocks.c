/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of GGUF's tensors, and the quantised ones in MLX's layout: in the file a block has its
 * scale, perhaps its bias, and 32 numbers; in MLX the numbers, the scales and the biases are arrays
 * of their own. The arrays are computed from the file's bytes when they are evaluated.
 *
 * A block of 4-bit numbers has the first sixteen in the low halves of its bytes and the others in
 * the high halves; MLX has neighbours in one byte. 8-bit numbers are signed in the file. */
#include "io/io.h"

static const gguf_type types[] = {
#define JG_GGUF_TYPE(code, name, DTYPE, bits, block, nbytes)                                       \
    {code, #name, JG_DTYPE_##DTYPE, bits, block, nbytes},
#define JG_GGUF_VALUE(code, DTYPE)
#include "io/gguf.def"
#undef JG_GGUF_TYPE
#undef JG_GGUF_VALUE
};

const gguf_type *gguf_type_of(uint32_t code)
{
    for (size_t i = 0; i < JG_COUNT_OF(types); ++i)
        if (types[i].code == code)
            return &types[i];
    return NULL;
}

const gguf_type *gguf_type_of_dtype(jg_dtype dtype)
{
    for (size_t i = 0; i < JG_COUNT_OF(types); ++i)
        if (types[i].block == 1 && types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

jg_array *gguf_columns(compose_scope *scope, jg_array *x, int64_t first, int64_t last, int64_t step)
{
    const jg_index items[] = {
        {.kind = JG_INDEX_ELLIPSIS},
        {.kind = JG_INDEX_SLICE,
         .start = first,
         .stop = last,
         .step = step,
         .has_start = true,
         .has_stop = true,
         .has_step = true},
    };
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_slice(x, 2, items, &made);
    return scope_take(scope, status, made);
}

jg_array *gguf_bits(compose_scope *scope, jg_array *x, jg_dtype dtype)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_bitcast(x, dtype, &made);
    return scope_take(scope, status, made);
}

/* The last two axes as one. As for all functions below, the scope holds the result, and NULL is
 * passed on if the scope has failed. */
static jg_array *joined(compose_scope *scope, jg_array *x)
{
    int64_t shape[JG_MAX_NDIM];
    if (scope->status != JG_OK)
        return NULL;
    int ndim = jg_array_ndim(x);
    for (int i = 0; i < ndim; ++i)
        shape[i] = jg_array_shape(x)[i];
    shape[ndim - 2] *= shape[ndim - 1];
    return scope_shaped(scope, jg_reshape, x, ndim - 1, shape);
}

/* The float16 that begins at a byte of each block: blocks have their scale at 0 and, if they have
 * one, their bias at 2. */
static jg_array *half_at(compose_scope *scope, jg_array *bytes, int64_t at)
{
    return joined(scope,
                  gguf_bits(scope, gguf_columns(scope, bytes, at, at + 2, 1), JG_DTYPE_FLOAT16));
}

jg_array *gguf_joined(compose_scope *scope, jg_array *low, jg_array *high, int64_t axis)
{
    jg_array *const parts[] = {low, high};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_concat(2, parts, &axis, &made);
    return scope_take(scope, status, made);
}

/* x: sixteen bytes to a block. The thirty-two numbers are put in order, one to a byte, and then
 * each even one takes its neighbour into its high half. */
static jg_array *repack_halves(compose_scope *scope, jg_array *x)
{
    jg_array *four = scope_whole(scope, x, 4), *mask = scope_whole(scope, x, 15);
    jg_array *low = scope_binary(scope, jg_bitwise_and, x, mask);
    jg_array *high = scope_binary(scope, jg_bitwise_right_shift, x, four);
    jg_array *numbers = gguf_joined(scope, low, high, -1);
    jg_array *even = gguf_columns(scope, numbers, 0, 32, 2),
             *odd = gguf_columns(scope, numbers, 1, 32, 2);
    jg_array *shifted = scope_binary(scope, jg_bitwise_left_shift, odd, four);
    return scope_binary(scope, jg_bitwise_or, even, shifted);
}

/* Without the head of each block. Numbers of 8 bits become unsigned by 128, which biases_of takes
 * off again. Four bytes make a uint32, the first the lowest. */
static jg_array *repack(compose_scope *scope, const gguf_type *type, jg_array *bytes)
{
    int64_t head = type->nbytes - type->block * type->bits / 8;
    jg_array *numbers = gguf_columns(scope, bytes, head, type->nbytes, 1);
    if (scope->status != JG_OK)
        return NULL;
    jg_array *packed = type->bits == 4 ? repack_halves(scope, numbers)
                                       : scope_binary(scope, jg_bitwise_xor, numbers,
                                                      scope_whole(scope, numbers, 128));
    return gguf_bits(scope, joined(scope, packed), JG_DTYPE_UINT32);
}

/* If a block has no bias of its own, its numbers are centred in their range: a 4-bit q is the
 * number scale * (q - 8). */
static jg_array *biases_of(compose_scope *scope, const gguf_type *type, jg_array *bytes,
                           jg_array *scales)
{
    if (type->nbytes - type->block * type->bits / 8 > 2)
        return half_at(scope, bytes, 2);
    if (scope->status != JG_OK)
        return NULL;
    jg_array *middle = scope_number(scope, scales, -(double)(1 << (type->bits - 1)));
    return scope_binary(scope, jg_multiply, scales, middle);
}

jg_status gguf_unpack(const gguf_type *type, jg_array *bytes, jg_array *out[3])
{
    compose_scope scope = {0};
    jg_array *made[3], *last;
    made[0] = repack(&scope, type, bytes);
    made[1] = half_at(&scope, bytes, 0);
    made[2] = biases_of(&scope, type, bytes, made[1]);
    /* scope_finish gives one array and drops the others, so these two are taken out before. Nothing
     * can fail after that. */
    if (scope.status == JG_OK)
        for (int i = 0; i < 2; ++i)
            jg_array_retain(made[i]);
    jg_status status = scope_finish(&scope, made[2], &last);
    if (status != JG_OK)
        return status;
    made[2] = last;
    for (int i = 0; i < 3; ++i)
        out[i] = made[i];
    return JG_OK;
}
