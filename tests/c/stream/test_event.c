/* SPDX-License-Identifier: Apache-2.0 */
/* Events: they happen once, wake whoever waits, and carry a failure. */
#include "../support.h"
#include "stream/stream.h"

TEST(an_event_happens_when_it_is_set)
{
    jg_event *event;
    assert_ok(event_new(&event));
    assert_false(event_is_set(event));
    assert_false(event_has_failed(event));
    event_set(event);
    assert_true(event_is_set(event));
    assert_false(event_has_failed(event));
    assert_ok(event_wait(event));
    event_release(event);
}

TEST(a_failure_is_raised_at_every_wait_with_its_message)
{
    jg_event *event;
    assert_ok(event_new(&event));
    event_fail(event, base_fail(JG_ERR_LIBRARY, "it broke"));
    (void)base_fail(JG_ERR_VALUE, "something else"); /* the event keeps a copy */
    event_set(event);
    assert_true(event_has_failed(event));
    for (int i = 0; i < 2; ++i) {
        (void)base_fail(JG_ERR_VALUE, "something else");
        assert_fails_saying(JG_ERR_LIBRARY, "it broke", event_wait(event));
    }
    event_release(event);
}

TEST(references_keep_an_event)
{
    int64_t before = base_live_blocks();
    jg_event *event;
    assert_ok(event_new(&event));
    assert_ptr_equal(event_retain(event), event);
    event_release(event);
    assert_false(event_is_set(event));
    assert_int_equal(base_live_blocks(), before + 1);
    event_release(event);
    event_release(NULL);
    assert_int_equal(base_live_blocks(), before);
}

TEST(no_memory_is_an_error)
{
    jg_event *event = NULL;
    base_fail_nth(1);
    assert_fails(JG_ERR_NOMEM, event_new(&event));
    assert_null(event);
}
