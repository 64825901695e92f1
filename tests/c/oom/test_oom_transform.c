/* SPDX-License-Identifier: Apache-2.0 */
/* Transformations while every allocation fails once. */
#include "attempts.h"
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

static void a_batch_that_runs_out_of_memory_loses_nothing(void **state)
{
    (void)state;
    assert_true(fail_every_allocation(batch) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_that_runs_out_of_memory_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
