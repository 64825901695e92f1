/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, queues, failures and forks on CUDA, as the fake driver does it. What every device
 * promises is in test_contract.c. */
#include "child.h"
#include "fake_driver.h"

static jg_device *device;

static int open_fake(void **state)
{
    (void)state;
    fake_open();
    return 0;
}

/* Every test leaves the driver as it found it, and no context current. */
static int check_counts(void **state)
{
    static fake_cuda_counts before;
    fake_cuda_counts now = fake_counts();
    (void)state;
    fake.fail_next(NULL, 0, 0);
    assert_int_equal(now.contexts, 0);
    assert_int_equal(now.blocks, before.blocks);
    assert_int_equal(now.modules, before.modules);
    return 0;
}

static int open_and_use(void *context)
{
    jg_device *found;
    char got[8];
    (void)context;
    CHILD_CHECK(device_require(CUDA_0, &found) == JG_OK);
    CHILD_CHECK(send_and_fetch(found, "forked!", got, 8) == JG_OK);
    CHILD_CHECK(strcmp(got, "forked!") == 0);
    return 0;
}

/* Runs first, while this process has not asked for the device. */
TEST(a_child_may_open_the_driver_itself)
{
    run_forked(open_and_use, NULL);
}

TEST(devices_have_facts_and_titles)
{
    assert_ok(device_require(CUDA_0, &device));
    assert_int_equal(jg_device_count(JG_DEVICE_CUDA), 2);
    assert_string_equal(jg_device_title(CUDA_1), "Fake GPU 1");
    assert_int_equal(device->facts->dialect, DEVICE_CUDA);
    assert_int_equal(device->facts->shape, DEVICE_GROUP);
    assert_int_equal(device->facts->group_limit, 1024);
    assert_int_equal(device->facts->lane_width, 32);
    assert_int_equal(((cuda_device *)(void *)device)->capability, 90);
}

TEST(memory_has_figures)
{
    uint64_t total = 0, left = 0, less = 0;
    void *block;
    assert_ok(jg_device_memory(CUDA_0, &total, &left));
    assert_ok(device_alloc(device, 1 << 20, &block));
    assert_ok(jg_device_memory(CUDA_0, &total, &less));
    assert_int_equal(left - less, 1 << 20);
    device_free(device, block, 1 << 20);
}

TEST(a_block_that_does_not_fit_is_refused_with_numbers)
{
    void *block;
    fake.limit(0, 1000);
    assert_fails_saying(JG_ERR_NOMEM, "1001 bytes of cuda:0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY",
                        device_alloc(device, 1001, &block));
    fake.limit(0, SIZE_MAX);
}

TEST(addresses_of_the_device_are_adopted_as_far_as_they_reach)
{
    void *block, *other, *host = malloc(64);
    jg_device *second;
    assert_ok(device_require(CUDA_1, &second));
    assert_ok(device_alloc(device, 1000, &block));
    assert_ok(device_alloc(second, 1000, &other));
    assert_ok(device_adopt(device, block, 1000));
    assert_ok(device_adopt(device, (char *)block + 999, 1));
    assert_ok(device_adopt(device, block, 0));
    assert_fails_saying(JG_ERR_BUFFER, "is no memory of cuda:0",
                        device_adopt(device, (char *)block + 999, 300));
    assert_fails_saying(JG_ERR_BUFFER, "is no memory of cuda:0", device_adopt(device, host, 8));
    assert_fails_saying(JG_ERR_BUFFER, "NULL", device_adopt(device, NULL, 8));
    assert_fails_saying(JG_ERR_BUFFER, "memory of cuda:1, the tensor says cuda:0",
                        device_adopt(device, other, 8));
    device_free(device, block, 1000);
    device_free(second, other, 1000);
    free(host);
}

/* Of a queue with copies, whose mark has failed. */
static jg_status fail_late(int ncopies)
{
    void *queue, *block, *mark;
    char bytes[64] = {0};
    assert_ok(device_queue_new(device, &queue));
    assert_ok(device_alloc(device, sizeof bytes, &block));
    const device_copy copy = {DEVICE_FROM_HOST, {block, 0}, {bytes, 0}, sizeof bytes};
    for (int i = 0; i < ncopies; ++i)
        assert_ok(device->ops->copy(device, queue, &copy));
    assert_ok(device->ops->mark_record(device, queue, &mark));
    fake.fail_next("event_wait", 0, 700);
    jg_status status = device->ops->mark_wait(device, mark);
    jg_error error;
    error_capture(&error, status);
    fake.fail_next(NULL, 0, 0);
    assert_ok(device->ops->mark_wait(device, mark));
    device->ops->mark_free(device, mark);
    device_queue_free(device, queue);
    device_free(device, block, sizeof bytes);
    return error_raise(&error);
}

TEST(late_failures_name_the_device_and_what_may_have_failed)
{
    assert_fails_saying(JG_ERR_DEVICE,
                        "[copy] cuda:0: a command ended with CUDA_ERROR_ILLEGAL_ADDRESS (700)",
                        fail_late(1));
    assert_fails_saying(JG_ERR_DEVICE, "[one of copy, copy] cuda:0", fail_late(2));
    assert_fails_saying(JG_ERR_DEVICE, "[one of copy, copy, copy, copy and others] cuda:0",
                        fail_late(9));
}

TEST(a_call_that_fails_is_named)
{
    char got[8];
    fake.fail_next("send", 0, 999);
    assert_fails_saying(JG_ERR_DEVICE, "cuda:0: cuMemcpyHtoDAsync: CUDA_ERROR_UNKNOWN (999)",
                        send_and_fetch(device, "failing", got, 8));
    fake.fail_next("stream_new", 0, 2);
    void *queue;
    assert_fails_saying(JG_ERR_NOMEM, "cuStreamCreate", device_queue_new(device, &queue));
    assert_ok(send_and_fetch(device, "working", got, 8));
    assert_string_equal(got, "working");
}

TEST(missing_memory_is_told_and_nothing_leaks)
{
    assert_int_equal(fail_each_allocation(device), 3);
}

/* Each call of the driver fails once, and nothing that was made is lost. */
TEST(failing_calls_leave_nothing_behind)
{
    static const char *const calls[] = {"stream_new", "event_record", "event_wait", "context_set",
                                        "stream_wait_event"};
    assert_ok(use_queue_and_mark(device)); /* an event is kept from here on */
    fake_cuda_counts before = fake_counts();
    for (size_t i = 0; i < JG_COUNT_OF(calls); ++i) {
        fake.fail_next(calls[i], 0, 999);
        assert_fails(JG_ERR_DEVICE, use_queue_and_mark(device));
        fake.fail_next(NULL, 0, 0);
        fake_cuda_counts now = fake_counts();
        assert_int_equal(now.streams, before.streams);
        assert_int_equal(now.events, before.events);
        assert_int_equal(now.contexts, 0);
    }
}

TEST(a_child_of_a_fork_is_refused_and_the_parent_goes_on)
{
    check_that_a_child_is_refused(
        device, "cuda:0", "#define KERNEL extern \"C\" __global__ void\nKERNEL f(int x)\n{\n}\n");
}

BEFORE_ALL(open_fake)
AFTER_EACH(check_counts)
