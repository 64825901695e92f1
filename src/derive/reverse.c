/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse sweep: statements from the last to the first; each adds the adjoint of its result to
 * those of its operands.
 *
 * A block begins with the values that are needed in it, computed again or read from where they were
 * kept, and with the locals that adjoints are summed in. The adjoint of a value whose uses are all
 * in its own block is a value; otherwise it is a local. Iterations of a parallel loop add to it, or
 * to an array, by atomics, unless they use elements of their own. */
#include "derive/adjoint.h"

static bool is_in_own_sweep(const derive_sweeps *s, uint32_t at)
{
    uint8_t flag = s->region == KERNEL_NONE ? FLOW_FORWARD_TOP : FLOW_FORWARD;
    return sweeps_is_outermost(s, at) && (s->flow.insts[at] & flag);
}

/* Three ways: the forward sweep's own value, if it is in scope; what was kept; computing it again.
 * The forward sweeps of inner loops read outer values through s->forward, so that is set as
 * well. */
static jg_status materialize_value(derive_sweeps *s, uint32_t at, uint32_t value)
{
    if (is_in_own_sweep(s, at))
        s->reverse.values[value] = s->forward.values[value];
    else if (s->flow.values[value] & FLOW_KEPT)
        JG_TRY(sweeps_restore(s, s->kept[value], &s->reverse.values[value]));
    else
        JG_TRY(rewrite_copy(&s->reverse, at));
    s->forward.values[value] = s->reverse.values[value];
    return JG_OK;
}

static jg_status materialize_inst(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    if (s->flow.insts[at] & FLOW_KEPT && s->kept_counts[at] != KERNEL_NONE)
        return sweeps_restore(s, s->kept_counts[at], &s->counts[at]);
    if (kernel_opens(inst->op) || inst->nvalues != 1)
        return JG_OK;
    if (s->flow.values[inst->first] & FLOW_NEEDED)
        return materialize_value(s, at, inst->first);
    return JG_OK;
}

static jg_dtype type_of(const derive_sweeps *s, uint32_t value)
{
    return (jg_dtype)kernel_value_at(s->flow.kernel, value)->type;
}

/* Adds to a local of the new kernel. shared: other iterations may do so at the same time. */
static jg_status add_to_local(derive_sweeps *s, uint32_t local, bool shared, uint32_t nindices,
                              const uint32_t *indices, uint32_t value)
{
    uint32_t before, after;
    if (shared && !sweeps_is_last_pass(s))
        return JG_OK;
    if (shared)
        return rewrite_atomic_add(s->to, KERNEL_ATOMIC_LOCAL, local, nindices, indices, value);
    JG_TRY(rewrite_get(s->to, local, nindices, indices, &before));
    JG_TRY(kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){before, value}, &after));
    return rewrite_set(s->to, local, nindices, indices, after);
}

/* Adds to the adjoint of a value; nothing where it has none. */
static jg_status give(derive_sweeps *s, uint32_t value, uint32_t adjoint)
{
    uint32_t *sum = &s->adjoints[value];
    if (!flow_is_active(&s->flow, value))
        return JG_OK;
    if (s->flow.values[value] & FLOW_CROSSES) {
        uint32_t from = kernel_value_at(s->flow.kernel, value)->definition;
        return add_to_local(s, *sum, s->flow.regions[from] != s->region, 0, NULL, adjoint);
    }
    if (*sum != KERNEL_NONE)
        return kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){*sum, adjoint}, sum);
    *sum = adjoint;
    return JG_OK;
}

/* The adjoint of the value so far; KERNEL_NONE if nothing was added to it. */
static jg_status take(derive_sweeps *s, uint32_t value, uint32_t *out)
{
    *out = s->adjoints[value];
    if (*out != KERNEL_NONE && (s->flow.values[value] & FLOW_CROSSES))
        return rewrite_get(s->to, *out, 0, NULL, out);
    return JG_OK;
}

/* At the beginning of the block, again in each iteration: the adjoints of the iteration before do
 * not count. */
