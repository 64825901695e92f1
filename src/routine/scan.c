/* SPDX-License-Identifier: Apache-2.0 */
/* Scans: running results along one axis. A unit is one line. Half precision is carried in float32
 * and rounded where it is stored; integers wrap. */
#include "routine/routine.h"

enum { AXIS, REVERSE, INCLUSIVE }; /* the places in values */

/* One line: where it begins and how it steps, in elements. */
typedef struct scan_line {
    const void *from;
    void *to;
    int64_t count, from_step, to_step;
    bool inclusive;
} scan_line;

#define VALUE(x) (x)
#define SUM_LINE(NAME, T, WIDE, LOAD, STORE)                                                       \
    static void sum_##NAME(const scan_line *line)                                                  \
    {                                                                                              \
        const T *from = line->from;                                                                \
        T *to = line->to;                                                                          \
        WIDE sum = 0;                                                                              \
        for (int64_t i = 0; i < line->count; ++i) {                                                \
            WIDE next = sum + LOAD(from[i * line->from_step]);                                     \
            to[i * line->to_step] = STORE(line->inclusive ? next : sum);                           \
            sum = next;                                                                            \
        }                                                                                          \
    }
SUM_LINE(WORD64, uint64_t, uint64_t, VALUE, VALUE)
SUM_LINE(FLOAT16, uint16_t, float, float_from_half, float_to_half)
SUM_LINE(BFLOAT16, uint16_t, float, float_from_bfloat, float_to_bfloat)
SUM_LINE(FLOAT32, float, float, VALUE, VALUE)
SUM_LINE(FLOAT64, double, double, VALUE, VALUE)
SUM_LINE(COMPLEX64, float _Complex, float _Complex, VALUE, VALUE)
SUM_LINE(COMPLEX128, double _Complex, double _Complex, VALUE, VALUE)

static void (*const sums[JG_DTYPE_COUNT])(const scan_line *line) = {
    [JG_DTYPE_INT64] = sum_WORD64,        [JG_DTYPE_UINT64] = sum_WORD64,
    [JG_DTYPE_FLOAT16] = sum_FLOAT16,     [JG_DTYPE_BFLOAT16] = sum_BFLOAT16,
    [JG_DTYPE_FLOAT32] = sum_FLOAT32,     [JG_DTYPE_FLOAT64] = sum_FLOAT64,
    [JG_DTYPE_COMPLEX64] = sum_COMPLEX64, [JG_DTYPE_COMPLEX128] = sum_COMPLEX128,
};

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    return routine_line_count(&call->operands[0], (int)call->values[AXIS]);
}

static scan_line line_at(const routine_call *call, int64_t unit)
{
    const routine_operand *x = &call->operands[0], *result = &call->operands[1];
    int axis = (int)call->values[AXIS];
    int64_t itemsize = (int64_t)dtype_itemsize(x->dtype);
    scan_line line = {.count = x->shape[axis],
                      .from_step = x->strides[axis],
                      .to_step = result->strides[axis],
                      .inclusive = call->values[INCLUSIVE] != 0};
    int64_t from = routine_line_start(x, axis, unit), to = routine_line_start(result, axis, unit);
    if (call->values[REVERSE]) {
        from += (line.count - 1) * line.from_step;
        to += (line.count - 1) * line.to_step;
        line.from_step = -line.from_step;
        line.to_step = -line.to_step;
    }
    line.from = (const char *)call->addresses[0] + from * itemsize;
    line.to = (char *)call->addresses[1] + to * itemsize;
    return line;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    for (int64_t unit = first; unit < last; ++unit) {
        scan_line line = line_at(call, unit);
        sums[call->operands[0].dtype](&line);
    }
    return JG_OK;
}

const jg_routine routine_scan = {.name = "scan", .units = units, .run = run};
