/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as source: which kernels are accepted, the layout of a launch's arguments, and the
 * text. */
#include "source/kernel/kernel.h"
#include "source/source.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LANES_PER_UNIT = 4,         /* items that each unit is given, of LANES */
    GROUPS_PER_UNIT = 16,       /* groups, of GROUP */
    MAX_LOCAL_NBYTES = 16 << 10 /* of the locals of one part, which an item has for itself */
};

typedef struct source_kernel {
    kernel_printed text; /* first member */
    base_text source, flags;
    device_entry *entries;
} source_kernel;

/* Locals lie on an item's stack, which is small. */
static bool takes_locals(const kernel_program *kernel, device_refusal *refusal)
{
    uint64_t nbytes = 0;
    for (uint32_t l = 0; l < kernel->nlocals; ++l) {
        const kernel_local *local = kernel_local_at(kernel, l);
        if (local->frame_offset == 0)
            nbytes += (uint64_t)(local->length > 0 ? local->length : 1) *
                      dtype_itemsize((jg_dtype)local->dtype);
    }
    if (nbytes <= MAX_LOCAL_NBYTES)
        return true;
    snprintf(refusal->message, sizeof refusal->message,
             "its variables have %" PRIu64 " bytes: an item of the device has room for %d", nbytes,
             MAX_LOCAL_NBYTES);
    return false;
}

/* Each part takes the arrays that it reads or writes, the launch's memory and the block. */
static bool takes_arrays(const device_facts *facts, const kernel_program *kernel,
                         const kernel_parts *parts, device_refusal *refusal)
{
    uint8_t taken[KERNEL_MAX_ARRAYS];
    uint32_t most = DEVICE_MAX_ARGUMENTS;
    if ((uint32_t)facts->max_buffers < most)
        most = (uint32_t)facts->max_buffers;
    for (uint32_t i = 0; i < parts->count; ++i) {
        uint32_t count = source_port_part_arrays(kernel, kernel_part_at(parts, i), taken);
        if (count + 2 <= most)
            continue;
        snprintf(refusal->message, sizeof refusal->message,
                 "%" PRIu32 " arrays in one loop, or beside its loops: the device's kernels have "
                 "up to %" PRIu32,
                 count, most - 2);
        return false;
    }
    return true;
}

static bool takes(const device_facts *facts, const kernel_program *kernel, device_refusal *refusal)
{
    refusal->position = -1;
    if (kernel->alone) {
        snprintf(refusal->message, sizeof refusal->message,
                 "it goes over cells that need not exist, which only the CPU has");
        return false;
    }
    return takes_locals(kernel, refusal) && source_port_values_are_taken(facts, kernel, refusal) &&
           source_port_atomics_are_taken(facts, kernel, refusal);
}

static kernel_words words_of(const kernel_program *kernel)
{
    kernel_words words = {.items = 0, .seed = 1, .scalars = 2};
    int naxes = 0;
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        naxes += kernel_array_at(kernel, a)->ndim;
    words.extents = words.scalars + (int)kernel->nscalars;
    words.strides = words.extents + naxes;
    words.offsets = words.strides + naxes;
    words.count = words.offsets + (int)kernel->narrays;
    return words;
}

static uint32_t most_values(const kernel_program *kernel)
{
    uint32_t most = 3; /* those of an index out of bounds */
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (inst->op == KERNEL_ASSERT && inst->noperands > most)
            most = inst->noperands;
    }
    return most;
}

static uint32_t rounded(uint32_t nbytes)
{
    return (uint32_t)size_whole_lines(nbytes);
}

static bool has(const kernel_program *kernel, uint16_t op)
{
    for (uint32_t p = 0; p < kernel->ninsts; ++p)
        if (kernel_inst_at(kernel, p)->op == op)
            return true;
    return false;
}

