/* SPDX-License-Identifier: Apache-2.0 */
/* The family of CUDA devices, numbered as the driver numbers them. */
#include "device/cuda/cuda.h"

/* Kernels get at most this many bytes of arguments on every device. */
enum { ARGUMENT_NBYTES = 4096, OLDEST_CAPABILITY = 50 };

static const jg_device_ops ops = {
    .version = DEVICE_OPS_VERSION,
    .name = "cuda",
    .flat_addresses = true,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .queue_new = cuda_queue_new,
    .queue_free = cuda_queue_free,
    .queue_wait = cuda_queue_wait,
    .mark_record = cuda_mark_record,
    .mark_is_set = cuda_mark_is_set,
    .mark_wait = cuda_mark_wait,
    .mark_free = cuda_mark_free,
    .copy = cuda_copy,
    .adopt = cuda_adopt,
    .memory = cuda_memory,
    .code_load = cuda_code_load,
    .code_free = cuda_code_free,
    .launch = cuda_launch,
    .product_new = cuda_product_new,
    .product_free = cuda_product_free,
    .product_run = cuda_product_run,
    .stream_read = cuda_stream_read,
    .stream_number = cuda_stream_number,
    .stream_adopt = cuda_stream_adopt,
    .stream_mark = cuda_stream_mark,
    .stream_lead = cuda_stream_lead,
    .settle = cuda_settle,
};

static cuda_device devices[DEVICE_MAX];
static int ndevices;

/* 0 where the driver does not know the question. */
static int attribute(int ordinal, int what)
{
    int value = 0;
    return cuda.device_attribute(&value, what, ordinal) == 0 ? value : 0;
}

static device_facts facts_of(int ordinal)
{
    int processors = attribute(ordinal, CUDA_PROCESSORS);
    return (device_facts){
        .dialect = DEVICE_CUDA,
        .shape = DEVICE_GROUP,
        .f16 = true,
        .f64 = true,
        .atomics_64 = true,
        .float_atomics = true,
        .unified_memory = attribute(ordinal, CUDA_INTEGRATED) != 0,
        .exact_division = true,
        .lane_width = attribute(ordinal, CUDA_WARP),
        .group_limit = attribute(ordinal, CUDA_GROUP_LIMIT),
        .compute_units = processors > 0 ? processors : 1,
        .max_buffers = DEVICE_MAX_ARGUMENTS,
        .local_nbytes = attribute(ordinal, CUDA_LOCAL_NBYTES),
        .argument_nbytes = ARGUMENT_NBYTES,
    };
}

/* Devices for which the registry is full, and those that no compiler of today knows, are left
 * out; the others keep the driver's numbers. */
static jg_status add_device(int number)
{
    cuda_device *own = &devices[ndevices];
    int ordinal;
    if (cuda.device_get(&ordinal, number) != 0)
        return JG_OK;
    own->ordinal = ordinal;
    own->capability =
        10 * attribute(ordinal, CUDA_CAPABILITY_MAJOR) + attribute(ordinal, CUDA_CAPABILITY_MINOR);
    if (own->capability < OLDEST_CAPABILITY)
        return JG_OK;
    if (cuda.device_name(own->title, (int)sizeof own->title, ordinal) != 0)
        own->title[0] = '\0';
    own->facts = facts_of(ordinal);
    own->orders_alloc = attribute(ordinal, CUDA_ORDERED_ALLOC) != 0;
    pthread_mutex_init(&own->opening, NULL);
    pthread_mutex_init(&own->keeping, NULL);
    own->base = (jg_device){
        .ops = &ops, .id = {JG_DEVICE_CUDA, number}, .facts = &own->facts, .title = own->title};
    JG_TRY(device_register(&own->base));
    ndevices += 1;
    return JG_OK;
}

static jg_status probe(void)
{
    int count = 0;
    JG_TRY(cuda_load());
    int error = cuda.init(0);
    if (error == 0)
        error = cuda.device_count(&count);
    if (error != 0 && error != CUDA_NO_DEVICE)
        return jg_fail(JG_ERR_DEVICE, "the CUDA driver does not start: cuInit: %s (%d)",
                       cuda_error_name(error), error);
    for (int i = 0; i < count && ndevices < DEVICE_MAX; ++i)
        if (add_device(i) != JG_OK)
            break;
    if (ndevices == 0)
        return jg_fail(JG_ERR_DEVICE,
                       "the CUDA driver has %d devices, none of them of compute capability 5.0 or "
                       "later",
                       count);
    return JG_OK;
}

const device_family device_cuda = {.type = JG_DEVICE_CUDA, .probe = probe};
