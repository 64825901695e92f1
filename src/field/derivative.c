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

jg_status jg_kernel_adjoint_check(const jg_kernel *kernel, const jg_derived *gradients,
                                  bool *marked, jg_kernel **out)
{
    kernel_program program;
    JG_TRY(derive_check(&kernel->program, gradients, marked, &program));
    jg_kernel *made = NULL;
    jg_status status = program.ninsts == 0 ? JG_OK : field_kernel_take_program(&program, &made);
    if (status != JG_OK) {
        kernel_clear(&program);
        return status;
    }
    *out = made;
    return JG_OK;
}
