/* SPDX-License-Identifier: Apache-2.0 */
/* Scatters on a device. A run knows where the index space lies in the result, and so which of its
 * axes are columns: those along which updates go to different elements whatever the index arrays
 * hold. The others are rows, which are walked in order. */
#include "run/frame.h"
#include "run/launch_device.h"

static const routine_operand *operand_of(const plan_launch *launch, int operand)
{
    return &launch->routine->call.operands[operand];
}

/* The updates, and each index array: what loops of a scatter have steps for. */
static const routine_operand *source_of(const plan_launch *launch, int source)
{
    return operand_of(launch, source == 0 ? SCATTER_UPDATES : SCATTER_ARRAYS + source - 1);
}

static void add_column(const plan_launch *launch, int axis, int64_t target, int loop,
                       device_scatter *out)
{
    out->columns[loop] = operand_of(launch, SCATTER_UPDATES)->shape[axis];
    out->target[loop] = target;
    for (int b = 0; b <= out->narrays; ++b)
        out->steps[b].columns[loop] = plan_broadcast_step(source_of(launch, b), axis);
}

static void add_row(const plan_launch *launch, int axis, int loop, device_scatter *out)
{
    out->rows[loop] = operand_of(launch, SCATTER_UPDATES)->shape[axis];
    for (int b = 0; b <= out->narrays; ++b)
        out->steps[b].rows[loop] = plan_broadcast_step(source_of(launch, b), axis);
}

/* Columns and rows fill their loops from the innermost one on. The innermost column is the last
 * axis or nothing, as what is known of how numbers vary there is known of that axis. */
static void fill_loops(const plan_launch *launch, const int64_t *steps, device_scatter *out)
{
    const routine_operand *updates = operand_of(launch, SCATTER_UPDATES);
    int64_t itemsize = (int64_t)dtype_itemsize(updates->dtype);
    int last = updates->ndim - 1, column = out->ndim - 1, row = column;
    for (int loop = 0; loop < out->ndim; ++loop)
        out->columns[loop] = out->rows[loop] = 1;
    for (int axis = last; axis >= 0; --axis) {
        bool is_column = updates->shape[axis] > 1 && steps[axis] != 0;
        if (is_column)
            add_column(launch, axis, steps[axis] * itemsize, column, out);
        else if (updates->shape[axis] > 1)
            add_row(launch, axis, row--, out);
        column -= is_column || axis == last;
    }
}

static void fill_scatter(const plan_launch *launch, const scatter_target *target,
                         device_scatter *out)
{
    const routine_operand *updates = operand_of(launch, SCATTER_UPDATES);
    fill_loops(launch, target->steps, out);
    for (int k = 0; k < out->narrays; ++k) {
        out->numbers[k].extent = target->extents[k];
        out->numbers[k].stride = target->strides[k] * (int64_t)dtype_itemsize(updates->dtype);
    }
}

/* The buffers are the result, the updates and the index arrays. */
static jg_status take_in(run_frame *frame, const plan_launch *launch, const scatter_target *target,
                         void *const *handles, const int64_t *offsets)
{
    const plan_parts *parts = &launch->code->parts;
    plan_code *code = parts->all[parts->updates->update].code;
    int result = launch->noperands - 1, count = launch->noperands - 2;
    void *own[PROGRAM_MAX_BUFFERS] = {handles[result]};
    int64_t begins[PROGRAM_MAX_BUFFERS] = {offsets[result]};
    device_scatter scatter = *code->printed.work.scatter;
    fill_scatter(launch, target, &scatter);
    begins[0] +=
        target->offset * (int64_t)dtype_itemsize(operand_of(launch, SCATTER_UPDATES)->dtype);
    for (int b = 1; b < count; ++b) {
        own[b] = handles[SCATTER_UPDATES + b - 1];
        begins[b] = offsets[SCATTER_UPDATES + b - 1];
    }
    const device_work work = {.kind = DEVICE_WORK_SCATTER, .scatter = &scatter};
    const run_device_operands operands = {count, own, begins, NULL};
    return run_device_work(frame, launch, code, &work, &operands);
}

/* Nothing is written before the host knows that every index is in range. */
jg_status run_device_updates(run_frame *frame, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets)
{
    const plan_parts *parts = &launch->code->parts;
    const plan_updates *updates = parts->updates;
    int result = launch->noperands - 1, narrays = result - SCATTER_ARRAYS;
    const int64_t *numbers;
    JG_TRY(run_blocks_read(frame->run->blocks, launch, SCATTER_TARGET, (const void **)&numbers));
    const scatter_target target =
        scatter_target_of(numbers, operand_of(launch, SCATTER_UPDATES)->ndim, narrays);
    JG_TRY(run_device_check(frame, launch, &updates->look_up, target.extents, handles, offsets));
    bool in_place = handles[SCATTER_X] == handles[result] && offsets[SCATTER_X] == offsets[result];
    if (updates->copy >= 0 && !in_place)
        JG_TRY(run_device_copy(frame, launch, &parts->all[updates->copy], handles, offsets));
    return updates->update >= 0 ? take_in(frame, launch, &target, handles, offsets) : JG_OK;
}
