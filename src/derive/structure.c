/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the jumps of a kernel, so that a block executes all of its statements in order.
 *
 * What follows an if that may jump goes into the branch that does not, or, where both may go on,
 * under the condition that none has jumped. A loop that was left by breaks keeps one, as the last
 * statement of its body: `if %broken { break }`. Atomics on what only one iteration can see, of
 * locals and updates of arrays, become plain reading and setting. */
#include "derive/passes.h"

typedef struct structuring {
    derive_rewrite rewrite;
    uint32_t loop;         /* the innermost one around, or KERNEL_NONE */
    uint32_t skip, broken; /* its locals in the new kernel: this turn, the whole loop is over */
    uint32_t parallel;     /* the one around, or KERNEL_NONE */
} structuring;

static jg_status structure_block(structuring *s, uint32_t at, uint32_t end);

static const kernel_inst *source_at(const structuring *s, uint32_t position)
{
    return kernel_inst_at(s->rewrite.from, position);
}

/* Whether something from first to end - 1 jumps in the loop. */
static bool jumps(const structuring *s, uint16_t op, uint32_t first, uint32_t end, uint32_t loop)
{
    for (uint32_t at = first; at < end; ++at)
        if (source_at(s, at)->op == op && source_at(s, at)->match == loop)
            return true;
    return false;
}

static bool jumps_at_all(const structuring *s, uint32_t first, uint32_t end)
{
    return jumps(s, KERNEL_BREAK, first, end, s->loop) ||
           jumps(s, KERNEL_CONTINUE, first, end, s->loop);
}

/* Whether the block jumps with its last statement and nowhere else. */
static bool ends_in_jump(const structuring *s, uint32_t first, uint32_t end)
{
    uint16_t op = end > first ? source_at(s, end - 1)->op : KERNEL_END;
    return (op == KERNEL_BREAK || op == KERNEL_CONTINUE) && !jumps_at_all(s, first, end - 1);
}

static jg_status set_true(structuring *s, uint32_t local)
{
    uint32_t truth;
    JG_TRY(rewrite_number(s->rewrite.to, JG_DTYPE_BOOL, 1, &truth));
    return rewrite_set(s->rewrite.to, local, 0, NULL, truth);
}

/* Both locals exist: structure_body has searched for jumps before. */
static jg_status structure_jump(structuring *s, const kernel_inst *inst)
{
    if (inst->op == KERNEL_BREAK)
        JG_TRY(set_true(s, s->broken));
    return set_true(s, s->skip);
}

typedef struct branches {
    uint32_t then_first, then_end, else_first, else_end, end; /* an absent else is empty */
} branches;

static branches branches_of(const structuring *s, uint32_t position)
{
    uint32_t middle = source_at(s, position)->match,
             end = derive_last_of(s->rewrite.from, position);
    uint32_t other = middle == end ? end : middle + 1;
    return (branches){position + 1, middle, other, end, end};
}

static jg_status open_if(structuring *s, uint32_t position)
{
    s->rewrite.to->line = source_at(s, position)->line;
    uint32_t condition = kernel_operands(s->rewrite.from, source_at(s, position))[0];
    return rewrite_if(s->rewrite.to, s->rewrite.values[condition]);
}

static jg_status structure_if(structuring *s, uint32_t position)
{
    branches b = branches_of(s, position);
    JG_TRY(open_if(s, position));
    JG_TRY(structure_block(s, b.then_first, b.then_end));
    if (b.else_end > b.else_first) {
        JG_TRY(rewrite_plain(s->rewrite.to, KERNEL_ELSE));
        JG_TRY(structure_block(s, b.else_first, b.else_end));
    }
    return rewrite_plain(s->rewrite.to, KERNEL_END);
}

