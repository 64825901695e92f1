/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the module and methods of arrays that are ops, and functions that make arrays or
 * tell of them. */
#ifndef JG_PY_OP_H
#define JG_PY_OP_H

#include "convert/convert.h"

extern PyMethodDef py_op_functions[];
extern PyMethodDef py_op_methods[];
extern PyMethodDef py_creation_functions[];
extern PyMethodDef py_random_functions[];
extern PyMethodDef py_evaluate_functions[]; /* evaluation.c */
extern PyMethodDef py_inspection_functions[];
extern PyMethodDef py_memory_functions[];
extern PyMethodDef py_distributed_functions[];

/* narrowed.c */

/* Makes the types of functions with the dtypes that MLX has. 0 or -1 */
int py_narrowed_ready(PyObject *module);
extern PyMethodDef py_narrowed_functions[];

#endif
