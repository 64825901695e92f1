/* SPDX-License-Identifier: Apache-2.0 */
/* Adjoints and tangents run on memory in C, and what they keep on stacks. */
#include "../support.h"
#include <joggle/joggle.h>
#include <math.h>
#include <stdlib.h>

/* y[0] is s after s = sin(s) + x[k] for each k. */
static const char chain[] = "kernel chain\narray x float64 [*] [*]\narray y float64 [1]\n{\n"
                            "%zero:int64 = const 0\n%n:int64 = extent x 0\nlocal s float64\n"
                            "for %k:int64 = %zero to %n {\n%before:float64 = get s\n"
                            "%b:float64 = sin %before\n%a:float64 = load x [%k]\n"
                            "%after:float64 = add %a %b\nset s = %after\n}\n"
                            "%last:float64 = get s\nstore y [%zero] = %last\n}\n";

static jg_view view_of(double *data, int64_t extent, int64_t stride)
{
    jg_view view;
    const jg_device_id cpu = {JG_DEVICE_CPU, 0};
    assert_ok(jg_view_init(&view, data, cpu, JG_DTYPE_FLOAT64, 1, 1, &extent, &stride, 0));
    return view;
}

/* The chain by hand: gradient[k] is the product of the cosines of what was before each later
 * step. */
static void differentiate(const double *x, int n, double *gradient)
{
    double *before = calloc((size_t)n, sizeof *before), s = 0, adjoint = 1;
    for (int k = 0; k < n; ++k) {
        before[k] = s;
        s = sin(s) + x[k];
    }
    for (int k = n; k-- > 0;) {
        gradient[k] = adjoint;
        adjoint *= cos(before[k]);
    }
    free(before);
}

static void run_adjoint(jg_kernel *adjoint, double *x, int64_t stride, int n, double *gradient)
{
    double y = 0, seed = 1;
    jg_view views[] = {view_of(x, n, stride), view_of(&y, 1, 1), view_of(gradient, n, 1),
                       view_of(&seed, 1, 1)};
    const jg_view *arrays[] = {&views[0], &views[1], &views[2], &views[3]};
    assert_ok(jg_kernel_run(adjoint, arrays, NULL, NULL));
    assert_true(seed == 0);
}

TEST(an_adjoint_runs_on_memory_of_any_stride)
{
    double x[7], reversed[7], gradient[7] = {0}, expected[7];
    jg_kernel *kernel, *adjoint;
    for (int i = 0; i < 7; ++i)
        x[i] = reversed[6 - i] = 0.3 + 0.1 * i;
    assert_ok(jg_kernel_from_text(chain, &kernel));
    assert_ok(jg_kernel_adjoint(kernel, NULL, &adjoint));
    assert_int_equal(jg_kernel_narrays(adjoint), 4);
    run_adjoint(adjoint, reversed + 6, -1, 7, gradient);
    differentiate(x, 7, expected);
    for (int i = 0; i < 7; ++i)
        assert_true(fabs(gradient[i] - expected[i]) < 1e-14);
    jg_kernel_release(adjoint);
    jg_kernel_release(kernel);
}

TEST(stacks_grow_and_leave_nothing_behind)
{
    enum { COUNT = 300000 };
    double *x = calloc(COUNT, sizeof *x), *gradient = calloc(COUNT, sizeof *x);
    double *expected = calloc(COUNT, sizeof *x);
    jg_kernel *kernel, *adjoint;
    for (int i = 0; i < COUNT; ++i)
        x[i] = 0.001 * (i % 100);
    assert_ok(jg_kernel_from_text(chain, &kernel));
    assert_ok(jg_kernel_adjoint(kernel, NULL, &adjoint));
    run_adjoint(adjoint, x, 1, COUNT, gradient);
    int64_t blocks = base_live_blocks();
    memset(gradient, 0, COUNT * sizeof *gradient);
    run_adjoint(adjoint, x, 1, COUNT, gradient);
    assert_int_equal(base_live_blocks(), blocks);
    differentiate(x, COUNT, expected);
    for (int i = 0; i < COUNT; ++i)
        assert_true(fabs(gradient[i] - expected[i]) < 1e-12);
    jg_kernel_release(adjoint);
    jg_kernel_release(kernel);
    free(x);
    free(gradient);
    free(expected);
}

TEST(a_tangent_runs_the_kernel_and_takes_derivatives_along)
{
    double x[] = {0.5, 0.7}, y = 0, direction[] = {1, 0}, moved = 0;
    jg_kernel *kernel, *tangent;
    assert_ok(jg_kernel_from_text(chain, &kernel));
    assert_ok(jg_kernel_tangent(kernel, NULL, &tangent));
    jg_view views[] = {view_of(x, 2, 1), view_of(&y, 1, 1), view_of(direction, 2, 1),
                       view_of(&moved, 1, 1)};
    const jg_view *arrays[] = {&views[0], &views[1], &views[2], &views[3]};
    assert_ok(jg_kernel_run(tangent, arrays, NULL, NULL));
    assert_true(fabs(y - (sin(0.5) + 0.7)) < 1e-15);
    assert_true(fabs(moved - cos(0.5)) < 1e-15);
    jg_kernel_release(tangent);
    jg_kernel_release(kernel);
}

