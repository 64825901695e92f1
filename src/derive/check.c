/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel that looks, before an adjoint runs, whether accesses that are in doubt (doubts.c) are
 * in each other's way.
 *
 * It goes through the kernel in order, computes which elements are accessed, and writes no array
 * but its marks: an integer for each element of the arrays in doubt, 0 at the beginning. Parallel
 * loops whose iterations may meet are gone through one iteration after the other. A mark holds the
 * kinds of access in the last iteration of such a loop, the line of the LOAD that needs the
 * element, and the number of that iteration, counted through all loops.
 *
 * Where only stores in one loop are in doubt, a mark says whether the element is stored, and a look
 * in parallel comes first (screen.c): what goes through the loops in order runs only if that found
 * an element stored twice, to tell by which line. */
#include "derive/check.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    KIND_READ = 1,
    KIND_STORED = 2, /* of a value with a derivative */
    KIND_ADDED = 4,
    KIND_CLEARED = 8, /* stored of another value */
    KINDS = 15,
    LINE_SHIFT = 4,
    TURN_SHIFT = 28, /* behind the line's bits, so that 35 are left */
    STORED_SHIFT = 1 /* of a mark that says whether its element is stored; the screen's is below */
};
#define LINES INT64_C(0xffffff0) /* 24 bits of a mark */

typedef struct checking {
    derive_doubts doubts;
    derive_rewrite rewrite;
    kernel_program *to;
    uint32_t *marks;      /* for each array that of its marks in to, or KERNEL_NONE */
    uint32_t turn, first; /* locals: the number of the iteration, that of its loop's first */
    bool counts;          /* whether there are such */
    bool *once;    /* for each array: no iteration of the one loop that stores it does so twice */
    bool screened; /* inside what runs where the screen has found something */
} checking;

static jg_status check_block(checking *c, uint32_t at, uint32_t end);

static const kernel_inst *inst_at(const checking *c, uint32_t at)
{
    return kernel_inst_at(c->rewrite.from, at);
}

static jg_status apply(checking *c, uint16_t op, uint32_t x, uint32_t y, uint32_t *out)
{
    return kernel_apply(c->to, op, 2, (uint32_t[]){x, y}, out);
}

static jg_status apply_number(checking *c, uint16_t op, uint32_t x, int64_t number, uint32_t *out)
{
    uint32_t y;
    JG_TRY(rewrite_integer(c->to, number, &y));
    return apply(c, op, x, y, out);
}

/* x, or 0 unless the condition holds. */
static jg_status only_if(checking *c, uint32_t condition, uint32_t x, uint32_t *out)
{
    uint32_t zero;
    JG_TRY(rewrite_integer(c->to, 0, &zero));
    return kernel_apply(c->to, PROGRAM_SELECT, 3, (uint32_t[]){condition, x, zero}, out);
}

/* The access ends the check with the message, if the value is not 0; {} in it is the value. */
static jg_status fail_unless_zero(checking *c, uint32_t at, uint32_t value, const char *message)
{
    char text[512];
    uint32_t fine, nothing;
    const kernel_inst *inst = inst_at(c, at);
    kernel_inst made = {.op = KERNEL_ASSERT, .type = JG_DTYPE_BOOL, .to = JG_DTYPE_BOOL};
    made.status = JG_ERR_VALUE;
    bool told = strstr(message, "{}") != NULL;
    snprintf(text, sizeof text, "derivative of kernel %.120s: line %" PRIu32 ": %s: %s",
             kernel_text(c->rewrite.from, c->rewrite.from->name), inst->line,
             kernel_row(inst->op)->name, message);
    JG_TRY(kernel_add_text(c->to, text, strlen(text), &made.target));
    JG_TRY(apply_number(c, PROGRAM_EQUAL, value, 0, &fine));
    c->to->line = 0; /* the message names it */
    return kernel_append(c->to, &made, told ? 2 : 1, (uint32_t[]){fine, value}, &nothing);
}

