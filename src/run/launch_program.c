/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program: its units shared by the pool's threads, with the best code that there is. */
#include "run/frame.h"
#include "run/trace.h"

/* Asked for where it is used: frames move. */
static void *shared_of(run_program_job *job)
{
    return job->shared != NULL ? job->shared : job->own;
}

JG_COLD static void run_units_traced(run_program_job *job, int64_t first, int64_t last)
{
    const plan_launch *launch = job->launch;
    int64_t start = trace_clock();
    job->executor->run(job->code, job->operands, job->scalars, shared_of(job), first, last);
    run_trace_chunk(start, launch->facts, first, last);
}

void run_program_units(run_program_job *job, int64_t first, int64_t last)
{
    if (trace_is_on())
        run_units_traced(job, first, last);
    else
        job->executor->run(job->code, job->operands, job->scalars, shared_of(job), first, last);
}

void run_program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                      run_program_job *out)
{
    out->launch = launch;
    out->executor = launch->program.executor;
    out->code = launch->program.code;
    out->scalars = scalars;
    out->shared = NULL;
    for (int i = 0; i < launch->noperands; ++i)
        out->operands[i] = run_operand_address(&launch->operands[i], addresses);
}

/* The better code, if it exists or is to be compiled now. */
static const executor_code *find_better(plan_launch_heat *heat, const program_executor **executor)
{
    const executor_code *better = heat_code(heat, executor);
    if (JG_LIKELY(better != NULL || !heat_is_due(heat)))
        return better;
    heat_make_due(heat);
    return heat_code(heat, executor);
}

int64_t run_program_find_code(const plan_launch *launch, const program_executor **executor,
                              const executor_code **code)
{
    const plan_program *program = &launch->program;
    *executor = program->executor;
    *code = program->code;
    if (program->heat == NULL)
        return program->units;
    const executor_code *better = find_better(program->heat, executor);
    if (better == NULL) {
        heat_count(program->heat, launch->work);
        return program->units;
    }
    *code = better;
    return (*executor)->units(better);
}

int64_t run_program_choose_code(run_program_job *job)
{
    return run_program_find_code(job->launch, &job->executor, &job->code);
}

void run_program_finish(run_program_job *job)
{
    job->executor->finish(job->code, job->operands, job->scalars, shared_of(job));
}

static void run_chunk(void *context, int64_t first, int64_t last)
{
    run_frame *frame = context;
    run_program_units(&frame->program, first, last);
}

static jg_status bind(run_frame *frame, const plan_launch *launch)
{
    run_program_bind(launch, frame->run->addresses, frame->run->progress.scalar, &frame->program);
    if (launch->program.shared_nbytes > 0)
        frame->program.shared = frame->run->shared;
    frame->units = run_program_choose_code(&frame->program);
    return JG_OK;
}

static jg_status run(run_frame *frame, const plan_launch *launch)
{
    run_program_job *job = &frame->program;
    if (launch->work < PARALLEL_WORK)
        run_program_units(job, 0, frame->units);
    else
        JG_TRY(run_launch_share(frame, 1, launch->work, run_chunk));
    run_program_finish(job);
    return JG_OK;
}

const plan_launch_kind run_program = {.on_host = true,
                                      .joins = true,
                                      .writes = plan_program_writes,
                                      .needs = plan_program_needs,
                                      .follows = plan_program_follows,
                                      .is_due = plan_program_is_due,
                                      .describe = plan_program_describe,
                                      .release = plan_program_release,
                                      .bind = bind,
                                      .run = run};
