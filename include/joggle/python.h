/* SPDX-License-Identifier: Apache-2.0 */
/* The bridge for extension modules of others: joggle.array objects from jg_array and back.
 *
 * Everything goes through a capsule of the extension joggle._core, which is imported at the first
 * use: there is nothing to link but libjoggle, and that only for the jg_ functions that you call
 * yourself. joggle.get_include() and joggle.get_library_dir() say where headers and library are.
 *
 * All functions need the interpreter lock. */
#ifndef JOGGLE_PYTHON_H
#define JOGGLE_PYTHON_H

#include <joggle/array.h>
#include <Python.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JG_PYTHON_BRIDGE_NAME "joggle._core._bridge"
#define JG_PYTHON_BRIDGE_VERSION 1

/* The table that the capsule holds. Later versions add members at the end. */
typedef struct jg_python_bridge {
    int version;
    PyObject *(*wrap)(jg_array *x);        /* jg_python_wrap. gives: as that does */
    jg_array *(*unwrap)(PyObject *object); /* jg_python_unwrap. gives: as that does */
    int (*check)(PyObject *object);
} jg_python_bridge;

/* The bridge, imported if need be. Each source file that includes this header keeps the pointer for
 * itself; two threads that come first both find the same one.
 * gives: what the extension keeps forever; NULL with an exception set */
static inline const jg_python_bridge *jg_python_bridge_get(void)
{
    static const jg_python_bridge *cached;
#if defined(__GNUC__)
    const jg_python_bridge *bridge = __atomic_load_n(&cached, __ATOMIC_ACQUIRE);
#else
    const jg_python_bridge *bridge = cached;
#endif
    if (bridge)
        return bridge;
    bridge = (const jg_python_bridge *)PyCapsule_Import(JG_PYTHON_BRIDGE_NAME, 0);
    if (!bridge)
        return NULL;
    if (bridge->version < JG_PYTHON_BRIDGE_VERSION) {
        PyErr_Format(PyExc_ImportError, "joggle's bridge is of version %d, this module needs %d",
                     bridge->version, JG_PYTHON_BRIDGE_VERSION);
        return NULL;
    }
#if defined(__GNUC__)
    __atomic_store_n(&cached, bridge, __ATOMIC_RELEASE);
#else
    cached = bridge;
#endif
    return bridge;
}

/* A joggle.array that holds x.
 * steals: x, CPython's word for an argument that passes to the callee also if the call fails. So
 * the result of a jg_ function, or NULL, can be passed on directly, as to CPython's own functions
 * gives: a new reference; NULL with an exception set, also for NULL */
static inline PyObject *jg_python_wrap(jg_array *x)
{
    const jg_python_bridge *bridge = x ? jg_python_bridge_get() : NULL;
    if (bridge)
        return bridge->wrap(x);
    jg_array_release(x);
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_SystemError, "jg_python_wrap: got NULL");
    return NULL;
}

/* The array that a joggle.array holds now. As x[i] = v gives the Python object another array, the
 * caller gets a reference of its own.
 * gives: an array, +1, for jg_array_release; NULL with TypeError set if it is no joggle.array */
static inline jg_array *jg_python_unwrap(PyObject *object)
{
    const jg_python_bridge *bridge = jg_python_bridge_get();
    return bridge ? bridge->unwrap(object) : NULL;
}

/* Whether the object is a joggle.array. gives: 1 or 0; -1 with an exception set */
static inline int jg_python_check(PyObject *object)
{
    const jg_python_bridge *bridge = jg_python_bridge_get();
    return bridge ? bridge->check(object) : -1;
}

#ifdef __cplusplus
}
#endif
#endif
