/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of lanes as values, in memory and in the function's frame; the functions of scalar.c on
 * such vectors, which find their operands in memory; and the entry, where values that stay the same
 * are made. */
#include "jit/rows/rows.h"

LLVMTypeRef emit_row_value_type(const row_emission *e, jg_dtype dtype)
{
    return LLVMVectorType(module_type(e->module, dtype), e->lanes);
}

LLVMTypeRef emit_row_stored_type(const row_emission *e, jg_dtype dtype)
{
    return LLVMVectorType(module_stored_type(e->module, dtype), e->lanes);
}

LLVMValueRef emit_row_as_value(const row_emission *e, jg_dtype dtype, LLVMValueRef stored)
{
    return dtype == JG_DTYPE_BOOL ? LLVMBuildICmp(e->module->builder, LLVMIntNE, stored,
                                                  LLVMConstNull(LLVMTypeOf(stored)), "")
                                  : stored;
}

LLVMValueRef emit_row_as_stored(const row_emission *e, jg_dtype dtype, LLVMValueRef value)
{
    return dtype == JG_DTYPE_BOOL
               ? LLVMBuildZExt(e->module->builder, value, emit_row_stored_type(e, dtype), "")
               : value;
}

LLVMValueRef emit_row_splat(const row_emission *e, LLVMValueRef scalar)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), e->lanes);
    LLVMValueRef one = LLVMBuildInsertElement(builder, LLVMGetPoison(type), scalar,
                                              LLVMConstNull(e->module->i32), "");
    LLVMValueRef first = LLVMConstNull(LLVMVectorType(e->module->i32, e->lanes));
    return LLVMBuildShuffleVector(builder, one, LLVMGetPoison(type), first, "");
}

LLVMValueRef emit_row_first(const row_emission *e, LLVMValueRef x)
{
    LLVMBuilderRef builder = e->module->builder;
    return LLVMBuildExtractElement(builder, x, LLVMConstNull(e->module->i32), "");
}

LLVMValueRef emit_row_parameter(const row_emission *e, unsigned number, LLVMTypeRef type,
                                int64_t offset)
{
    LLVMValueRef address = LLVMConstInt(e->module->i64, (unsigned long long)offset, 0);
    address = LLVMBuildInBoundsGEP2(e->module->builder, e->module->i8,
                                    LLVMGetParam(e->function, number), &address, 1, "");
    return LLVMBuildLoad2(e->module->builder, type, address, "");
}

LLVMBasicBlockRef emit_row_enter(const row_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(e->entry);
    if (end != NULL)
        LLVMPositionBuilderBefore(builder, end);
    return here;
}

void emit_row_return(const row_emission *e, LLVMBasicBlockRef here)
{
    LLVMPositionBuilderAtEnd(e->module->builder, here);
}

LLVMValueRef emit_row_slot(const row_emission *e, LLVMTypeRef type)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(e->frame));
    LLVMValueRef address = LLVMBuildAlloca(builder, type, "");
    LLVMPositionBuilderAtEnd(builder, here);
    return address;
}

static LLVMValueRef put_aside(const row_emission *e, jg_dtype dtype, LLVMValueRef value)
{
    LLVMValueRef address = emit_row_slot(e, emit_row_stored_type(e, dtype));
    LLVMBuildStore(e->module->builder, emit_row_as_stored(e, dtype, value), address);
    return address;
}

/* scalar.c's truth is 0 or 1. */
static LLVMValueRef take_back(const row_emission *e, jg_dtype dtype, LLVMValueRef address)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef stored = LLVMBuildLoad2(builder, emit_row_stored_type(e, dtype), address, "");
    return dtype == JG_DTYPE_BOOL
               ? LLVMBuildTrunc(builder, stored, emit_row_value_type(e, dtype), "")
               : stored;
}

LLVMValueRef emit_row_call(const row_emission *e, uint8_t op, jg_dtype type,
                           const LLVMValueRef *operands)
{
    const program_inst_row *row = &program_inst_rows[op];
    jg_dtype to = program_result_type((program_op)op, type);
    LLVMValueRef result = emit_row_slot(e, emit_row_stored_type(e, to)), addresses[3];
    for (int i = 0; i < row->arity; ++i)
        addresses[i] = put_aside(e, type, operands[i]);
    module_call_lanes(e->module, op, type, row->arity, result, addresses);
    return take_back(e, to, result);
}

LLVMValueRef emit_row_call_cast(const row_emission *e, jg_dtype from, jg_dtype to,
                                LLVMValueRef value)
{
    LLVMValueRef address = emit_row_slot(e, emit_row_stored_type(e, to));
    module_call_lanes_cast(e->module, from, to, address, put_aside(e, from, value));
    return take_back(e, to, address);
}

LLVMBasicBlockRef emit_row_block(const row_emission *e)
{
    return LLVMAppendBasicBlockInContext(e->module->context, e->function, "");
}

row_loop emit_row_begin_loop(const row_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    row_loop loop = {.before = LLVMGetInsertBlock(builder), .body = emit_row_block(e)};
    LLVMValueRef zero = LLVMConstNull(e->module->i64);
    LLVMBuildBr(builder, loop.body);
    LLVMPositionBuilderAtEnd(builder, loop.body);
    loop.at = LLVMBuildPhi(builder, e->module->i64, "");
    LLVMAddIncoming(loop.at, &zero, &loop.before, 1);
    return loop;
}

void emit_row_end_loop(const row_emission *e, const row_loop *loop, unsigned step, LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef after = emit_row_block(e);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder); /* an instruction may have branched */
    LLVMValueRef next =
        LLVMBuildNSWAdd(builder, loop->at, LLVMConstInt(e->module->i64, step, 0), "");
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, next, end, "");
    LLVMBuildCondBr(builder, more, loop->body, after);
    LLVMAddIncoming(loop->at, &next, &last, 1);
    LLVMPositionBuilderAtEnd(builder, after);
}
