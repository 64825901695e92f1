/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a graph into groups.
 *
 * Nodes are looked at from the last to the first, so that all users of a node have been placed
 * before it. A node joins the group of its users if
 *   1. it is elementwise or a generator,
 *   2. all its users are in one group and reach it through the same index map (so one value
 *     serves
 *      them all, and no path can leave the group and come back),
 *   3. it would not be computed more often than it has elements, unless it is a generator, and
 *   4. if it must be stored, the group's index space is its own and is not reduced. Otherwise it
 *     starts a group. So every value is computed once, and only what somebody outside holds, or
 *     what two groups share, goes through memory. */
#include "fuse/plan.h"
#include <string.h>

enum {
    WANTED_BY_NONE = -1,
    WANTED_BY_MANY = -2,
    MAX_NODES = 48, /* of a group; lowering takes at most 8 instructions a node */
    MAX_PLACES = 30 /* of the 32 buffers, or scalars, that a program has */
};

static bool is_generator(const jg_array *x)
{
    return x->op == JG_OP_full || x->op == JG_OP_arange;
}

static group_kind kind_of(const jg_array *x)
{
    if (op_form_of((jg_op)x->op) == OP_FORM_REDUCTION)
        return GROUP_REDUCTION;
    if (fuse_routine_of(x) != ROUTINE_NONE)
        return GROUP_ROUTINE;
    return x->op == JG_OP_matmul ? GROUP_MATMUL : GROUP_ELEMENTWISE;
}

/* What a member may take of the program's buffers and scalars: a load for each input, a generator's
 * parameters and index, and the store of what is kept. */
static int count_places(const jg_array *x)
{
    int read = x->op == JG_OP_arange ? 3 : x->op == JG_OP_full ? 1 : x->ninputs;
    return read + (x->stored ? 1 : 0);
}

static bool may_join(const plan_draft *draft, const plan_node *node, const jg_array *x)
{
    if (node->wanted < 0 || kind_of(x) != GROUP_ELEMENTWISE)
        return false;
    const plan_group *group = &draft_groups(draft)[node->wanted];
    if (group->kind >= GROUP_MATMUL || group->nnodes >= MAX_NODES ||
        group->nplaces + count_places(x) - 1 > MAX_PLACES)
        return false;
    if (x->size < group->size && !is_generator(x))
        return false;
    return !x->stored || (group->kind == GROUP_ELEMENTWISE && map_is_identity(node->wanted_map) &&
                          x->size == group->size);
}

static void add_member(plan_draft *draft, int slot, int group_index, const index_map *map,
                       const jg_array *x)
{
    plan_group *group = &draft_groups(draft)[group_index];
    plan_node *node = &draft->nodes[slot];
    node->group = group_index;
    node->map = map;
    node->next = group->first;
    group->first = slot;
    group->nnodes += 1;
    group->nplaces += count_places(x);
}

/* Visits the kept axes in order and then the reduced ones: the order of a reduction's index
 * space. */
static int next_axis(uint64_t axes, int ndim, int after)
{
    bool reduced = after >= 0 && (axes >> after & 1);
    for (int pass = reduced; pass < 2; ++pass) {
        for (int i = pass == (int)reduced ? after + 1 : 0; i < ndim; ++i)
            if ((int)(axes >> i & 1) == pass)
                return i;
    }
    return -1;
}

static void reduction_space(const jg_array *x, plan_group *group)
{
    const jg_array *input = x->inputs[0];
    uint64_t axes = x->params.reduce.axes;
    int count = 0;
    for (int i = next_axis(axes, input->ndim, -1); i >= 0; i = next_axis(axes, input->ndim, i))
        group->shape[count++] = input->dims[i];
    group->nreduced = __builtin_popcountll(axes);
    group->size = input->size;
}

static jg_status start_group(plan_draft *draft, int slot, const jg_array *x)
{
    const jg_array *space = kind_of(x) == GROUP_REDUCTION ? x->inputs[0] : x;
    plan_group *group;
    void *place;
    JG_TRY(vec_grow(&draft->groups, sizeof *group, &place));
    group = place;
    *group = (plan_group){.kind = kind_of(x), .root = slot, .ndim = space->ndim, .first = -1};
    group->size = x->size;
    group->shape = arena_alloc(&draft->arena, (size_t)(space->ndim + 1) * sizeof *group->shape);
    if (group->shape == NULL)
        return base_nomem(sizeof *group, "a plan");
    memcpy(group->shape, space->dims, (size_t)space->ndim * sizeof *group->shape);
    if (group->kind == GROUP_REDUCTION)
        reduction_space(x, group);
    index_map *map;
    JG_TRY(map_identity(&draft->arena, group->ndim, &map));
    add_member(draft, slot, draft_group_count(draft) - 1, map, x);
    return JG_OK;
}

