/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops that carry values from iteration to iteration, as `for t in ...: x[t + 1] = x[t]`
 * does. The reverse of such a loop would have to run its iterations backwards, and iterations of a
 * parallel loop have no order, so it is refused.
 *
 * Only certain cases are refused: a read and a write under no condition, of elements whose indices
 * are an index of the loop and a number each, or the same otherwise. */
#include "derive/passes.h"

enum { MAX_PARTS = 8 }; /* of an index; one with more counts as unlike all others */

static const kernel_inst *definition_of(const derive_flow *flow, uint32_t value)
{
    uint32_t position = kernel_value_at(flow->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(flow->kernel, position);
}

/* Constants hold integers as their bits. */
bool flow_is_number(const derive_flow *flow, uint32_t value, int64_t *out)
{
    const kernel_inst *inst = definition_of(flow, value);
    if (inst == NULL || inst->op != KERNEL_CONST)
        return false;
    unsigned unused = 64 - dtype_rows[inst->to].bits;
    bool is_signed = dtype_rows[inst->to].kind == JG_KIND_INT;
    uint64_t bits = (uint64_t)inst->immediate << unused;
    *out = is_signed ? (int64_t)bits >> unused : (int64_t)(bits >> unused);
    return true;
}

bool flow_widens(const kernel_inst *inst)
{
    const dtype_row *from = &dtype_rows[inst->type], *to = &dtype_rows[inst->to];
    return inst->op == PROGRAM_CAST && from->kind == to->kind && to->bits >= from->bits;
}

/* One step from `value + 1` or a cast of it to the value. */
static bool takes_apart(const derive_flow *flow, derive_order *index)
{
    const kernel_inst *inst = definition_of(flow, index->base);
    int64_t number;
    if (inst == NULL)
        return false;
    const uint32_t *parts = kernel_operands(flow->kernel, inst);
    if (flow_widens(inst)) {
        index->base = parts[0];
        return true;
    }
    if (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT)
        return false;
    bool adds = inst->op == PROGRAM_ADD;
    int side = flow_is_number(flow, parts[1], &number) ? 0 : 1;
    if (side == 1 && (!adds || !flow_is_number(flow, parts[0], &number)))
        return false;
    if (number > INT32_MAX || number < -INT32_MAX)
        return false;
    index->base = parts[side];
    index->shift += adds ? number : -number;
    return true;
}

derive_order flow_find_index(const derive_flow *flow, uint32_t value)
{
    derive_order index = {.base = value};
    for (int part = 0; part < MAX_PARTS; ++part) {
        if (flow_is_number(flow, index.base, &index.shift))
            return (derive_order){KERNEL_NONE, index.shift, part == 0};
        if (!takes_apart(flow, &index)) {
            index.known = true;
            break;
        }
    }
    return index;
}

/* How far apart the iterations are that access the same element, for each range of the loop. */
typedef struct order_gap {
    int64_t by[KERNEL_MAX_RANGES];
    bool set[KERNEL_MAX_RANGES];
} order_gap;

/* Which range's index the value is; KERNEL_MAX_RANGES if of none. */
static uint32_t range_of(const kernel_inst *loop, uint32_t value)
{
    return value != KERNEL_NONE && value >= loop->first && value < loop->first + loop->nvalues
               ? value - loop->first
               : KERNEL_MAX_RANGES;
}

/* Whether the value comes from before the loop, or is the index of a loop inside around both. */
static bool is_shared(const derive_flow *flow, uint32_t parallel, uint32_t value)
{
    uint32_t from = kernel_value_at(flow->kernel, value)->definition;
    return from == KERNEL_NONE || from < parallel || definition_of(flow, value)->op == KERNEL_FOR;
}

/* Whether both accesses certainly have the same index on the axis, in iterations that are *gap
 * apart. */
static bool meets(const derive_flow *flow, uint32_t parallel, derive_order read, derive_order write,
                  order_gap *gap)
{
    const kernel_inst *loop = kernel_inst_at(flow->kernel, parallel);
    if (!read.known || !write.known || read.base != write.base)
        return false;
    uint32_t range = range_of(loop, read.base);
    if (range == KERNEL_MAX_RANGES)
        return read.shift == write.shift &&
               (read.base == KERNEL_NONE || is_shared(flow, parallel, read.base));
    int64_t by = read.shift - write.shift;
    if (gap->set[range] && gap->by[range] != by)
        return false;
    gap->by[range] = by;
    gap->set[range] = true;
    return true;
}

/* Whether the range has that many iterations; true for one of unknown length. */
static bool reaches(const derive_flow *flow, const kernel_inst *loop, uint32_t range, int64_t by)
{
    const uint32_t *bounds = kernel_operands(flow->kernel, loop) + 2 * (size_t)range;
    int64_t low, high, distance = by < 0 ? -by : by;
    if (!flow_is_number(flow, bounds[0], &low) || !flow_is_number(flow, bounds[1], &high))
        return true;
    return high - low > distance;
}

static bool carries(const derive_flow *flow, uint32_t parallel, const kernel_inst *read,
                    const kernel_inst *write)
{
    const kernel_inst *loop = kernel_inst_at(flow->kernel, parallel);
    order_gap gap = {0};
    int ndim = kernel_array_at(flow->kernel, read->target)->ndim;
    const uint32_t *from = kernel_operands(flow->kernel, read),
                   *to = kernel_operands(flow->kernel, write);
    for (int d = 0; d < ndim; ++d)
        if (!meets(flow, parallel, flow_find_index(flow, from[d]), flow_find_index(flow, to[d]),
                   &gap))
            return false;
    bool apart = false;
    for (uint32_t r = 0; r < loop->nvalues; ++r) {
        apart |= gap.by[r] != 0;
        if (!reaches(flow, loop, r, gap.by[r]))
            return false;
    }
    return apart;
}

/* Whether some iteration of the loops around it may not reach it. */
static bool is_under_condition(const derive_flow *flow, uint32_t at, uint32_t parallel)
{
    for (uint32_t up = flow->blocks[at]; up != parallel; up = flow->blocks[up]) {
        uint16_t op = kernel_inst_at(flow->kernel, up)->op;
        if (op != KERNEL_FOR)
            return true;
    }
    return false;
}

/* Whether each iteration of the loop reaches it, and its reverse does. */
static bool is_used_in(const derive_flow *flow, uint32_t at, uint32_t parallel)
{
    return flow->regions[at] == parallel && (flow->insts[at] & FLOW_REVERSED) &&
           !is_under_condition(flow, at, parallel);
}

static jg_status check_write(const derive_flow *flow, uint32_t at, uint32_t parallel)
{
    const kernel_inst *write = kernel_inst_at(flow->kernel, at);
    for (uint32_t p = parallel; p < kernel_inst_at(flow->kernel, parallel)->match; ++p) {
        const kernel_inst *read = kernel_inst_at(flow->kernel, p);
        if (read->op == KERNEL_LOAD && read->target == write->target &&
            is_used_in(flow, p, parallel) && carries(flow, parallel, read, write))
            return flow_refuse(
                flow, p,
                "the element of %s that is read here is written by another "
                "iteration of the parallel loop, whose derivative has no order; "
                "have the loop run in order, after "
                "loop_config(serialize=True), or call a kernel for each step",
                kernel_text(flow->kernel, kernel_array_at(flow->kernel, read->target)->name));
    }
    return JG_OK;
}

jg_status flow_check_order(const derive_flow *flow)
{
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at) {
        const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
        bool writes = inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
        uint32_t parallel = flow->regions[at];
        if (writes && parallel != KERNEL_NONE && is_used_in(flow, at, parallel))
            JG_TRY(check_write(flow, at, parallel));
    }
    return JG_OK;
}
