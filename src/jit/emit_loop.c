/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: parallel loops, loops, branches.
 *
 * A loop counts its turns from zero in 64 bits, and its index follows from the count, so no index can
 * overflow. A body of a parallel loop takes its chunk row by row: the last range is the inner loop, which
 * is what the vectoriser looks at, and the others count up like an odometer. */
#include "jit/emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMBasicBlockRef emit_new_block(kernel_emission *e)
{
    return LLVMAppendBasicBlockInContext(e->module->context, e->at->function, "");
}

void emit_go(kernel_emission *e, LLVMBasicBlockRef block)
{
    if (LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(e->module->builder)) == NULL)
        LLVMBuildBr(e->module->builder, block);
}

void emit_continue_in(kernel_emission *e, LLVMBasicBlockRef block)
{
    emit_go(e, block);
    LLVMPositionBuilderAtEnd(e->module->builder, block);
}

static emit_block *open_block(kernel_emission *e, uint32_t opener)
{
    emit_block *block = &e->blocks[e->depth++];
    *block = (emit_block){.opener = opener, .next = emit_new_block(e), .leave = emit_new_block(e)};
    return block;
}

/* ---- counting ---- */

static LLVMValueRef widen(kernel_emission *e, jg_dtype type, LLVMValueRef value)
{
    LLVMBuilderRef builder = e->module->builder;
    if (dtype_rows[type].bits == 64)
        return value;
    return dtype_rows[type].kind == JG_KIND_INT ? LLVMBuildSExt(builder, value, e->module->i64, "")
                                                : LLVMBuildZExt(builder, value, e->module->i64, "");
}

LLVMValueRef emit_count(kernel_emission *e, jg_dtype type, LLVMValueRef low, LLVMValueRef high,
                        int64_t step)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef from = widen(e, type, step > 0 ? low : high);
    LLVMValueRef to = widen(e, type, step > 0 ? high : low);
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

/* An index becomes known, as what it is and as a 64-bit number. */
static void define_index(kernel_emission *e, uint32_t value, LLVMValueRef wide)
{
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    LLVMTypeRef to = module_type(e->module, type);
    e->at->wide[value] = wide;
    e->at->values[value] = LLVMBuildTrunc(e->module->builder, wide, to, "");
}

/* ---- serial loops ---- */

/* Opens the block of turns 0 to count - 1; next is where a turn ends. */
static void open_turns(kernel_emission *e, emit_block *block, LLVMValueRef first, LLVMValueRef end)
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

/* gives: the branch back */
static LLVMValueRef close_turns(kernel_emission *e, const emit_block *block)
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

void emit_for(kernel_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    jg_dtype type = (jg_dtype)inst->type;
    LLVMValueRef low = emit_value(e, operands[0]), high = emit_value(e, operands[1]);
    LLVMValueRef count = emit_count(e, type, low, high, inst->immediate);
    LLVMValueRef from = widen(e, type, low);
    emit_block *block = open_block(e, e->position);
    open_turns(e, block, emit_int64(e, 0), count);
    LLVMValueRef way = LLVMBuildNSWMul(builder, block->counter, emit_int64(e, inst->immediate), "");
    define_index(e, inst->first, LLVMBuildNSWAdd(builder, from, way, ""));
}

void emit_loop(kernel_emission *e)
{
    emit_block *block = open_block(e, e->position);
    emit_continue_in(e, block->next);
}

/* ---- branches ---- */

void emit_if(kernel_emission *e, const kernel_inst *inst)
{
    LLVMValueRef condition = emit_value(e, kernel_operands(e->kernel, inst)[0]);
    emit_block *block = &e->blocks[e->depth++];
    LLVMBasicBlockRef then = emit_new_block(e), after = emit_new_block(e);
    bool has_else = kernel_inst_at(e->kernel, inst->match)->op == KERNEL_ELSE;
    *block = (emit_block){
        .opener = e->position, .leave = after, .otherwise = has_else ? emit_new_block(e) : after};
    LLVMBuildCondBr(e->module->builder, condition, then, block->otherwise);
    LLVMPositionBuilderAtEnd(e->module->builder, then);
}

void emit_else(kernel_emission *e)
{
    const emit_block *block = &e->blocks[e->depth - 1];
    emit_go(e, block->leave);
    LLVMPositionBuilderAtEnd(e->module->builder, block->otherwise);
}

void emit_end(kernel_emission *e)
{
    const emit_block *block = &e->blocks[--e->depth];
    switch (kernel_inst_at(e->kernel, block->opener)->op) {
    case KERNEL_FOR: close_turns(e, block); break;
    case KERNEL_LOOP:
        emit_go(e, block->next);
        LLVMPositionBuilderAtEnd(e->module->builder, block->leave);
        break;
    default: emit_continue_in(e, block->leave); break;
    }
}

