/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of MPI that wait for other processes and cannot be cancelled: they initialize the library,
 * make groups and finish. A thread of this room makes them, because MPI must be finished by the
 * thread that has initialized it, and because a caller waits at most JOGGLE_DISTRIBUTED_TIMEOUT. A
 * caller that gives up ends all messages: the thread may stay in the library forever. */
#include "distributed/mpi.h"
#include <signal.h>
#include <unistd.h>

/* Under the lock, as all of these. */
static enum { FREE, ASKED, RUNS, DONE } state;
static mpi_task asked_for;
static int outcome;    /* MPI's error of what is done */
static pid_t taken_by; /* the process one of whose threads makes a group, 0: none does */
static bool has_thread;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER, changed = PTHREAD_COND_INITIALIZER;

/* A daemon. In a child of a fork it is not there, and nothing is asked for. */
static void *serve(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "jg groups");
    pthread_mutex_lock(&mpi_lock);
    for (;;) {
        while (state != ASKED)
            pthread_cond_wait(&came, &mpi_lock);
        mpi_task own = asked_for;
        state = RUNS;
        pthread_mutex_unlock(&mpi_lock);
        int error = own.call(&own);
        pthread_mutex_lock(&mpi_lock);
        asked_for = own;
        outcome = error;
        state = DONE;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

/* Signals are for other threads, those that the library starts from here on as well. */
static jg_status start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (has_thread)
        return JG_OK;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread, NULL, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return base_fail(JG_ERR_NOMEM, "the thread of groups could not be started (error %d)",
                         failed);
    pthread_detach(thread);
    has_thread = true;
    return JG_OK;
}

static bool is_free(void)
{
    return taken_by != getpid();
}

static bool is_done(void)
{
    return state == DONE;
}

/* Waits for `is`, which `changed` tells of. Called with the lock held, released meanwhile.
 * begun: the requests to interrupt before; NULL: they are not looked for
 * gives: whether it is so in time | raises: INTERRUPTED */
static jg_status wait_until(bool (*is)(void), const unsigned *begun, bool *in_time)
{
    int64_t until = mpi_deadline();
    while (!(*in_time = is()) && trace_clock() < until) {
        (void)interrupt_wait(&changed, &mpi_lock);
        if (begun == NULL)
            continue;
        pthread_mutex_unlock(&mpi_lock);
        bool stops = interrupt_check(*begun);
        pthread_mutex_lock(&mpi_lock);
        if (stops)
            return interrupt_fail();
    }
    return JG_OK;
}

static void hold_over_forks(void)
{
    fork_hold(&mpi_lock);
}

jg_status mpi_making_begin(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    unsigned begun = interrupt_begin();
    bool mine;
    pthread_once(&once, hold_over_forks);
    pthread_mutex_lock(&mpi_lock);
    jg_status status = wait_until(is_free, &begun, &mine);
    if (status == JG_OK && mine)
        taken_by = getpid();
    int64_t timeout = mpi_options_now()->timeout;
    pthread_mutex_unlock(&mpi_lock);
    if (status != JG_OK || mine)
        return status;
    return base_fail(JG_ERR_LIBRARY,
                     "[%s] another thread has been making a group for %lld seconds, allowed "
                     "by JOGGLE_DISTRIBUTED_TIMEOUT",
                     name, (long long)timeout);
}

void mpi_making_end(void)
{
    pthread_mutex_lock(&mpi_lock);
    taken_by = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mpi_lock);
}

/* The failure of a caller that gave up. */
static jg_status give_up(const char *who, jg_status status)
{
    if (status == JG_ERR_INTERRUPTED) {
        (void)mpi_break("%s: it was interrupted", who);
        return interrupt_fail();
    }
    return mpi_break("%s: the other processes have not called it within %lld seconds, allowed "
                     "by JOGGLE_DISTRIBUTED_TIMEOUT",
                     who, (long long)mpi_options_now()->timeout);
}

/* begun: NULL at exit, when all messages have ended and no caller asks for signals */
static jg_status make_locked(mpi_task *task, const char *who, const unsigned *begun)
{
    bool done;
    if (begun != NULL)
        JG_TRY(mpi_check());
    JG_TRY(start_thread());
    asked_for = *task;
    state = ASKED;
    pthread_cond_signal(&came);
    jg_status status = wait_until(is_done, begun, &done);
    if (status != JG_OK || !done)
        return give_up(who, status);
    state = FREE;
    *task = asked_for;
    return outcome == 0 ? JG_OK : mpi_fail(task->function, outcome);
}

jg_status mpi_make(mpi_task *task, const char *who)
{
    unsigned begun = interrupt_begin();
    pthread_mutex_lock(&mpi_lock);
    jg_status status = make_locked(task, who, &begun);
    pthread_mutex_unlock(&mpi_lock);
    return status;
}

jg_status mpi_make_at_exit(mpi_task *task)
{
    return make_locked(task, "exit", NULL);
}

bool mpi_may_call(void)
{
    return !mpi_is_broken() && (mpi.level > MPI_SERIALIZED || state == FREE || state == DONE);
}

const mpi_options *mpi_options_now(void)
{
    static mpi_options options;
    static unsigned generation; /* 0 is none */
    unsigned now = option_generation();
    if (now != generation) {
        options.piece = option_int(OPTION_DISTRIBUTED_PIECE);
        options.timeout = option_int(OPTION_DISTRIBUTED_TIMEOUT);
        options.compares = option_flag(OPTION_DISTRIBUTED_CHECK);
        generation = now;
    }
    return &options;
}

int64_t mpi_deadline(void)
{
    return trace_clock() + mpi_options_now()->timeout * 1000000000LL;
}
