/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that run often get better code, made on a thread of its own and swapped in.
 *
 * A launch that the hot tier accepts keeps its program, counts its work, and asks for code once
 * it has done enough; it asks again later if no thread could be started. The code is stored with
 * one atomic write; a run loads it once and uses that code to its end. Counts are approximate:
 * threads may lose some. A launch that cannot be compiled keeps its first code. A child of a fork
 * has no such thread and starts its own.
 *
 * Equal launches share what is here, whatever plans they belong to: a model's layers are hot
 * together, and compiled once. A table finds it, which holds no reference.
 *
 * With JOGGLE_JIT=1 the first run of a launch compiles its code, with no lock held: a plan of
 * which some code is due does not run under the evaluation lock. */
#include "plan/steps.h"
#include <string.h>
#include <unistd.h>

/* Compiling takes as long as 50 to 200 million scalar operations. A launch is compiled after
 * HOT_WORK operations in at least HOT_RUNS runs, as more runs are then likely; one of LONG_WORK
 * operations is compiled during its first run. RUN_WORK is added for each run, however
 * small. */
enum { HOT_WORK = 32 << 20, HOT_RUNS = 2, LONG_WORK = 256 << 20, RUN_WORK = 8 << 10 };
enum { MANY_ELEMENTS = 16 << 10 }; /* reduced elements; with fewer the tiles are as fast */
enum { BUCKETS = 512 };

struct plan_launch_heat {
    atomic_int refs; /* the launches' and the queue's; 0: it is being freed */
    const program_executor
        *executor; /* the tier that made the code: the hot one, or the launch's own */
    struct plan_launch_heat *next;    /* of the queue */
    struct plan_launch_heat *sibling; /* of its bucket */
    uint64_t hash;
    _Atomic(executor_code *) code;
    _Atomic(int64_t) work;
    atomic_int runs;
    atomic_bool asked;
    atomic_bool due; /* JOGGLE_JIT=1: the code is made before the first run */
    jg_program *program;
    program_space *space;
};

static const program_executor *hot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; of what follows */
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static plan_launch_heat *first, **last = &first;
static plan_launch_heat *buckets[BUCKETS];
static pid_t worker; /* the process that has the thread */

void plan_set_hot_tier(const program_executor *executor)
{
    hot = executor;
    fork_hold(&lock);
}

static void free_heat(plan_launch_heat *heat)
{
    executor_code *code = atomic_load(&heat->code);
    if (code != NULL)
        heat->executor->release(code);
    base_free(heat->program);
    base_free(heat->space);
    base_free(heat);
}

static uint64_t hash_of(const jg_program *program, const program_space *space)
{
    uint64_t parts[] = {
        hash_bytes(program->insts, (size_t)program->ninsts * sizeof *program->insts),
        hash_bytes(program->buffers, (size_t)program->nbuffers * sizeof *program->buffers),
        hash_bytes(space->extents, (size_t)space->ndim * sizeof *space->extents),
        hash_bytes(space->strides, (size_t)(space->nbuffers * space->ndim) * sizeof(int64_t))};
    return hash_bytes(parts, sizeof parts);
}

static bool same(const void *x, const void *y, int count, size_t size)
{
    return memcmp(x, y, (size_t)count * size) == 0;
}

static bool same_program(const jg_program *x, const jg_program *y)
{
    return x->ninsts == y->ninsts && x->nbuffers == y->nbuffers && x->nscalars == y->nscalars &&
           x->reduces == y->reduces && same(x->insts, y->insts, x->ninsts, sizeof *x->insts) &&
           same(x->buffers, y->buffers, x->nbuffers, sizeof *x->buffers) &&
           same(x->scalars, y->scalars, x->nscalars, sizeof *x->scalars);
}

static bool same_space(const program_space *x, const program_space *y)
{
    return x->ndim == y->ndim && x->nreduced == y->nreduced && x->nbuffers == y->nbuffers &&
           same(x->extents, y->extents, x->ndim, sizeof *x->extents) &&
           same(x->strides, y->strides, x->nbuffers * x->ndim, sizeof *x->strides);
}

/* Takes a reference to the equal entry, if it is not being freed; NULL if there is none. The lock
 * is held. */
static plan_launch_heat *find_equal(const plan_launch_heat *sought)
{
    plan_launch_heat *heat = buckets[sought->hash % BUCKETS];
    for (; heat != NULL; heat = heat->sibling) {
        if (heat->hash != sought->hash || heat->executor != sought->executor ||
            !same_program(heat->program, sought->program) ||
            !same_space(heat->space, sought->space))
            continue;
        int refs = atomic_load(&heat->refs);
        while (refs > 0 && !atomic_compare_exchange_weak(&heat->refs, &refs, refs + 1))
            ;
        if (refs > 0)
            return heat;
    }
    return NULL;
}

static void take_off(const plan_launch_heat *heat)
{
    pthread_mutex_lock(&lock);
    plan_launch_heat **at = &buckets[heat->hash % BUCKETS];
    while (*at != NULL && *at != heat)
        at = &(*at)->sibling;
    if (*at != NULL)
        *at = heat->sibling;
    pthread_mutex_unlock(&lock);
}

void heat_release(plan_launch_heat *heat)
{
    if (heat == NULL || atomic_fetch_sub(&heat->refs, 1) > 1)
        return;
    take_off(heat);
    free_heat(heat);
}

