/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes are built and freed on many threads at once, and freed on others than they were made on. */
#include "../arrays.h"
#include "graph/graph.h"

enum { THREADS = 4, ROUNDS = 2000 };

typedef struct builder {
    jg_array *shared, *made;
    bool sound;
} builder;

/* Long chains over one shared array, of which the last is left for another thread to free. */
static void *build(void *context)
{
    builder *own = context;
    own->sound = true;
    own->made = jg_array_retain(own->shared);
    for (int i = 0; i < ROUNDS; ++i) {
        jg_array *sum, *wide;
        own->sound &= jg_add(own->made, own->shared, &sum) == JG_OK;
        own->sound &= jg_expand_dims(own->shared, 1, &(int64_t){0}, &wide) == JG_OK;
        replace(&own->made, sum);
        jg_array_release(wide);
    }
    return NULL;
}

static void *drop(void *context)
{
    builder *own = context;
    replace(&own->made, NULL);
    return NULL;
}

TEST(nodes_may_be_freed_on_another_thread)
{
    static builder builders[THREADS];
    int64_t before = base_live_blocks();
    for (int round = 0; round < 3; ++round) {
        jg_array *shared = ones(16);
        for (int i = 0; i < THREADS; ++i)
            builders[i] = (builder){.shared = shared};
        run_threads(THREADS, build, builders, sizeof *builders);
        for (int i = 0; i < THREADS; ++i)
            assert_true(builders[i].sound);
        run_threads(THREADS, drop, builders, sizeof *builders);
        jg_array_release(shared);
        jg_clear_cache();
        /* What is left lies on this thread's free list: the other threads' lists went with them. */
        assert_true(base_live_blocks() <= before + 2);
    }
}

static void *retain_and_release(void *context)
{
    jg_array *x = *(jg_array **)context;
    for (int i = 0; i < 10 * ROUNDS; ++i)
        jg_array_release(jg_array_retain(x));
    jg_array_release(x);
    return NULL;
}

TEST(the_last_of_many_holders_frees)
{
    size_t active = jg_active_memory();
    jg_array *x = ones(16), *holders[THREADS];
    for (int i = 0; i < THREADS; ++i)
        holders[i] = jg_array_retain(x);
    jg_array_release(x);
    run_threads(THREADS, retain_and_release, holders, sizeof *holders);
    assert_int_equal(jg_active_memory(), active);
}
