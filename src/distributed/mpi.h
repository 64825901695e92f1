/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the MPI library, its groups and their messages. mpi_lock guards all of
 * it. */
#ifndef JG_DISTRIBUTED_MPI_H
#define JG_DISTRIBUTED_MPI_H

#include "distributed/distributed.h"
#include <pthread.h>
#include <sys/types.h>

/* A pointer in Open MPI, an int in MPICH, which reads the low half. */
typedef uintptr_t mpi_handle;

typedef struct mpi_library {
#define MPI_CALL(name, function, parameters) int(*name) parameters;
#include "distributed/api.def"
#undef MPI_CALL
#define MPI_CONSTANT(name, symbol, number) mpi_handle name;
#include "distributed/api.def"
#undef MPI_CONSTANT
    mpi_handle types[JG_DTYPE_COUNT]; /* 0 for dtypes that MPI does not compute on */
    void *status_ignore, *in_place;
    bool open;
    pid_t opener; /* a child of it must not use the library */
} mpi_library;

typedef struct message message;

typedef struct mpi_group {
    mpi_handle comm; /* 0: this process alone, without MPI */
    int rank, size;
    message *first; /* those that were begun and not collected, in that order */
} mpi_group;

extern mpi_library mpi;
extern pthread_mutex_t mpi_lock;

/* mpi.c */

/* Opens the library that JOGGLE_MPI names, else the one that is initialized or has started this
 * process. The lock is held. gives: whether there is one | raises: LIBRARY for one that cannot be
 * opened or lacks a function */
jg_status mpi_open(bool *found);

/* Whether an MPI launcher has started this process. raises: never */
bool mpi_is_started(void);

/* Whether some library could be opened. raises: never */
bool mpi_exists(void);

/* LIBRARY with MPI's text for its error. raises: always */
JG_COLD jg_status mpi_fail(const char *function, int error);

/* Ends all messages for good, and says why to whoever asks later. The lock is held. format: of the
 * reason
 * raises: LIBRARY, always */
JG_COLD jg_status mpi_break(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool mpi_is_broken(void); /* whether that has happened. The lock is held. raises: never */

/* Whether that has happened, or this is a child of the process that opened the library. The lock
 * is held. raises: LIBRARY with the reason */
jg_status mpi_check(void);

/* group.c */

/* The group of a number that one has, else NULL. The lock is held. */
mpi_group *mpi_group_at(int64_t number);

/* send.c */

/* Sends a copy of the bytes, in pieces, and does not wait until they have arrived: a thread of the
 * room's own looks after that. The lock is held. raises: LIBRARY, NOMEM */
jg_status mpi_send(const mpi_group *group, const void *bytes, int64_t nbytes, int64_t piece,
                   int peer);

/* At exit: waits until what was sent has arrived, for as long as JOGGLE_DISTRIBUTED_TIMEOUT says.
 * gives: whether it has. Takes the lock */
bool mpi_finish_sends(void);

#endif
