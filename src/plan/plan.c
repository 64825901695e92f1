/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: the launches of all groups in order. */
#include "plan/device/code.h"
#include "plan/steps.h"
#include <string.h>

/* Set once, before anything is planned. */
static const program_executor *executor;
static plan_takes *takes_product;
static const plan_launch_kinds *kinds;

void plan_set_executor(const program_executor *tier)
{
    executor = tier;
}

void plan_set_tiers(const program_executor *tier, const jg_routine *const *routines)
{
    plan_set_executor(tier);
    plan_lower_set_routines(routines);
}

void plan_set_launches(const plan_launch_kinds *all)
{
    kinds = all;
}

void plan_set_products(plan_takes *takes)
{
    takes_product = takes;
}

bool plan_product_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    return takes_product(dtype, m, n, k);
}

static jg_status alloc_arrays(jg_plan *plan, int nslots, int nlaunches)
{
    plan->slots = base_alloc_zeroed((size_t)nslots * sizeof *plan->slots);
    plan->launches = base_alloc_zeroed((size_t)nlaunches * sizeof *plan->launches);
    plan->temps = base_alloc_zeroed((size_t)nslots * sizeof *plan->temps); /* at most one a slot */
    if (plan->slots == NULL || plan->launches == NULL || plan->temps == NULL)
        return base_nomem((size_t)nslots * sizeof *plan->slots, "a plan");
    plan->nslots = nslots;
    return JG_OK;
}

/* The size in bytes of every value in memory is checked here, as lowering multiplies strides by
 * bytes unchecked. */
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

static jg_status lower_body(plan_draft *draft, const plan_group *group, plan_launch *launch)
{
    bool is_routine = group->kind == GROUP_ROUTINE;
    launch->kind = is_routine ? kinds->routine : kinds->program;
    if (is_routine) {
        JG_TRY(group->attention != NULL ? plan_attention_lower(draft, group->attention, launch)
                                        : plan_lower_routine(draft, group, launch));
    } else {
        launch->program.executor = executor;
        JG_TRY(plan_lower_group(draft, group, launch));
    }
    if (plan_code_is_taken(launch->code))
        launch->kind = is_routine ? kinds->device_routine : kinds->device_program;
    return JG_OK;
}

static jg_status lower(jg_plan *plan, plan_draft *draft, const plan_group *group)
{
    JG_TRY(check_storable(draft, group));
    /* Counted before it is complete: plan_release clears what a failure leaves. */
    plan_launch *launch = &plan->launches[plan->nlaunches++];
    JG_TRY(lower_body(draft, group, launch));
    JG_TRY(facts_collect(draft, group, launch));
    if (launch->kind == kinds->program && launch->program.shared_nbytes > plan->shared_nbytes)
        plan->shared_nbytes = launch->program.shared_nbytes;
    draft->leads = launch->kind->leads != NULL ? launch->kind->leads(launch) : -1;
    plan->nscalars += launch->nscalars;
    plan->may_fail |= launch->kind->may_fail;
    if (__builtin_add_overflow(plan->work, launch->work, &plan->work))
        plan->work = INT64_MAX;
    return JG_OK;
}

/* An operand of the follower that is read in the order of what it follows, of elements as large;
 * -1 for none. */
static int find_beside(const plan_draft *draft, const plan_launch *follower, int slot)
{
    jg_array *const *nodes = walk_nodes(draft->walk);
    size_t itemsize = dtype_itemsize((jg_dtype)nodes[slot]->dtype);
    for (int i = 0; i < follower->noperands; ++i) {
        int other = follower->operands[i].slot;
        if (other >= 0 && other != slot && follower->program.in_order >> i & 1 &&
            !follower->kind->writes(follower, i) &&
            dtype_itemsize((jg_dtype)nodes[other]->dtype) == itemsize)
            return i;
    }
    return -1;
}

/* A program that comes right after a routine runs for the elements that are complete. */
static void link_followers(jg_plan *plan, const plan_draft *draft)
{
    for (int i = 0; i + 1 < plan->nlaunches; ++i) {
        plan_launch *launch = &plan->launches[i], *next = launch + 1;
        const plan_group *group = &draft_groups(draft)[plan->nlaunches - 2 - i];
        int slot = launch->kind->leads != NULL ? launch->kind->leads(launch) : -1;
        if (slot < 0 || next->kind->follows == NULL)
            continue;
        if (group->size == walk_nodes(draft->walk)[slot]->size)
            launch->follower_unit = next->kind->follows(next, slot);
        if (launch->follower_unit > 0)
            launch->beside = find_beside(draft, next, slot);
    }
}

