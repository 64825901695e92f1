/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics, in relaxed order. Outside parallel loops, on locals of one index, in the body for one
 * thread, and where updates overlap no other array, no atomicity is needed.
 *
 * If a loop only combines values into an element (analysis.c finds that), each chunk combines its
 * own and does one atomic at its end. The order among a loop's indices is open, so those sums may
 * be reassociated. */
#include "jit/kernel/emit.h"

static LLVMValueRef combine(jit_emission *e, kernel_atomic atomic, jg_dtype dtype, LLVMValueRef old,
                            LLVMValueRef value)
{
    LLVMValueRef operands[2] = {old, value};
    return atomic == KERNEL_ATOMIC_EXCHANGE
               ? value
               : emit_apply(e, kernel_atomic_rows[atomic].combining, dtype, 2, operands);
}

static jg_dtype dtype_of(const jit_emission *e, const kernel_inst *inst)
{
    return (jg_dtype)(inst->op == KERNEL_ATOMIC ? kernel_array_at(e->kernel, inst->target)->dtype
                                                : kernel_local_at(e->kernel, inst->target)->dtype);
}

static uint32_t array_of(const kernel_inst *inst)
{
    return inst->op == KERNEL_ATOMIC ? inst->target : KERNEL_NONE;
}

/* Whether the machine has it, and what LLVM calls it. Not for bool, and halves go through
 * float32. */
static bool machine_atomic(kernel_atomic atomic, jg_dtype dtype, LLVMAtomicRMWBinOp *out)
{
    bool floating = dtype_is_floating(dtype), is_signed = dtype_rows[dtype].kind == JG_KIND_INT;
    if (dtype == JG_DTYPE_BOOL || (floating && atomic != KERNEL_ATOMIC_ADD) ||
        (floating && dtype_rows[dtype].bits < 32))
        return false;
    switch (atomic) {
    case KERNEL_ATOMIC_ADD:
        *out = floating ? LLVMAtomicRMWBinOpFAdd : LLVMAtomicRMWBinOpAdd;
        return true;
    case KERNEL_ATOMIC_MINIMUM:
        *out = is_signed ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpUMin;
        return true;
    case KERNEL_ATOMIC_MAXIMUM:
        *out = is_signed ? LLVMAtomicRMWBinOpMax : LLVMAtomicRMWBinOpUMax;
        return true;
    case KERNEL_ATOMIC_AND: *out = LLVMAtomicRMWBinOpAnd; return true;
    case KERNEL_ATOMIC_OR: *out = LLVMAtomicRMWBinOpOr; return true;
    case KERNEL_ATOMIC_XOR: *out = LLVMAtomicRMWBinOpXor; return true;
    case KERNEL_ATOMIC_EXCHANGE: *out = LLVMAtomicRMWBinOpXchg; return true;
    default: return false;
    }
}

/* A value's bits as an integer as wide as its element, and back. */
static LLVMValueRef to_bits(jit_emission *e, jg_dtype dtype, LLVMValueRef value)
{
    LLVMTypeRef raw = LLVMIntTypeInContext(e->module->context, dtype_rows[dtype].bits);
    return dtype == JG_DTYPE_BOOL ? LLVMBuildZExt(e->module->builder, value, raw, "")
                                  : LLVMBuildBitCast(e->module->builder, value, raw, "");
}

static LLVMValueRef from_bits(jit_emission *e, jg_dtype dtype, LLVMValueRef bits)
{
    if (dtype == JG_DTYPE_BOOL)
        return LLVMBuildICmp(e->module->builder, LLVMIntNE, bits, LLVMConstNull(e->module->i8), "");
    return LLVMBuildBitCast(e->module->builder, bits, module_type(e->module, dtype), "");
}

