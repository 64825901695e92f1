/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose results are on a device that the host cannot read: those that the device runs, and
 * whether the host may run the others. */
#include "run/frame.h"
#include <stdio.h>
#include <string.h>

static bool all_aligned(int count, const int64_t *offsets, void *const *handles)
{
    for (int i = 0; i < count; ++i)
        if (handles[i] != NULL && offsets[i] % 16 != 0)
            return false;
    return true;
}

/* Gives the queue one launch, whose operands are on the device. */
static jg_status start(run_blocks *blocks, const char *label, const plan_start *made,
                       void *const *handles, const int64_t *offsets, const jg_scalar *scalars)
{
    device_start start = {
        .takes = made->takes, .label = label, .launch = made->launch, .handles = handles};
    JG_TRY(blocks_scratch(blocks, made->launch->scratch_nbytes, &start.scratch));
    program_device_launch_bind(made->launch, made->takes, offsets, scalars);
    return device_launch_start(made->code, blocks_queue(blocks), &start);
}

/* The same of a product that a library of the device makes. */
static jg_status run_library(run_blocks *blocks, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets)
{
    const plan_code *code = launch->code;
    device_product_start start = {
        .label = op_name(launch->label), .handles = handles, .offsets = offsets};
    JG_TRY(blocks_scratch(blocks, code->library_nbytes, &start.scratch));
    return device_product_run(code->device, blocks_queue(blocks), code->library, &start);
}

/* The same of printed code: the launch's own, or that of a part. waits: for a compiler before the
 * first run */
static jg_status run_code(launch_frame *frame, const plan_launch *launch, plan_code *code,
                          int count, void *const *handles, const int64_t *offsets,
                          const jg_scalar *scalars)
{
    plan_run *run = frame->run;
    plan_start made;
    bool aligned = all_aligned(count, offsets, handles);
    JG_TRY(plan_code_start(run->plan, code, aligned, &made));
    jg_status status = start(run->blocks, op_name(launch->label), &made, handles, offsets, scalars);
    base_free(made.launch);
    return status;
}

