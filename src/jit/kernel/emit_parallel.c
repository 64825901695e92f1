/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops: the function that runs a chunk of the indices, and the call that passes it to the
 * host.
 *
 * A body takes its chunk row by row: the last range is the inner loop, which LLVM can vectorise,
 * and the others count up like an odometer. A loop with atomics has a second body, for when one
 * thread runs the loop alone. */
#include "jit/kernel/emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

typedef struct range {
    LLVMValueRef low, extent; /* in the body */
    LLVMValueRef address;     /* of the odometer's digit */
} range;

typedef struct range_list {
    int count;
    LLVMValueRef total; /* in the entry */
    range at[KERNEL_MAX_RANGES];
} range_list;

/* Bounds are the entry's until emit_captured takes them into the body. */
static void count_ranges(jit_emission *e, const kernel_inst *inst, range_list *out)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    jg_dtype type = (jg_dtype)inst->type;
    out->count = (int)inst->nvalues;
    for (int k = 0; k < out->count; ++k) {
        LLVMValueRef low = emit_value(e, operands[2 * k]),
                     high = emit_value(e, operands[2 * k + 1]);
        range *r = &out->at[k];
        *r = (range){.low = emit_widen(e, type, low), .extent = emit_count(e, type, low, high, 1)};
        out->total = k == 0 ? r->extent : LLVMBuildNSWMul(builder, out->total, r->extent, "");
    }
}

/* In the body, which has copies of the ranges of its own: two bodies are made from one list. */
static void capture_ranges(jit_emission *e, range_list *ranges)
{
    for (int k = 0; k < ranges->count; ++k) {
        range *r = &ranges->at[k];
        r->low = emit_captured(e, r->low);
        r->extent = emit_captured(e, r->extent);
        r->address = emit_alloca(e, e->module->i64, 0);
    }
}

/* The digits of the chunk's first index. */
static void set_odometer(jit_emission *e, const range_list *ranges, LLVMValueRef first)
{
    LLVMBuilderRef builder = e->module->builder;
    for (int k = ranges->count - 1; k > 0; --k) {
        const range *r = &ranges->at[k];
        LLVMBuildStore(builder, LLVMBuildURem(builder, first, r->extent, ""), r->address);
        first = LLVMBuildUDiv(builder, first, r->extent, "");
    }
    LLVMBuildStore(builder, first, ranges->at[0].address);
}

/* The next row: the last digit is 0, those before it count up. */
static void advance_odometer(jit_emission *e, const range_list *ranges)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef carry = emit_int64(e, 1);
    LLVMBuildStore(builder, emit_int64(e, 0), ranges->at[ranges->count - 1].address);
    for (int k = ranges->count - 2; k >= 0; --k) {
        const range *r = &ranges->at[k];
        LLVMValueRef digit = LLVMBuildLoad2(builder, e->module->i64, r->address, "");
        digit = LLVMBuildNSWAdd(builder, digit, carry, "");
        LLVMValueRef wraps = LLVMBuildICmp(builder, LLVMIntEQ, digit, r->extent, "");
        LLVMBuildStore(builder, LLVMBuildSelect(builder, wraps, emit_int64(e, 0), digit, ""),
                       r->address);
        carry = LLVMBuildZExt(builder, wraps, e->module->i64, "");
    }
}

/* Tells the optimiser that iterations of the loop do not depend on each other. */
static void mark_independent(jit_emission *e, LLVMValueRef branch)
{
    if (e->group == NULL)
        return;
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

static LLVMValueRef least(jit_emission *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef builder = e->module->builder;
    return LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, a, b, ""), a, b, "");
}

/* A row: the inner loop, over the last range. linear: the index of digit 0. */
typedef struct loop_row {
    const kernel_inst *loop;
    LLVMValueRef low, linear;
} loop_row;

