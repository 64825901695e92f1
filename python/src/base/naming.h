/* SPDX-License-Identifier: Apache-2.0 */
/* How a failure gets the name of the function of the package that was called: status.c. */
#ifndef JG_PYTHON_NAMING_H
#define JG_PYTHON_NAMING_H

#include "base/core.h"

/* The status, as the function of that name has got it: a failure names it. */
jg_status py_called(const char *name, jg_status status);

/* Puts the name of the function that was called before the message of an exception that the
 * extension has raised without it. Returns NULL. */
PyObject *py_name_failure(const char *name);

/* named_NAME: the function of the package of that name, whose failures name it. */
#define PY_NAMED(function)                                                                         \
    static PyObject *named_##function(PyObject *module, PyObject *const *args, Py_ssize_t nargs,   \
                                      PyObject *kwnames)                                           \
    {                                                                                              \
        PyObject *result = function(module, args, nargs, kwnames);                                 \
        return result ? result : py_name_failure(#function);                                       \
    }

#endif
