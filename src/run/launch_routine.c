/* SPDX-License-Identifier: Apache-2.0 */
/* Running a routine: its steps one after the other, the units of each shared by the pool's
 * threads. */
#include "run/frame.h"

static void run_units(void *context, int64_t first, int64_t last)
{
    routine_job *job = &((launch_frame *)context)->routine;
    if (atomic_load_explicit(&job->failed, memory_order_relaxed) != JG_OK)
        return;
    int64_t start = trace_start();
    jg_status status = job->routine->run(&job->call, job->step, first, last);
    if (start != 0)
        run_trace_chunk(start, job->facts, first, last);
    int none = JG_OK;
    if (JG_UNLIKELY(status != JG_OK) && atomic_compare_exchange_strong(&job->failed, &none, status))
        error_capture(&job->error, status);
}

/* A step sees all that the one before it wrote: launch_share returns when its units are done. */
static jg_status run_steps(launch_frame *frame, int64_t work)
{
    routine_job *job = &frame->routine;
    int steps = job->routine->steps ? job->routine->steps(&job->call) : 1;
    for (; job->step < steps; ++job->step, frame->next = 0) {
        frame->units = job->routine->units(&job->call, job->step);
        if (work >= PARALLEL_WORK)
            JG_TRY(launch_share(frame, 1, work, run_units));
        else if (frame->units > 0)
            run_units(frame, 0, frame->units);
        if (job->failed != JG_OK)
            return error_raise(&job->error);
    }
    return JG_OK;
}

void routine_clear(routine_job *job)
{
    buffer_release(job->scratch);
    if (job->addresses != job->few)
        base_free(job->addresses);
}

/* gives: *out, for routine_clear | raises: NOMEM */
static jg_status begin(const plan_launch *launch, void *const *addresses, routine_job *out)
{
    const plan_routine *plan = launch->routine;
    *out = (routine_job){.routine = plan->routine, .facts = launch->facts, .call = plan->call};
    out->addresses = out->few;
    size_t nbytes = (size_t)launch->noperands * sizeof *out->addresses;
    if (launch->noperands > FEW_OPERANDS && (out->addresses = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "an evaluation");
    for (int i = 0; i < launch->noperands; ++i)
        out->addresses[i] = operand_address(&launch->operands[i], addresses);
    out->call.addresses = out->addresses;
    out->call.threads = launch->work >= PARALLEL_WORK ? pool_size() : 1;
    if (plan->scratch_nbytes > 0) {
        jg_status status = buffer_new(device_cpu(), plan->scratch_nbytes, &out->scratch);
        if (status != JG_OK) {
            routine_clear(out);
            return status;
        }
        out->call.scratch = out->scratch->address;
    }
    return JG_OK;
}

jg_status run_routine(launch_frame *frame, const plan_launch *launch)
{
    if (!frame->begun) {
        JG_TRY(begin(launch, frame->run->addresses, &frame->routine));
        frame->next = 0;
        frame->begun = true;
    }
    jg_status status = run_steps(frame, launch->work);
    if (status != JG_ERR_INTERRUPTED)
        routine_clear(&frame->routine);
    return status;
}
