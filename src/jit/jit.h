/* SPDX-License-Identifier: Apache-2.0 */
/* jit: tier 1, which compiles programs with LLVM.
 *
 * LLVM is in a shared object of its own, libjoggle_jit.so, beside libjoggle, that is opened when
 * something is compiled for the first time. A build without it still has this room: then compiling
 * raises UNSUPPORTED and says what is missing. Compiled code is kept in memory and, as objects, on
 * disk (JOGGLE_JIT_CACHE), so that a second process only links. */
#ifndef JG_JIT_H
#define JG_JIT_H

#include "kernel/compiler.h"
#include "program/executor.h"

extern const kernel_compiler jit_compiler;

/* Compiles flat programs of real numbers, as rows or as kernels of one loop. Of programs that
 * reduce, it takes only those of float32 that pass over their rows again. kernel/flat.h makes
 * kernels of nearly all programs, but the tiles run the others no slower. Preparing takes
 * milliseconds, so it is for programs that run often. Results are those of the tiles, bit for
 * bit. */
extern const program_executor jit_executor;

/* Whether programs can be compiled here; opens the shared object. raises: UNSUPPORTED, LIBRARY */
jg_status jit_available(void);

void jit_install_hooks(void); /* once, before there are threads */

#endif
