/* SPDX-License-Identifier: Apache-2.0 */
/* Norms, ranks, pseudo-inverses, least squares, powers and chains of products, from C: values that
 * are known by hand, and what is refused at the call. */
#include "../arrays.h"
#include "../openblas.h"
#include <math.h>

static const float two_by_two[] = {3, 0, 0, -4};

TEST(vectors_have_lengths_of_any_order)
{
    static const double orders[] = {2, 1, 0, INFINITY, -INFINITY, 3};
    const double expected[] = {5, 7, 2, 4, 0, cbrt(27 + 64)};
    jg_array *x = from_floats(SHAPE(3), (const float[]){3, 0, -4}), *length;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        assert_ok(jg_linalg_vector_norm(x, -1, NULL, false, orders[i], &length));
        assert_array_shape(length, SCALAR);
        assert_values_close(length, 1, &expected[i], 1e-6);
        jg_array_release(length);
    }
    jg_array_release(x);
}

TEST(half_precision_has_lengths_whose_squares_it_does_not_hold)
{
    jg_array *x, *length;
    assert_ok(jg_full(JG_DTYPE_FLOAT16, SHAPE(2, 4), float_number(1000), &x));
    assert_ok(jg_linalg_vector_norm(x, 1, (const int64_t[]){-1}, true, 2, &length));
    assert_int_equal(jg_array_dtype(length), JG_DTYPE_FLOAT16);
    assert_array_shape(length, SHAPE(2, 1));
    assert_elements(length, 2000, 2000);
    release_all(2, (jg_array *[]){x, length});
}

TEST(matrices_have_norms_by_name_and_condition_numbers)
{
    static const struct {
        const char *name;
        double norm, condition;
    } cases[] = {{"fro", 5, 25.0 / 12}, {"nuc", 7, 49.0 / 12}, {"2", 4, 4.0 / 3},
                 {"-2", 3, 3.0 / 4},    {"1", 4, 4.0 / 3},     {"-1", 3, 3.0 / 4},
                 {"inf", 4, 4.0 / 3},   {"-inf", 3, 3.0 / 4}};
    jg_array *x = from_floats(SHAPE(2, 2), two_by_two), *norm, *condition;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_ok(jg_linalg_matrix_norm(x, true, cases[i].name, &norm));
        assert_ok(jg_linalg_cond(x, cases[i].name, &condition));
        assert_array_shape(norm, SHAPE(1, 1));
        assert_values_close(norm, 1, &cases[i].norm, 1e-6);
        assert_values_close(condition, 1, &cases[i].condition, 1e-6);
        release_all(2, (jg_array *[]){norm, condition});
    }
    assert_fails_saying(JG_ERR_VALUE, "ord: got '3', allowed are fro, nuc, 1, -1, 2, -2, inf and",
                        jg_linalg_matrix_norm(x, false, "3", &norm));
    assert_fails_saying(JG_ERR_VALUE, "[linalg_cond] p: got 'max', allowed",
                        jg_linalg_cond(x, "max", &condition));
    jg_array_release(x);
}

TEST(a_singular_matrix_has_a_rank_and_a_pseudo_inverse)
{
    static const double quarter[] = {0.25, 0.25, 0.25, 0.25};
    jg_array *x, *rank, *inverse, *condition;
    assert_ok(jg_full(JG_DTYPE_FLOAT64, SHAPE(2, 2), float_number(1), &x));
    assert_ok(jg_linalg_matrix_rank(x, NULL, NULL, &rank));
    assert_ok(jg_linalg_pinv(x, NULL, &inverse));
    assert_ok(jg_linalg_cond(x, "1", &condition));
    assert_int_equal(jg_array_dtype(rank), JG_DTYPE_INT64);
    assert_elements(rank, 1);
    assert_values_close(inverse, 4, quarter, 1e-12);
    assert_true(isinf(item_of(condition)));
    release_all(4, (jg_array *[]){x, rank, inverse, condition});
}

