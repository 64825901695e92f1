/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads evaluate graphs that overlap: each node is computed once and every thread sees
 * it. */
#include "../arrays.h"

enum { THREADS = 8, ROUNDS = 30, LARGE = 1 << 17 };

typedef struct evaluator {
    jg_array **arrays;
    int count, number;
    bool async, sound;
} evaluator;

static jg_array *doubled(jg_array *x, int times)
{
    jg_array *next, *at = jg_array_retain(x);
    for (int i = 0; i < times; ++i) {
        assert_ok(jg_add(at, at, &next));
        replace(&at, next);
    }
    return at;
}

static bool first_is(jg_array *x, float expected)
{
    jg_view view;
    return jg_array_view(x, &view) == JG_OK && *(const float *)view.data == expected;
}

/* Asks for the shared arrays in an order of its own, and builds on them meanwhile. */
static void *evaluate(void *context)
{
    evaluator *own = context;
    own->sound = true;
    for (int i = 0; i < own->count; ++i) {
        int at = (i * 3 + own->number) % own->count;
        jg_array *sum;
        own->sound &= jg_add(own->arrays[at], own->arrays[own->count - 1 - at], &sum) == JG_OK;
        own->sound &= (own->async ? jg_eval_async : jg_eval)(1, &own->arrays[at]) == JG_OK;
        own->sound &= first_is(own->arrays[at], (float)(2 << at));
        own->sound &= first_is(sum, (float)(2 << at) + (float)(2 << (own->count - 1 - at)));
        jg_array_release(sum);
    }
    return NULL;
}

static void evaluate_together(int64_t size, bool async)
{
    enum { LAYERS = 7 };
    evaluator evaluators[THREADS];
    jg_array *a = ones(size), *layers[LAYERS];
    for (int i = 0; i < LAYERS; ++i)
        layers[i] = doubled(i ? layers[i - 1] : a, 1);
    for (int i = 0; i < THREADS; ++i)
        evaluators[i] = (evaluator){layers, LAYERS, i, async && i % 2, false};
    run_threads(THREADS, evaluate, evaluators, sizeof *evaluators);
    for (int i = 0; i < THREADS; ++i)
        assert_true(evaluators[i].sound);
    release_all(LAYERS, layers);
    jg_array_release(a);
}

TEST(threads_evaluate_small_graphs_that_overlap)
{
    for (int round = 0; round < ROUNDS; ++round)
        evaluate_together(16 + round, false);
}

TEST(threads_evaluate_large_graphs_that_overlap)
{
    for (int round = 0; round < ROUNDS / 2; ++round)
        evaluate_together(LARGE, true);
    jg_synchronize();
}

/* Each thread has a reference of its own and drops it as soon as it has seen the value. */
static void *look_and_drop(void *context)
{
    evaluator *own = context;
    own->sound = first_is(own->arrays[0], 8);
    jg_array_release(own->arrays[0]);
    return NULL;
}

TEST(holders_may_let_go_while_others_evaluate)
{
    for (int round = 0; round < ROUNDS; ++round) {
        evaluator evaluators[THREADS];
        jg_array *a = ones(round % 3 ? 100 : LARGE), *arrays[THREADS];
        jg_array *shared = doubled(a, 2);
        for (int i = 0; i < THREADS; ++i) {
            arrays[i] = i % 2 ? doubled(shared, 1) : doubled(a, 3);
            evaluators[i] = (evaluator){.arrays = &arrays[i]};
        }
        release_all(2, (jg_array *[]){a, shared});
        run_threads(THREADS, look_and_drop, evaluators, sizeof *evaluators);
        for (int i = 0; i < THREADS; ++i)
            assert_true(evaluators[i].sound);
    }
}

static void *look_at_the_graph(void *context)
{
    evaluator *own = context;
    own->sound = true;
    for (int i = 0; i < 50; ++i) {
        char *text;
        own->sound &= jg_export_dot(own->count, own->arrays, &text) == JG_OK;
        jg_text_release(text);
        own->sound &= jg_array_current_state(own->arrays[i % own->count]) != JG_ARRAY_FAILED;
        if (i == 20 + own->number)
            own->sound &= jg_eval(own->count, own->arrays) == JG_OK;
    }
    return NULL;
}

TEST(the_graph_may_be_looked_at_meanwhile)
{
    evaluator evaluators[THREADS];
    jg_array *a = ones(1000), *arrays[4];
    for (int i = 0; i < 4; ++i)
        arrays[i] = doubled(a, i + 1);
    for (int i = 0; i < THREADS; ++i)
        evaluators[i] = (evaluator){.arrays = arrays, .count = 4, .number = i};
    run_threads(THREADS, look_at_the_graph, evaluators, sizeof *evaluators);
    for (int i = 0; i < THREADS; ++i)
        assert_true(evaluators[i].sound);
    release_all(4, arrays);
    jg_array_release(a);
}

static int take_three_threads(void **state)
{
    (void)state;
    return jg_option_set("num_threads", "3") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_three_threads)
