/* SPDX-License-Identifier: Apache-2.0 */
/* The seed of the process's own keys. The draws are ops; joggle/random.py gives them their
 * names. */
#include "core.h"

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
    jg_random_seed(seed);
    Py_RETURN_NONE;
}

PyMethodDef py_random_functions[] = {
    {"random_seed", py_random_seed, METH_O,
     "random_seed(seed, /)\n--\n\nStarts the keys of draws without a key anew."},
    {NULL, NULL, 0, NULL},
};
