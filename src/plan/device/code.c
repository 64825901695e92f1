/* SPDX-License-Identifier: Apache-2.0 */
/* The code of launches on a device that runs printed source, and whether the printer accepts a
 * launch. Before the first launch of a plan runs, each launch is printed by itself, and all texts
 * that are not loaded yet are compiled as one program, with no lock held (device/code.c). So plans
 * of different shapes share the code of equal launches. */
#include "plan/device/code.h"

static const device_printer *printer; /* set once, before anything is planned */

void plan_set_printer(const device_printer *prints)
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

static void release_parts(plan_parts *parts)
{
    for (int i = 0; i < parts->count; ++i)
        plan_code_release(parts->all[i].code);
    base_free(parts->all);
    base_free(parts->details);
}

void plan_code_release(plan_code *code)
{
    if (code == NULL)
        return;
    switch (code->kind) {
    case PLAN_CODE_NOTHING: break;
    case PLAN_CODE_PRINTED:
        release_loaded(atomic_load_explicit(&code->printed.loaded, memory_order_acquire));
        base_free(code->printed.memory);
        break;
    case PLAN_CODE_LIBRARY: device_product_free(code->device, code->library.product); break;
    default: release_parts(&code->parts);
    }
    base_free(code);
}

const char *plan_code_way(const plan_code *code)
{
    if (code->kind == PLAN_CODE_LIBRARY)
        return " by its library";
    if (code->kind == PLAN_CODE_PRINTED && code->taken && !code->empty)
        return printer->way(device_facts_of(code->device), &code->printed.work);
    const char *way = "";
    for (int i = 0; i < plan_code_count_parts(code) && *way == '\0'; ++i)
        way = plan_code_way(code->parts.all[i].code);
    return way;
}

jg_status plan_code_new(int index, plan_code **out)
{
    jg_device *device = device_at(index);
    if (printer == NULL || device_facts_of(device) == NULL)
        return JG_OK;
    plan_code *code = base_alloc_zeroed(sizeof *code);
    if (code == NULL)
        return base_nomem(sizeof *code, "a plan");
    code->device = device;
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

static void set_work(plan_code *code, device_work work, void *memory)
{
    code->kind = PLAN_CODE_PRINTED;
    code->printed.work = work;
    code->printed.memory = memory;
    atomic_init(&code->printed.loaded, NULL);
}

static void ask(plan_code *code)
{
    code->taken =
        printer->takes(device_facts_of(code->device), &code->printed.work, &code->refusal);
}

jg_status plan_code_print(plan_code *code, device_work work, void *memory)
{
    if (memory == NULL)
        return base_nomem(sizeof work, "a plan");
    set_work(code, work, memory);
    ask(code);
    return JG_OK;
}

/* A program that reduces has a loop to do so in: one of a single step where the axes that it
 * reduces have one element each, and have been simplified away. */
static void copy_space(const program_space *space, int ndim, program_space *copy)
{
    int added = ndim - space->ndim;
    *copy = (program_space){
        .ndim = ndim, .nreduced = space->nreduced + added, .nbuffers = space->nbuffers};
    for (int d = 0; d < ndim; ++d)
        copy->extents[d] = d < space->ndim ? space->extents[d] : 1;
    for (int b = 0; b < space->nbuffers; ++b)
        for (int d = 0; d < ndim; ++d)
            copy->strides[b * ndim + d] = d < space->ndim ? space->strides[b * space->ndim + d] : 0;
}

jg_program *plan_alloc_program(int nbuffers, int ndim, program_space **space)
{
    size_t begin = size_round_up(sizeof(jg_program), _Alignof(max_align_t));
    char *memory = base_alloc(begin + program_space_nbytes(nbuffers, ndim));
    if (memory == NULL)
        return NULL;
    *space = (program_space *)(void *)(memory + begin);
    return (jg_program *)(void *)memory;
}

/* gives: the block that *out is in, for base_free; NULL when out of memory */
static void *copy_program(const jg_program *program, const program_space *space, device_work *out)
{
    int ndim = space->ndim + (program->reduces && space->nreduced == 0);
    program_space *own_space;
    jg_program *own = plan_alloc_program(space->nbuffers, ndim, &own_space);
    if (own == NULL)
        return NULL;
    memcpy(own, program, sizeof *own);
    copy_space(space, ndim, own_space);
    *out = (device_work){.kind = DEVICE_WORK_PROGRAM, .program = own, .space = own_space};
    return own;
}

jg_status plan_code_of_program(int index, const jg_program *program, const program_space *space,
                               plan_code **out)
{
    JG_TRY(plan_code_new(index, out));
    plan_code *code = *out;
    if (code == NULL)
        return JG_OK;
    JG_TRY(program_verify(program)); /* most are written here in plan, not lowered */
    device_work work;
    void *memory = copy_program(program, space, &work);
    if (memory == NULL)
        return base_nomem(sizeof *program, "a plan");
    set_work(code, work, memory);
    code->taken = code->empty = space_is_empty(space);
    if (!code->empty)
        ask(code);
    return JG_OK;
}

jg_status plan_code_divide(plan_code *code, plan_code_kind kind, int limit)
{
    static const size_t details[PLAN_CODE_KIND_COUNT] = {
        [PLAN_CODE_ADDRESSING] = sizeof(plan_addressing),
        [PLAN_CODE_GATHER] = sizeof(plan_look_up),
        [PLAN_CODE_SCATTER] = sizeof(plan_updates),
    };
    size_t nbytes = (size_t)limit * sizeof(plan_part);
    code->kind = kind;
    code->parts = (plan_parts){.all = base_alloc_zeroed(nbytes)};
    if (details[kind] > 0)
        code->parts.details = base_alloc_zeroed(details[kind]);
    if (code->parts.all == NULL || (details[kind] > 0 && code->parts.details == NULL))
        return base_nomem(nbytes + details[kind], "a plan");
    code->taken = true;
    return JG_OK;
}

void plan_code_count(plan_code *code)
{
    const plan_code *own = code->parts.all[code->parts.count].code;
    if (own == NULL)
        return;
    code->parts.count += 1;
    if (!own->taken) {
        code->refusal = own->refusal;
        code->taken = false;
    }
}

jg_status plan_add_part(const jg_program *program, program_space *space, plan_part part,
                        plan_code *code)
{
    plan_part *added = &code->parts.all[code->parts.count];
    *added = part;
    JG_TRY(program_space_simplify(space, program));
    jg_status status = plan_code_of_program(code->device->index, program, space, &added->code);
    plan_code_count(code);
    return status;
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
        if (!atomic_compare_exchange_strong(&code->printed.loaded, &none, loaded))
            release_loaded(loaded);
        return;
    }
    device_code_release(own);
    unit->printer->release(unit);
}