/* How a reduction's own index space is found in its input's. */
static jg_status map_reduction(plan_draft *draft, const jg_array *x, const index_map **out)
{
    int ndim = x->inputs[0]->ndim, count = 0;
    uint64_t axes = x->params.reduce.axes;
    index_map *map;
    JG_TRY(map_identity(&draft->arena, ndim, &map));
    memset(map->steps, 0, (size_t)(ndim * ndim) * sizeof *map->steps);
    for (int i = next_axis(axes, ndim, -1); i >= 0; i = next_axis(axes, ndim, i))
        map->steps[count++ * ndim + i] = 1;
    *out = map;
    return JG_OK;
}

jg_status draft_input_map(plan_draft *draft, int slot, int input, const index_map **out)
{
    const jg_array *x = walk_nodes(draft->walk)[slot], *read = x->inputs[input];
    const index_map *map = draft->nodes[slot].map;
    index_map *edge, *whole;
    if (kind_of(x) == GROUP_REDUCTION)
        return map_reduction(draft, x, out);
    *out = map;
    if (x->ndim == read->ndim &&
        memcmp(x->dims, read->dims, (size_t)x->ndim * sizeof *x->dims) == 0)
        return JG_OK;
    JG_TRY(map_broadcast(&draft->arena, x->ndim, x->dims, read, &edge));
    JG_TRY(map_compose(&draft->arena, map, edge, &whole));
    *out = whole;
    return JG_OK;
}

/* Tells an input which group would like to have it, and through which map. */
static jg_status want(plan_draft *draft, int slot, const jg_array *x, int input)
{
    const jg_array *read = x->inputs[input];
    plan_node *node = &draft->nodes[walk_slot(read)];
    int group = draft->nodes[slot].group;
    if (node->wanted != WANTED_BY_NONE && node->wanted != group)
        node->wanted = WANTED_BY_MANY;
    if (node->wanted == WANTED_BY_MANY || draft_groups(draft)[group].kind >= GROUP_MATMUL) {
        node->wanted = WANTED_BY_MANY;
        return JG_OK;
    }
    const index_map *map;
    index_map *view = NULL, *whole;
    JG_TRY(draft_input_map(draft, slot, input, &map));
    if (read->op == JG_OP_view && read->dtype == node_root(read)->dtype) {
        JG_TRY(map_view(&draft->arena, read, &view));
        if (view != NULL) {
            JG_TRY(map_compose(&draft->arena, map, view, &whole));
            map = whole;
        }
    }
    bool fits = read->op != JG_OP_view || view != NULL;
    fits = fits && (node->wanted == WANTED_BY_NONE || map_equal(node->wanted_map, map));
    node->wanted = fits ? group : WANTED_BY_MANY;
    node->wanted_map = map;
    return JG_OK;
}

static jg_status place(plan_draft *draft, int slot, bool fusing)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    plan_node *node = &draft->nodes[slot];
    if (node_has_storage(x))
        return JG_OK;
    if (fusing && may_join(draft, node, x)) {
        add_member(draft, slot, node->wanted, node->wanted_map, x);
        draft_groups(draft)[node->group].nplaces -= 1; /* the load that its user was counted with */
    } else {
        JG_TRY(start_group(draft, slot, x));
    }
    for (int i = 0; i < x->ninputs; ++i)
        if (!node_has_storage(x->inputs[i]))
            JG_TRY(want(draft, slot, x, i));
    return JG_OK;
}

jg_status draft_make_groups(plan_draft *draft, const graph_walk *walk, bool fusing)
{
    int count = walk_count(walk);
    *draft = (plan_draft){.walk = walk};
    draft->nodes = base_alloc((size_t)count * sizeof *draft->nodes);
    if (draft->nodes == NULL)
        return base_nomem((size_t)count * sizeof *draft->nodes, "a plan");
    for (int i = 0; i < count; ++i)
        draft->nodes[i] =
            (plan_node){.group = -1, .next = -1, .wanted = WANTED_BY_NONE, .last_use = -1};
    for (int i = count - 1; i >= 0; --i)
        JG_TRY(place(draft, i, fusing));
    return JG_OK;
}

void draft_clear(plan_draft *draft)
{
    arena_clear(&draft->arena);
    vec_clear(&draft->groups);
    base_free(draft->nodes);
    *draft = (plan_draft){0};
}
