/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels whose arrays lie on a device that the host does not address. The device runs
 * the kernel's text; what it cannot run the host does, on copies (JOGGLE_DEVICE_FALLBACK). Arrays
 * of the host's among the others are copied there and back. A launch whose memory is held for it
 * goes on when the call returns (ported_work.c). */
#include "field/launch/ported.h"
#include "stream/stream.h"
#include <inttypes.h>
#include <string.h>

static const char *name_of(const jg_kernel *kernel, uint32_t array)
{
    return kernel_text(&kernel->program, kernel_array_at(&kernel->program, array)->name);
}

/* The one device that all arrays that are not the host's lie on. gives: *out */
static jg_status find_device(const jg_kernel *kernel, const jg_view *const *arrays, jg_device **out)
{
    uint32_t first = 0;
    *out = NULL;
    for (uint32_t a = 0; a < kernel->program.narrays; ++a) {
        jg_device *device;
        jg_device_id id = arrays[a]->device;
        if (jg_device_is_host_accessible(id.type))
            continue;
        if ((device = device_find(id)) == NULL)
            return base_fail(JG_ERR_DEVICE,
                             "[%s] array %s: it lies on %s:%d, allowed are the CPU and devices of "
                             "this process",
                             jg_kernel_name(kernel), name_of(kernel, a),
                             jg_device_type_name(id.type), (int)id.id);
        if (*out != NULL && *out != device)
            return base_fail(JG_ERR_DEVICE,
                             "[%s] array %s: it lies on %s:%d and array %s on %s:%d, allowed are "
                             "arrays of one device and of the CPU",
                             jg_kernel_name(kernel), name_of(kernel, a), device_name(device),
                             (int)id.id, name_of(kernel, first), device_name(*out),
                             (int)(*out)->id.id);
        first = *out == NULL ? a : first;
        *out = device;
    }
    return JG_OK;
}

/* Handles that are no addresses stand for ranges: bits of an address that count bytes of one. */
enum { HANDLE_SHIFT = 48 };

/* The number, from 1 on, of the first array with the same handle on an OpenCL device. */
static uint64_t number_of(const ported_launch *p, uint32_t array)
{
    for (uint32_t a = 0; a < array; ++a)
        if (p->handles[a] == p->handles[array])
            return p->numbers[a];
    return array + 1;
}

/* Checks the arrays as if they were on the host. If the device has real addresses, these are used.
 * Otherwise each handle gets a range of its own, which contains no address of the host. */
static jg_status take_arrays(ported_launch *p, const jg_view *const *arrays)
{
    for (uint32_t a = 0; a < p->kernel->program.narrays; ++a) {
        jg_view *view = &p->views[a];
        *view = *arrays[a];
        p->is_host[a] = jg_device_is_host_accessible(view->device.type);
        p->handles[a] = view->data;
        p->numbers[a] = p->is_host[a] ? 0 : number_of(p, a);
        if (!p->is_host[a] && !device_has_flat_addresses(p->device))
            view->data = (void *)(uintptr_t)(p->numbers[a] << HANDLE_SHIFT);
        view->device = (jg_device_id){JG_DEVICE_CPU, 0};
        JG_TRY(field_launch_take_array(&p->launch, a, view));
    }
    return JG_OK;
}

static jg_status take(ported_launch *p, const jg_view *const *arrays, const jg_number *scalars)
{
    JG_TRY(take_arrays(p, arrays));
    for (uint32_t s = 0; s < p->kernel->program.nscalars; ++s)
        JG_TRY(field_launch_take_scalar(&p->launch, s, &scalars[s]));
    return JG_OK;
}

/* Evaluates pending nodes that read memory which the kernel writes. A handle that is no address
 * counts as all of its memory. */
static jg_status settle_readers(const ported_launch *p)
{
    for (uint32_t a = 0; a < p->kernel->program.narrays; ++a) {
        const char *low = p->launch.low[a], *high = p->launch.high[a];
        if (!kernel_array_at(&p->kernel->program, a)->write || low == high)
            continue;
        if (p->numbers[a] != 0 && !device_has_flat_addresses(p->device)) {
            low = p->handles[a];
            high = low + 1;
        }
        JG_TRY(run_before_write(low, high));
    }
    return JG_OK;
}

