/* SPDX-License-Identifier: Apache-2.0 */
/* Values: scalar instructions, constants, indices.
 *
 * Most instructions are calls of what scalar.c was compiled to. Arithmetic of floats is emitted
 * here, as the kernel may allow to contract and to reassociate it; halves go through float32. An
 * integer that goes into an address is computed a second time, in 64 bits: where that differs from
 * what its type says, the address is out of bounds either way, and the optimiser sees linear
 * expressions. A comparison that may protect the address takes this number, too; then the 64 bits
 * wrap, so that both are certainly the same. */
#include "jit/kernel/emit.h"
#include <string.h>

LLVMValueRef emit_int64(const jit_emission *e, int64_t value)
{
    return LLVMConstInt(e->module->i64, (unsigned long long)value, 0);
}

static const kernel_inst *definition_of(const jit_emission *e, uint32_t value)
{
    uint32_t position = kernel_value_at(e->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(e->kernel, position);
}

/* Halves are integers here: their bits are the constant. */
static LLVMValueRef constant(const jit_emission *e, jg_dtype type, uint64_t bits)
{
    LLVMTypeRef to = module_type(e->module, type);
    if (type != JG_DTYPE_FLOAT32 && type != JG_DTYPE_FLOAT64)
        return LLVMConstInt(to, bits, 0);
    LLVMTypeRef raw = LLVMIntTypeInContext(e->module->context, dtype_rows[type].bits);
    return LLVMConstBitCast(LLVMConstInt(raw, bits, 0), to);
}

void emit_const(jit_emission *e, const kernel_inst *inst)
{
    emit_define(e, inst, constant(e, (jg_dtype)inst->to, (uint64_t)inst->immediate));
}

static LLVMValueRef scalar_argument(jit_emission *e, uint32_t number, jg_dtype type)
{
    LLVMValueRef value = emit_argument_entry(e, offsetof(kernel_arguments, scalars), number,
                                             module_stored_type(e->module, type));
    if (type != JG_DTYPE_BOOL)
        return value;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(e->module->builder);
    LLVMPositionBuilderAtEnd(e->module->builder, e->at->prologue);
    value = LLVMBuildICmp(e->module->builder, LLVMIntNE, value, LLVMConstNull(e->module->i8), "");
    LLVMPositionBuilderAtEnd(e->module->builder, here);
    return value;
}

/* A value in the frame, in a body: loaded in the prologue. */
static LLVMValueRef load_from_frame(jit_emission *e, LLVMTypeRef type, int64_t offset)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(builder);
    LLVMPositionBuilderAtEnd(builder, e->at->prologue);
    LLVMValueRef address = emit_offset(e, e->at->frame, offset);
    LLVMValueRef result = LLVMBuildLoad2(builder, type, address, "");
    LLVMPositionBuilderAtEnd(builder, here);
    return result;
}

/* A value that the entry derives gets its own bytes in the frame. */
LLVMValueRef emit_captured(jit_emission *e, LLVMValueRef value)
{
    emit_capture *found;
    if (LLVMIsConstant(value))
        return value;
    jg_status status = vec_grow(&e->captures, sizeof *found, (void **)&found);
    if (status != JG_OK) {
        e->status = status; /* the loop's end reports it; a failure before it must stay */
        return LLVMGetPoison(LLVMTypeOf(value));
    }
    *found = (emit_capture){value, e->analysis.frame_nbytes};
    e->analysis.frame_nbytes += 8;
    return load_from_frame(e, LLVMTypeOf(value), found->offset);
}

/* A value of a serial part, in a body. Those that LLVM knows to be constant need no memory. */
static LLVMValueRef take_from_frame(jit_emission *e, uint32_t value)
{
    LLVMValueRef made = e->entry.values[value];
    return LLVMIsConstant(made) ? made
                                : load_from_frame(e, LLVMTypeOf(made),
                                                  kernel_value_at(e->kernel, value)->frame_offset);
}

