/* SPDX-License-Identifier: Apache-2.0 */
/* Trees with cells that need not exist: what a store makes exist, and where the memory is. */
#include "fields.h"

static jg_dense *node_below(jg_dense *parent, int axis, int64_t extent)
{
    jg_dense *node;
    assert_ok(jg_dense_new(parent, 1, &axis, &extent, &node));
    return node;
}

static jg_field *marks_of(jg_dtype dtype, int64_t count)
{
    return field_of(scalar_element(dtype), 1, &count, JG_FIELD_AOS);
}

static uint64_t mark(jg_field *marks, int64_t number)
{
    jg_number found;
    assert_ok(jg_field_load(marks, 1, &number, &found));
    return found.kind == JG_KIND_UINT ? found.u64 : (uint64_t)found.i64;
}

/* 4 cells of axis 0, each a list of at most 8 along axis 1, in dense cells of 2 along axis 0. */
typedef struct tree {
    jg_dense *outer, *middle, *list;
    jg_field *exists, *counts, *x;
} tree;

static tree new_tree(void)
{
    tree t = {.outer = node_below(NULL, 0, 4)};
    t.exists = marks_of(JG_DTYPE_UINT8, 4);
    t.counts = marks_of(JG_DTYPE_INT32, 8);
    assert_ok(jg_dense_mark(t.outer, JG_CELLS_MARKED, t.exists));
    t.middle = node_below(t.outer, 0, 2);
    t.list = node_below(t.middle, 1, 8);
    assert_ok(jg_dense_mark(t.list, JG_CELLS_COUNTED, t.counts));
    t.x = unplaced(JG_DTYPE_FLOAT32);
    assert_ok(jg_dense_place(t.list, t.x, (const int64_t[]){-3, 10}));
    return t;
}

static void free_tree(tree *t)
{
    jg_dense_release(t->outer);
    jg_dense_release(t->middle);
    jg_dense_release(t->list);
    jg_field_release(t->exists);
    jg_field_release(t->counts);
    jg_field_release(t->x);
}

TEST(a_store_makes_the_cells_on_its_way_exist)
{
    tree t = new_tree();
    assert_true(jg_field_is_marked(t.x) && !jg_field_is_marked(t.exists));
    assert_true(get(t.x, INDEX(2, 14)) == 0);
    assert_int_equal(mark(t.exists, 2), 0);
    put(t.x, INDEX(2, 14), 7); /* 5, 4 from zero on: in cell 2, the second of its lists */
    put(t.x, INDEX(2, 11), 8);
    for (int64_t i = 0; i < 4; ++i)
        assert_int_equal(mark(t.exists, i), i == 2);
    for (int64_t i = 0; i < 8; ++i)
        assert_int_equal(mark(t.counts, i), i == 5 ? 5 : 0);
    assert_true(get(t.x, INDEX(2, 14)) == 7 && get(t.x, INDEX(2, 11)) == 8);
    assert_int_equal(jg_field_store(t.x, INDEX(5, 10), float_number(1)), JG_ERR_INDEX);
    assert_int_equal(mark(t.exists, 3), 0);
    free_tree(&t);
}

TEST(clearing_leaves_zeros_and_the_marks)
{
    tree t = new_tree();
    assert_ok(jg_dense_clear(t.outer)); /* nothing is there yet */
    put(t.x, INDEX(0, 12), 3);
    assert_ok(jg_dense_clear(t.list));
    assert_true(get(t.x, INDEX(0, 12)) == 0);
    assert_int_equal(mark(t.exists, 1), 1);
    free_tree(&t);
    jg_dense *dense = node_below(NULL, 0, 4);
    assert_int_equal(jg_dense_clear(dense), JG_ERR_VALUE);
    jg_dense_release(dense);
}

