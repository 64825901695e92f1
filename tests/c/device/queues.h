/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes, queues and marks of one device: what the tests of each driver begin with. */
#ifndef TESTS_DEVICE_QUEUES_H
#define TESTS_DEVICE_QUEUES_H

#include "../support.h"

#include "device/device.h"

/* Bytes to the device and back. */
static inline jg_status send_and_fetch(jg_device *to, const char *sent, char *got, size_t nbytes)
{
    void *block;
    JG_TRY(device_alloc(to, nbytes, &block));
    const device_copy copies[] = {{DEVICE_FROM_HOST, {block, 0}, {(void *)sent, 0}, nbytes},
                                  {DEVICE_TO_HOST, {got, 0}, {block, 0}, nbytes}};
    jg_status status = device_copy_all(to, NULL, 2, copies);
    device_free(to, block, nbytes);
    return status;
}

/* A queue, a mark that it waits for itself, and their ends. */
static inline jg_status use_queue_and_mark(jg_device *device)
{
    void *queue, *mark = NULL;
    JG_TRY(device_queue_new(device, &queue));
    jg_status status = device->ops->mark_record(device, queue, &mark);
    if (status == JG_OK)
        status = device->ops->queue_wait(device, queue, mark);
    if (status == JG_OK)
        status = device->ops->mark_wait(device, mark);
    if (mark != NULL)
        device->ops->mark_free(device, mark);
    device_queue_free(device, queue);
    return status;
}

/* Each allocation fails once. gives: how many there are, and one */
static inline int64_t fail_each_allocation(jg_device *device)
{
    int64_t before = base_live_blocks(), nth = 0;
    jg_status status;
    do {
        base_fail_nth(++nth);
        status = use_queue_and_mark(device);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        assert_int_equal(base_live_blocks(), before);
    } while (status != JG_OK && nth < 100);
    base_fail_nth(0);
    return nth;
}

#endif
