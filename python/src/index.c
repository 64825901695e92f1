/* SPDX-License-Identifier: Apache-2.0 */
/* Basic indexing: what stands between the brackets becomes jg_index items. */
#include "core.h"

/* The most that an index can hold: each axis, as many new axes, an ellipsis. */
enum { MAX_ITEMS = 2 * JG_MAX_NDIM + 1 };

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

static int read_item(PyObject *object, jg_index *out)
{
    if (PySlice_Check(object))
        return read_slice(object, out);
    if (object == Py_None || object == Py_Ellipsis) {
        *out = (jg_index){.kind = object == Py_None ? JG_INDEX_NEW_AXIS : JG_INDEX_ELLIPSIS};
        return 0;
    }
    if (PyIndex_Check(object) && !PyBool_Check(object)) {
        Py_ssize_t at = PyNumber_AsSsize_t(object, PyExc_IndexError);
        *out = (jg_index){.kind = JG_INDEX_AT, .start = at};
        return at == -1 && PyErr_Occurred() ? -1 : 0;
    }
    PyErr_Format(
        PyExc_TypeError,
        "index: got %s, allowed are ints, slices, None and ... (no masks or index arrays yet)",
        Py_TYPE(object)->tp_name);
    return -1;
}

static int read_key(PyObject *key, jg_index *items)
{
    if (!PyTuple_Check(key))
        return read_item(key, items) < 0 ? -1 : 1;
    Py_ssize_t count = PyTuple_GET_SIZE(key);
    if (count > MAX_ITEMS) {
        PyErr_Format(PyExc_IndexError, "index: got %zd items, allowed at most %d", count,
                     MAX_ITEMS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        if (read_item(PyTuple_GET_ITEM(key, i), &items[i]) < 0)
            return -1;
    return (int)count;
}

static PyObject *slice(PyObject *self, int nitems, const jg_index *items)
{
    jg_array *x = py_array_hold(self), *out;
    jg_status status = jg_slice(x, nitems, items, &out);
    py_array_drop(x);
    return status == JG_OK ? py_array_wrap(out) : py_raise(status);
}

PyObject *py_array_subscript(PyObject *self, PyObject *key)
{
    jg_index items[MAX_ITEMS];
    int nitems = read_key(key, items);
    return nitems < 0 ? NULL : slice(self, nitems, items);
}

PyObject *py_array_row(PyObject *self, Py_ssize_t at)
{
    jg_index item = {.kind = JG_INDEX_AT, .start = at};
    return slice(self, 1, &item);
}

Py_ssize_t py_array_length(PyObject *self)
{
    jg_array *x = py_array_hold(self);
    Py_ssize_t length = jg_array_ndim(x) > 0 ? (Py_ssize_t)jg_array_shape(x)[0] : -1;
    py_array_drop(x);
    if (length < 0)
        PyErr_SetString(PyExc_TypeError, "a 0-d array has no length");
    return length;
}

static jg_array *updated(PyObject *self, int nitems, const jg_index *items, PyObject *value)
{
    jg_array *x = py_array_retain(self), *out = NULL;
    py_operand operand;
    if (py_operand_from(value, x, PY_FUNCTION, &operand) > 0) {
        jg_array *written = jg_array_retain(operand.array);
        py_operand_clear(&operand);
        jg_status status;
        Py_BEGIN_ALLOW_THREADS status = jg_slice_update(x, nitems, items, written, &out);
        Py_END_ALLOW_THREADS jg_array_release(written);
        if (status != JG_OK)
            out = py_raise(status);
    }
    jg_array_release(x);
    return out;
}

int py_array_assign(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
        return -1;
    }
    jg_index items[MAX_ITEMS];
    int nitems = read_key(key, items);
    jg_array *out = nitems < 0 ? NULL : updated(self, nitems, items, value);
    if (!out)
        return -1;
    py_array_rebind(self, out);
    return 0;
}