TEST(whole_fields_are_copied_and_nothing_else)
{
    tree t = new_tree();
    jg_array *values;
    put(t.x, INDEX(4, 17), 3);
    jg_array *copy = array_of(t.x, JG_COPY_IF_NEEDED);
    assert_array_shape(copy, SHAPE(8, 8));
    double *read = read_all(copy);
    assert_true(read[63] == 3 && read[62] == 0);
    base_free(read);
    assert_int_equal(jg_field_to_array(t.x, JG_COPY_NEVER, &values), JG_ERR_COPY);
    assert_int_equal(jg_field_assign(t.x, copy), JG_ERR_VALUE);
    assert_int_equal(jg_field_fill(t.x, float_number(1)), JG_ERR_VALUE);
    assert_true(get(t.x, INDEX(4, 17)) == 3 && get(t.x, INDEX(0, 10)) == 0);
    jg_array_release(copy);
    free_tree(&t);
}

/* Far more addresses than there is memory. */
TEST(pages_come_where_something_is_written)
{
    jg_dense *node = node_below(NULL, 0, INT64_C(1) << 36);
    jg_field *x = unplaced(JG_DTYPE_FLOAT32);
    assert_ok(jg_dense_reserve(node));
    assert_ok(jg_dense_place(node, x, NULL));
    jg_status status = jg_field_store(x, INDEX(INT64_C(1) << 35), float_number(2));
    if (status == JG_ERR_NOMEM) { /* a system that counts addresses as memory */
        print_message("no room for 2^38 bytes of addresses\n");
    } else {
        assert_ok(status);
        assert_true(get(x, INDEX(INT64_C(1) << 35)) == 2 && get(x, INDEX(5)) == 0);
        assert_int_equal(jg_dense_reserve(node), JG_ERR_VALUE);
    }
    jg_field_release(x);
    jg_dense_release(node);
}

TEST(marks_that_do_not_fit_are_refused)
{
    jg_dense *node = node_below(NULL, 0, 4);
    jg_field *fits = marks_of(JG_DTYPE_UINT8, 4), *longer = marks_of(JG_DTYPE_UINT8, 5),
             *wide = marks_of(JG_DTYPE_INT32, 4), *one = marks_of(JG_DTYPE_INT32, 1);
    assert_int_equal(jg_dense_mark(node, JG_CELLS_MARKED, longer), JG_ERR_VALUE);
    assert_int_equal(jg_dense_mark(node, JG_CELLS_MARKED, wide), JG_ERR_VALUE);
    assert_int_equal(jg_dense_mark(node, JG_CELLS_COUNTED, wide), JG_ERR_VALUE);
    assert_int_equal(jg_dense_mark(node, JG_CELLS_DENSE, fits), JG_ERR_VALUE);
    assert_ok(jg_dense_mark(node, JG_CELLS_MARKED, fits));
    assert_int_equal(jg_dense_mark(node, JG_CELLS_COUNTED, one), JG_ERR_VALUE);
    jg_field *all[] = {fits, longer, wide, one};
    for (int i = 0; i < 4; ++i)
        jg_field_release(all[i]);
    jg_dense_release(node);
}

TEST(a_reset_frees_the_tree_with_its_fields)
{
    tree t = new_tree();
    put(t.x, INDEX(2, 14), 7);
    jg_fields_reset();
    jg_number number;
    assert_int_equal(jg_field_load(t.x, INDEX(2, 14), &number), JG_ERR_LOST);
    free_tree(&t);
}

TEST(structs_are_marked_as_their_members_are)
{
    jg_dense *node = node_below(NULL, 0, 4);
    static const char *const names[] = {"a", "b"};
    jg_element *members[] = {scalar_element(JG_DTYPE_INT8), scalar_element(JG_DTYPE_FLOAT64)};
    jg_field *marks = marks_of(JG_DTYPE_UINT8, 4);
    jg_field *p = field_of(struct_element(2, names, members), -1, NULL, JG_FIELD_AOS);
    assert_ok(jg_dense_mark(node, JG_CELLS_MARKED, marks));
    assert_ok(jg_dense_place(node, p, NULL));
    assert_true(jg_field_is_marked(p));
    jg_field *b = member_of(p, 1);
    put(b, INDEX(2), 3);
    assert_int_equal(mark(marks, 2), 1);
    assert_int_equal(jg_field_fill(p, float_number(1)), JG_ERR_VALUE);
    jg_field_release(b);
    jg_field_release(marks);
    jg_field_release(p);
    jg_dense_release(node);
}
