/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text, and the heads of kernels: their parameters in the dialect, and in the entry what
 * is handed over for each. */
#include "source/draft.h"
#include <stdio.h>
#include <string.h>

static const source_dialect *const dialects[DEVICE_DIALECT_COUNT] = {
    [DEVICE_OPENCL_C] = &source_opencl,
    [DEVICE_CUDA] = &source_cuda,
    [DEVICE_HIP] = &source_hip,
    [DEVICE_METAL] = &source_metal,
};

const source_dialect *source_dialect_of(const device_facts *facts)
{
    return dialects[facts->dialect];
}

static void write_formatted(source_draft *d, const char *format, va_list arguments, const char *end)
{
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    text_add(d->out, "%*s%s%s\n", 4 * d->depth, "", line, end);
}

void source_write_line(source_draft *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_formatted(d, format, arguments, "");
    va_end(arguments);
}

void source_write_open(source_draft *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_formatted(d, format, arguments, " {");
    va_end(arguments);
    d->depth += 1;
}

void source_write_close(source_draft *d)
{
    d->depth -= 1;
    source_write_line(d, "}");
}

static void add_parameter(source_draft *d, device_kernel *kernel, device_argument_kind kind,
                          int buffer, const char *declaration)
{
    int position = kernel->narguments++;
    kernel->arguments[position] = (device_argument){kind & 3u, (unsigned)buffer & 0x3fffu};
    text_add(d->out, "%s%s", position > 0 ? ", " : "", declaration);
    if (d->dialect->position != NULL)
        text_add(d->out, "%s%d)]]", d->dialect->position, position);
}

/* Whether items write to the block: a users' kernel has no form. */
static bool is_written(const source_draft *d)
{
    return d->form != NULL && d->form->joins;
}

/* The block is passed by value if it fits among the arguments of the device and no item writes to
 * it. */
static void add_block(source_draft *d, device_kernel *kernel)
{
    char declaration[64];
    int64_t nbytes = 8 * ((int64_t)d->words.count + kernel->narguments);
    bool by_value = nbytes <= d->facts->argument_nbytes && !is_written(d);
    if (by_value)
        snprintf(declaration, sizeof declaration, "%sstruct words_%d %sblock",
                 d->dialect->block_space, d->number, d->dialect->block_reference);
    else
        snprintf(declaration, sizeof declaration, "MEMORY %sstruct words_%d *blocks",
                 is_written(d) ? "" : "const ", d->number);
    add_parameter(d, kernel, by_value ? DEVICE_ARGUMENT_BLOCK : DEVICE_ARGUMENT_MEMORY, 0,
                  declaration);
}

void source_write_kernel(source_draft *d, const char *name, int nbuffers, bool has_scratch,
                         int group)
{
    device_kernel *kernel = &d->entry->kernels[d->entry->nkernels++];
    char declaration[64];
    memset(kernel, 0, sizeof *kernel);
    snprintf(kernel->name, sizeof kernel->name, "k%d_%s", d->number, name);
    if (group > 0 && d->at_once > 0)
        text_add(d->out, "KERNEL_OF_MANY(%d,%d) %s(", group, d->at_once, kernel->name);
    else if (group > 0)
        text_add(d->out, "KERNEL_OF(%d) %s(", group, kernel->name);
    else
        text_add(d->out, "KERNEL %s(", kernel->name);
    d->at_once = 0; /* said of one kernel */
    for (int b = 0; b < nbuffers; ++b) {
        if (d->taken != NULL ? !d->taken[b] : d->entry->is_index[b])
            continue;
        snprintf(declaration, sizeof declaration, "MEMORY uint8_t *m%d", b);
        add_parameter(d, kernel, DEVICE_ARGUMENT_BUFFER, b, declaration);
    }
    if (has_scratch)
        add_parameter(d, kernel, DEVICE_ARGUMENT_SCRATCH, 0, "MEMORY uint8_t *scratch");
    add_block(d, kernel);
    source_write_open(d, "%s)", d->dialect->ids);
    if (kernel->arguments[kernel->narguments - 1].kind == DEVICE_ARGUMENT_MEMORY)
        source_write_line(d, "const struct words_%d block = *blocks;", d->number);
}
