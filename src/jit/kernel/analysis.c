/* SPDX-License-Identifier: Apache-2.0 */
/* A look over the whole kernel before it is emitted: which values and locals cross into parallel
 * loops, which values go into addresses, and which atomics a chunk of a loop may gather by
 * itself. */
#include "jit/kernel/emit.h"
#include "kernel/cut.h"
#include <string.h>

static bool is_local_access(uint16_t op)
{
    return op == KERNEL_GET || op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL;
}

static bool is_array_access(uint16_t op)
{
    return op == KERNEL_LOAD || op == KERNEL_STORE || op == KERNEL_ATOMIC;
}

/* Constants are made again wherever they are used, so they belong to no loop. */
static void place_values(const kernel_program *kernel, jit_analysis *analysis)
{
    uint32_t loop = KERNEL_NONE;
    for (uint32_t v = 0; v < kernel->nvalues; ++v)
        analysis->loops[v] = KERNEL_NONE;
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        analysis->asserts |= inst->op == KERNEL_ASSERT || inst->op == KERNEL_PUSH;
        if (inst->op == KERNEL_PARALLEL)
            loop = p;
        else if (inst->op == KERNEL_END && inst->match == loop)
            loop = KERNEL_NONE;
        for (uint32_t i = 0; i < inst->nvalues; ++i)
            analysis->loops[inst->first + i] = inst->op == KERNEL_CONST ? KERNEL_NONE : loop;
    }
}

/* In one pass, as a local is declared before it is used. Stacks are never shared
 * (kernel_verify). */
static void place_locals(const kernel_program *kernel, jit_analysis *analysis)
{
    uint32_t loop = KERNEL_NONE;
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (inst->op == KERNEL_PARALLEL)
            loop = p;
        else if (inst->op == KERNEL_END && inst->match == loop)
            loop = KERNEL_NONE;
        else if (inst->op == KERNEL_LOCAL || inst->op == KERNEL_STACK)
            analysis->locals[inst->target].loop = loop;
        else if (is_local_access(inst->op) && loop != KERNEL_NONE)
            analysis->locals[inst->target].shared |= analysis->locals[inst->target].loop != loop;
    }
}

/* Serial parts are one function here, so only what bodies reach needs its bytes in the frame. */
static jg_status measure_frame(const kernel_program *kernel, jit_analysis *analysis)
{
    kernel_parts parts;
    JG_TRY(kernel_find_parts(kernel, &parts));
    analysis->body_nbytes = analysis->frame_nbytes = parts.body_nbytes;
    kernel_parts_clear(&parts);
    return JG_OK;
}

/* How many of the instruction's operands, the first, are indices. */
static uint32_t count_indices(const kernel_inst *inst)
{
    if (inst->op == KERNEL_LOAD || inst->op == KERNEL_GET)
        return inst->noperands;
    bool stores = is_array_access(inst->op) || is_local_access(inst->op);
    return stores ? inst->noperands - kernel_nstored(inst) : 0;
}

/* From the last instruction to the first, so that a sum is known to be an index before its parts
 * come. */
static void find_indexing(const kernel_program *kernel, jit_analysis *analysis)
{
    for (uint32_t p = kernel->ninsts; p-- > 0;) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        const uint32_t *operands = kernel_operands(kernel, inst);
        uint32_t count = count_indices(inst);
        if (kernel_is_linear(inst) && analysis->indexing[inst->first])
            count = inst->noperands;
        for (uint32_t i = 0; i < count; ++i)
            analysis->indexing[operands[i]] = true;
    }
}

/* The use of each array and local in one loop: none, atomics of one kind whose old value is unused,
 * or any other use. */
enum { TOUCH_NOT, TOUCH_OTHER, TOUCH_ATOMIC };

typedef struct touches {
    const kernel_program *kernel;
    const jit_analysis *analysis;
    unsigned flags;
    uint32_t loop;
    uint8_t *arrays, *locals;
} touches;

/* Whether all iterations of the loop use the same indices: constants, or from before the loop. */
static bool has_fixed_address(const touches *t, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(t->kernel, inst);
    for (uint32_t i = 0; i + 1 < inst->noperands; ++i)
        if (t->analysis->loops[operands[i]] == t->loop)
            return false;
    return true;
}

/* Another array that may overlap could read what is gathered; a local of one index has no others to
 * gather for; and an operation that returns the old value, or exchanges, cannot be gathered. */
