/* SPDX-License-Identifier: Apache-2.0 */
/* Tracing: from the markers that a function is run on to the tape of what it did. */
#include "transform/tracing.h"

/* The end of a tracing drops what evaluated nodes kept for it; no walk may be running then. */
static void end_tracing(void)
{
    base_vec kept = {0};
    run_lock();
    traced_end(&kept);
    traced_drop(&kept);
    run_unlock();
}

static jg_status mark_arguments(jg_tracing *tracing, int count, jg_array *const *arguments)
{
    for (; tracing->count < count; ++tracing->count)
        JG_TRY(node_mark_argument(arguments[tracing->count], &tracing->markers[tracing->count]));
    return JG_OK;
}

jg_status jg_tracing_begin(int count, jg_array *const *arguments, jg_array **markers,
                           jg_tracing **out)
{
    JG_TRY(graph_check_arrays("arguments", count, arguments));
    size_t nbytes = sizeof(jg_tracing) + (size_t)count * sizeof(jg_array *);
    jg_tracing *tracing = base_alloc(nbytes);
    if (tracing == NULL)
        return base_nomem(nbytes, "a traced function");
    tracing->count = 0;
    tracing->batch = NULL;
    tracing->strong_zero = false;
    traced_begin();
    jg_status status = mark_arguments(tracing, count, arguments);
    if (status != JG_OK) {
        jg_tracing_abort(tracing);
        return status;
    }
    for (int i = 0; i < count; ++i)
        markers[i] = jg_array_retain(tracing->markers[i]);
    *out = tracing;
    return JG_OK;
}

/* NULL is fine. takes: batch */
static void free_batch(tracing_batch *batch)
{
    if (batch == NULL)
        return;
    traced_leave(&batch->call);
    for (int i = 0; batch->values[i] != NULL; ++i)
        jg_array_release(batch->values[i]);
    base_free(batch);
}

void jg_tracing_abort(jg_tracing *tracing)
{
    if (tracing == NULL)
        return;
    node_release_all(tracing->count, tracing->markers);
    free_batch(tracing->batch);
    base_free(tracing);
    end_tracing();
}

void jg_tracing_set_strong_zero(jg_tracing *tracing, bool on)
{
    tracing->strong_zero = on;
}

static jg_status check_tangents(const jg_tracing *tracing, jg_array *const *tangents)
{
    for (int i = 0; i < tracing->count; ++i)
        if (tangents[i] != NULL)
            JG_TRY(transform_check_vector("tangents", i, tangents[i], tracing->markers[i]));
    return JG_OK;
}

static jg_status push(const jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                      jg_array *const *tangents, int32_t *slots, jg_array **out)
{
    transform_tape tape;
    jg_status status =
        tape_build(TAPE_FORWARD, tracing->count, tracing->markers, noutputs, outputs, &tape, slots);
    bool before = formula_set_strong_zero(tracing->strong_zero);
    if (status == JG_OK)
        status = forward_run(&tape, tangents, noutputs, slots, out);
    formula_set_strong_zero(before);
    tape_clear(&tape);
    return status;
}

jg_status jg_tracing_tangents(jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                              jg_array *const *tangents, jg_array **out)
{
    size_t nbytes = (size_t)(noutputs > 0 ? noutputs : 1) * sizeof(int32_t);
    int32_t *slots = NULL;
    jg_status status = graph_check_arrays("outputs", noutputs, outputs);
    if (status == JG_OK)
        status = check_tangents(tracing, tangents);
    if (status == JG_OK && (slots = base_alloc(nbytes)) == NULL)
        status = base_nomem(nbytes, "a traced function");
    if (status == JG_OK)
        status = push(tracing, noutputs, outputs, tangents, slots, out);
    base_free(slots);
    return status;
}

jg_status jg_tracing_push(jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                          jg_array *const *tangents, jg_array **out)
{
    JG_TRY(jg_tracing_tangents(tracing, noutputs, outputs, tangents, out));
    jg_tracing_abort(tracing);
    return JG_OK;
}

jg_status transform_trace(const char *name, jg_function *function, void *context, int ninputs,
                          jg_array *const *inputs, int noutputs, jg_array **outputs,
                          jg_tracing **out)
{
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    size_t nbytes = (size_t)(ninputs > 0 ? ninputs : 1) * sizeof(jg_array *);
    jg_array **markers = base_alloc(nbytes);
    if (markers == NULL)
        return base_nomem(nbytes, "a traced function");
    jg_status status = jg_tracing_begin(ninputs, inputs, markers, out);
    if (status == JG_OK) {
        status = transform_call(name, function, context, ninputs, markers, noutputs, outputs);
        node_release_all(ninputs, markers);
        if (status != JG_OK)
            jg_tracing_abort(*out);
        for (int i = 0; i < noutputs && status != JG_OK; ++i)
            outputs[i] = NULL;
    }
    base_free(markers);
    return status;
}

jg_status transform_keep_outputs(jg_status status, int noutputs, jg_array **outputs)
{
    if (status == JG_OK)
        return JG_OK;
    node_release_all(noutputs, outputs);
    for (int i = 0; i < noutputs; ++i)
        outputs[i] = NULL;
    return status;
}

jg_status jg_jvp(jg_function *function, void *context, int ninputs, jg_array *const *inputs,
                 jg_array *const *tangents, int noutputs, jg_array **outputs,
                 jg_array **out_tangents)
{
    jg_tracing *tracing;
    JG_TRY(transform_trace("jvp", function, context, ninputs, inputs, noutputs, outputs, &tracing));
    jg_status status = jg_tracing_push(tracing, noutputs, outputs, tangents, out_tangents);
    if (status != JG_OK)
        jg_tracing_abort(tracing);
    return transform_keep_outputs(status, noutputs, outputs);
}
