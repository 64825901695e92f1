/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the objects of the public header. */
#ifndef JG_TRANSFORM_TRACE_H
#define JG_TRANSFORM_TRACE_H

#include "transform/transform.h"

/* The extra state of a trace whose function is batched. */
typedef struct trace_batch trace_batch;

struct jg_tracing {
    int count;
    trace_batch *batch;  /* NULL: arguments are as they are */
    jg_array *markers[]; /* +1 each */
};

/* vmap.c: NULL is fine. takes: batch */
void trace_batch_free(trace_batch *batch);

/* Refuses a list of count arrays, and one in it, that is NULL. raises: VALUE */
jg_status transform_check_arrays(const char *name, int count, jg_array *const *arrays);

/* Refuses a cotangent or tangent whose dtype or shape differs from its array's.
 * raises: VALUE, TYPE */
jg_status transform_check_vector(const char *what, int number, const jg_array *x,
                                 const jg_array *of);

#endif
