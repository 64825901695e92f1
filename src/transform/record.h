/* SPDX-License-Identifier: Apache-2.0 */
/* Private to transform: recorded functions, which record.c makes and call.c calls. */
#ifndef JG_TRANSFORM_RECORD_H
#define JG_TRANSFORM_RECORD_H

#include "transform/tracing.h"

/* Slots of constant outputs: of an array that the function found, which each call gives as it is,
 * and of one that it made, whose memory the caller may write to: each call gives a new one. */
enum { RECORD_FOUND = -1, RECORD_MADE = -2 };

/* Once it is made nothing changes but atomic counts (refs, skipped, function.expanded) and
 * function.plans, which the evaluation lock guards, so threads share it. Slots number the
 * arguments, then the random keys, then the entries of the tape; outputs has those that are
 * constants, and NULL for others. */
struct jg_record {
    deferred_function function; /* first member: the graph's view of it */
    atomic_int refs;
    int nargs, nkeys, noutputs, nconstants;
    bool of_one_call;
    transform_tape tape;
    jg_array **markers; /* arguments and keys, +1 each */
    int64_t *forms;     /* of the arguments, one after the other: call.c */
    int32_t *slots;     /* of the outputs, or one of the two below */
    int32_t *reads;     /* the arguments and keys that nodes or outputs read, ascending; in one
                           block with is_read */
    bool *is_read;      /* of each argument and key */
    int nreads;

    /* For a record whose calls may be deferred; otherwise results is NULL. A result is the root of
     * an output: the output's value, or the array that it is a view of. */
    int nresults;
    int32_t *results;    /* the entry of each result; in the same block as the next two */
    int32_t *result_of;  /* of each output; -1: it is no result, but a value or a view of one that
                            is there */
    int32_t *result_at;  /* of each entry; -1: it is none */
    base_vec constants;  /* jg_array *: what its nodes read besides the arguments */
    atomic_uint skipped; /* calls that were not deferred although they could have been */

    jg_array *outputs[]; /* +1 each, for outputs that are constants; otherwise NULL */
};

/* call.c */

/* Finds the results of a record that is complete but for them. raises: NOMEM */
jg_status record_find_results(jg_record *record);

#endif
