/* SPDX-License-Identifier: Apache-2.0 */
/* The K kinds of GGUF's tensors, as float16. A block has 256 numbers in groups; each group has a
 * scale of 4, 6 or 8 bits, perhaps a least value as well, and the block a float16 that scales
 * those. The layouts are those of the block_q*_K structs of ggml. The array is computed from the
 * file's bytes, in float32, when it is evaluated. */
#include "io/io.h"

enum { NUMBERS = 256 };

/* x with other extents. */
static jg_array *reshaped(compose_scope *scope, jg_array *x, int ndim, const int64_t *shape)
{
    return scope_shaped(scope, jg_reshape, x, ndim, shape);
}

/* (blocks, count) as (blocks, outer, count / outer). */
static jg_array *rows_of(compose_scope *scope, jg_array *x, int64_t outer)
{
    if (scope->status != JG_OK)
        return NULL;
    const int64_t shape[] = {x->dims[0], outer, x->dims[1] / outer};
    return reshaped(scope, x, 3, shape);
}

/* x >> shift & mask */
static jg_array *bits_of(compose_scope *scope, jg_array *x, int shift, int mask)
{
    if (scope->status != JG_OK)
        return NULL;
    if (shift > 0)
        x = scope_binary(scope, jg_bitwise_right_shift, x, scope_whole(scope, x, shift));
    if (scope->status != JG_OK)
        return NULL;
    return scope_binary(scope, jg_bitwise_and, x, scope_whole(scope, x, mask));
}

/* The four numbers of two bits of each byte, the lowest first: (blocks, rows, m) as (blocks, rows,
 * 4 m). */
static jg_array *pairs_of(compose_scope *scope, jg_array *x)
{
    jg_array *low = gguf_joined(scope, bits_of(scope, x, 0, 3), bits_of(scope, x, 2, 3), -1);
    jg_array *high = gguf_joined(scope, bits_of(scope, x, 4, 3), bits_of(scope, x, 6, 3), -1);
    return gguf_joined(scope, low, high, -1);
}

/* The low halves of bytes and then the high ones: (blocks, rows, m) as (blocks, rows, 2 m). */
static jg_array *halves_of(compose_scope *scope, jg_array *x)
{
    return gguf_joined(scope, bits_of(scope, x, 0, 15), bits_of(scope, x, 4, 15), -1);
}

/* x << shift | y */
static jg_array *shift_or(compose_scope *scope, jg_array *x, int shift, jg_array *y)
{
    if (scope->status != JG_OK)
        return NULL;
    x = scope_binary(scope, jg_bitwise_left_shift, x, scope_whole(scope, x, shift));
    return scope_binary(scope, jg_bitwise_or, x, y);
}

/* The scales (blocks, groups): the block's own scale, a float16 at that byte, times the scales of
 * the groups. */
static jg_array *scaled(compose_scope *scope, jg_array *bytes, int64_t at, jg_array *groups)
{
    jg_array *half = gguf_bits(scope, gguf_columns(scope, bytes, at, at + 2, 1), JG_DTYPE_FLOAT16);
    return scope_binary(scope, jg_multiply, scope_cast(scope, half, JG_DTYPE_FLOAT32),
                        scope_cast(scope, groups, JG_DTYPE_FLOAT32));
}

/* numbers * scales - least, each group by its own. least: NULL for none. gives: (blocks, groups,
 * numbers of a group) */
static jg_array *values_of(compose_scope *scope, jg_array *numbers, jg_array *scales,
                           jg_array *least)
{
    if (scope->status != JG_OK)
        return NULL;
    const int64_t blocks = scales->dims[0], groups = scales->dims[1];
    const int64_t shape[] = {blocks, groups, NUMBERS / groups}, column[] = {blocks, groups, 1};
    numbers = scope_cast(scope, reshaped(scope, numbers, 3, shape), JG_DTYPE_FLOAT32);
    jg_array *values =
        scope_binary(scope, jg_multiply, numbers, reshaped(scope, scales, 3, column));
    if (least == NULL)
        return values;
    return scope_binary(scope, jg_subtract, values, reshaped(scope, least, 3, column));
}

