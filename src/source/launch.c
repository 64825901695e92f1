/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a launch. What the words of all its steps have in common is filled in once, into the
 * block in front of theirs; a step's words begin as a copy of it. */
#include "source/draft.h"
#include <string.h>

jg_status source_launch_begin(int limit, int nwords, device_launch **out)
{
    size_t count = (size_t)(limit + 1) * (size_t)nwords;
    size_t nbytes = sizeof(device_launch) + count * sizeof(uint64_t);
    device_launch *launch = base_alloc(nbytes);
    if (launch == NULL)
        return base_nomem(nbytes, "a launch");
    launch->nsteps = 0;
    launch->scratch_nbytes = 0;
    memset(launch->words, 0, (size_t)nwords * sizeof(uint64_t));
    *out = launch;
    return JG_OK;
}

device_step *source_launch_add(device_launch *launch, int nwords, int kernel, int64_t groups,
                               int items)
{
    device_step *step = &launch->steps[launch->nsteps++];
    *step = (device_step){.kernel = kernel,
                          .items = items,
                          .groups = groups,
                          .words = launch->words + (size_t)(launch->nsteps * nwords)};
    memcpy(step->words, launch->words, (size_t)nwords * sizeof *step->words);
    return step;
}

void source_launch_add_exact(const device_facts *facts, device_launch *launch, int nwords,
                             int kernel, int64_t first, int64_t items, int64_t each)
{
    int group = source_group(facts);
    int64_t whole = items / group, rest = items % group;
    if (whole > 0)
        source_launch_add(launch, nwords, kernel, whole, group)->words[WORD_FIRST] =
            (uint64_t)first;
    if (rest > 0)
        source_launch_add(launch, nwords, kernel, 1, (int)rest)->words[WORD_FIRST] =
            (uint64_t)(first + whole * group * each);
}

int64_t source_lane_items(const device_facts *facts, int64_t size, int64_t worth)
{
    return int64_clamp(size / worth, 1, (int64_t)facts->compute_units * ITEMS_PER_UNIT);
}

void source_launch_add_chunks(device_launch *launch, int nwords, int64_t lines, int64_t inner,
                              int64_t items)
{
    int64_t run = ceil_div(lines, items), pieces = lines >= items ? 1 : ceil_div(items, lines);
    int64_t length = round_up(ceil_div(inner, pieces), 64);
    pieces = ceil_div(inner, length);
    uint64_t *words = source_launch_add(launch, nwords, 0, ceil_div(lines, run) * pieces, 1)->words;
    words[WORD_COUNT] = (uint64_t)lines;
    words[WORD_RUN] = (uint64_t)run;
    words[WORD_PIECES] = (uint64_t)pieces;
    words[WORD_LENGTH] = (uint64_t)length;
}

device_step *source_launch_add_pieces(const device_facts *facts, device_launch *launch, int nwords,
                                      int kernel, const source_pieces *of)
{
    bool lanes = facts->shape == DEVICE_LANES;
    int64_t each = ceil_div(of->extent, of->length), count = of->lines * each;
    int64_t items = source_lane_items(facts, count, of->worth);
    int64_t run = lanes ? ceil_div(count, items) : source_group(facts);
    device_step *step = source_launch_add(launch, nwords, kernel, ceil_div(count, run),
                                          lanes ? 1 : source_group(facts));
    step->words[WORD_COUNT] = (uint64_t)count;
    step->words[WORD_RUN] = (uint64_t)run;
    step->words[WORD_PIECES] = (uint64_t)each;
    step->words[WORD_LENGTH] = (uint64_t)of->length;
    step->words[of->divisor] = source_divisor_word(each);
    return step;
}

/* (n * low half) >> (31 + high half) is n / extent for n below 2^31: the multiplier is
 * 2^(31 + s) / extent, rounded up, with 2^s not below the extent. */
uint64_t source_divisor_word(int64_t extent)
{
    uint64_t divisor = extent > 1 ? (uint64_t)extent : 1, shift = 0;
    if (divisor >> 31 != 0)
        return 0;
    while (((uint64_t)1 << shift) < divisor)
        ++shift;
    uint64_t multiplier = (((uint64_t)1 << (31 + shift)) + divisor - 1) / divisor;
    return multiplier | shift << 32;
}

void source_fill_loops(uint64_t *words, int extents, int divisors, int count, const int64_t *loops)
{
    for (int loop = 0; loop < count; ++loop) {
        words[extents + loop] = (uint64_t)loops[loop];
        words[divisors + loop] = source_divisor_word(loops[loop]);
    }
}

void source_fill_words(uint64_t *words, int count, const int64_t *numbers)
{
    for (int i = 0; i < count; ++i)
        words[i] = (uint64_t)numbers[i];
}
