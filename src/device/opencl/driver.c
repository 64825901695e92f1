/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL driver: opened at run time against the prototypes of api.def, named in failures; and
 * the contexts of its devices. */
#include "device/opencl/opencl.h"
#include <dlfcn.h>

opencl_driver opencl;

/* device_forks when the driver was opened. Written before a device is registered. */
static unsigned forks;

static const char *const symbols[] = {
#define OPENCL_CALL(name, function, result, parameters) #function,
#include "device/opencl/api.def"
#undef OPENCL_CALL
};

_Static_assert(sizeof(opencl_driver) == sizeof symbols, "one function for each name");

/* Tools such as Oclgrind load their own driver before all other libraries. */
static jg_status find_library(void **out)
{
    *out = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, symbols[0]) != NULL)
        return JG_OK;
    *out = dlopen("libOpenCL.so.1", RTLD_NOW);
    return *out != NULL ? JG_OK : base_fail(JG_ERR_DEVICE, "no OpenCL driver: %s", dlerror());
}

jg_status opencl_load(void)
{
    void *library;
    JG_TRY(find_library(&library));
    const char *missing = base_bind(library, JG_COUNT_OF(symbols), symbols, &opencl);
    if (missing != NULL)
        return base_fail(
            JG_ERR_DEVICE,
            "libOpenCL.so.1 is too old: it has no %s; install one of OpenCL 1.2 or later", missing);
    forks = device_forks();
    return JG_OK;
}

bool opencl_is_lost(void)
{
    return device_forks() != forks;
}

jg_status opencl_check(const jg_device *device)
{
    if (JG_LIKELY(!opencl_is_lost()))
        return JG_OK;
    return base_fail(
        JG_ERR_DEVICE,
        "opencl:%d: this process was forked after the driver was opened; start processes "
        "anew (spawn), or use the device in children alone",
        (int)device->id.id);
}

const char *opencl_error_name(int error)
{
    switch (error) {
#define OPENCL_ERROR(number, name)                                                                 \
    case number:                                                                                   \
        return #name;
#include "device/opencl/errors.def"
#undef OPENCL_ERROR
    default: return "error";
    }
}

jg_status opencl_fail(const jg_device *device, const char *call, int error)
{
    bool memory = error == OPENCL_NO_MEMORY || error == OPENCL_NO_HOST_MEMORY;
    return base_fail(memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%sopencl:%d: %s: %s (%d)",
                     memory ? "out of memory: " : "", (int)device->id.id, call,
                     opencl_error_name(error), error);
}

/* A context is kept forever, like the device. */
static jg_status make_context(opencl_device *own)
{
    int error = 0;
    jg_status status = JG_OK;
    pthread_mutex_lock(&own->opening);
    if (own->context == NULL) {
        void *context = opencl.context_new(NULL, 1, &own->id, NULL, NULL, &error);
        if (context == NULL)
            status = opencl_fail(&own->base, "clCreateContext", error);
        own->context = context;
    }
    pthread_mutex_unlock(&own->opening);
    return status;
}

jg_status opencl_open(jg_device *device, opencl_device **out)
{
    opencl_device *own = (opencl_device *)(void *)device;
    JG_TRY(opencl_check(device));
    if (JG_UNLIKELY(own->context == NULL))
        JG_TRY(make_context(own));
    *out = own;
    return JG_OK;
}
