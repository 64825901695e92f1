/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: the launches of all groups in order, and where each value that passes between them
 * lies. */
#include "fuse/plan.h"
#include <string.h>

static const jg_executor *executor;

void plan_set_executor(const jg_executor *tier)
{
    executor = tier;
}

/* ---- making ---- */

static jg_status alloc_arrays(fuse_plan *plan, int nslots, int nlaunches)
{
    plan->slots = base_alloc_zeroed((size_t)nslots * sizeof *plan->slots);
    plan->launches = base_alloc_zeroed((size_t)nlaunches * sizeof *plan->launches);
    plan->temps = base_alloc_zeroed((size_t)nslots * sizeof *plan->temps);
    if (plan->slots == NULL || plan->launches == NULL || plan->temps == NULL)
        return base_nomem((size_t)nslots * sizeof *plan->slots, "a plan");
    plan->nslots = nslots;
    return JG_OK;
}

/* Roots ascend with the launches, and a group reads only slots below its root. */
static void find_last_uses(plan_draft *draft, const fuse_plan *plan)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        const plan_launch *launch = &plan->launches[i];
        for (int j = 0; j < launch->noperands; ++j)
            if (launch->operands[j].slot >= 0)
                draft->nodes[launch->operands[j].slot].last_use = i;
    }
}

/* A free temporary of the size's class, or a new one. free_at[t] is the first launch that may have
 * it. */
static int take_temp(fuse_plan *plan, const int *free_at, int launch, size_t nbytes)
{
    int size_class = cache_class_of(nbytes);
    for (int t = plan->ntemps - 1; t >= 0 && t >= plan->ntemps - 64; --t) {
        if (free_at[t] > launch || cache_class_of(plan->temps[t]) != size_class)
            continue;
        if (plan->temps[t] < nbytes)
            plan->temps[t] = nbytes;
        return t;
    }
    plan->temps[plan->ntemps] = nbytes;
    return plan->ntemps++;
}

/* The product that the launch follows block by block, or NULL. The two run at the same time: what
 * the product reads must not be written by either. */
static const plan_launch *product_before(const fuse_plan *plan, int launch)
{
    if (launch == 0 || plan->launches[launch - 1].epilogue_unit == 0)
        return NULL;
    return &plan->launches[launch - 1];
}

/* The slots whose memory an output of the launch may have, as a bit set of operands. */
static uint32_t find_in_place(const fuse_plan *plan, int index, int slot)
{
    const plan_launch *launch = &plan->launches[index], *product = product_before(plan, index);
    uint32_t found = 0;
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot == slot)
            found |= launch->operands[i].in_place;
    for (int i = 0; i < launch->noperands && product != NULL; ++i)
        if (launch->operands[i].slot == product->operands[0].slot ||
            launch->operands[i].slot == product->operands[1].slot)
            found &= ~(1u << i);
    return found;
}

/* A temporary that the launch reads where it writes the slot, and that nobody reads after it; -1 if
 * there is none, or another output has it. */
static int take_over_temp(const fuse_plan *plan, int slot, int launch, const int *free_at)
{
    const plan_launch *own = &plan->launches[launch];
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        const plan_slot *read = &plan->slots[own->operands[__builtin_ctz(set)].slot];
        if (read->kind == SLOT_TEMP && free_at[read->temp] == launch + 1)
            return read->temp;
    }
    return -1;
}

/* The leaves that nobody reads after this launch: whether one is there for the taking is known when
 * the plan is run. */
static jg_status find_donors(fuse_plan *plan, const plan_draft *draft, int slot, int launch)
{
    const plan_launch *own = &plan->launches[launch];
    plan_slot *place = &plan->slots[slot];
    place->first = (int)(plan->donors.nbytes / sizeof(int));
    for (uint32_t set = find_in_place(plan, launch, slot); set != 0; set &= set - 1) {
        int read = own->operands[__builtin_ctz(set)].slot;
        if (plan->slots[read].kind != SLOT_LEAF || draft->nodes[read].last_use != launch)
            continue;
        JG_TRY(vec_append(&plan->donors, &read, sizeof read));
        place->ndonors += 1;
    }
    return JG_OK;
}

static jg_status place_slot(fuse_plan *plan, const plan_draft *draft, int slot, int launch,
                            int *free_at)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    plan_slot *place = &plan->slots[slot];
    size_t nbytes;
    JG_TRY(dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes));
    if (x->stored) {
        *place = (plan_slot){.kind = SLOT_STORED, .nbytes = nbytes};
        return find_donors(plan, draft, slot, launch);
    }
    int temp = take_over_temp(plan, slot, launch, free_at);
    if (temp < 0)
        temp = take_temp(plan, free_at, launch - (product_before(plan, launch) != NULL), nbytes);
    free_at[temp] = draft->nodes[slot].last_use + 1;
    *place = (plan_slot){.kind = SLOT_TEMP, .temp = temp};
    return JG_OK;
}

