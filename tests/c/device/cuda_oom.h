/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA runs by our own kernels, on the fake driver, while every allocation of ours fails once.
 * The driver's own memory does not fail here: test_cuda.c and test_cuda_streams.c see to that.
 * There are three programs of scenarios, as one would make more plans than are kept. */
#ifndef TESTS_DEVICE_CUDA_OOM_H
#define TESTS_DEVICE_CUDA_OOM_H

#include "fake_driver.h"

#include "../oom/attempts.h"
#include <joggle/ops.h>

static const int64_t first = 0;

/* Evaluates, and waits until the device has done so and holds nothing any more. */
static inline jg_status evaluate(int count, jg_array **arrays)
{
    jg_status status = jg_eval(count, arrays);
    return status == JG_OK ? jg_synchronize() : status;
}

static inline void finish(int count, jg_array **arrays)
{
    (void)jg_synchronize();
    release_all(count, arrays);
}

static inline int open_fake(void **state)
{
    (void)state;
    fake_open();
    fake.delay(0);
    return jg_device_set_default(CUDA_0) == JG_OK ? 0 : -1;
}

/* On one thread: which allocation fails is then known. */
static inline int open_fake_alone(void **state)
{
    if (jg_option_set("num_threads", "1") != JG_OK || open_fake(state) < 0)
        return -1;
    return begin_follower(CUDA_0) == JG_OK ? 0 : -1;
}

#endif
