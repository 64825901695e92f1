/* SPDX-License-Identifier: Apache-2.0 */
/* Who keeps whom: views their root, nodes their inputs; and how large graphs die. */
#include "../arrays.h"
#include "graph/graph.h"

enum { LONG_CHAIN = 1000000 };

TEST(a_view_keeps_the_memory_it_looks_at)
{
    float data[] = {1, 2, 3, 4, 5, 6}, back[3];
    jg_array *x = from_floats(SHAPE(2, 3), data), *turned, *row;
    size_t active = jg_active_memory();
    assert_ok(jg_matrix_transpose(x, &turned));
    assert_ok(jg_slice(turned, ITEMS(ALL, AT(1)), &row));
    assert_ptr_equal(node_root(row), x); /* a view of a view looks at the root itself */
    jg_array_release(x);
    jg_array_release(turned);
    assert_int_equal(jg_active_memory(), active);
    assert_ok(jg_array_copy_to(row, back, sizeof back));
    assert_true(back[0] == 4 && back[1] == 5 && back[2] == 6);
    jg_array_release(row);
    assert_true(jg_active_memory() < active);
}

TEST(a_node_keeps_its_inputs_until_it_goes)
{
    jg_array *x = ones(10), *sum;
    size_t active = jg_active_memory();
    assert_ok(jg_add(x, x, &sum));
    jg_array_release(x);
    assert_int_equal(jg_active_memory(), active);
    jg_array_release(sum);
    assert_true(jg_active_memory() < active);
}

TEST(releasing_nothing_is_fine)
{
    jg_array_release(NULL);
}

static jg_array *chain_of(int length)
{
    jg_array *x = ones(4), *next;
    for (int i = 0; i < length; ++i) {
        assert_ok(jg_negative(x, &next));
        replace(&x, next);
    }
    return x;
}

static void *release_on_a_small_stack(void *context)
{
    jg_array_release(*(jg_array **)context);
    return NULL;
}

TEST(a_chain_of_a_million_nodes_dies_in_bounded_stack)
{
    pthread_t thread;
    pthread_attr_t attributes;
    jg_array *x = chain_of(LONG_CHAIN);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    assert_int_equal(pthread_create(&thread, &attributes, release_on_a_small_stack, &x), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

TEST(a_node_shared_by_everything_dies_once)
{
    jg_array *x = ones(4), *next;
    int64_t before = base_live_blocks();
    for (int i = 0; i < 1000; ++i) { /* 2^1000 paths */
        assert_ok(jg_add(x, x, &next));
        replace(&x, next);
    }
    assert_int_equal(jg_array_current_state(x), JG_ARRAY_UNSCHEDULED);
    jg_array_release(x);
    jg_clear_cache();
    assert_true(base_live_blocks() <= before + 1000); /* on the thread's free list */
}

TEST(freed_nodes_are_used_again)
{
    jg_array *x = ones(4), *y;
    assert_ok(jg_negative(x, &y));
    jg_array *place = y;
    jg_array_release(y);
    int64_t before = base_live_blocks();
    for (int i = 0; i < 100; ++i) {
        assert_ok(jg_negative(x, &y));
        assert_ptr_equal(y, place);
        jg_array_release(y);
    }
    assert_int_equal(base_live_blocks(), before);
    jg_array_release(x);
}