/* Finds the value's number if it is known before the launch. gives: false if it is not known */
static bool find_number(const ported_launch *p, uint32_t value, int64_t *out)
{
    const kernel_program *program = &p->kernel->program;
    uint32_t position = kernel_value_at(program, value)->definition;
    const kernel_inst *inst = position == KERNEL_NONE ? NULL : kernel_inst_at(program, position);
    jg_dtype type = (jg_dtype)kernel_value_at(program, value)->type;
    jg_scalar number;
    if (inst != NULL && inst->op == PROGRAM_CAST && dtype_is_integer((jg_dtype)inst->type))
        return find_number(p, kernel_operands(program, inst)[0], out);
    if (inst != NULL && inst->op == KERNEL_EXTENT) {
        *out = p->launch.extents[p->kernel->first_axes[inst->target] + inst->immediate];
        return true;
    }
    if (inst != NULL && inst->op != KERNEL_CONST)
        return false;
    uint64_t bits = inst != NULL ? (uint64_t)inst->immediate : p->launch.scalars[value];
    (void)scalar_load(&bits, type, &number);
    *out = number.i64;
    return true;
}

/* How many indices a body has; most is taken where that is not known. */
static int64_t count_indices(const ported_launch *p, const kernel_printed_part *part, int64_t most)
{
    const kernel_program *program = &p->kernel->program;
    const kernel_inst *loop = kernel_inst_at(program, part->position);
    int64_t count = 1, low, high, length;
    for (int r = 0; r < loop->nvalues; ++r) {
        const uint32_t *bounds = kernel_operands(program, loop) + 2 * r;
        if (!find_number(p, bounds[0], &low) || !find_number(p, bounds[1], &high) ||
            __builtin_sub_overflow(high, low, &length) ||
            __builtin_mul_overflow(count, int64_max(length, 0), &count))
            return most;
    }
    return count;
}

/* Words that all steps have. */
static void fill_words(const ported_launch *p, uint64_t *to)
{
    const kernel_words *words = &p->text->words;
    const kernel_program *program = &p->kernel->program;
    to[words->seed] = p->seed;
    memcpy(to + words->scalars, p->launch.scalars, program->nscalars * sizeof *to);
    memcpy(to + words->extents, p->launch.extents, (size_t)p->kernel->naxes * sizeof *to);
    memcpy(to + words->strides, p->launch.strides, (size_t)p->kernel->naxes * sizeof *to);
    for (uint32_t a = 0; a < program->narrays; ++a)
        to[words->offsets + (int)a] = p->offsets[a];
}

static device_step step_of(const ported_launch *p, const kernel_printed_part *part, uint64_t *words)
{
    const kernel_printed *text = p->text;
    device_step step = {.kernel = part->kernel, .items = 1, .groups = 1, .words = words};
    if (part->is_body) {
        int64_t most = (int64_t)text->limit * text->group;
        int64_t groups = ceil_div(count_indices(p, part, most), text->group);
        step.items = text->group;
        step.groups = int64_clamp(groups, 1, text->limit);
    }
    words[text->words.items] = (uint64_t)(step.groups * step.items);
    return step;
}

/* The parts of one entry, from *part on, which is advanced. */
static jg_status start_entry(const ported_launch *p, void *queue, uint32_t *part)
{
    const kernel_printed *text = p->text;
    int entry = text->parts[*part].entry;
    size_t nwords = (size_t)text->words.count;
    size_t nbytes = sizeof(device_launch) + DEVICE_MAX_STEPS * nwords * sizeof(uint64_t);
    device_launch *launch = base_alloc(nbytes);
    if (launch == NULL)
        return base_nomem(nbytes, "a launch");
    *launch = (device_launch){.nsteps = 0};
    for (; *part < text->nparts && text->parts[*part].entry == entry; ++*part) {
        uint64_t *words = launch->words + (size_t)launch->nsteps * nwords;
        fill_words(p, words);
        launch->steps[launch->nsteps++] = step_of(p, &text->parts[*part], words);
    }
    const device_start start = {.takes = &text->unit.entries[entry],
                                .entry = entry,
                                .label = p->label,
                                .launch = launch,
                                .handles = p->handles};
    jg_status status = device_launch_start(p->code, queue, &start);
    base_free(launch);
    return status;
}

static jg_status copy_memory(const ported_launch *p, void *queue, device_direction direction,
                             void *host, uint32_t nbytes)
{
    const device_place here = {p->memory->handle, 0}, there = {host, 0};
    bool sends = direction == DEVICE_FROM_HOST;
    const device_copy copy = {direction, sends ? here : there, sends ? there : here, nbytes};
    return device_copy_start(p->device, queue, &copy);
}

