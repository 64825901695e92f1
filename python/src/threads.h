/* SPDX-License-Identifier: Apache-2.0 */
/* What holds where Python's threads run at the same time, in an interpreter that has no lock. With
 * the lock all of this is plain code, as in it no other thread runs until Python code does. */
#ifndef JG_PY_THREADS_H
#define JG_PY_THREADS_H

#include <Python.h>
#include <stdbool.h>

/* Before 3.13 Python has no critical sections, but always the interpreter lock, which does their
 * work. */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(object) {
#define Py_END_CRITICAL_SECTION() }
#endif

/* A count of users, from any thread. gives: what it is then */
typedef int py_count;
static inline int py_count_add(py_count *count, int difference)
{
#ifdef Py_GIL_DISABLED
    return __atomic_add_fetch(count, difference, __ATOMIC_ACQ_REL);
#else
    return *count += difference;
#endif
}

/* A name that is made when it is first asked for, and kept: all threads make the same one, as it is
 * interned. kept: NULL at first. Borrowed; NULL with an exception */
static inline PyObject *py_kept_name(PyObject **kept, const char *text)
{
    PyObject *name = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (name)
        return name;
    if (!(name = PyUnicode_InternFromString(text)))
        return NULL;
    PyObject *had = NULL;
    if (__atomic_compare_exchange_n(kept, &had, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return name;
    Py_DECREF(name);
    return had;
}

/* What a list, tuple or dict holds, in one that no other thread changes: a tuple or a dict without
 * the lock, where the object may be changed meanwhile; the object itself with it. New reference */
static inline PyObject *py_frozen(PyObject *container)
{
#ifdef Py_GIL_DISABLED
    if (PyList_Check(container))
        return PyList_AsTuple(container);
    if (PyDict_Check(container))
        return PyDict_Copy(container);
#endif
    return Py_NewRef(container);
}

#endif
