/* SPDX-License-Identifier: Apache-2.0 */
/* The reverse sweep: statements from the last to the first, each giving the adjoint of what it makes to
 * what it is made from.
 *
 * A block begins with the values that are needed in it, computed again or taken from where they were kept,
 * and with the places where adjoints come together. The adjoint of a value whose uses are all in its own
 * block is a value; otherwise it is a local, and what iterations of a parallel loop give to it or to an
 * array comes by atomics, unless they keep to elements of their own. */
#include "program/kernel_adjoint.h"

/* ---- needed values ---- */

static bool is_in_own_sweep(const kernel_sweeps *s, uint32_t at)
{
    uint8_t flag = s->region == KERNEL_NONE ? FLOW_FORWARD_TOP : FLOW_FORWARD;
    return sweeps_is_outermost(s, at) && (s->flow.insts[at] & flag);
}

static jg_status materialize_value(kernel_sweeps *s, uint32_t at, uint32_t value)
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

static jg_status materialize_inst(kernel_sweeps *s, uint32_t at)
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

/* ---- adjoints of values ---- */

static jg_dtype type_of(const kernel_sweeps *s, uint32_t value)
{
    return (jg_dtype)kernel_value_at(s->flow.kernel, value)->type;
}

/* Adds to a local of the new kernel. shared: other iterations may do so at the same time. */
static jg_status add_to_local(kernel_sweeps *s, uint32_t local, bool shared, uint32_t nindices,
                              const uint32_t *indices, uint32_t value)
{
    uint32_t before, after;
    if (shared)
        return rewrite_atomic_add(s->to, KERNEL_ATOMIC_LOCAL, local, nindices, indices, value);
    JG_TRY(rewrite_get(s->to, local, nindices, indices, &before));
    JG_TRY(kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){before, value}, &after));
    return rewrite_set(s->to, local, nindices, indices, after);
}

static jg_status give(kernel_sweeps *s, uint32_t value, uint32_t adjoint)
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

/* What has come together for the value; KERNEL_NONE if nothing has. */
static jg_status take(kernel_sweeps *s, uint32_t value, uint32_t *out)
{
    *out = s->adjoints[value];
    if (*out != KERNEL_NONE && (s->flow.values[value] & FLOW_CROSSES))
        return rewrite_get(s->to, *out, 0, NULL, out);
    return JG_OK;
}

static jg_status declare_adjoints(kernel_sweeps *s, uint32_t at)
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

/* ---- memory ---- */

/* The place that an instruction names, in the reverse sweep. */
typedef struct place {
    uint32_t count, indices[KERNEL_MAX_NDIM];
} place;

static place place_of(const kernel_sweeps *s, const kernel_inst *inst, uint32_t count)
{
    place p = {.count = count};
    for (uint32_t i = 0; i < count; ++i)
        p.indices[i] = s->reverse.values[kernel_operands(s->flow.kernel, inst)[i]];
    return p;
}

static jg_status give_to_array(kernel_sweeps *s, uint32_t array, const place *at, uint32_t adjoint)
{
    uint32_t gradient = s->gradients[array], before, after;
    if (s->region != KERNEL_NONE && !s->is_private[array])
        return rewrite_atomic_add(s->to, KERNEL_ATOMIC, gradient, at->count, at->indices, adjoint);
    JG_TRY(kernel_load(s->to, gradient, at->count, at->indices, &before));
    JG_TRY(kernel_apply(s->to, PROGRAM_ADD, 2, (uint32_t[]){before, adjoint}, &after));
    return rewrite_store(s->to, gradient, at->count, at->indices, after);
}

static jg_status reverse_load(kernel_sweeps *s, uint32_t position)
{
    const kernel_inst *inst = sweeps_inst(s, position);
    uint32_t adjoint;
    place at = place_of(s, inst, inst->noperands);
    JG_TRY(take(s, inst->first, &adjoint));
    if (adjoint == KERNEL_NONE)
        return JG_OK;
    if (s->carriers[position] != KERNEL_NONE)
        return add_to_local(s, s->carriers[position], false, 0, NULL, adjoint);
    return give_to_array(s, inst->target, &at, adjoint);
}

/* What is added to an element leaves the others' shares alone; what is stored takes them away. */
static jg_status reverse_store(kernel_sweeps *s, const kernel_inst *inst)
{
    uint32_t gradient = s->gradients[inst->target], adjoint, zero;
    place at = place_of(s, inst, inst->noperands - 1);
    uint32_t value = kernel_operands(s->flow.kernel, inst)[at.count];
    if (flow_is_active(&s->flow, value)) {
        JG_TRY(kernel_load(s->to, gradient, at.count, at.indices, &adjoint));
        JG_TRY(give(s, value, adjoint));
    }
    if (inst->op == KERNEL_ATOMIC || s->is_left[inst->target])
        return JG_OK;
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->type, 0, &zero));
    return rewrite_store(s->to, gradient, at.count, at.indices, zero);
}

