/* SPDX-License-Identifier: Apache-2.0 */
/* Whether calls have the meaning of MLX, in this thread and in the process, and what that makes
 * of failures. */
#include "base/narrow.h"
#include <stdatomic.h>

static _Thread_local bool is_narrow;
static atomic_bool process_is_mlx; /* once true, it stays true */

bool py_is_narrow(void)
{
    return is_narrow;
}

bool py_narrow_enter(void)
{
    bool outer = is_narrow;
    is_narrow = true;
    return outer;
}

void py_narrow_leave(bool outer)
{
    is_narrow = outer;
}

bool py_process_is_mlx(void)
{
    return atomic_load_explicit(&process_is_mlx, memory_order_relaxed);
}

static PyObject *mlx_functions; /* those of joggle.mlx.core by name, once the process is MLX */

/* The exceptions of joggle in places where MLX raises ValueError, and the exceptions that are
 * both. */
static struct {
    PyObject **own;
    const char *name;
    PyObject *both;
} refusals[] = {
    {&PyExc_TypeError, "joggle.mlx.core.ArgumentError", NULL},
    {&PyExc_IndexError, "joggle.mlx.core.IndexError", NULL},
    {&PyExc_OverflowError, "joggle.mlx.core.OverflowError", NULL},
};

void *py_both_errors(void)
{
    py_pending failure = py_pending_take();
    for (size_t i = 0; i < Py_ARRAY_LENGTH(refusals); ++i)
        if (failure.type == *refusals[i].own) {
            PyErr_SetObject(refusals[i].both, failure.value);
            py_pending_drop(&failure);
            return NULL;
        }
    py_pending_restore(failure);
    return NULL;
}

void *py_mlx_refusal(void)
{
    return py_process_is_mlx() ? py_both_errors() : NULL;
}

PyObject *py_mlx_otherwise(const char *name, PyObject *const *args, size_t count)
{
    PyObject *function =
        py_process_is_mlx() ? PyDict_GetItemString(mlx_functions, name) : NULL; /* borrowed */
    if (!function ||
        !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
          PyErr_ExceptionMatches(PyExc_OverflowError)))
        return py_mlx_refusal();
    PyErr_Clear();
    return PyObject_Vectorcall(function, args, count, NULL);
}

void py_process_becomes_mlx(PyObject *functions)
{
    Py_XSETREF(mlx_functions, Py_NewRef(functions));
    atomic_store_explicit(&process_is_mlx, true, memory_order_relaxed);
}

int py_narrow_ready(void)
{
    for (size_t i = 0; i < Py_ARRAY_LENGTH(refusals); ++i) {
        PyObject *bases = PyTuple_Pack(2, *refusals[i].own, PyExc_ValueError);
        if (bases)
            refusals[i].both = PyErr_NewException(refusals[i].name, bases, NULL);
        Py_XDECREF(bases);
        if (!refusals[i].both)
            return -1;
    }
    return 0;
}
