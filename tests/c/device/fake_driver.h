/* SPDX-License-Identifier: Apache-2.0 */
/* The fake CUDA driver (tests/cuda), which the test's environment puts on the loader's path. */
#ifndef TESTS_DEVICE_FAKE_DRIVER_H
#define TESTS_DEVICE_FAKE_DRIVER_H

#include "../support.h"

#include "../../cuda/fake.h"
#include "device/cuda/cuda.h"
#include <dlfcn.h>
#include <stdlib.h>

#define CUDA_0 ((jg_device_id){JG_DEVICE_CUDA, 0})
#define CUDA_1 ((jg_device_id){JG_DEVICE_CUDA, 1})

/* Its functions. */
static struct {
    void (*fail_next)(const char *function, int after, int error);
    void (*count)(fake_cuda_counts *out);
    void (*limit)(int device, size_t nbytes);
    void (*hold)(int device, void *stream, int hold);
    void *(*foreign_stream)(int device);
    void (*end_stream)(void *stream);
    void (*write_late)(int device, void *stream, void *block, size_t nbytes, int byte,
                       int microseconds);
    void (*delay)(int microseconds);
    void (*order)(int order);
} fake;

static inline void fake_find(const char *name, void *out)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *symbol = library != NULL ? dlsym(library, name) : NULL;
    if (symbol == NULL)
        fail_msg("%s: %s", name, dlerror());
    memcpy(out, &symbol, sizeof symbol);
}

static inline void fake_open(void)
{
    fake_find("fake_cuda_fail", &fake.fail_next);
    fake_find("fake_cuda_count", &fake.count);
    fake_find("fake_cuda_limit", &fake.limit);
    fake_find("fake_cuda_hold", &fake.hold);
    fake_find("fake_cuda_foreign_stream", &fake.foreign_stream);
    fake_find("fake_cuda_end_stream", &fake.end_stream);
    fake_find("fake_cuda_write_late", &fake.write_late);
    fake_find("fake_cuda_delay", &fake.delay);
    fake_find("fake_cuda_order", &fake.order);
}

static inline fake_cuda_counts fake_counts(void)
{
    fake_cuda_counts out;
    fake.count(&out);
    return out;
}

#endif
