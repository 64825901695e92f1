/* SPDX-License-Identifier: Apache-2.0 */
/* The capsule behind joggle/python.h: how other extensions access joggle's arrays. The table's
 * functions have the contracts that the header gives them. */
#include "module.h"
#include <joggle/python.h>

static PyObject *wrap(jg_array *x)
{
    return py_array_wrap(x);
}

/* gives: a reference, or NULL with TypeError */
static jg_array *unwrap(PyObject *object)
{
    if (py_array_check(object))
        return py_array_retain(object);
    PyErr_Format(PyExc_TypeError, "got %s, allowed is joggle.array", Py_TYPE(object)->tp_name);
    return NULL;
}

static int check(PyObject *object)
{
    return py_array_check(object);
}

static const jg_python_bridge bridge = {JG_PYTHON_BRIDGE_VERSION, wrap, unwrap, check};

PyObject *py_bridge_capsule(void)
{
    return PyCapsule_New((void *)(uintptr_t)&bridge, JG_PYTHON_BRIDGE_NAME, NULL);
}
