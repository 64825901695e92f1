/* SPDX-License-Identifier: Apache-2.0 */
/* When two accesses are to the same element, as far as their indices tell.
 *
 * Two values are the same if they are one value, or are computed in the same way from the same
 * values. That is enough to see `x[i] = x[i] * x[i]`, whose adjoint would need what was
 * overwritten, and to see that iterations access only the elements of their own index. */
#include "derive/passes.h"

#define SAME_VALUE_DEPTH 8 /* of an index expression; deeper ones count as different */

static const kernel_inst *definition_of(const kernel_program *kernel, uint32_t value)
{
    uint32_t position = kernel_value_at(kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(kernel, position);
}

static bool is_same_value(const kernel_program *kernel, uint32_t a, uint32_t b, int depth)
{
    const kernel_inst *x = definition_of(kernel, a), *y = definition_of(kernel, b);
    if (a == b)
        return true;
    if (x == NULL || y == NULL || depth == 0 || x->op != y->op || x->to != y->to ||
        x->type != y->type)
        return false;
    if (x->op == KERNEL_CONST)
        return x->immediate == y->immediate;
    if (x->op == KERNEL_EXTENT)
        return x->immediate == y->immediate && x->target == y->target;
    if (kernel_op_is_statement(x->op))
        return false;
    for (uint32_t i = 0; i < x->noperands; ++i)
        if (!is_same_value(kernel, kernel_operands(kernel, x)[i], kernel_operands(kernel, y)[i],
                           depth - 1))
            return false;
    return true;
}

bool derive_is_same_value(const kernel_program *kernel, uint32_t a, uint32_t b)
{
    return is_same_value(kernel, a, b, SAME_VALUE_DEPTH);
}

bool derive_is_same_element(const kernel_program *kernel, const kernel_inst *a,
                            const kernel_inst *b)
{
    int ndim = kernel_array_at(kernel, a->target)->ndim;
    for (int d = 0; d < ndim; ++d)
        if (!derive_is_same_value(kernel, kernel_operands(kernel, a)[d],
                                  kernel_operands(kernel, b)[d]))
            return false;
    return true;
}

bool flow_are_exclusive(const derive_flow *flow, uint32_t first, uint32_t second)
{
    for (uint32_t up = flow->blocks[first]; up != KERNEL_NONE; up = flow->blocks[up]) {
        const kernel_inst *block = kernel_inst_at(flow->kernel, up);
        if (block->op == KERNEL_IF && second > up && second <= derive_last_of(flow->kernel, up) &&
            (first < block->match) != (second < block->match))
            return true;
    }
    return false;
}

static bool is_fixed(const kernel_program *kernel, uint32_t value, uint32_t loop, int depth)
{
    uint32_t from = kernel_value_at(kernel, value)->definition;
    const kernel_inst *inst = definition_of(kernel, value);
    if (inst == NULL || from < loop || inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT)
        return true;
    if (kernel_op_is_statement(inst->op) || depth == 0)
        return false;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (!is_fixed(kernel, kernel_operands(kernel, inst)[i], loop, depth - 1))
            return false;
    return true;
}

bool flow_is_fixed(const kernel_program *kernel, uint32_t value, uint32_t loop)
{
    return is_fixed(kernel, value, loop, SAME_VALUE_DEPTH);
}

/* The value without the casts that keep different integers different. */
static uint32_t without_casts(const kernel_program *kernel, uint32_t value)
{
    const kernel_inst *inst = definition_of(kernel, value);
    while (inst != NULL && flow_widens(inst)) {
        value = kernel_operands(kernel, inst)[0];
        inst = definition_of(kernel, value);
    }
    return value;
}

/* The axes whose index is the value. */
static unsigned axes_of(const kernel_program *kernel, const kernel_inst *inst, uint32_t value)
{
    int ndim = kernel_array_at(kernel, inst->target)->ndim;
    unsigned axes = 0;
    for (int d = 0; d < ndim; ++d)
        if (without_casts(kernel, kernel_operands(kernel, inst)[d]) == value)
            axes |= 1u << d;
    return axes;
}

/* There must be, for each range, an axis whose index is that range's in all accesses. */
bool flow_is_private(const derive_flow *flow, uint32_t parallel, uint32_t array)
{
    const kernel_inst *loop = kernel_inst_at(flow->kernel, parallel);
    unsigned axes[KERNEL_MAX_RANGES];
    for (uint32_t r = 0; r < loop->nvalues; ++r)
        axes[r] = UINT32_MAX;
    for (uint32_t at = parallel; at < loop->match; ++at) {
        const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
        bool accesses =
            inst->op == KERNEL_LOAD || inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
        for (uint32_t r = 0; accesses && inst->target == array && r < loop->nvalues; ++r)
            axes[r] &= axes_of(flow->kernel, inst, loop->first + r);
    }
    for (uint32_t r = 0; r < loop->nvalues; ++r)
        if (axes[r] == 0)
            return false;
    return true;
}

/* Whether the value comes from before the loop, or is a number. */
static bool is_fixed_before(const kernel_program *kernel, uint32_t value, uint32_t loop)
{
    uint32_t from = kernel_value_at(kernel, value)->definition;
    return from == KERNEL_NONE || from < loop || kernel_inst_at(kernel, from)->op == KERNEL_CONST;
}

/* Whether the value is the index and a number that is the same for all iterations. */
static bool is_shift_of(const kernel_program *kernel, uint32_t value, uint32_t index, uint32_t loop)
{
    value = without_casts(kernel, value);
    const kernel_inst *inst = definition_of(kernel, value);
    if (value == index)
        return true;
    if (inst == NULL || (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT))
        return false;
    const uint32_t *parts = kernel_operands(kernel, inst);
    if (without_casts(kernel, parts[0]) == index)
        return is_fixed_before(kernel, parts[1], loop);
    return inst->op == PROGRAM_ADD && without_casts(kernel, parts[1]) == index &&
           is_fixed_before(kernel, parts[0], loop);
}

bool flow_is_shifted(const derive_flow *flow, uint32_t parallel, uint32_t load)
{
    const kernel_inst *loop = kernel_inst_at(flow->kernel, parallel);
    const kernel_inst *inst = kernel_inst_at(flow->kernel, load);
    for (uint32_t r = 0; r < loop->nvalues; ++r) {
        bool found = false;
        for (uint32_t d = 0; d < inst->noperands; ++d)
            found |= is_shift_of(flow->kernel, kernel_operands(flow->kernel, inst)[d],
                                 loop->first + r, parallel);
        if (!found)
            return false;
    }
    return true;
}

bool flow_is_written_in(const derive_flow *flow, uint32_t array, uint32_t loop)
{
    const kernel_program *kernel = flow->kernel;
    for (uint32_t at = loop; at < kernel_inst_at(kernel, loop)->match; ++at) {
        const kernel_inst *inst = kernel_inst_at(kernel, at);
        if ((inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC) && inst->target == array)
            return true;
    }
    return false;
}

/* Here constants count as values of the loop: the sum is added after the loop, where its values are
 * out of scope. */
static bool is_indexed_from_before(const kernel_program *kernel, const kernel_inst *load,
                                   uint32_t loop)
{
    for (uint32_t i = 0; i < load->noperands; ++i) {
        uint32_t from = kernel_value_at(kernel, kernel_operands(kernel, load)[i])->definition;
        if (from != KERNEL_NONE && from >= loop)
            return false;
    }
    return true;
}

uint32_t flow_steady_loop(const derive_flow *flow, uint32_t load)
{
    const kernel_inst *inst = kernel_inst_at(flow->kernel, load);
    uint32_t found = KERNEL_NONE;
    for (uint32_t up = flow->blocks[load]; up != flow->regions[load]; up = flow->blocks[up]) {
        uint16_t op = kernel_inst_at(flow->kernel, up)->op;
        if (op != KERNEL_FOR && op != KERNEL_LOOP)
            continue;
        if (!is_indexed_from_before(flow->kernel, inst, up) ||
            flow_is_written_in(flow, inst->target, up))
            break;
        found = up;
    }
    return found;
}

/* Whether each index of each loop around the store is one of its indices, so that no two iterations
 * store the same element. */
static bool is_indexed_by_loops(const derive_flow *flow, uint32_t store)
{
    for (uint32_t up = flow->blocks[store]; up != KERNEL_NONE; up = flow->blocks[up]) {
        const kernel_inst *opener = kernel_inst_at(flow->kernel, up);
        if (opener->op == KERNEL_LOOP)
            return false;
        for (uint32_t i = 0; i < opener->nvalues; ++i)
            if (axes_of(flow->kernel, kernel_inst_at(flow->kernel, store), opener->first + i) == 0)
                return false;
    }
    return true;
}

bool flow_is_stored_once(const derive_flow *flow, uint32_t array)
{
    uint32_t stores = 0;
    for (uint32_t at = 0; at < flow->kernel->ninsts; ++at) {
        const kernel_inst *inst = kernel_inst_at(flow->kernel, at);
        bool loads = inst->op == KERNEL_LOAD && (flow->insts[at] & FLOW_REVERSED);
        if ((loads || inst->op == KERNEL_ATOMIC) && inst->target == array)
            return false;
        if (inst->op != KERNEL_STORE || inst->target != array)
            continue;
        stores += 1;
        if (!is_indexed_by_loops(flow, at))
            return false;
    }
    return stores == 1;
}
