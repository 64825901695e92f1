/* SPDX-License-Identifier: Apache-2.0 */
/* The values from which derivatives are computed, and how the reverse sweep gets them.
 *
 * A needed value is computed again where it is needed, from other needed values; elements of arrays
 * are loaded again. A value that was read from a local cannot be computed again. So it is kept
 * during the forward sweep, as is the number of iterations of a loop that a break ends. Conditions
 * and bounds are kept if they depend on rounding and other values are kept under them. The reason:
 * a compiler may contract or reassociate the second computation in another way than the first. Then
 * the reverse sweep would take kept values in another order, or values that were not kept. For the
 * same reason integers are kept that depend on rounding and are used by both sweeps, such as
 * indices of locals' elements. The forward sweep of a region consists only of the computations that
 * these values depend on. One pass from the last instruction to the first finds all needs, since
 * values are defined before they are used. The passes for the forward sweeps repeat until nothing
 * changes, since locals carry values through loops. */
#include "derive/passes.h"

static const kernel_inst *inst_at(const derive_flow *flow, uint32_t at)
{
    return kernel_inst_at(flow->kernel, at);
}

static void need(derive_flow *flow, uint32_t value)
{
    flow->values[value] |= FLOW_NEEDED;
}

static void need_operands(derive_flow *flow, const kernel_inst *inst, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        need(flow, kernel_operands(flow->kernel, inst)[i]);
}

/* The bits of derivative_reads: operands, and bit 3 for the value itself. */
static void need_for_rule(derive_flow *flow, const kernel_inst *inst, const char *rule)
{
    unsigned reads = derivative_reads(rule);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (reads & (1u << i))
            need(flow, kernel_operands(flow->kernel, inst)[i]);
    if (reads & (1u << 3))
        need(flow, inst->first);
}

static void need_for_derivative(derive_flow *flow, const kernel_inst *inst)
{
    for (uint32_t i = 0; i < inst->noperands; ++i) {
        const char *rule = derivative_rule(inst->op, i);
        if (rule != NULL && flow_is_active(flow, kernel_operands(flow->kernel, inst)[i]))
            need_for_rule(flow, inst, rule);
    }
}

/* Whether the instruction gives the same floats from the same operands, however it is compiled:
 * also what reads a number that is there. */
static bool is_exact(uint16_t op)
{
    if (op < PROGRAM_OP_COUNT)
        return program_is_exact((program_op)op);
    return op == KERNEL_CONST || op == KERNEL_LOAD || op == KERNEL_GET;
}

/* A GET is kept, so it does not matter how its index was computed. */
static bool is_rounded(const derive_flow *flow, const kernel_inst *inst)
{
    if (inst->op == KERNEL_GET)
        return false;
    jg_dtype type = (jg_dtype)kernel_value_at(flow->kernel, inst->first)->type;
    if (dtype_is_floating(type) && !is_exact(inst->op))
        return true;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (flow->values[kernel_operands(flow->kernel, inst)[i]] & FLOW_ROUNDED)
            return true;
    return false;
}

static void find_rounded(derive_flow *flow)
{
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at) {
        const kernel_inst *inst = inst_at(flow, at);
        if (!kernel_opens(inst->op) && inst->nvalues == 1 && is_rounded(flow, inst))
            flow->values[inst->first] |= FLOW_ROUNDED;
    }
}

static bool is_kept(const derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = inst_at(flow, at);
    return flow->insts[at] & FLOW_KEPT ||
           (inst->nvalues == 1 && (flow->values[inst->first] & FLOW_KEPT));
}

/* Some of the first operands decide by rounding whether, or how often, the block that the
 * instruction opens runs. These are kept if values inside the block are kept. The pass has been
 * inside the block before. */
static void keep_decisions(derive_flow *flow, uint32_t at, uint32_t count)
{
    const kernel_inst *inst = inst_at(flow, at);
    uint32_t inside = at + 1, end = derive_last_of(flow->kernel, at);
    while (inside < end && !is_kept(flow, inside))
        ++inside;
    for (uint32_t i = 0; inside < end && i < count; ++i) {
        uint32_t value = kernel_operands(flow->kernel, inst)[i];
        if (flow->values[value] & FLOW_ROUNDED)
            flow->values[value] |= FLOW_KEPT;
    }
}

/* Marks the values that the reverse of the instruction itself reads: indices, conditions,
 * bounds. */
