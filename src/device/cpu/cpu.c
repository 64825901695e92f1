/* SPDX-License-Identifier: Apache-2.0 */
/* The host as a device: aligned memory, on huge pages where a block is large, and queues that run
 * what they are given at once. Graphs do not use these queues: streams order their runs, and the
 * host's tiers run them in place.
 *
 * A fresh 256 MiB block costs 136 ms to touch on 4 KiB pages and 20 ms on 2 MiB pages (measured
 * on a Zen 5 host), so large blocks are aligned to one and the kernel is asked for them; those of
 * middle size share them (regions.c). */
#include "device/cpu/regions.h"
#include "device/device.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static jg_status cpu_alloc(jg_device *device, size_t nbytes, void **out)
{
    (void)device;
    bool in_region = regions_hold(nbytes), huge = !in_region && nbytes >= HUGE_PAGE;
    void *block = in_region ? regions_alloc(nbytes)
                            : base_alloc_aligned(huge ? HUGE_PAGE : BASE_BLOCK_ALIGNMENT, nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "an array");
    if (huge)
        madvise(block, nbytes, MADV_HUGEPAGE); /* a hint, which may fail without harm */
    *out = block;
    return JG_OK;
}

static void cpu_free(jg_device *device, void *block, size_t nbytes)
{
    (void)device;
    if (regions_hold(nbytes))
        regions_free(block, nbytes);
    else
        base_free(block);
}

/* Queues and marks have no state, so each is the address of this object. */
static char at_once;

static jg_status cpu_queue_new(jg_device *device, void **out)
{
    (void)device;
    *out = &at_once;
    return JG_OK;
}

static void cpu_queue_free(jg_device *device, void *queue)
{
    (void)device;
    (void)queue;
}

static jg_status cpu_queue_wait(jg_device *device, void *queue, void *mark)
{
    (void)device;
    (void)queue;
    (void)mark;
    return JG_OK;
}

static jg_status cpu_mark_record(jg_device *device, void *queue, void **out)
{
    (void)device;
    (void)queue;
    *out = &at_once;
    return JG_OK;
}

static bool cpu_mark_is_set(jg_device *device, void *mark)
{
    (void)device;
    (void)mark;
    return true;
}

static jg_status cpu_mark_wait(jg_device *device, void *mark)
{
    (void)device;
    (void)mark;
    return JG_OK;
}

static void cpu_mark_free(jg_device *device, void *mark)
{
    (void)device;
    (void)mark;
}

/* In every direction both sides are addresses. */
static jg_status cpu_copy(jg_device *device, void *queue, const device_copy *copy)
{
    (void)device;
    (void)queue;
    memcpy((char *)copy->to.handle + copy->to.offset,
           (const char *)copy->from.handle + copy->from.offset, copy->nbytes);
    return JG_OK;
}

/* There is nothing to check about an address. */
static jg_status cpu_adopt(jg_device *device, void *handle, uint64_t nbytes)
{
    (void)device;
    (void)handle;
    (void)nbytes;
    return JG_OK;
}

/* Pages that files are kept in count as used. */
static jg_status cpu_memory(jg_device *device, device_memory *out)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    (void)device;
    *out = (device_memory){.total = page * (uint64_t)sysconf(_SC_PHYS_PAGES),
                           .free = page * (uint64_t)sysconf(_SC_AVPHYS_PAGES)};
    return JG_OK;
}

static const jg_device_ops ops = {
    .version = DEVICE_OPS_VERSION,
    .name = "cpu",
    .host_addresses = true,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .queue_new = cpu_queue_new,
    .queue_free = cpu_queue_free,
    .queue_wait = cpu_queue_wait,
    .mark_record = cpu_mark_record,
    .mark_is_set = cpu_mark_is_set,
    .mark_wait = cpu_mark_wait,
    .mark_free = cpu_mark_free,
    .copy = cpu_copy,
    .adopt = cpu_adopt,
    .memory = cpu_memory,
};

static jg_device cpu = {.ops = &ops, .id = {JG_DEVICE_CPU, 0}};

jg_device *device_cpu(void)
{
    return &cpu;
}
