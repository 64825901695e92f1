/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs on a device whose memory the host cannot reach have the values that plain loops
 * give, wherever their results are moved before they are computed. */
#include "../opaque_device.h"
#include "random_graph.h"

enum { ROUNDS = 120 };

#define CPU ((jg_device_id){JG_DEVICE_CPU, 0})

TEST(graphs_have_the_values_of_loops)
{
    check_graphs_on(OPAQUE, ROUNDS, true);
}

TEST(results_that_are_moved_first_have_the_values_of_loops)
{
    const jg_device_id places[] = {CPU, OPAQUE, OTHER_OPAQUE};
    for (uint64_t seed = ROUNDS; seed < 2 * ROUNDS; ++seed) {
        random_graph graph;
        build_graph_on(&graph, places[seed % 3], seed);
        for (int i = 0; i < graph.count; ++i) {
            jg_array **array = &graph.nodes[i].array, *moved;
            if (*array == NULL || pick(&graph, 0, 1))
                continue;
            assert_ok(jg_to_device(*array, places[pick(&graph, 0, 2)], &moved));
            replace(array, moved);
            if (pick(&graph, 0, 2) == 0)
                assert_ok(jg_eval(1, array));
        }
        check_graph(&graph);
        clear_graph(&graph);
    }
}

TEST(all_memory_of_the_devices_comes_back)
{
    assert_ok(jg_synchronize());
    jg_clear_cache();
    for (int i = 0; i < 2; ++i)
        assert_int_equal(opaque_states[i].nlive, 0);
}

static int add_device(void **state)
{
    (void)state;
    opaque_register();
    return 0;
}
BEFORE_ALL(add_device)
