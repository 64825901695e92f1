/* SPDX-License-Identifier: Apache-2.0 */
/* What a test tells the MPI library of tests/mpi. It has MPICH's ABI and one process, which takes
 * itself for number FAKE_RANK of FAKE_SIZE: the others hold what this one holds in every message of
 * all, and what they send are bytes that count up from their number. */
#ifndef TESTS_FAKE_MPI_H
#define TESTS_FAKE_MPI_H

enum { FAKE_RANK = 1, FAKE_SIZE = 3 }; /* the size unless a test says otherwise */

typedef struct fake_controls {
    int polls;         /* MPI_Test has to be called so often until a message has arrived */
    int size;          /* of every group */
    int level;         /* the thread level that is given */
    const char *fail;  /* the function of that name fails; NULL: none */
    int nth;           /* at its call of that number, from 1 */
    int missing;       /* bytes, or elements of a sum, that are received and were not sent */
    int ahead;         /* the others count so many messages more than this one */
    const char *stuck; /* the function of that name never returns; NULL: none */
    /* What has happened. */
    int messages, sent, received, finalized, communicators, freed;
    int tag; /* of what was last sent or received, but for exchanges */
} fake_controls;

/* The library's own, which tests read and write while no message is on the way. */
typedef fake_controls *fake_mpi_controls_function(void);

#endif
