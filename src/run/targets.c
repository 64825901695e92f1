/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are to lie in memory of others. A run writes such a result into that memory where
 * the plan allows it: where nothing else of the run lies there, and the launch that begins the
 * result is the last one that reads the old values, element on element (the slot's donors). Other
 * results are computed elsewhere and copied.
 *
 * The evaluation lock guards what is kept between the functions. */
#include "run/targets.h"
#include "run/frame.h"
#include <stdlib.h>
#include <string.h>

enum { UNREAD = -1, NEVER = -2 };

/* An array that is asked for, by its root, and the memory that it is to have. */
typedef struct target {
    const jg_array *root; /* borrowed, as the next */
    jg_array *memory;
    int leaf; /* of the plan: the one that is the place; UNREAD, or NEVER where more lies there */
} target;

/* The bytes from low up to high are those of a target's place or of a leaf. */
typedef struct extent {
    uintptr_t low, high;
    target *owner; /* NULL of a leaf */
    int leaf;
} extent;

static base_vec listed, extents; /* target, by root; extent, by low */

static target *target_list(size_t *count)
{
    *count = listed.nbytes / sizeof(target);
    return (target *)(void *)listed.data;
}

static int compare_roots(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const target *)a)->root, y = (uintptr_t)((const target *)b)->root;
    return x < y ? -1 : x > y;
}

static int compare_extents(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Whether x, which is to be computed, will have its elements in its root's memory as they lie in
 * place: the root has no others, and the strides are the same. */
static bool lies_alike(const jg_array *x, const jg_array *memory)
{
    const jg_array *root = node_root(x);
    size_t nbytes = (size_t)x->ndim * sizeof(int64_t);
    return x->offset == root->offset && x->size == root->size && x->size > 0 &&
           x->dtype == root->dtype && memcmp(node_strides(x), node_strides(memory), nbytes) == 0;
}

jg_status run_targets_begin(int count, jg_array *const *arrays, jg_array *const *targets)
{
    listed.nbytes = 0;
    for (int i = 0; i < count; ++i) {
        if (targets[i] == NULL || node_has_storage(arrays[i]) || !lies_alike(arrays[i], targets[i]))
            continue;
        target found = {node_root(arrays[i]), targets[i], NEVER};
        JG_TRY(vec_append(&listed, &found, sizeof found));
    }
    size_t found;
    target *all = target_list(&found);
    if (found > 0)
        qsort(all, found, sizeof *all, compare_roots);
    return JG_OK;
}

void run_targets_end(void)
{
    listed.nbytes = 0;
}

static jg_status add_extent(const jg_array *x, target *owner, int leaf)
{
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    jg_layout layout;
    node_layout(x, &layout);
    layout.offset = 0; /* addresses include it */
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    if (highest < lowest)
        return JG_OK;
    uintptr_t address = (uintptr_t)node_address(x);
    extent found = {address + (uintptr_t)(lowest * itemsize),
                    address + (uintptr_t)((highest + 1) * itemsize), owner, leaf};
    return vec_append(&extents, &found, sizeof found);
}

/* Judges overlapping extents, from first up to end. If they are one target and at most one leaf,
 * owner->leaf becomes that leaf, or UNREAD. */
static void judge(const extent *first, const extent *end)
{
    target *owner = NULL;
    int ntargets = 0, nleaves = 0, leaf = UNREAD;
    for (const extent *at = first; at < end; ++at) {
        ntargets += at->owner != NULL;
        nleaves += at->owner == NULL;
        owner = at->owner != NULL ? at->owner : owner;
        leaf = at->owner == NULL ? at->leaf : leaf;
    }
    if (ntargets == 1 && nleaves <= 1)
        owner->leaf = leaf;
}

jg_status run_targets_bind(const jg_plan *plan, jg_array *const *nodes)
{
    size_t count;
    target *all = target_list(&count);
    if (JG_LIKELY(count == 0))
        return JG_OK;
    extents.nbytes = 0;
    for (size_t i = 0; i < count; ++i)
        JG_TRY(add_extent(all[i].memory, &all[i], UNREAD));
    for (int i = 0; i < plan->nleaves; ++i)
        JG_TRY(add_extent(nodes[plan->leaves[i]], NULL, plan->leaves[i]));
    extent *first = (extent *)(void *)extents.data, *end;
    size_t nextents = extents.nbytes / sizeof *first;
    qsort(first, nextents, sizeof *first, compare_extents);
    for (const extent *last = first + nextents; first < last; first = end) {
        uintptr_t high = first->high;
        for (end = first + 1; end < last && end->low < high; ++end)
            high = end->high > high ? end->high : high;
        judge(first, end);
    }
    return JG_OK;
}

static bool is_donor(const jg_plan *plan, const plan_slot *slot, int leaf)
{
    const int *donors = (const int *)(const void *)plan->donors.data; /* NULL without any */
    for (int i = 0; i < slot->ndonors; ++i)
        if (donors[slot->first + i] == leaf)
            return true;
    return false;
}

/* A place that is not read may be written early, as a result's memory is used before it, so the run
 * must not fail. Nothing but the caller's array has the memory: no other run is about to read it.
 */
static bool may_write(const jg_plan *plan, jg_array *const *nodes, const plan_slot *slot,
                      const target *to)
{
    if (to->leaf == NEVER ||
        atomic_load_explicit(&to->memory->buffer->refs, memory_order_acquire) != 1)
        return false;
    if (to->leaf == UNREAD)
        return !plan->may_fail;
    return nodes[to->leaf] == to->memory && is_donor(plan, slot, to->leaf);
}

jg_buffer *run_targets_take(run_evaluation *run, jg_array *const *nodes, int slot)
{
    size_t count;
    const target *all = target_list(&count), key = {.root = nodes[slot]};
    if (JG_LIKELY(count == 0))
        return NULL;
    const target *to = bsearch(&key, all, count, sizeof key, compare_roots);
    if (to == NULL || !may_write(run->plan, nodes, &run->plan->slots[slot], to))
        return NULL;
    if (to->leaf >= 0) {
        run->addresses[to->leaf] = to->memory->buffer->handle;
        walk_set_stored(to->memory, false); /* as nothing but the run holds it */
    }
    return buffer_retain(to->memory->buffer);
}

/* After the evaluation. A copy that reads what another one writes is not expected: arrays that had
 * their memory before were copied first. */
void run_targets_copy(const jg_array *x, const jg_array *memory)
{
    void *to = node_address(memory);
    const void *from = node_address(x);
    if (memory->size > 0 && from != to)
        copy_strided(x->ndim, node_shape(x), dtype_itemsize((jg_dtype)x->dtype), from,
                     node_strides(x), to, node_strides(memory));
}
