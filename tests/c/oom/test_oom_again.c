/* SPDX-License-Identifier: Apache-2.0 */
/* What takes a tracing, a recording, a builder or rules does so on success alone: where an
 * allocation fails, the same is asked again and gives what it would have given. That the caller may
 * end it instead is in the other files of this folder. */
#include "attempts.h"
#include <joggle/kernel.h>
#include <joggle/ops.h>
#include <joggle/transform.h>
#include <stdlib.h>

/* The one allocation that fails has failed before the call is repeated. */
#define ASK_TWICE(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status == JG_ERR_NOMEM)                                                                \
            status = (call);                                                                       \
        if (status != JG_OK)                                                                       \
            goto done;                                                                             \
    } while (0)

static jg_status two(int64_t size, jg_array **out)
{
    return jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(2), out);
}

/* raises: INTERNAL where the elements are others, NOMEM */
static jg_status expect(jg_array *x, int64_t size, float expected)
{
    jg_view view;
    JG_TRY(jg_eval(1, &x));
    JG_TRY(jg_array_view(x, &view));
    const float *data = view.data;
    bool same = view.ndim == 1 && view.shape[0] == size;
    for (int64_t i = 0; i < size && same; ++i)
        same = data[i * view.strides[0]] == expected;
    return same ? JG_OK : base_fail(JG_ERR_INTERNAL, "other elements than %g", (double)expected);
}

typedef struct squared {
    jg_array *x, *marker, *value;
    jg_tracing *tracing;
} squared;

/* x -> x * x at 2, being traced */
static jg_status begin(squared *s, int64_t size)
{
    *s = (squared){0};
    JG_TRY(two(size, &s->x));
    JG_TRY(jg_tracing_begin(1, &s->x, &s->marker, &s->tracing));
    return jg_multiply(s->marker, s->marker, &s->value);
}

static void end(squared *s)
{
    jg_tracing_abort(s->tracing);
    release_all(3, (jg_array *[]){s->x, s->marker, s->value});
}

static jg_status pull_again(int64_t size)
{
    squared s;
    jg_pullback *pullback = NULL;
    jg_array *share = NULL;
    jg_status status;
    JG_TRY_DONE(begin(&s, size));
    ASK_TWICE(jg_tracing_pullback(s.tracing, 1, &s.value, &pullback));
    s.tracing = NULL;
    ASK_TWICE(jg_pullback_apply(pullback, &s.x, &share));
    JG_TRY_DONE(expect(share, size, 8));
done:
    jg_pullback_release(pullback);
    jg_array_release(share);
    end(&s);
    return status;
}

static jg_status push_again(int64_t size)
{
    squared s;
    jg_array *tangent = NULL;
    jg_status status;
    JG_TRY_DONE(begin(&s, size));
    ASK_TWICE(jg_tracing_push(s.tracing, 1, &s.value, &s.x, &tangent));
    s.tracing = NULL;
    JG_TRY_DONE(expect(tangent, size, 8));
done:
    jg_array_release(tangent);
    end(&s);
    return status;
}

static jg_status differentiate_again(int64_t size)
{
    squared s;
    jg_array *loss = NULL, *share = NULL;
    jg_status status;
    JG_TRY_DONE(begin(&s, size));
    JG_TRY_DONE(jg_sum(s.value, -1, NULL, false, NULL, &loss));
    ASK_TWICE(jg_tracing_gradients(s.tracing, loss, &share));
    s.tracing = NULL;
    JG_TRY_DONE(expect(share, size, 4));
done:
    release_all(2, (jg_array *[]){loss, share});
    end(&s);
    return status;
}

/* Whether the thread is inside of a function that is batched. raises: INTERNAL */
static jg_status expect_batched(bool batched)
{
    return (jg_tracing_caller() != NULL) == batched
               ? JG_OK
               : base_fail(JG_ERR_INTERNAL, "the function's call has ended, or has not");
}

