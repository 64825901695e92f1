/* SPDX-License-Identifier: Apache-2.0 */
/* Basic indexing against counting out what Python's rules say. */
#include "../arrays.h"
#include "../tensor/layouts.h"
#include "compose/compose.h"

/* What range(*slice.indices(extent)) gives. */
static int64_t python_slice(const jg_index *item, int64_t extent, int64_t *positions)
{
    int64_t step = item->has_step ? item->step : 1, count = 0;
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    int64_t start = step > 0 ? low : high, stop = step > 0 ? high : low;
    if (item->has_start)
        start = item->start < 0 ? item->start + extent : item->start;
    if (item->has_stop)
        stop = item->stop < 0 ? item->stop + extent : item->stop;
    start = start < low ? low : start > high ? high : start;
    stop = stop < low ? low : stop > high ? high : stop;
    for (int64_t at = start; step > 0 ? at < stop : at > stop; at += step)
        positions[count++] = at;
    return count;
}

static void check_slice(jg_index item, int64_t extent)
{
    int64_t positions[16];
    jg_layout from, to;
    assert_ok(layout_init(&from, 1, &extent));
    assert_ok(compose_index(&from, 1, &item, &to));
    assert_same_elements(&to, positions, python_slice(&item, extent, positions));
}

TEST(slices_pick_what_pythons_do)
{
    for (int64_t extent = 0; extent <= 5; ++extent)
        for (int given = 0; given < 8; ++given)
            for (int64_t start = -7; start <= 7; ++start)
                for (int64_t stop = -7; stop <= 7; ++stop)
                    for (int64_t step = -3; step <= 3; ++step)
                        if (step != 0)
                            check_slice((jg_index){.kind = JG_INDEX_SLICE,
                                                   .start = start,
                                                   .stop = stop,
                                                   .step = step,
                                                   .has_start = given & 1,
                                                   .has_stop = given & 2,
                                                   .has_step = given & 4},
                                        extent);
}

TEST(bounds_at_the_edge_of_63_bits_are_clipped)
{
    const int64_t edges[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < JG_COUNT_OF(edges); ++i)
        for (size_t j = 0; j < JG_COUNT_OF(edges); ++j)
            for (size_t k = 0; k < JG_COUNT_OF(edges); ++k) {
                jg_index item = {JG_INDEX_SLICE, edges[i], edges[j], edges[k],
                                 true,           true,     true,     NULL};
                int64_t extent = 4;
                jg_layout from, to;
                if (edges[k] == 0)
                    continue;
                assert_ok(layout_init(&from, 1, &extent));
                assert_ok(compose_index(&from, 1, &item, &to));
                assert_true(to.size <= extent);
            }
}

typedef struct index_case {
    int nitems;
    jg_index items[5];
    int ndim;
    int64_t shape[5], first; /* the first element that the view shows */
} index_case;

/* Into an array of shape (2, 3, 4). */
static const index_case cases[] = {
    {0, {{0}}, 3, {2, 3, 4}, 0},
    {1, {AT(1)}, 2, {3, 4}, 12},
    {1, {AT(-1)}, 2, {3, 4}, 12},
    {3, {AT(1), AT(2), AT(3)}, 0, {0}, 23},
    {2, {ALL, AT(1)}, 2, {2, 4}, 4},
    {2, {ELLIPSIS, AT(1)}, 2, {2, 3}, 1},
    {3, {AT(0), ELLIPSIS, AT(-1)}, 1, {3}, 3},
    {1, {ELLIPSIS}, 3, {2, 3, 4}, 0},
    {4, {ALL, ELLIPSIS, ALL, ALL}, 3, {2, 3, 4}, 0},
    {1, {NEW_AXIS}, 4, {1, 2, 3, 4}, 0},
    {3, {ALL, NEW_AXIS, AT(2)}, 3, {2, 1, 4}, 8},
    {2, {ELLIPSIS, NEW_AXIS}, 4, {2, 3, 4, 1}, 0},
    {3, {EVERY(-1), FROM_TO(1, 3), EVERY(2)}, 3, {2, 2, 2}, 16},
    {2, {FROM_TO(1, 1), AT(1)}, 2, {0, 4}, 4},
    {5, {AT(1), NEW_AXIS, ELLIPSIS, NEW_AXIS, AT(0)}, 3, {1, 3, 1}, 12},
};