/* The value in the function that is being emitted. If it is not defined there, arguments, constants
 * and extents are made again, and other values are read from the frame. */
LLVMValueRef emit_value(jit_emission *e, uint32_t value)
{
    LLVMValueRef *known = &e->at->values[value];
    const kernel_inst *inst = definition_of(e, value);
    jg_dtype type = (jg_dtype)kernel_value_at(e->kernel, value)->type;
    if (*known != NULL)
        return *known;
    if (inst == NULL)
        *known = scalar_argument(e, value, type);
    else if (inst->op == KERNEL_CONST)
        *known = constant(e, type, (uint64_t)inst->immediate);
    else if (inst->op == KERNEL_EXTENT)
        *known = emit_extent(e, inst->target, (int)inst->immediate);
    else
        *known = take_from_frame(e, value);
    return *known;
}

static LLVMValueRef widen(jit_emission *e, uint32_t value)
{
    return emit_widen(e, (jg_dtype)kernel_value_at(e->kernel, value)->type, emit_value(e, value));
}

LLVMValueRef emit_index(jit_emission *e, uint32_t value)
{
    if (e->at->wide[value] != NULL)
        return e->at->wide[value];
    LLVMValueRef entry = e->at != &e->entry ? e->entry.wide[value] : NULL;
    if (entry == NULL)
        return widen(e, value);
    e->at->wide[value] = emit_captured(e, entry);
    return e->at->wide[value];
}

/* The exact value of a sum, a product or a widening cast of signed integers. */
static LLVMValueRef exact(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    if (!kernel_is_linear(inst))
        return NULL;
    LLVMValueRef x = emit_index(e, operands[0]), result;
    switch (inst->op) {
    case PROGRAM_CAST: return x;
    case PROGRAM_ADD: result = LLVMBuildAdd(builder, x, emit_index(e, operands[1]), ""); break;
    case PROGRAM_SUBTRACT: result = LLVMBuildSub(builder, x, emit_index(e, operands[1]), ""); break;
    default: result = LLVMBuildMul(builder, x, emit_index(e, operands[1]), ""); break;
    }
    if (!e->analysis.compared[inst->first] && !e->careful && LLVMIsAInstruction(result) != NULL)
        LLVMSetNSW(result, 1);
    return result;
}

/* Stores it where a body reads it. What only other serial parts use stays in the entry. */
static void put_in_frame(jit_emission *e, uint32_t id, LLVMValueRef value)
{
    uint32_t offset = kernel_value_at(e->kernel, id)->frame_offset;
    if (offset != 0 && offset < e->analysis.body_nbytes)
        LLVMBuildStore(e->module->builder, value, emit_offset(e, e->at->frame, offset));
}

void emit_define(jit_emission *e, const kernel_inst *inst, LLVMValueRef value)
{
    put_in_frame(e, inst->first, value);
    e->at->values[inst->first] = value;
    if (e->analysis.indexing[inst->first])
        e->at->wide[inst->first] = exact(e, inst);
    if (e->lanes != NULL)
        jit_lanes_keep(e, inst->first);
}

/* Halves are computed in float32 and rounded after each instruction. */
static LLVMValueRef apply_half(jit_emission *e, uint16_t op, jg_dtype type, unsigned count,
                               const LLVMValueRef *operands)
{
    LLVMValueRef wide[3];
    for (unsigned i = 0; i < count; ++i)
        wide[i] = op == PROGRAM_SELECT && i == 0
                      ? operands[i]
                      : module_call_cast(e->module, type, JG_DTYPE_FLOAT32, operands[i]);
    LLVMValueRef result = emit_apply(e, op, JG_DTYPE_FLOAT32, count, wide);
    return kernel_row(op)->result == RESULT_BOOL
               ? result
               : module_call_cast(e->module, JG_DTYPE_FLOAT32, type, result);
}