static void need_for_reverse(derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = inst_at(flow, at);
    switch (inst->op) {
    case KERNEL_LOAD:
    case KERNEL_GET:
    case KERNEL_PARALLEL: need_operands(flow, inst, inst->noperands); break;
    case KERNEL_IF:
        keep_decisions(flow, at, 1);
        need_operands(flow, inst, 1);
        break;
    case KERNEL_STORE:
    case KERNEL_ATOMIC:
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL:
        need_operands(flow, inst, inst->noperands - kernel_nstored(inst));
        break;
    case KERNEL_FOR:
        keep_decisions(flow, at, 2);
        need_operands(flow, inst, 2);
        if (derive_has_break(flow->kernel, at))
            flow->insts[at] |= FLOW_KEPT;
        break;
    case KERNEL_LOOP: flow->insts[at] |= FLOW_KEPT; break;
    default:
        if (!kernel_op_is_statement(inst->op))
            need_for_derivative(flow, inst);
    }
}

static bool is_set_after(const derive_flow *flow, uint32_t local, uint32_t position)
{
    for (uint32_t at = position; at < flow->kernel->ninsts; ++at) {
        uint16_t op = inst_at(flow, at)->op;
        if ((op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL) && inst_at(flow, at)->target == local)
            return true;
    }
    return false;
}

/* A local of the serial code that a parallel loop reads is not kept, it is read again in the
 * reverse of the loop: so it must not change in between. */
static jg_status check_shared_get(const derive_flow *flow, uint32_t at)
{
    if (!flow_is_shared(flow, at) ||
        !is_set_after(flow, inst_at(flow, at)->target, flow->regions[at]))
        return JG_OK;
    return flow_refuse(flow, at,
                       "the derivative needs a variable that a parallel loop reads and "
                       "that is set there or afterwards");
}

/* Decides how the reverse sweep gets the value, and marks the values that it is computed from as
 * needed. Refuses values that can be neither kept nor computed. */
static jg_status come_by(derive_flow *flow, uint32_t at)
{
    const kernel_inst *inst = inst_at(flow, at);
    if (inst->nvalues == 1 && (flow->values[inst->first] & FLOW_KEPT))
        return JG_OK;
    switch (inst->op) {
    case KERNEL_GET: flow->values[inst->first] |= FLOW_KEPT; return check_shared_get(flow, at);
    case KERNEL_LOAD: JG_TRY(flow_check_load(flow, at)); break;
    case KERNEL_RANDOM:
        return flow_refuse(flow, at, "the derivative needs a random number; pass it in an array");
    case KERNEL_ATOMIC:
    case KERNEL_ATOMIC_LOCAL:
        return flow_refuse(flow, at, "the derivative needs what was there before an atomic");
    default: break;
    }
    if (!kernel_opens(inst->op))
        need_operands(flow, inst, inst->noperands);
    return JG_OK;
}

static bool is_needed(const derive_flow *flow, const kernel_inst *inst)
{
    for (uint32_t i = 0; i < inst->nvalues; ++i)
        if (flow->values[inst->first + i] & FLOW_NEEDED)
            return true;
    return false;
}

/* One region's forward sweep while it is found. The serial code's goes through parallel loops,
 * too. */
typedef struct sweep {
    derive_flow *flow;
    uint32_t region, first, end; /* positions first to end - 1 */
    uint8_t flag;                /* FLOW_FORWARD or FLOW_FORWARD_TOP */
    bool changes;                /* something was taken in since the last pass began */
} sweep;

/* With the blocks around it, up to the region's own. */
static void take_in(sweep *s, uint32_t at)
{
    uint32_t region = s->region;
    for (; at != region && at != KERNEL_NONE && !(s->flow->insts[at] & s->flag);
         at = s->flow->blocks[at]) {
        s->flow->insts[at] = (uint8_t)(s->flow->insts[at] | s->flag);
        s->changes = true;
    }
}

/* The one break that derive_structure leaves is two before the END: `if { break } }`. */
static void take_in_break(sweep *s, uint32_t loop)
{
    if (derive_has_break(s->flow->kernel, loop))
        take_in(s, inst_at(s->flow, loop)->match - 2);
}

/* A value from outside the region is needed in the reverse sweep of the serial code, except the
 * indices of the parallel loop itself. */
static jg_status take_in_operand(sweep *s, uint32_t value)
{
    uint32_t from = kernel_value_at(s->flow->kernel, value)->definition;
    if (from == KERNEL_NONE)
        return JG_OK;
    if (from < s->first) {
        if (from != s->region)
            need(s->flow, value);
        return JG_OK;
    }
    switch (inst_at(s->flow, from)->op) {
    case KERNEL_RANDOM:
    case KERNEL_ATOMIC:
    case KERNEL_ATOMIC_LOCAL: return come_by(s->flow, from);
    case KERNEL_LOAD: JG_TRY(flow_check_load(s->flow, from)); break;
    default: break;
    }
    take_in(s, from);
    return JG_OK;
}

