/* SPDX-License-Identifier: Apache-2.0 */
/* Choices by NumPy's indexing. The static items give a view first, in which a whole slice replaces
 * each array for the axes it uses up; then masks become the indices where they are true.
 *
 * The axes of the index arrays go where the first of them was if there are only integers between
 * them, else to the front. */
#include "compose/index/choice.h"
#include <inttypes.h>

enum { MAX_ITEMS = 4 * JG_MAX_NDIM };

bool choice_is_needed(int nitems, const jg_index *items)
{
    for (int i = 0; i < nitems; ++i)
        if (items[i].kind == JG_INDEX_ARRAY)
            return true;
    return false;
}

static bool is_mask(const jg_index *item)
{
    return item->kind == JG_INDEX_ARRAY && item->array->dtype == JG_DTYPE_BOOL;
}

/* How many axes of the array an item uses up, but for an ellipsis. */
static int axes_of(const jg_index *item)
{
    switch (item->kind) {
    case JG_INDEX_AT:
    case JG_INDEX_SLICE: return 1;
    case JG_INDEX_ARRAY: return is_mask(item) ? item->array->ndim : 1;
    default: return 0;
    }
}

/* How many items without arrays stand for it. */
static int places_of(const jg_index *item)
{
    return item->kind == JG_INDEX_ARRAY ? axes_of(item) : 1;
}

/* The items with slices for the arrays. */
static jg_status replace_arrays(int nitems, const jg_index *items, jg_index *basic, int *out)
{
    int64_t total = 0;
    int count = 0;
    for (int i = 0; i < nitems; ++i)
        total += places_of(&items[i]);
    if (total > MAX_ITEMS)
        return base_fail(JG_ERR_INDEX,
                         "index: got %lld items, a mask counted once for each of its axes, allowed "
                         "are %d",
                         (long long)total, MAX_ITEMS);
    for (int i = 0; i < nitems; ++i) {
        bool array = items[i].kind == JG_INDEX_ARRAY;
        for (int j = 0; j < places_of(&items[i]); ++j)
            basic[count++] = array ? (jg_index){.kind = JG_INDEX_SLICE} : items[i];
    }
    *out = count;
    return JG_OK;
}

typedef struct found_array {
    const jg_index *item;
    int axis, original; /* the first axis in the window, and in the array */
} found_array;

/* position: how many axes of the result precede those of the index arrays. */
typedef struct findings {
    int count, position;
    found_array arrays[MAX_ITEMS];
} findings;

/* The state of NumPy's rule about where the arrays' axes go. */
typedef enum neighbours { NONE_YET, ADJACENT, INTERRUPTED, APART } neighbours;

static neighbours next_state(neighbours state, bool advanced)
{
    if (!advanced)
        return state == ADJACENT ? INTERRUPTED : state;
    return state == NONE_YET ? ADJACENT : state == INTERRUPTED ? APART : state;
}

/* Four counts go through the items: axes used up in all; the axis in the window, in the array
 * itself (for messages), and the axes of the result that are not index arrays'. By NumPy's rule
 * integers count as index arrays for where the axes go, though the view has applied them
 * already. */
static void find_arrays(const jg_layout *from, int nitems, const jg_index *items, findings *out)
{
    int used = 0, axis = 0, original = 0, kept = 0;
    neighbours state = NONE_YET;
    out->count = out->position = 0;
    for (int i = 0; i < nitems; ++i)
        used += axes_of(&items[i]);
    for (int i = 0; i < nitems; ++i) {
        const jg_index *item = &items[i];
        bool array = item->kind == JG_INDEX_ARRAY, advanced = array || item->kind == JG_INDEX_AT;
        int taken = item->kind == JG_INDEX_ELLIPSIS ? from->ndim - used : axes_of(item);
        if (advanced && state == NONE_YET)
            out->position = kept;
        state = next_state(state, advanced);
        if (array)
            out->arrays[out->count++] = (found_array){item, axis, original};
        if (!advanced)
            kept += item->kind == JG_INDEX_NEW_AXIS ? 1 : taken;
        axis += item->kind == JG_INDEX_AT ? 0 : item->kind == JG_INDEX_NEW_AXIS ? 1 : taken;
        original += taken;
    }
    if (state == APART)
        out->position = 0;
}

/* Like NumPy, a mask axis of extent 0 fits any extent: it chooses nothing. */
static jg_status check_mask(const jg_layout *window, const found_array *found)
{
    const jg_array *mask = found->item->array;
    for (int i = 0; i < mask->ndim; ++i)
        if (mask->dims[i] != 0 && mask->dims[i] != window->shape[found->axis + i])
            return base_fail(JG_ERR_INDEX,
                             "index: the mask has extent %" PRId64 " where axis %d has %" PRId64
                             ", allowed are equal ones",
                             mask->dims[i], found->original + i, window->shape[found->axis + i]);
    return JG_OK;
}

/* Makes one axis of some that are walked as one; false if they are not. So a mask over dense axes
 * needs one array of indices, not one for each axis. */
