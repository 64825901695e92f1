/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the MPI library, its groups and their messages. mpi_lock guards all of
 * it. */
#ifndef JG_DISTRIBUTED_MPI_H
#define JG_DISTRIBUTED_MPI_H

#include "distributed/distributed.h"
#include <pthread.h>

enum { MPI_WHO = 100 };                        /* for the name of a function and its process */
enum { MPI_SERIALIZED = 2, MPI_MULTIPLE = 3 }; /* levels of threads, the same in both ABIs */

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
    int eager; /* bytes of a message that goes at once, without asking the receiver first */
    int level; /* of threads, once the library is initialized */
} mpi_library;

/* The library's facts about a message that has arrived: no more than 24 bytes in both ABIs. */
typedef struct mpi_status {
    _Alignas(8) char bytes[64];
} mpi_status;

typedef struct message message;

/* Messages that were skipped, because what they are made of has failed or was not computed. They
 * may be begun later; they are lost once another message is begun instead. */
enum { MPI_SKIPS = 16 };
typedef struct mpi_skips {
    uint64_t orders[MPI_SKIPS]; /* routine_call.order */
    int count;
    int64_t lost; /* others, for which there was no room */
} mpi_skips;

/* Once it has a size, rank and comm stay, and are read without the lock. */
typedef struct mpi_group {
    mpi_handle comm; /* 0: this process alone, without MPI */
    int rank;
    _Atomic int size; /* 0: there is no such group */
    message *first;   /* those that were begun and not collected, in that order */
    int64_t number;   /* of messages of all processes, begun or lost: the same in all */
    bool has_lost;    /* one of these, since they have agreed on the number (agree.c) */
    int64_t lost;     /* messages of two processes: the same in both */
    mpi_skips of_all, of_two;
} mpi_group;

/* Tags. Those of send and recv count the messages that are lost, so that a process which skips one
 * alone sends no later one in its place. MPI allows numbers up to 32767 at least. */
enum { MPI_TAG_SUM = 1, MPI_TAG_AGREE = 2, MPI_TAG_FIRST = 3, MPI_TAGS = 32000 };

extern mpi_library mpi;
extern pthread_mutex_t mpi_lock;

/* mpi.c */

/* Opens the library that JOGGLE_MPI names, otherwise the library that is initialized or has started
 * this process. The lock is held. gives: whether there is one | raises: LIBRARY for one that cannot
 * be opened or lacks a function; NOMEM */
jg_status mpi_open(bool *found);

/* Whether an MPI launcher has started this process. raises: never */
bool mpi_is_started(void);

/* Whether some library could be opened. raises: never */
bool mpi_exists(void);

/* LIBRARY with MPI's text for its error. raises: always */
JG_COLD jg_status mpi_fail(const char *function, int error);

/* The function that a message is of. gives: a static string | raises: never */
const char *mpi_name(message_kind kind);

/* Describes a message for errors: the function, the process and the other process, -1 for all.
 * text: of MPI_WHO bytes. gives: text | raises: never */
const char *mpi_who(const mpi_group *group, message_kind kind, int peer, char *text);

/* Ends all messages forever, and says why to callers that ask later. The lock is held. format: of
 * the reason
 * raises: LIBRARY, always */
