/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with the dtypes that MLX has: narrow.c. */
#ifndef JG_PYTHON_NARROW_H
#define JG_PYTHON_NARROW_H

#include "core.h"

/* Whether the thread is in a call of a function of joggle.mlx: Python's ints are int32 there. */
bool py_is_narrow(void);

/* Makes the type of such calls and the exception of joggle.mlx. 0 or -1 */
int py_narrow_ready(PyObject *module);
extern PyMethodDef py_narrow_functions[];

#endif