/* y[n[i]] = x[i]. */
static const char scatter[] = "kernel scatter\narray n int32 [4]\narray x float64 [4]\n"
                              "array y float64 [4]\n{\n%zero:int32 = const 0\n"
                              "%four:int32 = const 4\nparallel %i:int32 = %zero to %four {\n"
                              "%a:float64 = load x [%i]\n%k:int32 = load n [%i]\n"
                              "store y [%k] = %a @8\n}\n}\n";

static jg_status run_check(jg_kernel *check, int32_t *indices)
{
    double x[4] = {1, 2, 3, 4}, y[4] = {0};
    uint8_t marks[4] = {0};
    int64_t extent = 4, stride = 1;
    const jg_device_id cpu = {JG_DEVICE_CPU, 0};
    jg_view views[4] = {{0}, view_of(x, 4, 1), view_of(y, 4, 1), {0}};
    assert_ok(jg_view_init(&views[0], indices, cpu, JG_DTYPE_INT32, 1, 1, &extent, &stride, 0));
    assert_ok(jg_view_init(&views[3], marks, cpu, JG_DTYPE_UINT8, 1, 1, &extent, &stride, 0));
    const jg_view *arrays[] = {&views[0], &views[1], &views[2], &views[3]};
    jg_number fine = {0};
    JG_TRY(jg_kernel_run(check, arrays, NULL, &fine));
    assert_true(fine.kind == JG_KIND_BOOL && fine.i64 == 1);
    return JG_OK;
}

TEST(a_check_tells_whether_the_data_suit_the_adjoint)
{
    bool marked[3] = {true, true, false};
    jg_kernel *kernel, *check;
    assert_ok(jg_kernel_from_text(scatter, &kernel));
    assert_ok(jg_kernel_adjoint_check(kernel, NULL, marked, &check));
    assert_true(!marked[0] && !marked[1] && marked[2]);
    assert_int_equal(jg_kernel_narrays(check), 4);
    assert_true(jg_kernel_array_is_written(check, 3) && !jg_kernel_array_is_written(check, 2));
    assert_ok(run_check(check, (int32_t[]){3, 1, 0, 2}));
    assert_fails_saying(JG_ERR_VALUE,
                        "derivative of kernel scatter: line 8: store: two iterations of the "
                        "parallel loop use one element of y",
                        run_check(check, (int32_t[]){3, 1, 0, 1}));
    jg_kernel_release(check);
    jg_kernel_release(kernel);
}

TEST(an_adjoint_and_its_check_come_together)
{
    bool marked[3] = {true, true, false};
    jg_kernel *kernel, *adjoint, *check, *alone;
    char *texts[2];
    assert_ok(jg_kernel_from_text(scatter, &kernel));
    assert_ok(jg_kernel_adjoint_and_check(kernel, NULL, &adjoint, marked, &check));
    assert_true(!marked[0] && !marked[1] && marked[2]);
    assert_ok(run_check(check, (int32_t[]){3, 1, 0, 2}));
    assert_fails(JG_ERR_VALUE, run_check(check, (int32_t[]){0, 0, 1, 2}));
    assert_ok(jg_kernel_adjoint(kernel, NULL, &alone));
    assert_ok(jg_kernel_text(adjoint, &texts[0]));
    assert_ok(jg_kernel_text(alone, &texts[1]));
    assert_string_equal(texts[0], texts[1]);
    jg_text_release(texts[0]);
    jg_text_release(texts[1]);
    jg_kernel_release(alone);
    jg_kernel_release(adjoint);
    jg_kernel_release(check);
    jg_kernel_release(kernel);
    assert_ok(jg_kernel_from_text(chain, &kernel));
    assert_ok(jg_kernel_adjoint_and_check(kernel, NULL, &adjoint, marked, &check));
    assert_null(check);
    jg_kernel_release(adjoint);
    jg_kernel_release(kernel);
}

TEST(what_is_never_in_doubt_has_no_check)
{
    bool marked[2] = {true, true};
    jg_kernel *kernel, *check = NULL;
    assert_ok(jg_kernel_from_text(chain, &kernel));
    assert_ok(jg_kernel_adjoint_check(kernel, NULL, marked, &check));
    assert_null(check);
    assert_true(!marked[0] && !marked[1]);
    jg_kernel_release(kernel);
}