void emit_jump(kernel_emission *e, bool leaves)
{
    int at = e->depth - 1;
    while (!kernel_is_loop(kernel_inst_at(e->kernel, e->blocks[at].opener)->op))
        at -= 1;
    LLVMBuildBr(e->module->builder, leaves ? e->blocks[at].leave : e->blocks[at].next);
}

/* ---- parallel loops: the ranges ---- */

typedef struct range {
    LLVMValueRef low, extent; /* in the body */
    LLVMValueRef place;       /* of the odometer's digit */
} range;

typedef struct range_list {
    int count;
    LLVMValueRef total; /* in the entry */
    range at[KERNEL_MAX_RANGES];
} range_list;

/* Bounds are the entry's until emit_captured takes them into the body. */
static void count_ranges(kernel_emission *e, const kernel_inst *inst, range_list *out)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    jg_dtype type = (jg_dtype)inst->type;
    out->count = (int)inst->nvalues;
    for (int k = 0; k < out->count; ++k) {
        LLVMValueRef low = emit_value(e, operands[2 * k]),
                     high = emit_value(e, operands[2 * k + 1]);
        range *r = &out->at[k];
        *r = (range){.low = widen(e, type, low), .extent = emit_count(e, type, low, high, 1)};
        out->total = k == 0 ? r->extent : LLVMBuildNSWMul(builder, out->total, r->extent, "");
    }
}

static void capture_ranges(kernel_emission *e, range_list *ranges)
{
    for (int k = 0; k < ranges->count; ++k) {
        range *r = &ranges->at[k];
        r->low = emit_captured(e, r->low);
        r->extent = emit_captured(e, r->extent);
        r->place = emit_alloca(e, e->module->i64, 0);
    }
}

/* The digits of the chunk's first index. */
static void set_odometer(kernel_emission *e, const range_list *ranges, LLVMValueRef first)
{
    LLVMBuilderRef builder = e->module->builder;
    for (int k = ranges->count - 1; k > 0; --k) {
        const range *r = &ranges->at[k];
        LLVMBuildStore(builder, LLVMBuildURem(builder, first, r->extent, ""), r->place);
        first = LLVMBuildUDiv(builder, first, r->extent, "");
    }
    LLVMBuildStore(builder, first, ranges->at[0].place);
}

/* The next row: the last digit is 0, those before it count up. */
static void advance_odometer(kernel_emission *e, const range_list *ranges)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef carry = emit_int64(e, 1);
    LLVMBuildStore(builder, emit_int64(e, 0), ranges->at[ranges->count - 1].place);
    for (int k = ranges->count - 2; k >= 0; --k) {
        const range *r = &ranges->at[k];
        LLVMValueRef digit = LLVMBuildLoad2(builder, e->module->i64, r->place, "");
        digit = LLVMBuildNSWAdd(builder, digit, carry, "");
        LLVMValueRef wraps = LLVMBuildICmp(builder, LLVMIntEQ, digit, r->extent, "");
        LLVMBuildStore(builder, LLVMBuildSelect(builder, wraps, emit_int64(e, 0), digit, ""),
                       r->place);
        carry = LLVMBuildZExt(builder, wraps, e->module->i64, "");
    }
}

/* ---- parallel loops: the body ---- */

/* Tells the optimiser that turns of the loop do not depend on each other. */
static void mark_independent(kernel_emission *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->module->context;
    const char *name = "llvm.loop.parallel_accesses";
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(context, name, strlen(name)), e->group};
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef list[2] = {self, LLVMMDNodeInContext2(context, parts, 2)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(context, list, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                    LLVMMetadataAsValue(context, loop));
}

/* The inner loop, over the last range: turns are its digits. linear: the index of digit 0. */
static jg_status emit_row(kernel_emission *e, const kernel_inst *inst, const range_list *ranges,
                          LLVMValueRef digit, LLVMValueRef end, LLVMValueRef linear)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t opener = e->position, last = inst->first + inst->nvalues - 1;
    emit_block *block = open_block(e, opener);
    open_turns(e, block, digit, end);
    LLVMValueRef low = ranges->at[ranges->count - 1].low;
    define_index(e, last, LLVMBuildNSWAdd(builder, low, block->counter, ""));
    LLVMBuildStore(builder, emit_int64(e, 0), e->at->draws);
    LLVMBuildStore(builder, LLVMBuildNSWAdd(builder, linear, block->counter, ""), e->at->index);
    JG_TRY(emit_range(e, opener + 1, inst->match));
    e->depth -= 1;
    mark_independent(e, close_turns(e, &e->blocks[e->depth]));
    return JG_OK;
}

static LLVMValueRef least(kernel_emission *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = e->module->builder;
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, a, b, ""), a, b, "");
}

