/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: the launches of all groups in order. */
#include "plan/draft.h"
#include <string.h>

/* Set once, before anything is planned. */
static const jg_executor *executor;
static plan_takes *takes_product;

void plan_set_executor(const jg_executor *tier)
{
    executor = tier;
}

void plan_set_tiers(const jg_executor *tier, const jg_routine *const *routines)
{
    plan_set_executor(tier);
    plan_lower_set_routines(routines);
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

static jg_status lower(jg_plan *plan, plan_draft *draft, const plan_group *group)
{
    JG_TRY(check_storable(draft, group));
    /* Counted before it is complete: plan_release clears what a failure leaves. */
    plan_launch *launch = &plan->launches[plan->nlaunches++];
    if (group->kind == GROUP_ROUTINE) {
        launch->kind = LAUNCH_ROUTINE;
        JG_TRY(plan_lower_routine(draft, group, launch));
    } else {
        launch->program.executor = executor;
        JG_TRY(plan_lower_group(draft, group, launch));
    }
    JG_TRY(facts_collect(draft, group, launch));
    plan->nscalars += launch->nscalars;
    plan->may_fail |= launch->kind == LAUNCH_ROUTINE;
    if (__builtin_add_overflow(plan->work, launch->work, &plan->work))
        plan->work = INT64_MAX;
    return JG_OK;
}

/* Whether the units of the call cover its result one after the other, on one thread or on all: how
 * many there will be is known when it runs, which asks again. */
static bool covers_in_order(const plan_routine *plan)
{
    routine_call call = plan->call;
    int64_t first, last;
    call.followed = true; /* its threads are one while a plan is made */
    if (plan->routine->covers(&call, 0, &first, &last))
        return true;
    call.threads = pool_size();
    return plan->routine->covers(&call, 0, &first, &last);
}

/* Where the only result of a routine lies whose units cover it one after the other; -1 for
 * others. */
static int followed_slot(const plan_launch *launch)
{
    if (launch->kind != LAUNCH_ROUTINE || launch->routine->routine->covers == NULL ||
        launch->routine->call.nresults != 1)
        return -1;
    const plan_routine *routine = launch->routine;
    int result = launch->noperands - 1;
    bool covers = routine->operands[result].size > 0 && covers_in_order(routine);
    return covers ? launch->operands[result].slot : -1;
}

/* Whether the program reads the slot in order, wherever it reads it. Its other operands are
 * complete before the routine starts. */
static bool follows(const plan_launch *program, int slot)
{
    bool reads = false, in_order = true;
    for (int i = 0; i < program->noperands; ++i) {
        if (program->operands[i].slot != slot)
            continue;
        reads = true;
        in_order = in_order && (program->program.in_order >> i & 1) &&
                   program->operands[i].offset_bytes == 0;
    }
    return reads && in_order;
}

/* A program that comes right after a routine runs for those of its elements that are there. */
static void link_followers(jg_plan *plan, const plan_draft *draft)
{
    for (int i = 0; i + 1 < plan->nlaunches; ++i) {
        plan_launch *launch = &plan->launches[i];
        const plan_group *group = &draft_groups(draft)[plan->nlaunches - 2 - i];
        int slot = followed_slot(launch);
        if (slot < 0 || launch[1].kind != LAUNCH_PROGRAM || !follows(&launch[1], slot))
            continue;
        if (!plan_runs_on_host(launch) || !plan_runs_on_host(&launch[1]))
            continue;
        const plan_program *next = &launch[1].program;
        int64_t size = walk_nodes(draft->walk)[slot]->size;
        if (size > 0 && group->size == size)
            launch->follower_unit = next->executor->unit_elements(next->code);
    }
}

static bool has_due(const jg_plan *plan)
{
    for (int i = 0; i < plan->nlaunches; ++i)
        if (plan->launches[i].kind == LAUNCH_PROGRAM && heat_is_due(plan->launches[i].program.heat))
            return true;
    return false;
}

static jg_status fill(jg_plan *plan, plan_draft *draft)
{
    int ngroups = draft_group_count(draft);
    JG_TRY(alloc_arrays(plan, walk_count(draft->walk), ngroups));
    for (int i = ngroups - 1; i >= 0; --i)
        JG_TRY(lower(plan, draft, &draft_groups(draft)[i]));
    link_followers(plan, draft);
    plan->due = has_due(plan);
    return plan_place_slots(plan, draft);
}

jg_status plan_make(const graph_walk *walk, bool fusing, jg_plan **out)
{
    plan_draft draft;
    jg_plan *plan = base_alloc_zeroed(sizeof *plan);
    if (plan == NULL)
        return base_nomem(sizeof *plan, "a plan");
    atomic_init(&plan->refs, 1);
    plan->device = walk->device;
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

bool plan_is_due(jg_plan *plan)
{
    if (JG_UNLIKELY(plan->due))
        plan->due = has_due(plan);
    return plan->due;
}

static void clear_program(plan_program *program)
{
    if (program->code != NULL)
        program->executor->release(program->code);
    heat_release(program->heat);
    base_free(program->scalars);
}

static void clear_launch(plan_launch *launch)
{
    if (launch->kind == LAUNCH_ROUTINE)
        base_free(launch->routine);
    else
        clear_program(&launch->program);
    plan_code_release(launch->code);
    base_free(launch->operands);
    base_free(launch->facts);
}

void plan_release(jg_plan *plan)
{
    if (plan == NULL || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1)
        return;
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
