/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library for several lanes, so that a loop in which one is called now and then
 * becomes vector code: sin of a large argument, for one.
 *
 * LLVM's vectoriser replaces a call under a condition by a call with a mask, if an attribute of the
 * function names its vector function. Ours test whether any lane is set, which is rare, and call
 * the library for those one by one. They are inlined once loops are vectors. */
#include "jit/llvm/llvm.h"
#include <stdio.h>
#include <string.h>

static const unsigned lane_counts[] = {4, 8, 16};

#define NAME_SIZE 32
enum {
    MAX_OPERANDS = 2,
    SYMBOLS = 0
#define JG_LIBM(name, T, count) +1
#include "math/libm.def"
#undef JG_LIBM
};

/* Calls the library for the lanes, whose operands pass through memory. addresses: one for each
 * operand of the function, or NULL */
static LLVMValueRef call_each(const jit_module *module, LLVMValueRef each, LLVMValueRef function,
                              LLVMValueRef addresses[MAX_OPERANDS], LLVMValueRef bits)
{
    LLVMBuilderRef builder = module->builder;
    LLVMValueRef arguments[MAX_OPERANDS + 1] = {[MAX_OPERANDS] =
                                                    LLVMBuildZExt(builder, bits, module->i64, "")};
    for (unsigned i = 0; i < MAX_OPERANDS; ++i) {
        arguments[i] = addresses[i] != NULL ? addresses[i] : LLVMConstNull(module->pointer);
        if (addresses[i] != NULL)
            LLVMBuildStore(builder, LLVMGetParam(function, i), addresses[i]);
    }
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(each), each, arguments, MAX_OPERANDS + 1, "");
    return LLVMBuildLoad2(builder, LLVMTypeOf(LLVMGetParam(function, 0)), addresses[0], "");
}

/* The one function that is not the C library's is as well computed for all lanes. */
static LLVMValueRef divide_by_roots(const jit_module *module, LLVMValueRef x)
{
    LLVMValueRef ones[16], operands[2];
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(x));
    for (unsigned i = 0; i < count; ++i)
        ones[i] = LLVMConstReal(LLVMGetElementType(LLVMTypeOf(x)), 1);
    operands[0] = LLVMConstVector(ones, count);
    operands[1] = module_build_float(module, PROGRAM_SQRT, &x);
    return module_build_float(module, PROGRAM_DIVIDE, operands);
}

/* each: NULL for divide_by_roots. */
static void build_body(const jit_module *module, LLVMValueRef function, LLVMValueRef each)
{
    LLVMBuilderRef builder = module->builder;
    LLVMContextRef context = module->context;
    unsigned count = LLVMCountParams(function) - 1;
    LLVMValueRef x = LLVMGetParam(function, 0), mask = LLVMGetParam(function, count);
    LLVMTypeRef type = LLVMTypeOf(x),
                raw = LLVMIntTypeInContext(context, LLVMGetVectorSize(LLVMTypeOf(mask)));
    LLVMValueRef addresses[MAX_OPERANDS] = {NULL};
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, function, ""),
                      some = LLVMAppendBasicBlockInContext(context, function, ""),
                      after = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMPositionBuilderAtEnd(builder, entry);
    for (unsigned i = 0; i < count; ++i)
        addresses[i] = LLVMBuildAlloca(builder, type, "");
    LLVMValueRef bits = LLVMBuildBitCast(builder, mask, raw, "");
    LLVMValueRef any = LLVMBuildICmp(builder, LLVMIntNE, bits, LLVMConstNull(raw), "");
    module_mark_rare(module, LLVMBuildCondBr(builder, any, some, after));
    LLVMPositionBuilderAtEnd(builder, some);
    LLVMValueRef values[2] = {LLVMGetPoison(type),
                              each == NULL ? divide_by_roots(module, x)
                                           : call_each(module, each, function, addresses, bits)};
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    LLVMValueRef result = LLVMBuildPhi(builder, type, "");
    LLVMAddIncoming(result, values, (LLVMBasicBlockRef[]){entry, some}, 2);
    LLVMBuildRet(builder, result);
}

