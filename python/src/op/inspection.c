/* SPDX-License-Identifier: Apache-2.0 */
/* The Array API's inspection functions: result_type, can_cast and isdtype, and what
 * joggle/_namespace.py makes finfo, iinfo and the lists of devices and dtypes from. They answer by
 * the library's rules of promotion, which ops go by too; Python's numbers are weak here as
 * there. */
#include "op/op.h"

/* The state after the arguments so far. */
typedef struct result {
    uint64_t dtypes; /* a set */
    bool has_number;
    jg_dtype_kind number; /* the highest kind of the numbers */
} result;

/* An array's dtype, or the dtype itself; last, the dtype of another library's array, which is
 * imported for this. If it is none of them the failure that counts is that of the dtype. */
static int dtype_of_argument(PyObject *object, jg_dtype *out)
{
    if (py_array_check(object)) {
        jg_array *x = py_array_hold(object);
        *out = jg_array_dtype(x);
        py_array_drop(x);
        return 0;
    }
    if (py_dtype_from(object, out) == 0)
        return 0;
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    py_pending fault = py_pending_take();
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    bool is_text = PyUnicode_Check(object) || PyType_Check(object);
    jg_array *x = is_text ? NULL : py_asarray(object, &request);
    if (!x) {
        if (py_forget_failure() == 0)
            py_pending_restore(fault);
        else
            py_pending_drop(&fault);
        return -1;
    }
    *out = jg_array_dtype(x);
    jg_array_release(x);
    py_pending_drop(&fault);
    return 0;
}

static int add_argument(result *so_far, PyObject *object)
{
    jg_number number;
    int found = py_array_check(object) ? 0 : py_number_from(object, &number);
    if (found < 0)
        return -1;
    if (found > 0) {
        if (!so_far->has_number || number.kind > so_far->number)
            so_far->number = number.kind;
        so_far->has_number = true;
        return 0;
    }
    jg_dtype dtype;
    if (dtype_of_argument(object, &dtype) < 0)
        return -1;
    so_far->dtypes |= JG_DTYPE_BIT(dtype);
    return 0;
}

/* A number without any dtype beside it has the dtype of a list of this number. */
static int finish(const result *from, jg_dtype *out)
{
    if (from->dtypes == 0) {
        *out = py_number_dtype(from->number);
        return 0;
    }
    if (py_check(jg_dtype_promote_set(from->dtypes, out)) < 0)
        return -1;
    jg_dtype beside = from->has_number ? jg_dtype_beside(from->number, *out) : *out;
    return beside == *out ? 0 : py_check(jg_dtype_promote(*out, beside, out));
}

static PyObject *result_type(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    result so_far = {0};
    jg_dtype dtype;
    if (nargs == 0) {
        PyErr_SetString(PyExc_ValueError, "result_type: got nothing, allowed is one argument up");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < nargs; ++i)
        if (add_argument(&so_far, args[i]) < 0)
            return NULL;
    return finish(&so_far, &dtype) < 0 ? NULL : py_dtype_object(dtype);
}

/* Casts follow promotion, as in the standard: an int32 can be cast to float64 because int32 +
 * float64 is float64. Dtypes that are only stored cannot be cast. */
static PyObject *can_cast(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs)
{
    jg_dtype from, to, common;
    if (nargs != 2) {
        PyErr_Format(PyExc_TypeError, "can_cast: got %zd arguments, allowed are from_ and to",
                     nargs);
        return NULL;
    }
    if (dtype_of_argument(args[0], &from) < 0 || py_dtype_from(args[1], &to) < 0)
        return NULL;
    if (from == to)
        Py_RETURN_TRUE;
    if (!jg_dtype_is_computable(from) || !jg_dtype_is_computable(to))
        Py_RETURN_FALSE;
    return py_check(jg_dtype_promote(from, to, &common)) < 0 ? NULL : PyBool_FromLong(common == to);
}

#define KIND_BIT(kind) (1u << JG_KIND_##kind)
enum {
    INTEGRAL = KIND_BIT(INT) | KIND_BIT(UINT),
    NUMERIC = INTEGRAL | KIND_BIT(FLOAT) | KIND_BIT(COMPLEX)
};

/* The standard's names of kinds, as sets of ours. */
static const struct {
    const char *name;
    unsigned kinds;
} kind_names[] = {
    {"bool", KIND_BIT(BOOL)},
    {"signed integer", KIND_BIT(INT)},
    {"unsigned integer", KIND_BIT(UINT)},
    {"integral", INTEGRAL},
    {"real floating", KIND_BIT(FLOAT)},
    {"complex floating", KIND_BIT(COMPLEX)},
    {"numeric", NUMERIC},
};

/* 1, 0 or -1. What is no string is a dtype, which must be the same. */
static int is_of_kind(jg_dtype dtype, PyObject *kind)
{
    if (!PyUnicode_Check(kind)) {
        jg_dtype other;
        return py_dtype_from(kind, &other) < 0 ? -1 : other == dtype;
    }
    for (size_t i = 0; i < Py_ARRAY_LENGTH(kind_names); ++i)
        if (PyUnicode_CompareWithASCIIString(kind, kind_names[i].name) == 0)
            return kind_names[i].kinds >> jg_dtype_kind_of(dtype) & 1;
    PyErr_Format(PyExc_ValueError,
                 "kind: got %R, allowed are a dtype, 'bool', 'signed integer', 'unsigned integer', "
                 "'integral', 'real floating', 'complex floating', 'numeric', and tuples of them",
                 kind);
    return -1;
}

