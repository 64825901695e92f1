/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of a few bits, one to a byte, into words and back. A row is a stream of bits, of which the
 * low ones of a byte come first: code i has the bits from i * width on. Eight codes fill whole
 * bytes whatever the width, so units are counted in those. Both operands are dense. */
#include "routine/routine.h"
#include <string.h>

enum { CODES = 8, UNIT_CODES = CODES << 11 };

static int64_t units_of(int64_t codes)
{
    return ceil_div(codes, UNIT_CODES);
}

/* The eights of a unit: from first * UNIT_CODES on, below the end. */
static int64_t eights_until(int64_t unit, int64_t codes)
{
    int64_t end = unit * UNIT_CODES;
    return int64_min(end, codes) / CODES;
}

/* Codes have no bits above the width. */
static void pack_eight(const uint8_t *codes, int width, uint8_t *to)
{
    uint64_t bits = 0;
    for (int i = 0; i < CODES; ++i)
        bits |= (uint64_t)codes[i] << (i * width);
    for (int i = 0; i < width; ++i)
        to[i] = (uint8_t)(bits >> (8 * i));
}

static void unpack_eight(const uint8_t *from, int width, uint8_t *codes)
{
    uint64_t bits = 0, mask = (UINT64_C(1) << width) - 1;
    for (int i = 0; i < width; ++i)
        bits |= (uint64_t)from[i] << (8 * i);
    for (int i = 0; i < CODES; ++i)
        codes[i] = (uint8_t)(bits >> (i * width) & mask);
}

static int64_t pack_units(const routine_call *call, int step)
{
    (void)step;
    return units_of(call->operands[0].size);
}

static jg_status pack(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const uint8_t *codes = call->addresses[0];
    uint8_t *to = call->addresses[1];
    int width = (int)call->attributes->pack.bits;
    int64_t end = eights_until(last, call->operands[0].size);
    for (int64_t i = first * (UNIT_CODES / CODES); i < end; ++i)
        pack_eight(codes + i * CODES, width, to + i * width);
    return JG_OK;
}

static int64_t unpack_units(const routine_call *call, int step)
{
    (void)step;
    return units_of(call->operands[1].size);
}

static jg_status unpack(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const uint8_t *from = call->addresses[0];
    uint8_t *codes = call->addresses[1];
    int width = (int)call->attributes->unpack.bits;
    int64_t end = eights_until(last, call->operands[1].size);
    for (int64_t i = first * (UNIT_CODES / CODES); i < end; ++i)
        unpack_eight(from + i * width, width, codes + i * CODES);
    return JG_OK;
}

const jg_routine routine_pack = {.name = "pack", .units = pack_units, .run = pack};
const jg_routine routine_unpack = {.name = "unpack", .units = unpack_units, .run = unpack};
