/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that round(), math.trunc(), math.floor(), math.ceil() and reversed() call. */
#include "array/array.h"

/* An array of one element counts as its number, as for int(x). waits: for the value */
static PyObject *number_of(PyObject *self, const char *function)
{
    jg_array *x = py_array_retain(self);
    jg_number number;
    PyObject *value = NULL;
    if (jg_array_size(x) != 1)
        PyErr_Format(PyExc_TypeError,
                     "an array of %lld elements is not a number: write joggle.%s(x)",
                     (long long)jg_array_size(x), function);
    else if (py_item(x, &number) == 0)
        value = py_number_object(number);
    jg_array_release(x);
    return value;
}

/* The int that the method of Python's number gives. Complex numbers have no such method. */
static PyObject *to_int(PyObject *self, const char *function, const char *method)
{
    PyObject *value = number_of(self, function);
    if (!value)
        return NULL;
    PyObject *result = NULL;
    if (PyComplex_Check(value))
        PyErr_Format(PyExc_TypeError, "%s: got complex numbers, allowed are real ones", function);
    else
        result = PyObject_CallMethod(value, method, NULL);
    Py_DECREF(value);
    return result;
}

#define TO_INT(function)                                                                           \
    static PyObject *function##_to_int(PyObject *self, PyObject *Py_UNUSED(unused))                \
    {                                                                                              \
        return to_int(self, #function, "__" #function "__");                                       \
    }
TO_INT(trunc)
TO_INT(floor)
TO_INT(ceil)

/* As for the numbers of Python and NumPy, a 0-d array without digits becomes an int. Anything else
 * becomes an array. */
static PyObject *rounded(PyObject *self, PyObject *args)
{
    PyObject *digits = Py_None;
    if (!PyArg_ParseTuple(args, "|O:__round__", &digits))
        return NULL;
    jg_array *x = py_array_hold(self);
    bool is_number = jg_array_ndim(x) == 0;
    py_array_drop(x);
    if (digits != Py_None)
        return PyObject_CallMethod(self, "round", "O", digits);
    return is_number ? to_int(self, "round", "__round__")
                     : PyObject_CallMethod(self, "round", NULL);
}

/* The rows of a view in reverse. */
static PyObject *reversed(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_hold(self), *turned = NULL;
    const int64_t first = 0;
    int status = -1;
    if (jg_array_ndim(x) == 0)
        PyErr_SetString(PyExc_TypeError,
                        "a 0-d array has no rows to iterate over, allowed are arrays with axes");
    else
        status = py_check(jg_flip(x, 1, &first, &turned));
    py_array_drop(x);
    PyObject *view = status < 0 ? NULL : py_array_wrap(turned);
    PyObject *rows = view ? PySeqIter_New(view) : NULL;
    Py_XDECREF(view);
    return rows;
}

PyMethodDef py_rounding_methods[] = {
    {"__round__", rounded, METH_VARARGS,
     "__round__(ndigits=None, /)\n--\n\nThe int of a 0-d array without digits, else round(self)."},
    {"__trunc__", trunc_to_int, METH_NOARGS, NULL},
    {"__floor__", floor_to_int, METH_NOARGS, NULL},
    {"__ceil__", ceil_to_int, METH_NOARGS, NULL},
    {"__reversed__", reversed, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
