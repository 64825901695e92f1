/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: one evaluation of a plan, and how far its launches have come. */
#ifndef JG_RUN_FRAME_H
#define JG_RUN_FRAME_H

#include "plan/plan.h"
#include "run/run.h"
#include <pthread.h>

/* launch.c */

/* A launch of a program with its addresses and scalars, and the code that runs it. */
typedef struct program_job {
    const plan_launch *launch;
    const jg_executor *executor;
    const executor_code *code;
    const jg_scalar *scalars;
    void *operands[PROGRAM_MAX_BUFFERS];
    _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES]; /* by all units, see executor.h */
} program_job;

enum { FEW_OPERANDS = 16, FEW_FOLLOWING = 64 };

/* A routine with its addresses, and what of the program that follows it has run. */
typedef struct routine_job {
    const plan_launch *launch;
    const jg_routine *routine;
    const launch_facts *facts;
    routine_call call; /* the plan's, with addresses, scratch and threads of this run */
    jg_buffer *scratch;
    void **addresses, *few[FEW_OPERANDS]; /* of the operands; a block where they are more */
    int step, steps;
    int64_t following_unit;                      /* elements of each, but of the last */
    int64_t following;                           /* units of the program that follows, 0 for none */
    bool *followed, few_followed[FEW_FOLLOWING]; /* of each: whether it has run */
    atomic_int failed;                           /* the status of the first failure */
    jg_error error;                              /* of that; written by the one who set `failed` */
} routine_job;

typedef struct plan_run plan_run;
typedef struct run_series run_series;
typedef struct run_failure run_failure;

/* How far a launch has come, so that it can go on where it stopped. Only `begun` and `series` are
 * set before the launch begins. */
typedef struct launch_frame {
    plan_run *run;
    bool begun;
    run_series *series;  /* with the launches after it, whose units are counted on; or NULL */
    int64_t units, next; /* of the program or the routine's step: all; the first still to run */
    routine_job routine;
    program_job program; /* or the one that follows the routine */
} launch_frame;

/* Runs the launches that are still to run, one after the other, on the calling thread. The frame is
 * that of the first one. raises: INTERRUPTED without a message where the run is to stop, else what
 * a library call raised */
jg_status run_launches(plan_run *run, launch_frame *frame);

/* The thread's failure with the op's name before its message. raises: status, always */
jg_status run_name_failure(jg_op label, jg_status status);

static inline void run_frame_init(launch_frame *frame, plan_run *run)
{
    frame->run = run;
    frame->begun = false;
    frame->series = NULL;
}

/* Makes a copy of the frame of a launch that has stopped its own; frees what it has. */
void run_frame_moved(launch_frame *frame);
void run_frame_clear(launch_frame *frame);

/* addresses: by slot; scalars: the launch's own, borrowed like the launch until the job has run. */
void run_program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                      program_job *out);

/* The number of units of the code that will run. If that is better code than the launch's own it is
 * stored in the job, so that all threads of the run use it. */
int64_t run_program_choose_code(program_job *job);

/* The same without a job: the code is stored where `executor` and `code` point to. */
int64_t run_program_find_code(const plan_launch *launch, const jg_executor **executor,
                              const executor_code **code);

/* Runs some units on the calling thread; and what is left to do once all have run. */
void run_program_units(program_job *job, int64_t first, int64_t last);
void run_program_finish(program_job *job);

/* Shares the frame's units by way of the pool, from its next one on, in chunks of a multiple of
 * `step`. work: about the scalar operations of all; body's context is the frame.
 * raises: INTERRUPTED */
jg_status run_launch_share(launch_frame *frame, int64_t step, int64_t work, pool_body *body);

/* Scalar operations below which a second thread costs more than it brings, about 30 microseconds:
 * waking one that sleeps takes the caller up to 3 of them. */
enum { PARALLEL_WORK = 768 << 10 };

/* Those of a chunk at most, where units are small enough: a run stops between chunks. Some 30
 * microseconds of additions, or a tenth of a second of the slowest functions. */
enum { CHUNK_WORK = 1 << 20 };

/* Where the operand lies, given the addresses by slot. */
static inline void *run_operand_address(const plan_operand *operand, void *const *addresses)
{
    if (operand->slot < 0) /* an index: the address is its first value */
        return (void *)(intptr_t)operand->offset_bytes;
    return (char *)addresses[operand->slot] + operand->offset_bytes;
}

/* launch_program.c, launch_routine.c, launch_device.c: what launches are */
extern const launch_kind run_program, run_routine, run_device_program, run_device_routine;

