/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last failure, and failures that travel between threads. */
#include "../support.h"

TEST(a_failure_gives_its_status_and_keeps_its_message)
{
    assert_int_equal(base_fail(JG_ERR_TYPE, "x%d: got %s", 2, "nothing"), JG_ERR_TYPE);
    assert_string_equal(jg_error_message(), "x2: got nothing");
}

TEST(a_success_leaves_the_message)
{
    (void)base_fail(JG_ERR_VALUE, "still here");
    assert_ok(jg_option_set("log", ""));
    assert_string_equal(jg_error_message(), "still here");
}

TEST(a_long_message_is_cut_and_terminated)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)base_fail(JG_ERR_VALUE, "%s", text);
    assert_int_equal(strlen(jg_error_message()), sizeof(((jg_error *)0)->message) - 1);
}

TEST(a_message_that_is_set_is_copied_and_gives_its_status)
{
    char text[] = "disk full, 100%s";
    assert_int_equal(jg_error_set(JG_ERR_IO, text), JG_ERR_IO);
    text[0] = 'r';
    assert_string_equal(jg_error_message(), "disk full, 100%s");
    assert_int_equal(jg_error_set(JG_ERR_VALUE, NULL), JG_ERR_VALUE);
    assert_string_equal(jg_error_message(), "");
}

TEST(a_name_takes_the_place_of_the_one_in_brackets)
{
    (void)base_fail(JG_ERR_VALUE, "[max] x: axis 0 is empty");
    jg_error_rename("nanmax");
    assert_string_equal(jg_error_message(), "[nanmax] x: axis 0 is empty");
    (void)base_fail(JG_ERR_VALUE, "axis: got 3");
    jg_error_rename("sum");
    assert_string_equal(jg_error_message(), "[sum] axis: got 3");
    (void)base_fail(JG_ERR_VALUE, "[1, 2] is no shape");
    jg_error_rename("reshape");
    assert_string_equal(jg_error_message(), "[reshape] [1, 2] is no shape");
    (void)base_fail(JG_ERR_VALUE, "[");
    jg_error_rename("add");
    assert_string_equal(jg_error_message(), "[add] [");
}

TEST(a_name_before_a_long_message_cuts_it)
{
    char text[600];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)base_fail(JG_ERR_VALUE, "%s", text);
    jg_error_rename("matmul");
    assert_int_equal(strlen(jg_error_message()), sizeof(((jg_error *)0)->message) - 1);
    assert_memory_equal(jg_error_message(), "[matmul] xxx", 12);
    jg_error_rename(text);
    assert_memory_equal(jg_error_message(), "[matmul] xxx", 12);
}

TEST(the_failure_of_an_evaluation_keeps_its_name)
{
    assert_int_equal(error_of_evaluation(base_fail(JG_ERR_LINALG, "[linalg_inv] singular")),
                     JG_ERR_LINALG);
    jg_error_rename("repeat");
    assert_string_equal(jg_error_message(), "[linalg_inv] singular");
    (void)base_fail(JG_ERR_VALUE, "[take] later");
    jg_error_rename("repeat");
    assert_string_equal(jg_error_message(), "[repeat] later");
}

static void *fail_elsewhere(void *context)
{
    bool *empty_at_first = context;
    *empty_at_first = jg_error_message()[0] == '\0';
    (void)base_fail(JG_ERR_VALUE, "from the other thread");
    return NULL;
}

TEST(each_thread_has_its_own_message)
{
    bool empty_at_first = false;
    (void)base_fail(JG_ERR_VALUE, "from this thread");
    run_threads(1, fail_elsewhere, &empty_at_first, sizeof empty_at_first);
    assert_true(empty_at_first);
    assert_string_equal(jg_error_message(), "from this thread");
}

static void *fail_and_capture(void *context)
{
    error_capture(context, base_fail(JG_ERR_LIBRARY, "carried over"));
    return NULL;
}

TEST(a_captured_failure_is_raised_on_another_thread)
{
    jg_error error;
    run_threads(1, fail_and_capture, &error, sizeof error);
    (void)base_fail(JG_ERR_VALUE, "something else");
    assert_int_equal(error_raise(&error), JG_ERR_LIBRARY);
    assert_string_equal(jg_error_message(), "carried over");
}

static jg_status pass_on(jg_status status)
{
    JG_TRY(status);
    return JG_ERR_INTERNAL;
}

static jg_status clean_up(jg_status first, int *cleaned)
{
    jg_status status;
    JG_TRY_DONE(first);
done:
    *cleaned += 1;
    return status;
}

TEST(try_passes_failures_on_and_done_cleans_up)
{
    int cleaned = 0;
    assert_int_equal(pass_on(JG_ERR_INDEX), JG_ERR_INDEX);
    assert_int_equal(pass_on(JG_OK), JG_ERR_INTERNAL);
    assert_int_equal(clean_up(JG_ERR_INDEX, &cleaned), JG_ERR_INDEX);
    assert_int_equal(clean_up(JG_OK, &cleaned), JG_OK);
    assert_int_equal(cleaned, 2);
}

TEST(a_message_may_be_set_from_itself)
{
    (void)base_fail(JG_ERR_VALUE, "[of] the one before");
    assert_int_equal(jg_error_set(JG_ERR_IO, jg_error_message()), JG_ERR_IO);
    assert_string_equal(jg_error_message(), "[of] the one before");
}

TEST(every_status_has_a_name)
{
    assert_string_equal(jg_status_name(JG_OK), "OK");
    assert_string_equal(jg_status_name(JG_ERR_NOMEM), "ERR_NOMEM");
    for (int i = 0; i < JG_STATUS_COUNT; ++i)
        assert_string_not_equal(jg_status_name((jg_status)i), "unknown");
    assert_string_equal(jg_status_name(JG_STATUS_COUNT), "unknown");
    assert_string_equal(jg_status_name((jg_status)-1), "unknown");
}
