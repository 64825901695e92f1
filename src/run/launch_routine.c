/* SPDX-License-Identifier: Apache-2.0 */
/* Running a routine: its steps one after the other, the units of each shared by the pool's threads.
 *
 * A program that follows the routine runs unit by unit as well: those whose elements a thread has
 * just made, while they are in its caches. A unit whose elements two threads compute is left to the
 * end. */
#include "base/divisor.h"
#include "run/frame.h"
#include "run/trace.h"
#include <string.h>

/* Scalar operations of a chunk at least, about 15 microseconds, unless threads would be idle. */
enum { LEAST_CHUNK = 448 << 10 };

static void note_failure(run_routine_job *job, jg_status status)
{
    int none = JG_OK;
    if (atomic_compare_exchange_strong(&job->failed, &none, status))
        error_capture(&job->error, status);
}

/* Runs the follower's units from `first` up to `last`. */
static void run_following(run_frame *frame, int64_t first, int64_t last)
{
    if (first >= last)
        return;
    run_program_units(&frame->program, first, last);
    memset(frame->routine.followed + first, true, (size_t)(last - first));
}

/* The units of the last step, as many at a time as make a unit of the follower, which reads no
 * other elements than those that this call has made. */
static jg_status run_followed(run_frame *frame, int64_t first, int64_t last)
{
    run_routine_job *job = &frame->routine;
    int64_t each = job->following_unit, start, end;
    int64_t size = job->call.operands[job->call.noperands - 1].size;
    job->routine->covers(&job->call, first, &start, &end);
    int64_t next = ceil_div(start, each), count = end > start ? each / (end - start) : 1;
    for (int64_t unit = first, stop; unit < last; unit = stop) {
        stop = count > 0 ? unit + count : unit + 1;
        stop = int64_min(stop, last);
        JG_TRY(job->routine->run(&job->call, job->step, unit, stop));
        job->routine->covers(&job->call, stop - 1, &start, &end);
        int64_t ready = end == size ? job->following : end / each;
        run_following(frame, next, ready);
        next = int64_max(ready, next);
    }
    return JG_OK;
}

static void run_units(void *context, int64_t first, int64_t last)
{
    run_frame *frame = context;
    run_routine_job *job = &frame->routine;
    if (atomic_load_explicit(&job->failed, memory_order_relaxed) != JG_OK)
        return;
    int64_t start = trace_start();
    bool followed = job->following > 0 && job->step == job->steps - 1;
    jg_status status = followed ? run_followed(frame, first, last)
                                : job->routine->run(&job->call, job->step, first, last);
    if (start != 0)
        run_trace_chunk(start, job->facts, first, last);
    if (JG_UNLIKELY(status != JG_OK))
        note_failure(job, status);
}

/* The least number of units in a chunk: the first data of a chunk is in no cache yet. If there are
 * few units, threads get equal chunks. */
static int64_t least_chunk(const run_frame *frame, int64_t work)
{
    int64_t threads = pool_size(), each = work / LEAST_CHUNK / threads;
    return ceil_div(frame->units, threads * int64_max(each, 1));
}

/* The size of chunks. They end where units of the follower end, so that few units are left to the
 * end, unless threads would be idle then. */
static int64_t choose_step(const run_frame *frame, int64_t work)
{
    const run_routine_job *job = &frame->routine;
    int64_t each = job->following_unit, least = least_chunk(frame, work), start, end;
    if (job->following == 0 || job->step < job->steps - 1)
        return least;
    job->routine->covers(&job->call, 0, &start, &end);
    int64_t step = each / base_common_divisor(each, end - start);
    return step * pool_size() <= frame->units ? int64_max(least / step, 1) * step : least;
}

static bool is_worth_sharing(int64_t work)
{
    return work >= PARALLEL_WORK || (work >= AWAKE_WORK && pool_is_awake());
}

/* A step sees all that the one before it wrote: run_launch_share returns when its units are
 * done. */
static jg_status run_steps(run_frame *frame, int64_t work)
{
    run_routine_job *job = &frame->routine;
    for (; job->step < job->steps; ++job->step, frame->next = 0) {
        frame->units = job->routine->units(&job->call, job->step);
        /* If a step was shared before it stopped, it is continued and not begun again: units may
         * add to their results. */
        if (frame->units > 1 && (frame->next > 0 || is_worth_sharing(work)))
            JG_TRY(run_launch_share(frame, choose_step(frame, work), work, run_units));
        else if (frame->units > 0)
            run_units(frame, 0, frame->units);
        if (job->failed != JG_OK)
            return error_raise(&job->error);
    }
    return JG_OK;
}

/* Runs the units that have not run yet, and ends the follower's launch. */
static void finish_following(run_frame *frame)
{
    const run_routine_job *job = &frame->routine;
    for (int64_t i = 0; i < job->following; ++i)
        if (!job->followed[i])
            run_program_units(&frame->program, i, i + 1);
    run_program_finish(&frame->program);
}

static void moved(run_frame *frame)
{
    run_routine_job *job = &frame->routine;
    if (job->launch->noperands <= FEW_OPERANDS)
        job->call.addresses = job->addresses = job->few;
    if (job->following <= FEW_FOLLOWING)
        job->followed = job->few_followed;
}

