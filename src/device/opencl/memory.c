/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of an OpenCL device: buffers of its context. The driver aligns them to its largest vector.
 * Handles are not addresses, so a larger alignment could not be used. */
#include "device/opencl/opencl.h"
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

enum { READ_WRITE = 1 };

static jg_status fail_alloc(const jg_device *device, size_t nbytes, int error)
{
    return base_fail(JG_ERR_NOMEM, "out of memory: %zu bytes of opencl:%d: clCreateBuffer: %s (%d)",
                     nbytes, (int)device->id.id, opencl_error_name(error), error);
}

/* A driver may give memory only when it is first used, and some count beyond what there is. */
jg_status opencl_alloc(jg_device *device, size_t nbytes, void **out)
{
    opencl_device *own;
    int error = 0;
    JG_TRY(opencl_open(device, &own));
    if (nbytes > own->block_limit)
        return base_fail(JG_ERR_NOMEM,
                         "out of memory: %zu bytes of opencl:%d, whose largest block has %llu",
                         nbytes, (int)device->id.id, (unsigned long long)own->block_limit);
    void *buffer =
        opencl.buffer_new(own->context, READ_WRITE, nbytes > 0 ? nbytes : 1, NULL, &error);
    if (buffer == NULL)
        return fail_alloc(device, nbytes, error);
    *out = buffer;
    return JG_OK;
}

void opencl_free(jg_device *device, void *handle, size_t nbytes)
{
    (void)device;
    (void)nbytes;
    if (!opencl_is_lost())
        opencl.buffer_release(handle);
}

static jg_status ask(const jg_device *device, void *handle, unsigned what, size_t nbytes, void *out)
{
    int error = opencl.buffer_info(handle, what, nbytes, out, NULL);
    if (error == 0)
        return JG_OK;
    return base_fail(JG_ERR_BUFFER,
                     "data: %p is no buffer of opencl:%d: clGetMemObjectInfo: %s (%d)", handle,
                     (int)device->id.id, opencl_error_name(error), error);
}

/* The first word of an object, read by the kernel, as no memory may be there.
 * gives: false where there is none; true with *out NULL where the kernel refuses to read any */
static bool read_first_word(const void *handle, void **out)
{
    struct iovec to = {out, sizeof *out}, from = {(void *)(uintptr_t)handle, sizeof *out};
    *out = NULL;
    ssize_t nbytes = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    return nbytes < 0 ? errno != EFAULT && errno != EINVAL && errno != ENOMEM
                      : nbytes == (ssize_t)sizeof *out;
}

/* Whether the handle may be looked into. The first word of each object is the address of its
 * platform's table of functions (cl_khr_icd), by which the loader calls the driver, so that a call
 * with anything else may end the process. */
static jg_status check_object(const jg_device *device, const opencl_device *own, void *handle)
{
    void *word, *expected = NULL;
    bool readable = read_first_word(handle, &word) && read_first_word(own->context, &expected);
    if (readable && word == expected)
        return JG_OK;
    return base_fail(JG_ERR_BUFFER, "data: %p is no cl_mem of opencl:%d; pass one of its context",
                     handle, (int)device->id.id);
}

/* A handle that was a cl_mem and has been released may end the process, as drivers look into it. */
jg_status opencl_adopt(jg_device *device, void *handle, uint64_t nbytes)
{
    opencl_device *own;
    unsigned type = 0;
    size_t found = 0;
    void *context = NULL;
    JG_TRY(opencl_open(device, &own));
    if (handle == NULL)
        return base_fail(JG_ERR_BUFFER, "data: got NULL, allowed is a cl_mem");
    JG_TRY(check_object(device, own, handle));
    JG_TRY(ask(device, handle, OPENCL_BUFFER_TYPE, sizeof type, &type));
    JG_TRY(ask(device, handle, OPENCL_BUFFER_CONTEXT, sizeof(void *), &context));
    JG_TRY(ask(device, handle, OPENCL_BUFFER_NBYTES, sizeof found, &found));
    if (type != OPENCL_IS_BUFFER)
        return base_fail(JG_ERR_BUFFER,
                         "data: the cl_mem is an image (type %#x), allowed is a buffer", type);
    if (context != own->context)
        return base_fail(
            JG_ERR_BUFFER,
            "data: the cl_mem belongs to the context %p, allowed is that of opencl:%d, %p", context,
            (int)device->id.id, own->context);
    if (nbytes > found)
        return base_fail(JG_ERR_BUFFER,
                         "data: the tensor needs %llu bytes, allowed are the %zu of the cl_mem",
                         (unsigned long long)nbytes, found);
    return JG_OK;
}

jg_status opencl_memory(jg_device *device, device_memory *out)
{
    const opencl_device *own = (const opencl_device *)(const void *)device;
    size_t free_kib[2] = {0}; /* all of it, and the largest block */
    JG_TRY(opencl_check(device));
    if (own->tells_free)
        JG_TRY(opencl_call(
            device, "clGetDeviceInfo",
            opencl.device_info(own->id, OPENCL_FREE_MEMORY, sizeof free_kib, free_kib, NULL)));
    *out = (device_memory){.total = own->nbytes, .free = (uint64_t)free_kib[0] << 10};
    return JG_OK;
}
