/* SPDX-License-Identifier: Apache-2.0 */
/* Failures: the conversion of the library's failures to Python's exceptions, and the handling of
 * exceptions that other code has raised. */
#ifndef JG_PY_FAILURE_H
#define JG_PY_FAILURE_H

#define PY_SSIZE_T_CLEAN
#include <joggle/joggle.h>
#include <Python.h>

/* status.c */

extern PyObject *py_copy_error; /* joggle.CopyError, a BufferError and a ValueError */

/* The exception that belongs to a status, with the library's message, in which a public function of
 * the package that is written in Python is named. Returns NULL. */
void *py_raise(jg_status status);

/* The same as an exception type of the caller's choice. */
void *py_raise_as(PyObject *type);

/* interrupt.c: for JG_ERR_INTERRUPTED, the exception that a signal's handler raised. */
void *py_raise_interrupt(void);
void py_interrupt_ready(void);

/* A failure of a buffer's export stays raised, and the next request to the same object raises it
 * again, unless Python code has run in between: repeat gives -1 then, otherwise 0. */
void py_interrupt_remember(const PyObject *self);
int py_interrupt_repeat(const PyObject *self);

/* Adds the exceptions to the module. 0 or -1 */
int py_status_ready(PyObject *module);

/* 0, or -1 with the failure as an exception, so that a call of the library reads as one of
 * Python's. Nothing may come between the call and this: the message is that of the thread's last
 * failure. */
static inline int py_check(jg_status status)
{
    return status == JG_OK ? 0 : (py_raise(status), -1);
}

/* The pending exception, taken away while code runs that must not see it, and put back. Both may be
 * called with none pending. */
typedef struct py_pending {
    PyObject *type, *value, *traceback;
} py_pending;
static inline py_pending py_pending_take(void)
{
    py_pending pending = {NULL, NULL, NULL};
    if (PyErr_Occurred())
        PyErr_Fetch(&pending.type, &pending.value, &pending.traceback);
    return pending;
}
static inline void py_pending_restore(py_pending pending)
{
    if (pending.type)
        PyErr_Restore(pending.type, pending.value, pending.traceback);
}

static inline void py_pending_drop(py_pending *pending)
{
    Py_CLEAR(pending->type);
    Py_CLEAR(pending->value);
    Py_CLEAR(pending->traceback);
}

/* An exception of other code may only mean that an object lacks something. All other exceptions,
 * interrupts above all, are kept. Both forget the pending exception, if there is one, and give 0;
 * or leave it and give -1. py_forget_missing: an AttributeError. py_forget_failure: any Exception
 * but a MemoryError. */
static inline int py_forget_missing(void)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_AttributeError))
        return -1;
    PyErr_Clear();
    return 0;
}
static inline int py_forget_failure(void)
{
    if (PyErr_Occurred() &&
        (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)))
        return -1;
    PyErr_Clear();
    return 0;
}

#endif
