/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled code on disk, by key (disk.c). No function here fails: code that cannot be read is
 * compiled, and code that cannot be written is not kept. Any thread may call any function. */
#ifndef JG_BASE_DISK_H
#define JG_BASE_DISK_H

#include "base/base.h"

typedef struct disk_cache {
    char folder[4096]; /* empty: there is none */
} disk_cache;

/* Code as a compiler gave it. */
typedef struct disk_object {
    void *bytes; /* a block of base_alloc's */
    size_t nbytes;
} disk_object;

/* The folder that JOGGLE_JIT_CACHE names. raises: never */
void disk_open(disk_cache *out);

/* gives: the object of that key, for base_free, or false if there is none that is whole | raises:
 * never | waits: for the disk */
bool disk_read(const disk_cache *cache, const base_vec *key, disk_object *out);
void disk_write(const disk_cache *cache, const base_vec *key, const disk_object *object);

#endif
