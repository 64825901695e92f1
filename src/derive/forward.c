/* SPDX-License-Identifier: Apache-2.0 */
/* The forward sweep of a region: the computations of the kept values (needs.c), run as the kernel
 * runs them, and the stores that keep them. It writes no arrays. */
#include "derive/adjoint.h"

static bool is_in_loop(const derive_sweeps *s, uint32_t at)
{
    for (uint32_t up = s->flow.blocks[at]; up != s->region; up = s->flow.blocks[up])
        if (kernel_is_loop(sweeps_inst(s, up)->op))
            return true;
    return false;
}

/* A value of the region's own block is in scope in the reverse sweep: *out stays NONE. */
static jg_status declare_kept(derive_sweeps *s, uint32_t at, jg_dtype type, uint32_t *out)
{
    if (sweeps_is_outermost(s, at))
        return JG_OK;
    if (is_in_loop(s, at))
        return rewrite_add_stack(s->to, "kept", type, out);
    return rewrite_add_local(s->to, "kept", type, 0, out);
}

static bool is_kept(const derive_sweeps *s, const kernel_inst *inst)
{
    return inst->nvalues == 1 && !kernel_opens(inst->op) &&
           (s->flow.values[inst->first] & FLOW_KEPT);
}

jg_status sweeps_declare_kept(derive_sweeps *s, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; ++at) {
        const kernel_inst *inst = sweeps_inst(s, at);
        if (s->flow.regions[at] != s->region)
            continue;
        if (is_kept(s, inst)) {
            jg_dtype type = (jg_dtype)kernel_value_at(s->flow.kernel, inst->first)->type;
            JG_TRY(declare_kept(s, at, type, &s->kept[inst->first]));
        }
        if (s->flow.insts[at] & FLOW_KEPT)
            JG_TRY(declare_kept(s, at, JG_DTYPE_INT64, &s->kept_counts[at]));
    }
    return JG_OK;
}

static jg_status keep(derive_sweeps *s, uint32_t kept, uint32_t value)
{
    if (kept == KERNEL_NONE)
        return JG_OK;
    if (kernel_local_at(s->to, kept)->stack)
        return rewrite_push(s->to, kept, value);
    return rewrite_set(s->to, kept, 0, NULL, value);
}

jg_status sweeps_restore(derive_sweeps *s, uint32_t kept, uint32_t *out)
{
    if (kernel_local_at(s->to, kept)->stack)
        return rewrite_pop(s->to, kept, out);
    return rewrite_get(s->to, kept, 0, NULL, out);
}

/* The serial code's sweep and that of a parallel loop take different parts of the same
 * instructions. */
static uint8_t flag_of(const derive_sweeps *s)
{
    return s->region == KERNEL_NONE ? FLOW_FORWARD_TOP : FLOW_FORWARD;
}

static bool is_in_sweep(const derive_sweeps *s, uint32_t at)
{
    return (s->flow.insts[at] & flag_of(s)) != 0;
}

/* An else that has no part in the sweep is left out. */
static jg_status forward_if(derive_sweeps *s, uint32_t at)
{
    uint32_t middle = sweeps_inst(s, at)->match, end = derive_last_of(s->flow.kernel, at);
    JG_TRY(rewrite_copy(&s->forward, at));
    JG_TRY(sweeps_forward(s, at + 1, middle));
    if (middle != end && is_in_sweep(s, middle)) {
        JG_TRY(rewrite_plain(s->to, KERNEL_ELSE));
        JG_TRY(sweeps_forward(s, middle + 1, end));
    }
    return rewrite_plain(s->to, KERNEL_END);
}

static jg_status count_turn(derive_sweeps *s, uint32_t counter)
{
    uint32_t before, one, after;
    JG_TRY(rewrite_get(s->to, counter, 0, NULL, &before));
    JG_TRY(rewrite_number(s->to, JG_DTYPE_INT64, 1, &one));
    JG_TRY(kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){before, one}, &after));
    return rewrite_set(s->to, counter, 0, NULL, after);
}

static jg_status keep_count(derive_sweeps *s, uint32_t at)
{
    uint32_t count;
    JG_TRY(rewrite_get(s->to, s->counters[at], 0, NULL, &count));
    s->counts[at] = count;
    return keep(s, s->kept_counts[at], count);
}

/* Iterations are counted at the beginning of the body, so the one that a break ends is counted. */
static jg_status forward_loop(derive_sweeps *s, uint32_t at)
{
    bool counted = s->flow.insts[at] & FLOW_KEPT && s->flow.regions[at] == s->region;
    if (counted)
        JG_TRY(rewrite_add_local(s->to, "turns", JG_DTYPE_INT64, 0, &s->counters[at]));
    JG_TRY(rewrite_copy(&s->forward, at));
    if (counted)
        JG_TRY(count_turn(s, s->counters[at]));
    JG_TRY(sweeps_forward(s, at + 1, sweeps_inst(s, at)->match));
    JG_TRY(rewrite_plain(s->to, KERNEL_END));
    return counted ? keep_count(s, at) : JG_OK;
}

static jg_status forward_statement(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    if (kernel_is_loop(inst->op))
        return forward_loop(s, at);
    if (inst->op == KERNEL_IF)
        return forward_if(s, at);
    JG_TRY(rewrite_copy(&s->forward, at));
    if (!is_kept(s, inst) || s->flow.regions[at] != s->region)
        return JG_OK;
    return keep(s, s->kept[inst->first], s->forward.values[inst->first]);
}

jg_status sweeps_forward(derive_sweeps *s, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; at = derive_next_after(s->flow.kernel, at))
        if (is_in_sweep(s, at))
            JG_TRY(forward_statement(s, at));
    return JG_OK;
}