static const char *array_name(const checking *c, uint32_t at)
{
    uint32_t array = inst_at(c, at)->target;
    return kernel_text(c->rewrite.from, kernel_array_at(c->rewrite.from, array)->name);
}

/* mark: what the element's mark is. */
static jg_status check_overwriting(checking *c, uint32_t at, uint32_t mark)
{
    char message[320];
    uint32_t line;
    snprintf(message, sizeof message,
             "it overwrites an element of %.100s that the derivative needs, as line {} reads it; "
             "write to another array or another index",
             array_name(c, at));
    JG_TRY(apply_number(c, PROGRAM_SHIFT_RIGHT, mark, LINE_SHIFT, &line));
    JG_TRY(apply_number(c, PROGRAM_AND, line, LINES >> LINE_SHIFT, &line));
    return fail_unless_zero(c, at, line, message);
}

static int64_t kind_of(const checking *c, uint32_t at)
{
    switch (inst_at(c, at)->op) {
    case KERNEL_LOAD: return KIND_READ;
    case KERNEL_ATOMIC: return KIND_ADDED;
    default: return doubts_is_active(&c->doubts, at) ? KIND_STORED : KIND_CLEARED;
    }
}

/* The kinds of access by other iterations that are in the way of this one; see doubt_store. */
static int64_t others_of(const checking *c, uint32_t at)
{
    bool gradient = flow_has_gradient(c->doubts.flow, inst_at(c, at));
    switch (kind_of(c, at)) {
    case KIND_READ: return KIND_STORED | KIND_ADDED | KIND_CLEARED;
    case KIND_STORED: return KINDS;
    default: return gradient ? KIND_READ | KIND_STORED : KIND_READ;
    }
}

static jg_status fail_where_met(checking *c, uint32_t at, uint32_t value)
{
    char message[320];
    snprintf(message, sizeof message,
             "two iterations of the parallel loop use one element of %.100s, which one of them "
             "writes, and the derivative has no order; have the loop run in order, after "
             "loop_config(serialize=True), or add with +=",
             array_name(c, at));
    return fail_unless_zero(c, at, value, message);
}

/* gives: *kinds, those of this iteration's earlier accesses to the element */
static jg_status check_meeting(checking *c, uint32_t at, uint32_t mark, uint32_t turn,
                               uint32_t *kinds)
{
    uint32_t found, first, own, later, other, wrong;
    JG_TRY(apply_number(c, PROGRAM_SHIFT_RIGHT, mark, TURN_SHIFT, &found));
    JG_TRY(rewrite_get(c->to, c->first, 0, NULL, &first));
    JG_TRY(apply(c, PROGRAM_EQUAL, found, turn, &own));
    JG_TRY(apply(c, PROGRAM_LESS_EQUAL, first, found, &later));
    JG_TRY(apply(c, PROGRAM_NOT_EQUAL, found, turn, &other));
    JG_TRY(apply(c, PROGRAM_AND, other, later, &other));
    JG_TRY(apply_number(c, PROGRAM_AND, mark, others_of(c, at), &wrong));
    JG_TRY(only_if(c, other, wrong, &wrong));
    JG_TRY(fail_where_met(c, at, wrong));
    JG_TRY(apply_number(c, PROGRAM_AND, mark, KINDS, kinds));
    return only_if(c, own, *kinds, kinds);
}

/* The mark with the access in it. */
static jg_status mark_meeting(checking *c, uint32_t at, uint32_t mark, uint32_t *out)
{
    uint32_t turn, kinds, shifted;
    JG_TRY(rewrite_get(c->to, c->turn, 0, NULL, &turn));
    JG_TRY(check_meeting(c, at, mark, turn, &kinds));
    JG_TRY(apply_number(c, PROGRAM_OR, kinds, kind_of(c, at), &kinds));
    JG_TRY(apply_number(c, PROGRAM_SHIFT_LEFT, turn, TURN_SHIFT, &shifted));
    JG_TRY(apply_number(c, PROGRAM_AND, mark, LINES, out));
    JG_TRY(apply(c, PROGRAM_OR, *out, shifted, out));
    return apply(c, PROGRAM_OR, *out, kinds, out);
}

