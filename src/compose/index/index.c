/* SPDX-License-Identifier: Apache-2.0 */
/* Basic indexing: integers, slices, new axes and an ellipsis, read as a view and written as a
 * value. */
#include "compose/index/choice.h"
#include <inttypes.h>

/* A bound that was given, which counts from the end where it is negative, within the others. */
static int64_t clip_bound(int64_t bound, int64_t extent, int64_t lowest, int64_t highest)
{
    return int64_clamp(bound < 0 ? bound + extent : bound, lowest, highest);
}

/* Clips a slice to its axis as Python does. gives: the first index and how many there are */
static jg_status clip_slice(const jg_index *item, int64_t extent, int64_t *start, int64_t *count,
                            int64_t *step)
{
    int64_t by = item->has_step ? item->step : 1;
    if (by == 0)
        return base_fail(JG_ERR_VALUE, "index: slice step is 0, allowed is any other number");
    if (by == INT64_MIN)
        by = -INT64_MAX; /* larger than any axis, and can be negated */
    /* With a negative step, the stop of a whole slice is one before the first element, which no
     * index expresses. */
    int64_t lowest = by > 0 ? 0 : -1, highest = by > 0 ? extent : extent - 1;
    int64_t first = by > 0 ? lowest : highest, stop = by > 0 ? highest : lowest;
    if (item->has_start)
        first = clip_bound(item->start, extent, lowest, highest);
    if (item->has_stop)
        stop = clip_bound(item->stop, extent, lowest, highest);
    int64_t span = by > 0 ? stop - first : first - stop, pace = by > 0 ? by : -by;
    *start = first;
    *count = span > 0 ? (span - 1) / pace + 1 : 0;
    /* One element has no step; a large one could lead to a stride beyond int64. */
    *step = *count > 1 ? by : 1;
    return JG_OK;
}

/* axis: of the layout as it is by now; original_axis: of the array, for the message. */
static jg_status index_at(jg_layout *layout, int axis, int original_axis, int64_t at)
{
    int64_t extent = layout->shape[axis];
    if (at < -extent || at >= extent)
        return base_fail(JG_ERR_INDEX,
                         "index: %" PRId64 " is out of range for axis %d with extent %" PRId64
                         ", allowed are -extent to extent - 1",
                         at, original_axis, extent);
    return layout_slice(layout, axis, at < 0 ? at + extent : at, 1, 1, false, layout);
}

/* How many axes the items use up; more than one ellipsis is refused. */
static jg_status count_axes(const jg_layout *from, int nitems, const jg_index *items, int *out)
{
    int used = 0, ellipses = 0;
    for (int i = 0; i < nitems; ++i) {
        if ((unsigned)items[i].kind > JG_INDEX_ARRAY)
            return base_fail(JG_ERR_VALUE,
                             "index: item %d has the kind %d, allowed are those of jg_index", i,
                             (int)items[i].kind);
        used += items[i].kind == JG_INDEX_AT || items[i].kind == JG_INDEX_SLICE;
        ellipses += items[i].kind == JG_INDEX_ELLIPSIS;
    }
    if (ellipses > 1)
        return base_fail(JG_ERR_INDEX, "index: has %d ellipses, allowed is one", ellipses);
    if (used > from->ndim)
        return base_fail(JG_ERR_INDEX, "index: names %d axes, allowed are at most the array's %d",
                         used, from->ndim);
    *out = used;
    return JG_OK;
}

/* The layout is changed item by item, so that axis counts in the result. Axes that no item names
 * stay as they are at the end. */
jg_status compose_index(const jg_layout *from, int nitems, const jg_index *items, jg_layout *to)
{
    int used = 0, axis = 0, original = 0;
    int64_t start = 0, count = 0, step = 1;
    JG_TRY(count_axes(from, nitems, items, &used));
    layout_copy(to, from);
    for (int i = 0; i < nitems; ++i) {
        const jg_index *item = &items[i];
        switch (item->kind) {
        case JG_INDEX_AT: JG_TRY(index_at(to, axis, original++, item->start)); break;
        case JG_INDEX_SLICE:
            JG_TRY(clip_slice(item, to->shape[axis], &start, &count, &step));
            JG_TRY(layout_slice(to, axis, start, count, step, true, to));
            axis += 1;
            original += 1;
            break;
        case JG_INDEX_NEW_AXIS: {
            jg_layout wider;
            JG_TRY(layout_expand(to, axis, &wider));
            layout_copy(to, &wider);
            axis += 1;
            break;
        }
        case JG_INDEX_ELLIPSIS:
            axis += from->ndim - used;
            original += from->ndim - used;
            break;
        case JG_INDEX_ARRAY: break; /* choice_items.c has replaced them by slices */
        }
    }
    return JG_OK;
}

static jg_status read_choice(jg_array *x, const jg_layout *from, int nitems, const jg_index *items,
                             jg_array **out)
{
    compose_choice choice;
    JG_TRY(choice_of_items(from, nitems, items, &choice));
    jg_status status = choice_read(&choice, x, out);
    choice_clear(&choice);
    return status;
}

jg_status jg_slice(jg_array *x, int nitems, const jg_index *items, jg_array **out)
{
    jg_layout from, to;
    node_layout(x, &from);
    if (choice_is_needed(nitems, items))
        return read_choice(x, &from, nitems, items, out);
    JG_TRY(compose_index(&from, nitems, items, &to));
    return compose_view(x, &to, out);
}
