/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms as works of devices: the loops of lines, and how long these are. A transform
 * along two axes is two works, of which the second one reads the result. */
#include "plan/device/code.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { X, RESULT };

static const fft_attributes *attributes_of(const routine_call *call)
{
    return &call->attributes->fft;
}

/* The factor by which the norm scales the results. */
static double scale_of(const routine_call *call, int64_t length)
{
    switch (attributes_of(call)->norm) {
    case TRANSFORM_BY_ROOT: return 1 / sqrt((double)length);
    case TRANSFORM_BY_N: return 1 / (double)length;
    default: return 1;
    }
}

/* The part of the length that remains after all factors that a pass can take are divided out. */
static int64_t large_factor(int64_t length)
{
    for (int64_t factor = 2; factor <= DEVICE_FOURIER_FACTOR; ++factor)
        while (length % factor == 0)
            length /= factor;
    return length;
}

/* gives: whether the transform is refused, and why */
static bool refuse(const device_fourier *f, int nloops, device_refusal *out)
{
    int64_t most = f->chirps ? DEVICE_FOURIER_MAX_LENGTH / 4 : DEVICE_FOURIER_MAX_LENGTH;
    if (nloops > DEVICE_MAX_LOOPS)
        snprintf(out->message, sizeof out->message,
                 "there is no device source of transforms of lines along %d axes, only along up to "
                 "%d",
                 nloops, DEVICE_MAX_LOOPS);
    else if (f->length > most)
        snprintf(out->message, sizeof out->message,
                 "there is no device source of transforms of %" PRId64 " numbers, only of up to "
                 "%" PRId64 "%s",
                 f->length, most, f->chirps ? " where the length has a large prime factor" : "");
    else
        return false;
    return true;
}

/* Steps along a line, and of the loops of lines. gives: how many loops, of which the first
 * DEVICE_MAX_LOOPS are there */
static int fill_loops(const routine_operand *x, const routine_operand *y, int axis,
                      device_fourier *out)
{
    const routine_operand *both[] = {x, y};
    int count = 0;
    out->extents[0] = 1;
    for (int b = 0; b < DEVICE_FOURIER_BUFFERS; ++b)
        out->step[b] = plan_operand_step(both[b], axis);
    for (int d = 0; d < y->ndim; ++d) {
        if (d == axis || y->shape[d] == 1)
            continue;
        for (int b = 0; count < DEVICE_MAX_LOOPS && b < DEVICE_FOURIER_BUFFERS; ++b)
            out->steps[b][count] = plan_operand_step(both[b], d);
        if (count < DEVICE_MAX_LOOPS)
            out->extents[count] = y->shape[d];
        count += 1;
    }
    return count > 0 ? count : 1;
}

/* index: 0 for the first axis, 1 for the second, for which the result is read.
 * gives: false with the refusal */
static bool describe(const routine_call *call, int index, device_fourier *out,
                     device_refusal *refusal)
{
    const routine_operand *x = &call->operands[index == 0 ? X : RESULT];
    const routine_operand *y = &call->operands[RESULT];
    int axis = (int)(index == 0 ? attributes_of(call)->axis : attributes_of(call)->then);
    transform_kind kind = (transform_kind)attributes_of(call)->kind;
    out->from = (uint8_t)x->dtype;
    out->to = (uint8_t)y->dtype;
    out->half = index == 0 && kind == TRANSFORM_TO_REAL;
    out->inverse = kind == TRANSFORM_BACKWARD || out->half;
    out->read = x->shape[axis];
    out->kept = y->shape[axis];
    out->length = out->half ? out->kept : out->read;
    out->chirps = large_factor(out->length) > 1;
    out->scale = scale_of(call, out->length);
    int nloops = fill_loops(x, y, axis, out);
    if (refuse(out, nloops, refusal))
        return false;
    out->ndim = (uint8_t)nloops;
    return true;
}

static jg_status make_work(const routine_call *call, int index, plan_code *code)
{
    device_fourier fourier = {0};
    if (!describe(call, index, &fourier, &code->refusal))
        return JG_OK;
    device_fourier *own = base_copy(&fourier, sizeof fourier);
    const device_work work = {.kind = DEVICE_WORK_FOURIER, .fourier = own};
    return plan_code_print(code, work, own);
}

static jg_status add_part(const routine_call *call, int index, plan_code *code)
{
    plan_part *part = &code->parts.all[code->parts.count];
    part->operand = index == 0 ? X : RESULT;
    JG_TRY(plan_code_new(code->device->index, &part->code));
    if (part->code == NULL)
        return JG_OK;
    jg_status status = make_work(call, index, part->code);
    plan_code_count(code);
    return status;
}

jg_status plan_fourier(const routine_call *call, plan_code *code)
{
    enum { AXES = 2 };
    if (attributes_of(call)->then < 0)
        return make_work(call, 0, code);
    JG_TRY(plan_code_divide(code, PLAN_CODE_PARTS, AXES));
    for (int index = 0; index < AXES && code->taken; ++index)
        JG_TRY(add_part(call, index, code));
    return JG_OK;
}
