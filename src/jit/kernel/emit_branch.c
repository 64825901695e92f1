/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of floats under conditions.
 *
 * LLVM's vectoriser recognises `if (c) s += x` as a sum only if it may assume that floats are
 * neither NaN nor infinite, which kernels may compute. So the branch has a sum of its own, which
 * begins with zero and is added to s after the branch, in either case. */
#include "jit/kernel/emit.h"

/* Branches with more instructions are left as they are: they are not vectorised, and searching them
 * for each sum would take long. */
enum { MAX_SEARCHED = 512 };

static const kernel_inst *opener_of(const jit_emission *e, int depth)
{
    return kernel_inst_at(e->kernel, e->blocks[depth].opener);
}

/* The outermost open branch in the innermost open loop; -1: none. */
static int find_branch(const jit_emission *e)
{
    int depth = e->depth;
    while (depth > 0 && opener_of(e, depth - 1)->op == KERNEL_IF)
        depth -= 1;
    return depth < e->depth ? depth : -1;
}

/* The position at which the branch ends, its else included. */
static uint32_t end_of(const jit_emission *e, uint32_t opener)
{
    uint32_t end = kernel_inst_at(e->kernel, opener)->match;
    return kernel_inst_at(e->kernel, end)->op == KERNEL_ELSE ? kernel_inst_at(e->kernel, end)->match
                                                             : end;
}

static bool jumps(const kernel_inst *inst)
{
    return inst->op == KERNEL_BREAK || inst->op == KERNEL_CONTINUE || inst->op == KERNEL_RETURN;
}

/* Whether all come out of the branch at its end, and it is small. */
static bool is_passed(const jit_emission *e, uint32_t opener)
{
    uint32_t end = end_of(e, opener);
    if (end - opener > MAX_SEARCHED)
        return false;
    for (uint32_t p = opener; p < end; ++p)
        if (jumps(kernel_inst_at(e->kernel, p)))
            return false;
    return true;
}

LLVMValueRef emit_branch_address(jit_emission *e, jg_dtype dtype, LLVMValueRef address)
{
    LLVMBuilderRef builder = e->module->builder;
    int depth = find_branch(e);
    emit_waiting *waiting;
    bool is_float = dtype_is_single_or_double(dtype);
    if (!is_float || e->lanes != NULL || depth < 0 || !is_passed(e, e->blocks[depth].opener))
        return address;
    jg_status status = vec_grow(&e->waiting, sizeof *waiting, (void **)&waiting);
    if (status != JG_OK) {
        e->status = status;
        return address;
    }
    LLVMTypeRef type = module_type(e->module, dtype);
    *waiting = (emit_waiting){depth, dtype, address, emit_alloca(e, type, 0)};
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMPositionBuilderBefore(builder, e->blocks[depth].branch);
    LLVMBuildStore(builder, LLVMConstNull(type), waiting->sum);
    LLVMPositionBuilderAtEnd(builder, here);
    return waiting->sum;
}

void emit_end_branch(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMFastMathFlags math = e->math;
    e->math |= LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros;
    while (e->waiting.nbytes > 0) {
        size_t last = e->waiting.nbytes / sizeof(emit_waiting) - 1;
        emit_waiting waiting = ((const emit_waiting *)(const void *)e->waiting.data)[last];
        if (waiting.depth != e->depth)
            break;
        LLVMTypeRef type = module_type(e->module, waiting.dtype);
        LLVMValueRef terms[2] = {LLVMBuildLoad2(builder, type, waiting.address, ""),
                                 LLVMBuildLoad2(builder, type, waiting.sum, "")};
        LLVMBuildStore(builder, emit_apply(e, PROGRAM_ADD, waiting.dtype, 2, terms),
                       waiting.address);
        e->waiting.nbytes -= sizeof waiting;
    }
    e->math = math;
}

static bool is_access(const kernel_inst *inst, uint32_t local)
{
    return (inst->op == KERNEL_GET || inst->op == KERNEL_SET || inst->op == KERNEL_LOCAL ||
            inst->op == KERNEL_ATOMIC_LOCAL) &&
           inst->target == local;
}

static uint32_t uses_in(const jit_emission *e, const kernel_inst *inst, uint32_t value)
{
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    uint32_t count = 0;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        count += operands[i] == value;
    return count;
}

/* The parts of a sum of a local: the local's value, the sum, and the address of the sum. */
typedef struct local_sum {
    uint32_t local, old, next, position;
} local_sum;

/* Whether the branch does nothing with the local but this one addition. */
static bool is_alone(const jit_emission *e, uint32_t opener, local_sum sum)
{
    uint32_t accesses = 0, olds = 0, nexts = 0;
    for (uint32_t p = opener; p < end_of(e, opener); ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        accesses += is_access(inst, sum.local);
        olds += uses_in(e, inst, sum.old);
        nexts += uses_in(e, inst, sum.next);
    }
    return accesses == 2 && olds == 1 && nexts == 1;
}

static const kernel_inst *definition_of(const jit_emission *e, uint32_t value, uint32_t *out)
{
    *out = kernel_value_at(e->kernel, value)->definition;
    return *out == KERNEL_NONE ? NULL : kernel_inst_at(e->kernel, *out);
}

/* `x` in `local = local + x` or `local = local - x`; gives its operator as well */
static bool finds_term(const jit_emission *e, const kernel_inst *set, local_sum *sum,
                       uint32_t *term, uint16_t *op)
{
    uint32_t position;
    sum->local = set->target;
    sum->next = kernel_operands(e->kernel, set)[set->noperands - 1];
    const kernel_inst *next = definition_of(e, sum->next, &sum->position);
    if (next == NULL || (next->op != PROGRAM_ADD && next->op != PROGRAM_SUBTRACT))
        return false;
    const uint32_t *terms = kernel_operands(e->kernel, next);
    sum->old = terms[0];
    const kernel_inst *old = definition_of(e, sum->old, &position);
    *term = terms[1];
    *op = next->op;
    return old != NULL && old->op == KERNEL_GET && old->target == set->target;
}

bool emit_branch_set(jit_emission *e, const kernel_inst *set)
{
    LLVMBuilderRef builder = e->module->builder;
    const kernel_local *local = kernel_local_at(e->kernel, set->target);
    jg_dtype dtype = (jg_dtype)local->dtype;
    int depth = find_branch(e);
    local_sum sum;
    uint32_t term, opener = depth < 0 ? 0 : e->blocks[depth].opener;
    uint16_t op;
    if (depth < 0 || local->length != 0 || e->lanes != NULL ||
        (e->math & LLVMFastMathAllowReassoc) == 0 || !finds_term(e, set, &sum, &term, &op) ||
        sum.position < opener || !is_passed(e, opener) || !is_alone(e, opener, sum))
        return false;
    LLVMValueRef address = emit_address(e, set), gathered = emit_branch_address(e, dtype, address);
    if (gathered == address)
        return false;
    LLVMValueRef terms[2] = {LLVMBuildLoad2(builder, module_type(e->module, dtype), gathered, ""),
                             emit_value(e, term)};
    LLVMBuildStore(builder, emit_apply(e, op, dtype, 2, terms), gathered);
    return true;
}
