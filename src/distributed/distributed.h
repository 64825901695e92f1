/* SPDX-License-Identifier: Apache-2.0 */
/* distributed: groups of processes, and the messages between them, over an MPI library that is
 * opened at run time. It knows no graph: a message is a routine on dense memory.
 *
 * A group is a number; group 0 is all processes that were started together, or this process alone
 * where there is no MPI. Groups live as long as the process. Messages of a group run one after the
 * other, in the order in which they were begun. A failure or a timeout ends all messages of the
 * process: other processes would wait for a part of what this one has given up.
 *
 * One lock guards groups, messages and every call of the library but those that make groups and
 * wait for other processes, which a thread of the room's own calls (making.c). It is held over a
 * fork, and a child has no groups. */
#ifndef JG_DISTRIBUTED_H
#define JG_DISTRIBUTED_H

#include "base/base.h"
#include "program/routine.h"
#include "tensor/tensor.h"
#include <joggle/distributed.h>

/* The routine of the primitive message; NULL for others. The tables of src/routine and src/library
 * are read beside this one. */
extern const jg_routine *const distributed_routines[PRIMITIVE_COUNT];
extern const jg_routine distributed_message;

/* This process's number in a group, and how many there are. Any thread, without a lock.
 * gives: *rank, *size | raises: VALUE for a number that no group has | waits: never */
jg_status distributed_group(int64_t group, int64_t *rank, int64_t *size);

/* Whether MPI adds up, or compares, elements of the dtype. raises: never */
bool distributed_adds(jg_dtype dtype);

#endif
