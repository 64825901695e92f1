/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of fields: what is asked of any field, without the methods that fields have. */
#include "base/field_handle.h"

PyTypeObject *py_field_type;
atomic_bool py_fields_are_away;

/* tp_alloc, as classes written in Python have a dict behind the struct. */
PyObject *py_field_wrap(PyObject *class, jg_field *field)
{
    PyTypeObject *type = (PyTypeObject *)class;
    py_field *self = NULL;
    if (PyType_Check(class) && PyType_IsSubtype(type, py_field_type))
        self = (py_field *)type->tp_alloc(type, 0);
    else
        PyErr_Format(PyExc_TypeError, "cls: got %R, allowed are classes of fields", class);
    if (!self) {
        jg_field_release(field);
        return NULL;
    }
    self->field = field;
    return (PyObject *)self;
}

jg_array *py_field_array(PyObject *self, jg_copy_policy copy)
{
    /* Sharing is a lookup and keeps the lock; what may copy lets it go. */
    jg_field *field = jg_field_retain(py_field_of(self));
    jg_array *out = NULL;
    jg_status status;
    if (copy == JG_COPY_NEVER) {
        status = jg_field_to_array(field, copy, &out);
    } else {
        Py_BEGIN_ALLOW_THREADS
        status = jg_field_to_array(field, copy, &out);
        Py_END_ALLOW_THREADS
    }
    jg_field_release(field);
    return py_check(status) < 0 ? NULL : out;
}

/* One more index behind count others. An int beyond 64 bits is an IndexError as any other that is
 * out of range. */
static int add_index(PyObject *object, int count, int64_t *out)
{
    if (count == JG_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "index: got %d numbers or more, allowed are %d",
                     JG_MAX_NDIM + 1, JG_MAX_NDIM);
        return -1;
    }
    if (py_int64_from(object, &out[count]) == 0)
        return 0;
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_IndexError,
                     "index: got %R, which is outside any axis, allowed are ints of 64 bits",
                     object);
    else if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "index: got %R along axis %d, allowed are integers", object,
                     count);
    return -1;
}

int py_field_indices(PyObject *key, int64_t *out)
{
    if (key == Py_None)
        return 0;
    if (!PyTuple_Check(key))
        return add_index(key, 0, out) < 0 ? -1 : 1;
    Py_ssize_t count = PyTuple_GET_SIZE(key);
    for (Py_ssize_t i = 0; i < count; ++i)
        if (add_index(PyTuple_GET_ITEM(key, i), (int)i, out) < 0)
            return -1;
    return (int)count;
}
