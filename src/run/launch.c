/* SPDX-License-Identifier: Apache-2.0 */
/* Running the launches of a plan, one after the other, on the calling thread. */
#include "run/frame.h"
#include "run/trace.h"

/* Chunks small enough for threads to end together and large enough to be worth a claim: eight
 * claims a thread. No chunk takes long, as a run may stop between chunks. */
static int64_t choose_grain(int64_t units, int64_t work)
{
    int64_t even = units / (8 * pool_size()), most = units / (work / CHUNK_WORK + 1);
    int64_t grain = int64_min(even, most);
    return grain > 0 ? grain : 1;
}

jg_status run_launch_share(run_frame *frame, int64_t step, int64_t work, pool_body *body)
{
    int64_t grain = round_up(choose_grain(frame->units, work), step);
    bool all = pool_run_until(frame->units, grain, body, run_stops, frame, &frame->next);
    return all ? JG_OK : JG_ERR_INTERRUPTED;
}

jg_status run_name_work(const char *name, jg_status status)
{
    jg_error error;
    error_capture(&error, status);
    if (error.message[0] == '[')
        return error_raise(&error);
    return base_fail(status, "[%s] %s", name, error.message);
}

jg_status run_name_failure(jg_op label, jg_status status)
{
    return run_name_work(op_name(label), status);
}

/* A launch that follows another one is bound together with it. */
static jg_status ready_on_host(run_evaluation *run, const plan_launch *launch)
{
    JG_TRY(run_blocks_ready_host(run->blocks, launch, run->addresses));
    if (launch->follower_unit == 0)
        return JG_OK;
    return run_blocks_ready_host(run->blocks, launch + 1, run->addresses);
}

static jg_status begin(run_frame *frame, const plan_launch *launch)
{
    if (JG_UNLIKELY(frame->run->blocks != NULL) && launch->kind->on_host)
        JG_TRY(ready_on_host(frame->run, launch));
    if (launch->kind->bind != NULL)
        JG_TRY(launch->kind->bind(frame, launch));
    frame->next = 0;
    frame->begun = true;
    return JG_OK;
}

static jg_status run_launch(run_frame *frame, const plan_launch *launch)
{
    if (frame->series != NULL)
        return run_series_run(frame);
    jg_status status = JG_LIKELY(!frame->begun) ? begin(frame, launch) : JG_OK;
    if (JG_LIKELY(status == JG_OK))
        status = launch->kind->run(frame, launch);
    if (JG_LIKELY(status == JG_OK) || status == JG_ERR_INTERRUPTED)
        return status;
    return run_name_failure(launch->label, status);
}

JG_COLD static jg_status run_launch_traced(run_frame *frame, const plan_launch *launch)
{
    int64_t start = trace_clock();
    jg_status status = run_launch(frame, launch);
    int count = frame->series != NULL ? launch->series : 1;
    run_trace_launch(start, launch, count, frame->run->device);
    return status;
}

/* Runs the next launch, or the series that begins with it. */
static jg_status run_next(run_frame *frame, const plan_launch *launch)
{
    run_evaluation *run = frame->run;
    if (run->progress.launched > 0 && launch[-1].follower_unit > 0 && run->progress.followed)
        return JG_OK; /* it has run */
    run->progress.followed = false;
    /* Many launches are too small to be shared, and only shared ones stop within. */
    if (run_is_left(run, launch) || (!frame->begun && run_stops_between_launches(run)))
        return JG_ERR_INTERRUPTED;
    if (!frame->begun && launch->series > 1 && run->progress.failure == NULL &&
        run_series_begin(frame, launch, run->progress.scalar))
        frame->begun = true;
    return trace_is_on() ? run_launch_traced(frame, launch) : run_launch(frame, launch);
}

/* The launches that the frame runs at one time. */
static int count_of(const run_frame *frame, const plan_launch *launch)
{
    return frame->series != NULL ? launch->series : 1;
}

/* Makes the frame that of the next launch. */
static void pass_on(run_frame *frame, const plan_launch *launch)
{
    run_evaluation *run = frame->run;
    int count = count_of(frame, launch);
    for (int i = 0; i < count; ++i)
        run->progress.scalar += launch[i].nscalars;
    if (watch_is_on())
        watch_add_done(launch, count);
    run->progress.launched += count;
    run_series_free(frame->series);
    run_frame_init(frame, run);
}

jg_status run_launches(run_evaluation *run, run_frame *frame)
{
    while (run->progress.launched < run->plan->nlaunches) {
        const plan_launch *launch = &run->plan->launches[run->progress.launched];
        bool skipped = JG_UNLIKELY(run->progress.failure != NULL) && run_failure_skips(run, launch);
        if (skipped) {
            run->progress.followed = false;
            run_skip_launch(run, launch);
        }
        jg_status status = skipped ? JG_OK : run_next(frame, launch);
        if (JG_UNLIKELY(status != JG_OK)) {
            if (status == JG_ERR_INTERRUPTED)
                return status;
            JG_TRY(run_failure_of_launches(run, count_of(frame, launch), status));
        }
        pass_on(frame, launch);
    }
    return JG_LIKELY(run->progress.failure == NULL) ? JG_OK : run_failure_raise(run);
}

static const plan_launch_kind *kind_of(const run_frame *frame)
{
    return frame->run->plan->launches[frame->run->progress.launched].kind;
}

void run_frame_moved(run_frame *frame)
{
    if (frame->begun && kind_of(frame)->moved != NULL)
        kind_of(frame)->moved(frame);
}

void run_frame_clear(run_frame *frame)
{
    run_series_free(frame->series);
    if (frame->begun && kind_of(frame)->clear != NULL)
        kind_of(frame)->clear(frame);
}
