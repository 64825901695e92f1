/* SPDX-License-Identifier: Apache-2.0 */
/* The messages that are sent. A process that sends continues before the other one receives, so that
 * two processes may send to each other first: a copy of the bytes is kept until they have arrived.
 * Libraries move large messages only while they are called, so a thread calls them until no message
 * is pending. */
#include "distributed/mpi.h"
#include <string.h>
#include <time.h>

/* Pieces of one copy; the last one frees it. */
typedef struct sending {
    struct sending *next;
    mpi_handle request;
    char *copy; /* owned by the last piece, NULL of the others */
    const mpi_group *group;
    int64_t deadline; /* of its arrival */
    int peer;
} sending;

static sending *first; /* under the lock, as the next */
static bool has_thread;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

/* Ends all messages if the piece cannot arrive. error: of MPI
 * gives: whether it has not arrived in time, or there is an error */
static bool has_failed(const sending *one, int error, bool done)
{
    char who[MPI_WHO];
    if (error == 0 && (done || trace_clock() < one->deadline))
        return false;
    (void)mpi_who(one->group, MESSAGE_SEND, one->peer, who);
    if (error != 0)
        (void)mpi_fail("MPI_Test", error);
    else
        (void)base_fail(
            JG_ERR_LIBRARY,
            "it has not received it within %lld seconds, allowed by JOGGLE_DISTRIBUTED_TIMEOUT",
            (long long)mpi_options_now()->timeout);
    (void)mpi_break("%s: %s", who, jg_error_message());
    return true;
}

/* Frees what has arrived. The lock is held. */
static void test_all(void)
{
    sending **at = &first;
    while (*at != NULL && mpi_may_call()) {
        sending *one = *at;
        int done = 0, error = mpi.test(&one->request, &done, mpi.status_ignore);
        if (has_failed(one, error, done))
            return;
        if (!done) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        base_free(one->copy);
        base_free(one);
    }
}

enum { PAUSE_NS = 50000 };

static void pause_between_tests(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    nanosleep(&pause, NULL);
}

/* A daemon. In a child of a fork it is not there, and nothing is sent. */
static void *look_after(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), "jg send");
    pthread_mutex_lock(&mpi_lock);
    for (;;) {
        while (first == NULL || mpi_check() != JG_OK)
            pthread_cond_wait(&came, &mpi_lock);
        test_all();
        pthread_mutex_unlock(&mpi_lock);
        pause_between_tests();
        pthread_mutex_lock(&mpi_lock);
    }
    return NULL;
}

static jg_status start_thread(void)
{
    pthread_t thread;
    int failed = has_thread ? 0 : pthread_create(&thread, NULL, look_after, NULL);
    if (failed)
        return base_fail(JG_ERR_NOMEM, "the thread of messages could not be started (error %d)",
                         failed);
    if (!has_thread)
        pthread_detach(thread);
    has_thread = true;
    return JG_OK;
}

/* Behind the others. takes: one */
static void append(sending *one)
{
    sending **at = &first;
    while (*at != NULL)
        at = &(*at)->next;
    *at = one;
}

static jg_status send_piece(const mpi_group *group, const char *bytes, int64_t nbytes, int peer,
                            int tag, char *copy)
{
    sending *one = base_alloc_zeroed(sizeof *one);
    if (one == NULL)
        return base_nomem(sizeof *one, "a message");
    int error = mpi.isend(bytes, (int)nbytes, mpi.byte, peer, tag, group->comm, &one->request);
    if (error != 0) {
        base_free(one);
        return mpi_fail("MPI_Isend", error);
    }
    one->copy = copy;
    one->group = group;
    one->deadline = mpi_deadline();
    one->peer = peer;
    append(one);
    return JG_OK;
}

/* Once a piece is being sent, the copy stays, even after a failure. */
jg_status mpi_send(const mpi_group *group, const void *bytes, int64_t nbytes, int64_t piece,
                   int peer, int tag)
{
    JG_TRY(start_thread());
    char *copy = base_alloc((size_t)nbytes);
    if (copy == NULL)
        return base_nomem((size_t)nbytes, "a message");
    memcpy(copy, bytes, (size_t)nbytes);
    for (int64_t done = 0; done < nbytes; done += piece) {
        bool is_last = nbytes - done <= piece;
        jg_status status = send_piece(group, copy + done, is_last ? nbytes - done : piece, peer,
                                      tag, is_last ? copy : NULL);
        if (status != JG_OK && done == 0)
            base_free(copy);
        if (status != JG_OK)
            return status;
    }
    test_all();
    if (first != NULL)
        pthread_cond_signal(&came);
    return JG_OK;
}

bool mpi_finish_sends(void)
{
    pthread_mutex_lock(&mpi_lock);
    int64_t until = mpi_deadline();
    while (first != NULL && mpi_check() == JG_OK && trace_clock() < until) {
        test_all();
        pthread_mutex_unlock(&mpi_lock);
        pause_between_tests();
        pthread_mutex_lock(&mpi_lock);
    }
    bool all = first == NULL;
    pthread_mutex_unlock(&mpi_lock);
    return all;
}
