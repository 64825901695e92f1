/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of a million nodes, in little stack and little memory. */
#include "../arrays.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { MILLION = 100000 }; /* what is shown is the same, the time is not */
#else
enum { MILLION = 1000000 };
#endif
enum { STACK_NBYTES = 512 << 10 };

static void *evaluate(void *context)
{
    return jg_eval(1, context) == JG_OK ? NULL : context;
}

static void evaluate_on_a_small_stack(jg_array *x)
{
    pthread_t thread;
    pthread_attr_t attributes;
    void *failed;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_NBYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, evaluate, &x), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    pthread_attr_destroy(&attributes);
}

TEST(a_chain_of_a_million_ops_runs_on_a_small_stack)
{
    jg_array *one = ones(4), *x = jg_array_retain(one), *next;
    for (int i = 0; i < MILLION; ++i) {
        assert_ok(i % 2 ? jg_subtract(x, one, &next) : jg_add(x, one, &next));
        replace(&x, next);
    }
    evaluate_on_a_small_stack(x);
    assert_elements(x, 1, 1, 1, 1);
    release_all(2, (jg_array *[]){one, x});
}

/* Every node of the chain reads one node that is itself computed. */
TEST(a_node_may_be_used_by_a_million_others)
{
    jg_array *one = ones(1), *shared, *x, *next;
    assert_ok(jg_negative(one, &shared));
    x = jg_array_retain(one);
    for (int i = 0; i < MILLION / 2; ++i) {
        assert_ok(jg_add(x, shared, &next));
        replace(&x, next);
        assert_ok(jg_subtract(x, shared, &next));
        replace(&x, next);
    }
    replace(&shared, NULL);
    evaluate_on_a_small_stack(x);
    assert_elements(x, 1);
    release_all(2, (jg_array *[]){one, x});
}

TEST(a_doubling_chain_is_walked_once_per_node)
{
    jg_array *x = ones(3), *next;
    for (int i = 0; i < 60; ++i) {
        assert_ok(jg_add(x, x, &next));
        replace(&x, next);
    }
    assert_elements(x, 0x1p60, 0x1p60, 0x1p60);
    jg_array_release(x);
}

TEST(a_long_chain_needs_a_few_buffers)
{
    enum { NBYTES = 400000 };
    jg_array *one = ones(NBYTES / 4), *x = jg_array_retain(one), *next;
    for (int i = 0; i < 10000; ++i) {
        assert_ok(i % 2 ? jg_subtract(x, one, &next) : jg_add(x, one, &next));
        replace(&x, next);
    }
    size_t active = jg_active_memory();
    assert_true(jg_peak_memory() < active + NBYTES);
    assert_ok(jg_eval(1, &x));
    assert_true(jg_peak_memory() < active + 5 * NBYTES);
    assert_true(jg_active_memory() < active + 2 * NBYTES);
    release_all(2, (jg_array *[]){one, x});
}

TEST(ten_thousand_results_are_evaluated_at_once)
{
    enum { RESULTS = 10000 };
    static jg_array *results[RESULTS];
    jg_array *one = ones(2);
    for (int i = 0; i < RESULTS; ++i)
        assert_ok(jg_add(i ? results[i / 2] : one, one, &results[i]));
    assert_ok(jg_eval(RESULTS, results));
    for (int i = 0; i < RESULTS; ++i)
        assert_int_equal(jg_array_current_state(results[i]), JG_ARRAY_AVAILABLE);
    assert_elements(results[0], 2, 2);
    assert_elements(results[RESULTS - 1], 16, 16); /* 9999 has 14 binary digits */
    release_all(RESULTS, results);
    jg_array_release(one);
}
