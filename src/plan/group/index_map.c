/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps between index spaces, from a group's space to those of its nodes' inputs, and the
 * arena that holds the small objects of a draft. */
#include "plan/draft.h"
#include <string.h>

enum { ARENA_BLOCK = 64 << 10 }; /* bytes; larger things get a block of their own */

struct arena_block {
    struct arena_block *next;
    size_t capacity;
    max_align_t bytes[];
};

static struct arena_block *add_block(plan_arena *arena, size_t nbytes)
{
    size_t capacity = size_max(nbytes, ARENA_BLOCK);
    struct arena_block *block = base_alloc(sizeof *block + capacity);
    if (block == NULL)
        return NULL;
    block->next = arena->first;
    block->capacity = capacity;
    arena->first = block;
    arena->used = 0;
    return block;
}

void *plan_arena_alloc(plan_arena *arena, size_t nbytes)
{
    nbytes = size_round_up(nbytes, sizeof(max_align_t));
    struct arena_block *block = arena->first;
    if (block == NULL || block->capacity - arena->used < nbytes)
        block = add_block(arena, nbytes);
    if (block == NULL)
        return NULL;
    void *out = (char *)block->bytes + arena->used;
    arena->used += nbytes;
    return out;
}

void plan_arena_clear(plan_arena *arena)
{
    while (arena->first != NULL) {
        struct arena_block *block = arena->first;
        arena->first = block->next;
        base_free(block);
    }
    arena->used = 0;
}

jg_status plan_map_zero(plan_arena *arena, int from, int to, plan_index_map **out)
{
    size_t count = (size_t)to + (size_t)from * (size_t)to;
    plan_index_map *map = plan_arena_alloc(arena, sizeof *map + count * sizeof(int64_t));
    if (map == NULL)
        return base_nomem(sizeof *map, "a plan");
    map->from = from;
    map->to = to;
    map->origin = (int64_t *)(void *)(map + 1);
    map->steps = map->origin + to;
    memset(map->origin, 0, count * sizeof(int64_t));
    *out = map;
    return JG_OK;
}

jg_status plan_map_identity(plan_arena *arena, int ndim, plan_index_map **out)
{
    JG_TRY(plan_map_zero(arena, ndim, ndim, out));
    for (int i = 0; i < ndim; ++i)
        (*out)->steps[i * ndim + i] = 1;
    return JG_OK;
}

/* Axes are aligned at the end, as NumPy does; along one that is broadcast nothing moves. */
jg_status plan_map_broadcast(plan_arena *arena, int ndim, const int64_t *shape, const jg_array *x,
                             plan_index_map **out)
{
    JG_TRY(plan_map_zero(arena, ndim, x->ndim, out));
    for (int k = 0; k < x->ndim; ++k) {
        int axis = k + ndim - x->ndim;
        (*out)->steps[axis * x->ndim + k] = x->dims[k] == shape[axis];
    }
    return JG_OK;
}

jg_status plan_map_view(plan_arena *arena, const jg_array *view, plan_index_map **out)
{
    const jg_array *root = node_root(view);
    jg_layout layout;
    plan_index_map *map;
    bool affine;
    JG_TRY(plan_map_zero(arena, view->ndim, root->ndim, &map));
    node_layout(view, &layout);
    layout_decompose(&layout, root->ndim, node_shape(root), map->origin, map->steps, &affine);
    *out = affine ? map : NULL;
    return JG_OK;
}

/* A product of matrices, with the origins carried along. */
jg_status plan_map_compose(plan_arena *arena, const plan_index_map *first,
                           const plan_index_map *second, plan_index_map **out)
{
    plan_index_map *map;
    int through = first->to, to = second->to;
    JG_TRY(plan_map_zero(arena, first->from, to, &map));
    memcpy(map->origin, second->origin, (size_t)to * sizeof *map->origin);
    for (int j = 0; j < through; ++j)
        for (int k = 0; k < to; ++k)
            map->origin[k] += first->origin[j] * second->steps[j * to + k];
    for (int d = 0; d < first->from; ++d)
        for (int j = 0; j < through; ++j)
            for (int k = 0; k < to; ++k)
                map->steps[d * to + k] += first->steps[d * through + j] * second->steps[j * to + k];
    *out = map;
    return JG_OK;
}

bool plan_map_equal(const plan_index_map *a, const plan_index_map *b)
{
    const plan_index_map *longer = a->from > b->from ? a : b;
    int from = a->from < b->from ? a->from : b->from;
    size_t count = (size_t)a->to * (size_t)(from + 1);
    if (a == b)
        return true;
    if (a->to != b->to || memcmp(a->origin, b->origin, count * sizeof *a->origin) != 0)
        return false;
    for (int i = from * a->to; i < longer->from * a->to; ++i)
        if (longer->steps[i] != 0)
            return false;
    return true;
}

jg_status draft_map_input(plan_draft *draft, const plan_index_map *map, const jg_array *x,
                          int input, const plan_index_map **out)
{
    const jg_array *read = x->inputs[input];
    plan_index_map *edge, *whole;
    *out = map;
    if (x->ndim == read->ndim &&
        memcmp(x->dims, read->dims, (size_t)x->ndim * sizeof *x->dims) == 0)
        return JG_OK;
    JG_TRY(plan_map_broadcast(&draft->arena, x->ndim, x->dims, read, &edge));
    JG_TRY(plan_map_compose(&draft->arena, map, edge, &whole));
    *out = whole;
    return JG_OK;
}

jg_status draft_input_map(plan_draft *draft, int slot, int input, const plan_index_map **out)
{
    const plan_node *node = &draft->nodes[slot];
    if (node->reads == NULL)
        return draft_map_input(draft, node->map, walk_nodes(draft->walk)[slot], input, out);
    *out = node->reads;
    return JG_OK;
}

jg_status draft_look_through(plan_draft *draft, const jg_array *read, const plan_index_map *map,
                             const plan_index_map **out)
{
    plan_index_map *view, *whole = NULL;
    *out = map;
    if (read->primitive != PRIMITIVE_view)
        return JG_OK;
    *out = NULL;
    if (read->dtype != node_root(read)->dtype)
        return JG_OK;
    JG_TRY(plan_map_view(&draft->arena, read, &view));
    if (view != NULL)
        JG_TRY(plan_map_compose(&draft->arena, map, view, &whole));
    *out = whole;
    return JG_OK;
}

jg_status draft_root_map(plan_draft *draft, int slot, int input, const plan_index_map **out)
{
    JG_TRY(draft_input_map(draft, slot, input, out));
    return draft_look_through(draft, walk_nodes(draft->walk)[slot]->inputs[input], *out, out);
}
