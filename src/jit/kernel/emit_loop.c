/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: loops and branches.
 *
 * A loop counts its iterations from zero in 64 bits, and its index follows from the count, so no
 * index can overflow. */
#include "jit/kernel/emit.h"

LLVMBasicBlockRef emit_new_block(jit_emission *e)
{
    return LLVMAppendBasicBlockInContext(e->module->context, e->at->function, "");
}

void emit_go(jit_emission *e, LLVMBasicBlockRef block)
{
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->module->builder)) == NULL)
        LLVMBuildBr(e->module->builder, block);
}

void emit_continue_in(jit_emission *e, LLVMBasicBlockRef block)
{
    emit_go(e, block);
    LLVMPositionBuilderAtEnd(e->module->builder, block);
}

emit_block *emit_open_block(jit_emission *e, uint32_t opener)
{
    emit_block *block = &e->blocks[e->depth++];
    *block = (emit_block){.opener = opener, .next = emit_new_block(e), .leave = emit_new_block(e)};
    return block;
}

LLVMValueRef emit_widen(jit_emission *e, jg_dtype type, LLVMValueRef value)
{
    LLVMBuilderRef builder = e->module->builder;
    if (dtype_rows[type].bits == 64)
        return value;
    return dtype_rows[type].kind == JG_KIND_INT ? LLVMBuildSExt(builder, value, e->module->i64, "")
                                                : LLVMBuildZExt(builder, value, e->module->i64, "");
}

/* For types below 64 bits the span is exact. For 64 bits it wraps, and the comparison tells whether
 * there are iterations. (span - 1) / step + 1, unsigned, rounds up without overflow. */
LLVMValueRef emit_count(jit_emission *e, jg_dtype type, LLVMValueRef low, LLVMValueRef high,
                        int64_t step)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef from = emit_widen(e, type, step > 0 ? low : high);
    LLVMValueRef to = emit_widen(e, type, step > 0 ? high : low);
    bool exact = dtype_rows[type].bits < 64;
    LLVMValueRef span =
        exact ? LLVMBuildNSWSub(builder, to, from, "") : LLVMBuildSub(builder, to, from, "");
    LLVMIntPredicate less = dtype_rows[type].kind == JG_KIND_INT ? LLVMIntSLT : LLVMIntULT;
    LLVMValueRef some = LLVMBuildICmp(builder, less, from, to, ""), count = span;
    int64_t stride = step > 0 ? step : -step;
    if (stride != 1) {
        LLVMValueRef rest = LLVMBuildSub(builder, span, emit_int64(e, 1), "");
        count = LLVMBuildUDiv(builder, rest, emit_int64(e, stride), "");
        count = LLVMBuildAdd(builder, count, emit_int64(e, 1), "");
    }
    return LLVMBuildSelect(builder, some, count, emit_int64(e, 0), "");
}

void emit_define_index(jit_emission *e, uint32_t value, LLVMValueRef wide)
{
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    LLVMTypeRef to = module_type(e->module, type);
    e->at->wide[value] = wide;
    e->at->values[value] = LLVMBuildTrunc(e->module->builder, wide, to, "");
}

/* Tested before the first iteration and after each: the form that LLVM's loop passes expect. */
void emit_open_turns(jit_emission *e, emit_block *block, LLVMValueRef first, LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), turn = emit_new_block(e);
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSLT, first, end, "");
    LLVMBuildCondBr(builder, some, turn, block->leave);
    LLVMPositionBuilderAtEnd(builder, turn);
    block->counter = LLVMBuildPhi(builder, e->module->i64, "");
    block->count = end;
    LLVMAddIncoming(block->counter, &first, &before, 1);
}

