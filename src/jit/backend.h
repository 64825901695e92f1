/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between the two halves of the room. The host's half (host.c, key.c, flat.c)
 * is part of libjoggle; the backend (everything that includes llvm.h) is a shared object of its own
 * with LLVM in it: llvm (modules, the target, the functions that code calls), kernel (code for
 * kernels), rows (vector code for rows of flat programs). The backend has private copies of the
 * lower rooms, so no state is shared: failures are returned as a status and a text, which the host
 * raises again, and options are passed as arguments. */
#ifndef JG_JIT_BACKEND_H
#define JG_JIT_BACKEND_H

#include "base/disk.h"
#include "kernel/kernel.h"
#include "program/program.h"
#include <jit_interface.h> /* JIT_INTERFACE, by tools/jit_build.py from this and lower headers */

#define JIT_SYMBOL_SIZE 40 /* of a symbol's name and its zero */

/* A cache line: the unit of streaming stores, and of the rest of a row. */
enum { JIT_LINE_NBYTES = 64, JIT_GROUP_NBYTES = 128 /* of all lanes, at most */ };
enum { JIT_MIN_LANES = 8 /* of a group, however wide its elements are */ };

/* The properties of the rows of a flat program. In each buffer the elements of a row are adjacent,
 * or the row has one element. */
typedef struct jit_rows {
    uint32_t streams;                /* a bit for each buffer that is written past the caches, to
                                        addresses aligned to lines */
    bool still[PROGRAM_MAX_BUFFERS]; /* one element for the row */
    int64_t reduced;                 /* elements of a row that is reduced, which the code is made
                                        for; 0 for rows of any length and no reductions */
} jit_rows;

/* So many rows of it, one or more: addresses of the first elements, of an INDEX its value there and
 * how it goes on; the first elements of rows lie row_steps[buffer] bytes apart (steps of an INDEX).
 * count: the elements of a row, a multiple of what count_lanes says, and not 0. */
typedef void jit_row_entry(void *const *addresses, const int64_t *steps, const jg_scalar *scalars,
                           int64_t rows, const int64_t *row_steps, int64_t count);

/* Rows of a program that reduces them and passes over them again. */
typedef void jit_reduced_entry(void *const *addresses, const int64_t *steps,
                               const jg_scalar *scalars, int64_t rows, const int64_t *row_steps);

/* Objects are machine code that is not linked yet. The maker of one frees it: the backend by drop,
 * disk.c's reader with base_free, as each has its own heap hooks. */

/* A function takes one caller at a time unless said otherwise; the host holds its lock. A failing
 * one fills *error, whose status it also returns. */
typedef struct jit_backend {
    uint64_t build; /* of everything that code is made from: code of another build is not used */

    /* CPU and features that code is made for, which are part of a cache's keys. Any thread. */
    const char *target;

    /* Compiles a verified kernel. gives: *out, for drop | raises: UNSUPPORTED, NOMEM */
    jg_status (*compile_kernel)(const kernel_program *kernel, unsigned flags, const char *symbol,
                                disk_object *out, jg_error *error);

    /* Compiles a flat program for rows.
     * gives: *out, for drop | raises: UNSUPPORTED, NOMEM */
    jg_status (*compile_rows)(const jg_program *program, const jit_rows *rows, const char *symbol,
                              disk_object *out, jg_error *error);
    unsigned (*count_lanes)(const jg_program *program); /* any thread */

    void (*drop)(disk_object *object); /* one that a compile_ gave */

    /* Links an object, its own or one from the disk. Its symbol must not be loaded already.
     * gives: the address of the symbol, until unload(*handle) | raises: UNSUPPORTED */
    jg_status (*load)(const void *bytes, size_t nbytes, const char *symbol, void **address,
                      void **handle, jg_error *error);
    void (*unload)(void *handle); /* its code is not running any more */

    /* Gives back what compiling has left, pages of the object's file and of the heap. Any
     * thread. */
    void (*rest)(void);
} jit_backend;

/* Two symbols are exported. joggle_jit_interface is JIT_INTERFACE, which is read before anything is
 * called: halves with different ones do not work together. joggle_jit_backend is such a function.
 * level: the instructions that code may have; the first call decides. gives: borrowed, valid
 * forever; NULL and *error where LLVM has no such target */
typedef const jit_backend *jit_backend_entry(isa_level level, jg_error *error);

#endif
