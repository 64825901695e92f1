/* SPDX-License-Identifier: Apache-2.0 */
/* What launches become on a device that runs printed source: whether the printer takes them, and
 * their code. Before a plan's first launch runs, its launches are printed, each by itself, and what
 * of these texts is not loaded yet is compiled as one program, with no lock held (device/code.c).
 * So plans share what is equal in them, whatever their shapes are. */
#include "plan/draft.h"

static const jg_printer *printer; /* set once, before anything is planned */

void plan_set_printer(const jg_printer *prints)
{
    printer = prints;
}

/* Text and compiled code of a launch. */
struct plan_loaded {
    device_unit *unit;
    device_code *code;
};

static void release_loaded(plan_loaded *loaded)
{
    if (loaded == NULL)
        return;
    device_code_release(loaded->code);
    if (loaded->unit != NULL)
        loaded->unit->printer->release(loaded->unit);
    base_free(loaded);
}

void plan_code_release(plan_code *code)
{
    if (code == NULL)
        return;
    for (int i = 0; i < code->nparts; ++i)
        plan_code_release(code->parts[i].code);
    base_free(code->parts);
    base_free(code->look_up);
    base_free(code->addressing);
    base_free(code->updates);
    base_free(code->scatter);
    base_free(code->scan);
    base_free(code->sort);
    base_free(code->search);
    base_free(code->convolution);
    base_free(code->fourier);
    release_loaded(atomic_load_explicit(&code->loaded, memory_order_acquire));
    device_product_free(code->device, code->library);
    base_free(code->program);
    base_free(code->space);
    base_free(code);
}

jg_status plan_code_new(int index, plan_code **out)
{
    jg_device *device = device_at(index);
    if (printer == NULL || device->facts == NULL)
        return JG_OK;
    plan_code *code = base_alloc_zeroed(sizeof *code);
    if (code == NULL)
        return base_nomem(sizeof *code, "a plan");
    code->device = device;
    atomic_init(&code->loaded, NULL);
    *out = code;
    return JG_OK;
}

/* Whether nothing is computed: an axis that is kept has no elements. */
static bool space_is_empty(const program_space *space)
{
    for (int d = 0; d < space->ndim - space->nreduced; ++d)
        if (space->extents[d] == 0)
            return true;
    return false;
}

void plan_code_ask(plan_code *code)
{
    code->taken = printer->takes(code->device->facts, &code->work, &code->refusal);
}

/* A copy of the space, in which a program that reduces has a loop to do so in: one of a single step
 * where the axes that it reduces have one element each, and have been simplified away.
 * gives: for base_free; NULL when out of memory */
static program_space *copy_space(const jg_program *program, const program_space *space)
{
    bool adds = program->reduces && space->nreduced == 0;
    int ndim = space->ndim + adds;
    program_space *copy = base_alloc(program_space_nbytes(space->nbuffers, ndim));
    if (copy == NULL)
        return NULL;
    *copy = (program_space){
        .ndim = ndim, .nreduced = space->nreduced + adds, .nbuffers = space->nbuffers};
    for (int d = 0; d < ndim; ++d)
        copy->extents[d] = d < space->ndim ? space->extents[d] : 1;
    for (int b = 0; b < space->nbuffers; ++b)
        for (int d = 0; d < ndim; ++d)
            copy->strides[b * ndim + d] = d < space->ndim ? space->strides[b * space->ndim + d] : 0;
    return copy;
}

jg_status plan_code_of_program(int index, const jg_program *program, const program_space *space,
                               plan_code **out)
{
    JG_TRY(plan_code_new(index, out));
    plan_code *code = *out;
    if (code == NULL)
        return JG_OK;
    JG_TRY(program_verify(program)); /* most are written here in plan, not lowered */
    code->program = base_copy(program, sizeof *program);
    code->space = copy_space(program, space);
    if (code->program == NULL || code->space == NULL)
        return base_nomem(sizeof *program, "a plan");
    code->work = (device_work){.program = code->program, .space = code->space};
    code->taken = code->empty = space_is_empty(space);
    if (!code->empty)
        plan_code_ask(code);
    return JG_OK;
}

jg_status plan_add_part(const jg_program *program, program_space *space, plan_part part,
                        plan_code *code)
{
    plan_part *added = &code->parts[code->nparts];
    *added = part;
    program_space_simplify(space, program);
    jg_status status = plan_code_of_program(code->device->index, program, space, &added->code);
    code->nparts += added->code != NULL;
    if (status == JG_OK && !added->code->taken) {
        code->refusal = added->code->refusal;
        code->taken = false;
    }
    return status;
}

