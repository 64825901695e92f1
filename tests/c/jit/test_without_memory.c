/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that are read, compiled and run while every allocation fails once: loops with bounds
 * that the compiler looks for, sums of several threads, derivatives, and code that lies on disk. */
#include "../oom/attempts.h"
#include <joggle/kernel.h>
#include <stdio.h>

static const char of_sums[] = "kernel total\n"
                              "array x float32 [*]\n"
                              "array s float32 [4]\n"
                              "{\n"
                              "  %%zero:int64 = const 0\n"
                              "  %%last:int64 = const %lld\n"
                              "  %%one:int64 = const 1\n"
                              "  %%n:int64 = extent x 0\n"
                              "  parallel %%i:int64 = %%zero to %%n {\n"
                              "    %%v:float32 = load x [%%i]\n"
                              "    %%next:int64 = add %%i %%one\n"
                              "    %%more:bool = less %%next %%last\n"
                              "    if %%more {\n"
                              "      %%old:float32 = atomic add s [%%zero] %%v\n"
                              "    }\n"
                              "  }\n"
                              "}\n";

static jg_status view_of(float *data, int64_t count, jg_view *out)
{
    const jg_device_id host = {JG_DEVICE_CPU, 0};
    return jg_view_init(out, data, host, JG_DTYPE_FLOAT32, 1, 1, &count, NULL, 0);
}

/* last: a constant of the text. x is ones. raises: INTERNAL for another sum than expected, NOMEM */
static jg_status run_sums(int64_t last, int64_t count, float expected)
{
    float x[2048], s[4] = {0};
    char text[1024];
    jg_view views[2];
    jg_kernel *kernel = NULL;
    jg_status status;
    for (int64_t i = 0; i < count; ++i)
        x[i] = 1;
    snprintf(text, sizeof text, of_sums, (long long)last);
    JG_TRY_DONE(view_of(x, count, &views[0]));
    JG_TRY_DONE(view_of(s, 4, &views[1]));
    JG_TRY_DONE(jg_kernel_from_text(text, &kernel));
    JG_TRY_DONE(jg_kernel_run(kernel, (const jg_view *[]){&views[0], &views[1]}, NULL, NULL));
    if (s[0] != expected)
        status = base_fail(JG_ERR_INTERNAL, "got %g, expected %g", (double)s[0], (double)expected);
done:
    jg_kernel_release(kernel);
    return status;
}

SCENARIO(a_kernel_that_nothing_knows_is_compiled)
{
    return run_sums(size, size, (float)(size - 1));
}

SCENARIO(a_kernel_whose_code_is_on_disk_is_run)
{
    return run_sums(7, size, 6);
}

SCENARIO(an_adjoint_is_derived)
{
    char text[1024];
    jg_kernel *kernel = NULL, *adjoint = NULL;
    const jg_derived which[] = {JG_DERIVED_YES, JG_DERIVED_YES};
    jg_status status;
    snprintf(text, sizeof text, of_sums, (long long)size);
    JG_TRY_DONE(jg_kernel_from_text(text, &kernel));
    JG_TRY_DONE(jg_kernel_adjoint(kernel, which, &adjoint));
done:
    jg_kernel_release(kernel);
    jg_kernel_release(adjoint);
    return status;
}
