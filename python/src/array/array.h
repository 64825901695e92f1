/* SPDX-License-Identifier: Apache-2.0 */
/* The parts from which array.c makes the type of arrays: its operators, attributes, methods and
 * indexing. */
#ifndef JG_PY_ARRAY_H
#define JG_PY_ARRAY_H

#include "op/op.h"

/* absent.c: attributes that raise AttributeError with what to write instead. 0 or -1 */
int py_add_absent_attributes(PyTypeObject *type);

/* Makes the type of arrays and adds it to the module. 0 or -1 */
int py_array_ready(PyObject *module);

/* index_key.c */

/* The most that an index can hold: each axis, as many new axes, an ellipsis. */
#define PY_MAX_ITEMS (2 * JG_MAX_NDIM + 1)

/* The items of an index, and the arrays among them. */
typedef struct py_key {
    int count, narrays;
    jg_device_id device; /* where what is no array of ours is put */
    jg_index items[PY_MAX_ITEMS];
    jg_array *arrays[PY_MAX_ITEMS]; /* one reference each */
} py_key;

/* An index of `self`. gives: 0, for py_key_clear, or -1 | raises: TypeError, IndexError */
int py_key_from(PyObject *self, PyObject *object, py_key *out);
void py_key_clear(py_key *key);

/* at.c */

/* The getter of an array's attribute `at`. */
PyObject *py_array_at(PyObject *self, void *closure);

/* Makes the types of what it gives. 0 or -1 */
int py_at_ready(void);

/* operators.c, attributes.c, index.c, repr.c, buffer.c: what array.c makes the type of */

/* The result of the operator for a and b, one of which is ours: a reference, which may be
 * NotImplemented. */
PyObject *py_binary(PyObject *a, PyObject *b, py_binary_op *op);
extern PyType_Slot py_operator_slots[];
extern PyGetSetDef py_array_attributes[];
extern PyMethodDef py_array_methods[];
Py_ssize_t py_array_length(PyObject *self);
PyObject *py_array_row(PyObject *self, Py_ssize_t at);
PyObject *py_array_subscript(PyObject *self, PyObject *key);
int py_array_assign(PyObject *self, PyObject *key, PyObject *value);
/* The array in which x[key] is combined with the value: a new array; the handle keeps its old one.
 * waits: for masks in the key */
jg_array *py_array_combined(PyObject *self, PyObject *key, jg_scatter_mode mode, PyObject *value);
PyObject *py_array_repr(PyObject *self);
PyObject *py_array_str(PyObject *self);
extern PyMethodDef py_print_functions[];                     /* print_options.c */
int py_print_ready(PyObject *module);                        /* makes the context's type. 0 or -1 */
PyObject *py_array_reduce(PyObject *self, PyObject *unused); /* pickle.c */
extern PyMethodDef py_pickle_functions[];
int py_array_getbuffer(PyObject *self, Py_buffer *buffer, int flags);
void py_array_releasebuffer(PyObject *self, Py_buffer *buffer);
PyObject *py_array_interface(PyObject *self, void *closure);
PyObject *py_array_numpy(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
int py_array_contains(PyObject *self, PyObject *value); /* numpy_methods.c */
extern PyMethodDef py_numpy_methods[];
extern PyMethodDef py_rounding_methods[]; /* rounding.c */

/* strangers.c */

/* The result of the operator for a and b, one of which is ours, the other no operand: a reference,
 * which is NotImplemented but for classes of Dask, pandas and scipy.sparse. */
PyObject *py_operate(const char *name, PyObject *a, PyObject *b);
/* The result of __array_ufunc__ for arguments of which the stranger has an __array_ufunc__, too: a
 * reference, which may be NotImplemented. */
PyObject *py_leave_ufunc(PyObject *stranger, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames);
/* Where the class is Dask's and Dask has not been told of our type, tells it. gives: 1 if so, 0 or
 * -1 */
int py_introduce_to(PyTypeObject *type);

extern PyMethodDef py_protocol_functions[]; /* protocols.c */
extern PyMethodDef py_protocol_methods[];

#endif