/* Compares and exchanges until no other thread came in between. */
static LLVMValueRef exchange_loop(jit_emission *e, kernel_atomic atomic, jg_dtype dtype,
                                  LLVMValueRef address, LLVMValueRef value)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef raw = LLVMIntTypeInContext(e->module->context, dtype_rows[dtype].bits);
    LLVMValueRef first = LLVMBuildLoad2(builder, raw, address, "");
    LLVMSetOrdering(first, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(first, dtype_rows[dtype].bits / 8);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder), turn = emit_new_block(e),
                      after = emit_new_block(e);
    emit_continue_in(e, turn);
    LLVMValueRef old = LLVMBuildPhi(builder, raw, "");
    LLVMValueRef next = combine(e, atomic, dtype, from_bits(e, dtype, old), value);
    LLVMValueRef pair =
        LLVMBuildAtomicCmpXchg(builder, address, old, to_bits(e, dtype, next),
                               LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingMonotonic, 0);
    LLVMValueRef found = LLVMBuildExtractValue(builder, pair, 0, "");
    LLVMBasicBlockRef end = LLVMGetInsertBlock(builder);
    LLVMBuildCondBr(builder, LLVMBuildExtractValue(builder, pair, 1, ""), after, turn);
    LLVMValueRef values[2] = {first, found};
    LLVMBasicBlockRef blocks[2] = {before, end};
    LLVMAddIncoming(old, values, blocks, 2);
    LLVMPositionBuilderAtEnd(builder, after);
    return from_bits(e, dtype, found);
}

static LLVMValueRef atomic_among_threads(jit_emission *e, kernel_atomic atomic, jg_dtype dtype,
                                         LLVMValueRef address, LLVMValueRef value)
{
    LLVMAtomicRMWBinOp op;
    if (!machine_atomic(atomic, dtype, &op))
        return exchange_loop(e, atomic, dtype, address, value);
    return LLVMBuildAtomicRMW(e->module->builder, op, address, value, LLVMAtomicOrderingMonotonic,
                              0);
}

static LLVMValueRef atomic_alone(jit_emission *e, const kernel_inst *inst, jg_dtype dtype,
                                 LLVMValueRef address, LLVMValueRef value)
{
    LLVMValueRef old = emit_read(e, address, dtype, array_of(inst));
    LLVMValueRef next = combine(e, (kernel_atomic)inst->atomic, dtype, old, value);
    emit_write(e, address, dtype, next, array_of(inst));
    return old;
}

static LLVMValueRef compare_exchange(jit_emission *e, const kernel_inst *inst, bool is_alone)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *stored = kernel_operands(e->kernel, inst) + inst->noperands - 2;
    LLVMValueRef expected = emit_value(e, stored[0]), value = emit_value(e, stored[1]);
    LLVMValueRef address = emit_address(e, inst);
    if (!is_alone) {
        LLVMValueRef pair =
            LLVMBuildAtomicCmpXchg(builder, address, expected, value, LLVMAtomicOrderingMonotonic,
                                   LLVMAtomicOrderingMonotonic, 0);
        return LLVMBuildExtractValue(builder, pair, 0, "");
    }
    jg_dtype dtype = dtype_of(e, inst);
    LLVMValueRef old = emit_read(e, address, dtype, array_of(inst));
    LLVMValueRef same = LLVMBuildICmp(builder, LLVMIntEQ, old, expected, "");
    emit_write(e, address, dtype, LLVMBuildSelect(builder, same, value, old, ""), array_of(inst));
    return old;
}

/* The lowest or highest value: infinities of floats, of halves by their bits. */
static LLVMValueRef extreme(jit_emission *e, jg_dtype dtype, bool lowest)
{
    LLVMTypeRef type = module_type(e->module, dtype);
    unsigned bits = dtype_rows[dtype].bits;
    uint64_t ones = UINT64_MAX >> (64 - bits), sign = UINT64_C(1) << (bits - 1);
    if (dtype_is_single_or_double(dtype))
        return LLVMConstReal(type, lowest ? -__builtin_inf() : __builtin_inf());
    if (dtype == JG_DTYPE_FLOAT16)
        return LLVMConstInt(type, lowest ? 0xfc00 : 0x7c00, 0);
    if (dtype == JG_DTYPE_BFLOAT16)
        return LLVMConstInt(type, lowest ? 0xff80 : 0x7f80, 0);
    if (dtype_rows[dtype].kind == JG_KIND_INT)
        return LLVMConstInt(type, lowest ? sign : sign - 1, 0);
    return lowest ? LLVMConstNull(type) : LLVMConstInt(type, ones, 0);
}

