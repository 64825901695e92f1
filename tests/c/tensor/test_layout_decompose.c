/* SPDX-License-Identifier: Apache-2.0 */
/* Where the indices of a view lie in the index space of its root. */
#include "layouts.h"

enum { ROUNDS = 4000 };

/* Row-major position of the root index that the map names, or -1 outside the root. */
static int64_t position_of(int from, const int64_t *index, int to, const int64_t *shape,
                           const int64_t *origin, const int64_t *steps)
{
    int64_t position = 0;
    for (int k = 0; k < to; ++k) {
        int64_t at = origin[k];
        for (int d = 0; d < from; ++d)
            at += index[d] * steps[d * to + k];
        if (at < 0 || at >= shape[k])
            return -1;
        position = position * shape[k] + at;
    }
    return position;
}

static void check_map(const jg_layout *view, int ndim, const int64_t *shape, const int64_t *origin,
                      const int64_t *steps)
{
    int64_t index[JG_MAX_NDIM] = {0};
    for (bool more = view->size > 0; more; more = next_index(view->ndim, view->shape, index))
        assert_int_equal(position_of(view->ndim, index, ndim, shape, origin, steps),
                         element_at(view, index));
}

static jg_layout random_root(uint64_t *seed)
{
    jg_layout root = random_layout(seed);
    assert_ok(layout_init(&root, root.ndim, root.shape));
    return root;
}

/* Slices, permutations, broadcasts and new axes never cross a row, so a map must be found. */
TEST(views_without_reshape_are_affine)
{
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; ++round) {
        jg_layout root = random_root(&seed), view = root, wide;
        int64_t origin[JG_MAX_NDIM], steps[8 * 8], shape[8];
        bool affine;
        random_view(&seed, &view);
        if (root.size == 0)
            continue;
        assert_ok(layout_expand(&view, random_between(&seed, 0, view.ndim), &wide));
        for (int i = 0; i < wide.ndim; ++i)
            shape[i] = wide.shape[i] == 1 ? random_between(&seed, 1, 3) : wide.shape[i];
        assert_ok(layout_broadcast(&wide, wide.ndim, shape, &view));
        layout_decompose(&view, root.ndim, root.shape, origin, steps, &affine);
        assert_true(affine);
        check_map(&view, root.ndim, root.shape, origin, steps);
    }
}

/* Any layout within the root, reached by reshapes of slices of reshapes or not at all: a map
 * that is given is right. */
TEST(a_map_is_right_wherever_it_is_given)
{
    uint64_t seed = 2;
    int maps = 0, none = 0;
    for (int round = 0; round < 10 * ROUNDS; ++round) {
        jg_layout root = random_root(&seed), view = random_layout(&seed);
        int64_t origin[JG_MAX_NDIM], steps[8 * 8], low, high;
        bool affine;
        view.offset = random_between(&seed, 0, root.size);
        assert_ok(layout_bounds(&view, &low, &high));
        if (view.size == 0 || low < 0 || high >= root.size)
            continue;
        layout_decompose(&view, root.ndim, root.shape, origin, steps, &affine);
        if (affine)
            check_map(&view, root.ndim, root.shape, origin, steps);
        maps += affine;
        none += !affine;
    }
    assert_true(maps > 1000 && none > 1000);
}

TEST(a_flattened_matrix_has_no_map)
{
    const int64_t shape[] = {2, 3}, flat[] = {6};
    int64_t origin[2], steps[2];
    jg_layout root, view;
    bool fits, affine;
    assert_ok(layout_init(&root, 2, shape));
    assert_ok(layout_reshape(&root, 1, flat, &view, &fits));
    layout_decompose(&view, 2, shape, origin, steps, &affine);
    assert_false(affine);
    assert_ok(layout_slice(&view, 0, 3, 3, 1, true, &view)); /* the second row */
    layout_decompose(&view, 2, shape, origin, steps, &affine);
    assert_true(affine);
    check_map(&view, 2, shape, origin, steps);
}

TEST(a_split_axis_has_a_map)
{
    const int64_t shape[] = {2, 6}, split[] = {2, 3, 2};
    int64_t origin[2], steps[6];
    jg_layout root, view;
    bool fits, affine;
    assert_ok(layout_init(&root, 2, shape));
    assert_ok(layout_reshape(&root, 3, split, &view, &fits));
    layout_decompose(&view, 2, shape, origin, steps, &affine);
    assert_true(affine);
    check_map(&view, 2, shape, origin, steps);
}

TEST(a_scalar_has_the_origin_alone)
{
    const int64_t shape[] = {4, 5};
    int64_t origin[2], steps[1] = {0};
    jg_layout view = {.ndim = 0, .size = 1, .offset = 13};
    bool affine;
    layout_decompose(&view, 2, shape, origin, steps, &affine);
    assert_true(affine);
    assert_int_equal(origin[0], 2);
    assert_int_equal(origin[1], 3);
}
