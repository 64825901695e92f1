/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_mpi.h. Bytes are read and written when a message arrives, not before, so that sanitizers
 * see memory that went too early; and nothing has a lock, so that they see two threads that call at
 * once, which MPI_THREAD_SERIALIZED forbids. */
#include "fake_mpi.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAKE(...)                                                                                  \
    __attribute__((visibility("default"))) int __VA_ARGS__;                                        \
    int __VA_ARGS__

enum { OP_MAX = 0x58000001, OP_MIN = 0x58000002, OP_SUM = 0x58000003 };
enum {
    BYTE = 0x4c00010d,
    INT32 = 0x4c000439,
    FLOAT = 0x4c00040a,
    DOUBLE = 0x4c00080b,
    INT64 = 0x4c00083a
};
enum { TAG_SUM = 1, TAG_AGREE = 2 }; /* exchanges have these */
enum { ERROR = 17, MOST_REQUESTS = 1024, FIRST_REQUEST = 0x2c000000, FIRST_COMM = 0x44000001 };

/* EXCHANGE: receives what this process sends to the same other one, which has as much. */
typedef enum request_kind { REDUCE, GATHER, SCATTER, SEND, RECEIVE, EXCHANGE } request_kind;

typedef struct request {
    bool used;
    request_kind kind;
    const char *from;
    char *to;
    int count, type, operation, peer, tag, polls;
} request;

static request requests[MOST_REQUESTS];
static bool initialized;
static int calls; /* of the function that is to fail */
static fake_controls controls = {.level = 3, .size = FAKE_SIZE};

__attribute__((visibility("default"))) fake_controls *fake_mpi_controls(void);
fake_controls *fake_mpi_controls(void)
{
    return &controls;
}

/* An error where the test has asked for one. Calls that make groups take a while, in which no other
 * may begin if the library is for one thread at a time. */
static int outcome(const char *function)
{
    static atomic_int inside;
    bool makes = strcmp(function, "MPI_Comm_split") == 0 || strcmp(function, "MPI_Comm_dup") == 0;
    if (controls.level < 3 && atomic_fetch_add(&inside, 1) != 0)
        abort();
    if (makes)
        usleep(2000);
    if (controls.level < 3)
        atomic_fetch_sub(&inside, 1);
    while (controls.stuck != NULL && strcmp(controls.stuck, function) == 0)
        pause();
    if (controls.fail == NULL || strcmp(controls.fail, function) != 0)
        return 0;
    return ++calls == controls.nth ? ERROR : 0;
}

static size_t size_of(int type)
{
    switch (type) {
    case BYTE: return 1;
    case INT32:
    case FLOAT: return 4;
    case INT64:
    case DOUBLE: return 8;
    default: abort(); /* tests use no other */
    }
}

/* Each process has the same, so its sum is a multiple and its extrema are itself. */
static void reduce(const char *from, char *to, int count, int type, int operation)
{
    double factor = operation == OP_SUM ? controls.size : 1;
    if (operation != OP_SUM && operation != OP_MAX && operation != OP_MIN)
        abort();
    for (int i = 0; i < count; ++i)
        if (type == INT32)
            ((int32_t *)(void *)to)[i] = ((const int32_t *)(const void *)from)[i] * (int)factor;
        else if (type == INT64)
            ((int64_t *)(void *)to)[i] = ((const int64_t *)(const void *)from)[i] * (int64_t)factor;
        else if (type == FLOAT)
            ((float *)(void *)to)[i] = ((const float *)(const void *)from)[i] * (float)factor;
        else if (type == DOUBLE)
            ((double *)(void *)to)[i] = ((const double *)(const void *)from)[i] * factor;
        else
            abort();
}

static void arrive(const request *r)
{
    size_t nbytes = (size_t)r->count * size_of(r->type), part = (size_t)FAKE_RANK * nbytes;
    switch (r->kind) {
    case REDUCE: reduce(r->from, r->to, r->count, r->type, r->operation); break;
    case SCATTER: reduce(r->from + part, r->to, r->count, r->type, r->operation); break;
    case GATHER:
        for (int i = 0; i < controls.size; ++i)
            memcpy(r->to + (size_t)i * nbytes, r->from, nbytes);
        break;
    case EXCHANGE:
        memcpy(r->to, r->from, nbytes);
        if (r->tag == TAG_AGREE)
            *(int64_t *)(void *)r->to += controls.ahead;
        break;
    case SEND:
        for (int i = 0; i < r->count; ++i)
            controls.sent += r->from[i];
        break;
    case RECEIVE:
        for (int i = 0; i < r->count; ++i)
            r->to[i] = (char)(r->peer + controls.received++);
    }
}

static int begin(const char *function, request made, int *out)
{
    int error = outcome(function);
    if (error != 0)
        return error;
    for (int i = 0; i < MOST_REQUESTS; ++i)
        if (!requests[i].used) {
            made.used = true;
            made.polls = controls.polls;
            requests[i] = made;
            *out = FIRST_REQUEST + i;
            controls.messages += 1;
            return 0;
        }
    abort();
}

FAKE(MPI_Initialized(int *out))
{
    *out = initialized;
    return outcome("MPI_Initialized");
}

FAKE(MPI_Finalized(int *out))
{
    *out = controls.finalized > 0;
    return outcome("MPI_Finalized");
}

FAKE(MPI_Query_thread(int *level))
{
    *level = controls.level;
    return outcome("MPI_Query_thread");
}

