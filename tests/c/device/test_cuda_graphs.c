/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that are run again give a CUDA device their launches as one graph: how many submissions
 * there are, what changes from run to run, what becomes of failures, and when graphs are freed. */
#include "fake_driver.h"

#include "../arrays.h"
#include "../forked.h"
#include "stream/stream.h"
#include <joggle/ops.h>

enum { ROWS = 4, COLUMNS = 8, COUNT = ROWS * COLUMNS };

static jg_device *here;

static int open_fake(void **state)
{
    (void)state;
    fake_open();
    fake.delay(50);
    assert_ok(jg_device_set_default(CUDA_0));
    return device_require(CUDA_0, &here) == JG_OK ? 0 : -1;
}

/* Rows that begin at the number, in memory of the device of their own. */
static jg_array *input(double first)
{
    float data[COUNT];
    jg_array *host, *x;
    for (int i = 0; i < COUNT; ++i)
        data[i] = (float)(first + 0.25 * (i % 7));
    assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, 2, (int64_t[]){ROWS, COLUMNS}, &host));
    assert_ok(jg_to_device(host, CUDA_0, &x));
    assert_ok(jg_eval(1, &x));
    jg_array_release(host);
    return x;
}

/* The last of so many launches, each of which reads the one before: the largest of each row, added
 * to x. Tests have chains of different lengths, and so plans of their own. */
static jg_array *chain(jg_array *x, int steps)
{
    const int64_t last = 1;
    jg_array *y = jg_array_retain(x), *next;
    for (int i = 1; i < steps; ++i) {
        assert_ok(jg_max(y, 1, &last, true, &next));
        replace(&y, next);
        assert_ok(jg_add(x, y, &next));
        replace(&y, next);
    }
    return y;
}

static void fetch(jg_array *x, float *out)
{
    jg_array *host;
    jg_view view;
    assert_ok(jg_to_device(x, (jg_device_id){JG_DEVICE_CPU, 0}, &host));
    assert_ok(jg_eval(1, &host));
    assert_ok(jg_array_view(host, &view));
    memcpy(out, view.data, COUNT * sizeof *out);
    jg_array_release(host);
}

/* What evaluating the chain makes, and what it took. */
typedef struct outcome {
    float values[COUNT];
    int submissions, launches, makes, changes;
} outcome;

static jg_status try_chain(double first, int steps, outcome *out)
{
    jg_array *x = input(first), *y = chain(x, steps);
    fake_cuda_counts before = fake_counts();
    jg_status status = jg_eval(1, &y);
    if (status == JG_OK)
        status = jg_synchronize();
    fake_cuda_counts after = fake_counts();
    out->submissions = after.submissions - before.submissions;
    out->launches = after.launches - before.launches;
    out->makes = after.graph_makes - before.graph_makes;
    out->changes = after.graph_changes - before.graph_changes;
    if (status == JG_OK)
        fetch(y, out->values);
    jg_array_release(x);
    jg_array_release(y);
    return status;
}

static outcome run_chain(double first, int steps)
{
    outcome out;
    assert_ok(try_chain(first, steps, &out));
    assert_int_equal(out.launches, steps);
    return out;
}

static void set_least(const char *least)
{
    assert_ok(jg_option_set("device_graphs", least));
}

/* By launches one by one. */
static outcome run_singly(double first, int steps)
{
    set_least("0");
    outcome out = run_chain(first, steps);
    set_least("16");
    assert_int_equal(out.submissions, steps);
    return out;
}

static void assert_same_bits(const outcome *a, const outcome *b)
{
    assert_memory_equal(a->values, b->values, sizeof a->values);
}

TEST(a_plan_that_is_run_again_is_one_submission)
{
    outcome first = run_chain(1, 20);
    assert_int_equal(first.submissions, 20); /* what runs once needs no graph */
    outcome second = run_chain(1, 20), third = run_chain(1, 20), singly = run_singly(1, 20);
    assert_int_equal(second.submissions, 1);
    assert_int_equal(second.makes, 1);
    assert_int_equal(third.submissions, 1);
    assert_int_equal(third.makes, 0);
    assert_same_bits(&singly, &first);
    assert_same_bits(&singly, &second);
    assert_same_bits(&singly, &third);
}

