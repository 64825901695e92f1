/* SPDX-License-Identifier: Apache-2.0 */
/* Handles of fields: a py_field holds one jg_field; Python's classes of fields derive from it. */
#ifndef JG_PY_FIELD_HANDLE_H
#define JG_PY_FIELD_HANDLE_H

#include "base/core.h"
#include <stdatomic.h>

extern PyTypeObject *py_field_type; /* the base of the classes of fields; field.c makes it */

static inline bool py_field_check(PyObject *x)
{
    return PyObject_TypeCheck(x, py_field_type);
}

/* The field is there from the object's making to its end; a reset loses its memory, not the
 * field. */
typedef struct py_field {
    PyObject_HEAD jg_field *field;
} py_field;

/* Borrowed from the object. Code that releases the interpreter lock retains it first. */
static inline jg_field *py_field_of(PyObject *self)
{
    return ((py_field *)self)->field;
}

/* An object of the class, which derives from py_field_type. steals: field
 * raises: TypeError for another class, MemoryError */
PyObject *py_field_wrap(PyObject *class, jg_field *field);

/* Ints in *out from None (none of them), an int or a tuple. out: for JG_MAX_NDIM of them.
 * gives: how many, -1 on failure | raises: IndexError, TypeError */
int py_field_indices(PyObject *key, int64_t *out);

/* Whether fields that are made now lie on a device, as all that are not lost do then. */
extern atomic_bool py_fields_are_away;

/* The field's values: its memory where that can be and the policy allows. New reference or NULL */
jg_array *py_field_array(PyObject *self, jg_copy_policy copy);

#endif
