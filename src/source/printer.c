/* SPDX-License-Identifier: Apache-2.0 */
/* The printer: which works are taken, and their text: the dialect's header, what kernels share, the
 * functions that they reach, and the kernels. */
#include "source/draft.h"
#include "source/source.h"
#include "source/work/tile.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct source_unit {
    device_unit unit; /* first member */
    device_facts facts;
    base_text text, flags;
    device_entry *entries;
    source_form forms[];
} source_unit;

static const source_dialect *const dialects[DEVICE_DIALECT_COUNT] = {
    [DEVICE_OPENCL_C] = &source_opencl,
    [DEVICE_CUDA] = &source_cuda,
    [DEVICE_HIP] = &source_hip,
    [DEVICE_METAL] = &source_metal,
};

__attribute__((format(printf, 3, 4))) static bool refuse(device_refusal *refusal, int position,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->message, sizeof refusal->message, format, arguments);
    va_end(arguments);
    refusal->position = position;
    return false;
}

static bool takes_buffers(const device_facts *facts, const jg_program *program,
                          const program_space *space, device_refusal *refusal)
{
    int count = 2; /* scratch memory, and a block that is too large for the arguments */
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        count += buffer->role != PROGRAM_ROLE_INDEX;
        int loops = space->ndim - (buffer->per_row ? space->nreduced : 0);
        bool once = buffer->role == PROGRAM_ROLE_WRITE && program->reduces;
        for (int d = 0; once && d < loops; ++d)
            if (space->extents[d] > 1 && space->strides[b * space->ndim + d] == 0)
                return refuse(refusal, -1, "buffer %d: several turns of a loop write one element",
                              b);
    }
    return count <= facts->max_buffers ||
           refuse(refusal, -1, "%d buffers: the device's kernels have up to %d", count,
                  facts->max_buffers);
}

/* Refuses stores that are not per row in reduced loops: several iterations would write one
 * element. */
static bool takes_inst(const device_facts *facts, const jg_program *program, int position,
                       device_refusal *refusal)
{
    const program_inst *inst = &program->insts[position];
    program_op op = (program_op)inst->op;
    const char *name = program_inst_rows[op].name, *type = dtype_rows[inst->type].name;
    jg_dtype types[] = {(jg_dtype)inst->to, program_inst_rows[op].arity > 0 ? (jg_dtype)inst->type
                                                                            : (jg_dtype)inst->to};
    for (int i = 0; i < 2; ++i)
        if (!source_value_has_type(facts, types[i]))
            return refuse(refusal, position, "%s: the device has no %s", name,
                          dtype_rows[types[i]].name);
    if (source_has_address(op) || op == PROGRAM_SCALAR || op == PROGRAM_STORE)
        return true;
    if (program_is_reduction(op))
        return reduction_of(facts, inst).nfields > 0 ||
               refuse(refusal, position, "%s of %s cannot be printed", name, type);
    if (op == PROGRAM_CAST)
        return source_value_entry(facts, inst) >= 0 ||
               refuse(refusal, position, "cast of %s to %s cannot be printed%s", type,
                      dtype_rows[inst->to].name, facts->f64 ? "" : " without float64");
    return source_value_entry(facts, inst) >= 0 ||
           refuse(refusal, position, "%s of %s cannot be printed%s", name, type,
                  facts->f64 ? "" : " without float64");
}

static bool takes_scatter(const device_facts *facts, const device_scatter *scatter,
                          device_refusal *refusal)
{
    int count = DEVICE_SCATTER_BUFFERS + scatter->narrays + 1; /* the block */
    if (!source_scatter_is_taken(facts, scatter))
        return refuse(refusal, -1, "%s of %s cannot be printed",
                      program_inst_rows[scatter->op].name, dtype_rows[scatter->dtype].name);
    return count <= facts->max_buffers ||
           refuse(refusal, -1, "%d buffers: the device's kernels have up to %d", count,
                  facts->max_buffers);
}

static bool takes_cumulative(const device_facts *facts, const device_cumulative *cumulative,
                             device_refusal *refusal)
{
    return source_cumulative_is_taken(facts, cumulative) ||
           refuse(refusal, -1, "running results by %s of %s cannot be printed",
                  program_inst_rows[cumulative->op].name, dtype_rows[cumulative->from].name);
}

