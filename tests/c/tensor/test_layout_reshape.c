/* SPDX-License-Identifier: Apache-2.0 */
/* Reshape: the same elements in the same order, or the answer that no strides say that. */
#include "layouts.h"

enum { ROUNDS = 4000 };

/* Whether strides exist for the shape: they must be what the first step along each axis shows,
 * and then agree with every other element. */
static bool strides_exist(const int64_t *elements, int ndim, const int64_t *shape)
{
    int64_t strides[8], step = 1, index[8] = {0}, at = 0;
    for (int i = ndim - 1; i >= 0; --i) {
        strides[i] = shape[i] > 1 ? elements[step] - elements[0] : 0;
        step *= shape[i];
    }
    do {
        int64_t element = elements[0];
        for (int i = 0; i < ndim; ++i)
            element += index[i] * strides[i];
        if (element != elements[at++])
            return false;
    } while (next_index(ndim, shape, index));
    return true;
}

/* Splits size into a few factors in random order, ones among them. */
static int random_factors(uint64_t *seed, int64_t size, int64_t *shape)
{
    int ndim = 0;
    while (ndim < 6 && (size > 1 || random_between(seed, 0, 1))) {
        int64_t factor = random_between(seed, 1, 4);
        if (ndim == 5)
            factor = size;
        if (size % factor != 0)
            continue;
        shape[ndim++] = factor;
        size /= factor;
    }
    return ndim;
}

TEST(reshape_fits_exactly_where_strides_exist)
{
    static int64_t elements[MANY];
    uint64_t seed = 1;
    int fitted = 0, tried = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout to, from = random_layout(&seed);
        int64_t shape[6], count;
        bool fits;
        if (round % 4) {
            assert_ok(layout_init(&from, from.ndim, from.shape));
            random_view(&seed, &from);
        }
        if (from.size == 0)
            continue;
        count = enumerate(&from, elements);
        int ndim = random_factors(&seed, count, shape);
        assert_ok(layout_reshape(&from, ndim, shape, &to, &fits));
        assert_int_equal(fits, strides_exist(elements, ndim, shape));
        tried += 1;
        fitted += fits;
        if (!fits)
            continue;
        assert_shape(&to, ndim, shape);
        assert_same_elements(&to, elements, count);
    }
    assert_in_range(fitted, tried / 10, tried - tried / 10);
}

TEST(a_transposed_matrix_does_not_flatten)
{
    const int64_t shape[] = {2, 3}, axes[] = {1, 0}, flat[] = {6}, split[] = {3, 1, 2};
    jg_layout from, turned, to;
    bool fits;
    assert_ok(layout_init(&from, 2, shape));
    assert_ok(layout_permute(&from, 2, axes, &turned));
    assert_ok(layout_reshape(&turned, 1, flat, &to, &fits));
    assert_false(fits);
    assert_ok(layout_reshape(&turned, 3, split, &to, &fits));
    assert_true(fits);
}

TEST(an_empty_layout_takes_any_empty_shape)
{
    const int64_t shape[] = {0, 3}, other[] = {5, 0, 7};
    jg_layout from, to;
    bool fits;
    assert_ok(layout_init(&from, 2, shape));
    assert_ok(layout_reshape(&from, 3, other, &to, &fits));
    assert_true(fits);
    assert_shape(&to, 3, other);
    assert_int_equal(to.size, 0);
}

TEST(one_extent_may_be_left_open)
{
    const int64_t open[] = {4, -1, 3}, all[] = {-1};
    int64_t extents[3];
    assert_ok(layout_reshape_extents(24, 3, open, extents));
    assert_int_equal(extents[1], 2);
    assert_ok(layout_reshape_extents(0, 3, open, extents));
    assert_int_equal(extents[1], 0);
    assert_ok(layout_reshape_extents(7, 1, all, extents));
    assert_int_equal(extents[0], 7);
    assert_ok(layout_reshape_extents(1, 0, NULL, extents));
}

TEST(shapes_that_do_not_hold_the_elements_are_refused)
{
    const int64_t twice[] = {-1, -1}, odd[] = {5, -1}, empty[] = {0, -1}, negative[] = {-2, 3},
                  less[] = {2, 3}, large[] = {1LL << 62, 4};
    int64_t extents[2];
    assert_fails_saying(JG_ERR_VALUE, "axes 0 and 1 are both -1",
                        layout_reshape_extents(6, 2, twice, extents));
    assert_fails_saying(JG_ERR_VALUE, "(5, -1) does not hold 6",
                        layout_reshape_extents(6, 2, odd, extents));
    assert_fails(JG_ERR_VALUE, layout_reshape_extents(0, 2, empty, extents));
    assert_fails_saying(JG_ERR_VALUE, "extent -2", layout_reshape_extents(6, 2, negative, extents));
    assert_fails(JG_ERR_VALUE, layout_reshape_extents(7, 2, less, extents));
    assert_fails(JG_ERR_VALUE, layout_reshape_extents(0, 2, large, extents));
    assert_fails(JG_ERR_VALUE, layout_reshape_extents(2, 0, NULL, extents));
    assert_fails(JG_ERR_VALUE, layout_reshape_extents(1, JG_MAX_NDIM + 1, NULL, extents));
}
