/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation without waiting: what is small is done at once, what is large on the stream. */
#include "../arrays.h"

enum { LARGE = 1 << 20 };

static jg_array *chain_on(jg_array *x, int length)
{
    jg_array *next, *at = jg_array_retain(x);
    for (int i = 0; i < length; ++i) {
        assert_ok(jg_add(at, x, &next));
        replace(&at, next);
    }
    return at;
}

TEST(a_large_result_is_scheduled_and_then_available)
{
    jg_array *a = ones(LARGE), *x = chain_on(a, 7);
    assert_ok(jg_eval_async(1, &x));
    assert_int_not_equal(jg_array_current_state(x), JG_ARRAY_UNSCHEDULED);
    jg_synchronize();
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_AVAILABLE);
    assert_all(x, 8);
    release_all(2, (jg_array *[]){a, x});
}

TEST(evaluations_queue_up_on_each_other)
{
    jg_array *a = ones(LARGE), *x = jg_array_retain(a);
    for (int i = 0; i < 10; ++i) {
        jg_array *next = chain_on(x, 1); /* doubles what may still be running */
        assert_ok(jg_eval_async(1, &next));
        replace(&x, next);
    }
    assert_all(x, 1024);
    release_all(2, (jg_array *[]){a, x});
}

TEST(small_work_waits_for_the_large_work_it_reads)
{
    jg_array *a = ones(LARGE), *x = chain_on(a, 3), *corner, *sum;
    assert_ok(jg_eval_async(1, &x));
    assert_ok(jg_slice(x, ITEMS(FROM_TO(LARGE - 3, LARGE)), &corner));
    assert_ok(jg_add(corner, corner, &sum));
    assert_ok(jg_eval_async(1, &sum));
    assert_elements(sum, 8, 8, 8);
    release_all(4, (jg_array *[]){a, x, corner, sum});
}

TEST(arrays_may_be_let_go_of_while_they_are_computed)
{
    jg_synchronize();
    size_t active = jg_active_memory();
    for (int i = 0; i < 20; ++i) {
        jg_array *a = ones(LARGE / 4), *x = chain_on(a, 5);
        assert_ok(jg_eval_async(1, &x));
        release_all(2, (jg_array *[]){a, x});
    }
    jg_synchronize();
    assert_int_equal(jg_active_memory(), active);
}

TEST(waiting_for_one_of_many_is_enough)
{
    jg_array *a = ones(LARGE / 8), *many[8];
    for (int i = 0; i < 8; ++i)
        many[i] = chain_on(a, i);
    assert_ok(jg_eval_async(8, many));
    for (int i = 7; i >= 0; --i)
        assert_all(many[i], i + 1);
    release_all(8, many);
    jg_array_release(a);
}

TEST(a_small_result_is_there_at_once)
{
    jg_array *a = ones(16), *x = chain_on(a, 3);
    jg_synchronize();
    assert_ok(jg_eval_async(1, &x));
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_AVAILABLE);
    release_all(2, (jg_array *[]){a, x});
}
