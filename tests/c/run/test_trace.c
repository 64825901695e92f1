/* SPDX-License-Identifier: Apache-2.0 */
/* Traces through the C interface. The contents of the file are looked at in Python. */
#include "../arrays.h"
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/joggle-trace-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static long count_in_file(const char *what)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t nbytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[nbytes] = '\0';
    long count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; ++at)
        count += 1;
    return count;
}

static void evaluate_a_sum(void)
{
    jg_array *x = ones(100), *sum;
    assert_ok(jg_add(x, x, &sum));
    assert_ok(jg_eval(1, &sum));
    release_all(2, (jg_array *[]){x, sum});
}

TEST(a_trace_holds_what_ran_between_start_and_stop)
{
    evaluate_a_sum();
    assert_ok(jg_trace_start(path));
    evaluate_a_sum();
    assert_ok(jg_trace_stop());
    evaluate_a_sum();
    assert_int_equal(count_in_file("\"cat\":\"launch\",\"name\":\"add\""), 1);
}

TEST(only_one_trace_runs_at_a_time)
{
    assert_ok(jg_trace_start(path));
    assert_fails_saying(JG_ERR_VALUE, "another trace is running", jg_trace_start(path));
    assert_ok(jg_trace_stop());
    assert_fails_saying(JG_ERR_VALUE, "no trace is running", jg_trace_stop());
}

TEST(a_bad_path_is_refused_and_starts_nothing)
{
    assert_fails_saying(JG_ERR_IO, "'/no/such/folder/x' cannot be written",
                        jg_trace_start("/no/such/folder/x"));
    assert_fails_saying(JG_ERR_VALUE, "path", jg_trace_start(NULL));
    assert_false(trace_is_on());
}

TEST(a_full_disk_is_told_at_stop)
{
    if (access("/dev/full", W_OK) != 0)
        return; /* Linux has it */
    assert_ok(jg_trace_start("/dev/full"));
    evaluate_a_sum();
    assert_fails_saying(JG_ERR_IO, "could not be written", jg_trace_stop());
    assert_false(trace_is_on());
}

/* Bytes beyond ASCII are as they were. */
TEST(names_are_escaped)
{
    assert_ok(trace_begin(path));
    trace_add("wait", "a \"na\xc3\xafve\" \\ with\nall", trace_start(), NULL);
    assert_ok(trace_end());
    assert_int_equal(count_in_file("a \\\"na\xc3\xafve\\\" \\\\ with\\u000aall"), 1);
}

/* Characters of two, three and four bytes; then bytes that are none, each between two letters. */
TEST(what_is_no_utf_8_is_replaced)
{
    static const char good[] = "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
                               "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
    static const char *const bad[] = {
        "\x80",         "\xbf",         "\xc0\xaf",         "\xc1\xbf",
        "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80",     "\xff",         "\xe2\x82",         "\xc3"};
    char name[64], expected[64];
    assert_ok(trace_begin(path));
    trace_add("wait", good, trace_start(), NULL);
    for (size_t i = 0; i < JG_COUNT_OF(bad); ++i) {
        snprintf(name, sizeof name, "<%zu>%sz", i, bad[i]);
        trace_add("wait", name, trace_start(), NULL);
    }
    trace_add("wait", "cut \xe2\x82", trace_start(), NULL);
    assert_ok(trace_end());
    assert_int_equal(count_in_file(good), 1);
    for (size_t i = 0; i < JG_COUNT_OF(bad); ++i) {
        int length = snprintf(expected, sizeof expected, "<%zu>", i);
        for (size_t at = 0; at < strlen(bad[i]); ++at)
            length += snprintf(expected + length, sizeof expected - (size_t)length, "\\ufffd");
        snprintf(expected + length, sizeof expected - (size_t)length, "z\"");
        assert_int_equal(count_in_file(expected), 1);
    }
    assert_int_equal(count_in_file("cut \\ufffd\\ufffd\""), 1);
}

TEST(a_trace_that_is_stopped_leaves_no_memory)
{
    evaluate_a_sum();
    int64_t before = base_live_blocks();
    assert_ok(jg_trace_start(path));
    evaluate_a_sum();
    assert_ok(jg_trace_stop());
    assert_int_equal(base_live_blocks(), before);
}

/* A span is added in the middle of calls whose message somebody is to read. */
TEST(without_memory_the_message_of_the_thread_stays)
{
    assert_ok(jg_trace_start(path));
    assert_fails(JG_ERR_INDEX, base_fail(JG_ERR_INDEX, "what went wrong"));
    base_fail_nth(1);
    trace_add("test", "a span", trace_clock(), NULL);
    base_fail_nth(0);
    assert_string_equal(jg_error_message(), "what went wrong");
    assert_ok(jg_trace_stop());
    assert_int_equal(count_in_file("\"spans lost\":"), 1);
    assert_int_equal(count_in_file("\"spans lost\":0"), 0);
}

BEFORE_ALL(make_path)
AFTER_ALL(remove_path)
