/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: what is between the brackets becomes jg_index items. Whatever is no int, slice, None or ...
 * is made an array, as an operand would be: nested lists and the arrays of other libraries. */
#include "array/array.h"

/* start, stop or step of a slice. *has: false for None, and *out is not set then. */
static int read_bound(PyObject *object, bool *has, int64_t *out)
{
    *has = object != Py_None;
    if (!*has)
        return 0;
    if (!PyIndex_Check(object)) {
        PyErr_Format(PyExc_TypeError, "slice: got a bound of type %s, allowed are ints and None",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    Py_ssize_t value = PyNumber_AsSsize_t(object, NULL); /* clipped, as Python's own slices are */
    *out = value;
    return value == -1 && PyErr_Occurred() ? -1 : 0;
}

static int read_slice(PyObject *object, jg_index *out)
{
    PySliceObject *slice = (PySliceObject *)object;
    *out = (jg_index){.kind = JG_INDEX_SLICE};
    if (read_bound(slice->start, &out->has_start, &out->start) < 0 ||
        read_bound(slice->stop, &out->has_stop, &out->stop) < 0)
        return -1;
    return read_bound(slice->step, &out->has_step, &out->step);
}

/* Beyond 64 bits it is outside any axis. */
static int read_int(PyObject *object, jg_index *out)
{
    Py_ssize_t at = PyNumber_AsSsize_t(object, PyExc_IndexError);
    *out = (jg_index){.kind = JG_INDEX_AT, .start = at};
    if (at != -1 || !PyErr_Occurred())
        return 0;
    if (PyErr_ExceptionMatches(PyExc_IndexError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_IndexError, "index: got %R, allowed are ints of 64 bits", object);
    }
    return -1;
}

/* Whether NumPy reads the object as an array with axes, as Dask's is; its own numbers are read so,
 * too, and have none. */
static bool has_axes(PyObject *object)
{
    if (!_PyType_Lookup(Py_TYPE(object), py_name_array) ||
        strncmp(Py_TYPE(object)->tp_name, "numpy.", 6) == 0)
        return false;
    PyObject *ndim = PyObject_GetAttrString(object, "ndim");
    bool has = ndim && PyLong_Check(ndim) && PyObject_IsTrue(ndim) > 0;
    Py_XDECREF(ndim);
    PyErr_Clear();
    return has;
}

/* Integers of other libraries are ints; their arrays are not, though some of one element would do:
 * x[a] with a 0-d array is a gather, which need not wait for a's value. Nor are bools: x[True] is a
 * mask. */
static bool is_int(PyObject *object)
{
    return PyIndex_Check(object) && !PyBool_Check(object) && !py_array_check(object) &&
           !_PyType_Lookup(Py_TYPE(object), py_name_dlpack) && !has_axes(object);
}

static bool is_integral(jg_dtype dtype)
{
    jg_dtype_kind kind = jg_dtype_kind_of(dtype);
    return kind == JG_KIND_BOOL || kind == JG_KIND_INT || kind == JG_KIND_UINT;
}

/* A list without numbers has the dtype of floats, and as an index no numbers are integers. */
static jg_array *read_list(PyObject *object)
{
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    jg_array *array = py_asarray(object, &request);
    py_request integers = {.has_dtype = true, .dtype = JG_DTYPE_INT64};
    return array && jg_array_size(array) == 0 ? py_cast(array, &integers) : array;
}

/* Like read_list and py_asarray, but floats and texts, which can be no index, have a message of
 * their own; otherwise they would be refused as arrays of their dtype. gives: a reference or
 * NULL */
static jg_array *array_from(PyObject *object, jg_device_id device)
{
    py_request request = {.copy = JG_COPY_IF_NEEDED};
    if (py_array_check(object))
        return py_array_retain(object);
    if (PyList_Check(object) || PyTuple_Check(object))
        return py_beside(read_list(object), device);
    if (!PyFloat_Check(object) && !PyComplex_Check(object) && !PyUnicode_Check(object))
        return py_beside(py_asarray(object, &request), device);
    PyErr_Format(PyExc_TypeError,
                 "index: got %s, allowed are ints, slices, None, ..., and arrays of integers or "
                 "bool",
                 Py_TYPE(object)->tp_name);
    return NULL;
}

/* The item borrows the array from key->arrays. */
static int read_array(PyObject *object, py_key *key, jg_index *out)
{
    jg_array *array = array_from(object, key->device);
    if (!array)
        return -1;
    if (!is_integral(jg_array_dtype(array))) {
        PyErr_Format(PyExc_TypeError, "index: got an array of %s, allowed are integers and bool",
                     jg_dtype_name(jg_array_dtype(array)));
        jg_array_release(array);
        return -1;
    }
    key->arrays[key->narrays++] = array;
    *out = (jg_index){.kind = JG_INDEX_ARRAY, .array = array};
    return 0;
}

/* Plain ints and slices are tested first, because nearly all items are such. */
static int read_item(PyObject *object, py_key *key, jg_index *out)
{
    if (PyLong_CheckExact(object))
        return read_int(object, out);
    if (PySlice_Check(object))
        return read_slice(object, out);
    if (object == Py_None || object == Py_Ellipsis) {
        *out = (jg_index){.kind = object == Py_None ? JG_INDEX_NEW_AXIS : JG_INDEX_ELLIPSIS};
        return 0;
    }
    return is_int(object) ? read_int(object, out) : read_array(object, key, out);
}

/* key->count is set at the end; arrays that were read before a failure are in key->arrays. */
static int read_items(PyObject *items, py_key *key)
{
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    if (count > PY_MAX_ITEMS) {
        PyErr_Format(PyExc_IndexError, "index: got %zd items, allowed at most %d", count,
                     PY_MAX_ITEMS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        if (read_item(PyTuple_GET_ITEM(items, i), key, &key->items[i]) < 0)
            return -1;
    key->count = (int)count;
    return 0;
}

/* A tuple is several items, anything else is one; x[[0, 1]] is one list. */
int py_key_from(PyObject *self, PyObject *object, py_key *out)
{
    jg_array *x = py_array_hold(self);
    out->count = 1;
    out->narrays = 0;
    out->device = jg_array_device(x);
    py_array_drop(x);
    int status =
        PyTuple_Check(object) ? read_items(object, out) : read_item(object, out, &out->items[0]);
    if (status < 0)
        py_key_clear(out);
    return status;
}

void py_key_clear(py_key *key)
{
    for (int i = 0; i < key->narrays; ++i)
        jg_array_release(key->arrays[i]);
}
