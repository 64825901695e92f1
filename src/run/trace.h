/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: what traces and watchers learn of evaluations and launches. */
#ifndef JG_RUN_TRACE_H
#define JG_RUN_TRACE_H

#include "plan/plan.h"
#include <stdatomic.h>

/* trace.c: called only while a trace is on, which costs one load to find out */

/* Notes when an evaluation begins. gives: the time */
int64_t run_trace_enter(void);

/* Each records a span that ends now: building nnodes nodes, an evaluation of count arrays, a
 * launch (the first of count that ran at the same time), and a chunk of units of one. device: that
 * of the results; the span tells what ran the launch where that is not the host. raises: never */
void run_trace_build(int nnodes);
void run_trace_eval(int64_t start_ns, int count, bool wait);
void run_trace_launch(int64_t start_ns, const plan_launch *launch, int count,
                      const jg_device *device);
void run_trace_chunk(int64_t start_ns, const plan_launch_facts *facts, int64_t first, int64_t last);

/* watch.c */

extern atomic_int watch_count;

static inline bool watch_is_on(void)
{
    return JG_UNLIKELY(atomic_load_explicit(&watch_count, memory_order_relaxed) > 0);
}

/* Count the launches of a run that begins, and launches that have run. */
void watch_add_planned(const jg_plan *plan);
void watch_add_done(const plan_launch *launches, int count);

#endif
