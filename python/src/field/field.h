/* SPDX-License-Identifier: Apache-2.0 */
/* The common declarations of the files that bind fields. */
#ifndef JG_PY_FIELD_H
#define JG_PY_FIELD_H

#include "base/field_handle.h"
#include "convert/convert.h"

/* interop.c: methods and attributes of the type */
extern PyMethodDef py_field_interop_methods[];

/* Make the types of fields, and of nodes of their trees, and add them to the module. 0 or -1 */
int py_field_ready(PyObject *module);
int py_field_nest_ready(PyObject *module);

#endif
