/* SPDX-License-Identifier: Apache-2.0 */
/* The common header of all files of the extension joggle._core. The extension binds the public
 * headers and nothing else.
 *
 * These are its folders. Each includes the folders before it that tools/layers.txt names:
 * base       failures, arguments, dtypes, devices, streams, handles, waiting
 * exchange   DLPack, both ways
 * convert    the conversion of objects to arrays and to operands of ops
 * op         ops, and other functions that make or describe arrays
 * array      the type of arrays: operators, methods, indices, text, NumPy's protocols field,
 * kernel, transform, file
 *
 * A py_array is a handle (handle.h): a Python object that holds one reference to a jg_array. The
 * extension keeps its types in static variables, so a process can load it once.
 *
 * Results follow the C API of Python: a new reference or NULL, 0 or -1, with an exception set. */
#ifndef JG_PY_CORE_H
#define JG_PY_CORE_H

#include "base/arguments.h"
#include "base/failure.h"
#include "base/handle.h"
#include "base/value.h"

/* Whether the interpreter is going down. Then no thread may ask for its lock any more: it would
 * hang, or be ended where it stands. */
#if PY_VERSION_HEX >= 0x030d0000
#define PY_FINALIZING() Py_IsFinalizing()
#else
#define PY_FINALIZING() _Py_IsFinalizing()
#endif

/* A function or method that takes its arguments in a C array, as a PyMethodDef wants it. */
#define PY_FASTCALL(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS

/* stream.c */

/* The function from which PY_FASTCALL makes a PyMethodDef. */
typedef PyObject *py_fastcall(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* Calls the function without its keyword argument `stream`, which is the thread's default stream
 * meanwhile. */
PyObject *py_call_on_stream(py_fastcall *function, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
bool py_names_stream(PyObject *kwnames); /* whether the keyword is among the names */

/* The begin of a function that makes arrays: it takes `stream` besides its own parameters. */
#define PY_ON_STREAM(function, args, nargs, kwnames)                                               \
    if (kwnames && py_names_stream(kwnames))                                                       \
    return py_call_on_stream(function, args, nargs, kwnames)

/* The number by which other libraries know the stream that this thread computes on, of a device
 * that shares streams. 0 or -1 */
int py_stream_number(jg_device_id device, int64_t *out);

extern PyMethodDef py_stream_functions[]; /* of the module, as all lists of this kind */

/* Makes the types of streams and their contexts, which the module has. 0 or -1 */
int py_stream_ready(PyObject *module);

/* foreign.c */

/* The names of protocols that types are asked for; made when the module is, so that a question
 * whether a type speaks one cannot fail. */
extern PyObject *py_name_dlpack, *py_name_interface, *py_name_jax, *py_name_ufunc, *py_name_array;
int py_foreign_ready(void); /* 0 or -1 */

/* Whether the class has an __array_ufunc__ of its own, or None for it. Python then tries its
 * operators instead of ours. */
bool py_overrides_ufuncs(PyTypeObject *type);

bool py_is_numpy(PyObject *object); /* whether it is an array of NumPy's itself */

/* view_owner.c */

/* jg_array_take_view for memory that a Python object keeps: the object is released, with the
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
