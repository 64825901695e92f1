/* SPDX-License-Identifier: Apache-2.0 */
/* What the code of a kernel asks of its launch: failures, lines, memory for stacks, and that
 * nothing lazy sees what it writes. Also from many threads at once. The code is written by hand. */
#include "compiler.h"
#include <joggle/joggle.h>
#include <stdio.h>

#define CHECK                                                                                      \
    "kernel check\narray x float32 [*]\nscalar n int32\n{\n"                                       \
    "%t:bool = const true\n%f:float64 = const 0.5\n%h:float32 = load x [%n]\n"                     \
    "assert %t index \"index {} of {}, {}\" %n %f %h @12\n"                                        \
    "print \"{} {} end\" %t %n\n}\n"

/* The instructions count from 0: the assert is the fourth. */
static void check_body(void *context, int64_t first, int64_t last)
{
    kernel_host *host = context;
    (void)last;
    double half = 0.5;
    float quarter = 0.25f;
    uint64_t values[3] = {(uint64_t)first, 0, 0};
    memcpy(&values[1], &half, sizeof half);
    memcpy(&values[2], &quarter, sizeof quarter);
    if (atomic_load_explicit(&host->failed, memory_order_relaxed) == 0)
        (host->fail)(host, 3, values);
}

static void check(const kernel_arguments *arguments, kernel_host *host)
{
    int32_t n = (int32_t)arguments->scalars[0];
    if (n < 0) {
        uint64_t values[] = {1, arguments->scalars[0]};
        host->print(host, 4, values);
        return;
    }
    kernel_loop loop = {.body = check_body, .alone = check_body, .grain = 1, .work = 1};
    host->parallel(host, 1000, &loop, host);
}

/* Pushes 1000 values and adds them up. */
static void pile(const kernel_arguments *arguments, kernel_host *host)
{
    kernel_stack stack = {0};
    int64_t sum = 0;
    for (int64_t i = 0; i < 1000; ++i) {
        if (stack.count == stack.capacity && !host->grow(host, &stack, sizeof i)) {
            host->drop(host, &stack);
            return;
        }
        ((int64_t *)stack.data)[stack.count++] = i;
    }
    while (stack.count > 0)
        sum += ((int64_t *)stack.data)[--stack.count];
    host->drop(host, &stack);
    arguments->results[0] = (uint64_t)sum;
}

/* Sets every element. */
static void fill(const kernel_arguments *arguments, kernel_host *host)
{
    (void)host;
    for (int64_t i = 0; i < arguments->extents[0]; ++i)
        memcpy((char *)arguments->addresses[0] + i * arguments->strides[0], &arguments->scalars[0],
               sizeof(float));
}

static const hand_written code[] = {{"check", check}, {"pile", pile}, {"fill", fill}, {NULL, NULL}};

static int begin(void **state)
{
    (void)state;
    return compile_by_hand(code);
}

static jg_status run(jg_kernel *kernel, const jg_view *x, jg_number scalar)
{
    return jg_kernel_run(kernel, &x, &scalar, NULL);
}

TEST(an_assertion_names_kernel_line_and_values)
{
    float data[4] = {0};
    const int64_t shape[] = {4};
    jg_view x = view_of(data, JG_DTYPE_FLOAT32, 1, shape, NULL, 0);
    jg_kernel *kernel = kernel_of(CHECK);
    jg_status status = run(kernel, &x, (jg_number){.kind = JG_KIND_INT, .i64 = 3});
    int index;
    assert_int_equal(status, JG_ERR_INDEX);
    assert_int_equal(sscanf(jg_error_message(), "[check] line 12: index %d of 0.5, 0.25", &index),
                     1);
    jg_kernel_release(kernel);
}

static char printed[64];

static void take_line(void *context, const char *line)
{
    snprintf(printed, sizeof printed, "%s%s", (const char *)context, line);
}

