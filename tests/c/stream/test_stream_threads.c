/* SPDX-License-Identifier: Apache-2.0 */
/* The host stream: tasks in order, one at a time, on a thread of their own; and waiting for
 * them. */
#include "../support.h"
#include "stream/stream.h"

enum { TASKS = 1000, THREADS = 4 };

typedef struct numbered_task {
    stream_task task;
    int number, *order, *count; /* written by the stream's thread alone */
    pthread_t thread;
    bool on_worker;
    jg_event *before, *after;
} numbered_task;

static void finish(stream_task *task)
{
    numbered_task *own = (numbered_task *)(void *)task;
    if (own->after != NULL)
        event_set(own->after);
}

static void run(stream_task *task)
{
    numbered_task *own = (numbered_task *)(void *)task;
    if (own->before != NULL)
        (void)event_wait(own->before);
    own->order[(*own->count)++] = own->number;
    own->thread = pthread_self();
    own->on_worker = stream_is_worker();
}

TEST(tasks_run_in_the_order_of_submission)
{
    static numbered_task tasks[TASKS];
    static int order[TASKS], count;
    for (int i = 0; i < TASKS; ++i) {
        tasks[i] = (numbered_task){
            .task = {.run = run, .finish = finish}, .number = i, .order = order, .count = &count};
        assert_ok(stream_submit(stream_host(), &tasks[i].task));
    }
    stream_synchronize(stream_host());
    assert_int_equal(count, TASKS);
    for (int i = 0; i < TASKS; ++i)
        assert_int_equal(order[i], i);
}

TEST(tasks_run_on_a_thread_that_knows_itself)
{
    int order[2], count = 0;
    numbered_task tasks[2] = {
        {.task = {.run = run, .finish = finish}, .order = order, .count = &count},
        {.task = {.run = run, .finish = finish}, .order = order, .count = &count}};
    assert_false(stream_is_worker());
    for (int i = 0; i < 2; ++i)
        assert_ok(stream_submit(stream_host(), &tasks[i].task));
    stream_synchronize(stream_host());
    assert_true(tasks[0].on_worker && tasks[1].on_worker);
    assert_true(pthread_equal(tasks[0].thread, tasks[1].thread));
    assert_false(pthread_equal(tasks[0].thread, pthread_self()));
    assert_false(stream_is_worker());
}

TEST(synchronising_waits_for_what_came_before)
{
    int order[1], count = 0;
    jg_event *gate, *done;
    assert_ok(event_new(&gate));
    assert_ok(event_new(&done));
    numbered_task task = {.task = {.run = run, .finish = finish},
                          .order = order,
                          .count = &count,
                          .before = gate,
                          .after = done};
    stream_synchronize(stream_host()); /* nothing to wait for */
    assert_ok(stream_submit(stream_host(), &task.task));
    assert_false(event_is_set(done));
    event_set(gate);
    stream_synchronize(stream_host());
    assert_true(event_is_set(done));
    event_release(gate);
    event_release(done);
}

typedef struct submitter {
    numbered_task tasks[TASKS];
    int *order, *count, number;
    bool sound;
} submitter;

static void *submit_all(void *context)
{
    submitter *own = context;
    own->sound = true;
    for (int i = 0; i < TASKS; ++i) {
        own->tasks[i] = (numbered_task){.task = {.run = run, .finish = finish},
                                        .number = own->number * TASKS + i,
                                        .order = own->order,
                                        .count = own->count};
        own->sound &= stream_submit(stream_host(), &own->tasks[i].task) == JG_OK;
    }
    stream_synchronize(stream_host());
    return NULL;
}

TEST(threads_may_submit_at_once_and_each_keeps_its_order)
{
    static submitter submitters[THREADS];
    static int order[THREADS * TASKS], count;
    int next[THREADS] = {0};
    for (int i = 0; i < THREADS; ++i)
        submitters[i] = (submitter){.order = order, .count = &count, .number = i};
    run_threads(THREADS, submit_all, submitters, sizeof *submitters);
    stream_synchronize(stream_host());
    assert_int_equal(count, THREADS * TASKS);
    for (int i = 0; i < count; ++i)
        assert_int_equal(order[i] % TASKS, next[order[i] / TASKS]++);
}

static void *wait_for(void *context)
{
    bool failed = event_wait(*(jg_event **)context) != JG_OK;
    return failed ? context : NULL;
}

TEST(an_event_wakes_all_who_wait)
{
    jg_event *gate;
    pthread_t threads[THREADS];
    void *failed;
    assert_ok(event_new(&gate));
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for, &gate), 0);
    event_set(gate);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    event_release(gate);
}
