/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that end early: loops over as many indices as there can be, all of whose work is under
 * `if i < n`.
 *
 * Where n is an argument or an element that the loop does not write, the row ends at n, and the
 * condition is true for all indices that are left. So the others take no time, and vector code
 * needs no masks. */
#include "jit/kernel/emit.h"

/* Whether it is the same for all indices of a row: made before the loop, a number, or an index of
 * the other ranges. */
static bool is_same_in_row(const jit_emission *e, const kernel_inst *loop, uint32_t value)
{
    uint32_t made = kernel_value_at(e->kernel, value)->definition;
    if (made == KERNEL_NONE || made < e->loop)
        return true;
    if (made == e->loop)
        return value != loop->first + loop->nvalues - 1;
    uint16_t op = kernel_inst_at(e->kernel, made)->op;
    return op == KERNEL_CONST || op == KERNEL_EXTENT;
}

static bool writes(const jit_emission *e, const kernel_inst *loop, uint32_t array)
{
    for (uint32_t p = e->loop + 1; p < loop->match; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        if ((inst->op == KERNEL_STORE || inst->op == KERNEL_ATOMIC) && inst->target == array)
            return true;
    }
    return false;
}

/* The load in the loop that gives the value, if it gives the same for all indices of a row; else
 * NULL. */
static const kernel_inst *find_load(const jit_emission *e, const kernel_inst *loop, uint32_t value)
{
    uint32_t made = kernel_value_at(e->kernel, value)->definition;
    const kernel_inst *inst = kernel_inst_at(e->kernel, made);
    if (inst->op != KERNEL_LOAD || !(e->flags & COMPILE_NO_ALIAS) || writes(e, loop, inst->target))
        return NULL;
    for (uint32_t i = 0; i < inst->noperands; ++i)
        if (!is_same_in_row(e, loop, kernel_operands(e->kernel, inst)[i]))
            return NULL;
    return inst;
}

/* The value as a 64-bit number, before the row; NULL if it is not known there. Sums of the entry
 * are left out: an index is compared with their exact number. */
static LLVMValueRef emit_known(jit_emission *e, const kernel_inst *loop, uint32_t value)
{
    const kernel_value *row = kernel_value_at(e->kernel, value);
    jg_dtype type = (jg_dtype)row->type;
    if (type != JG_DTYPE_INT32 && type != JG_DTYPE_INT64)
        return NULL;
    if (row->definition == KERNEL_NONE)
        return emit_widen(e, type, emit_value(e, value));
    if (row->definition == e->loop && value != loop->first + loop->nvalues - 1)
        return emit_index(e, value);
    if (row->definition <= e->loop)
        return NULL;
    const kernel_inst *load = find_load(e, loop, value);
    if (load == NULL)
        return NULL;
    LLVMValueRef address = emit_address(e, load);
    return emit_widen(e, type, emit_read(e, address, type, load->target));
}

LLVMValueRef emit_row_end(jit_emission *e, const kernel_inst *loop, LLVMValueRef low,
                          LLVMValueRef first, LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t branch = analysis_only_branch(e->kernel, &e->analysis, e->loop);
    if (branch == KERNEL_NONE)
        return end;
    uint32_t condition = kernel_operands(e->kernel, kernel_inst_at(e->kernel, branch))[0];
    uint32_t made = kernel_value_at(e->kernel, condition)->definition;
    if (made == KERNEL_NONE || made <= e->loop)
        return end;
    const kernel_inst *compares = kernel_inst_at(e->kernel, made);
    const uint32_t *sides = kernel_operands(e->kernel, compares);
    if (compares->op != PROGRAM_LESS || sides[0] != loop->first + loop->nvalues - 1)
        return end;
    LLVMValueRef limit = emit_known(e, loop, sides[1]);
    if (limit == NULL)
        return end;
    e->holds = branch;
    /* Wraps where no index is as large. */
    LLVMValueRef beyond = LLVMBuildICmp(builder, LLVMIntSGT, limit, low, "");
    LLVMValueRef digit = LLVMBuildSelect(builder, beyond, LLVMBuildSub(builder, limit, low, ""),
                                         emit_int64(e, 0), "");
    LLVMValueRef least = LLVMBuildICmp(builder, LLVMIntULT, digit, end, "");
    digit = LLVMBuildSelect(builder, least, digit, end, "");
    LLVMValueRef some = LLVMBuildICmp(builder, LLVMIntSGT, digit, first, "");
    return LLVMBuildSelect(builder, some, digit, first, "");
}