static bool takes_order(jg_dtype dtype, device_refusal *refusal)
{
    return source_rank_is_taken(dtype) ||
           refuse(refusal, -1, "the order of %s cannot be printed", dtype_rows[dtype].name);
}

static bool takes_sort(const device_facts *facts, const device_sort *sort, device_refusal *refusal)
{
    if (!takes_order((jg_dtype)sort->dtype, refusal))
        return false;
    return source_sort_is_taken(facts, sort) ||
           refuse(refusal, -1, "sorting needs more memory of a group than the device's %d bytes",
                  (int)facts->local_nbytes);
}

static bool takes_fourier(const device_facts *facts, const device_fourier *f,
                          device_refusal *refusal)
{
    return source_fourier_is_taken(facts, f) ||
           refuse(refusal, -1, "transforms of %s cannot be printed", dtype_rows[f->from].name);
}

static bool takes_program(const device_facts *facts, const device_work *work,
                          device_refusal *refusal)
{
    source_form form;
    if (!source_form_of(facts, work->program, work->space, &form))
        return refuse(refusal, -1, "%d loops: kernels are printed of up to %d", work->space->ndim,
                      SOURCE_MAX_NDIM);
    if (!takes_buffers(facts, work->program, work->space, refusal))
        return false;
    for (int p = 0; p < work->program->ninsts; ++p)
        if (!takes_inst(facts, work->program, p, refusal))
            return false;
    return true;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    switch (work->kind) {
    case DEVICE_WORK_SCATTER: return takes_scatter(facts, work->scatter, refusal);
    case DEVICE_WORK_CUMULATIVE: return takes_cumulative(facts, work->cumulative, refusal);
    case DEVICE_WORK_SORT: return takes_sort(facts, work->sort, refusal);
    case DEVICE_WORK_SEARCH: return takes_order((jg_dtype)work->search->dtype, refusal);
    case DEVICE_WORK_PRODUCT:
        return source_tile_is_taken(facts, (jg_dtype)work->product->dtype, refusal);
    case DEVICE_WORK_CONVOLUTION:
        return source_tile_is_taken(facts, (jg_dtype)work->convolution->dtype, refusal);
    case DEVICE_WORK_FOURIER: return takes_fourier(facts, work->fourier, refusal);
    default: return takes_program(facts, work, refusal);
    }
}

/* Fills in the layout of the parameter block for the launcher. */
static void describe_entry(source_draft *d)
{
    device_entry *entry = d->entry;
    const jg_program *program = d->program;
    entry->nwords = d->words.count;
    entry->nbuffers = program->nbuffers;
    entry->nscalars = program->nscalars;
    for (int b = 0; b < program->nbuffers; ++b) {
        entry->offset_words[b] = (uint16_t)(d->words.offsets + b);
        entry->is_index[b] = program->buffers[b].role == PROGRAM_ROLE_INDEX;
    }
    for (int s = 0; s < program->nscalars; ++s) {
        entry->scalar_words[s] = d->words.scalars[s];
        entry->scalar_nwords[s] = dtype_itemsize((jg_dtype)program->scalars[s]) > 8 ? 2 : 1;
    }
}

static void print_program(source_draft *d)
{
    d->words = source_words_of(d->program, d->form);
    describe_entry(d);
    frame_declare_words(d);
    if (d->program->reduces)
        source_rows_print(d);
    else
        source_elements_print(d);
}

static void print_work(source_unit *unit, const device_work *work, int number, prelude_set *reached,
                       base_text *kernels, source_draft *d)
{
    memset(d, 0, sizeof *d);
    d->facts = &unit->facts;
    d->dialect = dialects[unit->facts.dialect];
    d->program = work->kind == DEVICE_WORK_PROGRAM ? work->program : NULL;
    d->form = &unit->forms[number];
    d->entry = &unit->entries[number];
    d->reached = reached;
    d->out = kernels;
    d->number = number;
    d->lane = "";
    source_form *form = &unit->forms[number];
    switch (work->kind) {
    case DEVICE_WORK_SCATTER: source_scatter_print(d, work->scatter, form); break;
    case DEVICE_WORK_CUMULATIVE: source_cumulative_print(d, work->cumulative, form); break;
    case DEVICE_WORK_SORT: source_sort_print(d, work->sort, form); break;
    case DEVICE_WORK_SEARCH: source_search_print(d, work->search, form); break;
    case DEVICE_WORK_PRODUCT: source_product_print(d, work->product, form); break;
    case DEVICE_WORK_CONVOLUTION: source_convolution_print(d, work->convolution, form); break;
    case DEVICE_WORK_FOURIER: source_fourier_print(d, work->fourier, form); break;
    default: (void)source_form_of(&unit->facts, work->program, work->space, form); print_program(d);
    }
}

