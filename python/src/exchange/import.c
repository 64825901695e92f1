/* SPDX-License-Identifier: Apache-2.0 */
/* from_dlpack: the exchange table of the producer's type where it has one, else its two dunders.
 *
 * The order of the calls and the keywords that are passed follow the Array API standard; where
 * producers differ from it, the comments say which. A stream is named only to a
 * producer whose memory is on a device that has streams: NumPy and JAX refuse any on the CPU. */
#include "base/field_handle.h"
#include "exchange/exchange.h"

static PyObject *name_dlpack, *name_device, *max_version, *usual_keywords;

/* Like the private _PyObject_GetMethod: a function of the type is called with the object as its
 * first argument, without a bound method. */
PyObject *py_lookup(PyObject *object, PyObject *name, bool *bound)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *found = py_type_find(type, name);
    *bound = true;
    if (!found)
        return PyObject_GetAttr(object, name);
    if (PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)) {
        *bound = false;
        return found;
    }
    descrgetfunc get = Py_TYPE(found)->tp_descr_get;
    if (!get)
        return found;
    PyObject *made = get(found, object, (PyObject *)type);
    Py_DECREF(found);
    return made;
}

/* Calls a method of args[0] with the keyword arguments that follow it. raises: what it does, and
 * AttributeError where there is none */
static PyObject *call_dunder(PyObject *name, PyObject *const *args, PyObject *kwnames)
{
    bool bound;
    PyObject *method = py_lookup(args[0], name, &bound);
    if (!method)
        return NULL;
    PyObject *result = bound ? PyObject_Vectorcall(method, args + 1, 0, kwnames)
                             : PyObject_Vectorcall(method, args, 1, kwnames);
    Py_DECREF(method);
    return result;
}

/* The device of __dlpack_device__; the tensor's own device takes precedence (capsule.c). */
static int read_device(PyObject *object, jg_device_id *out)
{
    PyObject *args[1] = {object};
    PyObject *pair = call_dunder(name_device, args, NULL);
    if (!pair)
        return -1;
    int64_t values[2] = {0, 0};
    int status = 0;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_Format(PyExc_TypeError, "__dlpack_device__ gave %R, allowed is a pair of ints", pair);
        status = -1;
    }
    for (int i = 0; status == 0 && i < 2; ++i)
        status = py_int64_from(PyTuple_GET_ITEM(pair, i), &values[i]);
    Py_DECREF(pair);
    *out = (jg_device_id){(int32_t)values[0], (int32_t)values[1]};
    return status;
}

/* Refuses a device that nothing here can read, before the producer is asked for anything. *to_host
 * tells that the producer must be asked to bring its data to the host. */
static int check_device(jg_device_id device, const jg_device_id *wanted, bool *to_host)
{
    *to_host = false;
    if (jg_device_is_host_accessible(device.type) || jg_device_is_available(device))
        return 0;
    if (wanted && wanted->type == JG_DEVICE_CPU) {
        *to_host = true;
        return 0;
    }
    PyErr_Format(
        PyExc_BufferError,
        "the tensor is on %s:%d (DLPack device type %d), and joggle has no back end for it in "
        "this process; move it to a device that joggle has",
        jg_device_type_name(device.type), (int)device.id, (int)device.type);
    return -1;
}

/* The request to a producer. */
typedef struct producer_call {
    jg_copy_policy copy;
    bool to_host;   /* the data is to be brought to the host */
    bool on_stream; /* it is to be ready for the stream of the next field */
    int64_t stream;
} producer_call;

/* One more keyword. steals: value */
static int add_keyword(PyObject *names, PyObject **args, size_t *count, const char *name,
                       PyObject *value)
{
    PyObject *key = value ? PyUnicode_InternFromString(name) : NULL;
    if (!key) {
        Py_XDECREF(value);
        return -1;
    }
    PyTuple_SET_ITEM(names, (Py_ssize_t)*count, key);
    *count += 1;
    args[*count] = value;
    return 0;
}

