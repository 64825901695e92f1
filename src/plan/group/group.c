/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a graph into groups, each of which becomes one launch.
 *
 * Nodes are looked at from the last to the first, so that all users of a node have been grouped
 * before it. A node joins the group of its users if
 *   1. it is elementwise, a generator or a reduction,
 *   2. all its users in the group reach it through the same index map, so that one value serves
 * them all, and no user is in a group with a lower root, so that no path can leave the group
 * and come back; where others use it, too, it is stored for them,
 *   3. it would not be computed more often than it has elements, unless it is a generator or made
 *      of numbers alone, which is computed once, and
 *   4. if it must be stored, the group's space or its rows lead to each element once, in order.
 * A reduction, and what is between it and its users, is computed once a row (group_space.c). If its
 * users are row values too, its axes are added to the space; a row is then read once, and may be of
 * any length. The same holds where the space is one row whose elements are only stored.
 * If it is used for the elements of the row that it comes from, or is not the first of its group,
 * the row is passed over again, and must be short enough to be still in the cache; if it is not,
 * the reduction starts a group, which cuts the graph there.
 *
 * A node that joins no user's group may join a group beside it that has the same space and feeds on
 * some of the same memory. Nothing that the group reads may depend on it: the groups of its users
 * must have higher roots than that group. Otherwise it starts a group.
 *
 * So every value is computed once, but for cheap ones (remake.c), and only values that are held
 * outside the graph or that two groups share go through memory. */
#include "plan/steps.h"
#include <string.h>

enum {
    MAX_NODES = 48,          /* of a group; lowering takes at most 8 instructions a node */
    ARGUMENTS_OF_RESULT = 3, /* itself, and numbers that it is made of: counted for each use */
    MAX_REDUCTIONS = 8,      /* of a group that passes over rows; each may be a pass */
    MAX_BESIDE = 8,          /* groups that are tried for a node to share their launch */
    MAX_BEHIND = 32,         /* elementwise ops between a reduction and its use for elements */
    MAX_AFTER = 4            /* elementwise ops after a reduction of all, to find it by its last */
};

static const jg_array *node_at(const plan_draft *draft, int slot)
{
    return walk_nodes(draft->walk)[slot];
}

/* The number of the program's buffers and scalars that a member may need: a load for each input, a
 * generator's parameters and index, and the store of a value that is kept. */
static int count_arguments(const jg_array *x, bool output)
{
    int read = x->primitive == PRIMITIVE_arange ? 3
               : x->primitive == PRIMITIVE_full ? 1
                                                : x->ninputs;
    return read + (output ? 1 : 0);
}

/* How a node joins a group: its index map (of a reduction, the map to its input) and the axes of
 * the group that it reduces. map is NULL if it cannot be one. */
typedef struct membership {
    const plan_index_map *map, *reads;
    uint64_t reduced;
    bool appends; /* the reduction's axes are added to the space */
    bool once;    /* the space becomes one row that is passed over once */
} membership;

/* The first input that is a reduction, or elementwise ops on one; -1 if none is. */
static int reducing_input(const plan_draft *draft, const jg_array *x)
{
    for (int i = 0; i < x->ninputs; ++i)
        if (!node_has_storage(x->inputs[i]) && draft->nodes[walk_slot(x->inputs[i])].reduces)
            return i;
    return -1;
}

/* Whether a reduction that passes the rule is behind x, a row's value if it is. Follows the first
 * input that reduces, as long as nothing but this group is known to want what lies on the way. The
 * reduction is tested again when it is grouped. gives: *found, and *reduced where it is true */
static jg_status find_behind(plan_draft *draft, const plan_group *group, const plan_index_map *map,
                             const jg_array *x, uint64_t *reduced, bool *found)
{
    plan_index_map *reads = NULL;
    int wanted = draft->nodes[walk_slot(x)].wanted;
    for (int i = 0; i < MAX_BEHIND && map != NULL; ++i) {
        const plan_node *on_the_way = &draft->nodes[walk_slot(x)];
        if ((on_the_way->wanted != wanted && on_the_way->wanted != PLAN_WANTED_BY_NONE) ||
            on_the_way->shared)
            break;
        if (node_is_reduction(x)) {
            JG_TRY(plan_space_find_rows(draft, group, map, x, reduced, &reads));
            break;
        }
        int input = reducing_input(draft, x);
        if (input < 0)
            break;
        const jg_array *read = x->inputs[input];
        JG_TRY(draft_map_input(draft, map, x, input, &map));
        JG_TRY(draft_look_through(draft, read, map, &map));
        x = node_root(read);
    }
    *found = reads != NULL;
    return JG_OK;
}

