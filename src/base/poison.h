/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is kept for reuse, as AddressSanitizer sees it: until it is taken again it is
 * poisoned, and a read or a write of it ends the process, as of memory that was freed. Without the
 * sanitizer these do nothing. It poisons eight bytes at a time, and of the last eight the end. */
#ifndef JG_BASE_POISON_H
#define JG_BASE_POISON_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_IS_SEEN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define POISON_IS_SEEN 1
#endif

#ifdef POISON_IS_SEEN
#include <sanitizer/asan_interface.h>

/* Nobody may use the bytes from now on. */
static inline void poison_begin(const void *memory, size_t nbytes)
{
    __asan_poison_memory_region(memory, nbytes);
}

/* They are in use again. */
static inline void poison_end(const void *memory, size_t nbytes)
{
    __asan_unpoison_memory_region(memory, nbytes);
}

/* Whether the byte there is poisoned; false without the sanitizer. */
static inline bool poison_is_at(const void *memory)
{
    return __asan_address_is_poisoned(memory);
}

/* Whether this build has the sanitizer. */
static inline bool poison_can_be_seen(void)
{
    return true;
}
#else
static inline void poison_begin(const void *memory, size_t nbytes)
{
    (void)memory, (void)nbytes;
}

static inline void poison_end(const void *memory, size_t nbytes)
{
    (void)memory, (void)nbytes;
}

static inline bool poison_is_at(const void *memory)
{
    (void)memory;
    return false;
}

static inline bool poison_can_be_seen(void)
{
    return false;
}
#endif

#endif
