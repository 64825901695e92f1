/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of an array, and the methods that are no ops. */
#include "array/array.h"
#include "base/narrow.h"

static const char *status_name(jg_array_state state)
{
    static const char *const names[] = {
        [JG_ARRAY_UNSCHEDULED] = "unscheduled",
        [JG_ARRAY_SCHEDULED] = "scheduled",
        [JG_ARRAY_AVAILABLE] = "available",
        [JG_ARRAY_FAILED] = "failed",
    };
    return names[state];
}

/* The standard defines T for two axes only, and mT for two and more. exactly: the rule of T, which
 * the message names. */
static PyObject *transposed(jg_array *x, bool exactly)
{
    if (jg_array_ndim(x) < 2 || (exactly && jg_array_ndim(x) != 2)) {
        PyErr_Format(PyExc_ValueError, "%s: the array has %d axes, allowed are 2%s",
                     exactly ? "T" : "mT", jg_array_ndim(x), exactly ? "" : " or more");
        return NULL;
    }
    jg_array *out;
    return py_check(jg_matrix_transpose(x, &out)) < 0 ? NULL : py_array_wrap(out);
}

/* In MLX all axes in reverse. */
static PyObject *transpose_attribute(jg_array *x)
{
    if (!py_process_is_mlx())
        return transposed(x, true);
    int64_t axes[JG_MAX_NDIM];
    int ndim = jg_array_ndim(x);
    for (int i = 0; i < ndim; ++i)
        axes[i] = ndim - 1 - i;
    jg_array *out;
    return py_check(jg_permute_dims(x, ndim, axes, &out)) < 0 ? NULL : py_array_wrap(out);
}

/* In bytes, as NumPy and CuPy count them, on every device. Evaluated first: memory that is taken
 * over may be laid out otherwise than was planned. An extent of one or zero may come with a stride
 * that nothing steps by, so the product wraps. */
static PyObject *strides_of(jg_array *x)
{
    jg_dtype dtype = jg_array_dtype(x);
    int64_t bytes[JG_MAX_NDIM];
    if (jg_dtype_bits(dtype) < 8)
        return PyErr_Format(PyExc_AttributeError,
                            "strides: got an array of %s, allowed are dtypes of whole bytes",
                            jg_dtype_name(dtype));
    if (py_evaluate(x) < 0)
        return NULL;
    for (int i = 0; i < jg_array_ndim(x); ++i)
        (void)__builtin_mul_overflow(jg_array_strides(x)[i], jg_dtype_bits(dtype) / 8, &bytes[i]);
    return py_shape_object(jg_array_ndim(x), bytes);
}

/* An op that Python spells as an attribute. */
static PyObject *part_of(jg_array *x, py_unary_op *op)
{
    jg_array *out;
    return py_check(op(x, &out)) < 0 ? NULL : py_array_wrap(out);
}

/* Bools have parts: themselves, and false. Python 3.11 asks any object for them where a protocol of
 * typing's names them, and takes AttributeError alone for an answer. */
static PyObject *imag_of(jg_array *x)
{
    jg_array *out;
    if (jg_array_dtype(x) != JG_DTYPE_BOOL)
        return part_of(x, jg_imag);
    return py_check(jg_not_equal(x, x, &out)) < 0 ? NULL : py_array_wrap(out);
}

static PyObject *real_of(jg_array *x)
{
    bool is_real = jg_array_dtype(x) == JG_DTYPE_BOOL;
    return is_real ? py_array_wrap(jg_array_retain(x)) : part_of(x, jg_real);
}

/* Each attribute is a function of the jg_array; none of them evaluates but strides. */
#define ATTRIBUTE(name, expression)                                                                \
    static PyObject *get_##name(PyObject *self, void *Py_UNUSED(closure))                          \
    {                                                                                              \
        jg_array *x = py_array_retain(self);                                                       \
        PyObject *result = expression;                                                             \
        jg_array_release(x);                                                                       \
        return result;                                                                             \
    }
