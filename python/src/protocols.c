/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's protocols: __array_ufunc__ and __array_function__.
 *
 * NumPy asks them before it computes on an array of ours. What they answer is spelled in Python,
 * in joggle/_numpy/_ufuncs.py and _functions.py. A ufunc that is called with its operands alone,
 * as `a + x` with a NumPy array a does, goes straight to the function of the package. */
#include "core.h"

static PyObject *quick; /* dict: a ufunc, and our function of the same operands; NULL before use */

/* NumPy's array type where NumPy is loaded, and what it has as __array_ufunc__. Borrowed from the
 * type, which stays. */
static PyTypeObject *numpy_array;
static PyObject *numpy_ufunc;

static PyObject *name_ufunc(void)
{
    static PyObject *name;
    if (!name)
        name = PyUnicode_InternFromString("__array_ufunc__");
    return name;
}

static void find_numpy(void)
{
    PyObject *name = PyUnicode_FromString("numpy");
    PyObject *numpy = name ? PyImport_GetModule(name) : NULL;
    PyObject *type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    /* A module that is being imported may lack it yet. */
    if (type && PyType_Check(type)) {
        numpy_array = (PyTypeObject *)Py_NewRef(type);
        numpy_ufunc = _PyType_Lookup(numpy_array, name_ufunc());
    }
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(numpy);
    Py_XDECREF(name);
}

/* Classes that are computed on as NumPy's arrays are have its own method, or none. */
bool py_overrides_ufuncs(PyTypeObject *type)
{
    if (type == py_array_type || type == numpy_array)
        return false;
    PyObject *found = name_ufunc() ? _PyType_Lookup(type, name_ufunc()) : NULL;
    if (!found)
        return false;
    if (!numpy_array)
        find_numpy();
    return found != numpy_ufunc;
}

/* A module of joggle/_numpy, and what its function of that name gives for the arguments. */
static PyObject *call_module(const char *module_name, const char *name, PyObject *args,
                             PyObject *kwargs)
{
    PyObject *module = args ? PyImport_ImportModule(module_name) : NULL;
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *result = function ? PyObject_Call(function, args, kwargs) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

static bool is_call(PyObject *method)
{
    return PyUnicode_Check(method) && PyUnicode_CompareWithASCIIString(method, "__call__") == 0;
}

/* Whether another operand's class has a say: then NumPy asks it next. */
static bool has_stranger(PyObject *const *operands, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; ++i)
        if (py_overrides_ufuncs(Py_TYPE(operands[i])))
            return true;
    return false;
}

/* __array_ufunc__(ufunc, method, *operands, **keywords) */
static PyObject *array_ufunc(PyObject *Py_UNUSED(self), PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    if (count < 2)
        return PyErr_Format(
            PyExc_TypeError,
            "__array_ufunc__() takes a ufunc, a method and its arguments, %zd given", count);
    PyObject *const *items = &PyTuple_GET_ITEM(args, 0);
    if (has_stranger(items + 2, count - 2))
        return Py_NewRef(Py_NotImplemented);
    bool is_plain = quick && (!kwargs || PyDict_GET_SIZE(kwargs) == 0) && is_call(items[1]);
    PyObject *function = is_plain ? PyDict_GetItemWithError(quick, items[0]) : NULL;
    if (function)
        return PyObject_Vectorcall(function, items + 2, (size_t)count - 2, NULL);
    return PyErr_Occurred() ? NULL
                            : call_module("joggle._numpy._ufuncs", "array_ufunc", args, kwargs);
}

static PyObject *array_function(PyObject *Py_UNUSED(self), PyObject *args)
{
    return call_module("joggle._numpy._functions", "array_function", args, NULL);
}

/* _set_ufuncs(table): what `quick` is. */
static PyObject *set_ufuncs(PyObject *Py_UNUSED(module), PyObject *table)
{
    if (!PyDict_Check(table))
        return PyErr_Format(PyExc_TypeError, "table: got %s, allowed is a dict",
                            Py_TYPE(table)->tp_name);
    PyObject *old = quick;
    quick = Py_NewRef(table);
    Py_XDECREF(old);
    return Py_NewRef(Py_None);
}

PyMethodDef py_protocol_functions[] = {
    {"_set_ufuncs", set_ufuncs, METH_O, "The functions that stand for NumPy's ufuncs."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef py_protocol_methods[] = {
    {"__array_ufunc__", (PyCFunction)(void (*)(void))array_ufunc, METH_VARARGS | METH_KEYWORDS,
     "NumPy's ufuncs on arrays of joggle give arrays of joggle."},
    {"__array_function__", array_function, METH_VARARGS,
     "NumPy's functions on arrays of joggle give arrays of joggle."},
    {NULL, NULL, 0, NULL},
};
