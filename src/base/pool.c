/* SPDX-License-Identifier: Apache-2.0 */
/* The one thread pool of the process.
 *
 * A job is a range that is claimed in chunks by an atomic counter. The caller takes part, and
 * when the range is used up it waits only for threads that have claimed a chunk: a worker joins
 * a job by claiming its first chunk under the lock. So a core that another process holds costs
 * at most the chunk it holds, where a static split would wait for a thread that never ran.
 *
 * Workers start with the first job that can use them, spin for a while after one, since jobs
 * come in bursts, and then sleep. Lock order: the pool's lock is a leaf; bodies run without it. */
#include "base/base.h"
#include <joggle/option.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

/* Workers look for the next job for SPIN_NS after one, and yield the core every PAUSES. */
enum { PAUSES = 32, SPIN_NS = 100000 };

/* So many workers are kept off their caller's processor; more have others to go to. */
enum { FEW_WORKERS = 4 };

typedef struct pool_job {
    pool_body *body;
    void *context;
    pool_question *stops; /* NULL: never */
    atomic_bool stopped;  /* a thread was told to stop; others may not have been */
    int64_t count, grain;
    atomic_int_fast64_t next; /* the first index that is not claimed */
    atomic_int workers;     /* that have claimed a chunk and are not done; changed under the lock */
    int most_workers;       /* the pool may have had more threads before */
    unsigned forks;         /* that lay before it was opened */
    struct pool_job *after; /* on the list of open jobs; under the lock */
} pool_job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_opened = PTHREAD_COND_INITIALIZER;
static pthread_cond_t worker_left = PTHREAD_COND_INITIALIZER;
static pool_job *open_jobs;
static atomic_uint job_count; /* of all jobs ever opened, for spinning workers */
static atomic_int nspinning;  /* workers */
static int nworkers, nsleeping;
static unsigned forks; /* changed in a child that has one thread */
static pthread_t few_workers[FEW_WORKERS];
static cpu_set_t allowed;   /* the processors that the process lets its threads run on */
static cpu_set_t given;     /* those of `allowed` that keep_off has given the workers */
static int avoided = -1;    /* the processor that is in `allowed` and not in `given` */
static atomic_int nthreads; /* as of the generation of options */
static atomic_uint known_generation;

static int default_threads(void)
{
    cpu_set_t set;
    int64_t asked = option_int(OPTION_NUM_THREADS);
    if (asked >= 1)
        return (int)asked;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return int_min(count, JG_MAX_THREADS);
}

int pool_size(void)
{
    unsigned now = option_generation();
    if (JG_UNLIKELY(now != atomic_load_explicit(&known_generation, memory_order_acquire))) {
        atomic_store_explicit(&nthreads, default_threads(), memory_order_relaxed);
        atomic_store_explicit(&known_generation, now, memory_order_release);
    }
    return atomic_load_explicit(&nthreads, memory_order_relaxed);
}

int jg_num_threads(void)
{
    return pool_size();
}

jg_status jg_set_num_threads(int count)
{
    char text[16];
    if (count < 1 || count > JG_MAX_THREADS)
        return base_fail(JG_ERR_VALUE, "[set_num_threads] count: got %d, allowed 1 to %d", count,
                         JG_MAX_THREADS);
    snprintf(text, sizeof text, "%d", count);
    return jg_option_set("num_threads", text);
}

/* In a child of a fork that the question or the body has made: threads that the child does not have
 * were at work. */
static bool is_lost(const pool_job *job)
{
    return job->forks != forks;
}

static bool has_stopped(pool_job *job)
{
    if (!atomic_load_explicit(&job->stopped, memory_order_relaxed) &&
        (job->stops(job->context) || is_lost(job)))
        atomic_store_explicit(&job->stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&job->stopped, memory_order_relaxed);
}

/* gives: false: the range is used up, or the job has to stop. Relaxed, as the counter orders no
 * memory: the data that the body reads was written before the job was opened under the lock, and
 * its writes are seen when the caller has waited under the lock. */
