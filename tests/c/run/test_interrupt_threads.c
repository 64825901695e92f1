/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations that are interrupted, and go on. */
#include "../arrays.h"

enum { LARGE = 1 << 20, STEPS = 100 };

/* sin(sin(...a)). */
static jg_array *long_work(jg_array *a)
{
    jg_array *one, *next, *at = jg_array_retain(a);
    assert_ok(jg_array_from_number(float_number(1), a, &one));
    for (int i = 0; i < STEPS; ++i) {
        assert_ok(jg_sin(at, &next));
        replace(&at, next);
        assert_ok(jg_multiply(at, one, &next));
        replace(&at, next);
    }
    jg_array_release(one);
    return at;
}

static void check_equal(jg_array *x, jg_array *expected)
{
    double *values = read_all(x), *others = read_all(expected);
    assert_memory_equal(values, others, (size_t)jg_array_size(x) * sizeof *values);
    base_free(values);
    base_free(others);
}

static bool yes(void *context)
{
    (void)context;
    return true;
}

/* Interrupts as long as there are some left. */
static bool count_down(void *context)
{
    atomic_int *left = context;
    return atomic_load(left) > 0 && atomic_fetch_sub(left, 1) > 0;
}

TEST(what_was_interrupted_goes_on)
{
    atomic_int left = 0;
    jg_array *a = ones(LARGE), *expected = long_work(a), *x = long_work(a);
    assert_ok(jg_eval(1, &expected));
    atomic_store(&left, 3);
    jg_set_interrupt_check(yes, count_down, &left);
    jg_status status;
    while ((status = jg_eval(1, &x)) == JG_ERR_INTERRUPTED)
        assert_int_not_equal(jg_array_current_state(x), JG_ARRAY_FAILED);
    jg_set_interrupt_check(NULL, NULL, NULL);
    assert_ok(status);
    check_equal(x, expected);
    release_all(3, (jg_array *[]){a, expected, x});
}

typedef struct interrupter {
    atomic_bool over;
} interrupter;

static void *interrupt_often(void *context)
{
    interrupter *own = context;
    while (!atomic_load(&own->over)) {
        jg_interrupt();
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return NULL;
}

TEST(requests_of_another_thread_interrupt_and_lose_nothing)
{
    interrupter own = {0};
    pthread_t thread;
    jg_array *a = ones(LARGE), *expected = long_work(a), *x = long_work(a);
    assert_ok(jg_eval(1, &expected));
    assert_int_equal(pthread_create(&thread, NULL, interrupt_often, &own), 0);
    jg_status status = jg_eval(1, &x);
    for (int i = 0; i < 50 && status == JG_ERR_INTERRUPTED; ++i)
        status = jg_eval(1, &x);
    atomic_store(&own.over, true);
    pthread_join(thread, NULL);
    assert_true(status == JG_OK || status == JG_ERR_INTERRUPTED);
    assert_ok(jg_eval(1, &x));
    check_equal(x, expected);
    release_all(3, (jg_array *[]){a, expected, x});
}

TEST(requests_before_a_call_do_not_interrupt_it)
{
    jg_array *a = ones(LARGE), *x = long_work(a);
    jg_interrupt();
    assert_ok(jg_eval(1, &x));
    release_all(2, (jg_array *[]){a, x});
}

/* Nobody is left who could go on with them. */
TEST(what_was_stopped_dies_with_its_arrays)
{
    interrupter own = {0};
    pthread_t thread;
    jg_array *a = ones(LARGE);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_often, &own), 0);
    for (int i = 0; i < 5; ++i) {
        jg_array *x = long_work(a);
        jg_status status = jg_eval(1, &x);
        assert_true(status == JG_OK || status == JG_ERR_INTERRUPTED);
        jg_array_release(x);
    }
    atomic_store(&own.over, true);
    pthread_join(thread, NULL);
    jg_array_release(a);
}