static jg_status declare_adjoints(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    if (inst->op == KERNEL_LOCAL && flow_local_is_active(&s->flow, inst->target)) {
        const kernel_local *local = kernel_local_at(s->flow.kernel, inst->target);
        return rewrite_add_local(s->to, "adjoint", (jg_dtype)local->dtype, local->length,
                                 &s->local_adjoints[inst->target]);
    }
    if (inst->nvalues != 1 || !flow_is_active(&s->flow, inst->first))
        return JG_OK;
    s->adjoints[inst->first] = KERNEL_NONE;
    if (!(s->flow.values[inst->first] & FLOW_CROSSES))
        return JG_OK;
    return rewrite_add_local(s->to, "adjoint", (jg_dtype)inst->to, 0, &s->adjoints[inst->first]);
}

/* The element or local that an instruction accesses, in the reverse sweep. */
typedef struct element {
    uint32_t count, indices[KERNEL_MAX_NDIM];
} element;

static element element_of(const derive_sweeps *s, const kernel_inst *inst, uint32_t count)
{
    element p = {.count = count};
    for (uint32_t i = 0; i < count; ++i)
        p.indices[i] = s->reverse.values[kernel_operands(s->flow.kernel, inst)[i]];
    return p;
}

jg_status sweeps_give_to_array(derive_sweeps *s, uint32_t load, uint32_t adjoint)
{
    const kernel_inst *inst = sweeps_inst(s, load);
    element at = element_of(s, inst, inst->noperands);
    uint32_t gradient = s->gradients[inst->target], pass = s->passes[load], before, after;
    if (pass == KERNEL_NONE ? !sweeps_is_last_pass(s) : pass != s->pass)
        return JG_OK;
    if (s->region != KERNEL_NONE && !s->is_private[inst->target] && pass == KERNEL_NONE)
        return rewrite_atomic_add(s->to, KERNEL_ATOMIC, gradient, at.count, at.indices, adjoint);
    JG_TRY(kernel_load(s->to, gradient, at.count, at.indices, &before));
    JG_TRY(kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){before, adjoint}, &after));
    return rewrite_store(s->to, gradient, at.count, at.indices, after);
}

static jg_status reverse_load(derive_sweeps *s, uint32_t position)
{
    uint32_t adjoint;
    JG_TRY(take(s, sweeps_inst(s, position)->first, &adjoint));
    if (adjoint == KERNEL_NONE)
        return JG_OK;
    if (s->carriers[position] != KERNEL_NONE)
        return add_to_local(s, s->carriers[position], false, 0, NULL, adjoint);
    return sweeps_give_to_array(s, position, adjoint);
}

/* Adding to an element keeps its gradient; storing to it sets the gradient to 0. */
static jg_status reverse_store(derive_sweeps *s, const kernel_inst *inst)
{
    uint32_t gradient = s->gradients[inst->target], adjoint, zero;
    element at = element_of(s, inst, inst->noperands - kernel_nstored(inst));
    uint32_t value = kernel_operands(s->flow.kernel, inst)[at.count];
    if (flow_is_active(&s->flow, value)) {
        JG_TRY(kernel_load(s->to, gradient, at.count, at.indices, &adjoint));
        JG_TRY(give(s, value, adjoint));
    }
    if (inst->op == KERNEL_ATOMIC || s->is_left[inst->target] || !sweeps_is_last_pass(s))
        return JG_OK;
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->type, 0, &zero));
    return rewrite_store(s->to, gradient, at.count, at.indices, zero);
}

static jg_status reverse_get(derive_sweeps *s, uint32_t position)
{
    const kernel_inst *inst = sweeps_inst(s, position);
    uint32_t adjoint;
    element at = element_of(s, inst, inst->noperands);
    JG_TRY(take(s, inst->first, &adjoint));
    if (adjoint == KERNEL_NONE)
        return JG_OK;
    return add_to_local(s, s->local_adjoints[inst->target], flow_is_shared(&s->flow, position),
                        at.count, at.indices, adjoint);
}

/* Like reverse_store, on the local's adjoint. */
static jg_status reverse_set(derive_sweeps *s, const kernel_inst *inst)
{
    uint32_t local = s->local_adjoints[inst->target], adjoint, zero;
    element at = element_of(s, inst, inst->noperands - kernel_nstored(inst));
    JG_TRY(rewrite_get(s->to, local, at.count, at.indices, &adjoint));
    JG_TRY(give(s, kernel_operands(s->flow.kernel, inst)[at.count], adjoint));
    if (inst->op == KERNEL_ATOMIC_LOCAL)
        return JG_OK;
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->type, 0, &zero));
    return rewrite_set(s->to, local, at.count, at.indices, zero);
}

