/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the backend: a module under construction, and what its parts do with it. */
#ifndef JG_JIT_LLVM_H
#define JG_JIT_LLVM_H

#include "jit/backend.h"
#include <llvm-c/Core.h>

/* target.c: what code is made for. Set up once, by target_open */

/* Once, before all others: code is for the host's CPU, with the instructions of the level alone.
 * raises: INTERNAL */
jg_status target_open(isa_level level);
/* Three texts, borrowed and valid forever. */
const char *target_description(void);
const char *target_triple(void);
const char *target_layout(void);
unsigned target_vector_width(void); /* bits, as the CPU prefers */
bool target_joins(void); /* whether scalar.c's functions round a product and a sum together */
bool target_estimates_roots(void); /* whether roots' reciprocals by estimates are the faster ones */

/* Runs `passes`, LLVM's text for a pipeline, over a module that is valid. raises: INTERNAL */
jg_status target_run_passes(LLVMModuleRef module, const char *passes);

/* The module as an object file. gives: *out, for target_drop | raises: INTERNAL */
jg_status target_compile(LLVMModuleRef module, disk_object *out);
void target_drop(disk_object *object);

/* Both as the backend's slots of these names (backend.h).
 * gives: *address, *handle, for target_unload | raises: INTERNAL */
jg_status target_load(const void *bytes, size_t nbytes, const char *symbol, void **address,
                      void **handle);
void target_unload(void *handle);

/* module.c: modules, types, and the functions that scalar.c was compiled to */

/* How many lanes scalar.c was compiled for, at most. */
enum { JIT_MAX_LANES = 64 };

typedef struct jit_module {
    LLVMContextRef context; /* of its own: nothing of LLVM is shared between two compilations */
    LLVMModuleRef module, library; /* library: scalar.c's bitcode; NULL once it is linked in */
    LLVMBuilderRef builder;
    LLVMTypeRef pointer, i1, i8, i32, i64, none;
    LLVMMetadataRef always; /* an empty node */
    LLVMMetadataRef group;  /* another, for accesses that are independent */
} jit_module;

/* With scalar.c's functions of that many lanes; 1: of one element, 0: none.
 * gives: *out, for module_close, also after a failure | raises: INTERNAL */
jg_status module_open(jit_module *out, const char *name, unsigned lanes);
void module_close(jit_module *module);

/* The type of a dtype's values and of its elements in memory: bool is i1 and i8, halves are i16. */
LLVMTypeRef module_type(const jit_module *module, jg_dtype dtype);
LLVMTypeRef module_stored_type(const jit_module *module, jg_dtype dtype);

/* Adds an internal function with the attributes that all code has. */
LLVMValueRef module_function(const jit_module *module, const char *name, LLVMTypeRef type);
void module_add_attribute(const jit_module *module, LLVMValueRef function, const char *name);
void module_add_text_attribute(const jit_module *module, LLVMValueRef function, const char *name,
                               const char *value);

/* Whether scalar.c has the instruction for operands of the type. */
bool module_has_scalar(const jit_module *module, unsigned op, jg_dtype type);

/* The value of the instruction, by a call of scalar.c's function, which is inlined later. The types
 * are the instruction's, and scalar.c must have it. */
LLVMValueRef module_call_scalar(const jit_module *module, unsigned op, jg_dtype type,
                                unsigned count, const LLVMValueRef *operands);
LLVMValueRef module_call_cast(const jit_module *module, jg_dtype from, jg_dtype to,
                              LLVMValueRef value);

/* The same functions of lanes, whose operands and result lie in memory as scalar.c has them. */
void module_call_lanes(const jit_module *module, unsigned op, jg_dtype type, unsigned count,
                       LLVMValueRef to, const LLVMValueRef *operands);
void module_call_lanes_cast(const jit_module *module, jg_dtype from, jg_dtype to,
                            LLVMValueRef result, LLVMValueRef value);

/* Arithmetic of floats, or of vectors of them, as LLVM's instructions, which the kernel may allow
 * to contract and to reassociate; NULL for other instructions. */
bool module_builds_float(unsigned op);
LLVMValueRef module_build_float(const jit_module *module, unsigned op,
                                const LLVMValueRef *operands);

/* Tells LLVM that the first target of the branch is rarely taken. */
void module_mark_rare(const jit_module *module, LLVMValueRef branch);

/* Links the functions in that were called; no more instructions after that. raises: INTERNAL */
jg_status module_link(jit_module *module);

/* symbols.c */

/* The one that is not the C library's. */
static inline float inverse_sqrtf(float x)
{
    return 1 / __builtin_sqrtf(x);
}

/* A function that code may call, by name. */
typedef struct jit_symbol {
    const char *name;
    void *address;
} jit_symbol;
extern const jit_symbol jit_vector_symbols[]; /* the last has no name */

/* The largest or smallest of a row as the tiles find it, tile by tile: the right one of two zeros,
 * and NaN if there is one. */
float jit_rows_maximum(const float *xs, int64_t n, int64_t tile);
float jit_rows_minimum(const float *xs, int64_t n, int64_t tile);

/* vector.c: functions of the C library in loops that become vectors */

/* Gives the C library's functions that are called forms for several lanes, which the vectoriser may
 * choose. */
void jit_vector_prepare(const jit_module *module);

/* After vectorising: removes those that were not chosen; the others are still to be inlined.
 * gives: whether there are any */
bool jit_vector_release(const jit_module *module);

/* emit_kernel.c */

/* Emits the verified kernel into the module, its entry under that name. After a failure the module
 * can only be closed. raises: NOMEM, UNSUPPORTED for an instruction that scalar.c lacks */
jg_status emit_kernel(const jit_module *module, const kernel_program *kernel, unsigned flags,
                      const char *symbol);

/* LLVM's text for the pipeline that a kernel compiled with these flags goes through.
 * gives: a static string */
const char *emit_passes(unsigned flags);

/* emit_rows.c */

/* Emits the program for rows, under that name. After a failure the module can only be closed.
 * raises: NOMEM, UNSUPPORTED */
jg_status jit_rows_emit(const jit_module *module, const jg_program *program, const jit_rows *rows,
                        const char *symbol);

/* The number of lanes for the program's dtypes; and the library whose functions it calls, 0 if it
 * calls none. */
unsigned jit_rows_count_lanes(const jg_program *program);
unsigned jit_rows_library(const jg_program *program);

#endif