/* Inputs and results lie elsewhere each time, as the arrays of before are still there. */
TEST(only_what_differs_is_changed)
{
    jg_array *kept[5];
    outcome got[5];
    for (int i = 0; i < 5; ++i) {
        jg_array *x = input(i);
        kept[i] = chain(x, 21);
        fake_cuda_counts before = fake_counts();
        assert_ok(jg_eval(1, &kept[i]));
        fake_cuda_counts after = fake_counts();
        assert_int_equal(after.submissions - before.submissions, i == 0 ? 21 : 1);
        assert_int_equal(after.graph_makes - before.graph_makes, i == 1);
        if (i > 1)
            assert_in_range(after.graph_changes - before.graph_changes, 1, 21);
        fetch(kept[i], got[i].values);
        jg_array_release(x);
    }
    release_all(5, kept);
    for (int i = 0; i < 5; ++i) {
        outcome expected = run_singly(i, 21);
        assert_same_bits(&expected, &got[i]);
    }
}

TEST(short_rows_go_one_by_one)
{
    for (int i = 0; i < 3; ++i)
        assert_int_equal(run_chain(1, 15).submissions, 15);
    set_least("15");
    assert_int_equal(run_chain(1, 15).submissions, 1);
    set_least("0");
    assert_int_equal(run_chain(1, 15).submissions, 15);
    set_least("16");
}

/* One number of the array, by an index that the host compares with the extent first. */
static jg_array *gathered(jg_array *x)
{
    const int64_t first = 0;
    jg_array *numbers, *out;
    assert_ok(jg_array_from_data((int64_t[]){3, 0, 1, 2}, JG_DTYPE_INT64, 1, (int64_t[]){ROWS},
                                 &numbers));
    assert_ok(jg_take(x, numbers, &first, &out));
    jg_array_release(numbers);
    return out;
}

/* The gather's range is copied to the host, so what follows is another row. */
static jg_array *two_rows(jg_array *x)
{
    jg_array *y = chain(x, 22);
    replace(&y, gathered(y));
    jg_array *z = chain(y, 17);
    jg_array_release(y);
    return z;
}

TEST(a_copy_divides_a_graph)
{
    float expected[COUNT], got[COUNT];
    for (int turn = 0; turn < 4; ++turn) {
        jg_array *x = input(1), *y = two_rows(x);
        set_least(turn == 0 ? "0" : "16");
        fake_cuda_counts before = fake_counts();
        assert_ok(jg_eval(1, &y));
        fake_cuda_counts after = fake_counts();
        fetch(y, turn == 0 ? expected : got);
        if (turn > 0)
            assert_memory_equal(got, expected, sizeof got);
        if (turn > 0)
            assert_in_range(after.submissions - before.submissions, 2, 3);
        assert_int_equal(after.graph_makes - before.graph_makes, turn == 1 ? 2 : 0);
        jg_array_release(x);
        jg_array_release(y);
    }
}

/* The first call after so many of them fails, or where it comes once the only one. */
static void check_failing(const char *call, int after, int steps)
{
    bool changes = strcmp(call, "graph_change") == 0;
    outcome expected = run_singly(1, steps);
    jg_array *elsewhere = changes ? input(0) : NULL;
    if (changes)
        assert_int_equal(run_chain(2, steps).submissions, 1);
    jg_array_release(elsewhere);
    jg_array *kept = input(0);
    fake.fail_next(call, after, 2);
    outcome got = run_chain(1, steps);
    fake.fail_next("none", 0, 0);
    assert_int_equal(got.submissions, steps);
    assert_same_bits(&expected, &got);
    jg_array_release(kept);
    got = run_chain(1, steps);
    assert_int_equal(got.submissions, 1);
    assert_same_bits(&expected, &got);
}