/* Rows of the chunk first to last - 1, one after the other. */
static jg_status emit_rows(kernel_emission *e, const kernel_inst *inst, const range_list *ranges,
                           LLVMValueRef first, LLVMValueRef last)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef i64 = e->module->i64;
    const range *inner = &ranges->at[ranges->count - 1];
    LLVMValueRef done = emit_alloca(e, i64, 0);
    LLVMBasicBlockRef row = emit_new_block(e), after = emit_new_block(e);
    set_odometer(e, ranges, first);
    LLVMBuildStore(builder, first, done);
    emit_continue_in(e, row);
    LLVMValueRef linear = LLVMBuildLoad2(builder, i64, done, "");
    LLVMValueRef digit = LLVMBuildLoad2(builder, i64, inner->place, "");
    LLVMValueRef room = LLVMBuildNSWSub(builder, inner->extent, digit, "");
    LLVMValueRef count = least(e, room, LLVMBuildNSWSub(builder, last, linear, ""));
    for (int k = 0; k < ranges->count - 1; ++k) {
        LLVMValueRef outer = LLVMBuildLoad2(builder, i64, ranges->at[k].place, "");
        define_index(e, inst->first + (uint32_t)k,
                     LLVMBuildNSWAdd(builder, ranges->at[k].low, outer, ""));
    }
    JG_TRY(emit_row(e, inst, ranges, digit, LLVMBuildNSWAdd(builder, digit, count, ""),
                    LLVMBuildNSWSub(builder, linear, digit, "")));
    LLVMValueRef following = LLVMBuildNSWAdd(builder, linear, count, "");
    LLVMBuildStore(builder, following, done);
    advance_odometer(e, ranges);
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, following, last, "");
    LLVMBuildCondBr(builder, more, row, after);
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

static jg_status emit_body(kernel_emission *e, const kernel_inst *inst, range_list *ranges,
                           LLVMValueRef function)
{
    emit_function body;
    LLVMValueRef first = LLVMGetParam(function, 1), last = LLVMGetParam(function, 2);
    jg_status status = JG_OK;
    JG_TRY(emit_open_function(e, function, &body));
    capture_ranges(e, ranges);
    emit_check_failed(e);
    JG_TRY_DONE(emit_begin_gathered(e, e->loop));
    status = ranges->count == 1 ? emit_row(e, inst, ranges, first, last, emit_int64(e, 0))
                                : emit_rows(e, inst, ranges, first, last);
    if (status == JG_OK)
        emit_end_gathered(e);
done:
    emit_close_function(e, &body);
    return status;
}

/* ---- parallel loops: the call ---- */

static void fill_frame(kernel_emission *e)
{
    const emit_capture *captures = (const emit_capture *)(const void *)e->captures.data;
    for (size_t i = 0; i < e->captures.nbytes / sizeof *captures; ++i)
        LLVMBuildStore(e->module->builder, captures[i].value,
                       emit_offset(e, e->at->frame, captures[i].offset));
    vec_clear(&e->captures);
}

/* About the operations of one index: an inner loop is taken to have 16 turns. */
static int64_t count_work(const kernel_emission *e, const kernel_inst *inst)
{
    int64_t work = 0, weight = 1;
    for (uint32_t p = e->position + 1; p < inst->match; ++p) {
        const kernel_inst *inner = kernel_inst_at(e->kernel, p);
        work += weight;
        if (inner->op == KERNEL_FOR || inner->op == KERNEL_LOOP)
            weight = weight < 1 << 16 ? weight * 16 : weight;
        else if (inner->op == KERNEL_END &&
                 kernel_is_loop(kernel_inst_at(e->kernel, inner->match)->op) && weight > 1)
            weight /= 16;
    }
    return work;
}

jg_status emit_parallel(kernel_emission *e, const kernel_inst *inst)
{
    const jit_module *module = e->module;
    range_list ranges;
    LLVMTypeRef parameters[3] = {module->pointer, module->i64, module->i64};
    LLVMTypeRef type = LLVMFunctionType(module->none, parameters, 3, 0);
    LLVMValueRef function = module_function(module, "body", type);
    count_ranges(e, inst, &ranges);
    e->loop = e->position;
    e->group = module->group;
    JG_TRY(emit_body(e, inst, &ranges, function));
    e->position = e->loop;
    int64_t work = count_work(e, inst);
    e->position = inst->match;
    e->loop = KERNEL_NONE;
    e->group = NULL;
    fill_frame(e);
    LLVMValueRef arguments[6] = {e->at->host,         ranges.total, emit_int64(e, inst->immediate),
                                 emit_int64(e, work), function,     e->at->frame};
    emit_host_call(e, offsetof(kernel_host, parallel), module->none, 6, arguments);
    emit_check_failed(e);
    return e->status;
}
