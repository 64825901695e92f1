/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a kernel overwrites, in a loop of its own or in a later iteration of a loop around both,
 * what it has read before: `for i in x: s += y[i] ** 2` and then `for i in x: y[i] = 0`. A
 * derivative that needs y[i] would read the zero.
 *
 * Only certain cases count. Along each axis both indices are one value, or each is a number or the
 * index of a loop and a number, and the ranges of those meet. A write under a condition counts as
 * none; a read under one counts if all that the loops around it reach is overwritten. */
#include "derive/passes.h"

/* A read and a write that are compared. later: the loop of which the write's iteration is a later
 * one; KERNEL_NONE if both are in the same iteration of all loops around them. */
typedef struct encounter {
    const derive_flow *flow;
    uint32_t load, write, later;
    bool covers; /* whether all that may be read has to be written */
} encounter;

/* The indices along an axis: one number, or those of a loop's range; moved by shift. */
typedef struct reach {
    uint32_t index; /* the loop's; KERNEL_NONE for a number */
    uint32_t bounds[2];
    int64_t limits[2], shift; /* the last number is below limits[1] */
    bool known[2];
} reach;

static const kernel_inst *inst_at(const encounter *e, uint32_t at)
{
    return kernel_inst_at(e->flow->kernel, at);
}

static bool contains(const encounter *e, uint32_t opener, uint32_t at)
{
    return at > opener && at <= derive_last_of(e->flow->kernel, opener);
}

/* Whether the two accesses are in different iterations of the loop around the first. */
static bool is_free(const encounter *e, uint32_t opener, uint32_t other)
{
    return e->later == KERNEL_NONE ? !contains(e, opener, other) : opener > e->later;
}

/* The outermost of the free blocks around an access; the access itself if there is none.
 * conditional: whether one of them is no loop over a range. */
static uint32_t outermost(const encounter *e, uint32_t at, uint32_t other, bool *conditional)
{
    uint32_t found = at;
    *conditional = false;
    for (uint32_t up = e->flow->blocks[at]; up != KERNEL_NONE && is_free(e, up, other);
         up = e->flow->blocks[up]) {
        uint16_t op = inst_at(e, up)->op;
        *conditional |=
            (op != KERNEL_FOR && op != KERNEL_PARALLEL) || derive_has_break(e->flow->kernel, up);
        found = up;
    }
    return found;
}

static bool find_reach(const encounter *e, uint32_t value, uint32_t other, uint32_t outer,
                       reach *out)
{
    derive_order index = flow_find_index(e->flow, value);
    *out = (reach){.index = index.base, .shift = index.shift};
    if (!index.known)
        return false;
    if (index.base == KERNEL_NONE) {
        out->limits[0] = index.shift;
        out->limits[1] = index.shift + 1;
        out->known[0] = out->known[1] = true;
        return true;
    }
    uint32_t opener = kernel_value_at(e->flow->kernel, index.base)->definition;
    if (opener == KERNEL_NONE)
        return false;
    const kernel_inst *loop = inst_at(e, opener);
    if ((loop->op != KERNEL_FOR && loop->op != KERNEL_PARALLEL) || !is_free(e, opener, other))
        return false;
    for (int i = 0; i < 2; ++i) {
        uint32_t range = index.base - loop->first;
        uint32_t bound = kernel_operands(e->flow->kernel, loop)[2 * range + (uint32_t)i];
        out->bounds[i] = bound;
        out->known[i] = flow_is_number(e->flow, bound, &out->limits[i]) &&
                        !__builtin_add_overflow(out->limits[i], index.shift, &out->limits[i]);
        if (!flow_is_fixed(e->flow->kernel, bound, outer))
            return false;
    }
    return true;
}

static bool is_same_limit(const encounter *e, const reach *x, const reach *y, int side)
{
    if (x->known[side] && y->known[side])
        return x->limits[side] == y->limits[side];
    return x->index != KERNEL_NONE && y->index != KERNEL_NONE && x->shift == y->shift &&
           derive_is_same_value(e->flow->kernel, x->bounds[side], y->bounds[side]);
}

/* Ranges that begin alike meet in the first index, if neither is empty. */
static bool ranges_meet(const encounter *e, const reach *read, const reach *written)
{
    bool first = is_same_limit(e, read, written, 0), last = is_same_limit(e, read, written, 1);
    if (e->covers) {
        first |= read->known[0] && written->known[0] && written->limits[0] <= read->limits[0];
        last |= read->known[1] && written->known[1] && written->limits[1] >= read->limits[1];
        return first && last;
    }
    return first || (read->known[0] && read->known[1] && written->known[0] && written->known[1] &&
                     read->limits[0] < written->limits[1] && written->limits[0] < read->limits[1]);
}

static bool is_one_value(const encounter *e, uint32_t read, uint32_t written)
{
    const kernel_program *kernel = e->flow->kernel;
    if (e->later != KERNEL_NONE &&
        (!flow_is_fixed(kernel, read, e->later) || !flow_is_fixed(kernel, written, e->later)))
        return false;
    return derive_is_same_value(kernel, read, written);
}