TEST(where_a_call_for_graphs_fails_launches_go_one_by_one)
{
    check_failing("graph_new", 0, 30);
    check_failing("graph_add", 0, 31);
    check_failing("graph_add", 7, 32);
    check_failing("graph_instantiate", 0, 33);
    check_failing("graph_change", 0, 34);
    check_failing("graph_change", 3, 35);
    check_failing("graph_launch", 0, 36);
}

/* Each attempt costs the driver time and memory. */
TEST(what_fails_again_and_again_is_given_up)
{
    outcome expected = run_singly(1, 37);
    for (int turn = 0; turn < 8; ++turn) {
        fake.fail_next("graph_instantiate", 0, 2);
        outcome got = run_chain(1, 37);
        assert_int_equal(got.submissions, 37);
        assert_same_bits(&expected, &got);
    }
    fake.fail_next("none", 0, 0);
    assert_int_equal(run_chain(1, 37).submissions, 37);
}

/* Two rows, the second too short for a graph: its launches are held back, then go one by one. */
static jg_status try_short_row(int launch)
{
    jg_array *x = input(1), *y = chain(x, 23);
    replace(&y, gathered(y));
    jg_array *z = chain(y, 5);
    fake.fail_next("launch", launch, 1);
    jg_status status = jg_eval(1, &z);
    if (status == JG_OK)
        status = jg_synchronize();
    fake.fail_next("none", 0, 0);
    jg_array_release(x);
    jg_array_release(y);
    jg_array_release(z);
    return status;
}

TEST(a_launch_that_fails_later_is_named_and_nothing_of_the_run_counts)
{
    assert_ok(try_short_row(1000));
    assert_ok(try_short_row(1000));
    assert_int_equal(try_short_row(3), JG_ERR_DEVICE);
    assert_non_null(strstr(jg_error_message(), "[max] cuda:0: cuLaunchKernel"));
    assert_ok(try_short_row(1000));
}

TEST(a_kernel_that_fails_in_a_graph_is_told_with_the_ops)
{
    outcome out;
    run_chain(1, 24);
    run_chain(1, 24);
    fake.fail_next("kernel", 7, 700);
    assert_int_equal(try_chain(1, 24, &out), JG_ERR_DEVICE);
    assert_int_equal(out.submissions, 1);
    assert_non_null(strstr(jg_error_message(),
                           "[one of max, max, max, max and others] cuda:0: a command ended with "
                           "CUDA_ERROR_ILLEGAL_ADDRESS (700); the device is lost"));
    fake.fail_next(NULL, 0, 0);
    run_chain(1, 24);
}

static void *stream_handle(jg_stream *stream)
{
    int64_t number;
    assert_ok(jg_stream_number(stream, &number));
    return (void *)(intptr_t)number;
}

/* A driver runs one graph's uses one after the other, so the second stream would wait for the
 * first. */
TEST(two_streams_do_not_wait_for_each_other)
{
    jg_stream *first, *second, *home;
    outcome got;
    outcome expected = run_singly(1, 25);
    assert_ok(jg_stream_default(CUDA_0, &home));
    assert_ok(jg_stream_new(CUDA_0, &first));
    assert_ok(jg_stream_new(CUDA_0, &second));
    (void)stream_handle(second); /* a queue that is made later comes after the first one's work */
    jg_stream_set_default(first);
    run_chain(1, 25);
    assert_int_equal(run_chain(1, 25).submissions, 1);
    jg_array *x = input(1), *y = chain(x, 25);
    fake.hold(0, stream_handle(first), 1);
    assert_ok(jg_eval_async(1, &y));
    jg_stream_set_default(second);
    jg_array *z = chain(x, 25);
    assert_ok(jg_eval(1, &z));
    fetch(z, got.values);
    assert_same_bits(&expected, &got);
    fake.hold(0, stream_handle(first), 0);
    jg_stream_set_default(first);
    fetch(y, got.values);
    assert_same_bits(&expected, &got);
    assert_ok(jg_synchronize());
    jg_stream_set_default(second); /* nothing runs: the graph goes to the other stream */
    assert_int_equal(run_chain(1, 25).submissions, 1);
    jg_stream_set_default(home);
    jg_stream_release(home);
    jg_array_release(x);
    jg_array_release(y);
    jg_array_release(z);
    jg_stream_release(first);
    jg_stream_release(second);
}

