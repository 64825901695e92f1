/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that may run long check whether the launch must end.
 *
 * A function counts the iterations of its serial loops and asks the host after a certain number. A
 * loop that contains other long ones asks at each iteration. One without may be vectorised, so it
 * is cut into blocks of iterations and asks between them. The host divides the iterations of the
 * parallel loop itself into chunks. */
#include "jit/kernel/emit.h"
#include <stddef.h>

/* Iterations: between two questions, and in a block; of a loop that counts as straight code, and of
 * such loops inside each other. */
enum { TURNS = 16 << 10, SHORT_TURNS = 64, SHORT_NEST = SHORT_TURNS * SHORT_TURNS };

bool emit_polls(const jit_emission *e)
{
    return !(e->flags & COMPILE_EXACT);
}

/* The iterations of a loop whose bounds are numbers that are no more than a few apart; else 0.
 * Unsigned bounds count as signed ones: their distance is the same. */
static int64_t short_turns(const kernel_program *kernel, const kernel_inst *loop)
{
    const uint32_t *operands = kernel_operands(kernel, loop);
    int64_t bounds[2];
    if (loop->op != KERNEL_FOR)
        return 0;
    for (int i = 0; i < 2; ++i) {
        uint32_t made = kernel_value_at(kernel, operands[i])->definition;
        if (made == KERNEL_NONE || kernel_inst_at(kernel, made)->op != KERNEL_CONST)
            return 0;
        unsigned unused = 64 - dtype_rows[loop->type].bits; /* constants are kept as bits */
        bounds[i] =
            (int64_t)((uint64_t)kernel_inst_at(kernel, made)->immediate << unused) >> unused;
    }
    int64_t turns = bounds[1] > bounds[0] ? bounds[1] - bounds[0] : bounds[0] - bounds[1];
    return turns > SHORT_TURNS ? 0 : int64_max(turns, 1);
}

/* Whether all loops in the one at the position are short, also those inside each other. */
static bool is_inner(const kernel_program *kernel, uint32_t position)
{
    uint32_t end = kernel_inst_at(kernel, position)->match;
    int64_t nest = 1;
    for (uint32_t p = position + 1; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (kernel_is_loop(inst->op)) {
            int64_t turns = short_turns(kernel, inst);
            nest *= turns;
            if (turns == 0 || nest > SHORT_NEST)
                return false;
        }
        if (inst->op == KERNEL_END && kernel_is_loop(kernel_inst_at(kernel, inst->match)->op))
            nest /= short_turns(kernel, kernel_inst_at(kernel, inst->match));
    }
    return true;
}

bool emit_cuts(const jit_emission *e, const kernel_inst *loop)
{
    return emit_polls(e) && short_turns(e->kernel, loop) == 0 && is_inner(e->kernel, e->position);
}

/* Whether a loop and those around it up to the first that is not short are short together. The
 * loops inside that are not short ask for themselves. */
static bool is_in_short_nest(const jit_emission *e, const kernel_inst *loop)
{
    int64_t nest = short_turns(e->kernel, loop);
    for (int depth = e->depth - 1; depth >= 0 && nest <= SHORT_NEST; --depth) {
        const kernel_inst *around = kernel_inst_at(e->kernel, e->blocks[depth].opener);
        if (!kernel_is_loop(around->op) || around == loop)
            continue;
        int64_t turns = short_turns(e->kernel, around);
        if (turns == 0)
            break;
        nest *= turns;
    }
    return nest > 0 && nest <= SHORT_NEST;
}

bool emit_asks_each_turn(const jit_emission *e, const kernel_inst *loop)
{
    if (!emit_polls(e) || is_in_short_nest(e, loop))
        return false;
    return loop->op == KERNEL_LOOP || !is_inner(e->kernel, e->position);
}

static void set_attribute(const jit_emission *e, LLVMValueRef call, const char *name,
                          uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(e->module->context, kind, value);
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

/* The optimiser is told that the call accesses no memory of the code, so that invariants stay out
 * of the loop. */
static LLVMValueRef ask(jit_emission *e)
{
    enum { INACCESSIBLE_MEMORY = 3 << 2 };
    LLVMValueRef call = emit_host_call(e, offsetof(kernel_host, ends), e->module->i8, 1,
                                       (LLVMValueRef[]){e->at->host});
    set_attribute(e, call, "memory", INACCESSIBLE_MEMORY);
    set_attribute(e, call, "nounwind", 0);
    set_attribute(e, call, "cold", 0);
    return LLVMBuildICmp(e->module->builder, LLVMIntNE, call, LLVMConstNull(e->module->i8), "");
}

static void mark_seldom(const jit_emission *e, LLVMValueRef branch)
{
    LLVMContextRef context = e->module->context;
    LLVMValueRef weights[3] = {LLVMMDStringInContext(context, "branch_weights", 14),
                               LLVMConstInt(e->module->i32, 1, 0),
                               LLVMConstInt(e->module->i32, TURNS, 0)};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMDNodeInContext(context, weights, 3));
}

void emit_begin_turns(jit_emission *e)
{
    LLVMBuildStore(e->module->builder, emit_int64(e, TURNS), e->at->turns);
}

void emit_poll(jit_emission *e, LLVMValueRef turns)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef due = emit_new_block(e), on = emit_new_block(e);
    LLVMValueRef left = LLVMBuildLoad2(builder, e->module->i64, e->at->turns, "");
    left = LLVMBuildNSWSub(builder, left, turns, "");
    LLVMBuildStore(builder, left, e->at->turns);
    LLVMValueRef is_due = LLVMBuildICmp(builder, LLVMIntSLT, left, emit_int64(e, 0), "");
    mark_seldom(e, LLVMBuildCondBr(builder, is_due, due, on));
    LLVMPositionBuilderAtEnd(builder, due);
    LLVMValueRef ends = ask(e);
    emit_begin_turns(e);
    LLVMBuildCondBr(builder, ends, e->at->leave, on);
    LLVMPositionBuilderAtEnd(builder, on);
}

/* The next block of turns: from the phi to *end. */
void emit_open_cut(jit_emission *e, emit_block *block, LLVMValueRef count, LLVMValueRef *first,
                   LLVMValueRef *end)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), cut = emit_new_block(e);
    LLVMValueRef zero = emit_int64(e, 0);
    LLVMBuildBr(builder, cut);
    LLVMPositionBuilderAtEnd(builder, cut);
    block->cut = LLVMBuildPhi(builder, e->module->i64, "");
    LLVMAddIncoming(block->cut, &zero, &before, 1);
    LLVMValueRef most = LLVMBuildNSWAdd(builder, block->cut, emit_int64(e, TURNS), "");
    LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntSLT, count, most, "");
    *first = block->cut;
    *end = LLVMBuildSelect(builder, fits, count, most, "");
    emit_poll(e, LLVMBuildNSWSub(builder, *end, *first, ""));
    block->all = count;
    block->past = block->leave;
    block->leave = emit_new_block(e);
}

/* Behind the turns of the block, which left it by its end. */
void emit_close_cut(jit_emission *e, const emit_block *block)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMValueRef end = block->count;
    LLVMValueRef more = LLVMBuildICmp(builder, LLVMIntSLT, end, block->all, "");
    LLVMBuildCondBr(builder, more, LLVMGetInstructionParent(block->cut), block->past);
    LLVMAddIncoming(block->cut, &end, &here, 1);
    LLVMPositionBuilderAtEnd(builder, block->past);
}
