/* SPDX-License-Identifier: Apache-2.0 */
/* The object around a kernel's program; it is made from text and printed as text. */
#include "field/launch/ported.h"
#include <string.h>

jg_status field_kernel_take_program(kernel_program *program, jg_kernel **out)
{
    size_t nbytes = sizeof(jg_kernel) + program->narrays * sizeof(int);
    jg_kernel *kernel = base_alloc_zeroed(nbytes);
    if (kernel == NULL)
        return base_nomem(nbytes, "a kernel");
    atomic_init(&kernel->refs, 1);
    for (uint32_t a = 0; a < program->narrays; ++a) {
        kernel->first_axes[a] = kernel->naxes;
        kernel->naxes += kernel_array_at(program, a)->ndim;
    }
    readers_track_foreign(); /* kernels write foreign memory, which arrays may be reading */
    kernel->program = *program;
    memset(program, 0, sizeof *program);
    *out = kernel;
    return JG_OK;
}

jg_status jg_kernel_from_text(const char *text, jg_kernel **out)
{
    kernel_program program;
    JG_TRY(kernel_parse(text, &program));
    jg_status status = field_kernel_take_program(&program, out);
    if (status != JG_OK)
        kernel_clear(&program);
    return status;
}

jg_status jg_kernel_text(const jg_kernel *kernel, char **out)
{
    base_text text = {0};
    kernel_print(&kernel->program, &text);
    jg_status status = text_finish(&text, out);
    text_clear(&text);
    return status;
}

jg_kernel *jg_kernel_retain(jg_kernel *kernel)
{
    atomic_fetch_add_explicit(&kernel->refs, 1, memory_order_relaxed);
    return kernel;
}

void jg_kernel_release(jg_kernel *kernel)
{
    if (kernel == NULL || atomic_fetch_sub_explicit(&kernel->refs, 1, memory_order_acq_rel) != 1)
        return;
    variants_clear(kernel);
    ported_clear(kernel);
    kernel_clear(&kernel->program);
    base_free(kernel);
}

const char *jg_kernel_name(const jg_kernel *kernel)
{
    return kernel_text(&kernel->program, kernel->program.name);
}

int jg_kernel_narrays(const jg_kernel *kernel)
{
    return (int)kernel->program.narrays;
}

jg_dtype jg_kernel_array_dtype(const jg_kernel *kernel, int array)
{
    return (jg_dtype)kernel_array_at(&kernel->program, (uint32_t)array)->dtype;
}

int jg_kernel_array_ndim(const jg_kernel *kernel, int array)
{
    return kernel_array_at(&kernel->program, (uint32_t)array)->ndim;
}

bool jg_kernel_array_is_written(const jg_kernel *kernel, int array)
{
    return kernel_array_at(&kernel->program, (uint32_t)array)->write;
}

jg_dtype jg_kernel_scalar_dtype(const jg_kernel *kernel, int scalar)
{
    return (jg_dtype)kernel_value_at(&kernel->program, (uint32_t)scalar)->type;
}

int jg_kernel_nscalars(const jg_kernel *kernel)
{
    return (int)kernel->program.nscalars;
}

int jg_kernel_nresults(const jg_kernel *kernel)
{
    return (int)kernel->program.nresults;
}

bool jg_kernel_parameter_is_array(const jg_kernel *kernel, int parameter, int *index)
{
    const kernel_parameter *p = kernel_parameter_at(&kernel->program, (uint32_t)parameter);
    *index = (int)p->index;
    return p->is_array;
}

const char *jg_kernel_parameter_name(const jg_kernel *kernel, int parameter)
{
    const kernel_program *program = &kernel->program;
    int index;
    bool is_array = jg_kernel_parameter_is_array(kernel, parameter, &index);
    uint32_t at = (uint32_t)index;
    return kernel_text(program, is_array ? kernel_array_at(program, at)->name
                                         : kernel_value_at(program, at)->name);
}
