/* SPDX-License-Identifier: Apache-2.0 */
/* The common declarations of the files that use DLPack. */
#ifndef JOGGLE_PYTHON_EXCHANGE_H
#define JOGGLE_PYTHON_EXCHANGE_H

#include "base/core.h"

/* producer.c, import.c, torch.c, capsule.c, dlpack.c, exchange_api.c */

/* The facts about a type whose objects are imported, found once for each exact type. */
typedef struct py_producer {
    PyTypeObject *type;
    const DLPackExchangeAPI *api; /* NULL if it has none that can be used */
    bool is_masked;               /* numpy.ma: the mask would be lost */
    bool is_numpy;                /* numpy.ndarray itself: always on the CPU */
    bool is_immutable;            /* jax: its memory is read-only, whatever its capsules say */
    bool is_torch;                /* torch.Tensor or derived from it: has the traps of torch.c */
    bool is_dispatched; /* a torch subclass without memory of its own, such as FakeTensor */
    PyObject *requires_grad, *is_neg, *is_conj; /* torch's own descriptors */
} py_producer;
/* The type's row, which stays forever, or NULL. Runs Python code at a type's first time.
 * raises: MemoryError */
const py_producer *py_producer_of(PyTypeObject *type);

/* from_dlpack without its checks of arguments. device: NULL, or the one asked for.
 * gives: a reference or NULL | raises: BufferError, CopyError, TypeError, what the producer
 * raises */
jg_array *py_import_dlpack(PyObject *object, jg_copy_policy copy, const jg_device_id *device);

/* The same for a tensor of torch, whose requires_grad is not looked at: the caller handles
 * gradients. */
jg_array *py_import_detached(PyObject *object);

/* The stream of the device that a producer with a table works on now. gives: 0 or -1 | raises:
 * BufferError, what the producer raises */
int py_producer_stream(const py_producer *producer, jg_device_id device, int64_t *out);

/* The callable behind the attribute `name`: looked up on the type, then on the object. *bound tells
 * whether self is already in it. NULL without an exception if there is none. */
PyObject *py_lookup(PyObject *object, PyObject *name, bool *bound);

/* Refuses torch tensors whose memory does not hold their values. 1 with *resolved set (a new
 * reference to a private copy that does), 0 if the tensor is fine as it is, -1. */
int py_torch_check(const py_producer *producer, PyObject *tensor, PyObject **resolved);
int py_torch_check_memory(const py_producer *producer, PyObject *tensor,
                          PyObject **resolved); /* leaves requires_grad aside */
int py_torch_check_conj(const py_producer *producer, PyObject *tensor, PyObject **resolved);

/* Gives a leaf that requires a gradient and has none yet one of zeros, which a kernel's gradient
 * adds to. 0 or -1 */
int py_torch_give_grad(const py_producer *producer, PyObject *tensor);

/* Adds one to the version counter of a tensor's memory, by which autograd notices that values which
 * it saved were overwritten. A tensor of inference mode has no counter. 0 or -1 */
int py_torch_count_write(PyObject *tensor);

/* Takes the tensor out of a capsule, which stays as it was if that fails, so that others may try;
 * but one of another major version is used up. device: what its producer said, or NULL. read_only:
 * the memory is, whatever the capsule says.
 * raises: BufferError, CopyError, MemoryError */
jg_array *py_capsule_take(PyObject *capsule, jg_copy_policy copy, const jg_device_id *device,
                          bool read_only);
bool py_capsule_is_tensor(PyObject *object);                       /* of any of the four names */
PyObject *py_capsule_versioned(DLManagedTensorVersioned *managed); /* steals: managed */
PyObject *py_capsule_legacy(DLManagedTensor *managed);             /* the same */

/* An array over a tensor. steals: managed */
jg_array *py_take_managed(DLManagedTensorVersioned *managed, jg_copy_policy copy);

/* The methods __dlpack__ and __dlpack_device__ of arrays. */
PyObject *py_array_dlpack(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);
PyObject *py_array_dlpack_device(PyObject *self, PyObject *unused);

/* DLPack's table of functions of C, which the type of arrays has. New reference or NULL */
PyObject *py_exchange_api_capsule(void);

extern PyMethodDef py_import_functions[];

/* Makes the names of the protocol, and the version that is asked for. 0 or -1 */
int py_import_ready(void);

/* The capsule that __dlpack__ gives for x, with its arguments. */
PyObject *py_dlpack_export(jg_array *x, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif
