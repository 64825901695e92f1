/* SPDX-License-Identifier: Apache-2.0 */
/* pad and roll: both read an array past its ends, by the rule of a mode. */
#include "compose/compose.h"
#include <inttypes.h>
#include <string.h>

/* How many of the last axes are not padded and form one block. The routine copies such blocks
 * whole. The first axis never counts, so that there is one left to step along. */
static int trailing_axes(const jg_array *x, const int64_t *shape, const int64_t *before)
{
    int64_t stride = 1;
    int count = 0;
    for (int i = x->ndim - 1; i > 0; --i, ++count) {
        bool dense = x->dims[i] == 1 || node_strides(x)[i] == stride;
        if (!dense || before[i] != 0 || shape[i] != x->dims[i])
            break;
        stride *= x->dims[i];
    }
    return count;
}

/* The element to fill with, in x's dtype. jg_full refuses dtypes that nothing is computed in, so
 * their zero comes from bytes that are zero. */
static jg_status make_fill(const jg_array *x, jg_array *value, jg_array **out)
{
    const jg_number zero = {.kind = JG_KIND_INT};
    if (value == NULL)
        return dtype_rows[x->dtype].computable
                   ? jg_full((jg_dtype)x->dtype, 0, NULL, zero, out)
                   : graph_from_data(&(jg_scalar){0}, (jg_dtype)x->dtype, 0, NULL, out);
    if (value->size != 1)
        return base_fail(JG_ERR_VALUE,
                         "[pad] constant_values: has %" PRId64 " elements, allowed is one",
                         value->size);
    return graph_cast(value, (jg_dtype)x->dtype, out);
}

/* Only a constant can extend an empty axis: the other modes have no element to repeat. */
static jg_status check_elements(jg_op op, const jg_array *x, extend_mode mode, const int64_t *shape)
{
    for (int i = 0; i < x->ndim; ++i)
        if (x->dims[i] == 0 && shape[i] > 0 && mode != EXTEND_CONSTANT)
            return base_fail(JG_ERR_VALUE,
                             "[%s] x: axis %d is empty, allowed for it is \"constant\"",
                             op_name(op), i);
    return JG_OK;
}

jg_status compose_extend(jg_op op, jg_array *x, jg_array *value, extend_mode mode,
                         const int64_t *before, const int64_t *shape, jg_array **out)
{
    const int64_t ndim = x->ndim;
    const primitive_attributes attributes = {
        .extend = {.mode = mode, .trailing = trailing_axes(x, shape, before)}};
    jg_array *offsets = NULL, *fill = NULL;
    jg_status status;
    JG_TRY_DONE(compose_check_bytes(x));
    JG_TRY_DONE(check_elements(op, x, mode, shape));
    if (ndim == 0) /* there is nothing past its ends */
        return graph_same(x, out);
    JG_TRY_DONE(make_fill(x, value, &fill));
    JG_TRY_DONE(graph_from_data(before, JG_DTYPE_INT64, 1, &ndim, &offsets));
    jg_array *const inputs[] = {x, fill, offsets};
    status = graph_routine(op, (jg_dtype)x->dtype, x->ndim, shape, 3, inputs, &attributes, out);
done:
    jg_array_release(offsets);
    jg_array_release(fill);
    return status;
}

static jg_status find_mode(const char *name, extend_mode *out)
{
    for (int i = 0; i < extend_mode_count; ++i)
        if (strcmp(name, op_extend_mode_texts[i]) == 0) {
            *out = (extend_mode)i;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[pad] mode: got \"%s\", allowed are \"constant\", \"edge\", \"reflect\", "
                     "\"symmetric\" and \"wrap\"",
                     name);
}

/* One width is for all sides, two for before and after on every axis. */
static jg_status check_widths(const jg_array *x, int nwidths, const int64_t *widths)
{
    if (nwidths != 1 && nwidths != 2 && nwidths != 2 * x->ndim)
        return base_fail(
            JG_ERR_VALUE,
            "[pad] pad_width: got %d numbers, allowed are 1, 2 and 2 for each of %d axes", nwidths,
            x->ndim);
    for (int i = 0; i < nwidths; ++i)
        if (widths[i] < 0)
            return base_fail(JG_ERR_VALUE,
                             "[pad] pad_width: got %" PRId64 ", allowed is 0 and above", widths[i]);
    return JG_OK;
}

static jg_status padded_shape(const jg_array *x, int nwidths, const int64_t *widths,
                              int64_t *before, int64_t *shape)
{
    for (int i = 0; i < x->ndim; ++i) {
        int at = nwidths > 2 ? 2 * i : 0;
        int64_t after = widths[nwidths == 1 ? 0 : at + 1];
        before[i] = widths[at];
        if (__builtin_add_overflow(x->dims[i], before[i], &shape[i]) ||
            __builtin_add_overflow(shape[i], after, &shape[i]))
            return base_fail(JG_ERR_VALUE,
                             "[pad] pad_width: got %" PRId64 " and %" PRId64
                             " for axis %d of extent %" PRId64 ", allowed is a sum below 2^63",
                             before[i], after, i, x->dims[i]);
    }
    return JG_OK;
}

/* Like the widths: one value is for all sides, two are for before and after on every axis. As an
 * array they broadcast to a row of two for each axis. */
