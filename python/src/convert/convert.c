/* SPDX-License-Identifier: Apache-2.0 */
/* array(x) and asarray(x): which of the protocols that x speaks is used. The order is the table
 * `steps` below, and docs/precedence.md gives the reasons.
 *
 * A step that refuses x with a BufferError passes it on to the steps behind it that describe memory
 * too: NumPy's __dlpack__ knows fewer dtypes than its buffers. If all refuse, the last reason is
 * given. */
#include "convert/convert.h"
#include "base/naming.h"

static PyObject *name_array, *name_mlx, *name_device;

jg_array *py_cast(jg_array *x, const py_request *request)
{
    if (!x || !request->has_dtype || jg_array_dtype(x) == request->dtype)
        return x;
    jg_array *out = NULL;
    if (request->copy == JG_COPY_NEVER)
        PyErr_Format(py_copy_error, "dtype: %s must be copied to become %s, and copy is False",
                     jg_dtype_name(jg_array_dtype(x)), jg_dtype_name(request->dtype));
    else if (py_check(jg_astype(x, request->dtype, &out)) < 0)
        out = NULL;
    jg_array_release(x);
    return out;
}

bool py_all_fit(uint64_t dtypes, jg_dtype wanted)
{
    jg_dtype_kind kind = jg_dtype_kind_of(wanted);
    for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
        jg_dtype common;
        if (!(dtypes & JG_DTYPE_BIT(dtype)) || (int)wanted == dtype)
            continue;
        bool is_widened =
            jg_dtype_promote((jg_dtype)dtype, wanted, &common) == JG_OK && common == wanted;
        bool is_complex = jg_dtype_kind_of((jg_dtype)dtype) == JG_KIND_COMPLEX;
        if (!is_widened && (kind != JG_KIND_FLOAT || is_complex))
            return false;
    }
    return true;
}

static int convert_own(PyObject *object, const py_request *request, jg_array **out)
{
    if (!py_array_check(object))
        return 0;
    *out = py_import_dlpack(object, request->copy, NULL);
    return *out ? 1 : -1;
}

/* Python's numbers, with the weak dtype they have in a list of their own. It stands before the
 * steps that look for protocols, which cost more. */
static int convert_number(PyObject *object, const py_request *request, jg_array **out)
{
    jg_number unused;
    int found = py_number_for(object, request->has_dtype ? &request->dtype : NULL, &unused);
    return found <= 0 ? found : py_convert_sequence(object, request, out);
}

static int convert_list(PyObject *object, const py_request *request, jg_array **out)
{
    bool is_list = PyList_Check(object) || PyTuple_Check(object);
    return is_list ? py_convert_sequence(object, request, out) : 0;
}

static int convert_capsule(PyObject *object, const py_request *request, jg_array **out)
{
    if (!py_capsule_is_tensor(object))
        return 0;
    *out = py_capsule_take(object, request->copy, NULL, false);
    return *out ? 1 : -1;
}

/* Looks at the type first, without any call; proxies that find their attributes by __getattr__ are
 * asked as well. 1 or 0, or -1 with an exception of such code other than AttributeError. */
static int speaks(PyObject *object, PyObject *name)
{
    if (_PyType_Lookup(Py_TYPE(object), name))
        return 1;
    PyObject *found = PyObject_GetAttr(object, name);
    Py_XDECREF(found);
    return found ? 1 : py_forget_missing();
}

static int convert_dlpack(PyObject *object, const py_request *request, jg_array **out)
{
    int found = PyType_Check(object) ? 0 : speaks(object, py_name_dlpack);
    if (found > 0)
        found = speaks(object, name_device);
    if (found <= 0)
        return found;
    *out = py_import_dlpack(object, request->copy, NULL);
    return *out ? 1 : -1;
}

/* Converts the result of a method without arguments to an array. The result must be of another type
 * than the object, because the conversion would not end otherwise; two types that give each other
 * end at Python's limit of recursion. The request's dtype is left to py_asarray, which casts
 * once. */
static int convert_result(PyObject *object, PyObject *name, const py_request *request,
                          jg_array **out)
{
    bool bound;
    PyObject *method = PyType_Check(object) ? NULL : py_lookup(object, name, &bound);
    if (!method)
        return py_forget_missing();
    PyObject *result = bound ? PyObject_CallNoArgs(method) : PyObject_CallOneArg(method, object);
    Py_DECREF(method);
    if (result && Py_TYPE(result) == Py_TYPE(object)) {
        PyErr_Format(PyExc_TypeError, "%U gave %s again, allowed is an object of another type",
                     name, Py_TYPE(object)->tp_name);
        Py_CLEAR(result);
    }
    /* The result is new or the producer's own: copy has the meaning that it has for the object
     * itself. */
    py_request shared = {.copy = request->copy};
    *out = NULL;
    if (result && !Py_EnterRecursiveCall(" in the conversion to an array")) {
        *out = py_asarray(result, &shared);
        Py_LeaveRecursiveCall();
    }
    Py_XDECREF(result);
    return *out ? 1 : -1;
}

