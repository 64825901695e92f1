/* SPDX-License-Identifier: Apache-2.0 */
/* Indices that are checked when the kernel runs: one unsigned comparison each, at the access or,
 * for all iterations of the enclosing loops, before them. */
#include "jit/kernel/emit.h"
#include <string.h>

static LLVMValueRef emit_term(jit_emission *e, const bounds_term *term)
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

static LLVMValueRef emit_form(jit_emission *e, const bounds_form *form)
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

static LLVMValueRef limit_of(jit_emission *e, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    return kernel_bounds_local(inst->op)
               ? emit_int64(e, kernel_local_at(e->kernel, inst->target)->length)
               : emit_extent(e, inst->target, (int)check->axis);
}

void emit_likely(jit_emission *e, LLVMValueRef condition, LLVMBasicBlockRef likely,
                 LLVMBasicBlockRef rare)
{
    LLVMContextRef context = e->module->context;
    LLVMValueRef branch = LLVMBuildCondBr(e->module->builder, condition, likely, rare);
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(e->module->i32, 1 << 20, 0)),
        LLVMValueAsMetadata(LLVMConstInt(e->module->i32, 1, 0))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Returns from the function if the condition is false, and reports the index. */
static void require(jit_emission *e, const bounds_check *check, LLVMValueRef condition,
                    LLVMValueRef index, LLVMValueRef limit)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef fails = emit_new_block(e), on = emit_new_block(e);
    emit_likely(e, condition, on, fails);
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

/* Whether 32 bits are enough to compare the index with an extent: it is no sum, or the sum of such
 * a number and a constant, which wraps only to numbers that no extent exceeds. */
static bool is_plain_index(const jit_emission *e, uint32_t value, bool may_add)
{
    const kernel_value *row = kernel_value_at(e->kernel, value);
    if (!(e->flags & COMPILE_NARROW) || dtype_rows[row->type].bits > 32)
        return false;
    if (row->definition == KERNEL_NONE)
        return true;
    const kernel_inst *inst = kernel_inst_at(e->kernel, row->definition);
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    if (kernel_is_loop(inst->op) || !kernel_is_linear(inst))
        return true;
    if (!may_add || dtype_rows[row->type].bits < 32 ||
        (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT))
        return false;
    uint32_t by = kernel_value_at(e->kernel, operands[1])->definition;
    if (by == KERNEL_NONE || kernel_inst_at(e->kernel, by)->op != KERNEL_CONST)
        return false;
    int64_t constant = (int32_t)kernel_inst_at(e->kernel, by)->immediate;
    return constant < 1 << 30 && constant > -(1 << 30) && is_plain_index(e, operands[0], false);
}

/* The index and what it must be below, without sign, in 32 bits if these are enough. */
static LLVMValueRef unsigned_index(jit_emission *e, const bounds_check *check, LLVMValueRef *limit)
{
    LLVMBuilderRef builder = e->module->builder;
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    uint32_t value = kernel_operands(e->kernel, inst)[check->axis];
    *limit = limit_of(e, check);
    if (!is_plain_index(e, value, true))
        return emit_index(e, value);
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    bool is_signed = dtype_rows[type].kind == JG_KIND_INT;
    *limit = LLVMBuildTrunc(builder, *limit, e->module->i32, "");
    return LLVMBuildIntCast2(builder, emit_value(e, value), e->module->i32, is_signed, "");
}

static LLVMValueRef is_inside(jit_emission *e, const bounds_check *check)
{
    LLVMValueRef limit, index = unsigned_index(e, check, &limit);
    return LLVMBuildICmp(e->module->builder, LLVMIntULT, index, limit, "");
}

static void look_at_access(jit_emission *e, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    LLVMValueRef inside = is_inside(e, check);
    LLVMValueRef index = emit_index(e, kernel_operands(e->kernel, inst)[check->axis]);
    require(e, check, inside, index, limit_of(e, check));
}

/* Both ends are reached, if all ranges have turns. */
static void look_at_loops(jit_emission *e, const bounds_check *check)
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

