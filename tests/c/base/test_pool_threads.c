/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: every index is done once, whoever calls and however jobs nest. */
#include "../support.h"
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 10000 };

static void count_visits(void *context, int64_t first, int64_t last)
{
    atomic_int *visits = context;
    for (int64_t i = first; i < last; ++i)
        atomic_fetch_add(&visits[i], 1);
}

static bool all_visited(atomic_int *visits, int64_t count, int times)
{
    for (int64_t i = 0; i < count; ++i)
        if (atomic_load(&visits[i]) != times)
            return false;
    return true;
}

TEST(every_index_is_done_once_for_any_grain)
{
    static const int64_t grains[] = {1, 3, 1000, COUNT - 1, COUNT, COUNT + 1};
    for (size_t i = 0; i < JG_COUNT_OF(grains); ++i) {
        static atomic_int visits[COUNT];
        memset(visits, 0, sizeof visits);
        pool_run(COUNT, grains[i], count_visits, visits);
        assert_true(all_visited(visits, COUNT, 1));
    }
}

TEST(a_job_of_nothing_calls_nothing)
{
    atomic_int visits[1] = {0};
    pool_run(0, 1, count_visits, visits);
    assert_int_equal(visits[0], 0);
}

/* What a body writes without atomics is there when pool_run returns. */
static void write_squares(void *context, int64_t first, int64_t last)
{
    int64_t *squares = context;
    for (int64_t i = first; i < last; ++i)
        squares[i] = i * i;
}

TEST(results_are_visible_to_the_caller)
{
    static int64_t squares[COUNT];
    for (int round = 0; round < 100; ++round) {
        memset(squares, 0, sizeof squares);
        pool_run(COUNT, 100, write_squares, squares);
        for (int64_t i = 0; i < COUNT; ++i)
            assert_int_equal(squares[i], i * i);
    }
}

static void run_inner_job(void *context, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; ++i)
        pool_run(100, 7, count_visits, (atomic_int *)context + i * 100);
}

TEST(a_body_may_start_jobs)
{
    static atomic_int visits[COUNT];
    pool_run(COUNT / 100, 1, run_inner_job, visits);
    assert_true(all_visited(visits, COUNT, 1));
}

typedef struct caller {
    bool sound;
    atomic_int visits[1000];
} caller;

static void *call_often(void *context)
{
    caller *own = context;
    for (int i = 0; i < 200; ++i)
        pool_run(1000, 10, count_visits, own->visits);
    own->sound = all_visited(own->visits, 1000, 200);
    return NULL;
}

TEST(many_threads_may_call_at_once)
{
    static caller callers[6];
    run_threads(6, call_often, callers, sizeof *callers);
    for (int i = 0; i < 6; ++i)
        assert_true(callers[i].sound);
}

/* Stops at each third question. */
typedef struct stopper {
    atomic_int visits[COUNT];
    atomic_int questions;
} stopper;

static void count_visits_of(void *context, int64_t first, int64_t last)
{
    count_visits(((stopper *)context)->visits, first, last);
}

static bool stops_sometimes(void *context)
{
    return atomic_fetch_add(&((stopper *)context)->questions, 1) % 3 == 2;
}

TEST(what_stops_goes_on_where_it_stopped)
{
    static const int64_t grains[] = {1, 7, 1000, COUNT};
    for (size_t i = 0; i < JG_COUNT_OF(grains); ++i) {
        static stopper own;
        int64_t next = 0;
        memset(&own, 0, sizeof own);
        while (!pool_run_until(COUNT, grains[i], count_visits_of, stops_sometimes, &own, &next))
            assert_in_range(next, 0, COUNT - 1);
        assert_int_equal(next, COUNT);
        assert_true(all_visited(own.visits, COUNT, 1));
    }
}

#ifndef __SANITIZE_THREAD__ /* ThreadSanitizer ends children of processes with several threads */

/* The caller's first question forks, as a handler of a signal may; the child has 20 seconds. */
typedef struct forker {
    stopper own;
    pthread_t caller;
    pid_t child;
} forker;

static bool forks_once(void *context)
{
    forker *own = context;
    if (!pthread_equal(own->caller, pthread_self()) || own->child >= 0)
        return false;
    own->child = fork();
    if (own->child == 0)
        alarm(20);
    return false;
}

