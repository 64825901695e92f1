/* SPDX-License-Identifier: Apache-2.0 */
/* What every back end promises: bytes survive the way to the device and back, queues run in order,
 * and what is behind a mark comes after it. */
#include "../opaque_device.h"

enum { NBYTES = 1000 };

/* The CPU, and a device that the host cannot look into. */
static jg_device *devices[2];

static void fill(char *bytes, int seed)
{
    for (int i = 0; i < NBYTES; ++i)
        bytes[i] = (char)(i * 7 + seed);
}

static jg_status now(jg_device *device, void *queue, device_copy copy)
{
    return device_copy_all(device, queue, 1, &copy);
}

static void bytes_come_back_from_any_offset(void **state)
{
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(devices); ++i) {
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

static void a_queue_runs_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(devices); ++i) {
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

static void what_waits_for_a_mark_of_another_queue_comes_after_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(devices); ++i) {
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

static void a_mark_may_be_freed_before_it_is_set(void **state)
{
    (void)state;
    for (size_t i = 0; i < JG_COUNT_OF(devices); ++i) {
        void *queue, *mark;
        assert_ok(device_queue_new(devices[i], &queue));
        for (int j = 0; j < 4; ++j) {
            assert_ok(devices[i]->ops->mark_record(devices[i], queue, &mark));
            devices[i]->ops->mark_free(devices[i], mark);
        }
        devices[i]->ops->queue_free(devices[i], queue);
    }
}

static void a_failed_copy_is_told_by_the_mark_behind_it_and_no_other(void **state)
{
    (void)state;
    char bytes[NBYTES];
    void *block;
    jg_device *device = devices[1];
    assert_ok(device_alloc(device, NBYTES, &block));
    assert_fails_saying(
        JG_ERR_DEVICE, "opaque:0",
        now(device, NULL, (device_copy){DEVICE_TO_HOST, {bytes, 0}, {block, 1}, NBYTES}));
    assert_ok(now(device, NULL, (device_copy){DEVICE_TO_HOST, {bytes, 0}, {block, 0}, NBYTES}));
    device_free(device, block, NBYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back_from_any_offset),
        cmocka_unit_test(a_queue_runs_in_order),
        cmocka_unit_test(what_waits_for_a_mark_of_another_queue_comes_after_it),
        cmocka_unit_test(a_mark_may_be_freed_before_it_is_set),
        cmocka_unit_test(a_failed_copy_is_told_by_the_mark_behind_it_and_no_other),
    };
    opaque_register();
    devices[0] = device_cpu();
    devices[1] = &opaque_devices[0];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
