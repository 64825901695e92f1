/* SPDX-License-Identifier: Apache-2.0 */
/* x.__array__(): an array of NumPy's, which is imported only here. Dtypes that NumPy lacks are
 * those of ml_dtypes: the memory is passed as unsigned integers and gets its dtype there. */
#include "array/array.h"

/* object.name(argument), of the module numpy or of an array. steals: argument; NULL passes a
 * failure on */
static PyObject *call(PyObject *object, const char *name, PyObject *argument)
{
    PyObject *result = argument ? PyObject_CallMethod(object, name, "O", argument) : NULL;
    Py_XDECREF(argument);
    return result;
}

/* The array's memory under an unsigned dtype of the same width. */
static PyObject *as_unsigned(PyObject *numpy, jg_array *x)
{
    jg_dtype carrier;
    int bits = jg_dtype_bits(jg_array_dtype(x));
    if (!py_dtype_of_kind(JG_KIND_UINT, bits, &carrier)) {
        PyErr_Format(PyExc_TypeError, "NumPy has no dtype for %s; call astype for one that it has",
                     jg_dtype_name(jg_array_dtype(x)));
        return NULL;
    }
    jg_view view;
    if (py_view(x, &view) < 0)
        return NULL;
    view.dtype = carrier;
    if (!jg_array_is_writable(x))
        view.flags |= JG_VIEW_READ_ONLY;
    PyObject *owner = py_array_wrap(jg_array_retain(x));
    jg_array *renamed = owner ? py_take_view(&view, JG_COPY_NEVER, owner, NULL) : NULL;
    Py_XDECREF(owner);
    return call(numpy, "asarray", py_array_wrap(renamed));
}

/* The dtype is looked for first, so that the message is about it, or about ml_dtypes, where there
 * is none. */
static PyObject *by_ml_dtypes(PyObject *numpy, jg_array *x)
{
    PyObject *own = py_dtype_object(jg_array_dtype(x));
    PyObject *dtype = PyObject_GetAttrString(own, "__numpy_dtype__");
    Py_DECREF(own);
    PyObject *memory = dtype ? as_unsigned(numpy, x) : NULL;
    PyObject *result = memory ? call(memory, "view", Py_NewRef(dtype)) : NULL;
    Py_XDECREF(memory);
    Py_XDECREF(dtype);
    return result;
}

/* numpy.array(array, dtype=..., copy=...), which has the rules of copy=False. */
static PyObject *in_dtype(PyObject *array, PyObject *dtype, PyObject *copy)
{
    PyObject *kwargs = Py_BuildValue("{s:O,s:O}", "dtype", dtype, "copy", copy);
    PyObject *numpy = PyImport_ImportModule("numpy"), *args = PyTuple_Pack(1, array),
             *result = NULL;
    PyObject *function = numpy ? PyObject_GetAttrString(numpy, "array") : NULL;
    if (kwargs && args && function)
        result = PyObject_Call(function, args, kwargs);
    Py_XDECREF(kwargs);
    Py_XDECREF(args);
    Py_XDECREF(numpy);
    Py_XDECREF(function);
    return result;
}

/* The array itself, or a copy of one whose memory the host cannot read. */
static PyObject *readable_by_host(PyObject *self, PyObject *copy)
{
    jg_array *x = py_array_retain(self);
    bool readable = jg_device_is_host_accessible(jg_array_device(x).type);
    PyObject *result = NULL;
    if (readable)
        result = Py_NewRef(self);
    else if (copy == Py_False)
        PyErr_Format(PyExc_ValueError,
                     "copy: got False, and memory of %s must be copied to the host, allowed are "
                     "None and True",
                     jg_device_type_name(jg_array_device(x).type));
    else
        result = py_array_wrap(py_on_host(x));
    jg_array_release(x);
    return result;
}

PyObject *py_array_numpy(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    static const py_signature signature = {0, 1, 0, {"dtype", "copy"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_interrupt_repeat(self) < 0 ||
        py_arguments("__array__", &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    PyObject *numpy = PyImport_ImportModule("numpy"), *array = NULL;
    PyObject *readable = numpy ? readable_by_host(self, slots[1]) : NULL;
    if (!readable) {
        Py_XDECREF(numpy);
        return NULL;
    }
    jg_array *x = py_array_retain(readable);
    if (py_format_of(jg_array_dtype(x)))
        array = call(numpy, "asarray", PyMemoryView_FromObject(readable));
    else
        array = by_ml_dtypes(numpy, x);
    jg_array_release(x);
    Py_DECREF(readable);
    Py_DECREF(numpy);
    /* asarray has shared the memory, which is what copy=None and copy=False ask for in the array's
     * own dtype. */
    PyObject *dtype = slots[0] ? slots[0] : Py_None, *copy = slots[1] ? slots[1] : Py_None;
    if (!array || (dtype == Py_None && copy != Py_True))
        return array;
    PyObject *result = in_dtype(array, dtype, copy);
    Py_DECREF(array);
    return result;
}