/* A type of elements that no function reached may name. */
static void reach_type(prelude_set *reached, jg_dtype dtype)
{
    int entry = prelude_find(source_value_type(dtype));
    if (entry >= 0)
        prelude_reach(reached, entry);
}

static void reach_types(prelude_set *reached, const jg_program *program)
{
    for (int b = 0; b < program->nbuffers; ++b)
        reach_type(reached, (jg_dtype)program->buffers[b].dtype);
    for (int s = 0; s < program->nscalars; ++s)
        reach_type(reached, (jg_dtype)program->scalars[s]);
}

static void reach_types_of_work(prelude_set *reached, const device_work *work)
{
    switch (work->kind) {
    case DEVICE_WORK_PROGRAM: reach_types(reached, work->program); break;
    case DEVICE_WORK_SCATTER: reach_type(reached, (jg_dtype)work->scatter->dtype); break;
    case DEVICE_WORK_CUMULATIVE:
        reach_type(reached, (jg_dtype)work->cumulative->from);
        reach_type(reached, (jg_dtype)work->cumulative->to);
        break;
    default: break;
    }
}

/* DIVIDED is n / d of n below 2^31, by the word that launch.c makes of d. */
static const char shared[] =
    "#define AT(T, address) (*(MEMORY T *)(address))\n"
    "#define LESSER(x, y) ((x) < (y) ? (x) : (y))\n"
    "#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> "
    "(31 + (int)((word) >> 32))))\n";

void source_print_shared(const device_facts *facts, const prelude_set *reached, base_text *out)
{
    const source_dialect *dialect = dialects[facts->dialect];
    text_add(out, "%s", dialect->header);
    if (facts->f64 && dialect->wide != NULL)
        text_add(out, "%s", dialect->wide);
    text_add(out, "%s", shared);
    prelude_print(reached, out);
}

void source_print_flags(const device_facts *facts, base_text *out)
{
    const source_dialect *dialect = dialects[facts->dialect];
    text_add(out, "%s%s%s%c", dialect->flags, facts->exact_division ? " " : "",
             facts->exact_division ? dialect->division : "", 0);
}

const source_dialect *source_dialect_of(const device_facts *facts)
{
    return dialects[facts->dialect];
}

static jg_status put_together(source_unit *unit, const prelude_set *reached,
                              const base_text *kernels)
{
    base_text *out = &unit->text;
    source_print_shared(&unit->facts, reached, out);
    text_add(out, "%.*s", (int)kernels->bytes.nbytes, (const char *)kernels->bytes.data);
    source_print_flags(&unit->facts, &unit->flags);
    unit->unit.nbytes = out->bytes.nbytes;
    text_add(out, "%c", 0);
    JG_TRY(text_status(kernels));
    JG_TRY(text_status(&unit->flags));
    return text_status(out);
}

static jg_status print_all(source_unit *unit, const device_work *works)
{
    prelude_set reached = {0};
    base_text kernels = {0};
    source_draft *draft = base_alloc(sizeof *draft);
    if (draft == NULL)
        return base_nomem(sizeof *draft, "a kernel's text");
    for (int i = 0; i < unit->unit.nentries; ++i) {
        reach_types_of_work(&reached, &works[i]);
        print_work(unit, &works[i], i, &reached, &kernels, draft);
    }
    base_free(draft);
    jg_status status = put_together(unit, &reached, &kernels);
    text_clear(&kernels);
    return status;
}

static void release(device_unit *opaque)
{
    source_unit *unit = (source_unit *)opaque;
    if (unit == NULL)
        return;
    text_clear(&unit->text);
    text_clear(&unit->flags);
    base_free(unit->entries);
    base_free(unit);
}