static bool is_gatherable(const touches *t, const kernel_inst *inst)
{
    if (inst->op == KERNEL_ATOMIC && !(t->flags & COMPILE_NO_ALIAS))
        return false;
    if (inst->op == KERNEL_ATOMIC_LOCAL && t->analysis->locals[inst->target].loop == t->loop)
        return false;
    return inst->atomic < KERNEL_ATOMIC_EXCHANGE && !t->analysis->used[inst->first] &&
           has_fixed_address(t, inst);
}

/* Notes the instruction's use of its array or local; two kinds of atomics count as another use. */
static void touch(const touches *t, const kernel_inst *inst)
{
    bool array = is_array_access(inst->op), local = is_local_access(inst->op);
    if (!array && !local)
        return;
    uint8_t *seen = array ? &t->arrays[inst->target] : &t->locals[inst->target];
    bool atomic = inst->op == KERNEL_ATOMIC || inst->op == KERNEL_ATOMIC_LOCAL;
    uint8_t kind = atomic && is_gatherable(t, inst) ? (uint8_t)(TOUCH_ATOMIC + inst->atomic)
                                                    : (uint8_t)TOUCH_OTHER;
    *seen = *seen == TOUCH_NOT || *seen == kind ? kind : (uint8_t)TOUCH_OTHER;
}

/* Once all that the loop does to an array or local is known. */
static void find_gathered(const touches *t, bool *private)
{
    uint32_t end = kernel_inst_at(t->kernel, t->loop)->match;
    memset(t->arrays, TOUCH_NOT, t->kernel->narrays);
    memset(t->locals, TOUCH_NOT, t->kernel->nlocals);
    for (uint32_t p = t->loop; p < end; ++p)
        touch(t, kernel_inst_at(t->kernel, p));
    for (uint32_t p = t->loop; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(t->kernel, p);
        if (inst->op == KERNEL_ATOMIC)
        private[p] = t->arrays[inst->target] >= TOUCH_ATOMIC;
        else if (inst->op == KERNEL_ATOMIC_LOCAL) private[p] =
            t->locals[inst->target] >= TOUCH_ATOMIC;
    }
}

/* The pool holds the operands of all instructions, one after the other. */
static void find_used(const kernel_program *kernel, bool *used)
{
    const uint32_t *operands = (const uint32_t *)(const void *)kernel->operands.data;
    for (size_t i = 0; i < kernel->operands.nbytes / sizeof(uint32_t); ++i)
        used[operands[i]] = true;
}

static void note_divisor(uint8_t *divides)
{
    if (*divides < DIVIDES_MORE)
        *divides += 1;
}

static void find_divisors(const kernel_program *kernel, uint8_t *divides)
{
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        const uint32_t *operands = kernel_operands(kernel, inst);
        for (uint32_t i = 0; i < inst->noperands; ++i) {
            if (inst->op == PROGRAM_DIVIDE && i == 1)
                note_divisor(&divides[operands[i]]);
            else
                divides[operands[i]] = DIVIDES_AND_OTHERWISE;
        }
    }
}

static jg_status analysis_atomics(const kernel_program *kernel, unsigned flags,
                                  jit_analysis *analysis)
{
    size_t nbytes = (size_t)kernel->narrays + kernel->nlocals + 1;
    uint8_t *arrays = base_alloc_zeroed(nbytes);
    if (arrays == NULL)
        return base_nomem(nbytes, "a kernel");
    touches t = {.kernel = kernel,
                 .analysis = analysis,
                 .flags = flags,
                 .arrays = arrays,
                 .locals = arrays + kernel->narrays};
    find_used(kernel, analysis->used);
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        t.loop = p;
        if (kernel_inst_at(kernel, p)->op == KERNEL_PARALLEL)
            find_gathered(&t, analysis->private);
    }
    base_free(arrays);
    return JG_OK;
}

/* Whether the frame may be copied for the instruction's sake: what is written in it would be
 * lost. */
static bool leaves_frame(const jit_analysis *analysis, const kernel_inst *inst, uint32_t loop)
{
    bool writes = inst->op == KERNEL_SET || inst->op == KERNEL_ATOMIC_LOCAL;
    return !writes || analysis->locals[inst->target].loop == loop;
}

/* Whether the elements lie row-major without gaps: it says so, or by its strides. */
static bool is_dense(const kernel_array *array)
{
    int64_t stride = (int64_t)dtype_itemsize((jg_dtype)array->dtype);
    for (int d = array->ndim - 1; !array->dense && d >= 0; --d) {
        if (array->strides[d] != stride || array->extents[d] == KERNEL_GIVEN ||
            __builtin_mul_overflow(stride, array->extents[d], &stride))
            return false;
    }
    return true;
}

