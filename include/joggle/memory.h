/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of arrays: what is in use, what is kept for reuse, and how much there may be.
 *
 * Freed blocks are kept by size for the next array of about that size. Imported memory does not
 * count: it is its producer's. */
#ifndef JOGGLE_MEMORY_H
#define JOGGLE_MEMORY_H

#include <joggle/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* None of these raises or waits. */
JG_API size_t jg_active_memory(void); /* bytes in use by arrays */
JG_API size_t jg_peak_memory(void);   /* the most of them since the start, or the last reset */
JG_API void jg_reset_peak_memory(void);
JG_API size_t jg_cache_memory(void); /* bytes freed and kept for reuse */
JG_API void jg_clear_cache(void);    /* gives the kept bytes back to the system */

/* The most bytes that may be in use and kept; JOGGLE_MEMORY_LIMIT, else about 8 EiB. An array that
 * would go beyond first takes what is kept, then waits for work that is under way, as that frees
 * memory, and is a failure (NOMEM) if the limit is still too low.
 * gives: *previous, unless it is NULL | raises: VALUE beyond INT64_MAX, NOMEM | waits: never */
JG_API size_t jg_memory_limit(void);
JG_API JG_CHECKED jg_status jg_set_memory_limit(size_t nbytes, size_t *previous);

/* The most bytes that are kept for reuse; JOGGLE_CACHE_LIMIT, else 1 GiB. 0 keeps none. What is
 * kept beyond is given back at once.
 * gives: *previous, unless it is NULL | raises: VALUE beyond INT64_MAX, NOMEM | waits: never */
JG_API size_t jg_cache_limit(void);
JG_API JG_CHECKED jg_status jg_set_cache_limit(size_t nbytes, size_t *previous);

#ifdef __cplusplus
}
#endif
#endif
