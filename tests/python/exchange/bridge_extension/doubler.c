/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's extension: it takes joggle arrays and gives joggle arrays, through
 * joggle/python.h and libjoggle alone. */
#include <joggle/python.h>

#include <joggle/ops.h>

/* double(x) = x + x */
static PyObject *twice(PyObject *module, PyObject *object)
{
    (void)module;
    jg_array *x = jg_python_unwrap(object), *sum;
    if (!x)
        return NULL;
    jg_status status = jg_add(x, x, &sum);
    jg_array_release(x);
    if (status == JG_OK)
        return jg_python_wrap(sum);
    PyErr_SetString(PyExc_RuntimeError, jg_error_message());
    return NULL;
}

/* zeros(n), made in C */
static PyObject *zeros(PyObject *module, PyObject *argument)
{
    (void)module;
    int64_t extent = PyLong_AsLongLong(argument);
    jg_number zero = {.kind = JG_KIND_INT};
    jg_array *x;
    if (extent == -1 && PyErr_Occurred())
        return NULL;
    if (jg_full(JG_DTYPE_FLOAT32, 1, &extent, zero, &x) == JG_OK)
        return jg_python_wrap(x);
    PyErr_SetString(PyExc_ValueError, jg_error_message());
    return NULL;
}

static PyObject *is_array(PyObject *module, PyObject *object)
{
    (void)module;
    int found = jg_python_check(object);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

static PyObject *wrap_null(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return jg_python_wrap(NULL);
}

static PyMethodDef functions[] = {
    {"twice", twice, METH_O, NULL},
    {"zeros", zeros, METH_O, NULL},
    {"is_array", is_array, METH_O, NULL},
    {"wrap_null", wrap_null, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "doubler", NULL, 0, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_doubler(void)
{
    return PyModuleDef_Init(&definition);
}
