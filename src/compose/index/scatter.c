/* SPDX-License-Identifier: Apache-2.0 */
/* Writing by an index gives a new value: one node that copies and takes updates in. A mask with a
 * value that does not vary along it is a `where`, for which nothing needs to be counted. */
#include "compose/index/choice.h"
#include <inttypes.h>

typedef jg_status binary_op(jg_array *x1, jg_array *x2, jg_array **out);

/* The op that has a mode, and the one that does the same elementwise. */
static const struct {
    jg_op op;
    binary_op *combine;
} modes[JG_SCATTER_COUNT] = {
    [JG_SCATTER_SET] = {JG_OP_scatter, NULL},
    [JG_SCATTER_ADD] = {JG_OP_scatter_add, jg_add},
    [JG_SCATTER_SUBTRACT] = {JG_OP_scatter_subtract, jg_subtract},
    [JG_SCATTER_MULTIPLY] = {JG_OP_scatter_multiply, jg_multiply},
    [JG_SCATTER_DIVIDE] = {JG_OP_scatter_divide, jg_divide},
    [JG_SCATTER_POWER] = {JG_OP_scatter_power, jg_pow},
    [JG_SCATTER_MAXIMUM] = {JG_OP_scatter_max, jg_maximum},
    [JG_SCATTER_MINIMUM] = {JG_OP_scatter_min, jg_minimum},
};

/* bool, integers, floats, complex numbers: what is combined may not be of a higher rank. */
static int rank_of(jg_dtype dtype)
{
    return dtype_is_complex(dtype) ? 3 : dtype_is_floating(dtype) ? 2 : dtype != JG_DTYPE_BOOL;
}

/* Integers are not divided, and bools not subtracted. */
jg_status compose_check_combined(jg_scatter_mode mode, const jg_array *x)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    if (mode == JG_SCATTER_SET)
        return compose_check_bytes(x);
    JG_TRY(op_resolve_types(modes[mode].op, 1, &dtype, &types));
    if (types.result != dtype)
        return base_fail(JG_ERR_TYPE,
                         "[%s] x: got %s, for which the result would be %s, allowed are dtypes "
                         "that the op gives again",
                         op_name(modes[mode].op), dtype_rows[dtype].name,
                         dtype_rows[types.result].name);
    return JG_OK;
}

/* A plain write casts to x's dtype, as NumPy's assignment does. */
static jg_status check_types(jg_scatter_mode mode, const jg_array *x, const jg_array *updates)
{
    jg_dtype dtype = (jg_dtype)x->dtype, given = (jg_dtype)updates->dtype;
    JG_TRY(compose_check_combined(mode, x));
    if (mode != JG_SCATTER_SET && rank_of(given) > rank_of(dtype))
        return base_fail(JG_ERR_TYPE,
                         "[%s] updates: %s does not fit an array of %s, allowed are dtypes of its "
                         "kind or a lower one; cast one first",
                         op_name(modes[mode].op), dtype_rows[given].name, dtype_rows[dtype].name);
    return JG_OK;
}

/* As in NumPy, a value may have more axes than its target if the extra axes have extent 1. */
static jg_status broadcast_value(jg_array *value, int ndim, const int64_t *shape, jg_array **out)
{
    int64_t leading[JG_MAX_NDIM];
    int count = 0;
    while (value->ndim - count > ndim && value->dims[count] == 1) {
        leading[count] = count;
        ++count;
    }
    if (count == 0)
        return jg_broadcast_to(value, ndim, shape, out);
    jg_array *shorter;
    JG_TRY(jg_squeeze(value, count, leading, &shorter));
    jg_status status = jg_broadcast_to(shorter, ndim, shape, out);
    jg_array_release(shorter);
    return status;
}

static jg_status prepare_updates(jg_array *updates, jg_dtype dtype, const compose_choice *choice,
                                 jg_array **out)
{
    jg_array *cast;
    JG_TRY(graph_cast(updates, dtype, &cast));
    jg_status status = broadcast_value(cast, choice->ndim, choice->shape, out);
    jg_array_release(cast);
    return status;
}

/* The operand SCATTER_TARGET: the target's axes are those of the index space, followed by those of
 * the index arrays. */
static jg_status describe_target(const compose_choice *choice, jg_array **out)
{
    const jg_layout *target = &choice->target;
    int64_t numbers[SCATTER_MAX_NUMBERS], count = SCATTER_STEPS;
    numbers[0] = target->offset;
    for (int i = 0; i < target->ndim; ++i)
        numbers[count++] =
            i < choice->ndim && target->shape[i] != choice->shape[i] ? 0 : target->strides[i];
    for (int i = choice->ndim; i < target->ndim; ++i)
        numbers[count++] = target->shape[i];
    return graph_from_data(numbers, JG_DTYPE_INT64, 1, &count, out);
}

