/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: the steps that make a plan of a walked graph, beside its draft: the key by which
 * an earlier plan is found, the order of the nodes, lowering to launches, their facts and their
 * heat, where slots lie in memory. */
#ifndef JG_PLAN_STEPS_H
#define JG_PLAN_STEPS_H

#include "plan/draft.h"

/* key.c */

/* The first different numbers of a walk. Those that are equal are one value of a program. */
enum { PLAN_CONSTANTS = 16 };
typedef struct plan_constants {
    int count;
    const jg_array *nodes[PLAN_CONSTANTS];
} plan_constants;

/* Gives each different number of a walk its position, from 1 to PLAN_CONSTANTS; equal ones have the
 * same. Later numbers, and nodes that are no numbers, have 0. Must be called for all nodes in their
 * order. */
int plan_constant_of(plan_constants *constants, const jg_array *x);

/* Writes the structure of the walked graph: equal keys mean that one plan serves both. raises:
 * NOMEM */
jg_status plan_write_key(const graph_walk *walk, bool fusing, base_vec *key);

/* order.c */

/* The walk with its nodes in the order in which they are to be computed, and numbered by that: one
 * that needs less memory where it is found, else the walk as it is.
 * gives: *out, for order_end, also after a failure; it borrows the rest of the walk | raises: NOMEM
 */
jg_status order_begin(const graph_walk *walk, graph_walk *out);
bool order_is_new(const graph_walk *walk, const graph_walk *ordered);

void order_end(const graph_walk *walk, graph_walk *ordered);

/* lower.c */

/* Lowers one group into a launch whose code is prepared. raises: NOMEM, UNSUPPORTED */
jg_status plan_lower_group(plan_draft *draft, const plan_group *group, plan_launch *out);

/* Whether the node is one simple instruction, of which several cost no more than memory does. */
bool plan_lower_is_simple(const jg_array *x);

/* lower_routine.c */

/* Like plan_lower_group, for a group of the results of a routine's call.
 * gives: *out | raises: NOMEM, UNSUPPORTED */
jg_status plan_lower_routine(plan_draft *draft, const plan_group *group, plan_launch *out);

/* The place of an input when the plan runs; no slot for NULL. */
plan_operand plan_operand_of(const jg_array *input);

/* Completes a launch whose operands and attributes are set and which has nresults results.
 * raises: NOMEM, UNSUPPORTED */
jg_status plan_finish_routine(const plan_draft *draft, jg_primitive primitive, int nresults,
                              jg_op label, plan_launch *out);

/* attention.c */

/* Lowers what plan_attention_find found. gives: *out | raises: NOMEM */
jg_status plan_attention_lower(plan_draft *draft, const plan_attention *found, plan_launch *out);

/* plan.c, lower_routine.c */

/* The tier that later plans prepare their programs with. */
void plan_set_executor(const program_executor *tier);

/* The routines that later plans use, by primitive. */
void plan_lower_set_routines(const jg_routine *const *routines);

/* facts.c */

/* Gives the lowered launch its facts. raises: NOMEM */
jg_status facts_collect(const plan_draft *draft, const plan_group *group, plan_launch *launch);

/* heat.c */

/* For a launch of the program, whose first code is of the tier `own`. Launches of equal programs
 * over equal spaces have one heat. gives: *out, for heat_release, or NULL where no tier makes
 * better code | raises: NOMEM */
jg_status heat_begin(const program_executor *own, const jg_program *program,
                     const program_space *space, plan_launch_heat **out);
void heat_release(plan_launch_heat *heat); /* NULL is fine */

/* slots.c */

/* Decides where each slot of a plan lies in memory, after its launches were lowered.
 * raises: NOMEM, VALUE for a result with more bytes than 63 bits count */
jg_status plan_store_slots(jg_plan *plan, plan_draft *draft);

/* Lists the slots that are in memory by kind, for runs, which look at no others. raises: NOMEM */
jg_status plan_list_slots(jg_plan *plan);

/* The number of the memory that the slot's value lies in: a leaf's and a stored value's own slot,
 * of a shared value its home's; temporaries come after the slots. -1 for what is in none, or for no
 * slot. */
int plan_memory_of(const jg_plan *plan, int slot);

/* series.c */

/* Counts the launches that may run at the same time, once all slots have their memory. raises:
 * NOMEM */
jg_status plan_find_series(jg_plan *plan);

/* verify.c */

/* Whether the plan could run: each launch reads what is in its memory, and writes over nothing that
 * is still needed. raises: INTERNAL, naming the launch and the slot; NOMEM */
jg_status plan_verify(const jg_plan *plan);

/* log.c */

/* Writes the launch to stderr if JOGGLE_LOG asks for plans. */
void plan_log_program(const plan_group *group, const jg_program *program,
                      const program_space *space);
void plan_log_routine(const plan_routine *routine);

#endif
