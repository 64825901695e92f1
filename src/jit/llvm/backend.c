/* SPDX-License-Identifier: Apache-2.0 */
/* The entry of the shared object: the table of backend.h over target.c, module.c and emit_*.c. */
#include "jit/rows/rows.h"
#include <jit_build.h> /* JIT_BUILD, written by tools/jit_build.py */
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Failures leave by *error: the message of a thread is this object's own (backend.h). */
static jg_status finish(jg_status status, jg_error *error)
{
    if (status != JG_OK)
        error_capture(error, status);
    return status;
}

/* Pages that are not written are the file's, which brings them back when they are read. */
static int forget_pages(struct dl_phdr_info *object, size_t nbytes, void *context)
{
    uintptr_t own = (uintptr_t)forget_pages, base = object->dlpi_addr;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    bool is_own = false;
    (void)nbytes;
    (void)context;
    for (int i = 0; i < object->dlpi_phnum; ++i)
        is_own |= object->dlpi_phdr[i].p_type == PT_LOAD &&
                  own - base - object->dlpi_phdr[i].p_vaddr < object->dlpi_phdr[i].p_memsz;
    for (int i = 0; is_own && i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t first = (base + part->p_vaddr) & ~(page - 1);
        if (part->p_type == PT_LOAD && !(part->p_flags & PF_W))
            madvise((void *)first, base + part->p_vaddr + part->p_memsz - first, MADV_DONTNEED);
    }
    return is_own;
}

/* Between the passes and the code, which read other parts of LLVM: half a millisecond, and 5 MiB
 * less at the peak. No thread waits for rows, which are compiled in the background. */
static void rest_code(void)
{
    dl_iterate_phdr(forget_pages, NULL);
}

/* Functions are linked in before the passes, which inline them; the vector forms that the passes
 * have chosen are inlined by two more after them. */
static jg_status compile(jit_module *module, const char *passes, disk_object *out)
{
    JG_TRY(module_link(module));
    jit_vector_prepare(module);
    JG_TRY(target_run_passes(module->module, passes));
    if (jit_vector_release(module))
        JG_TRY(target_run_passes(module->module, "always-inline,globaldce"));
    return target_compile(module->module, out);
}

static jg_status compile_kernel(const kernel_program *kernel, unsigned flags, const char *symbol,
                                disk_object *out, jg_error *error)
{
    jit_module module;
    jg_status status = JG_OK;
    JG_TRY_DONE(module_open(&module, symbol, 1));
    JG_TRY_DONE(emit_kernel(&module, kernel, flags, symbol));
    JG_TRY_DONE(compile(&module, emit_passes(flags), out));
done:
    module_close(&module);
    return finish(status, error);
}

/* Nothing to vectorise: called functions are inlined, and the code is simplified. */
static const char rows_passes[] = "always-inline,globaldce,function(sroa,early-cse)";

static jg_status compile_rows(const jg_program *program, const jit_rows *rows, const char *symbol,
                              disk_object *out, jg_error *error)
{
    jit_module module;
    jg_status status = JG_OK;
    JG_TRY_DONE(module_open(&module, symbol, jit_rows_library(program)));
    JG_TRY_DONE(rows->reduced > 0 ? jit_reduced_emit(&module, program, rows, symbol)
                                  : jit_rows_emit(&module, program, rows, symbol));
    JG_TRY_DONE(module_link(&module));
    JG_TRY_DONE(target_run_passes(module.module, rows_passes));
    rest_code();
    JG_TRY_DONE(target_compile(module.module, out));
done:
    module_close(&module);
    return finish(status, error);
}

static jg_status load(const void *bytes, size_t nbytes, const char *symbol, void **address,
                      void **handle, jg_error *error)
{
    return finish(target_load(bytes, nbytes, symbol, address, handle), error);
}

static void rest(void)
{
    rest_code();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static jit_backend backend = {
    .build = JIT_BUILD,
    .compile_kernel = compile_kernel,
    .compile_rows = compile_rows,
    .count_lanes = jit_rows_count_lanes,
    .drop = target_drop,
    .load = load,
    .unload = target_unload,
    .rest = rest,
};

JG_API extern const uint64_t joggle_jit_interface;
JG_API const jit_backend *joggle_jit_backend(isa_level level, jg_error *error);

const uint64_t joggle_jit_interface = JIT_INTERFACE;

const jit_backend *joggle_jit_backend(isa_level level, jg_error *error)
{
    if (backend.target != NULL) /* used again */
        return &backend;
    if (finish(target_open(level), error) != JG_OK)
        return NULL;
    backend.target = target_description();
    return &backend;
}

/* Keeps LLVM's destructors from running: at exit they would destroy its tables while a thread
 * compiles in the background, and some are registered only by the first compilation, after all of
 * our handlers. The object is never closed, and its memory is freed with the process. This replaces
 * the C library's function inside this object only. */
int __cxa_atexit(void (*destroy)(void *), void *object, void *library);

int __cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}