jg_status plan_code_addresses(plan_code *code)
{
    code->parts = base_alloc_zeroed(sizeof *code->parts);
    code->addressing = base_alloc_zeroed(sizeof *code->addressing);
    if (code->parts == NULL || code->addressing == NULL)
        return base_nomem(sizeof *code->addressing, "a plan");
    code->addressing->numbers = -1;
    code->taken = true;
    return JG_OK;
}

jg_dtype plan_moved_dtype(jg_dtype dtype)
{
    switch (dtype_itemsize(dtype)) {
    case 1: return JG_DTYPE_UINT8;
    case 2: return JG_DTYPE_UINT16;
    case 4: return JG_DTYPE_UINT32;
    case 8: return JG_DTYPE_UINT64;
    default: return dtype;
    }
}

/* Gives the launch its text, and its code, which may be NULL where the caller has none. Another
 * thread may have done so meanwhile. takes: unit, code */
static void keep_loaded(plan_code *code, device_unit *unit, device_code *own)
{
    plan_loaded *none = NULL, *loaded = own != NULL ? base_alloc(sizeof *loaded) : NULL;
    if (loaded != NULL) {
        *loaded = (plan_loaded){unit, own};
        if (!atomic_compare_exchange_strong(&code->loaded, &none, loaded))
            release_loaded(loaded);
        return;
    }
    device_code_release(own);
    unit->printer->release(unit);
}

static bool is_to_load(const plan_code *code)
{
    return plan_code_is_taken(code) && !code->empty && code->library == NULL && code->nparts == 0 &&
           atomic_load_explicit(&code->loaded, memory_order_acquire) == NULL;
}

/* Codes of the plan that launches and their parts run. */
static int count_codes(const jg_plan *plan)
{
    int count = plan->nlaunches;
    for (int i = 0; i < plan->nlaunches; ++i)
        count += plan->launches[i].code != NULL ? plan->launches[i].code->nparts : 0;
    return count;
}

/* What is asked for as one program. */
typedef struct code_requests {
    int count;
    device_request *requests;
    plan_code **codes;
} code_requests;

/* A code that cannot be printed asks again by itself, and is told why. */
static void request(code_requests *all, plan_code *code)
{
    device_unit *unit;
    if (!is_to_load(code) || printer->print(code->device->facts, 1, &code->work, &unit) != JG_OK)
        return;
    all->codes[all->count] = code;
    all->requests[all->count++] = (device_request){.work = &code->work, .unit = unit};
}

static void request_all(const jg_plan *plan, code_requests *all)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        plan_code *code = plan->launches[i].code;
        request(all, code);
        /* Of a launch that the host runs, some parts may be taken all the same. */
        for (int k = 0; plan_code_is_taken(code) && k < code->nparts; ++k)
            request(all, code->parts[k].code);
    }
}

/* Loads what the plan's launches have not, as one program. A launch for which that fails asks again
 * by itself, and is told why. */
static void load_all(const jg_plan *plan)
{
    size_t ncodes = (size_t)count_codes(plan);
    code_requests all = {.requests = base_alloc(ncodes * sizeof *all.requests),
                         .codes = base_alloc(ncodes * sizeof(plan_code *))};
    if (all.requests != NULL && all.codes != NULL) {
        request_all(plan, &all);
        if (all.count > 0)
            device_code_require_all(all.codes[0]->device, all.count, all.requests);
        for (int i = 0; i < all.count; ++i)
            keep_loaded(all.codes[i], (device_unit *)all.requests[i].unit, all.requests[i].code);
    }
    base_free(all.codes);
    base_free(all.requests);
}

/* Loads one launch's code alone. */
static jg_status load(plan_code *code)
{
    device_unit *unit;
    device_code *own = NULL;
    JG_TRY(printer->print(code->device->facts, 1, &code->work, &unit));
    jg_status status = device_code_require(code->device, unit, &own);
    keep_loaded(code, unit, own);
    return status;
}

static jg_status require_loaded(const jg_plan *plan, plan_code *code, const plan_loaded **out)
{
    *out = atomic_load_explicit(&code->loaded, memory_order_acquire);
    if (JG_LIKELY(*out != NULL))
        return JG_OK;
    load_all(plan);
    *out = atomic_load_explicit(&code->loaded, memory_order_acquire);
    if (*out != NULL)
        return JG_OK;
    JG_TRY(load(code));
    *out = atomic_load_explicit(&code->loaded, memory_order_acquire);
    return *out != NULL ? JG_OK : base_nomem(sizeof **out, "a launch");
}

jg_status plan_code_start(const jg_plan *plan, plan_code *code, const device_work *work,
                          bool aligned, plan_start *out)
{
    const plan_loaded *loaded = NULL;
    JG_TRY(require_loaded(plan, code, &loaded));
    JG_TRY(printer->arrange(loaded->unit, 0, work, aligned, &out->launch));
    out->takes = &loaded->unit->entries[0];
    out->code = loaded->code;
    return JG_OK;
}