/* __dlpack__ with the keywords that mean something. copy=True is never passed on, as we copy
 * ourselves: TVM refuses it, others ignore it. names and the arguments behind the first are in
 * step. */
static PyObject *ask_capsule(PyObject *object, const producer_call *call)
{
    PyObject *args[5] = {object}, *names = PyTuple_New(4), *capsule = NULL;
    size_t count = 0;
    int status =
        names ? add_keyword(names, args, &count, "max_version", Py_NewRef(max_version)) : -1;
    if (status == 0 && call->copy == JG_COPY_NEVER)
        status = add_keyword(names, args, &count, "copy", Py_NewRef(Py_False));
    if (status == 0 && call->to_host)
        status =
            add_keyword(names, args, &count, "dl_device", Py_BuildValue("(ii)", JG_DEVICE_CPU, 0));
    if (status == 0 && call->on_stream)
        status = add_keyword(names, args, &count, "stream", PyLong_FromLongLong(call->stream));
    if (status == 0 && _PyTuple_Resize(&names, (Py_ssize_t)count) == 0)
        capsule = call_dunder(name_dlpack, args, names);
    for (size_t i = 1; i <= count; ++i)
        Py_DECREF(args[i]);
    Py_XDECREF(names);
    return capsule;
}

/* With the keywords of nearly every call. */
static PyObject *ask_usual_capsule(PyObject *object)
{
    PyObject *args[2] = {object, max_version};
    return call_dunder(name_dlpack, args, usual_keywords);
}

/* Calls without keywords, because producers from before 2023 know none; they never copy either. The
 * exception of the first call becomes the context of this call's. */
static PyObject *ask_again(PyObject *object)
{
    py_pending first = py_pending_take();
    PyErr_NormalizeException(&first.type, &first.value, &first.traceback);
    if (first.traceback)
        PyException_SetTraceback(first.value, first.traceback);
    PyObject *args[1] = {object}, *capsule = call_dunder(name_dlpack, args, NULL);
    if (!capsule) {
        py_pending second = py_pending_take();
        PyErr_NormalizeException(&second.type, &second.value, &second.traceback);
        if (second.value != first.value)
            PyException_SetContext(second.value, Py_NewRef(first.value));
        py_pending_restore(second);
    }
    py_pending_drop(&first);
    return capsule;
}

/* Calls with keywords first, and without them if the producer, or the object that it wraps, raises
 * TypeError because it knows none. If data must come to the host there is no second call: an old
 * producer would give memory that cannot be read here, and perhaps too early. */
static PyObject *get_capsule(PyObject *object, const producer_call *call)
{
    bool plain = !call->to_host && !call->on_stream;
    PyObject *capsule = plain && call->copy != JG_COPY_NEVER ? ask_usual_capsule(object)
                                                             : ask_capsule(object, call);
    bool is_final = capsule || !plain || !PyErr_ExceptionMatches(PyExc_TypeError);
    return is_final ? capsule : ask_again(object);
}

/* wanted: the device that the caller named, or NULL. NumPy's arrays are not asked for theirs, which
 * saves a call at each import. */
