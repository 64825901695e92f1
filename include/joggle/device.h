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

/* The kind's name, such as "cuda"; "unknown" for a number DLPack 1.3 does not have.
 * gives: it, borrowed, forever | raises: never */
JG_API const char *jg_device_type_name(int32_t type);

/* The device that "kind" or "kind:number" names, in the words of jg_device_type_name; the number is
 * 0 where it is left out. "gpu" is CUDA's kind, or ROCm's where this process has those alone.
 * gives: *out, which need not be there | raises: VALUE for another text and a second host | waits:
 * "gpu" as jg_device_is_available */
JG_API JG_CHECKED jg_status jg_device_parse(const char *text, jg_device_id *out);

/* Whether the host can read the kind's memory by address: CPU, pinned and managed memory.
 * raises: never */
JG_API bool jg_device_is_host_accessible(int32_t type);

/* Whether this process has the device, so that arrays can live there. Of CPUs it has one, number 0;
 * other numbers come with tensors of other libraries alone. The first question about a kind opens
 * its driver. raises: never | waits: for a driver that is opened */
JG_API bool jg_device_is_available(jg_device_id device);

/* Fails if the device is not available; the message tells why. raises: DEVICE | waits: as
 * jg_device_is_available */
JG_API JG_CHECKED jg_status jg_device_require(jg_device_id device);

/* How many devices of a kind this process has; their numbers are 0 and up. 0 for pinned and managed
 * memory, which is the CPU's. raises: never | waits: as jg_device_is_available */
JG_API int jg_device_count(int32_t type);

/* The driver's own name for a device, for people to read.
 * gives: a text that is valid forever; NULL where the device is not there or has no such name |
 * raises: never | waits: as jg_device_is_available */
JG_API const char *jg_device_title(jg_device_id device);

/* Whether the device runs many work items in parallel, as GPUs do. A device of OpenCL may be a
 * processor. raises: never | waits: as jg_device_is_available */
JG_API bool jg_device_is_gpu(jg_device_id device);

/* The bytes of memory that a device has, and those that no process uses. gives: *total; *free, 0
 * where the driver does not tell | raises: DEVICE for one that is not there, UNSUPPORTED for one
 * that does not tell | waits: for the driver */
JG_API JG_CHECKED jg_status jg_device_memory(jg_device_id device, uint64_t *total, uint64_t *free);

/* The default device of the process: the last argument of jg_device_set_default, otherwise the
 * device that JOGGLE_DEVICE named at the first call, otherwise the CPU.
 * gives: *out | raises: VALUE where JOGGLE_DEVICE names no device; DEVICE, telling why, if the
 * device that it names is not available | waits: for a driver that is opened, the first time */
JG_API JG_CHECKED jg_status jg_device_get_default(jg_device_id *out);

/* The default device; the CPU if jg_device_get_default fails. raises: never | waits: as
 * jg_device_get_default */
JG_API jg_device_id jg_device_default(void);

/* raises: DEVICE for one that is not there | waits: for a driver that is opened */
JG_API JG_CHECKED jg_status jg_device_set_default(jg_device_id device);

#ifdef __cplusplus
}
#endif
#endif
