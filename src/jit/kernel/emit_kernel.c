/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as functions of LLVM's IR: the entry, and statements that are neither memory nor
 * loops. */
#include "jit/kernel/emit.h"

/* Called functions are small and always inlined; the rest is LLVM's -O2, for loops that users
 * wrote. Fused programs are one loop without branches, for which a few passes that vectorise and
 * simplify give the same code in half the time. */
static const char kernel_passes[] = "always-inline,default<O2>";
#define COMBINE "instcombine<max-iterations=1;no-verify-fixpoint>"
static const char flat_passes[] =
    "always-inline,globaldce,function(sroa,early-cse,simplifycfg," COMBINE
    ",loop-simplify,lcssa,loop-mssa(licm),loop(indvars),loop-vectorize,early-cse," COMBINE
    ",simplifycfg,loop-mssa(licm))";

const char *emit_passes(unsigned flags)
{
    return flags & COMPILE_EXACT ? flat_passes : kernel_passes;
}

/* Shared locals lie in the frame. */
static void place_shared(jit_emission *e)
{
    for (uint32_t l = 0; l < e->kernel->nlocals; ++l)
        if (e->analysis.locals[l].shared)
            e->at->locals[l] =
                emit_offset(e, e->at->frame, kernel_local_at(e->kernel, l)->frame_offset);
}

/* One of the two that the frame begins with: arguments at 0, the host at 8. */
static LLVMValueRef load_pointer(jit_emission *e, int64_t offset)
{
    return LLVMBuildLoad2(e->module->builder, e->module->pointer,
                          emit_offset(e, e->at->frame, offset), "");
}

/* The frame of the entry's is as large as its loops turn out to need: emit_entry sets its size in
 * the end. It begins with the launch's arguments, as program/executor.h says, and its host. */
static void begin_entry(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    e->at->arguments = LLVMGetParam(e->at->function, 0);
    e->at->host = LLVMGetParam(e->at->function, 1);
    e->at->frame = LLVMBuildArrayAlloca(builder, e->module->i8, emit_int64(e, 16), "");
    LLVMSetAlignment(e->at->frame, 64);
    LLVMBuildStore(builder, e->at->arguments, e->at->frame);
    LLVMBuildStore(builder, e->at->host, emit_offset(e, e->at->frame, 8));
}

static void begin_body(jit_emission *e)
{
    e->at->frame = LLVMGetParam(e->at->function, 0);
    e->at->arguments = load_pointer(e, 0);
    e->at->host = load_pointer(e, 8);
}

/* The tables of a function, in one block that out->values begins. */
static jg_status make_places(const kernel_program *kernel, emit_function *out)
{
    size_t count = 2 * (size_t)kernel->nvalues + kernel->narrays + kernel->nlocals + 1;
    out->values = base_alloc_zeroed(count * sizeof *out->values);
    if (out->values == NULL)
        return base_nomem(count * sizeof *out->values, "a kernel");
    out->wide = out->values + kernel->nvalues;
    out->bases = out->wide + kernel->nvalues;
    out->locals = out->bases + kernel->narrays;
    return JG_OK;
}

jg_status emit_open_function(jit_emission *e, LLVMValueRef function, emit_function *out)
{
    LLVMBuilderRef builder = e->module->builder;
    *out = (emit_function){.function = function};
    JG_TRY(make_places(e->kernel, out));
    if (e->at != NULL) /* a loop inside the entry */
        out->resume = LLVMGetInsertBlock(builder);
    e->at = out;
    out->prologue = emit_new_block(e);
    out->body = emit_new_block(e);
    out->leave = emit_new_block(e);
    LLVMPositionBuilderAtEnd(builder, out->prologue);
    if (out == &e->entry)
        begin_entry(e);
    else
        begin_body(e);
    place_shared(e);
    out->draws = emit_alloca(e, e->module->i64, 0);
    out->index = emit_alloca(e, e->module->i64, 0);
    out->turns = emit_alloca(e, e->module->i64, 0);
    LLVMPositionBuilderAtEnd(builder, out->body);
    LLVMBuildStore(builder, emit_int64(e, 0), out->draws);
    LLVMBuildStore(builder, emit_int64(e, 0), out->index);
    emit_begin_turns(e);
    return JG_OK;
}

/* The prologue is ended last: until here loads of arguments and allocas were put in it. */
void emit_close_function(jit_emission *e, emit_function *function)
{
    LLVMBuilderRef builder = e->module->builder;
    emit_continue_in(e, function->leave);
    emit_drop_stacks(e);
    LLVMBuildRetVoid(builder);
    LLVMPositionBuilderAtEnd(builder, function->prologue);
    LLVMBuildBr(builder, function->body);
    base_free(function->values);
    function->values = NULL;
    e->at = &e->entry;
    if (function->resume != NULL)
        LLVMPositionBuilderAtEnd(builder, function->resume);
}

