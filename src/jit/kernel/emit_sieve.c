/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over few turns: for example those that walk the cells around a particle.
 *
 * The number of turns is read from memory, and another loop is around this one. LLVM makes a vector
 * loop that takes many turns at once, and a scalar loop for the rest. If turns are few, the scalar
 * loop runs them all. So such a loop gets a second version for few turns: a vector loop whose last
 * lanes are masked. One or two turns the scalar loop runs in less time: it has no sums over lanes,
 * and skips what its branches skip.
 *
 * Often the body of such a loop ends with a branch that a CPU cannot predict. A vector loop
 * computes the branch for all turns. That is fast unless the branch divides. If it does, turns are
 * sieved first: a vector loop decides for each turn whether it takes the branch, and its answers
 * are the bits of a number. Then the turns whose bits are set run one after the other, in their
 * order. */
#include "jit/kernel/emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Turns that are sieved at once; lanes; turns that are few, and fewer ones that run one by one;
 * instructions that are emitted twice. */
enum { SIEVED = 64, LANES = 8, FEW = 32, FEWER = 2, MAX_TWICE = 512 };

/* The branch that ends the loop's body, or KERNEL_NONE. */
static uint32_t last_branch(const jit_emission *e, uint32_t loop)
{
    uint32_t end = kernel_inst_at(e->kernel, loop)->match;
    const kernel_inst *closes = kernel_inst_at(e->kernel, end - 1);
    if (closes->op != KERNEL_END)
        return KERNEL_NONE;
    const kernel_inst *opens = kernel_inst_at(e->kernel, closes->match);
    return opens->op == KERNEL_IF && opens->match == end - 1 ? closes->match : KERNEL_NONE;
}

/* Whether the local begins in the part, so that no code outside sees the part's changes to it. */
static bool begins_in(const jit_emission *e, uint32_t local, uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p < last; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        if (inst->op == KERNEL_LOCAL && inst->target == local)
            return true;
    }
    return false;
}

/* Whether it may run once more than the program says, before earlier turns have ended. */
static bool is_repeatable(const jit_emission *e, uint32_t position, uint32_t first, uint32_t last)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, position);
    uint8_t looks = e->analysis.looks[position];
    if ((looks & LOOK_HERE && !e->screened) || (looks & LOOK_ASSUMED && e->careful))
        return false;
    kernel_effect effect = kernel_effect_of(inst->op);
    return effect == KERNEL_EFFECT_NOTHING ||
           (effect == KERNEL_EFFECT_LOCAL && begins_in(e, inst->target, first, last));
}

/* Whether it changes no array, which later turns might read, nothing shows that it runs, and later
 * turns follow: decisions about them read what a turn that leaves the loop may keep from being
 * read. */
static bool may_follow_decisions(const jit_emission *e, uint32_t position, uint32_t loop)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, position);
    kernel_effect effect = kernel_effect_of(inst->op);
    return effect != KERNEL_EFFECT_STORE && effect != KERNEL_EFFECT_SHOWN &&
           (inst->op != KERNEL_BREAK || inst->match != loop);
}

static bool comes_from_memory(const jit_emission *e, uint32_t value, int depth)
{
    uint32_t made = kernel_value_at(e->kernel, value)->definition;
    if (made == KERNEL_NONE || depth == 0)
        return false;
    const kernel_inst *inst = kernel_inst_at(e->kernel, made);
    if (inst->op == KERNEL_LOAD || inst->op >= KERNEL_CONST)
        return inst->op == KERNEL_LOAD;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (comes_from_memory(e, kernel_operands(e->kernel, inst)[i], depth - 1))
            return true;
    return false;
}

/* Whether a serial loop is open around it. */
static bool is_nested(const jit_emission *e)
{
    for (int depth = e->depth - 1; depth >= 0; --depth) {
        uint16_t op = kernel_inst_at(e->kernel, e->blocks[depth].opener)->op;
        if (op == KERNEL_FOR || op == KERNEL_LOOP)
            return true;
    }
    return false;
}

/* Whether the part compares floats that it reads: without that it is cheaper than the sieve. */
static bool compares_floats(const jit_emission *e, uint32_t first, uint32_t last)
{
    bool reads = false, compares = false;
    for (uint32_t p = first; p < last; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        jg_dtype_kind kind = dtype_rows[inst->op == KERNEL_LOAD ? inst->to : inst->type].kind;
        reads |= inst->op == KERNEL_LOAD && kind == JG_KIND_FLOAT;
        compares |= kernel_is_comparison(inst->op) && kind == JG_KIND_FLOAT;
    }
    return reads && compares;
}

/* Whether the optimiser will know the value. */
static bool is_number(const jit_emission *e, uint32_t value, int depth)
{
    uint32_t made = kernel_value_at(e->kernel, value)->definition;
    if (made == KERNEL_NONE || depth == 0)
        return false;
    const kernel_inst *inst = kernel_inst_at(e->kernel, made);
    if (inst->op >= KERNEL_CONST)
        return inst->op == KERNEL_CONST;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (!is_number(e, kernel_operands(e->kernel, inst)[i], depth - 1))
            return false;
    return true;
}

