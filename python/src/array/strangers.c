/* SPDX-License-Identifier: Apache-2.0 */
/* Operators with objects of other libraries that leave them to us and are no operands: Dask's
 * arrays until it knows our type, sparse matrices of SciPy, and pandas's tables. The work is done
 * in joggle/_strangers.py. */
#include "array/array.h"

static bool dask_knows_us;

/* Whether the class is defined in that package; false for those of C, such as None's. */
static bool is_of(PyTypeObject *type, const char *package)
{
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE))
        return false;
    PyObject *module = PyObject_GetAttrString((PyObject *)type, "__module__");
    const char *name = module && PyUnicode_Check(module) ? PyUnicode_AsUTF8(module) : NULL;
    size_t length = strlen(package);
    bool is = name && strncmp(name, package, length) == 0 &&
              (name[length] == '.' || name[length] == '\0');
    Py_XDECREF(module);
    PyErr_Clear();
    return is;
}

/* A function of joggle/_strangers.py. */
static PyObject *function_of(const char *name)
{
    PyObject *module = PyImport_ImportModule("joggle._strangers");
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return function;
}

int py_introduce_to(PyTypeObject *type)
{
    if (__atomic_load_n(&dask_knows_us, __ATOMIC_ACQUIRE) || !is_of(type, "dask.array"))
        return 0;
    PyObject *function = function_of("introduce_to_dask");
    PyObject *done = function ? PyObject_CallNoArgs(function) : NULL;
    Py_XDECREF(function);
    if (!done)
        return -1;
    Py_DECREF(done);
    __atomic_store_n(&dask_knows_us, true, __ATOMIC_RELEASE);
    return 1;
}

PyObject *py_operate(const char *name, PyObject *a, PyObject *b)
{
    PyTypeObject *type = Py_TYPE(py_array_check(a) ? b : a);
    int introduced = py_introduce_to(type);
    if (introduced < 0)
        return NULL;
    if (!introduced && !is_of(type, "scipy.sparse") && !is_of(type, "pandas"))
        return Py_NewRef(Py_NotImplemented);
    PyObject *function = function_of(introduced ? "again" : "by_numpy");
    PyObject *result = function ? PyObject_CallFunction(function, "sOO", name, a, b) : NULL;
    Py_XDECREF(function);
    return result;
}

/* The call once more where Dask, which refused before we were asked, has just got to know us. */
PyObject *py_leave_ufunc(PyObject *stranger, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames)
{
    int introduced = py_introduce_to(Py_TYPE(stranger));
    if (introduced <= 0)
        return introduced < 0 ? NULL : Py_NewRef(Py_NotImplemented);
    PyObject *method = PyObject_GetAttr(args[0], args[1]);
    PyObject *result =
        method ? PyObject_Vectorcall(method, args + 2, (size_t)(nargs - 2), kwnames) : NULL;
    Py_XDECREF(method);
    return result;
}
