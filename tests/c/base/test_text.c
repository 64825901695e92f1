/* SPDX-License-Identifier: Apache-2.0 */
/* Strings under construction, and extents in messages. */
#include "../support.h"
#include <math.h>
#include <stdlib.h>

TEST(additions_follow_each_other)
{
    base_text text = {0};
    char *out;
    text_add(&text, "%d and ", 1);
    text_add(&text, "%s", "two");
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "1 and two");
    base_free(out);
    text_clear(&text);
}

TEST(a_text_of_nothing_is_empty)
{
    base_text text = {0};
    char *out;
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "");
    base_free(out);
}

TEST(long_texts_are_whole)
{
    base_text text = {0};
    char *out;
    for (int i = 0; i < 5000; ++i)
        text_add(&text, "%05d", i);
    assert_ok(text_finish(&text, &out));
    assert_int_equal(strlen(out), 25000);
    assert_memory_equal(out + 5 * 4321, "04321", 5);
    base_free(out);
}

TEST(extents_are_written_as_python_writes_tuples)
{
    const int64_t values[] = {3, -4, INT64_MAX};
    base_text text = {0};
    char *out;
    for (int count = 0; count <= 3; ++count)
        text_add_extents(&text, count, values);
    assert_ok(text_finish(&text, &out));
    assert_string_equal(out, "()(3,)(3, -4)(3, -4, 9223372036854775807)");
    base_free(out);
}

TEST(a_failed_addition_is_told_at_the_end)
{
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

TEST(extents_fill_a_fixed_buffer_and_no_more)
{
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

TEST(many_extents_are_cut_short)
{
    int64_t values[64];
    char buffer[40];
    for (int i = 0; i < 64; ++i)
        values[i] = INT64_MIN;
    text_extents(buffer, sizeof buffer, 64, values);
    assert_non_null(strstr(buffer, "...)"));
}

TEST(a_double_has_the_shortest_text_that_reads_back)
{
    static const struct {
        double value;
        int bits;
        const char *text;
    } rows[] = {
        {0, 53, "0.0"},
        {-0.0, 53, "-0.0"},
        {1, 53, "1.0"},
        {100, 53, "100.0"},
        {0.1, 53, "0.1"},
        {0.1f, 24, "0.1"},
        {0.1f, 53, "0.10000000149011612"},
        {1.0 / 3, 53, "0.3333333333333333"},
        {(double)(1.0f / 3), 24, "0.33333334"},
        {0.0999755859375, 11, "0.1"},
        {1e300, 53, "1e+300"},
        {4.9e-324, 53, "5e-324"},
        {INFINITY, 24, "inf"},
        {-INFINITY, 8, "-inf"},
        {NAN, 53, "nan"},
        {123456792, 24, "123456792.0"},
        {1e15, 53, "1000000000000000.0"},
        {1e16, 53, "1e+16"},
        {0.0001, 53, "0.0001"},
        {0.00001, 53, "1e-05"},
    };
    char buffer[TEXT_DOUBLE_SIZE];
    for (size_t i = 0; i < JG_COUNT_OF(rows); ++i)
        assert_string_equal(text_double(buffer, rows[i].value, rows[i].bits), rows[i].text);
}

/* 2^-1074 to 2^1023, and neighbours of powers of ten: each text reads back as the number. */
TEST(every_double_reads_back)
{
    char buffer[TEXT_DOUBLE_SIZE];
    for (int exponent = -1074; exponent < 1024; ++exponent) {
        double value = ldexp(-1, exponent);
        assert_true(strtod(text_double(buffer, value, 53), NULL) == value);
        value = nextafter(pow(10, exponent / 4), 0);
        assert_true(strtod(text_double(buffer, value, 53), NULL) == value);
    }
}
