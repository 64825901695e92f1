/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the host's half of jit: code that is loaded, and the cache on disk. */
#ifndef JG_JIT_HOST_H
#define JG_JIT_HOST_H

#include "base/disk.h"
#include "jit/backend.h"

/* key.c: what code depends on */

/* Appends the kernel without names, texts and lines: kernels with equal keys have the same code.
 * What code reports to the host it reports by positions, which are in the key. raises: NOMEM */
jg_status jit_key_write_kernel(base_vec *key, const kernel_program *kernel, unsigned flags);
jg_status jit_key_write_rows(base_vec *key, const jg_program *program, const jit_rows *rows);

/* host.c */

/* How a program becomes an object. options: the maker's own. gives: *out | raises: into *error, as
 * the back end's slots do */
typedef jg_status code_maker(const jit_backend *backend, const void *program, const void *options,
                             const char *symbol, disk_object *out, jg_error *error);

/* The code of that key: kept, from the disk or made. The key begins with what the program says of
 * itself and is completed. gives: *out, for jit_code_release | raises: as the maker, LIBRARY,
 * UNSUPPORTED | waits: for other compilations, unless the code exists */
struct kernel_code;
jg_status jit_code_find(base_vec *key, code_maker *make, const void *program, const void *options,
                        struct kernel_code **out);
/* Borrowed from the code. */
void *jit_code_address(const struct kernel_code *code);
void jit_code_release(struct kernel_code *code); /* waits: never for a compilation */
void jit_rest(void); /* as program_executor's rest; waits: never for a compilation */

/* One more reference to code that the caller has. */
unsigned jit_code_count_lanes(const jg_program *program);

#endif
