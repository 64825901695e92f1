/* SPDX-License-Identifier: Apache-2.0 */
/* Plans whose launches go as one graph, while every allocation fails once. */
#include "cuda_oom.h"

enum { STEPS = 2 }; /* of four kernels each */

static jg_status evaluate_chain(jg_array *x, jg_array **out)
{
    const int64_t last = 1;
    jg_array *y = jg_array_retain(x), *sum, *next;
    jg_status status = JG_OK;
    for (int i = 0; i < STEPS && status == JG_OK; ++i) {
        status = jg_add(y, x, &sum);
        if (status != JG_OK)
            break;
        status = jg_softmax(sum, 1, &last, &next);
        jg_array_release(sum);
        if (status == JG_OK)
            replace(&y, next);
    }
    if (status == JG_OK)
        status = evaluate(1, &y);
    if (status == JG_OK)
        *out = y;
    else
        finish(1, (jg_array *[]){y});
    return status;
}

/* The first run counts, the second makes the graph, the others change it. There is one plan, as
 * attempts must not make more than are kept. All rows are equal, whatever failed on the way. */
SCENARIO(graphs)
{
    jg_array *x = NULL, *y[4] = {NULL};
    jg_view view;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, SHAPE(size, 8), float_number(0.5), &x));
    for (int i = 0; i < 4; ++i) {
        JG_TRY_DONE(evaluate_chain(x, &y[i]));
        JG_TRY_DONE(jg_array_view(y[i], &view));
        for (int64_t k = 0; k < size * 8; ++k) /* the fake's memory is the host's */
            assert_true(((const float *)view.data)[k] == 0.125F);
    }
done:
    finish(5, (jg_array *[]){x, y[0], y[1], y[2], y[3]});
    return status;
}

static int open_with_graphs(void **state)
{
    if (jg_option_set("device_graphs", "2") != JG_OK)
        return -1;
    return open_fake_alone(state);
}
BEFORE_ALL(open_with_graphs)
