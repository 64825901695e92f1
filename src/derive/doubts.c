/* SPDX-License-Identifier: Apache-2.0 */
/* Finds accesses that may conflict where the kernel's text does not tell: at indices from memory,
 * under conditions, in loops whose end depends on computed values.
 *
 * A derivative that needs an element reads it after the kernel has run, so a later write to it
 * conflicts. The iterations of a parallel loop are reversed in any order, so an iteration that
 * writes an element which another one reads or writes conflicts, too. Certain conflicts are refused
 * (overwritten.c, order.c), and accesses that certainly do not conflict are allowed (apart.c). The
 * others are found here, and check.c makes a kernel that checks them when it runs. That kernel
 * reads indices, conditions and bounds from arrays as they are after the kernel has run, so these
 * must not be in doubt themselves. */
#include "derive/check.h"

static const kernel_inst *inst_at(const derive_doubts *d, uint32_t at)
{
    return kernel_inst_at(d->flow->kernel, at);
}

static bool is_write(const kernel_inst *inst)
{
    return inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
}

static bool contains(const derive_doubts *d, uint32_t opener, uint32_t at)
{
    return at > opener && at <= derive_last_of(d->flow->kernel, opener);
}

static bool has_next_iteration(const derive_doubts *d, uint32_t loop, uint32_t range)
{
    const kernel_inst *inst = inst_at(d, loop);
    int64_t low, high, step = inst->op == KERNEL_FOR ? inst->immediate : 1;
    if (inst->op == KERNEL_LOOP)
        return true;
    const uint32_t *bounds = kernel_operands(d->flow->kernel, inst) + 2 * (size_t)range;
    if (!flow_is_number(d->flow, bounds[0], &low) || !flow_is_number(d->flow, bounds[1], &high))
        return true;
    return step > 0 ? high - step > low : high - step < low;
}

/* Whether the write may come after the load, in its iteration or a later one, and be to the same
 * element. */
static bool may_follow(const derive_doubts *d, uint32_t load, uint32_t write)
{
    derive_pair pair = {d->flow, load, write, KERNEL_NONE, 0, 1};
    if (write > load && !flow_are_exclusive(d->flow, load, write) && !derive_are_apart(&pair))
        return true;
    for (uint32_t up = d->flow->blocks[load]; up != KERNEL_NONE; up = d->flow->blocks[up]) {
        uint16_t op = inst_at(d, up)->op;
        pair.loop = up;
        if ((op == KERNEL_FOR || op == KERNEL_LOOP) && contains(d, up, write) &&
            has_next_iteration(d, up, 0) && !derive_are_apart(&pair))
            return true;
    }
    return false;
}

/* Whether two iterations of the parallel loop around both may access the same element. */
static bool may_meet(const derive_doubts *d, uint32_t first, uint32_t second)
{
    uint32_t parallel = d->flow->regions[first];
    if (parallel == KERNEL_NONE || parallel != d->flow->regions[second])
        return false;
    for (uint32_t r = 0; r < inst_at(d, parallel)->nvalues; ++r)
        for (int sign = -1; sign <= 1; sign += 2) {
            derive_pair pair = {d->flow, first, second, parallel, r, sign};
            if (has_next_iteration(d, parallel, r) && !derive_are_apart(&pair))
                return true;
        }
    return false;
}

/* Whether a derivative is computed from what the LOAD reads. */
static bool is_needed(const derive_doubts *d, uint32_t load)
{
    return (d->flow->values[inst_at(d, load)->first] & FLOW_NEEDED) ||
           (d->flow->insts[load] & (FLOW_FORWARD | FLOW_FORWARD_TOP));
}

bool doubts_is_active(const derive_doubts *d, uint32_t write)
{
    const kernel_inst *inst = inst_at(d, write);
    uint32_t value = kernel_operands(d->flow->kernel, inst)[inst->noperands - 1];
    return flow_has_gradient(d->flow, inst) && flow_is_active(d->flow, value);
}

static void doubt(derive_doubts *d, uint32_t first, uint8_t role, uint32_t second, uint8_t other)
{
    d->roles[first] = (uint8_t)(d->roles[first] | role);
    d->roles[second] = (uint8_t)(d->roles[second] | other);
    d->any = true;
}

static void doubt_load(derive_doubts *d, uint32_t load, uint32_t write)
{
    bool needed = is_needed(d, load);
    bool reversed =
        flow_has_gradient(d->flow, inst_at(d, load)) && (d->flow->insts[load] & FLOW_REVERSED);
    if (needed && may_follow(d, load, write))
        doubt(d, load, DOUBT_NEEDED, write, DOUBT_OVERWRITES);
    if ((needed || reversed) && may_meet(d, load, write))
        doubt(d, load, DOUBT_MEETS, write, DOUBT_MEETS);
}

/* Sums do not depend on an order, and stores of values without a derivative clear gradients,
 * however often. Such stores together with sums, as Genesis has them for particles that do not
 * move, make the kernel itself depend on an order; its derivative is that of one order. A pair of
 * stores is tested once, a store also with itself. */
