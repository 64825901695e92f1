/* SPDX-License-Identifier: Apache-2.0 */
/* Choices: turns index arrays and the axes they are for into the operands of the routines. */
#include "compose/index/choice.h"

void choice_clear(compose_choice *choice)
{
    for (int i = 0; i < choice->narrays; ++i)
        jg_array_release(choice->arrays[i]);
    choice->narrays = 0;
}

/* compose_check_bytes has made sure that an element has an address, so that node_view, which does
 * not ask, may be called. */
jg_status choice_read(const compose_choice *choice, jg_array *x, jg_array **out)
{
    const primitive_attributes attributes = {.gather = {.axes = choice->axes}};
    jg_array *inputs[JG_MAX_NDIM + 1];
    JG_TRY(compose_check_bytes(x));
    JG_TRY(node_view(x, &choice->target, &inputs[0]));
    for (int i = 0; i < choice->narrays; ++i)
        inputs[i + 1] = choice->arrays[i];
    jg_status status = graph_routine(JG_OP_gather, (jg_dtype)x->dtype, choice->ndim, choice->shape,
                                     choice->narrays + 1, inputs, &attributes, out);
    jg_array_release(inputs[0]);
    return status;
}

static jg_status check_integers(const jg_array *array)
{
    if (dtype_is_index((jg_dtype)array->dtype))
        return JG_OK;
    return base_fail(JG_ERR_TYPE,
                     "index: got an array of %s, allowed are integers of 8 bits and more, and bool",
                     dtype_rows[array->dtype].name);
}

/* shape_broadcast's message speaks of operands: the one here names the shapes of the index
 * arrays. */
jg_status choice_broadcast(int count, jg_array *const *arrays, int *ndim, int64_t *shape)
{
    int64_t before[JG_MAX_NDIM];
    for (int i = 0; i < count; ++i) {
        char first[200], second[200];
        int nbefore = *ndim;
        JG_TRY(check_integers(arrays[i]));
        for (int axis = 0; axis < nbefore; ++axis)
            before[axis] = shape[axis];
        if (shape_broadcast(nbefore, before, arrays[i]->ndim, node_shape(arrays[i]), ndim, shape) !=
            JG_OK)
            return base_fail(
                JG_ERR_INDEX,
                "index: arrays of shapes %s and %s cannot be broadcast together, "
                "allowed are extents that are equal or 1",
                text_extents(first, sizeof first, nbefore, before),
                text_extents(second, sizeof second, arrays[i]->ndim, node_shape(arrays[i])));
    }
    return JG_OK;
}

/* size is the caller's to set. */
static void put_axis(jg_layout *layout, int64_t extent, int64_t stride)
{
    layout->shape[layout->ndim] = extent;
    layout->strides[layout->ndim++] = stride;
}

/* An index array as a view with `before` axes of extent 1 in front of its own and `after`
 * behind. */
static jg_status pad_axes(jg_array *array, int before, int after, jg_array **out)
{
    jg_layout from, to;
    if (before == 0 && after == 0) {
        *out = jg_array_retain(array);
        return JG_OK;
    }
    node_layout(array, &from);
    to.ndim = 0;
    to.size = from.size;
    to.offset = from.offset;
    for (int i = 0; i < before; ++i)
        put_axis(&to, 1, 0);
    for (int i = 0; i < from.ndim; ++i)
        put_axis(&to, from.shape[i], from.strides[i]);
    for (int i = 0; i < after; ++i)
        put_axis(&to, 1, 0);
    return node_view(array, &to, out);
}

/* The axes of a layout that are not in the list. */
static int list_kept(const jg_layout *from, int count, const int *axes, int *kept)
{
    uint64_t indexed = 0;
    int nkept = 0;
    for (int i = 0; i < count; ++i)
        indexed |= UINT64_C(1) << axes[i];
    for (int axis = 0; axis < from->ndim; ++axis)
        if (!(indexed >> axis & 1))
            kept[nkept++] = axis;
    return nkept;
}