static jg_status mark_needed(checking *c, uint32_t at, uint32_t mark, uint32_t *out)
{
    uint32_t line = inst_at(c, at)->line;
    int64_t told = (int64_t)(line == 0 ? 1 : line) << LINE_SHIFT;
    JG_TRY(apply_number(c, PROGRAM_AND, mark, ~LINES, out));
    return apply_number(c, PROGRAM_OR, *out, told & LINES, out);
}

/* If an iteration stores an element at most once, a mark that is found there is that of another
 * iteration. */
static jg_status check_once(checking *c, uint32_t at, uint32_t ndim, const uint32_t *indices,
                            uint32_t mark)
{
    uint32_t stored, wide;
    JG_TRY(kernel_cast(c->to, mark, JG_DTYPE_INT64, &wide));
    JG_TRY(apply_number(c, PROGRAM_SHIFT_RIGHT, wide, STORED_SHIFT, &wide));
    JG_TRY(fail_where_met(c, at, wide));
    JG_TRY(rewrite_number(c->to, JG_DTYPE_UINT8, 1 << STORED_SHIFT, &stored));
    return rewrite_store(c->to, c->marks[inst_at(c, at)->target], ndim, indices, stored);
}

static jg_status check_access(checking *c, uint32_t at)
{
    const kernel_inst *inst = inst_at(c, at);
    uint8_t role = c->doubts.roles[at];
    uint32_t indices[KERNEL_MAX_NDIM], marks = c->marks[inst->target], mark;
    uint32_t ndim = kernel_array_at(c->rewrite.from, inst->target)->ndim;
    c->to->line = inst->line;
    for (uint32_t d = 0; d < ndim; ++d)
        indices[d] = c->rewrite.values[kernel_operands(c->rewrite.from, inst)[d]];
    JG_TRY(kernel_load(c->to, marks, ndim, indices, &mark));
    if (c->once[inst->target])
        return check_once(c, at, ndim, indices, mark);
    if (role & DOUBT_OVERWRITES)
        JG_TRY(check_overwriting(c, at, mark));
    if (role & DOUBT_MEETS)
        JG_TRY(mark_meeting(c, at, mark, &mark));
    if (role & DOUBT_NEEDED)
        JG_TRY(mark_needed(c, at, mark, &mark));
    if (role == DOUBT_OVERWRITES)
        return JG_OK;
    return rewrite_store(c->to, marks, ndim, indices, mark);
}

static jg_status set_sum(checking *c, uint32_t local, uint32_t from, int64_t number)
{
    uint32_t value;
    JG_TRY(rewrite_get(c->to, from, 0, NULL, &value));
    JG_TRY(apply_number(c, PROGRAM_ADD, value, number, &value));
    return rewrite_set(c->to, local, 0, NULL, value);
}

static bool may_meet_inside(const checking *c, uint32_t loop)
{
    for (uint32_t at = loop; at < inst_at(c, loop)->match; ++at)
        if (c->doubts.roles[at] & DOUBT_MEETS)
            return true;
    return false;
}

/* Iterations that share an element's mark only write into it that the element is needed, and by
 * which line: any of them will do. */
static jg_status check_in_parallel(checking *c, uint32_t at)
{
    JG_TRY(rewrite_copy(&c->rewrite, at));
    JG_TRY(check_block(c, at + 1, inst_at(c, at)->match));
    return rewrite_plain(c->to, KERNEL_END);
}

