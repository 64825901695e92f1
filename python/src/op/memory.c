/* SPDX-License-Identifier: Apache-2.0 */
/* Memory use of arrays and its limits: MLX's functions, with its results, of all devices or of the
 * one that is named. */
#include "op/op.h"

/* gives: 1 with *out where the argument names a device, 0 where it is left out or None, -1 on
 * failure */
static int take_device(PyObject *argument, jg_device_id *out)
{
    if (argument == NULL || argument == Py_None)
        return 0;
    return py_device_from(argument, out) < 0 ? -1 : 1;
}

/* Like take_device, for a function whose only argument is the device. */
static int read_device(const char *function, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames, jg_device_id *out)
{
    static const py_signature signature = {0, 1, 0, {"device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    if (py_arguments(function, &signature, args, nargs, kwnames, slots) < 0)
        return -1;
    return take_device(slots[0], out);
}

enum { ACTIVE, PEAK, CACHE, MEMORY_LIMIT, CACHE_LIMIT, FIGURES };

static jg_status read_figures(jg_device_id device, size_t figures[FIGURES])
{
    jg_status status =
        jg_device_memory_use(device, &figures[ACTIVE], &figures[PEAK], &figures[CACHE]);
    if (status != JG_OK)
        return status;
    return jg_device_memory_limits(device, &figures[MEMORY_LIMIT], &figures[CACHE_LIMIT]);
}

/* One figure of the named device; without a device, what `all` gives. */
static PyObject *get_figure(const char *function, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames, int which, size_t (*all)(void))
{
    jg_device_id device;
    size_t figures[FIGURES];
    int named = read_device(function, args, nargs, kwnames, &device);
    if (named == 0)
        return PyLong_FromSize_t(all());
    if (named < 0 || py_check(read_figures(device, figures)) < 0)
        return NULL;
    return PyLong_FromSize_t(figures[which]);
}

static PyObject *get_active_memory(PyObject *Py_UNUSED(module), PyObject *const *args,
                                   Py_ssize_t nargs, PyObject *kwnames)
{
    return get_figure("get_active_memory", args, nargs, kwnames, ACTIVE, jg_active_memory);
}

static PyObject *get_peak_memory(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames)
{
    return get_figure("get_peak_memory", args, nargs, kwnames, PEAK, jg_peak_memory);
}

static PyObject *get_cache_memory(PyObject *Py_UNUSED(module), PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames)
{
    return get_figure("get_cache_memory", args, nargs, kwnames, CACHE, jg_cache_memory);
}

/* Does one thing to the named device, else to all. */
static PyObject *change(const char *function, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames, jg_status (*one)(jg_device_id), void (*all)(void))
{
    jg_device_id device;
    int named = read_device(function, args, nargs, kwnames, &device);
    if (named == 0)
        all();
    if (named < 0 || (named > 0 && py_check(one(device)) < 0))
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *reset_peak_memory(PyObject *Py_UNUSED(module), PyObject *const *args,
                                   Py_ssize_t nargs, PyObject *kwnames)
{
    return change("reset_peak_memory", args, nargs, kwnames, jg_device_reset_peak_memory,
                  jg_reset_peak_memory);
}

static PyObject *clear_cache(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    return change("clear_cache", args, nargs, kwnames, jg_device_clear_cache, jg_clear_cache);
}

/* jg_set_memory_limit and its like: the new limit, and where the one before goes. */
typedef jg_status limit_setter(size_t, size_t *);
typedef jg_status device_limit_setter(jg_device_id, size_t, size_t *);

/* A limit that size_t does not hold is a ValueError, as one that the library refuses. */
static int read_limit(PyObject *argument, size_t *out)
{
    PyObject *index = PyNumber_Index(argument);
    *out = index ? PyLong_AsSize_t(index) : 0;
    Py_XDECREF(index);
    if (!PyErr_Occurred())
        return 0;
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_ValueError, "limit: got %R, allowed is a number of bytes", argument);
    return -1;
}

/* gives: the limit before, as MLX does */
static PyObject *set_limit(const char *function, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames, limit_setter *set, device_limit_setter *set_device)
{
    static const py_signature signature = {1, 1, 0, {"limit", "device"}};
    PyObject *slots[PY_MAX_PARAMETERS];
    jg_device_id device;
    size_t limit, previous;
    if (py_arguments(function, &signature, args, nargs, kwnames, slots) < 0 ||
        read_limit(slots[0], &limit) < 0)
        return NULL;
    int named = take_device(slots[1], &device);
    if (named < 0)
        return NULL;
    jg_status status = named > 0 ? set_device(device, limit, &previous) : set(limit, &previous);
    return py_check(status) < 0 ? NULL : PyLong_FromSize_t(previous);
}

static PyObject *set_memory_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames)
{
    return set_limit("set_memory_limit", args, nargs, kwnames, jg_set_memory_limit,
                     jg_device_set_memory_limit);
}

static PyObject *set_cache_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames)
{
    return set_limit("set_cache_limit", args, nargs, kwnames, jg_set_cache_limit,
                     jg_device_set_cache_limit);
}

