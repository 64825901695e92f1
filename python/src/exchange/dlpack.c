/* SPDX-License-Identifier: Apache-2.0 */
/* __dlpack__ and __dlpack_device__: our memory for consumers.
 *
 * Consumers take a TypeError for a sign that we do not know a keyword, and ask again without it. So
 * TypeError is for malformed arguments only; problems with the data are a BufferError. */
#include "exchange/exchange.h"

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

/* The consumer's stream, on a device that shares streams. Elsewhere memory is ready when the call
 * returns, and there are no streams to name. torch passes -1 by default. */
static int read_stream(PyObject *object, jg_device_id device, int64_t *out)
{
    bool shares = jg_device_has_streams(device);
    *out = JG_STREAM_DEFAULT;
    if (!object || object == Py_None)
        return 0;
    if (PyLong_Check(object)) {
        int overflow;
        *out = (int64_t)PyLong_AsLongLongAndOverflow(object, &overflow);
        if (!overflow && (*out == JG_STREAM_UNORDERED || (shares && *out >= 0)))
            return 0;
    }
    PyErr_Format(PyExc_BufferError,
                 shares ? "stream: got %R, allowed are None, -1, 1, 2 and a stream's handle"
                        : "stream: got %R, allowed are None and -1 for an array on %s",
                 object, jg_device_type_name(device.type));
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
    bool is_pair = PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2;
    for (int i = 0; is_pair && i < 2; ++i)
        if (py_int64_from(PyTuple_GET_ITEM(object, i), &pair[i]) < 0) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
                !PyErr_ExceptionMatches(PyExc_OverflowError))
                return -1;
            is_pair = false;
        }
    if (!is_pair) {
        PyErr_Format(PyExc_TypeError, "dl_device: got %R, allowed are None and (type, id)", object);
        return -1;
    }
    *out = (jg_device_id){(int32_t)pair[0], (int32_t)pair[1]};
    bool is_whole = out->type == pair[0] && out->id == pair[1];
    if (is_whole && ((out->type == own.type && out->id == own.id) ||
                     (!jg_device_is_host_accessible(out->type) && jg_device_is_available(*out)) ||
                     (out->type == JG_DEVICE_CPU && out->id == 0)))
        return 0;
    PyErr_Format(PyExc_BufferError,
                 "dl_device: got %R, but the array is on %s:%d; allowed are that, (1, 0) and "
                 "devices of joggle",
                 object, jg_device_type_name(own.type), (int)own.id);
    return -1;
}

/* The demands of a consumer besides the device. */
typedef struct consumer {
    bool versioned;
    jg_copy_policy copy;
    int64_t stream;
} consumer;

/* A call that waits releases the interpreter lock. An array in the host's memory is exported in
 * less time than the release takes, so it keeps the lock. */
static int prepare(jg_array *x, const consumer *to, bool *unlocked)
{
    bool host = jg_device_is_host_accessible(jg_array_device(x).type);
    *unlocked = !host || to->copy == JG_COPY_ALWAYS;
    return host ? py_evaluate(x) : 0;
}

/* The capsule takes the tensor over at once, also when it cannot be made. */
static PyObject *export_versioned(jg_array *x, const consumer *to)
{
    DLManagedTensorVersioned *managed;
    bool unlocked;
    if (prepare(x, to, &unlocked) < 0)
        return NULL;
    PyThreadState *state = unlocked ? PyEval_SaveThread() : NULL;
    jg_status status = jg_array_to_managed_for(x, to->copy, to->stream, &managed);
    if (unlocked)
        PyEval_RestoreThread(state);
    return status == JG_OK ? py_capsule_versioned(managed) : py_raise(status);
}

static PyObject *export_legacy(jg_array *x, const consumer *to)
{
    DLManagedTensor *managed;
    bool unlocked;
    if (prepare(x, to, &unlocked) < 0)
        return NULL;
    PyThreadState *state = unlocked ? PyEval_SaveThread() : NULL;
    jg_status status = jg_array_to_managed_legacy_for(x, to->copy, to->stream, &managed);
    if (unlocked)
        PyEval_RestoreThread(state);
    return status == JG_OK ? py_capsule_legacy(managed) : py_raise(status);
}

static PyObject *export_for(jg_array *x, const consumer *to)
{
    return to->versioned ? export_versioned(x, to) : export_legacy(x, to);
}

static bool is_same(jg_device_id x, jg_device_id y)
{
    return x.type == y.type && x.id == y.id;
}

/* The exported memory is a copy with no other holder. */
static PyObject *export_moved(jg_array *x, jg_device_id target, const consumer *to)
{
    jg_array *moved;
    const consumer as_is = {to->versioned, JG_COPY_IF_NEEDED, to->stream};
    if (to->copy == JG_COPY_NEVER) {
        PyErr_Format(py_copy_error,
                     "dl_device: the data must be copied to %s:%d, and copy is False",
                     jg_device_type_name(target.type), (int)target.id);
        return NULL;
    }
    if (py_check(jg_to_device(x, target, &moved)) < 0)
        return NULL;
    PyObject *capsule = export_for(moved, &as_is);
    jg_array_release(moved);
    return capsule;
}

/* Arguments are checked in the order in which a fault in them is a TypeError, which consumers take
 * for a keyword that we do not know, and then a BufferError, which is final. */
PyObject *py_dlpack_export(jg_array *x, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 0, 0, {"stream", "max_version", "dl_device", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    consumer to;
    jg_device_id target;
    if (py_arguments("__dlpack__", &signature, args, nargs, kwnames, slots) < 0 ||
        read_version(slots[1], &to.versioned) < 0 || py_copy_from(slots[3], &to.copy) < 0 ||
        read_target(slots[2], jg_array_device(x), &target) < 0 ||
        read_stream(slots[0], target, &to.stream) < 0)
        return NULL;
    return is_same(target, jg_array_device(x)) ? export_for(x, &to) : export_moved(x, target, &to);
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