/* Copies start as zeros, so zero must be the neutral element; and they have no gaps. */
static bool is_sum(const kernel_program *kernel, const jit_analysis *analysis,
                   const kernel_inst *inst)
{
    const kernel_array *array = kernel_array_at(kernel, inst->target);
    bool begins_as_zero = inst->atomic == KERNEL_ATOMIC_ADD || inst->atomic == KERNEL_ATOMIC_OR ||
                          inst->atomic == KERNEL_ATOMIC_XOR;
    return begins_as_zero && is_dense(array) && array->dtype != JG_DTYPE_BOOL &&
           !analysis->used[inst->first];
}

/* Adds the array unless it is there. gives: whether the list was not full, and it is summed in one
 * way */
static bool note_sum(uint32_t array, uint8_t atomic, analysis_sums *out)
{
    int at = 0;
    while (at < out->count && out->arrays[at] != array)
        at += 1;
    if (at == out->count) {
        if (at == ANALYSIS_MAX_SUMS)
            return false;
        out->arrays[at] = array;
        out->atomics[at] = atomic;
        out->count += 1;
    }
    return out->atomics[at] == atomic;
}

/* Whether the instruction does anything else to one of the arrays. */
static bool disturbs(const jit_analysis *analysis, uint32_t position, const kernel_inst *inst,
                     const analysis_sums *sums)
{
    bool sums_up = inst->op == KERNEL_ATOMIC && !analysis->private[position];
    if (!is_array_access(inst->op) || (sums_up && !analysis_is_plain(inst, COMPILE_NO_ALIAS)))
        return false;
    for (int i = 0; i < sums->count; ++i)
        if (sums->arrays[i] == inst->target)
            return true;
    return false;
}

bool analysis_has_atomics(const kernel_program *kernel, const jit_analysis *analysis,
                          unsigned flags, uint32_t loop)
{
    uint32_t end = kernel_inst_at(kernel, loop)->match;
    for (uint32_t p = loop; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        bool atomic = inst->op == KERNEL_ATOMIC || !leaves_frame(analysis, inst, loop);
        if (atomic && inst->op != KERNEL_SET && !analysis->private[p] &&
            !analysis_is_plain(inst, flags))
            return true;
    }
    return false;
}

void analysis_find_sums(const kernel_program *kernel, const jit_analysis *analysis, unsigned flags,
                        uint32_t loop, analysis_sums *out)
{
    uint32_t end = kernel_inst_at(kernel, loop)->match;
    analysis_sums sums = {0};
    *out = sums;
    if (!(flags & COMPILE_NO_ALIAS))
        return;
    for (uint32_t p = loop; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (!leaves_frame(analysis, inst, loop))
            return;
        if (inst->op == KERNEL_ATOMIC && !analysis->private[p] && !analysis_is_plain(inst, flags) &&
            (!is_sum(kernel, analysis, inst) || !note_sum(inst->target, inst->atomic, &sums)))
            return;
    }
    for (uint32_t p = loop; p < end; ++p)
        if (disturbs(analysis, p, kernel_inst_at(kernel, p), &sums))
            return;
    *out = sums;
}

void analysis_clear(jit_analysis *analysis)
{
    base_free(analysis->loops);
    base_free(analysis->indexing);
    base_free(analysis->compared);
    base_free(analysis->used);
    base_free(analysis->divides);
    base_free(analysis->private);
    base_free(analysis->locals);
    base_free(analysis->looks);
    kernel_bounds_clear(&analysis->bounds);
}

/* Whether an instruction is in a loop. */
static bool is_in_loop(const kernel_program *kernel, uint32_t position)
{
    for (uint32_t p = 0; p < position; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (!kernel_is_loop(inst->op))
            continue;
        if (inst->match > position)
            return true;
        p = inst->match;
    }
    return false;
}