/* The branch that does not jump takes in the code after the if, up to end. */
static jg_status structure_with_rest(structuring *s, uint32_t position, bool then_goes_on,
                                     uint32_t end)
{
    branches b = branches_of(s, position);
    JG_TRY(open_if(s, position));
    JG_TRY(structure_block(s, b.then_first, b.then_end));
    if (then_goes_on)
        JG_TRY(structure_block(s, b.end + 1, end));
    JG_TRY(rewrite_plain(s->rewrite.to, KERNEL_ELSE));
    JG_TRY(structure_block(s, b.else_first, b.else_end));
    if (!then_goes_on)
        JG_TRY(structure_block(s, b.end + 1, end));
    return rewrite_plain(s->rewrite.to, KERNEL_END);
}

static jg_status structure_unless_skipped(structuring *s, uint32_t at, uint32_t end)
{
    uint32_t skipped, on;
    if (at == end)
        return JG_OK;
    JG_TRY(rewrite_get(s->rewrite.to, s->skip, 0, NULL, &skipped));
    JG_TRY(kernel_apply(s->rewrite.to, PROGRAM_NOT, 1, &skipped, &on));
    JG_TRY(rewrite_if(s->rewrite.to, on));
    JG_TRY(structure_block(s, at, end));
    return rewrite_plain(s->rewrite.to, KERNEL_END);
}

/* An if with jumps in it, and all that follows it in its block. The rest is never copied: it goes
 * into one branch, or after the if under a condition. */
static jg_status structure_jumping_if(structuring *s, uint32_t position, uint32_t end)
{
    branches b = branches_of(s, position);
    bool then_jumps = jumps_at_all(s, b.then_first, b.then_end);
    bool else_jumps = jumps_at_all(s, b.else_first, b.else_end);
    if (!else_jumps && ends_in_jump(s, b.then_first, b.then_end))
        return structure_with_rest(s, position, false, end);
    if (!then_jumps && ends_in_jump(s, b.else_first, b.else_end))
        return structure_with_rest(s, position, true, end);
    JG_TRY(structure_if(s, position));
    return structure_unless_skipped(s, b.end + 1, end);
}

static jg_status leave_if_broken(structuring *s)
{
    uint32_t broken;
    JG_TRY(rewrite_get(s->rewrite.to, s->broken, 0, NULL, &broken));
    JG_TRY(rewrite_if(s->rewrite.to, broken));
    JG_TRY(rewrite_plain(s->rewrite.to, KERNEL_BREAK));
    return rewrite_plain(s->rewrite.to, KERNEL_END);
}

/* `broken` is set before the loop; `skip` is set to false at the beginning of each iteration. */
static jg_status structure_body(structuring *s, uint32_t position)
{
    uint32_t end = source_at(s, position)->match;
    bool breaks = jumps(s, KERNEL_BREAK, position, end, position);
    s->loop = position;
    if (breaks)
        JG_TRY(rewrite_add_local(s->rewrite.to, "broken", JG_DTYPE_BOOL, 0, &s->broken));
    JG_TRY(rewrite_copy(&s->rewrite, position));
    if (jumps_at_all(s, position, end))
        JG_TRY(rewrite_add_local(s->rewrite.to, "skip", JG_DTYPE_BOOL, 0, &s->skip));
    JG_TRY(structure_block(s, position + 1, end));
    if (breaks)
        JG_TRY(leave_if_broken(s));
    return rewrite_plain(s->rewrite.to, KERNEL_END);
}

static jg_status structure_loop(structuring *s, uint32_t position)
{
    structuring outer = *s;
    if (source_at(s, position)->op == KERNEL_PARALLEL)
        s->parallel = position;
    jg_status status = structure_body(s, position);
    *s = outer;
    return status;
}

static bool is_shared(const structuring *s, uint32_t local)
{
    return s->parallel != KERNEL_NONE &&
           kernel_local_at(s->rewrite.from, local)->declaration < s->parallel;
}

