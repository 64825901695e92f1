/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what bounds.h describes, in one pass over the instructions.
 *
 * A proof may use bounds that are wider than the true ones. An access that is checked before a loop
 * must occur in the loop, because the check makes the kernel fail: so there is no branch, no jump
 * and no dependent range in between. An assumption need not occur in the loop, because its failure
 * costs only time. */
#include "kernel/bounds_analysis.h"
#include <string.h>

/* As many values of an index are visited; one value may be reached in many ways. */
enum { MAX_VISITED = 64 };

/* Goes on to the ends of one more loop. gives: false if the check must stay inside of it */
static bool leave_loop(const bounds_analysis *s, const kernel_inst *loop, uint32_t opener,
                       bounds_check *check)
{
    uint32_t inner = check->nranges;
    for (uint32_t k = loop->nvalues; k-- > 0;) {
        bounds_range *range = &check->ranges[check->nranges];
        uint32_t index = loop->first + k;
        bool steps;
        if (check->nranges == BOUNDS_MAX_RANGES || !bounds_range_of(s, loop, k, range, &steps) ||
            steps || !bounds_is_small(s, &range->low) || !bounds_is_small(s, &range->high) ||
            !bounds_is_known_before(s, &range->low, opener) ||
            !bounds_is_known_before(s, &range->high, opener))
            return false;
        for (uint32_t i = 0; i < inner; ++i)
            if (bounds_factor(&check->ranges[i].low, index) != 0 ||
                bounds_factor(&check->ranges[i].high, index) != 0 ||
                !bounds_is_known_before(s, &check->ranges[i].low, opener) ||
                !bounds_is_known_before(s, &check->ranges[i].high, opener))
                return false;
        check->nranges += 1;
        if (!bounds_put_end(s, &check->least, index, range, false) ||
            !bounds_put_end(s, &check->greatest, index, range, true))
            return false;
    }
    return bounds_is_small(s, &check->least) && bounds_is_small(s, &check->greatest) &&
           bounds_is_known_before(s, &check->least, opener) &&
           bounds_is_known_before(s, &check->greatest, opener);
}

static void move_out(const bounds_analysis *s, uint32_t value, bounds_check *check)
{
    bounds_check at = *check;
    at.least = bounds_form_of(s, value);
    at.greatest = at.least;
    for (int d = s->depth; d-- > 0;) {
        uint32_t opener = s->blocks[d].opener;
        const kernel_inst *inst = kernel_inst_at(s->kernel, opener);
        if ((inst->op != KERNEL_FOR && inst->op != KERNEL_PARALLEL) || s->jumps[opener] ||
            !leave_loop(s, inst, opener, &at))
            return;
        at.loop = opener;
        *check = at;
    }
}

static bool is_same_check(const kernel_program *kernel, const bounds_check *a,
                          const bounds_check *b)
{
    const kernel_inst *x = kernel_inst_at(kernel, a->access),
                      *y = kernel_inst_at(kernel, b->access);
    bool local_x = kernel_bounds_local(x->op), local_y = kernel_bounds_local(y->op);
    return a->kind == BOUNDS_BEFORE_LOOP && b->kind == a->kind && a->loop == b->loop &&
           a->axis == b->axis && x->target == y->target && local_x == local_y &&
           a->nranges == b->nranges && memcmp(&a->least, &b->least, sizeof a->least) == 0 &&
           memcmp(&a->greatest, &b->greatest, sizeof a->greatest) == 0 &&
           memcmp(a->ranges, b->ranges, a->nranges * sizeof a->ranges[0]) == 0;
}

static bool is_known(const bounds_analysis *s, const bounds_check *check)
{
    const bounds_check *all = (const bounds_check *)(const void *)s->out->checks.data;
    for (size_t i = s->out->checks.nbytes / sizeof *all; i-- > 0;)
        if (is_same_check(s->kernel, &all[i], check))
            return true;
    return false;
}

static uint32_t count_axes(const bounds_analysis *s, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return kernel_array_at(s->kernel, inst->target)->ndim;
    case KERNEL_GET:
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return kernel_local_at(s->kernel, inst->target)->length > 0;
    default: return 0;
    }
}

/* The extent less one. An extent that is cut to a narrower type is no larger. */
static bool last_index(const bounds_analysis *s, const kernel_inst *inst, uint32_t axis,
                       jg_dtype type, bounds_form *out)
{
    bounds_form one = bounds_constant(1);
    *out = kernel_bounds_local(inst->op)
               ? bounds_constant((int64_t)kernel_local_at(s->kernel, inst->target)->length)
               : bounds_extent(s, inst->target, axis, type);
    return bounds_add(out, &one, -1);
}

static void explain_index(const bounds_analysis *s, const kernel_inst *inst, uint32_t axis,
                          uint32_t value, bounds_side *least, bounds_side *greatest)
{
    bounds_form last;
    bounds_explain_least(s, value, 0, least);
    if (last_index(s, inst, axis, JG_DTYPE_INT64, &last))
        bounds_explain_greatest(s, value, &last, 0, greatest);
    if (!greatest->proven && !s->narrow && last_index(s, inst, axis, JG_DTYPE_INT32, &last))
        bounds_explain_greatest(s, value, &last, 0, greatest);
}

