/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms, windows and chosen matrices, while every allocation fails once. */
#include "cuda_oom.h"

/* Along two axes, of which one has a large prime factor. */
SCENARIO(transforms)
{
    const int64_t axes[] = {1, 2};
    jg_array *x = NULL, *wide = NULL, *lines = NULL, *turned = NULL, *back = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(7 * 67 * size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(size, 7, 67), &lines));
    JG_TRY_DONE(jg_fft_fftn(lines, JG_NONE, NULL, 2, axes, "backward", &turned));
    JG_TRY_DONE(jg_fft_irfft(turned, NULL, -1, "backward", &back));
    JG_TRY_DONE(evaluate(1, &back));
done:
    finish(5, (jg_array *[]){x, wide, lines, turned, back});
    return status;
}

SCENARIO(windows)
{
    const int64_t one = 1, two = 2;
    jg_array *x = NULL, *wide = NULL, *plane = NULL, *taps = NULL, *sums = NULL, *most = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(8 * size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(1, size, 4, 2), &plane));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, SHAPE(3, 2, 2, 2), integer_number(1), &taps));
    JG_TRY_DONE(jg_conv2d(plane, taps, 1, &one, 1, &one, &one, 1, &one, 1, "NHWC", &sums));
    JG_TRY_DONE(
        jg_max_pool2d(sums, 1, &two, 1, &two, 1, &one, &one, 1, &one, false, "NHWC", &most));
    JG_TRY_DONE(evaluate(1, &most));
done:
    finish(6, (jg_array *[]){x, wide, plane, taps, sums, most});
    return status;
}

SCENARIO(chosen_matrices)
{
    jg_array *x = NULL, *wide = NULL, *stack = NULL, *indices = NULL, *products = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(4 * size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(size, 2, 2), &stack));
    JG_TRY_DONE(numbers_of(size, &indices));
    JG_TRY_DONE(jg_gather_mm(stack, stack, indices, indices, false, &products));
    JG_TRY_DONE(evaluate(1, &products));
done:
    finish(5, (jg_array *[]){x, wide, stack, indices, products});
    return status;
}

/* A plan that has run twice would keep a graph: test_cuda_oom_graphs.c is about those. */
static int open_without_graphs(void **state)
{
    if (jg_option_set("device_graphs", "0") != JG_OK)
        return -1;
    return open_fake_alone(state);
}
BEFORE_ALL(open_without_graphs)
