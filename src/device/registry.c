/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of this process. The runtime fills the table once; afterwards it is read without a
 * lock. */
#include "device/device.h"
#include <stdatomic.h>

/* Written by the runtime's constructor alone, before there are threads. */
static jg_device *devices[DEVICE_MAX];
static int ndevices;
static atomic_int default_index;

/* The device of that kind and number, or NULL. */
static jg_device *find_exactly(jg_device_id id)
{
    for (int i = 0; i < ndevices; ++i)
        if (devices[i]->id.type == id.type && devices[i]->id.id == id.id)
            return devices[i];
    return NULL;
}

static bool is_complete(const jg_device_ops *ops)
{
    return ops->alloc != NULL && ops->free != NULL && ops->queue_new != NULL &&
           ops->queue_free != NULL && ops->queue_wait != NULL && ops->mark_record != NULL &&
           ops->mark_is_set != NULL && ops->mark_wait != NULL && ops->mark_free != NULL &&
           ops->copy != NULL;
}

jg_status device_register(jg_device *device)
{
    if (device->ops->version != DEVICE_OPS_VERSION)
        return jg_fail(JG_ERR_VALUE, "device %s: vtable version %d, allowed is %d",
                       device->ops->name, device->ops->version, DEVICE_OPS_VERSION);
    if (!is_complete(device->ops))
        return jg_fail(JG_ERR_VALUE, "device %s: a required slot is NULL", device->ops->name);
    if (find_exactly(device->id) != NULL)
        return jg_fail(JG_ERR_VALUE, "device %s:%d is registered already", device->ops->name,
                       (int)device->id.id);
    if (ndevices == (int)JG_COUNT_OF(devices))
        return jg_fail(JG_ERR_UNSUPPORTED, "more than %d devices", ndevices);
    device->index = ndevices;
    pthread_mutex_init(&device->submitting, NULL);
    devices[ndevices++] = device;
    return JG_OK;
}

static void lock_all(void)
{
    for (int i = 0; i < ndevices; ++i)
        pthread_mutex_lock(&devices[i]->submitting);
}

static void unlock_all(void)
{
    for (int i = 0; i < ndevices; ++i)
        pthread_mutex_unlock(&devices[i]->submitting);
}

void device_install_hooks(void)
{
    pthread_atfork(lock_all, unlock_all, unlock_all);
}

jg_device *device_find(jg_device_id id)
{
    /* Producers give host memory any device number, but there is only one host. */
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

jg_device *device_at(int index)
{
    return devices[index];
}

int device_default(void)
{
    return atomic_load_explicit(&default_index, memory_order_relaxed);
}

jg_device_id jg_device_default(void)
{
    return device_at(device_default())->id;
}

jg_status jg_device_set_default(jg_device_id id)
{
    jg_device *device = NULL;
    JG_TRY(device_require(id, &device));
    atomic_store_explicit(&default_index, device->index, memory_order_relaxed);
    return JG_OK;
}
