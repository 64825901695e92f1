/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives from C: functions with rules of their own, and functions that are computed again. */
#include "../arrays.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* What a rule is asked for, and how often it was let go. */
typedef struct asked {
    int vjp, jvp, vmap, released;
} asked;

/* x, y -> x * y, x + y */
static jg_status product_and_sum(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                 jg_array **outputs)
{
    (void)context;
    assert_int_equal(ninputs, 2);
    assert_int_equal(noutputs, 2);
    jg_status status = jg_multiply(inputs[0], inputs[1], &outputs[0]);
    if (status == JG_OK)
        status = jg_add(inputs[0], inputs[1], &outputs[1]);
    return status;
}

/* The cotangent of x is that of the product, y has none. */
static jg_status vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                     jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    ((asked *)context)->vjp += 1;
    assert_non_null(cotangents[1]); /* zeros, although nobody asked */
    shares[0] = jg_array_retain(cotangents[0]);
    return JG_OK;
}

static jg_status jvp(void *context, int ninputs, jg_array *const *inputs, jg_array *const *tangents,
                     int noutputs, jg_array **out)
{
    (void)ninputs, (void)inputs, (void)noutputs;
    ((asked *)context)->jvp += 1;
    out[0] = jg_array_retain(tangents[1]);
    return JG_OK;
}

static void let_go(void *context)
{
    ((asked *)context)->released += 1;
}

static jg_status wrong_shares(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                              jg_array *const *outputs, jg_array *const *cotangents,
                              jg_array **shares)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return jg_sum(cotangents[0], -1, NULL, false, NULL, &shares[0]);
}

typedef struct custom_case {
    asked *context;
    bool wrong;
} custom_case;

static jg_status call_with_rules(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                 jg_array **outputs)
{
    const custom_case *of = context;
    const jg_custom_rules rules = {.context = of->context,
                                   .release = let_go,
                                   .vjp = of->wrong ? wrong_shares : vjp,
                                   .jvp = jvp};
    return jg_custom(product_and_sum, NULL, &rules, ninputs, inputs, noutputs, outputs);
}

TEST(rules_are_asked_once_for_all_results_and_let_go)
{
    asked times = {0};
    custom_case of = {&times, false};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(3)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(3))};
    jg_array *outputs[2], *shares[2], *tangents[2];
    jg_pullback *pullback;
    assert_ok(jg_vjp(call_with_rules, &of, 2, inputs, 2, outputs, &pullback));
    assert_ok(jg_pullback_apply(pullback, (jg_array *[]){outputs[0], NULL}, shares));
    assert_elements(shares[0], 1, 4, 9);
    assert_null(shares[1]);
    assert_int_equal(times.vjp, 1);
    jg_pullback_release(pullback);
    release_all(2, outputs);
    jg_array_release(shares[0]);
    assert_int_equal(times.released, 1);
    assert_ok(jg_jvp(call_with_rules, &of, 2, inputs, inputs, 2, outputs, tangents));
    assert_elements(tangents[0], 1, 2, 3);
    assert_null(tangents[1]);
    assert_int_equal(times.jvp, 1);
    release_all(2, outputs);
    jg_array_release(tangents[0]);
    assert_int_equal(times.released, 2);
    release_all(2, inputs);
}

TEST(a_function_that_is_not_traced_gives_its_results_as_they_are)
{
    asked times = {0};
    custom_case of = {&times, false};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(3)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(3))};
    jg_array *outputs[2];
    assert_ok(call_with_rules(&of, 2, inputs, 2, outputs));
    assert_int_equal(times.released, 1);
    assert_elements(outputs[0], 1, 4, 9);
    release_all(2, outputs);
    release_all(2, inputs);
}

TEST(a_wrong_share_is_refused_and_the_rules_are_let_go)
{
    asked times = {0};
    custom_case of = {&times, true};
    jg_array *inputs[] = {counting(JG_DTYPE_FLOAT32, SHAPE(3)),
                          counting(JG_DTYPE_FLOAT32, SHAPE(3))};
    jg_array *outputs[2], *shares[2] = {NULL, NULL};
    jg_pullback *pullback;
    assert_ok(jg_vjp(call_with_rules, &of, 2, inputs, 2, outputs, &pullback));
    assert_fails_saying(JG_ERR_VALUE, "shares: number 0 has shape ()",
                        jg_pullback_apply(pullback, outputs, shares));
    assert_null(shares[0]);
    jg_pullback_release(pullback);
    release_all(2, outputs);
    release_all(2, inputs);
    assert_int_equal(times.released, 1);
}

/* x, w -> tanh(x @ w) */
static jg_status layer(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array **outputs)
{
    jg_array *product;
    (void)context, (void)ninputs, (void)noutputs;
    JG_TRY(jg_matmul(inputs[0], inputs[1], &product));
    jg_status status = jg_tanh(product, &outputs[0]);
    jg_array_release(product);
    return status;
}

static jg_status checkpointed_layer(void *context, int ninputs, jg_array *const *inputs,
                                    int noutputs, jg_array **outputs)
{
    return jg_checkpoint(layer, NULL, *(jg_checkpoint_policy *)context, ninputs, inputs, noutputs,
                         outputs);
}

static void shares_of(jg_function *function, void *context, jg_array *const *inputs,
                      jg_array **shares)
{
    jg_array *output;
    jg_pullback *pullback;
    assert_ok(jg_vjp(function, context, 2, inputs, 1, &output, &pullback));
    assert_ok(jg_pullback_apply(pullback, &output, shares));
    assert_ok(jg_eval(2, shares));
    jg_pullback_release(pullback);
    jg_array_release(output);
}

TEST(what_is_computed_again_has_the_same_cotangents)
{
    jg_array *ones, *inputs[2], *want[2], *got[2];
    ones = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2));
    inputs[0] = inputs[1] = ones;
    shares_of(layer, NULL, inputs, want);
    for (int policy = JG_CHECKPOINT_NOTHING; policy <= JG_CHECKPOINT_PRODUCTS; ++policy) {
        jg_checkpoint_policy how = (jg_checkpoint_policy)policy;
        shares_of(checkpointed_layer, &how, inputs, got);
        for (int i = 0; i < 2; ++i) {
            double *expected = read_all(want[i]);
            assert_values(got[i], 4, expected);
            base_free(expected);
        }
        release_all(2, got);
    }
    release_all(2, want);
    jg_checkpoint_policy unknown = (jg_checkpoint_policy)7;
    assert_fails_saying(JG_ERR_VALUE, "policy: got number 7",
                        jg_checkpoint(layer, NULL, unknown, 2, inputs, 1, got));
    jg_array_release(ones);
}
