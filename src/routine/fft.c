/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms along an axis: cuts an array into groups of lines for the room fft. */
#include "fft/fft.h"
#include "routine/routine.h"
#include <math.h>

enum { AXIS, KIND, NORM }; /* the places in values */
enum { X, RESULT };

/* Larger arrays do not stay in the second-level cache. */
enum { NEAR_NBYTES = 512 << 10 };

static int axis_of(const routine_call *call)
{
    return (int)call->values[AXIS];
}

static fft_kind kind_of(const routine_call *call)
{
    switch (call->values[KIND]) {
    case ROUTINE_FFT_FROM_REAL: return FFT_FROM_REAL;
    case ROUTINE_FFT_TO_REAL: return FFT_TO_REAL;
    default: return FFT_COMPLEX;
    }
}

static double scale_of(const routine_call *call, int64_t n)
{
    switch (call->values[NORM]) {
    case ROUTINE_FFT_BY_ROOT: return 1 / sqrt((double)n);
    case ROUTINE_FFT_BY_N: return 1 / (double)n;
    default: return 1;
    }
}

/* The number of a sequence is that of its real side, or of both. */
static fft_transform transform_of(const routine_call *call)
{
    fft_kind kind = kind_of(call);
    jg_dtype dtype = call->operands[X].dtype;
    int64_t n = call->operands[kind == FFT_FROM_REAL ? X : RESULT].shape[axis_of(call)];
    return (fft_transform){.kind = kind,
                           .single = dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64,
                           .backward = call->values[KIND] == ROUTINE_FFT_BACKWARD,
                           .n = n,
                           .scale = scale_of(call, n)};
}

static int64_t line_count(const routine_call *call)
{
    return routine_line_count(&call->operands[RESULT], axis_of(call));
}

/* Steps alone, as fft_group wants to see them. */
static fft_lines steps_of(const routine_call *call)
{
    int axis = axis_of(call);
    return (fft_lines){.from_step = call->operands[X].strides[axis],
                       .to_step = call->operands[RESULT].strides[axis]};
}

static int64_t group_of(const routine_call *call, const fft_transform *transform)
{
    const fft_lines steps = steps_of(call);
    return fft_group(transform, &steps, line_count(call));
}

static void *find_line(const routine_call *call, int operand, int64_t line)
{
    const routine_operand *x = &call->operands[operand];
    return (char *)call->addresses[operand] +
           routine_line_start(x, axis_of(call), line) * (int64_t)dtype_itemsize(x->dtype);
}

/* Long lines are shared by their transform, one after the other. */
static int64_t units(const routine_call *call, int step)
{
    (void)step;
    if (call->operands[RESULT].size == 0)
        return 0;
    const fft_transform transform = transform_of(call);
    int64_t group = group_of(call, &transform);
    if (group == 1 && fft_scratch(&transform) > 0)
        return 1;
    return (line_count(call) + group - 1) / group;
}

/* Whether the lines come from beyond the second-level cache. */
static bool is_far(const routine_call *call, const fft_transform *transform)
{
    int64_t nbytes = transform->n * line_count(call) * (transform->single ? 8 : 16);
    return nbytes > NEAR_NBYTES && fft_scratch(transform) == 0;
}

/* group: how many lines the transform takes at a time; the last group may be smaller. */
static jg_status run_lines(const routine_call *call, const fft_transform *transform, int64_t first,
                           int64_t last, int64_t group)
{
    fft_lines lines = steps_of(call);
    fft_session session = fft_begin(transform, call->scratch);
    jg_status status = JG_OK;
    bool far = is_far(call, transform);
    for (int64_t line = first; line < last && status == JG_OK; line += group) {
        lines.count = (int)(last - line < group ? last - line : group);
        for (int i = 0; i < lines.count; ++i) {
            lines.from[i] = find_line(call, X, line + i);
            lines.to[i] = find_line(call, RESULT, line + i);
        }
        if (far)
            fft_touch(transform, &lines);
        status = fft_run(&session, &lines);
    }
    fft_end(&session);
    return status;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const fft_transform transform = transform_of(call);
    int64_t group = group_of(call, &transform), count = line_count(call);
    /* The one unit of long lines. */
    if (group == 1 && call->scratch != NULL)
        return run_lines(call, &transform, 0, count, 1);
    int64_t end = last * group < count ? last * group : count;
    return run_lines(call, &transform, first * group, end, group);
}

static int64_t work(const routine_call *call)
{
    const fft_transform transform = transform_of(call);
    return (int64_t)(fft_cost(&transform) * (double)line_count(call));
}

/* Where lines go together the scratch is not used: those are short. */
static size_t scratch(const routine_call *call)
{
    if (call->operands[RESULT].size == 0)
        return 0;
    const fft_transform transform = transform_of(call);
    return group_of(call, &transform) == 1 ? fft_scratch(&transform) : 0;
}

const jg_routine routine_fft = {
    .name = "fft", .units = units, .run = run, .work = work, .scratch = scratch, .in_place = true};
