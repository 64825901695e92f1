/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks: a kernel_stack in the function's own frame. It is emptied where it is declared and
 * released before the function returns, so a body allocates once for all indices of a chunk. */
#include "jit/kernel/emit.h"

static LLVMValueRef member(jit_emission *e, uint32_t stack, size_t offset)
{
    return emit_offset(e, e->at->locals[stack], (int64_t)offset);
}

static LLVMValueRef load_count(jit_emission *e, uint32_t stack)
{
    return LLVMBuildLoad2(e->module->builder, e->module->i64,
                          member(e, stack, offsetof(kernel_stack, count)), "");
}

static void store_count(jit_emission *e, uint32_t stack, LLVMValueRef count)
{
    LLVMBuildStore(e->module->builder, count, member(e, stack, offsetof(kernel_stack, count)));
}

static LLVMValueRef element(jit_emission *e, uint32_t stack, LLVMValueRef index)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef data = LLVMBuildLoad2(builder, e->module->pointer,
                                       member(e, stack, offsetof(kernel_stack, data)), "");
    LLVMTypeRef type =
        module_stored_type(e->module, (jg_dtype)kernel_local_at(e->kernel, stack)->dtype);
    return LLVMBuildInBoundsGEP2(builder, type, data, &index, 1, "");
}

/* Zeroed in the prologue, as the function releases it even if this was never reached; emptied here
 * for each index, with its memory kept. */
void emit_stack(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef *address = &e->at->locals[inst->target];
    if (*address == NULL) {
        *address = emit_alloca(e, e->module->i64, sizeof(kernel_stack) / sizeof(int64_t));
        LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
        LLVMPositionBuilderAtEnd(builder, e->at->prologue);
        LLVMBuildMemSet(builder, *address, LLVMConstNull(e->module->i8),
                        emit_int64(e, sizeof(kernel_stack)), 8);
        LLVMPositionBuilderAtEnd(builder, here);
    }
    store_count(e, inst->target, emit_int64(e, 0));
}

/* Calls grow where the stack is full; without memory the function returns. */
static void require_capacity(jit_emission *e, uint32_t stack, LLVMValueRef count)
{
    LLVMBuilderRef builder = e->module->builder;
    size_t itemsize = dtype_itemsize((jg_dtype)kernel_local_at(e->kernel, stack)->dtype);
    LLVMBasicBlockRef full = emit_new_block(e), on = emit_new_block(e);
    LLVMValueRef capacity = LLVMBuildLoad2(builder, e->module->i64,
                                           member(e, stack, offsetof(kernel_stack, capacity)), "");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, count, capacity, ""), full, on);
    LLVMPositionBuilderAtEnd(builder, full);
    LLVMValueRef arguments[3] = {e->at->host, e->at->locals[stack],
                                 emit_int64(e, (int64_t)itemsize)};
    LLVMValueRef grown =
        emit_host_call(e, offsetof(kernel_host, grow), e->module->i8, 3, arguments);
    LLVMValueRef failed =
        LLVMBuildICmp(builder, LLVMIntEQ, grown, LLVMConstNull(e->module->i8), "");
    LLVMBuildCondBr(builder, failed, e->at->leave, on);
    LLVMPositionBuilderAtEnd(builder, on);
}

void emit_push(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef value = emit_value(e, kernel_operands(e->kernel, inst)[0]);
    LLVMValueRef count = load_count(e, inst->target);
    require_capacity(e, inst->target, count);
    emit_write(e, element(e, inst->target, count), (jg_dtype)inst->type, value, KERNEL_NONE);
    store_count(e, inst->target, LLVMBuildNSWAdd(e->module->builder, count, emit_int64(e, 1), ""));
}

/* An empty stack gives 0 and stays empty. */
void emit_pop(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    jg_dtype dtype = (jg_dtype)inst->to;
    LLVMBasicBlockRef some = emit_new_block(e), on = emit_new_block(e);
    LLVMValueRef count = load_count(e, inst->target);
    LLVMValueRef is_empty = LLVMBuildICmp(builder, LLVMIntEQ, count, emit_int64(e, 0), "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    LLVMBuildCondBr(builder, is_empty, on, some);
    LLVMPositionBuilderAtEnd(builder, some);
    LLVMValueRef last = LLVMBuildNSWSub(builder, count, emit_int64(e, 1), "");
    store_count(e, inst->target, last);
    LLVMValueRef top = emit_read(e, element(e, inst->target, last), dtype, KERNEL_NONE);
    emit_continue_in(e, on);
    LLVMValueRef value = LLVMBuildPhi(builder, module_type(e->module, dtype), "");
    LLVMValueRef values[2] = {LLVMConstNull(module_type(e->module, dtype)), top};
    LLVMBasicBlockRef blocks[2] = {before, some};
    LLVMAddIncoming(value, values, blocks, 2);
    emit_define(e, inst, value);
}

/* At the only return of the function, which failures branch to as well. */
void emit_drop_stacks(jit_emission *e)
{
    for (uint32_t l = 0; l < e->kernel->nlocals; ++l) {
        if (!kernel_local_at(e->kernel, l)->stack || e->at->locals[l] == NULL)
            continue;
        LLVMValueRef arguments[2] = {e->at->host, e->at->locals[l]};
        emit_host_call(e, offsetof(kernel_host, drop), e->module->none, 2, arguments);
    }
}
