/* SPDX-License-Identifier: Apache-2.0 */
/* Private to flat*.c: flat programs, compiled as rows or as kernels. */
#ifndef JG_JIT_FLAT_H
#define JG_JIT_FLAT_H

#include "jit/host.h"
#include "program/executor.h"

/* flat_rows.c */

typedef struct jit_flat_rows jit_flat_rows;

/* Whether the innermost loop makes rows that can be compiled and are long enough to be worth it. */
bool jit_rows_suit(const jg_program *program, const program_space *space);

/* Compiles the rows of the innermost loop, which may be a reduced one. unit: a power of two. The
 * order of elements may change within each `unit` elements, so runs begin at multiples of unit; 1
 * keeps the order.
 * gives: *out, for jit_rows_release | raises: as jit_code_find */
jg_status jit_rows_prepare(const jg_program *program, const program_space *space, int64_t unit,
                           bool streams, jit_flat_rows **out);
void jit_rows_release(jit_flat_rows *rows);
const void *jit_rows_address(const jit_flat_rows *rows); /* of its code, borrowed; for tests */

/* Elements first to last - 1 of the space, in the order of its loops; streaming begins at multiples
 * of 64. */
void jit_rows_run(const jit_flat_rows *rows, void *const *addresses, const jg_scalar *scalars,
                  int64_t first, int64_t last);

/* The same of a program that passes over its rows several times: whether the one reduced loop makes
 * rows that can be compiled, and the code for rows of its length; rows first to last - 1. */
bool jit_rows_suit_reduced(const jg_program *program, const program_space *space);
void jit_rows_run_reduced(const jit_flat_rows *rows, void *const *addresses,
                          const jg_scalar *scalars, int64_t first, int64_t last);

#endif