static bool merge_axes(jg_layout *window, int first, int count)
{
    int64_t extent = 1;
    for (int i = first; i + 1 < first + count; ++i)
        if (window->strides[i] != window->strides[i + 1] * window->shape[i + 1])
            return false;
    for (int i = first; i < first + count; ++i)
        extent *= window->shape[i];
    window->shape[first] = extent;
    window->strides[first] = window->strides[first + count - 1];
    for (int i = first + 1; i + count - 1 < window->ndim; ++i) {
        window->shape[i] = window->shape[i + count - 1];
        window->strides[i] = window->strides[i + count - 1];
    }
    window->ndim -= count - 1;
    return true;
}

/* Records the axis of the last array. */
static void add_axis(choice_arrays *out, int axis, int original)
{
    out->axes[out->count++] = axis;
    out->named |= UINT64_C(1) << original;
}

/* Replaces a mask by the indices where it is true. *shift: how many axes have been merged away.
 * waits: for the mask */
static jg_status add_mask(jg_layout *window, const found_array *found, int *shift,
                          choice_arrays *out)
{
    jg_array *mask = found->item->array;
    int axis = found->axis - *shift, ndim = mask->ndim;
    bool flat = ndim > 1 && merge_axes(window, axis, ndim);
    int count = flat ? 1 : ndim;
    if (flat)
        *shift += ndim - 1;
    JG_TRY(compose_true_indices(mask, flat, out->arrays + out->count));
    for (int i = 0; i < count; ++i)
        add_axis(out, axis + i, found->original + i);
    return JG_OK;
}

/* A mask without axes is true or false of everything: it adds an axis of extent 1 or 0.
 * waits: for the mask */
static jg_status widen_by_truth(jg_array *mask, int *ndim, int64_t *shape)
{
    jg_number truth;
    int64_t before[JG_MAX_NDIM];
    int nbefore = *ndim;
    JG_TRY(jg_array_item(mask, &truth));
    const int64_t extent = truth.i64 != 0;
    for (int i = 0; i < nbefore; ++i)
        before[i] = shape[i];
    return shape_broadcast(nbefore, before, 1, &extent, ndim, shape);
}

/* From left to right, as each mask that is merged moves the axes behind it: found's axes are those
 * of the window as it was, less shift. */
static jg_status resolve(jg_layout *window, const findings *found, choice_arrays *arrays, int *ndim,
                         int64_t *shape)
{
    int shift = 0;
    for (int i = 0; i < found->count; ++i) {
        const found_array *each = &found->arrays[i];
        jg_array *array = each->item->array;
        if (!is_mask(each->item)) {
            arrays->arrays[arrays->count] = jg_array_retain(array);
            add_axis(arrays, each->axis - shift, each->original);
        } else if (array->ndim == 0) {
            JG_TRY(widen_by_truth(array, ndim, shape));
        } else {
            JG_TRY(
                check_mask(window, &(found_array){each->item, each->axis - shift, each->original}));
            JG_TRY(add_mask(window, each, &shift, arrays));
        }
    }
    return choice_broadcast(arrays->count, arrays->arrays, ndim, shape);
}

/* Index arrays given by the user are retained and those of masks new, so that all are released
 * alike. */
static jg_status choose(jg_layout *window, const findings *found, compose_choice *out)
{
    choice_arrays arrays;
    int64_t shape[JG_MAX_NDIM];
    int ndim = 0;
    arrays.count = 0;
    arrays.named = 0;
    arrays.position = found->position;
    jg_status status = resolve(window, found, &arrays, &ndim, shape);
    if (status == JG_OK)
        status = choice_of_shape(window, &arrays, ndim, shape, out);
    for (int i = 0; i < arrays.count; ++i)
        jg_array_release(arrays.arrays[i]);
    return status;
}

/* The window is made before masks are evaluated, so that a wrong index is refused at no cost. */
jg_status choice_of_items(const jg_layout *from, int nitems, const jg_index *items,
                          compose_choice *out)
{
    jg_index basic[MAX_ITEMS];
    jg_layout window;
    findings found;
    int count = 0;
    basic[0] = (jg_index){.kind = JG_INDEX_ELLIPSIS};
    JG_TRY(replace_arrays(nitems, items, basic, &count));
    JG_TRY(compose_index(from, count, basic, &window));
    find_arrays(from, nitems, items, &found);
    return choose(&window, &found, out);
}

/* Whether the mask's axes are the window's. Those of extent 0 may meet another extent, and that is
 * left to choice_of_items. */
static bool covers(const mask_choice *by)
{
    bool same = true;
    for (int i = 0; i < by->mask->ndim; ++i)
        same &= by->mask->dims[i] == by->window.shape[by->axis + i];
    return same;
}

jg_status choice_by_mask(const jg_layout *from, int nitems, const jg_index *items, mask_choice *out)
{
    findings found;
    out->found = false;
    if (!choice_is_needed(nitems, items))
        return JG_OK;
    find_arrays(from, nitems, items, &found);
    if (found.count != 1 || !is_mask(found.arrays[0].item))
        return JG_OK;
    JG_TRY(replace_arrays(nitems, items, out->basic, &out->nbasic));
    JG_TRY(compose_index(from, out->nbasic, out->basic, &out->window));
    JG_TRY(check_mask(&out->window, &found.arrays[0]));
    out->axis = found.arrays[0].axis;
    out->mask = found.arrays[0].item->array;
    out->found = covers(out);
    return JG_OK;
}
