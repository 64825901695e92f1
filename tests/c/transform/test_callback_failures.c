/* SPDX-License-Identifier: Apache-2.0 */
/* The message after a failure of a function of the caller's: its own, or one that names it, and
 * never that of an earlier failure. */
#include "callbacks.h"
#include <joggle/io.h>

typedef enum how_it_fails { SILENTLY, BY_TELLING, BY_AN_OP, UNKNOWN_STATUS } how_it_fails;

static jg_status fail_as(const how_it_fails *how)
{
    jg_array *x;
    if (*how == BY_TELLING)
        return jg_error_set(JG_ERR_IO, "the disk is full");
    if (*how == BY_AN_OP)
        return jg_arange(JG_DTYPE_FLOAT32, integer_number(0), integer_number(1), integer_number(0),
                         &x);
    return *how == SILENTLY ? JG_ERR_IO : (jg_status)1234;
}

static jg_status sink(void *context, const void *bytes, size_t nbytes)
{
    (void)bytes, (void)nbytes;
    return fail_as(context);
}

static jg_status function(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                          jg_array **outputs)
{
    (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    return fail_as(context);
}

static jg_status vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                     jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)ninputs, (void)inputs, (void)noutputs, (void)outputs, (void)cotangents, (void)shares;
    return fail_as(context);
}

static jg_status jvp(void *context, int ninputs, jg_array *const *inputs, jg_array *const *tangents,
                     int noutputs, jg_array **out)
{
    (void)ninputs, (void)inputs, (void)tangents, (void)noutputs, (void)out;
    return fail_as(context);
}

static jg_status vmap(void *context, int ninputs, jg_array *const *inputs, const int64_t *axes,
                      int noutputs, jg_array **outputs, int64_t *out_axes)
{
    (void)ninputs, (void)inputs, (void)axes, (void)noutputs, (void)outputs, (void)out_axes;
    return fail_as(context);
}

static jg_status double_it(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                           jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs;
    return jg_add(inputs[0], inputs[0], &outputs[0]);
}

static jg_status with_rules(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                            jg_array **outputs)
{
    const jg_custom_rules rules = {.context = context, .vjp = vjp, .jvp = jvp, .vmap = vmap};
    return jg_custom(double_it, NULL, &rules, ninputs, inputs, noutputs, outputs);
}

/* Its rules are batched by batches of their elements. */
static jg_status with_rules_of_elements(void *context, int ninputs, jg_array *const *inputs,
                                        int noutputs, jg_array **outputs)
{
    const jg_custom_rules rules = {.context = context, .vjp = vjp, .jvp = jvp};
    return jg_custom(double_it, NULL, &rules, ninputs, inputs, noutputs, outputs);
}

static jg_status batched(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                         jg_array **outputs)
{
    return jg_vmap(with_rules_of_elements, context, ninputs, inputs, (const int64_t[]){0}, noutputs,
                   outputs, (const int64_t[]){0});
}

/* The ways in which a function of the caller's is called, x being (2,). */

static jg_status by_save_npy(how_it_fails *how, jg_array *x)
{
    return jg_save_npy(x, sink, how);
}

static jg_status by_save_safetensors(how_it_fails *how, jg_array *x)
{
    const jg_tensors tensors = {.count = 1, .items = (jg_tensor[]){{"x", x}}};
    return jg_save_safetensors(&tensors, sink, how);
}

static jg_status by_save_gguf(how_it_fails *how, jg_array *x)
{
    const jg_tensors tensors = {.count = 1, .items = (jg_tensor[]){{"x", x}}};
    return jg_save_gguf(&tensors, sink, how);
}

static jg_status by_vjp(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    jg_pullback *pullback;
    return jg_vjp(function, how, 1, &x, 1, &output, &pullback);
}

static jg_status by_jvp(how_it_fails *how, jg_array *x)
{
    jg_array *output, *tangent;
    return jg_jvp(function, how, 1, &x, &x, 1, &output, &tangent);
}

static jg_status by_vmap(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    return jg_vmap(function, how, 1, &x, (const int64_t[]){0}, 1, &output, (const int64_t[]){0});
}

static jg_status by_custom(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    const jg_custom_rules rules = {.context = how, .vjp = vjp};
    return jg_custom(function, how, &rules, 1, &x, 1, &output);
}

