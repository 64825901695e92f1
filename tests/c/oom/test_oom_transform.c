/* SPDX-License-Identifier: Apache-2.0 */
/* Transformations while every allocation fails once. */
#include "attempts.h"
#include "run/run.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

static const int64_t first = 0;

/* x -> the sum of its running maxima, several times x, and its largest element */
static jg_status reduce_and_join(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                 jg_array **outputs)
{
    jg_array *running = NULL, *sum = NULL;
    jg_status status;
    (void)context, (void)ninputs, (void)noutputs;
    outputs[0] = outputs[1] = NULL;
    JG_TRY_DONE(jg_cummax(inputs[0], &first, false, true, &running));
    JG_TRY_DONE(jg_sum(running, -1, NULL, false, NULL, &sum));
    JG_TRY_DONE(jg_concat(5, (jg_array *[]){inputs[0], running, inputs[0], running, inputs[0]},
                          &first, &outputs[0]));
    JG_TRY_DONE(jg_add(sum, inputs[1], &outputs[1]));
done:
    if (status != JG_OK) {
        jg_array_release(outputs[0]);
        outputs[0] = NULL;
    }
    release_all(2, (jg_array *[]){running, sum});
    return status;
}

static jg_status batch(int64_t size)
{
    const int64_t shape[] = {size, 3}, in_axes[] = {1, JG_NOT_MAPPED}, out_axes[] = {0, 0};
    jg_array *inputs[] = {NULL, NULL}, *outputs[] = {NULL, NULL};
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 2, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 0, NULL, float_number(2), &inputs[1]));
    JG_TRY_DONE(jg_vmap(reduce_and_join, NULL, 2, inputs, in_axes, 2, outputs, out_axes));
    JG_TRY_DONE(jg_eval(2, outputs));
done:
    release_all(2, inputs);
    release_all(2, outputs);
    return status;
}

/* x, w -> tanh(x @ w), differentiated by computing it again */
static jg_status layer(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array **outputs)
{
    jg_array *product, *made = NULL;
    (void)context, (void)noutputs;
    outputs[0] = NULL;
    JG_TRY(jg_matmul(inputs[0], inputs[1], &product));
    jg_status status = jg_tanh(product, &made);
    jg_array_release(product);
    if (status == JG_OK)
        status = jg_checkpoint_results(JG_CHECKPOINT_PRODUCTS, ninputs, inputs, 1, &made, outputs);
    jg_array_release(made);
    return status;
}

static jg_status pass_on(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                         jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)context, (void)ninputs, (void)noutputs, (void)outputs;
    JG_TRY(jg_multiply(cotangents[0], inputs[1], &shares[0]));
    return JG_OK;
}

/* A layer, and after it one with a rule of its own. */
static jg_status two_layers(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                            jg_array **outputs)
{
    const jg_custom_rules rules = {.vjp = pass_on};
    jg_array *both[2], *made = NULL;
    outputs[0] = NULL;
    JG_TRY(layer(context, ninputs, inputs, noutputs, &both[0]));
    both[1] = inputs[1];
    jg_status status = jg_multiply(both[0], both[1], &made);
    if (status == JG_OK)
        status = jg_custom_results(&rules, 2, both, 1, &made, outputs);
    release_all(2, (jg_array *[]){both[0], made});
    return status;
}

static jg_status differentiate(int64_t size)
{
    const int64_t shape[] = {size, 4, 4};
    jg_array *inputs[] = {NULL, NULL}, *output = NULL, *shares[] = {NULL, NULL};
    jg_pullback *pullback = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(2), &inputs[1]));
    JG_TRY_DONE(jg_vjp(two_layers, NULL, 2, inputs, 1, &output, &pullback));
    JG_TRY_DONE(jg_pullback_apply(pullback, &output, shares));
done:
    jg_pullback_release(pullback);
    jg_array_release(output);
    release_all(2, inputs);
    release_all(2, shares);
    return status;
}

static jg_status push_forward(int64_t size)
{
    const int64_t shape[] = {size, 4, 4};
    jg_array *inputs[] = {NULL, NULL}, *tangents[] = {NULL, NULL}, *output = NULL, *tangent = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(2), &inputs[1]));
    tangents[0] = inputs[1];
    JG_TRY_DONE(jg_jvp(layer, NULL, 2, inputs, tangents, 1, &output, &tangent));