static jg_status scatter_node(jg_scatter_mode mode, const compose_choice *choice, jg_array *x,
                              jg_array *updates, jg_array **out)
{
    const primitive_attributes attributes = {.scatter = {.axes = choice->axes, .mode = mode}};
    jg_array *inputs[SCATTER_ARRAYS + JG_MAX_NDIM] = {[SCATTER_X] = x, [SCATTER_UPDATES] = updates};
    JG_TRY(describe_target(choice, &inputs[SCATTER_TARGET]));
    for (int i = 0; i < choice->narrays; ++i)
        inputs[SCATTER_ARRAYS + i] = choice->arrays[i];
    jg_status status = graph_routine(modes[mode].op, (jg_dtype)x->dtype, x->ndim, node_shape(x),
                                     SCATTER_ARRAYS + choice->narrays, inputs, &attributes, out);
    jg_array_release(inputs[SCATTER_TARGET]);
    return status;
}

jg_status compose_scatter_at(jg_array *x, const jg_layout *target, int ndim, const int64_t *shape,
                             int narrays, jg_array *const *arrays, uint64_t axes, jg_array *updates,
                             jg_scatter_mode mode, jg_array **out)
{
    compose_choice choice = {.ndim = ndim, .narrays = narrays, .axes = axes};
    layout_copy(&choice.target, target);
    for (int i = 0; i < ndim; ++i)
        choice.shape[i] = shape[i];
    for (int i = 0; i < narrays; ++i)
        choice.arrays[i] = arrays[i];
    return scatter_node(mode, &choice, x, updates, out);
}

jg_status compose_scatter_layout(jg_array *x, const jg_layout *target, jg_array *updates,
                                 jg_scatter_mode mode, jg_array **out)
{
    return compose_scatter_at(x, target, target->ndim, target->shape, 0, NULL, 0, updates, mode,
                              out);
}

static jg_status write_at(jg_scatter_mode mode, compose_choice *choice, jg_array *x,
                          jg_array *value, jg_array **out)
{
    jg_array *updates;
    JG_TRY(prepare_updates(value, (jg_dtype)x->dtype, choice, &updates));
    jg_status status = scatter_node(mode, choice, x, updates, out);
    jg_array_release(updates);
    return status;
}

/* The mask with an axis of extent 1 for each axis of the window behind its own. */
static jg_array *align_mask(compose_scope *scope, const mask_choice *by)
{
    int64_t shape[JG_MAX_NDIM];
    int ndim = 0, after = by->window.ndim - by->axis - by->mask->ndim;
    for (int i = 0; i < by->mask->ndim; ++i)
        shape[ndim++] = by->mask->dims[i];
    for (int i = 0; i < after; ++i)
        shape[ndim++] = 1;
    return scope_shaped(scope, jg_reshape, by->mask, ndim, shape);
}

static jg_array *combine(compose_scope *scope, jg_scatter_mode mode, jg_array *old, jg_array *value)
{
    return mode == JG_SCATTER_SET ? value : scope_binary(scope, modes[mode].combine, old, value);
}

/* The window with the value where the mask is true. The choice has one axis for all true elements,
 * followed by those after the mask: a uniform value is broadcast along the first. */
static jg_status write_window(jg_scatter_mode mode, const mask_choice *by, jg_array *x,
                              jg_array *value, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *old = NULL;
    jg_status status = jg_slice(x, by->nbasic, by->basic, &old);
    old = scope_take(&scope, status, old);
    int first = by->axis + by->mask->ndim; /* the axes after the mask's */
    jg_array *plain = value->size == 1 ? scope_shaped(&scope, jg_reshape, value, 0, NULL) : value;
    jg_array *fitted = scope_shaped(&scope, jg_broadcast_to, plain, by->window.ndim - first,
                                    by->window.shape + first);
    jg_array *cast = scope_cast(&scope, fitted, (jg_dtype)x->dtype);
    jg_array *aligned = align_mask(&scope, by);
    jg_array *next = combine(&scope, mode, old, cast);
    return scope_finish(&scope, scope_where(&scope, aligned, next, old), out);
}

static jg_status write_by_mask(jg_scatter_mode mode, const mask_choice *by, jg_array *x,
                               jg_array *value, jg_array **out)
{
    jg_array *window;
    JG_TRY(write_window(mode, by, x, value, &window));
    /* The index is slices for the mask only: the window is all of x. */
    if (by->nbasic == by->mask->ndim && node_same_shape(window, x)) {
        *out = window;
        return JG_OK;
    }
    jg_status status = jg_slice_update(x, by->nbasic, by->basic, window, out);
    jg_array_release(window);
    return status;
}

