/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of transforms give as functions and rules. */
#ifndef JG_TESTS_TRANSFORM_CALLBACKS_H
#define JG_TESTS_TRANSFORM_CALLBACKS_H

#include "../arrays.h"
#include <joggle/transform.h>

/* A function that asks for its first input's values, which a traced one has not. */
static inline jg_status evaluate_input(void *context, int ninputs, jg_array *const *inputs,
                                       int noutputs, jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs, (void)outputs;
    return jg_eval(1, inputs);
}

/* A rule for vjp: twice the cotangent, whatever the inputs are. */
static inline jg_status twice_the_cotangent(void *context, int ninputs, jg_array *const *inputs,
                                            int noutputs, jg_array *const *outputs,
                                            jg_array *const *cotangents, jg_array **shares)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return jg_add(cotangents[0], cotangents[0], &shares[0]);
}

#endif