/* x -> x * x for each element, and x + x, which is built after a failure too. */
static jg_status batch_again(int64_t size)
{
    const int64_t axes[] = {0, 0};
    jg_array *x = NULL, *marker = NULL, *values[] = {NULL, NULL}, *outputs[] = {NULL, NULL};
    jg_tracing *tracing = NULL;
    jg_status status;
    JG_TRY_DONE(two(size, &x));
    JG_TRY_DONE(jg_tracing_begin_batched("f", 1, &x, axes, JG_RANDOMNESS_ERROR, &marker, &tracing));
    JG_TRY_DONE(jg_multiply(marker, marker, &values[0]));
    JG_TRY_DONE(jg_add(marker, marker, &values[1]));
    status = jg_tracing_batch(tracing, 2, values, axes, outputs);
    if (status == JG_ERR_NOMEM) {
        JG_TRY_DONE(expect_batched(true));
        replace(&values[1], NULL);
        JG_TRY_DONE(jg_add(marker, marker, &values[1]));
        status = jg_tracing_batch(tracing, 2, values, axes, outputs);
    }
    JG_TRY_DONE(status);
    tracing = NULL;
    JG_TRY_DONE(expect_batched(false));
    JG_TRY_DONE(expect(outputs[0], size, 4));
    JG_TRY_DONE(expect(outputs[1], size, 4));
done:
    jg_tracing_abort(tracing);
    release_all(2, (jg_array *[]){x, marker});
    release_all(2, values);
    release_all(2, outputs);
    return status;
}

/* x -> x * (2 + 2), of which the sum is kept as a constant */
static jg_status record_again(int64_t size)
{
    jg_array *x = NULL, *marker = NULL, *sum = NULL, *value = NULL, *output = NULL;
    jg_recording *recording = NULL;
    jg_record *record = NULL;
    jg_status status;
    JG_TRY_DONE(two(size, &x));
    JG_TRY_DONE(jg_recording_begin("f", 1, &x, &marker, &recording));
    JG_TRY_DONE(jg_add(x, x, &sum));
    JG_TRY_DONE(jg_multiply(marker, sum, &value));
    status = jg_recording_end(recording, 1, &value, &record);
    if (status == JG_ERR_NOMEM) {
        JG_TRY_DONE(expect_batched(true));
        status = jg_recording_end(recording, 1, &value, &record);
    }
    JG_TRY_DONE(status);
    recording = NULL;
    JG_TRY_DONE(expect_batched(false));
    ASK_TWICE(jg_record_call(record, 1, &x, &output));
    JG_TRY_DONE(expect(output, size, 8));
done:
    jg_recording_abort(recording);
    jg_record_release(record);
    release_all(5, (jg_array *[]){x, marker, sum, value, output});
    return status;
}

/* A context that is released once and not before it was taken. */
typedef struct counted {
    bool taken;
    int releases, early;
} counted;

static void note_release(void *context)
{
    counted *own = context;
    own->releases += 1;
    own->early += !own->taken;
}

static jg_status expect_one_release(const counted *own)
{
    return own->releases == own->taken && own->early == 0
               ? JG_OK
               : base_fail(JG_ERR_INTERNAL, "released %d times, taken %d", own->releases,
                           own->taken);
}

static jg_status pass_on(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                         jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)context, (void)ninputs, (void)inputs, (void)noutputs, (void)outputs;
    shares[0] = jg_array_retain(cotangents[0]);
    return JG_OK;
}

static jg_status square(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                        jg_array **outputs)
{
    (void)context, (void)ninputs, (void)noutputs;
    return jg_multiply(inputs[0], inputs[0], &outputs[0]);
}

/* The rule says 1 times the cotangent where the function's ops say 2 x. */
static jg_status call_ruled(counted *own, jg_array *x, jg_array **out)
{
    const jg_custom_rules rules = {.context = own, .release = note_release, .vjp = pass_on};
    own->taken = true;
    jg_status status = jg_custom(square, NULL, &rules, 1, &x, 1, out);
    own->taken = status == JG_OK;
    return status;
}

