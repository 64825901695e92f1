/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: evaluations that write into given targets. */
#ifndef JG_RUN_TARGETS_H
#define JG_RUN_TARGETS_H

#include "run/launch.h"

/* targets.c; all but the last with the evaluation lock */

/* From here to run_targets_end, runs write those of the arrays into the targets that may lie there.
 * targets: of the same dtypes and shapes, writable, on the host, with storage; NULL where none is
 * given. The caller holds them. raises: NOMEM, after which run_targets_end is to be called, too */
jg_status run_targets_begin(int count, jg_array *const *arrays, jg_array *const *targets);
void run_targets_end(void);

/* Before the results of a run on the host get their memory. raises: NOMEM */
jg_status run_targets_bind(const jg_plan *plan, jg_array *const *nodes);

/* The memory that the stored slot's result is to have. A leaf that lies there gets its address.
 * gives: it, +1; NULL if there is none */
jg_buffer *run_targets_take(run_evaluation *run, jg_array *const *nodes, int slot);

/* Copies x, which was computed, to its target unless it lies there. raises: never | waits: never */
void run_targets_copy(const jg_array *x, const jg_array *target);

/* eval.c */

/* run_eval of arrays that have such targets. raises: as run_eval
 * waits: until all are in memory */
jg_status run_eval_into(int count, jg_array *const *arrays, jg_array *const *targets);

#endif
