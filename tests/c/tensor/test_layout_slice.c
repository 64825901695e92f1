/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of one axis. */
#include "layouts.h"

/* Every slice that there is of a small axis, on every axis of random layouts. */
static void check_slice(const jg_layout *from, int axis, int64_t start, int64_t count, int64_t step)
{
    jg_layout to;
    int64_t index[4] = {0}, source[4];
    assert_ok(layout_slice(from, axis, start, count, step, true, &to));
    assert_int_equal(to.ndim, from->ndim);
    assert_int_equal(to.shape[axis], count);
    for (bool more = to.size > 0; more; more = next_index(to.ndim, to.shape, index)) {
        memcpy(source, index, sizeof source);
        source[axis] = start + index[axis] * step;
        assert_int_equal(element_at(&to, index), element_at(from, source));
    }
}

TEST(slices_keep_the_elements_named)
{
    uint64_t seed = 1;
    for (int round = 0; round < 200; ++round) {
        jg_layout from = random_layout(&seed);
        for (int axis = 0; axis < from.ndim; ++axis)
            for (int64_t start = 0; start < from.shape[axis]; ++start)
                for (int64_t step = -4; step <= 4; ++step)
                    for (int64_t count = 0; count <= 4; ++count)
                        if (start + (count - 1) * step >= 0 &&
                            start + (count - 1) * step < from.shape[axis])
                            check_slice(&from, axis, start, count, step);
    }
}

TEST(slice_with_negative_step_keeps_first_element)
{
    const int64_t shape[] = {5}, expected[] = {4, 2, 0};
    jg_layout from, to;
    assert_ok(layout_init(&from, 1, shape));
    assert_ok(layout_slice(&from, 0, 4, 3, -2, true, &to));
    assert_same_elements(&to, expected, 3);
}

TEST(an_integer_index_drops_the_axis)
{
    const int64_t shape[] = {2, 3, 4}, rest[] = {2, 4}, expected[] = {8, 9, 10, 11, 20, 21, 22, 23};
    jg_layout from, to;
    assert_ok(layout_init(&from, 3, shape));
    assert_ok(layout_slice(&from, 1, 2, 1, 1, false, &to));
    assert_shape(&to, 2, rest);
    assert_same_elements(&to, expected, 8);
}

TEST(a_layout_may_be_sliced_in_place)
{
    const int64_t shape[] = {2, 3}, expected[] = {4, 5};
    jg_layout layout;
    assert_ok(layout_init(&layout, 2, shape));
    assert_ok(layout_slice(&layout, 0, 1, 1, 1, false, &layout));
    assert_ok(layout_slice(&layout, 0, 1, 2, 1, true, &layout));
    assert_same_elements(&layout, expected, 2);
}

TEST(an_empty_slice_may_start_at_the_end)
{
    const int64_t shape[] = {3, 2};
    jg_layout from, to;
    assert_ok(layout_init(&from, 2, shape));
    assert_ok(layout_slice(&from, 0, 3, 0, 1, true, &to));
    assert_int_equal(to.size, 0);
    assert_int_equal(to.offset, 0);
    assert_ok(layout_slice(&from, 0, -1, 0, -1, true, &to));
    assert_int_equal(to.size, 0);
}

TEST(slices_that_leave_the_axis_are_refused)
{
    const int64_t shape[] = {3};
    jg_layout from, to;
    assert_ok(layout_init(&from, 1, shape));
    assert_fails_saying(JG_ERR_INDEX, "axis 0, allowed is 0 to 2",
                        layout_slice(&from, 0, 3, 1, 1, true, &to));
    assert_fails(JG_ERR_INDEX, layout_slice(&from, 0, -1, 1, 1, true, &to));
    assert_fails(JG_ERR_INDEX, layout_slice(&from, 0, 0, 4, 1, true, &to));
    assert_fails(JG_ERR_INDEX, layout_slice(&from, 0, 0, 2, 3, true, &to));
    assert_fails(JG_ERR_INDEX, layout_slice(&from, 0, 1, 3, -1, true, &to));
}
