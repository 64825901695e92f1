/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: affine maps between index spaces, and the memory that they lie in. */
#ifndef JG_PLAN_INDEX_MAP_H
#define JG_PLAN_INDEX_MAP_H

#include "graph/graph.h"

/* Index i of the source space goes to origin[k] + sum over d of i[d] * steps[d * to + k]. Axes of
 * the source space from `from` on are ignored: spaces grow. */
typedef struct plan_index_map {
    int from, to;    /* the number of axes on either side */
    int64_t *origin; /* to */
    int64_t *steps;  /* from * to; right behind origin, as plan_map_equal relies on */
} plan_index_map;

/* A bump allocator for objects that live as long as a draft. Zero-initialised is empty. */
typedef struct plan_arena {
    struct arena_block *first; /* the block that is allocated from; full blocks follow it */
    size_t used;               /* bytes of the first */
} plan_arena;

/* Memory that lasts until plan_arena_clear, which frees all of it. gives: borrowed; NULL
 * when out of memory */
void *plan_arena_alloc(plan_arena *arena, size_t nbytes);
void plan_arena_clear(plan_arena *arena);

/* Each gives a map in the arena. plan_map_zero leads everywhere to index 0; others start from it.
 * raises: NOMEM */
jg_status plan_map_zero(plan_arena *arena, int from, int to, plan_index_map **out);
jg_status plan_map_identity(plan_arena *arena, int ndim, plan_index_map **out);
/* From indices of `shape` to those of x broadcast to it. */
jg_status plan_map_broadcast(plan_arena *arena, int ndim, const int64_t *shape, const jg_array *x,
                             plan_index_map **out);
/* From indices of the view to those of its root; NULL where that is not affine. */
jg_status plan_map_view(plan_arena *arena, const jg_array *view, plan_index_map **out);
/* Through first and then second, which leads from where first leads to. */
jg_status plan_map_compose(plan_arena *arena, const plan_index_map *first,
                           const plan_index_map *second, plan_index_map **out);
/* Whether they lead to the same indices; one made before the space grew ignores the axes added. */
bool plan_map_equal(const plan_index_map *a, const plan_index_map *b);

#endif
