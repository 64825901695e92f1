/* SPDX-License-Identifier: Apache-2.0 */
/* Repetition: each item of a dense array several times. An item is all that belongs to one index of
 * the axis. Either every item has as many copies, or each index of the axis its own number. */
#include "routine/routine.h"
#include <string.h>

enum { UNIT_NBYTES = 64 << 10 };

static const routine_operand *result_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

/* With a second input: where the copies of each index of the axis begin, and where the last end. */
static const int64_t *starts_of(const routine_call *call)
{
    return call->noperands > 2 ? call->addresses[1] : NULL;
}

static int64_t item_nbytes(const routine_call *call)
{
    const routine_operand *x = &call->operands[0];
    int64_t nbytes = (int64_t)dtype_itemsize(x->dtype);
    for (int i = (int)call->attributes->repeat.axis + 1; i < x->ndim; ++i)
        nbytes *= x->shape[i];
    return nbytes;
}

/* Items of x that one unit repeats, so that it writes about UNIT_NBYTES. */
static int64_t unit_items(const routine_call *call)
{
    int64_t per_item =
        result_of(call)->size / (call->operands[0].size ? call->operands[0].size : 1);
    int64_t nbytes = item_nbytes(call) * (per_item > 0 ? per_item : 1);
    return nbytes > 0 && nbytes < UNIT_NBYTES ? UNIT_NBYTES / nbytes : 1;
}

/* Items are counted over all axes up to and with the repeated one. */
static int64_t item_count(const routine_call *call)
{
    int64_t count = 1;
    for (int i = 0; i <= call->attributes->repeat.axis; ++i)
        count *= call->operands[0].shape[i];
    return count;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    int64_t each = unit_items(call), count = item_count(call);
    return result_of(call)->size == 0 ? 0 : ceil_div(count, each);
}

#define REPEAT_ITEMS(T)                                                                            \
    for (int64_t i = 0; i < count; ++i) {                                                          \
        T item;                                                                                    \
        memcpy(&item, from + i * (int64_t)sizeof item, sizeof item);                               \
        for (int64_t k = 0; k < times; ++k, to += sizeof item)                                     \
            memcpy(to, &item, sizeof item);                                                        \
    }

/* Few copies of small items are written one by one; many are a run to fill. */
static void repeat_evenly(char *to, const char *from, int64_t count, int64_t times, int64_t nbytes)
{
    switch (times < 8 ? nbytes : 0) {
    case 1: REPEAT_ITEMS(uint8_t) break;
    case 2: REPEAT_ITEMS(uint16_t) break;
    case 4: REPEAT_ITEMS(uint32_t) break;
    case 8: REPEAT_ITEMS(uint64_t) break;
    default:
        for (int64_t i = 0; i < count; ++i, to += times * nbytes)
            routine_copy_run(to, from + i * nbytes, times, 0, (size_t)nbytes);
    }
}

static void repeat_by_starts(const routine_call *call, int64_t first, int64_t last)
{
    const int64_t *starts = starts_of(call);
    int64_t extent = call->operands[0].shape[call->attributes->repeat.axis],
            nbytes = item_nbytes(call);
    const char *from = call->addresses[0];
    for (int64_t item = first; item < last; ++item) {
        /* starts[extent] copies are made of each whole axis. */
        int64_t index = item % extent, copies = item / extent * starts[extent] + starts[index];
        routine_copy_run((char *)call->addresses[2] + copies * nbytes, from + item * nbytes,
                         starts[index + 1] - starts[index], 0, (size_t)nbytes);
    }
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    int64_t each = unit_items(call), count = item_count(call), nbytes = item_nbytes(call);
    int64_t from = first * each, to = int64_min(last * each, count);
    int64_t times = call->attributes->repeat.times;
    if (starts_of(call) != NULL)
        repeat_by_starts(call, from, to);
    else
        repeat_evenly((char *)call->addresses[1] + from * times * nbytes,
                      (const char *)call->addresses[0] + from * nbytes, to - from, times, nbytes);
    return JG_OK;
}

const jg_routine routine_repeat = {.name = "repeat", .units = units, .run = run};
