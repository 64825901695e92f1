/* SPDX-License-Identifier: Apache-2.0 */
/* The family of OpenCL devices: all that the drivers of all platforms list and that can run printed
 * text, numbered in that order. A processor does its items as loops, so it gets work in lanes. */
#include "device/opencl/opencl.h"
#include <stdio.h>

enum { MAX_PLATFORMS = 16, EXTENSIONS_NBYTES = 8192 };

#define TYPE_CPU (1u << 1)
#define TYPE_ALL 0xffffffffu
#define ROUNDS_DIVISION (1u << 7) /* a bit of OPENCL_SINGLE */

static const jg_device_ops ops = {
    .version = DEVICE_OPS_VERSION,
    .name = "opencl",
    .alloc = opencl_alloc,
    .free = opencl_free,
    .queue_new = opencl_queue_new,
    .queue_free = opencl_queue_free,
    .queue_wait = opencl_queue_wait,
    .mark_record = opencl_mark_record,
    .mark_is_set = opencl_mark_is_set,
    .mark_wait = opencl_mark_wait,
    .mark_free = opencl_mark_free,
    .copy = opencl_copy,
    .adopt = opencl_adopt,
    .memory = opencl_memory,
    .code_load = opencl_code_load,
    .code_free = opencl_code_free,
    .launch = opencl_launch,
};

static opencl_device devices[DEVICE_MAX];
static int ndevices;

/* A number; 0 where the driver does not know the question. */
static uint64_t number(void *id, unsigned what, size_t nbytes)
{
    uint64_t found = 0;
    return opencl.device_info(id, what, nbytes, &found, NULL) == 0 ? found : 0;
}

static bool flag(void *id, unsigned what)
{
    return number(id, what, sizeof(unsigned)) != 0;
}

/* A text; empty where the driver has none, or a longer one. */
static void text(void *id, unsigned what, size_t nbytes, char *out)
{
    memset(out, 0, nbytes);
    if (opencl.device_info(id, what, nbytes - 1, out, NULL) != 0)
        out[0] = '\0';
}

/* Items along the first axis, which is the only one that is used. */
static int group_limit(void *id)
{
    size_t each[8] = {0};
    uint64_t all = number(id, OPENCL_GROUP_LIMIT, sizeof(size_t));
    if (opencl.device_info(id, OPENCL_ITEM_LIMITS, sizeof each, each, NULL) == 0 && each[0] < all)
        all = each[0];
    return all > 0 ? (int)size_min(all, 1 << 16) : 1;
}

static int lane_width(void *id, const char *extensions)
{
    uint64_t width = 0;
    if (strstr(extensions, "cl_nv_device_attribute_query") != NULL)
        width = number(id, OPENCL_WARP, sizeof(unsigned));
    else if (strstr(extensions, "cl_amd_device_attribute_query") != NULL)
        width = number(id, OPENCL_WAVEFRONT, sizeof(unsigned));
    return width == 64 ? 64 : 32;
}

static device_facts facts_of(void *id, const char *extensions)
{
    bool is_cpu = (number(id, OPENCL_DEVICE_TYPE, sizeof(uint64_t)) & TYPE_CPU) != 0;
    uint64_t parameters = number(id, OPENCL_PARAMETER_NBYTES, sizeof(size_t));
    uint64_t units = number(id, OPENCL_COMPUTE_UNITS, sizeof(unsigned));
    return (device_facts){
        .dialect = DEVICE_OPENCL_C,
        .shape = is_cpu ? DEVICE_LANES : DEVICE_GROUP,
        .f16 = strstr(extensions, "cl_khr_fp16") != NULL,
        .f64 = number(id, OPENCL_DOUBLE, sizeof(uint64_t)) != 0,
        .atomics_64 = strstr(extensions, "cl_khr_int64_base_atomics") != NULL,
        .float_atomics = false, /* OpenCL C 1.2 has none */
        .unified_memory = flag(id, OPENCL_UNIFIED),
        .exact_division = (number(id, OPENCL_SINGLE, sizeof(uint64_t)) & ROUNDS_DIVISION) != 0,
        .lane_width = lane_width(id, extensions),
        .group_limit = group_limit(id),
        .compute_units = units > 0 ? (int)size_min(units, 1 << 20) : 1,
        .max_buffers = (int)size_min(parameters / sizeof(void *), DEVICE_MAX_ARGUMENTS),
        .local_nbytes = (int64_t)number(id, OPENCL_LOCAL_NBYTES, sizeof(uint64_t)),
        .argument_nbytes = (int64_t)parameters,
    };
}

/* Printed text is OpenCL C 1.2, and its constants are little-endian. */
static bool is_usable(void *id)
{
    char version[64];
    text(id, OPENCL_VERSION, sizeof version, version);
    return flag(id, OPENCL_AVAILABLE) && flag(id, OPENCL_COMPILER) &&
           flag(id, OPENCL_LITTLE_ENDIAN) && strncmp(version, "OpenCL 1.0", 10) != 0 &&
           strncmp(version, "OpenCL 1.1", 10) != 0;
}

static jg_status add_device(void *id)
{
    static char extensions[EXTENSIONS_NBYTES]; /* static: probes run one at a time */
    opencl_device *own = &devices[ndevices];
    text(id, OPENCL_EXTENSIONS, sizeof extensions, extensions);
    text(id, OPENCL_NAME, sizeof own->title, own->title);
    own->facts = facts_of(id, extensions);
    own->id = id;
    own->nbytes = number(id, OPENCL_MEMORY_NBYTES, sizeof(uint64_t));
    own->block_limit = number(id, OPENCL_BLOCK_LIMIT, sizeof(uint64_t));
    own->tells_free = strstr(extensions, "cl_amd_device_attribute_query") != NULL;
    pthread_mutex_init(&own->opening, NULL);
    own->base = (jg_device){
        .ops = &ops, .id = {JG_DEVICE_OPENCL, ndevices}, .facts = &own->facts, .title = own->title};
    JG_TRY(device_register(&own->base));
    ndevices += 1;
    return JG_OK;
}

/* Devices for which the registry is full are left out. */
static void add_platform(void *platform)
{
    void *ids[DEVICE_MAX];
    unsigned count = 0;
    if (opencl.devices(platform, TYPE_ALL, DEVICE_MAX, ids, &count) != 0)
        return;
    for (unsigned i = 0; i < count && i < DEVICE_MAX; ++i)
        if (is_usable(ids[i]) && add_device(ids[i]) != JG_OK)
            return;
}

static jg_status probe(void)
{
    void *platforms[MAX_PLATFORMS];
    unsigned count = 0;
    JG_TRY(opencl_load());
    int error = opencl.platforms(MAX_PLATFORMS, platforms, &count);
    if (error != 0)
        return base_fail(JG_ERR_DEVICE, "libOpenCL.so.1 finds no driver: clGetPlatformIDs: %s (%d)",
                         opencl_error_name(error), error);
    for (unsigned i = 0; i < count && i < MAX_PLATFORMS; ++i)
        add_platform(platforms[i]);
    if (ndevices == 0)
        return base_fail(JG_ERR_DEVICE,
                         "none of %u OpenCL platforms has the device that is needed: it is "
                         "little-endian, of version "
                         "1.2 or later, and has a compiler",
                         count);
    return JG_OK;
}

const device_family device_opencl = {.type = JG_DEVICE_OPENCL, .probe = probe};