done:
    release_all(2, inputs);
    release_all(2, (jg_array *[]){output, tangent});
    return status;
}

/* The gradient of a root, strong at 0. */
static jg_status select_zeros(int64_t size)
{
    jg_array *x = NULL, *marker = NULL, *value = NULL, *share = NULL;
    jg_tracing *tracing = NULL;
    jg_pullback *pullback = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(0), &x));
    JG_TRY_DONE(jg_tracing_begin(1, &x, &marker, &tracing));
    jg_tracing_set_strong_zero(tracing, true);
    JG_TRY_DONE(jg_sqrt(marker, &value));
    JG_TRY_DONE(jg_tracing_pullback(tracing, 1, &value, &pullback));
    tracing = NULL;
    JG_TRY_DONE(jg_pullback_apply(pullback, &x, &share));
    JG_TRY_DONE(jg_eval(1, &share));
done:
    jg_tracing_abort(tracing);
    jg_pullback_release(pullback);
    release_all(4, (jg_array *[]){x, marker, value, share});
    return status;
}

/* x -> a layer of x and a place, times the place, which is written before the derivative is asked
 * for. */
static jg_status read_place(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                            jg_array **outputs)
{
    jg_array *place = context, *both[] = {inputs[0], place}, *made = NULL;
    jg_view view;
    outputs[0] = NULL;
    (void)ninputs;
    JG_TRY(two_layers(NULL, 2, both, noutputs, &made));
    jg_status status = jg_multiply(made, place, &outputs[0]);
    jg_array_release(made);
    if (status == JG_OK)
        status = jg_array_view(place, &view);
    if (status == JG_OK)
        status = run_before_write(view.data, (char *)view.data + jg_array_nbytes(place));
    if (status != JG_OK) {
        jg_array_release(outputs[0]);
        outputs[0] = NULL;
    }
    return status;
}

static jg_status write_what_was_read(int64_t size)
{
    const int64_t shape[] = {size, 4, 4};
    jg_array *x = NULL, *place = NULL, *output = NULL, *share = NULL;
    jg_pullback *pullback = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(1), &x));
    JG_TRY_DONE(jg_empty(JG_DTYPE_FLOAT32, 3, shape, &place));
    node_make_place(place);
    memset(node_address(place), 0, jg_array_nbytes(place));
    JG_TRY_DONE(jg_vjp(read_place, place, 1, &x, 1, &output, &pullback));
    JG_TRY_DONE(jg_pullback_apply(pullback, &output, &share));
    JG_TRY_DONE(jg_eval(1, &share));
done:
    jg_pullback_release(pullback);
    release_all(4, (jg_array *[]){x, place, output, share});
    return status;
}

/* A call that records, and one that does not. */
static jg_status compile_and_call(int64_t size)
{
    const int64_t shape[] = {size, 4, 4};
    jg_array *inputs[] = {NULL, NULL}, *output = NULL;
    jg_compiled *compiled = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(2), &inputs[1]));
    JG_TRY_DONE(jg_compile("two_layers", two_layers, NULL, NULL, &compiled));
    for (int turn = 0; turn < 2; ++turn) {
        JG_TRY_DONE(jg_compiled_call(compiled, 2, inputs, 1, &output));
        jg_array_release(output);
    }
done:
    jg_compiled_release(compiled);
    release_all(2, inputs);
    return status;
}

static jg_status record_and_call(int64_t size)
{
    const int64_t shape[] = {size, 4, 4};
    jg_array *inputs[] = {NULL, NULL}, *placeholders[] = {NULL, NULL}, *output = NULL;
    jg_recording *recording = NULL;
    jg_record *record = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 3, shape, float_number(2), &inputs[1]));
    JG_TRY_DONE(jg_recording_begin("two_layers", 2, inputs, placeholders, &recording));
    status = two_layers(NULL, 2, placeholders, 1, &output);
    release_all(2, placeholders);
    if (status == JG_OK)
        status = jg_recording_end(recording, 1, &output, &record);
    if (status != JG_OK)
        jg_recording_abort(recording);
    jg_array_release(output);
    output = NULL;
    if (status == JG_OK)
        status = jg_record_call(record, 2, inputs, &output);