static jg_status place_launch(fuse_plan *plan, const plan_draft *draft, int index, int *free_at)
{
    const plan_group *group = &draft_groups(draft)[draft_group_count(draft) - 1 - index];
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        plan->slots[slot].kind = SLOT_FUSED;
        if (draft->nodes[slot].output)
            JG_TRY(place_slot(plan, draft, slot, index, free_at));
    }
    return JG_OK;
}

static jg_status place_all(fuse_plan *plan, plan_draft *draft)
{
    int *free_at = base_alloc_zeroed((size_t)plan->nslots * sizeof *free_at);
    if (free_at == NULL)
        return base_nomem((size_t)plan->nslots * sizeof *free_at, "a plan");
    find_last_uses(draft, plan);
    jg_status status = JG_OK;
    for (int i = 0; i < plan->nlaunches && status == JG_OK; ++i)
        status = place_launch(plan, draft, i, free_at);
    base_free(free_at);
    return status;
}

/* What goes to memory must have a size in bytes: lowering multiplies strides by bytes unchecked. */
static jg_status check_storable(const plan_draft *draft, const plan_group *group)
{
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        const jg_array *x = walk_nodes(draft->walk)[slot];
        size_t nbytes;
        if (draft->nodes[slot].output)
            JG_TRY(dtype_nbytes((jg_dtype)x->dtype, x->size, &nbytes));
    }
    return JG_OK;
}

static jg_status lower(fuse_plan *plan, plan_draft *draft, const plan_group *group)
{
    JG_TRY(check_storable(draft, group));
    plan_launch *launch = &plan->launches[plan->nlaunches++];
    launch->executor = executor;
    if (group->kind == GROUP_MATMUL)
        JG_TRY(lower_matmul(draft, group, launch));
    else if (group->kind == GROUP_ROUTINE)
        JG_TRY(lower_routine(draft, group, launch));
    else
        JG_TRY(lower_group(draft, group, launch));
    JG_TRY(facts_collect(draft, group, launch));
    plan->nscalars += launch->nscalars;
    plan->may_fail |= launch->code == NULL;
    if (__builtin_add_overflow(plan->work, launch->work, &plan->work))
        plan->work = INT64_MAX;
    return JG_OK;
}

/* A program that comes right after a product follows it block by block if it reads the product in
 * order, wherever it reads it. */
static void link_epilogue(plan_launch *product, const plan_launch *next, int64_t size)
{
    int slot = product->operands[2].slot;
    bool reads = false, in_order = true;
    for (int i = 0; i < next->noperands; ++i) {
        if (next->operands[i].slot != slot)
            continue;
        reads = true;
        in_order = in_order && (next->in_order >> i & 1) && next->operands[i].offset_bytes == 0;
    }
    if (reads && in_order && size > 0)
        product->epilogue_unit = next->executor->unit_elements(next->code);
}

static void link_epilogues(fuse_plan *plan, const plan_draft *draft)
{
    for (int i = 0; i + 1 < plan->nlaunches; ++i) {
        plan_launch *launch = &plan->launches[i];
        const plan_group *next = &draft_groups(draft)[plan->nlaunches - 2 - i];
        if (launch->matmul == NULL || launch[1].code == NULL)
            continue;
        const jg_array *product = walk_nodes(draft->walk)[launch->operands[2].slot];
        if (next->size == product->size)
            link_epilogue(launch, &launch[1], product->size);
    }
}

static jg_status fill(fuse_plan *plan, plan_draft *draft)
{
    int ngroups = draft_group_count(draft);
    JG_TRY(alloc_arrays(plan, walk_count(draft->walk), ngroups));
    for (int i = ngroups - 1; i >= 0; --i)
        JG_TRY(lower(plan, draft, &draft_groups(draft)[i]));
    link_epilogues(plan, draft);
    return place_all(plan, draft);
}

jg_status plan_make(const graph_walk *walk, bool fusing, fuse_plan **out)
{
    plan_draft draft;
    fuse_plan *plan = base_alloc_zeroed(sizeof *plan);
    if (plan == NULL)
        return base_nomem(sizeof *plan, "a plan");
    atomic_init(&plan->refs, 1);
    jg_status status = draft_make_groups(&draft, walk, fusing);
    if (status == JG_OK)
        status = fill(plan, &draft);
    draft_clear(&draft);
    if (status == JG_OK)
        *out = plan;
    else
        plan_release(plan);
    return status;
}

/* ---- freeing ---- */

static void clear_launch(plan_launch *launch)
{
    if (launch->code != NULL)
        launch->executor->release(launch->code);
    base_free(launch->matmul);
    base_free(launch->routine);
    base_free(launch->operands);
    base_free(launch->scalars);
    base_free(launch->facts);
}

void plan_release(fuse_plan *plan)
{
    if (plan == NULL || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < plan->nlaunches; ++i)
        clear_launch(&plan->launches[i]);
    base_free(plan->launches);
    base_free(plan->slots);
    base_free(plan->temps);
    vec_clear(&plan->donors);
    base_free(plan->key);
    base_free(plan);
}
