/* SPDX-License-Identifier: Apache-2.0 */
/* fuse: from a graph to values. It walks what is not evaluated, cuts it into groups, lowers each
 * group to a program, orders the launches in a plan, and runs the plan. Plans are cached by
 * structure, so the second evaluation of a graph of the same shape pays for hashing and
 * launching only.
 *
 * Which tiers there are is told by the runtime; fuse knows them through program/executor.h
 * alone. */
#ifndef JG_FUSE_H
#define JG_FUSE_H

#include "graph/graph.h"
#include "program/executor.h"
#include "program/routine.h"

/* Who compiles programs that run often; without it none are. As below. */
void fuse_set_hot_tier(const jg_executor *executor);

/* The tier that programs are prepared by, the host libraries, and the routines by id. Called once,
 * by the runtime, before anything is evaluated. keeps: all three, for good */
void fuse_set_tiers(const jg_executor *executor, const jg_library *library,
                    const jg_routine *const *routines);

/* Whether the host libraries multiply m by k and k by n matrices of the dtype as they are; who
 * builds a product casts its operands to a wider one where they do not. */
bool fuse_product_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k);

/* Makes sure that every array has storage, computed or being computed; with wait, that it is there.
 * raises: NOMEM, LIBRARY, UNSUPPORTED, and the failures of what ran */
jg_status fuse_eval(int count, jg_array *const *arrays, bool wait);

/* fuse_eval of one array and wait, with a short way out when it is there.
 * raises: as fuse_eval | waits: until x is in memory */
jg_status fuse_require(jg_array *x);

/* To be called before memory from low up to high is written in place, by whoever writes a field or
 * a tensor of others: evaluates what is pending and reads it, and waits for runs that do, so that
 * no lazy value sees the write. Costs one load where nothing is pending. Memory of others is
 * watched from readers_track_foreign on.
 * raises: as fuse_eval; then some of it may still be pending | waits: until nothing reads it */
jg_status fuse_before_write(const void *low, const void *high);

/* A row-major copy of x's elements in memory that nobody else holds, for every dtype.
 * gives: *out, +1, available | raises: NOMEM, as fuse_require | waits: until x is in memory */
jg_status fuse_copy(jg_array *x, jg_array **out);

#endif
