/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: the routine of the primitive message. Each group has a list of messages that were
 * begun, which run one after the other. A thread that waits for a message advances the first one,
 * by MPI's calls that do not block, so that a timeout and interrupts are noticed. Large messages
 * run in pieces.
 *
 * A message is found again by the address of its result when the run that waits for it
 * continues.
 *
 * A message whose input has failed is skipped, and counted like one that is begun: its processes
 * must not take the values of the next one for its own (skips.c, agree.c). */
#include "distributed/mpi.h"
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Threads that wait for messages; under mpi_lock. */
static int nwaiting;

#define MICROSECOND 1000

enum {
    BUSY_NS = 30 * MICROSECOND,     /* a thread does nothing but poll for so long, */
    PATIENT_NS = 500 * MICROSECOND, /* lets others run between polls for so long, */
    PAUSE_NS = 20 * MICROSECOND,    /* and then pauses for so long, */
    MOVED_NS = 4 * MICROSECOND,     /* unless a call took longer than this: it moved bytes. */
    MAX_NS = 1000 * MICROSECOND     /* Then it gives others a turn at the lock */
};

struct message {
    message *next;
    const char *from;
    char *to; /* the message's key, too */
    message_kind kind;
    jg_dtype dtype;
    int peer;
    int64_t count;     /* of the elements of a part, or of its bytes where they are only moved */
    int64_t nbytes;    /* of one of these */
    int64_t piece;     /* most of them in one call */
    int64_t done, now; /* of these, those that have arrived, and those that are being sent */
    char *scratch;     /* for a piece of each process, where parts are cut in pieces; else NULL */
    int tag;           /* of send and recv */
    bool is_compared;  /* first of all, by `own`, and then `met`: with JOGGLE_DISTRIBUTED_CHECK */
    int64_t own[4], met[4];   /* the request and its number in the group, and both times -1 */
    mpi_agreement *agreement; /* of all processes, that is still to come; else NULL */
    mpi_sum sum;              /* its group is NULL: the library does it */
    int64_t deadline;
    mpi_handle request;
    bool active, ended;
    jg_error failure; /* JG_OK or what ended it */
};

static void end(message *m, jg_status status)
{
    m->ended = true;
    m->active = false;
    if (status != JG_OK)
        error_capture(&m->failure, status);
}

static bool is_reduction(message_kind kind)
{
    return kind != MESSAGE_GATHER && kind != MESSAGE_SEND && kind != MESSAGE_RECEIVE;
}

/* A bool is a byte of 0 or 1, so the sum, which is logical or, is the maximum. */
static mpi_handle operation_of(const message *m)
{
    if (m->kind == MESSAGE_MINIMUM)
        return mpi.minimum;
    return m->kind == MESSAGE_MAXIMUM || m->dtype == JG_DTYPE_BOOL ? mpi.maximum : mpi.sum;
}

/* Puts the next piece of each process's part into scratch, one after the other. */
static void pack(const mpi_group *group, const message *m)
{
    for (int i = 0; i < group->size; ++i)
        memcpy(m->scratch + i * m->now * m->nbytes, m->from + (i * m->count + m->done) * m->nbytes,
               (size_t)(m->now * m->nbytes));
}

static void unpack(const mpi_group *group, const message *m)
{
    for (int i = 0; i < group->size; ++i)
        memcpy(m->to + (i * m->count + m->done) * m->nbytes, m->scratch + i * m->now * m->nbytes,
               (size_t)(m->now * m->nbytes));
}

/* A number has the kind in its lowest bits, then the dtype, then the count. */
enum {
    KIND_BITS = 4,
    DTYPE_BITS = 6,
    DTYPE_SHIFT = KIND_BITS,
    COUNT_SHIFT = KIND_BITS + DTYPE_BITS
};
_Static_assert(MESSAGE_RECEIVE < 1 << KIND_BITS, "kinds of messages need more bits");
_Static_assert(JG_DTYPE_COUNT <= 1 << DTYPE_BITS, "dtypes need more bits");