static LLVMValueRef add_lanes(const jit_module *module, LLVMValueRef function, LLVMValueRef each,
                              const char *name, unsigned count)
{
    LLVMTypeRef scalar = LLVMGetReturnType(LLVMGlobalGetValueType(function));
    LLVMTypeRef type = LLVMVectorType(scalar, count);
    LLVMTypeRef mask = LLVMVectorType(module->i1, count), parameters[MAX_OPERANDS + 1] = {type};
    unsigned operands = LLVMCountParams(function);
    for (unsigned i = 1; i <= operands; ++i)
        parameters[i] = i < operands ? type : mask;
    LLVMValueRef lanes =
        module_function(module, name, LLVMFunctionType(type, parameters, operands + 1, 0));
    module_add_attribute(module, lanes, "alwaysinline");
    build_body(module, lanes, each);
    return lanes;
}

static LLVMValueRef declare_each(const jit_module *module, const char *name)
{
    LLVMTypeRef parameters[MAX_OPERANDS + 1] = {module->pointer, module->pointer, module->i64};
    LLVMTypeRef type = LLVMFunctionType(module->none, parameters, MAX_OPERANDS + 1, 0);
    LLVMValueRef each = LLVMAddFunction(module->module, name, type);
    module_add_attribute(module, each, "nounwind");
    module_add_attribute(module, each, "cold");
    return each;
}

/* "_ZGV_LLVM_M8v_f(g)": g takes eight lanes of f and a mask; M8vv: of two operands. */
static void add_variants(const jit_module *module, LLVMValueRef function, const jit_symbol *symbol,
                         LLVMValueRef *out)
{
    char name[NAME_SIZE], text[JG_COUNT_OF(lane_counts) * 3 * NAME_SIZE];
    int length = 0, stem = (int)(strlen(symbol->name) - strlen("_each"));
    bool divides = strcmp(symbol->name, "libm_inverse_sqrtf_each") == 0;
    LLVMValueRef each = divides ? NULL : declare_each(module, symbol->name);
    for (size_t i = 0; i < JG_COUNT_OF(lane_counts); ++i) {
        unsigned count = lane_counts[i];
        snprintf(name, sizeof name, "%.*s_%u", stem, symbol->name, count);
        out[i] = add_lanes(module, function, each, name, count);
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "%s_ZGV_LLVM_M%u%s_%.*s(%s)", i == 0 ? "" : ",", count,
                           LLVMCountParams(function) == 2 ? "vv" : "v", stem, symbol->name, name);
    }
    module_add_text_attribute(module, function, "vector-function-abi-variant", text);
}

/* Functions without callers must be kept until the vectoriser may call them. */
static void keep_functions(const jit_module *module, LLVMValueRef *functions, unsigned count)
{
    LLVMValueRef list = LLVMConstArray2(module->pointer, functions, count);
    LLVMValueRef kept = LLVMAddGlobal(module->module, LLVMTypeOf(list), "llvm.compiler.used");
    LLVMSetInitializer(kept, list);
    LLVMSetLinkage(kept, LLVMAppendingLinkage);
    LLVMSetSection(kept, "llvm.metadata");
}

void jit_vector_prepare(const jit_module *module)
{
    LLVMValueRef kept[SYMBOLS * JG_COUNT_OF(lane_counts)];
    unsigned count = 0;
    for (const jit_symbol *symbol = jit_vector_symbols; symbol->name != NULL; ++symbol) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(symbol->name) - strlen("_each")),
                 symbol->name);
        LLVMValueRef function = LLVMGetNamedFunction(module->module, name);
        if (function == NULL)
            continue;
        add_variants(module, function, symbol, &kept[count]);
        count += JG_COUNT_OF(lane_counts);
    }
    if (count > 0)
        keep_functions(module, kept, count);
}

bool jit_vector_release(const jit_module *module)
{
    LLVMValueRef kept = LLVMGetNamedGlobal(module->module, "llvm.compiler.used");
    if (kept == NULL)
        return false;
    LLVMDeleteGlobal(kept);
    return true;
}