/* Rule 3 of the head: a row's value must not be computed for more rows than x has elements, and a
 * value of the space not for more indices; unless it is made of numbers alone, or x, smaller than
 * the space, turns it into rows. */
static jg_status join_elementwise(plan_draft *draft, const plan_group *group, const jg_array *x,
                                  const plan_index_map *map, membership *out)
{
    bool found = true;
    const plan_node *node = &draft->nodes[x->slot];
    bool is_free = node_is_generator(x) || node->uniform;
    if (plan_space_is_row_value(group, map)) {
        found = x->size >= plan_space_rows(group) || is_free;
        if (node->wanted_wide && !is_free)
            found = found && plan_space_row_fits(group, group->reduced, x);
    } else if (x->size < group->size && !is_free) {
        found = false;
        if (!plan_space_has_rows(group) && node->reduces)
            JG_TRY(find_behind(draft, group, map, x, &out->reduced, &found));
    }
    out->map = found ? map : NULL;
    return JG_OK;
}

/* The map to x's input where the group's space is one row of it, and nothing reduces that yet; else
 * NULL. gives: *reads | raises: NOMEM */
static jg_status find_one_row(plan_draft *draft, const plan_group *group, const plan_index_map *map,
                              const jg_array *x, plan_index_map **reads)
{
    *reads = NULL;
    if (x->size != 1)
        return JG_OK;
    JG_TRY(plan_space_read_map(draft, group, ~0ull, map, x, reads));
    if (*reads != NULL && !plan_space_is_one_row(group, ~0ull, *reads))
        *reads = NULL;
    return JG_OK;
}

/* Either the space grows by the reduction's axes, where it reduces nothing yet and has no more
 * indices than x has elements; or the reduction goes along the rows that are there. */
static jg_status join_reduction(plan_draft *draft, const plan_group *group, const jg_array *x,
                                const plan_index_map *map, membership *out)
{
    plan_index_map *reads = NULL;
    out->appends = out->once = !plan_space_has_rows(group) && x->size >= group->size;
    if (out->appends)
        out->map = group->ndim + x->inputs[0]->ndim <= JG_MAX_NDIM ? map : NULL;
    if (out->appends || group->nreductions == MAX_REDUCTIONS)
        return JG_OK;
    JG_TRY(plan_space_find_rows(draft, group, map, x, &out->reduced, &reads));
    if (reads == NULL && group->once)
        JG_TRY(find_one_row(draft, group, map, x, &reads));
    out->map = reads != NULL ? map : NULL;
    out->reads = reads;
    return JG_OK;
}

/* Whether what must be stored can be from where it is; elements of rows are stored by a pass. A
 * space without indices, as that of a difference along one element, leads to no element. */
static bool can_store(const plan_group *group, const membership *member, const jg_array *x)
{
    if (member->map == NULL || !plan_space_covers(group, member->reduced, member->map, x))
        return false;
    if (plan_space_has_rows(group) && plan_space_is_row_value(group, member->map))
        return true;
    if (group->size == 0 && x->size > 0)
        return false;
    return !plan_space_has_rows(group) || group->once ||
           plan_space_row_fits(group, group->reduced, x);
}

/* The load that its user was counted with is no longer needed: one buffer less. */
static bool may_take(const plan_group *group, const jg_array *x, bool stored)
{
    return group->kind == GROUP_PROGRAM && draft_kind_of(x) == GROUP_PROGRAM &&
           group->nnodes < MAX_NODES &&
           group->narguments + count_arguments(x, stored) - 1 <= PLAN_MAX_ARGUMENTS;
}

