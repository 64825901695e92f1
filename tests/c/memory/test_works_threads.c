/* SPDX-License-Identifier: Apache-2.0 */
/* Works that a device still runs, and threads that wait for them. */
#include "../opaque_device.h"
#include "memory/memory.h"

static jg_device_ops ops;
static jg_device device = {.ops = &ops, .id = OPAQUE};
static pthread_t waiter;
static atomic_bool has_ended, ended_before_the_waiter_went_on;

static void *wait_for_works(void *context)
{
    (void)context;
    memory_works_settle(&device);
    atomic_store(&ended_before_the_waiter_went_on, atomic_load(&has_ended));
    return NULL;
}

/* In the middle of memory_works_add another thread opens a queue, which waits for all works. It
 * gets the time to go on, if there is nothing to wait for. */
static jg_status order_slowly(jg_device *own, void *queue, void *mark)
{
    (void)own;
    (void)queue;
    (void)mark;
    pthread_create(&waiter, NULL, wait_for_works, NULL);
    usleep(20000);
    return JG_OK;
}

static jg_status note_end(memory_work *work, jg_status status)
{
    (void)work;
    atomic_store(&has_ended, true);
    return status;
}

TEST(a_work_is_waited_for_while_queues_are_ordered_behind_it)
{
    void *queue;
    memory_work *work = base_alloc(sizeof *work);
    ops = opaque_ops;
    ops.queue_wait = order_slowly;
    assert_ok(device_register(&device));
    assert_ok(device_queue_new(&device, &queue));
    *work = (memory_work){.device = &device, .queue = queue, .end = note_end};
    assert_ok(device_mark_record(&device, queue, &work->mark));
    memory_works_add(work);
    pthread_join(waiter, NULL);
    assert_true(atomic_load(&ended_before_the_waiter_went_on));
    assert_ok(memory_works_wait(&device));
    device_queue_free(&device, queue);
}