/* Decides what the memory of a launch holds, and the position of each part. */
static void lay_out(port_draft *k)
{
    kernel_printed *text = k->text;
    text->words = words_of(k->kernel);
    text->fails = k->bounds.checks.nbytes > 0 || has(k->kernel, KERNEL_ASSERT);
    text->prints = has(k->kernel, KERNEL_PRINT);
    text->has_head = text->fails || text->prints || has(k->kernel, KERNEL_RANDOM);
    text->results = KERNEL_MEMORY_HEAD + 8 * most_values(k->kernel);
    k->frame = rounded(text->results + 8 * k->kernel->nresults);
    text->ring = rounded(k->frame + k->kernel->frame_nbytes);
    text->nbytes = text->ring + (text->prints ? 8 * KERNEL_RING_WORDS : 0);
    bool lanes = k->d->facts->shape == DEVICE_LANES;
    text->group = lanes ? 1 : source_group(k->d->facts);
    text->limit = k->d->facts->compute_units * (lanes ? LANES_PER_UNIT : GROUPS_PER_UNIT);
}

/* Tables of the draft in one block, which first_axes begins. */
static jg_status make_tables(port_draft *k)
{
    size_t nvalues = (size_t)k->kernel->nvalues + 1, narrays = (size_t)k->kernel->narrays + 1;
    size_t nbytes = narrays * (sizeof(int) + 1) + nvalues * (sizeof(uint32_t) + 2);
    k->first_axes = base_alloc_zeroed(nbytes);
    if (k->first_axes == NULL)
        return base_nomem(nbytes, "a kernel's text");
    k->made = (uint32_t *)(void *)(k->first_axes + narrays);
    k->indexes = (uint8_t *)(k->made + nvalues);
    k->used = k->indexes + nvalues;
    k->taken = k->used + nvalues;
    k->taken[k->kernel->narrays] = 1;
    k->d->taken = k->taken;
    for (uint32_t a = 1; a < k->kernel->narrays; ++a)
        k->first_axes[a] = k->first_axes[a - 1] + kernel_array_at(k->kernel, a - 1)->ndim;
    source_port_values_look(k);
    if (!k->kernel->checked)
        return JG_OK;
    return kernel_find_bounds(k->kernel, k->flags & KERNEL_PRINT_NARROW, &k->bounds);
}

static void clear_tables(port_draft *k)
{
    base_free(k->first_axes);
    kernel_bounds_clear(&k->bounds);
}

/* An entry for one more kernel. */
static void begin_entry(source_kernel *out, source_draft *d)
{
    device_entry *entry = &out->entries[out->text.nparts / DEVICE_MAX_KERNELS];
    entry->nwords = out->text.words.count;
    d->entry = entry;
    d->words.count = entry->nwords;
}

static void print_parts(port_draft *k, const kernel_parts *parts, source_kernel *out)
{
    for (uint32_t i = 0; i < parts->count; ++i) {
        const kernel_part *part = kernel_part_at(parts, i);
        if (!source_port_part_acts(k->kernel, part))
            continue;
        begin_entry(out, k->d);
        out->text.parts[out->text.nparts] =
            (kernel_printed_part){.position = part->first,
                                  .is_body = part->is_body,
                                  .entry = (int)out->text.nparts / DEVICE_MAX_KERNELS,
                                  .kernel = (int)out->text.nparts % DEVICE_MAX_KERNELS};
        source_port_part_print(k, parts, i);
        out->text.nparts += 1;
    }
    out->text.unit.nentries = (int)ceil_div(out->text.nparts, DEVICE_MAX_KERNELS);
}

static jg_status allocate_parts(const kernel_parts *parts, source_kernel *out)
{
    size_t count = (size_t)parts->count + 1;
    out->text.parts = base_alloc_zeroed(count * sizeof *out->text.parts);
    out->entries = base_alloc_zeroed((count / DEVICE_MAX_KERNELS + 1) * sizeof *out->entries);
    if (out->text.parts == NULL || out->entries == NULL)
        return base_nomem(count * sizeof *out->text.parts, "a kernel's text");
    out->text.unit.entries = out->entries;
    return JG_OK;
}

