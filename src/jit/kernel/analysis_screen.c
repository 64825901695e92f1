/* SPDX-License-Identifier: Apache-2.0 */
/* Which parallel loops have their indices checked some iterations ahead.
 *
 * A check in a loop keeps LLVM from making a vector of it, as the loop may be left there. So the
 * checks of some hundred turns come first, in a loop of their own that does nothing else and is a
 * vector itself, and the turns run without them if all indices are in bounds. That is right where
 * indices follow from what the turns do not change, and takes little time where these have no inner
 * loops. */
#include "jit/kernel/emit.h"

typedef struct screen_analysis {
    const kernel_program *kernel;
    const jit_analysis *analysis;
    uint32_t loop, end;
    uint8_t *needed; /* of each instruction */
    bool *written;   /* of each array, in the loop */
    bool *wanted;    /* of each value */
    bool *locals;    /* of each local: it is read for an index */
    bool *inner;     /* of each instruction: it is in an inner loop */
    bool changed;
    bool meets; /* iterations access the same elements, so that the loop is not vectorised */
} screen_analysis;

static void want(screen_analysis *s, uint32_t value)
{
    s->changed |= !s->wanted[value];
    s->wanted[value] = true;
}

static void want_operands(screen_analysis *s, const kernel_inst *inst)
{
    for (uint32_t i = 0; i < inst->noperands; ++i)
        want(s, kernel_operands(s->kernel, inst)[i]);
}

static bool is_own(const screen_analysis *s, const kernel_inst *inst)
{
    return s->analysis->locals[inst->target].loop == s->loop;
}

/* Indices that are read, perhaps with a constant added. */
static bool is_cheap(const kernel_inst *inst)
{
    bool casts = inst->op == PROGRAM_CAST && !dtype_is_floating((jg_dtype)inst->type);
    return inst->op == KERNEL_LOAD || inst->op == KERNEL_CONST || inst->op == KERNEL_EXTENT ||
           inst->op == PROGRAM_ADD || inst->op == PROGRAM_SUBTRACT || casts;
}

/* Whether an instruction that is needed may be done ahead. What takes time may be done ahead only
 * if the loop is vectorised thereby. */
static bool is_repeatable(const screen_analysis *s, const kernel_inst *inst)
{
    if (s->meets && !is_cheap(inst))
        return false;
    switch (inst->op) {
    case KERNEL_LOAD: return !s->written[inst->target];
    case KERNEL_GET:
    case KERNEL_SET:
    case KERNEL_LOCAL: return is_own(s, inst);
    case KERNEL_CONST:
    case KERNEL_EXTENT:
    case KERNEL_IF:
    case KERNEL_ELSE:
    case KERNEL_END:
    case KERNEL_CONTINUE: return true;
    default: return inst->op < KERNEL_CONST;
    }
}

/* gives: false where it is needed and cannot be done ahead */
static bool note(screen_analysis *s, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(s->kernel, position);
    uint32_t axes = inst->noperands;
    bool shapes = inst->op == KERNEL_IF || inst->op == KERNEL_ELSE || inst->op == KERNEL_END ||
                  inst->op == KERNEL_CONTINUE;
    bool sets = inst->op == KERNEL_SET || inst->op == KERNEL_LOCAL;
    bool needed = shapes || (sets && s->locals[inst->target]) ||
                  (inst->nvalues == 1 && s->wanted[inst->first]);
    if (s->analysis->looks[position] & LOOK_HERE) {
        if (kernel_bounds_local(inst->op))
            return false;
        axes = kernel_array_at(s->kernel, inst->target)->ndim;
        for (uint32_t i = 0; i < axes; ++i)
            want(s, kernel_operands(s->kernel, inst)[i]);
    }
    if (s->inner[position])
        return !needed || shapes;
    if (!needed)
        return true;
    s->needed[position] = 1;
    want_operands(s, inst);
    if (inst->op == KERNEL_GET) {
        s->changed |= !s->locals[inst->target];
        s->locals[inst->target] = true;
    }
    return is_repeatable(s, inst);
}

/* An inner loop without checks is left out while indices are checked ahead. */
static bool is_skipped(screen_analysis *s, uint32_t position)
{
    uint32_t end = kernel_inst_at(s->kernel, position)->match;
    for (uint32_t p = position; p <= end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        s->inner[p] = true;
        if ((s->analysis->looks[p] & (LOOK_HERE | LOOK_BEFORE)) || inst->op == KERNEL_BREAK ||
            inst->op == KERNEL_ASSERT || inst->op == KERNEL_PRINT || inst->op == KERNEL_RANDOM ||
            inst->op == KERNEL_STACK || inst->op == KERNEL_FENCE || inst->op == KERNEL_LOOP)
            return false;
        if (inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC)
            s->written[inst->target] = true;
    }
    return true;
}

/* Whether the loop is of a kind whose iterations are checked ahead: no check is in an inner loop,
 * and nothing ends it or tells the outside in which order things are done. A loop that only moves
 * numbers gains less by vectorising than this costs. */
static bool is_screened(screen_analysis *s)
{
    bool looks = false, computes = false;
    for (uint32_t p = s->loop + 1; p < s->end; ++p) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, p);
        bool writes = inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC;
        looks |= s->analysis->looks[p] & LOOK_HERE;
        s->meets |=
            inst->op == KERNEL_ATOMIC && !s->analysis->private[p] && !kernel_is_update(inst);
        computes |= inst->op < KERNEL_CONST && dtype_is_floating((jg_dtype)inst->to);
        if (inst->op == KERNEL_FOR) {
            computes = true;
            if (!is_skipped(s, p))
                return false;
            p = inst->match;
            continue;
        }
        if (inst->op == KERNEL_LOOP || inst->op == KERNEL_BREAK || inst->op == KERNEL_ASSERT ||
            inst->op == KERNEL_PRINT || inst->op == KERNEL_RANDOM || inst->op == KERNEL_STACK ||
            inst->op == KERNEL_FENCE)
            return false;
        if (writes)
            s->written[inst->target] = true;
    }
    return looks && (computes || s->meets);
}

/* From the last instruction to the first, so that what is wanted is known before it is defined; and
 * again while a local is found to be read. */
static bool find_needed(screen_analysis *s)
{
    if (!is_screened(s))
        return false;
    do {
        s->changed = false;
        for (uint32_t p = s->end; p-- > s->loop + 1;)
            if (!note(s, p))
                return false;
    } while (s->changed);
    return true;
}

jg_status analysis_screen(const kernel_program *kernel, const jit_analysis *analysis,
                          unsigned flags, uint32_t loop, uint8_t **out)
{
    size_t nbytes =
        2 * (size_t)kernel->ninsts + kernel->narrays + kernel->nvalues + kernel->nlocals;
    *out = NULL;
    if (!(flags & COMPILE_NO_ALIAS) || !(flags & COMPILE_BOUNDS))
        return JG_OK;
    uint8_t *needed = base_alloc_zeroed(nbytes + 1);
    if (needed == NULL)
        return base_nomem(nbytes + 1, "a kernel");
    screen_analysis s = {.kernel = kernel,
                         .analysis = analysis,
                         .loop = loop,
                         .end = kernel_inst_at(kernel, loop)->match,
                         .needed = needed,
                         .written = (bool *)needed + kernel->ninsts};
    s.wanted = s.written + kernel->narrays;
    s.locals = s.wanted + kernel->nvalues;
    s.inner = s.locals + kernel->nlocals;
    if (find_needed(&s)) {
        *out = needed;
        return JG_OK;
    }
    base_free(needed);
    return JG_OK;
}