/* A loop inside the other for each range. */
static jg_status check_in_order(checking *c, uint32_t at)
{
    const kernel_inst *loop = inst_at(c, at);
    kernel_inst made = {.op = KERNEL_FOR, .type = loop->type, .to = loop->to, .immediate = 1};
    if (c->counts)
        JG_TRY(set_sum(c, c->first, c->turn, 1));
    for (uint32_t r = 0; r < loop->nvalues; ++r) {
        const uint32_t *bounds = kernel_operands(c->rewrite.from, loop) + 2 * (size_t)r;
        uint32_t mapped[2] = {c->rewrite.values[bounds[0]], c->rewrite.values[bounds[1]]};
        JG_TRY(kernel_append(c->to, &made, 2, mapped, &c->rewrite.values[loop->first + r]));
    }
    if (c->counts)
        JG_TRY(set_sum(c, c->turn, c->turn, 1));
    JG_TRY(check_block(c, at + 1, loop->match));
    for (uint32_t r = 0; r < loop->nvalues; ++r)
        JG_TRY(rewrite_plain(c->to, KERNEL_END));
    return JG_OK;
}

static jg_status check_if(checking *c, uint32_t at)
{
    uint32_t middle = inst_at(c, at)->match, end = derive_last_of(c->rewrite.from, at);
    JG_TRY(rewrite_copy(&c->rewrite, at));
    JG_TRY(check_block(c, at + 1, middle));
    if (middle != end && c->doubts.taken[middle]) {
        JG_TRY(rewrite_plain(c->to, KERNEL_ELSE));
        JG_TRY(check_block(c, middle + 1, end));
    }
    return rewrite_plain(c->to, KERNEL_END);
}

static jg_status check_statement(checking *c, uint32_t at)
{
    const kernel_inst *inst = inst_at(c, at);
    switch (inst->op) {
    case KERNEL_PARALLEL:
        return c->screened || may_meet_inside(c, at) ? check_in_order(c, at)
                                                     : check_in_parallel(c, at);
    case KERNEL_IF: return check_if(c, at);
    case KERNEL_FOR:
    case KERNEL_LOOP:
        JG_TRY(rewrite_copy(&c->rewrite, at));
        JG_TRY(check_block(c, at + 1, inst->match));
        return rewrite_plain(c->to, KERNEL_END);
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return check_access(c, at);
    case KERNEL_LOAD:
        JG_TRY(rewrite_copy(&c->rewrite, at));
        return c->doubts.roles[at] ? check_access(c, at) : JG_OK;
    default: return rewrite_copy(&c->rewrite, at);
    }
}

static jg_status check_block(checking *c, uint32_t at, uint32_t end)
{
    for (; at < end; at = derive_next_after(c->rewrite.from, at))
        if (c->doubts.taken[at])
            JG_TRY(check_statement(c, at));
    return JG_OK;
}

static bool is_in_inner_loop(const checking *c, uint32_t at)
{
    const derive_flow *flow = c->doubts.flow;
    for (uint32_t up = flow->blocks[at]; up != KERNEL_NONE && up != flow->regions[at];
         up = flow->blocks[up])
        if (kernel_is_loop(inst_at(c, up)->op))
            return true;
    return false;
}

/* Whether all that is in doubt of the array are stores in one parallel loop, not in loops inside,
 * and no two of an iteration are to one element. */
static bool is_stored_once(const checking *c, uint32_t array)
{
    uint32_t parallel = KERNEL_NONE;
    for (uint32_t at = 0; at < c->rewrite.from->ninsts; ++at) {
        if (!c->doubts.roles[at] || inst_at(c, at)->target != array)
            continue;
        uint32_t region = c->doubts.flow->regions[at];
        if (inst_at(c, at)->op != KERNEL_STORE || c->doubts.roles[at] != DOUBT_MEETS ||
            is_in_inner_loop(c, at) || (parallel != KERNEL_NONE && parallel != region))
            return false;
        parallel = region;
        for (uint32_t before = region; before < at; ++before) {
            derive_pair pair = {c->doubts.flow, before, at, KERNEL_NONE, 0, 1};
            if (c->doubts.roles[before] && inst_at(c, before)->target == array &&
                !derive_are_apart(&pair))
                return false;
        }
    }
    return true;
}

