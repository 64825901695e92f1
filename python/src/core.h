/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the extension joggle._core share. It binds the public headers and nothing else.
 *
 * A py_array is a handle (handle.h): a Python object that holds one reference to a jg_array. The
 * extension keeps its types in static variables, so a process can load it once. convert.h has what
 * an object means where an array is wanted, operand.h where an operand is, and arguments.h has all
 * other parameters.
 *
 * Results follow the C API of Python: a new reference or NULL, 0 or -1, with an exception set. */
#ifndef JG_PY_CORE_H
#define JG_PY_CORE_H

#include "arguments.h"
#include "array_type.h"
#include "convert.h"
#include "exchange.h"
#include "failure.h"
#include "handle.h"
#include "operand.h"
#include "value.h"

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

/* What PY_FASTCALL makes a PyMethodDef of. */
typedef PyObject *py_fastcall(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

/* Calls the function without its keyword argument `stream`, which is the thread's default stream
 * meanwhile. */
PyObject *py_call_on_stream(py_fastcall *function, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
bool py_names_stream(PyObject *kwnames); /* whether the keyword is among the names */

/* What a function that makes arrays begins with, to take `stream` beside its own parameters. */
#define PY_ON_STREAM(function, args, nargs, kwnames)                                               \
    if (kwnames && py_names_stream(kwnames))                                                       \
    return py_call_on_stream(function, args, nargs, kwnames)

/* The number by which other libraries know the stream that this thread computes on, of a device
 * that shares streams. 0 or -1 */
int py_stream_number(jg_device_id device, int64_t *out);

extern PyMethodDef py_stream_functions[]; /* of the module, as all lists of this kind */

/* Makes the types of streams and their contexts, which the module has. 0 or -1 */
int py_stream_ready(PyObject *module);

/* random.c */

extern PyMethodDef py_random_functions[];

/* protocols.c */

/* Whether the class has an __array_ufunc__ of its own, or None for it. Python then tries its
 * operators instead of ours. */
bool py_overrides_ufuncs(PyTypeObject *type);

bool py_is_numpy(PyObject *object); /* whether it is an array of NumPy's itself */
extern PyMethodDef py_protocol_functions[];
extern PyMethodDef py_protocol_methods[];

/* field.c and the files beside it */

extern PyTypeObject *py_field_type; /* the base of the classes of fields */

static inline bool py_field_check(PyObject *x)
{
    return PyObject_TypeCheck(x, py_field_type);
}

/* The field's values: its memory where that can be and the policy allows. New reference or NULL */
jg_array *py_field_array(PyObject *self, jg_copy_policy copy);

/* Make the types of fields, and of nodes of their trees, and add them to the module. 0 or -1 */
int py_field_ready(PyObject *module);
int py_field_nest_ready(PyObject *module);

/* kernel.c */

extern PyMethodDef py_kernel_functions[];
extern PyMethodDef py_kernel_derive_functions[]; /* kernel_derive.c */

/* Makes the type of kernels and adds it to the module; what kernels print goes to Python's output.
 * 0 or -1 */
int py_kernel_ready(PyObject *module);

/* kernel_dispatch.c */

extern PyMethodDef py_dispatch_functions[];

/* Makes the type of what calls kernels and adds it to the module. 0 or -1 */
int py_dispatch_ready(PyObject *module);

/* item_attributes.c */

/* Makes the base of modules of neural networks and adds it to the module. 0 or -1 */
int py_item_attributes_ready(PyObject *module);

/* bridge.c */

/* The functions of joggle/python.h for other extensions. New reference or NULL */
PyObject *py_bridge_capsule(void);

#endif
