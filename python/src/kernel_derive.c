/* SPDX-License-Identifier: Apache-2.0 */
/* The derivatives of kernels, from text to text: joggle._core._kernel_adjoint and _kernel_tangent. */
#include "core.h"

typedef jg_status derivation(const jg_kernel *kernel, const bool *which, jg_kernel **out);

/* A flag for each array of the kernel, in *out. gives: 0, or -1 with an exception set */
static int flags_from(PyObject *sequence, const jg_kernel *kernel, bool *out)
{
    Py_ssize_t count = jg_kernel_narrays(kernel);
    if (!PyTuple_Check(sequence) || PyTuple_GET_SIZE(sequence) != count) {
        PyErr_Format(PyExc_ValueError, "which: allowed is a tuple of %zd flags, one for each array",
                     count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        int flag = PyObject_IsTrue(PyTuple_GET_ITEM(sequence, i));
        if (flag < 0)
            return -1;
        out[i] = flag;
    }
    return 0;
}

static PyObject *text_of(const jg_kernel *kernel)
{
    char *text;
    if (py_check(jg_kernel_text(kernel, &text)) < 0)
        return NULL;
    PyObject *out = PyUnicode_FromString(text);
    jg_text_release(text);
    return out;
}

static PyObject *derive(derivation *by, jg_kernel *kernel, PyObject *sequence)
{
    jg_kernel *derived;
    PyObject *out = NULL;
    bool *which = PyMem_Calloc((size_t)jg_kernel_narrays(kernel) + 1, sizeof *which);
    if (!which)
        return PyErr_NoMemory();
    if (flags_from(sequence, kernel, which) == 0 && py_check(by(kernel, which, &derived)) == 0) {
        out = text_of(derived);
        jg_kernel_release(derived);
    }
    PyMem_Free(which);
    return out;
}

static PyObject *derive_text(derivation *by, PyObject *const *args, Py_ssize_t nargs)
{
    jg_kernel *kernel;
    const char *text = nargs == 2 ? PyUnicode_AsUTF8(args[0]) : NULL;
    if (!text) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "allowed are 2 arguments: text, which");
        return NULL;
    }
    if (py_check(jg_kernel_from_text(text, &kernel)) < 0)
        return NULL;
    PyObject *out = derive(by, kernel, args[1]);
    jg_kernel_release(kernel);
    return out;
}

static PyObject *kernel_adjoint(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs)
{
    return derive_text(jg_kernel_adjoint, args, nargs);
}

static PyObject *kernel_tangent(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs)
{
    return derive_text(jg_kernel_tangent, args, nargs);
}

PyMethodDef py_kernel_derive_functions[] = {
    {"_kernel_adjoint", (PyCFunction)(void (*)(void))kernel_adjoint, METH_FASTCALL,
     "_kernel_adjoint(text, which): the adjoint of a kernel."},
    {"_kernel_tangent", (PyCFunction)(void (*)(void))kernel_tangent, METH_FASTCALL,
     "_kernel_tangent(text, which): the tangent of a kernel."},
    {NULL, NULL, 0, NULL},
};