/* Turns are digits. */
static jg_status emit_turns(jit_emission *e, const loop_row *r, LLVMValueRef digit,
                            LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t last = r->loop->first + r->loop->nvalues - 1;
    emit_block *block = emit_open_block(e, e->loop);
    emit_open_turns(e, block, digit, end);
    emit_define_index(e, last, LLVMBuildNSWAdd(builder, r->low, block->counter, ""));
    LLVMBuildStore(builder, emit_int64(e, 0), e->at->draws);
    LLVMBuildStore(builder, LLVMBuildNSWAdd(builder, r->linear, block->counter, ""), e->at->index);
    JG_TRY(emit_range(e, e->loop + 1, r->loop->match));
    e->depth -= 1;
    e->position = e->loop;
    mark_independent(e, emit_close_turns(e, &e->blocks[e->depth]));
    return JG_OK;
}

/* Runs in lanes as far as possible, and the rest one by one, after which lanes may continue. */
static jg_status emit_lanes_and_turns(jit_emission *e, const loop_row *r, LLVMValueRef digit,
                                      LLVMValueRef end)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), again = emit_new_block(e);
    unsigned count;
    emit_continue_in(e, again);
    LLVMValueRef at = LLVMBuildPhi(builder, e->module->i64, ""), rest;
    LLVMAddIncoming(at, &digit, &before, 1);
    JG_TRY(jit_lanes_emit(e, r->loop, r->low, at, end, &rest, &count));
    if (count == 0)
        return emit_turns(e, r, rest, end);
    LLVMValueRef stop =
        least(e, LLVMBuildNSWAdd(builder, rest, emit_int64(e, (int64_t)count), ""), end);
    JG_TRY(emit_turns(e, r, rest, stop));
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder), after = emit_new_block(e);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLT, stop, end, ""), again, after);
    LLVMAddIncoming(at, &stop, &last, 1);
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

/* Some iterations at a time are checked by vector code and then run without checks, or with them if
 * an index is wrong, so that they fail there. */
static jg_status emit_strips(jit_emission *e, const loop_row *r, LLVMValueRef digit,
                             LLVMValueRef end)
{
    enum { TURNS = 2048 };
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef i64 = e->module->i64;
    LLVMValueRef address = emit_alloca(e, i64, 0);
    LLVMBasicBlockRef strip = emit_new_block(e), slow = emit_new_block(e), fast = emit_new_block(e),
                      next = emit_new_block(e), after = emit_new_block(e);
    LLVMBuildStore(builder, digit, address);
    emit_continue_in(e, strip);
    LLVMValueRef first = LLVMBuildLoad2(builder, i64, address, "");
    LLVMValueRef last = least(e, LLVMBuildNSWAdd(builder, first, emit_int64(e, TURNS), ""), end);
    JG_TRY(emit_begin_ahead(e));
    JG_TRY(emit_turns(e, r, first, last));
    emit_likely(e, emit_end_ahead(e), fast, slow);
    LLVMPositionBuilderAtEnd(builder, slow);
    JG_TRY(emit_turns(e, r, first, last));
    emit_go(e, next);
    LLVMPositionBuilderAtEnd(builder, fast);
    e->screened = true;
    JG_TRY(emit_lanes_and_turns(e, r, first, last));
    e->screened = false;
    emit_continue_in(e, next);
    LLVMBuildStore(builder, last, address);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLT, last, end, ""), strip, after);
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

/* A constant number of iterations at a time, a loop that LLVM unrolls, while there are enough. */
static jg_status emit_unrolled(jit_emission *e, const loop_row *r, LLVMValueRef *digit,
                               LLVMValueRef end)
{
    enum { TURNS = 8 };
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef i64 = e->module->i64;
    LLVMValueRef address = emit_alloca(e, i64, 0), zero = emit_int64(e, 0);
    LLVMBasicBlockRef test = emit_new_block(e), some = emit_new_block(e), after = emit_new_block(e);
    LLVMBuildStore(builder, *digit, address);
    emit_continue_in(e, test);
    LLVMValueRef first = LLVMBuildLoad2(builder, i64, address, "");
    LLVMValueRef last = LLVMBuildNSWAdd(builder, first, emit_int64(e, TURNS), "");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLE, last, end, ""), some, after);
    LLVMPositionBuilderAtEnd(builder, some);
    loop_row at = {r->loop, LLVMBuildNSWAdd(builder, r->low, first, ""),
                   LLVMBuildNSWAdd(builder, r->linear, first, "")};
    JG_TRY(emit_turns(e, &at, zero, emit_int64(e, TURNS)));
    LLVMBuildStore(builder, last, address);
    emit_go(e, test);
    LLVMPositionBuilderAtEnd(builder, after);
    *digit = first;
    return JG_OK;
}