static jg_array *import_dunders(const py_producer *producer, PyObject *object, jg_copy_policy copy,
                                const jg_device_id *wanted)
{
    jg_device_id device = {JG_DEVICE_CPU, 0};
    producer_call call = {.copy = copy};
    if (!producer->is_numpy &&
        (read_device(object, &device) < 0 || check_device(device, wanted, &call.to_host) < 0))
        return NULL;
    call.on_stream = !producer->is_numpy && !call.to_host && jg_device_has_streams(device);
    if (call.on_stream && py_stream_number(device, &call.stream) < 0)
        return NULL;
    if (call.to_host && copy == JG_COPY_NEVER) {
        PyErr_SetString(py_copy_error,
                        "device: the data must be copied to the CPU, and copy is False");
        return NULL;
    }
    PyObject *capsule = get_capsule(object, &call);
    if (!capsule)
        return NULL;
    jg_array *array = NULL;
    if (call.on_stream && py_check(jg_stream_follow(device, call.stream)) < 0)
        array = NULL;
    else if (PyCapsule_CheckExact(capsule))
        array =
            py_capsule_take(capsule, copy, call.to_host ? wanted : &device, producer->is_immutable);
    else
        PyErr_Format(PyExc_TypeError, "__dlpack__ gave %s, allowed is a capsule",
                     Py_TYPE(capsule)->tp_name);
    /* A refused capsule calls its producer's deleter, which may be Python code. */
    py_pending pending = py_pending_take();
    Py_DECREF(capsule);
    py_pending_restore(pending);
    return array;
}

/* The text of an exception up to the end of its line: torch adds a backtrace. New reference or
 * NULL */
static PyObject *first_line(PyObject *exception)
{
    PyObject *text = PyObject_Str(exception);
    if (!text)
        return NULL;
    Py_ssize_t end = PyUnicode_FindChar(text, '\n', 0, PyUnicode_GET_LENGTH(text), 1);
    PyObject *line = PyUnicode_Substring(text, 0, end < 0 ? PyUnicode_GET_LENGTH(text) : end);
    Py_DECREF(text);
    return line;
}

/* The pending exception as the cause of a BufferError, unless it is one or says that memory ran
 * out: so callers catch one type, and the steps of py_asarray go on. */
static void raise_buffer_error(const char *type_name)
{
    if (PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_MemoryError) ||
        !PyErr_ExceptionMatches(PyExc_Exception))
        return;
    PyObject *type, *cause, *traceback, *value;
    PyErr_Fetch(&type, &cause, &traceback);
    PyErr_NormalizeException(&type, &cause, &traceback);
    PyObject *reason = first_line(cause);
    if (reason)
        PyErr_Format(PyExc_BufferError, "%s cannot be exchanged: %U", type_name, reason);
    Py_XDECREF(reason);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyException_SetCause(value, cause);
    PyErr_Restore(type, value, traceback);
}

/* gives: a tensor of the caller's own, or NULL with BufferError */
static DLManagedTensorVersioned *export_by_api(const py_producer *producer, PyObject *object)
{
    DLManagedTensorVersioned *managed = NULL;
    if (producer->api->managed_tensor_from_py_object_no_sync(object, &managed) == 0 && managed)
        return managed;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_BufferError, "the producer's exchange function failed without a "
                                           "word; pass the result of __dlpack__");
    raise_buffer_error(producer->type->tp_name);
    return NULL;
}

/* The deleter may be Python code, and an exception may be pending. */
static void drop_managed(DLManagedTensorVersioned *managed)
{
    py_pending pending = py_pending_take();
    if (managed->deleter)
        managed->deleter(managed);
    py_pending_restore(pending);
}

/* steals: resolved, a tensor that was made for this import. So it counts as the copy, and is not
 * copied once more for copy=True. */
static jg_array *import_resolved(PyObject *resolved, jg_copy_policy copy)
{
    jg_array *array = NULL;
    if (copy == JG_COPY_NEVER)
        PyErr_SetString(py_copy_error, "the torch tensor is negated or conjugated by a bit, so its "
                                       "values are not in memory, and copy is False");
    else
        array = py_import_dlpack(resolved, JG_COPY_IF_NEEDED, NULL);
    Py_DECREF(resolved);
    return array;
}

/* If the major version differs, only the deleter may be read. */
static bool is_readable(const DLManagedTensorVersioned *managed)
{
    return managed->version.major == DLPACK_MAJOR_VERSION;
}

static bool is_complex(const DLManagedTensorVersioned *managed)
{
    return is_readable(managed) && managed->dl_tensor.dtype.code == (uint8_t)kDLComplex;
}

