/* SPDX-License-Identifier: Apache-2.0 */
/* Random integers: words of 64 bits brought into a range. */
#include "compose/random/random.h"

/* The upper 64 bits of bits * span, exact for spans up to 2^32: value k of the span comes up with a
 * probability that is off by less than 2^-32 of it. Multiplying by the span takes the upper bits
 * (Lemire, "Fast Random Integer Generation in an Interval", 2019, without the rejection, which a
 * graph of fixed shape cannot express), in two halves, as there is no product of 128 bits. */
static jg_array *scale_bits(compose_scope *scope, jg_array *bits, jg_array *span)
{
    jg_array *half = scope_whole(scope, bits, 32);
    jg_array *high = scope_binary(scope, jg_bitwise_right_shift, bits, half);
    jg_array *low = scope_binary(scope, jg_bitwise_and, bits, scope_whole(scope, bits, UINT32_MAX));
    jg_array *carry = scope_binary(scope, jg_bitwise_right_shift,
                                   scope_binary(scope, jg_multiply, low, span), half);
    jg_array *sum =
        scope_binary(scope, jg_add, scope_binary(scope, jg_multiply, high, span), carry);
    return scope_binary(scope, jg_bitwise_right_shift, sum, half);
}

/* Spans of a 64-bit dtype may need all of the bits, so the remainder is taken; probabilities are
 * off by less than span / 2^64. */
static jg_array *wrap_bits(compose_scope *scope, jg_array *bits, jg_array *span)
{
    return scope_binary(scope, jg_remainder, bits, span);
}

/* The dtype's bounds are numbers of it, or high one more than its largest. */
static jg_status draw_range(jg_array *key, jg_array *low, jg_array *high, int ndim,
                            const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *bits = random_bits(&scope, JG_OP_random_randint, key, ndim, shape);
    /* Modulo 2^64 the span is right for negative bounds, too, and so is the sum at the end. */
    jg_array *lowest = scope_cast(&scope, low, JG_DTYPE_UINT64);
    jg_array *highest = scope_cast(&scope, high, JG_DTYPE_UINT64);
    jg_array *span = scope_binary(&scope, jg_subtract, highest, lowest);
    bool fits = dtype_rows[dtype].bits <= 32;
    jg_array *offset = (fits ? scale_bits : wrap_bits)(&scope, bits, span);
    jg_array *value = scope_binary(&scope, jg_add, offset, lowest);
    value = scope_shaped(&scope, jg_broadcast_to, value, ndim, shape);
    return scope_finish(&scope, scope_cast(&scope, value, dtype), out);
}

static jg_array *bound(compose_scope *scope, int64_t value)
{
    const jg_number number = {.kind = JG_KIND_INT, .i64 = value};
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full(JG_DTYPE_INT64, 0, NULL, number, &made);
    return scope_take(scope, status, made);
}

jg_array *random_whole(compose_scope *scope, jg_array *key, int64_t low, int64_t high, int ndim,
                       const int64_t *shape, jg_dtype dtype)
{
    jg_array *made = NULL, *lowest = bound(scope, low), *highest = bound(scope, high);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = draw_range(key, lowest, highest, ndim, shape, dtype, &made);
    return scope_take(scope, status, made);
}

/* Any number of a dtype of 64 bits, from two halves. */
static jg_array *draw_all_bits(compose_scope *scope, jg_array *const *keys, int ndim,
                               const int64_t *shape, jg_dtype dtype)
{
    const int64_t end = INT64_C(1) << 32;
    jg_array *upper = random_whole(scope, keys[0], 0, end, ndim, shape, JG_DTYPE_UINT64);
    jg_array *lower = random_whole(scope, keys[1], 0, end, ndim, shape, JG_DTYPE_UINT64);
    if (lower == NULL)
        return NULL;
    upper = scope_binary(scope, jg_bitwise_left_shift, upper, scope_whole(scope, upper, 32));
    return scope_cast(scope, scope_binary(scope, jg_bitwise_or, upper, lower), dtype);
}

/* Whether a whole number is a constant of the graph. gives: *out, modulo 2^64 */
static bool is_known(const jg_array *x, int64_t *out)
{
    jg_scalar held;
    if (x->primitive != PRIMITIVE_full || x->ndim != 0)
        return false;
    jg_dtype_kind kind = scalar_load(&x->attributes.full.value, (jg_dtype)x->dtype, &held);
    if (kind == JG_KIND_FLOAT || kind == JG_KIND_COMPLEX)
        return false;
    *out = kind == JG_KIND_UINT ? (int64_t)held.u64 : held.i64;
    return true;
}

/* From low to the largest of a dtype of 64 bits. Spans count modulo 2^64, so that from the least
 * number on is 0: there each bit is drawn. The largest + 1 is the least, modulo 2^64. */
static jg_status draw_to_the_largest(jg_array *key, jg_array *low, int ndim, const int64_t *shape,
                                     jg_dtype dtype, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t least = dtype == JG_DTYPE_INT64 ? INT64_MIN : 0;
    int64_t value;
    jg_array *keys[3] = {NULL, NULL, NULL}, *made = NULL;
    for (int i = 0; key != NULL && i < 3; ++i)
        keys[i] = random_part(&scope, random_key(&scope, JG_OP_random_randint, key), (uint64_t)i);
    const bool known = is_known(low, &value);
    if (known && value == least)
        return scope_finish(&scope, draw_all_bits(&scope, keys, ndim, shape, dtype), out);
    jg_array *lowest = scope_cast(&scope, low, JG_DTYPE_UINT64);
    jg_array *top = scope_cast(&scope, bound(&scope, least), JG_DTYPE_UINT64);
    if (top == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = draw_range(keys[2], lowest, top, ndim, shape, dtype, &made);
    jg_array *drawn = scope_take(&scope, status, made);
    if (known)
        return scope_finish(&scope, drawn, out);
    jg_array *all = draw_all_bits(&scope, keys, ndim, shape, dtype);
    jg_array *every = scope_binary(&scope, jg_equal, lowest, top);
    return scope_finish(&scope, scope_where(&scope, every, all, drawn), out);
}

/* One more than the largest of a dtype of at most 32 bits. */
static jg_status draw_to_the_end(jg_array *key, jg_array *low, int ndim, const int64_t *shape,
                                 jg_dtype dtype, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *made = NULL;
    const bool is_signed = dtype_rows[dtype].kind == JG_KIND_INT;
    jg_array *high = bound(&scope, INT64_C(1) << (dtype_rows[dtype].bits - is_signed));
    if (high == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = draw_range(key, low, high, ndim, shape, dtype, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}

jg_status compose_random_randint(jg_array *key, jg_array *low, jg_array *high, int ndim,
                                 const int64_t *shape, jg_dtype dtype, jg_array **out)
{
    if (!dtype_is_index(dtype))
        return base_fail(JG_ERR_TYPE, "[random_randint] dtype: got %s, allowed are integers",
                         jg_dtype_name(dtype));
    if (high != NULL)
        return draw_range(key, low, high, ndim, shape, dtype, out);
    if (dtype_rows[dtype].bits <= 32)
        return draw_to_the_end(key, low, ndim, shape, dtype, out);
    return draw_to_the_largest(key, low, ndim, shape, dtype, out);
}
