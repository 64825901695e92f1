/* SPDX-License-Identifier: Apache-2.0 */
/* The pullback of a traced function: its tape, and the results that cotangents are given for. The
 * trace goes on as long as it lives, so that evaluated nodes keep their inputs. */
#include "transform/trace.h"

struct jg_pullback {
    jg_tracing *trace;
    transform_tape tape;
    int noutputs;
    int32_t *slots;
    jg_array *outputs[]; /* +1 each */
};

jg_status jg_tracing_pullback(jg_tracing *trace, int noutputs, jg_array *const *outputs,
                              jg_pullback **out)
{
    jg_pullback *pullback = NULL;
    jg_status status = transform_check_arrays("outputs", noutputs, outputs);
    size_t each = sizeof *pullback->outputs + sizeof *pullback->slots;
    size_t nbytes = sizeof *pullback + (size_t)(noutputs > 0 ? noutputs : 0) * each;
    if (status == JG_OK && (pullback = base_alloc_zeroed(nbytes)) == NULL)
        status = base_nomem(nbytes, "a pullback");
    if (status != JG_OK) {
        jg_tracing_abort(trace);
        return status;
    }
    pullback->trace = trace;
    pullback->noutputs = noutputs;
    pullback->slots = (int32_t *)(void *)(pullback->outputs + noutputs);
    for (int i = 0; i < noutputs; ++i)
        pullback->outputs[i] = jg_array_retain(outputs[i]);
    status = tape_build(TAPE_DERIVATIVE, trace->count, trace->markers, noutputs, outputs,
                        &pullback->tape, pullback->slots);
    if (status != JG_OK) {
        jg_pullback_release(pullback);
        return status;
    }
    *out = pullback;
    return JG_OK;
}

jg_status jg_pullback_apply(jg_pullback *pullback, jg_array *const *cotangents, jg_array **out)
{
    for (int i = 0; i < pullback->noutputs; ++i)
        if (cotangents[i] != NULL)
            JG_TRY(transform_check_vector("cotangents", i, cotangents[i], pullback->outputs[i]));
    return reverse_run(&pullback->tape, pullback->noutputs, pullback->slots, cotangents, out);
}

void jg_pullback_release(jg_pullback *pullback)
{
    if (pullback == NULL)
        return;
    for (int i = 0; i < pullback->noutputs; ++i)
        jg_array_release(pullback->outputs[i]);
    tape_clear(&pullback->tape);
    jg_tracing_abort(pullback->trace);
    base_free(pullback);
}

jg_status jg_vjp(jg_function *function, void *context, int ninputs, jg_array *const *inputs,
                 int noutputs, jg_array **outputs, jg_pullback **out)
{
    jg_tracing *trace;
    JG_TRY(transform_check_arrays("inputs", ninputs, inputs));
    size_t nbytes = (size_t)(ninputs > 0 ? ninputs : 1) * sizeof(jg_array *);
    jg_array **markers = base_alloc(nbytes);
    if (markers == NULL)
        return base_nomem(nbytes, "a trace");
    jg_status status = jg_tracing_begin(ninputs, inputs, markers, &trace);
    if (status == JG_OK) {
        status = function(context, ninputs, markers, noutputs, outputs);
        for (int i = 0; i < ninputs; ++i)
            jg_array_release(markers[i]);
        if (status != JG_OK)
            jg_tracing_abort(trace);
        else
            status = jg_tracing_pullback(trace, noutputs, outputs, out);
    }
    base_free(markers);
    return status;
}
