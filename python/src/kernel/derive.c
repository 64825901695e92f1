/* SPDX-License-Identifier: Apache-2.0 */
/* The derivatives of kernels, from text to text: joggle._core._kernel_adjoint, _kernel_tangent,
 * _kernel_adjoint_check and _kernel_gradient; and _kernel_memory, which tells the addresses of
 * arguments. */
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
        if (role < JG_DERIVED_NO || role > JG_DERIVED_SHARED) {
            PyErr_Format(PyExc_ValueError, "which: got %ld, allowed are 0 to 3", role);
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

/* The text and the parameters of a derived kernel, which joggle.fields needs to call it. */
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

/* The check as described() gives it, and of each array the bytes of its marks; None for NULL. */
static PyObject *described_check(const jg_kernel *check, const bool *marked, int count)
{
    if (!check)
        return Py_NewRef(Py_None);
    PyObject *text = described(check), *marks = text ? marks_of(check, marked, count) : NULL;
    if (!marks) {
        Py_XDECREF(text);
        return NULL;
    }
    return Py_BuildValue("NN", text, marks);
}

static bool *marked_of(int narrays)
{
    bool *marked = PyMem_Calloc((size_t)narrays + 1, sizeof *marked);
    if (!marked)
        PyErr_NoMemory();
    return marked;
}

static PyObject *check_of(jg_kernel *kernel, PyObject *sequence)
{
    jg_kernel *check = NULL;
    PyObject *out = NULL;
    int narrays = jg_kernel_narrays(kernel);
    jg_derived *which = roles_of(sequence, kernel);
    bool *marked = which ? marked_of(narrays) : NULL;
    if (marked && py_check(jg_kernel_adjoint_check(kernel, which, marked, &check)) == 0)
        out = described_check(check, marked, narrays);
    jg_kernel_release(check);
    PyMem_Free(which);
    PyMem_Free(marked);
    return out;
}

/* For each array whether the kernel writes it. */
static PyObject *writes_of(const jg_kernel *kernel)
{
    int count = jg_kernel_narrays(kernel);
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; ++i)
        PyTuple_SET_ITEM(out, i, PyBool_FromLong(jg_kernel_array_is_written(kernel, i)));
    return out;
}

/* (adjoint, check, writes) */
static PyObject *gradient_parts(const jg_kernel *kernel, const jg_kernel *adjoint,
                                const jg_kernel *check, const bool *marked)
{
    PyObject *parts[3] = {described(adjoint), NULL, NULL};
    if (parts[0])
        parts[1] = described_check(check, marked, jg_kernel_narrays(kernel));
    if (parts[1])
        parts[2] = writes_of(kernel);
    if (parts[2])
        return Py_BuildValue("NNN", parts[0], parts[1], parts[2]);
    Py_XDECREF(parts[0]);
    Py_XDECREF(parts[1]);
    return NULL;
}

static PyObject *gradient_of(jg_kernel *kernel, PyObject *sequence)
{
    jg_kernel *adjoint = NULL, *check = NULL;
    PyObject *out = NULL;
    jg_derived *which = roles_of(sequence, kernel);
    bool *marked = which ? marked_of(jg_kernel_narrays(kernel)) : NULL;
    if (marked &&
        py_check(jg_kernel_adjoint_and_check(kernel, which, &adjoint, marked, &check)) == 0)
        out = gradient_parts(kernel, adjoint, check, marked);
    jg_kernel_release(adjoint);
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
            PyErr_Format(PyExc_TypeError, "got %zd arguments, allowed are 2: text, which", nargs);
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

static PyObject *kernel_gradient(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t nargs)
{
    return derive_text(gradient_of, args, nargs);
}

/* The address at which a kernel finds the argument; for an opaque device, the numbers that replace
 * its addresses. */
static PyObject *kernel_memory(PyObject *Py_UNUSED(module), PyObject *object)
{
    py_borrowed borrowed;
    PyObject *out = NULL;
    if (py_borrow(object, false, &borrowed) == 0) {
        const jg_view *view = &borrowed.view;
        int itemsize = jg_dtype_bits(view->dtype) / 8;
        int64_t strides[JG_MAX_NDIM];
        for (int d = 0; d < view->ndim; ++d)
            strides[d] = view->strides[d] * itemsize;
        out = Py_BuildValue("NiNN", PyLong_FromVoidPtr((char *)view->data + view->byte_offset),
                            itemsize, py_shape_object(view->ndim, view->shape),
                            py_shape_object(view->ndim, strides));
    }
    py_borrowed_clear(&borrowed);
    return out;
}

PyMethodDef py_kernel_derive_functions[] = {
    {"_kernel_memory", kernel_memory, METH_O,
     "_kernel_memory(array): (address, itemsize, shape, byte strides) of what a kernel works on."},
    {"_kernel_adjoint", (PyCFunction)(void (*)(void))kernel_adjoint, METH_FASTCALL,
     "_kernel_adjoint(text, which): the adjoint of a kernel, and of each of its parameters "
     "whether it writes that array, None for a number."},
    {"_kernel_tangent", (PyCFunction)(void (*)(void))kernel_tangent, METH_FASTCALL,
     "_kernel_tangent(text, which): the tangent of a kernel, and of each of its parameters "
     "whether it writes that array, None for a number."},
    {"_kernel_adjoint_check", (PyCFunction)(void (*)(void))kernel_adjoint_check, METH_FASTCALL,
     "_kernel_adjoint_check(text, which): what looks before the adjoint runs, as the others give "
     "it, and of each array the bytes of a mark there, 0 for none; None if nothing is in doubt."},
    {"_kernel_gradient", (PyCFunction)(void (*)(void))kernel_gradient, METH_FASTCALL,
     "_kernel_gradient(text, which): both, (adjoint, check, writes), and of each array whether the "
     "kernel writes it."},
    {NULL, NULL, 0, NULL},
};