/* The kernels come last in the text, but the functions that they use are known only after them. */
static jg_status put_together(const device_facts *facts, const prelude_set *reached,
                              const base_text *kernels, source_kernel *out)
{
    const source_dialect *dialect = source_dialect_of(facts);
    base_text *to = &out->source;
    source_print_shared(facts, reached, to);
    text_add(to, "%s", dialect->atomics);
    if (facts->atomics_64 && dialect->atomics_64 != NULL)
        text_add(to, "%s", dialect->atomics_64);
    text_add(to, "%.*s", (int)kernels->bytes.nbytes, (const char *)kernels->bytes.data);
    out->text.unit.nbytes = to->bytes.nbytes;
    text_add(to, "%c", 0);
    source_print_flags(facts, &out->flags);
    JG_TRY(text_status(kernels));
    JG_TRY(text_status(&out->flags));
    JG_TRY(text_status(to));
    out->text.unit.text = to->bytes.data;
    out->text.unit.flags = out->flags.bytes.data;
    return JG_OK;
}

static jg_status print_kernel(port_draft *k, const kernel_parts *parts, prelude_set *reached,
                              source_kernel *out)
{
    base_text kernels = {0};
    JG_TRY(make_tables(k));
    lay_out(k);
    jg_status status = allocate_parts(parts, out);
    if (status == JG_OK) {
        k->d->out = &kernels;
        text_add(&kernels, "struct words_0 { uint64_t w[%d]; };\n", k->text->words.count);
        source_port_memory_print_functions(k);
        print_parts(k, parts, out);
        status = put_together(k->d->facts, reached, &kernels, out);
    }
    text_clear(&kernels);
    return status;
}

static void release(kernel_printed *text)
{
    source_kernel *printed = (source_kernel *)(void *)text;
    if (printed == NULL)
        return;
    text_clear(&printed->source);
    text_clear(&printed->flags);
    base_free(printed->text.parts);
    base_free(printed->entries);
    base_free(printed);
}

/* The memory that is used while printing. */
typedef struct print_memory {
    source_draft draft;
    prelude_set reached;
    port_draft kernel;
} print_memory;

static jg_status print_in(print_memory *memory, const device_facts *facts,
                          const kernel_parts *parts, source_kernel *out)
{
    port_draft *k = &memory->kernel;
    memory->draft.facts = facts;
    memory->draft.dialect = source_dialect_of(facts);
    memory->draft.reached = &memory->reached;
    memory->draft.lane = "";
    k->d = &memory->draft;
    k->text = &out->text;
    jg_status status = print_kernel(k, parts, &memory->reached, out);
    clear_tables(k);
    return status;
}

static jg_status print_taken(const device_facts *facts, const kernel_program *kernel,
                             unsigned flags, const kernel_parts *parts, kernel_printed **out)
{
    print_memory *memory = base_alloc_zeroed(sizeof *memory);
    source_kernel *printed = base_alloc_zeroed(sizeof *printed);
    jg_status status = JG_OK;
    if (memory == NULL || printed == NULL)
        status = base_nomem(sizeof *memory, "a kernel's text");
    if (status == JG_OK) {
        memory->kernel.kernel = kernel;
        memory->kernel.flags = flags;
        status = print_in(memory, facts, parts, printed);
    }
    base_free(memory);
    if (status == JG_OK)
        *out = &printed->text;
    else if (printed != NULL)
        release(&printed->text);
    return status;
}

static jg_status print(const device_facts *facts, const kernel_program *kernel, unsigned flags,
                       kernel_printed **out, device_refusal *refusal)
{
    kernel_parts parts = {0};
    *out = NULL;
    if (!takes(facts, kernel, refusal))
        return JG_OK;
    jg_status status = kernel_find_parts(kernel, &parts);
    if (status == JG_OK && takes_arrays(facts, kernel, &parts, refusal))
        status = print_taken(facts, kernel, flags, &parts, out);
    kernel_parts_clear(&parts);
    return status;
}

const kernel_printer source_kernel_printer = {.name = "source", .print = print, .release = release};