static void doubt_store(derive_doubts *d, uint32_t store, uint32_t write)
{
    bool stores = inst_at(d, write)->op == KERNEL_STORE, active = doubts_is_active(d, store);
    if ((stores && write < store) || !flow_has_gradient(d->flow, inst_at(d, store)))
        return;
    if ((active || (stores && doubts_is_active(d, write))) && may_meet(d, store, write))
        doubt(d, store, DOUBT_MEETS, write, DOUBT_MEETS);
}

static void doubt_writes(derive_doubts *d, uint32_t write)
{
    uint32_t array = inst_at(d, write)->target;
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at) {
        const kernel_inst *inst = inst_at(d, at);
        if (inst->target != array)
            continue;
        if (inst->op == KERNEL_LOAD)
            doubt_load(d, at, write);
        else if (inst->op == KERNEL_STORE)
            doubt_store(d, at, write);
    }
}

/* Takes the instruction and the blocks around it into the check. gives: whether one of them is
 * new */
static bool take(derive_doubts *d, uint32_t at)
{
    bool changes = false;
    for (; at != KERNEL_NONE && !d->taken[at]; at = d->flow->blocks[at])
        changes = d->taken[at] = true;
    return changes;
}

static bool take_value(derive_doubts *d, uint32_t value)
{
    uint32_t from = kernel_value_at(d->flow->kernel, value)->definition;
    if (from == KERNEL_NONE)
        return false;
    if (!kernel_opens(inst_at(d, from)->op))
        d->steers[from] = true;
    return take(d, from);
}

/* Takes the instructions that set a local which an instruction of the check reads. */
static bool take_setters(derive_doubts *d, uint32_t local)
{
    bool changes = false;
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at) {
        uint16_t op = inst_at(d, at)->op;
        if ((op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL || op == KERNEL_LOCAL) &&
            inst_at(d, at)->target == local)
            changes |= take(d, at);
    }
    return changes;
}

/* Takes in what the instruction depends on; of a write that is its element. */
static bool take_needs(derive_doubts *d, uint32_t at)
{
    const kernel_inst *inst = inst_at(d, at);
    uint32_t count = is_write(inst) ? inst->noperands - kernel_nstored(inst) : inst->noperands;
    bool changes = false;
    for (uint32_t i = 0; i < count; ++i)
        changes |= take_value(d, kernel_operands(d->flow->kernel, inst)[i]);
    if (inst->op == KERNEL_GET || inst->op == KERNEL_SET || inst->op == KERNEL_ATOMIC_LOCAL)
        changes |= take_setters(d, inst->target);
    if ((inst->op == KERNEL_FOR || inst->op == KERNEL_LOOP) &&
        derive_has_break(d->flow->kernel, at))
        changes |= take(d, inst->match - 2);
    return changes;
}

static void take_all(derive_doubts *d)
{
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at)
        if (d->roles[at])
            take(d, at);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t at = d->flow->kernel->ninsts; at-- > 0;)
            if (d->taken[at])
                changes |= take_needs(d, at);
    }
}

static bool may_be_changed(const derive_doubts *d, uint32_t load)
{
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at)
        if (is_write(inst_at(d, at)) && inst_at(d, at)->target == inst_at(d, load)->target &&
            (may_follow(d, load, at) || may_meet(d, load, at)))
            return true;
    return false;
}

/* Values that decide which elements are used, or how often, must still be unchanged when the
 * adjoint runs. */
static jg_status check_steering(const derive_doubts *d, uint32_t at)
{
    const kernel_inst *inst = inst_at(d, at);
    switch (inst->op) {
    case KERNEL_LOAD:
        if (!may_be_changed(d, at))
            return JG_OK;
        return flow_refuse(
            d->flow, at,
            "the derivative needs the element of %s that is read here, which decides what "
            "the kernel does, and the kernel may overwrite it; write to another array or use a "
            "local variable",
            kernel_text(d->flow->kernel, kernel_array_at(d->flow->kernel, inst->target)->name));
    case KERNEL_RANDOM:
        return flow_refuse(d->flow, at,
                           "the derivative needs a random number; pass it in an array");
    case KERNEL_ATOMIC:
        return flow_refuse(d->flow, at, "the derivative needs what was there before an atomic");
    default: return JG_OK;
    }
}

static jg_status find_doubts(derive_doubts *d)
{
    if (d->roles == NULL || d->taken == NULL || d->steers == NULL)
        return base_nomem(d->flow->kernel->ninsts, "the derivative of a kernel");
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at)
        if (is_write(inst_at(d, at)))
            doubt_writes(d, at);
    if (!d->any)
        return JG_OK;
    take_all(d);
    for (uint32_t at = 0; at < d->flow->kernel->ninsts; ++at)
        if (d->taken[at] && d->steers[at])
            JG_TRY(check_steering(d, at));
    return JG_OK;
}

jg_status doubts_find(const derive_flow *flow, derive_doubts *out)
{
    size_t count = (size_t)flow->kernel->ninsts + 1;
    derive_doubts doubts = {flow, base_alloc_zeroed(count), base_alloc_zeroed(count),
                            base_alloc_zeroed(count), false};
    jg_status status = find_doubts(&doubts);
    if (status == JG_OK)
        *out = doubts;
    else
        doubts_clear(&doubts);
    return status;
}

void doubts_clear(derive_doubts *doubts)
{
    base_free(doubts->roles);
    base_free(doubts->taken);
    base_free(doubts->steers);
}
