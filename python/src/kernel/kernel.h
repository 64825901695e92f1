/* SPDX-License-Identifier: Apache-2.0 */
/* The common declarations of the files that bind kernels: the arguments of one launch. */
#ifndef JG_PY_KERNEL_H
#define JG_PY_KERNEL_H

#include "base/field_handle.h"
#include "convert/convert.h"

/* An array for the time of a launch: its view, and the objects that keep the memory alive besides
 * the argument itself. */
typedef struct py_borrowed {
    jg_view view;
    jg_kernel_loan loan; /* with a reference to the owner, if any */
    Py_buffer buffer;    /* buffer.obj NULL: none */
    PyObject *tensor;    /* the argument itself if it is of torch, else NULL */
} py_borrowed;

/* The memory of a field, an array of joggle's, or a tensor of anybody's, in place. written: the
 * kernel writes it. out: for py_borrowed_clear, also on failure.
 * gives: 0 or -1 | raises: BufferError for memory that cannot be used in place, TypeError for what
 * is no tensor | waits: for an array of joggle's */
int py_borrow(PyObject *object, bool written, py_borrowed *out);
void py_borrowed_clear(py_borrowed *borrowed);

/* Tells the library that the memory is from, before a launch, that the launch writes it. torch then
 * refuses to compute gradients from values that it saved there. 0 or -1 with an exception */
int py_borrowed_tell_write(const py_borrowed *borrowed);

/* The properties of an array that code depends on: the dtype, the number of all axes, the number of
 * the field's axes, and the first two extents of its elements. The extents of a vector or matrix
 * are part of the code; a field's extents are not. Arrays whose extents do not fit the word use the
 * slower way. A field whose cells need
 * not exist has a key that no code has.
 * gives: *out, and 0 or -1 | raises: OverflowError */
int py_array_key(PyObject *object, const jg_view *view, uint64_t *out);

/* A number from whatever has one: Python's and NumPy's, elements, arrays of one element.
 * gives: 0 or -1 | raises: TypeError, OverflowError beyond 64 bits */
int py_scalar_from(PyObject *object, jg_number *out);

/* The same for a scalar of a kernel; an integer that does not fit it wraps, with a warning. */
int py_kernel_scalar(const jg_kernel *kernel, int scalar, PyObject *object, jg_number *out);

/* The results of a run: None, a number, or a tuple of numbers. New reference or NULL */
PyObject *py_kernel_result(const jg_kernel *kernel, const jg_number *results);

/* The kernel of a joggle._core.Kernel, borrowed; NULL of anything else. */
jg_kernel *py_kernel_of(PyObject *object);

extern PyMethodDef py_kernel_functions[];
extern PyMethodDef py_kernel_derive_functions[]; /* derive.c */

/* Makes the type of kernels and adds it to the module; what kernels print goes to Python's output.
 * 0 or -1 */
int py_kernel_ready(PyObject *module);

/* dispatch.c */

extern PyMethodDef py_dispatch_functions[];

/* Makes the type of what calls kernels and adds it to the module. 0 or -1 */
int py_dispatch_ready(PyObject *module);

/* parts.c */

/* At most 64, as dispatch.c has a bit for each. */
enum { PY_MAX_PARTS = 48 };

/* The parts of arguments: new references. */
typedef struct py_parts {
    int count;
    PyObject *at[PY_MAX_PARTS];
} py_parts;

typedef struct py_kinds {
    int count;
    char at[PY_MAX_PARTS]; /* a letter for each part */
} py_kinds;

/* Appends the object's parts. May run Python code. 0, or -1 with an exception if it is none of that
 * description; the parts so far are to be cleared either way. */
int py_parts_add(PyObject *description, PyObject *object, py_parts *parts);
void py_parts_clear(py_parts *parts);

/* Appends the kinds of the parts, as many as py_parts_add appends for an object of that
 * description. 1; 0 if there are too many; -1 with an exception */
int py_parts_describe(PyObject *description, py_kinds *kinds);

/* Brings a call's arguments, keywords and defaults (a dict by name) into the order of the
 * parameters' names. out: one for each, borrowed from where it was. false: they do not fit, with
 * an exception or without. */
bool py_parts_order(PyObject *names, PyObject *defaults, PyObject *const *args, Py_ssize_t count,
                    PyObject *kwnames, PyObject **out);
int py_parts_ready(void);

#endif