/* How x joins the group of its users; out->map stays NULL where it does not. */
static jg_status find_membership(plan_draft *draft, const plan_node *node, const jg_array *x,
                                 membership *out)
{
    *out = (membership){0};
    bool stored = x->stored || node->shared;
    if (node->wanted < 0 || !node->wanted_fits)
        return JG_OK;
    plan_group *group = &draft_groups(draft)[node->wanted];
    if (!may_take(group, x, stored))
        return JG_OK;
    out->reduced = group->reduced;
    if (node_is_reduction(x))
        JG_TRY(join_reduction(draft, group, x, node->wanted_map, out));
    else
        JG_TRY(join_elementwise(draft, group, x, node->wanted_map, out));
    if (stored && !can_store(group, out, x))
        out->map = NULL;
    if (out->map != NULL && !hold_is_small(draft, group, (int)x->slot, stored))
        out->map = NULL;
    return JG_OK;
}

/* The group's space must be the reduction's input, axis by axis, and its rows those that x
 * reduces. */
static jg_status match_reduction(plan_draft *draft, const plan_group *group, const jg_array *x,
                                 membership *out)
{
    const jg_array *input = x->inputs[0];
    plan_index_map *elements, *map;
    JG_TRY(plan_space_match(draft, group, ~0ull, input->ndim, input->dims, &elements));
    if (elements == NULL || group->nreductions == MAX_REDUCTIONS)
        return JG_OK;
    /* The axes of the reduction in the group: those along which its input moves. */
    uint64_t reduced = 0;
    for (int d = 0; d < group->ndim; ++d)
        for (int k = 0; k < input->ndim; ++k)
            if (elements->steps[d * input->ndim + k] != 0 && (x->attributes.reduce.axes >> k & 1))
                reduced |= 1ull << d;
    JG_TRY(plan_space_match(draft, group, ~reduced, x->ndim, x->dims, &map));
    if (map == NULL)
        return JG_OK;
    plan_index_map *reads;
    bool once = false;
    JG_TRY(plan_space_find_rows(draft, group, map, x, &out->reduced, &reads));
    if (reads == NULL) {
        JG_TRY(find_one_row(draft, group, map, x, &reads));
        out->reduced = reduced;
        once = true;
    }
    if (reads != NULL)
        *out = (membership){.map = map, .reads = reads, .reduced = out->reduced, .once = once};
    return JG_OK;
}

/* Whether x, one number, is made of a reduction of the whole space that no group contains yet. The
 * reduction is tested again when it is grouped, and the group may still take what comes before. */
static jg_status find_total_behind(plan_draft *draft, const plan_group *group, const jg_array *x,
                                   bool *found)
{
    plan_index_map *elements = NULL;
    bool fits = !plan_space_has_rows(group) && group->size > 1 &&
                group->nnodes < MAX_NODES - MAX_AFTER &&
                group->narguments < PLAN_MAX_ARGUMENTS - MAX_AFTER;
    for (int i = 0; i < MAX_AFTER && fits && !node_is_reduction(x); ++i) {
        int input = reducing_input(draft, x);
        if (input < 0)
            break;
        x = node_root(x->inputs[input]);
        const plan_node *node = &draft->nodes[walk_slot(x)];
        fits = x->size == 1 && node->wanted == PLAN_WANTED_BY_NONE && !node_has_storage(x);
    }
    if (fits && node_is_reduction(x))
        JG_TRY(plan_space_match(draft, group, ~0ull, x->inputs[0]->ndim, x->inputs[0]->dims,
                                &elements));
    *found = elements != NULL;
    return JG_OK;
}

/* The group's space, or its rows, must be x's shape, or the space becomes one row that x is made
 * of. No member of the group uses x, so it is stored. */
static jg_status match_elementwise(plan_draft *draft, const plan_group *group, const jg_array *x,
                                   membership *out)
{
    plan_index_map *map;
    if (x->size == 1 && draft->nodes[walk_slot(x)].reduces)
        JG_TRY(find_total_behind(draft, group, x, &out->once));
    if (out->once) {
        JG_TRY(plan_map_zero(&draft->arena, group->ndim, x->ndim, &map));
        out->reduced = ~0ull >> (JG_MAX_NDIM - group->ndim); /* group->size > 1: has axes */
        out->map = map;
        return JG_OK;
    }
    JG_TRY(plan_space_match(draft, group, ~0ull, x->ndim, x->dims, &map));
    if (map == NULL && plan_space_has_rows(group))
        JG_TRY(plan_space_match(draft, group, ~group->reduced, x->ndim, x->dims, &map));
    out->map = map;
    if (!can_store(group, out, x))
        out->map = NULL;
    return JG_OK;
}