/* targets.c; all but the last with the evaluation lock */

/* From here to targets_end, runs write those of the arrays into the places that may lie there.
 * places: of the same dtypes and shapes, writable, on the host, with storage; NULL where none is
 * given. The caller holds them. raises: NOMEM, after which targets_end is to be called, too */
jg_status targets_begin(int count, jg_array *const *arrays, jg_array *const *places);
void targets_end(void);

/* Before the results of a run on the host get their memory. raises: NOMEM */
jg_status targets_bind(const jg_plan *plan, jg_array *const *nodes);

/* The memory that the stored slot's result is to have, with a reference; NULL if there is none. A
 * leaf that lies there gets its address. */
jg_buffer *targets_take(plan_run *run, jg_array *const *nodes, int slot);

/* Copies x, which was computed, to its place unless it lies there. raises: never | waits: never */
void targets_copy(const jg_array *x, const jg_array *place);

/* eval.c */

/* run_eval of arrays that have such places; and what all evaluations check first.
 * raises: as run_eval; VALUE */
jg_status run_eval_into(int count, jg_array *const *arrays, jg_array *const *places);
jg_status run_check_arrays(int count, jg_array *const *arrays);

/* series.c */

/* Makes the frame's series of the launches that may run at the same time from the first one on, if
 * there are several, with enough work that threads are to share. scalars: those of the first, the
 * others' behind them; borrowed. gives: whether there is one, for series_free */
bool series_begin(launch_frame *frame, const plan_launch *first, const jg_scalar *scalars);

/* Runs the frame's series from the next unit on. raises: INTERRUPTED */
jg_status series_run(launch_frame *frame);
void series_free(run_series *series); /* NULL is fine */

/* trace.c: called only while a trace is on, which costs one load to find out */

/* Notes when an evaluation begins. gives: the time */
int64_t run_trace_enter(void);

/* Each records a span that ends now: building nnodes nodes, an evaluation of count arrays, a
 * launch (the first of count that ran at the same time), and a chunk of units of one. device: that
 * of the results; the span tells who ran the launch where that is not the host. raises: never */
void run_trace_build(int nnodes);
void run_trace_eval(int64_t start_ns, int count, bool wait);
void run_trace_launch(int64_t start_ns, const plan_launch *launch, int count,
                      const jg_device *device);
void run_trace_chunk(int64_t start_ns, const launch_facts *facts, int64_t first, int64_t last);

/* watch.c */

extern atomic_int watch_count;

static inline bool watch_is_on(void)
{
    return JG_UNLIKELY(atomic_load_explicit(&watch_count, memory_order_relaxed) > 0);
}

/* Count the launches of a run that begins, and launches that have run. */
void watch_add_planned(const jg_plan *plan);
void watch_add_done(const plan_launch *launches, int count);

/* blocks.c */

/* The memory of a run whose leaves or results are on a device that the host cannot read. */
typedef struct run_blocks run_blocks;

/* Memory for all leaves, results and temporaries of the plan. gives: *out, for blocks_free |
 * raises: NOMEM */
jg_status blocks_new(const jg_plan *plan, run_blocks **out);
void blocks_free(run_blocks *blocks); /* after blocks_finish; NULL is fine */

/* These say what there is: every leaf, then every result with its buffer, then the temporaries,
 * whose memory comes when it is needed. keeps: leaves' buffers of a third device, which the run
 * holds | raises: the first VALUE for a layout that 63 bits do not count */
jg_status blocks_add_leaf(run_blocks *blocks, int slot, const jg_array *leaf);
void blocks_add_result(run_blocks *blocks, int slot, jg_buffer *buffer, size_t nbytes);
void blocks_add_temps(run_blocks *blocks, const jg_plan *plan);

/* Called when the run begins or goes on, before the next. raises: NOMEM, DEVICE */
jg_status blocks_open(run_blocks *blocks, jg_stream *stream);

/* Makes the operands of a launch ready for the side that runs it, and notes what it will write. The
 * first gives addresses by slot, the second handles and offsets by operand.
 * raises: NOMEM, DEVICE | waits: for copies, and for launches that wrote what is copied */
jg_status blocks_ready_host(run_blocks *blocks, const plan_launch *launch, void **addresses);
jg_status blocks_ready_device(run_blocks *blocks, const plan_launch *launch, void **handles,
                              int64_t *offsets);

/* The host's address of an operand that the launch reads. gives: *out, until the block is written
 * again | raises: NOMEM, DEVICE | waits: for a copy, where the bytes are not the host's */
