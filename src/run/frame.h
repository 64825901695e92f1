/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: one evaluation of a plan, from scheduling to its end. */
#ifndef JG_RUN_FRAME_H
#define JG_RUN_FRAME_H

#include "run/blocks.h"
#include "run/launch.h"
#include "run/run.h"
#include <pthread.h>

/* run.c */

/* The event of a leaf that is being computed, and the leaf's buffer. */
typedef struct run_wait {
    jg_event *event;
    const jg_buffer *buffer;
    int slot;
} run_wait;

/* How far a run has come: the number of its waits and of its launches that are over. */
typedef struct run_progress {
    int waited, launched;
    jg_scalar *scalar;    /* the first one of the next launch */
    bool followed;        /* the last routine has run the launch after it as well */
    run_frame *stopped;   /* of a run that has stopped: how far the next launch is; else NULL */
    run_failure *failure; /* of a wait or a launch; NULL while none has failed */
    void *mark;           /* behind what the device still runs for it; NULL if that is nothing */
} run_progress;

/* What may stop a run before its end. Only the thread that runs it writes this; the threads that
 * share its launches read it, to see whether they should stop. */
typedef struct run_interruption {
    bool interruptible; /* by a request that is not among those that had begun */
    unsigned begun;
    pthread_t caller;    /* the thread that computes for its caller alone, until */
    int64_t alone_until; /* this time, when another thread goes on; 0 for never */
    bool goes_on;        /* it cannot stop, as there was no memory to keep its frame */
} run_interruption;

/* One evaluation of a plan. All but its progress and its interruption is set before the first
 * launch begins, and stays as it is until run_free. One thread at a time runs it: its caller, the
 * thread of its stream, or the one that resumes it after it has stopped. */
struct run_evaluation {
    stream_task task; /* first, as a task is cast to its run; its event is NULL for a small run */

    /* Where the run takes place. */
    unsigned stream;
    unsigned forks;    /* the forks before the process that it began in */
    bool queued;       /* the thread of its stream runs it, not its caller */
    jg_device *device; /* the results are on it */

    /* The bindings of the plan to this graph: an address for each slot, and the scalars of all
     * launches in their order. */
    jg_plan *plan;
    void **addresses;
    jg_scalar *scalars;
    run_blocks *blocks; /* NULL if all memory is on the host */
    void *shared;       /* memory that the units of a launch share; NULL if they need little */
    bool overwrites;    /* a result lies in the memory of a leaf that nothing else holds */
    bool reads_files;   /* a leaf lies in a mapped file */
    bool skipped;       /* its message was told to be skipped before, and is not told again */
    uint64_t order;     /* of its message; 0 for none */

    /* What the run keeps alive. The buffers are, in this order: nstored of results, then those of
     * temporaries and `shared`, then those of leaves, which begin at `leaves`. The first nread of
     * the leaves' are places, and the run counts among their readers. So nstored <= leaves and
     * leaves + nread <= nbuffers. */
    jg_buffer **buffers;
    int nbuffers, nstored, leaves, nread;
    bool writing;    /* the run counts among the writers of its results */
    run_wait *waits; /* the events of leaves that are still computed */
    int nwaits;

    run_progress progress;
    run_interruption interruption;
    list_link links; /* of a run that has stopped: on the list of suspend.c */
};

/* Binds the plan to the walked graph, gives the stored nodes their storage, and runs: at once if
 * the work is small and its stream idle, otherwise as *later, which the caller finishes or submits.
 * keeps: plan, while *later runs | raises: NOMEM (nothing has changed; without a message where
 * blocks are to be reserved first), as run_launches */
jg_status run_plan(const graph_walk *walk, jg_plan *plan, run_evaluation **later);

/* Frees the run, which has not been scheduled or has ended. */
void run_free(run_evaluation *run);

/* Runs the launches from the frame's on, and checks bytes of files that they read. raises: what
 * they fail with, INTERRUPTED, IO */
jg_status run_launch_all(run_evaluation *run, run_frame *frame);

/* task.c */

/* Runs what run_plan left for later on the calling thread, sets its event, which carries a failure,
 * and frees it; or suspends it, or leaves it to its mark on a device. begun: of the call that waits
 * for it and may be interrupted, or NULL.
 * waits: until it has run, unless it is suspended or left */
