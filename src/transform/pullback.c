/* SPDX-License-Identifier: Apache-2.0 */
/* The pullback of a traced function: its tape, and the results that cotangents are given for. The
 * tracing goes on as long as it lives, so that evaluated nodes keep their inputs. */
#include "transform/tracing.h"

/* slots has the place on the tape of each output. Nothing changes once it is complete, so it may be
 * run again and by several threads. */
struct jg_pullback {
    jg_tracing *tracing; /* NULL until the pullback is complete */
    transform_tape tape;
    int noutputs;
    int32_t *slots;
    jg_array *outputs[]; /* +1 each */
};

jg_status jg_tracing_pullback(jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                              jg_pullback **out)
{
    JG_TRY(graph_check_arrays("outputs", noutputs, outputs));
    size_t each = sizeof(jg_array *) + sizeof(int32_t);
    size_t nbytes = sizeof(jg_pullback) + (size_t)noutputs * each;
    jg_pullback *pullback = base_alloc_zeroed(nbytes);
    if (pullback == NULL)
        return base_nomem(nbytes, "a pullback");
    pullback->noutputs = noutputs;
    pullback->slots = (int32_t *)(void *)(pullback->outputs + noutputs);
    for (int i = 0; i < noutputs; ++i)
        pullback->outputs[i] = jg_array_retain(outputs[i]);
    jg_status status = tape_build(TAPE_REVERSE, tracing->count, tracing->markers, noutputs, outputs,
                                  &pullback->tape, pullback->slots);
    if (status != JG_OK) {
        jg_pullback_release(pullback);
        return status;
    }
    pullback->tracing = tracing;
    *out = pullback;
    return JG_OK;
}

void jg_pullback_set_strong_zero(jg_pullback *pullback, bool on)
{
    pullback->tracing->strong_zero = on;
}

jg_status jg_pullback_apply(jg_pullback *pullback, jg_array *const *cotangents, jg_array **out)
{
    for (int i = 0; i < pullback->noutputs; ++i)
        if (cotangents[i] != NULL)
            JG_TRY(transform_check_vector("cotangents", i, cotangents[i], pullback->outputs[i]));
    bool before = formula_set_strong_zero(pullback->tracing->strong_zero);
    jg_status status =
        reverse_run(&pullback->tape, pullback->noutputs, pullback->slots, cotangents, out);
    formula_set_strong_zero(before);
    return status;
}

static jg_status check_loss(const jg_array *loss)
{
    if (loss->ndim != 0)
        return base_fail(JG_ERR_VALUE, "the loss has %d axes, allowed is a scalar, a 0-d array",
                         loss->ndim);
    if (!dtype_is_floating((jg_dtype)loss->dtype))
        return base_fail(JG_ERR_TYPE, "the loss is of %s, allowed are real floats",
                         jg_dtype_name((jg_dtype)loss->dtype));
    return JG_OK;
}

static jg_status fill_gradients(const jg_tracing *tracing, jg_array **out)
{
    jg_status status = JG_OK;
    for (int i = 0; i < tracing->count && status == JG_OK; ++i)
        if (out[i] == NULL)
            status = transform_zeros(tracing->markers[i], &out[i]);
    if (status != JG_OK)
        node_release_all(tracing->count, out);
    return status;
}

/* made: memory for the results */
static jg_status gradients(const jg_tracing *tracing, jg_array *loss, jg_array **made)
{
    transform_tape tape = {0};
    jg_array *one = NULL;
    int32_t slot;
    JG_TRY(check_loss(loss));
    const jg_number number = {.kind = JG_KIND_INT, .i64 = 1};
    JG_TRY(jg_full((jg_dtype)loss->dtype, 0, NULL, number, &one));
    jg_status status =
        tape_build(TAPE_REVERSE, tracing->count, tracing->markers, 1, &loss, &tape, &slot);
    bool before = formula_set_strong_zero(tracing->strong_zero);
    if (status == JG_OK)
        status = reverse_run(&tape, 1, &slot, &one, made);
    formula_set_strong_zero(before);
    jg_array_release(one);
    tape_clear(&tape);
    return status == JG_OK ? fill_gradients(tracing, made) : status;
}

jg_status jg_tracing_gradients(jg_tracing *tracing, jg_array *loss, jg_array **out)
{
    size_t nbytes = (size_t)tracing->count * sizeof *out;
    jg_array **made = base_alloc_zeroed(nbytes + 1);
    if (made == NULL)
        return base_nomem(nbytes, "gradients");
    jg_status status = gradients(tracing, loss, made);
    if (status == JG_OK) {
        memcpy(out, made, nbytes);
        jg_tracing_abort(tracing);
    }
    base_free(made);
    return status;
}

void jg_pullback_release(jg_pullback *pullback)
{
    if (pullback == NULL)
        return;
    node_release_all(pullback->noutputs, pullback->outputs);
    tape_clear(&pullback->tape);
    jg_tracing_abort(pullback->tracing);
    base_free(pullback);
}

jg_status jg_vjp(jg_function *function, void *context, int ninputs, jg_array *const *inputs,
                 int noutputs, jg_array **outputs, jg_pullback **out)
{
    jg_tracing *tracing;
    JG_TRY(transform_trace("vjp", function, context, ninputs, inputs, noutputs, outputs, &tracing));
    jg_status status = jg_tracing_pullback(tracing, noutputs, outputs, out);
    if (status != JG_OK)
        jg_tracing_abort(tracing);
    return transform_keep_outputs(status, noutputs, outputs);
}
