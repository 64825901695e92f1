/* SPDX-License-Identifier: Apache-2.0 */
/* Memory use of arrays and its limits: MLX's functions, with its results. */
#include "core.h"

static PyObject *get_active_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(jg_active_memory());
}

static PyObject *get_peak_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(jg_peak_memory());
}

static PyObject *reset_peak_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_reset_peak_memory();
    Py_RETURN_NONE;
}

static PyObject *get_cache_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(jg_cache_memory());
}

static PyObject *clear_cache(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    jg_clear_cache();
    Py_RETURN_NONE;
}

/* jg_set_memory_limit and jg_set_cache_limit: the new limit, and where the one before goes. */
typedef jg_status limit_setter(size_t, size_t *);

/* A limit that size_t does not hold is a ValueError, as one that the library refuses. gives: the
 * limit before, as MLX does */
static PyObject *set_limit(const char *function, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames, limit_setter *set)
{
    static const py_signature signature = {1, 1, 0, {"limit"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments(function, &signature, args, nargs, kwnames, slots) < 0)
        return NULL;
    PyObject *argument = slots[0];
    PyObject *index = PyNumber_Index(argument);
    size_t limit = index ? PyLong_AsSize_t(index) : 0, previous;
    Py_XDECREF(index);
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Format(PyExc_ValueError, "limit: got %R, allowed is a number of bytes", argument);
        return NULL;
    }
    return py_check(set(limit, &previous)) < 0 ? NULL : PyLong_FromSize_t(previous);
}

static PyObject *set_memory_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames)
{
    return set_limit("set_memory_limit", args, nargs, kwnames, jg_set_memory_limit);
}

static PyObject *set_cache_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames)
{
    return set_limit("set_cache_limit", args, nargs, kwnames, jg_set_cache_limit);
}

static PyObject *get_memory_limit(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(jg_memory_limit());
}

static PyObject *get_cache_limit(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyLong_FromSize_t(jg_cache_limit());
}

PyMethodDef py_memory_functions[] = {
    {"get_active_memory", get_active_memory, METH_NOARGS,
     "get_active_memory()\n--\n\nBytes in use by arrays; imported memory does not count."
     "\n\n"
     ">>> jg.get_active_memory() >= 0\n"
     "True"},
    {"get_peak_memory", get_peak_memory, METH_NOARGS,
     "get_peak_memory()\n--\n\nThe most that get_active_memory() has been since the start or the "
     "last reset."
     "\n\n"
     ">>> jg.get_peak_memory() >= jg.get_active_memory()\n"
     "True"},
    {"reset_peak_memory", reset_peak_memory, METH_NOARGS,
     "reset_peak_memory()\n--\n\nSets the peak to zero; the next array raises it."
     "\n\n"
     ">>> jg.reset_peak_memory()"},
    {"get_cache_memory", get_cache_memory, METH_NOARGS,
     "get_cache_memory()\n--\n\nBytes that are free and kept for reuse."
     "\n\n"
     ">>> jg.get_cache_memory() >= 0\n"
     "True"},
    {"get_memory_limit", get_memory_limit, METH_NOARGS,
     "get_memory_limit()\n--\n\nThe most bytes that arrays and the cache may take."
     "\n\n"
     ">>> jg.get_memory_limit() > 0\n"
     "True"},
    {"get_cache_limit", get_cache_limit, METH_NOARGS,
     "get_cache_limit()\n--\n\nThe most bytes that are kept for reuse."
     "\n\n"
     ">>> jg.get_cache_limit() > 0\n"
     "True"},
    {"set_memory_limit", PY_FASTCALL(set_memory_limit),
     "set_memory_limit(limit)\n--\n\nThe most bytes that arrays and the cache may take; beyond "
     "it, MemoryError. Gives the limit before."
     "\n\n"
     ">>> jg.set_memory_limit(1 << 40) > 0\n"
     "True"},
    {"set_cache_limit", PY_FASTCALL(set_cache_limit),
     "set_cache_limit(limit)\n--\n\nThe most bytes that are kept for reuse. Gives the limit "
     "before."
     "\n\n"
     ">>> jg.set_cache_limit(1 << 30) > 0\n"
     "True"},
    {"clear_cache", clear_cache, METH_NOARGS,
     "clear_cache()\n--\n\nGives the kept bytes back to the system."
     "\n\n"
     ">>> jg.clear_cache()"},
    {NULL, NULL, 0, NULL},
};
