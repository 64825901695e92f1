/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that stop before their end, and are resumed.
 *
 * A run stops because it is interrupted, or because its caller has computed for long and has to
 * ask for interrupts while another thread goes on. In both cases the chunks that were claimed are
 * done, the frame of the launch says which is next, and the run is left to its event: the next
 * thread that waits for it resumes the run. So nothing has to be undone, neither the storage that
 * nodes were given nor what a launch has written over.
 *
 * Runs that have stopped still count as readers of places, so they are on a list for the thread
 * that wants to write one. Lock order: the list's lock is a leaf. */
#include "run/frame.h"

/* A launch with that many scalar operations, which take about 10 milliseconds, is left to another
 * thread if it may be a single unit of work. */
enum { LONG_WORK = 256 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static list_link *first; /* under the lock */

static bool is_asked_to_stop(const run_evaluation *run)
{
    if (run->task.event != NULL && event_is_stopped(run->task.event))
        return true;
    return run->interruption.interruptible && interrupt_has_come(run->interruption.begun);
}

/* Whether the caller has computed alone for so long that another thread is to go on. */
static bool is_alone_for_long(run_evaluation *run)
{
    if (!run->interruption.interruptible ||
        !pthread_equal(run->interruption.caller, pthread_self()) ||
        run->interruption.alone_until == 0 || trace_clock() < run->interruption.alone_until)
        return false;
    run->interruption.alone_until = 0; /* asked once */
    return interrupt_is_watched();
}

bool run_stops(void *context)
{
    run_evaluation *run = ((run_frame *)context)->run;
    return !run->interruption.goes_on && (is_asked_to_stop(run) || is_alone_for_long(run));
}

/* What a device's queue has would have to end first, so that no other thread takes over there: the
 * caller leaves such a run to its mark. */
bool run_stops_between_launches(run_evaluation *run)
{
    if (run->interruption.goes_on)
        return false;
    return is_asked_to_stop(run) || (run->blocks == NULL && is_alone_for_long(run));
}

bool run_is_left(run_evaluation *run, const plan_launch *launch)
{
    if (JG_LIKELY(run->interruption.alone_until == 0) || run->interruption.goes_on ||
        launch->work < LONG_WORK || !launch->kind->in_one_piece || !interrupt_is_watched())
        return false;
    run->interruption.alone_until = 0;
    return true;
}

void run_begin_attended(run_evaluation *run, unsigned begun)
{
    run->interruption.interruptible = true;
    run->interruption.begun = begun;
    run->interruption.caller = pthread_self();
    run->interruption.alone_until = trace_clock() + INTERRUPT_ALONE_NS;
}

bool run_save_frame(run_evaluation *run, const run_frame *frame)
{
    run_frame *copy = base_alloc_aligned(_Alignof(run_frame), sizeof *copy);
    if (copy == NULL) {
        run->interruption.goes_on = true;
        run->interruption.interruptible = false;
        return false;
    }
    memcpy(copy, frame, sizeof *copy);
    run_frame_moved(copy);
    run->progress.stopped = copy;
    return true;
}

#define RUN_OF_LINK(link) JG_LIST_ITEM(link, run_evaluation, links)

static void link_run(run_evaluation *run)
{
    pthread_mutex_lock(&lock);
    list_add(&first, &run->links);
    pthread_mutex_unlock(&lock);
}

static void unlink_run(run_evaluation *run)
{
    pthread_mutex_lock(&lock);
    list_remove(&first, &run->links);
    pthread_mutex_unlock(&lock);
}

static void resume(stream_task *task, const unsigned *begun)
{
    run_evaluation *run = (run_evaluation *)(void *)task;
    unlink_run(run);
    progress_begin();
    run_finish(run, begun);
}

/* The run's event is freed, so no thread waits for the run any more. */
static void drop(stream_task *task)
{
    run_evaluation *run = (run_evaluation *)(void *)task;
    unlink_run(run);
    if (!run->progress.stopped->begun)
        run_skip_launches(run);
    run->task.event = NULL;
    memory_defer_begin();
    run_free(run);
    memory_defer_end();
}

void run_suspend(run_evaluation *run)
{
    jg_event *event = run->task.event;
    run->interruption.interruptible = false;
    run->interruption.alone_until = 0;
    run->task.resume = resume;
    run->task.drop = drop;
    link_run(run);
    event_suspend(event, &run->task);
    event_release(event);
}

/* A stream's task that waits for a run, so that the run goes on where it stops. */
typedef struct resumption {
    stream_task task;
    jg_event *event; /* the run's */
} resumption;

/* A failure is the event's. */
static void wait_for_resumed(stream_task *task)
{
    (void)event_wait(((resumption *)(void *)task)->event);
}

static void free_resumption(stream_task *task)
{
    event_release(((resumption *)(void *)task)->event);
    base_free(task);
}

/* The run itself is not queued: a task before it may wait for it. One that still runs may stop
 * later, or has been asked to and has not yet. */
jg_status run_resume_later(const jg_array *root)
{
    if (root->event == NULL || event_is_set(root->event))
        return JG_OK;
    resumption *own = base_alloc(sizeof *own);
    if (own == NULL)
        return base_nomem(sizeof *own, "an evaluation");
    *own = (resumption){
        .task = {.run = wait_for_resumed, .finish = free_resumption},
        .event = event_retain(root->event),
    };
    jg_status status = stream_submit(stream_at(root->stream), &own->task);
    if (status != JG_OK)
        free_resumption(&own->task);
    return status;
}

/* An event of a run that has stopped, with a reference; NULL if there is none. */
static jg_event *take_event(void)
{
    jg_event *event = NULL;
    pthread_mutex_lock(&lock);
    for (list_link *link = first; link != NULL && event == NULL; link = link->next) {
        jg_event *found = RUN_OF_LINK(link)->task.event;
        if (event_retain_living(found))
            event = found;
    }
    pthread_mutex_unlock(&lock);
    return event;
}

/* Failures are raised by the waits for the values, not here. */
jg_status run_resume_all(unsigned begun)
{
    jg_event *event;
    while ((event = take_event()) != NULL) {
        jg_status status = event_wait_interruptibly(event, begun);
        event_release(event);
        if (status == JG_ERR_INTERRUPTED)
            return status;
    }
    return JG_OK;
}

/* fork: the child has the runs that have stopped, and their events are adopted */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void after_fork_child(void)
{
    for (list_link *link = first; link != NULL; link = link->next)
        event_adopt(RUN_OF_LINK(link)->task.event);
    pthread_mutex_unlock(&lock);
}

void run_suspend_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}