static bool is_to_load(const plan_code *code)
{
    return plan_code_is_taken(code) && !code->empty && code->kind == PLAN_CODE_PRINTED &&
           atomic_load_explicit(&code->printed.loaded, memory_order_acquire) == NULL;
}

/* Codes of the plan that launches and their parts run. */
static int count_codes(const jg_plan *plan)
{
    int count = plan->nlaunches;
    for (int i = 0; i < plan->nlaunches; ++i)
        if (plan->launches[i].code != NULL)
            count += plan_code_count_parts(plan->launches[i].code);
    return count;
}

/* The requests that are compiled as one program. */
typedef struct code_requests {
    int count;
    device_request *requests;
    plan_code **codes;
} code_requests;

/* A code that cannot be printed asks again by itself, and is told why. */
static void request(code_requests *all, plan_code *code)
{
    device_unit *unit;
    if (!is_to_load(code))
        return;
    const device_work *work = &code->printed.work;
    if (printer->print(device_facts_of(code->device), 1, work, &unit) != JG_OK)
        return;
    all->codes[all->count] = code;
    all->requests[all->count++] = (device_request){.work = work, .unit = unit};
}

static void request_all(const jg_plan *plan, code_requests *all)
{
    for (int i = 0; i < plan->nlaunches; ++i) {
        plan_code *code = plan->launches[i].code;
        request(all, code);
        /* If the host runs a launch, some parts may still have been taken by the device. */
        for (int k = 0; plan_code_is_taken(code) && k < plan_code_count_parts(code); ++k)
            request(all, code->parts.all[k].code);
    }
}

/* Loads the missing codes of the plan's launches as one program. If that fails, each launch
 * requests its code by itself, and gets the reason. */
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
    JG_TRY(printer->print(device_facts_of(code->device), 1, &code->printed.work, &unit));
    jg_status status = device_code_require(code->device, unit, &own);
    keep_loaded(code, unit, own);
    return status;
}

static jg_status require_loaded(const jg_plan *plan, plan_code *code, const plan_loaded **out)
{
    *out = atomic_load_explicit(&code->printed.loaded, memory_order_acquire);
    if (JG_LIKELY(*out != NULL))
        return JG_OK;
    load_all(plan);
    *out = atomic_load_explicit(&code->printed.loaded, memory_order_acquire);
    if (*out != NULL)
        return JG_OK;
    JG_TRY(load(code));
    *out = atomic_load_explicit(&code->printed.loaded, memory_order_acquire);
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
