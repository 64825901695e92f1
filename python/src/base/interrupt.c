/* SPDX-License-Identifier: Apache-2.0 */
/* Signals while the library computes or waits. Python notes a signal and runs its handler when the
 * main thread comes back to Python; the library asks here from time to time whether that is due, on
 * the main thread alone. A handler that raises interrupts the call, and what it raised is kept
 * until the call has returned; any other runs, and the call goes on. */
#include "base/core.h"
#include <unistd.h>

/* The exception that a handler has raised. Only the main thread reads and writes it. */
static PyObject *type, *value, *traceback;

/* The thread that the process began with, or the one that it has after a fork, is Python's main
 * thread, unless a program has made Python in another one. Then signals are seen when the call has
 * returned. */
static bool is_main_thread(void *Py_UNUSED(unused))
{
    return gettid() == getpid() && Py_IsInitialized();
}

/* true again until it has been raised: the call may be asked several times on its way back. */
static bool run_handlers(void *Py_UNUSED(unused))
{
    if (type)
        return true;
    PyGILState_STATE state = PyGILState_Ensure();
    if (PyErr_CheckSignals() < 0)
        PyErr_Fetch(&type, &value, &traceback);
    bool raised = type != NULL;
    PyGILState_Release(state);
    return raised;
}

/* NumPy drops the exception of a buffer's export and asks the object in another way, which would
 * compute to the end. So a failure there is kept for the next request to the same object, until
 * Python code runs. It belongs to the main thread. */
static const PyObject *_Atomic owner; /* other threads compare it */
static PyObject *dropped_type, *dropped_value, *dropped_traceback;

static int forget(void *Py_UNUSED(unused))
{
    owner = NULL;
    Py_CLEAR(dropped_type);
    Py_CLEAR(dropped_value);
    Py_CLEAR(dropped_traceback);
    return 0;
}

void py_interrupt_remember(const PyObject *self)
{
    if (!is_main_thread(NULL) || Py_AddPendingCall(forget, NULL) < 0)
        return;
    forget(NULL);
    PyErr_Fetch(&dropped_type, &dropped_value, &dropped_traceback);
    owner = self;
    PyErr_Restore(Py_XNewRef(dropped_type), Py_XNewRef(dropped_value),
                  Py_XNewRef(dropped_traceback));
}

int py_interrupt_repeat(const PyObject *self)
{
    if (owner != self || !is_main_thread(NULL) || !dropped_type)
        return 0;
    PyErr_Restore(dropped_type, dropped_value, dropped_traceback);
    dropped_type = dropped_value = dropped_traceback = NULL;
    owner = NULL;
    return -1;
}

void py_interrupt_ready(void)
{
    jg_set_interrupt_check(is_main_thread, run_handlers, NULL);
}

void *py_raise_interrupt(void)
{
    if (!is_main_thread(NULL) || !type) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    PyErr_Restore(type, value, traceback);
    type = value = traceback = NULL;
    return NULL;
}
