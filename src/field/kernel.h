/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as objects: the program and, once it has been run, its compiled variants. */
#ifndef JG_FIELD_KERNEL_H
#define JG_FIELD_KERNEL_H

#include "program/executor.h"
#include "program/kernel.h"
#include <joggle/kernel.h>
#include <stdatomic.h>

struct jg_kernel {
    atomic_int refs;
    kernel_program program; /* verified; never changes */
};

/* takes: program, on JG_OK, leaving nothing in it | gives: *out, +1 | raises: NOMEM */
jg_status kernel_take_program(kernel_program *program, jg_kernel **out);

#endif
