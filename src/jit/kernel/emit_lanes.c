/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a parallel loop that run several indices at once; analysis_lanes.c finds which.
 *
 * Each region of the body, the part between two ends of inner loops, becomes a loop over the lanes,
 * which LLVM vectorises. Locals have a slot on the stack for each lane, and so have values that
 * are used in another region; what is the same for all lanes is computed once, before the loop. As
 * the number of lanes is a constant, LLVM turns the slots into registers. */
#include "jit/kernel/emit.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* The current lane's element of slots: those of all lanes for one index lie side by side. */
static LLVMValueRef lane_address(jit_emission *e, LLVMValueRef slots, jg_dtype dtype,
                                 LLVMValueRef index)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef first = LLVMBuildNSWMul(builder, index, emit_int64(e, e->lanes->count), "");
    LLVMValueRef at = LLVMBuildNSWAdd(builder, first, e->lanes->lane, "");
    LLVMTypeRef type = module_stored_type(e->module, dtype);
    return LLVMBuildInBoundsGEP2(builder, type, slots, &at, 1, "");
}

/* length 0: a single variable, or a value. Aligned for the widest vectors. */
static LLVMValueRef make_slots(jit_emission *e, jg_dtype dtype, uint32_t length)
{
    uint32_t count = (length > 0 ? length : 1) * e->lanes->count;
    LLVMValueRef slots = emit_alloca(e, module_stored_type(e->module, dtype), count);
    LLVMSetAlignment(slots, 64);
    return slots;
}

LLVMValueRef jit_lanes_local_address(jit_emission *e, uint32_t local, LLVMValueRef index)
{
    const kernel_local *row = kernel_local_at(e->kernel, local);
    LLVMValueRef *slots = &e->lanes->locals[local];
    if (*slots == NULL)
        *slots = make_slots(e, (jg_dtype)row->dtype, row->length);
    return lane_address(e, *slots, (jg_dtype)row->dtype, index);
}

/* An array begins in all lanes at once. */
static void begin_local_array(jit_emission *e, const kernel_inst *inst)
{
    const kernel_local *row = kernel_local_at(e->kernel, inst->target);
    LLVMValueRef *slots = &e->lanes->locals[inst->target];
    if (*slots == NULL)
        *slots = make_slots(e, (jg_dtype)row->dtype, row->length);
    size_t nbytes = row->length * dtype_itemsize((jg_dtype)row->dtype) * e->lanes->count;
    LLVMBuildMemSet(e->module->builder, *slots, LLVMConstNull(e->module->i8),
                    emit_int64(e, (int64_t)nbytes), 64);
}

void jit_lanes_keep(jit_emission *e, uint32_t value)
{
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    if (!e->lanes->plan.kept[value])
        return;
    if (e->lanes->slots[value] == NULL)
        e->lanes->slots[value] = make_slots(e, type, 0);
    LLVMValueRef slot = lane_address(e, e->lanes->slots[value], type, emit_int64(e, 0));
    emit_write(e, slot, type, e->at->values[value], KERNEL_NONE);
}

/* Whether it is the branch that all lanes take, or that one's end. */
static bool is_taken_by_all(const jit_emission *e, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(e->kernel, position);
    return position == e->lanes->plan.branch ||
           (inst->op == KERNEL_END && inst->match == e->lanes->plan.branch);
}

/* Whether it is the same for all lanes, or begins in all at once. */
static bool is_common(const jit_emission *e, const kernel_inst *inst)
{
    bool array = inst->op == KERNEL_LOCAL && kernel_local_at(e->kernel, inst->target)->length > 0;
    return array || (inst->nvalues == 1 && e->lanes->plan.kinds[inst->first] == LANES_SAME);
}

bool jit_lanes_has(const jit_emission *e, uint32_t position)
{
    return is_common(e, kernel_inst_at(e->kernel, position)) || is_taken_by_all(e, position);
}

static jg_status emit_common(jit_emission *e, uint32_t first, uint32_t last)
{
    for (e->position = first; e->position < last; ++e->position) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, e->position);
        if (!is_common(e, inst))
            continue;
        if (inst->op == KERNEL_LOCAL)
            begin_local_array(e, inst);
        else if (inst->op == KERNEL_LOAD)
            JG_TRY(emit_statement(e, inst));
        else if (inst->op == KERNEL_CONST)
            emit_const(e, inst);
        else if (inst->op == KERNEL_EXTENT)
            emit_define(e, inst, emit_extent(e, inst->target, (int)inst->immediate));
        else
            emit_scalar(e, inst);
    }
    return e->status;
}

/* The value of another region, in this one, once for each region; `brought` records that. One that
 * is kept is read from its slot, another is computed again from its operands. The region's own are
 * defined after. */
