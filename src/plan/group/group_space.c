/* SPDX-License-Identifier: Apache-2.0 */
/* How a node lies in a group's index space: for each element of it, or once for each row.
 *
 * A row is what the reduced axes span, at one index of the kept ones. A reduction reads the
 * elements of a row and is itself a value for the row, so it can be in a group with what feeds
 * it and with what uses its result, be that once a row or for each element. In the second case
 * the row is passed over again: the group must pass the rule in plan_space_row_fits. */
#include "plan/draft.h"
#include <string.h>

enum {
    ROW_NBYTES = 256 << 10, /* with a result as long and something kept, in a cache of 1 MiB */
    MIN_ROW = 32            /* elements; below, reductions over many rows at once are faster */
};

/* An axis that the space has got since the map was made moves nothing. */
static bool moves_along(const plan_index_map *map, int axis)
{
    for (int k = 0; k < map->to && axis < map->from; ++k)
        if (map->steps[axis * map->to + k] != 0)
            return true;
    return false;
}

/* Axes of extent 1 are ignored, as a step along them changes nothing. */
static uint64_t wide_axes(const plan_group *group)
{
    uint64_t axes = 0;
    for (int d = 0; d < group->ndim; ++d)
        axes |= (uint64_t)(group->shape[d] != 1) << d;
    return axes;
}

/* The axes, as bits, along which the map leads to one and the same index. */
static uint64_t still_axes(const plan_group *group, const plan_index_map *map)
{
    uint64_t axes = wide_axes(group);
    for (int d = 0; d < group->ndim; ++d)
        if (moves_along(map, d))
            axes &= ~(1ull << d);
    return axes;
}

/* The product saturates, as a space may be larger than any array. */
static int64_t count_along(const plan_group *group, uint64_t axes)
{
    int64_t count = 1;
    for (int d = 0; d < group->ndim; ++d)
        if ((axes >> d & 1) && __builtin_mul_overflow(count, group->shape[d], &count))
            return INT64_MAX;
    return count;
}

bool plan_space_has_rows(const plan_group *group)
{
    return group->reduced != 0 || group->nreductions > 0;
}

bool plan_space_is_row_value(const plan_group *group, const plan_index_map *map)
{
    uint64_t reduced = group->reduced & wide_axes(group);
    return plan_space_has_rows(group) && (still_axes(group, map) & reduced) == reduced;
}

/* The one axis that index k of the map follows; -1 for none, -2 for several. */
static int followed_axis(const plan_index_map *map, int k)
{
    int axis = -1;
    for (int d = 0; d < map->from; ++d)
        if (map->steps[d * map->to + k] != 0)
            axis = axis == -1 ? d : -2;
    return axis;
}

/* Whether the axes of what the map leads to come in the order of the group's. */
static bool is_ordered(const plan_index_map *map)
{
    for (int k = 0, last = -1; k < map->to; ++k) {
        int axis = followed_axis(map, k);
        if (axis == -2 || (axis >= 0 && axis <= last))
            return false;
        last = axis >= 0 ? axis : last;
    }
    return true;
}

bool plan_space_covers(const plan_group *group, uint64_t reduced, const plan_index_map *map,
                       const jg_array *x)
{
    if (!is_ordered(map) || (still_axes(group, map) & ~reduced) != 0)
        return false;
    for (int k = 0; k < map->to; ++k) {
        int axis = followed_axis(map, k);
        if (x->dims[k] != 1 && (axis < 0 || map->steps[axis * map->to + k] != 1 ||
                                group->shape[axis] != x->dims[k] || map->origin[k] != 0))
            return false;
    }
    return true;
}

jg_status plan_space_match(plan_draft *draft, const plan_group *group, uint64_t axes, int ndim,
                           const int64_t *dims, plan_index_map **out)
{
    plan_index_map *map;
    int d = 0;
    JG_TRY(plan_map_zero(&draft->arena, group->ndim, ndim, &map));
    *out = NULL;
    for (int k = 0; k < ndim; ++k) {
        if (dims[k] == 1)
            continue;
        while (d < group->ndim && (group->shape[d] == 1 || !(axes >> d & 1)))
            d += 1;
        if (d == group->ndim || group->shape[d] != dims[k])
            return JG_OK;
        map->steps[d++ * ndim + k] = 1;
    }
    for (; d < group->ndim; ++d)
        if (group->shape[d] != 1 && (axes >> d & 1))
            return JG_OK;
    *out = map;
    return JG_OK;
}

