/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions from C: draws of a key that are written down (as tests/python has them, too), the
 * shapes that parameters give, and what is refused. */
#include "../arrays.h"
#include <joggle/ops.h>
#include <joggle/random.h>

#define TOLERANCE 2e-6

static jg_array *key_of(int64_t seed)
{
    jg_array *key;
    assert_ok(jg_random_key(seed, &key));
    return key;
}

static jg_array *below(int64_t count)
{
    jg_array *x;
    assert_ok(
        jg_arange(JG_DTYPE_INT64, integer_number(0), integer_number(count), integer_number(1), &x));
    return x;
}

static void assert_drawn(jg_array *x, double first, double second, double third, double fourth)
{
    assert_int_equal(jg_array_dtype(x), JG_DTYPE_FLOAT32);
    assert_array_shape(x, SHAPE(4));
    assert_values_close(x, 4, (const double[]){first, second, third, fourth}, TOLERANCE);
    jg_array_release(x);
}

TEST(distributions_with_one_parameter_give_their_draws)
{
    jg_array *key = key_of(7), *two = number_array(2), *a = number_array(1.5), *x;
    assert_ok(jg_random_exponential(key, two, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 0.100047439, 1.55725121, 11.6777992, 0.514266014);
    assert_ok(jg_random_rayleigh(key, two, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 0.632605553, 2.4957974, 6.83455896, 1.4342469);
    assert_ok(jg_random_weibull(key, a, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 0.135763794, 0.846354783, 3.2425549, 0.404363424);
    assert_ok(jg_random_standard_cauchy(key, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, -6.47248793, 0.129405901, 109.305267, -1.1580112);
    replace(&a, number_array(3));
    assert_ok(jg_random_pareto(key, a, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 0.0168143697, 0.296336055, 6.00272894, 0.0894914195);
    release_all(3, (jg_array *[]){key, two, a});
}

TEST(distributions_with_two_parameters_give_their_draws)
{
    jg_array *key = key_of(7), *one = number_array(1), *two = number_array(2),
             *half = number_array(0.5), *a = number_array(2.5), *x;
    assert_ok(jg_random_normal(key, SHAPE(4), JG_DTYPE_FLOAT32, one, two, &x));
    assert_drawn(x, 3.11365628, 4.44497108, 0.405582905, 0.310647368);
    assert_ok(jg_random_laplace(key, SHAPE(4), JG_DTYPE_FLOAT32, one, two, &x));
    assert_drawn(x, -3.654037, 1.17095709, 11.2915459, -0.581655025);
    assert_ok(jg_random_logistic(key, one, two, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, -4.94028378, 1.32844436, 12.6719666, -1.45368385);
    assert_ok(jg_random_gamma(key, a, two, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 9.38733864, 2.48398232, 8.34034634, 1.1059705);
    assert_ok(jg_random_beta(key, half, two, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_drawn(x, 0.0483565032, 0.814709425, 0.111055039, 0.0138120437);
    release_all(5, (jg_array *[]){key, one, two, half, a});
}

TEST(the_shape_is_that_of_the_parameters_if_none_is_given)
{
    jg_array *key = key_of(7), *rows = counting(JG_DTYPE_FLOAT32, SHAPE(2, 1)),
             *columns = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *x;
    assert_ok(jg_random_beta(key, rows, columns, JG_NONE, NULL, JG_DTYPE_FLOAT32, &x));
    assert_array_shape(x, SHAPE(2, 3));
    jg_array_release(x);
    assert_ok(jg_random_logistic(key, NULL, columns, JG_NONE, NULL, JG_DTYPE_FLOAT64, &x));
    assert_array_shape(x, SHAPE(3));
    jg_array_release(x);
    assert_ok(jg_random_uniform(key, rows, columns, JG_NONE, NULL, JG_DTYPE_FLOAT32, &x));
    assert_array_shape(x, SHAPE(2, 3));
    jg_array_release(x);
    assert_ok(jg_random_bernoulli(key, rows, JG_NONE, NULL, &x));
    assert_array_shape(x, SHAPE(2, 1));
    release_all(4, (jg_array *[]){x, key, rows, columns});
}

TEST(integers_without_a_high_end_reach_the_largest)
{
    jg_array *key = key_of(7), *five, *least, *x;
    const int64_t all[] = {-268606614298304667, -5633056461702277839, -1414859210257369439},
                  some[] = {115569487565888911, 6815142443165598755, 3482222043523087963};
    assert_ok(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(INT64_MIN), &least));
    assert_ok(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(5), &five));
    for (int i = 0; i < 2; ++i) {
        int64_t values[3];
        assert_ok(
            jg_random_randint(key, i == 0 ? least : five, NULL, SHAPE(3), JG_DTYPE_INT64, &x));
        assert_ok(jg_array_copy_to(x, values, sizeof values));
        assert_memory_equal(values, i == 0 ? all : some, sizeof values);
        jg_array_release(x);
    }
    /* In a narrow dtype, all of its numbers come. */
    bool seen[256] = {false};
    int8_t small[4096];
    replace(&least, NULL);
    assert_ok(jg_full(JG_DTYPE_INT8, SCALAR, integer_number(-128), &least));
    assert_ok(jg_random_randint(key, least, NULL, SHAPE(4096), JG_DTYPE_INT8, &x));
    assert_ok(jg_array_copy_to(x, small, sizeof small));
    for (int i = 0; i < 4096; ++i)
        seen[small[i] + 128] = true;
    for (int i = 0; i < 256; ++i)
        assert_true(seen[i]);
    release_all(4, (jg_array *[]){key, five, least, x});
}

TEST(orders_and_choices_give_their_places)
{
    jg_array *key = key_of(7), *eight = below(8), *nine = below(9), *four = below(4), *x;
    jg_array *p = from_floats(SHAPE(4), (const float[]){.1f, .2f, .3f, .4f});
    assert_ok(jg_random_permutation(key, eight, 0, &x));
    assert_elements(x, 4, 1, 5, 6, 0, 7, 2, 3);
    jg_array_release(x);
    assert_ok(jg_random_choice(key, nine, SHAPE(2, 3), true, NULL, 0, &x));
    assert_array_shape(x, SHAPE(2, 3));
    assert_elements(x, 5, 3, 4, 0, 2, 3);
    jg_array_release(x);
    assert_ok(jg_random_choice(key, nine, SHAPE(6), false, NULL, -1, &x));
    assert_elements(x, 8, 4, 1, 5, 6, 0);
    jg_array_release(x);
    assert_ok(jg_random_choice(key, four, SHAPE(6), true, p, 0, &x));
    assert_elements(x, 2, 1, 3, 3, 1, 2);
    jg_array_release(x);
    assert_ok(jg_random_choice(key, four, SHAPE(4), false, p, 0, &x));
    assert_elements(x, 1, 2, 3, 0);
    release_all(6, (jg_array *[]){key, eight, nine, four, p, x});
}

TEST(categories_are_broadcast_to_a_shape)
{
    const int64_t count = 3;
    jg_array *key = key_of(7), *logits = from_floats(SHAPE(3), (const float[]){0, 1, 2}), *x;
    assert_ok(jg_random_categorical(key, logits, -1, NULL, SHAPE(2, 3), &x));
    assert_array_shape(x, SHAPE(2, 3));
    assert_elements(x, 2, 2, 1, 1, 2, 1);
    assert_fails_saying(JG_ERR_VALUE, "num_samples: got 3 beside shape",
                        jg_random_categorical(key, logits, -1, &count, SHAPE(2, 3), &x));
    release_all(3, (jg_array *[]){key, logits, x});
}

/* A covariance of rank 1: both parts of each vector are equal. */
TEST(vectors_follow_a_singular_covariance)
{
    jg_array *key = key_of(7), *mean = from_floats(SHAPE(2), (const float[]){3, 5}),
             *cov = from_floats(SHAPE(2, 2), (const float[]){4, 4, 4, 4}), *x;
    assert_ok(jg_random_multivariate_normal(key, mean, cov, SHAPE(100), JG_DTYPE_FLOAT32, &x));
    assert_array_shape(x, SHAPE(100, 2));
    double *values = read_all(x), most = 0;
    for (int i = 0; i < 100; ++i) {
        double gap = values[2 * i + 1] - values[2 * i] - 2;
        assert_true(gap < 1e-2 && gap > -1e-2);
        most = values[2 * i] - 3 > most ? values[2 * i] - 3 : most;
    }
    assert_true(most > 2 && most < 14); /* up to seven times the deviation of 2 */
    base_free(values);
    assert_fails_saying(
        JG_ERR_VALUE, "[random_multivariate_normal] cov: got shape (2,)",
        jg_random_multivariate_normal(key, mean, mean, SHAPE(100), JG_DTYPE_FLOAT32, &x));
    release_all(4, (jg_array *[]){key, mean, cov, x});
}

TEST(what_does_not_fit_is_refused)
{
    jg_array *key = key_of(7), *three = counting(JG_DTYPE_FLOAT32, SHAPE(3)),
             *one = number_array(1), *x;
    assert_fails_saying(JG_ERR_VALUE, "[random_exponential] scale: has shape (3,), allowed are",
                        jg_random_exponential(key, three, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_fails_saying(JG_ERR_VALUE, "[random_gamma] scale: has shape (3,), allowed are",
                        jg_random_gamma(key, one, three, SCALAR, JG_DTYPE_FLOAT32, &x));
    assert_fails_saying(JG_ERR_TYPE, "[random_beta] dtype: got int32, allowed are floats",
                        jg_random_beta(key, one, one, SHAPE(4), JG_DTYPE_INT32, &x));
    assert_fails_saying(JG_ERR_VALUE, "[random_gamma] key: got float32",
                        jg_random_gamma(one, one, one, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_fails_saying(JG_ERR_VALUE, "[random_beta] key: got float32",
                        jg_random_beta(one, one, one, SHAPE(4), JG_DTYPE_FLOAT32, &x));
    assert_fails_saying(JG_ERR_VALUE, "shape: got -7 axes",
                        jg_random_pareto(key, one, -7, NULL, JG_DTYPE_FLOAT32, &x));
    assert_fails_saying(JG_ERR_AXIS, "[random_permutation] x: has no axes",
                        jg_random_permutation(key, one, 0, &x));
    assert_fails_saying(JG_ERR_AXIS, "[random_choice] axis: got 1",
                        jg_random_choice(key, three, SHAPE(2), true, NULL, 1, &x));
    assert_fails_saying(JG_ERR_VALUE, "[random_choice] shape: draws 4, allowed are 3 of 3",
                        jg_random_choice(key, three, SHAPE(4), false, NULL, 0, &x));
    assert_fails_saying(JG_ERR_VALUE, "[random_choice] p: has shape (), allowed is (3,)",
                        jg_random_choice(key, three, SHAPE(2), true, one, 0, &x));
    release_all(3, (jg_array *[]){key, three, one});
}

TEST(draws_without_a_key_take_the_next_one)
{
    jg_array *half = number_array(0.5), *one = number_array(1), *x;
    jg_random_seed(11);
    assert_ok(jg_random_gamma(NULL, half, one, SCALAR, JG_DTYPE_FLOAT32, &x));
    assert_true(item_of(x) > 0.68282 && item_of(x) < 0.68283);
    assert_int_equal(jg_random_tell().count, 1);
    release_all(3, (jg_array *[]){half, one, x});
}
