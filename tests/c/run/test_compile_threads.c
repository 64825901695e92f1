/* SPDX-License-Identifier: Apache-2.0 */
/* Who compiles holds no lock that an evaluation needs, also where every program is compiled before
 * its first run. */
#include "../arrays.h"
#include "plan/plan.h"
#include "tile/tile.h"
#include <joggle/option.h>
#include <time.h>

enum { PATIENCE_S = 60 }; /* of who compiles; a busy machine is not that slow */

static atomic_bool slow, begun, released, gave_up;
static atomic_int prepared;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pause_a_moment(void)
{
    struct timespec moment = {.tv_nsec = 200000};
    nanosleep(&moment, NULL);
}

/* The tiles' code, which takes as long to make as the other thread's evaluations. */
static jg_status prepare(const jg_program *program, const program_space *space, executor_code **out)
{
    double start = seconds();
    atomic_fetch_add(&prepared, 1);
    if (atomic_exchange(&slow, false)) {
        atomic_store(&begun, true);
        while (!atomic_load(&released) && seconds() < start + PATIENCE_S)
            pause_a_moment();
        atomic_store(&gave_up, !atomic_load(&released));
    }
    return tile_executor.prepare(program, space, out);
}

static program_executor executor; /* the tiles, but for that */

/* x + x of so many elements. */
static jg_status add_up(int64_t size, bool wait, jg_array **out)
{
    static float data[64];
    jg_array *x;
    for (int i = 0; i < 64; ++i)
        data[i] = (float)i;
    JG_TRY(jg_array_from_data(data, JG_DTYPE_FLOAT32, SHAPE(size), &x));
    jg_status status = jg_add(x, x, out);
    jg_array_release(x);
    if (status == JG_OK)
        status = wait ? jg_eval(1, out) : jg_eval_async(1, out);
    return status;
}

static bool is_right(jg_array *x, int64_t size)
{
    jg_view view;
    if (jg_array_view(x, &view) != JG_OK)
        return false;
    for (int64_t i = 0; i < size; ++i)
        if (((const float *)view.data)[i] != (float)(2 * i))
            return false;
    return true;
}

typedef struct caller {
    int64_t size;
    bool wait, right;
} caller;

static void *evaluate(void *context)
{
    caller *c = context;
    jg_array *y = NULL;
    jg_stream *own = NULL;
    c->right = jg_stream_new(jg_device_default(), &own) == JG_OK;
    if (c->right && !c->wait) /* else what others evaluate would be queued behind it */
        jg_stream_set_default(own);
    c->right = c->right && add_up(c->size, c->wait, &y) == JG_OK && is_right(y, c->size);
    jg_array_release(y);
    jg_stream_release(own);
    return NULL;
}

static void begin_slow(void)
{
    atomic_store(&begun, false);
    atomic_store(&released, false);
    atomic_store(&gave_up, false);
    atomic_store(&slow, true);
}

/* While the code of one shape is made, others that have theirs, and others that are new, are
 * evaluated. */
TEST(small_evaluations_go_on_while_another_thread_compiles)
{
    for (int variant = 0; variant < 2; ++variant) {
        caller first = {.size = 5 + variant, .wait = variant == 0};
        jg_array *y;
        pthread_t thread;
        assert_ok(add_up(3, true, &y));
        jg_array_release(y);
        begin_slow();
        assert_int_equal(pthread_create(&thread, NULL, evaluate, &first), 0);
        while (!atomic_load(&begun))
            pause_a_moment();
        for (int64_t size = 3; size < 64; size += 20) {
            assert_ok(add_up(size, true, &y));
            assert_true(is_right(y, size));
            jg_array_release(y);
        }
        assert_false(atomic_load(&gave_up));
        atomic_store(&released, true);
        pthread_join(thread, NULL);
        assert_true(first.right);
        assert_false(atomic_load(&gave_up));
    }
}

/* Two threads meet at one plan whose code is being made. */
TEST(who_runs_the_same_plan_makes_the_code_too)
{
    caller first = {.size = 30, .wait = true};
    jg_array *y;
    pthread_t thread;
    begin_slow();
    assert_int_equal(pthread_create(&thread, NULL, evaluate, &first), 0);
    while (!atomic_load(&begun))
        pause_a_moment();
    assert_ok(add_up(30, true, &y));
    assert_true(is_right(y, 30));
    jg_array_release(y);
    atomic_store(&released, true);
    pthread_join(thread, NULL);
    assert_true(first.right);
    assert_false(atomic_load(&gave_up));
}

TEST(code_is_made_once_and_before_the_first_run)
{
    jg_array *y;
    int before = atomic_load(&prepared);
    for (int i = 0; i < 5; ++i) {
        assert_ok(add_up(41, true, &y));
        assert_int_equal(atomic_load(&prepared), before + 1);
        assert_true(is_right(y, 41));
        jg_array_release(y);
    }
}

static int take_tier(void **state)
{
    (void)state;
    executor = tile_executor;
    executor.prepare = prepare;
    plan_set_hot_tier(&executor);
    return jg_option_set("jit", "1") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_tier)
