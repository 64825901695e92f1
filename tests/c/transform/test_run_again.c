/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that compute by other means than ops, inside of functions that are recorded: their rule
 * run is asked at each call. */
#include "callbacks.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

static int launches;

static jg_status jvp(void *context, int ninputs, jg_array *const *inputs, jg_array *const *tangents,
                     int noutputs, jg_array **out)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs;
    return jg_add(tangents[0], tangents[0], &out[0]);
}

static jg_function run;

static jg_status vmap(void *context, int ninputs, jg_array *const *inputs, const int64_t *axes,
                      int noutputs, jg_array **outputs, int64_t *out_axes)
{
    out_axes[0] = axes[0];
    return run(context, ninputs, inputs, noutputs, outputs);
}

/* Twice the elements of x, counted by hand. */
static jg_status launch(jg_array *x, jg_array **out)
{
    float elements[8];
    int64_t shape[] = {jg_array_size(x)};
    JG_TRY(jg_array_copy_to(x, elements, (size_t)shape[0] * sizeof *elements));
    for (int64_t i = 0; i < shape[0]; ++i)
        elements[i] *= 2;
    launches += 1;
    return jg_array_from_data(elements, JG_DTYPE_FLOAT32, 1, shape, out);
}

static jg_status run(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                     jg_array **outputs)
{
    const jg_custom_rules rules = {
        .vjp = twice_the_cotangent, .jvp = jvp, .vmap = vmap, .run = run};
    jg_array *value;
    (void)context;
    if (jg_tracing_caller() != NULL)
        JG_TRY(jg_array_without_values(inputs[0], &value));
    else
        JG_TRY(launch(inputs[0], &value));
    jg_status status = jg_custom_results(&rules, ninputs, inputs, noutputs, &value, outputs);
    jg_array_release(value);
    return status;
}

/* x -> launch(x + x) * x */
static jg_status around(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    jg_array *sum, *launched = NULL;
    (void)ninputs;
    JG_TRY(jg_add(inputs[0], inputs[0], &sum));
    jg_status status = run(context, 1, &sum, noutputs, &launched);
    if (status == JG_OK)
        status = jg_multiply(launched, inputs[0], &outputs[0]);
    release_all(2, (jg_array *[]){sum, launched});
    return status;
}

/* x -> the derivative of its sum */
static jg_status slope(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array **outputs)
{
    jg_array *value = NULL, *total = NULL, *marker;
    jg_tracing *tracing;
    (void)noutputs;
    JG_TRY(jg_tracing_begin(ninputs, inputs, &marker, &tracing));
    jg_status status = around(context, 1, &marker, 1, &value);
    if (status == JG_OK)
        status = jg_sum(value, -1, NULL, false, NULL, &total);
    if (status == JG_OK)
        status = jg_tracing_gradients(tracing, total, outputs);
    if (status != JG_OK)
        jg_tracing_abort(tracing);
    release_all(3, (jg_array *[]){value, total, marker});
    return status;
}

TEST(a_call_of_what_was_recorded_runs_it)
{
    jg_compiled *compiled;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *one = NULL, *out, *tangent, *share;
    const int64_t axis = 0;
    jg_pullback *pullback;
    launches = 0;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(3), float_number(1), &one));
    assert_ok(jg_compile("around", around, NULL, NULL, &compiled));
    for (int turn = 1; turn < 4; ++turn) {
        assert_ok(jg_compiled_call(compiled, 1, &x, 1, &out));
        assert_elements(out, 4, 16, 36);
        assert_int_equal(launches, turn);
        jg_array_release(out);
    }
    assert_int_equal(jg_compiled_nrecords(compiled), 1);

    assert_ok(jg_vjp(jg_compiled_call, compiled, 1, &x, 1, &out, &pullback));
    assert_ok(jg_pullback_apply(pullback, &one, &share));
    assert_elements(share, 8, 16, 24);
    jg_pullback_release(pullback);
    release_all(2, (jg_array *[]){out, share});

    assert_ok(jg_jvp(jg_compiled_call, compiled, 1, &x, &one, 1, &out, &tangent));
    assert_elements(tangent, 8, 16, 24);
    release_all(2, (jg_array *[]){out, tangent});

    assert_ok(jg_vmap(jg_compiled_call, compiled, 1, &x, &axis, 1, &out, &axis));
    assert_elements(out, 4, 16, 36);
    jg_compiled_release(compiled);
    release_all(3, (jg_array *[]){x, one, out});
}

TEST(the_derivative_of_a_call_is_recorded)
{
    jg_compiled *compiled;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *out;
    assert_ok(jg_compile("slope", slope, NULL, NULL, &compiled));
    for (int turn = 0; turn < 2; ++turn) {
        assert_ok(jg_compiled_call(compiled, 1, &x, 1, &out));
        assert_elements(out, 8, 16, 24);
        jg_array_release(out);
    }
    jg_compiled_release(compiled);
    jg_array_release(x);
}

TEST(the_rule_run_needs_all_other_rules)
{
    jg_custom_rules rules = {.vjp = twice_the_cotangent, .jvp = jvp, .run = run};
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *out = NULL;
    assert_fails_saying(JG_ERR_VALUE, "vmap is NULL",
                        jg_custom_results(&rules, 1, &x, 1, &x, &out));
    assert_null(out);
    jg_array_release(x);
}