/* The axis of a reduction that the input's kept axis k has become. */
static int axis_of_result(const jg_array *x, int k)
{
    uint64_t before = x->attributes.reduce.axes & ((1ull << k) - 1);
    return x->ndim == x->inputs[0]->ndim ? k : k - __builtin_popcountll(before);
}

jg_status plan_space_read_map(plan_draft *draft, const plan_group *group, uint64_t reduced,
                              const plan_index_map *map, const jg_array *x, plan_index_map **out)
{
    const jg_array *input = x->inputs[0];
    plan_index_map *reads;
    int d = 0;
    JG_TRY(plan_map_zero(&draft->arena, group->ndim, input->ndim, &reads));
    *out = NULL;
    for (int k = 0; k < input->ndim; ++k) {
        if (!(x->attributes.reduce.axes >> k & 1)) {
            int j = axis_of_result(x, k);
            reads->origin[k] = map->origin[j];
            for (int from = 0; from < map->from; ++from)
                reads->steps[from * input->ndim + k] = map->steps[from * map->to + j];
        } else if (input->dims[k] != 1) {
            while (d < group->ndim && (group->shape[d] == 1 || !(reduced >> d & 1)))
                d += 1;
            if (d == group->ndim || group->shape[d] != input->dims[k])
                return JG_OK;
            reads->steps[d++ * input->ndim + k] = 1;
        }
    }
    for (; d < group->ndim; ++d)
        if (group->shape[d] != 1 && (reduced >> d & 1))
            return JG_OK;
    *out = reads;
    return JG_OK;
}

jg_status plan_space_append(plan_draft *draft, plan_group *group, const jg_array *x)
{
    const jg_array *input = x->inputs[0];
    int64_t *shape = plan_arena_alloc(&draft->arena, JG_MAX_NDIM * sizeof *shape);
    if (shape == NULL)
        return base_nomem(JG_MAX_NDIM * sizeof *shape, "a plan");
    memcpy(shape, group->shape, (size_t)group->ndim * sizeof *shape);
    group->shape = shape;
    for (int k = 0; k < input->ndim; ++k) {
        if (!(x->attributes.reduce.axes >> k & 1))
            continue;
        group->reduced |= 1ull << group->ndim;
        shape[group->ndim++] = input->dims[k];
    }
    group->size = count_along(group, ~0ull);
    return JG_OK;
}

void plan_space_add_reduction(plan_group *group, const plan_index_map *reads)
{
    group->nreductions += 1;
    group->ordered = group->ordered && is_ordered(reads);
}

/* Whether the axes, as bits, are the innermost of the space, but for those of extent 1. */
static bool are_last(const plan_group *group, uint64_t axes)
{
    int d = group->ndim - 1;
    for (; d >= 0 && (group->shape[d] == 1 || (axes >> d & 1)); --d)
        axes &= ~(1ull << d);
    return axes == 0;
}

bool plan_space_row_fits(const plan_group *group, uint64_t reduced, const jg_array *x)
{
    int64_t n = count_along(group, reduced);
    size_t itemsize = dtype_itemsize((jg_dtype)x->dtype);
    return n >= MIN_ROW && n <= ROW_NBYTES / (int64_t)itemsize && group->ordered &&
           are_last(group, reduced);
}

/* The axes along which x's value stays are those that it reduces: a group with rows must have just
 * these, one without gets them. Fewer elements than rows would be computed several times. */
jg_status plan_space_find_rows(plan_draft *draft, const plan_group *group,
                               const plan_index_map *map, const jg_array *x, uint64_t *reduced,
                               plan_index_map **reads)
{
    uint64_t still = still_axes(group, map);
    *reads = NULL;
    *reduced = plan_space_has_rows(group) ? group->reduced : still;
    if (still != (*reduced & wide_axes(group)) || x->size < count_along(group, ~*reduced))
        return JG_OK;
    JG_TRY(plan_space_read_map(draft, group, *reduced, map, x, reads));
    if (*reads != NULL && (!is_ordered(*reads) || !plan_space_row_fits(group, *reduced, x)))
        *reads = NULL;
    return JG_OK;
}

bool plan_space_is_one_row(const plan_group *group, uint64_t reduced, const plan_index_map *reads)
{
    uint64_t wide = wide_axes(group);
    return (reduced & wide) == wide && group->nreductions == 0 && is_ordered(reads);
}

int64_t plan_space_rows(const plan_group *group)
{
    return count_along(group, ~group->reduced);
}
