/* SPDX-License-Identifier: Apache-2.0 */
/* The index of the largest or smallest element of each line, the first of several (argmax, argmin).
 *
 * Lines that lie side by side are taken by rows, and so are short ones. Others are cut into blocks
 * whose indices are found first (step 0) and then compared (step 1), so that one long line is work
 * for several threads. */
#include "routine/loops.h"

enum { X, RESULT };
/* NARROW: with fewer columns lines are taken one by one. SHORT: bytes of keys, with fewer of which
 * lines take less time across. BLOCK: elements of a unit. */
enum { STRIP = EXTREMUM_STRIP, NARROW = 8, SHORT = 256, BLOCK = 1 << 16 };

static int axis_of(const routine_call *call)
{
    return (int)call->attributes->extremum_index.axis;
}

static const extremum_loops *loops_of(const routine_call *call)
{
    return routine_loops_chosen()
        ->extrema[call->operands[X].dtype][call->attributes->extremum_index.smallest];
}

static int64_t count_of(const routine_call *call)
{
    return call->operands[X].shape[axis_of(call)];
}

/* Whether lines along the last axis are short. */
static bool is_short(const routine_call *call)
{
    const routine_operand *x = &call->operands[X];
    int64_t key = int64_max((int64_t)dtype_itemsize(x->dtype), 4);
    return axis_of(call) > 0 && axis_of(call) == x->ndim - 1 && count_of(call) < SHORT / key;
}

/* Lines that begin at equal distances: short ones, or those side by side. */
static int64_t columns_of(const routine_call *call)
{
    const routine_operand *x = &call->operands[X];
    return is_short(call) ? x->shape[x->ndim - 2] : routine_columns(x, axis_of(call));
}

/* Indices are kept in 32 bits across lines. */
static bool is_across(const routine_call *call)
{
    return columns_of(call) >= NARROW && count_of(call) <= INT32_MAX;
}

static int64_t blocks_of(const routine_call *call)
{
    return ceil_div(count_of(call), BLOCK);
}

static const char *address_of(const routine_call *call, int64_t line, int64_t index)
{
    const routine_operand *x = &call->operands[X];
    int64_t offset = routine_line_start(x, axis_of(call), line) + index * x->strides[axis_of(call)];
    return (const char *)call->addresses[X] + offset * (int64_t)dtype_itemsize(x->dtype);
}

static void run_strip(const routine_call *call, int64_t unit)
{
    const routine_operand *x = &call->operands[X];
    int64_t columns = columns_of(call), strips = ceil_div(columns, STRIP);
    int64_t column = unit % strips * STRIP, line = unit / strips * columns + column;
    int64_t lines = int64_min(columns - column, STRIP);
    loops_of(call)->across(address_of(call, line, 0), count_of(call), x->strides[axis_of(call)],
                           lines, x->strides[x->ndim - (is_short(call) ? 2 : 1)],
                           (int64_t *)call->addresses[RESULT] + line);
}

/* The index in one block of a line, for the result where there is but one. */
static void run_block(const routine_call *call, int64_t unit)
{
    int64_t blocks = blocks_of(call), line = unit / blocks, first = unit % blocks * BLOCK;
    int64_t count = int64_min(count_of(call) - first, BLOCK);
    int64_t *indices = blocks > 1 ? call->scratch : call->addresses[RESULT];
    indices[unit] = first + loops_of(call)->along(address_of(call, line, first), count,
                                                  call->operands[X].strides[axis_of(call)]);
}

/* The first block whose extremum no later one beats. */
static void compare_blocks(const routine_call *call, int64_t line)
{
    const int64_t *indices = (const int64_t *)call->scratch + line * blocks_of(call);
    int64_t best = indices[0];
    for (int64_t i = 1; i < blocks_of(call); ++i)
        if (loops_of(call)->beats(address_of(call, line, indices[i]), address_of(call, line, best)))
            best = indices[i];
    ((int64_t *)call->addresses[RESULT])[line] = best;
}

static int steps(const routine_call *call)
{
    return is_across(call) || blocks_of(call) < 2 ? 1 : 2;
}

static int64_t units(const routine_call *call, int step)
{
    int64_t lines = call->operands[RESULT].size;
    if (lines == 0)
        return 0;
    if (is_across(call))
        return lines / columns_of(call) * ceil_div(columns_of(call), STRIP);
    return step == 0 ? lines * blocks_of(call) : lines;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    bool across = is_across(call);
    for (int64_t unit = first; unit < last; ++unit)
        if (across)
            run_strip(call, unit);
        else if (step == 0)
            run_block(call, unit);
        else
            compare_blocks(call, unit);
    return JG_OK;
}

static size_t scratch(const routine_call *call)
{
    if (steps(call) == 1)
        return 0;
    return (size_t)(call->operands[RESULT].size * blocks_of(call)) * sizeof(int64_t);
}

const jg_routine routine_extremum_index = {
    .name = "extremum_index", .steps = steps, .units = units, .run = run, .scratch = scratch};
