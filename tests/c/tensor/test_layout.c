/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts and what can be asked of them, against looking at every index. */
#include "layouts.h"

enum { ROUNDS = 3000 };

TEST(a_new_layout_is_row_major)
{
    const int64_t shape[] = {2, 3, 4};
    jg_layout layout;
    assert_ok(layout_init(&layout, 3, shape));
    assert_int_equal(layout.size, 24);
    static int64_t elements[MANY];
    for (int64_t i = 0; i < 24; ++i)
        elements[i] = i;
    assert_same_elements(&layout, elements, 24);
    assert_true(layout_is_contiguous(&layout));
}

TEST(empty_axes_leave_defined_strides)
{
    const int64_t shape[] = {3, 0, 2};
    jg_layout layout;
    assert_ok(layout_init(&layout, 3, shape));
    assert_int_equal(layout.size, 0);
    assert_int_equal(layout.strides[0], 2);
    assert_int_equal(layout.strides[1], 2);
    assert_int_equal(layout.strides[2], 1);
}

TEST(too_many_axes_and_bad_extents_are_refused)
{
    int64_t shape[JG_MAX_NDIM + 1];
    jg_layout layout;
    for (int i = 0; i <= JG_MAX_NDIM; ++i)
        shape[i] = 1;
    assert_ok(layout_init(&layout, JG_MAX_NDIM, shape));
    assert_fails_saying(JG_ERR_VALUE, "ndim: got 65", layout_init(&layout, JG_MAX_NDIM + 1, shape));
    assert_fails(JG_ERR_VALUE, layout_init(&layout, -1, shape));
    shape[2] = -3;
    assert_fails_saying(JG_ERR_VALUE, "axis 2", layout_init(&layout, 3, shape));
}

static bool counts_up(const int64_t *elements, int64_t count)
{
    for (int64_t i = 1; i < count; ++i)
        if (elements[i] != elements[0] + i)
            return false;
    return true;
}

TEST(contiguous_means_that_elements_count_up)
{
    static int64_t elements[MANY];
    uint64_t seed = 1;
    int contiguous = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout layout = random_layout(&seed);
        if (round % 2) /* random strides are hardly ever dense */
            layout_row_major(layout.ndim, layout.shape, layout.strides);
        int64_t count = enumerate(&layout, elements);
        assert_int_equal(layout_is_contiguous(&layout), counts_up(elements, count));
        contiguous += layout_is_contiguous(&layout);
    }
    assert_in_range(contiguous, ROUNDS / 2, ROUNDS - 1);
}

TEST(bounds_are_the_lowest_and_the_highest_element)
{
    static int64_t elements[MANY];
    uint64_t seed = 2;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout layout = random_layout(&seed);
        int64_t low, high, lowest = 0, highest = -1, count = enumerate(&layout, elements);
        for (int64_t i = 0; i < count; ++i) {
            lowest = i == 0 || elements[i] < lowest ? elements[i] : lowest;
            highest = i == 0 || elements[i] > highest ? elements[i] : highest;
        }
        assert_ok(layout_bounds(&layout, &low, &high));
        assert_int_equal(low, lowest);
        assert_int_equal(high, highest);
    }
}

static bool has_repeats(int64_t *elements, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < i; ++j)
            if (elements[i] == elements[j])
                return true;
    return false;
}

/* A yes may be wrong, for windows that interleave; a no never. */
TEST(overlap_is_never_overlooked)
{
    static int64_t elements[MANY];
    uint64_t seed = 3;
    int disjoint = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout layout = random_layout(&seed);
        if (round % 2) {
            assert_ok(layout_init(&layout, layout.ndim, layout.shape));
            random_view(&seed, &layout);
            assert_false(layout_may_overlap(&layout));
        }
        bool overlaps = has_repeats(elements, enumerate(&layout, elements));
        assert_false(overlaps && !layout_may_overlap(&layout));
        disjoint += !layout_may_overlap(&layout);
    }
    assert_in_range(disjoint, ROUNDS / 2, ROUNDS - 1);
}

TEST(a_copy_is_the_same_layout)
{
    static int64_t elements[MANY];
    uint64_t seed = 4;
    for (int round = 0; round < 100; ++round) {
        jg_layout copy, layout = random_layout(&seed);
        layout_copy(&copy, &layout);
        assert_shape(&copy, layout.ndim, layout.shape);
        assert_same_elements(&copy, elements, enumerate(&layout, elements));
    }
}