static jg_status reverse_get(kernel_sweeps *s, uint32_t position)
{
    const kernel_inst *inst = sweeps_inst(s, position);
    uint32_t adjoint;
    place at = place_of(s, inst, inst->noperands);
    JG_TRY(take(s, inst->first, &adjoint));
    if (adjoint == KERNEL_NONE)
        return JG_OK;
    return add_to_local(s, s->local_adjoints[inst->target], flow_is_shared(&s->flow, position),
                        at.count, at.indices, adjoint);
}

static jg_status reverse_set(kernel_sweeps *s, const kernel_inst *inst)
{
    uint32_t local = s->local_adjoints[inst->target], adjoint, zero;
    place at = place_of(s, inst, inst->noperands - 1);
    JG_TRY(rewrite_get(s->to, local, at.count, at.indices, &adjoint));
    JG_TRY(give(s, kernel_operands(s->flow.kernel, inst)[at.count], adjoint));
    if (inst->op == KERNEL_ATOMIC_LOCAL)
        return JG_OK;
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->type, 0, &zero));
    return rewrite_set(s->to, local, at.count, at.indices, zero);
}

/* ---- scalar instructions ---- */

static jg_status reverse_cast(kernel_sweeps *s, const kernel_inst *inst, uint32_t adjoint)
{
    uint32_t operand = kernel_operands(s->flow.kernel, inst)[0], back;
    JG_TRY(kernel_cast(s->to, adjoint, type_of(s, operand), &back));
    return give(s, operand, back);
}

static jg_status reverse_scalar(kernel_sweeps *s, const kernel_inst *inst)
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

/* ---- blocks ---- */

static jg_status reverse_if(kernel_sweeps *s, uint32_t at)
{
    uint32_t middle = sweeps_inst(s, at)->match, end = kernel_last_of(s->flow.kernel, at);
    uint32_t condition = kernel_operands(s->flow.kernel, sweeps_inst(s, at))[0];
    JG_TRY(rewrite_if(s->to, s->reverse.values[condition]));
    JG_TRY(sweeps_reverse(s, at + 1, middle));
    if (middle != end && (s->flow.insts[middle] & FLOW_REVERSED)) {
        JG_TRY(rewrite_plain(s->to, KERNEL_ELSE));
        JG_TRY(sweeps_reverse(s, middle + 1, end));
    }
    return rewrite_plain(s->to, KERNEL_END);
}

static jg_status apply64(kernel_sweeps *s, uint16_t op, uint32_t x, uint32_t y, uint32_t *out)
{
    return kernel_apply(s->to, op, 2, (uint32_t[]){x, y}, out);
}

/* How many turns a loop from low to high makes, or a number below 0: (high - low + step - 1) / step. */
static jg_status count_turns(kernel_sweeps *s, int64_t step, uint32_t low, uint32_t high,
                             uint32_t *out)
{
    uint32_t way, size, more;
    bool down = step < 0;
    JG_TRY(apply64(s, PROGRAM_SUBTRACT, down ? low : high, down ? high : low, out));
    if (step == 1 || step == -1)
        return JG_OK;
    JG_TRY(rewrite_integer(s->to, down ? -step : step, &size));
    JG_TRY(rewrite_integer(s->to, (down ? -step : step) - 1, &more));
    JG_TRY(apply64(s, PROGRAM_ADD, *out, more, &way));
    return apply64(s, KERNEL_TRUNC_DIVIDE, way, size, out);
}

/* What turns of the loop give to one element comes together in a local. */
static jg_status declare_carriers(kernel_sweeps *s, uint32_t loop)
{
    for (uint32_t at = loop; at < sweeps_inst(s, loop)->match; ++at) {
        const kernel_inst *inst = sweeps_inst(s, at);
        bool gives = inst->op == KERNEL_LOAD && (s->flow.insts[at] & FLOW_REVERSED);
        if (gives && flow_steady_loop(&s->flow, at) == loop)
            JG_TRY(rewrite_add_local(s->to, "share", (jg_dtype)inst->to, 0, &s->carriers[at]));
    }
    return JG_OK;
}

/* An element that no turn came upon may not be there, and has got nothing. */
static jg_status give_carried(kernel_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    place to = place_of(s, inst, inst->noperands);
    uint32_t share, zero, any;
    JG_TRY(rewrite_get(s->to, s->carriers[at], 0, NULL, &share));
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->to, 0, &zero));
    JG_TRY(kernel_apply(s->to, PROGRAM_NOT_EQUAL, 2, (uint32_t[]){share, zero}, &any));
    JG_TRY(rewrite_if(s->to, any));
    JG_TRY(give_to_array(s, inst->target, &to, share));
    return rewrite_plain(s->to, KERNEL_END);
}

static jg_status close_turns(kernel_sweeps *s, uint32_t loop)
{
    JG_TRY(rewrite_plain(s->to, KERNEL_END));
    for (uint32_t at = loop; at < sweeps_inst(s, loop)->match; ++at) {
        if (s->carriers[at] == KERNEL_NONE || flow_steady_loop(&s->flow, at) != loop)
            continue;
        JG_TRY(give_carried(s, at));
    }
    return JG_OK;
}