/* The value that changes no other. */
static LLVMValueRef neutral(jit_emission *e, kernel_atomic atomic, jg_dtype dtype)
{
    LLVMTypeRef type = module_type(e->module, dtype);
    LLVMValueRef one = LLVMConstInt(e->module->i32, 1, 0);
    switch (atomic) {
    case KERNEL_ATOMIC_MULTIPLY:
        return dtype == JG_DTYPE_BOOL ? LLVMConstAllOnes(type)
                                      : module_call_cast(e->module, JG_DTYPE_INT32, dtype, one);
    case KERNEL_ATOMIC_MINIMUM: return extreme(e, dtype, false);
    case KERNEL_ATOMIC_MAXIMUM: return extreme(e, dtype, true);
    case KERNEL_ATOMIC_AND: return LLVMConstAllOnes(type);
    default: return LLVMConstNull(type);
    }
}

/* Each atomic has its own variable, also if several update one element. */
jg_status emit_begin_gathered(jit_emission *e, uint32_t loop)
{
    uint32_t end = kernel_inst_at(e->kernel, loop)->match;
    for (uint32_t p = loop; p < end; ++p) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, p);
        if (!e->analysis.private[p])
            continue;
        jg_dtype dtype = dtype_of(e, inst);
        LLVMTypeRef type = module_type(e->module, dtype);
        emit_gathered gathered = {p, emit_alloca(e, type, 0)};
        LLVMBuildStore(e->module->builder, neutral(e, (kernel_atomic)inst->atomic, dtype),
                       gathered.address);
        JG_TRY(vec_append(&e->gathered, &gathered, sizeof gathered));
    }
    return JG_OK;
}

static const emit_gathered *find_gathered(const jit_emission *e, uint32_t position)
{
    const emit_gathered *gathered = (const emit_gathered *)(const void *)e->gathered.data;
    while (gathered->position != position)
        gathered += 1;
    return gathered;
}

/* Reassociated, so that the vectoriser may keep a sum for each lane. The old value is not defined,
 * as it is not used. */
static void gather(jit_emission *e, const kernel_inst *inst, LLVMValueRef value)
{
    LLVMBuilderRef builder = e->module->builder;
    jg_dtype dtype = dtype_of(e, inst);
    LLVMValueRef address = find_gathered(e, e->position)->address;
    if (inst->atomic == KERNEL_ATOMIC_ADD)
        address = emit_branch_address(e, dtype, address);
    LLVMValueRef old = LLVMBuildLoad2(builder, module_type(e->module, dtype), address, "");
    LLVMFastMathFlags math = e->math;
    e->math |= LLVMFastMathAllowReassoc | LLVMFastMathNoSignedZeros;
    LLVMBuildStore(builder, combine(e, (kernel_atomic)inst->atomic, dtype, old, value), address);
    e->math = math;
}

/* Whether the value differs from the neutral one; if not, nothing may have been combined. */
static LLVMValueRef is_worth(jit_emission *e, kernel_atomic atomic, jg_dtype dtype,
                             LLVMValueRef value)
{
    LLVMValueRef none = neutral(e, atomic, dtype);
    return dtype_is_single_or_double(dtype)
               ? LLVMBuildFCmp(e->module->builder, LLVMRealUNE, value, none, "")
               : LLVMBuildICmp(e->module->builder, LLVMIntNE, value, none, "");
}

/* The element is accessed only if something was gathered for it: with a condition, or an inner loop
 * without iterations, no index may have reached it, and it may not exist. */