/* Everything that one launch gives the queue. */
static jg_status give(void *context, void *queue)
{
    static char zeros[KERNEL_MEMORY_HEAD];
    ported_launch *p = context;
    JG_TRY(field_stage_send(&p->stage, queue));
    if (p->text->has_head)
        JG_TRY(copy_memory(p, queue, DEVICE_FROM_HOST, zeros, sizeof zeros));
    for (uint32_t part = 0; part < p->text->nparts;)
        JG_TRY(start_entry(p, queue, &part));
    JG_TRY(field_stage_fetch(&p->stage, queue));
    if (!p->goes_on && (p->text->has_head || p->kernel->program.nresults > 0))
        return copy_memory(p, queue, DEVICE_TO_HOST, p->head, p->head_nbytes);
    return JG_OK;
}

/* Arrays of the host's get memory of the device. */
static jg_status stage_arrays(ported_launch *p)
{
    for (uint32_t a = 0; a < p->kernel->program.narrays; ++a) {
        p->offsets[a] = 0;
        if (!p->is_host[a] && p->launch.low[a] < p->launch.high[a])
            p->offsets[a] = p->views[a].byte_offset;
        if (p->is_host[a])
            JG_TRY(field_stage_add(&p->stage, NULL, p->launch.low[a], p->launch.high[a],
                                   kernel_array_at(&p->kernel->program, a)->write));
    }
    JG_TRY(field_stage_take(&p->stage, p->device));
    for (uint32_t a = 0; a < p->kernel->program.narrays; ++a)
        if (p->is_host[a])
            p->handles[a] = field_stage_place(&p->stage, NULL, p->launch.low[a], p->launch.high[a],
                                              p->launch.addresses[a], &p->offsets[a]);
    return JG_OK;
}

static jg_status find_queue(const ported_launch *p, void **out)
{
    JG_TRY(stream_open_device(p->device->index));
    return stream_queue(stream_at(stream_for(p->device->index)), out);
}

/* Memory that has no reference for the launch is free again when the call returns, so it waits. */
static jg_status run_to_the_end(ported_launch *p, void *queue)
{
    JG_TRY(memory_works_wait(p->device));
    JG_TRY(device_run(p->device, queue, give, p));
    JG_TRY(ported_read_outcome(p->kernel, p->text, p->memory, p->head));
    memcpy(p->launch.results, p->head + p->text->results,
           p->kernel->program.nresults * sizeof(uint64_t));
    return JG_OK;
}

static jg_status run_in_memory(ported_launch *p)
{
    void *queue;
    bool given;
    JG_TRY(find_queue(p, &queue));
    JG_TRY(ported_work_give(p, queue, give, &given));
    return given ? JG_OK : run_to_the_end(p, queue);
}

/* p->text and p->code are set. */
static jg_status run_text(ported_launch *p)
{
    p->head_nbytes = p->text->results + (uint32_t)(sizeof(uint64_t) * p->kernel->program.nresults);
    p->head = base_alloc_zeroed(p->head_nbytes);
    if (p->head == NULL)
        return base_nomem(p->head_nbytes, "a launch");
    p->seed = field_next_seed();
    jg_status status = stage_arrays(p);
    if (status == JG_OK)
        status = buffer_new(p->device, p->text->nbytes, &p->memory);
    if (status == JG_OK) {
        p->handles[p->kernel->program.narrays] = p->memory->handle;
        status = run_in_memory(p);
        buffer_release(p->memory);
    }
    field_stage_clear(&p->stage);
    base_free(p->head);
    return status;
}

/* Arrays of the device's get memory of the host's, and the host runs. */
static jg_status run_on_copies(ported_launch *p, const jg_number *scalars, jg_number *results)
{
    const kernel_program *program = &p->kernel->program;
    bool flat = device_has_flat_addresses(p->device);
    for (uint32_t a = 0; a < program->narrays; ++a)
        if (!p->is_host[a])
            JG_TRY(field_stage_add(&p->stage, flat ? NULL : p->handles[a], p->launch.low[a],
                                   p->launch.high[a], kernel_array_at(program, a)->write));
    JG_TRY(field_stage_take(&p->stage, device_cpu()));
    JG_TRY(field_stage_read(&p->stage, p->device));
    for (uint32_t a = 0; a < program->narrays; ++a) {
        uint64_t offset = 0;
        p->given[a] = &p->views[a];
        if (p->is_host[a])
            continue;
        p->views[a].data =
            field_stage_place(&p->stage, flat ? NULL : p->handles[a], p->launch.low[a],
                              p->launch.high[a], p->launch.addresses[a], &offset);
        p->views[a].byte_offset = offset;
    }
    jg_status status = field_launch_on_host(p->kernel, p->given, scalars, results);
    /* Written elements are copied back also after a failure, as on the host. The kernel's failure
     * is raised first then. */
    jg_error failure;
    if (status != JG_OK)
        error_capture(&failure, status);
    jg_status written = field_stage_write(&p->stage, p->device);
    return status != JG_OK ? error_raise(&failure) : written;
}