TEST(lines_go_to_the_printer)
{
    const int64_t shape[] = {0};
    char prefix[] = "> ";
    jg_view x = view_of(NULL, JG_DTYPE_FLOAT32, 1, shape, NULL, 0);
    jg_kernel *kernel = kernel_of(CHECK);
    jg_kernel_set_printer(take_line, prefix);
    assert_ok(run(kernel, &x, (jg_number){.kind = JG_KIND_INT, .i64 = -5}));
    assert_string_equal(printed, "> true -5 end");
    jg_kernel_set_printer(NULL, NULL);
    jg_kernel_release(kernel);
}

TEST(stacks_grow_and_give_back_their_memory)
{
    jg_kernel *kernel = kernel_of("kernel pile\nresult int64\n{\n%1:int64 = const 0\n"
                                  "return %1\n}\n");
    jg_number sum;
    assert_ok(jg_kernel_run(kernel, NULL, NULL, &sum));
    assert_int_equal(sum.i64, 999 * 500);
    int64_t blocks = base_live_blocks();
    for (int nth = 1; nth <= 5; ++nth) {
        base_fail_nth(nth);
        assert_fails(JG_ERR_NOMEM, jg_kernel_run(kernel, NULL, NULL, &sum));
        base_fail_nth(0);
        assert_int_equal(base_live_blocks(), blocks);
    }
    jg_kernel_release(kernel);
}

#define FILL                                                                                       \
    "kernel fill\narray x float32 [*] [*]\nscalar a float32\n{\n%0:int64 = const 0\n"              \
    "store x [%0] = %a\n}\n"

TEST(what_is_pending_is_computed_before_its_memory_is_written)
{
    static float data[1000];
    const int64_t shape[] = {1000};
    jg_array *array, *twice;
    float seen[1000];
    jg_kernel *kernel = kernel_of(FILL);
    jg_view x = view_of(data, JG_DTYPE_FLOAT32, 1, shape, NULL, 0);
    for (int i = 0; i < 1000; ++i)
        data[i] = (float)i;
    assert_ok(jg_array_take_view(&x, JG_COPY_NEVER, NULL, NULL, &array));
    assert_ok(jg_add(array, array, &twice));
    assert_ok(run(kernel, &x, (jg_number){.kind = JG_KIND_FLOAT, .re = -1}));
    assert_true(data[0] == -1 && data[999] == -1);
    assert_ok(jg_array_copy_to(twice, seen, sizeof seen));
    for (int i = 0; i < 1000; ++i)
        assert_true(seen[i] == 2 * (float)i);
    jg_array_release(twice);
    jg_array_release(array);
    jg_kernel_release(kernel);
}

typedef struct worker {
    jg_kernel *kernel;
    int number;
    bool right;
} worker;

static void *launch_often(void *context)
{
    worker *w = context;
    float data[64];
    const int64_t shape[] = {16}, strides[] = {w->number % 4 + 1};
    jg_view x;
    w->right = jg_view_init(&x, data, (jg_device_id){JG_DEVICE_CPU, 0}, JG_DTYPE_FLOAT32, 1, 1,
                            shape, strides, 0) == JG_OK;
    for (int round = 0; round < 500; ++round) {
        float value = (float)(round + w->number);
        jg_number scalar = {.kind = JG_KIND_FLOAT, .re = value};
        w->right &= run(w->kernel, &x, scalar) == JG_OK;
        for (int i = 0; i < 16; ++i)
            w->right &= data[i * strides[0]] == value;
    }
    return NULL;
}

TEST(many_threads_launch_one_kernel)
{
    worker workers[8];
    ncompiled = nreleased = 0;
    jg_kernel *kernel = kernel_of(FILL);
    for (int i = 0; i < 8; ++i)
        workers[i] = (worker){kernel, i, false};
    run_threads(8, launch_often, workers, sizeof *workers);
    for (int i = 0; i < 8; ++i)
        assert_true(workers[i].right);
    jg_kernel_release(kernel);
    assert_int_equal(ncompiled, nreleased);
}

BEFORE_ALL(begin)