/* Adds an axis to the shape and to the target, which has fewer elements along it if it is
 * broadcast. target_extent 1 and stride 0 for an axis that only the index arrays have. */
static void add_axis(compose_choice *out, int64_t extent, int64_t target_extent, int64_t stride)
{
    out->shape[out->ndim++] = extent;
    put_axis(&out->target, target_extent, stride);
}

static void add_kept(compose_choice *out, const jg_layout *from, int first, int last,
                     const int *kept)
{
    for (int i = first; i < last; ++i)
        add_axis(out, from->shape[kept[i]], from->shape[kept[i]], from->strides[kept[i]]);
}

static void begin(compose_choice *out, const jg_layout *from)
{
    out->ndim = out->narrays = out->target.ndim = 0;
    out->target.size = from->size;
    out->target.offset = from->offset;
    out->axes = 0;
}

static jg_status check_axis_count(int count)
{
    if (count <= JG_MAX_NDIM)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "index: takes %d axes, allowed are at most %d", count,
                     JG_MAX_NDIM);
}

/* After a failure `out` is empty: the caller has nothing to clear. */
static jg_status add_arrays(compose_choice *out, int count, jg_array *const *arrays, int ndim,
                            int before, int after)
{
    jg_status status = JG_OK;
    for (int i = 0; i < count && status == JG_OK; ++i) {
        status = pad_axes(arrays[i], before + ndim - arrays[i]->ndim, after, &out->arrays[i]);
        out->narrays += status == JG_OK;
    }
    if (status != JG_OK)
        choice_clear(out);
    return status;
}

jg_status choice_of_shape(const jg_layout *from, const choice_arrays *given, int ndim,
                          const int64_t *shape, compose_choice *out)
{
    int kept[JG_MAX_NDIM], nkept = list_kept(from, given->count, given->axes, kept);
    /* The target has an axis more for each index array than the result has. */
    JG_TRY(check_axis_count(nkept + ndim + given->count));
    begin(out, from);
    add_kept(out, from, 0, given->position, kept);
    for (int i = 0; i < ndim; ++i)
        add_axis(out, shape[i], 1, 0);
    add_kept(out, from, given->position, nkept, kept);
    for (int i = 0; i < given->count; ++i)
        put_axis(&out->target, from->shape[given->axes[i]], from->strides[given->axes[i]]);
    out->axes = given->named;
    return add_arrays(out, given->count, given->arrays, ndim, given->position,
                      nkept - given->position);
}

jg_status choice_of_axes(const jg_layout *from, const choice_arrays *given, compose_choice *out)
{
    int64_t shape[JG_MAX_NDIM];
    int ndim = 0;
    JG_TRY(choice_broadcast(given->count, given->arrays, &ndim, shape));
    return choice_of_shape(from, given, ndim, shape, out);
}

jg_status choice_along(const jg_layout *from, jg_array *array, int axis, compose_choice *out)
{
    int64_t matched[JG_MAX_NDIM];
    int ndim;
    JG_TRY(check_integers(array));
    if (array->ndim != from->ndim)
        return base_fail(JG_ERR_VALUE, "indices: has %d axes, allowed are x's %d", array->ndim,
                         from->ndim);
    JG_TRY(check_axis_count(from->ndim + 1));
    for (int i = 0; i < from->ndim; ++i)
        matched[i] = i == axis ? 1 : from->shape[i];
    begin(out, from);
    /* Extents of 1 of either broadcast, as in NumPy: where the target has 1 and the result more,
     * the routines do not step along the target. */
    JG_TRY(shape_broadcast(from->ndim, matched, array->ndim, node_shape(array), &ndim, out->shape));
    out->ndim = ndim;
    for (int i = 0; i < ndim; ++i)
        put_axis(&out->target, matched[i], i == axis ? 0 : from->strides[i]);
    put_axis(&out->target, from->shape[axis], from->strides[axis]);
    out->axes = UINT64_C(1) << axis;
    return add_arrays(out, 1, &array, ndim, 0, 0);
}
