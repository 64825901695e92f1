/* SPDX-License-Identifier: Apache-2.0 */
/* Views as functions of layouts: each index of the result reaches the element it should. */
#include "layouts.h"

enum { ROUNDS = 1000 };

TEST(permuting_moves_every_index)
{
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout to, from = random_layout(&seed);
        int64_t axes[4] = {0, 1, 2, 3}, index[4] = {0}, moved[4];
        for (int i = from.ndim - 1; i > 0; --i) { /* shuffles */
            int j = (int)random_between(&seed, 0, i);
            int64_t axis = axes[i];
            axes[i] = axes[j];
            axes[j] = axis;
        }
        assert_ok(layout_permute(&from, from.ndim, axes, &to));
        assert_int_equal(to.size, from.size);
        for (bool more = from.size > 0; more; more = next_index(to.ndim, to.shape, index)) {
            for (int i = 0; i < to.ndim; ++i)
                moved[axes[i]] = index[i];
            assert_int_equal(element_at(&to, index), element_at(&from, moved));
        }
    }
}

TEST(permuting_wants_each_axis_once)
{
    const int64_t shape[] = {2, 3}, twice[] = {0, 0}, outside[] = {0, 2}, negative[] = {-1, -2};
    jg_layout from, to;
    assert_ok(layout_init(&from, 2, shape));
    assert_fails_saying(JG_ERR_VALUE, "twice", layout_permute(&from, 2, twice, &to));
    assert_fails(JG_ERR_AXIS, layout_permute(&from, 2, outside, &to));
    assert_fails_saying(JG_ERR_VALUE, "got 1", layout_permute(&from, 1, negative, &to));
    assert_fails(JG_ERR_VALUE, layout_permute(&from, -1, NULL, &to));
    assert_ok(layout_permute(&from, 2, negative, &to));
    assert_int_equal(to.shape[0], 3);
}

TEST(broadcasting_repeats_axes_of_one)
{
    uint64_t seed = 2;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout to, from = random_layout(&seed);
        int64_t shape[6], index[6] = {0}, source[6];
        int added = (int)random_between(&seed, 0, 2), ndim = from.ndim + added;
        for (int i = 0; i < ndim; ++i) {
            int64_t extent = i < added ? 1 : from.shape[i - added];
            shape[i] = extent == 1 ? random_between(&seed, 0, 3) : extent;
        }
        assert_ok(layout_broadcast(&from, ndim, shape, &to));
        assert_shape(&to, ndim, shape);
        for (bool more = to.size > 0; more; more = next_index(ndim, shape, index)) {
            for (int i = 0; i < from.ndim; ++i)
                source[i] = from.shape[i] == 1 ? 0 : index[i + added];
            assert_int_equal(element_at(&to, index), element_at(&from, source));
        }
    }
}

TEST(broadcasting_refuses_other_extents)
{
    const int64_t shape[] = {2, 3}, other[] = {2, 4}, fewer[] = {3}, large[] = {1LL << 62, 2, 3};
    jg_layout from, to;
    assert_ok(layout_init(&from, 2, shape));
    assert_fails_saying(JG_ERR_VALUE, "(2, 3) cannot be broadcast to (2, 4)",
                        layout_broadcast(&from, 2, other, &to));
    assert_fails(JG_ERR_VALUE, layout_broadcast(&from, 1, fewer, &to));
    assert_fails(JG_ERR_VALUE, layout_broadcast(&from, 3, large, &to));
    assert_fails(JG_ERR_VALUE, layout_broadcast(&from, 65, shape, &to));
}

TEST(new_axes_come_and_go_anywhere)
{
    static int64_t elements[MANY];
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout wider, back, from = random_layout(&seed);
        int64_t count = enumerate(&from, elements);
        int64_t axis = random_between(&seed, -from.ndim - 1, from.ndim);
        assert_ok(layout_expand(&from, axis, &wider));
        int at = (int)(axis < 0 ? axis + wider.ndim : axis);
        assert_int_equal(wider.ndim, from.ndim + 1);
        assert_int_equal(wider.shape[at], 1);
        assert_same_elements(&wider, elements, count);
        assert_ok(layout_squeeze(&wider, 1, &axis, &back));
        assert_shape(&back, from.ndim, from.shape);
        assert_same_elements(&back, elements, count);
    }
}

TEST(axes_outside_and_wider_than_one_are_refused)
{
    int64_t shape[JG_MAX_NDIM] = {2, 1}, first = 0, far = 3, twice[] = {1, -1};
    jg_layout from, to;
    assert_ok(layout_init(&from, 2, shape));
    assert_fails_saying(JG_ERR_VALUE, "axis: 0 has extent 2",
                        layout_squeeze(&from, 1, &first, &to));
    assert_fails(JG_ERR_AXIS, layout_squeeze(&from, 1, &far, &to));
    assert_fails(JG_ERR_VALUE, layout_squeeze(&from, 2, twice, &to));
    assert_fails(JG_ERR_AXIS, layout_expand(&from, 3, &to));
    assert_fails(JG_ERR_AXIS, layout_expand(&from, -4, &to));
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        shape[i] = 1;
    assert_ok(layout_init(&from, JG_MAX_NDIM, shape));
    assert_fails_saying(JG_ERR_VALUE, "ndim", layout_expand(&from, 0, &to));
}
