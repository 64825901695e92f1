/* SPDX-License-Identifier: Apache-2.0 */
/* What is in memory after an evaluation, and what it took to get there. */
#include "../arrays.h"

static jg_array *negated(jg_array *x)
{
    jg_array *y;
    assert_ok(jg_negative(x, &y));
    return y;
}

TEST(a_held_intermediate_is_stored_with_the_result)
{
    jg_array *a = ones(3), *b = negated(a), *c = negated(b), *d = negated(c);
    assert_ok(jg_eval(1, &d));
    assert_int_equal(jg_array_current_state(b), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(c), JG_ARRAY_AVAILABLE);
    assert_elements(b, -1, -1, -1);
    assert_elements(c, 1, 1, 1);
    assert_elements(d, -1, -1, -1);
    release_all(4, (jg_array *[]){a, b, c, d});
}

TEST(only_what_was_asked_for_is_computed)
{
    jg_array *a = ones(3), *b = negated(a), *c = negated(b);
    assert_ok(jg_eval(1, &b));
    assert_int_equal(jg_array_current_state(b), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(c), JG_ARRAY_UNSCHEDULED);
    release_all(3, (jg_array *[]){a, b, c});
}

TEST(an_evaluated_array_lets_go_of_its_inputs)
{
    jg_array *a = ones(10000), *b = negated(a);
    size_t active = jg_active_memory();
    jg_array_release(a);
    assert_ok(jg_eval(1, &b));
    assert_int_equal(jg_active_memory(), active); /* b has come, a has gone */
    jg_array_release(b);
}

TEST(a_view_of_a_result_is_there_with_it)
{
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(4)), *b = negated(a), *view;
    assert_ok(jg_slice(b, ITEMS(EVERY(-2)), &view));
    assert_int_equal(jg_array_current_state(view), JG_ARRAY_UNSCHEDULED);
    jg_array_release(b);
    assert_ok(jg_eval(1, &view));
    assert_int_equal(jg_array_current_state(view), JG_ARRAY_AVAILABLE);
    assert_elements(view, -4, -2);
    release_all(2, (jg_array *[]){a, view});
}

TEST(evaluating_nothing_or_again_is_fine)
{
    jg_array *a = ones(3), *b = negated(a), *twice[] = {b, b};
    assert_ok(jg_eval(0, NULL));
    assert_ok(jg_eval(2, twice));
    assert_ok(jg_eval(2, twice));
    assert_ok(jg_eval(1, &a));
    assert_fails(JG_ERR_VALUE, jg_eval(-1, &a));
    assert_fails(JG_ERR_VALUE, jg_eval(1, NULL));
    assert_fails_saying(JG_ERR_VALUE, "number 1 is NULL", jg_eval(2, (jg_array *[]){a, NULL}));
    release_all(2, (jg_array *[]){a, b});
}

TEST(empty_arrays_evaluate)
{
    jg_array *a, *sum, *total;
    assert_ok(jg_empty(JG_DTYPE_FLOAT32, SHAPE(3, 0), &a));
    assert_ok(jg_add(a, a, &sum));
    assert_ok(jg_sum(sum, 1, (int64_t[]){1}, false, NULL, &total));
    assert_ok(jg_eval(2, (jg_array *[]){sum, total}));
    assert_elements(total, 0, 0, 0);
    assert_int_equal(jg_array_size(sum), 0);
    release_all(3, (jg_array *[]){a, sum, total});
}

TEST(arrays_of_any_number_of_axes_evaluate)
{
    int64_t shape[JG_MAX_NDIM];
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        shape[i] = i % 16 == 7 ? 2 : 1;
    for (int ndim = 0; ndim <= JG_MAX_NDIM; ++ndim) {
        jg_array *a = counting(JG_DTYPE_FLOAT32, ndim, shape), *turned, *sum, *total;
        int64_t axes[JG_MAX_NDIM], size = jg_array_size(a);
        for (int i = 0; i < ndim; ++i)
            axes[i] = i;
        if (ndim > 23) { /* the two axes of 2 change places */
            axes[7] = 23;
            axes[23] = 7;
        }
        assert_ok(jg_permute_dims(a, ndim, axes, &turned));
        assert_ok(jg_add(a, turned, &sum));
        assert_ok(jg_sum(sum, -1, NULL, false, NULL, &total));
        assert_true(item_of(total) == (double)(size * (size + 1)));
        release_all(4, (jg_array *[]){a, turned, sum, total});
    }
}

TEST(many_held_intermediates_of_one_chain_are_all_stored)
{
    jg_array *held[60];
    held[0] = ones(5);
    for (int i = 1; i < 60; ++i)
        held[i] = negated(held[i - 1]);
    assert_ok(jg_eval(1, &held[59]));
    for (int i = 1; i < 60; ++i) {
        double sign = i % 2 ? -1 : 1;
        assert_int_equal(jg_array_current_state(held[i]), JG_ARRAY_AVAILABLE);
        assert_elements(held[i], sign, sign, sign, sign, sign);
    }
    release_all(60, held);
}

TEST(many_different_inputs_meet_in_one_result)
{
    enum { INPUTS = 200 };
    jg_array *sum = ones(3), *next;
    for (int i = 1; i < INPUTS; ++i) {
        jg_array *other = ones(3);
        assert_ok(jg_add(sum, other, &next));
        replace(&sum, next);
        jg_array_release(other);
    }
    assert_elements(sum, INPUTS, INPUTS, INPUTS);
    jg_array_release(sum);
}
