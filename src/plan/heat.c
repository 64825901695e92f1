/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that run often get better code, made on a thread of its own and swapped in.
 *
 * A launch that the hot tier accepts keeps its program, counts its work, and asks for code once
 * it has done enough; it asks again later if no thread could be started. The code is stored with
 * one atomic write; a run loads it once and uses that code to its end. Counts are approximate:
 * threads may lose some. A launch that cannot be compiled keeps its first code. A child of a fork
 * has no such thread and starts its own.
 *
 * With JOGGLE_JIT=1 the first run of a launch compiles its code, with no lock held: a plan of
 * which some code is due does not run under the evaluation lock. */
#include "plan/draft.h"
#include <string.h>
#include <unistd.h>

/* Compiling takes as long as 50 to 200 million scalar operations. A launch is compiled after
 * HOT_WORK operations in at least HOT_RUNS runs, as more runs are then likely; one of LONG_WORK
 * operations is compiled during its first run. RUN_WORK is added for each run, however
 * small. */
enum { HOT_WORK = 32 << 20, HOT_RUNS = 2, LONG_WORK = 256 << 20, RUN_WORK = 8 << 10 };
enum { MANY_ELEMENTS = 16 << 10 }; /* reduced elements; with fewer the tiles are as fast */

struct launch_heat {
    atomic_int refs;             /* the launch's and the queue's */
    const jg_executor *executor; /* the tier that made the code: the hot one, or the launch's own */
    struct launch_heat *next;
    _Atomic(executor_code *) code;
    _Atomic(int64_t) work;
    atomic_int runs;
    atomic_bool asked;
    atomic_bool due; /* JOGGLE_JIT=1: the code is made before the first run */
    jg_program *program;
    program_space *space;
};

static const jg_executor *hot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; of what follows */
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static launch_heat *first, **last = &first;
static pid_t worker; /* the process that has the thread */

void plan_set_hot_tier(const jg_executor *executor)
{
    hot = executor;
    fork_hold(&lock);
}

void heat_release(launch_heat *heat)
{
    if (heat == NULL || atomic_fetch_sub(&heat->refs, 1) > 1)
        return;
    executor_code *code = atomic_load(&heat->code);
    if (code != NULL)
        heat->executor->release(code);
    base_free(heat->program);
    base_free(heat->space);
    base_free(heat);
}

static jg_status new_heat(const jg_program *program, const program_space *space, launch_heat **out)
{
    size_t nbytes = program_space_nbytes(space->nbuffers, space->ndim);
    launch_heat *heat = base_alloc_zeroed(sizeof *heat);
    if (heat == NULL)
        return base_nomem(sizeof *heat, "a plan");
    atomic_init(&heat->refs, 1);
    heat->program = base_copy(program, sizeof *program);
    heat->space = base_copy(space, nbytes);
    if (heat->program == NULL || heat->space == NULL) {
        heat_release(heat);
        return base_nomem(nbytes, "a plan");
    }
    *out = heat;
    return JG_OK;
}

/* Two threads may compile a launch whose code is due; the second code is dropped. */
static void compile(launch_heat *heat)
{
    executor_code *code, *none = NULL;
    int64_t start = trace_start();
    const jg_executor *executor = heat->executor;
    jg_status status = executor == hot
                           ? hot->prepare(heat->program, heat->space, &code)
                           : executor->prepare_with(heat->program, heat->space, hot, &code);
    if (status == JG_OK && !atomic_compare_exchange_strong(&heat->code, &none, code))
        executor->release(code);
    if (start != 0)
        trace_add("plan", "compile", start, NULL);
}

static launch_heat *take_request(void)
{
    pthread_mutex_lock(&lock);
    while (first == NULL)
        pthread_cond_wait(&asked, &lock);
    launch_heat *heat = first;
    first = heat->next;
    last = first == NULL ? &first : last;
    pthread_mutex_unlock(&lock);
    return heat;
}

static void *serve(void *context)
{
    (void)context;
    for (;;) {
        launch_heat *heat = take_request();
        compile(heat);
        heat_release(heat);
    }
    return NULL;
}

