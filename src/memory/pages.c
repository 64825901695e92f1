/* SPDX-License-Identifier: Apache-2.0 */
/* Address space of the CPU whose pages the system takes when they are first written: zeros that
 * cost nothing until then. It is not counted against the limit of memory. */
#include "memory/memory.h"
#include <sys/mman.h>
#include <unistd.h>

typedef struct page_range {
    void *start;
    size_t nbytes;
} page_range;

static void unmap(void *context)
{
    page_range *range = context;
    munmap(range->start, range->nbytes);
    base_free(range);
}

static jg_status map(size_t nbytes, page_range *out)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (nbytes > (size_t)INT64_MAX / 2)
        return base_nomem(nbytes, "a tree of fields");
    out->nbytes = (nbytes / page + 1) * page; /* never empty, as no mapping can be */
    out->start = mmap(NULL, out->nbytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return out->start == MAP_FAILED ? base_nomem(nbytes, "a tree of fields") : JG_OK;
}

jg_status buffer_map_pages(size_t nbytes, jg_buffer **out)
{
    page_range *range = base_alloc(sizeof *range);
    if (range == NULL)
        return base_nomem(sizeof *range, "a tree of fields");
    jg_status status = map(nbytes, range);
    if (status != JG_OK) {
        base_free(range);
        return status;
    }
    jg_device *cpu = device_cpu();
    status = buffer_take_foreign(cpu, cpu->id, range->start, nbytes, 0, unmap, range, out);
    if (status != JG_OK)
        unmap(range);
    return status;
}

void buffer_drop_pages(jg_buffer *buffer)
{
    const page_range *range = buffer->context;
    madvise(range->start, range->nbytes, MADV_DONTNEED);
}