/* An index on two axes reaches a diagonal, which another may pass by. */
static bool is_new(const reach *seen, int count)
{
    for (int i = 0; i < count; ++i)
        if (seen[count].index != KERNEL_NONE && seen[i].index == seen[count].index)
            return false;
    return true;
}

static bool elements_meet(encounter *e)
{
    const kernel_inst *load = inst_at(e, e->load), *write = inst_at(e, e->write);
    reach read[KERNEL_MAX_NDIM], written[KERNEL_MAX_NDIM];
    int ndim = kernel_array_at(e->flow->kernel, load->target)->ndim, count = 0;
    bool conditional;
    uint32_t from = outermost(e, e->load, e->write, &e->covers);
    uint32_t to = outermost(e, e->write, e->load, &conditional);
    if (conditional)
        return false;
    for (int d = 0; d < ndim; ++d) {
        uint32_t x = kernel_operands(e->flow->kernel, load)[d];
        uint32_t y = kernel_operands(e->flow->kernel, write)[d];
        if (is_one_value(e, x, y))
            continue;
        if (!find_reach(e, x, e->write, from, &read[count]) ||
            !find_reach(e, y, e->load, to, &written[count]) ||
            !ranges_meet(e, &read[count], &written[count]) || !is_new(read, count) ||
            !is_new(written, count))
            return false;
        count += 1;
    }
    return true;
}

static bool has_next_iteration(const encounter *e, uint32_t opener)
{
    const uint32_t *bounds = kernel_operands(e->flow->kernel, inst_at(e, opener));
    int64_t low, high;
    return !flow_is_number(e->flow, bounds[0], &low) ||
           !flow_is_number(e->flow, bounds[1], &high) || high > low + 1;
}

static bool is_overwritten(const derive_flow *flow, uint32_t load, uint32_t write)
{
    encounter e = {.flow = flow, .load = load, .write = write, .later = KERNEL_NONE};
    bool behind = write > load;
    for (uint32_t up = flow->blocks[load]; up != KERNEL_NONE; up = flow->blocks[up]) {
        const kernel_inst *opener = inst_at(&e, up);
        if (opener->op == KERNEL_IF && opener->match < write && load < opener->match &&
            contains(&e, up, write))
            behind = false;
    }
    if (behind && elements_meet(&e))
        return true;
    for (uint32_t up = flow->blocks[load]; up != KERNEL_NONE; up = flow->blocks[up]) {
        e.later = up;
        if (inst_at(&e, up)->op == KERNEL_FOR && contains(&e, up, write) &&
            has_next_iteration(&e, up) && elements_meet(&e))
            return true;
    }
    return false;
}

/* Whether the indices are the same in each iteration of the loop. */
static bool is_fixed_in(const kernel_program *kernel, const kernel_inst *inst, uint32_t loop)
{
    int ndim = kernel_array_at(kernel, inst->target)->ndim;
    for (int d = 0; d < ndim; ++d)
        if (!flow_is_fixed(kernel, kernel_operands(kernel, inst)[d], loop))
            return false;
    return true;
}

/* Whether the write comes after the load in the same iteration of all loops, or in a later one. */
static bool comes_later(const derive_flow *flow, uint32_t load, uint32_t write)
{
    bool exclusive = false;
    for (uint32_t up = flow->blocks[load]; up != KERNEL_NONE; up = flow->blocks[up]) {
        const kernel_inst *opener = kernel_inst_at(flow->kernel, up);
        uint32_t end = derive_last_of(flow->kernel, up);
        if (write < up || write > end)
            continue;
        if (opener->op == KERNEL_IF && opener->match < write && load < opener->match)
            exclusive = true;
        if ((opener->op == KERNEL_FOR || opener->op == KERNEL_LOOP) &&
            is_fixed_in(flow->kernel, kernel_inst_at(flow->kernel, load), up))
            return true;
    }
    return write > load && !exclusive;
}

jg_status flow_check_load(const derive_flow *flow, uint32_t position)
{
    const kernel_inst *load = kernel_inst_at(flow->kernel, position);
    const kernel_array *array = kernel_array_at(flow->kernel, load->target);
    for (uint32_t at = 0; array->write && at < flow->kernel->ninsts; ++at) {
        const kernel_inst *write = kernel_inst_at(flow->kernel, at);
        bool writes = write->op == KERNEL_STORE || write->op == KERNEL_ATOMIC;
        if (!writes || write->target != load->target)
            continue;
        if ((derive_is_same_element(flow->kernel, load, write) &&
             comes_later(flow, position, at)) ||
            is_overwritten(flow, position, at))
            return flow_refuse(flow, position,
                               "the derivative needs the element of %s that is read here, and the "
                               "kernel overwrites it; write to another array or another index",
                               kernel_text(flow->kernel, array->name));
    }
    return JG_OK;
}
