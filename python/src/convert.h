/* SPDX-License-Identifier: Apache-2.0 */
/* How objects become arrays, and Python objects as the owners of memory that arrays lie over. */
#ifndef JG_PY_CONVERT_H
#define JG_PY_CONVERT_H

#include "failure.h"

/* convert.c and its steps */

/* How an object shall become an array. Zero-initialised: shared where possible, in its own
 * dtype. */
typedef struct py_request {
    jg_copy_policy copy;
    bool has_dtype;
    jg_dtype dtype;
} py_request;

/* The names of protocols that types are asked for; made when the module is, so that a question
 * whether a type speaks one cannot fail. */
extern PyObject *py_name_dlpack, *py_name_interface, *py_name_jax, *py_name_ufunc;

/* Any object as an array; docs/precedence.md lists what it may be, in order. */
jg_array *py_asarray(PyObject *object, const py_request *request);

/* What another library or the system gave, on the default device, to which it is copied where that
 * is not the host. consumes: x; NULL passes a failure on | gives: a reference or NULL */
jg_array *py_on_default(jg_array *x);
jg_array *py_beside(jg_array *x, jg_device_id device);   /* the same for a device */
jg_array *py_uncommitted(PyObject *object, jg_array *x); /* x, made of NumPy's or another object */

/* py_asarray for an object for which no device was named; copy=False shares memory where it is. */
jg_array *py_asarray_anywhere(PyObject *object, const py_request *request);

/* One step of the order: 1 with *out set, 0 if the object does not speak the protocol, -1. A step
 * that fails with BufferError (but not CopyError) leaves the object to the steps after it. */
typedef int py_conversion(PyObject *object, const py_request *request, jg_array **out);
py_conversion py_convert_sequence;  /* sequence.c */
py_conversion py_convert_buffer;    /* buffer_import.c */
py_conversion py_convert_interface; /* interface.c */

/* The view of memory that was got with PyBUF_RECORDS_RO. *fits is false where a stride is no whole
 * number of elements. 0 or -1 */
int py_buffer_view(const Py_buffer *buffer, jg_view *out, bool *fits); /* buffer_import.c */

extern PyMethodDef py_convert_functions[];

/* Makes the names of the protocols. 0 or -1 */
int py_convert_ready(void);

extern PyMethodDef py_creation_functions[];

/* x in the request's dtype, if it has one. consumes: x; NULL passes a failure
 * on */
jg_array *py_cast(jg_array *x, const py_request *request);

/* jg_array_take_view for memory that a Python object keeps: the object is let go, with the
 * interpreter lock held, when the memory is no longer used. buffer: to be released too, or NULL; it
 * is moved. */
jg_array *py_take_view(const jg_view *view, jg_copy_policy copy, PyObject *owner,
                       Py_buffer *buffer);

/* A Python object as the owner of memory. buffer: to be released with it, or NULL; it is moved,
 * also when this fails. py_owner_release may be called on any thread, with or without the
 * interpreter lock; an exception that is pending there stays.
 * keeps: object, until then | raises: MemoryError */
typedef struct py_owner py_owner;
py_owner *py_owner_new(PyObject *object, Py_buffer *buffer);
void py_owner_release(void *owner);

#endif
