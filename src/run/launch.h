/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: launches on the host: the state and the progress of one. */
#ifndef JG_RUN_LAUNCH_H
#define JG_RUN_LAUNCH_H

#include "plan/plan.h"

/* launch.c */

/* A launch of a program with its addresses and scalars, and the code that runs it. */
typedef struct run_program_job {
    const plan_launch *launch;
    const program_executor *executor;
    const executor_code *code;
    const jg_scalar *scalars;
    void *operands[PROGRAM_MAX_BUFFERS];
    void *shared; /* by all units, see executor.h: the run's memory; NULL for `own` */
    _Alignas(64) char own[EXECUTOR_SHARED_NBYTES];
} run_program_job;

enum { FEW_OPERANDS = 16, FEW_FOLLOWING = 64 };

/* A routine with its addresses, and what of the program that follows it has run. */
typedef struct run_routine_job {
    const plan_launch *launch;
    const jg_routine *routine;
    const plan_launch_facts *facts;
    routine_call call; /* the plan's, with addresses, scratch and threads of this run */
    jg_buffer *scratch;
    void **addresses, *few[FEW_OPERANDS]; /* of the operands; a block where they are more */
    int step, steps;
    int64_t following_unit;                      /* elements of each, but of the last */
    int64_t following;                           /* units of the program that follows, 0 for none */
    bool *followed, few_followed[FEW_FOLLOWING]; /* of each: whether it has run */
    atomic_int failed;                           /* the status of the first failure */
    jg_error error;                              /* of that; by the thread that set `failed` */
} run_routine_job;

typedef struct run_evaluation run_evaluation;
typedef struct run_series run_series;
typedef struct run_failure run_failure;

/* How far a launch has come, so that it can go on where it stopped. Only `begun` and `series` are
 * set before the launch begins. */
typedef struct run_frame {
    run_evaluation *run;
    bool begun;
    run_series *series;  /* with the launches after it, whose units are counted on; or NULL */
    int64_t units, next; /* of the program or the routine's step: all; the first still to run */
    run_routine_job routine;
    run_program_job program; /* or the one that follows the routine */
} run_frame;

/* Runs the launches that are still to run, one after the other, on the calling thread. The frame is
 * that of the first one. raises: INTERRUPTED without a message if the run has to stop, otherwise
 * what a library call raised */
jg_status run_launches(run_evaluation *run, run_frame *frame);

/* The thread's failure with the op's name before its message. raises: status, always */
jg_status run_name_failure(jg_op label, jg_status status);

static inline void run_frame_init(run_frame *frame, run_evaluation *run)
{
    frame->run = run;
    frame->begun = false;
    frame->series = NULL;
}

/* Makes a copy of the frame of a launch that has stopped its own; frees what it has. */
void run_frame_moved(run_frame *frame);
void run_frame_clear(run_frame *frame);

/* launch_program.c */

/* addresses: by slot; scalars: the launch's own, borrowed like the launch until the job has run. */
void run_program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                      run_program_job *out);

/* The number of units of the code that will run. If that is better code than the launch's own it is
 * stored in the job, so that all threads of the run use it. */
int64_t run_program_choose_code(run_program_job *job);

/* The same without a job: the code is stored where `executor` and `code` point to. */
int64_t run_program_find_code(const plan_launch *launch, const program_executor **executor,
                              const executor_code **code);

/* Runs some units on the calling thread; and what is left to do once all have run. */
void run_program_units(run_program_job *job, int64_t first, int64_t last);
void run_program_finish(run_program_job *job);

/* launch.c */

/* Shares the frame's units by way of the pool, from its next one on, in chunks of a multiple of
 * `step`. work: about the scalar operations of all; body's context is the frame.
 * raises: INTERRUPTED */
jg_status run_launch_share(run_frame *frame, int64_t step, int64_t work, pool_body *body);

/* Scalar operations below which a second thread costs more than it brings, about 30 microseconds:
 * waking one that sleeps takes the caller up to 3 of them. */
enum { PARALLEL_WORK = 768 << 10 };

/* The same for units of a routine while a thread is awake, as it is between the products of a
 * model: about 7 microseconds. Units must not depend on whether one is. */
enum { AWAKE_WORK = 192 << 10 };

/* The most work in a chunk, if units are small enough: a run stops between chunks. It is some 30
 * microseconds of additions, or a tenth of a second of the slowest functions. */
enum { CHUNK_WORK = 1 << 20 };

/* The address of the operand, given the addresses by slot: borrowed from its slot. */
static inline void *run_operand_address(const plan_operand *operand, void *const *addresses)
{
    if (operand->slot < 0) /* an index: the address is its first value */
        return (void *)(intptr_t)operand->offset_bytes;
    return (char *)addresses[operand->slot] + operand->offset_bytes;
}

/* launch_program.c, launch_routine.c, launch_device.c: what launches are */
extern const plan_launch_kind run_program, run_routine, run_device_program, run_device_routine;

/* series.c */

/* Makes the frame's series of the launches that may run at the same time from the first one on, if
 * there are several, with enough work that threads are to share. scalars: those of the first, the
 * others' behind them; borrowed. gives: whether there is one, for run_series_free */
bool run_series_begin(run_frame *frame, const plan_launch *first, const jg_scalar *scalars);

/* Runs the frame's series from the next unit on. raises: INTERRUPTED */
jg_status run_series_run(run_frame *frame);
void run_series_free(run_series *series); /* NULL is fine */

#endif