static jg_status unit_new(const device_facts *facts, int count, source_unit **out)
{
    size_t nbytes = sizeof(source_unit) + (size_t)count * sizeof(source_form);
    source_unit *unit = base_alloc_zeroed(nbytes);
    if (unit == NULL)
        return base_nomem(nbytes, "a device's text");
    unit->entries = base_alloc_zeroed((size_t)count * sizeof *unit->entries);
    if (unit->entries == NULL) {
        base_free(unit);
        return base_nomem((size_t)count * sizeof(device_entry), "a device's text");
    }
    unit->facts = *facts;
    unit->unit =
        (device_unit){.printer = &source_printer, .nentries = count, .entries = unit->entries};
    *out = unit;
    return JG_OK;
}

static jg_status print(const device_facts *facts, int count, const device_work *works,
                       device_unit **out)
{
    source_unit *unit = NULL;
    for (int i = 0; i < count; ++i) {
        device_refusal refusal;
        if (!takes(facts, &works[i], &refusal))
            return jg_fail(JG_ERR_UNSUPPORTED, "%s: %s", dialects[facts->dialect]->name,
                           refusal.message);
    }
    JG_TRY(unit_new(facts, count, &unit));
    jg_status status = print_all(unit, works);
    if (status != JG_OK) {
        release(&unit->unit);
        return status;
    }
    unit->unit.text = unit->text.bytes.data;
    unit->unit.flags = unit->flags.bytes.data;
    *out = &unit->unit;
    return JG_OK;
}

static bool fits(const device_unit *opaque, int entry, const device_work *work)
{
    const source_unit *unit = (const source_unit *)opaque;
    source_form form;
    device_refusal refusal;
    const source_form *own = &unit->forms[entry];
    switch (work->kind) {
    case DEVICE_WORK_SCATTER:
        return own->style == STYLE_SCATTER && own->ndim == work->scatter->ndim + 1;
    case DEVICE_WORK_CUMULATIVE:
        return own->style == STYLE_CUMULATIVE && own->ndim == work->cumulative->ndim + 1;
    case DEVICE_WORK_SORT: return own->style == STYLE_SORT && own->ndim == work->sort->ndim;
    case DEVICE_WORK_SEARCH: return own->style == STYLE_SEARCH && own->ndim == work->search->ndim;
    case DEVICE_WORK_PRODUCT: return source_product_fits(&unit->facts, own, work->product);
    case DEVICE_WORK_CONVOLUTION: return source_convolution_fits(own, work->convolution);
    case DEVICE_WORK_FOURIER: return source_fourier_fits(own, work->fourier);
    default:
        return source_form_of(&unit->facts, work->program, work->space, &form) &&
               takes_buffers(&unit->facts, work->program, work->space, &refusal) &&
               memcmp(&form, own, sizeof form) == 0;
    }
}

static jg_status arrange(const device_unit *opaque, int entry, const device_work *work,
                         bool aligned, device_launch **out)
{
    const source_unit *unit = (const source_unit *)opaque;
    switch (work->kind) {
    case DEVICE_WORK_SCATTER: return source_scatter_arrange(&unit->facts, work->scatter, out);
    case DEVICE_WORK_CUMULATIVE:
        return source_cumulative_arrange(&unit->facts, work->cumulative, out);
    case DEVICE_WORK_SORT: return source_sort_arrange(&unit->facts, work->sort, out);
    case DEVICE_WORK_SEARCH: return source_search_arrange(&unit->facts, work->search, out);
    case DEVICE_WORK_PRODUCT: return source_product_arrange(&unit->facts, work->product, out);
    case DEVICE_WORK_CONVOLUTION:
        return source_convolution_arrange(&unit->facts, work->convolution, out);
    case DEVICE_WORK_FOURIER: return source_fourier_arrange(&unit->facts, work->fourier, out);
    default:
        return source_arrange_launch(&unit->facts, &unit->forms[entry], &unit->entries[entry], work,
                                     aligned, out);
    }
}

static const char *way(const device_facts *facts, const device_work *work)
{
    bool uses = (work->kind == DEVICE_WORK_PRODUCT &&
                 source_mma_is_taken(facts, (jg_dtype)work->product->dtype)) ||
                (work->kind == DEVICE_WORK_CONVOLUTION &&
                 source_mma_is_taken(facts, (jg_dtype)work->convolution->dtype));
    return uses ? " by tensor cores" : "";
}

const jg_printer source_printer = {
    .name = "source",
    .takes = takes,
    .print = print,
    .fits = fits,
    .arrange = arrange,
    .release = release,
    .way = way,
};
