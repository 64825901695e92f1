/* SPDX-License-Identifier: Apache-2.0 */
/* __dlpack__ and __dlpack_device__: our memory for consumers.
 *
 * Consumers take a TypeError for a sign that we do not know a keyword, and ask again without it. So
 * TypeError is for malformed arguments only; problems with the data are a BufferError. */
#include "core.h"

/* max_version=None or a sequence of two ints. *versioned tells whether the consumer reads version
 * 1, which has the flags; a consumer that names no version is older. */
static int read_version(PyObject *object, bool *versioned)
{
    *versioned = false;
    if (!object || object == Py_None)
        return 0;
    int64_t pair[JG_MAX_NDIM];
    int count = PyIndex_Check(object) ? 1 : py_extents("max_version", object, 0, pair);
    if (count == 2) {
        *versioned = pair[0] >= 1;
        return 0;
    }
    if (count >= 0 || PyErr_ExceptionMatches(PyExc_ValueError))
        PyErr_Format(PyExc_TypeError, "max_version: got %R, allowed are None and (major, minor)",
                     object);
    return -1;
}

/* Memory of the CPU has no stream: it is ready when the call returns. torch passes -1 by
 * default. */
static int check_stream(PyObject *object)
{
    if (!object || object == Py_None)
        return 0;
    if (PyLong_Check(object)) {
        int overflow;
        if (PyLong_AsLongAndOverflow(object, &overflow) == -1 && !overflow)
            return 0;
    }
    PyErr_Format(PyExc_BufferError, "stream: got %R, allowed is None for an array on the CPU",
                 object);
    return -1;
}

/* The device that dl_device= names, or the array's own. A device that this process does not have is
 * about the data, so a BufferError. */
static int read_target(PyObject *object, jg_device_id own, jg_device_id *out)
{
    *out = own;
    if (!object || object == Py_None)
        return 0;
    int64_t pair[2];
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2 ||
        py_int64_from(PyTuple_GET_ITEM(object, 0), &pair[0]) < 0 ||
        py_int64_from(PyTuple_GET_ITEM(object, 1), &pair[1]) < 0) {
        PyErr_Format(PyExc_TypeError, "dl_device: got %R, allowed are None and (type, id)", object);
        return -1;
    }
    *out = (jg_device_id){(int32_t)pair[0], (int32_t)pair[1]};
    if ((pair[0] == own.type && pair[1] == own.id) ||
        (!jg_device_is_host_accessible(out->type) && jg_device_is_available(*out)) ||
        (pair[0] == JG_DEVICE_CPU && pair[1] == 0))
        return 0;
    PyErr_Format(PyExc_BufferError, "dl_device: got %R, but the array is on %s:%d", object,
                 jg_device_type_name(own.type), (int)own.id);
    return -1;
}

/* A copy that is asked for is made without the interpreter lock; an array in memory is exported in
 * less time than it takes to let the lock go. The capsule takes the tensor over at once, also when
 * it cannot be made. */
static PyObject *export_versioned(jg_array *x, jg_copy_policy copy)
{
    DLManagedTensorVersioned *managed;
    jg_status status;
    if (py_evaluate(x) < 0)
        return NULL;
    if (copy == JG_COPY_ALWAYS) {
        Py_BEGIN_ALLOW_THREADS
        status = jg_array_to_managed(x, copy, &managed);
        Py_END_ALLOW_THREADS
    } else {
        status = jg_array_to_managed(x, copy, &managed);
    }
    return status == JG_OK ? py_capsule_versioned(managed) : py_raise(status);
}

static PyObject *export_legacy(jg_array *x, jg_copy_policy copy)
{
    DLManagedTensor *managed;
    jg_status status;
    if (py_evaluate(x) < 0)
        return NULL;
    if (copy == JG_COPY_ALWAYS) {
        Py_BEGIN_ALLOW_THREADS
        status = jg_array_to_managed_legacy(x, copy, &managed);
        Py_END_ALLOW_THREADS
    } else {
        status = jg_array_to_managed_legacy(x, copy, &managed);
    }
    return status == JG_OK ? py_capsule_legacy(managed) : py_raise(status);
}

static bool is_same(jg_device_id x, jg_device_id y)
{
    return x.type == y.type && x.id == y.id;
}

/* The exported memory is a copy with no other holder. */
static PyObject *export_moved(jg_array *x, jg_device_id target, bool versioned, jg_copy_policy copy)
{
    jg_array *moved;
    if (copy == JG_COPY_NEVER) {
        PyErr_Format(py_copy_error,
                     "dl_device: the data must be copied to %s:%d, and copy is False",
                     jg_device_type_name(target.type), (int)target.id);
        return NULL;
    }
    if (py_check(jg_to_device(x, target, &moved)) < 0)
        return NULL;
    PyObject *capsule = versioned ? export_versioned(moved, JG_COPY_IF_NEEDED)
                                  : export_legacy(moved, JG_COPY_IF_NEEDED);
    jg_array_release(moved);
    return capsule;
}

/* Arguments are checked in the order in which a fault in them is a TypeError, which consumers take
 * for a keyword that we do not know, and then a BufferError, which is final. */
PyObject *py_dlpack_export(jg_array *x, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 0, 0, {"stream", "max_version", "dl_device", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    bool versioned;
    jg_copy_policy copy;
    jg_device_id target;
    if (py_arguments("__dlpack__", &signature, args, nargs, kwnames, slots) < 0 ||
        read_version(slots[1], &versioned) < 0 || py_copy_from(slots[3], &copy) < 0 ||
        check_stream(slots[0]) < 0 || read_target(slots[2], jg_array_device(x), &target) < 0)
        return NULL;
    if (is_same(target, jg_array_device(x)))
        return versioned ? export_versioned(x, copy) : export_legacy(x, copy);
    return export_moved(x, target, versioned, copy);
}

PyObject *py_array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames)
{
    jg_array *x = py_array_retain(self);
    PyObject *capsule = py_dlpack_export(x, args, nargs, kwnames);
    jg_array_release(x);
    return capsule;
}

PyObject *py_array_dlpack_device(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_hold(self);
    jg_device_id device = jg_array_device(x);
    py_array_drop(x);
    return Py_BuildValue("(ii)", (int)device.type, (int)device.id);
}
