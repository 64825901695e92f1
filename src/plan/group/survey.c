/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about each node of a walk that are found before nodes are grouped; inputs come first.
 * group.c decides by them. */
#include "plan/steps.h"
#include <limits.h>

/* Results of one call, which come one after the other in a walk, are computed by one launch. It is
 * grouped with the first of them, below which all that it reads lies. A result that is alone has no
 * family. */
static int leader_of(const plan_draft *draft, int slot)
{
    jg_array *const *nodes = walk_nodes(draft->walk);
    const jg_array *x = nodes[slot], *before = slot > 0 ? nodes[slot - 1] : x;
    if (x->nresults == 0 || node_has_storage(x) || before->nresults == 0 ||
        node_has_storage(before) || x->family == NULL || before->family != x->family || before == x)
        return slot;
    return draft->nodes[slot - 1].leader;
}

/* The node by itself, in no group and with no user. */
static void begin_node(plan_draft *draft, int slot, plan_constants *constants)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    plan_node *node = &draft->nodes[slot];
    *node = (plan_node){.group = -1, .next = -1, .wanted = PLAN_WANTED_BY_NONE, .last_use = -1};
    node->lowest_user = INT_MAX;
    node->highest_user = -1;
    node->nroutines = (slot > 0 ? draft->nodes[slot - 1].nroutines : 0) +
                      (!node_has_storage(x) && draft_kind_of(x) == GROUP_ROUTINE);
    node->leader = leader_of(draft, slot);
    node->constant = plan_constant_of(constants, x);
}

static void count_reads(plan_draft *draft, const jg_array *x)
{
    for (int i = 0; i < x->ninputs && !node_has_storage(x); ++i)
        draft->nodes[walk_slot(x->inputs[i])].nreads += 1;
}

/* The values that the node depends on. A result of a launch of its own depends only on itself. */
static void find_sources(plan_draft *draft, int slot)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    plan_node *node = &draft->nodes[slot];
    bool fused = !node_has_storage(x) && draft_kind_of(x) == GROUP_PROGRAM;
    node->sources = fused ? 0 : 1ull << (slot & 63);
    node->reduces = fused && node_is_reduction(x);
    node->uniform =
        fused && !node->reduces && (!node_is_generator(x) || x->primitive == PRIMITIVE_full);
    node->nresults = fused && x->stored;
    for (int i = 0; i < x->ninputs && fused; ++i) {
        const plan_node *input = &draft->nodes[walk_slot(x->inputs[i])];
        node->sources |= input->sources;
        node->nresults += input->nresults;
        node->reduces |= input->reduces;
        node->uniform = node->uniform && input->uniform;
    }
    if (node->nresults > PLAN_MAX_ARGUMENTS)
        node->nresults = PLAN_MAX_ARGUMENTS;
}

void draft_survey(plan_draft *draft)
{
    plan_constants constants = {0};
    for (int slot = 0; slot < walk_count(draft->walk); ++slot) {
        begin_node(draft, slot, &constants);
        count_reads(draft, walk_nodes(draft->walk)[slot]);
        find_sources(draft, slot);
        plan_remake_survey(draft, slot);
    }
}