int py_producer_stream(const py_producer *producer, jg_device_id device, int64_t *out)
{
    void *stream = NULL;
    if (!producer->api->current_work_stream ||
        producer->api->current_work_stream((DLDeviceType)device.type, device.id, &stream) != 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_BufferError,
                            "the producer did not name its stream, which is needed");
        return -1;
    }
    *out = stream != NULL ? (int64_t)(intptr_t)stream : JG_STREAM_DEFAULT;
    return 0;
}

/* The table leaves the order to the stream that the producer works on. */
static int follow_producer(const py_producer *producer, const DLManagedTensorVersioned *managed)
{
    const DLDevice *on = &managed->dl_tensor.device;
    const jg_device_id device = {(int32_t)on->device_type, on->device_id};
    int64_t stream;
    if (device.type == JG_DEVICE_CPU || !jg_device_has_streams(device))
        return 0;
    if (py_producer_stream(producer, device, &stream) < 0)
        return -1;
    return py_check(jg_stream_follow(device, stream));
}

/* Only complex tensors can have the conjugate bit. The dtype is known once the tensor is exported,
 * so other tensors are not asked. */
static jg_array *import_api(const py_producer *producer, PyObject *object, jg_copy_policy copy)
{
    DLManagedTensorVersioned *managed = export_by_api(producer, object);
    if (!managed)
        return NULL;
    if (is_readable(managed) && follow_producer(producer, managed) < 0) {
        drop_managed(managed);
        return NULL;
    }
    if (producer->is_immutable && is_readable(managed))
        managed->flags |= DLPACK_FLAG_BITMASK_READ_ONLY;
    if (producer->is_torch && is_complex(managed)) {
        PyObject *resolved;
        int conjugated = py_torch_check_conj(producer, object, &resolved);
        if (conjugated != 0) {
            drop_managed(managed);
            return conjugated < 0 ? NULL : import_resolved(resolved, copy);
        }
    }
    return py_take_managed(managed, copy);
}

/* import_api asks about the conjugated ones by itself; without a table this is the only check. */
static jg_array *import_torch(const py_producer *producer, PyObject *object, jg_copy_policy copy,
                              const jg_device_id *device)
{
    PyObject *resolved;
    int trapped = py_torch_check(producer, object, &resolved);
    if (trapped == 0 && !producer->api)
        trapped = py_torch_check_conj(producer, object, &resolved);
    if (trapped != 0)
        return trapped < 0 ? NULL : import_resolved(resolved, copy);
    return producer->api && !device ? import_api(producer, object, copy)
                                    : import_dunders(producer, object, copy, device);
}

jg_array *py_import_detached(PyObject *object)
{
    const py_producer *producer = py_producer_of(Py_TYPE(object));
    if (!producer)
        return NULL;
    if (!producer->is_torch || !producer->api)
        return py_import_dlpack(object, JG_COPY_FOR_CALL, NULL);
    PyObject *resolved;
    int trapped = py_torch_check_memory(producer, object, &resolved);
    if (trapped < 0)
        return NULL;
    if (trapped == 0)
        return import_api(producer, object, JG_COPY_FOR_CALL);
    jg_array *array = py_import_detached(resolved); /* it requires a gradient, too */
    Py_DECREF(resolved);
    return array;
}

/* An array of joggle's is shared as it is; a copy is a snapshot, so it is evaluated now. */
static jg_array *import_own(PyObject *object, jg_copy_policy copy)
{
    jg_array *x = py_array_retain(object);
    if (copy != JG_COPY_ALWAYS)
        return x;
    jg_array *out = py_snapshot(x);
    jg_array_release(x);
    return out;
}

/* No producer was asked for the order of a capsule that comes by itself. A consumer that names no
 * stream is taken to compute on the default one, so that comes first where there are streams. */