/* Several runs of one plan are under way on one stream. */
TEST(runs_may_follow_each_other_before_they_end)
{
    jg_array *x[6], *y[6];
    outcome expected, got;
    set_least("0");
    expected = run_chain(1, 26);
    set_least("16");
    run_chain(1, 26);
    run_chain(1, 26);
    for (int i = 0; i < 6; ++i)
        x[i] = input(1);
    fake_cuda_counts before = fake_counts();
    for (int i = 0; i < 6; ++i) {
        y[i] = chain(x[i], 26);
        assert_ok(jg_eval_async(1, &y[i]));
    }
    for (int i = 0; i < 6; ++i) {
        fetch(y[i], got.values);
        assert_same_bits(&expected, &got);
    }
    assert_int_equal(fake_counts().submissions - before.submissions, 6);
    release_all(6, x);
    release_all(6, y);
}

typedef struct evaluator {
    double first;
    bool is_right;
} evaluator;

/* On a stream of its own, as each thread's default one is. */
static void *evaluate_often(void *context)
{
    evaluator *own = context;
    float expected[COUNT], got[COUNT];
    own->is_right = true;
    for (int turn = 0; turn < 6; ++turn) {
        jg_array *x = input(own->first), *y = chain(x, 27);
        if (jg_eval(1, &y) != JG_OK)
            own->is_right = false;
        fetch(y, turn == 0 ? expected : got);
        own->is_right = own->is_right && (turn == 0 || memcmp(got, expected, sizeof got) == 0);
        jg_array_release(x);
        jg_array_release(y);
    }
    return NULL;
}

TEST(threads_may_run_one_plan)
{
    evaluator all[4];
    for (int i = 0; i < 4; ++i)
        all[i] = (evaluator){.first = i};
    run_threads(4, evaluate_often, all, sizeof *all);
    for (int i = 0; i < 4; ++i)
        assert_true(all[i].is_right);
}

/* More plans than are kept. */
static void forget_plans(void)
{
    jg_device_id cpu = {JG_DEVICE_CPU, 0};
    assert_ok(jg_device_set_default(cpu));
    for (int64_t size = 100; size < 2400; ++size) {
        jg_array *x, *y;
        assert_ok(jg_empty(JG_DTYPE_UINT8, 1, &size, &x));
        assert_ok(jg_add(x, x, &y));
        assert_ok(jg_eval(1, &y));
        jg_array_release(x);
        jg_array_release(y);
    }
    assert_ok(jg_device_set_default(CUDA_0));
}

static int use_in_child(void *context)
{
    void *graph = context;
    const jg_device_ops *ops = here->ops;
    CHILD_CHECK(ops->graph_run(here, NULL, graph, 0) == JG_ERR_DEVICE);
    ops->graph_drop(here, graph);
    ops->graph_free(here, graph);
    return 0;
}

TEST(a_child_is_refused_and_frees_without_the_driver)
{
    void *graph;
    assert_ok(here->ops->graph_new(here, &graph));
    run_forked(use_in_child, graph);
    here->ops->graph_free(here, graph);
}

TEST(graphs_are_freed_with_their_plans_after_they_have_run)
{
    run_chain(1, 28);
    run_chain(1, 28);
    assert_true(fake_counts().graphs > 0);
    forget_plans();
    assert_ok(jg_synchronize());
    assert_int_equal(fake_counts().graphs, 0);
    assert_int_equal(fake_counts().graph_ends_early, 0);
}

BEFORE_ALL(open_fake)
