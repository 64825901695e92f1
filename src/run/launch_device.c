/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose results are on a device that the host cannot read: those that the device runs, and
 * whether the host may run the others. */
#include "run/launch_device.h"
#include "run/frame.h"
#include <stdio.h>
#include <string.h>

/* Gives the queue a product that a library of the device makes. */
static jg_status run_library(run_blocks *blocks, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets)
{
    const plan_code *code = launch->code;
    device_product_start start = {
        .label = op_name(launch->label), .handles = handles, .offsets = offsets};
    JG_TRY(run_blocks_scratch(blocks, code->library.scratch_nbytes, &start.scratch));
    JG_TRY(run_blocks_cut(blocks));
    return device_product_run(code->device, run_blocks_queue(blocks), code->library.product,
                              &start);
}

static jg_status run_parts(run_frame *frame, const plan_launch *launch, void *const *handles,
                           const int64_t *offsets)
{
    const plan_parts *parts = &launch->code->parts;
    for (int i = 0; i < parts->count; ++i)
        JG_TRY(run_device_copy(frame, launch, &parts->all[i], handles, offsets));
    return JG_OK;
}

/* How far the INDEX of an axis is moved: as many elements as lie before the first one. */
static int64_t offset_of(int64_t before, int64_t period)
{
    if (period == 0)
        return -before;
    int64_t rest = before % period;
    return rest < 0 ? -(rest + period) : -rest;
}

/* A part that computes addresses from scalars and from indices, whose offsets a run learns from an
 * operand. waits: for that, where it is not the host's */
static jg_status run_addressing(run_frame *frame, const plan_launch *launch, void **handles,
                                int64_t *offsets)
{
    const plan_parts *parts = &launch->code->parts;
    const plan_addressing *addressing = parts->addressing;
    const int64_t *numbers = NULL;
    int count = launch->noperands;
    if (addressing->numbers >= 0)
        JG_TRY(run_blocks_read(frame->run->blocks, launch, addressing->numbers,
                               (const void **)&numbers));
    for (int i = 0; i < addressing->noffsets; ++i, ++count) {
        handles[count] = NULL;
        offsets[count] = numbers != NULL ? offset_of(numbers[i], addressing->periods[i]) : 0;
    }
    return run_device_code(frame, launch, parts->all[0].code, count, handles, offsets,
                           addressing->scalars);
}

/* The gather starts when the host knows that every index is in range. */
static jg_status run_look_up(run_frame *frame, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets)
{
    const plan_parts *parts = &launch->code->parts;
    const plan_look_up *look_up = parts->look_up;
    JG_TRY(run_device_check(frame, launch, look_up, NULL, handles, offsets));
    if (parts->count == look_up->count)
        return JG_OK;
    return run_device_code(frame, launch, parts->all[look_up->count].code, launch->noperands,
                           handles, offsets, look_up->scalars);
}

/* Gives the launch to the queue. handles, offsets: room for each operand, or for the buffers of a
 * program if they are more | waits: as run_code and as run_blocks_ready_device */
static jg_status give(run_frame *frame, const plan_launch *launch, void **handles, int64_t *offsets)
{
    plan_code *code = launch->code;
    run_blocks *blocks = frame->run->blocks;
    JG_TRY(run_blocks_ready_device(blocks, launch, handles, offsets));
    if (code->empty)
        return JG_OK;
    switch (code->kind) {
    case PLAN_CODE_PRINTED:
        return run_device_code(frame, launch, code, launch->noperands, handles, offsets,
                               frame->run->progress.scalar);
    case PLAN_CODE_LIBRARY: return run_library(blocks, launch, handles, offsets);
    case PLAN_CODE_PARTS: return run_parts(frame, launch, handles, offsets);
    case PLAN_CODE_ADDRESSING: return run_addressing(frame, launch, handles, offsets);
    case PLAN_CODE_GATHER: return run_look_up(frame, launch, handles, offsets);
    case PLAN_CODE_SCATTER: return run_device_updates(frame, launch, handles, offsets);
    default: return JG_OK; /* nothing to run */
    }
}

/* Programs have few operands; a concat has as many as it joins, which lie on the heap. */
static jg_status run_on_queue(run_frame *frame, const plan_launch *launch)
{
    void *few[PROGRAM_MAX_BUFFERS];
    int64_t begins[PROGRAM_MAX_BUFFERS];
    if (JG_LIKELY(launch->noperands <= PROGRAM_MAX_BUFFERS))
        return give(frame, launch, few, begins);
    size_t count = (size_t)launch->noperands;
    int64_t *offsets = base_alloc(count * (sizeof *offsets + sizeof(void *)));
    if (offsets == NULL)
        return base_nomem(count * (sizeof *offsets + sizeof(void *)), "a launch");
    jg_status status = give(frame, launch, (void **)(void *)(offsets + count), offsets);
    base_free(offsets);
    return status;
}

const plan_launch_kind run_device_program = {.writes = plan_program_writes,
                                             .describe = plan_program_describe,
                                             .release = plan_program_release,
                                             .run = run_on_queue};

const plan_launch_kind run_device_routine = {.may_fail = true,
                                             .writes = plan_routine_writes,
                                             .describe = plan_routine_describe,
                                             .release = plan_routine_release,
                                             .run = run_on_queue};

/* The treatment of launches that the device cannot run: the host runs them, with or without a
 * warning, or they fail. The order is that of the option's words. */
enum { FALLBACK_HOST, FALLBACK_WARN, FALLBACK_ERROR };

static const char *reason(const plan_launch *launch)
{
    return launch->code != NULL ? launch->code->refusal.message : "the device runs nothing itself";
}

jg_status run_tell_fallback(const char *label, const jg_device *device, const char *why, bool told)
{
    const char *name = device_name(device);
    int number = (int)device->id.id;
    int policy;
    JG_TRY(option_choice(OPTION_DEVICE_FALLBACK, &policy));
    if (policy == FALLBACK_ERROR)
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "[%s] %s:%d does not run it: %s; JOGGLE_DEVICE_FALLBACK is \"error\"; set it to "
            "\"host\" and the host does",
            label, name, number, why);
    if (policy == FALLBACK_WARN && !told)
        fprintf(stderr, "joggle: [%s] runs on the host for %s:%d: %s\n", label, name, number, why);
    return JG_OK;
}

/* The warning is printed once for each plan, so a loop that builds the same graph again prints it
 * once. */
jg_status run_check_fallback(jg_plan *plan)
{
    const jg_device *device = device_at(plan->device);
    int policy;
    if (device_is_host(device))
        return JG_OK;
    JG_TRY(option_choice(OPTION_DEVICE_FALLBACK, &policy));
    if (policy == FALLBACK_HOST)
        return JG_OK;
    for (int i = 0; i < plan->nlaunches; ++i)
        if (plan->launches[i].kind->on_host)
            JG_TRY(run_tell_fallback(op_name(plan->launches[i].label), device,
                                     reason(&plan->launches[i]), plan->fallback_told));
    plan->fallback_told = policy == FALLBACK_WARN;
    return JG_OK;
}