static void bring(jit_emission *e, uint32_t value)
{
    const kernel_value *row = kernel_value_at(e->kernel, value);
    const kernel_inst *inst = kernel_inst_at(e->kernel, row->definition);
    if (e->lanes->brought[value] == e->lanes->lane)
        return;
    e->lanes->brought[value] = e->lanes->lane;
    if (e->lanes->plan.kept[value]) {
        LLVMValueRef slot =
            lane_address(e, e->lanes->slots[value], (jg_dtype)row->type, emit_int64(e, 0));
        e->at->values[value] = emit_read(e, slot, (jg_dtype)row->type, KERNEL_NONE);
        e->at->wide[value] = NULL;
    } else if (inst->op != KERNEL_PARALLEL) {
        for (uint32_t i = 0; i < inst->noperands; ++i)
            if (e->lanes->plan.kinds[kernel_operands(e->kernel, inst)[i]] != LANES_SAME)
                bring(e, kernel_operands(e->kernel, inst)[i]);
        emit_scalar(e, inst);
    }
}

/* At the region's beginning, as a value that is first used in a branch would not be in scope after
 * it. */
static void bring_others(jit_emission *e, uint32_t first, uint32_t last)
{
    for (uint32_t p = first; p < last; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        const uint32_t *operands = kernel_operands(e->kernel, inst);
        for (uint32_t i = 0; i < inst->noperands; ++i) {
            uint32_t from = kernel_value_at(e->kernel, operands[i])->definition;
            if (e->lanes->plan.kinds[operands[i]] != LANES_SAME && (from < first || from >= last))
                bring(e, operands[i]);
        }
    }
}

static LLVMMetadataRef property(const jit_emission *e, const char *name, LLVMValueRef value)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(context, name, strlen(name)),
                                LLVMValueAsMetadata(value)};
    return LLVMMDNodeInContext2(context, parts, 2);
}

/* One vector, and no loop before it is one. */
static void mark_lanes(const jit_emission *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->module->context;
    LLVMValueRef yes = LLVMConstInt(e->module->i1, 1, 0), one = LLVMConstInt(e->module->i32, 1, 0);
    const char *name = "llvm.loop.parallel_accesses";
    LLVMMetadataRef accesses[2] = {LLVMMDStringInContext2(context, name, strlen(name)), e->group};
    LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
    LLVMMetadataRef list[6] = {
        self,
        LLVMMDNodeInContext2(context, accesses, 2),
        property(e, "llvm.loop.vectorize.enable", yes),
        property(e, "llvm.loop.vectorize.width", LLVMConstInt(e->module->i32, e->lanes->count, 0)),
        property(e, "llvm.loop.interleave.count", one),
        property(e, "llvm.loop.unroll.disable", yes)};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(context, list, 6);
    LLVMMetadataReplaceAllUsesWith(self, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9),
                    LLVMMetadataAsValue(context, loop));
}

/* Emits the values that are the same for all lanes, and then a loop over the lanes with the
 * rest. */
static jg_status emit_region(jit_emission *e, const kernel_inst *loop, uint32_t first,
                             uint32_t last)
{
    emit_lanes *lanes = e->lanes;
    emit_block block = {.next = emit_new_block(e), .leave = emit_new_block(e)};
    JG_TRY(emit_common(e, first, last));
    emit_open_turns(e, &block, emit_int64(e, 0), emit_int64(e, lanes->count));
    lanes->lane = block.counter;
    emit_define_index(e, loop->first + loop->nvalues - 1,
                      LLVMBuildNSWAdd(e->module->builder, lanes->base, lanes->lane, ""));
    bring_others(e, first, last);
    JG_TRY(emit_range(e, first, last));
    mark_lanes(e, emit_close_turns(e, &block));
    return JG_OK;
}

/* Instructions first to last - 1, inner loops among them. */
static jg_status emit_regions(jit_emission *e, const kernel_inst *loop, uint32_t first,
                              uint32_t last)
{
    while (first < last) {
        uint32_t stop = first;
        while (stop < last && kernel_inst_at(e->kernel, stop)->op != KERNEL_FOR)
            stop += 1;
        if (stop > first)
            JG_TRY(emit_region(e, loop, first, stop));
        if (stop == last)
            return JG_OK;
        const kernel_inst *inner = kernel_inst_at(e->kernel, stop);
        e->position = stop;
        emit_for(e, inner);
        JG_TRY(emit_regions(e, loop, stop + 1, inner->match));
        emit_end(e);
        first = inner->match + 1;
    }
    return JG_OK;
}

/* Two vectors of the widest values, so that their sums overlap. */
static unsigned count_lanes(const lane_plan *plan)
{
    unsigned count = 2 * target_vector_width() / plan->bits;
    return uint_min(count, LANES_MAX);
}

static jg_status open_lanes(const jit_emission *e, const lane_plan *plan, emit_lanes *out)
{
    size_t count = 2 * (size_t)e->kernel->nvalues + e->kernel->nlocals + 1;
    *out = (emit_lanes){.plan = *plan, .count = count_lanes(plan)};
    out->slots = base_alloc_zeroed(count * sizeof *out->slots);
    if (out->slots == NULL)
        return base_nomem(count * sizeof *out->slots, "a kernel");
    out->brought = out->slots + e->kernel->nvalues;
    out->locals = out->brought + e->kernel->nvalues;
    return JG_OK;
}