JG_COLD jg_status mpi_break(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool mpi_is_broken(void); /* whether that has happened. The lock is held. raises: never */

/* Whether that has happened, or this is a child of the process that opened the library. The lock
 * is held. raises: LIBRARY with the reason */
jg_status mpi_check(void);

/* order.c */

/* The integers that stand for floats of the dtype in an extremum; for others, the dtype itself. */
jg_dtype mpi_order_dtype(jg_dtype dtype);

/* Floats as these integers, where an extremum takes NaN; to may be from. raises: never */
void mpi_order(jg_dtype dtype, bool of_maximum, int64_t count, const void *from, void *to);

/* These integers as floats of the dtype again, in place. raises: never */
void mpi_order_back(jg_dtype dtype, int64_t count, void *bits);

/* making.c */

/* A call that waits for other processes: what it takes and gives. */
typedef struct mpi_task {
    int (*call)(struct mpi_task *task); /* gives: MPI's error */
    const char *function;               /* of MPI, for errors */
    mpi_handle comm, made;
    int color, key, level;
    bool initialized; /* by this room, which finishes it then */
} mpi_task;

/* Only one thread at a time makes a group: from here to mpi_making_end, which follows a success.
 * name: of the op, for errors. Takes the lock.
 * raises: INTERRUPTED, LIBRARY after a timeout | waits: for other threads that make groups */
jg_status mpi_making_begin(const char *name);
void mpi_making_end(void);

/* Has a task done by the thread of groups. who: the function and the process, for errors. Takes the
 * lock.
 * gives: what the task does | raises: LIBRARY for MPI's error and after a timeout, INTERRUPTED,
 * NOMEM; a timeout and an interrupt end all messages | waits: for the other processes, no longer
 * than JOGGLE_DISTRIBUTED_TIMEOUT says */
jg_status mpi_make(mpi_task *task, const char *who);
/* The same after mpi_break, at exit, when there are no interrupts. The lock is held. */
jg_status mpi_make_at_exit(mpi_task *task);

/* Whether messages may call the library: not after they have all ended, and not during a task where
 * the library serves one thread at a time. The lock is held. raises: never */
bool mpi_may_call(void);

typedef struct mpi_options {
    int64_t timeout; /* in seconds */
    int64_t piece;   /* the most elements of a message, which an int counts */
    bool compares;
} mpi_options;
/* The options of the room, read again when some option has changed. The lock is held.
 * gives: borrowed, until the lock is given back */
const mpi_options *mpi_options_now(void);

int64_t mpi_deadline(void); /* of a wait that begins now. The lock is held. raises: never */

/* group.c */

/* The group with that number. gives: borrowed, valid forever; NULL for none */
mpi_group *mpi_group_at(int64_t number);

/* send.c */

/* Sends a copy of the bytes, in pieces, and does not wait until they have arrived: a thread of the
 * room's own looks after that. The lock is held. raises: LIBRARY, NOMEM */
jg_status mpi_send(const mpi_group *group, const void *bytes, int64_t nbytes, int64_t piece,
                   int peer, int tag);

/* At exit: waits until what was sent has arrived, for as long as JOGGLE_DISTRIBUTED_TIMEOUT says.
 * gives: whether it has. Takes the lock */
bool mpi_finish_sends(void);

/* skips.c */

/* Notes a message, unless it is noted already. order: 0 if it is not known */
void mpi_skips_add(mpi_skips *skips, uint64_t order);

/* The message of that order is begun. gives: how many are lost by that */
int64_t mpi_skips_end(mpi_skips *skips, uint64_t order);

/* agree.c */

typedef struct mpi_agreement mpi_agreement;

/* Of all processes of the group, on the number of the message that is begun next.
 * gives: *out, for mpi_agree_free | raises: NOMEM */
jg_status mpi_agree_new(const mpi_group *group, mpi_agreement **out);
void mpi_agree_free(mpi_agreement *agreement); /* NULL is fine */

/* The lock is held. gives: MPI's error */
int mpi_agree_begin(mpi_agreement *agreement);

/* The lock is held. gives: *agreed | raises: LIBRARY for MPI's error, and for a process with
 * another number */
jg_status mpi_agree_poll(mpi_agreement *agreement, bool *agreed);

/* sum.c */

enum { MPI_BLOCKS = 2 }; /* on the way at once */

typedef struct mpi_block {
    int64_t first; /* of its elements */
    int count, round;
    mpi_handle in, out;
    bool receives, sends; /* what has not arrived */
} mpi_block;

/* A sum that messages between two processes make. Its maker fills the first line of members. */
typedef struct mpi_sum {
    const mpi_group *group;
    const char *from;
    char *to;
    int64_t count, nbytes; /* elements, and bytes of one */
    mpi_handle type, operation;
    int64_t most;        /* elements of a block */
    int64_t begun, done; /* elements */
    int oldest;          /* of the blocks */
    mpi_block blocks[MPI_BLOCKS];
    char *scratch; /* the owner of the sum frees it; NULL where none is needed */
} mpi_sum;

/* Whether the group's memory is large enough for a sum of nbytes. raises: never */
bool mpi_sum_fits(const mpi_group *group, int64_t nbytes);

/* piece: the most elements of a message. raises: NOMEM */
jg_status mpi_sum_prepare(mpi_sum *sum, int64_t piece);

/* The lock is held. gives: MPI's error */
int mpi_sum_begin(mpi_sum *sum);

/* Goes on, until done is count. The lock is held.
 * gives: *moved, whether something has arrived | raises: LIBRARY for MPI's error, and for a process
 * that sends less */
jg_status mpi_sum_poll(mpi_sum *sum, bool *moved);

#endif
