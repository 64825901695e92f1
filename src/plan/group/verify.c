/* SPDX-License-Identifier: Apache-2.0 */
/* What is true of the groups of every draft, checked where rewrites of graphs are (JOGGLE_VERIFY).
 *
 *   1. Groups are in the order of their roots, highest first.
 *   2. Each node that is computed is a member of exactly one group, in whose list it is, as the
 *      root is. A program's members ascend up to the root.
 *   3. What a member reads is of the same group or of one with a lower root, which runs before. */
#include "plan/steps.h"

static jg_status fail(int group, const char *fault, int slot)
{
    return base_fail(JG_ERR_INTERNAL, "plan: got group %d that %s slot %d, allowed is none", group,
                     fault, slot);
}

/* The group's members are marked in `seen`. */
static jg_status check_members(const plan_draft *draft, int index, bool *seen)
{
    const plan_group *group = &draft_groups(draft)[index];
    bool ascends = group->kind == GROUP_PROGRAM, has_root = false;
    int count = 0, before = -1;
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        if (seen[slot] || draft->nodes[slot].group != index)
            return fail(index, "shares", slot);
        if (ascends && (slot <= before || slot > group->root))
            return fail(index, "lists out of order", slot);
        seen[slot] = true;
        count += 1;
        before = slot;
        has_root |= slot == group->root;
    }
    return has_root && count == group->nnodes ? JG_OK
                                              : fail(index, "lacks members beside", group->root);
}

static jg_status check_inputs(const plan_draft *draft, int slot)
{
    const jg_array *x = walk_nodes(draft->walk)[slot];
    int own = draft->nodes[slot].group;
    for (int i = 0; i < x->ninputs; ++i) {
        int input = (int)walk_target(x->inputs[i])->slot, group = draft->nodes[input].group;
        if (group >= 0 && group < own)
            return fail(own, "reads before it is computed:", input);
    }
    return JG_OK;
}

static jg_status check_groups(const plan_draft *draft, bool *seen)
{
    int count = walk_count(draft->walk);
    for (int i = 0; i < draft_group_count(draft); ++i) {
        if (i > 0 && draft_groups(draft)[i].root >= draft_groups(draft)[i - 1].root)
            return fail(i, "comes too late with its root:", draft_groups(draft)[i].root);
        JG_TRY(check_members(draft, i, seen));
    }
    for (int slot = 0; slot < count; ++slot) {
        if (draft->nodes[slot].group >= 0 && !seen[slot])
            return fail(draft->nodes[slot].group, "does not list", slot);
        if (draft->nodes[slot].group >= 0)
            JG_TRY(check_inputs(draft, slot));
    }
    return JG_OK;
}

jg_status draft_verify(const plan_draft *draft)
{
    size_t nbytes = (size_t)walk_count(draft->walk) * sizeof(bool);
    bool *seen = base_alloc_zeroed(nbytes);
    if (seen == NULL)
        return base_nomem(nbytes, "the check of a plan");
    jg_status status = check_groups(draft, seen);
    base_free(seen);
    return status;
}
