/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the values that carry a derivative: those that depend on an array with a gradient and on
 * which such an array depends.
 *
 * Both are found by passing over the kernel until nothing changes, since locals carry values
 * backwards through loops. Integers and truth values carry no derivative, nor does the result of an
 * instruction that derivative.def calls constant. A value that would have to carry one and cannot
 * is refused here. */
#include "derive/passes.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The innermost block that is open after the END. */
static uint32_t close_block(const derive_flow *flow, const kernel_inst *end)
{
    uint32_t closed = end->match;
    if (kernel_inst_at(flow->kernel, closed)->op == KERNEL_ELSE)
        closed = flow->blocks[closed];
    return flow->blocks[closed];
}

/* One pass suffices: an opener and its END belong to the block around them, the body between them
 * to the opener's block. */
static void find_blocks(derive_flow *flow)
{
    uint32_t open = KERNEL_NONE, region = KERNEL_NONE;
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at) {
        const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
        if (inst->op == KERNEL_END)
            open = close_block(flow, inst);
        if (open == KERNEL_NONE)
            region = KERNEL_NONE;
        flow->blocks[at] = open;
        flow->regions[at] = region;
        if (inst->op == KERNEL_PARALLEL)
            region = at;
        if (kernel_opens(inst->op))
            open = at;
    }
}

bool flow_is_shared(const derive_flow *flow, uint32_t position)
{
    uint32_t local = kernel_inst_at(flow->kernel, position)->target;
    return flow->regions[position] != KERNEL_NONE &&
           kernel_local_at(flow->kernel, local)->declaration < flow->regions[position];
}

bool flow_has_gradient(const derive_flow *flow, const kernel_inst *inst)
{
    return flow->gradients[inst->target] != JG_DERIVED_NO;
}

jg_status flow_refuse(const derive_flow *flow, uint32_t position, const char *format, ...)
{
    char message[256], line[32] = "";
    const kernel_inst *inst = kernel_inst_at(flow->kernel, position);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (inst->line != 0)
        snprintf(line, sizeof line, "line %" PRIu32 ": ", inst->line);
    return base_fail(JG_ERR_UNSUPPORTED, "derivative of kernel %s: %s%s: %s",
                     kernel_text(flow->kernel, flow->kernel->name), line,
                     kernel_row(inst->op)->name, message);
}

static bool has_type_of_float(const derive_flow *flow, uint32_t value)
{
    return dtype_is_floating((jg_dtype)kernel_value_at(flow->kernel, value)->type);
}

/* Whether a change of the operand changes the scalar instruction's value. */
static bool carries(const derive_flow *flow, const kernel_inst *inst, uint32_t operand)
{
    uint32_t value = kernel_operands(flow->kernel, inst)[operand];
    if (!has_type_of_float(flow, value) || !has_type_of_float(flow, inst->first))
        return false;
    if (inst->op == PROGRAM_CAST || derivative_of(inst->op) == DERIVATIVE_NONE)
        return true;
    return derivative_rule(inst->op, operand) != NULL;
}

/* gives: whether the flag was not there before */
static bool mark(uint8_t *flags, unsigned flag)
{
    bool changes = (*flags & flag) == 0;
    *flags = (uint8_t)(*flags | flag);
    return changes;
}

static bool any_operand_varies(const derive_flow *flow, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(flow->kernel, inst);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (carries(flow, inst, i) && (flow->values[operands[i]] & FLOW_VARIED))
            return true;
    return false;
}

/* The value that a STORE, a SET or an atomic takes, its last operand. */
static uint32_t stored_value(const derive_flow *flow, const kernel_inst *inst)
{
    return kernel_operands(flow->kernel, inst)[inst->noperands - 1];
}

/* Whether the value that the instruction defines is varied. */
static bool makes_varied(const derive_flow *flow, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_LOAD:
    case KERNEL_ATOMIC: return flow_has_gradient(flow, inst);
    case KERNEL_GET:
    case KERNEL_ATOMIC_LOCAL:
        return dtype_is_floating((jg_dtype)inst->type) &&
               (flow->locals[inst->target] & FLOW_VARIED);
    default: return !kernel_op_is_statement(inst->op) && any_operand_varies(flow, inst);
    }
}

