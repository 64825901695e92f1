/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: Python objects that hold one reference to a jg_array each. x[i] = v and x += y give the
 * handle another array; the array itself never changes. Here stands how a handle's array is had
 * while other threads run, and how it is evaluated. */
#ifndef JG_PY_HANDLE_H
#define JG_PY_HANDLE_H

#include "base/failure.h"
#include "base/threads.h"

/* handle.c */

/* The handle. It takes no part in garbage collection: an array knows no Python objects except the
 * owners of imported memory, and the library releases these. */
typedef struct py_array {
    PyObject_HEAD jg_array *array;
    PyObject *weakrefs;
    struct py_lent *lent; /* NULL: none */
} py_array;

extern PyTypeObject *py_array_type; /* array.c makes it */
void py_array_dealloc(PyObject *self);

/* A handle for the array. steals: array; NULL passes a failure on. */
PyObject *py_array_wrap(jg_array *array);

/* Gives the handle another array if it has the expected one still. takes: array | gives: whether it
 * had */
bool py_array_exchange(PyObject *self, const jg_array *expected, jg_array *array);

/* The array's memory stays as it is, and where it is, as long as the handle lives, whatever arrays
 * it is given: for addresses that are told to holders of the handle alone.
 * keeps: array | gives: 0, or -1 with MemoryError */
int py_array_lend(PyObject *self, jg_array *array);

/* From Python 3.12 on dicts have no version that others may read. */
#if PY_VERSION_HEX < 0x030C0000 && !defined(Py_GIL_DISABLED)
#define PY_DICTS_HAVE_VERSIONS
#endif

/* How often a handle was given an array of another dtype, shape, layout or device, or one
 * without values; counted where dicts have versions, for unchanged.c. */
extern uint64_t py_array_form_changes;

static inline bool py_array_check(PyObject *x)
{
    return Py_IS_TYPE(x, py_array_type);
}

/* The handle's array with a reference of its own: for calls during which another thread may run. */
static inline jg_array *py_array_retain(PyObject *x)
{
    jg_array *array;
    Py_BEGIN_CRITICAL_SECTION(x);
    array = jg_array_retain(((py_array *)x)->array);
    Py_END_CRITICAL_SECTION();
    return array;
}

/* Whether it is a handle of an array that depends on an argument of a function being traced: what
 * is read from it is a constant to the function's derivatives. */
static inline bool py_array_is_traced(PyObject *x)
{
    bool is_traced = false;
    if (!py_array_check(x))
        return false;
    Py_BEGIN_CRITICAL_SECTION(x);
    is_traced = jg_array_is_traced(((py_array *)x)->array);
    Py_END_CRITICAL_SECTION();
    return is_traced;
}

/* The handle's array for calls that keep the interpreter lock and run no Python code; where there
 * is no such lock it takes a reference. Each hold is followed by a drop. Whatever may run Python
 * code retains instead: x[i] = v in there would free the array under its feet. */
#ifdef Py_GIL_DISABLED
static inline jg_array *py_array_hold(PyObject *x)
{
    return py_array_retain(x);
}
static inline void py_array_drop(jg_array *array)
{
    jg_array_release(array);
}
#else
static inline jg_array *py_array_hold(PyObject *x)
{
    return ((py_array *)x)->array;
}
static inline void py_array_drop(jg_array *Py_UNUSED(array))
{
}
#endif

/* evaluate.c */

/* jg_eval and jg_array_view without the interpreter lock while they wait. x, arrays: references of
 * the caller's, as handles may be given others meanwhile. gives: 0 or -1, a status | waits: yes */
int py_evaluate(jg_array *x);
int py_item(jg_array *x, jg_number *out); /* jg_array_item, evaluated */
jg_status py_eval(int count, jg_array *const *arrays);
jg_status py_eval_into(int count, jg_array *const *arrays, jg_array *const *places);
int py_view(jg_array *x, jg_view *out);

/* A reference to the array if the host can read its memory, else to a copy that it can. gives: a
 * reference or NULL with an exception */
jg_array *py_on_host(jg_array *x);

#endif
