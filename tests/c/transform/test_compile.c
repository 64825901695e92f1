/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are compiled from C. */
#include "callbacks.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* What the functions below count. */
typedef struct calls {
    int runs, releases;
    jg_array *scale; /* what a function uses besides its inputs */
} calls;

static void note_release(void *context)
{
    ((calls *)context)->releases += 1;
}

/* x, y -> x * y, the sum of x; or the first alone */
static jg_status multiply_and_sum(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                  jg_array **outputs)
{
    ((calls *)context)->runs += 1;
    assert_int_equal(ninputs, 2);
    JG_TRY(jg_multiply(inputs[0], inputs[1], &outputs[0]));
    if (noutputs == 1)
        return JG_OK;
    jg_status status = jg_sum(inputs[0], -1, NULL, false, NULL, &outputs[1]);
    if (status != JG_OK)
        jg_array_release(outputs[0]);
    return status;
}

static jg_status refuse(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    ((calls *)context)->runs += 1;
    return base_fail(JG_ERR_TYPE, "mine");
}

/* x -> x * x * scale */
static jg_status scaled_square(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                               jg_array **outputs)
{
    jg_array *square;
    calls *all = context;
    (void)ninputs, (void)noutputs;
    all->runs += 1;
    JG_TRY(jg_multiply(inputs[0], inputs[0], &square));
    jg_status status = jg_multiply(square, all->scale, &outputs[0]);
    jg_array_release(square);
    return status;
}

static jg_compiled *compile(jg_function *function, calls *all)
{
    jg_compiled *compiled;
    assert_ok(jg_compile("work", function, all, note_release, &compiled));
    return compiled;
}

static void call_once(jg_compiled *compiled, int64_t size, int noutputs)
{
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(size)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(size))};
    jg_array *outputs[2];
    double want[8], sum = 0;
    for (int64_t i = 0; i < size; ++i) {
        want[i] = (double)((i + 1) * (i + 1));
        sum += (double)(i + 1);
    }
    assert_ok(jg_compiled_call(compiled, 2, inputs, noutputs, outputs));
    assert_values_close(outputs[0], (int)size, want, 0);
    if (noutputs == 2)
        assert_values_close(outputs[1], 1, &sum, 0);
    release_all(2, inputs);
    release_all(noutputs, outputs);
}

TEST(a_function_runs_once_for_each_kind_of_inputs)
{
    calls all = {0};
    jg_compiled *compiled = compile(multiply_and_sum, &all);
    for (int turn = 0; turn < 3; ++turn) {
        call_once(compiled, 3, 2);
        call_once(compiled, 8, 2);
        call_once(compiled, 3, 1);
    }
    assert_int_equal(all.runs, 3);
    assert_int_equal(jg_compiled_nrecords(compiled), 3);
    jg_compiled *again = jg_compiled_retain(compiled);
    jg_compiled_release(compiled);
    assert_int_equal(all.releases, 0);
    jg_compiled_release(again);
    assert_int_equal(all.releases, 1);
    jg_compiled_release(NULL);
}

TEST(what_a_function_uses_besides_is_constant)
{
    calls all = {.scale = number_array(2)};
    jg_compiled *compiled = compile(scaled_square, &all);
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *out;
    for (int turn = 0; turn < 2; ++turn) {
        assert_ok(jg_compiled_call(compiled, 1, &x, 1, &out));
        assert_elements(out, 2, 8, 18);
        release_all(2, (jg_array *[]){out, all.scale});
        all.scale = number_array(5);
    }
    assert_int_equal(all.runs, 1);
    jg_compiled_release(compiled);
    release_all(2, (jg_array *[]){x, all.scale});
}

TEST(a_compiled_function_is_transformed_as_others_are)
{
    calls all = {.scale = number_array(1)};
    jg_compiled *compiled = compile(scaled_square, &all), *outer;
    const int64_t axis = 0;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *one = NULL, *out, *tangent, *share;
    jg_pullback *pullback;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(3), float_number(1), &one));
    assert_ok(jg_vjp(jg_compiled_call, compiled, 1, &x, 1, &out, &pullback));
    assert_ok(jg_pullback_apply(pullback, &one, &share));
    assert_elements(share, 2, 4, 6);
    jg_pullback_release(pullback);
    release_all(2, (jg_array *[]){out, share});

    assert_ok(jg_jvp(jg_compiled_call, compiled, 1, &x, &one, 1, &out, &tangent));
    assert_elements(out, 1, 4, 9);
    assert_elements(tangent, 2, 4, 6);
    release_all(2, (jg_array *[]){out, tangent});
    assert_int_equal(all.runs, 1);

    assert_ok(jg_vmap(jg_compiled_call, compiled, 1, &x, &axis, 1, &out, &axis));
    assert_elements(out, 1, 4, 9);
    jg_array_release(out);
    assert_int_equal(all.runs, 2); /* of one element */

    assert_ok(jg_compile(NULL, jg_compiled_call, compiled, NULL, &outer));
    assert_ok(jg_compiled_call(outer, 1, &x, 1, &out));
    assert_elements(out, 1, 4, 9);
    assert_int_equal(all.runs, 2);
    jg_compiled_release(outer);
    jg_compiled_release(compiled);
    release_all(4, (jg_array *[]){out, x, one, all.scale});
}

