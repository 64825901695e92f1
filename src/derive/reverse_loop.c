/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in the reverse sweep: the same number of iterations, from the last to the first. Parallel
 * loops stay parallel, in one pass or several (split.c). */
#include "derive/adjoint.h"

static jg_status apply64(derive_sweeps *s, uint16_t op, uint32_t x, uint32_t y, uint32_t *out)
{
    return kernel_apply(s->to, op, 2, (uint32_t[]){x, y}, out);
}

/* How many iterations a loop from low to high has, or a number below 0: (high - low + step - 1) /
 * step. */
static jg_status count_turns(derive_sweeps *s, int64_t step, uint32_t low, uint32_t high,
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

/* The contributions of a loop's iterations to one element are summed in a local. */
static jg_status declare_carriers(derive_sweeps *s, uint32_t loop)
{
    for (uint32_t at = loop; at < sweeps_inst(s, loop)->match; ++at) {
        const kernel_inst *inst = sweeps_inst(s, at);
        bool gives = inst->op == KERNEL_LOAD && (s->flow.insts[at] & FLOW_REVERSED);
        if (gives && flow_steady_loop(&s->flow, at) == loop)
            JG_TRY(rewrite_add_local(s->to, "share", (jg_dtype)inst->to, 0, &s->carriers[at]));
    }
    return JG_OK;
}

/* An element that no iteration accessed may not exist, and got no contribution. */
static jg_status give_carried(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *inst = sweeps_inst(s, at);
    uint32_t share, zero, any;
    JG_TRY(rewrite_get(s->to, s->carriers[at], 0, NULL, &share));
    JG_TRY(rewrite_number(s->to, (jg_dtype)inst->to, 0, &zero));
    JG_TRY(kernel_apply(s->to, PROGRAM_NOT_EQUAL, 2, (uint32_t[]){share, zero}, &any));
    JG_TRY(rewrite_if(s->to, any));
    JG_TRY(sweeps_give_to_array(s, at, share));
    return rewrite_plain(s->to, KERNEL_END);
}

/* Ends the loop over iterations, after which the locals of declare_carriers are added to their
 * elements. */
static jg_status close_turns(derive_sweeps *s, uint32_t loop)
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
static jg_status open_turns(derive_sweeps *s, uint32_t count, uint32_t *turn)
{
    uint32_t one, last, end;
    kernel_inst loop = {
        .op = KERNEL_FOR, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64, .immediate = -1};
    JG_TRY(rewrite_integer(s->to, 1, &one));
    JG_TRY(rewrite_integer(s->to, -1, &end));
    JG_TRY(apply64(s, PROGRAM_SUBTRACT, count, one, &last));
    return kernel_append(s->to, &loop, 2, (uint32_t[]){last, end}, turn);
}

/* The loop's index in that iteration: low + turn * step. */
static jg_status find_index(derive_sweeps *s, const kernel_inst *loop, uint32_t low, uint32_t turn)
{
    uint32_t step, way, index;
    if (!(s->flow.values[loop->first] & FLOW_NEEDED))
        return JG_OK;
    JG_TRY(rewrite_integer(s->to, loop->immediate, &step));
    JG_TRY(apply64(s, PROGRAM_MULTIPLY, turn, step, &way));
    JG_TRY(apply64(s, PROGRAM_ADD, low, way, &index));
    return kernel_cast(s->to, index, (jg_dtype)loop->type, &s->reverse.values[loop->first]);
}

/* The count was kept where the loop has a break; otherwise the bounds give it. */
static jg_status reverse_for(derive_sweeps *s, uint32_t at)
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

static jg_status reverse_loop(derive_sweeps *s, uint32_t at)
{
    uint32_t turn;
    JG_TRY(declare_carriers(s, at));
    JG_TRY(open_turns(s, s->counts[at], &turn));
    JG_TRY(sweeps_reverse(s, at + 1, sweeps_inst(s, at)->match));
    return close_turns(s, at);
}

/* The loop over the same ranges, with both sweeps of its body. Iterations are independent of each
 * other, so their order needs no reversing. */
static jg_status reverse_pass(derive_sweeps *s, uint32_t at)
{
    const kernel_inst *loop = sweeps_inst(s, at);
    JG_TRY(rewrite_copy(&s->reverse, at));
    for (uint32_t i = 0; i < loop->nvalues; ++i)
        s->forward.values[loop->first + i] = s->reverse.values[loop->first + i];
    s->region = at;
    JG_TRY(sweeps_region(s, at + 1, loop->match));
    s->region = KERNEL_NONE;
    return rewrite_plain(s->to, KERNEL_END);
}

/* Which arrays need no atomics is found before the split, which leaves those arrays out. */
static jg_status reverse_parallel(derive_sweeps *s, uint32_t at)
{
    for (uint32_t a = 0; a < s->flow.kernel->narrays; ++a)
        s->is_private[a] =
            s->flow.gradients[a] != JG_DERIVED_SHARED && flow_is_private(&s->flow, at, a);
    s->npasses = sweeps_split(s, at);
    for (s->pass = 0; s->pass < s->npasses; ++s->pass)
        JG_TRY(reverse_pass(s, at));
    s->pass = 0;
    s->npasses = 1;
    return JG_OK;
}

jg_status sweeps_reverse_loop(derive_sweeps *s, uint32_t at)
{
    switch (sweeps_inst(s, at)->op) {
    case KERNEL_FOR: return reverse_for(s, at);
    case KERNEL_LOOP: return reverse_loop(s, at);
    default: return reverse_parallel(s, at);
    }
}
