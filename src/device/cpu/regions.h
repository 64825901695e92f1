/* SPDX-License-Identifier: Apache-2.0 */
/* Private to device: blocks of the host that are too small for huge pages of their own. */
#ifndef JG_DEVICE_REGIONS_H
#define JG_DEVICE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    HUGE_PAGE = 2 << 20,
    REGION_SMALLEST = 32 << 10, /* bytes of blocks that lie in regions */
    REGION_LARGEST = 16 << 20
};

/* Under AddressSanitizer regions are not used: it watches blocks of the heap. GCC has a macro for
 * it, clang a question. */
#if defined __SANITIZE_ADDRESS__
#define REGIONS_ARE_USED false
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define REGIONS_ARE_USED false
#endif
#endif
#ifndef REGIONS_ARE_USED
#define REGIONS_ARE_USED true
#endif

/* Whether blocks of that size lie in regions. */
static inline bool regions_hold(size_t nbytes)
{
    return REGIONS_ARE_USED && nbytes >= REGION_SMALLEST && nbytes <= REGION_LARGEST;
}

/* A block that begins a page. gives: what regions_free takes, or NULL without a message
 * waits: never */
void *regions_alloc(size_t nbytes);

/* Frees a block of nbytes. Huge pages in which no other block lies are given back to the system. */
void regions_free(void *block, size_t nbytes);

void regions_install_hooks(void);

#endif
