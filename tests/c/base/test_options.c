/* SPDX-License-Identifier: Apache-2.0 */
/* Options: code beats the environment, the environment beats the default. */
#include "../support.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

TEST(the_default_holds_where_nobody_says_anything)
{
    unsetenv("JOGGLE_CACHE_LIMIT");
    assert_int_equal(option_int(OPTION_CACHE_LIMIT), 1073741824);
    assert_string_equal(option_text(OPTION_BLAS), "");
}

TEST(the_environment_beats_the_default)
{
    setenv("JOGGLE_BLAS_CORE", "Zen", 1);
    assert_string_equal(option_text(OPTION_BLAS_CORE), "Zen");
    unsetenv("JOGGLE_BLAS_CORE");
}

TEST(what_code_sets_beats_the_environment)
{
    const char *text;
    setenv("JOGGLE_NUM_THREADS", "3", 1);
    assert_int_equal(option_int(OPTION_NUM_THREADS), 3);
    assert_ok(jg_option_set("num_threads", "5"));
    assert_int_equal(option_int(OPTION_NUM_THREADS), 5);
    assert_ok(jg_option_get("num_threads", &text));
    assert_string_equal(text, "5");
    assert_ok(jg_option_set("num_threads", "7"));
    assert_int_equal(option_int(OPTION_NUM_THREADS), 7);
    unsetenv("JOGGLE_MEMORY_LIMIT");
}

TEST(names_are_found_without_regard_to_case)
{
    assert_ok(jg_option_set("LOG", "plan"));
    assert_string_equal(option_text(OPTION_LOG), "plan");
    assert_ok(jg_option_set("Log", ""));
    assert_string_equal(option_text(OPTION_LOG), "");
}

TEST(unknown_names_and_null_are_refused)
{
    const char *wrong[] = {"",          "lo",        "logs",        "JOGGLE_LOG",
                           "blas core", "blas-core", "blas\177core"},
               *text;
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        assert_fails_saying(JG_ERR_VALUE, wrong[i], jg_option_set(wrong[i], "1"));
        assert_fails_saying(JG_ERR_VALUE, "name", jg_option_get(wrong[i], &text));
    }
    assert_fails_saying(JG_ERR_VALUE, "NULL", jg_option_set(NULL, "1"));
    assert_fails_saying(JG_ERR_VALUE, "value: got NULL", jg_option_set("log", NULL));
}

TEST(a_number_that_is_none_counts_as_the_default)
{
    const char *wrong[] = {"", "many", "12x", "99999999999999999999"};
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        assert_int_equal(setenv("JOGGLE_MEMORY_LIMIT", wrong[i], 1), 0);
        assert_true(option_int(OPTION_MEMORY_LIMIT) == INT64_MAX);
    }
    assert_int_equal(unsetenv("JOGGLE_MEMORY_LIMIT"), 0);
}

/* Rows of the lowest and the highest number. */
static const struct {
    const char *name, *variable;
    base_option option;
    int64_t lowest, highest;
} ranges[] = {
    {"num_threads", "JOGGLE_NUM_THREADS", OPTION_NUM_THREADS, 0, JG_MAX_THREADS},
    {"memory_limit", "JOGGLE_MEMORY_LIMIT", OPTION_MEMORY_LIMIT, 0, INT64_MAX},
    {"cache_limit", "JOGGLE_CACHE_LIMIT", OPTION_CACHE_LIMIT, 0, INT64_MAX},
    {"distributed_timeout", "JOGGLE_DISTRIBUTED_TIMEOUT", OPTION_DISTRIBUTED_TIMEOUT, 1,
     1000000000},
    {"distributed_piece", "JOGGLE_DISTRIBUTED_PIECE", OPTION_DISTRIBUTED_PIECE, 1, 1073741824},
    {"device_graphs", "JOGGLE_DEVICE_GRAPHS", OPTION_DEVICE_GRAPHS, 0, 2147483647},
};

TEST(a_number_outside_the_range_of_its_option_is_refused_and_named)
{
    char text[32], says[128];
    for (size_t i = 0; i < JG_COUNT_OF(ranges); ++i) {
        snprintf(says, sizeof says,
                 "for %s, allowed is a whole number from %" PRId64 " to %" PRId64,
                 ranges[i].variable, ranges[i].lowest, ranges[i].highest);
        for (int past = 0; past <= (ranges[i].highest < INT64_MAX); ++past) {
            snprintf(text, sizeof text, "%" PRId64,
                     past ? ranges[i].highest + 1 : ranges[i].lowest - 1);
            assert_fails_saying(JG_ERR_VALUE, text, jg_option_set(ranges[i].name, text));
            check_message(says, __FILE__, __LINE__);
        }
        assert_fails_saying(JG_ERR_VALUE, says, jg_option_set(ranges[i].name, "-99999999"));
    }
}