/* Whether all that both are made of can be in one launch: leaves and results. A launch that is full
 * before would leave what its results are made of to launches of their own. */
static bool can_share_launch(const plan_group *group, const plan_node *node)
{
    int nleaves = __builtin_popcountll(group->sources | node->sources);
    return nleaves + ARGUMENTS_OF_RESULT * (group->nresults + node->nresults) <= PLAN_MAX_ARGUMENTS;
}

/* A group whose launch the node may share, among the few that were made last. Groups without common
 * sources are left out, as sharing would save nothing. gives: *group_index where out->map is not
 * NULL */
static jg_status find_beside(plan_draft *draft, int slot, const jg_array *x, int *group_index,
                             membership *out)
{
    const plan_node *node = &draft->nodes[slot];
    int count = draft_group_count(draft), least = count > MAX_BESIDE ? count - MAX_BESIDE : 0;
    *out = (membership){0};
    if (node_is_generator(x) || x->size == 0)
        return JG_OK;
    for (int g = count - 1; g >= least && out->map == NULL; --g) {
        plan_group *group = &draft_groups(draft)[g];
        if (!may_take(group, x, true) ||
            group->narguments + count_arguments(x, true) > PLAN_MAX_ARGUMENTS ||
            node->lowest_user <= group->root || (node->sources & group->sources) == 0 ||
            !can_share_launch(group, node))
            continue;
        *group_index = g;
        out->reduced = group->reduced;
        if (node_is_reduction(x))
            JG_TRY(match_reduction(draft, group, x, out));
        else
            JG_TRY(match_elementwise(draft, group, x, out));
        if (out->map != NULL && !hold_is_small(draft, group, slot, true))
            out->map = NULL;
    }
    return JG_OK;
}

/* Slots come from the highest to the lowest, so members stay ascending if each is put first. Only
 * the results of one call come in the opposite order; plan_lower_routine sorts these by number. */
static jg_status add_member(plan_draft *draft, int slot, int group_index, const membership *member)
{
    const jg_array *x = node_at(draft, slot);
    plan_group *group = &draft_groups(draft)[group_index];
    plan_node *node = &draft->nodes[slot];
    plan_index_map *reads;
    group->reduced = member->reduced;
    node->group = group_index;
    node->map = member->map;
    node->reads = member->reads;
    node->next = group->first;
    group->first = slot;
    group->nnodes += 1;
    group->narguments += count_arguments(x, node->output);
    if (member->appends) {
        JG_TRY(plan_space_append(draft, group, x));
        JG_TRY(plan_space_read_map(draft, group, group->reduced, node->map, x, &reads));
        node->reads = reads;
    }
    group->once |= member->once;
    if (node->reads != NULL) {
        group->once = group->once && plan_space_is_one_row(group, group->reduced, node->reads);
        plan_space_add_reduction(group, node->reads);
    }
    return JG_OK;
}

/* A reduction's space is that of its input, with its own axes where they were. */
static jg_status own_membership(plan_draft *draft, const plan_group *group, const jg_array *x,
                                membership *out)
{
    plan_index_map *map, *reads;
    *out = (membership){0};
    JG_TRY(plan_map_identity(&draft->arena, group->ndim, &map));
    out->map = map;
    if (!node_is_reduction(x))
        return JG_OK;
    out->reads = reads = map;
    out->once = true;
    out->reduced = x->attributes.reduce.axes;
    JG_TRY(plan_map_zero(&draft->arena, group->ndim, x->ndim, &map));
    for (int k = 0, j = 0; k < reads->to; ++k) {
        bool kept = !(out->reduced >> k & 1);
        if (kept)
            map->steps[k * x->ndim + j] = 1;
        j += kept || x->ndim == reads->to;
    }
    out->map = map;
    return JG_OK;
}

