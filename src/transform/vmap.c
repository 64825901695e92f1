/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one made functions of many: placeholders for the arguments' elements, and the graph
 * that was made of them built again for all. */
#include "transform/batch.h"
#include "transform/tracing.h"
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/* The marker of the keys has an index that no argument has. */
enum { SPARE = 1 };

/* The name is copied behind the values, of which the last is NULL. */
static jg_status new_batch(const char *name, int count, tracing_batch **out)
{
    name = name != NULL ? name : "a function";
    size_t length = strlen(name) + 1;
    size_t nvalues = (size_t)count + SPARE + 1;
    size_t nbytes = sizeof(tracing_batch) + nvalues * sizeof(jg_array *) + length;
    tracing_batch *batch = base_alloc_zeroed(nbytes);
    if (batch == NULL)
        return base_nomem(nbytes, "a traced function");
    batch->call.caller = "vmap";
    batch->call.name = memcpy((char *)(batch->values + nvalues), name, length);
    batch->call.does = "batched";
    *out = batch;
    return JG_OK;
}

static jg_status refuse_draw(traced_call *call, jg_array **out)
{
    (void)out;
    return base_fail(JG_ERR_VALUE,
                     "key: got none inside of %s, which is being batched; allowed are a key, or "
                     "randomness=\"different\" or \"same\" for the batch",
                     call->name);
}

/* Adds a marker to the tracing, whose value has the batch's axis first. keeps: value */
static jg_status add_marker(jg_tracing *tracing, jg_array *value, jg_array **out)
{
    jg_layout layout;
    node_layout(value, &layout);
    layout.ndim -= 1;
    layout.size = 1;
    for (int i = 0; i < layout.ndim; ++i) {
        layout.shape[i] = layout.shape[i + 1];
        layout.strides[i] = layout.strides[i + 1];
        layout.size *= layout.shape[i];
    }
    JG_TRY(node_placeholder(value->device, (jg_dtype)value->dtype, &layout, out));
    tracing->markers[tracing->count] = jg_array_retain(*out);
    tracing->batch->values[tracing->count++] = jg_array_retain(value);
    return JG_OK;
}

/* Makes a key for each element of the batch, from the next key outside of the function. */
static jg_status make_keys(tracing_batch *batch)
{
    jg_array *outer, *keys, *marker;
    JG_TRY(compose_next_key(batch->call.outer, &outer));
    jg_status status = jg_random_split(outer, batch->extent, &keys);
    jg_array_release(outer);
    JG_TRY(status);
    status = add_marker(batch->tracing, keys, &marker);
    jg_array_release(keys);
    JG_TRY(status);
    batch->key = marker;
    jg_array_release(marker); /* the tracing holds it */
    return JG_OK;
}

static jg_status draw_key(traced_call *call, jg_array **out)
{
    tracing_batch *batch = (tracing_batch *)(void *)call;
    if (batch->key == NULL)
        JG_TRY(make_keys(batch));
    return compose_numbered_key(batch->key, batch->draws++, out);
}

/* An element of an argument is one value inside of the function, before and after the write. */
static jg_status refuse_write(traced_call *call, const void *low, const void *high)
{
    const tracing_batch *batch = (const tracing_batch *)(void *)call;
    for (int i = 0; batch->values[i] != NULL; ++i)
        if (node_overlaps(batch->values[i], low, high))
            return base_fail(
                JG_ERR_UNSUPPORTED,
                "[%s] %s: got a write to the memory of an argument that is mapped; give the "
                "function a copy, or write outside of it",
                call->caller, call->name);
    return JG_OK;
}

static jg_status check_extents(tracing_batch *batch, int number, int first, int64_t extent)
{
    if (first < 0)
        batch->extent = extent;
    else if (extent != batch->extent)
        return base_fail(JG_ERR_VALUE,
                         "in_axes: argument %d has %" PRId64
                         " along its axis, argument %d has %" PRId64
                         ", allowed is the same for all",
                         first, batch->extent, number, extent);
    return JG_OK;
}

