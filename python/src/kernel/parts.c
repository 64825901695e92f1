/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of kernels taken apart: a vector into its numbers, a struct and an object of a
 * dataclass into their members, until nothing is left but numbers, arrays and what is known at
 * compile time.
 *
 * A description says how: "n", "a" or "w" for a part (dispatch.c has their meaning), a
 * number n for a vector or matrix of n numbers, a dict of descriptions by name for a struct, a
 * tuple of names and descriptions in turn for an object of a dataclass. */
#include "kernel/kernel.h"

static PyObject *name_values, *name_to_list;

/* Descriptions have no more parts than the array takes, but an object may be of another shape
 * than its description. */
static int add_part(PyObject *object, py_parts *parts)
{
    if (parts->count == PY_MAX_PARTS) {
        PyErr_Format(PyExc_ValueError, "an argument: got %d parts and one more, allowed are %d",
                     parts->count, PY_MAX_PARTS);
        return -1;
    }
    parts->at[parts->count++] = Py_NewRef(object);
    return 0;
}

/* The numbers of nested lists and tuples, in order. A list may contain itself. */
static int add_numbers(PyObject *object, py_parts *parts)
{
    if (!PyList_Check(object) && !PyTuple_Check(object))
        return add_part(object, parts);
    if (Py_EnterRecursiveCall(" in the numbers of an argument"))
        return -1;
    PyObject *items = py_frozen(object);
    int status = items ? 0 : -1;
    for (Py_ssize_t i = 0; status == 0 && i < PySequence_Fast_GET_SIZE(items); ++i)
        status = add_numbers(PySequence_Fast_GET_ITEM(items, i), parts);
    Py_XDECREF(items);
    Py_LeaveRecursiveCall();
    return status;
}

/* The list that a vector of joggle.fields is made of, or that an array turns into. New reference or
 * NULL */
static PyObject *list_of(PyObject *object)
{
    if (PyList_Check(object) || PyTuple_Check(object))
        return Py_NewRef(object);
    return PyObject_CheckBuffer(object) ? PyObject_CallMethodNoArgs(object, name_to_list)
                                        : PyObject_GetAttr(object, name_values);
}

/* A matrix is given by rows, which add_numbers flattens. */
static int add_vector(PyObject *object, long count, py_parts *parts)
{
    int before = parts->count;
    PyObject *numbers = list_of(object);
    int status = numbers ? add_numbers(numbers, parts) : -1;
    Py_XDECREF(numbers);
    if (status == 0 && parts->count - before != count) {
        PyErr_Format(PyExc_TypeError, "got %d numbers, allowed are %ld", parts->count - before,
                     count);
        return -1;
    }
    return status;
}

/* description: name, description, name, description, ... */
static int add_object(PyObject *description, PyObject *object, py_parts *parts)
{
    for (Py_ssize_t i = 0; i + 1 < PyTuple_GET_SIZE(description); i += 2) {
        PyObject *member = PyObject_GetAttr(object, PyTuple_GET_ITEM(description, i));
        int status =
            member ? py_parts_add(PyTuple_GET_ITEM(description, i + 1), member, parts) : -1;
        Py_XDECREF(member);
        if (status < 0)
            return -1;
    }
    return 0;
}

/* A struct of joggle.fields, or a dict. */
static int add_struct(PyObject *description, PyObject *object, py_parts *parts)
{
    Py_ssize_t at = 0;
    PyObject *name, *inner;
    PyObject *values =
        PyDict_Check(object) ? Py_NewRef(object) : PyObject_GetAttr(object, name_values);
    int status = values ? 0 : -1;
    while (status == 0 && PyDict_Next(description, &at, &name, &inner)) {
        PyObject *member = PyObject_GetItem(values, name);
        status = member ? py_parts_add(inner, member, parts) : -1;
        Py_XDECREF(member);
    }
    Py_XDECREF(values);
    return status;
}

int py_parts_add(PyObject *description, PyObject *object, py_parts *parts)
{
    if (PyUnicode_Check(description))
        return add_part(object, parts);
    if (PyLong_Check(description))
        return add_vector(object, PyLong_AsLong(description), parts);
    return PyTuple_Check(description) ? add_object(description, object, parts)
                                      : add_struct(description, object, parts);
}

void py_parts_clear(py_parts *parts)
{
    while (parts->count > 0)
        Py_DECREF(parts->at[--parts->count]);
}

/* 1; 0 if there are too many */
static int add_kind(char kind, long count, py_kinds *kinds)
{
    if (count < 0 || count > PY_MAX_PARTS - kinds->count)
        return 0;
    for (long i = 0; i < count; ++i)
        kinds->at[kinds->count++] = kind;
    return 1;
}

int py_parts_describe(PyObject *description, py_kinds *kinds)
{
    Py_ssize_t at = 0;
    PyObject *name, *inner;
    int status = 1;
    if (PyUnicode_Check(description) && PyUnicode_GET_LENGTH(description) == 1)
        return add_kind((char)PyUnicode_READ_CHAR(description, 0), 1, kinds);
    if (PyLong_Check(description))
        return add_kind('n', PyLong_AsLong(description), kinds);
    if (PyTuple_Check(description)) {
        for (Py_ssize_t i = 1; status > 0 && i < PyTuple_GET_SIZE(description); i += 2)
            status = py_parts_describe(PyTuple_GET_ITEM(description, i), kinds);
        return status;
    }
    if (!PyDict_Check(description)) {
        PyErr_Format(
            PyExc_TypeError,
            "a parameter: got %R, allowed are a letter, an int, a tuple and a dict of these",
            description);
        return -1;
    }
    while (status > 0 && PyDict_Next(description, &at, &name, &inner))
        status = py_parts_describe(inner, kinds);
    return status;
}

/* The position of a parameter, or -1. */
static Py_ssize_t position_of(PyObject *names, PyObject *name)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
        PyObject *parameter = PyTuple_GET_ITEM(names, i);
        if (parameter == name || PyUnicode_Compare(parameter, name) == 0)
            return i;
    }
    return -1;
}

bool py_parts_order(PyObject *names, PyObject *defaults, PyObject *const *args, Py_ssize_t count,
                    PyObject *kwnames, PyObject **out)
{
    Py_ssize_t nparameters = PyTuple_GET_SIZE(names);
    if (count > nparameters)
        return false;
    for (Py_ssize_t i = 0; i < nparameters; ++i)
        out[i] = i < count ? args[i] : NULL;
    for (Py_ssize_t i = 0; kwnames && i < PyTuple_GET_SIZE(kwnames); ++i) {
        Py_ssize_t position = position_of(names, PyTuple_GET_ITEM(kwnames, i));
        if (position < 0 || out[position])
            return false;
        out[position] = args[count + i];
    }
    for (Py_ssize_t i = 0; i < nparameters; ++i) {
        if (!out[i])
            out[i] = PyDict_GetItemWithError(defaults, PyTuple_GET_ITEM(names, i));
        if (!out[i])
            return false;
    }
    return true;
}

int py_parts_ready(void)
{
    name_values = PyUnicode_InternFromString("_values");
    name_to_list = PyUnicode_InternFromString("tolist");
    return name_values && name_to_list ? 0 : -1;
}