FAKE(MPI_Init_thread(int *count, char ***arguments, int wanted, int *level))
{
    (void)count, (void)arguments, (void)wanted;
    initialized = true;
    *level = controls.level;
    return outcome("MPI_Init_thread");
}

/* No message may be on the way. */
FAKE(MPI_Finalize(void))
{
    int error = outcome("MPI_Finalize");
    for (int i = 0; i < MOST_REQUESTS; ++i)
        if (requests[i].used)
            abort();
    controls.finalized += 1;
    return error;
}

FAKE(MPI_Error_string(int error, char *text, int *length))
{
    *length = sprintf(text, "fake error %d", error);
    return 0;
}

FAKE(MPI_Comm_rank(int comm, int *out))
{
    (void)comm;
    *out = FAKE_RANK;
    return outcome("MPI_Comm_rank");
}

FAKE(MPI_Comm_size(int comm, int *out))
{
    (void)comm;
    *out = controls.size;
    return outcome("MPI_Comm_size");
}

FAKE(MPI_Comm_dup(int comm, int *out))
{
    (void)comm;
    *out = FIRST_COMM + controls.communicators++;
    return outcome("MPI_Comm_dup");
}

FAKE(MPI_Comm_split(int comm, int color, int key, int *out))
{
    (void)comm, (void)color, (void)key;
    *out = FIRST_COMM + controls.communicators++;
    return outcome("MPI_Comm_split");
}

FAKE(MPI_Comm_free(int *comm))
{
    *comm = 0;
    controls.freed += 1;
    return outcome("MPI_Comm_free");
}

FAKE(MPI_Comm_set_errhandler(int comm, int handler))
{
    (void)comm, (void)handler;
    return outcome("MPI_Comm_set_errhandler");
}

FAKE(MPI_Iallreduce(const void *from, void *to, int count, int type, int operation, int comm,
                    int *out))
{
    const request made = {.kind = REDUCE,
                          .from = from == (const void *)(intptr_t)-1 ? to : from,
                          .to = to,
                          .count = count,
                          .type = type,
                          .operation = operation};
    (void)comm;
    return begin("MPI_Iallreduce", made, out);
}

FAKE(MPI_Iallgather(const void *from, int count, int type, void *to, int each, int to_type,
                    int comm, int *out))
{
    const request made = {.kind = GATHER, .from = from, .to = to, .count = count, .type = type};
    (void)comm;
    if (each != count || to_type != type)
        abort();
    return begin("MPI_Iallgather", made, out);
}

FAKE(MPI_Ireduce_scatter_block(const void *from, void *to, int count, int type, int operation,
                               int comm, int *out))
{
    const request made = {.kind = SCATTER,
                          .from = from,
                          .to = to,
                          .count = count,
                          .type = type,
                          .operation = operation};
    (void)comm;
    return begin("MPI_Ireduce_scatter_block", made, out);
}

/* The first receive of an exchange that has nothing yet gets it. */
static void answer(const char *from)
{
    for (int i = 0; i < MOST_REQUESTS; ++i)
        if (requests[i].used && requests[i].kind == EXCHANGE && requests[i].from == NULL) {
            requests[i].from = from;
            return;
        }
    abort(); /* the room receives before it sends */
}

static bool is_exchange(int tag)
{
    if (tag != TAG_SUM && tag != TAG_AGREE)
        controls.tag = tag;
    return tag == TAG_SUM || tag == TAG_AGREE;
}

FAKE(MPI_Isend(const void *from, int count, int type, int peer, int tag, int comm, int *out))
{
    const request made = {.kind = SEND,
                          .from = from,
                          .count = is_exchange(tag) ? 0 : count,
                          .type = type,
                          .peer = peer};
    (void)comm;
    if (is_exchange(tag))
        answer(from);
    return begin("MPI_Isend", made, out);
}

FAKE(MPI_Irecv(void *to, int count, int type, int peer, int tag, int comm, int *out))
{
    const request made = {.kind = is_exchange(tag) ? EXCHANGE : RECEIVE,
                          .to = to,
                          .count = count,
                          .type = type,
                          .peer = peer,
                          .tag = tag};
    (void)comm;
    return begin("MPI_Irecv", made, out);
}

FAKE(MPI_Reduce_local(const void *from, void *to, int count, int type, int operation))
{
    if (operation != OP_SUM)
        abort();
    for (int i = 0; i < count; ++i)
        if (type == INT32)
            ((int32_t *)to)[i] += ((const int32_t *)from)[i];
        else if (type == FLOAT)
            ((float *)to)[i] += ((const float *)from)[i];
        else if (type == DOUBLE)
            ((double *)to)[i] += ((const double *)from)[i];
        else
            abort();
    return outcome("MPI_Reduce_local");
}

FAKE(MPI_Test(int *number, int *done, void *status))
{
    request *r = &requests[*number - FIRST_REQUEST];
    int error = outcome("MPI_Test");
    if (error != 0)
        return error;
    if (!r->used)
        abort();
    *done = r->polls-- <= 0;
    if (*done) {
        arrive(r);
        r->used = false;
        if (status != (void *)(intptr_t)1) /* that is MPI_STATUS_IGNORE */
            *(int *)status = r->count - controls.missing;
    }
    return 0;
}

FAKE(MPI_Get_count(const void *status, int type, int *count))
{
    (void)type;
    *count = *(const int *)status;
    return outcome("MPI_Get_count");
}
