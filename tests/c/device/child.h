/* SPDX-License-Identifier: Apache-2.0 */
/* A device in the child of a fork: it refuses all, lets go of what it had, and the parent goes
 * on. */
#ifndef TESTS_DEVICE_CHILD_H
#define TESTS_DEVICE_CHILD_H

#include "../forked.h"
#include "queues.h"
#include <stdio.h>

/* What the parent has on the device when it forks. */
typedef struct parent {
    jg_device *device;
    const device_unit *unit;
    char refusal[64];
    void *block, *queue, *mark, *code;
} parent;

static int be_refused(void *context)
{
    const parent *of = context;
    jg_device *device = of->device;
    const jg_device_ops *ops = device->ops;
    const device_launch launch = {0};
    const device_entry entry = {0};
    const device_start start = {.takes = &entry, .launch = &launch};
    char bytes[8];
    const device_copy copy = {DEVICE_TO_HOST, {bytes, 0}, {of->block, 0}, 8};
    device_memory memory;
    void *out;
    const jg_status all[] = {
        ops->alloc(device, 8, &out),
        ops->queue_new(device, &out),
        ops->queue_wait(device, of->queue, of->mark),
        ops->mark_record(device, of->queue, &out),
        ops->mark_wait(device, of->mark),
        ops->copy(device, of->queue, &copy),
        ops->adopt(device, of->block, 8),
        ops->memory(device, &memory),
        ops->code_load(device, of->unit, &out),
        ops->launch(device, of->queue, of->code, &start),
    };
    for (size_t i = 0; i < JG_COUNT_OF(all); ++i)
        CHILD_CHECK(all[i] == JG_ERR_DEVICE);
    CHILD_CHECK(strstr(jg_error_message(), of->refusal) != NULL);
    if (ops->stream_mark != NULL) {
        CHILD_CHECK(ops->stream_mark(device, (void *)1, &out) == JG_ERR_DEVICE);
        CHILD_CHECK(ops->stream_lead(device, of->queue, (void *)1) == JG_ERR_DEVICE);
    }
    CHILD_CHECK(ops->mark_is_set(device, of->mark));
    if (ops->settle != NULL)
        ops->settle(device);
    ops->free(device, of->block, 8);
    ops->mark_free(device, of->mark);
    ops->code_free(device, of->code);
    ops->queue_free(device, of->queue);
    return 0;
}

/* name: of the device. text: of a kernel f without arguments that are read */
static inline void check_that_a_child_is_refused(jg_device *device, const char *name,
                                                 const char *text)
{
    device_entry entry = {.nkernels = 1, .kernels = {{.name = "f"}}};
    const device_unit unit = {
        .text = text, .nbytes = strlen(text), .flags = "", .nentries = 1, .entries = &entry};
    parent of = {.device = device, .unit = &unit};
    char got[8];
    snprintf(of.refusal, sizeof of.refusal, "%s: this process was forked", name);
    assert_ok(device_alloc(device, 8, &of.block));
    assert_ok(device_queue_new(device, &of.queue));
    assert_ok(device->ops->mark_record(device, of.queue, &of.mark));
    assert_ok(device->ops->code_load(device, &unit, &of.code));
    run_forked(be_refused, &of);
    assert_ok(send_and_fetch(device, "parent!", got, 8));
    assert_string_equal(got, "parent!");
    device->ops->mark_free(device, of.mark);
    device->ops->code_free(device, of.code);
    device_queue_free(device, of.queue);
    device_free(device, of.block, 8);
}

#endif