LLVMValueRef emit_host_call(jit_emission *e, size_t member, LLVMTypeRef result, unsigned count,
                            LLVMValueRef *arguments)
{
    LLVMTypeRef types[6]; /* no member of kernel_host takes more */
    for (unsigned i = 0; i < count; ++i)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMValueRef address = emit_offset(e, e->at->host, (int64_t)member);
    LLVMValueRef callee = LLVMBuildLoad2(e->module->builder, e->module->pointer, address, "");
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    return LLVMBuildCall2(e->module->builder, type, callee, arguments, count, "");
}

void emit_check_failed(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    if (!e->analysis.asserts && !emit_polls(e))
        return;
    LLVMValueRef address = emit_offset(e, e->at->host, offsetof(kernel_host, failed));
    LLVMValueRef failed = LLVMBuildLoad2(builder, e->module->i32, address, "");
    LLVMSetOrdering(failed, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(failed, 4);
    LLVMBasicBlockRef on = emit_new_block(e);
    LLVMValueRef is_fine =
        LLVMBuildICmp(builder, LLVMIntEQ, failed, LLVMConstNull(e->module->i32), "");
    LLVMBuildCondBr(builder, is_fine, on, e->at->leave);
    LLVMPositionBuilderAtEnd(builder, on);
}

/* The value's bytes as the low ones of eight. */
static LLVMValueRef as_word(jit_emission *e, uint32_t value)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef number = emit_value(e, value);
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    if (type != JG_DTYPE_BOOL)
        number = LLVMBuildBitCast(
            builder, number, LLVMIntTypeInContext(e->module->context, dtype_rows[type].bits), "");
    return LLVMBuildZExt(builder, number, e->module->i64, "");
}

/* The message's values in a row, and the call that hands them over. */
static void tell_host(jit_emission *e, size_t member, const uint32_t *values, uint32_t count)
{
    LLVMValueRef row = emit_alloca(e, e->module->i64, count > 0 ? count : 1);
    for (uint32_t i = 0; i < count; ++i)
        LLVMBuildStore(e->module->builder, as_word(e, values[i]), emit_offset(e, row, 8 * i));
    LLVMValueRef position = LLVMConstInt(e->module->i32, e->position, 0);
    LLVMValueRef arguments[3] = {e->at->host, position, row};
    emit_host_call(e, member, e->module->none, 3, arguments);
}

/* If it is false the function returns at once, without combining what chunks have gathered. */
static void emit_assert(jit_emission *e, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    LLVMBasicBlockRef fails = emit_new_block(e), on = emit_new_block(e);
    LLVMBuildCondBr(e->module->builder, emit_value(e, operands[0]), on, fails);
    LLVMPositionBuilderAtEnd(e->module->builder, fails);
    tell_host(e, offsetof(kernel_host, fail), operands + 1, inst->noperands - 1);
    LLVMBuildBr(e->module->builder, e->at->leave);
    LLVMPositionBuilderAtEnd(e->module->builder, on);
}

/* Results are written as the words of kernel_arguments, whatever their types. */
static void emit_return(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    LLVMValueRef results =
        emit_argument(e, offsetof(kernel_arguments, results), e->module->pointer);
    for (uint32_t i = 0; i < inst->noperands; ++i)
        LLVMBuildStore(builder, as_word(e, operands[i]), emit_offset(e, results, 8 * i));
    LLVMBuildBr(builder, e->at->leave);
}

static void emit_print(jit_emission *e, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    tell_host(e, offsetof(kernel_host, print), operands, inst->noperands);
}

static void emit_fence(jit_emission *e)
{
    LLVMBuildFence(e->module->builder, LLVMAtomicOrderingSequentiallyConsistent, 0, "");
}

static void emit_extent_of(jit_emission *e, const kernel_inst *inst)
{
    emit_define(e, inst, emit_extent(e, inst->target, (int)inst->immediate));
}

/* The loop's head, or all of it, after which the position is its end. */
static jg_status emit_serial(jit_emission *e, const kernel_inst *inst)
{
    if ((e->analysis.looks[e->position] & LOOK_CASES) && e->position != e->split)
        return emit_versions(e, inst);
    uint32_t branch = emit_sieves(e, inst);
    if (branch != KERNEL_NONE)
        return emit_sieved(e, inst, branch);
    if (emit_takes_few(e, inst))
        return emit_few(e, inst);
    emit_for(e, inst);
    return e->status;
}