static jg_status by_checkpoint(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    return jg_checkpoint(function, how, JG_CHECKPOINT_NOTHING, 1, &x, 1, &output);
}

static jg_status by_compile(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    jg_compiled *compiled;
    assert_ok(jg_compile("f", function, how, NULL, &compiled));
    jg_status status = jg_compiled_call(compiled, 1, &x, 1, &output);
    jg_compiled_release(compiled);
    return status;
}

static jg_status apply(jg_function *traced, how_it_fails *how, jg_array *x)
{
    jg_array *output, *share;
    jg_pullback *pullback;
    assert_ok(jg_vjp(traced, how, 1, &x, 1, &output, &pullback));
    jg_status status = jg_pullback_apply(pullback, &output, &share);
    jg_pullback_release(pullback);
    jg_array_release(output);
    return status;
}

static jg_status by_rule_vjp(how_it_fails *how, jg_array *x)
{
    return apply(with_rules, how, x);
}

static jg_status by_rule_vjp_of_elements(how_it_fails *how, jg_array *x)
{
    return apply(batched, how, x);
}

static jg_status by_rule_jvp(how_it_fails *how, jg_array *x)
{
    jg_array *output, *tangent;
    return jg_jvp(with_rules, how, 1, &x, &x, 1, &output, &tangent);
}

static jg_status by_rule_jvp_of_elements(how_it_fails *how, jg_array *x)
{
    jg_array *output, *tangent;
    return jg_jvp(batched, how, 1, &x, &x, 1, &output, &tangent);
}

static jg_status by_rule_vmap(how_it_fails *how, jg_array *x)
{
    jg_array *output;
    return jg_vmap(with_rules, how, 1, &x, (const int64_t[]){0}, 1, &output, (const int64_t[]){0});
}

static const struct {
    jg_status (*call)(how_it_fails *how, jg_array *x);
    const char *says;
} rows[] = {
    {by_save_npy, "[save_npy] sink"},
    {by_save_safetensors, "[save_safetensors] sink"},
    {by_save_gguf, "[save_gguf] sink"},
    {by_vjp, "[vjp] function"},
    {by_jvp, "[jvp] function"},
    {by_vmap, "[vmap] function"},
    {by_custom, "[custom] function"},
    {by_checkpoint, "[checkpoint] function"},
    {by_compile, "[compile] function"},
    {by_rule_vjp, "[custom] vjp"},
    {by_rule_vjp_of_elements, "[custom] vjp"},
    {by_rule_jvp, "[custom] jvp"},
    {by_rule_jvp_of_elements, "[custom] jvp"},
    {by_rule_vmap, "[custom] vmap"},
};

static void fail_before(void)
{
    (void)base_fail(JG_ERR_VALUE, "an earlier failure");
}

TEST(a_callback_that_fails_silently_is_named)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2));
    how_it_fails silently = SILENTLY, unknown = UNKNOWN_STATUS;
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i) {
        fail_before();
        assert_fails_saying(JG_ERR_IO, rows[i].says, rows[i].call(&silently, x));
        check_message(": returned 11 (ERR_IO) and no message", __FILE__, __LINE__);
        assert_fails_saying((jg_status)1234, ": returned 1234 (unknown)",
                            rows[i].call(&unknown, x));
    }
    jg_array_release(x);
}

TEST(what_a_callback_tells_is_the_message)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2));
    how_it_fails telling = BY_TELLING, by_an_op = BY_AN_OP;
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i) {
        fail_before();
        assert_fails(JG_ERR_IO, rows[i].call(&telling, x));
        assert_string_equal(jg_error_message(), "the disk is full");
        fail_before();
        assert_fails_saying(JG_ERR_VALUE, "step: got 0", rows[i].call(&by_an_op, x));
    }
    jg_array_release(x);
}

TEST(a_callback_that_succeeds_leaves_the_message)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(2)), *output;
    fail_before();
    assert_ok(jg_checkpoint(double_it, NULL, JG_CHECKPOINT_NOTHING, 1, &x, 1, &output));
    assert_string_equal(jg_error_message(), "an earlier failure");
    release_all(2, (jg_array *[]){x, output});
}
