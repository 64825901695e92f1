/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations whose caller holds a lock of its own: it is let go of before a wait or long work,
 * once, and not for what ends at once. */
#include "../arrays.h"
#include "run/run.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SMALL = 64, LARGE = 1 << 22 };

static atomic_int calls;

static void count_call(void *context)
{
    assert_ptr_equal(context, &calls);
    calls += 1;
}

/* For as long as a thread may take to begin. */
static void await_call(void)
{
    for (int i = 0; i < 10000 && calls == 0; ++i)
        usleep(1000);
}

/* How often the caller's lock is let go of while 2x is computed of that many elements. */
static int leaves_of(int64_t size)
{
    jg_array *x = ones(size), *y;
    assert_ok(jg_add(x, x, &y));
    calls = 0;
    assert_ok(jg_eval_leaving(1, &y, count_call, &calls));
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_AVAILABLE);
    release_all(2, (jg_array *[]){x, y});
    return calls;
}

TEST(a_known_small_plan_keeps_the_lock)
{
    leaves_of(SMALL); /* makes the plan */
    assert_int_equal(leaves_of(SMALL), 0);
}

TEST(a_new_plan_and_long_work_let_it_go_once)
{
    assert_int_equal(leaves_of(SMALL + 1), 1);
    assert_int_equal(leaves_of(LARGE), 1);
    assert_int_equal(leaves_of(LARGE), 1);
}

TEST(what_is_there_needs_nothing)
{
    jg_array *x = ones(SMALL);
    calls = 0;
    assert_ok(jg_eval_leaving(1, &x, count_call, &calls));
    assert_ok(jg_eval_leaving(0, NULL, count_call, &calls));
    assert_int_equal(calls, 0);
    assert_fails(JG_ERR_VALUE, jg_eval_leaving(1, NULL, count_call, &calls));
    jg_array_release(x);
}

/* jg_eval leaves nothing, also after an evaluation that has not left. */
TEST(the_callers_function_is_forgotten_afterwards)
{
    assert_int_equal(leaves_of(SMALL), 0);
    jg_array *x = ones(LARGE), *y;
    assert_ok(jg_add(x, x, &y));
    assert_ok(jg_eval(1, &y));
    assert_int_equal(calls, 0);
    release_all(2, (jg_array *[]){x, y});
}

static void *evaluate(void *context)
{
    jg_array *x = context;
    assert_ok(jg_eval_leaving(1, &x, count_call, &calls));
    return NULL;
}

TEST(a_thread_that_waits_for_another_evaluation_lets_it_go)
{
    assert_int_equal(leaves_of(SMALL), 0);
    jg_array *x = ones(SMALL), *y;
    pthread_t thread;
    assert_ok(jg_add(x, x, &y));
    run_lock();
    assert_int_equal(pthread_create(&thread, NULL, evaluate, y), 0);
    await_call();
    run_unlock();
    pthread_join(thread, NULL);
    assert_int_equal(calls, 1);
    release_all(2, (jg_array *[]){x, y});
}

static void open_gate(void *context)
{
    calls += 1;
    jg_event_set(context);
}

/* What is waited for happens after the lock is let go of only. */
TEST(waiting_for_a_stream_lets_it_go)
{
    jg_array *x = ones(LARGE), *y;
    jg_event *gate;
    jg_stream *stream;
    assert_ok(jg_stream_default(jg_device_default(), &stream));
    assert_ok(jg_event_new(&gate));
    assert_ok(jg_stream_wait_event(stream, gate));
    assert_ok(jg_add(x, x, &y));
    assert_ok(jg_eval_async(1, &y));
    calls = 0;
    assert_ok(jg_eval_leaving(1, &y, open_gate, gate));
    assert_int_equal(calls, 1);
    assert_int_equal(jg_array_current_state(y), JG_ARRAY_AVAILABLE);
    jg_event_release(gate);
    jg_stream_release(stream);
    release_all(2, (jg_array *[]){x, y});
}