static PyObject *get_memory_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames)
{
    return get_figure("get_memory_limit", args, nargs, kwnames, MEMORY_LIMIT, jg_memory_limit);
}

static PyObject *get_cache_limit(PyObject *Py_UNUSED(module), PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames)
{
    return get_figure("get_cache_limit", args, nargs, kwnames, CACHE_LIMIT, jg_cache_limit);
}

PyMethodDef py_memory_functions[] = {
    {"get_active_memory", PY_FASTCALL(get_active_memory),
     "get_active_memory(device=None)\n--\n\nBytes in use by arrays, of all devices or of one; "
     "imported memory does not count."
     "\n\n"
     ">>> jg.get_active_memory() >= 0\n"
     "True"},
    {"get_peak_memory", PY_FASTCALL(get_peak_memory),
     "get_peak_memory(device=None)\n--\n\nThe most that get_active_memory(device) has been since "
     "the start or the last reset; without a device that of each, added up."
     "\n\n"
     ">>> jg.get_peak_memory() >= jg.get_active_memory()\n"
     "True"},
    {"reset_peak_memory", PY_FASTCALL(reset_peak_memory),
     "reset_peak_memory(device=None)\n--\n\nSets the peak to zero, of all devices or of one; the "
     "next array raises it."
     "\n\n"
     ">>> jg.reset_peak_memory()"},
    {"get_cache_memory", PY_FASTCALL(get_cache_memory),
     "get_cache_memory(device=None)\n--\n\nBytes that are free and kept for reuse, of all devices "
     "or of one."
     "\n\n"
     ">>> jg.get_cache_memory() >= 0\n"
     "True"},
    {"get_memory_limit", PY_FASTCALL(get_memory_limit),
     "get_memory_limit(device=None)\n--\n\nThe most bytes that arrays and the cache may take: of a "
     "device, or of each that has no limit of its own."
     "\n\n"
     ">>> jg.get_memory_limit() > 0\n"
     "True"},
    {"get_cache_limit", PY_FASTCALL(get_cache_limit),
     "get_cache_limit(device=None)\n--\n\nThe most bytes that are kept for reuse: of a device, or "
     "of each that has no limit of its own."
     "\n\n"
     ">>> jg.get_cache_limit() > 0\n"
     "True"},
    {"set_memory_limit", PY_FASTCALL(set_memory_limit),
     "set_memory_limit(limit, *, device=None)\n--\n\nThe most bytes that arrays and the cache may "
     "take; beyond it, MemoryError. Gives the limit before. Without a device it is that of each "
     "that has not been given its own."
     "\n\n"
     ">>> jg.set_memory_limit(1 << 40) > 0\n"
     "True"},
    {"set_cache_limit", PY_FASTCALL(set_cache_limit),
     "set_cache_limit(limit, *, device=None)\n--\n\nThe most bytes that are kept for reuse. Gives "
     "the limit before. Without a device it is that of each that has not been given its own."
     "\n\n"
     ">>> jg.set_cache_limit(1 << 30) > 0\n"
     "True"},
    {"clear_cache", PY_FASTCALL(clear_cache),
     "clear_cache(device=None)\n--\n\nGives the kept bytes back to the system, of all devices or "
     "of one."
     "\n\n"
     ">>> jg.clear_cache()"},
    {NULL, NULL, 0, NULL},
};
