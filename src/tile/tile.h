/* SPDX-License-Identifier: Apache-2.0 */
/* tile: tier 0, which runs flat programs at once by calling precompiled vector loops on tiles
 * of about a thousand elements, so that what lies between two instructions stays in the
 * first-level cache.
 *
 * A buffer that is written may share memory with one that is read only where
 * program_may_overwrite says so (then it is computed in place); two written buffers must not
 * overlap. */
#ifndef JG_TILE_H
#define JG_TILE_H

#include "program/executor.h"

extern const program_executor tile_executor;

/* The instruction set that loops are taken from: "baseline", "avx2" or "avx512", as the CPU
 * has it and the option ISA allows; chosen at the first call. For tests. gives: a static string |
 * raises: never */
const char *tile_isa_name(void);

#endif
