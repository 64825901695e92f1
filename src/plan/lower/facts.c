/* SPDX-License-Identifier: Apache-2.0 */
/* The size of a launch in a few numbers: its ops, its index space, the bytes that it moves and its
 * arithmetic. They are computed when the plan is made, and traces show them.
 *
 * Bytes are those that must be moved at least: each value that is read or written counts once, and
 * a broadcast axis counts one element. Flops are one for each element and op; two for each
 * multiplication of a matrix product; 0 where they are not known. */
#include "plan/steps.h"
#include <string.h>

static const jg_array *node_of(const plan_draft *draft, int slot)
{
    return walk_nodes(draft->walk)[slot];
}

/* Bytes that x lies in. An empty array may have extents that no product holds. */
static int64_t nbytes_of(const jg_array *x)
{
    int64_t count = x->size != 0;
    for (int i = 0; i < x->ndim && count != 0; ++i)
        if (node_strides(x)[i] != 0)
            count *= node_shape(x)[i];
    return count * (int64_t)dtype_itemsize((jg_dtype)x->dtype);
}

/* Several operands may read one slot at different offsets: it counts once. */
static bool is_first_mention(const plan_launch *launch, int operand)
{
    for (int i = 0; i < operand; ++i)
        if (launch->operands[i].slot == launch->operands[operand].slot)
            return false;
    return true;
}

static void count_bytes(const plan_draft *draft, const plan_group *group, const plan_launch *launch,
                        plan_launch_facts *facts)
{
    int own = draft->nodes[group->root].group;
    for (int i = 0; i < launch->noperands; ++i) {
        int slot = launch->operands[i].slot;
        if (slot < 0 || !is_first_mention(launch, i))
            continue;
        bool written = draft->nodes[slot].group == own;
        *(written ? &facts->bytes_written : &facts->bytes_read) += nbytes_of(node_of(draft, slot));
    }
}

/* Ops that only move or create elements count as no arithmetic. */
static bool computes(const jg_array *x)
{
    return x->ninputs > 0 && x->primitive != PRIMITIVE_copy && x->primitive != PRIMITIVE_cast;
}

/* A reduction's arithmetic is that of its input's elements. */
static void count_members(const plan_draft *draft, const plan_group *group,
                          plan_launch_facts *facts)
{
    for (int slot = group->first; slot >= 0; slot = draft->nodes[slot].next) {
        const jg_array *x = node_of(draft, slot);
        if (x->primitive == PRIMITIVE_full)
            continue;
        if (facts->nnodes < FACTS_OPS)
            facts->labels[facts->nnodes] = x->label;
        facts->nnodes += 1;
        facts->roles |= (uint8_t)(1u << x->role);
        if (computes(x))
            facts->flops += (double)(node_is_reduction(x) ? x->inputs[0]->size : x->size);
    }
}

jg_status facts_collect(const plan_draft *draft, const plan_group *group, plan_launch *launch)
{
    const jg_array *root = node_of(draft, group->root);
    size_t nbytes = sizeof(plan_launch_facts) + (size_t)group->ndim * sizeof(int64_t);
    plan_launch_facts *facts = base_alloc_zeroed(nbytes);
    if (facts == NULL)
        return base_nomem(nbytes, "a plan");
    facts->dtype = root->dtype;
    facts->ndim = group->ndim;
    facts->nreductions = group->nreductions;
    facts->reduced = group->reduced;
    memcpy(facts->shape, group->shape, (size_t)group->ndim * sizeof *facts->shape);
    count_bytes(draft, group, launch, facts);
    count_members(draft, group, facts);
    launch->kind->describe(launch, facts);
    launch->facts = facts;
    return JG_OK;
}

void facts_write_name(const plan_launch_facts *facts, base_text *text)
{
    if (facts->nnodes == 0)
        text_add(text, "%s", op_name(JG_OP_full));
    int shown = int_min(facts->nnodes, FACTS_OPS);
    for (int i = 0; i < shown; ++i)
        text_add(text, i ? "+%s" : "%s", op_name((jg_op)facts->labels[i]));
    if (shown < facts->nnodes)
        text_add(text, "+%d more", facts->nnodes - shown);
}

const char *facts_roles(const plan_launch_facts *facts)
{
    static const char *const words[] = {"",
                                        "tangents",
                                        "cotangents",
                                        "tangents and cotangents",
                                        "recomputed",
                                        "tangents, recomputed",
                                        "cotangents, recomputed",
                                        "tangents and cotangents, recomputed"};
    return words[facts->roles >> NODE_TANGENT & 7];
}

void facts_write_attributes(const plan_launch_facts *facts, base_text *text)
{
    primitive_print_attributes((jg_primitive)facts->primitive, &facts->attributes, text);
}

void facts_write_members(const plan_launch_facts *facts, base_text *text)
{
    text_add(text, "\"shape\":\"");
    text_add_extents(text, facts->ndim, facts->shape);
    text_add(text, "\",\"dtype\":\"%s\",\"ops\":%d", dtype_rows[facts->dtype].name, facts->nnodes);
    if (primitive_rows[facts->primitive].nattributes > 0) {
        text_add(text, ",\"attributes\":\"");
        facts_write_attributes(facts, text);
        text_add(text, "\"");
    }
    if (facts_roles(facts)[0] != '\0')
        text_add(text, ",\"of\":\"%s\"", facts_roles(facts));
    text_add(text, ",\"bytes_read\":%lld,\"bytes_written\":%lld,\"flops\":%.0f",
             (long long)facts->bytes_read, (long long)facts->bytes_written, facts->flops);
}