done:
    jg_record_release(record);
    jg_array_release(output);
    release_all(2, inputs);
    return status;
}

/* x, y -> exp(x z), where z is y in reverse and noise is added, and the sum of that and x as a
 * view */
static jg_status two_results(jg_array *const *inputs, jg_array **outputs)
{
    const int64_t swapped[] = {1, 0};
    jg_array *turned = NULL, *noise = NULL, *noisy = NULL, *product = NULL, *sum = NULL;
    jg_status status;
    outputs[0] = outputs[1] = NULL;
    JG_TRY_DONE(jg_flip(inputs[1], 2, swapped, &turned));
    JG_TRY_DONE(
        jg_random_normal(NULL, 2, jg_array_shape(inputs[0]), JG_DTYPE_FLOAT32, NULL, NULL, &noise));
    JG_TRY_DONE(jg_add(turned, noise, &noisy));
    JG_TRY_DONE(jg_multiply(inputs[0], noisy, &product));
    JG_TRY_DONE(jg_exp(product, &outputs[0]));
    JG_TRY_DONE(jg_add(outputs[0], inputs[0], &sum));
    JG_TRY_DONE(jg_permute_dims(sum, 2, swapped, &outputs[1]));
done:
    release_all(5, (jg_array *[]){turned, noise, noisy, product, sum});
    return status;
}

static jg_status record_two(jg_array *const *inputs, jg_record **out)
{
    jg_array *placeholders[2], *outputs[2];
    jg_recording *recording;
    JG_TRY(jg_recording_begin("two_results", 2, inputs, placeholders, &recording));
    jg_status status = two_results(placeholders, outputs);
    release_all(2, placeholders);
    if (status == JG_OK)
        status = jg_recording_end(recording, 2, outputs, out);
    if (status != JG_OK)
        jg_recording_abort(recording);
    release_all(2, outputs);
    return status;
}

/* A call that is evaluated by itself; the same again, whose plan is known; one of whose results
 * one is dropped; and one whose result something else reads. */
static jg_status call_in_all_ways(jg_record *record, jg_array *const *inputs)
{
    jg_array *outputs[] = {NULL, NULL}, *sum = NULL;
    jg_status status;
    for (int way = 0; way < 4; ++way) {
        JG_TRY_DONE(jg_record_call(record, 2, inputs, outputs));
        if (way < 2)
            JG_TRY_DONE(jg_eval(2, outputs));
        if (way == 2)
            JG_TRY_DONE((replace(&outputs[0], NULL), jg_eval(1, &outputs[1])));
        if (way == 3)
            JG_TRY_DONE(jg_add(outputs[0], inputs[0], &sum));
        release_all(2, outputs);
        outputs[0] = outputs[1] = NULL;
    }
    JG_TRY_DONE(jg_eval(1, &sum));
done:
    release_all(2, outputs);
    jg_array_release(sum);
    return status;
}

static jg_status call_with_memory(int64_t size)
{
    const int64_t shape[] = {size, 3};
    jg_array *inputs[] = {NULL, NULL};
    jg_record *record = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 2, shape, float_number(1), &inputs[0]));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 2, shape, float_number(2), &inputs[1]));
    JG_TRY_DONE(jg_eval(2, inputs));
    JG_TRY_DONE(record_two(inputs, &record));
    status = call_in_all_ways(record, inputs);
done:
    jg_record_release(record);
    release_all(2, inputs);
    return status;
}

TEST(calls_that_run_out_of_memory_lose_nothing)
{
    assert_true(fail_every_allocation(call_with_memory) > 30);
}

TEST(a_derivative_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(differentiate) > 20);
}

TEST(a_recording_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(record_and_call) > 20);
}

TEST(a_tangent_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(push_forward) > 10);
}

TEST(strong_zeros_that_run_out_of_memory_lose_nothing)
{
    assert_true(fail_every_allocation(select_zeros) > 10);
}

TEST(a_write_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(write_what_was_read) > 30);
}

TEST(a_compiled_function_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(compile_and_call) > 20);
}

TEST(a_batch_that_runs_out_of_memory_loses_nothing)
{
    assert_true(fail_every_allocation(batch) > 10);
}