static jg_array *import_capsule(PyObject *capsule, jg_copy_policy copy)
{
    bool copies = copy == JG_COPY_ALWAYS;
    jg_array *x = py_capsule_take(capsule, copies ? JG_COPY_IF_NEEDED : copy, NULL, false);
    if (x && jg_device_has_streams(jg_array_device(x)) &&
        py_check(jg_stream_follow(jg_array_device(x), JG_STREAM_DEFAULT)) < 0) {
        jg_array_release(x);
        return NULL;
    }
    if (!x || !copies)
        return x;
    jg_array *out = py_snapshot(x);
    jg_array_release(x);
    return out;
}

/* The table does not handle devices, so a call that names one uses the dunders. */
jg_array *py_import_dlpack(PyObject *object, jg_copy_policy copy, const jg_device_id *device)
{
    if (py_array_check(object))
        return import_own(object, copy);
    if (py_field_check(object))
        return py_field_array(object, copy);
    if (PyCapsule_CheckExact(object))
        return import_capsule(object, copy);
    const py_producer *producer = py_producer_of(Py_TYPE(object));
    if (!producer)
        return NULL;
    if (producer->is_masked) {
        PyErr_SetString(PyExc_TypeError, "got a masked array, whose mask would be lost: pass "
                                         "array.filled(value) or array.data");
        return NULL;
    }
    if (producer->is_torch)
        return import_torch(producer, object, copy, device);
    return producer->api && !device ? import_api(producer, object, copy)
                                    : import_dunders(producer, object, copy, device);
}

/* Host memory of any kind is the CPU's. */
static bool is_on(const jg_array *x, jg_device_id device)
{
    jg_device_id own = jg_array_device(x);
    bool host = jg_device_is_host_accessible(own.type);
    return host ? jg_device_is_host_accessible(device.type)
                : own.type == device.type && own.id == device.id;
}

static PyObject *from_dlpack(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"x", "device", "copy"}};
    /* The usual call, without sorting arguments. */
    if (nargs == 1 && !kwnames)
        return py_array_wrap(py_import_dlpack(args[0], JG_COPY_IF_NEEDED, NULL));
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_copy_policy copy;
    jg_device_id device;
    if (py_arguments("from_dlpack", &signature, args, nargs, kwnames, slots) < 0 ||
        py_copy_from(slots[2], &copy) < 0 || py_device_from(slots[1], &device) < 0)
        return NULL;
    bool given = slots[1] && slots[1] != Py_None;
    jg_array *x = py_import_dlpack(slots[0], copy, given ? &device : NULL);
    if (x && given && copy == JG_COPY_NEVER && !is_on(x, device)) {
        jg_array_release(x);
        PyErr_Format(py_copy_error, "device: the data must be copied to %s:%d, and copy is False",
                     jg_device_type_name(device.type), (int)device.id);
        return NULL;
    }
    return py_on_device(py_array_wrap(x), slots[1]);
}

PyMethodDef py_import_functions[] = {
    {"from_dlpack", PY_FASTCALL(from_dlpack),
     "from_dlpack(x, /, *, device=None, copy=None)\n--\n\n"
     "An array over the memory of x, which has __dlpack__ or is a DLPack capsule. copy=False "
     "shares\n"
     "or raises CopyError, copy=None shares where possible, copy=True takes a snapshot. Shared "
     "memory\n"
     "is live: what its owner writes is seen until the array, or what was made of it, is "
     "evaluated;\n"
     "joggle never writes to it."
     "\n\n"
     ">>> jg.from_dlpack(jg.arange(3))\n"
     "array([0, 1, 2], dtype=int64)"},
    {NULL, NULL, 0, NULL},
};

int py_import_ready(void)
{
    name_dlpack = PyUnicode_InternFromString("__dlpack__");
    name_device = PyUnicode_InternFromString("__dlpack_device__");
    max_version = Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION);
    usual_keywords = Py_BuildValue("(N)", PyUnicode_InternFromString("max_version"));
    return name_dlpack && name_device && max_version && usual_keywords ? 0 : -1;
}