/* A loop over turn = count - 1 down to 0. */
static jg_status open_turns(kernel_sweeps *s, uint32_t count, uint32_t *turn)
{
    uint32_t one, last, end;
    kernel_inst loop = {
        .op = KERNEL_FOR, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64, .immediate = -1};
    JG_TRY(rewrite_integer(s->to, 1, &one));
    JG_TRY(rewrite_integer(s->to, -1, &end));
    JG_TRY(apply64(s, PROGRAM_SUBTRACT, count, one, &last));
    return kernel_append(s->to, &loop, 2, (uint32_t[]){last, end}, turn);
}

/* The index that the loop had in the turn: low + turn * step. */
static jg_status find_index(kernel_sweeps *s, const kernel_inst *loop, uint32_t low, uint32_t turn)
{
    uint32_t step, way, index;
    if (!(s->flow.values[loop->first] & FLOW_NEEDED))
        return JG_OK;
    JG_TRY(rewrite_integer(s->to, loop->immediate, &step));
    JG_TRY(apply64(s, PROGRAM_MULTIPLY, turn, step, &way));
    JG_TRY(apply64(s, PROGRAM_ADD, low, way, &index));
    return kernel_cast(s->to, index, (jg_dtype)loop->type, &s->reverse.values[loop->first]);
}

static jg_status reverse_for(kernel_sweeps *s, uint32_t at)
{
    const kernel_inst *loop = sweeps_inst(s, at);
    const uint32_t *bounds = kernel_operands(s->flow.kernel, loop);
    uint32_t low, high, count = s->counts[at], turn;
    JG_TRY(kernel_cast(s->to, s->reverse.values[bounds[0]], JG_DTYPE_INT64, &low));
    if (!(s->flow.insts[at] & FLOW_KEPT)) {
        JG_TRY(kernel_cast(s->to, s->reverse.values[bounds[1]], JG_DTYPE_INT64, &high));
        JG_TRY(count_turns(s, loop->immediate, low, high, &count));
    }
    JG_TRY(declare_carriers(s, at));
    JG_TRY(open_turns(s, count, &turn));
    JG_TRY(find_index(s, loop, low, turn));
    s->forward.values[loop->first] = s->reverse.values[loop->first];
    JG_TRY(sweeps_reverse(s, at + 1, loop->match));
    return close_turns(s, at);
}

static jg_status reverse_loop(kernel_sweeps *s, uint32_t at)
{
    uint32_t turn;
    JG_TRY(declare_carriers(s, at));
    JG_TRY(open_turns(s, s->counts[at], &turn));
    JG_TRY(sweeps_reverse(s, at + 1, sweeps_inst(s, at)->match));
    return close_turns(s, at);
}

static jg_status reverse_parallel(kernel_sweeps *s, uint32_t at)
{
    const kernel_inst *loop = sweeps_inst(s, at);
    JG_TRY(rewrite_copy(&s->reverse, at));
    for (uint32_t i = 0; i < loop->nvalues; ++i)
        s->forward.values[loop->first + i] = s->reverse.values[loop->first + i];
    for (uint32_t a = 0; a < s->flow.kernel->narrays; ++a)
        s->is_private[a] = flow_is_private(&s->flow, at, a);
    s->region = at;
    JG_TRY(sweeps_region(s, at + 1, loop->match));
    s->region = KERNEL_NONE;
    return rewrite_plain(s->to, KERNEL_END);
}

static jg_status reverse_statement(kernel_sweeps *s, uint32_t at)
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
    case KERNEL_FOR: return reverse_for(s, at);
    case KERNEL_LOOP: return reverse_loop(s, at);
    case KERNEL_PARALLEL: return reverse_parallel(s, at);
    default: return reverse_scalar(s, inst);
    }
}

/* What opens the block that ends before the position, or the position before. */
static uint32_t step_back(const kernel_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at - 1);
    if (inst->op != KERNEL_END)
        return at - 1;
    bool other = sweeps_inst(s, inst->match)->op == KERNEL_ELSE;
    return other ? s->flow.blocks[inst->match] : inst->match;
}

jg_status sweeps_reverse(kernel_sweeps *s, uint32_t first, uint32_t end)
{
    const kernel_program *kernel = s->flow.kernel;
    for (uint32_t at = first; at < end; at = kernel_next_after(kernel, at))
        JG_TRY(materialize_inst(s, at));
    for (uint32_t at = first; at < end; at = kernel_next_after(kernel, at))
        JG_TRY(declare_adjoints(s, at));
    for (uint32_t at = end; at > first;) {
        at = step_back(s, at);
        if (s->flow.insts[at] & FLOW_REVERSED)
            JG_TRY(reverse_statement(s, at));
    }
    return JG_OK;
}

jg_status sweeps_region(kernel_sweeps *s, uint32_t first, uint32_t end)
{
    JG_TRY(sweeps_declare_kept(s, first, end));
    JG_TRY(sweeps_forward(s, first, end));
    return sweeps_reverse(s, first, end);
}
