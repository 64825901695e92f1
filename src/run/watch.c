/* SPDX-License-Identifier: Apache-2.0 */
/* The progress of evaluations: the work of all planned launches, and of the launches that have run.
 * It is counted only while a caller watches. */
#include "run/trace.h"
#include <joggle/trace.h>

atomic_int watch_count;
static atomic_llong planned, done;

void jg_progress_begin(void)
{
    atomic_fetch_add_explicit(&watch_count, 1, memory_order_relaxed);
}

void jg_progress_end(void)
{
    atomic_fetch_sub_explicit(&watch_count, 1, memory_order_relaxed);
}

void jg_progress_read(jg_progress *out)
{
    /* The work that is done first: it was planned before. */
    out->done = atomic_load_explicit(&done, memory_order_acquire);
    out->planned = atomic_load_explicit(&planned, memory_order_acquire);
}

/* Launches of no work count, too. A launch may have INT64_MAX for work beyond it. */
static long long work_of(const plan_launch *launches, int count)
{
    long long sum = count;
    for (int i = 0; i < count; ++i)
        if (__builtin_add_overflow(sum, launches[i].work, &sum))
            return INT64_MAX;
    return sum;
}

void watch_add_planned(const jg_plan *plan)
{
    atomic_fetch_add_explicit(&planned, work_of(plan->launches, plan->nlaunches),
                              memory_order_release);
}

void watch_add_done(const plan_launch *launches, int count)
{
    atomic_fetch_add_explicit(&done, work_of(launches, count), memory_order_release);
}