static jg_status mark_mapped(jg_tracing *tracing, int number, jg_array *argument, int64_t in_axis,
                             int *first, jg_array **marker)
{
    jg_array *value;
    int axis;
    if (argument->ndim == 0)
        return base_fail(JG_ERR_VALUE,
                         "in_axes: argument %d has no axes, allowed for it is not to be mapped",
                         number);
    JG_TRY(shape_axis("in_axes", in_axis, argument->ndim, &axis));
    JG_TRY(check_extents(tracing->batch, number, *first, argument->dims[axis]));
    *first = *first < 0 ? number : *first;
    JG_TRY(batch_move_axis(argument, axis, 0, &value));
    jg_status status = add_marker(tracing, value, marker);
    jg_array_release(value);
    return status;
}

/* gives: markers, +1 each, as many as *done says, also after a failure */
static jg_status mark_all(jg_tracing *tracing, int count, jg_array *const *arguments,
                          const int64_t *in_axes, jg_array **markers, int *done)
{
    int first = -1;
    for (*done = 0; *done < count; *done += 1)
        if (in_axes[*done] == JG_NOT_MAPPED)
            markers[*done] = jg_array_retain(arguments[*done]);
        else
            JG_TRY(mark_mapped(tracing, *done, arguments[*done], in_axes[*done], &first,
                               &markers[*done]));
    if (first < 0)
        return base_fail(JG_ERR_VALUE,
                         "in_axes: no argument is mapped of %d, allowed is one or more", count);
    return JG_OK;
}

static void begin_call(tracing_batch *batch, jg_tracing *tracing, jg_randomness randomness)
{
    batch->tracing = tracing;
    batch->call.write = refuse_write;
    batch->randomness = randomness;
    if (randomness == JG_RANDOMNESS_ERROR)
        batch->call.key = refuse_draw;
    else if (randomness == JG_RANDOMNESS_DIFFERENT)
        batch->call.key = draw_key;
    traced_enter(&batch->call);
}

jg_status jg_tracing_begin_batched(const char *name, int count, jg_array *const *arguments,
                                   const int64_t *in_axes, jg_randomness randomness,
                                   jg_array **markers, jg_tracing **out)
{
    int done;
    JG_TRY(graph_check_arrays("arguments", count, arguments));
    if ((unsigned)randomness > JG_RANDOMNESS_DIFFERENT)
        return base_fail(JG_ERR_VALUE,
                         "randomness: got number %d, allowed are those of jg_randomness",
                         (int)randomness);
    size_t nbytes = sizeof(jg_tracing) + ((size_t)count + SPARE) * sizeof(jg_array *);
    jg_tracing *tracing = base_alloc_zeroed(nbytes);
    if (tracing == NULL)
        return base_nomem(nbytes, "a traced function");
    jg_status status = new_batch(name, count, &tracing->batch);
    if (status != JG_OK) {
        base_free(tracing);
        return status;
    }
    traced_begin();
    begin_call(tracing->batch, tracing, randomness); /* first, as markers know what they are for */
    status = mark_all(tracing, count, arguments, in_axes, markers, &done);
    if (status != JG_OK) {
        while (done > 0)
            jg_array_release(markers[--done]);
        jg_tracing_abort(tracing);
        return status;
    }
    *out = tracing;
    return JG_OK;
}

/* An output that depends on no mapped argument is broadcast along the batch's axis. */
static jg_status repeat_output(jg_array *x, int64_t extent, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM];
    if (x->ndim >= JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "outputs: one has %d axes, allowed in a batch are %d",
                         x->ndim, JG_MAX_NDIM - 1);
    shape[0] = extent;
    memcpy(shape + 1, node_shape(x), (size_t)x->ndim * sizeof *shape);
    return jg_broadcast_to(x, x->ndim + 1, shape, out);
}

/* batched: NULL for one that depends on no mapped argument */
static jg_status place_output(const tracing_batch *batch, int number, jg_array *x,
                              jg_array *batched, int64_t out_axis, jg_array **out)
{
    jg_array *value;
    int axis;
    if (out_axis == JG_NOT_MAPPED && batched != NULL)
        return base_fail(JG_ERR_VALUE,
                         "out_axes: got None for output %d of %s, which differs within the batch, "
                         "allowed for it is an axis",
                         number, batch->call.name);
    if (out_axis == JG_NOT_MAPPED) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    JG_TRY(shape_axis("out_axes", out_axis, x->ndim + 1, &axis));
    if (batched != NULL)
        value = jg_array_retain(batched);
    else
        JG_TRY(repeat_output(x, batch->extent, &value));
    jg_status status = batch_move_axis(value, 0, axis, out);
    jg_array_release(value);
    return status;
}

