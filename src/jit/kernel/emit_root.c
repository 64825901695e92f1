/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients by a root, y / sqrt(x) of float32, with fast_math: y times an estimate of the root's
 * reciprocal, which one Newton step corrects. LLVM makes both of a quotient and a root that carry
 * its flags for reciprocals.
 *
 * The estimate takes subnormal numbers for zeros, and the step makes NaN of zeros and infinities.
 * If x is a sum of squares and of a normal number, a comparison with infinity is enough. If not,
 * the root and the quotient are computed for every x that is no positive normal number, in a branch
 * that is rarely taken, in vector code as well (vector.c). Inner loops, which have more to keep in
 * registers, lose more by the branch than they gain, and so do several quotients by one root.
 * There, roots and quotients stay what they are. */
#include "jit/kernel/emit.h"
#include <math.h>
#include <string.h>

/* The operand of the root, if that is what the value was made by. */
static LLVMValueRef under_root(LLVMValueRef value)
{
    size_t length;
    if (LLVMIsACallInst(value) == NULL)
        return NULL;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(value), &length);
    bool is_root = length == strlen("llvm.sqrt.f32") && memcmp(name, "llvm.sqrt.f32", length) == 0;
    return is_root ? LLVMGetOperand(value, 0) : NULL;
}

static LLVMValueRef real(const jit_emission *e, double number)
{
    return LLVMConstReal(module_type(e->module, JG_DTYPE_FLOAT32), number);
}

static void loosen(LLVMValueRef value)
{
    if (LLVMCanValueUseFastMathFlags(value))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowReciprocal | LLVMFastMathAllowReassoc |
                                        LLVMFastMathNoSignedZeros | LLVMFastMathAllowContract);
}

/* The estimate for a normal number. */
static LLVMValueRef estimate(jit_emission *e, LLVMValueRef x)
{
    LLVMValueRef operands[2] = {real(e, 1), module_build_float(e->module, PROGRAM_SQRT, &x)};
    LLVMValueRef result = module_build_float(e->module, PROGRAM_DIVIDE, operands);
    loosen(operands[1]);
    loosen(result);
    return result;
}

/* Zeros, subnormal and negative numbers, infinities and NaN, whose bits less the least normal one's
 * are large. */
static LLVMValueRef is_normal(jit_emission *e, LLVMValueRef x)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef i32 = e->module->i32;
    LLVMValueRef bits = LLVMBuildBitCast(builder, x, i32, "");
    LLVMValueRef above = LLVMBuildSub(builder, bits, LLVMConstInt(i32, 0x00800000, 0), "");
    return LLVMBuildICmp(builder, LLVMIntULT, above, LLVMConstInt(i32, 0x7f000000, 0), "");
}

static LLVMValueRef call_exact(jit_emission *e, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x), function_type = LLVMFunctionType(type, &type, 1, 0);
    LLVMValueRef function = LLVMGetNamedFunction(e->module->module, "libm_inverse_sqrtf");
    if (function == NULL) {
        function = LLVMAddFunction(e->module->module, "libm_inverse_sqrtf", function_type);
        module_add_attribute(e->module, function, "nounwind");
        module_add_attribute(e->module, function, "willreturn");
        module_add_attribute(e->module, function, "memory");
    }
    return LLVMBuildCall2(e->module->builder, function_type, function, &x, 1, "");
}

static LLVMValueRef branch_for_others(jit_emission *e, LLVMValueRef x)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef rare = emit_new_block(e), after = emit_new_block(e);
    LLVMValueRef values[2] = {estimate(e, x), NULL};
    LLVMBasicBlockRef blocks[2] = {LLVMGetInsertBlock(builder), rare};
    emit_likely(e, is_normal(e, x), after, rare);
    LLVMPositionBuilderAtEnd(builder, rare);
    values[1] = call_exact(e, x);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    LLVMValueRef result = LLVMBuildPhi(builder, LLVMTypeOf(x), "");
    LLVMAddIncoming(result, values, blocks, 2);
    return result;
}

static LLVMValueRef select_finite(jit_emission *e, LLVMValueRef x)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef ends = LLVMBuildFCmp(builder, LLVMRealOEQ, x, real(e, INFINITY), "");
    return LLVMBuildSelect(builder, ends, real(e, 0), estimate(e, x), "");
}

static const kernel_inst *inst_of(const jit_emission *e, uint32_t value)
{
    uint32_t position = kernel_value_at(e->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(e->kernel, position);
}

enum { DEEPEST = 16 };

/* Whether the value is a constant of the type, no NaN, and at least `least`. */
static bool is_constant_above(const kernel_inst *inst, float least)
{
    float number;
    memcpy(&number, &inst->immediate, sizeof number);
    return inst->op == KERNEL_CONST && number >= least;
}

/* A square, or a sum of such: zero or more, or NaN. */
static bool is_not_negative(const jit_emission *e, uint32_t value, int depth)
{
    const kernel_inst *inst = inst_of(e, value);
    if (inst == NULL || depth == DEEPEST)
        return false;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    if (inst->op == PROGRAM_ADD)
        return is_not_negative(e, operands[0], depth + 1) &&
               is_not_negative(e, operands[1], depth + 1);
    return inst->op == PROGRAM_ABS ||
           (inst->op == PROGRAM_MULTIPLY && operands[0] == operands[1]) ||
           is_constant_above(inst, 0);
}

/* No less than a normal number, or NaN. Half the constant is left for what rounding takes. */
static bool is_above_normal(const jit_emission *e, uint32_t value, int depth)
{
    const kernel_inst *inst = inst_of(e, value);
    if (inst == NULL || depth == DEEPEST)
        return false;
    const uint32_t *operands = kernel_operands(e->kernel, inst);
    if (inst->op != PROGRAM_ADD)
        return is_constant_above(inst, 0x1p-125f);
    return (is_above_normal(e, operands[0], depth + 1) && is_not_negative(e, operands[1], 0)) ||
           (is_above_normal(e, operands[1], depth + 1) && is_not_negative(e, operands[0], 0));
}

/* Whether the instruction is in a loop inside the parallel loop, or in a serial one. */
static bool is_in_inner_loop(const jit_emission *e)
{
    for (int i = 0; i < e->depth; ++i) {
        uint16_t op = kernel_inst_at(e->kernel, e->blocks[i].opener)->op;
        if (op == KERNEL_FOR || op == KERNEL_LOOP)
            return true;
    }
    return false;
}

LLVMValueRef emit_quotient_by_root(jit_emission *e, uint32_t root, const LLVMValueRef *operands)
{
    LLVMValueRef x = under_root(operands[1]), inverse;
    if (x == NULL || !target_estimates_roots())
        return NULL;
    if (is_above_normal(e, kernel_operands(e->kernel, inst_of(e, root))[0], 0))
        inverse = select_finite(e, x);
    else if (e->analysis.divides[root] == DIVIDES_ONE && !is_in_inner_loop(e))
        inverse = branch_for_others(e, x);
    else
        return NULL;
    return operands[0] == real(e, 1) ? inverse
                                     : LLVMBuildFMul(e->module->builder, operands[0], inverse, "");
}