ATTRIBUTE(shape, py_shape_object(jg_array_ndim(x), jg_array_shape(x)))
ATTRIBUTE(ndim, PyLong_FromLong(jg_array_ndim(x)))
ATTRIBUTE(size, PyLong_FromLongLong(jg_array_size(x)))
ATTRIBUTE(dtype, py_dtype_object(jg_array_dtype(x)))
ATTRIBUTE(itemsize, PyLong_FromLong((jg_dtype_bits(jg_array_dtype(x)) + 7) / 8))
ATTRIBUTE(nbytes, PyLong_FromSize_t(jg_array_nbytes(x)))
ATTRIBUTE(device, py_device_object(jg_array_device(x)))
ATTRIBUTE(status, PyUnicode_InternFromString(status_name(jg_array_current_state(x))))
ATTRIBUTE(mT, transposed(x, false))
ATTRIBUTE(T, transpose_attribute(x))
ATTRIBUTE(strides, strides_of(x))
ATTRIBUTE(real, real_of(x))
ATTRIBUTE(imag, imag_of(x))

/* Methods that wait have a reference of their own: without the interpreter lock another thread may
 * give the handle another array. */
static PyObject *wait(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self);
    int status = py_evaluate(x);
    jg_array_release(x);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}

/* x.item(): the library says how many elements there are if it is not one. waits: for the value */
static PyObject *item(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self);
    jg_number number;
    PyObject *result = NULL;
    if (py_item(x, &number) == 0)
        result = py_number_object(number);
    jg_array_release(x);
    return result;
}

/* complex(x). Python has a slot for float and int, and none for complex. */
static PyObject *complex_item(PyObject *self, PyObject *unused)
{
    PyObject *value = item(self, unused);
    if (!value)
        return NULL;
    PyObject *result = PyObject_CallOneArg((PyObject *)&PyComplex_Type, value);
    Py_DECREF(value);
    return result;
}

/* A 0-d array is formatted as the number that it holds; others have no formats, and print
 * themselves without one, as in f"{x}". */
static PyObject *format(PyObject *self, PyObject *spec)
{
    jg_array *x = py_array_hold(self);
    int ndim = jg_array_ndim(x);
    py_array_drop(x);
    if (ndim > 0 && (!PyUnicode_Check(spec) || PyUnicode_GET_LENGTH(spec) == 0))
        return PyObject_Str(self);
    PyObject *value = item(self, NULL);
    if (!value)
        return NULL;
    PyObject *result = PyObject_Format(value, spec);
    Py_DECREF(value);
    return result;
}

/* transpose(*axes): all axes in reverse, or in the order given one by one or as a sequence.
 * permute_dims has the checks, and takes None for the reverse. */
static PyObject *transpose(PyObject *self, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *function = PyObject_GetAttrString(self, "permute_dims");
    PyObject *axes = nargs == 1   ? Py_NewRef(args[0])
                     : nargs == 0 ? Py_NewRef(Py_None)
                                  : PyTuple_New(nargs);
    for (Py_ssize_t i = 0; axes && nargs > 1 && i < nargs; ++i)
        PyTuple_SET_ITEM(axes, i, Py_NewRef(args[i]));
    PyObject *result = function && axes ? PyObject_CallOneArg(function, axes) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(axes);
    return result;
}

