/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation: every unit is a stretch of the result, made of stretches of the inputs, so that
 * threads share the work evenly whatever the inputs' sizes are. */
#include "routine/routine.h"

/* UNIT_NBYTES: of the result. NARROW_NBYTES: of a slab or a block; wider ones are worth a call.
 * LEAST_BLOCKS: of a unit of narrow slabs, so that an input has some in a row. BAND_BLOCKS: their
 * cache lines stay in the first-level cache while the inputs that share them are written.
 * WIDEST_NBYTES: of a block of narrow slabs; units of wider ones would be few for threads. */
enum {
    UNIT_NBYTES = 128 << 10,
    NARROW_NBYTES = 256,
    LEAST_BLOCKS = 16,
    BAND_BLOCKS = 128,
    WIDEST_NBYTES = 256 << 10,
    BUFFER_NBYTES = 4 << 10
};

/* Elements of an input's slab: from its axis on. */
static int64_t slab_of(const routine_operand *x, int axis)
{
    int64_t count = 1;
    for (int i = axis; i < x->ndim; ++i)
        count *= x->shape[i];
    return count;
}

static int64_t block_nbytes(const routine_call *call)
{
    const routine_operand *result = &call->operands[call->noperands - 1];
    return slab_of(result, (int)call->attributes->concat.axis) *
           (int64_t)dtype_itemsize(result->dtype);
}

/* Whether slabs or whole blocks are so short that copying slab by slab would spend its time in
 * calls. */
static bool is_narrow(const routine_call *call)
{
    int64_t block = block_nbytes(call);
    return block <= NARROW_NBYTES ||
           (block <= WIDEST_NBYTES && block / (call->noperands - 1) <= NARROW_NBYTES);
}

/* Elements of the result that a unit makes; whole blocks where they are narrow. */
static int64_t unit_size(const routine_call *call)
{
    const routine_operand *result = &call->operands[call->noperands - 1];
    int64_t size = UNIT_NBYTES / (int64_t)dtype_itemsize(result->dtype);
    int64_t block = slab_of(result, (int)call->attributes->concat.axis);
    return is_narrow(call) && block > 0 ? int64_max(size / block, LEAST_BLOCKS) * block : size;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    int64_t size = call->operands[call->noperands - 1].size, each = unit_size(call);
    return ceil_div(size, each);
}

/* The result has `outer` blocks, and each block has one slab of every input in turn. */
typedef struct cursor {
    int input;
    int64_t outer, within; /* the block, and how far into the input's slab */
} cursor;

/* Inputs that are empty along the axis have no slab and are passed over. */
static cursor find(const routine_call *call, int64_t position)
{
    int axis = (int)call->attributes->concat.axis;
    int64_t block = slab_of(&call->operands[call->noperands - 1], axis);
    cursor at = {0, position / block, position % block};
    for (int64_t slab; at.within >= (slab = slab_of(&call->operands[at.input], axis)); ++at.input)
        at.within -= slab;
    return at;
}

/* After the last input of a block comes the first one of the next block. */
static void skip_to_next(const routine_call *call, cursor *at)
{
    at->within = 0;
    at->input += 1;
    if (at->input == call->noperands - 1) {
        at->input = 0;
        at->outer += 1;
    }
}

/* Whether the items of two inputs alternate, as in a stack along a new last axis. */
static bool is_pairs(const routine_call *call)
{
    const routine_operand *a = &call->operands[0], *b = &call->operands[1];
    if (call->noperands != 3 || !routine_is_dense(a) || !routine_is_dense(b))
        return false;
    int axis = (int)call->attributes->concat.axis;
    int64_t slab = slab_of(a, axis), nbytes = slab * (int64_t)dtype_itemsize(a->dtype);
    return slab == slab_of(b, axis) && (nbytes == 1 || nbytes == 2 || nbytes == 4 || nbytes == 8);
}

