/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel runs where its arrays are. */
#include "field/kernel.h"

static bool is_on_host(const jg_kernel *kernel, const jg_view *const *arrays)
{
    for (uint32_t a = 0; a < kernel->program.narrays; ++a)
        if (JG_UNLIKELY(!jg_device_is_host_accessible(arrays[a]->device.type)))
            return false;
    return true;
}

jg_status jg_kernel_start(jg_kernel *kernel, const jg_view *const *arrays,
                          const jg_kernel_loan *loans, const jg_number *scalars, jg_number *results)
{
    return JG_LIKELY(is_on_host(kernel, arrays))
               ? field_launch_on_host(kernel, arrays, scalars, results)
               : field_launch_on_device(kernel, arrays, loans, scalars, results);
}

jg_status jg_kernel_run(jg_kernel *kernel, const jg_view *const *arrays, const jg_number *scalars,
                        jg_number *results)
{
    return jg_kernel_start(kernel, arrays, NULL, scalars, results);
}
