/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that module.c uses from the files beside it. */
#ifndef JG_PY_MODULE_H
#define JG_PY_MODULE_H

#include "base/core.h"

/* Makes the base of modules of neural networks and adds it to the module. 0 or -1 */
int py_item_attributes_ready(PyObject *module);

/* The functions of joggle/python.h for other extensions. New reference or NULL */
PyObject *py_bridge_capsule(void);

#endif
