/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels that go on when their call returns, while every allocation fails once. */
#include "cuda_oom.h"

#include "memory/memory.h"
#include "stream/stream.h"
#include <joggle/kernel.h>
#include <unistd.h>

#define TEXT                                                                                       \
    "kernel add\narray x float32 [*] [*]\narray y float32 [*] [*]\n{\n%z:int64 = const 0\n"        \
    "%n:int64 = extent x 0\nparallel %i:int64 = %z to %n {\n%v:float32 = load x [%i]\n"            \
    "%u:float32 = load y [%i]\n%s:float32 = add %u %v\nstore y [%i] = %s\n}\n}\n"

/* How often another library's tensor was taken and not let go. */
static atomic_int taken;

static void let_go(void *context)
{
    (void)context;
    atomic_fetch_sub(&taken, 1);
}

/* The array's memory as though another library had lent it. */
static jg_status take_again(jg_array *x, jg_view *view, jg_array **out)
{
    JG_TRY(jg_array_view(x, view));
    JG_TRY(jg_array_take_view(view, JG_COPY_NEVER, let_go, NULL, out));
    atomic_fetch_add(&taken, 1);
    return JG_OK;
}

static atomic_int nlate; /* tasks that the follower has not finished */

static void run_nothing(stream_task *task)
{
    (void)task;
}

/* The follower does not touch it afterwards. */
static void note_finish(stream_task *task)
{
    (void)task;
    atomic_fetch_sub(&nlate, 1);
}

/* Works have ended when jg_synchronize returns, but the thread that ended them may not have freed
 * its tasks yet. It takes them in order. One allocation fails in an attempt, so what fails here is
 * tried again. */
static void wait_for_the_follower(void)
{
    static stream_task last;
    jg_stream *stream;
    while (jg_stream_default(CUDA_0, &stream) != JG_OK)
        continue;
    last = (stream_task){.run = run_nothing, .finish = note_finish};
    atomic_fetch_add(&nlate, 1);
    while (stream_follow(stream, &last) != JG_OK)
        continue;
    while (atomic_load(&nlate) > 0)
        usleep(100);
    jg_stream_release(stream);
}

SCENARIO(launches)
{
    jg_array *x = NULL, *wide = NULL, *lent = NULL, *again = NULL;
    jg_kernel *kernel = NULL;
    jg_view views[2];
    const jg_view *const arrays[] = {&views[0], &views[1]};
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(evaluate(1, &wide));
    JG_TRY_DONE(jg_kernel_from_text(TEXT, &kernel));
    JG_TRY_DONE(jg_stream_follow(CUDA_0, JG_STREAM_DEFAULT));
    JG_TRY_DONE(take_again(wide, &views[0], &lent));
    JG_TRY_DONE(take_again(wide, &views[1], &again));
    const jg_kernel_loan loans[] = {{lent, JG_STREAM_DEFAULT}, {again, JG_STREAM_DEFAULT}};
    for (int i = 0; i < 2; ++i)
        JG_TRY_DONE(jg_kernel_start(kernel, arrays, loans, NULL, NULL));
    JG_TRY_DONE(jg_synchronize());
done:
    jg_kernel_release(kernel);
    finish(4, (jg_array *[]){x, wide, lent, again});
    (void)jg_synchronize();
    assert_ok(memory_drain(NULL));
    wait_for_the_follower();
    return atomic_load(&taken) == 0 ? status : JG_ERR_VALUE;
}

BEFORE_ALL(open_fake_alone)
