/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the host device: blocks smaller than a huge page that share some. */
#ifndef JG_DEVICE_CPU_CHUNK_H
#define JG_DEVICE_CPU_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

enum { CPU_HUGE_PAGE = 2 << 20 };

/* Whether blocks of that size are taken from chunks. */
bool cpu_chunk_holds(size_t nbytes);

/* An aligned block, or NULL if there is no memory. */
void *cpu_chunk_take(size_t nbytes);
void cpu_chunk_put(void *block, size_t nbytes);

#endif