/* On no list yet. */
static jg_status new_heat(const plan_launch_heat *sought, plan_launch_heat **out)
{
    size_t nbytes = program_space_nbytes(sought->space->nbuffers, sought->space->ndim);
    plan_launch_heat *heat = base_alloc_zeroed(sizeof *heat);
    if (heat == NULL)
        return base_nomem(sizeof *heat, "a plan");
    atomic_init(&heat->refs, 1);
    heat->executor = sought->executor;
    heat->hash = sought->hash;
    heat->program = base_copy(sought->program, sizeof *sought->program);
    heat->space = base_copy(sought->space, nbytes);
    if (heat->program == NULL || heat->space == NULL) {
        free_heat(heat);
        return base_nomem(nbytes, "a plan");
    }
    *out = heat;
    return JG_OK;
}

/* Two threads may compile a launch whose code is due; the second code is dropped. */
static void compile(plan_launch_heat *heat)
{
    executor_code *code, *none = NULL;
    int64_t start = trace_start();
    const program_executor *executor = heat->executor;
    jg_status status = executor == hot
                           ? hot->prepare(heat->program, heat->space, &code)
                           : executor->prepare_with(heat->program, heat->space, hot, &code);
    if (status == JG_OK && !atomic_compare_exchange_strong(&heat->code, &none, code))
        executor->release(code);
    if (start != 0)
        trace_add("plan", "compile", start, NULL);
}

static plan_launch_heat *take_request(void)
{
    pthread_mutex_lock(&lock);
    while (first == NULL)
        pthread_cond_wait(&asked, &lock);
    plan_launch_heat *heat = first;
    first = heat->next;
    last = first == NULL ? &first : last;
    pthread_mutex_unlock(&lock);
    return heat;
}

/* After the last request that there is. */
static void rest(void)
{
    pthread_mutex_lock(&lock);
    bool is_last = first == NULL;
    pthread_mutex_unlock(&lock);
    if (is_last && hot->rest != NULL)
        hot->rest();
}

static void *serve(void *context)
{
    (void)context;
    for (;;) {
        plan_launch_heat *heat = take_request();
        compile(heat);
        heat_release(heat);
        rest();
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
static void ask_later(plan_launch_heat *heat)
{
    atomic_store_explicit(&heat->work, 0, memory_order_relaxed);
    atomic_store_explicit(&heat->asked, false, memory_order_relaxed);
    heat_release(heat);
}

JG_COLD static void ask(plan_launch_heat *heat)
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
static const program_executor *better_tier(const program_executor *own, const jg_program *program,
                                           const program_space *space)
{
    if (hot->accepts(program))
        return hot;
    bool is_total = program->reduces && space->nreduced == space->ndim;
    bool splits = is_total && own->prepare_with != NULL && program_reduces_once(program) &&
                  makes_elements(program, space);
    return splits ? own : NULL;
}

/* Gives the equal entry if there is one, otherwise a new one. The caller holds the lock. */
static jg_status share(const plan_launch_heat *sought, plan_launch_heat **out)
{
    *out = find_equal(sought);
    if (*out != NULL)
        return JG_OK;
    JG_TRY(new_heat(sought, out));
    plan_launch_heat **bucket = &buckets[sought->hash % BUCKETS];
    (*out)->sibling = *bucket;
    *bucket = *out;
    return JG_OK;
}

/* If there is no code yet, it is made before the next run. */
static void make_due(plan_launch_heat *heat)
{
    if (atomic_load(&heat->code) != NULL)
        return;
    atomic_store(&heat->asked, true);
    atomic_store_explicit(&heat->due, true, memory_order_release);
}

jg_status heat_begin(const program_executor *own, const jg_program *program,
                     const program_space *space, plan_launch_heat **out)
{
    const char *mode = option_text(OPTION_JIT);
    *out = NULL;
    if (hot == NULL || strcmp(mode, "0") == 0)
        return JG_OK;
    const program_executor *executor = better_tier(own, program, space);
    if (executor == NULL)
        return JG_OK;
    const plan_launch_heat sought = {.executor = executor,
                                     .hash = hash_of(program, space),
                                     .program = (jg_program *)program,
                                     .space = (program_space *)space};
    pthread_mutex_lock(&lock);
    jg_status status = share(&sought, out);
    pthread_mutex_unlock(&lock);
    if (status == JG_OK && strcmp(mode, "1") == 0)
        make_due(*out);
    return status;
}

bool heat_is_due(const plan_launch_heat *heat)
{
    return heat != NULL && atomic_load_explicit(&heat->due, memory_order_acquire);
}

void heat_make_due(plan_launch_heat *heat)
{
    if (!heat_is_due(heat))
        return;
    compile(heat);
    atomic_store_explicit(&heat->due, false, memory_order_release);
}

const executor_code *heat_code(const plan_launch_heat *heat, const program_executor **executor)
{
    const executor_code *code = atomic_load_explicit(&heat->code, memory_order_acquire);
    if (code != NULL)
        *executor = heat->executor;
    return code;
}

void heat_count(plan_launch_heat *heat, int64_t work)
{
    if (atomic_load_explicit(&heat->asked, memory_order_relaxed))
        return;
    int runs = atomic_load_explicit(&heat->runs, memory_order_relaxed) + 1;
    int64_t sum = atomic_load_explicit(&heat->work, memory_order_relaxed);
    sum += RUN_WORK + (int64_min(work, HOT_WORK));
    atomic_store_explicit(&heat->work, sum, memory_order_relaxed);
    atomic_store_explicit(&heat->runs, int_min(runs, HOT_RUNS), memory_order_relaxed);
    bool pays = work >= LONG_WORK || (runs >= HOT_RUNS && sum >= HOT_WORK);
    if (pays && !atomic_exchange(&heat->asked, true))
        ask(heat);
}
