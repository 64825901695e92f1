/* SPDX-License-Identifier: Apache-2.0 */
/* Batching of what works along lines: Fourier transforms and searches. */
#include "transform/batch.h"

jg_status batch_fft(const batch_call *call, jg_array **out)
{
    primitive_attributes attributes;
    jg_array *x;
    batch_attributes(call->node, &attributes);
    attributes.fft.axis += 1;
    if (attributes.fft.then >= 0)
        attributes.fft.then += 1;
    JG_TRY(batch_input(call, 0, &x));
    jg_status status = batch_make(call, &x, &attributes, out);
    jg_array_release(x);
    return status;
}

/* One set of elements serves for all that are looked up in it. set, wanted: numbers of inputs */
static jg_status look_up(const batch_call *call, int set, int wanted, jg_array **out)
{
    jg_array *inputs[2];
    if (call->mapped[set])
        return batch_loop(call, out);
    inputs[set] = call->inputs[set];
    JG_TRY(batch_input(call, wanted, &inputs[wanted]));
    jg_status status = batch_make(call, inputs, NULL, out);
    jg_array_release(inputs[wanted]);
    return status;
}

jg_status batch_search(const batch_call *call, jg_array **out)
{
    return look_up(call, 0, 1, out);
}

jg_status batch_member(const batch_call *call, jg_array **out)
{
    return look_up(call, 1, 0, out);
}
