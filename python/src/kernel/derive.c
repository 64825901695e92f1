/* SPDX-License-Identifier: Apache-2.0 */
/* The derivatives of kernels, from text to text: joggle._core._kernel_adjoint, _kernel_tangent and
 * _kernel_adjoint_check; and _kernel_writes. */
#include "kernel/kernel.h"

typedef jg_status derivation(const jg_kernel *kernel, const jg_derived *which, jg_kernel **out);

/* A jg_derived for each array of the kernel, in *out, which can hold them. gives: 0, or -1 with
 * an exception set */
static int roles_from(PyObject *sequence, const jg_kernel *kernel, jg_derived *out)
{
    Py_ssize_t count = jg_kernel_narrays(kernel);
    if (!PyTuple_Check(sequence) || PyTuple_GET_SIZE(sequence) != count) {
        PyErr_Format(PyExc_ValueError,
                     "which: got %R, allowed is a tuple of %zd numbers, one for an array", sequence,
                     count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; ++i) {
        long role = PyLong_AsLong(PyTuple_GET_ITEM(sequence, i));
        if (role == -1 && PyErr_Occurred())
            return -1;
        if (role < JG_DERIVED_NO || role > JG_DERIVED_READ) {
            PyErr_Format(PyExc_ValueError, "which: got %ld, allowed are 0, 1 and 2", role);
            return -1;
        }
        out[i] = (jg_derived)role;
    }
    return 0;
}

/* For each parameter whether the kernel writes that array, or None for a scalar. gives: NULL with
 * an exception set on failure */
static PyObject *parameters_of(const jg_kernel *kernel)
{
    int count = jg_kernel_narrays(kernel) + jg_kernel_nscalars(kernel), array;
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i) {
        bool is_array = jg_kernel_parameter_is_array(kernel, i, &array);
        PyObject *item = is_array ? PyBool_FromLong(jg_kernel_array_is_written(kernel, array))
                                  : Py_NewRef(Py_None);
        PyTuple_SET_ITEM(out, i, item);
    }
    return out;
}

/* The text and the parameters: what joggle.fields needs to call what was derived. */
static PyObject *described(const jg_kernel *kernel)
{
    char *text;
    PyObject *parameters = parameters_of(kernel);
    if (!parameters || py_check(jg_kernel_text(kernel, &text)) < 0) {
        Py_XDECREF(parameters);
        return NULL;
    }
    PyObject *out = Py_BuildValue("sN", text, parameters);
    jg_text_release(text);
    return out;
}

/* A role for each array of the kernel, for PyMem_Free. gives: NULL with an exception set */
static jg_derived *roles_of(PyObject *sequence, const jg_kernel *kernel)
{
    jg_derived *which = PyMem_Calloc((size_t)jg_kernel_narrays(kernel) + 1, sizeof *which);
    if (!which) {
        PyErr_NoMemory();
        return NULL;
    }
    if (roles_from(sequence, kernel, which) < 0) {
        PyMem_Free(which);
        return NULL;
    }
    return which;
}

static PyObject *derive(derivation *by, jg_kernel *kernel, PyObject *sequence)
{
    jg_kernel *derived;
    PyObject *out = NULL;
    jg_derived *which = roles_of(sequence, kernel);
    if (which && py_check(by(kernel, which, &derived)) == 0) {
        out = described(derived);
        jg_kernel_release(derived);
    }
    PyMem_Free(which);
    return out;
}

/* For each array whether it has marks: the bytes of one, or 0. */
static PyObject *marks_of(const jg_kernel *check, const bool *marked, int count)
{
    PyObject *out = PyTuple_New(count);
    for (int i = 0, at = count; out && i < count; ++i) {
        long nbytes = 0;
        if (marked[i])
            nbytes = jg_kernel_array_dtype(check, at++) == JG_DTYPE_UINT8 ? 1 : 8;
        PyTuple_SET_ITEM(out, i, PyLong_FromLong(nbytes));
    }
    return out;
}

/* The check as described() gives it, and of each array the bytes of its marks; or None. */
static PyObject *check_of(jg_kernel *kernel, PyObject *sequence)
{
    jg_kernel *check = NULL;
    PyObject *out = NULL;
    int narrays = jg_kernel_narrays(kernel);
    jg_derived *which = roles_of(sequence, kernel);
    bool *marked = PyMem_Calloc((size_t)narrays + 1, sizeof *marked);
    if (which && !marked)
        PyErr_NoMemory();
    if (which && marked && py_check(jg_kernel_adjoint_check(kernel, which, marked, &check)) == 0)
        out = check ? Py_BuildValue("NN", described(check), marks_of(check, marked, narrays))
                    : Py_NewRef(Py_None);
    jg_kernel_release(check);
    PyMem_Free(which);
    PyMem_Free(marked);
    return out;
}

static PyObject *adjoint_of(jg_kernel *kernel, PyObject *sequence)
{
    return derive(jg_kernel_adjoint, kernel, sequence);
}

static PyObject *tangent_of(jg_kernel *kernel, PyObject *sequence)
{
    return derive(jg_kernel_tangent, kernel, sequence);
}

/* Texts go in and come out, so that derivatives are compiled and kept as any kernel is. */
static PyObject *derive_text(PyObject *by(jg_kernel *, PyObject *), PyObject *const *args,
                             Py_ssize_t nargs)
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
    PyObject *out = by(kernel, args[1]);
    jg_kernel_release(kernel);
    return out;
}

static PyObject *kernel_adjoint(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs)
{
    return derive_text(adjoint_of, args, nargs);
}

static PyObject *kernel_tangent(PyObject *Py_UNUSED(module), PyObject *const *args,
                                Py_ssize_t nargs)
{
    return derive_text(tangent_of, args, nargs);
}

static PyObject *kernel_adjoint_check(PyObject *Py_UNUSED(module), PyObject *const *args,
                                      Py_ssize_t nargs)
{
    return derive_text(check_of, args, nargs);
}

static PyObject *kernel_writes(PyObject *Py_UNUSED(module), PyObject *object)
{
    jg_kernel *kernel;
    const char *text = PyUnicode_AsUTF8(object);
    if (!text || py_check(jg_kernel_from_text(text, &kernel)) < 0)
        return NULL;
    int count = jg_kernel_narrays(kernel);
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i)
        PyTuple_SET_ITEM(out, i, PyBool_FromLong(jg_kernel_array_is_written(kernel, i)));
    jg_kernel_release(kernel);
    return out;
}

PyMethodDef py_kernel_derive_functions[] = {
    {"_kernel_writes", kernel_writes, METH_O,
     "_kernel_writes(text): for each array of a kernel whether that writes it."},
    {"_kernel_adjoint", (PyCFunction)(void (*)(void))kernel_adjoint, METH_FASTCALL,
     "_kernel_adjoint(text, which): the adjoint of a kernel, and of each of its parameters "
     "whether it writes that array, None for a number."},
    {"_kernel_tangent", (PyCFunction)(void (*)(void))kernel_tangent, METH_FASTCALL,
     "_kernel_tangent(text, which): the tangent of a kernel, and of each of its parameters "
     "whether it writes that array, None for a number."},
    {"_kernel_adjoint_check", (PyCFunction)(void (*)(void))kernel_adjoint_check, METH_FASTCALL,
     "_kernel_adjoint_check(text, which): what looks before the adjoint runs, as the others give "
     "it, and of each array the bytes of a mark there, 0 for none; None if nothing is in doubt."},
    {NULL, NULL, 0, NULL},
};
