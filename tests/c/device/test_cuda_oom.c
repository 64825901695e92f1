/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise work, rows, products and elements that move, while every allocation fails once. */
#include "cuda_oom.h"

SCENARIO(elements_and_rows)
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

SCENARIO(products)
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

SCENARIO(elements_that_move)
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

SCENARIO(elements_by_index)
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

BEFORE_ALL(open_fake_alone)
