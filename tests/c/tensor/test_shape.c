/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes, broadcasting, and axes named from either end. */
#include "../support.h"
#include "tensor/tensor.h"

TEST(the_size_is_the_product_of_the_extents)
{
    const int64_t shape[] = {3, 4, 5};
    int64_t size;
    assert_ok(shape_size(3, shape, &size));
    assert_int_equal(size, 60);
    assert_ok(shape_size(0, NULL, &size));
    assert_int_equal(size, 1);
}

TEST(an_empty_axis_makes_the_size_zero)
{
    const int64_t shape[] = {INT64_MAX, 0, 1};
    int64_t size;
    assert_ok(shape_size(3, shape, &size));
    assert_int_equal(size, 0);
}

TEST(sizes_beyond_63_bits_and_negative_extents_are_refused)
{
    const int64_t large[] = {1LL << 32, 1LL << 31}, empty[] = {0, 1LL << 32, 1LL << 31},
                  negative[] = {2, -1};
    int64_t size = 7;
    assert_fails_saying(JG_ERR_VALUE, "(4294967296, 2147483648)", shape_size(2, large, &size));
    assert_fails(JG_ERR_VALUE, shape_size(3, empty, &size));
    assert_fails_saying(JG_ERR_VALUE, "axis 1 has extent -1", shape_size(2, negative, &size));
    assert_int_equal(size, 7);
}

typedef struct broadcast_case {
    int andim, bndim, ndim; /* ndim -1: refused */
    int64_t a[3], b[3], both[3];
} broadcast_case;

static const broadcast_case broadcasts[] = {
    {0, 0, 0, {0}, {0}, {0}},
    {0, 2, 2, {0}, {2, 3}, {2, 3}},
    {1, 2, 2, {3}, {2, 3}, {2, 3}},
    {1, 2, 2, {1}, {2, 3}, {2, 3}},
    {2, 2, 2, {2, 1}, {1, 3}, {2, 3}},
    {3, 1, 3, {4, 1, 2}, {1}, {4, 1, 2}},
    {3, 2, 3, {4, 1, 2}, {5, 1}, {4, 5, 2}},
    {1, 1, 1, {0}, {1}, {0}},
    {2, 2, 2, {0, 1}, {1, 0}, {0, 0}},
    {1, 1, -1, {2}, {3}, {0}},
    {1, 1, -1, {0}, {2}, {0}},
    {2, 1, -1, {2, 3}, {2}, {0}},
};

TEST(shapes_broadcast_from_the_last_axis)
{
    for (size_t i = 0; i < JG_COUNT_OF(broadcasts); ++i) {
        const broadcast_case *c = &broadcasts[i];
        int64_t shape[3];
        int ndim = 99;
        if (c->ndim < 0) {
            assert_fails(JG_ERR_VALUE,
                         shape_broadcast(c->andim, c->a, c->bndim, c->b, &ndim, shape));
            assert_int_equal(ndim, 99);
            continue;
        }
        for (int swapped = 0; swapped < 2; ++swapped) {
            if (swapped)
                assert_ok(shape_broadcast(c->bndim, c->b, c->andim, c->a, &ndim, shape));
            else
                assert_ok(shape_broadcast(c->andim, c->a, c->bndim, c->b, &ndim, shape));
            assert_int_equal(ndim, c->ndim);
            assert_memory_equal(shape, c->both, (size_t)ndim * sizeof *shape);
        }
    }
}

TEST(the_message_of_a_failed_broadcast_shows_both_shapes)
{
    const int64_t a[] = {2, 1}, b[] = {3, 4};
    int64_t shape[2];
    int ndim;
    assert_fails_saying(JG_ERR_VALUE, "(2, 1) and (3, 4)",
                        shape_broadcast(2, a, 2, b, &ndim, shape));
}

TEST(axes_count_from_either_end)
{
    int axis;
    for (int i = 0; i < 3; ++i) {
        assert_ok(shape_axis("axis", i, 3, &axis));
        assert_int_equal(axis, i);
        assert_ok(shape_axis("axis", i - 3, 3, &axis));
        assert_int_equal(axis, i);
    }
    assert_fails_saying(JG_ERR_AXIS, "where: got 3, allowed for 3 axes is -3 to 2",
                        shape_axis("where", 3, 3, &axis));
    assert_fails(JG_ERR_AXIS, shape_axis("axis", -4, 3, &axis));
    assert_fails(JG_ERR_AXIS, shape_axis("axis", INT64_MIN, 3, &axis));
    assert_fails(JG_ERR_AXIS, shape_axis("axis", 0, 0, &axis));
}

TEST(axes_become_a_set)
{
    const int64_t some[] = {-1, 0}, twice[] = {1, -2};
    uint64_t set;
    assert_ok(shape_axes("axis", 2, some, 3, &set));
    assert_int_equal(set, 5);
    assert_ok(shape_axes("axis", 0, some, 3, &set));
    assert_int_equal(set, 0);
    assert_fails_saying(JG_ERR_VALUE, "axis 1 twice", shape_axes("axis", 2, twice, 3, &set));
    assert_fails(JG_ERR_AXIS, shape_axes("axis", 2, some, 0, &set));
}

TEST(no_axes_named_means_all)
{
    uint64_t set;
    assert_ok(shape_axes("axis", -1, NULL, 3, &set));
    assert_int_equal(set, 7);
    assert_ok(shape_axes("axis", -1, NULL, 64, &set));
    assert_true(set == UINT64_MAX);
    assert_ok(shape_axes("axis", -1, NULL, 0, &set));
    assert_int_equal(set, 0);
}