/* The request as one number. All processes compare it by finding its largest and least value. */
static int64_t number_of(const message *m)
{
    int64_t count = is_reduction(m->kind) ? m->count : m->count / (int64_t)dtype_itemsize(m->dtype);
    return count << COUNT_SHIFT | (int64_t)m->dtype << DTYPE_SHIFT | (int64_t)m->kind;
}

static void write_number(int64_t number, char *text, size_t nbytes)
{
    int64_t kind = number & ((1 << KIND_BITS) - 1);
    int64_t dtype = number >> DTYPE_SHIFT & ((1 << DTYPE_BITS) - 1);
    snprintf(text, nbytes, "%s of %lld %s", mpi_name((message_kind)kind),
             (long long)(number >> COUNT_SHIFT), dtype_rows[dtype].name);
}

static jg_status compare(message *m)
{
    char least[MPI_WHO], most[MPI_WHO];
    m->is_compared = false;
    if (m->met[2] != -m->met[3])
        return base_fail(JG_ERR_LIBRARY,
                         "the processes of the group are at messages %lld and %lld, as the input "
                         "of one has failed in some of them; make the same calls in all",
                         (long long)-m->met[3], (long long)m->met[2]);
    if (m->met[0] == -m->met[1])
        return JG_OK;
    write_number(-m->met[1], least, sizeof least);
    write_number(m->met[0], most, sizeof most);
    return base_fail(JG_ERR_LIBRARY,
                     "the processes of the group do not call the same: one %s, another one %s; "
                     "make the same calls in all",
                     least, most);
}

/* Whether the library is given integers in the order of the floats. */
static bool is_ordered(const message *m)
{
    bool is_extremum = m->kind == MESSAGE_MAXIMUM || m->kind == MESSAGE_MINIMUM;
    return is_extremum && mpi_order_dtype(m->dtype) != m->dtype;
}

static mpi_handle type_of(const message *m)
{
    return mpi.types[is_ordered(m) ? mpi_order_dtype(m->dtype) : m->dtype];
}

/* Begins the next piece. gives: MPI's error */
static int begin_piece(const mpi_group *group, message *m)
{
    if (m->is_compared)
        return mpi.iallreduce(m->own, m->met, JG_COUNT_OF(m->own), mpi.types[JG_DTYPE_INT64],
                              mpi.maximum, group->comm, &m->request);
    const char *from = m->from != NULL ? m->from + m->done * m->nbytes : NULL;
    char *to = m->to + m->done * m->nbytes;
    int count = (int)m->now;
    switch (m->kind) {
    case MESSAGE_GATHER:
        return mpi.iallgather(from, count, mpi.byte, m->scratch != NULL ? m->scratch : to, count,
                              mpi.byte, group->comm, &m->request);
    case MESSAGE_SUM_SCATTER:
        if (m->scratch != NULL)
            pack(group, m);
        return mpi.ireduce_scatter_block(m->scratch != NULL ? m->scratch : from, to, count,
                                         mpi.types[m->dtype], operation_of(m), group->comm,
                                         &m->request);
    case MESSAGE_RECEIVE:
        return mpi.irecv(to, count, mpi.byte, m->peer, m->tag, group->comm, &m->request);
    default:
        if (is_ordered(m)) {
            mpi_order(m->dtype, m->kind == MESSAGE_MAXIMUM, count, from, to);
            from = to;
        }
        return mpi.iallreduce(from == to ? mpi.in_place : from, to, count, type_of(m),
                              operation_of(m), group->comm, &m->request);
    }
}

static jg_status begin_sending(const mpi_group *group, message *m)
{
    if (m->to != m->from)
        memcpy(m->to, m->from, (size_t)m->count);
    return mpi_send(group, m->from, m->count, m->piece, m->peer, m->tag);
}

static jg_status give_up(const mpi_group *group, const message *m, const char *why)
{
    char who[MPI_WHO];
    return mpi_break("%s: %s", mpi_who(group, m->kind, m->peer, who), why);
}

static bool is_summed(const message *m)
{
    return m->sum.group != NULL;
}

/* gives: MPI's error */
static int begin_next(const mpi_group *group, message *m)
{
    if (m->agreement != NULL)
        return mpi_agree_begin(m->agreement);
    return is_summed(m) && !m->is_compared ? mpi_sum_begin(&m->sum) : begin_piece(group, m);
}

