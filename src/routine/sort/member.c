/* SPDX-License-Identifier: Apache-2.0 */
/* Which integers are among others. Step 0 looks at the others' range and chooses a way: few are
 * kept as they are, to be compared with each element; those of a small range are marked in a table
 * of as many bits; else they are sorted. Step 1 looks for the elements there, block by block. All
 * are handled as ranks, so that only their width matters. */
#include "routine/sort/sort.h"
#include <string.h>

enum { X, OTHERS, RESULT };
/* BLOCK: elements of a unit. FEW: others that are compared one by one. */
enum { BLOCK = 1024, FEW = 16 };
/* A table is used if it has at most BITS_EACH bits for each element that is marked or searched for.
 * At most COUNTED searched elements are counted, as tables larger than the caches are slower than
 * searches. A range of 16 bits always gets a table. */
enum { BITS_EACH = 6, COUNTED = 1 << 25, SMALL_RANGE = 1 << 16 };

typedef enum member_way { WAY_COMPARE, WAY_TABLE, WAY_SEARCH } member_way;

/* The result of step 0, at the start of the scratch memory. The table's bits or the keys follow
 * it. */
typedef struct member_set {
    member_way way;
    member_table table;
} member_set;

enum { HEAD = (sizeof(member_set) + 63) / 64 * 64 };

static int64_t other_count(const routine_call *call)
{
    return call->operands[OTHERS].size;
}

static int64_t block_count(const routine_operand *operand)
{
    return ceil_div(operand->size, BLOCK);
}

static const sort_elements *elements_of(const routine_call *call)
{
    return sort_elements_of(call->operands[X].dtype);
}

static const member_loops *loops_of(const routine_call *call)
{
    return &routine_loops_chosen()->members[elements_of(call)->wide];
}

static void *body_of(const routine_call *call)
{
    return (char *)call->scratch + HEAD;
}

static size_t keys_nbytes(const routine_call *call)
{
    return size_whole_lines((size_t)other_count(call) * sort_key_nbytes(elements_of(call)));
}

static uint64_t most_bits(const routine_call *call)
{
    int64_t counted = int64_min(call->operands[X].size, COUNTED);
    uint64_t bits = BITS_EACH * (uint64_t)(counted + other_count(call));
    return size_max(bits, SMALL_RANGE);
}

static size_t table_nbytes(uint64_t bits)
{
    return (size_t)(bits / 64 + 1) * sizeof(uint64_t);
}

/* The scratch memory for the table, or for the keys and for sorting them. */
static size_t scratch(const routine_call *call)
{
    size_t table = table_nbytes(most_bits(call)), keys = 2 * keys_nbytes(call);
    return HEAD + (size_max(table, keys));
}

static int two_steps(const routine_call *call)
{
    (void)call;
    return 2;
}

static int64_t units(const routine_call *call, int step)
{
    int64_t blocks = block_count(&call->operands[X]);
    return step == 0 ? blocks > 0 : blocks;
}

static int64_t work(const routine_call *call)
{
    return 2 * (call->operands[X].size + other_count(call));
}

/* The ranks of a block of an operand. gives: how many they are */
static int64_t read_block(const routine_call *call, int index, int64_t block, void *keys)
{
    const routine_operand *x = &call->operands[index];
    int64_t first = block * BLOCK, count = int64_min(x->size - first, BLOCK);
    const char *from =
        (const char *)call->addresses[index] + first * (int64_t)dtype_itemsize(x->dtype);
    _Alignas(64) char elements[BLOCK * sizeof(int64_t)];
    if (!routine_is_dense(x)) {
        routine_copy_range(x, call->addresses[index], first, first + count, elements);
        from = elements;
    }
    elements_of(call)->read(from, 1, count, false, keys);
    return count;
}

static void read_others(const routine_call *call, char *keys)
{
    size_t nbytes = BLOCK * sort_key_nbytes(elements_of(call));
    for (int64_t i = 0; i < block_count(&call->operands[OTHERS]); ++i)
        read_block(call, OTHERS, i, keys + (size_t)i * nbytes);
}

static member_table find_range(const routine_call *call)
{
    int64_t keys[BLOCK], low = INT64_MAX, high = INT64_MIN;
    for (int64_t i = 0; i < block_count(&call->operands[OTHERS]); ++i) {
        int64_t count = read_block(call, OTHERS, i, keys);
        loops_of(call)->range(keys, count, &low, &high);
    }
    return (member_table){.low = low, .span = (uint64_t)high - (uint64_t)low};
}

static void mark_others(const routine_call *call, member_table *table)
{
    int64_t keys[BLOCK];
    table->bits = body_of(call);
    memset(table->bits, 0, table_nbytes(table->span));
    for (int64_t i = 0; i < block_count(&call->operands[OTHERS]); ++i) {
        int64_t count = read_block(call, OTHERS, i, keys);
        loops_of(call)->mark(keys, count, table);
    }
}

static void sort_others(const routine_call *call)
{
    const sort_loops *loops = &routine_loops_chosen()->sorts[elements_of(call)->wide];
    char *keys = body_of(call);
    read_others(call, keys);
    sort_shared(loops, keys, keys + keys_nbytes(call), other_count(call));
}

static void prepare(const routine_call *call)
{
    member_set *set = call->scratch;
    *set = (member_set){.way = WAY_COMPARE};
    if (other_count(call) <= FEW) {
        read_others(call, body_of(call));
        return;
    }
    set->table = find_range(call);
    set->way = set->table.span < most_bits(call) ? WAY_TABLE : WAY_SEARCH;
    if (set->way == WAY_TABLE)
        mark_others(call, &set->table);
    else
        sort_others(call);
}

static void find_block(const routine_call *call, int64_t block)
{
    const member_set *set = call->scratch;
    const member_loops *loops = loops_of(call);
    uint8_t *found = (uint8_t *)call->addresses[RESULT] + block * BLOCK;
    int64_t keys[BLOCK], indices[BLOCK], n = other_count(call);
    int64_t count = read_block(call, X, block, keys);
    bool invert = call->attributes->member.invert;
    if (set->way == WAY_COMPARE) {
        loops->find_equal(keys, count, body_of(call), n, invert, found);
    } else if (set->way == WAY_TABLE) {
        loops->find_marked(keys, count, &set->table, invert, found);
    } else {
        routine_loops_chosen()->searches[elements_of(call)->wide][false](body_of(call), n, keys,
                                                                         count, indices);
        loops->find_sorted(keys, count, body_of(call), n, indices, invert, found);
    }
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    if (step == 0)
        prepare(call);
    else
        for (int64_t block = first; block < last; ++block)
            find_block(call, block);
    return JG_OK;
}

const jg_routine routine_member = {.name = "member",
                                   .steps = two_steps,
                                   .units = units,
                                   .run = run,
                                   .work = work,
                                   .scratch = scratch};
