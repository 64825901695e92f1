/* SPDX-License-Identifier: Apache-2.0 */
/* device: one vtable, and the registry of the devices that this process has.
 *
 * A device is an object that lives until the process ends. The runtime registers each back end
 * once; everybody else looks devices up by DLPack's numbers. Callers use the forwarders below,
 * which apply the defaults; only back ends see the slots. */
#ifndef JG_DEVICE_ROOM_H
#define JG_DEVICE_ROOM_H

#include "base/base.h"
#include "tensor/tensor.h"
#include <joggle/device.h>

#define DEVICE_OPS_VERSION 1

typedef struct jg_device jg_device;

typedef struct jg_device_ops {
    int version; /* DEVICE_OPS_VERSION that the back end was written for */
    const char *name;

    /* Memory of at least nbytes, aligned to 256 bytes. Required; may block; any thread, no lock
     * held.
     * gives: an address or handle that free takes | raises: NOMEM */
    jg_status (*alloc)(jg_device *device, size_t nbytes, void **out);

    /* Gives back what alloc gave. Required; may block; any thread. */
    void (*free)(jg_device *device, void *block, size_t nbytes);
} jg_device_ops;

/* Private to device/ and its back ends. */
struct jg_device {
    const jg_device_ops *ops;
    jg_device_id id;
};

/* Adds a device that lives forever. raises: VALUE for a version or number not known or already
 * taken, UNSUPPORTED when the table is full | waits: never. Called by the runtime before any
 * other thread. */
jg_status device_register(jg_device *device);

/* The device that holds the memory a tensor of that device comes in on: itself, or the CPU for
 * memory the host can read. NULL if this process has no back end for it. */
jg_device *device_find(jg_device_id id);

/* The same with a failure that names the device. raises: DEVICE */
jg_status device_require(jg_device_id id, jg_device **out);

jg_status device_alloc(jg_device *device, size_t nbytes, void **out);
void device_free(jg_device *device, void *block, size_t nbytes);

/* cpu/cpu.c */

jg_device *device_cpu(void);

#endif