jg_status blocks_read(run_blocks *blocks, const plan_launch *launch, int operand, const void **out);

/* Scratch memory of the device for a launch; NULL for 0 bytes. gives: *handle, borrowed until the
 * next call | raises: NOMEM, DEVICE */
jg_status blocks_scratch(run_blocks *blocks, size_t nbytes, void **handle);

/* Brings results that are on the host to the device, once the queue has come so far. raises: NOMEM,
 * DEVICE | waits: for copies from a third device */
jg_status blocks_store_results(run_blocks *blocks, const jg_plan *plan);

/* Waits until the queue has run everything. raises: the first failure of launches */
jg_status blocks_finish(run_blocks *blocks);

/* A mark behind everything that the queue was given, for device_mark_finish. gives: false where
 * there is no queue, or no memory for a mark */
bool blocks_mark(run_blocks *blocks, void **mark);

void *blocks_queue(const run_blocks *blocks);

/* launch_work.c */

/* What a work of a device is started with, for each buffer. */
typedef struct device_operands {
    int count;
    void *const *handles;
    const int64_t *offsets;
    const jg_scalar *scalars;
} device_operands;

/* Gives the queue a work of a launch, which has the text of the code's own.
 * raises: NOMEM, DEVICE | waits: for a compiler before the first run */
jg_status run_device_work(launch_frame *frame, const plan_launch *launch, plan_code *code,
                          const device_work *work, const device_operands *operands);

/* The same of the work that the code has. raises, waits: as run_device_work */
jg_status run_device_code(launch_frame *frame, const plan_launch *launch, plan_code *code,
                          int count, void *const *handles, const int64_t *offsets,
                          const jg_scalar *scalars);

/* The same of a program from one operand of the launch, which have these handles and offsets, into
 * its part of the result. raises, waits: as run_device_work */
jg_status run_device_copy(launch_frame *frame, const plan_launch *launch, const plan_part *part,
                          void *const *handles, const int64_t *offsets);

/* Compares the numbers of index arrays, whose look-up is the launch's, with the extents of their
 * axes; NULL: those that the plan knows. raises: INDEX, NOMEM, DEVICE | waits: until the queue has
 * found their ranges */
jg_status run_device_check(launch_frame *frame, const plan_launch *launch,
                           const plan_look_up *look_up, const int64_t *extents,
                           void *const *handles, const int64_t *offsets);

/* launch_scatter.c */

/* Gives the queue a scatter. raises, waits: as run_device_check */
jg_status run_device_updates(launch_frame *frame, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets);

/* launch_device.c */

/* Whether the host may run what the device does not. The evaluation lock is held. raises:
 * UNSUPPORTED, naming the op and the device; VALUE for an option that is none */
jg_status run_check_fallback(jg_plan *plan);

/* run.c */

/* One evaluation of a plan: addresses by slot, the scalars, and the objects that it keeps alive. */
/* The event of a leaf that is being computed, and the leaf's buffer. */
typedef struct run_wait {
    jg_event *event;
    const jg_buffer *buffer;
    int slot;
} run_wait;

struct plan_run {
    stream_task task;       /* first member; owns its event, NULL under the evaluation lock */
    unsigned stream, forks; /* those that made the process it began in */
    jg_plan *plan;
    void **addresses;
    jg_scalar *scalars;
    int nbuffers, nwaits;
    int nstored;         /* of the buffers, the first: those that nodes keep */
    bool overwrites;     /* leaves without other references */
    bool writing;        /* it counts among their writers */
    bool reads_files;    /* some leaf lies in a mapped one */
    jg_buffer **buffers; /* with temporaries and leaves, released afterwards */
    run_wait *waits;     /* what the run waits for */
    jg_device *device;   /* that the results are on */
    run_blocks *blocks;  /* NULL where all memory is the host's */
    bool queued;         /* it runs on its stream's thread */
    void *mark;          /* behind what its device still runs; NULL where that is nothing */

    int waited, launched;  /* of waits and launches, those that are over */
    run_failure *failure;  /* of one of them; NULL where none has failed */
    jg_scalar *scalar;     /* the first of the next launch's */
    launch_frame *stopped; /* how far that one is, of a run that has stopped */
    bool followed;         /* the last routine was, by the launch after it */
    bool goes_on;          /* it does not stop, as it cannot be kept */
    bool interruptible;    /* by requests that are not among those begun */
    unsigned begun;
    int64_t alone_until;      /* when it stops for another thread, 0 for never */
    pthread_t caller;         /* whose time that is */
    plan_run *before, *after; /* among those that have stopped; suspend.c */
};