static jg_status combine(structuring *s, const kernel_inst *inst, uint32_t before, uint32_t value,
                         uint32_t *out)
{
    const uint32_t *operands = kernel_operands(s->rewrite.from, inst);
    *out = value;
    if (inst->atomic == KERNEL_ATOMIC_EXCHANGE)
        return JG_OK;
    if (inst->atomic == KERNEL_ATOMIC_COMPARE_EXCHANGE) {
        uint32_t expected = s->rewrite.values[operands[inst->noperands - 2]], same;
        JG_TRY(
            kernel_apply(s->rewrite.to, PROGRAM_EQUAL, 2, (uint32_t[]){before, expected}, &same));
        return kernel_apply(s->rewrite.to, PROGRAM_SELECT, 3, (uint32_t[]){same, value, before},
                            out);
    }
    return kernel_apply(s->rewrite.to, kernel_atomic_rows[inst->atomic].combining, 2,
                        (uint32_t[]){before, value}, out);
}

static jg_status structure_atomic(structuring *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->rewrite.from, inst);
    uint32_t nindices = inst->noperands - kernel_nstored(inst), index = KERNEL_NONE, before, after;
    uint32_t local = s->rewrite.locals[inst->target];
    if (nindices > 0)
        index = s->rewrite.values[operands[0]];
    s->rewrite.to->line = inst->line;
    JG_TRY(rewrite_get(s->rewrite.to, local, nindices, &index, &before));
    JG_TRY(combine(s, inst, before, s->rewrite.values[operands[inst->noperands - 1]], &after));
    s->rewrite.values[inst->first] = before;
    return rewrite_set(s->rewrite.to, local, nindices, &index, after);
}

static jg_status structure_update(structuring *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->rewrite.from, inst);
    uint32_t indices[KERNEL_MAX_NDIM], before, after;
    uint32_t nindices = inst->noperands - kernel_nstored(inst);
    for (uint32_t i = 0; i < nindices; ++i)
        indices[i] = s->rewrite.values[operands[i]];
    s->rewrite.to->line = inst->line;
    JG_TRY(kernel_load(s->rewrite.to, inst->target, nindices, indices, &before));
    JG_TRY(combine(s, inst, before, s->rewrite.values[operands[inst->noperands - 1]], &after));
    s->rewrite.values[inst->first] = before;
    return rewrite_store(s->rewrite.to, inst->target, nindices, indices, after);
}

static jg_status structure_statement(structuring *s, uint32_t at)
{
    const kernel_inst *inst = source_at(s, at);
    if (kernel_is_loop(inst->op))
        return structure_loop(s, at);
    if (inst->op == KERNEL_IF)
        return structure_if(s, at);
    if (inst->op == KERNEL_ATOMIC_LOCAL && !is_shared(s, inst->target))
        return structure_atomic(s, inst);
    if (kernel_is_update(inst))
        return structure_update(s, inst);
    return rewrite_copy(&s->rewrite, at);
}

/* Code after a jump in the same block is never reached. The code after an if with jumps is
 * rewritten by structure_jumping_if. */
static jg_status structure_block(structuring *s, uint32_t at, uint32_t end)
{
    while (at < end) {
        const kernel_inst *inst = source_at(s, at);
        uint32_t next = derive_next_after(s->rewrite.from, at);
        if (inst->op == KERNEL_BREAK || inst->op == KERNEL_CONTINUE)
            return structure_jump(s, inst);
        if (inst->op == KERNEL_IF && jumps_at_all(s, at, next))
            return structure_jumping_if(s, at, end);
        JG_TRY(structure_statement(s, at));
        at = next;
    }
    return JG_OK;
}

jg_status derive_structure(const kernel_program *from, kernel_program *out)
{
    structuring s = {.loop = KERNEL_NONE, .parallel = KERNEL_NONE};
    kernel_program made;
    JG_TRY(rewrite_begin(from, true, &made, &s.rewrite));
    jg_status status = structure_block(&s, 0, from->ninsts);
    rewrite_end(&s.rewrite);
    if (status != JG_OK) {
        kernel_clear(&made);
        return status;
    }
    *out = made;
    return JG_OK;
}
