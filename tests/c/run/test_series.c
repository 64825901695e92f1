/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbours of a plan that touch none of each other's memory run at the same time: threads share
 * the units of all. A tier of the test's own notes who runs them. */
#include "../arrays.h"
#include "plan/steps.h"
#include "tile/tile.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 64, SIZE = 1 << 13, SECONDS = 30 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    pthread_t first;
    int threads, wanted;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static void note_thread(void)
{
    if (meeting.threads == 0)
        meeting.first = pthread_self();
    if (meeting.threads == 0 ||
        (meeting.threads == 1 && !pthread_equal(meeting.first, pthread_self())))
        meeting.threads += 1;
    pthread_cond_broadcast(&meeting.came);
}

static void run_together(const executor_code *code, void *const *addresses,
                         const jg_scalar *scalars, void *shared, int64_t first, int64_t last)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    pthread_mutex_lock(&meeting.lock);
    note_thread();
    while (meeting.threads < meeting.wanted &&
           pthread_cond_timedwait(&meeting.came, &meeting.lock, &end) == 0)
        continue;
    pthread_mutex_unlock(&meeting.lock);
    tile_executor.run(code, addresses, scalars, shared, first, last);
}

/* The number of launches of the arrays' plan, and of those that explain calls the first of several
 * at the same time. */
static int launches_of(int count, jg_array *const *arrays, int *series)
{
    char *text;
    assert_ok(jg_explain(count, arrays, &text));
    const char *total = strstr(text, "launches: ");
    assert_non_null(total);
    int launches = atoi(total + strlen("launches: "));
    *series = 0;
    for (const char *at = text; (at = strstr(at, "at the same time")) != NULL; ++at)
        *series += 1;
    jg_text_release(text);
    return launches;
}

/* sin(x) of vectors of different lengths. */
static void many(jg_array *xs[COUNT], jg_array *ys[COUNT])
{
    for (int i = 0; i < COUNT; ++i) {
        xs[i] = counting(JG_DTYPE_FLOAT32, SHAPE(SIZE + i % 3));
        assert_ok(jg_sin(xs[i], &ys[i]));
    }
}

TEST(launches_beside_each_other_are_shared_by_threads)
{
    jg_array *xs[COUNT], *ys[COUNT];
    int series;
    many(xs, ys);
    assert_int_equal(launches_of(COUNT, ys, &series), COUNT);
    assert_int_equal(series, 1);
    assert_ok(jg_set_num_threads(2));
    meeting.threads = 0;
    meeting.wanted = 2;
    assert_ok(jg_eval(COUNT, ys));
    assert_int_equal(meeting.threads, 2);
    meeting.wanted = 1;
    for (int i = 0; i < COUNT; ++i) {
        jg_array *alone;
        assert_ok(jg_sin(xs[i], &alone));
        double *values = read_all(ys[i]), *expected = read_all(alone);
        assert_memory_equal(values, expected, (size_t)(SIZE + i % 3) * sizeof *values);
        base_free(values);
        base_free(expected);
        jg_array_release(alone);
    }
    release_all(COUNT, xs);
    release_all(COUNT, ys);
}

TEST(few_elements_stay_on_the_callers_thread)
{
    jg_array *x = ones(8), *y = ones(4), *ys[2];
    int series;
    assert_ok(jg_sin(x, &ys[0]));
    assert_ok(jg_cos(y, &ys[1]));
    assert_int_equal(launches_of(2, ys, &series), 2);
    assert_int_equal(series, 1);
    meeting.threads = 0;
    meeting.wanted = 1;
    assert_ok(jg_eval(2, ys));
    assert_int_equal(meeting.threads, 1);
    assert_true(pthread_equal(meeting.first, pthread_self()));
    release_all(2, ys);
    release_all(2, (jg_array *[]){x, y});
}

/* Each launch reads what the one before it makes. */
TEST(launches_of_a_chain_run_one_after_the_other)
{
    jg_array *at = ones(SIZE), *next;
    int series;
    assert_ok(jg_option_set("fuse", "0"));
    for (int i = 0; i < 5; ++i) {
        assert_ok(jg_sin(at, &next));
        replace(&at, next);
    }
    assert_int_equal(launches_of(1, &at, &series), 5);
    assert_int_equal(series, 0);
    assert_ok(jg_option_set("fuse", "1"));
    jg_array_release(at);
}

/* The second launch may write over x, which the first one reads. */
TEST(a_result_that_may_take_a_leafs_memory_comes_after_its_readers)
{
    jg_array *x = ones(SIZE), *column = counting(JG_DTYPE_FLOAT32, 2, (int64_t[]){4, 1});
    jg_array *sum, *next, *ys[2];
    int series;
    assert_ok(jg_add(x, column, &sum));
    assert_ok(jg_cos(sum, &ys[0]));
    assert_ok(jg_sin(x, &ys[1]));
    for (int i = 0; i < 3; ++i) {
        assert_ok(jg_sin(ys[1], &next));
        replace(&ys[1], next);
    }
    assert_int_equal(launches_of(2, ys, &series), 2);
    assert_int_equal(series, 0);
    release_all(3, (jg_array *[]){x, column, sum});
    assert_ok(jg_eval(2, ys));
    double *values = read_all(ys[0]);
    for (int i = 0; i < 4 * SIZE; ++i)
        assert_true(fabs(values[i] - cos(2 + i / SIZE)) < 1e-6);
    base_free(values);
    release_all(2, ys);
}

static int run_in_turn(void **state)
{
    static program_executor tier;
    (void)state;
    tier = tile_executor;
    tier.run = run_together;
    plan_set_executor(&tier);
    return 0;
}
BEFORE_ALL(run_in_turn)
