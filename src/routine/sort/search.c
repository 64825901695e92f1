/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the positions of elements among sorted ones. Both are compared by their ranks. For many
 * wanted elements, the ranks of all sorted elements are computed first (step 0). For few wanted
 * elements, each search computes only the ranks that it compares. */
#include "routine/loops.h"
#include <string.h>

enum { SORTED, WANTED, RESULT };
/* BLOCK: wanted elements of a unit. GRAIN: sorted elements of one. FEW: with fewer wanted elements
 * than 1/FEW of the sorted ones, the ranks of all are not computed. */
enum { BLOCK = 1024, GRAIN = 1 << 14, FEW = 32 };

static const sort_elements *elements_of(const routine_call *call)
{
    return &routine_loops_chosen()->elements[call->operands[SORTED].dtype];
}

static int64_t sorted_count(const routine_call *call)
{
    return call->operands[SORTED].size;
}

static int64_t wanted_count(const routine_call *call)
{
    return call->operands[WANTED].size;
}

/* Ranks of two parts are too much for the loops. */
static bool is_many(const routine_call *call)
{
    return wanted_count(call) >= sorted_count(call) / FEW && elements_of(call)->read_minor == NULL;
}

static size_t key_nbytes(const routine_call *call)
{
    return elements_of(call)->wide ? sizeof(int64_t) : sizeof(int32_t);
}

static int two_steps(const routine_call *call)
{
    (void)call;
    return 2;
}

static int64_t units(const routine_call *call, int step)
{
    if (step == 0)
        return is_many(call) ? ceil_div(sorted_count(call), GRAIN) : 0;
    return ceil_div(wanted_count(call), BLOCK);
}

static size_t scratch(const routine_call *call)
{
    return is_many(call) ? (size_t)sorted_count(call) * key_nbytes(call) : 0;
}

/* About 8 for each step of each search. */
static int64_t work(const routine_call *call)
{
    int64_t steps = 8, all;
    for (int64_t count = sorted_count(call); count > 1; count /= 2)
        steps += 1;
    return __builtin_mul_overflow(wanted_count(call), steps, &all) ? INT64_MAX : all;
}

static void read_sorted(const routine_call *call, int64_t unit)
{
    const routine_operand *sorted = &call->operands[SORTED];
    int64_t first = unit * GRAIN, count = sorted_count(call) - first;
    int64_t itemsize = (int64_t)dtype_itemsize(sorted->dtype);
    elements_of(call)->read((const char *)call->addresses[SORTED] +
                                first * sorted->strides[0] * itemsize,
                            sorted->strides[0], int64_min(count, GRAIN), false,
                            (char *)call->scratch + (size_t)first * key_nbytes(call));
}

/* Whether the sorted element comes before the position of the wanted one. Ranks are read one at a
 * time, as many as a search takes steps. */
static bool is_before(const routine_call *call, const void *sorted, const void *wanted)
{
    const sort_elements *elements = elements_of(call);
    int64_t ranks[2] = {0}, minors[2] = {0};
    elements->read(sorted, 1, 1, false, &ranks[0]);
    elements->read(wanted, 1, 1, false, &ranks[1]);
    for (int i = 0; i < 2 && !elements->wide; ++i) {
        int32_t narrow;
        memcpy(&narrow, &ranks[i], sizeof narrow);
        ranks[i] = narrow;
    }
    if (elements->read_minor != NULL && ranks[0] == ranks[1]) {
        elements->read_minor(sorted, 1, 1, false, &minors[0]);
        elements->read_minor(wanted, 1, 1, false, &minors[1]);
        return call->attributes->search.right ? minors[0] <= minors[1] : minors[0] < minors[1];
    }
    return call->attributes->search.right ? ranks[0] <= ranks[1] : ranks[0] < ranks[1];
}

/* All elements before low are before what is wanted, none from high on is. */
static int64_t search_one(const routine_call *call, const void *wanted)
{
    const routine_operand *sorted = &call->operands[SORTED];
    int64_t step = sorted->strides[0] * (int64_t)dtype_itemsize(sorted->dtype);
    int64_t low = 0, high = sorted_count(call);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_before(call, (const char *)call->addresses[SORTED] + middle * step, wanted))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Many are searched as ranks, several at a time; few are compared as they are, as reading the ranks
 * of all sorted elements would cost more. */
static void search_block(const routine_call *call, int64_t unit)
{
    const routine_operand *wanted = &call->operands[WANTED];
    size_t itemsize = dtype_itemsize(wanted->dtype);
    _Alignas(64) char elements[BLOCK * sizeof(routine_word128)];
    int64_t keys[BLOCK], first = unit * BLOCK, count = wanted_count(call) - first;
    int64_t *indices = (int64_t *)call->addresses[RESULT] + first;
    count = int64_min(count, BLOCK);
    routine_copy_range(wanted, call->addresses[WANTED], first, first + count, elements);
    if (!is_many(call)) {
        for (int64_t i = 0; i < count; ++i)
            indices[i] = search_one(call, elements + (size_t)i * itemsize);
        return;
    }
    elements_of(call)->read(elements, 1, count, false, keys);
    search_keys *search =
        routine_loops_chosen()->searches[elements_of(call)->wide][call->attributes->search.right];
    search(call->scratch, sorted_count(call), keys, count, indices);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    for (int64_t unit = first; unit < last; ++unit)
        if (step == 0)
            read_sorted(call, unit);
        else
            search_block(call, unit);
    return JG_OK;
}

const jg_routine routine_search = {.name = "search",
                                   .steps = two_steps,
                                   .units = units,
                                   .run = run,
                                   .work = work,
                                   .scratch = scratch};
