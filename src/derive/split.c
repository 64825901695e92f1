/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the reverse of a parallel loop so that it needs no atomics.
 *
 * Where iteration i reads x[i - 1], x[i] and x[i + 1], several iterations add to one element of the
 * gradient, but through the same access no two do. So the loop is reversed once for each of the
 * accesses to different elements, each time adding through one of them: computing a few
 * instructions again costs less than an atomic addition. Only small loops without loops inside are
 * split, and no gradient that lies in the memory of another one. */
#include "derive/adjoint.h"

/* A loop that is longer, or would be run more often, costs more to compute again than atomics
 * do. */
enum { MAX_PASSES = 6, MAX_SPLIT_INSTS = 160 };

static bool is_small(const derive_sweeps *s, uint32_t parallel)
{
    uint32_t end = sweeps_inst(s, parallel)->match;
    for (uint32_t at = parallel + 1; at < end; ++at)
        if (kernel_is_loop(sweeps_inst(s, at)->op))
            return false;
    return end - parallel <= MAX_SPLIT_INSTS;
}

/* Whether the instruction is a LOAD of the array whose reverse adds to the gradient. */
static bool gives_to(const derive_sweeps *s, uint32_t at, uint32_t array)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    return inst->op == KERNEL_LOAD && inst->target == array && (s->flow.insts[at] & FLOW_REVERSED);
}

/* The pass of an access before this one to the same element; KERNEL_NONE. */
static uint32_t pass_before(const derive_sweeps *s, uint32_t parallel, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    for (uint32_t before = parallel + 1; before < at; ++before)
        if (gives_to(s, before, inst->target) &&
            derive_is_same_element(s->flow.kernel, sweeps_inst(s, before), inst))
            return s->passes[before];
    return KERNEL_NONE;
}

static void forget_passes(derive_sweeps *s, uint32_t parallel, uint32_t array)
{
    for (uint32_t at = parallel; at < sweeps_inst(s, parallel)->match; ++at)
        if (gives_to(s, at, array))
            s->passes[at] = KERNEL_NONE;
}

/* gives: how many passes the array's accesses take; 0 if it is not to be split */
static uint32_t split_array(derive_sweeps *s, uint32_t parallel, uint32_t array)
{
    uint32_t count = 0;
    for (uint32_t at = parallel + 1; at < sweeps_inst(s, parallel)->match; ++at) {
        if (!gives_to(s, at, array))
            continue;
        uint32_t pass = pass_before(s, parallel, at);
        s->passes[at] = pass != KERNEL_NONE ? pass : count++;
        if (count > MAX_PASSES || !flow_is_shifted(&s->flow, parallel, at))
            return 0;
    }
    return count;
}

/* Whether an iteration may read an element that it has written. Then its reverse takes from the
 * array's gradient a share that it has just added there, which is correct in the last pass
 * alone. */
static bool reads_what_it_wrote(const derive_sweeps *s, uint32_t parallel)
{
    uint32_t end = sweeps_inst(s, parallel)->match;
    for (uint32_t write = parallel + 1; write < end; ++write) {
        const kernel_inst *inst = sweeps_inst(s, write);
        if (inst->op != KERNEL_STORE && inst->op != KERNEL_ATOMIC)
            continue;
        for (uint32_t at = write + 1; at < end; ++at)
            if (gives_to(s, at, inst->target))
                return true;
    }
    return false;
}

/* Whether an iteration may store over an element that it has written. The store sets the gradient
 * of the element to 0 in the last pass alone: in the others what was written before would take all
 * of it. */
static bool stores_over(const derive_sweeps *s, uint32_t parallel)
{
    uint32_t end = sweeps_inst(s, parallel)->match;
    for (uint32_t at = parallel + 1; at < end; ++at) {
        const kernel_inst *store = sweeps_inst(s, at);
        bool counts = store->op == KERNEL_STORE && s->gradients[store->target] != KERNEL_NONE;
        for (uint32_t before = parallel + 1; counts && before < at; ++before) {
            const kernel_inst *inst = sweeps_inst(s, before);
            const derive_pair pair = {&s->flow, before, at, KERNEL_NONE, 0, 1};
            bool writes = inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
            if (writes && inst->target == store->target &&
                !flow_are_exclusive(&s->flow, before, at) && !derive_are_apart(&pair))
                return true;
        }
    }
    return false;
}

/* Arrays share the passes: each is done in as many as it needs, from pass 0 on. One that the loop
 * writes is left out, as later passes would find other elements than the first. */
uint32_t sweeps_split(derive_sweeps *s, uint32_t parallel)
{
    uint32_t passes = 1;
    bool small =
        is_small(s, parallel) && !reads_what_it_wrote(s, parallel) && !stores_over(s, parallel);
    for (uint32_t a = 0; a < s->flow.kernel->narrays; ++a) {
        forget_passes(s, parallel, a);
        if (!small || s->is_private[a] || s->flow.gradients[a] == JG_DERIVED_SHARED ||
            flow_is_written_in(&s->flow, a, parallel))
            continue;
        uint32_t count = split_array(s, parallel, a);
        if (count == 0)
            forget_passes(s, parallel, a);
        passes = uint_max(count, passes);
    }
    return passes;
}
