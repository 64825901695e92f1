/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in pickles: the dtype, the shape and the elements, packed and in the machine's byte order.
 * Pickles are for joggle only; other programs read files (io.c). */
#include "array/array.h"

/* (_from_bytes, (dtype, shape, bytes)). The function is looked up in the module, so that a pickle
 * names it by where it is. */
PyObject *py_array_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    jg_array *x = py_array_retain(self);
    PyObject *module = PyImport_ImportModule("joggle._core"), *content = NULL, *result = NULL;
    PyObject *make = module ? PyObject_GetAttrString(module, "_from_bytes") : NULL;
    void *elements = make && py_evaluate(x) == 0 ? py_array_elements(x) : NULL;
    if (elements)
        content = PyBytes_FromStringAndSize(elements, (Py_ssize_t)jg_array_nbytes(x));
    if (content)
        result = Py_BuildValue("O(NNO)", make, py_dtype_object(jg_array_dtype(x)),
                               py_shape_object(jg_array_ndim(x), jg_array_shape(x)), content);
    PyMem_Free(elements);
    Py_XDECREF(content);
    Py_XDECREF(make);
    Py_XDECREF(module);
    jg_array_release(x);
    return result;
}

/* A pickle may hold anything, so the size that the shape needs is compared with the bytes that are
 * there before they are read. */
static PyObject *from_bytes(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *type, *extents, *content;
    jg_dtype dtype;
    int64_t shape[JG_MAX_NDIM];
    jg_array *x;
    if (!PyArg_ParseTuple(args, "OOS:_from_bytes", &type, &extents, &content) ||
        py_dtype_from(type, &dtype) < 0)
        return NULL;
    int ndim = py_extents("shape", extents, 0, shape);
    if (ndim < 0 || py_check(jg_empty(dtype, ndim, shape, &x)) < 0)
        return NULL;
    size_t nbytes = jg_array_nbytes(x);
    jg_array_release(x);
    if (nbytes != (size_t)PyBytes_GET_SIZE(content)) {
        PyErr_Format(PyExc_ValueError, "content: has %zd bytes, allowed are the shape's %zu",
                     PyBytes_GET_SIZE(content), nbytes);
        return NULL;
    }
    int status = py_check(jg_array_from_data(PyBytes_AS_STRING(content), dtype, ndim, shape, &x));
    return status < 0 ? NULL : py_array_wrap(x);
}

PyMethodDef py_pickle_functions[] = {
    {"_from_bytes", from_bytes, METH_VARARGS, "The array that a pickle has."},
    {NULL, NULL, 0, NULL},
};
