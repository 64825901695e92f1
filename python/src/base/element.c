/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as Python numbers, in nested lists. */
#include "base/core.h"

void *py_array_elements(jg_array *x)
{
    size_t nbytes = jg_array_nbytes(x);
    void *data = PyMem_Malloc(nbytes ? nbytes : 1);
    if (!data) {
        PyErr_Format(PyExc_MemoryError, "out of memory: %zu bytes for a copy of the elements",
                     nbytes);
        return NULL;
    }
    /* A packed copy: elements may lie anywhere, and imported ones may change while the lists are
     * built. */
    jg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = jg_array_copy_to(x, data, nbytes);
    Py_END_ALLOW_THREADS
    if (status != JG_OK) {
        PyMem_Free(data);
        return py_raise(status);
    }
    return data;
}

/* The elements of one axis and the axes behind it, as nested lists; behind the last axis, an
 * element. *next counts the elements read. data: packed, row-major. */
static PyObject *nest(jg_array *x, const void *data, int axis, int64_t *next)
{
    if (axis == jg_array_ndim(x)) {
        jg_number number;
        if (py_check(jg_number_load(jg_array_dtype(x), data, (*next)++, &number)) < 0)
            return NULL;
        return py_number_object(number);
    }
    Py_ssize_t extent = (Py_ssize_t)jg_array_shape(x)[axis];
    PyObject *list = PyList_New(extent);
    for (Py_ssize_t i = 0; list && i < extent; ++i) {
        PyObject *item = nest(x, data, axis + 1, next);
        if (!item)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, i, item);
    }
    return list;
}

PyObject *py_array_tolist(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self);
    PyObject *result = NULL;
    void *data = py_array_elements(x);
    int64_t next = 0;
    if (data)
        result = nest(x, data, 0, &next);
    PyMem_Free(data);
    jg_array_release(x);
    return result;
}

/* Elements that no op takes are copied as bytes. */
static jg_array *copy_of_bytes(jg_array *x)
{
    void *elements = py_array_elements(x);
    jg_array *out = NULL;
    if (elements && py_check(jg_array_from_data(elements, jg_array_dtype(x), jg_array_ndim(x),
                                                jg_array_shape(x), &out)) < 0)
        out = NULL;
    PyMem_Free(elements);
    return out;
}

jg_array *py_snapshot(jg_array *x)
{
    jg_array *out;
    jg_status status = jg_copy(x, &out);
    if (status == JG_ERR_TYPE)
        return copy_of_bytes(x);
    if (status != JG_OK)
        return py_raise(status);
    if (py_evaluate(out) == 0)
        return out;
    jg_array_release(out);
    return NULL;
}
