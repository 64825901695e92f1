/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of arrays: the bytes in use, the bytes kept for reuse, and the limits.
 *
 * Freed blocks are kept by size for the next array of about that size. Imported memory does not
 * count: it belongs to its producer. */
#ifndef JOGGLE_MEMORY_H
#define JOGGLE_MEMORY_H

#include <joggle/device.h>
#include <joggle/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How much memory arrays use, of all devices together. raises: never | waits: never */
JG_API size_t jg_active_memory(void); /* bytes in use by arrays */
JG_API size_t jg_peak_memory(void);   /* the most of each since the start, or the last reset */
JG_API void jg_reset_peak_memory(void);
JG_API size_t jg_cache_memory(void); /* bytes freed and kept for reuse */
JG_API void jg_clear_cache(void);    /* gives the kept bytes back to the system */

/* The most bytes that may be in use and kept on each device that has no limit of its own;
 * JOGGLE_MEMORY_LIMIT, else about 8 EiB. Kept memory is freed where an array would exceed the
 * limit together with it. An array that exceeds it all the same waits for work that is under way,
 * as that frees memory, and is a failure (NOMEM) if the limit is still too low.
 * gives: *previous, unless it is NULL | raises: VALUE beyond INT64_MAX, NOMEM | waits: never */
JG_API size_t jg_memory_limit(void);
JG_API JG_CHECKED jg_status jg_set_memory_limit(size_t nbytes, size_t *previous);

/* The most bytes of freed memory that are kept for reuse on each device: JOGGLE_CACHE_LIMIT,
 * otherwise 1 GiB. 0 keeps none. Memory that exceeds a new limit is freed at once.
 * gives: *previous, unless it is NULL | raises: VALUE beyond INT64_MAX, NOMEM | waits: never */
JG_API size_t jg_cache_limit(void);
JG_API JG_CHECKED jg_status jg_set_cache_limit(size_t nbytes, size_t *previous);

/* The same of one device. A limit that is set here holds for the device from then on.
 * raises: DEVICE for one that is not there; VALUE beyond INT64_MAX | waits: for a driver that is
 * opened */
JG_API JG_CHECKED jg_status jg_device_memory_use(jg_device_id device, size_t *active, size_t *peak,
                                                 size_t *cache);
JG_API JG_CHECKED jg_status jg_device_reset_peak_memory(jg_device_id device);
JG_API JG_CHECKED jg_status jg_device_clear_cache(jg_device_id device);
JG_API JG_CHECKED jg_status jg_device_memory_limits(jg_device_id device, size_t *memory,
                                                    size_t *cache);
JG_API JG_CHECKED jg_status jg_device_set_memory_limit(jg_device_id device, size_t nbytes,
                                                       size_t *previous);
JG_API JG_CHECKED jg_status jg_device_set_cache_limit(jg_device_id device, size_t nbytes,
                                                      size_t *previous);

#ifdef __cplusplus
}
#endif
#endif
