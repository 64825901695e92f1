/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the objects of the public header. A tracing belongs to the thread that began
 * it, and its placeholders to nothing else. */
#ifndef JG_TRANSFORM_TRACING_H
#define JG_TRANSFORM_TRACING_H

#include "transform/transform.h"

/* The extra state of a tracing whose function is batched. The function's call is the first member,
 * because draws receive a pointer to it. */
typedef struct tracing_batch {
    traced_call call;
    jg_tracing *tracing;
    jg_randomness randomness;
    uint64_t draws;
    int64_t extent;
    jg_array *key;      /* the marker of the keys of the batch; NULL: none was drawn */
    jg_array *values[]; /* of the tracing's markers, +1 each, with the batch's axis first */
} tracing_batch;

/* The markers of a function that is being traced, in the order of its arguments; those of a batch
 * may be followed by one for keys. */
struct jg_tracing {
    int count;
    bool strong_zero;
    tracing_batch *batch; /* NULL: arguments are as they are */
    jg_array *markers[];  /* +1 each */
};

/* callback.c */

/* Calls a function of the caller's; a failure without a message gets one that names it as that of
 * jg_<name>. gives: as the function | raises: what the function raises | waits: as it does */
jg_status transform_call(const char *name, jg_function *function, void *context, int ninputs,
                         jg_array *const *inputs, int noutputs, jg_array **outputs);

/* tracing.c */

/* transform_call with markers of the inputs. gives: *outputs, +1 each; *out, for what ends a
 * tracing | raises: VALUE, NOMEM, and what the function raises; then the outputs are NULL */
jg_status transform_trace(const char *name, jg_function *function, void *context, int ninputs,
                          jg_array *const *inputs, int noutputs, jg_array **outputs,
                          jg_tracing **out);

/* Ends what made the outputs and then had the status. gives: *outputs, which stay the caller's;
 * NULL each, released, if the status is a failure | raises: the status */
jg_status transform_keep_outputs(jg_status status, int noutputs, jg_array **outputs);

/* check.c */

/* Refuses a cotangent or tangent whose dtype or shape differs from its array's.
 * raises: VALUE, TYPE */
jg_status transform_check_vector(const char *what, int number, const jg_array *x,
                                 const jg_array *of);

#endif