/* __array__ may copy without telling, so it is of no use to copy=False. */
static int convert_array_method(PyObject *object, const py_request *request, jg_array **out)
{
    int found = PyType_Check(object) ? 0 : speaks(object, name_array);
    if (found <= 0)
        return found;
    if (request->copy == JG_COPY_NEVER) {
        PyErr_Format(py_copy_error, "%s has only __array__, which may copy, and copy is False",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    return convert_result(object, name_array, request, out);
}

static int convert_mlx_hook(PyObject *object, const py_request *request, jg_array **out)
{
    return convert_result(object, name_mlx, request, out);
}

static int convert_jax_hook(PyObject *object, const py_request *request, jg_array **out)
{
    return convert_result(object, py_name_jax, request, out);
}

/* Numbers of other libraries (Fraction, Decimal), and sequences that are no lists (range, deque).
 * Strings are sequences too, but are not taken for arrays; nor are dicts taken for arrays of their
 * keys. */
static int convert_other(PyObject *object, const py_request *request, jg_array **out)
{
    PyNumberMethods *methods = Py_TYPE(object)->tp_as_number;
    bool is_number = PyIndex_Check(object) || (methods && methods->nb_float);
    if (PyType_Check(object) || PyUnicode_Check(object) || PyDict_Check(object) ||
        (!is_number && !PySequence_Check(object)))
        return 0;
    return py_convert_sequence(object, request, out);
}

/* The order of the steps, and whether the conversion continues after a refusal. Numbers and lists
 * come before the protocols that they do not support, and methods that may copy come after methods
 * that share. */
static const struct {
    py_conversion *convert;
    bool describes_memory;
} steps[] = {
    {convert_own, true},          {convert_number, false},       {convert_list, false},
    {convert_capsule, true},      {convert_dlpack, true},        {py_convert_buffer, true},
    {py_convert_interface, true}, {convert_array_method, false}, {convert_mlx_hook, false},
    {convert_jax_hook, false},    {convert_other, false},
};

/* Whether the pending exception leaves the object to the other protocols. */
static bool is_refusal(void)
{
    return PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(py_copy_error);
}

jg_array *py_asarray(PyObject *object, const py_request *request)
{
    /* The last refusal. While there is one, only steps that describe memory are tried. */
    py_pending refusal = {NULL, NULL, NULL};
    for (size_t i = 0; i < Py_ARRAY_LENGTH(steps); ++i) {
        if (refusal.type && !steps[i].describes_memory)
            continue;
        jg_array *out;
        int found = steps[i].convert(object, request, &out);
        if (found == 0)
            continue;
        py_pending_drop(&refusal);
        if (found > 0)
            return py_cast(out, request);
        if (!is_refusal())
            return NULL;
        refusal = py_pending_take();
    }
    py_pending_restore(refusal);
    if (!refusal.type)
        PyErr_Format(PyExc_TypeError,
                     "x: got %s, allowed are arrays, numbers, sequences of them, and objects with "
                     "__dlpack__, the buffer protocol or __array_interface__",
                     Py_TYPE(object)->tp_name);
    return NULL;
}

/* Whether x lies in the host's memory, and the device in a memory of its own. */
static bool is_apart(const jg_array *x, jg_device_id device)
{
    return !jg_device_is_host_accessible(device.type) &&
           jg_device_is_host_accessible(jg_array_device(x).type);
}

/* No argument asked for the copy on that device. */
jg_array *py_on_default(jg_array *x)
{
    jg_device_id device = jg_device_default();
    bool is_copied = x && is_apart(x, device);
    jg_array *out = py_beside(x, device);
    if (out && is_copied)
        jg_array_set_committed(out, false);
    return out;
}

jg_array *py_beside(jg_array *x, jg_device_id device)
{
    jg_array *out = NULL;
    if (!x || !is_apart(x, device))
        return x;
    if (py_check(jg_to_device(x, device, &out)) < 0)
        out = NULL;
    jg_array_release(x);
    return out;
}

jg_array *py_uncommitted(PyObject *object, jg_array *x)
{
    if (x && py_is_numpy(object))
        jg_array_set_committed(x, false);
    return x;
}

jg_array *py_asarray_anywhere(PyObject *object, const py_request *request)
{
    jg_array *x = py_asarray(object, request);
    bool stays = py_array_check(object) || request->copy == JG_COPY_NEVER;
    return py_uncommitted(object, stays ? x : py_on_default(x));
}

/* asarray gives a handle back as it is where nothing has to change. */
static PyObject *asarray(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames)
{
    PY_ON_STREAM(asarray, args, nargs, kwnames);
    static const py_signature signature = {1, 2, 1, {"x", "dtype", "device", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_device_id device;
    if (py_arguments("asarray", &signature, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[2], &device) < 0 || py_copy_from(slots[3], &request.copy) < 0)
        return NULL;
    request.has_dtype = slots[1] && slots[1] != Py_None;
    if (request.has_dtype && py_dtype_from(slots[1], &request.dtype) < 0)
        return NULL;
    if (py_array_check(slots[0]) && request.copy != JG_COPY_ALWAYS) {
        jg_array *x = py_array_hold(slots[0]);
        bool is_same = !request.has_dtype || jg_array_dtype(x) == request.dtype;
        py_array_drop(x);
        if (is_same)
            return py_on_device(Py_NewRef(slots[0]), slots[2]);
    }
    if (!slots[2] || slots[2] == Py_None)
        return py_array_wrap(py_asarray_anywhere(slots[0], &request));
    return py_on_device(py_array_wrap(py_asarray(slots[0], &request)), slots[2]);
}

PY_NAMED(asarray)

PyMethodDef py_convert_functions[] = {
    {"asarray", PY_FASTCALL(named_asarray),
     "asarray(x, /, dtype=None, *, device=None, copy=None, stream=None)\n--\n\n"
     "x itself if it is such an array, else array(x, dtype, copy=copy)."
     "\n\n"
     ">>> jg.asarray([1.5, 2])\n"
     "array([1.5, 2. ], dtype=float32)"},
    {NULL, NULL, 0, NULL},
};

int py_convert_ready(void)
{
    name_array = PyUnicode_InternFromString("__array__");
    name_mlx = PyUnicode_InternFromString("__mlx_array__");
    name_device = PyUnicode_InternFromString("__dlpack_device__");
    return name_array && name_mlx && name_device ? 0 : -1;
}
