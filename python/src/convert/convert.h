/* SPDX-License-Identifier: Apache-2.0 */
/* How objects become arrays. */
#ifndef JG_PY_CONVERT_H
#define JG_PY_CONVERT_H

#include "convert/operand.h"
#include "exchange/exchange.h"

/* convert.c and its steps */

/* How an object shall become an array. Zero-initialised: shared where possible, in its own
 * dtype. */
typedef struct py_request {
    jg_copy_policy copy;
    bool has_dtype;
    jg_dtype dtype;
} py_request;

/* Any object as an array; docs/precedence.md lists what it may be, in order. */
jg_array *py_asarray(PyObject *object, const py_request *request);

/* Puts an array that another library or the system gave on the default device; it is copied if that
 * device is not the host. steals: x; NULL passes a failure on | gives: a reference or NULL */
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

/* Whether each number of arrays of these dtypes, a set, has a counterpart in the wanted one. */
bool py_all_fit(uint64_t dtypes, jg_dtype wanted);

/* x in the request's dtype, if it has one. steals: x; NULL passes a failure
 * on */
jg_array *py_cast(jg_array *x, const py_request *request);

#endif