void emit_end_gathered(jit_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    const emit_gathered *gathered = (const emit_gathered *)(const void *)e->gathered.data;
    for (size_t i = 0; i < e->gathered.nbytes / sizeof *gathered; ++i) {
        const kernel_inst *inst = kernel_inst_at(e->kernel, gathered[i].position);
        kernel_atomic atomic = (kernel_atomic)inst->atomic;
        jg_dtype dtype = dtype_of(e, inst);
        LLVMBasicBlockRef some = emit_new_block(e), on = emit_new_block(e);
        LLVMValueRef value =
            LLVMBuildLoad2(builder, module_type(e->module, dtype), gathered[i].address, "");
        LLVMBuildCondBr(builder, is_worth(e, atomic, dtype, value), some, on);
        LLVMPositionBuilderAtEnd(builder, some);
        atomic_among_threads(e, atomic, dtype, emit_address(e, inst), value);
        emit_continue_in(e, on);
    }
    vec_clear(&e->gathered);
}

/* for (; i < count; ++i) into[i] = combine(into[i], from[i]). count is 1 or more; no bool, whose
 * values and elements are of different types. */
static void build_merge(jit_emission *e, LLVMValueRef function, kernel_atomic atomic,
                        jg_dtype dtype)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMContextRef context = e->module->context;
    LLVMTypeRef type = module_stored_type(e->module, dtype);
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, ""),
                      turn = LLVMAppendBasicBlockInContext(context, function, ""),
                      after = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMPositionBuilderAtEnd(builder, entry);
    LLVMBuildBr(builder, turn);
    LLVMPositionBuilderAtEnd(builder, turn);
    LLVMValueRef i = LLVMBuildPhi(builder, e->module->i64, ""), addresses[2], values[2];
    for (unsigned side = 0; side < 2; ++side) {
        addresses[side] =
            LLVMBuildInBoundsGEP2(builder, type, LLVMGetParam(function, side), &i, 1, "");
        values[side] = LLVMBuildLoad2(builder, type, addresses[side], "");
    }
    LLVMBuildStore(builder, combine(e, atomic, dtype, values[0], values[1]), addresses[0]);
    LLVMValueRef following = LLVMBuildNSWAdd(builder, i, emit_int64(e, 1), "");
    LLVMValueRef more =
        LLVMBuildICmp(builder, LLVMIntSLT, following, LLVMGetParam(function, 2), "");
    LLVMBuildCondBr(builder, more, turn, after);
    LLVMAddIncoming(i, (LLVMValueRef[]){emit_int64(e, 0), following},
                    (LLVMBasicBlockRef[]){entry, LLVMGetInsertBlock(builder)}, 2);
    LLVMPositionBuilderAtEnd(builder, after);
    LLVMBuildRetVoid(builder);
}

LLVMValueRef emit_merge(jit_emission *e, kernel_atomic atomic, jg_dtype dtype)
{
    const jit_module *module = e->module;
    LLVMTypeRef parameters[3] = {module->pointer, module->pointer, module->i64};
    LLVMTypeRef type = LLVMFunctionType(module->none, parameters, 3, 0);
    LLVMValueRef function = module_function(module, "merge", type);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(module->builder);
    build_merge(e, function, atomic, dtype);
    LLVMPositionBuilderAtEnd(module->builder, here);
    return function;
}

jg_status emit_atomic(jit_emission *e, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    LLVMValueRef value = emit_value(e, operands[inst->noperands - 1]);
    jg_dtype dtype = dtype_of(e, inst);
    if (e->analysis.private[e->position]) {
        gather(e, inst, value);
        return JG_OK;
    }
    bool own = inst->op == KERNEL_ATOMIC_LOCAL && e->analysis.locals[inst->target].loop == e->loop;
    bool is_alone = own || e->alone || e->loop == KERNEL_NONE || analysis_is_plain(inst, e->flags);
    if (inst->atomic == KERNEL_ATOMIC_COMPARE_EXCHANGE) {
        emit_define(e, inst, compare_exchange(e, inst, is_alone));
        return JG_OK;
    }
    LLVMValueRef address = emit_address(e, inst);
    LLVMValueRef old =
        is_alone ? atomic_alone(e, inst, dtype, address, value)
                 : atomic_among_threads(e, (kernel_atomic)inst->atomic, dtype, address, value);
    emit_define(e, inst, old);
    return JG_OK;
}
