/* SPDX-License-Identifier: Apache-2.0 */
/* Running a routine: its steps one after the other, the units of each shared by the pool's
 * threads. */
#include "fuse/plan.h"

enum { FEW_OPERANDS = 16 };

typedef struct routine_job {
    const jg_routine *routine;
    const launch_facts *facts;
    routine_call call; /* the plan's, with addresses, scratch and threads of this run */
    int step;
    atomic_int failed; /* the status of the first failure */
    jg_error error;    /* of that; written by the one who set `failed` */
} routine_job;

static void run_units(void *context, int64_t first, int64_t last)
{
    routine_job *job = context;
    if (atomic_load_explicit(&job->failed, memory_order_relaxed) != JG_OK)
        return;
    int64_t start = trace_start();
    jg_status status = job->routine->run(&job->call, job->step, first, last);
    if (start != 0)
        fuse_trace_chunk(start, job->facts, first, last);
    int none = JG_OK;
    if (JG_UNLIKELY(status != JG_OK) && atomic_compare_exchange_strong(&job->failed, &none, status))
        error_capture(&job->error, status);
}

/* A step sees all that the one before it wrote: pool_run returns when its units are done. */
static jg_status run_steps(routine_job *job)
{
    const jg_routine *routine = job->routine;
    int steps = routine->steps ? routine->steps(&job->call) : 1;
    for (job->step = 0; job->step < steps; ++job->step) {
        int64_t units = routine->units(&job->call, job->step);
        if (job->call.threads > 1)
            pool_run(units, launch_grain(units), run_units, job);
        else if (units > 0)
            run_units(job, 0, units);
        if (job->failed != JG_OK)
            return error_raise(&job->error);
    }
    return JG_OK;
}

static jg_status run_with_scratch(const plan_launch *launch, void *const *addresses)
{
    const plan_routine *plan = launch->routine;
    routine_job job = {.routine = plan->routine, .facts = launch->facts, .call = plan->call};
    jg_buffer *scratch = NULL;
    job.call.addresses = addresses;
    job.call.threads = launch->work >= PARALLEL_WORK ? pool_size() : 1;
    if (plan->scratch_nbytes > 0) {
        JG_TRY(buffer_new(device_cpu(), plan->scratch_nbytes, &scratch));
        job.call.scratch = scratch->address;
    }
    jg_status status = run_steps(&job);
    buffer_release(scratch);
    return status;
}

jg_status run_routine(const plan_launch *launch, void *const *addresses)
{
    void *few[FEW_OPERANDS], **mine = few;
    size_t nbytes = (size_t)launch->noperands * sizeof *mine;
    if (launch->noperands > FEW_OPERANDS && (mine = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "an evaluation");
    for (int i = 0; i < launch->noperands; ++i)
        mine[i] = operand_address(&launch->operands[i], addresses);
    jg_status status = run_with_scratch(launch, mine);
    if (mine != few)
        base_free(mine);
    return status;
}
