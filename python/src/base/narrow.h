/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with the meaning that MLX has. */
#ifndef JG_PYTHON_NARROW_H
#define JG_PYTHON_NARROW_H

#include "base/core.h"

/* Whether the thread is in a call of a function of joggle.mlx: Python's ints are int32 there. */
bool py_is_narrow(void);

/* Makes it so for what the thread does next. gives: what it was, for py_narrow_leave */
bool py_narrow_enter(void);
void py_narrow_leave(bool outer);

/* Whether mlx is joggle.mlx in this process, and has been imported: then operators and x.T have
 * MLX's meaning, too. */
bool py_process_is_mlx(void);

/* If the process behaves as MLX and MLX raises ValueError here, the pending failure becomes one
 * that is also a ValueError. Returns NULL. */
void *py_mlx_refusal(void);

/* The same, but what joggle refuses the function of joggle.mlx.core may compute. Gives its result,
 * or NULL with its failure. */
PyObject *py_mlx_otherwise(const char *name, PyObject *const *args, size_t count);

/* Turns the pending failure into one that is both joggle's type and MLX's, if these differ. Returns
 * NULL. */
void *py_both_errors(void);

/* For good. functions: those of joggle.mlx.core by name, a dict. keeps: functions */
void py_process_becomes_mlx(PyObject *functions);

/* Makes the exceptions of joggle.mlx. 0 or -1 */
int py_narrow_ready(void);

#endif