static jg_status start_group(plan_draft *draft, int slot, const jg_array *x)
{
    const jg_array *space = node_is_reduction(x) ? x->inputs[0] : x;
    plan_group *group;
    membership member;
    void *added;
    JG_TRY(vec_grow(&draft->groups, sizeof *group, &added));
    group = added;
    *group = (plan_group){.kind = draft_kind_of(x), .root = slot, .ndim = space->ndim, .first = -1};
    group->sources = draft->nodes[slot].sources;
    group->nresults = draft->nodes[slot].nresults;
    group->size = space->size;
    group->ordered = true;
    group->shape =
        plan_arena_alloc(&draft->arena, (size_t)(space->ndim + 1) * sizeof *group->shape);
    if (group->shape == NULL)
        return base_nomem(sizeof *group, "a plan");
    memcpy(group->shape, space->dims, (size_t)space->ndim * sizeof *group->shape);
    JG_TRY(own_membership(draft, group, x, &member));
    return add_member(draft, slot, draft_group_count(draft) - 1, &member);
}

/* Whether both groups that use a node read it as a scalar, so that it needs no memory. */
static bool is_number_of(const plan_draft *draft, const plan_node *node, const plan_group *group,
                         uint32_t slot)
{
    return draft_is_number(draft, (int)slot) && group->kind == GROUP_PROGRAM &&
           draft_groups(draft)[node->wanted].kind == GROUP_PROGRAM;
}

/* Whether a node that two groups want is computed by the one that runs later as well, instead of
 * being stored for it. first: the user's group is the earlier one. */
static bool is_remade(plan_draft *draft, int slot, const plan_node *user, bool first)
{
    const plan_node *node = &draft->nodes[slot];
    int later = first ? node->wanted : user->group;
    plan_group *group = &draft_groups(draft)[later];
    return group->kind == GROUP_PROGRAM &&
           plan_remake_instead(draft, slot, group, first ? node->uses : 1);
}

/* Notes in an input which group can take it in, and through which map. */
static jg_status want(plan_draft *draft, int slot, const jg_array *x, int input)
{
    int read = (int)walk_slot(x->inputs[input]);
    plan_node *node = &draft->nodes[read];
    const plan_node *user = &draft->nodes[slot];
    const plan_group *group = &draft_groups(draft)[user->group];
    const plan_index_map *map = NULL;
    if (group->root < node->lowest_user)
        node->lowest_user = group->root;
    if (group->root > node->highest_user)
        node->highest_user = group->root;
    bool first = node->wanted < user->group; /* a later group has a lower root: it runs earlier */
    bool late = node->wanted > user->group;
    if (group->kind == GROUP_PROGRAM && (!late || plan_remake_is_possible(draft, read)))
        JG_TRY(draft_root_map(draft, slot, input, &map));
    plan_remake_note_use(draft, read, group, map);
    if (node->wanted != PLAN_WANTED_BY_NONE && node->wanted != user->group)
        node->shared |= !is_number_of(draft, node, group, (uint32_t)read) &&
                        !is_remade(draft, read, user, first);
    if (late)
        return JG_OK;
    bool wide = plan_space_has_rows(group) &&
                (user->reads != NULL || !plan_space_is_row_value(group, user->map));
    node->wanted = user->group;
    node->wanted_wide = wide || (node->wanted_wide && !first);
    node->wanted_fits =
        map != NULL && (first || (node->wanted_fits && plan_map_equal(node->wanted_map, map)));
    node->wanted_map = map;
    node->uses = first ? 1 : node->uses + 1;
    return JG_OK;
}

/* Lets the other results of a call follow the first into the group that it has started. */
static jg_status add_results(plan_draft *draft, int leader)
{
    int count = walk_count(draft->walk), group = draft->nodes[leader].group;
    const membership member = {.reduced = draft_groups(draft)[group].reduced};
    for (int slot = leader + 1; slot < count && draft->nodes[slot].leader == leader; ++slot) {
        draft->nodes[slot].output = true;
        JG_TRY(add_member(draft, slot, group, &member));
    }
    return JG_OK;
}

/* If the device multiplies halves in the product x, the casts of x's inputs are members of x's
 * group. */
static jg_status join_halves(plan_draft *draft, const jg_array *x)
{
    int group = draft->nodes[x->slot].group, nsides = x->inputs[0] == x->inputs[1] ? 1 : 2;
    const membership member = {0};
    bool halves = draft_groups(draft)[group].halves = plan_multiplies_halves(draft, x);
    for (int i = 0; i < nsides && halves; ++i) {
        const jg_array *cast = x->inputs[i];
        JG_TRY(add_member(draft, (int)cast->slot, group, &member));
        if (!node_has_storage(cast->inputs[0]))
            JG_TRY(want(draft, (int)cast->slot, cast, 0));
    }
    return JG_OK;
}

