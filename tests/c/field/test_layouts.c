/* SPDX-License-Identifier: Apache-2.0 */
/* Where the members of elements lie: cells, planes, orders, trees of axes. */
#include "fields.h"

static jg_field_plane storage_of(jg_field *field)
{
    jg_field_plane plane;
    assert_ok(jg_field_storage(field, &plane));
    return plane;
}

static int64_t bytes_between(jg_field *a, jg_field *b)
{
    return (char *)storage_of(b).view.data - (char *)storage_of(a).view.data;
}

TEST(members_of_cells_lie_side_by_side_and_aligned)
{
    jg_field *s = particles(5, JG_FIELD_AOS), *a = member_of(s, 0), *p = member_of(s, 1),
             *d = member_of(s, 2);
    assert_int_equal(bytes_between(a, p), 4);
    assert_int_equal(bytes_between(a, d), 16);
    jg_field_plane plane = storage_of(p);
    assert_int_equal(plane.view.ndim, 2);
    assert_int_equal(plane.view.strides[0], 6); /* cells of 24 bytes */
    assert_int_equal(plane.view.strides[1], 1);
    assert_int_equal(storage_of(a).view.strides[0], 24);
    assert_int_equal(storage_of(d).view.strides[0], 3);
    jg_field_release(a);
    jg_field_release(p);
    jg_field_release(d);
    jg_field_release(s);
}

TEST(members_of_planes_are_dense_by_themselves)
{
    jg_field *s = particles(5, JG_FIELD_SOA), *p = member_of(s, 1), *d = member_of(s, 2);
    jg_field_plane plane = storage_of(p);
    assert_int_equal(plane.view.strides[0], 1); /* each component by itself */
    assert_int_equal(plane.view.strides[1], 5);
    assert_int_equal(storage_of(d).view.strides[0], 1);
    jg_field_release(p);
    jg_field_release(d);
    jg_field_release(s);
}

TEST(the_order_of_axes_in_memory_can_be_chosen)
{
    const int order[] = {2, 0, 1};
    for (int layout = JG_FIELD_AOS; layout <= JG_FIELD_SOA; ++layout) {
        jg_field *x;
        jg_field_spec spec = {.element = scalar_element(JG_DTYPE_FLOAT32),
                              .ndim = 3,
                              .shape = (const int64_t[]){2, 3, 4},
                              .order = order,
                              .layout = (jg_field_layout)layout};
        assert_ok(jg_field_new(&spec, &x));
        jg_field_plane plane = storage_of(x);
        assert_int_equal(plane.view.strides[0], 3);
        assert_int_equal(plane.view.strides[1], 1);
        assert_int_equal(plane.view.strides[2], 6);
        jg_field_release(x);
        jg_element_release(spec.element);
    }
}

static jg_dense *dense(jg_dense *parent, int naxes, const int *axes, const int64_t *extents)
{
    jg_dense *node;
    assert_ok(jg_dense_new(parent, naxes, axes, extents, &node));
    return node;
}

