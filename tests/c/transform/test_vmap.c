/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of batches from C. */
#include "callbacks.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* x, y -> x * y, the sum of x */
static jg_status multiply_and_sum(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                  jg_array **outputs)
{
    int *calls = context;
    assert_int_equal(ninputs, 2);
    assert_int_equal(noutputs, 2);
    *calls += 1;
    jg_status status = jg_multiply(inputs[0], inputs[1], &outputs[0]);
    if (status == JG_OK)
        status = jg_sum(inputs[0], -1, NULL, false, NULL, &outputs[1]);
    return status;
}

static jg_status refuse(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return base_fail(JG_ERR_TYPE, "mine");
}

static jg_status draw(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                      jg_array **outputs)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs;
    return jg_random_normal(NULL, 0, NULL, JG_DTYPE_FLOAT32, NULL, NULL, &outputs[0]);
}

TEST(a_function_is_run_once_for_the_whole_batch)
{
    int calls = 0;
    const int64_t in_axes[] = {-1, JG_NOT_MAPPED}, out_axes[] = {1, 0};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(2))};
    jg_array *outputs[2];
    assert_ok(jg_vmap(multiply_and_sum, &calls, 2, inputs, in_axes, 2, outputs, out_axes));
    assert_int_equal(calls, 1);
    assert_elements(outputs[0], 1, 2, 3, 8, 10, 12);
    assert_array_shape(outputs[0], SHAPE(2, 3));
    assert_elements(outputs[1], 5, 7, 9);
    release_all(2, inputs);
    release_all(2, outputs);
}

TEST(what_cannot_be_batched_is_refused)
{
    int calls = 0;
    const int64_t both[] = {0, 0}, beyond[] = {2, JG_NOT_MAPPED},
                  none[] = {JG_NOT_MAPPED, JG_NOT_MAPPED};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(3))};
    jg_array *outputs[2] = {NULL, NULL};
    assert_fails_saying(JG_ERR_VALUE, "argument 1 has 3",
                        jg_vmap(multiply_and_sum, &calls, 2, inputs, both, 2, outputs, both));
    assert_fails_saying(JG_ERR_AXIS, "in_axes",
                        jg_vmap(multiply_and_sum, &calls, 2, inputs, beyond, 2, outputs, both));
    assert_fails_saying(JG_ERR_VALUE, "no argument is mapped",
                        jg_vmap(multiply_and_sum, &calls, 2, inputs, none, 2, outputs, both));
    assert_int_equal(calls, 0);
    assert_fails_saying(JG_ERR_VALUE, "differs within the batch",
                        jg_vmap(multiply_and_sum, &calls, 2, inputs,
                                (const int64_t[]){0, JG_NOT_MAPPED}, 2, outputs, none));
    assert_null(outputs[0]);
    release_all(2, inputs);
}

TEST(a_function_that_fails_ends_its_tracing)
{
    const int64_t axis = 0;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *out = NULL;
    assert_fails_saying(JG_ERR_TYPE, "mine", jg_vmap(refuse, NULL, 1, &x, &axis, 1, &out, &axis));
    assert_fails_saying(JG_ERR_VALUE, "is being batched",
                        jg_vmap(evaluate_input, NULL, 1, &x, &axis, 1, &out, &axis));
    assert_fails_saying(JG_ERR_VALUE, "randomness",
                        jg_vmap(draw, NULL, 1, &x, &axis, 1, &out, &axis));
    assert_null(out);
    assert_ok(draw(NULL, 0, NULL, 1, &out)); /* outside it draws */
    release_all(2, (jg_array *[]){x, out});
}

TEST(a_trace_of_another_kind_is_refused)
{
    const int64_t axis = 0;
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *marker, *out = NULL;
    jg_tracing *tracing;
    assert_ok(jg_tracing_begin(1, &x, &marker, &tracing));
    assert_fails_saying(JG_ERR_VALUE, "jg_tracing_begin_batched",
                        jg_tracing_batch(tracing, 1, &marker, &axis, &out));
    jg_tracing_abort(tracing);
    assert_fails_saying(
        JG_ERR_VALUE, "randomness",
        jg_tracing_begin_batched("f", 1, &x, &axis, (jg_randomness)7, &out, &tracing));
    assert_null(out);
    release_all(2, (jg_array *[]){x, marker});
}