static jg_status start_piece(const mpi_group *group, message *m)
{
    int64_t left = m->count - m->done;
    if (m->kind == MESSAGE_SEND) {
        end(m, begin_sending(group, m));
        return JG_OK;
    }
    m->now = int64_min(left, m->piece);
    m->request = 0;
    m->deadline = 0;
    int error = begin_next(group, m);
    m->active = error == 0;
    return error == 0 ? JG_OK : mpi_fail("MPI", error);
}

/* A message that is too long is an error of MPI's, one that is too short is none. */
static jg_status check_received(const message *m, const mpi_status *status)
{
    int count = 0, error = mpi.get_count(status, mpi.byte, &count);
    if (error != 0)
        return mpi_fail("MPI_Get_count", error);
    if (count == m->now)
        return JG_OK;
    return base_fail(JG_ERR_LIBRARY,
                     "it has sent %d bytes, allowed are %lld, as many as are received", count,
                     (long long)m->now);
}

static jg_status fail_late(const message *m)
{
    return base_fail(
        JG_ERR_LIBRARY,
        "%s not answered within %lld seconds, allowed by JOGGLE_DISTRIBUTED_TIMEOUT%s",
        m->peer >= 0 ? "it has" : "the others have", (long long)mpi_options_now()->timeout,
        m->agreement != NULL ? "; the input of an earlier message has failed here, and "
                               "not in all of them"
                             : "; a process may have failed, or its input");
}

/* The clock is not read for what is answered at once. */
static jg_status check_time(message *m)
{
    if (m->deadline == 0)
        m->deadline = mpi_deadline();
    else if (trace_clock() > m->deadline)
        return fail_late(m);
    return JG_OK;
}

static jg_status poll_sum(message *m)
{
    bool moved;
    JG_TRY(mpi_sum_poll(&m->sum, &moved));
    if (m->sum.done == m->count)
        end(m, JG_OK);
    else if (moved)
        m->deadline = 0;
    return moved ? JG_OK : check_time(m);
}

static jg_status poll_piece(const mpi_group *group, message *m)
{
    mpi_status status;
    int done = 0, error = mpi.test(&m->request, &done, &status);
    if (error != 0)
        return mpi_fail("MPI_Test", error);
    if (!done)
        return check_time(m);
    m->active = false;
    if (m->is_compared)
        return compare(m);
    if (m->kind == MESSAGE_RECEIVE)
        JG_TRY(check_received(m, &status));
    if (m->kind == MESSAGE_GATHER && m->scratch != NULL)
        unpack(group, m);
    if (is_ordered(m))
        mpi_order_back(m->dtype, m->now, m->to + m->done * m->nbytes);
    m->done += m->now;
    if (m->done == m->count)
        end(m, JG_OK);
    return JG_OK;
}

static jg_status poll_agreement(message *m)
{
    bool agreed;
    JG_TRY(mpi_agree_poll(m->agreement, &agreed));
    if (!agreed)
        return check_time(m);
    mpi_agree_free(m->agreement);
    m->agreement = NULL;
    m->active = false;
    return JG_OK;
}

static jg_status poll_message(const mpi_group *group, message *m)
{
    if (m->agreement != NULL)
        return poll_agreement(m);
    return is_summed(m) && !m->is_compared ? poll_sum(m) : poll_piece(group, m);
}

/* Makes the first message that has not ended go on. The lock is held. */
static void advance(const mpi_group *group)
{
    message *m = group->first;
    while (m != NULL && m->ended)
        m = m->next;
    if (m == NULL || !mpi_may_call())
        return;
    jg_status status = m->active ? JG_OK : start_piece(group, m);
    if (status == JG_OK && !m->ended)
        status = poll_message(group, m);
    if (status != JG_OK)
        (void)give_up(group, m, jg_error_message());
}

static message **find(mpi_group *group, const char *key)
{
    message **at = &group->first;
    while (*at != NULL && (*at)->to != key)
        at = &(*at)->next;
    return at;
}