/* LLVM does not unroll loops with checks, which matters for short ones. */
static bool is_worth_unrolling(const jit_emission *e, const kernel_inst *loop)
{
    enum { MAX_INSTRUCTIONS = 8 };
    bool looks = false;
    for (uint32_t p = e->loop + 1; p < loop->match; ++p) {
        looks |= e->analysis.looks[p] & LOOK_HERE;
        if (kernel_opens(kernel_inst_at(e->kernel, p)->op))
            return false;
    }
    return looks && loop->match - e->loop <= MAX_INSTRUCTIONS;
}

static jg_status emit_row(jit_emission *e, const kernel_inst *inst, const range_list *ranges,
                          LLVMValueRef digit, LLVMValueRef end, LLVMValueRef linear)
{
    loop_row r = {inst, ranges->at[ranges->count - 1].low, linear};
    if (e->screen != NULL)
        return emit_strips(e, &r, digit, end);
    end = emit_row_end(e, inst, r.low, digit, end);
    if (is_worth_unrolling(e, inst))
        JG_TRY(emit_unrolled(e, &r, &digit, end));
    JG_TRY(emit_lanes_and_turns(e, &r, digit, end));
    e->holds = KERNEL_NONE;
    return JG_OK;
}

/* Rows of the chunk first to last - 1, one after the other. */
static jg_status emit_rows(jit_emission *e, const kernel_inst *inst, const range_list *ranges,
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
    LLVMValueRef digit = LLVMBuildLoad2(builder, i64, inner->address, "");
    LLVMValueRef left = LLVMBuildNSWSub(builder, inner->extent, digit, "");
    LLVMValueRef count = least(e, left, LLVMBuildNSWSub(builder, last, linear, ""));
    for (int k = 0; k < ranges->count - 1; ++k) {
        LLVMValueRef outer = LLVMBuildLoad2(builder, i64, ranges->at[k].address, "");
        emit_define_index(e, inst->first + (uint32_t)k,
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

/* A chunk checks once, at its beginning, whether the launch has failed. */
static jg_status emit_body(jit_emission *e, const kernel_inst *inst, range_list *ranges,
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

/* alone: for one thread, or body. */
typedef struct bodies {
    LLVMValueRef body, alone;
} bodies;

/* Before the call: values that either body has asked for, at the offsets that it reads. */
static void fill_frame(jit_emission *e)
{
    const emit_capture *captures = (const emit_capture *)(const void *)e->captures.data;
    for (size_t i = 0; i < e->captures.nbytes / sizeof *captures; ++i)
        LLVMBuildStore(e->module->builder, captures[i].value,
                       emit_offset(e, e->at->frame, captures[i].offset));
    vec_clear(&e->captures);
}

/* About the operations of one index: an inner loop is taken to have 16 turns. */
static int64_t count_work(const jit_emission *e, const kernel_inst *inst)
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

/* A constant with an address, which the host is given. */
static LLVMValueRef constant_table(jit_emission *e, LLVMValueRef value)
{
    LLVMValueRef table = LLVMAddGlobal(e->module->module, LLVMTypeOf(value), "");
    LLVMSetInitializer(table, value);
    LLVMSetGlobalConstant(table, 1);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

/* A kernel_sum. */
static LLVMValueRef describe_sum(jit_emission *e, uint32_t array, uint8_t atomic)
{
    const kernel_array *row = kernel_array_at(e->kernel, array);
    jg_dtype dtype = (jg_dtype)row->dtype;
    LLVMValueRef members[] = {
        emit_int64(e, array), emit_int64(e, e->axes[array]), emit_int64(e, row->ndim),
        emit_int64(e, (int64_t)dtype_itemsize(dtype)), emit_merge(e, (kernel_atomic)atomic, dtype)};
    return LLVMConstStructInContext(e->module->context, members, JG_COUNT_OF(members), 0);
}

static LLVMValueRef describe_sums(jit_emission *e, const analysis_sums *sums)
{
    LLVMValueRef rows[ANALYSIS_MAX_SUMS];
    if (sums->count == 0)
        return LLVMConstNull(e->module->pointer);
    for (int i = 0; i < sums->count; ++i)
        rows[i] = describe_sum(e, sums->arrays[i], sums->atomics[i]);
    return constant_table(e, LLVMConstArray2(LLVMTypeOf(rows[0]), rows, (uint64_t)sums->count));
}

/* A kernel_loop. */
static LLVMValueRef describe_loop(jit_emission *e, const kernel_inst *inst, const bodies *made)
{
    analysis_sums sums = {0};
    if (made->alone != made->body)
        analysis_find_sums(e->kernel, &e->analysis, e->flags, e->position, &sums);
    LLVMValueRef members[] = {made->body,
                              made->alone,
                              emit_int64(e, inst->immediate),
                              emit_int64(e, count_work(e, inst)),
                              emit_int64(e, e->analysis.frame_nbytes),
                              emit_int64(e, sums.count),
                              describe_sums(e, &sums)};
    return constant_table(
        e, LLVMConstStructInContext(e->module->context, members, JG_COUNT_OF(members), 0));
}

/* One of the loop's bodies. The position stays. */
static jg_status make_body(jit_emission *e, const kernel_inst *inst, const range_list *ranges,
                           bool alone, LLVMValueRef *out)
{
    const jit_module *module = e->module;
    range_list own = *ranges;
    LLVMTypeRef parameters[3] = {module->pointer, module->i64, module->i64};
    LLVMTypeRef type = LLVMFunctionType(module->none, parameters, 3, 0);
    *out = module_function(module, "body", type);
    e->alone = alone;
    e->group = alone ? NULL : module->group;
    jg_status status = emit_body(e, inst, &own, *out);
    e->position = e->loop;
    e->alone = false;
    e->group = NULL;
    return status;
}

/* The bodies of the current loop. careful: they check the conditions that the other bodies
 * assume. */
static jg_status make_bodies(jit_emission *e, const kernel_inst *inst, const range_list *ranges,
                             bool careful, bodies *out)
{
    e->careful = careful;
    if (!careful)
        JG_TRY(analysis_screen(e->kernel, &e->analysis, e->flags, e->loop, &e->screen));
    jg_status status = make_body(e, inst, ranges, false, &out->body);
    out->alone = out->body;
    if (status == JG_OK && analysis_has_atomics(e->kernel, &e->analysis, e->flags, e->loop))
        status = make_body(e, inst, ranges, true, &out->alone);
    base_free(e->screen);
    e->screen = NULL;
    e->careful = false;
    return status;
}

/* Bodies before the call, as they determine what the frame holds. */
jg_status emit_parallel(jit_emission *e, const kernel_inst *inst)
{
    range_list ranges;
    bodies trusting, careful;
    count_ranges(e, inst, &ranges);
    LLVMValueRef holds = emit_assumptions(e);
    e->loop = e->position;
    JG_TRY(make_bodies(e, inst, &ranges, false, &trusting));
    if (holds != NULL)
        JG_TRY(make_bodies(e, inst, &ranges, true, &careful));
    e->loop = KERNEL_NONE;
    fill_frame(e);
    LLVMValueRef loop = describe_loop(e, inst, &trusting);
    if (holds != NULL)
        loop =
            LLVMBuildSelect(e->module->builder, holds, loop, describe_loop(e, inst, &careful), "");
    LLVMValueRef arguments[4] = {e->at->host, ranges.total, loop, e->at->frame};
    e->position = inst->match;
    emit_host_call(e, offsetof(kernel_host, parallel), e->module->none, 4, arguments);
    emit_check_failed(e);
    return e->status;
}