static const bounds_check *checks_of(const jit_emission *e, size_t *count)
{
    *count = e->analysis.bounds.checks.nbytes / sizeof(bounds_check);
    return (const bounds_check *)(const void *)e->analysis.bounds.checks.data;
}

void emit_bounds(jit_emission *e)
{
    size_t count;
    const bounds_check *all = checks_of(e, &count);
    if (!e->analysis.looks[e->position])
        return;
    for (size_t i = 0; i < count; ++i) {
        bool here = all[i].access == e->position;
        if (all[i].kind == BOUNDS_BEFORE_LOOP && all[i].loop == e->position)
            look_at_loops(e, &all[i]);
        else if (all[i].kind == BOUNDS_AT_ACCESS && here && !e->screened)
            look_at_access(e, &all[i]);
        else if (all[i].kind == BOUNDS_ASSUMED && here && e->careful)
            look_at_access(e, &all[i]);
    }
}

/* The form is not negative; 64-bit numbers that do not fit 32 bits count as negative. */
static LLVMValueRef is_not_negative(jit_emission *e, const bounds_form *form)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef zero = emit_int64(e, 0);
    LLVMValueRef holds = LLVMBuildICmp(builder, LLVMIntSGE, emit_form(e, form), zero, "");
    for (uint32_t t = 0; t < form->count; ++t) {
        if (form->terms[t].type != JG_DTYPE_INT64)
            continue;
        LLVMValueRef whole = emit_term(e, &form->terms[t]);
        LLVMValueRef part = LLVMBuildTrunc(builder, whole, e->module->i32, "");
        part = LLVMBuildSExt(builder, part, e->module->i64, "");
        LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntEQ, whole, part, "");
        holds = LLVMBuildAnd(builder, holds, fits, "");
    }
    return holds;
}

/* One of the cases holds; true if there are none. */
static LLVMValueRef is_explained(jit_emission *e, const bounds_case *cases, uint32_t count)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef any = LLVMConstInt(e->module->i1, count == 0, 0);
    for (uint32_t c = 0; c < count; ++c) {
        LLVMValueRef all = LLVMConstInt(e->module->i1, 1, 0);
        for (uint32_t f = 0; f < cases[c].count; ++f)
            all = LLVMBuildAnd(builder, all, is_not_negative(e, &cases[c].forms[f]), "");
        any = LLVMBuildOr(builder, any, all, "");
    }
    return any;
}

LLVMValueRef emit_assumptions(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    const bounds_case *cases = (const bounds_case *)(const void *)e->analysis.bounds.cases.data;
    size_t count;
    const bounds_check *all = checks_of(e, &count);
    LLVMValueRef holds = LLVMConstInt(e->module->i1, 1, 0);
    if (!(e->analysis.looks[e->position] & LOOK_CASES))
        return NULL;
    for (size_t i = 0; i < count; ++i) {
        if (all[i].kind != BOUNDS_ASSUMED || all[i].loop != e->position)
            continue;
        const bounds_case *first = cases + all[i].first_case;
        LLVMValueRef least = is_explained(e, first, all[i].nleast);
        LLVMValueRef greatest = is_explained(e, first + all[i].nleast, all[i].ngreatest);
        holds = LLVMBuildAnd(builder, holds, LLVMBuildAnd(builder, least, greatest, ""), "");
    }
    return holds;
}

jg_status emit_versions(jit_emission *e, const kernel_inst *loop)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t opener = e->position;
    LLVMBasicBlockRef versions[2] = {emit_new_block(e), emit_new_block(e)},
                      after = emit_new_block(e);
    LLVMBuildCondBr(builder, emit_assumptions(e), versions[0], versions[1]);
    for (int careful = 0; careful < 2; ++careful) {
        LLVMPositionBuilderAtEnd(builder, versions[careful]);
        e->careful = careful;
        e->split = opener;
        JG_TRY(emit_range(e, opener, loop->match + 1));
        emit_go(e, after);
    }
    e->careful = false;
    e->split = KERNEL_NONE;
    e->position = loop->match;
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

