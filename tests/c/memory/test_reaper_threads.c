/* SPDX-License-Identifier: Apache-2.0 */
/* When and on which thread foreign memory is given back. */
#include "../support.h"
#include "memory/memory.h"
#include <stdatomic.h>

typedef struct witness {
    atomic_int released;
    pthread_t thread;
    bool on_worker;
} witness;

static void testify(void *context)
{
    witness *own = context;
    own->thread = pthread_self();
    own->on_worker = stream_is_worker();
    atomic_fetch_add(&own->released, 1);
}

static jg_buffer *foreign(void (*release)(void *), void *context)
{
    static char memory[16];
    jg_buffer *buffer;
    assert_ok(buffer_take_foreign(device_cpu(), (jg_device_id){JG_DEVICE_CPU, 0}, memory, 16, 0,
                                  release, context, &buffer));
    return buffer;
}

TEST(a_release_runs_at_once_on_an_ordinary_thread)
{
    witness own = {0};
    buffer_release(foreign(testify, &own));
    assert_int_equal(own.released, 1);
    assert_true(pthread_equal(own.thread, pthread_self()));
}

TEST(under_defer_it_runs_at_the_outermost_end)
{
    witness own[2] = {{0}, {0}};
    memory_defer_begin();
    buffer_release(foreign(testify, &own[0]));
    memory_defer_begin();
    buffer_release(foreign(testify, &own[1]));
    memory_defer_end();
    assert_int_equal(own[0].released + own[1].released, 0);
    memory_defer_end();
    assert_int_equal(own[0].released, 1);
    assert_int_equal(own[1].released, 1);
}

/* A deleter may come back to joggle: drop more, and defer by itself. */
typedef struct dropper {
    jg_buffer *more;
} dropper;

static void drop_more(void *context)
{
    dropper *own = context;
    memory_defer_begin();
    buffer_release(own->more);
    memory_defer_end();
}

TEST(a_release_may_cause_others)
{
    witness last = {0};
    dropper outer = {foreign(testify, &last)};
    memory_defer_begin();
    buffer_release(foreign(drop_more, &outer));
    memory_defer_end();
    assert_int_equal(last.released, 1);
}

typedef struct drop_task {
    stream_task task;
    jg_buffer *buffers[2];
    pthread_t thread;
    bool deferring;
} drop_task;

static void drop_buffers(stream_task *task)
{
    drop_task *own = (drop_task *)(void *)task;
    own->thread = pthread_self();
    if (own->deferring)
        memory_defer_begin();
    for (int i = 0; i < 2; ++i)
        buffer_release(own->buffers[i]);
    if (own->deferring)
        memory_defer_end();
}

static void finish(stream_task *task)
{
    (void)task; /* it is the test's */
}

TEST(what_falls_due_on_a_stream_runs_on_another_thread)
{
    for (int deferring = 0; deferring < 2; ++deferring) {
        witness own[2] = {{0}, {0}};
        drop_task task = {.task = {.run = drop_buffers, .finish = finish}, .deferring = deferring};
        for (int i = 0; i < 2; ++i)
            task.buffers[i] = foreign(testify, &own[i]);
        assert_ok(stream_submit(stream_host(), &task.task));
        stream_synchronize(stream_host());
        assert_ok(memory_drain(NULL));
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(own[i].released, 1);
            assert_false(own[i].on_worker);
            assert_false(pthread_equal(own[i].thread, task.thread));
        }
    }
}

typedef struct releaser {
    witness own;
    int rounds;
} releaser;

static void *release_many(void *context)
{
    static char memory[16];
    releaser *self = context;
    for (int i = 0; i < 1000; ++i) {
        jg_buffer *buffer;
        if (buffer_take_foreign(device_cpu(), (jg_device_id){JG_DEVICE_CPU, 0}, memory, 16, 0,
                                testify, &self->own, &buffer) != JG_OK)
            continue;
        self->rounds += 1;
        memory_defer_begin();
        buffer_release(buffer);
        memory_defer_end();
    }
    return NULL;
}

TEST(each_thread_defers_for_itself)
{
    static releaser releasers[4];
    run_threads(4, release_many, releasers, sizeof *releasers);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(releasers[i].rounds, 1000);
        assert_int_equal(releasers[i].own.released, 1000);
    }
}

/* Has the reaper run a release. */
static void release_on_reaper(void (*release)(void *), void *context)
{
    drop_task task = {.task = {.run = drop_buffers, .finish = finish}};
    for (int i = 0; i < 2; ++i)
        task.buffers[i] = foreign(release, context);
    assert_ok(stream_submit(stream_host(), &task.task));
    stream_synchronize(stream_host());
}

static void drain(void *context)
{
    assert_ok(memory_drain(NULL));
    testify(context);
}

TEST(a_release_that_waits_for_all_releases_does_not_wait_for_itself)
{
    witness own = {0};
    release_on_reaper(drain, &own);
    assert_ok(memory_drain(NULL));
    assert_int_equal(own.released, 2);
    assert_false(pthread_equal(own.thread, pthread_self()));
}

static void wait_for_leave(void *context)
{
    atomic_bool *may_end = context;
    while (!atomic_load(may_end))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

TEST(a_wait_for_releases_is_interrupted)
{
    atomic_bool may_end = false;
    release_on_reaper(wait_for_leave, &may_end);
    unsigned begun = interrupt_begin();
    jg_interrupt();
    assert_int_equal(memory_drain(&begun), JG_ERR_INTERRUPTED);
    atomic_store(&may_end, true);
    assert_ok(memory_drain(NULL));
}
