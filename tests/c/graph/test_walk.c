/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a graph: inputs first, each node once, and which of them must be stored. */
#include "../arrays.h"
#include "graph/graph.h"

static graph_walk walk;

static void walk_from(jg_array *x)
{
    assert_ok(graph_walk_from(&walk, WALK_ASKED, 1, &x));
    for (int i = 0; i < walk_count(&walk); ++i) {
        const jg_array *node = walk_nodes(&walk)[i];
        assert_int_equal(walk_slot(node), i);
        for (int j = 0; node_state(node_root(node)) == JG_ARRAY_UNSCHEDULED && j < node->ninputs;
             ++j)
            assert_true((int)walk_slot(node->inputs[j]) < i);
    }
}

TEST(inputs_come_first_and_each_node_once)
{
    jg_array *a = ones(4), *b, *c, *d;
    assert_ok(jg_add(a, a, &b));
    assert_ok(jg_multiply(a, b, &c));
    assert_ok(jg_add(c, b, &d));
    walk_from(d);
    assert_int_equal(walk_count(&walk), 4);
    assert_ptr_equal(walk_nodes(&walk)[0], a);
    assert_ptr_equal(walk_nodes(&walk)[3], d);
    assert_int_equal(a->uses, 3);
    assert_int_equal(b->uses, 2);
    release_all(4, (jg_array *[]){a, b, c, d});
}

TEST(what_nobody_holds_is_not_stored)
{
    jg_array *a = ones(4), *b, *c, *d;
    assert_ok(jg_negative(a, &b));
    assert_ok(jg_negative(b, &c));
    assert_ok(jg_negative(c, &d));
    jg_array_release(c);
    walk_from(d);
    assert_true(d->stored);
    assert_false(c->stored);
    assert_true(b->stored); /* still held here */
    release_all(3, (jg_array *[]){a, b, d});
}

TEST(a_node_of_another_graph_counts_as_held)
{
    jg_array *a = ones(4), *b, *c, *other;
    assert_ok(jg_negative(a, &b));
    assert_ok(jg_negative(b, &c));
    assert_ok(jg_exp(b, &other));
    jg_array_release(b);
    walk_from(c);
    assert_true(b->stored);
    walk_from(other);
    assert_true(b->stored);
    release_all(3, (jg_array *[]){a, c, other});
}

TEST(a_held_view_has_its_root_stored)
{
    jg_array *a = ones(4), *b, *view, *c;
    assert_ok(jg_negative(a, &b));
    assert_ok(jg_slice(b, ITEMS(FROM_TO(1, 3)), &view));
    jg_array_release(b);
    assert_ok(jg_negative(view, &c));
    walk_from(c);
    assert_int_equal(walk_count(&walk), 3); /* the view stands for its root */
    assert_true(node_root(view)->stored);
    jg_array_release(view);
    walk_from(c);
    assert_false(walk_nodes(&walk)[1]->stored);
    release_all(2, (jg_array *[]){a, c});
}

TEST(asking_for_a_view_asks_for_its_root)
{
    jg_array *a = ones(4), *b, *view;
    assert_ok(jg_negative(a, &b));
    assert_ok(jg_slice(b, ITEMS(EVERY(-1)), &view));
    jg_array_release(b);
    walk_from(view);
    assert_int_equal(walk_count(&walk), 2);
    assert_true(node_root(view)->stored);
    release_all(2, (jg_array *[]){a, view});
}

TEST(views_of_memory_are_leaves_of_their_own)
{
    jg_array *a = ones(4), *left, *right, *sum;
    assert_ok(jg_slice(a, ITEMS(FROM_TO(0, 2)), &left));
    assert_ok(jg_slice(a, ITEMS(FROM_TO(2, 4)), &right));
    assert_ok(jg_add(left, right, &sum));
    walk_from(sum);
    assert_int_equal(walk_count(&walk), 3);
    assert_int_not_equal(walk_slot(left), walk_slot(right));
    release_all(4, (jg_array *[]){a, left, right, sum});
}

TEST(a_failed_walk_can_be_repeated)
{
    jg_array *a = ones(4), *b;
    assert_ok(jg_negative(a, &b));
    graph_walk_clear(&walk);
    for (int nth = 1; nth <= 2; ++nth) {
        base_fail_nth(nth);
        assert_fails(JG_ERR_NOMEM, graph_walk_from(&walk, WALK_ASKED, 1, &b));
        graph_walk_clear(&walk);
    }
    walk_from(b);
    assert_int_equal(walk_count(&walk), 2);
    release_all(2, (jg_array *[]){a, b});
}

static int clear_walk(void **state)
{
    (void)state;
    graph_walk_clear(&walk);
    return 0;
}

AFTER_ALL(clear_walk)
