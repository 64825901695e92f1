/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, queues and forks on OpenCL, as PoCL does it. What every device promises is in
 * test_contract.c. */
#include "child.h"

#include "late_failure.h"

#define FIRST ((jg_device_id){JG_DEVICE_OPENCL, 0})

static jg_device *device;

static opencl_device *own(void)
{
    opencl_device *out;
    assert_ok(opencl_open(device, &out));
    return out;
}

static int open_and_use(void *context)
{
    jg_device *found;
    char got[8];
    (void)context;
    CHILD_CHECK(device_require(FIRST, &found) == JG_OK);
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
    assert_ok(device_require(FIRST, &device));
    const device_facts *facts = device->facts;
    assert_true(jg_device_count(JG_DEVICE_OPENCL) >= 1);
    assert_true(strlen(jg_device_title(FIRST)) > 0);
    assert_null(jg_device_title((jg_device_id){JG_DEVICE_OPENCL, 77}));
    assert_int_equal(facts->dialect, DEVICE_OPENCL_C);
    assert_int_equal(facts->shape, DEVICE_LANES);
    assert_true(facts->f64 && facts->exact_division && facts->unified_memory);
    assert_true(facts->group_limit >= 256 && facts->compute_units >= 1);
    assert_int_equal(facts->max_buffers, DEVICE_MAX_ARGUMENTS);
    assert_true(facts->argument_nbytes >= 1024 && facts->local_nbytes >= 16384);
}

TEST(a_number_that_is_not_there_is_refused_with_those_that_are)
{
    jg_device *out;
    assert_fails_saying(JG_ERR_DEVICE, "got opencl:77 (DLPack type 4), allowed is cpu, opencl:0",
                        device_require((jg_device_id){JG_DEVICE_OPENCL, 77}, &out));
}

TEST(memory_has_figures)
{
    uint64_t total = 0, left = 1;
    assert_ok(jg_device_memory(FIRST, &total, &left));
    assert_true(total > 1u << 20 && left <= total);
    assert_fails(JG_ERR_DEVICE,
                 jg_device_memory((jg_device_id){JG_DEVICE_OPENCL, 77}, &total, &left));
}

TEST(a_block_that_is_too_large_is_refused_with_numbers)
{
    void *block;
    assert_fails_saying(JG_ERR_NOMEM, "9223372036854775807 bytes of opencl:0",
                        device_alloc(device, SIZE_MAX / 2, &block));
}

TEST(a_block_of_no_bytes_is_a_block)
{
    void *block;
    assert_ok(device_alloc(device, 0, &block));
    assert_ok(device_adopt(device, block, 0));
    device_free(device, block, 0);
}

TEST(memory_of_the_device_is_adopted_as_far_as_it_reaches)
{
    void *block;
    assert_ok(device_alloc(device, 1000, &block));
    assert_ok(device_adopt(device, block, 1000));
    assert_fails_saying(JG_ERR_BUFFER, "needs 1001 bytes, allowed are the 1000",
                        device_adopt(device, block, 1001));
    assert_fails_saying(JG_ERR_BUFFER, "NULL", device_adopt(device, NULL, 1));
    device_free(device, block, 1000);
}

TEST(memory_of_another_context_is_refused_by_name)
{
    int error = 0;
    char name[40];
    void *context = opencl.context_new(NULL, 1, &own()->id, NULL, NULL, &error);
    assert_non_null(context);
    void *block = opencl.buffer_new(context, 1, 100, NULL, &error);
    assert_non_null(block);
    snprintf(name, sizeof name, "belongs to the context %p", context);
    assert_fails_saying(JG_ERR_BUFFER, name, device_adopt(device, block, 100));
    opencl.buffer_release(block);
    opencl.context_release(context);
}

TEST(marks_keep_no_events_of_what_has_run)
{
    void *queue, *block;
    char bytes[64] = {0};
    assert_ok(device_queue_new(device, &queue));
    assert_ok(device_alloc(device, sizeof bytes, &block));
    const device_copy copy = {DEVICE_FROM_HOST, {block, 0}, {bytes, 0}, sizeof bytes};
    for (int i = 0; i < 2000; ++i) {
        assert_ok(device->ops->copy(device, queue, &copy));
        if (i % 50 == 0)
            assert_int_equal(opencl.finish(((opencl_queue *)queue)->queue), 0);
    }
    assert_true(((opencl_queue *)queue)->commands.capacity < 500 * sizeof(opencl_command));
    device_queue_free(device, queue);
    device_free(device, block, sizeof bytes);
}

static int (*true_marker)(void *, unsigned, void *const *, void **);
static int nmarkers;

static int count_marker(void *queue, unsigned count, void *const *events, void **out)
{
    nmarkers += 1;
    return true_marker(queue, count, events, out);
}

/* Records a mark and waits for it. gives: how many markers that took */
static int markers_of_a_mark(void *queue)
{
    void *mark;
    nmarkers = 0;
    true_marker = opencl.marker;
    opencl.marker = count_marker;
    assert_ok(device->ops->mark_record(device, queue, &mark));
    opencl.marker = true_marker;
    assert_ok(device->ops->mark_wait(device, mark));
    assert_true(device->ops->mark_is_set(device, mark));
    device->ops->mark_free(device, mark);
    return nmarkers;
}

TEST(a_mark_behind_commands_is_the_last_of_them)
{
    void *queue, *block;
    char bytes[64] = "behind", got[64] = {0};
    assert_ok(device_queue_new(device, &queue));
    assert_ok(device_alloc(device, sizeof bytes, &block));
    const device_copy to = {DEVICE_FROM_HOST, {block, 0}, {bytes, 0}, sizeof bytes};
    const device_copy back = {DEVICE_TO_HOST, {got, 0}, {block, 0}, sizeof bytes};
    assert_ok(device->ops->copy(device, queue, &to));
    assert_ok(device->ops->copy(device, queue, &back));
    assert_int_equal(markers_of_a_mark(queue), 0);
    assert_string_equal(got, "behind");
    assert_int_equal(markers_of_a_mark(queue), 1);
    device_queue_free(device, queue);
    device_free(device, block, sizeof bytes);
}

TEST(failures_of_what_was_queued_name_it_and_the_device)
{
    void *queue, *block, *mark;
    char bytes[64] = {0};
    assert_ok(device_queue_new(device, &queue));
    assert_ok(device_alloc(device, sizeof bytes, &block));
    const device_copy copy = {DEVICE_FROM_HOST, {block, 0}, {bytes, 0}, sizeof bytes};
    assert_ok(device->ops->copy(device, queue, &copy));
    assert_ok(device->ops->mark_record(device, queue, &mark));
    assert_ok(device->ops->mark_wait(device, mark));
    begin_to_fail();
    assert_fails_saying(JG_ERR_DEVICE,
                        "[copy] opencl:0: a command ended with CL_OUT_OF_RESOURCES (-5)",
                        device->ops->mark_wait(device, mark));
    end_failing();
    device->ops->mark_free(device, mark);
    device_queue_free(device, queue);
    device_free(device, block, sizeof bytes);
}

TEST(missing_memory_is_told_and_nothing_leaks)
{
    int64_t count = fail_each_allocation(device);
    assert_true(count > 3 && count < 100);
}

TEST(a_child_of_a_fork_is_refused_and_the_parent_goes_on)
{
    check_that_a_child_is_refused(device, "opencl:0", "kernel void f(void) {}");
}
