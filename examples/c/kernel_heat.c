/* SPDX-License-Identifier: Apache-2.0 */
/* A heat equation in C: a kernel is built call by call and run on plain memory, in place.
 *
 *     cc kernel_heat.c -ljoggle -o kernel_heat && ./kernel_heat */
#include <joggle/joggle.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 64, STEPS = 500 };

static void check(jg_status status)
{
    if (status == JG_OK)
        return;
    printf("%s\n", jg_error_message());
    exit(status == JG_ERR_UNSUPPORTED ? 0 : 1); /* a build without a compiler says so */
}

static jg_value at(jg_kernel_builder *b, jg_place from, const jg_value *index, int row, int column)
{
    jg_value beside[] = {
        jg_builder_binary(b, "add", index[0], jg_builder_int(b, JG_DTYPE_INT64, row)),
        jg_builder_binary(b, "add", index[1], jg_builder_int(b, JG_DTYPE_INT64, column)),
    };
    return jg_builder_load(b, from, 2, beside);
}

/* to[i, j] = from[i, j] + rate * (sum of the four neighbours - 4 from[i, j]), inside the border */
static jg_kernel *build_step(void)
{
    jg_kernel_builder *b;
    jg_kernel *kernel;
    check(jg_builder_new("heat_step", 0, &b));
    jg_place from = jg_builder_array(b, "from", JG_DTYPE_FLOAT32, 2);
    jg_place to = jg_builder_array(b, "to", JG_DTYPE_FLOAT32, 2);
    jg_value rate = jg_builder_scalar(b, "rate", JG_DTYPE_FLOAT32), index[2];
    jg_value one = jg_builder_int(b, JG_DTYPE_INT64, 1), low[] = {one, one};
    jg_value high[] = {jg_builder_binary(b, "subtract", jg_builder_extent(b, from, 0), one),
                       jg_builder_binary(b, "subtract", jg_builder_extent(b, from, 1), one)};
    jg_builder_parallel(b, 2, low, high, 0, index);
    jg_value here = jg_builder_load(b, from, 2, index);
    jg_value sum = jg_builder_binary(b, "add", at(b, from, index, -1, 0), at(b, from, index, 1, 0));
    sum = jg_builder_binary(b, "add", sum, at(b, from, index, 0, -1));
    sum = jg_builder_binary(b, "add", sum, at(b, from, index, 0, 1));
    jg_value four = jg_builder_float(b, JG_DTYPE_FLOAT32, 4);
    sum = jg_builder_binary(b, "subtract", sum, jg_builder_binary(b, "multiply", four, here));
    sum = jg_builder_binary(b, "multiply", rate, sum);
    jg_builder_store(b, to, 2, index, jg_builder_binary(b, "add", here, sum));
    jg_builder_end(b);
    check(jg_builder_finish(b, &kernel));
    return kernel;
}

int main(void)
{
    static float fields[2][SIZE][SIZE];
    const int64_t shape[] = {SIZE, SIZE};
    const jg_device_id cpu = {JG_DEVICE_CPU, 0};
    jg_view views[2];
    jg_number rate = {.kind = JG_KIND_FLOAT, .re = 0.2};
    jg_kernel *step = build_step();
    fields[0][SIZE / 2][SIZE / 2] = 1000;
    for (int i = 0; i < 2; ++i)
        check(jg_view_init(&views[i], fields[i], cpu, JG_DTYPE_FLOAT32, 1, 2, shape, NULL, 0));
    for (int i = 0; i < STEPS; ++i) {
        const jg_view *arguments[] = {&views[i % 2], &views[1 - i % 2]};
        check(jg_kernel_run(step, arguments, &rate, NULL));
    }
    float warmest = fields[0][SIZE / 2][SIZE / 2];
    printf("after %d steps the middle has %.3f degrees\n", STEPS, (double)warmest);
    jg_kernel_release(step);
    return warmest > 0.79F && warmest < 0.80F ? 0 : 1;
}
