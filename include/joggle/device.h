/* SPDX-License-Identifier: Apache-2.0 */
/* Devices by number, as DLPack counts them. */
#ifndef JOGGLE_DEVICE_H
#define JOGGLE_DEVICE_H

#include <joggle/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of device; the values are DLPack's DLDeviceType. */
typedef enum jg_device_type {
    JG_DEVICE_CPU = 1,
    JG_DEVICE_CUDA = 2,
    JG_DEVICE_CUDA_HOST = 3,
    JG_DEVICE_OPENCL = 4,
    JG_DEVICE_VULKAN = 7,
    JG_DEVICE_METAL = 8,
    JG_DEVICE_VPI = 9,
    JG_DEVICE_ROCM = 10,
    JG_DEVICE_ROCM_HOST = 11,
    JG_DEVICE_EXT = 12,
    JG_DEVICE_CUDA_MANAGED = 13,
    JG_DEVICE_ONEAPI = 14,
    JG_DEVICE_WEBGPU = 15,
    JG_DEVICE_HEXAGON = 16,
    JG_DEVICE_MAIA = 17,
    JG_DEVICE_TRAINIUM = 18
} jg_device_type;

/* One device: its kind and the number the kind's own driver gives it. */
typedef struct jg_device_id {
    int32_t type; /* a jg_device_type; int32_t so that unknown values from outside can be held */
    int32_t id;
} jg_device_id;

/* The kind's name, such as "cuda"; "unknown" for a number DLPack 1.3 does not have. raises:
 * never */
JG_API const char *jg_device_type_name(int32_t type);

/* Whether the host can read the kind's memory by address: CPU, pinned and managed memory.
 * raises: never */
JG_API bool jg_device_is_host_accessible(int32_t type);

/* Whether this process has a back end for the device, so that arrays can live there. raises:
 * never */
JG_API bool jg_device_is_available(jg_device_id device);

/* The device that is meant where none is named; the CPU to begin with. For the whole process.
 * raises: never | waits: never */
JG_API jg_device_id jg_device_default(void);

/* raises: DEVICE for one without a back end | waits: never */
JG_API JG_CHECKED jg_status jg_device_set_default(jg_device_id device);

#ifdef __cplusplus
}
#endif
#endif
