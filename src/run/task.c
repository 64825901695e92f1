/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a task: of its stream's thread, or of the thread that asks for its values. It waits for
 * the runs that make what it reads, goes through its launches, and ends at its event, or at a mark
 * where a device is still at work for it. */
#include "run/frame.h"
#include "run/launch_device.h"
#include <sched.h>

/* Waits for the other runs. Events that precede the run's own queue need no wait here: the queue's
 * order is enough. raises: INTERRUPTED, what the events carry */
static jg_status wait_for_others(run_evaluation *run)
{
    const void *queue = run->blocks != NULL ? run_blocks_queue(run->blocks) : NULL;
    for (; run->progress.waited < run->nwaits; ++run->progress.waited) {
        const run_wait *wait = &run->waits[run->progress.waited];
        if (event_precedes(wait->event, queue))
            continue;
        jg_status status = run->interruption.interruptible
                               ? event_wait_interruptibly(wait->event, run->interruption.begun)
                               : event_wait(wait->event);
        if (status == JG_ERR_INTERRUPTED)
            return status;
        if (status != JG_OK && !event_is_valid(wait->event, wait->buffer))
            JG_TRY(run_failure_of_leaf(run, wait->slot, status));
    }
    return JG_OK;
}

/* Failures of launches that the device ran come from its queue, which names them; where it does
 * not, the last one's op names the run. What its queue ran before may have failed, too. */
static jg_status end_on_device(run_evaluation *run, jg_status status)
{
    if (JG_UNLIKELY(status != JG_OK))
        return run_name_failure(run->plan->launches[run->plan->nlaunches - 1].label, status);
    for (int i = 0; i < run->nwaits; ++i)
        JG_TRY(event_wait(run->waits[i].event));
    return JG_OK;
}

/* Leaves the run to its mark, so that its stream's thread can continue with the next task, or that
 * a caller's wait for the values can be interrupted. Bytes of a mapped file are checked after they
 * were read, so a run that reads a file is not left. */
static bool leave_to_mark(run_evaluation *run)
{
    bool is_left = run->queued || run->interruption.interruptible;
    if (!is_left || run->reads_files || !run_blocks_mark(run->blocks, &run->progress.mark))
        return false;
    event_submit(run->task.event, run_blocks_queue(run->blocks));
    return true;
}

/* Nothing of the run is queued any more when this returns, also after a failure, as its memory may
 * be freed next; unless it has a mark. */
static jg_status launch_on_blocks(run_evaluation *run, run_frame *frame)
{
    run_blocks_begin(run->blocks);
    jg_status status = run_launch_all(run, frame);
    if (status == JG_OK)
        status = run_blocks_store_results(run->blocks, run->plan);
    if (status == JG_OK)
        status = run_blocks_cut(run->blocks);
    if (status != JG_OK) {
        jg_error first;
        error_capture(&first, status);
        if (status != JG_ERR_INTERRUPTED)
            run_blocks_end(run->blocks); /* what is held back is not wanted any more */
        jg_status finished = run_blocks_finish(run->blocks);
        run_blocks_end(run->blocks);
        if (status != JG_ERR_INTERRUPTED || finished == JG_OK)
            return error_raise(&first);
        run_frame_clear(frame); /* a run that has failed does not go on */
        return end_on_device(run, finished);
    }
    run_blocks_end(run->blocks);
    return leave_to_mark(run) ? JG_OK : end_on_device(run, run_blocks_finish(run->blocks));
}

/* The launches, after what they wait for. */
static jg_status go_on(run_evaluation *run, run_frame *frame)
{
    if (run_stops(frame))
        return JG_ERR_INTERRUPTED;
    if (JG_UNLIKELY(run->blocks != NULL))
        JG_TRY(run_blocks_open(run->blocks, stream_at(run->stream)));
    jg_status status = wait_for_others(run);
    if (JG_UNLIKELY(status != JG_OK)) {
        if (status != JG_ERR_INTERRUPTED)
            run_skip_launches(run);
        return status;
    }
    return JG_LIKELY(run->blocks == NULL) ? run_launch_all(run, frame)
                                          : launch_on_blocks(run, frame);
}

/* A failure of an earlier run that this one waits for becomes the failure of what needs it. */
static void execute(stream_task *task)
{
    run_evaluation *run = (run_evaluation *)(void *)task;
    run_frame own, *frame = run->progress.stopped;
    if (frame == NULL) {
        frame = &own;
        run_frame_init(frame, run);
    }
    run->progress.stopped = NULL;
    jg_status status = go_on(run, frame);
    while (status == JG_ERR_INTERRUPTED && !run_save_frame(run, frame))
        status = go_on(run, frame);
    if (status != JG_ERR_INTERRUPTED && status != JG_OK)
        run_failure_tell(run, run->task.event, status);
    if (frame != &own && frame != run->progress.stopped)
        base_free(frame);
}

/* Waits for the mark. On the thread of the stream's follower, or where there is none. */
static void await_mark(stream_task *task)
{
    run_evaluation *run = (run_evaluation *)(void *)task;
    void *mark = run->progress.mark;
    run->progress.mark = NULL;
    jg_status status = end_on_device(run, device_mark_finish(run->device, mark));
    if (status != JG_OK)
        event_fail(task->event, status);
}

/* Whether the device is done within a moment, so that no other thread need wait for it. */
static bool ends_soon(const run_evaluation *run)
{
    enum { MOMENT_NS = 200000 };
    int64_t begun = trace_clock();
    while (!device_mark_is_set(run->device, run->progress.mark)) {
        if (trace_clock() - begun > MOMENT_NS)
            return false;
        sched_yield();
    }
    return true;
}

/* Memory is released before the event happens, so that a thread which waits for the event finds the
 * memory free. Foreign owners are called after the event, as they may wait for a thread that waits
 * for it. For blocks that the cache does not keep, the drivers of devices are also called after it,
 * as they may wait for other work. Memory that a device still reads is released when its queue has
 * passed the run's mark. */
static void settle(stream_task *task)
{
    run_evaluation *run = (run_evaluation *)(void *)task;
    if (run->progress.stopped != NULL) {
        run_suspend(run);
        return;
    }
    if (run->progress.mark != NULL) {
        task->run = await_mark;
        task->finish = settle;
        bool is_attended = run->interruption.interruptible;
        if (!(is_attended && ends_soon(run)) &&
            stream_follow(stream_at(run->stream), task) == JG_OK)
            return;
        await_mark(task);
    }
    jg_event *event = event_retain(task->event);
    memory_defer_begin();
    run_free(run);
    event_set(event);
    memory_defer_end();
    event_release(event);
}

void run_finish(run_evaluation *run, const unsigned *begun)
{
    if (begun != NULL)
        run_begin_attended(run, *begun);
    progress_enter();
    execute(&run->task);
    settle(&run->task);
    progress_leave();
    progress_end();
}

bool run_submit(run_evaluation *run)
{
    run->task.run = execute;
    run->task.finish = settle;
    run->queued = true;
    if (stream_submit(stream_at(run->stream), &run->task) != JG_OK)
        return false;
    progress_end(); /* the stream's task is under way */
    return true;
}
