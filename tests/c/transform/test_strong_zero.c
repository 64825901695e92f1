/* SPDX-License-Identifier: Apache-2.0 */
/* Zero times an infinite derivative, as a derivative was asked to have it. */
#include "../arrays.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* x -> sqrt(x) */
static jg_status root(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                      jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs;
    return jg_sqrt(inputs[0], &outputs[0]);
}

/* x -> sqrt(x), computed again for its derivative */
static jg_status root_again(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                            jg_array **outputs)
{
    return jg_checkpoint(root, context, JG_CHECKPOINT_NOTHING, ninputs, inputs, noutputs, outputs);
}

/* 0 and 1, which are at once the arguments of the root and what its derivative is multiplied by:
 * {0 * infinity, 1 / 2}. */
static jg_array *zero_and_one(void)
{
    return from_floats(SHAPE(2), (const float[]){0, 1});
}

static float first_of(jg_array *x)
{
    float elements[2];
    assert_ok(jg_array_copy_to(x, elements, sizeof elements));
    assert_true(elements[1] == 0.5);
    jg_array_release(x);
    return elements[0];
}

TEST(a_pullback_has_strong_zeros_as_long_as_they_are_set)
{
    jg_function *functions[] = {root, root_again};
    for (int i = 0; i < 2; ++i) {
        jg_array *x = zero_and_one(), *value, *share;
        jg_pullback *pullback;
        assert_ok(jg_vjp(functions[i], NULL, 1, &x, 1, &value, &pullback));
        for (int turn = 0; turn < 3; ++turn) {
            if (turn > 0)
                jg_pullback_set_strong_zero(pullback, turn == 1);
            assert_ok(jg_pullback_apply(pullback, &x, &share));
            float first = first_of(share);
            assert_true(turn == 1 ? first == 0 : first != first);
        }
        jg_pullback_release(pullback);
        release_all(2, (jg_array *[]){x, value});
    }
}

TEST(a_trace_passes_strong_zeros_on_to_its_derivatives)
{
    for (int way = 0; way < 4; ++way) {
        jg_array *x = zero_and_one(), *marker, *value, *product, *sum, *share;
        jg_tracing *tracing;
        jg_pullback *pullback;
        assert_ok(jg_tracing_begin(1, &x, &marker, &tracing));
        jg_tracing_set_strong_zero(tracing, way != 3);
        assert_ok(root(NULL, 1, &marker, 1, &value));
        if (way == 0) {
            assert_ok(jg_tracing_pullback(tracing, 1, &value, &pullback));
            assert_ok(jg_pullback_apply(pullback, &x, &share));
            jg_pullback_release(pullback);
        } else if (way == 1) {
            assert_ok(jg_tracing_push(tracing, 1, &value, &x, &share));
        } else {
            assert_ok(jg_multiply(value, x, &product));
            assert_ok(jg_sum(product, -1, NULL, false, NULL, &sum));
            assert_ok(jg_tracing_gradients(tracing, sum, &share));
            release_all(2, (jg_array *[]){product, sum});
        }
        float first = first_of(share);
        assert_true(way == 3 ? first != first : first == 0);
        release_all(3, (jg_array *[]){x, marker, value});
    }
}
