/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver: opened at run time against the prototypes of api.def, named in failures; and the
 * primary contexts of its devices. */
#include "device/cuda/cuda.h"
#include <dlfcn.h>

cuda_driver cuda;

/* device_forks when the driver was opened. Written before a device is registered. */
static unsigned forks;

static const char *const symbols[] = {
#define CUDA_CALL(name, function, parameters) #function,
#include "device/cuda/api.def"
#undef CUDA_CALL
};

_Static_assert(sizeof(cuda_driver) == sizeof symbols, "one function for each name");

/* A driver that is in the process already, as the one of the tests is, goes first. */
static jg_status find_library(void **out)
{
    *out = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, symbols[0]) != NULL)
        return JG_OK;
    *out = dlopen("libcuda.so.1", RTLD_NOW);
    return *out != NULL ? JG_OK : jg_fail(JG_ERR_DEVICE, "no CUDA driver: %s", dlerror());
}

jg_status cuda_load(void)
{
    void *library;
    JG_TRY(find_library(&library));
    for (size_t i = 0; i < JG_COUNT_OF(symbols); ++i) {
        void *symbol = dlsym(library, symbols[i]);
        if (symbol == NULL)
            return jg_fail(JG_ERR_DEVICE, "libcuda.so.1 is too old: it has no %s", symbols[i]);
        memcpy((char *)&cuda + i * sizeof symbol, &symbol, sizeof symbol);
    }
    forks = device_forks();
    return JG_OK;
}

bool cuda_is_lost(void)
{
    return device_forks() != forks;
}

const char *cuda_error_name(int error)
{
    const char *name = NULL;
    return cuda.error_name(error, &name) == 0 && name != NULL ? name : "error";
}

jg_status cuda_fail(const jg_device *device, const char *call, int error)
{
    bool memory = error == CUDA_NO_MEMORY;
    return jg_fail(memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%scuda:%d: %s: %s (%d)",
                   memory ? "out of memory: " : "", (int)device->id.id, call,
                   cuda_error_name(error), error);
}

/* A context is kept for good, as the device is. */
static jg_status retain_context(cuda_device *own)
{
    jg_status status = JG_OK;
    void *context = NULL;
    pthread_mutex_lock(&own->opening);
    if (own->context == NULL) {
        status = cuda_call(&own->base, "cuDevicePrimaryCtxRetain",
                           cuda.context_retain(&context, own->ordinal));
        own->context = context;
    }
    pthread_mutex_unlock(&own->opening);
    return status;
}

static jg_status fail_forked(const jg_device *device)
{
    return jg_fail(
        JG_ERR_DEVICE,
        "cuda:%d: this process was forked after the driver was opened; start processes anew "
        "(spawn), or use the device in children alone",
        (int)device->id.id);
}

jg_status cuda_enter(jg_device *device, cuda_device **out)
{
    cuda_device *own = (cuda_device *)(void *)device;
    if (JG_UNLIKELY(cuda_is_lost()))
        return fail_forked(device);
    if (JG_UNLIKELY(own->context == NULL))
        JG_TRY(retain_context(own));
    if (out != NULL)
        *out = own;
    return cuda_call(device, "cuCtxPushCurrent", cuda.context_push(own->context));
}

void cuda_leave(void)
{
    void *context;
    (void)cuda.context_pop(&context);
}