/* If other ops together spell an attention with result x, all of it becomes x's group, which reads
 * only q, k, v and numbers. Otherwise x may be a product of halves. */
static jg_status join_attention(plan_draft *draft, const jg_array *x)
{
    plan_attention *found;
    int group = draft->nodes[x->slot].group, slot, input;
    const membership member = {0};
    JG_TRY(plan_attention_find(draft, x, &found));
    draft_groups(draft)[group].attention = found;
    if (found == NULL)
        return join_halves(draft, x);
    for (int i = 0; (slot = plan_attention_member(found, i)) >= 0; ++i)
        JG_TRY(add_member(draft, slot, group, &member));
    for (int i = 0; plan_attention_input(found, i, &slot, &input); ++i)
        if (slot >= 0 && !node_has_storage(node_at(draft, slot)->inputs[input]))
            JG_TRY(want(draft, slot, node_at(draft, slot), input));
    return JG_OK;
}

/* The group that takes in the slot: the group of its users, which then no longer load it, or
 * another one.
 * gives: *group where out->map is not NULL | raises: NOMEM */
static jg_status find_group(plan_draft *draft, int slot, bool fusing, int *group, membership *out)
{
    const jg_array *x = node_at(draft, slot);
    plan_node *node = &draft->nodes[slot];
    *group = node->wanted;
    *out = (membership){0};
    if (fusing)
        JG_TRY(find_membership(draft, node, x, out));
    node->output = x->stored || node->shared || out->map == NULL;
    if (out->map != NULL)
        draft_groups(draft)[*group].narguments -= 1;
    if (out->map != NULL || !fusing)
        return JG_OK;
    JG_TRY(find_beside(draft, slot, x, group, out));
    if (out->map == NULL || *group == node->wanted)
        return JG_OK;
    draft_groups(draft)[*group].sources |= node->sources;
    draft_groups(draft)[*group].nresults += node->nresults;
    return JG_OK;
}

/* Puts the slot, and other results of its call, in the group that takes it in, or in one of their
 * own. */
static jg_status join_group(plan_draft *draft, int slot, bool fusing)
{
    membership member;
    int group;
    JG_TRY(find_group(draft, slot, fusing, &group, &member));
    if (member.map != NULL)
        JG_TRY(add_member(draft, slot, group, &member));
    else
        JG_TRY(start_group(draft, slot, node_at(draft, slot)));
    return add_results(draft, slot);
}

static jg_status want_inputs(plan_draft *draft, int slot)
{
    const jg_array *x = node_at(draft, slot);
    for (int i = 0; i < x->ninputs; ++i)
        if (!node_has_storage(x->inputs[i]))
            JG_TRY(want(draft, slot, x, i));
    return JG_OK;
}

/* Groups the slot and tells its inputs that they are wanted. Called from the last slot to the
 * first. Results of a call other than the first are grouped with the first. */
static jg_status group_node(plan_draft *draft, int slot, bool fusing)
{
    const jg_array *x = node_at(draft, slot);
    const plan_node *node = &draft->nodes[slot];
    if (node_has_storage(x) || node->leader != slot || node->group >= 0)
        return JG_OK;
    JG_TRY(join_group(draft, slot, fusing));
    if (fusing && x->primitive == PRIMITIVE_matmul)
        JG_TRY(join_attention(draft, x));
    const plan_group *own = &draft_groups(draft)[node->group];
    return own->attention != NULL || own->halves ? JG_OK : want_inputs(draft, slot);
}

jg_status draft_make_groups(plan_draft *draft, const graph_walk *walk, bool fusing)
{
    int count = walk_count(walk);
    *draft = (plan_draft){.walk = walk};
    draft->nodes = base_alloc((size_t)count * sizeof *draft->nodes);
    if (draft->nodes == NULL)
        return base_nomem((size_t)count * sizeof *draft->nodes, "a plan");
    draft_survey(draft);
    for (int i = count - 1; i >= 0; --i)
        JG_TRY(group_node(draft, i, fusing));
    return JG_OK;
}

void draft_clear(plan_draft *draft)
{
    plan_arena_clear(&draft->arena);
    vec_clear(&draft->groups);
    base_free(draft->nodes);
    *draft = (plan_draft){0};
}
