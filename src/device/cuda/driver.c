/* SPDX-License-Identifier: Apache-2.0 */
/* A vendor's driver: opened at run time against the prototypes of api.def, named in failures; and
 * the primary contexts of its devices. */
#include "device/cuda/cuda.h"

/* The context that cuda_leave makes current again. Without a driver there is none. */
static _Thread_local struct {
    const cuda_driver *driver;
    void *context;
} outside;

jg_status cuda_load(cuda_driver *driver)
{
    const cuda_vendor *vendor = driver->vendor;
    driver->library = cuda_library_open(&vendor->driver, "");
    if (driver->library == NULL)
        return base_fail(JG_ERR_DEVICE, "no %s driver: %s was not found; install the driver",
                         vendor->name, vendor->driver.names[1]);
    const char *missing = base_bind(driver->library, sizeof(cuda_api) / sizeof(void *),
                                    vendor->symbols, &driver->call);
    if (missing != NULL)
        return base_fail(JG_ERR_DEVICE, "%s is too old: it has no %s; install a later driver",
                         vendor->driver.names[1], missing);
    driver->has_graphs = base_bind(driver->library, sizeof(cuda_graph_api) / sizeof(void *),
                                   vendor->graph_symbols, &driver->graphs) == NULL;
    driver->forks = device_forks();
    return JG_OK;
}

bool cuda_is_lost(const cuda_device *device)
{
    return device_forks() != device->driver->forks;
}

const char *cuda_error_name(const cuda_driver *driver, int error)
{
    const char *name = NULL;
    return driver->call.error_name(error, &name) == 0 && name != NULL ? name : "error";
}

const char *cuda_function_name(const cuda_vendor *vendor, size_t function, int *length)
{
    const char *name = vendor->symbols[function / sizeof(void *)];
    const char *version = strstr(name, "_v2");
    *length = (int)(version != NULL ? (size_t)(version - name) : strlen(name));
    return name;
}

jg_status cuda_fail(const cuda_device *device, size_t function, int error)
{
    bool memory = error == CUDA_NO_MEMORY;
    int length;
    const char *name = cuda_function_name(device->driver->vendor, function, &length);
    return base_fail(memory ? JG_ERR_NOMEM : JG_ERR_DEVICE, "%s%s:%d: %.*s: %s (%d)",
                     memory ? "out of memory: " : "", device->base.ops->name,
                     (int)device->base.id.id, length, name, cuda_error_name(device->driver, error),
                     error);
}

/* A context is kept forever, like the device. */
static jg_status retain_context(cuda_device *own)
{
    jg_status status = JG_OK;
    void *context = NULL;
    pthread_mutex_lock(&own->opening);
    if (own->context == NULL) {
        status = CUDA_DO(own, context_retain, &context, own->ordinal);
        own->context = context;
    }
    pthread_mutex_unlock(&own->opening);
    return status;
}

static jg_status fail_forked(const jg_device *device)
{
    return base_fail(
        JG_ERR_DEVICE,
        "%s:%d: this process was forked after the driver was opened; start processes anew "
        "(spawn), or use the device in children alone",
        device->ops->name, (int)device->id.id);
}

/* Most often another library has made the same context current. */
static jg_status make_current(const cuda_device *own)
{
    void *context = NULL;
    JG_TRY(CUDA_DO(own, context_get, &context));
    if (context == own->context)
        return JG_OK;
    JG_TRY(CUDA_DO(own, context_set, own->context));
    outside.driver = own->driver;
    outside.context = context;
    return JG_OK;
}

jg_status cuda_enter(jg_device *device, cuda_device **out)
{
    cuda_device *own = cuda_of(device);
    if (JG_UNLIKELY(cuda_is_lost(own)))
        return fail_forked(device);
    if (JG_UNLIKELY(own->context == NULL))
        JG_TRY(retain_context(own));
    if (out != NULL)
        *out = own;
    return make_current(own);
}

void cuda_leave(void)
{
    if (outside.driver == NULL)
        return;
    (void)outside.driver->call.context_set(outside.context);
    outside.driver = NULL;
}
