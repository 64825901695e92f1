/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with rules of their own, batched by them, and functions that are computed again, while
 * every allocation fails once. */
#include "attempts.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

static jg_status square(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs;
    return jg_multiply(inputs[0], inputs[0], &outputs[0]);
}

static jg_status square_all(void *context, int ninputs, jg_array *const *inputs,
                            const int64_t *axes, int noutputs, jg_array **outputs,
                            int64_t *out_axes)
{
    out_axes[0] = axes[0];
    return square(context, ninputs, inputs, noutputs, outputs);
}

static jg_status twice(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return jg_add(cotangents[0], cotangents[0], &shares[0]);
}

static jg_status ruled(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                       jg_array **outputs)
{
    const jg_custom_rules rules = {.vjp = twice, .vmap = square_all};
    return jg_custom(square, context, &rules, ninputs, inputs, noutputs, outputs);
}

static jg_status without_batches(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                 jg_array **outputs)
{
    const jg_custom_rules rules = {.vjp = twice};
    return jg_custom(square, context, &rules, ninputs, inputs, noutputs, outputs);
}

static jg_status computed_again(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                jg_array **outputs)
{
    return jg_checkpoint(square, context, JG_CHECKPOINT_NOTHING, ninputs, inputs, noutputs,
                         outputs);
}

static jg_status batch(jg_function *function, int64_t size)
{
    const int64_t first = 0;
    jg_array *x = NULL, *y = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 2, (int64_t[]){3, size}, float_number(2), &x));
    JG_TRY_DONE(jg_vmap(function, NULL, 1, &x, &first, 1, &y, &first));
    JG_TRY_DONE(jg_eval(1, &y));
done:
    release_all(2, (jg_array *[]){x, y});
    return status;
}

static jg_status differentiate(jg_function *function, int64_t size)
{
    jg_array *x = NULL, *y = NULL, *share = NULL;
    jg_pullback *pullback = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(2), &x));
    JG_TRY_DONE(jg_vjp(function, NULL, 1, &x, 1, &y, &pullback));
    JG_TRY_DONE(jg_pullback_apply(pullback, &y, &share));
    JG_TRY_DONE(jg_eval(1, &share));
done:
    jg_pullback_release(pullback);
    release_all(3, (jg_array *[]){x, y, share});
    return status;
}

SCENARIO(a_function_is_batched_by_its_rule)
{
    return batch(ruled, size);
}

SCENARIO(a_function_without_a_rule_for_batches_is_batched)
{
    return batch(without_batches, size);
}

SCENARIO(a_function_is_differentiated_by_its_rule)
{
    return differentiate(ruled, size);
}

SCENARIO(a_function_that_is_computed_again_is_batched)
{
    return batch(computed_again, size);
}

SCENARIO(a_function_is_computed_again_for_its_derivative)
{
    return differentiate(computed_again, size);
}
