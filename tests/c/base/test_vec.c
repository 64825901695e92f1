/* SPDX-License-Identifier: Apache-2.0 */
/* The growable run of bytes. */
#include "../support.h"

TEST(what_was_appended_is_kept_while_it_grows)
{
    base_vec vec = {0};
    for (int i = 0; i < 10000; ++i)
        assert_ok(vec_append(&vec, &i, sizeof i));
    assert_int_equal(vec.nbytes, 10000 * sizeof(int));
    for (int i = 0; i < 10000; ++i)
        assert_int_equal(((const int *)(const void *)vec.data)[i], i);
    vec_clear(&vec);
}

TEST(growing_gives_the_place_of_the_new_bytes)
{
    base_vec vec = {0};
    void *first, *second;
    assert_ok(vec_grow(&vec, 16, &first));
    assert_ptr_equal(first, vec.data);
    assert_ok(vec_grow(&vec, 3000, &second));
    assert_ptr_equal(second, vec.data + 16);
    assert_true(vec.capacity >= 3016);
    vec_clear(&vec);
}

TEST(appending_nothing_changes_nothing)
{
    base_vec vec = {0};
    assert_ok(vec_append(&vec, NULL, 0));
    assert_int_equal(vec.nbytes, 0);
    vec_clear(&vec);
}

TEST(a_failure_leaves_the_vector_as_it_was)
{
    base_vec vec = {0};
    char bytes[200] = "kept";
    assert_ok(vec_append(&vec, bytes, sizeof bytes));
    const char *data = vec.data;
    base_fail_nth(1);
    assert_fails(JG_ERR_NOMEM, vec_append(&vec, bytes, sizeof bytes));
    assert_ptr_equal(vec.data, data);
    assert_int_equal(vec.nbytes, sizeof bytes);
    assert_string_equal(vec.data, "kept");
    assert_ok(vec_append(&vec, bytes, sizeof bytes));
    vec_clear(&vec);
}

TEST(sizes_beyond_memory_are_refused)
{
    base_vec vec = {0};
    void *place;
    assert_ok(vec_append(&vec, "x", 1));
    assert_fails(JG_ERR_NOMEM, vec_grow(&vec, SIZE_MAX, &place));
    assert_fails(JG_ERR_NOMEM, vec_grow(&vec, SIZE_MAX / 2 + 1, &place));
    assert_int_equal(vec.nbytes, 1);
    vec_clear(&vec);
}

TEST(a_cleared_vector_is_empty_and_frees_its_storage)
{
    int64_t before = base_live_blocks();
    base_vec vec = {0};
    assert_ok(vec_append(&vec, "abc", 3));
    vec_clear(&vec);
    assert_int_equal(vec.nbytes, 0);
    assert_null(vec.data);
    assert_int_equal(base_live_blocks(), before);
    vec_clear(&vec);
}
