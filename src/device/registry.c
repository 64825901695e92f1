/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of this process: filled once by the runtime, read without a lock afterwards. */
#include "device/device.h"
#include <stdatomic.h>

/* Written by the runtime's constructor alone, before there are threads. */
static jg_device *devices[32];
static int ndevices;
static atomic_int default_type = JG_DEVICE_CPU, default_id;

/* The device of that kind and number, or NULL. */
static jg_device *find_exactly(jg_device_id id)
{
    for (int i = 0; i < ndevices; ++i)
        if (devices[i]->id.type == id.type && devices[i]->id.id == id.id)
            return devices[i];
    return NULL;
}

jg_status device_register(jg_device *device)
{
    if (device->ops->version != DEVICE_OPS_VERSION)
        return jg_fail(JG_ERR_VALUE, "device %s: vtable version %d, allowed is %d",
                       device->ops->name, device->ops->version, DEVICE_OPS_VERSION);
    if (find_exactly(device->id) != NULL)
        return jg_fail(JG_ERR_VALUE, "device %s:%d is registered already", device->ops->name,
                       (int)device->id.id);
    if (ndevices == (int)JG_COUNT_OF(devices))
        return jg_fail(JG_ERR_UNSUPPORTED, "more than %d devices", ndevices);
    devices[ndevices++] = device;
    return JG_OK;
}

jg_device *device_find(jg_device_id id)
{
    /* Producers number host memory as they like; there is one host. */
    if (jg_device_is_host_accessible(id.type))
        return device_cpu();
    return find_exactly(id);
}

jg_status device_require(jg_device_id id, jg_device **out)
{
    jg_device *device = device_find(id);
    if (device == NULL)
        return jg_fail(JG_ERR_DEVICE, "device: %s:%d (type %d) has no back end in this process",
                       jg_device_type_name(id.type), (int)id.id, (int)id.type);
    *out = device;
    return JG_OK;
}

bool jg_device_is_available(jg_device_id id)
{
    return device_find(id) != NULL;
}

jg_device_id jg_device_default(void)
{
    return (jg_device_id){atomic_load_explicit(&default_type, memory_order_relaxed),
                          atomic_load_explicit(&default_id, memory_order_relaxed)};
}

jg_status jg_device_set_default(jg_device_id id)
{
    jg_device *device = NULL;
    JG_TRY(device_require(id, &device));
    atomic_store_explicit(&default_type, device->id.type, memory_order_relaxed);
    atomic_store_explicit(&default_id, device->id.id, memory_order_relaxed);
    return JG_OK;
}

jg_status device_alloc(jg_device *device, size_t nbytes, void **out)
{
    return device->ops->alloc(device, nbytes, out);
}

void device_free(jg_device *device, void *block, size_t nbytes)
{
    device->ops->free(device, block, nbytes);
}