TEST(a_number_of_the_environment_outside_the_range_counts_as_the_default)
{
    for (size_t i = 0; i < JG_COUNT_OF(ranges); ++i) {
        assert_ok(jg_option_set(ranges[i].name, "")); /* the default */
        int64_t fallback = option_int(ranges[i].option);
        assert_in_range(fallback, ranges[i].lowest, ranges[i].highest);
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, ranges[i].lowest - 1);
        assert_int_equal(setenv(ranges[i].variable, text, 1), 0);
        assert_int_equal(option_int(ranges[i].option), fallback);
        assert_int_equal(unsetenv(ranges[i].variable), 0);
    }
}

TEST(the_ends_of_a_range_are_in_it)
{
    char text[32];
    for (size_t i = 0; i < JG_COUNT_OF(ranges); ++i) {
        for (int last = 0; last < 2; ++last) {
            int64_t number = last ? ranges[i].highest : ranges[i].lowest;
            snprintf(text, sizeof text, "%" PRId64, number);
            assert_ok(jg_option_set(ranges[i].name, text));
            assert_true(option_int(ranges[i].option) == number);
        }
        assert_ok(jg_option_set(ranges[i].name, ""));
    }
}

TEST(values_that_an_option_does_not_have_are_refused)
{
    const char *wrong[][2] = {{"num_threads", "many"},
                              {"cache_limit", "12x"},
                              {"fuse", "maybe"},
                              {"isa", "avx3"},
                              {"jit", "2"},
                              {"device_fallback", "hos"},
                              {"log", "plans"},
                              {"device_fallback", "host|warn"}};
    for (size_t i = 0; i < JG_COUNT_OF(wrong); ++i) {
        const char *before, *after;
        assert_ok(jg_option_get(wrong[i][0], &before));
        assert_fails_saying(JG_ERR_VALUE, wrong[i][1], jg_option_set(wrong[i][0], wrong[i][1]));
        assert_ok(jg_option_get(wrong[i][0], &after));
        assert_string_equal(before, after);
    }
    assert_fails_saying(JG_ERR_VALUE, "JOGGLE_JIT, allowed is one of auto|0|1",
                        jg_option_set("jit", "on"));
    assert_ok(jg_option_set("device_fallback", "warn"));
    assert_ok(jg_option_set("device_fallback", ""));
    assert_ok(jg_option_set("device_fallback", "host"));
}

TEST(a_flag_is_set_unless_it_says_no)
{
    const char *no[] = {"", "0", "false", "off", "no"}, *yes[] = {"1", "true", "on", "yes", "1"};
    for (size_t i = 0; i < JG_COUNT_OF(no); ++i) {
        assert_ok(jg_option_set("fuse", no[i]));
        assert_false(option_flag(OPTION_FUSE));
        assert_ok(jg_option_set("fuse", yes[i]));
        assert_true(option_flag(OPTION_FUSE));
    }
}

TEST(setting_changes_the_generation_and_failing_does_not)
{
    unsigned before = option_generation();
    assert_ok(jg_option_set("log", ""));
    unsigned after = option_generation();
    assert_int_not_equal(before, after);
    base_fail_nth(1);
    assert_fails(JG_ERR_NOMEM, jg_option_set("blas", "a text that nobody has set"));
    assert_fails(JG_ERR_VALUE, jg_option_set("nothing", "lost"));
    assert_int_equal(option_generation(), after);
    assert_string_equal(option_text(OPTION_LOG), "");
}

/* Other threads may be reading it. */
TEST(text_stays_valid_when_the_option_is_set_again)
{
    const char *first, *again;
    assert_ok(jg_option_set("blas_core", "Haswell"));
    assert_ok(jg_option_get("blas_core", &first));
    for (int i = 0; i < 20; ++i) {
        assert_ok(jg_option_set("blas_core", i % 2 == 0 ? "Zen" : "Haswell"));
        assert_string_equal(first, "Haswell");
    }
    int64_t before = base_live_blocks();
    assert_ok(jg_option_set("blas_core", "Zen"));
    assert_ok(jg_option_set("blas_core", "Haswell"));
    assert_ok(jg_option_get("blas_core", &again));
    assert_ptr_equal(again, first); /* equal texts are kept once */
    assert_int_equal(base_live_blocks(), before);
}

/* More of them than there are lists that hold them. */
TEST(each_of_many_texts_is_kept_once)
{
    enum { COUNT = 2000 };
    static const char *kept[COUNT];
    char text[16];
    int64_t before = base_live_blocks();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < COUNT; ++i) {
            const char *again;
            snprintf(text, sizeof text, "%d", 1000000 + i);
            assert_ok(jg_option_set("memory_limit", text));
            assert_ok(jg_option_get("memory_limit", &again));
            assert_string_equal(again, text);
            if (round > 0)
                assert_ptr_equal(again, kept[i]);
            kept[i] = again;
        }
        assert_int_equal(base_live_blocks(), before + COUNT);
    }
    assert_ok(jg_option_set("memory_limit", "9223372036854775807"));
}

TEST(help_has_a_line_for_every_option)
{
    int lines = 0;
    for (const char *at = jg_option_help(); *at != '\0'; ++at)
        lines += *at == '\n';
    assert_int_equal(lines, OPTION_COUNT);
    assert_non_null(strstr(jg_option_help(), "JOGGLE_FUSE (1): "));
}
