/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels where memory runs out: each allocation fails once, and nothing leaks. */
#include "compiler.h"
#include <joggle/joggle.h>

#define TEXT                                                                                       \
    "kernel fill\narray x float32 [*] [*]\nscalar a float32\nresult float32\n{\nlocal s float32\n" \
    "%n:int64 = extent x 0\n%z:int64 = const 0\nparallel %i:int64 = %z to %n {\n"                  \
    "store x [%i] = %a\n}\nprint \"{} of {}\" %a %n @7\nreturn %a\n}\n"

static void fill(const kernel_arguments *arguments, kernel_host *host)
{
    (void)host;
    for (int64_t i = 0; i < arguments->extents[0]; ++i)
        memcpy((char *)arguments->addresses[0] + i * arguments->strides[0], &arguments->scalars[0],
               sizeof(float));
    arguments->results[0] = arguments->scalars[0];
}

static const hand_written code[] = {{"fill", fill}, {NULL, NULL}};

static int begin(void **state)
{
    (void)state;
    return compile_by_hand(code);
}

/* Reads, runs and writes the kernel. */
static jg_status use_text(void)
{
    float data[4] = {0};
    const int64_t shape[] = {4};
    jg_kernel *kernel;
    char *text;
    jg_number scalar = {.kind = JG_KIND_FLOAT, .re = 2}, result;
    jg_view view = view_of(data, JG_DTYPE_FLOAT32, 1, shape, NULL, 0);
    const jg_view *arrays[] = {&view};
    JG_TRY(jg_kernel_from_text(TEXT, &kernel));
    jg_status status = jg_kernel_run(kernel, arrays, &scalar, &result);
    if (status == JG_OK)
        status = jg_kernel_text(kernel, &text);
    if (status == JG_OK)
        jg_text_release(text);
    jg_kernel_release(kernel);
    return status;
}

static jg_status use_builder(void)
{
    jg_kernel_builder *b;
    jg_kernel *kernel;
    jg_value i;
    JG_TRY(jg_builder_new("k", 0, &b));
    jg_place x = jg_builder_array(b, "x", JG_DTYPE_FLOAT32, 1);
    jg_place s = jg_builder_local(b, "s", JG_DTYPE_FLOAT32, 0);
    jg_value zero = jg_builder_int(b, JG_DTYPE_INT32, 0), n = jg_builder_int(b, JG_DTYPE_INT32, 9);
    jg_builder_parallel(b, 1, &zero, &n, 0, &i);
    jg_builder_atomic(b, "add", s, 0, NULL, jg_builder_load(b, x, 1, &i));
    jg_builder_end(b);
    jg_status status = jg_builder_finish(b, &kernel);
    if (status == JG_OK)
        jg_kernel_release(kernel);
    else
        jg_builder_release(b);
    return status;
}

static void fail_each(jg_status (*use)(void))
{
    jg_status status = JG_ERR_NOMEM;
    assert_ok(use());
    for (int nth = 1; status != JG_OK; ++nth) {
        int64_t blocks = base_live_blocks();
        base_fail_nth(nth);
        status = use();
        base_fail_nth(0);
        assert_true(status == JG_OK || status == JG_ERR_NOMEM);
        assert_int_equal(base_live_blocks(), blocks);
        assert_true(nth < 1000);
    }
}

TEST(each_allocation_of_a_kernel_from_text_may_fail)
{
    fail_each(use_text);
}

TEST(each_allocation_of_a_builder_may_fail)
{
    fail_each(use_builder);
}

BEFORE_ALL(begin)
