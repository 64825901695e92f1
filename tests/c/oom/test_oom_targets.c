/* SPDX-License-Identifier: Apache-2.0 */
/* Results in memory of others, and evaluations of which a part fails, while every allocation fails
 * once. */
#include "attempts.h"
#include <joggle/ops.h>

/* Over memory of the caller's, which lives longer. */
static jg_status over(float *data, int64_t size, jg_array **out)
{
    jg_view view;
    const jg_device_id host = {JG_DEVICE_CPU, 0};
    JG_TRY(jg_view_init(&view, data, host, JG_DTYPE_FLOAT32, 1, 1, &size, NULL, 0));
    return jg_array_take_view(&view, JG_COPY_NEVER, NULL, NULL, out);
}

/* The targets' old values are read: after a failure both have either the old ones or the new. */
SCENARIO(two_targets_exchange_their_values)
{
    float x_data[2048], y_data[2048];
    jg_array *targets[] = {NULL, NULL}, *values[] = {NULL, NULL};
    jg_status status;
    for (int64_t i = 0; i < size; ++i)
        x_data[i] = 1, y_data[i] = 2;
    JG_TRY_DONE(over(x_data, size, &targets[0]));
    JG_TRY_DONE(over(y_data, size, &targets[1]));
    JG_TRY_DONE(jg_multiply(targets[1], targets[1], &values[0]));
    JG_TRY_DONE(jg_negative(targets[0], &values[1]));
    JG_TRY_DONE(jg_eval_into(2, values, targets, NULL, NULL));
    if (x_data[size - 1] != 4 || y_data[size - 1] != -1)
        status = base_fail(JG_ERR_INTERNAL, "got %g and %g, expected 4 and -1",
                           (double)x_data[size - 1], (double)y_data[size - 1]);
done:
    release_all(2, values);
    release_all(2, targets);
    return status;
}

/* places: one of them beyond the end of x. gives: x[places] and x + x */
static jg_status index_beyond(int64_t size, jg_array **out)
{
    jg_array *x = NULL, *places = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(1), &x));
    JG_TRY_DONE(jg_full(JG_DTYPE_INT64, 1, &size, integer_number(size), &places));
    JG_TRY_DONE(jg_take(x, places, NULL, &out[0]));
    JG_TRY_DONE(jg_add(x, x, &out[1]));
done:
    release_all(2, (jg_array *[]){x, places});
    return status;
}

/* The failure is the index's, not that of memory, unless memory failed first. */
SCENARIO(one_of_two_results_fails)
{
    jg_array *results[] = {NULL, NULL};
    jg_status status;
    JG_TRY_DONE(index_beyond(size, results));
    status = jg_eval_async(2, results);
    if (status == JG_OK)
        status = jg_eval(1, &results[0]);
    if (status == JG_OK)
        status = base_fail(JG_ERR_INTERNAL, "an index beyond the end was taken");
    else if (status == JG_ERR_INDEX)
        status = JG_OK;
done:
    release_all(2, results);
    return status;
}

/* Two vectors of float16 against many, which are made float32 in memory of their own. */
SCENARIO(few_rows_of_halves_are_multiplied)
{
    const int64_t k = 6000 + size;
    jg_array *x = NULL, *w = NULL, *y = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT16, 2, (int64_t[]){2, k}, float_number(1), &x));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT16, 2, (int64_t[]){k, 40}, float_number(1), &w));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){x, w}));
    JG_TRY_DONE(jg_matmul(x, w, &y));
    JG_TRY_DONE(jg_eval(1, &y));
done:
    release_all(3, (jg_array *[]){x, w, y});
    return status;
}
