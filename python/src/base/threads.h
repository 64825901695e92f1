/* SPDX-License-Identifier: Apache-2.0 */
/* The synchronization that is needed if Python's threads run at the same time, in an interpreter
 * without a lock. With the lock all of this is plain code, because no other thread runs until
 * Python code runs. */
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

/* The dict's value at a key, which stays although another thread may take it out. gives: 1
 * with *found, a new reference; 0 with NULL, or -1 */
static inline int py_dict_find(PyObject *dict, PyObject *key, PyObject **found)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyDict_GetItemRef(dict, key, found);
#else
    *found = Py_XNewRef(PyDict_GetItemWithError(dict, key));
    return *found ? 1 : PyErr_Occurred() ? -1 : 0;
#endif
}

/* A list's item, likewise. New reference; NULL without an exception behind the end */
static inline PyObject *py_list_find(PyObject *list, Py_ssize_t i)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *item = PyList_GetItemRef(list, i);
    if (!item)
        PyErr_Clear();
    return item;
#else
    return i < PyList_GET_SIZE(list) ? Py_NewRef(PyList_GET_ITEM(list, i)) : NULL;
#endif
}

/* The attribute of the type or its bases by that name, found in the same way. New reference; NULL
 * without an exception */
static inline PyObject *py_type_find(PyTypeObject *type, PyObject *name)
{
#if PY_VERSION_HEX >= 0x030D0000
    return _PyType_LookupRef(type, name);
#else
    return Py_XNewRef(_PyType_Lookup(type, name));
#endif
}

/* The contents of a list, tuple or dict, in an object that no other thread changes. Without the
 * lock this is a new tuple or dict, as the object may be changed meanwhile. With the lock it is the
 * object itself. New reference */
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