/* Roots and quotients are rounded once: LLVM's estimates of reciprocals are wrong at zero, infinity
 * and subnormal numbers, and so is a reciprocal that is taken out of a loop. Those of constants it
 * takes where they are normal numbers. */
static LLVMFastMathFlags math_of(const jit_emission *e, uint16_t op, const LLVMValueRef *operands)
{
    bool divides = op == PROGRAM_DIVIDE;
    if (!divides && op != PROGRAM_SQRT)
        return e->math;
    bool by_constant = divides && LLVMIsConstant(operands[1]);
    return e->math & (LLVMFastMathFlags)(LLVMFastMathAllowContract |
                                         (by_constant ? LLVMFastMathAllowReciprocal : 0));
}

/* Floors of quotients by a power of two, and remainders, are bits of an integer; negative numbers
 * are rounded down by an arithmetic shift. Blocked axes divide by such numbers. NULL for other
 * divisors. */
static LLVMValueRef divide_by_power(jit_emission *e, uint16_t op, jg_dtype type,
                                    const LLVMValueRef *operands)
{
    LLVMBuilderRef builder = e->module->builder;
    bool is_signed = dtype_rows[type].kind == JG_KIND_INT;
    if ((op != PROGRAM_FLOOR_DIVIDE && op != PROGRAM_REMAINDER) ||
        (!is_signed && dtype_rows[type].kind != JG_KIND_UINT) ||
        LLVMIsAConstantInt(operands[1]) == NULL)
        return NULL;
    unsigned long long divisor = LLVMConstIntGetZExtValue(operands[1]);
    LLVMTypeRef to = module_type(e->module, type);
    bool negative = is_signed && LLVMConstIntGetSExtValue(operands[1]) < 0;
    if (negative || divisor == 0 || (divisor & (divisor - 1)) != 0)
        return NULL;
    if (op == PROGRAM_REMAINDER)
        return LLVMBuildAnd(builder, operands[0], LLVMConstInt(to, divisor - 1, 0), "");
    LLVMValueRef bits = LLVMConstInt(to, (unsigned)__builtin_ctzll(divisor), 0);
    return is_signed ? LLVMBuildAShr(builder, operands[0], bits, "")
                     : LLVMBuildLShr(builder, operands[0], bits, "");
}

LLVMValueRef emit_apply(jit_emission *e, uint16_t op, jg_dtype type, unsigned count,
                        const LLVMValueRef *operands)
{
    if (dtype_is_single_or_double(type)) {
        LLVMValueRef result = module_build_float(e->module, op, operands);
        if (result != NULL) {
            if (LLVMCanValueUseFastMathFlags(result))
                LLVMSetFastMathFlags(result, math_of(e, op, operands));
            return result;
        }
    }
    LLVMValueRef shifted = divide_by_power(e, op, type, operands);
    if (shifted != NULL)
        return shifted;
    if (op == PROGRAM_SELECT)
        return LLVMBuildSelect(e->module->builder, operands[0], operands[1], operands[2], "");
    if (module_has_scalar(e->module, op, type))
        return module_call_scalar(e->module, op, type, count, operands);
    if (dtype_is_half(type))
        return apply_half(e, op, type, count, operands);
    e->status = base_fail(JG_ERR_UNSUPPORTED,
                          "%s of %s is not compiled, allowed are the dtypes that it has code for",
                          kernel_row(op)->name, dtype_rows[type].name);
    return LLVMGetPoison(module_type(e->module, type));
}

static LLVMValueRef build_cast(jit_emission *e, const kernel_inst *inst, LLVMValueRef operand)
{
    jg_dtype from = (jg_dtype)inst->type, to = (jg_dtype)inst->to;
    if (inst->op == KERNEL_BITCAST)
        return LLVMBuildBitCast(e->module->builder, operand, module_type(e->module, to), "");
    return from == to ? operand : module_call_cast(e->module, from, to, operand);
}

