/* SPDX-License-Identifier: Apache-2.0 */
/* What the executor promises beside right results: in-place computing, no heap while running, no
 * failure without memory, threads, large and tiny launches. */
#include "../support.h"
#include "launch.h"

static launch l;

static executor_code *prepared(void)
{
    executor_code *code;
    assert_ok(program_verify(&l.program));
    assert_ok(tile_executor.prepare(&l.program, l.space, &code));
    return code;
}

static void run_all(executor_code *code)
{
    tile_executor.run(code, l.addresses, l.scalars, l.shared, 0, tile_executor.units(code));
    tile_executor.finish(code, l.addresses, l.scalars, l.shared);
}

static void dense(int64_t n)
{
    int64_t strides[PROGRAM_MAX_BUFFERS];
    for (int i = 0; i < PROGRAM_MAX_BUFFERS; ++i)
        strides[i] = 1;
    launch_space(&l, 1, 0, &n, strides);
}

/* first = x + x; second = first * x, with first in x's memory: x is needed after first is known. */
TEST(an_output_in_an_inputs_memory_does_not_spoil_it)
{
    enum { N = 3000 };
    static float x[N], y[N];
    program_init(&l.program);
    int in = load_of(&l, JG_DTYPE_FLOAT32), first = apply_to(&l, PROGRAM_ADD, in, in, 0);
    store_of(&l, first);
    store_of(&l, apply_to(&l, PROGRAM_MULTIPLY, first, in, 0));
    dense(N);
    for (int i = 0; i < N; ++i)
        x[i] = (float)i;
    l.addresses[0] = l.addresses[1] = x;
    l.addresses[2] = y;
    executor_code *code = prepared();
    run_all(code);
    tile_executor.release(code);
    free(l.space);
    for (int i = 0; i < N; ++i) {
        assert_true(x[i] == 2 * (float)i);
        assert_true(y[i] == 2 * (float)i * (float)i);
    }
}

TEST(exchanging_two_buffers_in_place_works)
{
    enum { N = 2000 };
    static int32_t x[N], y[N];
    program_init(&l.program);
    int a = load_of(&l, JG_DTYPE_INT32), b = load_of(&l, JG_DTYPE_INT32);
    store_of(&l, apply_to(&l, PROGRAM_NEGATE, b, 0, 0));
    store_of(&l, apply_to(&l, PROGRAM_NEGATE, a, 0, 0));
    dense(N);
    for (int i = 0; i < N; ++i) {
        x[i] = i;
        y[i] = 1000 * i;
    }
    l.addresses[0] = l.addresses[2] = x;
    l.addresses[1] = l.addresses[3] = y;
    executor_code *code = prepared();
    run_all(code);
    tile_executor.release(code);
    free(l.space);
    for (int i = 0; i < N; ++i) {
        assert_int_equal(x[i], -1000 * i);
        assert_int_equal(y[i], -i);
    }
}

/* tanh(x + s) * x, with a scalar, a register and an output. */
static void build_small(void)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), s = scalar_of(&l, JG_DTYPE_FLOAT32);
    int y = apply_to(&l, PROGRAM_TANH, apply_to(&l, PROGRAM_ADD, x, s, 0), 0, 0);
    store_of(&l, apply_to(&l, PROGRAM_MULTIPLY, y, x, 0));
}

/* Code of the small program, which has run once beside the reference. */
static executor_code *warm_small(void)
{
    build_small();
    dense(5000);
    launch_alloc(&l, 3, false);
    reference_run(&l.program, l.space, l.copy_addresses, l.scalars);
    executor_code *code = prepared();
    run_all(code);
    return code;
}

static void *run_on_a_thread(void *code)
{
    run_all(code);
    return NULL;
}

