/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: the objects of the public header. */
#ifndef JG_TRANSFORM_TRACE_H
#define JG_TRANSFORM_TRACE_H

#include "transform/transform.h"

struct jg_tracing {
    int count;
    jg_array *markers[]; /* +1 each */
};

/* Refuses a list of count arrays, and one in it, that is NULL. raises: VALUE */
jg_status transform_check_arrays(const char *name, int count, jg_array *const *arrays);

/* Refuses a cotangent or tangent that has not the dtype and shape of what it belongs to.
 * raises: VALUE, TYPE */
jg_status transform_check_vector(const char *what, int number, const jg_array *x,
                                 const jg_array *of);

#endif