/* The serial sweep sets the locals of the serial code, also for a parallel loop that reads them. */
static void take_in_local(sweep *s, uint32_t local)
{
    uint8_t *flags = &s->flow->locals[local];
    bool outside =
        s->region != KERNEL_NONE && kernel_local_at(s->flow->kernel, local)->declaration < s->first;
    uint8_t flag = outside ? FLOW_FORWARD_TOP : s->flag;
    s->changes |= !(*flags & flag);
    *flags = (uint8_t)(*flags | flag);
}

static bool changes_live_local(const sweep *s, const kernel_inst *inst)
{
    bool about_local =
        inst->op == KERNEL_SET || inst->op == KERNEL_ATOMIC_LOCAL || inst->op == KERNEL_LOCAL;
    return about_local && (s->flow->locals[inst->target] & s->flag);
}

static jg_status sweep_inst(sweep *s, uint32_t at)
{
    const kernel_inst *inst = inst_at(s->flow, at);
    if (changes_live_local(s, inst))
        take_in(s, at);
    if (!(s->flow->insts[at] & s->flag))
        return JG_OK;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        JG_TRY(take_in_operand(s, kernel_operands(s->flow->kernel, inst)[i]));
    if (inst->op == KERNEL_GET || inst->op == KERNEL_SET || inst->op == KERNEL_ATOMIC_LOCAL)
        take_in_local(s, inst->target);
    if (inst->op == KERNEL_FOR || inst->op == KERNEL_LOOP)
        take_in_break(s, at);
    return JG_OK;
}

/* The sweep begins with what is kept. */
static void take_in_kept(sweep *s)
{
    for (uint32_t at = s->first; at < s->end; ++at) {
        if (is_kept(s->flow, at) && s->flow->regions[at] == s->region)
            take_in(s, at);
    }
}

/* Whether it makes an integer of a float that may have been rounded. */
static bool decides_by_rounding(const derive_flow *flow, const kernel_inst *inst)
{
    return inst->op == PROGRAM_CAST && dtype_is_floating((jg_dtype)inst->type) &&
           dtype_rows[inst->to].kind == JG_KIND_INT && (flow->values[inst->first] & FLOW_ROUNDED);
}

/* Keeps the integers that this sweep computes from floats and the reverse sweep needs. */
static void keep_integers(const sweep *s)
{
    derive_flow *flow = s->flow;
    for (uint32_t at = s->first; at < s->end; ++at) {
        const kernel_inst *inst = inst_at(flow, at);
        uint32_t block = flow->blocks[at];
        bool reversed = block == KERNEL_NONE || (flow->insts[block] & FLOW_REVERSED);
        if (reversed && flow->regions[at] == s->region && (flow->insts[at] & s->flag) &&
            decides_by_rounding(flow, inst) && (flow->values[inst->first] & FLOW_NEEDED))
            flow->values[inst->first] |= FLOW_KEPT;
    }
}

static jg_status find_forward(derive_flow *flow, uint32_t region)
{
    bool top = region == KERNEL_NONE;
    sweep s = {flow,
               region,
               top ? 0 : region + 1,
               top ? flow->kernel->ninsts : inst_at(flow, region)->match,
               top ? FLOW_FORWARD_TOP : FLOW_FORWARD,
               true};
    take_in_kept(&s);
    while (s.changes) {
        s.changes = false;
        for (uint32_t at = s.end; at-- > s.first;)
            JG_TRY(sweep_inst(&s, at));
    }
    keep_integers(&s);
    return JG_OK;
}

/* A parallel loop's forward sweep is found when the pass reaches the loop, as what it reads from
 * outside is needed before the loop; that of the serial code last, when all needs are known. */
jg_status flow_find_needs(derive_flow *flow)
{
    find_rounded(flow);
    for (uint32_t at = flow->kernel->ninsts; at-- > 0;) {
        if (flow->insts[at] & FLOW_REVERSED) {
            need_for_reverse(flow, at);
            if (inst_at(flow, at)->op == KERNEL_PARALLEL)
                JG_TRY(find_forward(flow, at));
        }
        if (is_needed(flow, inst_at(flow, at)))
            JG_TRY(come_by(flow, at));
    }
    return find_forward(flow, KERNEL_NONE);
}