TEST(running_needs_no_heap_once_warm_and_none_at_all_if_there_is_none)
{
    pthread_t thread;
    executor_code *code = warm_small();
    int64_t blocks = base_live_blocks();
    for (int i = 0; i < 100; ++i)
        run_all(code);
    assert_int_equal(base_live_blocks(), blocks);
    memset(l.memory[1], 0, l.nbytes[1]);
    base_fail_nth(1);
    assert_int_equal(pthread_create(&thread, NULL, run_on_a_thread, code), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    base_fail_nth(0);
    launch_compare(&l, 4);
    assert_int_equal(base_live_blocks(), blocks);
    tile_executor.release(code);
    launch_free(&l);
}

TEST(scratch_memory_goes_with_its_thread)
{
    pthread_t thread;
    build_small();
    dense(5000);
    launch_alloc(&l, 3, false);
    executor_code *code = prepared();
    int64_t blocks = base_live_blocks();
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(pthread_create(&thread, NULL, run_on_a_thread, code), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(base_live_blocks(), blocks);
    tile_executor.release(code);
    launch_free(&l);
}

static pthread_key_t late_key;
static int64_t grown_late;

/* Keys are destroyed in the order in which they were made, that of the scratch memory first. */
static void run_late(void *code)
{
    int64_t blocks = base_live_blocks();
    run_all(code);
    grown_late = base_live_blocks() - blocks;
}

static void *run_twice_on_a_thread(void *code)
{
    run_all(code);
    assert_int_equal(pthread_setspecific(late_key, code), 0);
    return NULL;
}

TEST(a_thread_that_ends_runs_tiles_once_more)
{
    pthread_t thread;
    executor_code *code = warm_small(); /* makes the key of the scratch memory */
    assert_int_equal(pthread_key_create(&late_key, run_late), 0);
    memset(l.memory[1], 0, l.nbytes[1]);
    int64_t blocks = base_live_blocks();
    assert_int_equal(pthread_create(&thread, NULL, run_twice_on_a_thread, code), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    launch_compare(&l, 4);
    assert_int_equal(grown_late, 1); /* and not what the thread had freed */
    assert_int_equal(base_live_blocks(), blocks);
    assert_int_equal(pthread_key_delete(late_key), 0);
    tile_executor.release(code);
    launch_free(&l);
}

enum { POOL = 4 };

/* Each thread of the pool takes one chunk, as none goes on before all have one; then they run the
 * code one after the other, so that which allocation fails is known. */
typedef struct meeting {
    pthread_barrier_t all;
    pthread_mutex_t one;
    executor_code *code;
    int failures, grown; /* allocations that have failed; blocks that were allocated afterwards */
    int right;           /* runs whose results were those of the reference */
} meeting;

static void run_and_compare(meeting *own)
{
    memset(l.memory[1], 0, l.nbytes[1]);
    run_all(own->code);
    own->right += memcmp(l.memory[1], l.copies[1], l.nbytes[1]) == 0;
}

static void run_without_memory_once(void *context, int64_t first, int64_t last)
{
    meeting *own = context;
    (void)first;
    (void)last;
    pthread_barrier_wait(&own->all);
    pthread_mutex_lock(&own->one);
    int64_t blocks = base_live_blocks();
    base_fail_nth(1);
    run_and_compare(own);
    void *probe = base_alloc(1);
    base_fail_nth(0);
    own->failures += probe != NULL;
    base_free(probe);
    run_and_compare(own);
    own->grown += (int)(base_live_blocks() - blocks);
    pthread_mutex_unlock(&own->one);
}

TEST(threads_of_the_pool_do_without_memory_once)
{
    build_small();
    dense(5000);
    launch_alloc(&l, 3, false);
    meeting own = {.one = PTHREAD_MUTEX_INITIALIZER, .code = prepared()};
    run_all(own.code); /* this thread has its memory */
    memcpy(l.copies[1], l.memory[1], l.nbytes[1]);
    assert_int_equal(pthread_barrier_init(&own.all, NULL, POOL), 0);
    assert_ok(jg_option_set("num_threads", "4"));
    for (int turn = 1; turn <= 2; ++turn) {
        pool_run(POOL, 1, run_without_memory_once, &own);
        assert_int_equal(own.failures, POOL - 1); /* in the first turn, by each but this thread */
        assert_int_equal(own.grown, POOL - 1);
        assert_int_equal(own.right, turn * 2 * POOL);
    }
    pthread_barrier_destroy(&own.all);
    tile_executor.release(own.code);
    launch_free(&l);
}

TEST(preparing_without_memory_is_an_error_and_leaks_nothing)
{
    executor_code *code;
    build_small();
    dense(100);
    int64_t blocks = base_live_blocks();
    for (int nth = 1; nth <= 2; ++nth) {
        base_fail_nth(nth);
        assert_fails(JG_ERR_NOMEM, tile_executor.prepare(&l.program, l.space, &code));
        base_fail_nth(0);
        assert_int_equal(base_live_blocks(), blocks);
    }
    free(l.space);
}

typedef struct worker {
    executor_code *code;
    int64_t first, last;
} worker;

static void *work(void *opaque)
{
    const worker *w = opaque;
    for (int64_t unit = w->first; unit < w->last; ++unit)
        tile_executor.run(w->code, l.addresses, l.scalars, l.shared, unit, unit + 1);
    return NULL;
}

TEST(units_run_on_several_threads_at_once)
{
    build_small();
    dense(200000);
    launch_alloc(&l, 9, false);
    reference_run(&l.program, l.space, l.copy_addresses, l.scalars);
    executor_code *code = prepared();
    int64_t units = tile_executor.units(code);
    assert_true(units >= 8);
    worker workers[4];
    for (int i = 0; i < 4; ++i)
        workers[i] = (worker){code, units * i / 4, units * (i + 1) / 4};
    run_threads(4, work, workers, sizeof *workers);
    launch_compare(&l, 4);
    tile_executor.release(code);
    launch_free(&l);
}

TEST(what_has_no_loop_is_not_accepted)
{
    executor_code *code;
    program_init(&l.program);
    store_of(&l, apply_to(&l, PROGRAM_NEGATE, load_of(&l, JG_DTYPE_BOOL), 0, 0));
    dense(4);
    assert_false(tile_executor.accepts(&l.program));
    assert_fails(JG_ERR_UNSUPPORTED, tile_executor.prepare(&l.program, l.space, &code));
    free(l.space);
}

/* Results of 16 MiB and more are written past the caches, from unaligned memory too. */
TEST(large_results_are_right_as_well)
{
    const int64_t n = (5 << 20) + 7;
    float *x = malloc((size_t)(n + 1) * sizeof *x), *y = malloc((size_t)(n + 1) * sizeof *y);
    program_init(&l.program);
    int in = load_of(&l, JG_DTYPE_FLOAT32);
    store_of(&l, apply_to(&l, PROGRAM_ADD, in, in, 0));
    dense(n);
    for (int64_t i = 0; i <= n; ++i) {
        x[i] = (float)(i % 1000);
        y[i] = -1;
    }
    l.addresses[0] = x;
    l.addresses[1] = y + 1;
    executor_code *code = prepared();
    run_all(code);
    tile_executor.release(code);
    free(l.space);
    assert_true(y[0] == -1);
    for (int64_t i = 0; i < n; ++i)
        if (y[i + 1] != 2 * x[i])
            fail_msg("element %ld: got %g", (long)i, (double)y[i + 1]);
    free(x);
    free(y);
}

/* As many live values of the widest dtype as a program can hold: tiles get shorter. */
TEST(a_program_of_full_length_fits_the_scratch)
{
    enum { LIVE = 230 };
    int values[LIVE];
    program_init(&l.program);
    values[0] = load_of(&l, JG_DTYPE_COMPLEX128);
    for (int i = 1; i < LIVE; ++i)
        values[i] = apply_to(&l, PROGRAM_ADD, values[i - 1], values[0], 0);
    int sum = values[0];
    for (int i = LIVE - 1; i > 0; --i)
        sum = apply_to(&l, PROGRAM_SUBTRACT, values[i], sum, 0);
    store_of(&l, sum);
    dense(3000);
    launch_check(&l, 11, true, 0);
    free(l.space);
}

TEST(an_instruction_set_has_a_name)
{
    const char *name = tile_isa_name();
    assert_true(strcmp(name, "baseline") == 0 || strcmp(name, "avx2") == 0 ||
                strcmp(name, "avx512") == 0);
}