static PyObject *isdtype(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames)
{
    static const py_signature signature = {2, 2, 0, {"dtype", "kind"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_dtype dtype;
    if (py_arguments("isdtype", &signature, args, nargs, kwnames, slots) < 0 ||
        py_dtype_from(slots[0], &dtype) < 0)
        return NULL;
    bool is_tuple = PyTuple_Check(slots[1]);
    Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(slots[1]) : 1;
    int found = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int fits = is_of_kind(dtype, is_tuple ? PyTuple_GET_ITEM(slots[1], i) : slots[1]);
        if (fits < 0)
            return NULL;
        found |= fits;
    }
    return PyBool_FromLong(found);
}

/* (dtype of the parts, bits, largest, epsilon, smallest normal, smallest subnormal) of a float or
 * complex dtype */
static PyObject *float_limits(PyObject *Py_UNUSED(module), PyObject *object)
{
    jg_dtype dtype;
    jg_float_limits limits;
    if (dtype_of_argument(object, &dtype) < 0 ||
        py_check(jg_dtype_float_limits(dtype, &limits)) < 0)
        return NULL;
    return Py_BuildValue("Nidddd", py_dtype_object(limits.dtype), jg_dtype_bits(limits.dtype),
                         limits.largest, limits.epsilon, limits.smallest_normal,
                         limits.smallest_subnormal);
}

/* (dtype, bits, whether it has a sign) */
static PyObject *integer_limits(PyObject *Py_UNUSED(module), PyObject *object)
{
    jg_dtype dtype;
    if (dtype_of_argument(object, &dtype) < 0)
        return NULL;
    if (!(INTEGRAL >> jg_dtype_kind_of(dtype) & 1)) {
        PyErr_Format(PyExc_TypeError, "dtype: got %s, allowed are integers", jg_dtype_name(dtype));
        return NULL;
    }
    return Py_BuildValue("NiN", py_dtype_object(dtype), jg_dtype_bits(dtype),
                         PyBool_FromLong(jg_dtype_kind_of(dtype) == JG_KIND_INT));
}

static int append_device(PyObject *list, jg_device_id device)
{
    PyObject *name = py_device_object(device);
    int status = name ? PyList_Append(list, name) : -1;
    Py_XDECREF(name);
    return status;
}

/* All memory that the host can read is one device, the CPU, whatever its kind and number are. Other
 * devices are numbered from 0 without gaps. */
static int append_devices(PyObject *list, int32_t type)
{
    if (jg_device_is_host_accessible(type))
        return type == JG_DEVICE_CPU ? append_device(list, (jg_device_id){type, 0}) : 0;
    for (jg_device_id device = {type, 0}; jg_device_is_available(device); ++device.id)
        if (append_device(list, device) < 0)
            return -1;
    return 0;
}

static PyObject *available_devices(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    PyObject *list = PyList_New(0);
    for (int32_t type = JG_DEVICE_CPU; list && type <= JG_DEVICE_TRAINIUM; ++type)
        if (append_devices(list, type) < 0)
            Py_CLEAR(list);
    return list;
}

/* The title of a device, its bytes of memory, and the free bytes; None for a value that its driver
 * does not tell. */
static PyObject *device_facts(PyObject *Py_UNUSED(module), PyObject *object)
{
    jg_device_id device;
    uint64_t total, unused;
    if (py_device_from(object, &device) < 0 ||
        py_check(jg_device_memory(device, &total, &unused)) < 0)
        return NULL;
    return Py_BuildValue("zKN", jg_device_title(device), (unsigned long long)total,
                         unused > 0 ? PyLong_FromUnsignedLongLong(unused) : Py_NewRef(Py_None));
}

PyMethodDef py_inspection_functions[] = {
    {"result_type", (PyCFunction)(void (*)(void))result_type, METH_FASTCALL,
     "result_type(*arrays_and_dtypes)\n--\n\n"
     "The dtype in which arrays, dtypes and Python numbers, which are weak, meet in an op."
     "\n\n"
     ">>> jg.result_type(jg.int32, jg.float16)\n"
     "joggle.float16"},
    {"can_cast", (PyCFunction)(void (*)(void))can_cast, METH_FASTCALL,
     "can_cast(from_, to, /)\n--\n\n"
     "Whether a dtype, or that of an array, is promoted to another where it meets it."
     "\n\n"
     ">>> jg.can_cast(jg.int32, jg.float64)\n"
     "True"},
    {"isdtype", PY_FASTCALL(isdtype),
     "isdtype(dtype, kind)\n--\n\n"
     "Whether a dtype is of a kind: another dtype, one of the standard's names of kinds such as\n"
     "\"real floating\", or any of a tuple of them."
     "\n\n"
     ">>> jg.isdtype(jg.int32, \"integral\")\n"
     "True"},
    {"_float_limits", float_limits, METH_O, NULL},
    {"_integer_limits", integer_limits, METH_O, NULL},
    {"_available_devices", available_devices, METH_NOARGS, NULL},
    {"_device_facts", device_facts, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
