/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms along an axis, or along two, one after the other: cuts an array into groups of
 * lines for the room fft. Of large arrays, both axes of a plane are transformed while it is in the
 * second-level cache; else the second axis waits for all of the first. */
#include "fft/fft.h"
#include "routine/routine.h"
#include <math.h>

enum { X, RESULT };

/* NEAR_NBYTES: larger arrays, and larger planes, do not stay in the second-level cache.
 * PLANES_EACH: with that many planes for each thread, planes are divided among the threads. */
enum { NEAR_NBYTES = 512 << 10, PLANES_EACH = 4 };

/* The lines along one axis: those of the whole array, or those of a plane, which follow each other
 * along another axis. */
typedef struct pass {
    fft_transform transform;
    int from; /* the operand that is read */
    int axis, other;
    int64_t count; /* of lines */
} pass;

enum { ANY_AXIS = -1 }; /* `other` of the whole array */

static bool has_two(const routine_call *call)
{
    return call->attributes->fft.then >= 0;
}

static fft_kind kind_of(const routine_call *call)
{
    switch (call->attributes->fft.kind) {
    case TRANSFORM_FROM_REAL: return FFT_FROM_REAL;
    case TRANSFORM_TO_REAL: return FFT_TO_REAL;
    default: return FFT_COMPLEX;
    }
}

static double scale_of(const routine_call *call, int64_t n)
{
    switch (call->attributes->fft.norm) {
    case TRANSFORM_BY_ROOT: return 1 / sqrt((double)n);
    case TRANSFORM_BY_N: return 1 / (double)n;
    default: return 1;
    }
}

/* n is the extent of the real side; both sides have the same for complex transforms. */
static fft_transform transform_of(const routine_call *call, fft_kind kind, int axis)
{
    jg_dtype dtype = call->operands[X].dtype;
    int64_t n = call->operands[kind == FFT_FROM_REAL ? X : RESULT].shape[axis];
    return (fft_transform){.kind = kind,
                           .single = dtype == JG_DTYPE_FLOAT32 || dtype == JG_DTYPE_COMPLEX64,
                           .backward = call->attributes->fft.kind == TRANSFORM_BACKWARD,
                           .n = n,
                           .scale = scale_of(call, n)};
}

/* Over the whole array. index: 1 for the axis that comes second, where the result is read. */
static pass pass_of(const routine_call *call, int index)
{
    int axis = (int)(index == 0 ? call->attributes->fft.axis : call->attributes->fft.then);
    fft_kind kind = index == 0 ? kind_of(call) : FFT_COMPLEX;
    return (pass){.transform = transform_of(call, kind, axis),
                  .from = index == 0 ? X : RESULT,
                  .axis = axis,
                  .other = ANY_AXIS,
                  .count = routine_line_count(&call->operands[RESULT], axis)};
}

static pass pass_of_plane(const routine_call *call, int index)
{
    pass made = pass_of(call, index);
    made.other = pass_of(call, 1 - index).axis;
    made.count = call->operands[RESULT].shape[made.other];
    return made;
}

/* The steps only, as fft_group takes them. */
static fft_lines steps_of(const routine_call *call, const pass *p)
{
    return (fft_lines){.from_step = call->operands[p->from].strides[p->axis],
                       .to_step = call->operands[RESULT].strides[p->axis]};
}

static int64_t group_of(const routine_call *call, const pass *p)
{
    const fft_lines steps = steps_of(call, p);
    return fft_group(&p->transform, &steps, p->count);
}

/* Whether a line shares out its work itself, in memory of the call's. */
static bool is_long(const routine_call *call, const pass *p)
{
    return fft_scratch(&p->transform) > 0 && group_of(call, p) == 1;
}

static int64_t number_nbytes(const pass *p)
{
    return p->transform.single ? 8 : 16;
}

static int64_t plane_count(const routine_call *call)
{
    const pass first = pass_of_plane(call, 0), second = pass_of_plane(call, 1);
    return call->operands[RESULT].size / (first.count * second.count);
}

static bool goes_by_planes(const routine_call *call)
{
    if (!has_two(call) || call->operands[RESULT].size == 0)
        return false;
    const pass first = pass_of_plane(call, 0), second = pass_of_plane(call, 1);
    int64_t nbytes = first.transform.n * first.count * number_nbytes(&first);
    int64_t planes = plane_count(call);
    return nbytes <= NEAR_NBYTES && nbytes * planes > NEAR_NBYTES &&
           planes >= PLANES_EACH * call->threads && !is_long(call, &first) &&
           !is_long(call, &second);
}

static int step_count(const routine_call *call)
{
    return has_two(call) && !goes_by_planes(call) ? 2 : 1;
}