static bool has_due(const jg_plan *plan)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        const plan_launch *launch = &plan->launches[i];
        if (launch->kind->is_due != NULL && launch->kind->is_due(launch))
            return true;
    }
    return false;
}

static jg_status fill(jg_plan *plan, plan_draft *draft)
{
    int ngroups = draft_group_count(draft);
    JG_TRY(alloc_arrays(plan, walk_count(draft->walk), ngroups));
    draft->leads = -1;
    for (int i = ngroups - 1; i >= 0; --i)
        JG_TRY(lower(plan, draft, &draft_groups(draft)[i]));
    link_followers(plan, draft);
    plan->due = has_due(plan);
    JG_TRY(plan_store_slots(plan, draft));
    return plan_find_series(plan);
}

/* The walk's slot instead of the one that the node had while it was planned. */
static void renumber_launch(plan_launch *launch, jg_array *const *nodes)
{
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot >= 0)
            launch->operands[i].slot = (int)nodes[launch->operands[i].slot]->slot;
    for (int i = 0; i < launch->nscalars; ++i)
        launch->scalars[i].slot = (int)nodes[launch->scalars[i].slot]->slot;
}

/* nodes: in the order in which they were planned; they have the walk's slots again. */
static jg_status renumber(jg_plan *plan, jg_array *const *nodes)
{
    size_t nbytes = (size_t)plan->nslots * sizeof *plan->slots;
    plan_slot *slots = base_alloc(nbytes);
    if (slots == NULL)
        return base_nomem(nbytes, "a plan");
    for (int i = 0; i < plan->nslots; ++i) {
        plan_slot *slot = &slots[nodes[i]->slot];
        *slot = plan->slots[i];
        if (slot->kind == SLOT_SHARED)
            slot->home = (int)nodes[slot->home]->slot;
    }
    base_free(plan->slots);
    plan->slots = slots;
    int *donors = (int *)(void *)plan->donors.data;
    for (size_t i = 0; i < plan->donors.nbytes / sizeof *donors; ++i)
        donors[i] = (int)nodes[donors[i]]->slot;
    for (int i = 0; i < plan->nlaunches; ++i)
        renumber_launch(&plan->launches[i], nodes);
    return JG_OK;
}

static jg_status make(jg_plan *plan, const graph_walk *walk, graph_walk *ordered, bool fusing)
{
    plan_draft draft;
    jg_status status = draft_make_groups(&draft, ordered, fusing);
    if (status == JG_OK && graph_verifies)
        status = draft_verify(&draft);
    if (status == JG_OK)
        status = fill(plan, &draft);
    draft_clear(&draft);
    JG_TRY(status);
    if (order_is_new(walk, ordered)) {
        walk_renumber(walk);
        JG_TRY(renumber(plan, walk_nodes(ordered)));
    }
    if (graph_verifies)
        JG_TRY(plan_verify(plan));
    return plan_list_slots(plan);
}

jg_status plan_make(const graph_walk *walk, bool fusing, jg_plan **out)
{
    graph_walk ordered;
    jg_plan *plan = base_alloc_zeroed(sizeof *plan);
    if (plan == NULL)
        return base_nomem(sizeof *plan, "a plan");
    atomic_init(&plan->refs, 1);
    plan->device = walk->device;
    jg_status status = order_begin(walk, &ordered);
    if (status == JG_OK)
        status = make(plan, walk, &ordered, fusing);
    order_end(walk, &ordered);
    if (status == JG_OK)
        *out = plan;
    else
        plan_release(plan);
    return status;
}

bool plan_is_due(jg_plan *plan)
{
    if (JG_UNLIKELY(plan->due))
        plan->due = has_due(plan);
    return plan->due;
}

static void clear_launch(plan_launch *launch)
{
    launch->kind->release(launch);
    plan_code_release(launch->code);
    base_free(launch->operands);
    base_free(launch->scalars);
    base_free(launch->facts);
}

jg_plan *plan_retain(jg_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
    return plan;
}

void plan_release(jg_plan *plan)
{
    if (plan == NULL || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
        return;
    device_sequence_clear(device_at(plan->device), &plan->sequence);
    for (int i = 0; i < plan->nlaunches; ++i)
        clear_launch(&plan->launches[i]);
    base_free(plan->launches);
    base_free(plan->slots);
    base_free(plan->leaves);
    base_free(plan->temps);
    vec_clear(&plan->donors);
    base_free(plan->key);
    base_free(plan);
}
