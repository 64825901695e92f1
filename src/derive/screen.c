/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the stores in doubt are certainly apart, found in parallel.
 *
 * Where nothing but stores is in doubt, each of which has an element of its own unless iterations
 * meet, their number is compared with that of the elements they reach. The loops stay parallel: a
 * store writes 1 to its element's mark, whichever iteration is the last to do so, and is counted;
 * then the marks are summed. As many marks as stores: no element was stored twice. Otherwise the
 * check proper looks which (check.c). */
#include "derive/check.h"

static const kernel_inst *inst_at(const derive_screen *s, uint32_t at)
{
    return kernel_inst_at(s->rewrite->from, at);
}

static jg_status screen_block(derive_screen *s, uint32_t at, uint32_t end);

static jg_status add_to_sum(const derive_screen *s, uint32_t sum, uint32_t value)
{
    return rewrite_atomic_add(s->rewrite->to, KERNEL_ATOMIC_LOCAL, sum, 0, NULL, value);
}

static jg_status screen_store(derive_screen *s, uint32_t at)
{
    const kernel_inst *inst = inst_at(s, at);
    kernel_program *to = s->rewrite->to;
    uint32_t indices[KERNEL_MAX_NDIM], one;
    uint32_t ndim = kernel_array_at(s->rewrite->from, inst->target)->ndim;
    for (uint32_t d = 0; d < ndim; ++d)
        indices[d] = s->rewrite->values[kernel_operands(s->rewrite->from, inst)[d]];
    JG_TRY(rewrite_number(to, JG_DTYPE_UINT8, 1, &one));
    JG_TRY(rewrite_store(to, s->marks[inst->target], ndim, indices, one));
    JG_TRY(rewrite_integer(to, 1, &one));
    return add_to_sum(s, s->stores, one);
}

static jg_status screen_if(derive_screen *s, uint32_t at)
{
    uint32_t middle = inst_at(s, at)->match, end = derive_last_of(s->rewrite->from, at);
    JG_TRY(rewrite_copy(s->rewrite, at));
    JG_TRY(screen_block(s, at + 1, middle));
    if (middle != end && s->doubts->taken[middle]) {
        JG_TRY(rewrite_plain(s->rewrite->to, KERNEL_ELSE));
        JG_TRY(screen_block(s, middle + 1, end));
    }
    return rewrite_plain(s->rewrite->to, KERNEL_END);
}

static jg_status screen_statement(derive_screen *s, uint32_t at)
{
    const kernel_inst *inst = inst_at(s, at);
    if (inst->op == KERNEL_STORE)
        return screen_store(s, at);
    if (inst->op == KERNEL_IF)
        return screen_if(s, at);
    JG_TRY(rewrite_copy(s->rewrite, at));
    if (!kernel_is_loop(inst->op))
        return JG_OK;
    JG_TRY(screen_block(s, at + 1, inst->match));
    return rewrite_plain(s->rewrite->to, KERNEL_END);
}

static jg_status screen_block(derive_screen *s, uint32_t at, uint32_t end)
{
    for (; at < end; at = derive_next_after(s->rewrite->from, at))
        if (s->doubts->taken[at])
            JG_TRY(screen_statement(s, at));
    return JG_OK;
}

/* A loop over all indices of an axis; the first one is parallel. */
static jg_status open_axis(kernel_program *to, uint32_t marks, uint32_t axis, uint32_t *index)
{
    uint32_t bounds[2];
    kernel_inst extent = {.op = KERNEL_EXTENT, .type = JG_DTYPE_INT64, .to = JG_DTYPE_INT64};
    kernel_inst loop = {.op = axis == 0 ? KERNEL_PARALLEL : KERNEL_FOR,
                        .type = JG_DTYPE_INT64,
                        .to = JG_DTYPE_INT64,
                        .immediate = axis == 0 ? 0 : 1};
    extent.target = marks;
    extent.immediate = axis;
    JG_TRY(rewrite_integer(to, 0, &bounds[0]));
    JG_TRY(kernel_append(to, &extent, 0, NULL, &bounds[1]));
    return kernel_append(to, &loop, 2, bounds, index);
}

static jg_status sum_marks(derive_screen *s, uint32_t array)
{
    kernel_program *to = s->rewrite->to;
    uint32_t indices[KERNEL_MAX_NDIM], mark;
    uint32_t ndim = kernel_array_at(s->rewrite->from, array)->ndim;
    for (uint32_t d = 0; d < ndim; ++d)
        JG_TRY(open_axis(to, s->marks[array], d, &indices[d]));
    JG_TRY(kernel_load(to, s->marks[array], ndim, indices, &mark));
    JG_TRY(kernel_cast(to, mark, JG_DTYPE_INT64, &mark));
    JG_TRY(add_to_sum(s, s->elements, mark));
    for (uint32_t d = 0; d < ndim; ++d)
        JG_TRY(rewrite_plain(to, KERNEL_END));
    return JG_OK;
}

jg_status screen_append(derive_screen *s, uint32_t *out)
{
    kernel_program *to = s->rewrite->to;
    uint32_t counts[2];
    JG_TRY(rewrite_add_local(to, "stores", JG_DTYPE_INT64, 0, &s->stores));
    JG_TRY(rewrite_add_local(to, "elements", JG_DTYPE_INT64, 0, &s->elements));
    JG_TRY(screen_block(s, 0, s->rewrite->from->ninsts));
    for (uint32_t a = 0; a < s->rewrite->from->narrays; ++a)
        if (s->marks[a] != KERNEL_NONE)
            JG_TRY(sum_marks(s, a));
    JG_TRY(rewrite_get(to, s->stores, 0, NULL, &counts[0]));
    JG_TRY(rewrite_get(to, s->elements, 0, NULL, &counts[1]));
    return kernel_apply(to, PROGRAM_NOT_EQUAL, 2, counts, out);
}