void run_finish(run_evaluation *run, const unsigned *begun);

/* Queues it on its stream. takes: run | gives: false if the stream cannot start a thread; then the
 * run is still the caller's */
bool run_submit(run_evaluation *run);

/* check.c */

/* Asserts that the bound run writes over nothing that is still wanted; nothing in a release
 * build. */
void run_check(const run_evaluation *run, jg_array *const *nodes);

/* failure.c */

/* Whether the run of the plan may fail after it has overwritten some of its inputs. */
bool run_failure_may_come(const jg_plan *plan, jg_array *const *nodes);

/* Notes that the next `count` launches have failed, or the evaluation of a leaf. Launches that do
 * not need their results still run. raises: status if no launch is left to run */
jg_status run_failure_of_launches(run_evaluation *run, int count, jg_status status);
jg_status run_failure_of_leaf(run_evaluation *run, int slot, jg_status status);

/* In a run with a failure: whether all results of the launch need a lost value. Results that need
 * one are lost. If other results remain, the launch runs, and may read memory that was not
 * written. */
bool run_failure_skips(run_evaluation *run, const plan_launch *launch);

/* The failure that was noted first. raises: that, always */
jg_status run_failure_raise(const run_evaluation *run);

/* Stores the thread's last failure, which had that status, in the event, which marks the results
 * that are there. raises: never */
void run_failure_tell(const run_evaluation *run, jg_event *event, jg_status status);

/* skip.c */

/* Tells the routine of a launch, or of all that are left of a run, that it will not run. */
void run_skip_launch(const run_evaluation *run, const plan_launch *launch);
void run_skip_launches(const run_evaluation *run);

/* Notes the order of the message that the run is of, and whether it was skipped before. */
void run_skip_prepare(run_evaluation *run, jg_array *const *nodes);

/* Likewise the messages that are below the arrays, after the failure of their schedule, in the
 * order of their streams. The evaluation lock is held, and walk is its scratch.
 * raises: status, always */
jg_status run_skip_messages(graph_walk *walk, int count, jg_array *const *arrays, jg_status status);

/* suspend.c */

/* Whether the run is to stop now, to go on another time: within a launch, on any thread, and before
 * one, on the thread of the run. context: a run_frame */
bool run_stops(void *context);
bool run_stops_between_launches(run_evaluation *run);

/* Whether to leave the launch to another thread: its caller has to ask for interrupts, and the
 * launch is long and may be one piece. */
bool run_is_left(run_evaluation *run, const plan_launch *launch);

/* The call that may be interrupted begins to run it on its own thread. */
void run_begin_attended(run_evaluation *run, unsigned begun);

/* Keeps the frame. gives: false without memory; then the run is to go on */
bool run_save_frame(run_evaluation *run, const run_frame *frame);

/* Leaves the run to its event. */
void run_suspend(run_evaluation *run);

/* Has a stream wait for the run that computes the array without views, if it has not ended: then it
 * goes on where it stops. raises: NOMEM when there is no thread for it | waits: never */
jg_status run_resume_later(const jg_array *root);

/* Resumes all runs that have stopped, for a thread that waits to write what they read.
 * raises: INTERRUPTED */
jg_status run_resume_all(unsigned begun);

/* Makes the list of stopped runs ready for forks; see pool_install_hooks. */
void run_suspend_install_hooks(void);

/* eval.c */

/* Evaluates the arrays, of each of which one reference is the caller's, as WALK_SWEPT tells.
 * raises: as run_eval | waits: for what others hold of them */
jg_status run_sweep(int count, jg_array *const *arrays, unsigned begun);

/* schedule.c */

/* Leaves the references of the call, whose nodes have been walked, and of its function out of what
 * is held outside the walk: arguments that nothing else holds may be written over, and ranges are
 * made in the launches that read them, which costs less than to store them. */
void run_discount_call(const graph_walk *walk, const deferred_call *call);

/* Walks the graph of the arrays and gives all that it stores storage, one run after the other where
 * the graph crosses streams. All runs but the last are queued; *last is the caller's, or NULL. The
 * evaluation lock must be held; walk and key are its scratch.
 * raises: NOMEM, UNSUPPORTED, as run_plan | waits: for small work, which is done at once */
jg_status run_schedule_arrays(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode,
                              int count, jg_array *const *arrays, run_evaluation **last);

#endif
