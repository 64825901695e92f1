/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack's C exchange table of joggle.array and of fields: what __dlpack__ does, without a capsule
 * or a call.
 *
 * "No sync" leaves the order of work to the stream that current_work_stream gives. The CPU and
 * OpenCL have none, so the functions finish what they export there. The table is static, as others
 * keep its address. */
#include "base/field_handle.h"
#include "exchange/exchange.h"

/* New reference, or NULL. */
static jg_array *array_of(void *object)
{
    if (py_array_check(object))
        return py_array_retain(object);
    if (py_field_check(object))
        return py_field_array(object, JG_COPY_NEVER);
    return PyErr_Format(PyExc_TypeError,
                        "joggle's exchange functions: got %s, allowed are joggle.array and fields",
                        Py_TYPE((PyObject *)object)->tp_name),
           NULL;
}

/* On a device with streams the memory is ready for the stream that current_stream gives, without a
 * wait on the host. Elsewhere it is evaluated first, without the lock, so that the call below finds
 * the array in memory and does not wait with it. */
static int prepare(jg_array *x, int64_t *stream)
{
    *stream = JG_STREAM_UNORDERED;
    return jg_device_has_streams(jg_array_device(x)) ? py_stream_number(jg_array_device(x), stream)
                                                     : py_evaluate(x);
}

static int managed_from_object(void *object, DLManagedTensorVersioned **out)
{
    int64_t stream;
    jg_array *x = array_of(object);
    if (!x)
        return -1;
    int status = prepare(x, &stream);
    if (status == 0)
        status = py_check(jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, stream, out));
    jg_array_release(x);
    return status;
}

/* The tensor points into the handle's array, which is the caller's to hold: it must not be used
 * after x[i] = v, nor after the handle. */
static int borrow_from_object(void *object, DLTensor *out)
{
    jg_array *x = array_of(object);
    if (!x)
        return -1;
    int status = py_evaluate(x);
    if (status == 0)
        status = py_check(jg_array_borrow_dltensor(x, out));
    jg_array_release(x);
    return status;
}

/* A refused tensor stays the caller's. So a tensor of another version is refused here, as the
 * library would call its deleter.
 * takes: managed, on success */
static int object_from_managed(DLManagedTensorVersioned *managed, void **out)
{
    jg_array *x;
    if (py_check(jg_managed_check(managed)) < 0 ||
        py_check(jg_array_take_managed(managed, JG_COPY_IF_NEEDED, &x, NULL)) < 0)
        return -1;
    *out = py_array_wrap(x);
    return *out ? 0 : -1;
}

/* NULL is the stream of the CPU, which has none. */
static int current_stream(DLDeviceType type, int32_t id, void **out)
{
    jg_device_id device = {(int32_t)type, id};
    int64_t number;
    if (jg_device_has_streams(device)) {
        if (py_stream_number(device, &number) < 0)
            return -1;
        *out = (void *)(intptr_t)number;
        return 0;
    }
    if (!jg_device_is_host_accessible(device.type)) {
        PyErr_Format(PyExc_BufferError,
                     "joggle has no stream on %s:%d; name a device that joggle computes on",
                     jg_device_type_name(device.type), (int)id);
        return -1;
    }
    *out = NULL;
    return 0;
}

/* Consumers look for the newest version they know along the chain of `prev_api`; ours is one table
 * long. */
static const DLPackExchangeAPI table = {
    .header = {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, NULL},
    .managed_tensor_allocator = jg_exchange_allocate,
    .managed_tensor_from_py_object_no_sync = managed_from_object,
    .managed_tensor_to_py_object_no_sync = object_from_managed,
    .dltensor_from_py_object_no_sync = borrow_from_object,
    .current_work_stream = current_stream,
};

PyObject *py_exchange_api_capsule(void)
{
    return PyCapsule_New((void *)(uintptr_t)&table, "dlpack_exchange_api", NULL);
}