jg_status emit_statement(jit_emission *e, const kernel_inst *inst)
{
    if (e->position != e->split)
        emit_bounds(e);
    switch (inst->op) {
    case KERNEL_CONST: emit_const(e, inst); break;
    case KERNEL_EXTENT: emit_extent_of(e, inst); break;
    case KERNEL_LOAD: emit_load(e, inst); break;
    case KERNEL_STORE: emit_store(e, inst); break;
    case KERNEL_LOCAL: emit_local(e, inst); break;
    case KERNEL_STACK: emit_stack(e, inst); break;
    case KERNEL_PUSH: emit_push(e, inst); break;
    case KERNEL_POP: emit_pop(e, inst); break;
    case KERNEL_GET: emit_get(e, inst); break;
    case KERNEL_SET: emit_set(e, inst); break;
    case KERNEL_ATOMIC:
    case KERNEL_ATOMIC_LOCAL: return emit_atomic(e, inst);
    case KERNEL_RANDOM: emit_random(e, inst); break;
    case KERNEL_ASSERT: emit_assert(e, inst); break;
    case KERNEL_PRINT: emit_print(e, inst); break;
    case KERNEL_FENCE: emit_fence(e); break;
    case KERNEL_PARALLEL: return emit_parallel(e, inst);
    case KERNEL_FOR: return emit_serial(e, inst);
    case KERNEL_LOOP: emit_loop(e); break;
    case KERNEL_IF: emit_if(e, inst); break;
    case KERNEL_ELSE: emit_else(e); break;
    case KERNEL_END: emit_end(e); break;
    case KERNEL_BREAK: emit_jump(e, true); break;
    case KERNEL_CONTINUE: emit_jump(e, false); break;
    case KERNEL_RETURN: emit_return(e, inst); break;
    default:
        return base_fail(JG_ERR_INTERNAL, "kernel %s: instruction %d is not compiled",
                         kernel_text(e->kernel, e->kernel->name), inst->op);
    }
    return e->status;
}

/* A parallel loop moves the position to its end. */
jg_status emit_range(jit_emission *e, uint32_t first, uint32_t last)
{
    for (e->position = first; e->position < last; ++e->position) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, e->position);
        if (e->lanes != NULL && jit_lanes_has(e, e->position))
            continue;
        if (e->ahead != NULL) {
            JG_TRY(emit_ahead(e, inst));
            continue;
        }
        if (inst->op >= KERNEL_CONST)
            JG_TRY(emit_statement(e, inst));
        else
            emit_scalar(e, inst);
    }
    return e->status;
}

/* Axes are counted through all arrays, as in kernel_arguments. */
static jg_status number_axes(jit_emission *e)
{
    uint32_t count = e->kernel->narrays, axes = 0;
    e->axes = base_alloc((count + 1) * sizeof *e->axes);
    if (e->axes == NULL)
        return base_nomem(count * sizeof *e->axes, "a kernel");
    for (uint32_t a = 0; a < count; ++a) {
        e->axes[a] = axes;
        axes += kernel_array_at(e->kernel, a)->ndim;
    }
    return JG_OK;
}

/* Whether much of the kernel is serial. Such code is a step of many short loops. With vectors of
 * 256 bits each becomes a third shorter, as LLVM makes no second vector loop for what is left, and
 * so does the time to compile it. */
static bool is_long(const kernel_program *kernel)
{
    enum { LONG = 1024 };
    uint32_t serial = 0;
    for (uint32_t p = 0; p < kernel->ninsts; ++p, ++serial)
        if (kernel_inst_at(kernel, p)->op == KERNEL_PARALLEL)
            p = kernel_inst_at(kernel, p)->match;
    return serial >= LONG;
}

/* The only function with external linkage. */
static jg_status emit_entry(jit_emission *e, const char *symbol)
{
    const jit_module *module = e->module;
    LLVMTypeRef parameters[2] = {module->pointer, module->pointer};
    LLVMTypeRef type = LLVMFunctionType(module->none, parameters, 2, 0);
    LLVMValueRef function = module_function(module, symbol, type);
    LLVMSetLinkage(function, LLVMExternalLinkage);
    if (is_long(e->kernel) && target_vector_width() > 256)
        module_add_text_attribute(module, function, "prefer-vector-width", "256");
    JG_TRY(emit_open_function(e, function, &e->entry));
    jg_status status = emit_range(e, 0, e->kernel->ninsts);
    LLVMSetOperand(e->entry.frame, 0, emit_int64(e, e->analysis.frame_nbytes));
    emit_close_function(e, &e->entry);
    return status;
}

/* Does not allow to assume that there are no NaN and infinities: they are valid results. */
static LLVMFastMathFlags math_of(const kernel_program *kernel, unsigned flags)
{
    if (flags & COMPILE_EXACT)
        return (LLVMFastMathFlags)LLVMFastMathNone;
    LLVMFastMathFlags math = LLVMFastMathAllowContract;
    if (kernel->fast_math)
        math |= LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros | LLVMFastMathAllowReciprocal;
    return math;
}

jg_status emit_kernel(const jit_module *module, const kernel_program *kernel, unsigned flags,
                      const char *symbol)
{
    jg_status status = JG_OK;
    jit_emission e = {.module = module,
                      .kernel = kernel,
                      .flags = flags,
                      .math = math_of(kernel, flags),
                      .loop = KERNEL_NONE,
                      .split = KERNEL_NONE,
                      .holds = KERNEL_NONE};
    JG_TRY(analysis_kernel(kernel, flags, &e.analysis));
    JG_TRY_DONE(number_axes(&e));
    JG_TRY_DONE(emit_prepare_aliases(&e));
    JG_TRY_DONE(emit_entry(&e, symbol));
done:
    analysis_clear(&e.analysis);
    base_free(e.axes);
    base_free(e.scopes);
    vec_clear(&e.captures);
    vec_clear(&e.gathered);
    vec_clear(&e.waiting);
    return status;
}
