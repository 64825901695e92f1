/* SPDX-License-Identifier: Apache-2.0 */
/* A convolution as a work of devices: its sizes, and the steps of x, w and the result. */
#include "plan/device/code.h"
#include <stdio.h>

enum { X, W, RESULT }; /* the operands */
_Static_assert((int)DEVICE_CONVOLUTION_AXES == (int)PRIMITIVE_SPACE_AXES, "of space");

static const convolve_attributes *attributes_of(const routine_call *call)
{
    return &call->attributes->convolve;
}

/* Axes of space that the result does not have come first. */
static void fill_axis(const routine_call *call, int axis, device_convolution_axis *out)
{
    const convolve_attributes *attributes = attributes_of(call);
    const routine_operand *y = &call->operands[RESULT];
    int own = axis - (PRIMITIVE_SPACE_AXES - (y->ndim - 2)) + (attributes->channels_first ? 2 : 1);
    bool is_there = axis >= PRIMITIVE_SPACE_AXES - (y->ndim - 2);
    *out = (device_convolution_axis){
        .in = call->operands[X].shape[WINDOW_SPACE + axis],
        .out = is_there ? y->shape[own] : 1,
        .taps = call->operands[W].shape[WINDOW_SPACE + axis],
        .stride = attributes->stride[axis],
        .dilation = attributes->dilation[axis],
        .before = attributes->before[axis],
        .spread = attributes->spread[axis],
        .x_step = plan_operand_step(&call->operands[X], WINDOW_SPACE + axis),
        .w_step = plan_operand_step(&call->operands[W], WINDOW_SPACE + axis),
        .out_step = is_there ? plan_operand_step(y, own) : 0};
}

static void fill(const routine_call *call, device_convolution *out)
{
    const routine_operand *x = &call->operands[X], *w = &call->operands[W],
                          *y = &call->operands[RESULT];
    const convolve_attributes *attributes = attributes_of(call);
    int channels = attributes->channels_first ? 1 : y->ndim - 1;
    out->dtype = (uint8_t)y->dtype;
    out->flip = attributes->flip;
    out->batch = y->shape[WINDOW_BATCH];
    out->groups = attributes->groups;
    out->in_channels = w->shape[WINDOW_CHANNELS];
    out->out_channels = w->shape[WINDOW_BATCH] / attributes->groups;
    out->x_batch = plan_operand_step(x, WINDOW_BATCH);
    out->x_channel = plan_operand_step(x, WINDOW_CHANNELS);
    out->w_channel = plan_operand_step(w, WINDOW_CHANNELS);
    out->w_result = plan_operand_step(w, WINDOW_BATCH);
    out->out_batch = plan_operand_step(y, WINDOW_BATCH);
    out->out_channel = plan_operand_step(y, channels);
    for (int axis = 0; axis < PRIMITIVE_SPACE_AXES; ++axis)
        fill_axis(call, axis, &out->axes[axis]);
}

/* Places and terms are counted in 31 bits. */
static bool is_small(const device_convolution *c)
{
    const int64_t most = INT32_MAX;
    int64_t rows = c->batch, terms = c->in_channels, places;
    for (int axis = 0; axis < DEVICE_CONVOLUTION_AXES; ++axis) {
        const device_convolution_axis *own = &c->axes[axis];
        if (__builtin_mul_overflow(rows, own->out, &rows) ||
            __builtin_mul_overflow(terms, own->taps, &terms) ||
            __builtin_mul_overflow(own->in, own->spread, &places) || places > most)
            return false;
    }
    return rows <= most && terms <= most;
}

jg_status plan_convolve(const routine_call *call, plan_code *code)
{
    device_convolution convolution = {0};
    fill(call, &convolution);
    if (!is_small(&convolution)) {
        snprintf(code->refusal.message, sizeof code->refusal.message,
                 "there is no device source of convolutions of 2^31 places or more");
        return JG_OK;
    }
    device_convolution *own = base_copy(&convolution, sizeof convolution);
    const device_work work = {.kind = DEVICE_WORK_CONVOLUTION, .convolution = own};
    return plan_code_print(code, work, own);
}