/* Whether a value of that shape is the same for all elements where the mask is true. after: the
 * axes of the window behind the mask's, in which a value may vary. */
static bool is_uniform(const mask_choice *by, const jg_array *value)
{
    int after = by->window.ndim - by->axis - by->mask->ndim;
    return value->ndim <= after || (value->size == 1 && value->ndim <= after + 1);
}

/* The layout is that of a dense result, not of x: the routine copies x first. A mask becomes
 * `where` if possible, which fuses and does not wait. */
jg_status jg_slice_combine(jg_array *x, int nitems, const jg_index *items, jg_scatter_mode mode,
                           jg_array *value, jg_array **out)
{
    compose_choice choice;
    mask_choice by;
    jg_layout whole;
    if ((unsigned)mode >= JG_SCATTER_COUNT)
        return base_fail(JG_ERR_VALUE, "mode: got number %d, allowed are those of jg_scatter_mode",
                         (int)mode);
    JG_TRY(check_types(mode, x, value));
    JG_TRY(layout_init(&whole, x->ndim, node_shape(x)));
    JG_TRY(choice_by_mask(&whole, nitems, items, &by));
    if (by.found && is_uniform(&by, value) && dtype_rows[x->dtype].computable)
        return write_by_mask(mode, &by, x, value, out);
    JG_TRY(choice_of_items(&whole, nitems, items, &choice));
    jg_status status = write_at(mode, &choice, x, value, out);
    choice_clear(&choice);
    return status;
}

jg_status jg_slice_update(jg_array *x, int nitems, const jg_index *items, jg_array *value,
                          jg_array **out)
{
    return jg_slice_combine(x, nitems, items, JG_SCATTER_SET, value, out);
}

static jg_status scatter(jg_scatter_mode mode, jg_array *x, int count, jg_array *const *indices,
                         jg_array *updates, int naxes, const int64_t *axes, jg_array **out)
{
    choice_arrays given;
    compose_choice choice;
    jg_layout whole;
    JG_TRY(check_types(mode, x, updates));
    JG_TRY(compose_pair_axes(x, count, indices, naxes, axes, &given));
    JG_TRY(layout_init(&whole, x->ndim, node_shape(x)));
    JG_TRY(choice_of_axes(&whole, &given, &choice));
    jg_status status = write_at(mode, &choice, x, updates, out);
    choice_clear(&choice);
    return status;
}

#define SCATTER(NAME, MODE)                                                                        \
    jg_status compose_##NAME(jg_array *x, int count, jg_array *const *indices, jg_array *updates,  \
                             int naxes, const int64_t *axes, jg_array **out)                       \
    {                                                                                              \
        return scatter(MODE, x, count, indices, updates, naxes, axes, out);                        \
    }
SCATTER(scatter, JG_SCATTER_SET)
SCATTER(scatter_add, JG_SCATTER_ADD)
SCATTER(scatter_subtract, JG_SCATTER_SUBTRACT)
SCATTER(scatter_multiply, JG_SCATTER_MULTIPLY)
SCATTER(scatter_divide, JG_SCATTER_DIVIDE)
SCATTER(scatter_power, JG_SCATTER_POWER)
SCATTER(scatter_max, JG_SCATTER_MAXIMUM)
SCATTER(scatter_min, JG_SCATTER_MINIMUM)

/* The layout is that of a dense array of x's shape, as the routine writes to a copy of x. */
static jg_status put_along(jg_array *x, jg_array *indices, jg_array *values, int axis,
                           jg_array **out)
{
    compose_choice choice;
    jg_layout whole;
    JG_TRY(layout_init(&whole, x->ndim, node_shape(x)));
    JG_TRY(choice_along(&whole, indices, axis, &choice));
    jg_status status = write_at(JG_SCATTER_SET, &choice, x, values, out);
    choice_clear(&choice);
    return status;
}

/* Without an axis x is written as one line and given its shape back. */
jg_status compose_put_along_axis(jg_array *x, jg_array *indices, jg_array *values,
                                 const int64_t *axis, jg_array **out)
{
    jg_array *along, *put;
    int at;
    JG_TRY(check_types(JG_SCATTER_SET, x, values));
    JG_TRY(compose_along(x, axis, &at, &along));
    jg_status status = put_along(along, indices, values, at, &put);
    jg_array_release(along);
    JG_TRY(status);
    status = jg_reshape(put, x->ndim, node_shape(x), out);
    jg_array_release(put);
    return status;
}
