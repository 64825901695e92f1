/* SPDX-License-Identifier: Apache-2.0 */
/* Where a device fails several times at once, the status and the message are of the first failure:
 * the mark that is set behind failed work, and the wait for it, write messages of their own. */
#include "../support.h"
#include "device/device.h"

/* Which slots fail, and how often they were called. */
static struct {
    bool copy, record, wait;
    int copies, records, waits, frees;
} told;

static jg_status tell(bool fails, jg_status status, const char *slot)
{
    return fails ? base_fail(status, "failing: %s", slot) : JG_OK;
}

static jg_status failing_queue_new(jg_device *device, void **out)
{
    (void)device;
    *out = &told;
    return JG_OK;
}

static jg_status failing_copy(jg_device *device, void *queue, const device_copy *copy)
{
    (void)device;
    (void)copy;
    assert_ptr_equal(queue, &told);
    told.copies += 1;
    return tell(told.copy && told.copies == 2, JG_ERR_DEVICE, "the second copy");
}

static jg_status failing_record(jg_device *device, void *queue, void **out)
{
    (void)device;
    (void)queue;
    told.records += 1;
    JG_TRY(tell(told.record, JG_ERR_NOMEM, "the mark"));
    *out = &told;
    return JG_OK;
}

static jg_status failing_wait(jg_device *device, void *mark)
{
    (void)device;
    (void)mark;
    told.waits += 1;
    return tell(told.wait, JG_ERR_UNSUPPORTED, "the wait");
}

static void failing_free(jg_device *device, void *mark)
{
    (void)device;
    (void)mark;
    told.frees += 1;
}

static const jg_device_ops failing_ops = {
    .version = DEVICE_OPS_VERSION,
    .name = "failing",
    .queue_new = failing_queue_new,
    .copy = failing_copy,
    .mark_record = failing_record,
    .mark_wait = failing_wait,
    .mark_free = failing_free,
};

static jg_device failing = {
    .ops = &failing_ops,
    .id = {JG_DEVICE_EXT, 0},
    .submitting = PTHREAD_MUTEX_INITIALIZER,
};

static int forget(void **state)
{
    (void)state;
    memset(&told, 0, sizeof told);
    return 0;
}

static jg_status copy_thrice(void)
{
    char bytes[4];
    const device_copy one = {DEVICE_FROM_HOST, {&failing, 0}, {bytes, 0}, sizeof bytes};
    const device_copy copies[] = {one, one, one};
    return device_copy_all(&failing, NULL, 3, copies);
}

TEST(a_failed_copy_keeps_its_message_before_a_failed_mark)
{
    told.copy = told.record = true;
    assert_fails_saying(JG_ERR_DEVICE, "failing: the second copy", copy_thrice());
    assert_int_equal(told.copies, 2);
    assert_int_equal(told.waits, 0);
}

TEST(a_failed_copy_keeps_its_message_before_a_failed_wait)
{
    told.copy = told.wait = true;
    assert_fails_saying(JG_ERR_DEVICE, "failing: the second copy", copy_thrice());
    assert_int_equal(told.waits, 1);
    assert_int_equal(told.frees, 1);
}

TEST(a_failed_mark_is_told_where_all_copies_were_given)
{
    told.record = true;
    assert_fails_saying(JG_ERR_NOMEM, "failing: the mark", copy_thrice());
    assert_int_equal(told.copies, 3);
}

TEST(a_failed_wait_is_told_where_nothing_failed_before)
{
    told.wait = true;
    assert_fails_saying(JG_ERR_UNSUPPORTED, "failing: the wait", copy_thrice());
    assert_int_equal(told.frees, 1);
}

BEFORE_EACH(forget)