/* Read from an array, perhaps with a constant added. */
static bool is_read(const kernel_program *kernel, uint32_t value, int depth)
{
    uint32_t position = kernel_value_at(kernel, value)->definition;
    if (position == KERNEL_NONE || depth == 8)
        return false;
    const kernel_inst *inst = kernel_inst_at(kernel, position);
    const uint32_t *operands = kernel_operands(kernel, inst);
    bool casts = inst->op == PROGRAM_CAST && !dtype_is_floating((jg_dtype)inst->type);
    if (inst->op == KERNEL_LOAD)
        return !dtype_is_floating((jg_dtype)inst->to);
    if (casts)
        return is_read(kernel, operands[0], depth + 1);
    if (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT)
        return false;
    uint32_t by = kernel_value_at(kernel, operands[1])->definition;
    return by != KERNEL_NONE && kernel_inst_at(kernel, by)->op == KERNEL_CONST &&
           is_read(kernel, operands[0], depth + 1);
}

/* docs/kernels.md says which indices are checked unless asked otherwise, docs/performance.md what
 * checking the others takes. */
static bool is_wanted(const kernel_program *kernel, unsigned flags, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(kernel, check->access);
    if (check->kind != BOUNDS_AT_ACCESS || check->known || (flags & COMPILE_BOUNDS_ALL))
        return true;
    bool plain = inst->op == KERNEL_LOAD || inst->op == KERNEL_STORE;
    return (plain && is_read(kernel, kernel_operands(kernel, inst)[check->axis], 0)) ||
           !is_in_loop(kernel, check->access);
}

static jg_status analysis_bounds(const kernel_program *kernel, unsigned flags,
                                 jit_analysis *analysis)
{
    if (!(flags & COMPILE_BOUNDS))
        return JG_OK;
    JG_TRY(kernel_find_bounds(kernel, (flags & COMPILE_NARROW) != 0, &analysis->bounds));
    bounds_check *all = (bounds_check *)(void *)analysis->bounds.checks.data;
    for (size_t i = 0; i < analysis->bounds.checks.nbytes / sizeof *all; ++i) {
        if (!is_wanted(kernel, flags, &all[i])) {
            all[i].kind = BOUNDS_LEFT_OUT;
            continue;
        }
        analysis->asserts = true;
        if (all[i].kind == BOUNDS_AT_ACCESS)
            analysis->looks[all[i].access] |= LOOK_HERE;
        if (all[i].kind == BOUNDS_BEFORE_LOOP)
            analysis->looks[all[i].loop] |= LOOK_BEFORE;
        if (all[i].kind != BOUNDS_ASSUMED)
            continue;
        analysis->looks[all[i].access] |= LOOK_ASSUMED;
        analysis->looks[all[i].loop] |= LOOK_CASES;
    }
    return JG_OK;
}

/* Zeros for every value, instruction and local. gives: *out, for analysis_clear | raises: NOMEM */
static jg_status allocate(const kernel_program *kernel, jit_analysis *out)
{
    jit_analysis a = {
        .loops = base_alloc_zeroed((kernel->nvalues + 1) * sizeof *a.loops),
        .indexing = base_alloc_zeroed(kernel->nvalues + 1),
        .compared = base_alloc_zeroed(kernel->nvalues + 1),
        .used = base_alloc_zeroed(kernel->nvalues + 1),
        .divides = base_alloc_zeroed(kernel->nvalues + 1),
        .private = base_alloc_zeroed(kernel->ninsts + 1),
        .looks = base_alloc_zeroed(kernel->ninsts + 1),
        .locals = base_alloc_zeroed((kernel->nlocals + 1) * sizeof *a.locals),
    };
    if (!a.loops || !a.indexing || !a.compared || !a.used || !a.divides || !a.private || !a.looks ||
        !a.locals) {
        analysis_clear(&a);
        return base_nomem(kernel->nvalues * sizeof *a.loops, "a kernel");
    }
    *out = a;
    return JG_OK;
}

jg_status analysis_kernel(const kernel_program *kernel, unsigned flags, jit_analysis *out)
{
    jit_analysis analysis;
    jg_status status;
    JG_TRY(allocate(kernel, &analysis));
    place_values(kernel, &analysis);
    place_locals(kernel, &analysis);
    find_divisors(kernel, analysis.divides);
    find_indexing(kernel, &analysis);
    JG_TRY_DONE(measure_frame(kernel, &analysis));
    JG_TRY_DONE(analysis_bounds(kernel, flags, &analysis));
    JG_TRY_DONE(analysis_comparisons(kernel, &analysis));
    find_indexing(kernel, &analysis); /* again, for the parts of what is compared */
    JG_TRY_DONE(analysis_atomics(kernel, flags, &analysis));
    *out = analysis;
    return JG_OK;
done:
    analysis_clear(&analysis);
    return status;
}