static void free_job(const run_routine_job *job)
{
    buffer_release(job->scratch);
    if (job->addresses != job->few)
        base_free(job->addresses);
    if (job->followed != job->few_followed)
        base_free(job->followed);
}

/* The launch must have been bound and must not have ended. */
static void clear(run_frame *frame)
{
    const run_routine_job *job = &frame->routine;
    if (job->routine->abandon != NULL)
        job->routine->abandon(&job->call);
    free_job(job);
}

static jg_status bind_operands(const plan_launch *launch, void *const *addresses,
                               run_routine_job *job)
{
    size_t nbytes = (size_t)launch->noperands * sizeof *job->addresses;
    if (launch->noperands > FEW_OPERANDS) {
        void **many = base_alloc(nbytes);
        if (many == NULL)
            return base_nomem(nbytes, "an evaluation");
        job->addresses = many;
    }
    for (int i = 0; i < launch->noperands; ++i)
        job->addresses[i] = run_operand_address(&launch->operands[i], addresses);
    job->call.addresses = job->addresses;
    return JG_OK;
}

static jg_status take_scratch(const plan_routine *plan, run_routine_job *job)
{
    if (plan->scratch_nbytes == 0)
        return JG_OK;
    JG_TRY(buffer_new(device_cpu(), plan->scratch_nbytes, &job->scratch));
    job->call.scratch = job->scratch->handle;
    return JG_OK;
}

/* Binds the launch that follows, if this call's units can be followed. */
static jg_status bind_follower(run_frame *frame, const jg_scalar *scalars)
{
    run_routine_job *job = &frame->routine;
    run_program_job *next = &frame->program;
    int64_t start, end;
    job->call.followed = true;
    job->call.followed = job->routine->covers(&job->call, 0, &start, &end);
    if (!job->call.followed)
        return JG_OK;
    run_program_bind(job->launch + 1, frame->run->addresses, scalars, next);
    job->following = run_program_choose_code(next);
    job->following_unit = next->executor->unit_elements(next->code);
    if (job->launch->beside >= 0)
        job->call.beside = next->operands[job->launch->beside];
    if (job->following_unit == 0 /* of better code */ ||
        !job->routine->covers(&job->call, 0, &start, &end)) {
        job->call.followed = false;
        job->call.beside = NULL;
        job->following = 0;
        return JG_OK;
    }
    size_t nbytes = (size_t)job->following * sizeof *job->followed;
    if (nbytes > sizeof job->few_followed) {
        bool *many = base_alloc(nbytes);
        if (many == NULL)
            return base_nomem(nbytes, "an evaluation");
        job->followed = many;
    }
    memset(job->followed, false, nbytes);
    return JG_OK;
}

static jg_status bind(run_frame *frame, const plan_launch *launch)
{
    const plan_routine *plan = launch->routine;
    run_routine_job *job = &frame->routine;
    *job = (run_routine_job){
        .launch = launch, .routine = plan->routine, .facts = launch->facts, .call = plan->call};
    job->addresses = job->few;
    job->followed = job->few_followed;
    job->call.threads = launch->work >= PARALLEL_WORK ? pool_size() : 1;
    jg_status status = bind_operands(launch, frame->run->addresses, job);
    if (status == JG_OK)
        status = take_scratch(plan, job);
    if (status == JG_OK && launch->follower_unit > 0)
        status = bind_follower(frame, frame->run->progress.scalar + launch->nscalars);
    if (status != JG_OK) {
        free_job(job);
        return status;
    }
    job->steps = plan->routine->steps ? plan->routine->steps(&job->call) : 1;
    return JG_OK;
}

/* The frame may have moved since the routine stopped. */
static jg_status run_waiting(run_frame *frame)
{
    run_routine_job *job = &frame->routine;
    job->call.stops = run_stops;
    job->call.context = frame;
    job->call.order = frame->run->order;
    return job->routine->run(&job->call, 0, 0, 1);
}

static jg_status run(run_frame *frame, const plan_launch *launch)
{
    bool waits = frame->routine.routine->abandon != NULL;
    jg_status status = waits ? run_waiting(frame) : run_steps(frame, launch->work);
    if (status == JG_ERR_INTERRUPTED)
        return status;
    frame->run->progress.followed = frame->routine.following > 0;
    if (frame->run->progress.followed) /* also of a failed one: some results may not need it */
        finish_following(frame);
    free_job(&frame->routine);
    return status;
}

/* A message without elements is none. */
static void skip(const plan_launch *launch, uint64_t order)
{
    const routine_call *call = &launch->routine->call;
    const jg_routine *routine = launch->routine->routine;
    if (routine->skip != NULL && call->operands[call->noperands - 1].size > 0)
        routine->skip(call->attributes, order);
}

const plan_launch_kind run_routine = {.on_host = true,
                                      .may_fail = true,
                                      .in_one_piece = true,
                                      .writes = plan_routine_writes,
                                      .leads = plan_routine_leads,
                                      .describe = plan_routine_describe,
                                      .release = plan_routine_release,
                                      .bind = bind,
                                      .run = run,
                                      .skip = skip,
                                      .moved = moved,
                                      .clear = clear};