static void run_pairs(const routine_call *call, int64_t first, int64_t last)
{
    const routine_operand *x = &call->operands[0];
    int64_t nbytes =
        slab_of(x, (int)call->attributes->concat.axis) * (int64_t)dtype_itemsize(x->dtype);
    routine_pair_run((char *)call->addresses[2] + 2 * first * nbytes,
                     (const char *)call->addresses[0] + first * nbytes,
                     (const char *)call->addresses[1] + first * nbytes, last - first,
                     (size_t)nbytes);
}

/* Slabs first to last - 1 of an input to addresses step bytes apart. Those of a view are made dense
 * first where they fit. */
static void spread(const routine_operand *x, const void *address, int64_t slab, int64_t first,
                   int64_t last, char *to, int64_t step)
{
    char buffer[BUFFER_NBYTES];
    int64_t nbytes = slab * (int64_t)dtype_itemsize(x->dtype), count = last - first;
    if (routine_is_dense(x)) {
        routine_spread_run(to, (const char *)address + first * nbytes, count, step, (size_t)nbytes);
    } else if (count * nbytes <= BUFFER_NBYTES) {
        routine_copy_range(x, address, first * slab, last * slab, buffer);
        routine_spread_run(to, buffer, count, step, (size_t)nbytes);
    } else {
        for (int64_t k = first; k < last; ++k, to += step)
            routine_copy_range(x, address, k * slab, (k + 1) * slab, to);
    }
}

/* Blocks first to last - 1 where they are narrow: one input after the other, with its slabs a block
 * apart. */
static void run_band(const routine_call *call, int64_t first, int64_t last)
{
    const routine_operand *result = &call->operands[call->noperands - 1];
    int axis = (int)call->attributes->concat.axis;
    int64_t size = (int64_t)dtype_itemsize(result->dtype), block = slab_of(result, axis) * size;
    char *to = (char *)call->addresses[call->noperands - 1] + first * block;
    for (int i = 0; i < call->noperands - 1; ++i) {
        int64_t slab = slab_of(&call->operands[i], axis);
        if (slab > 0)
            spread(&call->operands[i], call->addresses[i], slab, first, last, to, block);
        to += slab * size;
    }
}

static void run_narrow(const routine_call *call, int64_t first, int64_t last)
{
    for (; first < last; first += BAND_BLOCKS)
        run_band(call, first, int64_min(first + BAND_BLOCKS, last));
}

/* A unit may begin and end within a slab; the walk goes from slab to slab between. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const routine_operand *result = &call->operands[call->noperands - 1];
    int64_t size = (int64_t)dtype_itemsize(result->dtype), each = unit_size(call);
    if (is_narrow(call)) {
        int64_t block = slab_of(result, (int)call->attributes->concat.axis),
                count = result->size / block;
        count = last * each < result->size ? last * each / block : count;
        (is_pairs(call) ? run_pairs : run_narrow)(call, first * each / block, count);
        return JG_OK;
    }
    int64_t position = first * each, end = int64_min(last * each, result->size);
    char *to = (char *)call->addresses[call->noperands - 1] + position * size;
    for (cursor at = find(call, position); position < end; skip_to_next(call, &at)) {
        const routine_operand *x = &call->operands[at.input];
        int64_t slab = slab_of(x, (int)call->attributes->concat.axis),
                start = at.outer * slab + at.within;
        int64_t count = int64_min(slab - at.within, end - position);
        routine_copy_range(x, call->addresses[at.input], start, start + count, to);
        position += count;
        to += count * size;
    }
    return JG_OK;
}

/* A byte costs a sixteenth of an operation. */
static int64_t work(const routine_call *call)
{
    const routine_operand *result = &call->operands[call->noperands - 1];
    return result->size / 16 * (int64_t)dtype_itemsize(result->dtype);
}

const jg_routine routine_concat = {.name = "concat", .units = units, .run = run, .work = work};
