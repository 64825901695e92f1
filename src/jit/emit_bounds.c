/* SPDX-License-Identifier: Apache-2.0 */
/* Indices that are looked at when the kernel runs: one comparison without sign each, at the access
 * or, for all turns of the loops that it stands in, before them. */
#include "jit/emit.h"
#include <string.h>

static LLVMValueRef emit_term(kernel_emission *e, const bounds_term *term)
{
    LLVMBuilderRef builder = e->module->builder;
    if (term->value != KERNEL_NONE)
        return emit_index(e, term->value);
    LLVMValueRef extent = emit_extent(e, term->array, (int)term->axis);
    if (term->type == JG_DTYPE_INT64)
        return extent;
    extent = LLVMBuildTrunc(builder, extent, e->module->i32, "");
    return LLVMBuildSExt(builder, extent, e->module->i64, "");
}

static LLVMValueRef emit_form(kernel_emission *e, const bounds_form *form)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef sum = emit_int64(e, form->constant);
    for (uint32_t t = 0; t < form->count; ++t) {
        LLVMValueRef factor = emit_int64(e, form->terms[t].factor);
        LLVMValueRef part = LLVMBuildMul(builder, emit_term(e, &form->terms[t]), factor, "");
        sum = LLVMBuildAdd(builder, sum, part, "");
    }
    return sum;
}

static LLVMValueRef limit_of(kernel_emission *e, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    return kernel_bounds_local(inst->op)
               ? emit_int64(e, kernel_local_at(e->kernel, inst->target)->length)
               : emit_extent(e, inst->target, (int)check->axis);
}

static void mark_rare(const kernel_emission *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(e->module->i32, 1 << 20, 0)),
        LLVMValueAsMetadata(LLVMConstInt(e->module->i32, 1, 0))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Leaves the function where the condition does not hold, and says which index it was. */
static void require(kernel_emission *e, const bounds_check *check, LLVMValueRef condition,
                    LLVMValueRef index, LLVMValueRef limit)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef fails = emit_new_block(e), on = emit_new_block(e);
    mark_rare(e, LLVMBuildCondBr(builder, condition, on, fails));
    LLVMPositionBuilderAtEnd(builder, fails);
    LLVMValueRef row = emit_alloca(e, e->module->i64, 3);
    LLVMBuildStore(builder, emit_int64(e, check->axis), row);
    LLVMBuildStore(builder, index, emit_offset(e, row, 8));
    LLVMBuildStore(builder, limit, emit_offset(e, row, 16));
    LLVMValueRef position = LLVMConstInt(e->module->i32, check->access, 0);
    LLVMValueRef arguments[3] = {e->at->host, position, row};
    emit_host_call(e, offsetof(kernel_host, fail), e->module->none, 3, arguments);
    LLVMBuildBr(builder, e->at->leave);
    LLVMPositionBuilderAtEnd(builder, on);
}

static void look_at_access(kernel_emission *e, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    LLVMValueRef index = emit_index(e, kernel_operands(e->kernel, inst)[check->axis]);
    LLVMValueRef limit = limit_of(e, check);
    LLVMValueRef inside = LLVMBuildICmp(e->module->builder, LLVMIntULT, index, limit, "");
    require(e, check, inside, index, limit);
}

/* Both ends are reached, if all ranges have turns. */
static void look_at_loops(kernel_emission *e, const bounds_check *check)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef fine = LLVMConstNull(e->module->i1);
    for (uint32_t r = 0; r < check->nranges; ++r) {
        LLVMValueRef low = emit_form(e, &check->ranges[r].low);
        LLVMValueRef high = emit_form(e, &check->ranges[r].high);
        LLVMValueRef empty = LLVMBuildICmp(builder, LLVMIntSGE, low, high, "");
        fine = LLVMBuildOr(builder, fine, empty, "");
    }
    LLVMValueRef least = emit_form(e, &check->least), greatest = emit_form(e, &check->greatest);
    LLVMValueRef limit = limit_of(e, check);
    LLVMValueRef low_in = LLVMBuildICmp(builder, LLVMIntULT, least, limit, "");
    LLVMValueRef high_in = LLVMBuildICmp(builder, LLVMIntULT, greatest, limit, "");
    LLVMValueRef inside = LLVMBuildAnd(builder, low_in, high_in, "");
    LLVMValueRef wrong = LLVMBuildSelect(builder, low_in, greatest, least, "");
    require(e, check, LLVMBuildOr(builder, fine, inside, ""), wrong, limit);
}

void emit_bounds(kernel_emission *e)
{
    const bounds_check *all = (const bounds_check *)(const void *)e->scan.bounds.data;
    size_t count = e->scan.bounds.nbytes / sizeof *all;
    if (!e->scan.looks[e->position])
        return;
    for (size_t i = 0; i < count; ++i) {
        if (all[i].loop == e->position)
            look_at_loops(e, &all[i]);
        else if (all[i].loop == KERNEL_NONE && all[i].access == e->position)
            look_at_access(e, &all[i]);
    }
}