/* Whether the part divides by a value that is not constant. No other instruction takes as long. */
static bool divides(const jit_emission *e, uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p < last; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        if (inst->op == PROGRAM_DIVIDE && !is_number(e, kernel_operands(e->kernel, inst)[1], 4))
            return true;
    }
    return false;
}

/* Whether the current loop's turns follow from memory, and a loop is around it. */
static bool is_of_cell(const jit_emission *e, const kernel_inst *loop)
{
    return e->lanes == NULL && target_vector_width() >= 256 && emit_cuts(e, loop) && is_nested(e) &&
           comes_from_memory(e, kernel_operands(e->kernel, loop)[1], 4);
}

/* Whether it may stand in a loop that becomes a vector. */
static bool has_lanes(const kernel_inst *inst)
{
    return kernel_effect_of(inst->op) <= KERNEL_EFFECT_STORE;
}

bool emit_takes_few(const jit_emission *e, const kernel_inst *loop)
{
    if (!is_of_cell(e, loop) || loop->match - e->position > MAX_TWICE)
        return false;
    for (uint32_t p = e->position + 1; p < loop->match; ++p)
        if (!has_lanes(kernel_inst_at(e->kernel, p)))
            return false;
    return true;
}

uint32_t emit_sieves(const jit_emission *e, const kernel_inst *loop)
{
    uint32_t first = e->position + 1, branch = last_branch(e, e->position);
    if (branch == KERNEL_NONE || !is_of_cell(e, loop) || !compares_floats(e, first, branch) ||
        !divides(e, branch, loop->match))
        return KERNEL_NONE;
    for (uint32_t p = first; p < loop->match; ++p)
        if (p < branch ? !is_repeatable(e, p, first, branch)
                       : !may_follow_decisions(e, p, e->position))
            return KERNEL_NONE;
    return branch;
}

jg_status emit_few(jit_emission *e, const kernel_inst *loop)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t opener = e->position;
    const uint32_t *operands = kernel_operands(e->kernel, loop);
    LLVMValueRef low = emit_value(e, operands[0]), high = emit_value(e, operands[1]);
    LLVMValueRef count = emit_count(e, (jg_dtype)loop->type, low, high, loop->immediate);
    LLVMValueRef above = LLVMBuildNSWSub(builder, count, emit_int64(e, FEWER + 1), "");
    LLVMValueRef few = LLVMBuildICmp(builder, LLVMIntULT, above, emit_int64(e, FEW - FEWER), "");
    LLVMBasicBlockRef versions[2] = {emit_new_block(e), emit_new_block(e)},
                      after = emit_new_block(e);
    LLVMBuildCondBr(builder, few, versions[0], versions[1]);
    for (int many = 0; many < 2; ++many) {
        LLVMPositionBuilderAtEnd(builder, versions[many]);
        e->position = opener;
        emit_for(e, loop);
        e->blocks[e->depth - 1].takes_few = !many;
        JG_TRY(emit_range(e, opener + 1, loop->match + 1));
        emit_go(e, after);
    }
    e->position = loop->match;
    LLVMPositionBuilderAtEnd(builder, after);
    return e->status;
}

static LLVMMetadataRef property(const jit_emission *e, const char *name, LLVMTypeRef type,
                                unsigned value)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(context, name, strlen(name)),
                                LLVMValueAsMetadata(LLVMConstInt(type, value, 0))};
    return LLVMMDNodeInContext2(context, parts, 2);
}

/* One vector, whose last lanes are masked: the turns are often fewer than its lanes. */
void emit_mark_few(const jit_emission *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef list[] = {self,
                              property(e, "llvm.loop.vectorize.predicate.enable", e->module->i1, 1),
                              property(e, "llvm.loop.vectorize.width", e->module->i32, LANES),
                              property(e, "llvm.loop.interleave.count", e->module->i32, 1),
                              property(e, "llvm.loop.unroll.disable", e->module->i1, 1)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(context, list, JG_COUNT_OF(list));
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                    LLVMMetadataAsValue(context, loop));
}

/* The loop that is sieved: its place, where its last branch is, and its first index. */
typedef struct sieve {
    const kernel_inst *loop;
    uint32_t position, branch;
    LLVMValueRef from, base; /* the index of turn 0; the first turn that is sieved */
} sieve;

/* Emits what decides about a turn. gives: the status of that */
static jg_status emit_decision(jit_emission *e, const sieve *s, LLVMValueRef number)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef turn = LLVMBuildNSWAdd(builder, s->base, number, "");
    LLVMValueRef way = LLVMBuildNSWMul(builder, turn, emit_int64(e, s->loop->immediate), "");
    emit_define_index(e, s->loop->first, LLVMBuildNSWAdd(builder, s->from, way, ""));
    return emit_range(e, s->position + 1, s->branch);
}