/* Long lines are shared by their transform, one after the other. */
static int64_t units(const routine_call *call, int step)
{
    if (call->operands[RESULT].size == 0)
        return 0;
    if (goes_by_planes(call))
        return plane_count(call);
    const pass p = pass_of(call, step);
    int64_t group = group_of(call, &p);
    return is_long(call, &p) ? 1 : ceil_div(p.count, group);
}

/* The offset of a plane, in elements. Planes are counted in row-major order of all axes but the two
 * of the plane. */
static int64_t plane_start(const routine_operand *x, const pass *p, int64_t plane)
{
    int64_t start = 0;
    for (int i = x->ndim - 1; i >= 0; --i) {
        if (i == p->axis || i == p->other)
            continue;
        start += plane % x->shape[i] * x->strides[i];
        plane /= x->shape[i];
    }
    return start;
}

static void *find_line(const routine_call *call, const pass *p, int operand, int64_t plane,
                       int64_t line)
{
    const routine_operand *x = &call->operands[operand];
    int64_t start = p->other == ANY_AXIS ? routine_line_start(x, p->axis, line)
                                         : plane_start(x, p, plane) + line * x->strides[p->other];
    return (char *)call->addresses[operand] + start * (int64_t)dtype_itemsize(x->dtype);
}

/* Whether the lines come from beyond the second-level cache. */
static bool is_far(const routine_call *call, const pass *p)
{
    int64_t lines = routine_line_count(&call->operands[RESULT], p->axis);
    bool stays = p->other != ANY_AXIS && p->from == RESULT; /* of a plane that was just written */
    return p->transform.n * lines * number_nbytes(p) > NEAR_NBYTES && !stays &&
           fft_scratch(&p->transform) == 0;
}

/* Lines first to last - 1, of a plane perhaps, in groups, of which the last may be smaller. */
static jg_status run_lines(const routine_call *call, const pass *p, fft_session *session,
                           int64_t plane, int64_t first, int64_t last)
{
    fft_lines lines = steps_of(call, p);
    int64_t group = group_of(call, p);
    bool far = is_far(call, p);
    for (int64_t line = first; line < last; line += group) {
        lines.count = (int)(int64_min(last - line, group));
        for (int i = 0; i < lines.count; ++i) {
            lines.from[i] = find_line(call, p, p->from, plane, line + i);
            lines.to[i] = find_line(call, p, RESULT, plane, line + i);
        }
        if (far)
            fft_touch(&p->transform, &lines);
        JG_TRY(fft_run(session, &lines));
    }
    return JG_OK;
}

static jg_status run_planes(const routine_call *call, int64_t first, int64_t last)
{
    const pass passes[2] = {pass_of_plane(call, 0), pass_of_plane(call, 1)};
    fft_session sessions[2];
    jg_status status = JG_OK;
    for (int i = 0; i < 2; ++i)
        sessions[i] = fft_begin(&passes[i].transform, NULL);
    for (int64_t plane = first; plane < last; ++plane)
        for (int i = 0; i < 2 && status == JG_OK; ++i)
            status = run_lines(call, &passes[i], &sessions[i], plane, 0, passes[i].count);
    for (int i = 0; i < 2; ++i)
        fft_end(&sessions[i]);
    return status;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    if (goes_by_planes(call))
        return run_planes(call, first, last);
    const pass p = pass_of(call, step);
    bool whole = is_long(call, &p); /* the one unit of long lines */
    int64_t group = group_of(call, &p), end = last * group;
    fft_session session = fft_begin(&p.transform, whole ? call->scratch : NULL);
    jg_status status = run_lines(call, &p, &session, 0, whole ? 0 : first * group,
                                 whole ? p.count : int64_min(end, p.count));
    fft_end(&session);
    return status;
}

static int64_t work(const routine_call *call)
{
    double cost = 0;
    for (int i = 0; i <= has_two(call); ++i) {
        const pass p = pass_of(call, i);
        cost += fft_cost(&p.transform) * (double)p.count;
    }
    return (int64_t)cost;
}

/* Lines that are transformed together are short and need no scratch. */
static size_t scratch(const routine_call *call)
{
    size_t most = 0;
    for (int i = 0; i <= has_two(call) && call->operands[RESULT].size > 0; ++i) {
        const pass p = pass_of(call, i);
        size_t nbytes = is_long(call, &p) ? fft_scratch(&p.transform) : 0;
        most = size_max(nbytes, most);
    }
    return most;
}

const jg_routine routine_fft = {.name = "fft",
                                .steps = step_count,
                                .units = units,
                                .run = run,
                                .work = work,
                                .scratch = scratch,
                                .in_place = true};