/* The parts write places of the result that do not meet. */
static jg_status run_parts(launch_frame *frame, const plan_launch *launch, void *const *handles,
                           const int64_t *offsets)
{
    const plan_code *code = launch->code;
    int result = launch->noperands - 1;
    for (int i = 0; i < code->nparts; ++i) {
        const plan_part *part = &code->parts[i];
        void *const own[] = {handles[part->operand], handles[result], NULL};
        const int64_t begins[] = {offsets[part->operand], offsets[result] + part->offset_bytes, 0};
        JG_TRY(run_code(frame, launch, part->code, (int)JG_COUNT_OF(own), own, begins, NULL));
    }
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
static jg_status run_addressing(launch_frame *frame, const plan_launch *launch, void **handles,
                                int64_t *offsets)
{
    const plan_code *code = launch->code;
    const plan_addressing *addressing = code->addressing;
    const int64_t *numbers = NULL;
    int count = launch->noperands;
    if (addressing->numbers >= 0)
        JG_TRY(
            blocks_read(frame->run->blocks, launch, addressing->numbers, (const void **)&numbers));
    for (int i = 0; i < addressing->noffsets; ++i, ++count) {
        handles[count] = NULL;
        offsets[count] = numbers != NULL ? offset_of(numbers[i], addressing->periods[i]) : 0;
    }
    return run_code(frame, launch, code->parts[0].code, count, handles, offsets,
                    addressing->scalars);
}

/* The range tells a number that is out of range, but not where it is. */
static jg_status check_range(const plan_index *index, const int64_t *range)
{
    int64_t extent = index->extent, least = range[0], largest = range[1];
    bool below = !index->is_unsigned && least < -extent;
    bool above = index->is_unsigned ? (uint64_t)largest >= (uint64_t)extent : largest >= extent;
    if (!below && !above)
        return JG_OK;
    return program_fail_index(below ? least : largest, index->is_unsigned, index->axis, extent);
}

/* Finds the ranges of the index arrays, into memory of the device. */
static jg_status find_ranges(launch_frame *frame, const plan_launch *launch, void *found,
                             void *const *handles, const int64_t *offsets)
{
    const plan_code *code = launch->code;
    for (int i = 0; i < code->look_up->count; ++i) {
        const plan_part *part = &code->parts[i];
        void *const own[] = {handles[part->operand], found, found};
        int64_t begin = i * PLAN_RANGE_NBYTES;
        const int64_t begins[] = {offsets[part->operand], begin, begin + PLAN_RANGE_NBYTES / 2};
        JG_TRY(run_code(frame, launch, part->code, (int)JG_COUNT_OF(own), own, begins, NULL));
    }
    return JG_OK;
}

/* Brings the ranges to the host and compares them. waits: until the queue has found them */
static jg_status check_ranges(const plan_code *code, void *queue, void *found)
{
    const plan_look_up *look_up = code->look_up;
    int64_t ranges[PLAN_INDEX_LIMIT][2];
    const device_copy copy = {.direction = DEVICE_TO_HOST,
                              .to = {.handle = ranges},
                              .from = {.handle = found},
                              .nbytes = (size_t)look_up->count * PLAN_RANGE_NBYTES};
    JG_TRY(device_copy_all(code->device, queue, 1, &copy));
    for (int i = 0; i < look_up->count; ++i)
        JG_TRY(check_range(&look_up->indices[i], ranges[i]));
    return JG_OK;
}

/* The gather starts when the host knows that every index is in range. */
static jg_status run_look_up(launch_frame *frame, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets)
{
    const plan_code *code = launch->code;
    const plan_look_up *look_up = code->look_up;
    run_blocks *blocks = frame->run->blocks;
    jg_buffer *found;
    JG_TRY(buffer_new(code->device, (size_t)look_up->count * PLAN_RANGE_NBYTES, &found));
    jg_status status = find_ranges(frame, launch, found->handle, handles, offsets);
    if (status == JG_OK)
        status = check_ranges(code, blocks_queue(blocks), found->handle);
    else
        (void)blocks_finish(blocks); /* what was queued may still write there */
    buffer_release(found);
    JG_TRY(status);
    if (code->nparts == look_up->count)
        return JG_OK;
    return run_code(frame, launch, code->parts[look_up->count].code, launch->noperands, handles,
                    offsets, look_up->scalars);
}

/* Gives the launch to the queue. waits: as run_code and as blocks_ready_device */
static jg_status run_on_queue(launch_frame *frame, const plan_launch *launch)
{
    void *handles[PROGRAM_MAX_BUFFERS];
    int64_t offsets[PROGRAM_MAX_BUFFERS];
    plan_code *code = launch->code;
    run_blocks *blocks = frame->run->blocks;
    JG_TRY(blocks_ready_device(blocks, launch, handles, offsets));
    if (code->empty)
        return JG_OK;
    if (code->library != NULL)
        return run_library(blocks, launch, handles, offsets);
    if (code->look_up != NULL)
        return run_look_up(frame, launch, handles, offsets);
    if (code->addressing != NULL)
        return run_addressing(frame, launch, handles, offsets);
    if (code->nparts > 0)
        return run_parts(frame, launch, handles, offsets);
    return run_code(frame, launch, code, launch->noperands, handles, offsets, frame->run->scalar);
}

const launch_kind run_device_program = {.writes = plan_program_writes,
                                        .describe = plan_program_describe,
                                        .release = plan_program_release,
                                        .run = run_on_queue};

const launch_kind run_device_routine = {.may_fail = true,
                                        .writes = plan_routine_writes,
                                        .describe = plan_routine_describe,
                                        .release = plan_routine_release,
                                        .run = run_on_queue};

/* What becomes of launches that the device cannot run: the host runs them, with or without a
 * warning, or they fail. */
typedef enum fallback { FALLBACK_HOST, FALLBACK_WARN, FALLBACK_ERROR } fallback;

static jg_status find_fallback(fallback *out)
{
    static const char *const names[] = {"host", "warn", "error"};
    const char *text = option_text(OPTION_DEVICE_FALLBACK);
    for (int i = 0; i < (int)JG_COUNT_OF(names); ++i)
        if (strcmp(text, names[i]) == 0) {
            *out = (fallback)i;
            return JG_OK;
        }
    return jg_fail(JG_ERR_VALUE,
                   "JOGGLE_DEVICE_FALLBACK: got \"%s\", allowed are host, warn and error", text);
}

static const char *reason(const plan_launch *launch)
{
    return launch->code != NULL ? launch->code->refusal.message : "the device runs nothing itself";
}

static jg_status check_launch(const plan_launch *launch, const jg_device *device, fallback policy)
{
    const char *name = device->ops->name, *label = op_name(launch->label);
    int number = (int)device->id.id;
    if (policy == FALLBACK_ERROR)
        return jg_fail(JG_ERR_UNSUPPORTED,
                       "[%s] %s:%d does not run it: %s; JOGGLE_DEVICE_FALLBACK is \"error\", with "
                       "\"host\" the host does",
                       label, name, number, reason(launch));
    fprintf(stderr, "joggle: [%s] runs on the host for %s:%d: %s\n", label, name, number,
            reason(launch));
    return JG_OK;
}

/* The warning is printed once for each plan, so a loop that builds the same graph again prints it
 * once. */
jg_status run_check_fallback(jg_plan *plan)
{
    const jg_device *device = device_at(plan->device);
    fallback policy = FALLBACK_HOST;
    if (device_is_host(device))
        return JG_OK;
    JG_TRY(find_fallback(&policy));
    if (policy == FALLBACK_HOST || (policy == FALLBACK_WARN && plan->told))
        return JG_OK;
    for (int i = 0; i < plan->nlaunches; ++i)
        if (plan->launches[i].kind->on_host)
            JG_TRY(check_launch(&plan->launches[i], device, policy));
    plan->told = policy == FALLBACK_WARN;
    return JG_OK;
}
