/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that differentiate, record and call at once, also one record and one pullback's graph. */
#include "callbacks.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

enum { THREADS = 4, TURNS = 60 };

/* What all threads share: an array in memory and a record of a step. */
typedef struct shared {
    jg_array *weights;
    jg_record *record;
    jg_compiled *compiled;
} shared;

/* x, w -> exp(x w), with a rule of its own around and computed again */
static jg_status layer(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array **outputs)
{
    const jg_custom_rules rules = {.vjp = twice_the_cotangent};
    jg_array *product = NULL, *power = NULL, *ruled = NULL;
    jg_status status;
    (void)context, (void)noutputs;
    outputs[0] = NULL;
    JG_TRY_DONE(jg_multiply(inputs[0], inputs[1], &product));
    JG_TRY_DONE(jg_exp(product, &power));
    JG_TRY_DONE(jg_custom_results(&rules, 1, &product, 1, &power, &ruled));
    JG_TRY_DONE(jg_checkpoint_results(JG_CHECKPOINT_NOTHING, ninputs, inputs, 1, &ruled, outputs));
done:
    release_all(3, (jg_array *[]){product, power, ruled});
    return status;
}

/* The cotangents at x = 0: those of x are twice the weights, those of w 0. */
static void differentiate(const shared *all)
{
    jg_array *inputs[] = {NULL, all->weights}, *output, *shares[2];
    jg_pullback *pullback;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(3), float_number(0), &inputs[0]));
    assert_ok(jg_vjp(layer, NULL, 2, inputs, 1, &output, &pullback));
    assert_ok(jg_pullback_apply(pullback, &output, shares));
    assert_ok(jg_eval(2, shares));
    assert_elements(shares[0], 2, 4, 6);
    assert_elements(shares[1], 0, 0, 0);
    jg_pullback_release(pullback);
    release_all(2, shares);
    jg_array_release(output);
    jg_array_release(inputs[0]);
}

static void call_the_record(const shared *all)
{
    jg_array *inputs[] = {all->weights, all->weights}, *output;
    assert_ok(jg_record_call(all->record, 2, inputs, &output));
    jg_array *logarithm;
    assert_ok(jg_log(output, &logarithm));
    assert_ok(jg_eval(1, &logarithm));
    assert_values_close(logarithm, 3, (const double[]){1, 4, 9}, 1e-5);
    jg_array_release(logarithm);
    jg_array_release(output);
}

static void call_the_compiled_function(const shared *all)
{
    jg_array *inputs[] = {all->weights, all->weights}, *output;
    assert_ok(jg_compiled_call(all->compiled, 2, inputs, 1, &output));
    assert_values_close(output, 3, (const double[]){2.718282, 54.59815, 8103.084}, 1e-5);
    jg_array_release(output);
}

static void *work(void *context)
{
    for (int i = 0; i < TURNS; ++i) {
        differentiate(context);
        call_the_record(context);
        call_the_compiled_function(context);
    }
    return NULL;
}

static jg_record *record_layer(jg_array *weights)
{
    jg_array *inputs[] = {weights, weights}, *placeholders[2], *output;
    jg_recording *recording;
    jg_record *record;
    assert_ok(jg_recording_begin("layer", 2, inputs, placeholders, &recording));
    assert_ok(layer(NULL, 2, placeholders, 1, &output));
    assert_ok(jg_recording_end(recording, 1, &output, &record));
    release_all(2, placeholders);
    jg_array_release(output);
    return record;
}

TEST(threads_that_share_arrays_and_a_record_do_not_meet)
{
    shared all = {.weights = counting(JG_DTYPE_FLOAT32, SHAPE(3))};
    assert_ok(jg_eval(1, &all.weights));
    jg_record *record = record_layer(all.weights);
    all.record = record;
    assert_ok(jg_compile("layer", layer, NULL, NULL, &all.compiled));
    run_threads(THREADS, work, &all, 0);
    jg_record_release(record);
    jg_compiled_release(all.compiled);
    jg_array_release(all.weights);
}