/* Marks what varies by the instruction: the local that it sets, the value that it defines. Arrays
 * are not tracked: one with a gradient varies as a whole, one without carries no derivative.
 * gives: whether anything is new */
static bool vary(derive_flow *flow, const kernel_inst *inst)
{
    bool changes = false;
    if (inst->op == KERNEL_SET || inst->op == KERNEL_ATOMIC_LOCAL)
        if (flow->values[stored_value(flow, inst)] & FLOW_VARIED)
            changes = mark(&flow->locals[inst->target], FLOW_VARIED);
    if (inst->nvalues == 1 && makes_varied(flow, inst))
        changes |= mark(&flow->values[inst->first], FLOW_VARIED);
    return changes;
}

static bool use_operands(derive_flow *flow, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(flow->kernel, inst);
    bool changes = false;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (carries(flow, inst, i))
            changes |= mark(&flow->values[operands[i]], FLOW_USEFUL);
    return changes;
}

/* Marks what the instruction makes useful: the value it stores if its target is useful, and the
 * operands of a useful value. gives: whether anything is new */
static bool use(derive_flow *flow, const kernel_inst *inst)
{
    bool useful = inst->nvalues == 1 && (flow->values[inst->first] & FLOW_USEFUL), changes = false;
    switch (inst->op) {
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
        return flow_has_gradient(flow, inst) &&
               mark(&flow->values[stored_value(flow, inst)], FLOW_USEFUL);
    case KERNEL_GET: return useful && mark(&flow->locals[inst->target], FLOW_USEFUL);
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL:
        changes = useful && mark(&flow->locals[inst->target], FLOW_USEFUL);
        if (flow->locals[inst->target] & FLOW_USEFUL)
            changes |= mark(&flow->values[stored_value(flow, inst)], FLOW_USEFUL);
        return changes;
    default: return !kernel_op_is_statement(inst->op) && useful && use_operands(flow, inst);
    }
}

/* Varying values are found in forward order and useful values in backward order, as most
 * dependences run that way: straight code needs one pass and a last one that finds nothing, and
 * each loop around a local costs one more. */
static void find_active(derive_flow *flow)
{
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t at = 0; at < flow->kernel->ninsts; ++at)
            changes |= vary(flow, kernel_inst_at(flow->kernel, at));
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t at = flow->kernel->ninsts; at-- > 0;)
            changes |= use(flow, kernel_inst_at(flow->kernel, at));
    }
}

static jg_status check_scalar_inst(const derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
    uint32_t operand = inst->noperands ? kernel_operands(flow->kernel, inst)[0] : 0;
    if (inst->op == KERNEL_BITCAST && (flow->values[operand] & FLOW_VARIED))
        return flow_refuse(flow, at, "the bits of a value have no derivative");
    if (inst->op != PROGRAM_CAST && derivative_of(inst->op) == DERIVATIVE_NONE &&
        flow_is_active(flow, inst->first))
        return flow_refuse(flow, at, "it has no derivative");
    return JG_OK;
}

/* The gradient of an addition does not depend on the order; the gradients of other atomics do. */
static jg_status check_atomic(const derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
    bool local = inst->op == KERNEL_ATOMIC_LOCAL;
    if (local ? !flow_local_is_active(flow, inst->target) : !flow_has_gradient(flow, inst))
        return JG_OK;
    if (inst->atomic != KERNEL_ATOMIC_ADD)
        return flow_refuse(flow, at, "of atomics only add has a derivative, not %s",
                           kernel_atomic_rows[inst->atomic].name);
    if (flow->values[inst->first] & FLOW_USEFUL)
        return flow_refuse(flow, at, "what was there before an atomic has no derivative");
    return JG_OK;
}

/* Refuses locals that some iterations set and others read: the values would depend on the order of
 * the iterations. */