static jg_status reverse_cast(derive_sweeps *s, const kernel_inst *inst, uint32_t adjoint)
{
    uint32_t operand = kernel_operands(s->flow.kernel, inst)[0], back;
    JG_TRY(kernel_cast(s->to, adjoint, type_of(s, operand), &back));
    return give(s, operand, back);
}

static jg_status reverse_scalar(derive_sweeps *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->flow.kernel, inst);
    uint32_t values[4] = {0}, adjoint, share;
    JG_TRY(take(s, inst->first, &adjoint));
    if (adjoint == KERNEL_NONE)
        return JG_OK;
    if (inst->op == PROGRAM_CAST)
        return reverse_cast(s, inst, adjoint);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        values[i] = s->reverse.values[operands[i]];
    values[3] = s->reverse.values[inst->first];
    for (uint32_t i = 0; i < inst->noperands; ++i) {
        const char *rule = derivative_rule(inst->op, i);
        if (rule == NULL || !flow_is_active(&s->flow, operands[i]))
            continue;
        JG_TRY(derivative_emit(s->to, rule, type_of(s, inst->first), values, adjoint, &share));
        JG_TRY(give(s, operands[i], share));
    }
    return JG_OK;
}

static jg_status reverse_if(derive_sweeps *s, uint32_t at)
{
    uint32_t middle = sweeps_inst(s, at)->match, end = derive_last_of(s->flow.kernel, at);
    uint32_t condition = kernel_operands(s->flow.kernel, sweeps_inst(s, at))[0];
    JG_TRY(rewrite_if(s->to, s->reverse.values[condition]));
    JG_TRY(sweeps_reverse(s, at + 1, middle));
    if (middle != end && (s->flow.insts[middle] & FLOW_REVERSED)) {
        JG_TRY(rewrite_plain(s->to, KERNEL_ELSE));
        JG_TRY(sweeps_reverse(s, middle + 1, end));
    }
    return rewrite_plain(s->to, KERNEL_END);
}

static jg_status reverse_statement(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    s->to->line = inst->line;
    switch (inst->op) {
    case KERNEL_LOAD: return reverse_load(s, at);
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return reverse_store(s, inst);
    case KERNEL_GET: return reverse_get(s, at);
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return reverse_set(s, inst);
    case KERNEL_IF: return reverse_if(s, at);
    case KERNEL_FOR:
    case KERNEL_LOOP:
    case KERNEL_PARALLEL: return sweeps_reverse_loop(s, at);
    default: return reverse_scalar(s, inst);
    }
}

/* gives: the instruction that opens the block which ends before the position, otherwise the
 * position before it */
static uint32_t step_back(const derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at - 1);
    if (inst->op != KERNEL_END)
        return at - 1;
    bool other = sweeps_inst(s, inst->match)->op == KERNEL_ELSE;
    return other ? s->flow.blocks[inst->match] : inst->match;
}

/* Needed values in the order of the kernel, each from those before it; then the locals for
 * adjoints; then the statements backwards. */
jg_status sweeps_reverse(derive_sweeps *s, uint32_t first, uint32_t end)
{
    const kernel_program *kernel = s->flow.kernel;
    for (uint32_t at = first; at < end; at = derive_next_after(kernel, at))
        JG_TRY(materialize_inst(s, at));
    for (uint32_t at = first; at < end; at = derive_next_after(kernel, at))
        JG_TRY(declare_adjoints(s, at));
    for (uint32_t at = end; at > first;) {
        at = step_back(s, at);
        if (s->flow.insts[at] & FLOW_REVERSED)
            JG_TRY(reverse_statement(s, at));
    }
    return JG_OK;
}

jg_status sweeps_region(derive_sweeps *s, uint32_t first, uint32_t end)
{
    JG_TRY(sweeps_declare_kept(s, first, end));
    JG_TRY(sweeps_forward(s, first, end));
    return sweeps_reverse(s, first, end);
}