/* Whether all lanes take the plan's branch. */
static jg_status emit_all_take(jit_emission *e, const kernel_inst *loop, LLVMValueRef *out)
{
    LLVMBuilderRef builder = e->module->builder;
    uint32_t branch = e->lanes->plan.branch;
    LLVMTypeRef i1 = e->module->i1;
    LLVMValueRef all = emit_alloca(e, i1, 0);
    emit_block block = {.next = emit_new_block(e), .leave = emit_new_block(e)};
    JG_TRY(emit_common(e, e->loop + 1, branch));
    LLVMBuildStore(builder, LLVMConstInt(i1, 1, 0), all);
    emit_open_turns(e, &block, emit_int64(e, 0), emit_int64(e, e->lanes->count));
    e->lanes->lane = block.counter;
    emit_define_index(e, loop->first + loop->nvalues - 1,
                      LLVMBuildNSWAdd(builder, e->lanes->base, e->lanes->lane, ""));
    JG_TRY(emit_range(e, e->loop + 1, branch));
    uint32_t condition = kernel_operands(e->kernel, kernel_inst_at(e->kernel, branch))[0];
    LLVMValueRef before = LLVMBuildLoad2(builder, i1, all, "");
    LLVMBuildStore(builder, LLVMBuildAnd(builder, before, emit_value(e, condition), ""), all);
    mark_lanes(e, emit_close_turns(e, &block));
    *out = LLVMBuildLoad2(builder, i1, all, "");
    return JG_OK;
}

/* Continues in the block where the lanes are known to take the branch, if there is one; otherwise
 * in `after`. */
static jg_status emit_test(jit_emission *e, const kernel_inst *loop, LLVMBasicBlockRef after)
{
    LLVMValueRef all;
    if (e->lanes->plan.branch == KERNEL_NONE || e->lanes->plan.branch == e->holds)
        return JG_OK;
    LLVMBasicBlockRef taken = emit_new_block(e);
    JG_TRY(emit_all_take(e, loop, &all));
    LLVMBuildCondBr(e->module->builder, all, taken, after);
    LLVMPositionBuilderAtEnd(e->module->builder, taken);
    return JG_OK;
}

/* Groups of lanes while there are enough indices left, and all lanes take the plan's branch.
 * gives: *rest, the first index that is left */
static jg_status emit_groups(jit_emission *e, const kernel_inst *loop, LLVMValueRef low,
                             LLVMValueRef first, LLVMValueRef end, LLVMValueRef *rest)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef group = emit_new_block(e), turn = emit_new_block(e),
                      after = emit_new_block(e), before = LLVMGetInsertBlock(builder);
    emit_continue_in(e, group);
    LLVMValueRef at = LLVMBuildPhi(builder, e->module->i64, "");
    LLVMValueRef following = LLVMBuildNSWAdd(builder, at, emit_int64(e, e->lanes->count), "");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntSLE, following, end, ""), turn, after);
    LLVMPositionBuilderAtEnd(builder, turn);
    e->lanes->base = LLVMBuildNSWAdd(builder, low, at, "");
    JG_TRY(emit_test(e, loop, after));
    JG_TRY(emit_regions(e, loop, e->loop + 1, loop->match));
    LLVMBasicBlockRef last = LLVMGetInsertBlock(builder);
    LLVMBuildBr(builder, group);
    LLVMAddIncoming(at, (LLVMValueRef[]){first, following}, (LLVMBasicBlockRef[]){before, last}, 2);
    LLVMPositionBuilderAtEnd(builder, after);
    *rest = at;
    return JG_OK;
}

jg_status jit_lanes_emit(jit_emission *e, const kernel_inst *loop, LLVMValueRef low,
                         LLVMValueRef first, LLVMValueRef end, LLVMValueRef *rest, unsigned *count)
{
    lane_plan plan;
    emit_lanes lanes;
    *rest = first;
    *count = 0;
    if (e->alone || e->careful || !(e->flags & COMPILE_NO_ALIAS))
        return JG_OK;
    JG_TRY(jit_lanes_plan_loop(e->kernel, &e->analysis, e->loop, e->screened, &plan));
    if (plan.kinds == NULL)
        return JG_OK;
    jg_status status = open_lanes(e, &plan, &lanes);
    if (status == JG_OK) {
        e->lanes = &lanes;
        status = emit_groups(e, loop, low, first, end, rest);
        e->lanes = NULL;
        e->position = e->loop;
        *count = plan.branch != KERNEL_NONE && plan.branch != e->holds ? lanes.count : 0;
        base_free(lanes.slots);
    }
    jit_lane_plan_clear(&plan);
    return status;
}
