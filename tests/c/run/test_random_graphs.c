/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs of ops, views and reductions: fused, unfused and asynchronous, they have the
 * values that plain loops give. */
#include "random_graph.h"

enum { ROUNDS = 1500 };

static void evaluate_and_check(uint64_t seed, bool async)
{
    random_graph graph;
    jg_array *held[GRAPH_NODES];
    int count = 0;
    build_graph(&graph, seed);
    for (int i = 0; i < graph.count; ++i)
        if (graph.nodes[i].array != NULL && pick(&graph, 0, 2) == 0)
            held[count++] = graph.nodes[i].array;
    assert_ok((async ? jg_eval_async : jg_eval)(count, held));
    check_graph(&graph);
    clear_graph(&graph);
}

TEST(fused_graphs_have_the_values_of_loops)
{
    for (uint64_t seed = 0; seed < ROUNDS; ++seed)
        evaluate_and_check(seed, false);
}

TEST(unfused_graphs_have_the_values_of_loops)
{
    assert_ok(jg_option_set("fuse", "0"));
    for (uint64_t seed = 0; seed < ROUNDS / 3; ++seed)
        evaluate_and_check(seed, false);
    assert_ok(jg_option_set("fuse", "1"));
}

TEST(graphs_evaluated_without_waiting_have_the_values_of_loops)
{
    for (uint64_t seed = ROUNDS; seed < ROUNDS + ROUNDS / 3; ++seed)
        evaluate_and_check(seed, true);
    jg_synchronize();
}

/* One by one in random order, so that later evaluations start from what earlier ones left. */
TEST(any_order_of_evaluation_gives_the_values_of_loops)
{
    for (uint64_t seed = 2 * ROUNDS; seed < 2 * ROUNDS + ROUNDS / 3; ++seed) {
        random_graph graph;
        build_graph(&graph, seed);
        for (int i = 0; i < 10; ++i)
            assert_ok(jg_eval(1, &any_held(&graph)->array));
        check_graph(&graph);
        clear_graph(&graph);
    }
}