static jg_status differentiate_ruled(counted *own, int64_t size)
{
    squared s;
    jg_array *ruled = NULL, *loss = NULL, *share = NULL;
    jg_status status;
    JG_TRY_DONE(begin(&s, size));
    ASK_TWICE(call_ruled(own, s.marker, &ruled));
    JG_TRY_DONE(jg_sum(ruled, -1, NULL, false, NULL, &loss));
    ASK_TWICE(jg_tracing_gradients(s.tracing, loss, &share));
    s.tracing = NULL;
    JG_TRY_DONE(expect(share, size, 1));
done:
    release_all(3, (jg_array *[]){ruled, loss, share});
    end(&s);
    return status;
}

static jg_status rule_again(int64_t size)
{
    counted own = {0};
    jg_status status = differentiate_ruled(&own, size);
    jg_status once = expect_one_release(&own);
    return once != JG_OK ? once : status;
}

static jg_status compile_again(int64_t size)
{
    counted own = {0};
    jg_compiled *compiled = NULL;
    jg_array *x = NULL, *output = NULL;
    jg_status status;
    JG_TRY_DONE(two(size, &x));
    ASK_TWICE(jg_compile("f", square, &own, note_release, &compiled));
    own.taken = true;
    ASK_TWICE(jg_compiled_call(compiled, 1, &x, 1, &output));
    JG_TRY_DONE(expect(output, size, 4));
done:
    jg_compiled_release(compiled);
    release_all(2, (jg_array *[]){x, output});
    jg_status once = expect_one_release(&own);
    return once != JG_OK ? once : status;
}

static jg_status finish_again(int64_t size)
{
    jg_kernel_builder *builder;
    jg_kernel *kernel = NULL;
    jg_value i;
    jg_status status;
    JG_TRY(jg_builder_new("k", 0, &builder));
    jg_place x = jg_builder_array(builder, "x", JG_DTYPE_FLOAT32, 1);
    jg_value zero = jg_builder_int(builder, JG_DTYPE_INT64, 0);
    jg_value n = jg_builder_int(builder, JG_DTYPE_INT64, size);
    jg_builder_parallel(builder, 1, &zero, &n, 0, &i);
    jg_builder_store(builder, x, 1, &i, jg_builder_float(builder, JG_DTYPE_FLOAT32, 1));
    jg_builder_end(builder);
    ASK_TWICE(jg_builder_finish(builder, &kernel));
    builder = NULL;
done:
    jg_builder_release(builder);
    if (kernel != NULL && jg_kernel_narrays(kernel) != 1)
        status = base_fail(JG_ERR_INTERNAL, "narrays: got %d", jg_kernel_narrays(kernel));
    jg_kernel_release(kernel);
    return status;
}

TEST(a_pullback_is_given_at_the_second_try)
{
    assert_true(fail_every_allocation(pull_again) > 8);
}

TEST(tangents_are_given_at_the_second_try)
{
    assert_true(fail_every_allocation(push_again) > 8);
}

TEST(gradients_are_given_at_the_second_try)
{
    assert_true(fail_every_allocation(differentiate_again) > 8);
}

TEST(a_batch_goes_on_until_its_results_are_there)
{
    assert_true(fail_every_allocation(batch_again) > 8);
}

TEST(a_recording_goes_on_until_its_record_is_there)
{
    assert_true(fail_every_allocation(record_again) > 8);
}

TEST(rules_are_taken_at_the_second_try)
{
    assert_true(fail_every_allocation(rule_again) > 8);
}

TEST(a_function_is_compiled_at_the_second_try)
{
    assert_true(fail_every_allocation(compile_again) > 8);
}

TEST(a_builder_is_finished_at_the_second_try)
{
    assert_true(fail_every_allocation(finish_again) > 2);
}
