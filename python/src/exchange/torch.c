/* SPDX-License-Identifier: Apache-2.0 */
/* The traps of torch tensors. Its exchange functions pass on memory that does not hold the tensor's
 * values: negated and conjugated views carry a bit instead, and subclasses may have no memory at
 * all. torch's own __dlpack__ forgets the negated ones too. So they are asked here, before any
 * import.
 *
 * The questions are answered by torch's C functions, called without going through attribute lookup:
 * every import runs this. */
#include "exchange/exchange.h"

/* tensor.requires_grad. A subclass may put a property of Python's instead of the descriptor:
 * then lookup is what it takes. NULL on failure */
static PyObject *ask_attribute(PyObject *descriptor, PyObject *tensor)
{
    if (descriptor && Py_IS_TYPE(descriptor, &PyGetSetDescr_Type)) {
        PyGetSetDef *getset = ((PyGetSetDescrObject *)descriptor)->d_getset;
        return getset->get(tensor, getset->closure);
    }
    return PyObject_GetAttrString(tensor, "requires_grad");
}

/* tensor.name(), likewise. */
static PyObject *ask_method(PyObject *descriptor, PyObject *tensor, const char *name)
{
    if (descriptor && Py_IS_TYPE(descriptor, &PyMethodDescr_Type)) {
        PyMethodDef *method = ((PyMethodDescrObject *)descriptor)->d_method;
        if (method->ml_flags == METH_NOARGS)
            return method->ml_meth(tensor, NULL);
    }
    return PyObject_CallMethod(tensor, name, NULL);
}

/* 1, 0, or -1 on failure. steals: answer; NULL passes a failure on */
static int truth_of(PyObject *answer)
{
    if (!answer)
        return -1;
    int truth = answer == Py_True ? 1 : answer == Py_False ? 0 : PyObject_IsTrue(answer);
    Py_DECREF(answer);
    return truth;
}

static int refuse(const char *what)
{
    PyErr_SetString(PyExc_BufferError, what);
    return -1;
}

/* A tensor with its values written out, in memory of its own. 1 with *resolved set, or -1 */
static int resolve(PyObject *tensor, const char *method, PyObject **resolved)
{
    *resolved = PyObject_CallMethod(tensor, method, NULL);
    return *resolved ? 1 : -1;
}

static int check_dispatched(const py_producer *producer)
{
    if (!producer->is_dispatched)
        return 0;
    PyErr_Format(PyExc_BufferError,
                 "%s dispatches its own ops and has no memory to share; pass the tensor in it",
                 producer->type->tp_name);
    return -1;
}

int py_torch_check_memory(const py_producer *producer, PyObject *tensor, PyObject **resolved)
{
    if (check_dispatched(producer) < 0)
        return -1;
    int negated = truth_of(ask_method(producer->is_neg, tensor, "is_neg"));
    return negated <= 0 ? negated : resolve(tensor, "resolve_neg", resolved);
}

/* Tensors that require grad are refused as torch's own __dlpack__ does it. */
int py_torch_check(const py_producer *producer, PyObject *tensor, PyObject **resolved)
{
    if (check_dispatched(producer) < 0)
        return -1;
    int grad = truth_of(ask_attribute(producer->requires_grad, tensor));
    if (grad != 0)
        return grad < 0 ? -1
                        : refuse("the torch tensor requires grad, which would be lost: pass "
                                 "tensor.detach()");
    return py_torch_check_memory(producer, tensor, resolved);
}

int py_torch_check_conj(const py_producer *producer, PyObject *tensor, PyObject **resolved)
{
    int conjugated = truth_of(ask_method(producer->is_conj, tensor, "is_conj"));
    return conjugated <= 0 ? conjugated : resolve(tensor, "resolve_conj", resolved);
}

/* Whether an attribute is this object. -1 on failure */
static int attribute_is(PyObject *tensor, const char *name, PyObject *value)
{
    PyObject *found = PyObject_GetAttrString(tensor, name);
    Py_XDECREF(found);
    return found ? found == value : -1;
}

static int set_zero_grad(PyObject *tensor)
{
    PyObject *detached = PyObject_CallMethod(tensor, "detach", NULL);
    PyObject *shape = detached ? PyObject_GetAttrString(detached, "shape") : NULL;
    PyObject *zeros = shape ? PyObject_CallMethod(detached, "new_zeros", "(O)", shape) : NULL;
    int status = zeros ? PyObject_SetAttrString(tensor, "grad", zeros) : -1;
    Py_XDECREF(detached);
    Py_XDECREF(shape);
    Py_XDECREF(zeros);
    return status;
}

/* Only for leaf tensors does torch keep a gradient; for others it warns if it is asked. */
int py_torch_give_grad(const py_producer *producer, PyObject *tensor)
{
    int status = truth_of(ask_attribute(producer->requires_grad, tensor));
    if (status > 0)
        status = attribute_is(tensor, "is_leaf", Py_True);
    if (status > 0)
        status = attribute_is(tensor, "grad", Py_None);
    return status > 0 ? set_zero_grad(tensor) : status;
}

int py_torch_count_write(PyObject *tensor)
{
    static PyObject *function;
    if (!function) {
        PyObject *module = PyImport_ImportModule("torch.autograd.graph");
        function = module ? PyObject_GetAttrString(module, "increment_version") : NULL;
        Py_XDECREF(module);
    }
    PyObject *done = function ? PyObject_CallOneArg(function, tensor) : NULL;
    Py_XDECREF(done);
    return done ? 0 : -1;
}
