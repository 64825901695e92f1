/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative sums, products, extrema and logarithms of sums along one axis, in one of three ways
 * that the shape alone decides, so that no result depends on the number of threads:
 *   ACROSS   lines that lie side by side: a unit takes a strip of them, row by row
 *   ALONG    many lines: a unit takes a few at once
 *   BLOCKED  few long lines: each is cut into blocks; their totals are computed first (step 0),
 *            carried from block to block (step 1), and then each block goes on from there (step 2)
 */
#include "routine/loops.h"

enum { X, RESULT };
/* See the top of the file. */
enum { ACROSS, ALONG, BLOCKED };
enum {
    STRIP_NBYTES = 64 << 10,
    STRIP_STEP = 64,
    NARROW = 8,
    BLOCK = 8192,
    FEW_LINES = 64,
    LONG = 4 * BLOCK
};

static const cumulative_loops *loops_of(const routine_call *call)
{
    return routine_loops_chosen()
        ->cumulatives[call->attributes->cumulative.kind][call->operands[X].dtype];
}

static int axis_of(const routine_call *call)
{
    return (int)call->attributes->cumulative.axis;
}

/* Elements that are read along each line. */
static int64_t count_of(const routine_call *call)
{
    return call->operands[RESULT].shape[axis_of(call)] - call->attributes->cumulative.initial;
}

static int64_t columns_of(const routine_call *call)
{
    return routine_columns(&call->operands[X], axis_of(call));
}

static int64_t line_count(const routine_call *call)
{
    return call->operands[RESULT].size / call->operands[RESULT].shape[axis_of(call)];
}

/* Depends on the shape alone, as the blocks of BLOCKED decide how sums round. */
static int way_of(const routine_call *call)
{
    if (columns_of(call) >= NARROW)
        return ACROSS;
    return count_of(call) >= LONG && line_count(call) <= FEW_LINES ? BLOCKED : ALONG;
}

/* Finds the addresses at which the line's first element is read and written, in the direction of
 * the sum. */
static void find_line(const routine_call *call, int64_t line, const char **from, char **to)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int axis = axis_of(call);
    int64_t read = routine_line_start(x, axis, line);
    int64_t written = routine_line_start(result, axis, line);
    if (call->attributes->cumulative.reverse) {
        read += x->shape[axis] > 0 ? (x->shape[axis] - 1) * x->strides[axis] : 0;
        written += (result->shape[axis] - 1) * result->strides[axis];
    }
    *from = (const char *)call->addresses[X] + read * (int64_t)dtype_itemsize(x->dtype);
    *to = (char *)call->addresses[RESULT] + written * (int64_t)dtype_itemsize(result->dtype);
}

static cumulative_run run_of(const routine_call *call)
{
    int axis = axis_of(call);
    int64_t sign = call->attributes->cumulative.reverse ? -1 : 1;
    return (cumulative_run){.count = count_of(call),
                            .from_step = sign * call->operands[X].strides[axis],
                            .to_step = sign * call->operands[RESULT].strides[axis]};
}

/* Writes the result of no elements, if include_initial asks for one. gives: the address after it */
static char *write_lead(const routine_call *call, const cumulative_run *run, char *to)
{
    if (!call->attributes->cumulative.initial)
        return to;
    loops_of(call)->lead(to);
    return to + run->to_step * (int64_t)dtype_itemsize(call->operands[RESULT].dtype);
}

/* How many columns a strip has: whole rows where threads and states allow, as memory is read
 * fastest in its order. Columns are independent, so a strip may have any width. */
static int64_t strip_of(const routine_call *call)
{
    int64_t columns = columns_of(call), outer = line_count(call) / columns;
    int64_t most = STRIP_NBYTES / (int64_t)loops_of(call)->state_nbytes;
    int64_t strips = ceil_div(call->threads, int64_min(outer, call->threads));
    int64_t strip = ceil_div(ceil_div(columns, strips), STRIP_STEP) * STRIP_STEP;
    return int64_min(strip, most);
}

static int64_t strips_of(const routine_call *call)
{
    return ceil_div(columns_of(call), strip_of(call));
}

/* Columns side by side are handled together, with a state each, row by row, so that memory is read
 * in its order. */
static void run_strip(const routine_call *call, int64_t unit)
{
    _Alignas(64) char states[STRIP_NBYTES]; /* so that no vector is in two lines of the cache */
    const cumulative_loops *loops = loops_of(call);
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int64_t columns = columns_of(call), strip = strip_of(call), strips = strips_of(call);
    int64_t outer = unit / strips, column = unit % strips * strip;
    const char *from;
    char *to;
    cumulative_run run = run_of(call);
    find_line(call, outer * columns + column, &from, &to);
    run.lines = int64_min(columns - column, strip);
    run.line_step = x->strides[x->ndim - 1];
    run.states = states;
    for (int64_t j = run.lines - 1; call->attributes->cumulative.initial && j > 0; --j)
        loops->lead(to + j * (int64_t)dtype_itemsize(result->dtype));
    run.from[0] = from;
    run.to[0] = write_lead(call, &run, to);
    loops->begin(states, run.lines);
    loops->across(&run);
}

/* The axis that lines lie side by side along; -1 if there is one line. */
static int side_of(const routine_call *call)
{
    int last = call->operands[X].ndim - 1;
    return axis_of(call) == last ? last - 1 : last;
}

/* From a line to the next, in bytes. */
static int64_t side_step(const routine_operand *operand, int side)
{
    return side < 0 ? 0 : operand->strides[side] * (int64_t)dtype_itemsize(operand->dtype);
}