static jg_status add_array(checking *c, uint32_t of)
{
    char name[300];
    kernel_array array = *kernel_array_at(c->rewrite.from, of);
    c->once[of] = is_stored_once(c, of);
    snprintf(name, sizeof name, "%.240s_marks", kernel_text(c->rewrite.from, array.name));
    while (derive_has_array(c->to, name) && strlen(name) + 1 < sizeof name)
        memcpy(name + strlen(name), "_", 2);
    return kernel_add_array(c->to, name, c->once[of] ? JG_DTYPE_UINT8 : JG_DTYPE_INT64, array.ndim,
                            array.extents, NULL, &c->marks[of]);
}

/* Also tells which arrays have marks. */
static jg_status add_marks(checking *c, bool *marked)
{
    for (uint32_t at = 0; at < c->rewrite.from->ninsts; ++at)
        if (c->doubts.roles[at])
            marked[inst_at(c, at)->target] = true;
    for (uint32_t a = 0; a < c->rewrite.from->narrays; ++a)
        if (marked[a])
            JG_TRY(add_array(c, a));
    for (uint32_t at = 0; at < c->rewrite.from->ninsts; ++at)
        c->counts |= (c->doubts.roles[at] & DOUBT_MEETS) && !c->once[inst_at(c, at)->target];
    kernel_order_parameters(c->to);
    return JG_OK;
}

/* The check has a result, so that a launch waits for it: the adjoint must run after it. */
static jg_status end_check(checking *c)
{
    uint32_t fine, nothing;
    kernel_inst made = {.op = KERNEL_RETURN};
    JG_TRY(rewrite_number(c->to, JG_DTYPE_BOOL, 1, &fine));
    return kernel_append(c->to, &made, 1, &fine, &nothing);
}

/* Whether nothing is in doubt but arrays that are stored once. */
static bool can_be_screened(const checking *c)
{
    for (uint32_t a = 0; a < c->rewrite.from->narrays; ++a)
        if (c->marks[a] != KERNEL_NONE && !c->once[a])
            return false;
    return true;
}

static jg_status screen_and_check(checking *c)
{
    derive_screen screen = {.doubts = &c->doubts, .rewrite = &c->rewrite, .marks = c->marks};
    uint32_t stored_twice;
    JG_TRY(screen_append(&screen, &stored_twice));
    JG_TRY(rewrite_if(c->to, stored_twice));
    c->screened = true;
    JG_TRY(check_block(c, 0, c->rewrite.from->ninsts));
    return rewrite_plain(c->to, KERNEL_END);
}

static jg_status check_all(checking *c, bool *marked)
{
    JG_TRY(add_marks(c, marked));
    JG_TRY(kernel_add_result(c->to, JG_DTYPE_BOOL));
    if (c->counts) {
        JG_TRY(rewrite_add_local(c->to, "turn", JG_DTYPE_INT64, 0, &c->turn));
        JG_TRY(rewrite_add_local(c->to, "first", JG_DTYPE_INT64, 0, &c->first));
    }
    JG_TRY(can_be_screened(c) ? screen_and_check(c) : check_block(c, 0, c->rewrite.from->ninsts));
    JG_TRY(end_check(c));
    return kernel_verify(c->to);
}

static jg_status make_check(checking *c, bool *marked, kernel_program *out)
{
    kernel_program made;
    c->to = &made;
    c->marks = derive_new_indices(c->doubts.flow->kernel->narrays);
    c->once = base_alloc_zeroed((size_t)c->doubts.flow->kernel->narrays + 1);
    jg_status status = JG_OK;
    if (c->marks == NULL || c->once == NULL)
        status = base_nomem(c->doubts.flow->kernel->narrays, "the check of a kernel");
    if (status == JG_OK)
        status = rewrite_begin(c->doubts.flow->kernel, false, &made, &c->rewrite);
    if (status == JG_OK) {
        status = check_all(c, marked);
        rewrite_end(&c->rewrite);
        if (status == JG_OK)
            *out = made;
        else
            kernel_clear(&made);
    }
    base_free(c->marks);
    base_free(c->once);
    return status;
}

jg_status check_make(const derive_doubts *doubts, bool *marked, kernel_program *out)
{
    checking c = {.doubts = *doubts};
    *out = (kernel_program){0};
    return doubts->any ? make_check(&c, marked, out) : JG_OK;
}