/* Counts the elements of the part that each process has, or the bytes of the part. */
static void measure(const routine_call *call, message *m)
{
    const routine_operand *x = &call->operands[0], *result = &call->operands[call->noperands - 1];
    const routine_operand *part = m->kind == MESSAGE_GATHER ? x : result;
    int64_t itemsize = (int64_t)dtype_itemsize(m->dtype);
    m->count = is_reduction(m->kind) ? part->size : part->size * itemsize;
    m->nbytes = is_reduction(m->kind) ? itemsize : 1;
    m->piece = mpi_options_now()->piece;
}

/* The memory that a message needs beside its operands. */
static jg_status prepare(const mpi_group *group, message *m)
{
    bool parts = m->kind == MESSAGE_GATHER || m->kind == MESSAGE_SUM_SCATTER;
    if (m->kind == MESSAGE_SUM && mpi_sum_fits(group, m->count * m->nbytes)) {
        m->sum = (mpi_sum){.group = group,
                           .from = m->from,
                           .to = m->to,
                           .count = m->count,
                           .nbytes = m->nbytes,
                           .type = mpi.types[m->dtype],
                           .operation = operation_of(m)};
        return mpi_sum_prepare(&m->sum, m->piece);
    }
    if (!parts || m->count <= m->piece)
        return JG_OK;
    size_t nbytes = (size_t)(m->piece * m->nbytes) * (size_t)group->size;
    m->scratch = base_alloc(nbytes);
    return m->scratch != NULL ? JG_OK : base_nomem(nbytes, "a message");
}

/* Messages that are lost change the tags of those between two processes. Before the next one of all
 * processes these agree on its number, unless they compare it anyway. */
static jg_status number_message(mpi_group *group, const routine_call *call, message *m)
{
    if (m->peer >= 0) {
        group->lost += mpi_skips_end(&group->of_two, call->order);
        m->tag = MPI_TAG_FIRST + (int)(group->lost % MPI_TAGS);
        return JG_OK;
    }
    int64_t lost = mpi_skips_end(&group->of_all, call->order);
    group->number += lost;
    group->has_lost |= lost > 0;
    if (group->has_lost && !m->is_compared)
        JG_TRY(mpi_agree_new(group, &m->agreement));
    group->has_lost = false;
    m->own[0] = number_of(m);
    m->own[1] = -m->own[0];
    m->own[2] = group->number;
    m->own[3] = -group->number;
    group->number += 1;
    return JG_OK;
}

static void free_message(message *m)
{
    mpi_agree_free(m->agreement);
    base_free(m->scratch);
    base_free(m->sum.scratch);
    base_free(m);
}

static jg_status add_message(mpi_group *group, const routine_call *call, message **out)
{
    const message_attributes *attributes = &call->attributes->message;
    message *m = base_alloc_zeroed(sizeof *m);
    if (m == NULL)
        return base_nomem(sizeof *m, "a message");
    m->kind = attributes->kind;
    m->peer = (int)attributes->peer;
    m->dtype = call->operands[call->noperands - 1].dtype;
    m->from = attributes->kind == MESSAGE_RECEIVE ? NULL : call->addresses[0];
    m->to = call->addresses[call->noperands - 1];
    measure(call, m);
    m->is_compared = m->peer < 0 && mpi_options_now()->compares;
    jg_status status = prepare(group, m);
    if (status == JG_OK)
        status = number_message(group, call, m);
    if (status != JG_OK) {
        free_message(m);
        return status;
    }
    *find(group, NULL) = m; /* no message has that key, so it is the end of the list */
    *out = m;
    return JG_OK;
}

/* Takes the message of that index out of the list. gives: how it ended */
static jg_status collect(message **at)
{
    message *m = *at;
    jg_error failure = m->failure;
    *at = m->next;
    free_message(m);
    return failure.status == JG_OK ? JG_OK : error_raise(&failure);
}

/* Between two polls. waited: nanoseconds since the first */
static void pause_polling(int64_t waited)
{
    const struct timespec pause = {0, PAUSE_NS};
    if (waited < PATIENT_NS)
        sched_yield();
    else
        nanosleep(&pause, NULL);
}

/* Polls as long as calls move bytes, and for BUSY_NS after that or the first one. A call that lets
 * other processes run, as Open MPI's do where there are more than cores, takes as long; so others
 * of this process that wait get their turn. The lock is held. gives: nanoseconds since `first` */