static bool claim(pool_job *job, int64_t *first, int64_t *last)
{
    if (job->stops != NULL && has_stopped(job))
        return false;
    *first = atomic_fetch_add_explicit(&job->next, job->grain, memory_order_relaxed);
    *last = *first + job->grain < job->count ? *first + job->grain : job->count;
    return *first < job->count;
}

/* Runs the chunk, and further ones while there are some. */
static void run_chunks(pool_job *job, int64_t first, int64_t last)
{
    do
        job->body(job->context, first, last);
    while (claim(job, &first, &last));
}

/* Works on one of the open jobs. The lock is held on entry and on return; it is released meanwhile,
 * so the list may have changed. A job that has a worker is not closed. gives: false if no job has
 * anything left */
static bool help_someone(void)
{
    for (pool_job *job = open_jobs; job != NULL; job = job->after) {
        int64_t first, last;
        if (job->workers >= job->most_workers || !claim(job, &first, &last))
            continue;
        job->workers += 1;
        pthread_mutex_unlock(&lock);
        run_chunks(job, first, last);
        pthread_mutex_lock(&lock);
        job->workers -= 1;
        if (job->workers == 0)
            pthread_cond_broadcast(&worker_left);
        return true;
    }
    return false;
}

static void pause_briefly(void)
{
    for (int i = 0; i < PAUSES; ++i)
#if defined(__x86_64__)
        __builtin_ia32_pause();
#else
        __asm__ volatile("" ::: "memory");
#endif
}

/* Spins for a job without the lock, about as long as waking a sleeping thread takes. If other
 * processes use the other cores, a worker wakes on the core of the thread that woke it, so it
 * yields for that thread. */
static bool spin_for_job(unsigned seen)
{
    int64_t end = trace_clock() + SPIN_NS;
    do {
        if (atomic_load_explicit(&job_count, memory_order_acquire) != seen)
            return true;
        pause_briefly();
        sched_yield();
    } while (trace_clock() < end);
    return false;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "jg pool");
    pthread_mutex_lock(&lock);
    for (;;) {
        while (help_someone())
            continue;
        /* Under the lock, and after the list was looked through: a job that is opened from here on
         * has a higher number. */
        unsigned seen = atomic_load_explicit(&job_count, memory_order_acquire);
        pthread_mutex_unlock(&lock);
        atomic_fetch_add_explicit(&nspinning, 1, memory_order_relaxed);
        bool came_soon = spin_for_job(seen);
        atomic_fetch_sub_explicit(&nspinning, 1, memory_order_relaxed);
        pthread_mutex_lock(&lock);
        if (came_soon || atomic_load_explicit(&job_count, memory_order_acquire) != seen)
            continue;
        nsleeping += 1;
        pthread_cond_wait(&job_opened, &lock);
        nsleeping -= 1;
    }
    return NULL;
}

/* If a thread cannot be created, the existing ones do the work. The lock is held. Workers are never
 * stopped: a smaller pool lets some of them sleep. */
static void start_workers(int wanted)
{
    while (nworkers < wanted) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            return;
        pthread_detach(thread);
        if (nworkers < FEW_WORKERS)
            few_workers[nworkers] = thread;
        nworkers += 1;
        avoided = -1; /* not yet by this one */
    }
}

/* Code outside joggle may have moved the workers since. */
static void learn_allowed(void)
{
    cpu_set_t now;
    if (pthread_getaffinity_np(few_workers[0], sizeof now, &now) == 0 && !CPU_EQUAL(&now, &given))
        allowed = now;
}

/* Keeps sleeping workers off the caller's processor: if both have slept, the system often wakes a
 * worker there, where it waits until the caller, which has all the work, is done. The lock is
 * held. */
static void keep_off(int processor)
{
    if (processor == avoided || nworkers > FEW_WORKERS || processor < 0)
        return;
    learn_allowed();
    given = allowed;
    CPU_CLR((size_t)processor, &given);
    avoided = processor;
    for (int i = 0; i < nworkers && CPU_COUNT(&given) > 0; ++i)
        pthread_setaffinity_np(few_workers[i], sizeof given, &given);
}