/* What depends on an argument that is being differentiated outside is of one call. */
typedef struct inner_call {
    jg_compiled *compiled;
    calls *all;
} inner_call;

static jg_status call_with_scale(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                 jg_array **outputs)
{
    const inner_call *inner = context;
    (void)ninputs;
    inner->all->scale = inputs[1];
    return jg_compiled_call(inner->compiled, 1, inputs, noutputs, outputs);
}

TEST(what_is_traced_outside_is_differentiated_and_not_kept)
{
    calls all = {0};
    jg_compiled *compiled = compile(scaled_square, &all);
    inner_call inner = {compiled, &all};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(3)), number_array(3)};
    jg_array *out, *shares[2];
    jg_pullback *pullback;
    for (int turn = 0; turn < 2; ++turn) {
        assert_ok(jg_vjp(call_with_scale, &inner, 2, inputs, 1, &out, &pullback));
        assert_ok(jg_pullback_apply(pullback, &out, shares));
        assert_elements(shares[1], 3 + 48 + 243); /* 3 x^2 times x^2, summed */
        jg_pullback_release(pullback);
        release_all(2, shares);
        jg_array_release(out);
    }
    assert_int_equal(all.runs, 2);
    assert_int_equal(jg_compiled_nrecords(compiled), 0);
    jg_compiled_release(compiled);
    release_all(2, inputs);
}

TEST(failures_pass_and_nothing_is_kept)
{
    calls all = {0};
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *out = x;
    jg_compiled *compiled = NULL;
    assert_fails_saying(JG_ERR_VALUE, "function",
                        jg_compile("f", NULL, &all, note_release, &compiled));
    assert_null(compiled);
    assert_int_equal(all.releases, 0);

    compiled = compile(refuse, &all);
    for (int turn = 1; turn < 3; ++turn) {
        assert_fails_saying(JG_ERR_TYPE, "mine", jg_compiled_call(compiled, 1, &x, 1, &out));
        assert_null(out);
        assert_int_equal(all.runs, turn);
    }
    assert_fails_saying(JG_ERR_VALUE, "inputs", jg_compiled_call(compiled, 1, &out, 1, &out));
    assert_fails_saying(JG_ERR_VALUE, "noutputs", jg_compiled_call(compiled, 1, &x, -1, &out));
    assert_int_equal(jg_compiled_nrecords(compiled), 0);
    jg_compiled_release(compiled);

    compiled = compile(evaluate_input, &all);
    assert_fails_saying(JG_ERR_VALUE, "work", jg_compiled_call(compiled, 1, &x, 1, &out));
    assert_null(jg_tracing_caller()); /* the recording has ended */
    jg_compiled_release(compiled);
    jg_array_release(x);
}

TEST(old_records_go)
{
    calls all = {.scale = number_array(1)};
    jg_compiled *compiled = compile(scaled_square, &all);
    for (int64_t size = 1; size <= 258; ++size) {
        const int64_t sizes[] = {size, 1}; /* that of 1 is used after each */
        for (int i = 0; i < 2; ++i) {
            jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(sizes[i])), *out;
            assert_ok(jg_compiled_call(compiled, 1, &x, 1, &out));
            release_all(2, (jg_array *[]){x, out});
        }
    }
    assert_int_equal(all.runs, 258);
    assert_int_equal(jg_compiled_nrecords(compiled), 256);
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2)), *out;
    assert_ok(jg_compiled_call(compiled, 1, &x, 1, &out));
    assert_int_equal(all.runs, 259);
    jg_compiled_release(compiled);
    release_all(3, (jg_array *[]){x, out, all.scale});
}

/* Gives no outputs, although it says that it has. */
static jg_status forget(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return JG_OK;
}

TEST(an_output_that_the_function_forgets_is_not_what_was_there)
{
    jg_array *x = ones(2), *mine = ones(3), *output = mine;
    jg_compiled *compiled;
    assert_ok(jg_compile("forget", forget, NULL, NULL, &compiled));
    assert_fails_saying(JG_ERR_VALUE, "number 0 is NULL",
                        jg_compiled_call(compiled, 1, &x, 1, &output));
    assert_null(output);
    jg_compiled_release(compiled);
    release_all(2, (jg_array *[]){x, mine});
}