#define AXES(...)                                                                                  \
    (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (const int[])                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

TEST(levels_of_one_axis_that_are_one_stride_are_joined)
{
    jg_field *x = unplaced(JG_DTYPE_INT32);
    jg_dense *outer = dense(NULL, AXES(0), (const int64_t[]){4}),
             *inner = dense(outer, AXES(0), (const int64_t[]){8});
    assert_ok(jg_dense_place(inner, x, NULL));
    assert_int_equal(jg_field_shape(x)[0], 32);
    jg_field_plane plane = storage_of(x);
    assert_int_equal(plane.levels[0], 1);
    assert_int_equal(plane.view.strides[0], 1);
    jg_dense_release(outer);
    jg_dense_release(inner);
    jg_field_release(x);
}

/* Blocks of 2 by 3 in a grid of 3 by 2. */
static jg_field *blocked_field(void)
{
    jg_field *x = unplaced(JG_DTYPE_FLOAT32);
    jg_dense *outer = dense(NULL, AXES(0, 1), (const int64_t[]){3, 2}),
             *inner = dense(outer, AXES(0, 1), (const int64_t[]){2, 3});
    assert_ok(jg_dense_place(inner, x, NULL));
    jg_dense_release(outer);
    jg_dense_release(inner);
    return x;
}

TEST(blocks_are_found_by_index_and_copied_in_order)
{
    jg_field *x = blocked_field();
    jg_array *values, *copy;
    jg_field_plane plane = storage_of(x);
    assert_int_equal(plane.view.ndim, 4);
    assert_int_equal(plane.levels[0], 2);
    assert_int_equal(plane.levels[1], 2);
    values = counting(JG_DTYPE_FLOAT32, SHAPE(6, 6));
    assert_ok(jg_field_assign(x, values));
    assert_true(get(x, INDEX(0, 3)) == 4);
    assert_true(get(x, INDEX(3, 4)) == 23);
    assert_true(((float *)plane.view.data)[6] == 4); /* the second block begins */
    copy = array_of(x, JG_COPY_IF_NEEDED);
    assert_array_shape(copy, SHAPE(6, 6));
    double *read = read_all(copy);
    for (int i = 0; i < 36; ++i)
        assert_true(read[i] == i + 1);
    base_free(read);
    jg_array *view;
    assert_fails_saying(JG_ERR_COPY, "axis 0 is blocked as 3 x 2",
                        jg_field_to_array(x, JG_COPY_NEVER, &view));
    release_all(2, (jg_array *[]){values, copy});
    jg_field_release(x);
}

TEST(fields_of_one_cell_share_it_with_nodes_below)
{
    jg_field *a = unplaced(JG_DTYPE_INT8), *b = unplaced(JG_DTYPE_FLOAT64),
             *c = unplaced(JG_DTYPE_INT16);
    jg_dense *outer = dense(NULL, AXES(0), (const int64_t[]){3}), *inner;
    assert_ok(jg_dense_place(outer, a, NULL));
    inner = dense(outer, AXES(1), (const int64_t[]){2});
    assert_ok(jg_dense_place(inner, b, NULL));
    assert_ok(jg_dense_place(outer, c, NULL));
    assert_int_equal(jg_field_ndim(b), 2);
    assert_int_equal(bytes_between(a, b), 8);
    assert_int_equal(bytes_between(a, c), 24);
    assert_int_equal(storage_of(b).view.strides[0], 4); /* cells of 32 bytes */
    put(c, INDEX(2), 7);
    put(b, INDEX(2, 1), 0.5);
    assert_true(get(c, INDEX(2)) == 7);
    assert_true(get(a, INDEX(2)) == 0);
    jg_dense_release(outer);
    jg_dense_release(inner);
    jg_field_release(a);
    jg_field_release(b);
    jg_field_release(c);
}

TEST(a_tree_in_use_takes_no_more)
{
    jg_field *a = unplaced(JG_DTYPE_INT8), *b = unplaced(JG_DTYPE_INT8);
    jg_dense *node = dense(NULL, AXES(0), (const int64_t[]){3}), *below;
    assert_fails_saying(JG_ERR_VALUE, "no memory", jg_field_fill(a, integer_number(1)));
    assert_ok(jg_dense_place(node, a, NULL));
    assert_fails_saying(JG_ERR_VALUE, "has its place already", jg_dense_place(node, a, NULL));
    assert_ok(jg_field_fill(a, integer_number(1)));
    assert_fails_saying(JG_ERR_VALUE, "in use", jg_dense_place(node, b, NULL));
    assert_fails_saying(JG_ERR_VALUE, "in use",
                        jg_dense_new(node, AXES(1), (const int64_t[]){3}, &below));
    assert_false(jg_field_is_placed(b));
    jg_dense_release(node);
    jg_field_release(a);
    jg_field_release(b);
}

TEST(a_tree_outlives_its_nodes_and_forgets_fields)
{
    int64_t blocks = base_live_blocks();
    jg_field *a = unplaced(JG_DTYPE_INT8), *b = unplaced(JG_DTYPE_INT32);
    jg_dense *node = dense(NULL, AXES(0), (const int64_t[]){3});
    assert_ok(jg_dense_place(node, a, NULL));
    assert_ok(jg_dense_place(node, b, NULL));
    jg_dense_release(node);
    jg_field_release(a);
    put(b, INDEX(1), 5);
    assert_int_equal(storage_of(b).view.strides[0], 2); /* a keeps its room */
    jg_field_release(b);
    jg_field *c = unplaced(JG_DTYPE_INT8); /* freed before it has memory */
    node = dense(NULL, AXES(0), (const int64_t[]){3});
    assert_ok(jg_dense_place(node, c, NULL));
    jg_field_release(c);
    jg_dense_release(node);
    jg_clear_cache();
    assert_true(base_live_blocks() <= blocks + 4); /* nodes and buffers kept for reuse */
}

TEST(bad_axes_and_extents_are_refused)
{
    jg_dense *node;
    assert_fails_saying(JG_ERR_VALUE, "twice",
                        jg_dense_new(NULL, AXES(1, 1), (const int64_t[]){2, 2}, &node));
    assert_fails_saying(JG_ERR_VALUE, "-2 along axis 1",
                        jg_dense_new(NULL, AXES(1), (const int64_t[]){-2}, &node));
    assert_fails(JG_ERR_VALUE, jg_dense_new(NULL, AXES(99), (const int64_t[]){2}, &node));
    jg_field *x = unplaced(JG_DTYPE_FLOAT64);
    node = dense(NULL, AXES(0), (const int64_t[]){INT64_MAX / 2});
    assert_ok(jg_dense_place(node, x, NULL));
    assert_fails_saying(JG_ERR_VALUE, "2^63 bytes or more, allowed are fewer",
                        jg_field_fill(x, integer_number(1)));
    jg_dense_release(node);
    jg_field_release(x);
}

/* Its strides are counted in bytes, whether there are any cells or not. */
TEST(an_empty_tree_of_huge_cells_is_refused_as_a_full_one)
{
    for (int64_t first = 0; first < 2; ++first) {
        jg_field *x = unplaced(JG_DTYPE_FLOAT64);
        jg_dense *node = dense(NULL, AXES(0, 1), (const int64_t[]){first, INT64_C(1) << 61});
        assert_ok(jg_dense_place(node, x, NULL));
        assert_fails_saying(JG_ERR_VALUE, "2^63 bytes or more, allowed are fewer",
                            jg_field_fill(x, integer_number(1)));
        jg_dense_release(node);
        jg_field_release(x);
    }
    jg_field *x = unplaced(JG_DTYPE_FLOAT64);
    jg_dense *node = dense(NULL, AXES(0, 1), (const int64_t[]){0, INT64_C(1) << 59});
    assert_ok(jg_dense_place(node, x, NULL));
    assert_ok(jg_field_fill(x, integer_number(1)));
    jg_dense_release(node);
    jg_field_release(x);
}
