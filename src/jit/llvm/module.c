/* SPDX-License-Identifier: Apache-2.0 */
/* A module and the library of scalar.c's functions beside it. The library is bitcode that is read
 * lazily: a function's body is read when the function is linked in, and it is linked in only if
 * called. */
#include "jit/llvm/llvm.h"
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

#define BITCODE(name) extern const char jit_##name[], jit_##name##_end[];
BITCODE(group)
BITCODE(scalar)
BITCODE(lanes8)
BITCODE(lanes16)
BITCODE(lanes32)
BITCODE(lanes64)
#ifdef __x86_64__
BITCODE(scalar_apart)
BITCODE(lanes8_apart)
BITCODE(lanes16_apart)
BITCODE(lanes32_apart)
#endif

#define LIBRARY(lanes, joins, name)                                                                \
    {                                                                                              \
        lanes, joins, jit_##name, jit_##name##_end                                                 \
    }
static const struct {
    unsigned lanes;
    bool joins; /* compiled for a CPU that joins multiplications and additions */
    const char *first, *last;
} libraries[] = {
    LIBRARY(1, true, scalar),
    LIBRARY(JIT_MIN_LANES, true, lanes8),
    LIBRARY(16, true, lanes16),
    LIBRARY(32, true, lanes32),
    LIBRARY(JIT_MAX_LANES, true, lanes64),
#ifdef __x86_64__ /* limit on the lanes of short vectors */
    LIBRARY(1, false, scalar_apart),
    LIBRARY(JIT_MIN_LANES, false, lanes8_apart),
    LIBRARY(16, false, lanes16_apart),
    LIBRARY(32, false, lanes32_apart),
#endif
};

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
static const char *const tables[] = {"scalar_apply", "scalar_kernel", "scalar_cast"};

/* Remarks and warnings concern the optimiser's options, not the user's code. */
static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    (void)info;
    (void)context;
}

static jg_status read_bitcode(const jit_module *module, const char *first, const char *last,
                              LLVMModuleRef *out)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(first, (size_t)(last - first), "", 0);
    if (LLVMGetBitcodeModuleInContext2(module->context, buffer, out))
        return base_fail(JG_ERR_INTERNAL, "tier 1: its own bitcode cannot be read");
    return JG_OK;
}

/* A distinct node, which the C interface cannot make: group.ll has one. It outlives the module that
 * it was read with, as nodes are the context's. */
static jg_status find_group(jit_module *module)
{
    LLVMModuleRef holder;
    LLVMValueRef node;
    JG_TRY(read_bitcode(module, jit_group, jit_group_end, &holder));
    LLVMGetNamedMetadataOperands(holder, "joggle.group", &node);
    module->group = LLVMValueAsMetadata(node);
    LLVMDisposeModule(holder);
    return JG_OK;
}

static jg_status open_library(jit_module *module, unsigned lanes)
{
    size_t i = 0;
    if (lanes == 0)
        return JG_OK;
    while (libraries[i].lanes != lanes || libraries[i].joins != target_joins())
        i += 1;
    return read_bitcode(module, libraries[i].first, libraries[i].last, &module->library);
}

jg_status module_open(jit_module *out, const char *name, unsigned lanes)
{
    *out = (jit_module){.context = LLVMContextCreate()};
    LLVMContextRef context = out->context;
    LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
    LLVMContextSetDiscardValueNames(context, 1);
    out->module = LLVMModuleCreateWithNameInContext(name, context);
    LLVMSetTarget(out->module, target_triple());
    LLVMSetDataLayout(out->module, target_layout());
    out->builder = LLVMCreateBuilderInContext(context);
    out->pointer = LLVMPointerTypeInContext(context, 0);
    out->i1 = LLVMInt1TypeInContext(context);
    out->i8 = LLVMInt8TypeInContext(context);
    out->i32 = LLVMInt32TypeInContext(context);
    out->i64 = LLVMInt64TypeInContext(context);
    out->none = LLVMVoidTypeInContext(context);
    out->always = LLVMMDNodeInContext2(context, NULL, 0);
    if (lanes == 1)
        JG_TRY(find_group(out));
    return open_library(out, lanes);
}

void module_close(jit_module *module)
{
    if (module->builder != NULL)
        LLVMDisposeBuilder(module->builder);
    if (module->library != NULL)
        LLVMDisposeModule(module->library);
    if (module->module != NULL)
        LLVMDisposeModule(module->module);
    LLVMContextDispose(module->context);
}

LLVMTypeRef module_stored_type(const jit_module *module, jg_dtype dtype)
{
    if (dtype == JG_DTYPE_FLOAT32)
        return LLVMFloatTypeInContext(module->context);
    if (dtype == JG_DTYPE_FLOAT64)
        return LLVMDoubleTypeInContext(module->context);
    return LLVMIntTypeInContext(module->context, dtype_rows[dtype].bits);
}

