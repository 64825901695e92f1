/* SPDX-License-Identifier: Apache-2.0 */
/* The types of other libraries: the names of the protocols that they are asked for, and NumPy's own
 * array type. */
#include "base/core.h"

PyObject *py_name_dlpack, *py_name_interface, *py_name_jax, *py_name_ufunc, *py_name_array;

int py_foreign_ready(void)
{
    py_name_dlpack = PyUnicode_InternFromString("__dlpack__");
    py_name_interface = PyUnicode_InternFromString("__array_interface__");
    py_name_jax = PyUnicode_InternFromString("__jax_array__");
    py_name_ufunc = PyUnicode_InternFromString("__array_ufunc__");
    py_name_array = PyUnicode_InternFromString("__array__");
    bool all = py_name_dlpack && py_name_interface && py_name_jax && py_name_ufunc && py_name_array;
    return all ? 0 : -1;
}

/* NumPy's array type where NumPy is loaded, and what it has as __array_ufunc__. Borrowed from the
 * type, which stays. */
static PyTypeObject *numpy_array;
static PyObject *numpy_ufunc;

static void find_numpy(void)
{
    PyObject *name = PyUnicode_FromString("numpy");
    PyObject *numpy = name ? PyImport_GetModule(name) : NULL;
    PyObject *type = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    /* A module that is being imported may lack it yet. */
    if (type && PyType_Check(type)) {
        PyTypeObject *found = (PyTypeObject *)Py_NewRef(type);
        __atomic_store_n(&numpy_ufunc, _PyType_Lookup(found, py_name_ufunc), __ATOMIC_RELEASE);
        __atomic_store_n(&numpy_array, found, __ATOMIC_RELEASE); /* last: it is asked for first */
    }
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(numpy);
    Py_XDECREF(name);
}

/* Classes that are computed on as NumPy's arrays are have its own method, or none. */
bool py_is_numpy(PyObject *object)
{
    if (!numpy_array && strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") == 0)
        find_numpy();
    return numpy_array && Py_IS_TYPE(object, numpy_array);
}

bool py_overrides_ufuncs(PyTypeObject *type)
{
    if (type == py_array_type || type == numpy_array)
        return false;
    PyObject *found = _PyType_Lookup(type, py_name_ufunc);
    if (!found)
        return false;
    if (!numpy_array)
        find_numpy();
    return found != numpy_ufunc;
}
