/* SPDX-License-Identifier: Apache-2.0 */
/* Running the launches of a plan, one after the other, on the calling thread. */
#include "fuse/plan.h"
#include <stdio.h>

JG_COLD static void run_units_traced(program_job *job, int64_t first, int64_t last)
{
    const plan_launch *launch = job->launch;
    int64_t start = trace_clock();
    job->executor->run(job->code, job->operands, job->scalars, job->shared, first, last);
    fuse_trace_chunk(start, launch->facts, first, last);
}

void program_run_units(void *context, int64_t first, int64_t last)
{
    program_job *job = context;
    if (trace_is_on())
        run_units_traced(job, first, last);
    else
        job->executor->run(job->code, job->operands, job->scalars, job->shared, first, last);
}

int64_t launch_grain(int64_t units)
{
    int64_t grain = units / (8 * pool_size()); /* eight claims a thread */
    return grain > 0 ? grain : 1;
}

void program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                  program_job *out)
{
    out->launch = launch;
    out->executor = launch->executor;
    out->code = launch->code;
    out->scalars = scalars;
    for (int i = 0; i < launch->noperands; ++i)
        out->operands[i] = operand_address(&launch->operands[i], addresses);
}

/* The units of the code that is to run: the launch's own or a better one's, which is put in the
 * job, so that all threads of the run stay with it. */
static int64_t choose_code(program_job *job)
{
    const plan_launch *launch = job->launch;
    if (launch->heat == NULL)
        return launch->units;
    const executor_code *better = heat_code(launch->heat, &job->executor);
    if (better == NULL) {
        heat_count(launch->heat, launch->work);
        return launch->units;
    }
    job->code = better;
    return job->executor->units(better);
}

void program_run(program_job *job)
{
    const plan_launch *launch = job->launch;
    int64_t units = choose_code(job);
    if (launch->work < PARALLEL_WORK)
        program_run_units(job, 0, units);
    else
        pool_run(units, launch_grain(units), program_run_units, job);
    program_finish(job);
}

void program_finish(program_job *job)
{
    job->executor->finish(job->code, job->operands, job->scalars, job->shared);
}

/* The failure with the op's name before it. */
static jg_status name_failure(jg_op op, jg_status status)
{
    jg_error error;
    error_capture(&error, status);
    return jg_fail(status, "[%s] %s", op_name(op), error.message);
}

static jg_status run_launch(const plan_launch *launch, void *const *addresses,
                            const jg_scalar *scalars)
{
    jg_status status = JG_OK;
    program_job job;
    if (launch->matmul != NULL) {
        status = run_matmul(launch, addresses, scalars);
    } else if (launch->routine != NULL) {
        status = run_routine(launch, addresses);
    } else {
        program_bind(launch, addresses, scalars, &job);
        program_run(&job);
    }
    return status == JG_OK ? JG_OK : name_failure(launch->op, status);
}

JG_COLD static jg_status run_launch_traced(const plan_launch *launch, void *const *addresses,
                                           const jg_scalar *scalars)
{
    int64_t start = trace_clock();
    jg_status status = run_launch(launch, addresses, scalars);
    fuse_trace_launch(start, launch->facts);
    return status;
}

jg_status run_launches(const plan_run *run)
{
    const jg_scalar *scalars = run->scalars;
    for (int i = 0; i < run->plan->nlaunches; ++i) {
        const plan_launch *launch = &run->plan->launches[i];
        if (i > 0 && launch[-1].epilogue_unit > 0) { /* the product before it has run it */
            scalars += launch->nscalars;
            continue;
        }
        JG_TRY(trace_is_on() ? run_launch_traced(launch, run->addresses, scalars)
                             : run_launch(launch, run->addresses, scalars));
        scalars += launch->nscalars;
    }
    return JG_OK;
}