TEST(a_child_of_a_fork_in_between_does_not_have_the_rest)
{
    static forker own;
    int64_t next = 0;
    int status;
    own.caller = pthread_self();
    own.child = -1;
    bool all = pool_run_until(COUNT, 7, count_visits_of, forks_once, &own, &next);
    if (own.child == 0) { /* new jobs work there */
        static atomic_int visits[COUNT];
        pool_run(COUNT, 7, count_visits, visits);
        _exit(all ? 1 : all_visited(visits, COUNT, 1) ? 0 : 2);
    }
    assert_true(own.child > 0);
    assert_true(all && all_visited(own.own.visits, COUNT, 1));
    assert_int_equal(waitpid(own.child, &status, 0), own.child);
    if (WIFSIGNALED(status))
        fail_msg("the child was killed by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif

/* Of one round: the processors of the threads that took part in it. */
typedef struct places {
    cpu_set_t allowed;
    atomic_int visits[COUNT], outside, helped;
    pthread_t caller;
} places;

static void look_around(void *context, int64_t first, int64_t last)
{
    places *own = context;
    cpu_set_t now, common;
    if (sched_getaffinity(0, sizeof now, &now) != 0)
        return;
    CPU_AND(&common, &now, &own->allowed);
    if (CPU_COUNT(&now) == 0 || !CPU_EQUAL(&common, &now))
        atomic_fetch_add(&own->outside, 1);
    if (!pthread_equal(pthread_self(), own->caller))
        atomic_fetch_add(&own->helped, 1);
    count_visits(own->visits, first, last);
    usleep(200); /* long enough for the others to come */
}

/* Workers that have slept are kept off the caller's processor, and within the process's. The
 * caller keeps its own, and may have one alone. */
TEST(workers_stay_within_the_processors_of_the_process)
{
    static places own;
    cpu_set_t one, now;
    assert_int_equal(sched_getaffinity(0, sizeof own.allowed, &own.allowed), 0);
    own.caller = pthread_self();
    for (int round = 0; round < 12; ++round) {
        memset(own.visits, 0, sizeof own.visits);
        CPU_ZERO(&one);
        CPU_SET((size_t)sched_getcpu(), &one);
        if (round % 3 == 2)
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        usleep(1000); /* workers spin for 100 us before they sleep */
        pool_run(40, 1, look_around, &own);
        assert_true(all_visited(own.visits, 40, 1));
        assert_int_equal(own.outside, 0);
        assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
        assert_true(CPU_EQUAL(&now, round % 3 == 2 ? &one : &own.allowed));
        assert_int_equal(sched_setaffinity(0, sizeof own.allowed, &own.allowed), 0);
    }
    assert_true(own.helped > 0);
}

/* A worker that has just had a job looks for the next one, and falls asleep if none comes. */
TEST(workers_are_awake_for_a_while_after_a_job)
{
    static atomic_int visits[COUNT];
    bool was_awake = false, slept = false;
    for (int round = 0; round < 10000 && !was_awake; ++round) {
        pool_run(COUNT, 100, count_visits, visits);
        was_awake = pool_is_awake();
    }
    for (int i = 0; i < 10000 && !slept; ++i) {
        usleep(1000);
        slept = !pool_is_awake();
    }
    assert_true(was_awake);
    assert_true(slept);
}

static bool are_awake_within(int milliseconds)
{
    int64_t end = trace_clock() + milliseconds * (int64_t)1000000;
    while (!pool_is_awake() && trace_clock() < end)
        sched_yield();
    return pool_is_awake();
}

/* They look for a job so briefly that one look at them may miss it. */
TEST(workers_wake_without_a_job)
{
    bool woke = false;
    for (int round = 0; round < 1000 && !woke; ++round) {
        for (int i = 0; i < 1000 && pool_is_awake(); ++i)
            usleep(1000);
        assert_false(are_awake_within(1));
        pool_wake();
        woke = are_awake_within(5);
    }
    assert_true(woke);
}

static int take_four_threads(void **state)
{
    (void)state;
    return jg_option_set("num_threads", "4") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_four_threads)