static jg_status place_outputs(const tracing_batch *batch, int noutputs, jg_array *const *outputs,
                               jg_array *const *batched, const int64_t *out_axes, jg_array **out)
{
    jg_status status = JG_OK;
    int done = 0;
    for (; done < noutputs && status == JG_OK; done += status == JG_OK)
        status =
            place_output(batch, done, outputs[done], batched[done], out_axes[done], &out[done]);
    while (status != JG_OK && done > 0) {
        jg_array_release(out[--done]);
        out[done] = NULL;
    }
    return status;
}

/* batched and slots: memory for noutputs */
static jg_status build_outputs(const jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                               const int64_t *out_axes, jg_array **batched, int32_t *slots,
                               jg_array **out)
{
    const tracing_batch *batch = tracing->batch;
    transform_tape tape;
    jg_status status =
        tape_build(TAPE_BATCH, tracing->count, tracing->markers, noutputs, outputs, &tape, slots);
    if (status == JG_OK)
        status = batch_run(&tape, batch->extent, batch->values, noutputs, slots, batched);
    if (status == JG_OK) {
        status = place_outputs(batch, noutputs, outputs, batched, out_axes, out);
        for (int i = 0; i < noutputs; ++i)
            jg_array_release(batched[i]);
    }
    tape_clear(&tape);
    return status;
}

jg_status jg_tracing_batch(jg_tracing *tracing, int noutputs, jg_array *const *outputs,
                           const int64_t *out_axes, jg_array **out)
{
    size_t each = sizeof(jg_array *) + sizeof(int32_t);
    size_t nbytes = (size_t)(noutputs > 0 ? noutputs : 1) * each;
    if (tracing->batch == NULL)
        return base_fail(JG_ERR_VALUE, "tracing: got one of jg_tracing_begin, allowed is one of "
                                       "jg_tracing_begin_batched");
    JG_TRY(graph_check_arrays("outputs", noutputs, outputs));
    jg_array **batched = base_alloc(nbytes);
    if (batched == NULL)
        return base_nomem(nbytes, "a traced function");
    traced_leave(&tracing->batch->call); /* arrays built here belong to the caller */
    jg_status status = build_outputs(tracing, noutputs, outputs, out_axes, batched,
                                     (int32_t *)(void *)(batched + noutputs), out);
    base_free(batched);
    if (status == JG_OK)
        jg_tracing_abort(tracing);
    else
        traced_enter(&tracing->batch->call); /* the function's call goes on */
    return status;
}

/* made: memory for the function's results | takes: tracing */
static jg_status batch_function(jg_function *function, void *context, int ninputs,
                                jg_array *const *markers, jg_tracing *tracing, int noutputs,
                                jg_array **made, const int64_t *out_axes, jg_array **outputs)
{
    jg_status status = transform_call("vmap", function, context, ninputs, markers, noutputs, made);
    if (status == JG_OK) {
        status = jg_tracing_batch(tracing, noutputs, made, out_axes, outputs);
        node_release_all(noutputs, made);
    }
    if (status != JG_OK)
        jg_tracing_abort(tracing);
    return status;
}

jg_status jg_vmap(jg_function *function, void *context, int ninputs, jg_array *const *inputs,
                  const int64_t *in_axes, int noutputs, jg_array **outputs, const int64_t *out_axes)
{
    jg_tracing *tracing;
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    if (noutputs < 0)
        return base_fail(JG_ERR_VALUE, "noutputs: got %d, allowed is 0 or more", noutputs);
    size_t nbytes = ((size_t)ninputs + (size_t)noutputs + 1) * sizeof(jg_array *);
    jg_array **markers = base_alloc_zeroed(nbytes);
    if (markers == NULL)
        return base_nomem(nbytes, "a traced function");
    jg_status status = jg_tracing_begin_batched(NULL, ninputs, inputs, in_axes, JG_RANDOMNESS_ERROR,
                                                markers, &tracing);
    if (status == JG_OK) {
        status = batch_function(function, context, ninputs, markers, tracing, noutputs,
                                markers + ninputs, out_axes, outputs);
        node_release_all(ninputs, markers);
    }
    base_free(markers);
    return status;
}