static jg_status check_values(const jg_array *x, const jg_array *values)
{
    const int64_t *last = values->dims + values->ndim;
    bool fits = values->ndim == 1 || values->ndim == 2;
    fits = fits && (last[-1] == 1 || last[-1] == 2);
    fits = fits && (values->ndim == 1 || last[-2] == 1 || last[-2] == x->ndim);
    if (fits)
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[pad] constant_values: has %" PRId64
                     " elements, allowed are 1, 2 and a pair for each of %d axes",
                     values->size, x->ndim);
}

/* Pads with one value before or after the array on one axis. takes: *padded | gives: *padded,
 * +1 */
static jg_status pad_side(jg_array **padded, jg_array *values, int axis, int64_t before,
                          int64_t after)
{
    const jg_index at[] = {{.kind = JG_INDEX_AT, .start = axis},
                           {.kind = JG_INDEX_AT, .start = before == 0}};
    int64_t offsets[JG_MAX_NDIM] = {0}, shape[JG_MAX_NDIM];
    jg_array *x = *padded, *value = NULL;
    memcpy(shape, x->dims, (size_t)x->ndim * sizeof *shape);
    offsets[axis] = before;
    shape[axis] += before + after;
    JG_TRY(jg_slice(values, 2, at, &value));
    jg_status status = compose_extend(JG_OP_pad, x, value, EXTEND_CONSTANT, offsets, shape, padded);
    if (status == JG_OK)
        jg_array_release(x);
    jg_array_release(value);
    return status;
}

/* One axis after the other, as in NumPy: in a corner is the value of its last axis. */
static jg_status pad_with(jg_array *x, jg_array *values, const int64_t *before,
                          const int64_t *shape, jg_array **out)
{
    jg_array *spread = NULL, *padded = NULL;
    jg_status status;
    JG_TRY_DONE(check_values(x, values));
    JG_TRY_DONE(jg_broadcast_to(values, 2, (int64_t[]){x->ndim, 2}, &spread));
    JG_TRY_DONE(graph_same(x, &padded));
    for (int i = 0; i < x->ndim; ++i) {
        int64_t after = shape[i] - x->dims[i] - before[i];
        if (before[i] > 0)
            JG_TRY_DONE(pad_side(&padded, spread, i, before[i], 0));
        if (after > 0)
            JG_TRY_DONE(pad_side(&padded, spread, i, 0, after));
    }
    *out = jg_array_retain(padded);
    status = JG_OK;
done:
    jg_array_release(spread);
    jg_array_release(padded);
    return status;
}

jg_status compose_pad(jg_array *x, int npad_width, const int64_t *pad_width, const char *mode,
                      jg_array *constant_values, jg_array **out)
{
    int64_t before[JG_MAX_NDIM], shape[JG_MAX_NDIM];
    extend_mode extended = EXTEND_CONSTANT;
    JG_TRY(find_mode(mode, &extended));
    JG_TRY(check_widths(x, npad_width, pad_width));
    JG_TRY(padded_shape(x, npad_width, pad_width, before, shape));
    if (constant_values != NULL && constant_values->size != 1 && extended == EXTEND_CONSTANT)
        return pad_with(x, constant_values, before, shape, out);
    return compose_extend(JG_OP_pad, x, constant_values, extended, before, shape, out);
}

/* Adds up the shifts of each axis. Each shift is brought below its extent before it is added, so
 * that no sum overflows. Shifts of one axis named twice add up, as in NumPy. */
static jg_status add_shifts(const jg_array *x, int nshift, const int64_t *shift, int naxes,
                            const int64_t *axes, int64_t *before)
{
    int count = int_max(nshift, naxes);
    if ((nshift != 1 && nshift != count) || (naxes != 1 && naxes != count))
        return base_fail(JG_ERR_VALUE,
                         "[roll] shift: got %d for %d axes, allowed are as many, or one", nshift,
                         naxes);
    memset(before, 0, (size_t)x->ndim * sizeof *before);
    for (int i = 0; i < count; ++i) {
        int at;
        JG_TRY(shape_axis("axis", axes[naxes == 1 ? 0 : i], x->ndim, &at));
        if (x->dims[at] == 0)
            continue;
        int64_t by = shift[nshift == 1 ? 0 : i] % x->dims[at];
        before[at] = (before[at] + by + x->dims[at]) % x->dims[at];
    }
    return JG_OK;
}

/* Rolling by nothing, or by whole turns, is x itself. */
static jg_status roll_axes(jg_array *x, int nshift, const int64_t *shift, int naxes,
                           const int64_t *axes, jg_array **out)
{
    int64_t before[JG_MAX_NDIM];
    bool moves = false;
    JG_TRY(add_shifts(x, nshift, shift, naxes, axes, before));
    for (int i = 0; i < x->ndim; ++i)
        moves = moves || before[i] != 0;
    if (!moves || x->size == 0)
        return graph_same(x, out);
    return compose_extend(JG_OP_roll, x, NULL, EXTEND_WRAP, before, x->dims, out);
}

/* Without axes the elements are rolled in row-major order. Rolling right by n is reading from n
 * elements before the start, wrapped. */
jg_status compose_roll(jg_array *x, int nshift, const int64_t *shift, int naxes,
                       const int64_t *axes, jg_array **out)
{
    const int64_t first = 0;
    compose_scope scope = {0};
    jg_array *rolled = NULL;
    if (naxes >= 0)
        return roll_axes(x, nshift, shift, naxes, axes, out);
    jg_array *flat = scope_unary(&scope, jg_ravel, x);
    if (flat != NULL) {
        jg_status status = roll_axes(flat, nshift, shift, 1, &first, &rolled);
        rolled = scope_take(&scope, status, rolled);
    }
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, rolled, x->ndim, x->dims), out);
}