/* A line is found by the one before it, as divisions take as long as a short line. */
static void run_lines(const routine_call *call, int64_t unit)
{
    /* The largest state is that of logarithms, two doubles. */
    _Alignas(16) char states[CUMULATIVE_MAX_LINES * 16];
    int64_t line = unit * CUMULATIVE_MAX_LINES, left = 0;
    int64_t last = int64_min(line + CUMULATIVE_MAX_LINES, line_count(call));
    int side = side_of(call);
    int64_t beside = side < 0 ? 1 : call->operands[X].shape[side];
    int64_t from_step = side_step(&call->operands[X], side);
    int64_t to_step = side_step(&call->operands[RESULT], side);
    const char *from = NULL;
    char *to = NULL;
    cumulative_run run = run_of(call);
    run.states = states;
    for (; line < last; ++line, --left, from += from_step, to += to_step) {
        if (left == 0) {
            find_line(call, line, &from, &to);
            left = beside - line % beside;
        }
        run.from[run.lines] = from;
        run.to[run.lines++] = write_lead(call, &run, to);
    }
    loops_of(call)->begin(states, run.lines);
    loops_of(call)->along(&run);
}

/* Whether lines follow each other in both operands, are read as they lie, and there is a loop for
 * that. */
static bool are_rows(const routine_call *call)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    if (loops_of(call)->rows == NULL || axis_of(call) != x->ndim - 1 ||
        call->attributes->cumulative.initial || call->attributes->cumulative.reverse ||
        count_of(call) > loops_of(call)->longest_row)
        return false;
    for (int axis = 0; axis < x->ndim; ++axis)
        if (x->shape[axis] != 1 && x->strides[axis] != result->strides[axis])
            return false;
    return true;
}

/* The lines of units first to last - 1, in one call. */
static void run_rows(const routine_call *call, int64_t first, int64_t last)
{
    cumulative_run run = run_of(call);
    const char *from;
    char *to;
    int64_t line = first * CUMULATIVE_MAX_LINES;
    find_line(call, line, &from, &to);
    run.from[0] = from;
    run.to[0] = to;
    run.lines = int64_min(last * CUMULATIVE_MAX_LINES, line_count(call)) - line;
    loops_of(call)->rows(&run);
}

static int64_t blocks_of(const routine_call *call)
{
    return ceil_div(count_of(call), BLOCK);
}

static int64_t groups_of(const routine_call *call)
{
    return ceil_div(blocks_of(call), CUMULATIVE_MAX_LINES);
}

static char *states_of(const routine_call *call, int64_t line, int64_t block)
{
    return (char *)call->scratch +
           (size_t)(line * blocks_of(call) + block) * loops_of(call)->state_nbytes;
}

/* Blocks first to last - 1 of a line, of `count` elements each. */
static void run_span(const routine_call *call, int64_t line, int64_t first, int64_t last,
                     int64_t count, bool totals)
{
    const cumulative_loops *loops = loops_of(call);
    int64_t itemsize = (int64_t)dtype_itemsize(call->operands[X].dtype);
    int64_t to_itemsize = (int64_t)dtype_itemsize(call->operands[RESULT].dtype);
    const char *from;
    char *to;
    cumulative_run run = run_of(call);
    find_line(call, line, &from, &to);
    if (!totals && first == 0)
        write_lead(call, &run, to);
    for (int64_t block = first; block < last; ++block) {
        int64_t start = block * BLOCK;
        run.from[run.lines] = from + start * run.from_step * itemsize;
        run.to[run.lines++] =
            to + (start + call->attributes->cumulative.initial) * run.to_step * to_itemsize;
    }
    run.count = count;
    run.states = states_of(call, line, first);
    (totals ? loops->totals : loops->along)(&run);
}

/* A unit is a group of blocks of one line, whose last may be short. */
static void run_blocks(const routine_call *call, int64_t unit, bool totals)
{
    int64_t line = unit / groups_of(call), first = unit % groups_of(call) * CUMULATIVE_MAX_LINES;
    int64_t last = first + CUMULATIVE_MAX_LINES, whole = count_of(call) / BLOCK;
    last = int64_min(last, blocks_of(call));
    whole = int64_min(whole, last);
    if (first < whole)
        run_span(call, line, first, whole, BLOCK, totals);
    if (whole < last)
        run_span(call, line, whole, last, count_of(call) - whole * BLOCK, totals);
}

static int steps(const routine_call *call)
{
    return call->operands[RESULT].size > 0 && way_of(call) == BLOCKED ? 3 : 1;
}

static int64_t units(const routine_call *call, int step)
{
    if (call->operands[RESULT].size == 0)
        return 0;
    switch (way_of(call)) {
    case ACROSS: return line_count(call) / columns_of(call) * strips_of(call);
    case ALONG: return ceil_div(line_count(call), CUMULATIVE_MAX_LINES);
    default: return step == 1 ? line_count(call) : line_count(call) * groups_of(call);
    }
}

/* BLOCKED takes three steps: the totals of blocks, carrying them from block to block, and the
 * results of each block from there. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    int way = way_of(call);
    if (way == ALONG && first < last && are_rows(call)) {
        run_rows(call, first, last);
        return JG_OK;
    }
    for (int64_t unit = first; unit < last; ++unit)
        if (way == ACROSS)
            run_strip(call, unit);
        else if (way == ALONG)
            run_lines(call, unit);
        else if (step == 1)
            loops_of(call)->carry(states_of(call, unit, 0), blocks_of(call));
        else
            run_blocks(call, unit, step == 0);
    return JG_OK;
}

static size_t scratch(const routine_call *call)
{
    if (call->operands[RESULT].size == 0 || way_of(call) != BLOCKED)
        return 0;
    return (size_t)(line_count(call) * blocks_of(call)) * loops_of(call)->state_nbytes;
}

const jg_routine routine_cumulative = {
    .name = "cumulative", .steps = steps, .units = units, .run = run, .scratch = scratch};