/* The module itself is the newest version's namespace; joggle/_namespace.py knows older ones. */
static PyObject *array_namespace(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames)
{
    static const py_signature signature = {0, 0, 0, {"api_version"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments("__array_namespace__", &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    if (!slots[0] || slots[0] == Py_None)
        return PyImport_ImportModule("joggle");
    PyObject *module = PyImport_ImportModule("joggle._namespace");
    PyObject *result = module ? PyObject_CallMethod(module, "of_version", "O", slots[0]) : NULL;
    Py_XDECREF(module);
    return result;
}

/* The copy, where one is made, belongs to the default stream of the device: others are refused. */
static PyObject *to_device(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames)
{
    static const py_signature signature = {1, 1, 1, {"device", "stream"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    if (py_arguments("to_device", &signature, args, nargs, kwnames, slots) < 0 ||
        py_device_from(slots[0], &device) < 0)
        return NULL;
    if (slots[1] && slots[1] != Py_None) {
        PyErr_Format(PyExc_ValueError, "[to_device] stream: got %R, allowed is None", slots[1]);
        return NULL;
    }
    return py_move(Py_NewRef(self), device);
}

/* Arrays are values, so a copy of the handle is a copy. A copy of imported memory is a snapshot, so
 * memory is copied at once. An array that has not been computed stays lazy: a model that is copied
 * before it is used costs no memory. __copy__ and __deepcopy__ are the same, as an array contains
 * no other objects. */
static PyObject *copy_value(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self), *out;
    bool is_lazy = jg_array_current_state(x) == JG_ARRAY_UNSCHEDULED;
    if (!is_lazy || jg_copy(x, &out) != JG_OK)
        out = py_snapshot(x);
    jg_array_release(x);
    return py_array_wrap(out);
}

PyGetSetDef py_array_attributes[] = {
    {"shape", get_shape, NULL, "The extents.", NULL},
    {"ndim", get_ndim, NULL, "How many axes.", NULL},
    {"size", get_size, NULL, "How many elements.", NULL},
    {"dtype", get_dtype, NULL, "The element type.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements, packed.", NULL},
    {"device", get_device, NULL, "Where the memory is, such as \"cpu\".", NULL},
    {"status", get_status, NULL,
     "\"unscheduled\", \"scheduled\", \"available\" (in memory) or \"failed\".", NULL},
    {"strides", get_strides, NULL, "Steps between elements, in bytes; evaluates the array.", NULL},
    {"at", py_array_at, NULL, "x.at[index].add(value) and its kin: new arrays, x stays as it is.",
     NULL},
    {"T", get_T, NULL, "The transpose of an array of two axes.", NULL},
    {"mT", get_mT, NULL, "The array with its last two axes exchanged.", NULL},
    {"real", get_real, NULL, "The real part, sharing memory where the array is in memory.", NULL},
    {"imag", get_imag, NULL, "The imaginary part, sharing memory where the array is in memory.",
     NULL},
    {"__array_interface__", py_array_interface, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyMethodDef py_array_methods[] = {
    {"item", item, METH_NOARGS, "item()\n--\n\nThe one element, as a Python number."},
    {"wait", wait, METH_NOARGS,
     "wait()\n--\n\nComputes the array if that is still to do, and returns when it is in memory."},
    {"tolist", py_array_tolist, METH_NOARGS, "tolist()\n--\n\nThe elements in nested lists."},
    {"transpose", (PyCFunction)(void (*)(void))transpose, METH_FASTCALL,
     "The array with its axes in reverse, or in the order given."},
    {"to_device", PY_FASTCALL(to_device),
     "to_device(device, /, *, stream=None)\n--\n\nThe array on a device."},
    {"__array_namespace__", PY_FASTCALL(array_namespace),
     "__array_namespace__(*, api_version=None)\n--\n\n"
     "The module joggle, or its form for an older version of the Array API standard."},
    {"__array__", PY_FASTCALL(py_array_numpy), "The array as NumPy's, sharing memory if possible."},
    {"__dlpack__", PY_FASTCALL(py_array_dlpack),
     "__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
     "A DLPack capsule over the array's memory."},
    {"__dlpack_device__", py_array_dlpack_device, METH_NOARGS,
     "__dlpack_device__()\n--\n\nDLPack's (type, id) of the device."},
    {"__complex__", complex_item, METH_NOARGS, NULL},
    {"__format__", format, METH_O, NULL},
    {"__reduce__", py_array_reduce, METH_NOARGS, NULL},
    {"__copy__", copy_value, METH_NOARGS, NULL},
    {"__deepcopy__", copy_value, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