/* The turns' answers as the bits of a number. gives: *bits | raises: as emit_range */
static jg_status emit_answers(jit_emission *e, const sieve *s, LLVMValueRef count,
                              LLVMValueRef *bits)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), turn = emit_new_block(e),
                      after = emit_new_block(e);
    LLVMValueRef zero = emit_int64(e, 0);
    LLVMBuildBr(builder, turn);
    LLVMPositionBuilderAtEnd(builder, turn);
    LLVMValueRef number = LLVMBuildPhi(builder, e->module->i64, "");
    LLVMValueRef found = LLVMBuildPhi(builder, e->module->i64, "");
    JG_TRY(emit_decision(e, s, number));
    const kernel_inst *branch = kernel_inst_at(e->kernel, s->branch);
    LLVMValueRef taken = emit_value(e, kernel_operands(e->kernel, branch)[0]);
    LLVMValueRef bit = LLVMBuildZExt(builder, taken, e->module->i64, "");
    *bits = LLVMBuildOr(builder, found, LLVMBuildShl(builder, bit, number, ""), "");
    LLVMValueRef following = LLVMBuildNUWAdd(builder, number, emit_int64(e, 1), "");
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntULT, following, count, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder), from[2] = {before, here};
    emit_mark_few(e, LLVMBuildCondBr(builder, more, turn, after));
    LLVMAddIncoming(number, (LLVMValueRef[]){zero, following}, from, 2);
    LLVMAddIncoming(found, (LLVMValueRef[]){zero, *bits}, from, 2);
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

static LLVMValueRef lowest_bit(jit_emission *e, LLVMValueRef bits)
{
    unsigned id = LLVMLookupIntrinsicID("llvm.cttz", strlen("llvm.cttz"));
    LLVMTypeRef type = e->module->i64;
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module->module, id, &type, 1);
    LLVMValueRef arguments[2] = {bits, LLVMConstInt(e->module->i1, 1, 0)};
    return LLVMBuildCall2(e->module->builder, LLVMGlobalGetValueType(function), function, arguments,
                          2, "");
}

/* Runs the turns whose bits are set, and goes to `out`. next: where a turn ends */
static jg_status emit_taken(jit_emission *e, const sieve *s, LLVMValueRef bits,
                            LLVMBasicBlockRef next, LLVMBasicBlockRef out)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), turn = emit_new_block(e);
    LLVMValueRef zero = emit_int64(e, 0);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, bits, zero, ""), turn, out);
    LLVMPositionBuilderAtEnd(builder, turn);
    LLVMValueRef left = LLVMBuildPhi(builder, e->module->i64, "");
    JG_TRY(emit_decision(e, s, lowest_bit(e, left)));
    JG_TRY(emit_range(e, s->branch + 1, kernel_inst_at(e->kernel, s->branch)->match));
    emit_continue_in(e, next);
    LLVMValueRef lower = LLVMBuildSub(builder, left, emit_int64(e, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(builder, left, lower, "");
    LLVMBasicBlockRef from[2] = {before, next};
    LLVMAddIncoming(left, (LLVMValueRef[]){bits, rest}, from, 2);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, rest, zero, ""), turn, out);
    return JG_OK;
}

/* Turns first to end - 1, SIEVED of them at once. */
static jg_status emit_portions(jit_emission *e, sieve *s, const emit_block *block,
                               LLVMValueRef first, LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), portion = emit_new_block(e),
                      after = emit_new_block(e);
    LLVMBasicBlockRef next = block->next, leave = block->leave;
    LLVMValueRef most = emit_int64(e, SIEVED), bits;
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSLT, first, end, "");
    LLVMBuildCondBr(builder, some, portion, leave);
    LLVMPositionBuilderAtEnd(builder, portion);
    s->base = LLVMBuildPhi(builder, e->module->i64, "");
    LLVMValueRef left = LLVMBuildNSWSub(builder, end, s->base, "");
    LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntSLT, left, most, "");
    JG_TRY(emit_answers(e, s, LLVMBuildSelect(builder, fits, left, most, ""), &bits));
    JG_TRY(emit_taken(e, s, bits, next, after));
    LLVMPositionBuilderAtEnd(builder, after);
    LLVMValueRef following = LLVMBuildNSWAdd(builder, s->base, most, "");
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, following, end, "");
    LLVMBuildCondBr(builder, more, portion, leave);
    LLVMAddIncoming(s->base, (LLVMValueRef[]){first, following},
                    (LLVMBasicBlockRef[]){before, after}, 2);
    LLVMPositionBuilderAtEnd(builder, leave);
    return JG_OK;
}

jg_status emit_sieved(jit_emission *e, const kernel_inst *loop, uint32_t branch)
{
    const uint32_t *operands = kernel_operands(e->kernel, loop);
    jg_dtype type = (jg_dtype)loop->type;
    LLVMValueRef low = emit_value(e, operands[0]), high = emit_value(e, operands[1]), first, end;
    LLVMValueRef count = emit_count(e, type, low, high, loop->immediate);
    sieve s = {loop, e->position, branch, emit_widen(e, type, low), NULL};
    emit_block *block = emit_open_block(e, e->position);
    emit_open_cut(e, block, count, &first, &end);
    block->count = end;
    JG_TRY(emit_portions(e, &s, block, first, end));
    e->position = loop->match;
    e->depth -= 1;
    emit_close_cut(e, block);
    return e->status;
}
