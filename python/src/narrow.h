/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with the dtypes that MLX has: narrow.c. */
#ifndef JG_PYTHON_NARROW_H
#define JG_PYTHON_NARROW_H

#include "core.h"

/* Whether the thread is in a call of a function of joggle.mlx: Python's ints are int32 there. */
bool py_is_narrow(void);

/* Makes it so for what the thread does next. gives: what it was, for py_narrow_leave */
bool py_narrow_enter(void);
void py_narrow_leave(bool outer);

/* Whether mlx is joggle.mlx in this process, and has been imported: then operators and x.T have
 * MLX's meaning, too. */
bool py_process_is_mlx(void);

/* Where the process is MLX, the pending failure becomes one that is a ValueError, too, if MLX
 * raises that. Returns NULL. */
void *py_mlx_refusal(void);

/* The same, but what joggle refuses the function of joggle.mlx.core may compute. Gives its result,
 * or NULL with its failure. */
PyObject *py_mlx_otherwise(const char *name, PyObject *const *args, size_t count);

/* Makes the type of such calls and the exceptions of joggle.mlx. 0 or -1 */
int py_narrow_ready(PyObject *module);
extern PyMethodDef py_narrow_functions[];

#endif
