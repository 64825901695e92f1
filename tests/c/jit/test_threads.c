/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics under load, compiling from many threads, and forks while another thread compiles. */
#include "launch.h"
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100000, BINS = 8 };

static const char histogram[] = "kernel histogram\n"
                                "array x int32 [*]\n"
                                "array bins int32 [8]\n"
                                "array best int32 [2]\n"
                                "result float64\n"
                                "result int64\n"
                                "{\n"
                                "  local sum float64\n"
                                "  local seen int64\n"
                                "  %zero:int32 = const 0\n"
                                "  %one:int32 = const 1\n"
                                "  %one8:int64 = const 1\n"
                                "  %mask:int32 = const 7\n"
                                "  %n8 = extent x 0\n"
                                "  %n:int32 = cast %n8\n"
                                "  parallel %i:int32 = %zero to %n {\n"
                                "    %v:int32 = load x [%i]\n"
                                "    %bin:int32 = and %v %mask\n"
                                "    %old:int32 = atomic add bins [%bin] %one\n"
                                "    %w:float64 = cast %v\n"
                                "    %old2:float64 = atomic add sum %w\n"
                                "    %old3:int64 = atomic add seen %one8\n"
                                "    %old4:int32 = atomic maximum best [%zero] %v\n"
                                "    %old5:int32 = atomic minimum best [%one] %v\n"
                                "  }\n"
                                "  %total:float64 = get sum\n"
                                "  %count:int64 = get seen\n"
                                "  return %total %count\n"
                                "}\n";

static void fill(int32_t *x, int32_t *bins, double *sum)
{
    *sum = 0;
    memset(bins, 0, BINS * sizeof *bins);
    for (int i = 0; i < N; ++i) {
        x[i] = (int32_t)((uint32_t)i * 2654435761u >> 12) - 300000;
        bins[x[i] & 7] += 1;
        *sum += x[i];
    }
}

/* alone: by the body for one thread. */
static void check_histogram(bool alone)
{
    static int32_t x[N];
    int32_t bins[BINS] = {0}, expected[BINS], best[2] = {INT32_MIN, INT32_MAX};
    double sum;
    launch l;
    fill(x, expected, &sum);
    launch_init(&l);
    l.grain = 997;
    l.alone = alone;
    launch_array(&l, x, 4, 1, (int64_t)N);
    launch_array(&l, bins, 4, 1, (int64_t)BINS);
    launch_array(&l, best, 4, 1, (int64_t)2);
    launch_text(&l, histogram);
    assert_memory_equal(bins, expected, sizeof bins);
    assert_true(result_f64(&l, 0) == sum);
    assert_int_equal(l.results[1], N);
    int32_t most = x[0], least = x[0];
    for (int i = 0; i < N; ++i) {
        most = x[i] > most ? x[i] : most;
        least = x[i] < least ? x[i] : least;
    }
    assert_int_equal(best[0], most);
    assert_int_equal(best[1], least);
}

TEST(atomics_of_many_threads_lose_nothing)
{
    check_histogram(false);
}

TEST(one_thread_alone_needs_no_atomics)
{
    check_histogram(true);
}

/* Each index takes a ticket: the old values are all different. */
TEST(old_values_of_atomics_are_given_once)
{
    static int64_t tickets[N];
    static char given[N];
    int64_t next = 0;
    launch l;
    launch_init(&l);
    launch_array(&l, tickets, 8, 1, (int64_t)N);
    launch_array(&l, &next, 8, 0);
    launch_text(&l, "kernel tickets\n"
                    "array x int64 [*]\n"
                    "array next int64 []\n"
                    "{\n"
                    "  %zero:int64 = const 0\n"
                    "  %one:int64 = const 1\n"
                    "  %n = extent x 0\n"
                    "  parallel %i:int64 = %zero to %n {\n"
                    "    %old:int64 = atomic add next [] %one\n"
                    "    store x [%i] = %old\n"
                    "  }\n"
                    "}\n");
    for (int i = 0; i < N; ++i) {
        assert_in_range(tickets[i], 0, N - 1);
        assert_int_equal(given[tickets[i]]++, 0);
    }
}

/* What the machine has no instruction for goes by compare and exchange. */
TEST(products_and_halves_are_combined_whole)
{
    uint64_t product = 1;
    uint16_t half = 0;
    launch l;
    launch_init(&l);
    l.grain = 1;
    launch_array(&l, &product, 8, 0);
    launch_array(&l, &half, 2, 0);
    launch_text(&l, "kernel products\n"
                    "array p uint64 []\n"
                    "array h float16 []\n"
                    "result uint64\n"
                    "{\n"
                    "  local last uint64\n"
                    "  %zero:int64 = const 0\n"
                    "  %three:uint64 = const 3\n"
                    "  %quarter:float16 = const 0.25\n"
                    "  %n:int64 = const 1000\n"
                    "  parallel %i:int64 = %zero to %n {\n"
                    "    %old:uint64 = atomic multiply p [] %three\n"
                    "    %old2:float16 = atomic add h [] %quarter\n"
                    "    %old3:uint64 = atomic exchange last %old\n"
                    "    %f:float32 = cast %old2\n"
                    "    %g:float32 = cast %f\n"
                    "  }\n"
                    "  %r:uint64 = get last\n"
                    "  return %r\n"
                    "}\n");
    uint64_t expected = 1;
    for (int i = 0; i < 1000; ++i)
        expected *= 3;
    assert_true(product == expected);
    assert_float_equal(float_from_half(half), 250.0f, 0);
}

static kernel_code *compile_constant(int value)
{
    char text[256];
    snprintf(text, sizeof text,
             "kernel constant\nresult int32\n{\n  %%c:int32 = const %d\n  return %%c\n}\n", value);
    return compile_text(text, 0);
}

static bool gives(const kernel_code *code, int value)
{
    launch l;
    launch_init(&l);
    launch_code(&l, code);
    return (int32_t)l.results[0] == value;
}

typedef struct compiling {
    int first;
    bool right;
} compiling;

static void *compile_many(void *context)
{
    compiling *c = context;
    c->right = true;
    for (int i = 0; i < 8; ++i) {
        kernel_code *code = compile_constant(c->first + i % 4);
        c->right &= gives(code, c->first + i % 4);
        jit_compiler.release(code);
    }
    return NULL;
}

TEST(threads_compile_the_same_and_different_kernels)
{
    compiling contexts[6];
    for (int i = 0; i < 6; ++i)
        contexts[i].first = i / 2 * 100;
    run_threads(6, compile_many, contexts, sizeof contexts[0]);
    for (int i = 0; i < 6; ++i)
        assert_true(contexts[i].right);
}

#if !defined __SANITIZE_THREAD__
static atomic_bool stop;

static void *keep_compiling(void *context)
{
    int *next = context;
    while (!atomic_load(&stop))
        jit_compiler.release(compile_constant((*next)++));
    return NULL;
}

TEST(child_compiles_whatever_the_parent_was_compiling)
{
    pthread_t thread;
    int next = 1000;
    assert_int_equal(pthread_create(&thread, NULL, keep_compiling, &next), 0);
    for (int i = 0; i < 5; ++i) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(30);
            _exit(gives(compile_constant(-i), -i) ? 0 : 1);
        }
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
}
#endif
