/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise work, rows, products, transforms, windows and elements that move, while every allocation
 * fails once. */
#include "cuda_oom.h"

static jg_status elements_and_rows(int64_t size)
{
    jg_array *x = NULL, *wide = NULL, *power = NULL, *sum = NULL, *part = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_tanh(wide, &power));
    JG_TRY_DONE(jg_sum(power, 1, &first, true, NULL, &sum));
    JG_TRY_DONE(jg_divide(power, sum, &part));
    JG_TRY_DONE(evaluate(1, &part));
done:
    finish(5, (jg_array *[]){x, wide, power, sum, part});
    return status;
}

static jg_status products(int64_t size)
{
    jg_array *x = NULL, *wide = NULL, *row = NULL, *column = NULL, *product = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(1, size), &row));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(size, 1), &column));
    JG_TRY_DONE(jg_matmul(column, row, &product));
    JG_TRY_DONE(evaluate(1, &product));
done:
    finish(5, (jg_array *[]){x, wide, row, column, product});
    return status;
}

static jg_status elements_that_move(int64_t size)
{
    const int64_t width[] = {2, 3}, times = 2;
    jg_array *x = NULL, *joined = NULL, *padded = NULL, *rolled = NULL, *tiled = NULL;
    jg_array *fill = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(7), &fill));
    JG_TRY_DONE(jg_concat(2, (jg_array *[]){x, x}, &first, &joined));
    JG_TRY_DONE(jg_pad(joined, 2, width, "constant", fill, &padded));
    JG_TRY_DONE(jg_roll(padded, 1, &times, 1, &first, &rolled));
    JG_TRY_DONE(jg_tile(rolled, 1, &times, &tiled));
    JG_TRY_DONE(evaluate(1, &tiled));
done:
    finish(6, (jg_array *[]){x, joined, padded, rolled, tiled, fill});
    return status;
}

static jg_status elements_by_index(int64_t size)
{
    jg_array *x = NULL, *taken = NULL, *sum = NULL, *written = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_take(x, x, &first, &taken));
    JG_TRY_DONE(jg_slice_combine(taken, ITEMS(ARRAY(x)), JG_SCATTER_ADD, x, &sum));
    JG_TRY_DONE(jg_slice_update(sum, ITEMS(EVERY(-1)), sum, &written));
    JG_TRY_DONE(evaluate(1, &written));
done:
    finish(4, (jg_array *[]){x, taken, sum, written});
    return status;
}

/* Along two axes, of which one has a factor of its own. */
static jg_status transforms(int64_t size)
{
    jg_array *x = NULL, *wide = NULL, *lines = NULL, *turned = NULL, *back = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(7 * size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(size, 7), &lines));
    JG_TRY_DONE(jg_fft_fftn(lines, JG_NONE, NULL, JG_ALL_AXES, NULL, "backward", &turned));
    JG_TRY_DONE(jg_fft_irfft(turned, NULL, -1, "backward", &back));
    JG_TRY_DONE(evaluate(1, &back));
done:
    finish(5, (jg_array *[]){x, wide, lines, turned, back});
    return status;
}

static jg_status windows(int64_t size)
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

static jg_status chosen_matrices(int64_t size)
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

#define SCENARIOS(X)                                                                               \
    X(elements_and_rows)                                                                           \
    X(products)                                                                                    \
    X(elements_that_move)                                                                          \
    X(elements_by_index)                                                                           \
    X(transforms)                                                                                  \
    X(windows)                                                                                     \
    X(chosen_matrices)
SCENARIOS(OOM_TEST)

int main(void)
{
    const struct CMUnitTest tests[] = {SCENARIOS(OOM_ROW)};
    if (jg_option_set("num_threads", "1") != JG_OK)
        return 1;
    return cmocka_run_group_tests(tests, open_fake, NULL);
}
