/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: what the code is handed, and which code. The code is written by hand. */
#include "compiler.h"
#include <joggle/joggle.h>
#include <stdlib.h>

#define SCALE                                                                                      \
    "kernel scale\narray x float32 [*, *] [*, *]\narray y float32 [*, *] [*, *]\n"                 \
    "scalar a float32\n{\n%zero:int64 = const 0\n%m:int64 = extent x 0\n%n:int64 = extent x 1\n"   \
    "parallel %i:int64 = %zero to %m, %j:int64 = %zero to %n {\n"                                  \
    "%1:float32 = load x [%i, %j]\n%2:float32 = multiply %1 %a\nstore y [%i, %j] = %2\n}\n}\n"

/* y = a * x, for any strides. */
typedef struct scale_frame {
    const kernel_arguments *arguments;
    float a;
} scale_frame;

static void scale_body(void *context, int64_t first, int64_t last)
{
    const scale_frame *frame = context;
    const kernel_arguments *arguments = frame->arguments;
    const int64_t *strides = arguments->strides;
    for (int64_t at = first; at < last; ++at) {
        int64_t i = at / arguments->extents[1], j = at % arguments->extents[1];
        const char *x = (const char *)arguments->addresses[0] + i * strides[0] + j * strides[1];
        char *y = (char *)arguments->addresses[1] + i * strides[2] + j * strides[3];
        *(float *)(void *)y = frame->a * *(const float *)(const void *)x;
    }
}

static void scale(const kernel_arguments *arguments, kernel_host *host)
{
    scale_frame frame = {.arguments = arguments};
    memcpy(&frame.a, &arguments->scalars[0], sizeof frame.a);
    kernel_loop loop = {.body = scale_body, .alone = scale_body, .work = 1};
    host->parallel(host, arguments->extents[0] * arguments->extents[1], &loop, &frame);
}

/* Gives the seed and the address that it was launched with. */
static void tell(const kernel_arguments *arguments, kernel_host *host)
{
    (void)host;
    arguments->results[0] = arguments->seed;
    int8_t small = (int8_t)arguments->scalars[0];
    arguments->results[1] = (uint8_t)(small + 1);
    arguments->results[2] = arguments->scalars[1] != 0;
}

static const hand_written code[] = {{"scale", scale}, {"tell", tell}, {NULL, NULL}};

static int begin(void **state)
{
    (void)state;
    return compile_by_hand(code);
}

static float from[4096], to[4096];

static void fill(void)
{
    for (int i = 0; i < 4096; ++i) {
        from[i] = (float)i;
        to[i] = -1;
    }
}

static jg_status run(jg_kernel *kernel, const jg_view *x, const jg_view *y)
{
    const jg_view *arrays[] = {x, y};
    jg_number two = {.kind = JG_KIND_FLOAT, .re = 2};
    return jg_kernel_run(kernel, arrays, &two, NULL);
}

TEST(elements_are_reached_in_place_whatever_the_strides)
{
    static const int64_t strides[][2] = {{4, 1}, {1, 3}, {40, 2}, {-8, 1}, {0, 0}};
    jg_kernel *kernel = kernel_of(SCALE);
    for (size_t s = 0; s < JG_COUNT_OF(strides); ++s) {
        const int64_t *step = strides[s], shape[] = {3, 4};
        fill();
        jg_view x = view_of(from + 100, JG_DTYPE_FLOAT32, 2, shape, step, JG_VIEW_READ_ONLY);
        jg_view y = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
        assert_ok(run(kernel, &x, &y));
        for (int i = 0; i < 12; ++i)
            assert_true(to[i] == 2 * (float)(100 + i / 4 * step[0] + i % 4 * step[1]));
        assert_true(to[12] == -1);
    }
    jg_kernel_release(kernel);
}

