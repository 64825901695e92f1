/* SPDX-License-Identifier: Apache-2.0 */
/* Extents and strides at the edge of 63 bits: refused, or right; never wrapped around. */
#include "layouts.h"

TEST(bounds_that_leave_63_bits_name_the_axis)
{
    jg_layout layout = {.ndim = 2, .size = 6, .shape = {2, 3}, .strides = {1, INT64_MAX / 2 + 1}};
    int64_t low, high;
    assert_fails_saying(JG_ERR_VALUE, "axis 1 (extent 3, stride 4611686018427387904)",
                        layout_bounds(&layout, &low, &high));
    layout.strides[1] = INT64_MIN / 2 - 1;
    assert_fails(JG_ERR_VALUE, layout_bounds(&layout, &low, &high));
}

TEST(sums_of_axes_that_leave_63_bits_are_seen)
{
    const int64_t half = INT64_MAX / 2;
    jg_layout layout = {
        .ndim = 2, .size = 4, .offset = 2, .shape = {2, 2}, .strides = {half, half}};
    int64_t low, high;
    assert_fails(JG_ERR_VALUE, layout_bounds(&layout, &low, &high));
    layout.offset = 1;
    assert_ok(layout_bounds(&layout, &low, &high));
    assert_int_equal(low, 1);
    assert_int_equal(high, INT64_MAX);
}

TEST(axes_that_nobody_steps_along_do_not_count)
{
    jg_layout layout = {.ndim = 2, .size = 1, .shape = {1, 1}, .strides = {INT64_MAX, INT64_MIN}};
    int64_t low, high;
    assert_ok(layout_bounds(&layout, &low, &high));
    assert_int_equal(high, 0);
    layout.shape[0] = layout.size = 0;
    assert_ok(layout_bounds(&layout, &low, &high));
    assert_int_equal(high, -1);
    assert_true(layout_is_contiguous(&layout));
}

TEST(the_largest_layouts_are_fine)
{
    const int64_t shape[] = {1LL << 31, 1LL << 31}, row[] = {1, INT64_MAX};
    jg_layout layout, to;
    int64_t low, high;
    bool fits;
    assert_ok(layout_init(&layout, 2, shape));
    assert_int_equal(layout.size, 1LL << 62);
    assert_ok(layout_bounds(&layout, &low, &high));
    assert_int_equal(high, (1LL << 62) - 1);
    assert_ok(layout_slice(&layout, 0, (1LL << 31) - 1, 1LL << 31, -1, true, &to));
    assert_true(layout_is_contiguous(&layout));
    assert_false(layout_may_overlap(&to));
    assert_ok(layout_init(&to, 0, NULL));
    assert_ok(layout_broadcast(&to, 2, row, &layout));
    assert_int_equal(layout.size, INT64_MAX);
    assert_true(layout_may_overlap(&layout));
    assert_ok(layout_reshape(&layout, 1, &row[1], &to, &fits));
    assert_true(fits);
}

TEST(more_elements_than_63_bits_are_refused_everywhere)
{
    const int64_t large[] = {1LL << 32, 1LL << 31}, one[] = {1, 1};
    jg_layout layout, to;
    assert_fails(JG_ERR_VALUE, layout_init(&layout, 2, large));
    assert_ok(layout_init(&layout, 2, one));
    assert_fails(JG_ERR_VALUE, layout_broadcast(&layout, 2, large, &to));
}

TEST(overlap_of_huge_strides_is_judged_without_wrapping)
{
    const int64_t half = INT64_MAX / 2;
    jg_layout layout = {.ndim = 2, .size = 4, .shape = {2, 2}, .strides = {half, half}};
    assert_false(layout_may_overlap(
        &(jg_layout){.ndim = 1, .size = 2, .shape = {2}, .strides = {INT64_MAX}}));
    assert_true(layout_may_overlap(&layout));
    layout.strides[1] = 1;
    assert_false(layout_may_overlap(&layout));
    layout.strides[0] = -half;
    assert_false(layout_may_overlap(&layout));
}