/* Sixteen groups: bytes of a scale and a least value, 64 bytes of two-bit numbers, two float16. */
static jg_array *decode_2(compose_scope *scope, jg_array *bytes)
{
    jg_array *heads = gguf_columns(scope, bytes, 0, 16, 1);
    jg_array *scales = scaled(scope, bytes, 80, bits_of(scope, heads, 0, 15));
    jg_array *least = scaled(scope, bytes, 82, bits_of(scope, heads, 4, 15));
    jg_array *numbers = pairs_of(scope, rows_of(scope, gguf_columns(scope, bytes, 16, 80, 1), 2));
    return values_of(scope, numbers, scales, least);
}

/* Two float16, eight groups' scales and least values of six bits in twelve bytes, 128 bytes of
 * four-bit numbers. The upper bits of the last four groups' are those of the first four bytes. */
static jg_array *decode_4(compose_scope *scope, jg_array *bytes)
{
    jg_array *first = gguf_columns(scope, bytes, 4, 8, 1);
    jg_array *second = gguf_columns(scope, bytes, 8, 12, 1);
    jg_array *third = gguf_columns(scope, bytes, 12, 16, 1);
    jg_array *late_scales =
        shift_or(scope, bits_of(scope, first, 6, 3), 4, bits_of(scope, third, 0, 15));
    jg_array *late_least =
        shift_or(scope, bits_of(scope, second, 6, 3), 4, bits_of(scope, third, 4, 15));
    jg_array *scales = gguf_joined(scope, bits_of(scope, first, 0, 63), late_scales, -1);
    jg_array *least = gguf_joined(scope, bits_of(scope, second, 0, 63), late_least, -1);
    jg_array *numbers = halves_of(scope, rows_of(scope, gguf_columns(scope, bytes, 16, 144, 1), 4));
    return values_of(scope, numbers, scaled(scope, bytes, 0, scales),
                     scaled(scope, bytes, 2, least));
}

/* 128 bytes of the low four bits and 64 of the high two, sixteen signed scales, one float16. A
 * number q is q - 32. */
static jg_array *decode_6(compose_scope *scope, jg_array *bytes)
{
    jg_array *low = halves_of(scope, rows_of(scope, gguf_columns(scope, bytes, 0, 128, 1), 2));
    jg_array *high = pairs_of(scope, rows_of(scope, gguf_columns(scope, bytes, 128, 192, 1), 2));
    jg_array *numbers = scope_cast(scope, shift_or(scope, high, 4, low), JG_DTYPE_FLOAT32);
    if (scope->status != JG_OK)
        return NULL;
    numbers = scope_binary(scope, jg_subtract, numbers, scope_whole(scope, numbers, 32));
    jg_array *scales = gguf_bits(scope, gguf_columns(scope, bytes, 192, 208, 1), JG_DTYPE_INT8);
    return values_of(scope, numbers, scaled(scope, bytes, 208, scales), NULL);
}

jg_status gguf_decode(const gguf_type *type, jg_array *bytes, jg_array **out)
{
    compose_scope scope = {0};
    int64_t shape[JG_MAX_NDIM], flat[] = {1, type->nbytes};
    int ndim = bytes->ndim - 1;
    for (int i = 0; i < ndim; ++i) {
        shape[i] = bytes->dims[i];
        flat[0] *= shape[i];
    }
    shape[ndim - 1] *= NUMBERS;
    jg_array *blocks = reshaped(&scope, bytes, 2, flat), *values = NULL;
    if (type->nbytes == 84)
        values = decode_2(&scope, blocks);
    else if (type->nbytes == 144)
        values = decode_4(&scope, blocks);
    else
        values = decode_6(&scope, blocks);
    values = scope_cast(&scope, values, JG_DTYPE_FLOAT16);
    return scope_finish(&scope, reshaped(&scope, values, ndim, shape), out);
}
