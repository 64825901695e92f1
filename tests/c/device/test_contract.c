/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end promises: bytes survive the way to the device and back, queues run in order,
 * and what is behind a mark comes after it. */
#include "../opaque_device.h"

enum { NBYTES = 1000 };

/* Every device of this process, at most two of a kind. */
static jg_device *devices[DEVICE_MAX];
static size_t ndevices;

static void fill(char *bytes, int seed)
{
    for (int i = 0; i < NBYTES; ++i)
        bytes[i] = (char)(i * 7 + seed);
}

static jg_status now(jg_device *device, void *queue, device_copy copy)
{
    return device_copy_all(device, queue, 1, &copy);
}

static int find_devices(void **state)
{
    (void)state;
    opaque_register();
    for (int kind = JG_DEVICE_CPU; kind <= JG_DEVICE_TRAINIUM; ++kind)
        for (int i = 0; i < jg_device_count(kind) && i < 2; ++i)
            assert_ok(device_require((jg_device_id){kind, i}, &devices[ndevices++]));
    assert_true(ndevices >= 4); /* the CPU, OpenCL's, and two that the host cannot look into */
    return 0;
}

TEST(bytes_come_back_from_any_offset)
{
    for (size_t i = 0; i < ndevices; ++i) {
        jg_device *device = devices[i];
        char sent[NBYTES], got[NBYTES];
        void *block;
        fill(sent, 1);
        assert_ok(device_alloc(device, 2 * NBYTES, &block));
        assert_ok(
            now(device, NULL, (device_copy){DEVICE_FROM_HOST, {block, 37}, {sent, 0}, NBYTES}));
        assert_ok(
            now(device, NULL, (device_copy){DEVICE_WITHIN, {block, 1100}, {block, 137}, 800}));
        assert_ok(now(device, NULL, (device_copy){DEVICE_TO_HOST, {got, 0}, {block, 1100}, 800}));
        assert_memory_equal(got, sent + 100, 800);
        device_free(device, block, 2 * NBYTES);
    }
}

TEST(a_queue_runs_in_order)
{
    for (size_t i = 0; i < ndevices; ++i) {
        char first[NBYTES], second[NBYTES], got[NBYTES];
        void *block, *queue;
        fill(first, 1);
        fill(second, 2);
        assert_ok(device_alloc(devices[i], NBYTES, &block));
        assert_ok(device_queue_new(devices[i], &queue));
        const device_copy copies[] = {
            {DEVICE_FROM_HOST, {block, 0}, {first, 0}, NBYTES},
            {DEVICE_FROM_HOST, {block, 0}, {second, 0}, NBYTES},
            {DEVICE_TO_HOST, {got, 0}, {block, 0}, 0}, /* an empty one is nothing */
            {DEVICE_TO_HOST, {got, 0}, {block, 0}, NBYTES},
        };
        assert_ok(device_copy_all(devices[i], queue, 4, copies));
        assert_memory_equal(got, second, NBYTES);
        devices[i]->ops->queue_free(devices[i], queue);
        device_free(devices[i], block, NBYTES);
    }
}

TEST(what_waits_for_a_mark_of_another_queue_comes_after_it)
{
    for (size_t i = 0; i < ndevices; ++i) {
        const jg_device_ops *ops = devices[i]->ops;
        char sent[NBYTES], got[NBYTES];
        void *block, *writes, *reads, *mark;
        fill(sent, 3);
        assert_ok(device_alloc(devices[i], NBYTES, &block));
        assert_ok(device_queue_new(devices[i], &writes));
        assert_ok(device_queue_new(devices[i], &reads));
        const device_copy write = {DEVICE_FROM_HOST, {block, 0}, {sent, 0}, NBYTES};
        const device_copy read = {DEVICE_TO_HOST, {got, 0}, {block, 0}, NBYTES};
        for (int j = 0; j < 8; ++j)
            assert_ok(ops->copy(devices[i], writes, &write));
        assert_ok(ops->mark_record(devices[i], writes, &mark));
        assert_ok(ops->queue_wait(devices[i], reads, mark));
        assert_ok(device_copy_all(devices[i], reads, 1, &read));
        assert_true(ops->mark_is_set(devices[i], mark));
        ops->mark_free(devices[i], mark);
        assert_memory_equal(got, sent, NBYTES);
        ops->queue_free(devices[i], writes);
        ops->queue_free(devices[i], reads);
        device_free(devices[i], block, NBYTES);
    }
}

TEST(a_mark_may_be_freed_before_it_is_set)
{
    for (size_t i = 0; i < ndevices; ++i) {
        void *queue, *mark;
        assert_ok(device_queue_new(devices[i], &queue));
        for (int j = 0; j < 4; ++j) {
            assert_ok(devices[i]->ops->mark_record(devices[i], queue, &mark));
            devices[i]->ops->mark_free(devices[i], mark);
        }
        devices[i]->ops->queue_free(devices[i], queue);
    }
}

TEST(what_waits_for_a_mark_outlives_it)
{
    for (size_t i = 0; i < ndevices; ++i) {
        const jg_device_ops *ops = devices[i]->ops;
        void *first, *second, *mark, *later;
        assert_ok(device_queue_new(devices[i], &first));
        assert_ok(device_queue_new(devices[i], &second));
        assert_ok(ops->mark_record(devices[i], first, &mark));
        assert_ok(ops->queue_wait(devices[i], second, mark));
        ops->mark_free(devices[i], mark);
        assert_ok(ops->mark_record(devices[i], second, &later));
        assert_ok(ops->mark_wait(devices[i], later));
        ops->mark_free(devices[i], later);
        ops->queue_free(devices[i], first);
        ops->queue_free(devices[i], second);
    }
}

TEST(a_failed_copy_is_told_once_by_the_copy_or_the_mark_behind_it)
{
    for (size_t i = 1; i < ndevices; ++i) {
        char bytes[NBYTES];
        void *block;
        jg_device *device = devices[i];
        assert_ok(device_alloc(device, NBYTES, &block));
        assert_fails_saying(
            JG_ERR_DEVICE, device->ops->name,
            now(device, NULL, (device_copy){DEVICE_TO_HOST, {bytes, 0}, {block, 1}, NBYTES}));
        assert_ok(now(device, NULL, (device_copy){DEVICE_TO_HOST, {bytes, 0}, {block, 0}, NBYTES}));
        device_free(device, block, NBYTES);
    }
}

TEST(memory_is_told_or_refused)
{
    for (size_t i = 0; i < ndevices; ++i) {
        device_memory memory;
        if (devices[i]->ops->memory == NULL) {
            assert_fails_saying(JG_ERR_UNSUPPORTED, devices[i]->ops->name,
                                device_tell_memory(devices[i], &memory));
            continue;
        }
        assert_ok(device_tell_memory(devices[i], &memory));
        assert_true(memory.total > 0 && memory.free <= memory.total);
    }
}

BEFORE_ALL(find_devices)
