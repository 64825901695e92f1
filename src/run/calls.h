/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: plans that are found by the function that is called (calls.c). */
#ifndef JG_RUN_CALLS_H
#define JG_RUN_CALLS_H

#include "plan/plan.h"

typedef struct call_plan call_plan;

/* The plan for an evaluation of the call whose pending results are `live`, if one is kept.
 * The evaluation lock must be held, as for the next two.
 * gives: borrowed, as long as the call's function; NULL for none */
call_plan *run_calls_find(const deferred_call *call, uint64_t live, bool fusing);

/* Makes the walk what run_plan asks of one that has found the plan.
 * gives: *plan, +1 | raises: NOMEM */
jg_status run_calls_bind(const call_plan *known, deferred_call *call, graph_walk *walk,
                         jg_plan **plan);

/* Keeps the plan that was found for the walk of the call's nodes, unless it would not serve other
 * calls. results: those that are live, by number, which the walk has stored. */
void run_calls_keep(deferred_call *call, uint64_t live, bool fusing, const graph_walk *walk,
                    jg_array *const *results, jg_plan *plan);

#endif
