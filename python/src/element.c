/* SPDX-License-Identifier: Apache-2.0 */
/* Elements as Python numbers: item, tolist and the conversions that Python asks of a single number. */
#include "core.h"

int py_element_load(jg_dtype dtype, const void *data, int64_t index, jg_number *out)
{
    const char *at = (const char *)data + index * (jg_dtype_bits(dtype) / 8);
    jg_dtype_kind kind = jg_dtype_kind_of(dtype);
    bool is_float = kind == JG_KIND_FLOAT || kind == JG_KIND_COMPLEX;
    int bits = jg_dtype_bits(dtype) / (kind == JG_KIND_COMPLEX ? 2 : 1);
    *out = (jg_number){.kind = kind};
    if (kind == JG_KIND_BOOL) {
        out->i64 = *at != 0;
    } else if (is_float && bits == 64) {
        memcpy(&out->re, at, 8);
        if (kind == JG_KIND_COMPLEX)
            memcpy(&out->im, at + 8, 8);
    } else if (is_float && bits == 32) {
        float parts[2] = {0, 0};
        memcpy(parts, at, kind == JG_KIND_COMPLEX ? 8 : 4);
        out->re = parts[0];
        out->im = parts[1];
    } else if (dtype == JG_DTYPE_BFLOAT16) {
        uint16_t half;
        memcpy(&half, at, 2);
        uint32_t wide = (uint32_t)half << 16;
        float value;
        memcpy(&value, &wide, 4);
        out->re = value;
    } else if (is_float && bits == 16) {
        out->re = PyFloat_Unpack2(at, PY_LITTLE_ENDIAN);
        if (kind == JG_KIND_COMPLEX)
            out->im = PyFloat_Unpack2(at + 2, PY_LITTLE_ENDIAN);
    } else if ((kind == JG_KIND_INT || kind == JG_KIND_UINT) && bits >= 8) {
        uint64_t value = 0;
        memcpy((char *)&value + (PY_LITTLE_ENDIAN ? 0 : 8 - bits / 8), at, (size_t)bits / 8);
        out->u64 = value;
        out->i64 = (int64_t)(value << (64 - bits)) >> (64 - bits);
    } else {
        PyErr_Format(PyExc_TypeError, "elements of dtype %s are stored and exchanged only",
                     jg_dtype_name(dtype));
        return -1;
    }
    return 0;
}

void *py_array_elements(jg_array *x)
{
    size_t nbytes = jg_array_nbytes(x);
    void *data = PyMem_Malloc(nbytes ? nbytes : 1);
    if (!data) {
        PyErr_NoMemory();
        return NULL;
    }
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

/* The elements of one axis and the axes behind it, as nested lists. *next counts the elements read. */
static PyObject *nest(jg_array *x, const void *data, int axis, int64_t *next)
{
    if (axis == jg_array_ndim(x)) {
        jg_number number;
        if (py_element_load(jg_array_dtype(x), data, (*next)++, &number) < 0)
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
