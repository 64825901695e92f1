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

/* One evaluation of a plan: addresses by slot, the scalars, and the objects that it keeps alive. */
struct run_evaluation {
    stream_task task;       /* first member; owns its event, NULL under the evaluation lock */
    unsigned stream, forks; /* those that made the process it began in */
    jg_plan *plan;
    void **addresses;
    jg_scalar *scalars;
    int nbuffers, nwaits;
    int nstored;         /* of the buffers, the first: those that nodes keep */
    int leaves, nread;   /* where those of leaves begin, of which the first are places, so many */
    bool overwrites;     /* leaves without other references */
    bool writing;        /* it counts among their writers */
    bool reads_files;    /* some leaf lies in a mapped one */
    jg_buffer **buffers; /* with temporaries and leaves, released afterwards */
    void *shared;        /* what units of one launch share, where that is much; else NULL */
    run_wait *waits;     /* what the run waits for */
    jg_device *device;   /* that the results are on */
    run_blocks *blocks;  /* NULL where all memory is the host's */
    bool queued;         /* it runs on its stream's thread */
    void *mark;          /* behind what its device still runs; NULL where that is nothing */

    int waited, launched; /* of waits and launches, those that are over */
    run_failure *failure; /* of one of them; NULL where none has failed */
    jg_scalar *scalar;    /* the first of the next launch's */
    run_frame *stopped;   /* how far that one is, of a run that has stopped */
    bool followed;        /* the last routine was, by the launch after it */
    bool goes_on;         /* it does not stop, as it cannot be kept */
    bool interruptible;   /* by requests that are not among those begun */
    unsigned begun;
    int64_t alone_until; /* when it stops for another thread, 0 for never */
    pthread_t caller;    /* whose time that is */
    list_link links;     /* on the list of runs that have stopped; suspend.c */
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
 * and frees it; or suspends it. begun: of the call that waits for it and may be interrupted, or
 * NULL */
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

/* suspend.c */

/* Whether the run is to stop now, to go on another time. context: a run_frame. Any thread */
bool run_stops(void *context);

/* Whether to leave the launch to another thread: its caller has to ask for interrupts, and the
 * launch is long and may be one piece. */
bool run_is_left(run_evaluation *run, const plan_launch *launch);

/* The call that may be interrupted begins to run it on its own thread. */
void run_begin_attended(run_evaluation *run, unsigned begun);

/* Keeps the frame. gives: false without memory; then the run is to go on */
bool run_save_frame(run_evaluation *run, const run_frame *frame);

/* Leaves the run to its event. */
void run_suspend(run_evaluation *run);

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
 * raises: NOMEM, UNSUPPORTED, as run_plan */
jg_status run_schedule_arrays(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode,
                              int count, jg_array *const *arrays, run_evaluation **last);

#endif
