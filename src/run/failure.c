/* SPDX-License-Identifier: Apache-2.0 */
/* A failure on the host loses only the results that depend on it. Launches whose results do not
 * depend on a lost value still run, and the event of the run marks these results as valid. A
 * device's queue is left as it is, so there the whole run fails. */
#include "run/frame.h"

struct run_failure {
    jg_error error; /* the first */
    bool lost[];    /* by slot */
};

bool run_failure_may_come(const jg_plan *plan, jg_array *const *nodes)
{
    bool may = plan->may_fail;
    for (int i = 0; i < plan->nleaves && !may; ++i)
        may = buffer_is_of_file(node_root(nodes[plan->leaves[i]])->buffer);
    return may;
}

/* Whether the run has a failure to note more in. A small run that has overwritten nothing is
 * repeated as a whole. What was read from a mapped file is checked only after a run without
 * failures (run_launch_all), so none is marked as valid. false also where there is no memory for
 * it */
static bool has_record(run_evaluation *run)
{
    if (run->blocks != NULL || run->reads_files || (run->task.event == NULL && !run->overwrites))
        return false;
    if (run->progress.failure == NULL) {
        size_t nbytes = sizeof *run->progress.failure + (size_t)run->plan->nslots * sizeof(bool);
        run->progress.failure = base_alloc_zeroed(nbytes);
    }
    return run->progress.failure != NULL;
}

/* Captures the error before anything else may fail. */
static jg_status note(run_evaluation *run, jg_status status)
{
    const bool is_first = run->progress.failure == NULL;
    jg_error error;
    error_capture(&error, status);
    if (!has_record(run))
        return error_raise(&error);
    if (is_first)
        run->progress.failure->error = error;
    return JG_OK;
}

static void lose_results(const run_evaluation *run, const plan_launch *launch)
{
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot >= 0 && launch->kind->writes(launch, i))
            run->progress.failure->lost[launch->operands[i].slot] = true;
}

jg_status run_failure_of_launches(run_evaluation *run, int count, jg_status status)
{
    JG_TRY(note(run, status));
    for (int i = 0; i < count; ++i)
        lose_results(run, &run->plan->launches[run->progress.launched + i]);
    return JG_OK;
}

jg_status run_failure_of_leaf(run_evaluation *run, int slot, jg_status status)
{
    JG_TRY(note(run, status));
    run->progress.failure->lost[slot] = true;
    return JG_OK;
}

/* Whether the result that the launch writes there is made of what was lost. */
static bool needs_lost(const run_evaluation *run, const plan_launch *launch, int written)
{
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot >= 0 &&
            run->progress.failure->lost[launch->operands[i].slot] &&
            (launch->kind->needs == NULL || launch->kind->needs(launch, written, i)))
            return true;
    return false;
}

bool run_failure_skips(run_evaluation *run, const plan_launch *launch)
{
    bool some = false;
    for (int i = 0; i < launch->noperands; ++i) {
        if (launch->operands[i].slot < 0 || !launch->kind->writes(launch, i))
            continue;
        if (needs_lost(run, launch, i))
            run->progress.failure->lost[launch->operands[i].slot] = true;
        else
            some = true;
    }
    return !some;
}

jg_status run_failure_raise(const run_evaluation *run)
{
    return error_raise(&run->progress.failure->error);
}

void run_failure_tell(const run_evaluation *run, jg_event *event, jg_status status)
{
    const jg_plan *plan = run->plan;
    const void **results;
    int count = 0;
    event_fail(event, status);
    if (run->progress.failure == NULL || run->nstored == 0)
        return;
    results = base_alloc((size_t)run->nstored * sizeof *results);
    if (results == NULL)
        return; /* then all of them count as failed */
    for (int i = 0; i < run->nstored; ++i)
        if (!run->progress.failure->lost[plan->stored[i]])
            results[count++] = run->buffers[i];
    event_mark_valid(event, results, count);
}