TEST(least_squares_tell_what_is_missed_where_the_rank_is_full)
{
    jg_array *a = from_floats(SHAPE(3, 2), (const float[]){1, 0, 0, 2, 0, 0});
    jg_array *b = from_floats(SHAPE(3), (const float[]){3, 4, 5}), *ones_like;
    jg_array_list found, deficient;
    assert_ok(jg_linalg_lstsq(a, b, NULL, &found));
    assert_values_close(found.arrays[0], 2, (const double[]){3, 2}, 1e-6);
    assert_values_close(found.arrays[1], 1, (const double[]){25}, 1e-6);
    assert_elements(found.arrays[2], 2);
    assert_values_close(found.arrays[3], 2, (const double[]){2, 1}, 1e-6);
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SHAPE(3, 2), float_number(1), &ones_like));
    assert_ok(jg_linalg_lstsq(ones_like, b, NULL, &deficient));
    assert_array_shape(deficient.arrays[1], SHAPE(0));
    jg_array_list_clear(&deficient);
    assert_fails_saying(JG_ERR_VALUE, "[linalg_lstsq] b: has 2 rows, allowed are 3",
                        jg_linalg_lstsq(a, found.arrays[0], NULL, &deficient));
    jg_array_list_clear(&found);
    release_all(3, (jg_array *[]){a, b, ones_like});
}

TEST(powers_of_matrices_go_both_ways)
{
    jg_array *x = from_floats(SHAPE(2, 2), (const float[]){1, 1, 0, 1}), *whole, *power;
    assert_ok(jg_linalg_matrix_power(x, 5, &power));
    assert_elements(power, 1, 5, 0, 1);
    assert_ok(jg_linalg_matrix_power(power, -2, &whole));
    assert_elements(whole, 1, -10, 0, 1);
    replace(&power, NULL);
    assert_ok(jg_linalg_matrix_power(x, 0, &power));
    assert_elements(power, 1, 0, 0, 1);
    replace(&whole, NULL);
    assert_ok(jg_astype(x, JG_DTYPE_INT32, &whole));
    replace(&power, NULL);
    assert_ok(jg_linalg_matrix_power(whole, INT64_MAX, &power)); /* wraps round: no matter */
    assert_int_equal(jg_array_dtype(power), JG_DTYPE_INT32);
    release_all(3, (jg_array *[]){x, whole, power});
}

TEST(chains_of_products_may_end_in_vectors)
{
    jg_array *arrays[] = {
        counting(JG_DTYPE_FLOAT32, SHAPE(2)), counting(JG_DTYPE_FLOAT32, SHAPE(2, 3)),
        counting(JG_DTYPE_FLOAT32, SHAPE(3, 2)), counting(JG_DTYPE_FLOAT32, SHAPE(2))};
    jg_array *product;
    assert_ok(jg_linalg_multi_dot(4, arrays, &product));
    assert_array_shape(product, SCALAR);
    assert_elements(product, 9 * (1 + 4) + 12 * (3 + 8) + 15 * (5 + 12));
    replace(&product, NULL);
    assert_ok(jg_linalg_multi_dot(2, arrays + 1, &product));
    assert_elements(product, 22, 28, 49, 64);
    assert_fails_saying(
        JG_ERR_VALUE, "arrays[1]: has 1 axes, allowed are two",
        jg_linalg_multi_dot(3, (jg_array *[]){arrays[1], arrays[0], arrays[2]}, &product));
    assert_fails_saying(JG_ERR_VALUE, "arrays: got 1, allowed are two or more",
                        jg_linalg_multi_dot(1, arrays, &product));
    release_all(4, arrays);
    jg_array_release(product);
}

TEST(a_cholesky_factor_solves)
{
    jg_array *factor = from_floats(SHAPE(2, 2), (const float[]){2, 0, 1, 3}), *solution, *turned;
    jg_array *b = from_floats(SHAPE(2), (const float[]){4, 11});
    assert_ok(jg_linalg_cholesky_solve(b, factor, false, &solution));
    assert_values_close(solution, 2, (const double[]){0.5, 1}, 1e-6);
    assert_ok(jg_matrix_transpose(factor, &turned));
    replace(&solution, NULL);
    assert_ok(jg_linalg_cholesky_solve(b, turned, true, &solution));
    assert_values_close(solution, 2, (const double[]){0.5, 1}, 1e-6);
    release_all(4, (jg_array *[]){factor, solution, turned, b});
}

static int find_library(void **state)
{
    (void)state;
    return name_openblas() ? 0 : -1;
}

BEFORE_ALL(find_library)