static int64_t poll_busily(mpi_group *group, const message *m, int64_t first)
{
    int64_t begun = trace_clock(), now = begun;
    int64_t until = now - first < BUSY_NS ? first + BUSY_NS : now;
    int64_t last = begun + (nwaiting > 1 ? BUSY_NS : MAX_NS);
    do {
        int64_t start = now;
        advance(group);
        now = trace_clock();
        if (now - start > MOVED_NS)
            until = now + BUSY_NS;
    } while (!m->ended && !mpi_is_broken() && now < until && now < last);
    return now - first;
}

/* Polls until the message has ended, or all have. The lock is held, but not while it pauses. */
static jg_status wait_among(mpi_group *group, const routine_call *call, const message *m)
{
    int64_t first = trace_clock();
    for (;;) {
        int64_t waited = poll_busily(group, m, first);
        if (m->ended)
            return JG_OK;
        if (mpi_is_broken())
            return mpi_check();
        pthread_mutex_unlock(&mpi_lock);
        bool stops = call->stops != NULL && call->stops(call->context);
        if (!stops)
            pause_polling(waited);
        pthread_mutex_lock(&mpi_lock);
        if (stops)
            return JG_ERR_INTERRUPTED;
    }
}

static jg_status wait_for(mpi_group *group, const routine_call *call, const message *m)
{
    nwaiting += 1;
    jg_status status = wait_among(group, call, m);
    nwaiting -= 1;
    return status;
}

static void skip_locked(const message_attributes *attributes, uint64_t order)
{
    mpi_group *group = mpi_group_at(attributes->group);
    mpi_skips_add(attributes->peer >= 0 ? &group->of_two : &group->of_all, order);
}

static jg_status run_locked(const routine_call *call)
{
    mpi_group *group = mpi_group_at(call->attributes->message.group);
    const char *key = call->addresses[call->noperands - 1];
    message *m = *find(group, key);
    if (m == NULL) {
        JG_TRY(mpi_check());
        jg_status added = add_message(group, call, &m);
        if (added != JG_OK) {
            skip_locked(&call->attributes->message, call->order);
            return added;
        }
        advance(group);
    }
    jg_status status = m->ended ? JG_OK : wait_for(group, call, m);
    if (status == JG_ERR_INTERRUPTED)
        return status;
    jg_status ended = collect(find(group, key));
    return status == JG_OK ? ended : mpi_check();
}

/* A message without elements is none. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step, (void)first, (void)last;
    if (call->operands[call->noperands - 1].size == 0)
        return JG_OK;
    pthread_mutex_lock(&mpi_lock);
    jg_status status = run_locked(call);
    pthread_mutex_unlock(&mpi_lock);
    return status;
}

/* The library may still read and write the memory of a message on the way whenever it is called, so
 * it must not be called any more. */
static void abandon(const routine_call *call)
{
    pthread_mutex_lock(&mpi_lock);
    mpi_group *group = mpi_group_at(call->attributes->message.group);
    message **at = find(group, call->addresses[call->noperands - 1]);
    if (*at != NULL && !(*at)->ended)
        (void)give_up(group, *at, "it was interrupted and its array dropped");
    if (*at != NULL)
        (void)collect(at);
    pthread_mutex_unlock(&mpi_lock);
}

static void skip(const primitive_attributes *attributes, uint64_t order)
{
    pthread_mutex_lock(&mpi_lock);
    skip_locked(&attributes->message, order);
    pthread_mutex_unlock(&mpi_lock);
}

static int64_t units(const routine_call *call, int step)
{
    (void)call, (void)step;
    return 1;
}

/* More than runs at once under a lock of others, and less than threads share. */
enum { MESSAGE_WORK = 20000 };

static int64_t work(const routine_call *call)
{
    (void)call;
    return MESSAGE_WORK;
}

const jg_routine distributed_message = {.name = "message",
                                        .units = units,
                                        .run = run,
                                        .work = work,
                                        .abandon = abandon,
                                        .skip = skip,
                                        .in_place = true};

const jg_routine *const distributed_routines[PRIMITIVE_COUNT] = {[PRIMITIVE_message] =
                                                                     &distributed_message};
