/* SPDX-License-Identifier: Apache-2.0 */
/* Fused programs on both tiers, through evaluation: at once, and swapped in while threads run
 * them. */
#include "../arrays.h"
#include "jit/jit.h"
#include "kernel/cut.h"
#include <joggle/option.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 100003, THREADS = 3, ROUNDS = 60 };

static float data[SIZE];

static jg_array *leaf(const char *mode)
{
    jg_array *x;
    assert_ok(jg_option_set("jit", mode));
    /* Another shape has another plan: that of the other mode is not found. */
    if (strcmp(mode, "0") == 0)
        assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, SHAPE(SIZE), &x));
    else
        assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, SHAPE(SIZE, 1), &x));
    return x;
}

/* tanh(x (x x + x)) exp(x) - x, in float32: products beside sums, functions. */
static jg_status chain(jg_array *x, jg_array **out)
{
    jg_array *steps[6] = {0};
    jg_status status = jg_multiply(x, x, &steps[0]);
    status = status ? status : jg_add(steps[0], x, &steps[1]);
    status = status ? status : jg_multiply(steps[1], x, &steps[2]);
    status = status ? status : jg_tanh(steps[2], &steps[3]);
    status = status ? status : jg_exp(x, &steps[4]);
    status = status ? status : jg_multiply(steps[3], steps[4], &steps[5]);
    status = status ? status : jg_subtract(steps[5], x, out);
    for (int i = 0; i < 6; ++i)
        jg_array_release(steps[i]);
    return status ? status : jg_eval(1, out);
}

/* An evaluated array's elements. */
static jg_status read_elements(jg_array *x, float *out)
{
    jg_view view;
    jg_status status = jg_array_view(x, &view);
    if (status == JG_OK)
        memcpy(out, view.data, SIZE * sizeof *out);
    return status;
}

static void read_chain(const char *mode, float *out)
{
    jg_array *x = leaf(mode), *y;
    assert_ok(chain(x, &y));
    assert_ok(read_elements(y, out));
    jg_array_release(x);
    jg_array_release(y);
}

TEST(a_chain_compiled_at_once_gives_the_same_bits)
{
    static float tiles[SIZE], compiled[SIZE];
    read_chain("0", tiles);
    read_chain("1", compiled);
    assert_memory_equal(tiles, compiled, sizeof tiles);
}

typedef struct runner {
    jg_array *x;
    const float *expected;
    bool right;
} runner;

static void *run_often(void *context)
{
    runner *r = context;
    float *got = malloc(SIZE * sizeof *got);
    r->right = got != NULL;
    for (int i = 0; i < ROUNDS && r->right; ++i) {
        jg_array *y = NULL;
        r->right = chain(r->x, &y) == JG_OK && read_elements(y, got) == JG_OK &&
                   memcmp(got, r->expected, SIZE * sizeof *got) == 0;
        jg_array_release(y);
    }
    free(got);
    return NULL;
}

/* Long enough for the swap to come somewhere in between. */
TEST(what_runs_often_is_swapped_without_a_trace)
{
    static float expected[SIZE];
    runner runners[THREADS];
    read_chain("0", expected);
    jg_array *x = leaf("auto");
    jg_array *flat;
    assert_ok(jg_reshape(x, SHAPE(1, SIZE), &flat));
    for (int i = 0; i < THREADS; ++i)
        runners[i] = (runner){.x = i == 0 ? flat : x, .expected = expected};
    run_threads(THREADS, run_often, runners, sizeof runners[0]);
    for (int i = 0; i < THREADS; ++i)
        assert_true(runners[i].right);
    jg_array_release(flat);
    jg_array_release(x);
}

/* x = sin(x) + x, so many times. */
static jg_status compile_sines(int count, kernel_code **out)
{
    base_text text = {0};
    kernel_program kernel;
    char *whole = NULL;
    text_add(&text, "kernel sines\narray x float32 [*]\n{\n  %%i:int64 = const 0\n"
                    "  %%v0:float32 = load x [%%i]\n");
    for (int i = 0; i < count; ++i)
        text_add(&text, "  %%s%d:float32 = sin %%v%d\n  %%v%d:float32 = add %%s%d %%v%d\n", i, i,
                 i + 1, i, i);
    text_add(&text, "  store x [%%i] = %%v%d\n}\n", count);
    jg_status status = text_finish(&text, &whole);
    if (status == JG_OK)
        status = kernel_parse(whole, &kernel);
    base_free(whole);
    if (status != JG_OK)
        return status;
    status = kernel_cut(&kernel);
    if (status == JG_OK)
        status = jit_compiler.compile(&kernel, 0, out);
    kernel_clear(&kernel);
    return status;
}

typedef struct long_work {
    atomic_bool begun, done;
    jg_status status;
} long_work;

static void *compile_long(void *context)
{
    long_work *work = context;
    kernel_code *code = NULL;
    atomic_store(&work->begun, true);
    work->status = compile_sines(800, &code);
    atomic_store(&work->done, true);
    if (code != NULL)
        jit_compiler.release(code);
    return NULL;
}

static void use_code(jg_array *x)
{
    struct timespec pause = {.tv_nsec = 1000000};
    kernel_code *code;
    jg_array *y;
    assert_ok(chain(x, &y));
    jg_array_release(y);
    assert_ok(compile_sines(1, &code)); /* found */
    jit_compiler.release(code);
    nanosleep(&pause, NULL);
}

/* Seconds are compiled meanwhile, and a turn takes a few milliseconds. */
TEST(evaluations_and_releases_wait_for_nobody_who_compiles)
{
    enum { TURNS = 20 };
    long_work work = {0};
    kernel_code *known;
    pthread_t thread;
    int turns = 0;
    assert_ok(jg_option_set("jit_cache", "none")); /* each run compiles */
    assert_ok(compile_sines(1, &known));
    jg_array *x = leaf("1"), *y;
    assert_ok(chain(x, &y));
    assert_int_equal(pthread_create(&thread, NULL, compile_long, &work), 0);
    while (!atomic_load(&work.begun))
        sched_yield();
    for (; turns < TURNS && !atomic_load(&work.done); ++turns)
        use_code(x);
    assert_false(atomic_load(&work.done));
    pthread_join(thread, NULL);
    assert_ok(work.status);
    assert_int_equal(turns, TURNS);
    jg_array_release(x);
    jg_array_release(y);
    jit_compiler.release(known);
}

static int fill_data(void **state)
{
    (void)state;
    for (int i = 0; i < SIZE; ++i)
        data[i] = (float)(i % 4001 - 2000) / 700.0f;
    return 0;
}
BEFORE_ALL(fill_data)
