/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of prints and assertions, piece by piece. */
#include "../support.h"
#include "kernel/kernel.h"

/* The pieces of a message in a row: text as it is, places in parentheses. */
static void assert_pieces(const char *message, const char *expected)
{
    char out[64];
    size_t at = 0;
    kernel_piece piece;
    while (kernel_next_piece(&message, &piece)) {
        assert_true(at + piece.length + 3 < sizeof out);
        if (piece.is_placeholder)
            out[at++] = '(';
        memcpy(out + at, piece.text, piece.length);
        at += piece.length;
        if (piece.is_placeholder)
            out[at++] = ')';
    }
    out[at] = '\0';
    assert_string_equal(out, expected);
}

TEST(places_and_their_formats_are_found)
{
    assert_pieces("", "");
    assert_pieces("plain", "plain");
    assert_pieces("{}", "()");
    assert_pieces("x = {:.2f}, y = {}{:5d}!", "x = (.2f), y = ()(5d)!");
}

TEST(doubled_braces_are_braces)
{
    assert_pieces("{{}}", "{}");
    assert_pieces("{{{}}}", "{()}");
    assert_pieces("a}}b{{c", "a}b{c");
}

TEST(a_brace_that_begins_nothing_is_text)
{
    assert_pieces("{", "{");
    assert_pieces("}", "}");
    assert_pieces("{x}", "{x}");
    assert_pieces("{:.2f", "{:.2f");
    assert_pieces("{:{}", "{:()");
}
