/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations that are interrupted, and go on. */
#include "../arrays.h"

enum { LARGE = 1 << 20, STEPS = 100, EDGE = 128, PRODUCTS = 6000 };

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
    int wait_ms; /* before the first request */
} interrupter;

static void *interrupt_often(void *context)
{
    interrupter *own = context;
    nanosleep(&(struct timespec){.tv_nsec = own->wait_ms * 1000000L}, NULL);
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

/* x takes much longer than the time until the first request and between requests. */
static void interrupt_evaluation(jg_array *x, int wait_ms)
{
    interrupter own = {.wait_ms = wait_ms};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_often, &own), 0);
    jg_status status = jg_eval(1, &x);
    atomic_store(&own.over, true);
    pthread_join(thread, NULL);
    assert_int_equal(status, JG_ERR_INTERRUPTED);
}

/* a @ a @ a ...: each product is too small to be shared by threads. */
static jg_array *many_products(jg_array *a)
{
    jg_array *next, *at = jg_array_retain(a);
    for (int i = 0; i < PRODUCTS; ++i) {
        assert_ok(jg_matmul(at, a, &next));
        replace(&at, next);
    }
    return at;
}

/* A matrix whose powers are itself. */
static jg_array *square_of_means(void)
{
    jg_array *x;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, 2, (int64_t[]){EDGE, EDGE}, float_number(1.0 / EDGE), &x));
    assert_ok(jg_eval(1, &x));
    return x;
}

TEST(a_chain_of_launches_too_small_to_be_shared_is_interrupted)
{
    enum { PLANNED_MS = 60 }; /* the request comes between launches, not before the first */
    int threads = jg_num_threads();
    assert_ok(jg_set_num_threads(1));
    jg_array *a = square_of_means(), *before = many_products(a), *x = many_products(a);
    assert_ok(jg_eval(1, &before)); /* so that x has a plan */
    interrupt_evaluation(x, PLANNED_MS);
    assert_ok(jg_eval(1, &x));
    check_equal(x, before);
    assert_ok(jg_set_num_threads(threads));
    release_all(3, (jg_array *[]){a, before, x});
}

TEST(what_was_interrupted_goes_on_when_nobody_waits_for_it)
{
    jg_array *a = ones(LARGE), *expected = long_work(a), *x = long_work(a);
    assert_ok(jg_eval(1, &expected));
    interrupt_evaluation(x, 0);
    assert_ok(jg_eval_async(1, &x));
    assert_ok(jg_synchronize());
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_AVAILABLE);
    check_equal(x, expected);
    release_all(3, (jg_array *[]){a, expected, x});
}

TEST(what_was_interrupted_goes_on_behind_what_reads_it)
{
    jg_array *a = ones(LARGE), *x = long_work(a), *expected = long_work(a), *y;
    assert_ok(jg_eval(1, &expected));
    interrupt_evaluation(x, 0);
    assert_ok(jg_negative(x, &y));
    assert_ok(jg_eval_async(1, &y));
    assert_ok(jg_eval_async(2, (jg_array *[]){x, y}));
    assert_ok(jg_synchronize());
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_AVAILABLE);
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_AVAILABLE);
    check_equal(x, expected);
    release_all(4, (jg_array *[]){a, x, expected, y});
}