/* Binds the plan to the walked graph, gives the stored nodes their storage, and runs: at once if
 * the work is small and its stream idle, otherwise as *later, which the caller finishes or submits.
 * keeps: plan, while *later runs | raises: NOMEM (nothing has changed; without a message where
 * blocks are to be reserved first), as run_launches */
jg_status run_plan(const graph_walk *walk, jg_plan *plan, plan_run **later);

/* Runs what run_plan left for later on the calling thread, sets its event, which carries a failure,
 * and frees it; or suspends it. begun: of the call that waits for it and may be interrupted, or
 * NULL */
void run_finish(plan_run *run, const unsigned *begun);

/* Queues it on its stream. takes: run | gives: false if the stream cannot start a thread; then the
 * run is still the caller's */
bool run_submit(plan_run *run);

/* check.c */

/* Asserts that the bound run writes over nothing that is still wanted; nothing in a release
 * build. */
void run_check(const plan_run *run, jg_array *const *nodes);

/* failure.c */

/* Notes that the next so many launches have failed, or the evaluation of a leaf: what does not need
 * their results still runs. raises: status where nothing is to run any more */
jg_status run_failure_of_launches(plan_run *run, int count, jg_status status);
jg_status run_failure_of_leaf(plan_run *run, int slot, jg_status status);

/* Of a run with a failure: whether the launch reads what was lost, so that its results are lost. */
bool run_failure_skips(plan_run *run, const plan_launch *launch);

/* The failure that was noted first. raises: that, always */
jg_status run_failure_raise(const plan_run *run);

/* Stores the thread's last failure, which had that status, in the event, which spares the results
 * that are there. raises: never */
void run_failure_tell(const plan_run *run, jg_event *event, jg_status status);

/* suspend.c */

/* Whether the run is to stop now, to go on another time. context: a launch_frame. Any thread */
bool run_stops(void *context);

/* Whether to leave the launch to another thread: its caller has to ask for interrupts, and the
 * launch is long and may be one piece. */
bool run_leaves(plan_run *run, const plan_launch *launch);

/* The call that may be interrupted begins to run it on its own thread. */
void run_attend(plan_run *run, unsigned begun);

/* Keeps the frame. gives: false without memory; then the run is to go on */
bool run_keep(plan_run *run, const launch_frame *frame);

/* Leaves the run to its event. */
void run_suspend(plan_run *run);

/* Resumes all runs that have stopped, for a thread that waits to write what they read.
 * raises: INTERRUPTED */
jg_status run_resume_all(unsigned begun);

/* eval.c */

/* Evaluates the arrays, of each of which one reference is the caller's, as WALK_SWEPT tells.
 * raises: as run_eval | waits: for what others hold of them */
jg_status run_sweep(int count, jg_array *const *arrays, unsigned begun);

/* Makes the list of stopped runs ready for forks; see pool_install_hooks. */
void run_suspend_install_hooks(void);

/* Frees the run, which has not been scheduled or has ended. */
void run_free(plan_run *run);

/* calls.c: plans that are found by the function that is called */

typedef struct call_plan call_plan;

/* The plan for an evaluation of the call whose pending results are `live`, if one is kept; NULL.
 * The evaluation lock must be held, as for the next two. */
call_plan *calls_find(const deferred_call *call, uint64_t live, bool fusing);

/* Makes the walk what run_plan asks of one that has found the plan.
 * gives: *plan, +1 | raises: NOMEM */
jg_status calls_bind(const call_plan *known, deferred_call *call, graph_walk *walk, jg_plan **plan);

/* Keeps the plan that was found for the walk of the call's nodes, unless it would not serve other
 * calls. results: those that are live, by number, which the walk has stored. */
void calls_keep(deferred_call *call, uint64_t live, bool fusing, const graph_walk *walk,
                jg_array *const *results, jg_plan *plan);

/* schedule.c */

/* Leaves the references of the call, whose nodes have been walked, and of its function out of what
 * is held outside the walk: arguments that nobody else holds may be written over, and ranges are
 * made in the launches that read them, which costs less than to store them. */
void run_discount_call(const graph_walk *walk, const deferred_call *call);

/* Walks the graph of the arrays and gives all that it stores storage, one run after the other where
 * the graph crosses streams. All runs but the last are queued; *last is the caller's, or NULL. The
 * evaluation lock must be held; walk and key are its scratch.
 * raises: NOMEM, UNSUPPORTED, as run_plan */
jg_status run_schedule_arrays(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode,
                              int count, jg_array *const *arrays, plan_run **last);

#endif
