/* SPDX-License-Identifier: Apache-2.0 */
/* The printer: which works are taken, and their text: the dialect's header, what kernels share, the
 * functions that they reach, and the kernels. */
#include "source/draft.h"
#include "source/source.h"
#include "source/work.h"
#include <string.h>

typedef struct source_unit {
    device_unit unit; /* first member */
    device_facts facts;
    base_text text, flags;
    device_entry *entries;
    source_form forms[];
} source_unit;

static const source_work *const works[DEVICE_WORK_COUNT] = {
    [DEVICE_WORK_PROGRAM] = &source_work_program,
    [DEVICE_WORK_PRODUCT] = &source_work_product,
    [DEVICE_WORK_SCATTER] = &source_work_scatter,
    [DEVICE_WORK_CUMULATIVE] = &source_work_cumulative,
    [DEVICE_WORK_SORT] = &source_work_sort,
    [DEVICE_WORK_SEARCH] = &source_work_search,
    [DEVICE_WORK_CONVOLUTION] = &source_work_convolution,
    [DEVICE_WORK_FOURIER] = &source_work_fourier,
};

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    return works[work->kind]->takes(facts, work, refusal);
}

static void print_work(source_unit *unit, const device_work *work, int number, prelude_set *reached,
                       base_text *kernels, source_draft *d)
{
    memset(d, 0, sizeof *d);
    d->facts = &unit->facts;
    d->dialect = source_dialect_of(&unit->facts);
    d->program = work->kind == DEVICE_WORK_PROGRAM ? work->program : NULL;
    d->form = &unit->forms[number];
    d->entry = &unit->entries[number];
    d->reached = reached;
    d->out = kernels;
    d->number = number;
    d->lane = "";
    works[work->kind]->print(d, work, &unit->forms[number]);
}

/* DIVIDED is n / d of n below 2^31, by the word that launch.c makes of d. */
static const char shared[] =
    "#define AT(T, address) (*(MEMORY T *)(address))\n"
    "#define LESSER(x, y) ((x) < (y) ? (x) : (y))\n"
    "#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> "
    "(31 + (int)((word) >> 32))))\n";

void source_print_shared(const device_facts *facts, const prelude_set *reached, base_text *out)
{
    const source_dialect *dialect = source_dialect_of(facts);
    text_add(out, "%s", dialect->header);
    if (facts->f64 && dialect->wide != NULL)
        text_add(out, "%s", dialect->wide);
    text_add(out, "%s", shared);
    prelude_print(reached, out);
}

void source_print_flags(const device_facts *facts, base_text *out)
{
    const source_dialect *dialect = source_dialect_of(facts);
    text_add(out, "%s%s%s%c", dialect->flags, facts->exact_division ? " " : "",
             facts->exact_division ? dialect->division : "", 0);
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

static jg_status print_all(source_unit *unit, const device_work *all)
{
    prelude_set reached = {0};
    base_text kernels = {0};
    source_draft *draft = base_alloc(sizeof *draft);
    if (draft == NULL)
        return base_nomem(sizeof *draft, "a kernel's text");
    for (int i = 0; i < unit->unit.nentries; ++i) {
        if (works[all[i].kind]->reach != NULL)
            works[all[i].kind]->reach(&reached, &all[i]);
        print_work(unit, &all[i], i, &reached, &kernels, draft);
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

static jg_status print(const device_facts *facts, int count, const device_work *all,
                       device_unit **out)
{
    source_unit *unit = NULL;
    for (int i = 0; i < count; ++i) {
        device_refusal refusal;
        if (!takes(facts, &all[i], &refusal))
            return base_fail(JG_ERR_UNSUPPORTED, "%s: %s", source_dialect_of(facts)->name,
                             refusal.message);
    }
    JG_TRY(unit_new(facts, count, &unit));
    jg_status status = print_all(unit, all);
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
    return works[work->kind]->fits(&unit->facts, &unit->forms[entry], work);
}

static jg_status arrange(const device_unit *opaque, int entry, const device_work *work,
                         bool aligned, device_launch **out)
{
    const source_unit *unit = (const source_unit *)opaque;
    const source_text text = {&unit->facts, &unit->forms[entry], &unit->entries[entry], aligned};
    return works[work->kind]->arrange(&text, work, out);
}

static const char *way(const device_facts *facts, const device_work *work)
{
    const source_work *row = works[work->kind];
    return row->way != NULL ? row->way(facts, work) : "";
}

const device_printer source_printer = {
    .name = "source",
    .takes = takes,
    .print = print,
    .fits = fits,
    .arrange = arrange,
    .release = release,
    .way = way,
};
