/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: the launches of all groups in order. */
#include "plan/draft.h"
#include <string.h>

/* Set once, before anything is planned. */
static const jg_executor *executor;
static const jg_library *library;

void plan_set_executor(const jg_executor *tier)
{
    executor = tier;
}

void plan_set_tiers(const jg_executor *tier, const jg_library *calls,
                    const jg_routine *const *routines)
{
    plan_set_executor(tier);
    library = calls;
    lower_set_routines(routines);
}

bool plan_product_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    return library->takes(dtype, m, n, k);
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

static jg_status lower(jg_plan *plan, plan_draft *draft, const plan_group *group)
{
    JG_TRY(check_storable(draft, group));
    /* Counted before it is complete: plan_release clears what a failure leaves. */
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
 * order, wherever it reads it. What else it reads was there before the product. size: elements */
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

static void link_epilogues(jg_plan *plan, const plan_draft *draft)
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

static jg_status fill(jg_plan *plan, plan_draft *draft)
{
    int ngroups = draft_group_count(draft);
    JG_TRY(alloc_arrays(plan, walk_count(draft->walk), ngroups));
    for (int i = ngroups - 1; i >= 0; --i)
        JG_TRY(lower(plan, draft, &draft_groups(draft)[i]));
    link_epilogues(plan, draft);
    return plan_place_slots(plan, draft);
}

jg_status plan_make(const graph_walk *walk, bool fusing, jg_plan **out)
{
    plan_draft draft;
    jg_plan *plan = base_alloc_zeroed(sizeof *plan);
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

static void clear_launch(plan_launch *launch)
{
    if (launch->code != NULL)
        launch->executor->release(launch->code);
    heat_release(launch->heat);
    base_free(launch->matmul);
    base_free(launch->routine);
    base_free(launch->operands);
    base_free(launch->scalars);
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
