/* SPDX-License-Identifier: Apache-2.0 */
/* x[key] and x[key] = value. Without arrays in the key the call keeps the interpreter lock, as it
 * makes a view; masks are evaluated, and the lock is released for that. */
#include "array/array.h"
#include "base/narrow.h"

/* A view: a layout over x's root. No part of this waits or runs Python code, so x is held without a
 * reference. */
static PyObject *slice(PyObject *self, int nitems, const jg_index *items)
{
    jg_array *x = py_array_hold(self), *out;
    jg_status status = jg_slice(x, nitems, items, &out);
    py_array_drop(x);
    return status == JG_OK ? py_array_wrap(out) : py_raise(status);
}

/* For keys with arrays, which may have to be evaluated. */
static PyObject *choose(PyObject *self, const py_key *key)
{
    jg_array *x = py_array_retain(self), *out;
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_slice(x, key->count, key->items, &out);
    Py_END_ALLOW_THREADS
    jg_array_release(x);
    return status == JG_OK ? py_array_wrap(out) : py_raise(status);
}

static PyObject *subscript(PyObject *self, PyObject *object)
{
    py_key key;
    if (py_key_from(self, object, &key) < 0)
        return NULL;
    if (key.narrays == 0)
        return slice(self, key.count, key.items);
    PyObject *result = choose(self, &key);
    py_key_clear(&key);
    return result;
}

PyObject *py_array_subscript(PyObject *self, PyObject *object)
{
    PyObject *result = subscript(self, object);
    return result ? result : py_mlx_refusal();
}

/* x[at] for iteration, which ends with the IndexError behind the last row. */
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
        PyErr_SetString(PyExc_TypeError, "a 0-d array has no length, allowed are arrays with axes");
    return length;
}

/* Without the interpreter lock, as masks are evaluated. */
static jg_array *combined(jg_array *x, const py_key *key, jg_scatter_mode mode, jg_array *value)
{
    jg_array *out;
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_slice_combine(x, key->count, key->items, mode, value, &out);
    Py_END_ALLOW_THREADS
    return status == JG_OK ? out : py_raise(status);
}

jg_array *py_array_combined(PyObject *self, PyObject *object, jg_scatter_mode mode, PyObject *value)
{
    py_key key;
    py_operand operand;
    if (py_key_from(self, object, &key) < 0)
        return NULL;
    jg_array *x = py_array_retain(self), *out = NULL;
    int found = mode == JG_SCATTER_SET ? py_operand_stored(value, x, &operand)
                                       : py_operand_from(value, x, PY_FUNCTION, &operand);
    if (found > 0) {
        out = combined(x, &key, mode, operand.array);
        py_operand_clear(&operand);
    }
    jg_array_release(x);
    py_key_clear(&key);
    return out;
}

/* The handle gets the array that x[key] = value computes; other holders keep the old array. If
 * another thread has replaced the array meanwhile, the assignment is repeated on the new one, so
 * threads that assign to different elements lose nothing. A handle keeps its dtype and shape, so
 * the operand fits each time. */
static int assign(PyObject *self, const py_key *key, jg_array *x, jg_array *value)
{
    for (;;) {
        jg_array *out = combined(x, key, JG_SCATTER_SET, value);
        bool done = out != NULL && py_array_exchange(self, x, out);
        jg_array_release(x);
        if (done || out == NULL)
            return done ? 0 : -1;
        x = py_array_retain(self);
    }
}

static int set_item(PyObject *self, PyObject *object, PyObject *value)
{
    py_key key;
    py_operand operand;
    int result = -1;
    if (py_key_from(self, object, &key) < 0)
        return -1;
    jg_array *x = py_array_retain(self);
    if (py_operand_stored(value, x, &operand) > 0) {
        result = assign(self, &key, x, operand.array);
        py_operand_clear(&operand);
    } else {
        jg_array_release(x);
    }
    py_key_clear(&key);
    return result;
}

int py_array_assign(PyObject *self, PyObject *object, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError,
                        "elements of an array cannot be deleted; assign to them instead");
        return -1;
    }
    int result = set_item(self, object, value);
    if (result < 0)
        py_mlx_refusal();
    return result;
}