static jg_status fall_back(ported_launch *p, ported_code *code, const jg_number *scalars,
                           jg_number *results)
{
    bool told = atomic_exchange_explicit(&code->fallback_told, true, memory_order_relaxed);
    JG_TRY(run_tell_fallback(jg_kernel_name(p->kernel), p->device, code->refusal.message, told));
    jg_status status = run_on_copies(p, scalars, results);
    field_stage_clear(&p->stage);
    return status;
}

static unsigned flags_of(const ported_launch *p)
{
    unsigned flags = field_launch_overlaps(&p->launch) ? 0 : KERNEL_PRINT_NO_ALIAS;
    for (int d = 0; d < p->kernel->naxes; ++d)
        if (p->launch.extents[d] > INT32_MAX)
            return flags;
    return flags | KERNEL_PRINT_NARROW;
}

/* A lender of memory may wait for launches only by the means of other libraries, so the failures of
 * earlier launches are raised here. */
static jg_status tell_failures(const ported_launch *p)
{
    for (uint32_t a = 0; p->loans != NULL && a < p->kernel->program.narrays; ++a)
        if (!p->is_host[a] && p->loans[a].owner != NULL)
            return memory_works_end_finished();
    return JG_OK;
}

static jg_status run(ported_launch *p, const jg_view *const *arrays, const jg_number *scalars,
                     jg_number *results)
{
    ported_code *code;
    JG_TRY(find_device(p->kernel, arrays, &p->device));
    JG_TRY(take(p, arrays, scalars));
    JG_TRY(tell_failures(p));
    JG_TRY(ported_find(p->kernel, p->device, p->launch.layouts, flags_of(p), &code));
    JG_TRY(settle_readers(p));
    if (code->text == NULL)
        return fall_back(p, code, scalars, results);
    p->text = code->text;
    p->code = code->code;
    p->label = code->label;
    JG_TRY(run_text(p));
    field_launch_give(&p->launch, results);
    return JG_OK;
}

/* The launch's tables are one block of memory, which begins with the views. */
static jg_status make(jg_kernel *kernel, ported_launch *out)
{
    size_t narrays = (size_t)kernel->program.narrays + 1, nwords = field_launch_nwords(kernel);
    size_t nbytes = narrays * (sizeof(jg_view) + sizeof(void *) + sizeof(jg_view *) +
                               2 * sizeof(uint64_t) + sizeof(bool)) +
                    nwords * sizeof(uint64_t);
    *out = (ported_launch){.kernel = kernel, .views = base_alloc_zeroed(nbytes)};
    if (out->views == NULL)
        return base_nomem(nbytes, "a kernel's arguments");
    out->handles = (void **)(void *)(out->views + narrays);
    out->given = (const jg_view **)(void *)(out->handles + narrays);
    out->offsets = (uint64_t *)(void *)(out->given + narrays);
    out->numbers = out->offsets + narrays;
    uint64_t *words = out->numbers + narrays;
    out->is_host = (bool *)(void *)(words + nwords);
    field_launch_init(kernel, words, &out->launch);
    return JG_OK;
}

/* Refused arguments are told with the name already; what is evaluated has names of its own. */
static jg_status name_failure(const jg_kernel *kernel, jg_status status)
{
    bool unnamed = status == JG_ERR_DEVICE || status == JG_ERR_NOMEM;
    return unnamed && !error_is_of_evaluation() ? run_name_work(jg_kernel_name(kernel), status)
                                                : status;
}

jg_status field_launch_on_device(jg_kernel *kernel, const jg_view *const *arrays,
                                 const jg_kernel_loan *loans, const jg_number *scalars,
                                 jg_number *results)
{
    ported_launch p;
    JG_TRY(make(kernel, &p));
    p.loans = loans;
    jg_status status = run(&p, arrays, scalars, results);
    base_free(p.views);
    return status == JG_OK ? JG_OK : name_failure(kernel, status);
}