/* Turns the check into an assumed one, with the cases of both ends. */
static jg_status assume(bounds_analysis *s, const bounds_side *least, const bounds_side *greatest,
                        bounds_check *check)
{
    check->kind = BOUNDS_ASSUMED;
    check->loop = s->outermost;
    check->first_case = (uint32_t)(s->out->cases.nbytes / sizeof(bounds_case));
    check->nleast = least->proven ? 0 : least->count;
    check->ngreatest = greatest->proven ? 0 : greatest->count;
    JG_TRY(vec_append(&s->out->cases, least->cases, check->nleast * sizeof(bounds_case)));
    return vec_append(&s->out->cases, greatest->cases, check->ngreatest * sizeof(bounds_case));
}

/* Whether the instruction makes an integer of integers without multiplying variables. */
static bool combines_indices(const kernel_inst *inst)
{
    switch (inst->op) {
    case PROGRAM_CAST:
    case PROGRAM_ADD:
    case PROGRAM_SUBTRACT:
    case PROGRAM_MINIMUM:
    case PROGRAM_MAXIMUM:
    case PROGRAM_FLOOR_DIVIDE:
    case PROGRAM_REMAINDER: return dtype_is_integer((jg_dtype)inst->type);
    default: return false;
    }
}

/* Whether the index is a function of the loops' iterations alone, not of memory. *left: how many
 * values may still be visited. */
static bool is_known_function(const bounds_analysis *s, uint32_t value, int *left)
{
    bounds_form form = bounds_form_of(s, value);
    const kernel_inst *inst = bounds_definition(s, value);
    if (bounds_leave_loops(s, &form) && bounds_is_known_before(s, &form, s->outermost))
        return true;
    if (inst == NULL || (*left -= 1) < 0 || !combines_indices(inst))
        return false;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (!is_known_function(s, kernel_operands(s->kernel, inst)[i], left))
            return false;
    return true;
}

static jg_status check_axis(bounds_analysis *s, uint32_t position, uint32_t axis)
{
    const kernel_inst *inst = kernel_inst_at(s->kernel, position);
    uint32_t value = kernel_operands(s->kernel, inst)[axis];
    bool is_signed = bounds_is_signed((jg_dtype)kernel_value_at(s->kernel, value)->type);
    bounds_side least = {0}, greatest = {0};
    bounds_check check;
    int left = MAX_VISITED;
    if (is_signed)
        explain_index(s, inst, axis, value, &least, &greatest);
    if (least.proven && greatest.proven)
        return JG_OK;
    memset(&check, 0, sizeof check);
    check.access = position;
    check.axis = axis;
    check.loop = KERNEL_NONE;
    check.known = is_signed && s->outermost != KERNEL_NONE && is_known_function(s, value, &left);
    move_out(s, value, &check);
    if (check.loop != KERNEL_NONE)
        check.kind = BOUNDS_BEFORE_LOOP;
    if (s->outermost != KERNEL_NONE && check.loop != s->outermost &&
        (least.proven || least.count > 0) && (greatest.proven || greatest.count > 0))
        JG_TRY(assume(s, &least, &greatest, &check));
    return is_known(s, &check) ? JG_OK : vec_append(&s->out->checks, &check, sizeof check);
}

static jg_status check_access(bounds_analysis *s, uint32_t position)
{
    uint32_t count = count_axes(s, kernel_inst_at(s->kernel, position));
    for (uint32_t axis = 0; axis < count; ++axis)
        JG_TRY(check_axis(s, position, axis));
    return JG_OK;
}

/* The outermost enclosing loop whose iterations are counted. */
static void find_outermost(bounds_analysis *s)
{
    s->outermost = KERNEL_NONE;
    for (int d = 0; d < s->depth && s->outermost == KERNEL_NONE; ++d) {
        uint16_t op = kernel_inst_at(s->kernel, s->blocks[d].opener)->op;
        if (op == KERNEL_FOR || op == KERNEL_PARALLEL)
            s->outermost = s->blocks[d].opener;
    }
}

static void follow_blocks(bounds_analysis *s, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(s->kernel, position);
    if (inst->op == KERNEL_END)
        s->depth -= 1;
    else if (inst->op == KERNEL_ELSE)
        s->blocks[s->depth - 1].otherwise = true;
    else if (kernel_opens(inst->op))
        s->blocks[s->depth++] = (bounds_block){position, false};
    if (kernel_is_loop(inst->op) || inst->op == KERNEL_END)
        find_outermost(s);
}

void kernel_bounds_clear(bounds_plan *plan)
{
    vec_clear(&plan->checks);
    vec_clear(&plan->cases);
}

jg_status kernel_find_bounds(const kernel_program *kernel, bool narrow, bounds_plan *out)
{
    bounds_analysis s = {.kernel = kernel, .narrow = narrow, .outermost = KERNEL_NONE, .out = out};
    jg_status status = JG_OK;
    *out = (bounds_plan){0};
    s.jumps = base_alloc_zeroed(kernel->ninsts + 1);
    if (s.jumps == NULL)
        return base_nomem(kernel->ninsts, "a kernel");
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (inst->op == KERNEL_BREAK || inst->op == KERNEL_CONTINUE)
            s.jumps[inst->match] = 1;
    }
    for (uint32_t p = 0; p < kernel->ninsts && status == JG_OK; ++p) {
        follow_blocks(&s, p);
        status = check_access(&s, p);
    }
    base_free(s.jumps);
    return status;
}
