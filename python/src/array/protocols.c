/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's protocols: __array_ufunc__ and __array_function__.
 *
 * NumPy asks them before it computes on an array of ours. The answers are written in Python, in
 * joggle/_numpy/_ufuncs.py and _functions.py. A ufunc that is called with its operands alone, as `a
 * + x` with a NumPy array a does, goes straight to the function of the package. */
#include "array/array.h"

/* The ufuncs that NumPy's operators call, and ours. _set_ufuncs finds the ufuncs by their names. */
typedef struct operator_row {
    const char *name;
    py_binary_op *op;
    PyObject *ufunc; /* NULL before use */
} operator_row;
static operator_row operator_rows[] = {
    {"add", jg_add, NULL},
    {"multiply", jg_multiply, NULL},
    {"subtract", jg_subtract, NULL},
    {"divide", jg_divide, NULL},
    {"matmul", jg_matmul, NULL},
    {"power", jg_pow, NULL},
    {"less", jg_less, NULL},
    {"less_equal", jg_less_equal, NULL},
    {"greater", jg_greater, NULL},
    {"greater_equal", jg_greater_equal, NULL},
    {"equal", jg_equal, NULL},
    {"not_equal", jg_not_equal, NULL},
    {"floor_divide", jg_floor_divide, NULL},
    {"remainder", jg_remainder, NULL},
    {"bitwise_and", jg_bitwise_and, NULL},
    {"bitwise_or", jg_bitwise_or, NULL},
    {"bitwise_xor", jg_bitwise_xor, NULL},
};

static py_binary_op *operator_of(PyObject *ufunc)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(operator_rows); ++i)
        if (operator_rows[i].ufunc == ufunc)
            return operator_rows[i].op;
    return NULL;
}

static PyObject *quick; /* dict: a ufunc, and our function of the same operands; NULL before use */

static bool is_call(PyObject *method)
{
    return PyUnicode_Check(method) && PyUnicode_CompareWithASCIIString(method, "__call__") == 0;
}

/* An operand whose class may handle the call: then NumPy asks it next. NULL if there is none. */
static PyObject *find_stranger(PyObject *const *operands, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; ++i)
        if (py_overrides_ufuncs(Py_TYPE(operands[i])))
            return operands[i];
    return NULL;
}

/* A ufunc of two operands that one of our operators replaces. NotImplemented for lists and other
 * objects that only functions take, and for any other ufunc. */
static PyObject *call_operator(PyObject *ufunc, PyObject *const *operands, Py_ssize_t count)
{
    py_binary_op *op = count == 2 ? operator_of(ufunc) : NULL;
    bool has_ours = op && (py_array_check(operands[0]) || py_array_check(operands[1]));
    return has_ours ? py_binary(operands[0], operands[1], op) : Py_NewRef(Py_NotImplemented);
}

static PyObject *call_plainly(PyObject *ufunc, PyObject *const *operands, Py_ssize_t count)
{
    PyObject *result = call_operator(ufunc, operands, count);
    if (result != Py_NotImplemented)
        return result;
    PyObject *function = PyDict_GetItemWithError(quick, ufunc);
    if (!function)
        return PyErr_Occurred() ? (Py_DECREF(result), NULL) : result;
    Py_DECREF(result);
    return PyObject_Vectorcall(function, operands, (size_t)count, NULL);
}

static PyObject *call_python(PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *module = PyImport_ImportModule("joggle._numpy._ufuncs");
    PyObject *function = module ? PyObject_GetAttrString(module, "array_ufunc") : NULL;
    PyObject *result =
        function ? PyObject_Vectorcall(function, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

/* __array_ufunc__(ufunc, method, *operands, **keywords) */
static PyObject *array_ufunc(PyObject *Py_UNUSED(self), PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    if (nargs < 2)
        return PyErr_Format(
            PyExc_TypeError,
            "__array_ufunc__(): got %zd arguments, allowed are a ufunc, a method and its arguments",
            nargs);
    PyObject *stranger = find_stranger(args + 2, nargs - 2);
    if (stranger)
        return py_leave_ufunc(stranger, args, nargs, kwnames);
    bool is_plain = quick && (!kwnames || PyTuple_GET_SIZE(kwnames) == 0) && is_call(args[1]);
    PyObject *result =
        is_plain ? call_plainly(args[0], args + 2, nargs - 2) : Py_NewRef(Py_NotImplemented);
    if (result != Py_NotImplemented)
        return result;
    Py_DECREF(result);
    return call_python(args, nargs, kwnames);
}

static PyObject *array_function(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *module = PyImport_ImportModule("joggle._numpy._functions");
    PyObject *function = module ? PyObject_GetAttrString(module, "array_function") : NULL;
    PyObject *result = function ? PyObject_CallObject(function, args) : NULL;
    Py_XDECREF(function);
    Py_XDECREF(module);
    return result;
}

/* The table keeps the ufunc. */
static void find_operator(PyObject *ufunc)
{
    PyObject *name = PyObject_GetAttrString(ufunc, "__name__");
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    for (size_t i = 0; text && i < Py_ARRAY_LENGTH(operator_rows); ++i)
        if (strcmp(operator_rows[i].name, text) == 0)
            operator_rows[i].ufunc = ufunc;
    PyErr_Clear();
    Py_XDECREF(name);
}

/* _set_ufuncs(table): what `quick` is. */
static PyObject *set_ufuncs(PyObject *Py_UNUSED(module), PyObject *table)
{
    if (!PyDict_Check(table))
        return PyErr_Format(PyExc_TypeError, "table: got %s, allowed is a dict",
                            Py_TYPE(table)->tp_name);
    PyObject *ufunc, *function;
    /* The table is set once. A former table is not freed, because other threads may still read
     * it. */
    __atomic_store_n(&quick, Py_NewRef(table), __ATOMIC_RELEASE);
    for (Py_ssize_t at = 0; PyDict_Next(table, &at, &ufunc, &function);)
        find_operator(ufunc);
    return Py_NewRef(Py_None);
}

static PyObject *introduce_to(PyObject *Py_UNUSED(module), PyObject *type)
{
    int introduced = PyType_Check(type) ? py_introduce_to((PyTypeObject *)type) : 0;
    return introduced < 0 ? NULL : PyBool_FromLong(introduced);
}

PyMethodDef py_protocol_functions[] = {
    {"_introduce_to", introduce_to, METH_O, "Whether a class has just got to know ours."},
    {"_set_ufuncs", set_ufuncs, METH_O, "The functions that replace NumPy's ufuncs."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef py_protocol_methods[] = {
    {"__array_ufunc__", PY_FASTCALL(array_ufunc),
     "NumPy's ufuncs on arrays of joggle give arrays of joggle."},
    {"__array_function__", array_function, METH_VARARGS,
     "NumPy's functions on arrays of joggle give arrays of joggle."},
    {NULL, NULL, 0, NULL},
};
