/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between plan and run, which have flat programs, and the tiers that run them.
 *
 * A tier turns a program and its space into code, once, and runs that code with addresses and
 * scalars, many times and from several threads at once. Work is counted in units that can be run in
 * any order and in parallel; the tier chooses the size of a unit (about 32 KiB of results). */
#ifndef JG_PROGRAM_EXECUTOR_H
#define JG_PROGRAM_EXECUTOR_H

#include "program/program.h"

#define EXECUTOR_SHARED_NBYTES (32 << 10) /* on the stack of the caller that runs the launch */

/* Results of this size and more are written past the caches: they would not be found there again
 * (half of a last-level cache). */
#define EXECUTOR_STREAM_NBYTES ((int64_t)16 << 20)

typedef struct executor_code executor_code; /* a tier's own; first member is its executor */

typedef struct program_executor program_executor;
struct program_executor {
    const char *name;

    /* Whether the tier can run the program. Required; must not block; any thread. */
    bool (*accepts)(const jg_program *program);

    /* Makes code. Borrows both; copies what it needs. Required; any thread; may take long.
     * gives: *out, for release | raises: NOMEM, UNSUPPORTED */
    jg_status (*prepare)(const jg_program *program, const program_space *space,
                         executor_code **out);

    /* As prepare, but each element is made by code that the maker prepares, and this tier does what
     * comes after. Optional; called like prepare.
     * gives: *out, for release | raises: NOMEM; UNSUPPORTED where there is nothing to be made like
     * that; INTERNAL where what the maker would get is wrong; and what the maker raises */
    jg_status (*prepare_with)(const jg_program *program, const program_space *space,
                              const program_executor *maker, executor_code **out);

    /* The number of units of the code's whole space; 0 for an empty one. Required; must not
     * block. */
    int64_t (*units)(const executor_code *code);

    /* The bytes of shared memory that the code needs where EXECUTOR_SHARED_NBYTES are too few, else
     * 0. No more for better code of the same space. Optional: 0; must not block. */
    size_t (*shared_nbytes)(const executor_code *code);

    /* How many elements of the space, in the order of its loops, each unit but the last covers;
     * 0 if units do not cover runs of equal length. Required; must not block. */
    int64_t (*unit_elements)(const executor_code *code);

    /* Runs units first to last - 1. addresses has one entry per program buffer: that of the
     * element at index zero (INDEX buffers: the offset, cast to a pointer). scalars has each
     * value in its dtype's own bytes. shared is uninitialised memory of EXECUTOR_SHARED_NBYTES, or
     * of as many bytes as shared_nbytes tells, 64-byte aligned, that belongs to all units of one
     * launch until its finish. Never fails; needs no heap beyond the thread's scratch. Required;
     * any thread. */
    void (*run)(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                void *shared, int64_t first, int64_t last);

    /* Ends a launch once all its units have run: makes results of what they left in shared memory.
     * Arguments as for run. Required; must not block; any thread. */
    void (*finish)(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                   void *shared);

    /* Required; any thread. */
    void (*release)(executor_code *code);

    /* Gives memory back that only making code needs; more code may be made all the same. Optional;
     * any thread. */
    void (*rest)(void);
};

#endif