LLVMTypeRef module_type(const jit_module *module, jg_dtype dtype)
{
    return dtype == JG_DTYPE_BOOL ? module->i1 : module_stored_type(module, dtype);
}

void module_add_attribute(const jit_module *module, LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, whole, LLVMCreateEnumAttribute(module->context, kind, 0));
}

void module_add_text_attribute(const jit_module *module, LLVMValueRef function, const char *name,
                               const char *value)
{
    LLVMAddAttributeAtIndex(function, whole,
                            LLVMCreateStringAttribute(module->context, name, (unsigned)strlen(name),
                                                      value, (unsigned)strlen(value)));
}

/* Floating-point exceptions are ignored, so that the optimiser may move floating arithmetic. */
LLVMValueRef module_function(const jit_module *module, const char *name, LLVMTypeRef type)
{
    char width[16];
    LLVMValueRef function = LLVMAddFunction(module->module, name, type);
    snprintf(width, sizeof width, "%u", target_vector_width());
    LLVMSetLinkage(function, LLVMInternalLinkage);
    module_add_attribute(module, function, "nounwind");
    module_add_text_attribute(module, function, "prefer-vector-width", width);
    module_add_text_attribute(module, function, "no-trapping-math", "true");
    return function;
}

/* How many entries of a table or a row one member of its constant represents: clang cuts long zeros
 * off an array, and keeps it as a structure of what remains and an array of zeros. */
static unsigned count_entries(LLVMTypeRef member, bool in_row)
{
    if (LLVMGetTypeKind(member) != LLVMArrayTypeKind)
        return 1;
    bool is_row = LLVMGetTypeKind(LLVMGetElementType(member)) == LLVMPointerTypeKind;
    return in_row || !is_row ? (unsigned)LLVMGetArrayLength2(member) : 1;
}

/* Entry `index` of the constant; NULL where it is zero. */
static LLVMValueRef find_entry(LLVMValueRef constant, unsigned index, bool in_row)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    if (LLVMIsNull(constant))
        return NULL;
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return LLVMGetAggregateElement(constant, index);
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); ++i) {
        LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
        unsigned count = count_entries(member, in_row);
        LLVMValueRef value = LLVMGetAggregateElement(constant, i);
        if (index < count)
            return count == 1 && !(in_row && LLVMGetTypeKind(member) == LLVMArrayTypeKind)
                       ? value
                       : find_entry(value, index, in_row);
        index -= count;
    }
    return NULL;
}

/* The library's function in a table of functions by two numbers; NULL if there is none. */
static LLVMValueRef find_function(const jit_module *module, const char *table, unsigned row,
                                  unsigned column)
{
    LLVMValueRef rows = LLVMGetInitializer(LLVMGetNamedGlobal(module->library, table));
    LLVMValueRef columns = find_entry(rows, row, false);
    LLVMValueRef entry = columns != NULL ? find_entry(columns, column, true) : NULL;
    return entry == NULL || LLVMIsNull(entry) ? NULL : entry;
}

/* The functions are found in the tables of jit/llvm/scalar.c, which are read as constants and never
 * run. */
static LLVMValueRef find_scalar(const jit_module *module, unsigned op, jg_dtype type)
{
    return op < PROGRAM_OP_COUNT
               ? find_function(module, "scalar_apply", op, type)
               : find_function(module, "scalar_kernel", op - PROGRAM_OP_COUNT, type);
}

bool module_has_scalar(const jit_module *module, unsigned op, jg_dtype type)
{
    return find_scalar(module, op, type) != NULL;
}

/* The function of that name in the module itself, without a body until module_link. */
static LLVMValueRef declare(const jit_module *module, LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    LLVMValueRef known = LLVMGetNamedFunction(module->module, name);
    return known != NULL ? known
                         : LLVMAddFunction(module->module, name, LLVMGlobalGetValueType(function));
}

/* Truth is a byte to scalar.c, and floats are integers where it looks at their bits. */
static LLVMValueRef as_type(const jit_module *module, LLVMValueRef value, LLVMTypeRef type)
{
    LLVMTypeRef from = LLVMTypeOf(value);
    if (from == type)
        return value;
    if (from == module->i1)
        return LLVMBuildZExt(module->builder, value, type, "");
    return type == module->i1 ? LLVMBuildTrunc(module->builder, value, type, "")
                              : LLVMBuildBitCast(module->builder, value, type, "");
}

static LLVMValueRef call(const jit_module *module, LLVMValueRef function, unsigned count,
                         const LLVMValueRef *operands, jg_dtype to)
{
    LLVMValueRef arguments[3];
    LLVMTypeRef type = LLVMGlobalGetValueType(function), parameters[3];
    LLVMGetParamTypes(type, parameters);
    for (unsigned i = 0; i < count; ++i)
        arguments[i] = as_type(module, operands[i], parameters[i]);
    LLVMValueRef result =
        LLVMBuildCall2(module->builder, type, declare(module, function), arguments, count, "");
    return as_type(module, result, module_type(module, to));
}