/* Whether one of the operands is known as an exact number. */
static bool compares_exactly(const jit_emission *e, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    return kernel_is_comparison(inst->op) &&
           (e->analysis.compared[operands[0]] || e->analysis.compared[operands[1]]);
}

static LLVMValueRef build_exact_comparison(jit_emission *e, const kernel_inst *inst)
{
    static const LLVMIntPredicate predicates[] = {[PROGRAM_LESS] = LLVMIntSLT,
                                                  [PROGRAM_LESS_EQUAL] = LLVMIntSLE,
                                                  [PROGRAM_EQUAL] = LLVMIntEQ,
                                                  [PROGRAM_NOT_EQUAL] = LLVMIntNE};
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    return LLVMBuildICmp(e->module->builder, predicates[inst->op], emit_index(e, operands[0]),
                         emit_index(e, operands[1]), "");
}

void emit_scalar(jit_emission *e, const kernel_inst *inst)
{
    LLVMValueRef operands[3];
    const uint32_t *ids = kernel_operands(e->kernel, inst);
    if (compares_exactly(e, inst)) {
        emit_define(e, inst, build_exact_comparison(e, inst));
        return;
    }
    for (uint32_t i = 0; i < inst->noperands; ++i)
        operands[i] = emit_value(e, ids[i]);
    bool casts = inst->op == PROGRAM_CAST || inst->op == KERNEL_BITCAST;
    bool by_root = inst->op == PROGRAM_DIVIDE &&
                   e->analysis.divides[ids[1]] < DIVIDES_AND_OTHERWISE &&
                   (e->math & LLVMFastMathAllowReciprocal);
    LLVMValueRef quotient = by_root ? emit_quotient_by_root(e, ids[1], operands) : NULL;
    if (quotient != NULL) {
        emit_define(e, inst, quotient);
        return;
    }
    emit_define(e, inst,
                casts ? build_cast(e, inst, operands[0])
                      : emit_apply(e, inst->op, (jg_dtype)inst->type, inst->noperands, operands));
}

/* 64 bits of Threefry: the counter is the index of the loop, the key the launch's seed with the
 * number of the instruction's loop and how many numbers the index has drawn before. So no thread
 * waits for another, and the numbers do not depend on how the loop is divided. The number takes 24
 * bits, KERNEL_MAX_INSTS being 2^20; 0x9e37... is 2^64 divided by the golden ratio, which spreads
 * neighbouring keys (Knuth, The Art of Computer Programming, vol. 3, 6.4). */
void emit_random(jit_emission *e, const kernel_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef i64 = e->module->i64;
    LLVMValueRef seed = emit_argument(e, offsetof(kernel_arguments, seed), i64);
    LLVMValueRef drawn = LLVMBuildLoad2(builder, i64, e->at->draws, "");
    LLVMBuildStore(builder, LLVMBuildAdd(builder, drawn, emit_int64(e, 1), ""), e->at->draws);
    LLVMValueRef number = emit_int64(e, e->loop == KERNEL_NONE ? 0 : (int64_t)e->loop + 1);
    LLVMValueRef stream =
        LLVMBuildAdd(builder, LLVMBuildShl(builder, drawn, emit_int64(e, 24), ""), number, "");
    LLVMValueRef spread =
        LLVMBuildMul(builder, stream, emit_int64(e, (int64_t)UINT64_C(0x9e3779b97f4a7c15)), "");
    LLVMValueRef words[2] = {LLVMBuildLoad2(builder, i64, e->at->index, ""),
                             LLVMBuildXor(builder, seed, spread, "")};
    LLVMValueRef bits = module_call_scalar(e->module, PROGRAM_THREEFRY, JG_DTYPE_UINT64, 2, words);
    jg_dtype type = (jg_dtype)inst->to;
    LLVMValueRef value = dtype_is_floating(type)
                             ? module_call_scalar(e->module, KERNEL_RANDOM, type, 1, &bits)
                             : LLVMBuildTrunc(builder, bits, module_type(e->module, type), "");
    emit_define(e, inst, value);
}