/* fork: the child has none of the threads, and the jobs of the parent's callers are not its own */

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
    forks += 1;
    open_jobs = NULL;
    nworkers = nsleeping = 0;
    atomic_store_explicit(&nspinning, 0, memory_order_relaxed);
    avoided = -1;
    pthread_cond_init(&job_opened, NULL);
    pthread_cond_init(&worker_left, NULL);
    pthread_mutex_unlock(&lock);
}

void pool_install_hooks(void)
{
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* The lock is held. */
static void wake_workers(void)
{
    if (nsleeping == 0)
        return;
    keep_off(sched_getcpu());
    pthread_cond_broadcast(&job_opened);
}

static void open_job(pool_job *job)
{
    pthread_mutex_lock(&lock);
    start_workers(job->most_workers);
    job->after = open_jobs;
    open_jobs = job;
    atomic_fetch_add_explicit(&job_count, 1, memory_order_release);
    wake_workers();
    pthread_mutex_unlock(&lock);
}

/* Chunks are of about equal length, so the last ones end soon after the caller's: sooner than it
 * would wake. */
static void spin_for_workers(const pool_job *job)
{
    int64_t end = trace_clock() + SPIN_NS;
    do {
        pause_briefly();
        sched_yield();
    } while (atomic_load_explicit(&job->workers, memory_order_relaxed) > 0 && trace_clock() < end);
}

/* The lock is held on entry and on return, which is when no worker has the job any more. */
static void wait_for_workers(pool_job *job)
{
    int64_t start = trace_start();
    pthread_mutex_unlock(&lock);
    spin_for_workers(job);
    pthread_mutex_lock(&lock);
    while (job->workers > 0)
        pthread_cond_wait(&worker_left, &lock);
    if (start != 0)
        trace_add("wait", "wait for the pool", start, NULL);
}

/* The job is taken off the list first, so that no thread joins any more; then it waits for those
 * that have joined. The job is on the caller's stack. One that is lost is on no list, and has no
 * threads. */
static void close_job(pool_job *job)
{
    if (is_lost(job))
        return;
    pthread_mutex_lock(&lock);
    pool_job **link = &open_jobs;
    while (*link != job)
        link = &(*link)->after;
    *link = job->after;
    if (job->workers > 0)
        wait_for_workers(job);
    pthread_mutex_unlock(&lock);
}

bool pool_is_awake(void)
{
    return atomic_load_explicit(&nspinning, memory_order_relaxed) > 0;
}

/* A worker that finds no job spins for one, as after a job. */
void pool_wake(void)
{
    int size = pool_size();
    if (size == 1)
        return;
    pthread_mutex_lock(&lock);
    start_workers(size - 1);
    wake_workers();
    pthread_mutex_unlock(&lock);
}

static void run_job(pool_job *job, int size)
{
    int64_t first, last;
    job->most_workers = size - 1;
    open_job(job);
    if (claim(job, &first, &last))
        run_chunks(job, first, last);
    close_job(job);
}

void pool_run(int64_t count, int64_t grain, pool_body *body, void *context)
{
    int size = pool_size();
    if (count <= grain || size == 1) {
        if (count > 0)
            body(context, 0, count);
        return;
    }
    pool_job job = {
        .body = body, .context = context, .count = count, .grain = grain, .forks = forks};
    run_job(&job, size);
}

bool pool_run_until(int64_t count, int64_t grain, pool_body *body, pool_question *stops,
                    void *context, int64_t *next)
{
    int64_t first, last;
    int size = pool_size();
    pool_job job = {.body = body,
                    .context = context,
                    .stops = stops,
                    .count = count,
                    .grain = grain,
                    .forks = forks};
    atomic_init(&job.next, *next);
    if (count - *next > grain && size > 1)
        run_job(&job, size);
    else if (claim(&job, &first, &last))
        run_chunks(&job, first, last);
    *next = int64_min(job.next, count);
    return *next == count && !is_lost(&job);
}
