/* SPDX-License-Identifier: Apache-2.0 */
/* Reading by index arrays: gather, take and take_along_axis. */
#include "compose/index/choice.h"
#include <inttypes.h>

/* Adds an axis and its index array, after those of lower axes. The arrays are in the order of their
 * axes, whatever order they were given in; routines read them so. */
static void insert(choice_arrays *into, int axis, jg_array *array)
{
    int at = into->count++;
    for (; at > 0 && into->axes[at - 1] > axis; --at) {
        into->axes[at] = into->axes[at - 1];
        into->arrays[at] = into->arrays[at - 1];
    }
    into->axes[at] = axis;
    into->arrays[at] = array;
    into->named |= UINT64_C(1) << axis;
}

/* out->position is 0: the axes of the index arrays come first, as in MLX's gather. */
jg_status compose_pair_axes(const jg_array *x, int count, jg_array *const *arrays, int naxes,
                            const int64_t *axes, choice_arrays *out)
{
    uint64_t set;
    if (count != naxes)
        return base_fail(JG_ERR_VALUE, "axes: got %d for %d index arrays, allowed is one for each",
                         naxes, count);
    JG_TRY(shape_axes("axes", naxes, axes, x->ndim, &set));
    out->count = out->position = 0;
    out->named = 0;
    for (int i = 0; i < count; ++i)
        insert(out, (int)(axes[i] < 0 ? axes[i] + x->ndim : axes[i]), arrays[i]);
    return JG_OK;
}

/* -1 alone is the size, of an empty array 0. */
jg_status compose_along(jg_array *x, const int64_t *axis, int *at, jg_array **out)
{
    const int64_t all = -1;
    *at = 0;
    if (axis == NULL)
        return jg_reshape(x, 1, &all, out);
    JG_TRY(shape_axis("axis", *axis, x->ndim, at));
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status compose_gather(jg_array *x, int count, jg_array *const *indices, int naxes,
                         const int64_t *axes, jg_array **out)
{
    choice_arrays given;
    compose_choice choice;
    jg_layout from;
    JG_TRY(compose_pair_axes(x, count, indices, naxes, axes, &given));
    node_layout(x, &from);
    JG_TRY(choice_of_axes(&from, &given, &choice));
    jg_status status = choice_read(&choice, x, out);
    choice_clear(&choice);
    return status;
}

/* The axes of the indices are where the axis was: position. */
static jg_status take(jg_array *x, jg_array *indices, int axis, jg_array **out)
{
    const choice_arrays given = {.count = 1,
                                 .position = axis,
                                 .arrays = {indices},
                                 .axes = {axis},
                                 .named = UINT64_C(1) << axis};
    compose_choice choice;
    jg_layout from;
    node_layout(x, &from);
    JG_TRY(choice_of_axes(&from, &given, &choice));
    jg_status status = choice_read(&choice, x, out);
    choice_clear(&choice);
    return status;
}

jg_status compose_take(jg_array *x, jg_array *indices, const int64_t *axis, jg_array **out)
{
    jg_array *along;
    int at;
    JG_TRY(compose_along(x, axis, &at, &along));
    jg_status status = take(along, indices, at, out);
    jg_array_release(along);
    return status;
}

static jg_status take_along(jg_array *x, jg_array *indices, int axis, jg_array **out)
{
    compose_choice choice;
    jg_layout from;
    node_layout(x, &from);
    JG_TRY(choice_along(&from, indices, axis, &choice));
    jg_status status = choice_read(&choice, x, out);
    choice_clear(&choice);
    return status;
}

jg_status compose_take_along_axis(jg_array *x, jg_array *indices, const int64_t *axis,
                                  jg_array **out)
{
    jg_array *along;
    int at;
    JG_TRY(compose_along(x, axis, &at, &along));
    jg_status status = take_along(along, indices, at, out);
    jg_array_release(along);
    return status;
}
