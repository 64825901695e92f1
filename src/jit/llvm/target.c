/* SPDX-License-Identifier: Apache-2.0 */
/* The host's CPU as LLVM's target, from modules to objects, and from objects to addresses.
 *
 * Code has only the instructions of the chosen level, as the tiles have: without joined
 * multiplications functions round differently.
 *
 * Objects are linked by one LLJIT into one table of symbols, so an object's one external symbol
 * must be unlike those of all others that are loaded. What code calls of the C library it finds in
 * this file's table and nowhere else: no symbol of another library can be used instead. */
#include "jit/llvm/llvm.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Set by target_open, and only read after it; what compiles or links is serialised by the host's
 * lock. */
static struct {
    LLVMTargetMachineRef machine;
    LLVMOrcLLJITRef linker;
    char *triple, *layout, *description;
    unsigned vector_width;
    bool joins; /* there are instructions that multiply and add, and round once */
} target;

static jg_status fail(const char *what, const char *message)
{
    return base_fail(JG_ERR_INTERNAL, "tier 1: %s: %s", what, message);
}

/* LLVM's error, which ends here, as a status; NULL is none. raises: INTERNAL with its text */
static jg_status take_error(const char *what, LLVMErrorRef error)
{
    if (error == NULL)
        return JG_OK;
    char *message = LLVMGetErrorMessage(error);
    jg_status status = fail(what, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

/* features: "+avx2,-avx512f,..." */
static bool has_feature(const char *features, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = features; (at = strstr(at, name)) != NULL; at += length)
        if (at > features && at[-1] == '+' && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* Wide vectors lower the clock of the first CPUs that had them; those lack vbmi2. */
static unsigned choose_width(const char *features)
{
    if (has_feature(features, "avx512vbmi2") && has_feature(features, "avx512vl"))
        return 512;
    return has_feature(features, "avx2") ? 256 : 128;
}

/* Position-independent code of the small model, as objects are linked wherever addresses are
 * free. */
static jg_status open_machine(const char *cpu, const char *features)
{
    char *message = NULL;
    LLVMTargetRef found;
    if (LLVMGetTargetFromTriple(target.triple, &found, &message)) {
        jg_status status = fail("the host's target", message);
        LLVMDisposeMessage(message);
        return status;
    }
    LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
    LLVMTargetMachineOptionsSetCPU(options, cpu);
    LLVMTargetMachineOptionsSetFeatures(options, features);
    LLVMTargetMachineOptionsSetCodeGenOptLevel(options, LLVMCodeGenLevelDefault);
    LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
    LLVMTargetMachineOptionsSetCodeModel(options, LLVMCodeModelSmall);
    target.machine = LLVMCreateTargetMachineWithOptions(found, target.triple, options);
    LLVMDisposeTargetMachineOptions(options);
    if (target.machine == NULL)
        return fail("the host's target", "no machine");
    LLVMTargetDataRef data = LLVMCreateTargetDataLayout(target.machine);
    target.layout = LLVMCopyStringRepOfTargetData(data);
    LLVMDisposeTargetData(data);
    return JG_OK;
}

/* Describes the CPU. Keys of code contain this text, as an object for one CPU must not be loaded on
 * another. */
static jg_status describe(const char *cpu, const char *features)
{
    base_text text = {0};
    text_add(&text, "%s %s %s", target.triple, cpu, features);
    return text_finish(&text, &target.description);
}

static jg_status open_cpu(const char *cpu, const char *features)
{
    target.vector_width = choose_width(features);
    JG_TRY(open_machine(cpu, features));
    return describe(cpu, features);
}

/* Removes what x86-64-v3 does not have; the rest is the host's. */
static void cut_features(char *features)
{
    static const char *const wider[] = {"+avx512", "+avx10", "+amx", "+evex512"};
    for (char *at = features; at != NULL; at = strchr(at, ','), at += at != NULL)
        for (size_t i = 0; i < JG_COUNT_OF(wider); ++i)
            if (strncmp(at, wider[i], strlen(wider[i])) == 0)
                *at = '-';
}

/* The lowest level is the same on every host, so its numbers are. */
static jg_status open_level(isa_level level)
{
#if defined __x86_64__
    if (level == ISA_BASELINE)
        return open_cpu("x86-64", "");
#endif
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    if (level == ISA_AVX2)
        cut_features(features);
    target.joins = true;
    jg_status status = open_cpu(cpu, features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return status;
}

#define ADDRESS_1(name, T) (void *)(T(*)(T))name
#define ADDRESS_2(name, T) (void *)(T(*)(T, T))name
#define ADDRESS_3(name, T) (void *)(T(*)(T, T, T))name
#define BOTH(name, count)                                                                          \
    {#name, ADDRESS_##count(name, double)},                                                        \
    {                                                                                              \
#name "f", ADDRESS_##count(name##f, float)                                                 \
    }
static const jit_symbol symbols[] = {
#define JG_LIBM(name, T, count) {"libm_" #name, ADDRESS_##count(name, T)},
#include "math/libm.def"
#undef JG_LIBM
    /* Functions that LLVM calls if the instruction set has no instruction. */
    BOTH(floor, 1),
    BOTH(ceil, 1),
    BOTH(trunc, 1),
    BOTH(rint, 1),
    BOTH(nearbyint, 1),
    BOTH(fma, 3),
    {"jit_rows_maximum", (void *)jit_rows_maximum},
    {"jit_rows_minimum", (void *)jit_rows_minimum},
    {"memcpy", (void *)memcpy},
    {"memset", (void *)memset},
    {"memmove", (void *)memmove},
};

static jg_status define_symbol(const jit_symbol *symbol)
{
    LLVMJITEvaluatedSymbol value = {.Address = (LLVMOrcExecutorAddress)(uintptr_t)symbol->address,
                                    .Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported |
                                                          LLVMJITSymbolGenericFlagsCallable};
    LLVMOrcCSymbolMapPair pair = {LLVMOrcLLJITMangleAndIntern(target.linker, symbol->name), value};
    LLVMOrcJITDylibRef table = LLVMOrcLLJITGetMainJITDylib(target.linker);
    return take_error("symbols", LLVMOrcJITDylibDefine(table, LLVMOrcAbsoluteSymbols(&pair, 1)));
}

static jg_status define_symbols(void)
{
    for (size_t i = 0; i < JG_COUNT_OF(symbols); ++i)
        JG_TRY(define_symbol(&symbols[i]));
    for (const jit_symbol *symbol = jit_vector_symbols; symbol->name != NULL; ++symbol)
        JG_TRY(define_symbol(symbol));
    return JG_OK;
}

/* Failed look-ups are returned to the caller; nothing is printed. */
static void drop_report(void *context, LLVMErrorRef error)
{
    (void)context;
    LLVMConsumeError(error);
}

static jg_status open_linker(void)
{
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    JG_TRY(take_error("linker", LLVMOrcCreateLLJIT(&target.linker, builder)));
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(target.linker),
                                            drop_report, NULL);
    return define_symbols();
}

/* Options that LLVM has for its command line alone. They concern large functions; code of small
 * ones stays what it was. One pass moves integers to AVX-512's mask registers where that saves
 * moves: it takes a sixth of the time of large functions, and changed none. The allocator of
 * registers splits ranges of values by regions of blocks: the limit keeps it from looking at
 * regions of thousands. */
static void limit_passes(void)
{
    static const char *const words[] = {
        "joggle",
#if defined __x86_64__
        "-disable-x86-domain-reassignment",
#endif
        "-grow-region-complexity-budget=500",
    };
    LLVMParseCommandLineOptions((int)JG_COUNT_OF(words), words, "");
}

jg_status target_open(isa_level level)
{
    limit_passes();
#if defined __x86_64__
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#else
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
    target.triple = LLVMGetDefaultTargetTriple();
    JG_TRY(open_level(level));
    return open_linker();
}

const char *target_description(void)
{
    return target.description;
}

const char *target_triple(void)
{
    return target.triple;
}

const char *target_layout(void)
{
    return target.layout;
}

unsigned target_vector_width(void)
{
    return target.vector_width;
}

bool target_joins(void)
{
    return target.joins;
}

/* A step takes more without joined multiplications, and LLVM knows no such estimates of others. */
bool target_estimates_roots(void)
{
#if defined __x86_64__
    return target.joins;
#else
    return false;
#endif
}

/* LLVM aborts the process on invalid input, so it is verified first. */
static jg_status check_module(LLVMModuleRef module)
{
    char *message = NULL;
    jg_status status = JG_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = fail("the emitted code", message);
    LLVMDisposeMessage(message);
    return status;
}

jg_status target_run_passes(LLVMModuleRef module, const char *passes)
{
    JG_TRY(check_module(module));
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, 1);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, 1);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
    LLVMPassBuilderOptionsSetSLPVectorization(options, 1);
    LLVMErrorRef error = LLVMRunPasses(module, passes, target.machine, options);
    LLVMDisposePassBuilderOptions(options);
    return take_error("passes", error);
}

static jg_status copy_object(LLVMMemoryBufferRef buffer, disk_object *out)
{
    size_t nbytes = LLVMGetBufferSize(buffer);
    void *bytes = base_copy(LLVMGetBufferStart(buffer), nbytes);
    if (bytes == NULL)
        return base_nomem(nbytes, "compiled code");
    *out = (disk_object){bytes, nbytes};
    return JG_OK;
}

jg_status target_compile(LLVMModuleRef module, disk_object *out)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    if (LLVMTargetMachineEmitToMemoryBuffer(target.machine, module, LLVMObjectFile, &message,
                                            &buffer)) {
        jg_status status = fail("code", message);
        LLVMDisposeMessage(message);
        return status;
    }
    jg_status status = copy_object(buffer, out);
    LLVMDisposeMemoryBuffer(buffer);
    return status;
}

void target_drop(disk_object *object)
{
    base_free(object->bytes);
    *object = (disk_object){0};
}

/* A failure is ignored, as nothing can be done about it. */
void target_unload(void *handle)
{
    LLVMErrorRef error = LLVMOrcResourceTrackerRemove(handle);
    if (error != NULL)
        LLVMConsumeError(error);
    LLVMOrcReleaseResourceTracker(handle);
}

jg_status target_load(const void *bytes, size_t nbytes, const char *name, void **address,
                      void **handle)
{
    LLVMOrcExecutorAddress found = 0;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, nbytes, name);
    LLVMOrcJITDylibRef table = LLVMOrcLLJITGetMainJITDylib(target.linker);
    LLVMOrcResourceTrackerRef tracker = LLVMOrcJITDylibCreateResourceTracker(table);
    jg_status status =
        take_error("object", LLVMOrcLLJITAddObjectFileWithRT(target.linker, tracker, buffer));
    if (status == JG_OK)
        status = take_error("linking", LLVMOrcLLJITLookup(target.linker, &found, name));
    if (status != JG_OK) {
        target_unload(tracker);
        return status;
    }
    *address = (void *)(uintptr_t)found;
    *handle = tracker;
    return JG_OK;
}
