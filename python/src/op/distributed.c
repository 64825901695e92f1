/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of processes, as numbers: the functions behind joggle.distributed, besides the ops. */
#include "op/op.h"

static PyObject *is_available(PyObject *Py_UNUSED(module), PyObject *backend)
{
    bool there;
    const char *name = PyUnicode_AsUTF8(backend);
    if (!name || py_check(jg_distributed_is_available(name, &there)) < 0)
        return NULL;
    return PyBool_FromLong(there);
}

/* (strict, backend) */
static PyObject *init(PyObject *Py_UNUSED(module), PyObject *args)
{
    int strict;
    const char *backend;
    int64_t group;
    jg_status status;
    if (!PyArg_ParseTuple(args, "ps:init", &strict, &backend))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = jg_distributed_init(strict, backend, &group);
    Py_END_ALLOW_THREADS;
    return status == JG_OK ? PyLong_FromLongLong(group) : py_raise(status);
}

/* Adopts the communicator with that handle. */
static PyObject *adopt(PyObject *Py_UNUSED(module), PyObject *handle)
{
    int64_t group;
    jg_status status;
    void *comm = PyLong_AsVoidPtr(handle);
    if (!comm && PyErr_Occurred())
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = jg_distributed_adopt((uintptr_t)comm, &group);
    Py_END_ALLOW_THREADS;
    return status == JG_OK ? PyLong_FromLongLong(group) : py_raise(status);
}

/* The rank and the size of a group. */
static PyObject *rank(PyObject *Py_UNUSED(module), PyObject *number)
{
    int64_t found, size;
    long long group = PyLong_AsLongLong(number);
    if ((group == -1 && PyErr_Occurred()) ||
        py_check(jg_distributed_rank(group, &found, &size)) < 0)
        return NULL;
    return Py_BuildValue("(LL)", (long long)found, (long long)size);
}

/* (group, color, key) */
static PyObject *split(PyObject *Py_UNUSED(module), PyObject *args)
{
    long long group;
    int color, key;
    int64_t made;
    jg_status status;
    if (!PyArg_ParseTuple(args, "Lii:split", &group, &color, &key))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = jg_distributed_split(group, color, key, &made);
    Py_END_ALLOW_THREADS;
    return status == JG_OK ? PyLong_FromLongLong(made) : py_raise(status);
}

static PyObject *abandon(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    jg_distributed_abandon();
    Py_RETURN_NONE;
}

PyMethodDef py_distributed_functions[] = {
    {"_distributed_is_available", is_available, METH_O, "Whether a backend is there."},
    {"_distributed_init", init, METH_VARARGS, "The number of the first group."},
    {"_distributed_adopt", adopt, METH_O, "The number of a group of a communicator's processes."},
    {"_distributed_rank", rank, METH_O, "This process's rank in a group, and the group's size."},
    {"_distributed_split", split, METH_VARARGS, "The number of a part of a group."},
    {"_distributed_abandon", abandon, METH_NOARGS, "Takes no leave of other processes at exit."},
    {NULL, NULL, 0, NULL},
};
