/* SPDX-License-Identifier: Apache-2.0 */
/* Fused chains against loops: floats, broadcasts, views of every kind, mixed dtypes. */
#include "../arrays.h"
#include <math.h>

enum { ROWS = 37, COLUMNS = 53, SIZE = ROWS * COLUMNS };

static float left[SIZE], right[SIZE];

static jg_array *matrix(const float *data)
{
    return from_floats(SHAPE(ROWS, COLUMNS), data);
}

static int fill(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < SIZE; ++i) {
        left[i] = (float)random_between(&seed, -1000, 1000) / 64;
        right[i] = (float)random_between(&seed, 1, 1000) / 64;
    }
    return 0;
}

static void check(jg_array *x, const float *expected, int64_t size)
{
    static float back[SIZE];
    assert_int_equal(jg_array_size(x), size);
    assert_ok(jg_array_copy_to(x, back, (size_t)size * sizeof *back));
    for (int64_t i = 0; i < size; ++i)
        if (memcmp(&back[i], &expected[i], sizeof *back) != 0)
            fail_msg("element %lld: got %.9g, expected %.9g", (long long)i, back[i], expected[i]);
}

TEST(arithmetic_rounds_after_every_op)
{
    static float expected[SIZE];
    jg_array *a = matrix(left), *b = matrix(right), *product, *sum, *quotient;
    assert_ok(jg_multiply(a, b, &product));
    assert_ok(jg_add(product, a, &sum));
    assert_ok(jg_divide(sum, b, &quotient));
    for (int i = 0; i < SIZE; ++i) {
        volatile float step = left[i] * right[i]; /* no contraction */
        expected[i] = (step + left[i]) / right[i];
    }
    check(quotient, expected, SIZE);
    release_all(5, (jg_array *[]){a, b, product, sum, quotient});
}

TEST(rows_and_columns_broadcast)
{
    static float expected[SIZE];
    jg_array *a = matrix(left), *row = from_floats(SHAPE(COLUMNS), right), *column, *sum, *both;
    column = from_floats(SHAPE(ROWS, 1), right + 100);
    assert_ok(jg_subtract(a, row, &sum));
    assert_ok(jg_multiply(sum, column, &both));
    for (int i = 0; i < SIZE; ++i)
        expected[i] = (left[i] - right[i % COLUMNS]) * right[100 + i / COLUMNS];
    check(both, expected, SIZE);
    release_all(5, (jg_array *[]){a, row, column, sum, both});
}

TEST(an_array_meets_its_own_transpose)
{
    static float expected[ROWS * ROWS];
    jg_array *a = matrix(left), *square, *turned, *sum;
    assert_ok(jg_slice(a, ITEMS(ALL, FROM_TO(0, ROWS)), &square));
    assert_ok(jg_matrix_transpose(square, &turned));
    assert_ok(jg_add(square, turned, &sum));
    for (int i = 0; i < ROWS * ROWS; ++i)
        expected[i] = left[i / ROWS * COLUMNS + i % ROWS] + left[i % ROWS * COLUMNS + i / ROWS];
    check(sum, expected, ROWS * ROWS);
    release_all(4, (jg_array *[]){a, square, turned, sum});
}

TEST(views_in_the_middle_of_a_chain_melt_in)
{
    static float expected[SIZE];
    jg_array *a = matrix(left), *b = matrix(right), *sum, *turned, *backwards, *negated;
    assert_ok(jg_add(a, b, &sum));
    assert_ok(jg_matrix_transpose(sum, &turned));
    assert_ok(jg_slice(turned, ITEMS(EVERY(-1), EVERY(3)), &backwards));
    assert_ok(jg_negative(backwards, &negated));
    replace(&sum, NULL);
    int64_t rows = (ROWS + 2) / 3;
    for (int i = 0; i < COLUMNS; ++i)
        for (int j = 0; j < rows; ++j) {
            int from = 3 * j * COLUMNS + (COLUMNS - 1 - i);
            expected[i * rows + j] = -(left[from] + right[from]);
        }
    check(negated, expected, COLUMNS * rows);
    release_all(5, (jg_array *[]){a, b, turned, backwards, negated});
}

TEST(a_reshape_in_the_middle_keeps_the_order)
{
    static float expected[SIZE];
    jg_array *a = matrix(left), *turned, *negated, *flat, *doubled;
    assert_ok(jg_matrix_transpose(a, &turned));
    assert_ok(jg_negative(turned, &negated));
    assert_ok(jg_reshape(negated, SHAPE(ROWS, COLUMNS), &flat)); /* across rows */
    assert_ok(jg_add(flat, flat, &doubled));
    for (int i = 0; i < SIZE; ++i)
        expected[i] = -2 * left[i % ROWS * COLUMNS + i / ROWS];
    check(doubled, expected, SIZE);
    release_all(5, (jg_array *[]){a, turned, negated, flat, doubled});
}

TEST(dtypes_meet_inside_a_chain)
{
    jg_array *bytes = counting(JG_DTYPE_UINT8, SHAPE(4)), *small, *mask, *chosen, *half, *sum;
    assert_ok(jg_full(JG_DTYPE_INT16, SCALAR, integer_number(-2), &small));
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SCALAR, float_number(0.5), &half));
    assert_ok(jg_less(small, bytes, &mask)); /* in int16: all true; in uint8 none */
    assert_ok(jg_where(mask, bytes, small, &chosen));
    assert_int_equal(jg_array_dtype(chosen), JG_DTYPE_INT16);
    assert_ok(jg_add(chosen, half, &sum));
    assert_int_equal(jg_array_dtype(sum), JG_DTYPE_FLOAT16);
    assert_elements(sum, 1.5, 2.5, 3.5, 4.5);
    release_all(6, (jg_array *[]){bytes, small, mask, chosen, half, sum});
}

TEST(half_precision_rounds_after_every_op)
{
    jg_array *large, *one, *sum, *back;
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SHAPE(3), float_number(2048), &large));
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SCALAR, float_number(1), &one));
    assert_ok(jg_add(large, one, &sum)); /* 2049 is not a float16 */
    assert_ok(jg_subtract(sum, large, &back));
    assert_elements(back, 0, 0, 0);
    release_all(4, (jg_array *[]){large, one, sum, back});
}

TEST(softmax_of_primitives_adds_up_to_one)
{
    static float expected[SIZE];
    jg_array *a = matrix(left), *most, *shifted, *powers, *total, *softmax;
    const int64_t last = -1;
    assert_ok(jg_max(a, 1, &last, true, &most));
    assert_ok(jg_subtract(a, most, &shifted));
    assert_ok(jg_exp(shifted, &powers));
    assert_ok(jg_sum(powers, 1, &last, true, NULL, &total));
    assert_ok(jg_divide(powers, total, &softmax));
    for (int i = 0; i < ROWS; ++i) {
        double sum = 0, highest = -1e30;
        for (int j = 0; j < COLUMNS; ++j)
            highest = fmax(highest, (double)left[i * COLUMNS + j]);
        for (int j = 0; j < COLUMNS; ++j)
            sum += exp((double)left[i * COLUMNS + j] - highest);
        for (int j = 0; j < COLUMNS; ++j)
            expected[i * COLUMNS + j] = (float)(exp((double)left[i * COLUMNS + j] - highest) / sum);
    }
    double *values = read_all(softmax);
    for (int i = 0; i < SIZE; ++i)
        assert_true(fabs(values[i] - (double)expected[i]) < 1e-6);
    base_free(values);
    release_all(6, (jg_array *[]){a, most, shifted, powers, total, softmax});
}

BEFORE_ALL(fill)