static jg_status check_shared(const derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
    if (!flow_is_shared(flow, at) || !flow_local_is_active(flow, inst->target))
        return JG_OK;
    if (inst->op == KERNEL_SET)
        return flow_refuse(flow, at, "iterations of a parallel loop overwrite the same variable");
    uint32_t parallel = flow->regions[at], end = kernel_inst_at(flow->kernel, parallel)->match;
    for (uint32_t other = parallel; inst->op == KERNEL_GET && other < end; ++other)
        if (kernel_inst_at(flow->kernel, other)->op == KERNEL_ATOMIC_LOCAL &&
            kernel_inst_at(flow->kernel, other)->target == inst->target)
            return flow_refuse(flow, at, "it reads what other iterations of the loop add to");
    return JG_OK;
}

static jg_status check_inst(const derive_flow *flow, uint32_t at)
{
    switch (kernel_inst_at(flow->kernel, at)->op) {
    case KERNEL_STACK:
    case KERNEL_PUSH:
    case KERNEL_POP: return flow_refuse(flow, at, "stacks have no derivative");
    case KERNEL_ATOMIC: return check_atomic(flow, at);
    case KERNEL_ATOMIC_LOCAL: JG_TRY(check_atomic(flow, at)); return check_shared(flow, at);
    case KERNEL_GET:
    case KERNEL_SET: return check_shared(flow, at);
    default:
        return kernel_op_is_statement(kernel_inst_at(flow->kernel, at)->op)
                   ? JG_OK
                   : check_scalar_inst(flow, at);
    }
}

/* Whether the instruction itself has a part in the reverse sweep. A STORE into an array with a
 * gradient has one whatever it stores: it takes the gradient away. */
static bool takes_part(const derive_flow *flow, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_STORE: return flow_has_gradient(flow, inst);
    case KERNEL_ATOMIC:
        return flow_has_gradient(flow, inst) && flow_is_active(flow, stored_value(flow, inst));
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return flow_local_is_active(flow, inst->target);
    default: return inst->nvalues == 1 && flow_is_active(flow, inst->first);
    }
}

/* Active values have a definition: scalar arguments have no derivative. */
static void find_crossings(derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
    const uint32_t *operands = kernel_operands(flow->kernel, inst);
    for (uint32_t i = 0; i < inst->noperands; ++i) {
        uint32_t from = kernel_value_at(flow->kernel, operands[i])->definition;
        if (flow_is_active(flow, operands[i]) && flow->blocks[from] != flow->blocks[at])
            flow->values[operands[i]] |= FLOW_CROSSES;
    }
}

/* If an instruction takes part, so do all blocks around it. */
static void find_reversed(derive_flow *flow)
{
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at) {
        if (!takes_part(flow, kernel_inst_at(flow->kernel, at)))
            continue;
        find_crossings(flow, at);
        for (uint32_t up = at; up != KERNEL_NONE && !(flow->insts[up] & FLOW_REVERSED);
             up = flow->blocks[up])
            flow->insts[up] |= FLOW_REVERSED;
    }
}

static jg_status analyse(derive_flow *flow)
{
    if (flow->blocks == NULL || flow->regions == NULL || flow->values == NULL ||
        flow->locals == NULL || flow->insts == NULL)
        return base_nomem(flow->kernel->ninsts, "the derivative of a kernel");
    find_blocks(flow);
    find_active(flow);
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at)
        JG_TRY(check_inst(flow, at));
    find_reversed(flow);
    return JG_OK;
}

jg_status flow_init(const kernel_program *kernel, const jg_derived *gradients, derive_flow *out)
{
    derive_flow flow = {kernel,
                        gradients,
                        derive_new_indices(kernel->ninsts),
                        derive_new_indices(kernel->ninsts),
                        base_alloc_zeroed((size_t)kernel->nvalues + 1),
                        base_alloc_zeroed((size_t)kernel->nlocals + 1),
                        base_alloc_zeroed((size_t)kernel->ninsts + 1)};
    jg_status status = analyse(&flow);
    if (status != JG_OK) {
        flow_clear(&flow);
        return status;
    }
    *out = flow;
    return JG_OK;
}

void flow_clear(derive_flow *flow)
{
    base_free(flow->blocks);
    base_free(flow->regions);
    base_free(flow->values);
    base_free(flow->locals);
    base_free(flow->insts);
}