TEST(items_of_every_kind_combine)
{
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i) {
        const index_case *c = &cases[i];
        const int64_t shape[] = {2, 3, 4};
        jg_layout from, to;
        assert_ok(layout_init(&from, 3, shape));
        assert_ok(compose_index(&from, c->nitems, c->items, &to));
        assert_shape(&to, c->ndim, c->shape);
        if (to.size > 0)
            assert_int_equal(to.offset, c->first);
    }
}

TEST(what_is_outside_or_too_much_is_refused)
{
    jg_array *x = counting(JG_DTYPE_INT8, SHAPE(2, 3)), *out = NULL;
    assert_fails_saying(JG_ERR_INDEX, "2 is out of range for axis 0 with extent 2",
                        jg_slice(x, ITEMS(AT(2)), &out));
    assert_fails_saying(JG_ERR_INDEX, "-4 is out of range for axis 1",
                        jg_slice(x, ITEMS(ALL, AT(-4)), &out));
    assert_fails_saying(JG_ERR_INDEX, "axis 1", jg_slice(x, ITEMS(AT(0), NEW_AXIS, AT(3)), &out));
    assert_fails_saying(JG_ERR_INDEX, "names 3 axes, allowed are at most the array's 2",
                        jg_slice(x, ITEMS(ALL, ALL, ALL), &out));
    assert_fails(JG_ERR_INDEX, jg_slice(x, ITEMS(ELLIPSIS, ELLIPSIS), &out));
    jg_index unknown = {.start = 1};
    memset(&unknown.kind, 0x11, sizeof unknown.kind);
    assert_fails_saying(JG_ERR_VALUE, "item 1 has the kind",
                        jg_slice(x, ITEMS(AT(0), unknown), &out));
    assert_fails(JG_ERR_VALUE, jg_slice(x, ITEMS(EVERY(0)), &out));
    assert_fails(JG_ERR_INDEX, jg_slice(x, ITEMS(AT(INT64_MIN)), &out));
    assert_null(out);
    jg_array_release(x);
}

TEST(indexing_shows_live_values_without_a_copy)
{
    jg_array *x = counting(JG_DTYPE_INT16, SHAPE(2, 3)), *view;
    jg_view whole, part;
    assert_ok(jg_slice(x, ITEMS(EVERY(-1), FROM_TO(1, 3)), &view));
    assert_ok(jg_array_view(x, &whole));
    assert_ok(jg_array_view(view, &part));
    assert_ptr_equal(part.data, (char *)whole.data + 4 * sizeof(int16_t));
    assert_int_equal(part.strides[0], -3);
    assert_elements(view, 5, 6, 2, 3);
    release_all(2, (jg_array *[]){x, view});
}

TEST(packed_elements_are_viewed_from_the_first_on_only)
{
    jg_array *x, *out = NULL;
    assert_ok(jg_empty(JG_DTYPE_INT4, SHAPE(4, 2), &x));
    assert_fails_saying(JG_ERR_TYPE, "packed", jg_slice(x, ITEMS(AT(1)), &out));
    assert_fails(JG_ERR_TYPE, jg_slice(x, ITEMS(EVERY(-1)), &out));
    assert_null(out);
    assert_ok(jg_slice(x, ITEMS(FROM_TO(0, 2)), &out));
    assert_int_equal(jg_array_nbytes(out), 2);
    release_all(2, (jg_array *[]){x, out});
}
