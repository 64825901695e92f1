/* SPDX-License-Identifier: Apache-2.0 */
/* The process's own sequence of keys. The draws are ops; joggle/random.py gives them their
 * names. */
#include "op/op.h"

static PyObject *py_random_seed(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyObject *index = PyNumber_Index(object);
    if (!index)
        return NULL;
    /* Any int is a seed; of large ones and of negative ones the low 64 bits count. */
    uint64_t seed = PyLong_AsUnsignedLongLongMask(index);
    Py_DECREF(index);
    if (PyErr_Occurred())
        return NULL;
    if (py_check(jg_random_seek((jg_random_place){seed, 0})) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* (key, how many were drawn) */
static PyObject *random_tell(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_random_place place = jg_random_tell();
    return Py_BuildValue("(KK)", (unsigned long long)place.key, (unsigned long long)place.count);
}

static PyObject *random_seek(PyObject *Py_UNUSED(module), PyObject *args)
{
    unsigned long long key, count;
    if (!PyArg_ParseTuple(args, "KK:_random_seek", &key, &count) ||
        py_check(jg_random_seek((jg_random_place){key, count})) < 0)
        return NULL;
    Py_RETURN_NONE;
}

PyMethodDef py_random_functions[] = {
    {"random_seed", py_random_seed, METH_O,
     "random_seed(seed, /)\n--\n\nStarts the keys of draws without a key anew."},
    {"_random_tell", random_tell, METH_NOARGS, NULL},
    {"_random_seek", random_seek, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
