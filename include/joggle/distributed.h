/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of processes that compute together, over an MPI library that is opened at run time. The
 * ops between them are in <joggle/ops.h>, jg_distributed_all_sum and so on.
 *
 * A group is a number, which lives as long as the process: 0 is that of jg_distributed_init. What
 * makes a group is called by all processes that are to be in it, and waits for them. After
 * JOGGLE_DISTRIBUTED_TIMEOUT seconds, and when it is interrupted, it fails, and then all messages
 * of the process have ended. */
#ifndef JOGGLE_DISTRIBUTED_H
#define JOGGLE_DISTRIBUTED_H

#include <joggle/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is a library for messages. backend: "any" or "mpi"; others that MLX names are known
 * and not there. gives: *out | raises: VALUE for a name that is none | waits: never */
JG_API JG_CHECKED jg_status jg_distributed_is_available(const char *backend, bool *out);

/* The group of all processes that were started together, 0; of this process alone if no MPI
 * launcher has started it, unless strict. Further calls give the same.
 * gives: *group | raises: VALUE for backend; LIBRARY where strict, for a library that cannot be
 * opened or fails, and after a timeout; INTERRUPTED | waits: for the other processes */
JG_API JG_CHECKED jg_status jg_distributed_init(bool strict, const char *backend, int64_t *group);

/* A new group of the processes of an MPI communicator, which is duplicated. comm: the handle of the
 * library that is initialized, an address or an int.
 * keeps: nothing | gives: *group | raises: LIBRARY, after a timeout as well; INTERRUPTED;
 * NOMEM | waits: for the other processes */
JG_API JG_CHECKED jg_status jg_distributed_adopt(uintptr_t comm, int64_t *group);

/* This process's number in the group, and how many processes are in it.
 * gives: *rank, *size | raises: VALUE | waits: never */
JG_API JG_CHECKED jg_status jg_distributed_rank(int64_t group, int64_t *rank, int64_t *size);

/* New groups of the processes that give the same color, 0 or more, in the order of their keys, then
 * of their ranks; a negative key is the rank.
 * gives: *out | raises: VALUE; LIBRARY, for a process alone and after a timeout as well;
 * INTERRUPTED; NOMEM | waits: for the other processes of the group */
JG_API JG_CHECKED jg_status jg_distributed_split(int64_t group, int color, int key, int64_t *out);

/* Ends all messages of this process, which does not take leave of the others at its exit: for one
 * that ends because it has failed. raises: never | waits: never */
JG_API void jg_distributed_abandon(void);

#ifdef __cplusplus
}
#endif
#endif