/* Whether the check is of an access in the current loop. */
static bool is_ahead(const jit_emission *e, const bounds_check *check)
{
    uint32_t end = kernel_inst_at(e->kernel, e->loop)->match;
    return check->kind == BOUNDS_AT_ACCESS && check->access > e->loop && check->access < end;
}

static bool is_ahead_plain(const jit_emission *e, const bounds_check *check)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, check->access);
    return is_plain_index(e, kernel_operands(e->kernel, inst)[check->axis], true);
}

jg_status emit_begin_ahead(jit_emission *e)
{
    size_t count;
    const bounds_check *all = checks_of(e, &count);
    e->ahead = base_alloc_zeroed(count * sizeof *e->ahead);
    if (e->ahead == NULL)
        return base_nomem(count * sizeof *e->ahead, "a kernel");
    for (size_t i = 0; i < count; ++i) {
        if (!is_ahead(e, &all[i]))
            continue;
        LLVMTypeRef type = is_ahead_plain(e, &all[i]) ? e->module->i32 : e->module->i64;
        e->ahead[i] = emit_alloca(e, type, 0);
        LLVMBuildStore(e->module->builder, LLVMConstNull(type), e->ahead[i]);
    }
    return JG_OK;
}

/* The maximum of no indices is 0, which may be out of bounds of an empty array: then iterations are
 * checked although none would fail. */
LLVMValueRef emit_end_ahead(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef right = LLVMConstInt(e->module->i1, 1, 0);
    size_t count;
    const bounds_check *all = checks_of(e, &count);
    for (size_t i = 0; i < count; ++i) {
        if (e->ahead[i] == NULL)
            continue;
        LLVMTypeRef type = LLVMGetAllocatedType(e->ahead[i]);
        LLVMValueRef limit = limit_of(e, &all[i]);
        if (type == e->module->i32)
            limit = LLVMBuildTrunc(builder, limit, type, "");
        LLVMValueRef most = LLVMBuildLoad2(builder, type, e->ahead[i], "");
        LLVMValueRef inside = LLVMBuildICmp(builder, LLVMIntULT, most, limit, "");
        right = LLVMBuildAnd(builder, right, inside, "");
    }
    base_free(e->ahead);
    e->ahead = NULL;
    return right;
}

/* Notes the indices of the access at hand. gives: whether all are in bounds; NULL: that is known */
static LLVMValueRef note_access(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef inside = NULL;
    size_t count;
    const bounds_check *all = checks_of(e, &count);
    for (size_t i = 0; i < count; ++i) {
        if (e->ahead[i] == NULL || all[i].access != e->position)
            continue;
        LLVMValueRef limit, index = unsigned_index(e, &all[i], &limit);
        LLVMValueRef most = LLVMBuildLoad2(builder, LLVMTypeOf(index), e->ahead[i], "");
        LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntUGT, index, most, "");
        LLVMBuildStore(builder, LLVMBuildSelect(builder, more, index, most, ""), e->ahead[i]);
        LLVMValueRef one = LLVMBuildICmp(builder, LLVMIntULT, index, limit, "");
        inside = inside == NULL ? one : LLVMBuildAnd(builder, inside, one, "");
    }
    return inside;
}

/* An element that does not exist is not read: what is computed from it is not used. */
static void load_ahead(jit_emission *e, const kernel_inst *inst, LLVMValueRef inside)
{
    LLVMValueRef address = emit_address(e, inst);
    if (inside != NULL) {
        LLVMValueRef none = emit_alloca(e, e->module->i64, 2);
        address = LLVMBuildSelect(e->module->builder, inside, address, none, "");
    }
    emit_define(e, inst, emit_read(e, address, (jg_dtype)inst->to, inst->target));
}

jg_status emit_ahead(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef inside = note_access(e);
    if (!e->screen[e->position])
        return JG_OK;
    if (inst->op >= KERNEL_CONST && inst->op != KERNEL_LOAD)
        return emit_statement(e, inst);
    if (inst->op == KERNEL_LOAD)
        load_ahead(e, inst, inside);
    else
        emit_scalar(e, inst);
    return e->status;
}
