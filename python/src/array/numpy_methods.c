/* SPDX-License-Identifier: Apache-2.0 */
/* Methods that NumPy's arrays have and the op table does not give: bytes, `value in x`, and methods
 * that are functions of the package, whose first parameter is not the array or is called otherwise.
 * The functions take the array as if the caller had given it, and check all the rest. Beside them
 * is what a notebook shows. */
#include "array/array.h"

static PyObject *tobytes(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self);
    void *elements = py_array_elements(x);
    PyObject *result =
        elements ? PyBytes_FromStringAndSize(elements, (Py_ssize_t)jg_array_nbytes(x)) : NULL;
    PyMem_Free(elements);
    jg_array_release(x);
    return result;
}

int py_array_contains(PyObject *self, PyObject *value)
{
    PyObject *equal = PyObject_RichCompare(self, value, Py_EQ);
    if (!equal)
        return -1;
    PyObject *any =
        py_array_check(equal) ? PyObject_CallMethod(equal, "any", NULL) : Py_NewRef(equal);
    int found = any ? PyObject_IsTrue(any) : -1;
    Py_XDECREF(any);
    Py_DECREF(equal);
    return found;
}

/* module.name(...) with self at that position among the arguments. */
static PyObject *call_function(const char *module_name, const char *name, Py_ssize_t position,
                               PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames)
{
    PyObject *all[2 * PY_MAX_PARAMETERS];
    Py_ssize_t count = nargs + (kwnames ? PyTuple_GET_SIZE(kwnames) : 0);
    if (nargs < position)
        return PyErr_Format(PyExc_TypeError, "[%s] got %zd arguments, allowed are %zd and more",
                            name, nargs, position);
    if (count >= (Py_ssize_t)Py_ARRAY_LENGTH(all))
        return PyErr_Format(PyExc_TypeError, "[%s] got %zd arguments, allowed are fewer than %zd",
                            name, count, (Py_ssize_t)Py_ARRAY_LENGTH(all));
    for (Py_ssize_t i = 0; i <= count; ++i)
        all[i] = i < position ? args[i] : i == position ? self : args[i - 1];
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *function = module ? PyObject_GetAttrString(module, name) : NULL;
    PyObject *result =
        function ? PyObject_Vectorcall(function, all, (size_t)nargs + 1, kwnames) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

static PyObject *call_package(const char *name, Py_ssize_t position, PyObject *self,
                              PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return call_function("joggle", name, position, self, args, nargs, kwnames);
}

static PyObject *choose(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return call_package("choose", 0, self, args, nargs, kwnames);
}

static PyObject *compress(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames)
{
    return call_package("compress", 1, self, args, nargs, kwnames);
}

static PyObject *searchsorted(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                              PyObject *kwnames)
{
    return call_package("searchsorted", 0, self, args, nargs, kwnames);
}

/* Matplotlib asks for it before it draws columns. */
static PyObject *to_numpy(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return call_package("asnumpy", 0, self, NULL, 0, NULL);
}

/* The method that pyarrow.array(x) calls. */
static PyObject *arrow_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    return call_function("joggle._arrow", "arrow_array", 0, self, args, nargs, kwnames);
}

static PyObject *repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *module = PyImport_ImportModule("joggle._notebook");
    PyObject *text = module ? PyObject_CallMethod(module, "array_html", "(O)", self) : NULL;
    Py_XDECREF(module);
    return text;
}

PyMethodDef py_numpy_methods[] = {
    {"_repr_html_", repr_html, METH_NOARGS,
     "_repr_html_()\n--\n\nWhat a notebook shows: facts, and the corners of what is evaluated."},
    {"to_numpy", to_numpy, METH_NOARGS,
     "to_numpy()\n--\n\nAn array of NumPy's, as jg.asnumpy(x) gives it."},
    {"__arrow_array__", (PyCFunction)(void (*)(void))arrow_array, METH_FASTCALL | METH_KEYWORDS,
     NULL},
    {"tobytes", tobytes, METH_NOARGS,
     "tobytes()\n--\n\nThe bytes of the elements, row by row, a copy."},
    {"choose", PY_FASTCALL(choose),
     "For each element the one there of the choice of that number: joggle.choose(self, ...)."},
    {"compress", PY_FASTCALL(compress),
     "The slices along an axis for which a condition holds: joggle.compress(condition, self)."},
    {"searchsorted", PY_FASTCALL(searchsorted),
     "Where elements belong in a sorted vector: joggle.searchsorted(self, ...)."},
    {NULL, NULL, 0, NULL},
};
