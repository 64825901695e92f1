/* SPDX-License-Identifier: Apache-2.0 */
/* Values that a group computes again instead of reading what another group would have to store.
 *
 * A value is remade where it is cheap: a few simple instructions on one array that lies in memory
 * anyway, and numbers. Reading that array then replaces reading the value, and the value
 * is not written. It is not remade for more indices than it has elements, unless it is made of
 * numbers alone. Bits are the same, as both groups run the same instructions. */
#include "plan/steps.h"

enum {
    NEVER = 255,    /* plan_remake.steps */
    MAX_STEPS = 8,  /* instructions that lead to one value */
    MAX_REMADE = 12 /* of a group; lowering has room for as many nodes besides the MAX_NODES of
                       group.c */
};

/* Adds the instructions of an input to those of its user. */
static void add_input(const plan_draft *draft, const jg_array *input, plan_remake *made)
{
    int slot = (int)walk_slot(input);
    plan_remake of = draft->nodes[slot].remake;
    if (node_has_storage(input))
        of = (plan_remake){.leaf = slot};
    else if (input->primitive == PRIMITIVE_view)
        of.steps = NEVER;
    bool one_leaf = of.leaf < 0 || made->leaf < 0 || of.leaf == made->leaf;
    int steps = one_leaf ? made->steps + of.steps : NEVER;
    made->steps = (uint8_t)(steps <= MAX_STEPS ? steps : NEVER);
    made->numbers = (uint8_t)(made->numbers + of.numbers);
    made->leaf = of.leaf >= 0 ? of.leaf : made->leaf;
}

void plan_remake_survey(plan_draft *draft, int slot)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    plan_remake *made = &draft->nodes[slot].remake;
    *made = (plan_remake){.steps = NEVER, .leaf = -1};
    if (draft_is_number(draft, slot))
        *made = (plan_remake){.numbers = 1, .leaf = -1};
    if (node_has_storage(x) || x->ninputs == 0 ||
        (!plan_lower_is_simple(x) && !draft->nodes[slot].uniform))
        return;
    *made = (plan_remake){.steps = 1, .leaf = -1};
    for (int i = 0; i < x->ninputs && made->steps != NEVER; ++i)
        add_input(draft, x->inputs[i], made);
}

void plan_remake_note_use(plan_draft *draft, int slot, const plan_group *group,
                          const plan_index_map *map)
{
    plan_node *node = &draft->nodes[slot];
    bool is_more = walk_nodes(draft->walk)[slot]->size < group->size && !node->uniform;
    if (map == NULL || is_more)
        node->remake.steps = NEVER;
}

bool plan_remake_is_possible(const plan_draft *draft, int slot)
{
    return draft->nodes[slot].remake.steps != NEVER;
}

bool plan_remake_instead(plan_draft *draft, int slot, plan_group *group, int uses)
{
    const plan_remake *made = &draft->nodes[slot].remake;
    if (made->steps == NEVER || group->nremade + uses * made->steps > MAX_REMADE ||
        group->narguments + uses * made->numbers > PLAN_MAX_ARGUMENTS)
        return false;
    group->nremade += uses * made->steps;
    group->narguments += uses * made->numbers;
    return true;
}
