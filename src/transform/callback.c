/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions of the caller's, whose failures get a message if they have none. */
#include "transform/tracing.h"

jg_status transform_call(const char *name, jg_function *function, void *context, int ninputs,
                         jg_array *const *inputs, int noutputs, jg_array **outputs)
{
    unsigned before = error_count();
    jg_status status = function(context, ninputs, inputs, noutputs, outputs);
    return error_of_callback(before, status, name, "function");
}
