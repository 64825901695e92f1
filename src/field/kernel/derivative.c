/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of kernels as kernels of their own. */
#include "derive/derive.h"
#include "field/kernel.h"

typedef jg_status derivation(const kernel_program *kernel, const jg_derived *which,
                             kernel_program *out);

/* The derivation gives a verified program of its own; the kernel is only read. */
static jg_status derive(derivation *by, const jg_kernel *kernel, const jg_derived *which,
                        jg_kernel **out)
{
    kernel_program program;
    JG_TRY(by(&kernel->program, which, &program));
    jg_status status = field_kernel_take_program(&program, out);
    if (status != JG_OK)
        kernel_clear(&program);
    return status;
}

jg_status jg_kernel_adjoint(const jg_kernel *kernel, const jg_derived *gradients, jg_kernel **out)
{
    return derive(derive_adjoint, kernel, gradients, out);
}

jg_status jg_kernel_tangent(const jg_kernel *kernel, const jg_derived *tangents, jg_kernel **out)
{
    return derive(derive_tangent, kernel, tangents, out);
}

/* Takes the check over. gives: *out, NULL where nothing is to be looked at */
static jg_status take_check(kernel_program *program, jg_kernel **out)
{
    jg_kernel *made = NULL;
    jg_status status = program->ninsts == 0 ? JG_OK : field_kernel_take_program(program, &made);
    if (status != JG_OK) {
        kernel_clear(program);
        return status;
    }
    *out = made;
    return JG_OK;
}

jg_status jg_kernel_adjoint_check(const jg_kernel *kernel, const jg_derived *gradients,
                                  bool *marked, jg_kernel **out)
{
    kernel_program program;
    JG_TRY(derive_check(&kernel->program, gradients, marked, &program));
    return take_check(&program, out);
}

jg_status jg_kernel_adjoint_and_check(const jg_kernel *kernel, const jg_derived *gradients,
                                      jg_kernel **adjoint, bool *marked, jg_kernel **check)
{
    kernel_program programs[2];
    jg_kernel *made;
    JG_TRY(
        derive_adjoint_and_check(&kernel->program, gradients, &programs[0], marked, &programs[1]));
    jg_status status = field_kernel_take_program(&programs[0], &made);
    if (status != JG_OK) {
        kernel_clear(&programs[0]);
        kernel_clear(&programs[1]);
        return status;
    }
    status = take_check(&programs[1], check);
    if (status != JG_OK) {
        jg_kernel_release(made);
        return status;
    }
    *adjoint = made;
    return JG_OK;
}