LLVMValueRef emit_close_turns(jit_emission *e, const emit_block *block)
{
    LLVMBuilderRef builder = e->module->builder;
    emit_continue_in(e, block->next);
    LLVMValueRef following = LLVMBuildNSWAdd(builder, block->counter, emit_int64(e, 1), "");
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, following, block->count, "");
    LLVMValueRef branch =
        LLVMBuildCondBr(builder, more, LLVMGetInstructionParent(block->counter), block->leave);
    LLVMBasicBlockRef here = block->next;
    LLVMAddIncoming(block->counter, &following, &here, 1);
    LLVMPositionBuilderAtEnd(builder, block->leave);
    return branch;
}

void emit_for(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    jg_dtype type = (jg_dtype)inst->type;
    LLVMValueRef low = emit_value(e, operands[0]), high = emit_value(e, operands[1]);
    LLVMValueRef count = emit_count(e, type, low, high, inst->immediate);
    LLVMValueRef from = emit_widen(e, type, low);
    emit_block *block = emit_open_block(e, e->position);
    LLVMValueRef first = emit_int64(e, 0), end = count;
    if (emit_cuts(e, inst))
        emit_open_cut(e, block, count, &first, &end);
    emit_open_turns(e, block, first, end);
    if (emit_asks_each_turn(e, inst))
        emit_poll(e, emit_int64(e, 1));
    LLVMValueRef way = LLVMBuildNSWMul(builder, block->counter, emit_int64(e, inst->immediate), "");
    emit_define_index(e, inst->first, LLVMBuildNSWAdd(builder, from, way, ""));
}

/* The loop's body is the block in which an iteration ends, because the next one begins there. */
void emit_loop(jit_emission *e)
{
    emit_block *block = emit_open_block(e, e->position);
    emit_continue_in(e, block->next);
    if (emit_asks_each_turn(e, kernel_inst_at(e->kernel, e->position)))
        emit_poll(e, emit_int64(e, 1));
}

void emit_if(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef condition = e->position == e->holds
                                 ? LLVMConstInt(e->module->i1, 1, 0)
                                 : emit_value(e, kernel_operands(e->kernel, inst)[0]);
    emit_block *block = &e->blocks[e->depth++];
    LLVMBasicBlockRef then = emit_new_block(e), after = emit_new_block(e);
    bool has_else = kernel_inst_at(e->kernel, inst->match)->op == KERNEL_ELSE;
    *block = (emit_block){
        .opener = e->position, .leave = after, .otherwise = has_else ? emit_new_block(e) : after};
    block->branch = LLVMBuildCondBr(e->module->builder, condition, then, block->otherwise);
    LLVMPositionBuilderAtEnd(e->module->builder, then);
}

void emit_else(jit_emission *e)
{
    const emit_block *block = &e->blocks[e->depth - 1];
    emit_go(e, block->leave);
    LLVMPositionBuilderAtEnd(e->module->builder, block->otherwise);
}

void emit_end(jit_emission *e)
{
    const emit_block *block = &e->blocks[--e->depth];
    LLVMValueRef back;
    switch (kernel_inst_at(e->kernel, block->opener)->op) {
    case KERNEL_FOR:
        back = emit_close_turns(e, block);
        if (block->takes_few)
            emit_mark_few(e, back);
        if (block->cut != NULL)
            emit_close_cut(e, block);
        break;
    case KERNEL_LOOP:
        emit_go(e, block->next);
        LLVMPositionBuilderAtEnd(e->module->builder, block->leave);
        break;
    default:
        emit_continue_in(e, block->leave);
        emit_end_branch(e);
        break;
    }
}

/* No code follows a jump in its block (kernel_verify checks it), so the END finds the block
 * ended. */
void emit_jump(jit_emission *e, bool leaves)
{
    int at = e->depth - 1;
    while (!kernel_is_loop(kernel_inst_at(e->kernel, e->blocks[at].opener)->op))
        at -= 1;
    const emit_block *block = &e->blocks[at];
    LLVMBasicBlockRef out = block->cut != NULL ? block->past : block->leave;
    LLVMBuildBr(e->module->builder, leaves ? out : block->next);
}
