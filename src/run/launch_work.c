/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of device launches: works that are given to the queue, and the check of index arrays
 * before other works start. */
#include "run/frame.h"
#include "run/launch_device.h"

static bool all_aligned(int count, const int64_t *offsets, void *const *handles)
{
    for (int i = 0; i < count; ++i)
        if (handles[i] != NULL && offsets[i] % 16 != 0)
            return false;
    return true;
}

/* Gives the queue one launch, whose operands are on the device. */
static jg_status start(run_blocks *blocks, const char *label, const plan_start *made,
                       const run_device_operands *operands)
{
    device_start start = {
        .takes = made->takes, .label = label, .launch = made->launch, .handles = operands->handles};
    JG_TRY(run_blocks_scratch(blocks, made->launch->scratch_nbytes, &start.scratch));
    device_launch_bind(made->launch, made->takes, operands->offsets, operands->scalars);
    return run_blocks_launch(blocks, made->code, &start);
}

jg_status run_device_work(run_frame *frame, const plan_launch *launch, plan_code *code,
                          const device_work *work, const run_device_operands *operands)
{
    run_evaluation *run = frame->run;
    plan_start made;
    bool aligned = all_aligned(operands->count, operands->offsets, operands->handles);
    JG_TRY(plan_code_start(run->plan, code, work, aligned, &made));
    jg_status status = start(run->blocks, op_name(launch->label), &made, operands);
    base_free(made.launch);
    return status;
}

jg_status run_device_code(run_frame *frame, const plan_launch *launch, plan_code *code, int count,
                          void *const *handles, const int64_t *offsets, const jg_scalar *scalars)
{
    const run_device_operands operands = {count, handles, offsets, scalars};
    return run_device_work(frame, launch, code, &code->printed.work, &operands);
}

jg_status run_device_copy(run_frame *frame, const plan_launch *launch, const plan_part *part,
                          void *const *handles, const int64_t *offsets)
{
    int result = launch->noperands - 1;
    void *const own[] = {handles[part->operand], handles[result], NULL};
    const int64_t begins[] = {offsets[part->operand], offsets[result] + part->offset_bytes, 0};
    return run_device_code(frame, launch, part->code, (int)JG_COUNT_OF(own), own, begins, NULL);
}

/* The range tells a number that is out of range, but not where it is. */
static jg_status check_range(const plan_index *index, int64_t extent, const int64_t *range)
{
    int64_t least = range[0], largest = range[1];
    bool below = !index->is_unsigned && least < -extent;
    bool above = index->is_unsigned ? (uint64_t)largest >= (uint64_t)extent : largest >= extent;
    if (!below && !above)
        return JG_OK;
    return program_fail_index(below ? least : largest, index->is_unsigned, index->axis, extent);
}

/* Finds the ranges of the index arrays, into memory of the device. */
static jg_status find_ranges(run_frame *frame, const plan_launch *launch, int count, void *found,
                             void *const *handles, const int64_t *offsets)
{
    for (int i = 0; i < count; ++i) {
        const plan_part *part = &launch->code->parts.all[i];
        void *const own[] = {handles[part->operand], found, found};
        int64_t begin = i * PLAN_RANGE_NBYTES;
        const int64_t begins[] = {offsets[part->operand], begin, begin + PLAN_RANGE_NBYTES / 2};
        JG_TRY(
            run_device_code(frame, launch, part->code, (int)JG_COUNT_OF(own), own, begins, NULL));
    }
    return JG_OK;
}

/* Brings the ranges to the host and compares them. waits: until the queue has found them */
static jg_status check_ranges(jg_device *device, const plan_look_up *look_up,
                              const int64_t *extents, void *queue, void *found)
{
    int64_t ranges[PLAN_INDEX_LIMIT][2];
    const device_copy copy = {.direction = DEVICE_TO_HOST,
                              .to = {.handle = ranges},
                              .from = {.handle = found},
                              .nbytes = (size_t)look_up->count * PLAN_RANGE_NBYTES};
    JG_TRY(device_copy_all(device, queue, 1, &copy));
    for (int i = 0; i < look_up->count; ++i)
        JG_TRY(check_range(&look_up->indices[i],
                           extents != NULL ? extents[i] : look_up->indices[i].extent, ranges[i]));
    return JG_OK;
}

jg_status run_device_check(run_frame *frame, const plan_launch *launch, const plan_look_up *look_up,
                           const int64_t *extents, void *const *handles, const int64_t *offsets)
{
    jg_device *device = launch->code->device;
    run_blocks *blocks = frame->run->blocks;
    jg_buffer *found;
    if (look_up->count == 0)
        return JG_OK;
    JG_TRY(buffer_new(device, (size_t)look_up->count * PLAN_RANGE_NBYTES, &found));
    jg_status status = find_ranges(frame, launch, look_up->count, found->handle, handles, offsets);
    if (status == JG_OK)
        status = run_blocks_cut(blocks);
    if (status == JG_OK)
        status = check_ranges(device, look_up, extents, run_blocks_queue(blocks), found->handle);
    else
        (void)run_blocks_finish(blocks); /* what was queued may still write there */
    buffer_release(found);
    return status;
}
