/* SPDX-License-Identifier: Apache-2.0 */
/* Running the launches of a plan, one after the other, on the calling thread. */
#include "run/frame.h"
#include <stdio.h>

JG_COLD static void run_units_traced(program_job *job, int64_t first, int64_t last)
{
    const plan_launch *launch = job->launch;
    int64_t start = trace_clock();
    job->executor->run(job->code, job->operands, job->scalars, job->shared, first, last);
    run_trace_chunk(start, launch->facts, first, last);
}

void run_program_units(program_job *job, int64_t first, int64_t last)
{
    if (trace_is_on())
        run_units_traced(job, first, last);
    else
        job->executor->run(job->code, job->operands, job->scalars, job->shared, first, last);
}

/* Chunks small enough for threads to end together and large enough to be worth a claim: eight
 * claims a thread. No chunk takes long, as a run may stop between chunks. */
static int64_t choose_grain(int64_t units, int64_t work)
{
    int64_t even = units / (8 * pool_size()), most = units / (work / CHUNK_WORK + 1);
    int64_t grain = even < most ? even : most;
    return grain > 0 ? grain : 1;
}

jg_status run_launch_share(launch_frame *frame, int64_t step, int64_t work, pool_body *body)
{
    int64_t grain = (choose_grain(frame->units, work) + step - 1) / step * step;
    bool all = pool_run_until(frame->units, grain, body, run_stops, frame, &frame->next);
    return all ? JG_OK : JG_ERR_INTERRUPTED;
}

void run_program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                      program_job *out)
{
    out->launch = launch;
    out->executor = launch->program.executor;
    out->code = launch->program.code;
    out->scalars = scalars;
    for (int i = 0; i < launch->noperands; ++i)
        out->operands[i] = run_operand_address(&launch->operands[i], addresses);
}

/* The better code, if it exists or is to be compiled now. */
static const executor_code *find_better(launch_heat *heat, const jg_executor **executor)
{
    const executor_code *better = heat_code(heat, executor);
    if (JG_LIKELY(better != NULL || !heat_is_due(heat)))
        return better;
    heat_make_due(heat);
    return heat_code(heat, executor);
}

int64_t run_program_choose_code(program_job *job)
{
    const plan_program *program = &job->launch->program;
    if (program->heat == NULL)
        return program->units;
    const executor_code *better = find_better(program->heat, &job->executor);
    if (better == NULL) {
        heat_count(program->heat, job->launch->work);
        return program->units;
    }
    job->code = better;
    return job->executor->units(better);
}

static void run_chunk(void *context, int64_t first, int64_t last)
{
    launch_frame *frame = context;
    run_program_units(&frame->program, first, last);
}

jg_status run_program_run(launch_frame *frame, const plan_launch *launch)
{
    program_job *job = &frame->program;
    if (!frame->begun) {
        frame->units = run_program_choose_code(job);
        frame->next = 0;
        frame->begun = true;
    }
    if (launch->work < PARALLEL_WORK)
        run_program_units(job, 0, frame->units);
    else
        JG_TRY(run_launch_share(frame, 1, launch->work, run_chunk));
    run_program_finish(job);
    return JG_OK;
}

void run_program_finish(program_job *job)
{
    job->executor->finish(job->code, job->operands, job->scalars, job->shared);
}

jg_status run_name_failure(jg_op label, jg_status status)
{
    jg_error error;
    error_capture(&error, status);
    return jg_fail(status, "[%s] %s", op_name(label), error.message);
}

/* What follows a routine is bound when that begins. */
static jg_status ready_on_host(plan_run *run, const plan_launch *launch)
{
    JG_TRY(blocks_ready_host(run->blocks, launch, run->addresses));
    if (launch->follower_unit == 0)
        return JG_OK;
    return blocks_ready_host(run->blocks, launch + 1, run->addresses);
}

static jg_status run_launch(launch_frame *frame, const plan_launch *launch)
{
    plan_run *run = frame->run;
    jg_status status = JG_OK;
    if (JG_UNLIKELY(run->blocks != NULL) && !frame->begun && plan_runs_on_host(launch))
        status = ready_on_host(run, launch);
    if (status != JG_OK)
        return run_name_failure(launch->label, status);
    if (!plan_runs_on_host(launch)) {
        status = run_on_device(run, launch);
    } else if (launch->kind == LAUNCH_ROUTINE) {
        status = run_routine(frame, launch, run->scalar + launch->nscalars);
    } else {
        if (!frame->begun)
            run_program_bind(launch, run->addresses, run->scalar, &frame->program);
        status = run_program_run(frame, launch);
    }
    if (JG_LIKELY(status == JG_OK) || status == JG_ERR_INTERRUPTED)
        return status;
    return run_name_failure(launch->label, status);
}

JG_COLD static jg_status run_launch_traced(launch_frame *frame, const plan_launch *launch)
{
    int64_t start = trace_clock();
    jg_status status = run_launch(frame, launch);
    run_trace_launch(start, launch, frame->run->device);
    return status;
}

jg_status run_launches(plan_run *run, launch_frame *frame)
{
    for (; run->launched < run->plan->nlaunches; ++run->launched) {
        const plan_launch *launch = &run->plan->launches[run->launched];
        bool has_run = run->launched > 0 && launch[-1].follower_unit > 0 && run->followed;
        if (!has_run && run_leaves(run, launch))
            return JG_ERR_INTERRUPTED;
        if (!has_run)
            JG_TRY(trace_is_on() ? run_launch_traced(frame, launch) : run_launch(frame, launch));
        frame->begun = false;
        run->scalar += launch->nscalars;
    }
    return JG_OK;
}

static const plan_launch *launch_of(const launch_frame *frame)
{
    return &frame->run->plan->launches[frame->run->launched];
}

void run_frame_moved(launch_frame *frame)
{
    if (frame->begun && launch_of(frame)->kind == LAUNCH_ROUTINE)
        run_routine_moved(&frame->routine);
}

void run_frame_clear(launch_frame *frame)
{
    if (frame->begun && launch_of(frame)->kind == LAUNCH_ROUTINE)
        run_routine_clear(&frame->routine);
}