TEST(the_layouts_of_the_arrays_decide_which_code_is_compiled)
{
    jg_kernel *kernel = kernel_of(SCALE);
    const int64_t shape[] = {3, 4}, row[] = {5, 1}, column[] = {1, 3};
    jg_view dense = view_of(from, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    jg_view rows = view_of(from, JG_DTYPE_FLOAT32, 2, shape, row, 0);
    jg_view columns = view_of(from, JG_DTYPE_FLOAT32, 2, shape, column, 0);
    jg_view y = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    ncompiled = nreleased = 0;
    assert_ok(run(kernel, &dense, &y));
    assert_true(last_arrays[0].dense && last_arrays[1].dense);
    assert_int_equal(last_flags, COMPILE_NO_ALIAS);
    assert_ok(run(kernel, &rows, &y));
    assert_true(!last_arrays[0].dense && last_arrays[1].dense);
    assert_int_equal(last_arrays[0].strides[1], 4);
    assert_true(last_arrays[0].strides[0] == KERNEL_GIVEN);
    assert_ok(run(kernel, &columns, &y));
    assert_true(!last_arrays[0].dense && last_arrays[0].strides[1] == KERNEL_GIVEN);
    assert_int_equal(ncompiled, 3);
    assert_ok(run(kernel, &dense, &y));
    assert_ok(run(kernel, &rows, &y));
    assert_ok(run(kernel, &columns, &y));
    assert_int_equal(ncompiled, 3);
    jg_kernel_release(kernel);
    assert_int_equal(nreleased, 3);
}

TEST(overlapping_arrays_get_code_that_allows_for_it)
{
    jg_kernel *kernel = kernel_of(SCALE);
    const int64_t shape[] = {3, 4}, pairs[] = {8, 2};
    jg_view all = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    jg_view beside = view_of(to + 12, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    jg_view last = view_of(to + 11, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    jg_view even = view_of(to, JG_DTYPE_FLOAT32, 2, shape, pairs, 0);
    jg_view odd = view_of(to + 1, JG_DTYPE_FLOAT32, 2, shape, pairs, 0);
    assert_ok(run(kernel, &all, &beside));
    assert_int_equal(last_flags, COMPILE_NO_ALIAS);
    assert_ok(run(kernel, &all, &all));
    assert_int_equal(last_flags, 0);
    assert_ok(run(kernel, &even, &odd));
    assert_int_equal(last_flags, COMPILE_NO_ALIAS);
    assert_ok(run(kernel, &odd, &last));
    assert_int_equal(last_flags, 0);
    const int64_t records[] = {9, 1};
    jg_view head = view_of(to, JG_DTYPE_FLOAT32, 2, shape, records, 0);
    jg_view middle = view_of(to + 3, JG_DTYPE_FLOAT32, 2, shape, records, 0);
    jg_view tail = view_of(to + 4, JG_DTYPE_FLOAT32, 2, shape, records, 0);
    assert_ok(run(kernel, &head, &tail));
    assert_int_equal(last_flags, COMPILE_NO_ALIAS);
    assert_ok(run(kernel, &tail, &head));
    assert_int_equal(last_flags, COMPILE_NO_ALIAS);
    assert_ok(run(kernel, &head, &middle));
    assert_int_equal(last_flags, 0);
    jg_kernel_release(kernel);
}

/* A kernel of four arrays has more combinations of layouts than are compiled. */
TEST(the_number_of_codes_is_bounded)
{
    static const int64_t strides[][2] = {{2, 1}, {3, 1}, {1, 2}};
    jg_kernel *kernel = kernel_of("kernel scale\narray x float32 [2, 2] [*, *]\n"
                                  "array y float32 [2, 2] [*, *]\narray z float32 [2, 2] [*, *]\n"
                                  "array w float32 [2, 2] [*, *]\nscalar a float32\n{\n}\n");
    const int64_t shape[] = {2, 2};
    jg_number one = {.kind = JG_KIND_FLOAT, .re = 1};
    ncompiled = 0;
    for (int round = 0; round < 2; ++round) {
        for (int c = 0; c < 81; ++c) {
            jg_view views[4];
            const jg_view *arrays[] = {&views[0], &views[1], &views[2], &views[3]};
            for (int a = 0, rest = c; a < 4; ++a, rest /= 3)
                views[a] = view_of(to, JG_DTYPE_FLOAT32, 2, shape, strides[rest % 3], 0);
            assert_ok(jg_kernel_run(kernel, arrays, &one, NULL));
        }
    }
    assert_true(ncompiled <= 17);
    jg_kernel_release(kernel);
}

TEST(empty_and_single_elements_are_launched)
{
    jg_kernel *kernel = kernel_of(SCALE);
    const int64_t none[] = {3, 0}, one[] = {1, 1};
    fill();
    jg_view x = view_of(NULL, JG_DTYPE_FLOAT32, 2, none, NULL, 0);
    jg_view y = view_of(NULL, JG_DTYPE_FLOAT32, 2, none, NULL, 0);
    assert_ok(run(kernel, &x, &y));
    x = view_of(from + 7, JG_DTYPE_FLOAT32, 2, one, NULL, 0);
    y = view_of(to, JG_DTYPE_FLOAT32, 2, one, NULL, 0);
    assert_ok(run(kernel, &x, &y));
    assert_true(to[0] == 14 && to[1] == -1);
    jg_kernel_release(kernel);
}

TEST(large_loops_are_run_in_full)
{
    const int64_t shape[] = {1000, 1000};
    float *x = calloc(1000000, sizeof *x), *y = calloc(1000000, sizeof *y);
    jg_kernel *kernel = kernel_of(SCALE);
    for (int i = 0; i < 1000000; ++i)
        x[i] = (float)i;
    jg_view vx = view_of(x, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    jg_view vy = view_of(y, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    assert_ok(run(kernel, &vx, &vy));
    for (int i = 0; i < 1000000; ++i)
        assert_true(y[i] == 2 * (float)i);
    jg_kernel_release(kernel);
    free(x);
    free(y);
}

TEST(scalars_and_results_cross_in_their_dtypes)
{
    jg_kernel *kernel = kernel_of("kernel tell\nscalar s int8\nscalar b bool\nresult uint64\n"
                                  "result int8\nresult bool\n{\n%1:uint64 = random\n"
                                  "return %1 %s %b\n}\n");
    jg_number scalars[] = {{.kind = JG_KIND_INT, .i64 = -128}, {.kind = JG_KIND_INT, .i64 = 7}};
    jg_number results[3], again[3];
    jg_kernel_set_seed(1);
    assert_ok(jg_kernel_run(kernel, NULL, scalars, results));
    assert_int_equal(results[0].kind, JG_KIND_UINT);
    assert_int_equal(results[1].kind, JG_KIND_INT);
    assert_int_equal(results[1].i64, -127);
    assert_int_equal(results[2].kind, JG_KIND_BOOL);
    assert_int_equal(results[2].i64, 1);
    assert_ok(jg_kernel_run(kernel, NULL, scalars, again));
    assert_true(results[0].u64 != again[0].u64);
    jg_kernel_set_seed(1);
    assert_ok(jg_kernel_run(kernel, NULL, scalars, again));
    assert_true(results[0].u64 == again[0].u64);
    scalars[0].i64 = 128;
    assert_fails_saying(JG_ERR_VALUE,
                        "[tell] scalar s: got the integer 128, allowed are numbers for int8",
                        jg_kernel_run(kernel, NULL, scalars, results));
    scalars[0] = (jg_number){.kind = JG_KIND_FLOAT, .re = 1};
    assert_fails_saying(JG_ERR_TYPE, "scalar s: got the float 1, allowed are numbers for int8",
                        jg_kernel_run(kernel, NULL, scalars, results));
    jg_kernel_release(kernel);
}

TEST(arrays_that_do_not_fit_are_refused_before_anything_runs)
{
    jg_kernel *kernel = kernel_of(SCALE);
    jg_kernel *fixed = kernel_of("kernel scale\narray x float32 [3, *] [*, 4]\n"
                                 "array y float32 [*, *]\nscalar a float32\n{\n}\n");
    const int64_t shape[] = {3, 4}, other[] = {4, 4}, column[] = {1, 3}, cube[] = {1, 3, 4};
    fill();
    jg_view good = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, 0), bad = good;
    bad.dtype = JG_DTYPE_INT32;
    assert_fails_saying(JG_ERR_TYPE, "[scale] array x: got int32, it is float32",
                        run(kernel, &bad, &good));
    bad = view_of(to, JG_DTYPE_FLOAT32, 3, cube, NULL, 0);
    assert_fails_saying(JG_ERR_VALUE, "array y: got 3 axes, it has 2", run(kernel, &good, &bad));
    bad = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, JG_VIEW_READ_ONLY);
    assert_fails_saying(JG_ERR_BUFFER, "array y: the memory is read-only, and the kernel writes it",
                        run(kernel, &good, &bad));
    assert_ok(run(kernel, &bad, &good));
    bad = view_of((char *)to + 1, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    assert_fails_saying(JG_ERR_BUFFER, "array x: its address is no multiple",
                        run(kernel, &bad, &good));
    bad = good;
    bad.device = (jg_device_id){JG_DEVICE_CUDA, 99};
    assert_fails_saying(JG_ERR_DEVICE, "array x: it lies on cuda:99", run(kernel, &bad, &good));
    bad = view_of(to, JG_DTYPE_FLOAT32, 2, other, NULL, 0);
    assert_fails_saying(JG_ERR_VALUE, "array x: axis 0: got 4 elements, it has 3",
                        run(fixed, &bad, &good));
    bad = view_of(to, JG_DTYPE_FLOAT32, 2, shape, column, 0);
    assert_fails_saying(JG_ERR_VALUE, "axis 1: got a stride of 12 bytes, it has 4",
                        run(fixed, &bad, &good));
    assert_fails_saying(JG_ERR_VALUE, "array y: got strides, it is row-major without gaps",
                        run(fixed, &good, &bad));
    jg_kernel_release(kernel);
    jg_kernel_release(fixed);
}

TEST(without_a_compiler_running_says_what_is_missing)
{
    field_set_compiler(NULL);
    jg_kernel *kernel = kernel_of(SCALE);
    const int64_t shape[] = {3, 4};
    jg_view view = view_of(to, JG_DTYPE_FLOAT32, 2, shape, NULL, 0);
    assert_fails_saying(JG_ERR_UNSUPPORTED, "this build of joggle has no compiler; install llvm",
                        run(kernel, &view, &view));
    jg_kernel_release(kernel);
    field_set_compiler(&compiler_by_hand);
}

BEFORE_ALL(begin)