LLVMValueRef module_call_scalar(const jit_module *module, unsigned op, jg_dtype type,
                                unsigned count, const LLVMValueRef *operands)
{
    bool truth = kernel_row((uint16_t)op)->result == RESULT_BOOL;
    return call(module, find_scalar(module, op, type), count, operands,
                truth ? JG_DTYPE_BOOL : type);
}

LLVMValueRef module_call_cast(const jit_module *module, jg_dtype from, jg_dtype to,
                              LLVMValueRef value)
{
    return call(module, find_function(module, "scalar_cast", from, to), 1, &value, to);
}

static void call_lanes(const jit_module *module, LLVMValueRef function, unsigned count,
                       LLVMValueRef to, const LLVMValueRef *operands)
{
    LLVMValueRef arguments[4] = {to};
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    memcpy(arguments + 1, operands, count * sizeof *operands);
    LLVMBuildCall2(module->builder, type, declare(module, function), arguments, count + 1, "");
}

void module_call_lanes(const jit_module *module, unsigned op, jg_dtype type, unsigned count,
                       LLVMValueRef to, const LLVMValueRef *operands)
{
    call_lanes(module, find_scalar(module, op, type), count, to, operands);
}

void module_call_lanes_cast(const jit_module *module, jg_dtype from, jg_dtype to,
                            LLVMValueRef result, LLVMValueRef value)
{
    call_lanes(module, find_function(module, "scalar_cast", from, to), 1, result, &value);
}

static LLVMValueRef build_sqrt(const jit_module *module, LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(operand);
    unsigned id = LLVMLookupIntrinsicID("llvm.sqrt", strlen("llvm.sqrt"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module->module, id, &type, 1);
    return LLVMBuildCall2(module->builder, LLVMGlobalGetValueType(function), function, &operand, 1,
                          "");
}

bool module_builds_float(unsigned op)
{
    return op == PROGRAM_ADD || op == PROGRAM_SUBTRACT || op == PROGRAM_MULTIPLY ||
           op == PROGRAM_DIVIDE || op == PROGRAM_NEGATE || op == PROGRAM_SQRT;
}

LLVMValueRef module_build_float(const jit_module *module, unsigned op, const LLVMValueRef *operands)
{
    LLVMBuilderRef builder = module->builder;
    switch (op) {
    case PROGRAM_ADD: return LLVMBuildFAdd(builder, operands[0], operands[1], "");
    case PROGRAM_SUBTRACT: return LLVMBuildFSub(builder, operands[0], operands[1], "");
    case PROGRAM_MULTIPLY: return LLVMBuildFMul(builder, operands[0], operands[1], "");
    case PROGRAM_DIVIDE: return LLVMBuildFDiv(builder, operands[0], operands[1], "");
    case PROGRAM_NEGATE: return LLVMBuildFNeg(builder, operands[0], "");
    case PROGRAM_SQRT: return build_sqrt(module, operands[0]);
    default: return NULL;
    }
}

void module_mark_rare(const jit_module *module, LLVMValueRef branch)
{
    LLVMContextRef context = module->context;
    LLVMMetadataRef parts[3] = {
        LLVMMDStringInContext2(context, "branch_weights", strlen("branch_weights")),
        LLVMValueAsMetadata(LLVMConstInt(module->i32, 1, 0)),
        LLVMValueAsMetadata(LLVMConstInt(module->i32, 1 << 20, 0))};
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, parts, 3)));
}

/* Functions become such as are linked only where they are called, and the tables go, which name
 * all. */
static void prepare_library(LLVMModuleRef library)
{
    for (size_t i = 0; i < JG_COUNT_OF(tables); ++i) {
        LLVMValueRef table = LLVMGetNamedGlobal(library, tables[i]);
        if (table != NULL)
            LLVMDeleteGlobal(table);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
}

/* The function was compiled for any CPU. Now it is compiled for this CPU, and inlined. */
static void adapt_function(const jit_module *module, LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu",
                                        "min-legal-vector-width"};
    for (size_t i = 0; i < JG_COUNT_OF(names); ++i)
        LLVMRemoveStringAttributeAtIndex(function, whole, names[i], (unsigned)strlen(names[i]));
    module_add_attribute(module, function, "alwaysinline");
}

/* The library's module is gone after that, linked or not. */
jg_status module_link(jit_module *module)
{
    LLVMModuleRef library = module->library;
    if (library == NULL)
        return JG_OK;
    prepare_library(library);
    module->library = NULL;
    if (LLVMLinkModules2(module->module, library))
        return base_fail(JG_ERR_INTERNAL, "tier 1: its own functions cannot be linked in");
    for (LLVMValueRef f = LLVMGetFirstFunction(module->module); f != NULL;
         f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) == LLVMLinkOnceODRLinkage)
            adapt_function(module, f);
    return JG_OK;
}
