/* SPDX-License-Identifier: Apache-2.0 */
/* Strings under construction, and extents in messages. */
#include "../support.h"

static void additions_follow_each_other(void **state)
{
    (void)state;
    base_text text = {0};
    char *out;
    text_add(&text, "%d and ", 1);
    text_add(&text, "%s", "two");
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "1 and two");
    base_free(out);
    text_clear(&text);
}

static void a_text_of_nothing_is_empty(void **state)
{
    (void)state;
    base_text text = {0};
    char *out;
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "");
    base_free(out);
}

static void long_texts_are_whole(void **state)
{
    (void)state;
    base_text text = {0};
    char *out;
    for (int i = 0; i < 5000; ++i)
        text_add(&text, "%05d", i);
    assert_ok(text_finish(&text, &out));
    assert_int_equal(strlen(out), 25000);
    assert_memory_equal(out + 5 * 4321, "04321", 5);
    base_free(out);
}

static void extents_are_written_as_python_writes_tuples(void **state)
{
    (void)state;
    const int64_t values[] = {3, -4, INT64_MAX};
    base_text text = {0};
    char *out;
    for (int count = 0; count <= 3; ++count)
        text_add_extents(&text, count, values);
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "()(3,)(3, -4)(3, -4, 9223372036854775807)");
    base_free(out);
}

static void a_failed_addition_is_told_at_the_end(void **state)
{
    (void)state;
    base_text text = {0};
    char *out = NULL;
    base_fail_nth(1);
    text_add(&text, "lost");
    text_add(&text, "kept");
    assert_fails(JG_ERR_NOMEM, text_status(&text));
    assert_fails(JG_ERR_NOMEM, text_finish(&text, &out));
    assert_null(out);
    text_clear(&text);
    assert_ok(text_status(&text));
}

static void extents_fill_a_fixed_buffer_and_no_more(void **state)
{
    (void)state;
    const int64_t values[] = {1000000, 2000000, 3000000};
    char buffer[64];
    assert_string_equal(text_extents(buffer, sizeof buffer, 0, values), "()");
    assert_string_equal(text_extents(buffer, sizeof buffer, 1, values), "(1000000,)");
    assert_string_equal(text_extents(buffer, sizeof buffer, 3, values),
                        "(1000000, 2000000, 3000000)");
    for (size_t nbytes = 10; nbytes < 40; ++nbytes) {
        memset(buffer, '#', sizeof buffer);
        text_extents(buffer, nbytes, 3, values);
        assert_true(strlen(buffer) < nbytes);
        assert_int_equal(buffer[strlen(buffer) - 1], ')');
        assert_int_equal(buffer[nbytes], '#');
    }
}

static void many_extents_are_cut_short(void **state)
{
    (void)state;
    int64_t values[64];
    char buffer[40];
    for (int i = 0; i < 64; ++i)
        values[i] = INT64_MIN;
    text_extents(buffer, sizeof buffer, 64, values);
    assert_non_null(strstr(buffer, "...)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_follow_each_other),
        cmocka_unit_test(a_text_of_nothing_is_empty),
        cmocka_unit_test(long_texts_are_whole),
        cmocka_unit_test(extents_are_written_as_python_writes_tuples),
        cmocka_unit_test(a_failed_addition_is_told_at_the_end),
        cmocka_unit_test(extents_fill_a_fixed_buffer_and_no_more),
        cmocka_unit_test(many_extents_are_cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
