/* SPDX-License-Identifier: Apache-2.0 */
/* The families of CUDA devices and of ROCm's, numbered as their drivers number them. */
#include "device/cuda/cuda.h"

/* Kernels get at most this many bytes of arguments on every device. */
enum { ARGUMENT_NBYTES = 4096 };

/* The least compute capability with all that the printer wants of tensor cores. */
enum { TENSOR_CORES = 80 };

#define SLOTS                                                                                      \
    .version = DEVICE_OPS_VERSION, .flat_addresses = true, .alloc = cuda_alloc, .free = cuda_free, \
    .queue_new = cuda_queue_new, .queue_free = cuda_queue_free, .queue_wait = cuda_queue_wait,     \
    .mark_record = cuda_mark_record, .mark_is_set = cuda_mark_is_set, .mark_wait = cuda_mark_wait, \
    .mark_free = cuda_mark_free, .copy = cuda_copy, .adopt = cuda_adopt, .memory = cuda_memory,    \
    .code_load = cuda_code_load, .code_free = cuda_code_free, .launch = cuda_launch,               \
    .stream_read = cuda_stream_read, .stream_number = cuda_stream_number,                          \
    .stream_adopt = cuda_stream_adopt, .stream_mark = cuda_stream_mark,                            \
    .stream_lead = cuda_stream_lead, .settle = cuda_settle, .product_new = cuda_product_new,       \
    .product_free = cuda_product_free, .product_run = cuda_product_run,                            \
    .graph_new = cuda_graph_new, .graph_free = cuda_graph_free, .graph_add = cuda_graph_add,       \
    .graph_run = cuda_graph_run, .graph_drop = cuda_graph_drop

/* AMD's header does not say that what runs stays as it was when its graph is changed. */
static const jg_device_ops nvidia_ops = {.name = "cuda", .graphs_overlap = true, SLOTS},
                           amd_ops = {.name = "rocm", SLOTS};

/* A vendor's devices. */
typedef struct family {
    const jg_device_ops *ops;
    cuda_driver driver;
    cuda_device devices[DEVICE_MAX];
    int count;
} family;

static family nvidia = {.ops = &nvidia_ops, .driver.vendor = &cuda_nvidia},
              amd = {.ops = &amd_ops, .driver.vendor = &cuda_amd};

/* 0 where the driver does not know the question. */
static int attribute(const cuda_device *own, int what)
{
    int value = 0;
    return CUDA_CALL_OF(own, device_attribute, &value, what, own->ordinal) == 0 ? value : 0;
}

static device_facts facts_of(const cuda_device *own)
{
    const cuda_vendor *vendor = own->driver->vendor;
    int processors = attribute(own, vendor->attributes.processors);
    return (device_facts){
        .dialect = vendor->dialect,
        .shape = DEVICE_GROUP,
        .f16 = true,
        .f64 = true,
        .atomics_64 = true,
        .float_atomics = true,
        .unified_memory = attribute(own, vendor->attributes.integrated) != 0,
        .exact_division = true,
        .tensor_cores = vendor->dialect == DEVICE_CUDA && own->capability >= TENSOR_CORES,
        .lane_width = attribute(own, vendor->attributes.warp),
        .group_limit = attribute(own, vendor->attributes.group_limit),
        .compute_units = processors > 0 ? processors : 1,
        .max_buffers = DEVICE_MAX_ARGUMENTS,
        .local_nbytes = attribute(own, vendor->attributes.local_nbytes),
        .argument_nbytes = ARGUMENT_NBYTES,
    };
}

/* Reads the device's properties from the driver. raises: DEVICE */
static jg_status ask(cuda_device *own)
{
    const cuda_vendor *vendor = own->driver->vendor;
    own->capability = 10 * attribute(own, vendor->attributes.capability_major) +
                      attribute(own, vendor->attributes.capability_minor);
    if (CUDA_CALL_OF(own, device_name, own->title, (int)sizeof own->title, own->ordinal) != 0)
        own->title[0] = '\0';
    own->facts = facts_of(own);
    own->orders_alloc = attribute(own, vendor->attributes.ordered_alloc) != 0;
    return vendor->name_code(own);
}

/* Devices for which the registry is full, and those that no compiler of today knows, are left
 * out; the others keep the driver's numbers. */
static jg_status add_device(family *of, int number)
{
    cuda_device *own = &of->devices[of->count];
    own->driver = &of->driver;
    if (CUDA_CALL_OF(own, device_get, &own->ordinal, number) != 0)
        return JG_OK;
    JG_TRY(ask(own));
    if (own->capability < of->driver.vendor->oldest)
        return JG_OK;
    pthread_mutex_init(&own->opening, NULL);
    pthread_mutex_init(&own->keeping, NULL);
    own->base = (jg_device){.ops = of->ops,
                            .id = {of->driver.vendor->type, number},
                            .facts = &own->facts,
                            .title = own->title};
    JG_TRY(device_register(&own->base));
    of->count += 1;
    return JG_OK;
}

static jg_status probe(family *of)
{
    int count = 0;
    const cuda_vendor *vendor = of->driver.vendor;
    JG_TRY(cuda_load(&of->driver));
    int error = of->driver.call.init(0);
    if (error == 0)
        error = of->driver.call.device_count(&count);
    if (error != 0 && error != CUDA_NO_DEVICE)
        return base_fail(JG_ERR_DEVICE, "the %s driver does not start: %s: %s (%d)", vendor->name,
                         vendor->symbols[0], cuda_error_name(&of->driver, error), error);
    jg_status status = JG_OK;
    for (int i = 0; i < count && of->count < DEVICE_MAX && status == JG_OK; ++i)
        status = add_device(of, i);
    if (of->count > 0)
        return JG_OK;
    if (status != JG_OK)
        return status;
    return base_fail(
        JG_ERR_DEVICE,
        "the %s driver has %d devices, needed is one of compute capability %d.%d or later",
        vendor->name, count, vendor->oldest / 10, vendor->oldest % 10);
}

static jg_status probe_nvidia(void)
{
    return probe(&nvidia);
}

static jg_status probe_amd(void)
{
    return probe(&amd);
}

const device_family device_cuda = {.type = JG_DEVICE_CUDA, .probe = probe_nvidia};
const device_family device_rocm = {.type = JG_DEVICE_ROCM, .probe = probe_amd};