/* The lock is held. */
static bool start_worker(void)
{
    pthread_t thread;
    if (worker == getpid())
        return true;
    /* After a fork the condition may remember waiters that the child does not have. */
    asked = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    if (pthread_create(&thread, NULL, serve, NULL) != 0)
        return false;
    pthread_detach(thread);
    worker = getpid();
    return true;
}

/* If no thread could be started, the launch asks again after as much work again. */
static void ask_later(launch_heat *heat)
{
    atomic_store_explicit(&heat->work, 0, memory_order_relaxed);
    atomic_store_explicit(&heat->asked, false, memory_order_relaxed);
    heat_release(heat);
}

JG_COLD static void ask(launch_heat *heat)
{
    atomic_fetch_add(&heat->refs, 1);
    pthread_mutex_lock(&lock);
    bool served = start_worker();
    if (served) {
        heat->next = NULL;
        *last = heat;
        last = &heat->next;
        pthread_cond_signal(&asked);
    }
    pthread_mutex_unlock(&lock);
    if (!served)
        ask_later(heat);
}

/* Whether values are made before they are reduced, or stored besides, and are many. */
static bool makes_elements(const jg_program *program, const program_space *space)
{
    int64_t count = 1;
    for (int d = 0; d < space->ndim; ++d)
        if (__builtin_mul_overflow(count, space->extents[d], &count))
            return true; /* no elements are that many; what reads memory has fewer */
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        bool stores = inst->op == PROGRAM_STORE && !program->buffers[inst->buffer].per_row;
        bool reduces = program_is_reduction((program_op)inst->op);
        if (stores || (reduces && program->insts[inst->src[0]].op != PROGRAM_LOAD))
            return count >= MANY_ELEMENTS;
    }
    return false;
}

/* The tier that makes better code of the program: the hot one, or the launch's own with elements
 * of the hot one's making; NULL where neither does. */
static const jg_executor *better_tier(const jg_executor *own, const jg_program *program,
                                      const program_space *space)
{
    if (hot->accepts(program))
        return hot;
    bool is_total = program->reduces && space->nreduced == space->ndim;
    bool splits = is_total && own->prepare_with != NULL && program_reduces_once(program) &&
                  makes_elements(program, space);
    return splits ? own : NULL;
}

jg_status heat_begin(const jg_executor *own, const jg_program *program, const program_space *space,
                     launch_heat **out)
{
    const char *mode = option_text(OPTION_JIT);
    *out = NULL;
    if (hot == NULL || strcmp(mode, "0") == 0)
        return JG_OK;
    const jg_executor *executor = better_tier(own, program, space);
    if (executor == NULL)
        return JG_OK;
    JG_TRY(new_heat(program, space, out));
    (*out)->executor = executor;
    bool due = strcmp(mode, "1") == 0;
    atomic_init(&(*out)->due, due);
    atomic_init(&(*out)->asked, due);
    return JG_OK;
}

bool heat_is_due(const launch_heat *heat)
{
    return heat != NULL && atomic_load_explicit(&heat->due, memory_order_acquire);
}

void heat_make_due(launch_heat *heat)
{
    if (!heat_is_due(heat))
        return;
    compile(heat);
    atomic_store_explicit(&heat->due, false, memory_order_release);
}

const executor_code *heat_code(const launch_heat *heat, const jg_executor **executor)
{
    const executor_code *code = atomic_load_explicit(&heat->code, memory_order_acquire);
    if (code != NULL)
        *executor = heat->executor;
    return code;
}

void heat_count(launch_heat *heat, int64_t work)
{
    if (atomic_load_explicit(&heat->asked, memory_order_relaxed))
        return;
    int runs = atomic_load_explicit(&heat->runs, memory_order_relaxed) + 1;
    int64_t sum = atomic_load_explicit(&heat->work, memory_order_relaxed);
    sum += RUN_WORK + (work < HOT_WORK ? work : HOT_WORK);
    atomic_store_explicit(&heat->work, sum, memory_order_relaxed);
    atomic_store_explicit(&heat->runs, runs < HOT_RUNS ? runs : HOT_RUNS, memory_order_relaxed);
    bool pays = work >= LONG_WORK || (runs >= HOT_RUNS && sum >= HOT_WORK);
    if (pays && !atomic_exchange(&heat->asked, true))
        ask(heat);
}
