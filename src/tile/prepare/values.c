/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about each value before it gets a slot: how often it changes, its last use, and the
 * loop that computes it. Two successive instructions share one loop if there is a loop for the
 * pair. An operand that does not change under a tile is read as one element if the loop allows
 * it. */
#include "tile/prepare/prepare.h"

/* One block for three lists, the largest alignment first. */
jg_status tile_draft_alloc(tile_draft *draft, int count, program_inst **out)
{
    size_t each = sizeof *draft->values + sizeof *draft->free + sizeof(program_inst);
    size_t nbytes = (size_t)(count + 1) * each;
    draft->memory = base_alloc_zeroed(nbytes);
    if (draft->memory == NULL)
        return base_nomem(nbytes, "a program");
    draft->values = draft->memory;
    program_inst *insts = (program_inst *)(void *)(draft->values + count);
    draft->free = (uint16_t *)(void *)(insts + count);
    draft->insts = insts;
    *out = insts;
    return JG_OK;
}

uint32_t tile_use_time(int level, int position, bool at_end)
{
    return (uint32_t)level << 20 | (uint32_t)at_end << 19 | (uint32_t)position;
}

static int arity_of(const tile_draft *draft, int position)
{
    return program_inst_rows[tile_inst_at(draft, position)->op].arity;
}

tile_value *tile_value_source(tile_draft *draft, int position, int i)
{
    return &draft->values[draft->values[tile_inst_at(draft, position)->src[i]].root];
}

static bool ends_tile(const tile_draft *draft, int position)
{
    return tile_inst_at(draft, position)->op == PROGRAM_STORE || tile_reduces_at(draft, position);
}

/* A copy is its operand, but for bool: foreign bytes become 0 or 1. A reduction over no loop is
 * a copy. */
static bool is_alias(const tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    bool copies = inst->op == PROGRAM_COPY ||
                  (program_is_reduction((program_op)inst->op) && draft->reduction < 0);
    return copies && inst->type != JG_DTYPE_BOOL;
}

/* From seldom to often: once, once for each row, for each tile. */
static tile_level source_level(const tile_draft *draft, int buffer)
{
    if (!tile_nest_moves(draft, buffer))
        return LEVEL_RUN;
    if (draft->reduction >= 0 && draft->program->buffers[buffer].per_row)
        return LEVEL_LAST;
    return tile_nest_moves_in_tile(draft, buffer) ? LEVEL_TILE : LEVEL_ROW;
}

/* A value changes as often as the operand that changes most often. */
static tile_level level_of(tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    tile_level level = LEVEL_RUN;
    if (tile_reduces_at(draft, position))
        return LEVEL_LAST;
    if (inst->op == PROGRAM_STORE)
        return tile_stores_results(draft, inst->buffer) ? LEVEL_LAST : LEVEL_TILE;
    if (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_INDEX)
        return source_level(draft, inst->buffer);
    for (int i = 0; i < arity_of(draft, position); ++i)
        if (tile_value_source(draft, position, i)->level > level)
            level = (tile_level)tile_value_source(draft, position, i)->level;
    return level;
}

/* The loops that a tile of the level's values lies over. */
static const tile_nest *nest_of(const tile_draft *draft, int level)
{
    return level == LEVEL_LAST && draft->code->form != TILE_ROWS ? &draft->code->results
                                                                 : &draft->code->nest;
}

/* Levels come from the passes, if there are some; otherwise they follow from the loops that change
 * a value. */
static void classify(tile_draft *draft)
{
    bool has_levels = draft->code->form == TILE_ROWS;
    for (int p = 0; p < draft->ninsts; ++p) {
        const program_inst *inst = tile_inst_at(draft, p);
        tile_value *value = &draft->values[p];
        uint8_t level = value->level;
        *value = (tile_value){.root = (uint16_t)p, .partner = NO_VALUE, .output = NO_BUFFER};
        value->size_log = (uint8_t)__builtin_ctzll(dtype_itemsize((jg_dtype)inst->to));
        if (is_alias(draft, p))
            value->root = draft->values[inst->src[0]].root;
        value->level = has_levels ? level : (uint8_t)level_of(draft, p);
        value->in_memory = inst->op == PROGRAM_LOAD && tile_is_tiled(draft, value->level) &&
                           tile_nest_is_dense(draft, nest_of(draft, value->level), inst->buffer);
    }
}

/* Which half of a pair the instruction can be, or TILE_PAIR_COUNT. Of the second: SUBTRACT_FROM is
 * known only from the operands' order. */
static tile_pair pair_of(const program_inst *inst)
{
    switch (inst->op) {
    case PROGRAM_ADD: return TILE_PAIR_ADD;
    case PROGRAM_SUBTRACT: return TILE_PAIR_SUBTRACT;
    case PROGRAM_MULTIPLY: return TILE_PAIR_MULTIPLY;
    default: return TILE_PAIR_COUNT;
    }
}

/* In every bit: the larger of 0 and -0 is the one on the right. */
static bool is_commutative(program_op op)
{
    return op == PROGRAM_ADD || op == PROGRAM_MULTIPLY || op == PROGRAM_EQUAL ||
           op == PROGRAM_NOT_EQUAL;
}

/* A value of an outer level, one element, beside a tile. */
static bool is_single(const tile_draft *draft, const tile_value *operand, int level)
{
    return tile_is_tiled(draft, level) && !tile_is_tiled(draft, operand->level);
}

/* Loops take their one single operand on the right if it may be on either side. */
static void put_single_right(const tile_draft *draft, tile_call *call, program_op op, int level)
{
    tile_value *first = call->operands[0];
    if (!is_commutative(op) || !is_single(draft, first, level))
        return;
    call->operands[0] = call->operands[1];
    call->operands[1] = first;
}

/* The exponential of a difference; only where one number is subtracted. */
static tile_call exp_call(tile_draft *draft, int position, int partner)
{
    const program_inst *first = tile_inst_at(draft, partner);
    tile_call call = {.count = 2, .singles = 2};
    if (first->op != PROGRAM_SUBTRACT)
        return call;
    for (int i = 0; i < call.count; ++i)
        call.operands[i] = tile_value_source(draft, partner, i);
    if (is_single(draft, call.operands[1], draft->values[position].level) &&
        !is_single(draft, call.operands[0], draft->values[position].level))
        call.loop = draft->code->loops->exp_differences[first->type];
    return call;
}

/* The pair of an instruction and the operand at partner; its loop is NULL if there is none. */
static tile_call pair_call(tile_draft *draft, int position, int partner)
{
    const program_inst *first = tile_inst_at(draft, partner),
                       *second = tile_inst_at(draft, position);
    int level = draft->values[position].level;
    tile_pair before = pair_of(first), after = pair_of(second);
    tile_call call = {.count = 3};
    if (second->op == PROGRAM_EXP)
        return exp_call(draft, position, partner);
    if (before == TILE_PAIR_COUNT || after == TILE_PAIR_COUNT)
        return call;
    bool on_the_right = tile_value_source(draft, position, 1) == &draft->values[partner];
    call.operands[0] = tile_value_source(draft, partner, 0);
    call.operands[1] = tile_value_source(draft, partner, 1);
    call.operands[2] = tile_value_source(draft, position, on_the_right ? 0 : 1);
    put_single_right(draft, &call, (program_op)first->op, level);
    bool b = is_single(draft, call.operands[1], level),
         c = is_single(draft, call.operands[2], level);
    tile_pair_scalars singles = b && c ? TILE_PAIR_SCALARS
                                : b    ? TILE_PAIR_SCALAR_B
                                : c    ? TILE_PAIR_SCALAR_C
                                       : TILE_PAIR_VECTORS;
    /* x - x of a partner that is on both sides has two uses, and so is no pair. */
    if (after == TILE_PAIR_SUBTRACT && on_the_right)
        after = TILE_PAIR_SUBTRACT_FROM;
    call.loop = draft->code->loops->pairs[before][after][singles][second->type];
    call.singles = (unsigned)b << 1 | (unsigned)c << 2;
    return call;
}

/* The operands of a sum of products, or of a count. */
static tile_call product_call(tile_draft *draft, int partner)
{
    tile_call call = {.count = arity_of(draft, partner)};
    for (int i = 0; i < call.count; ++i)
        call.operands[i] = tile_value_source(draft, partner, i);
    return call;
}

/* Whether both factors are elements of a tile. Passes spread one that is not. */
static bool has_tiles(tile_draft *draft, int partner)
{
    return draft->code->form == TILE_ROWS ||
           (tile_value_source(draft, partner, 0)->level == LEVEL_TILE &&
            tile_value_source(draft, partner, 1)->level == LEVEL_TILE);
}

/* Whether the reduction can be one of the products that the instruction at partner makes. */
static bool sums_products(tile_draft *draft, int position, int partner)
{
    const program_inst *inst = tile_inst_at(draft, position);
    return draft->code->form != TILE_OUTER && inst->op == PROGRAM_REDUCE_ADD &&
           tile_inst_at(draft, partner)->op == PROGRAM_MULTIPLY && has_tiles(draft, partner) &&
           draft->values[partner].level == draft->values[position].level - 1 &&
           draft->code->loops->fold_products[inst->type] != NULL;
}

/* Whether the reduction is a count of bools, which the instruction at partner makes numbers of. */
static bool counts_bools(const tile_draft *draft, int position, int partner)
{
    const program_inst *inst = tile_inst_at(draft, position), *cast = tile_inst_at(draft, partner);
    return draft->code->form == TILE_INNER && inst->op == PROGRAM_REDUCE_ADD &&
           inst->type == JG_DTYPE_INT64 && cast->op == PROGRAM_CAST &&
           cast->type == JG_DTYPE_BOOL && draft->values[partner].level == LEVEL_TILE;
}

static tile_loop plain_loop(const tile_draft *draft, const program_inst *inst)
{
    const tile_loops *loops = draft->code->loops;
    if (inst->op == PROGRAM_CAST)
        return loops->cast[inst->type][inst->to];
    if (program_is_reduction((program_op)inst->op)) /* over no loop */
        return loops->apply[PROGRAM_COPY][inst->type];
    return loops->apply[inst->op][inst->type];
}

tile_call tile_value_call(tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    const tile_value *value = &draft->values[position];
    int level = value->level;
    if (value->partner != NO_VALUE)
        return tile_reduces_at(draft, position) ? product_call(draft, value->partner)
                                                : pair_call(draft, position, value->partner);
    tile_call call = {.count = arity_of(draft, position)};
    for (int i = 0; i < call.count; ++i)
        call.operands[i] = tile_value_source(draft, position, i);
    if (call.count == 0 || ends_tile(draft, position))
        return call;
    call.loop = plain_loop(draft, inst);
    put_single_right(draft, &call, (program_op)inst->op, level);
    /* One operand at most: there are no variants for two. Others are spread over a tile. */
    for (int i = 0; i < call.count && call.singles == 0; ++i) {
        tile_loop loop = draft->code->loops->with_scalar[i][inst->op][inst->type];
        if (loop == NULL || !is_single(draft, call.operands[i], level))
            continue;
        call.loop = loop;
        call.singles = 1u << i;
    }
    return call;
}

/* Whether one loop computes both. */
static bool make_one(tile_draft *draft, int position, int partner)
{
    if (tile_reduces_at(draft, position))
        return sums_products(draft, position, partner) || counts_bools(draft, position, partner);
    return draft->values[partner].level == draft->values[position].level &&
           pair_call(draft, position, partner).loop != NULL;
}

/* A value with one user is computed by that user's loop if one loop computes both. */
static void find_pairs(tile_draft *draft)
{
    for (int p = 0; p < draft->ninsts; ++p)
        for (int i = 0; i < arity_of(draft, p); ++i)
            tile_value_source(draft, p, i)->uses += 1;
    for (int p = 0; p < draft->ninsts; ++p) {
        tile_value *value = &draft->values[p];
        for (int i = 0; i < arity_of(draft, p) && value->partner == NO_VALUE; ++i) {
            tile_value *operand = tile_value_source(draft, p, i);
            int partner = (int)(operand - draft->values);
            if (operand->uses != 1 || operand->partner != NO_VALUE || !make_one(draft, p, partner))
                continue;
            value->partner = (uint16_t)partner;
            operand->absorbed = true;
        }
    }
}

/* One use of an operand by the live instruction at position. */
static void note_use(tile_draft *draft, tile_value *value, int position, int level, bool single)
{
    bool at_end = ends_tile(draft, position);
    uint32_t time = tile_use_time(level, position, at_end);
    if (time > value->last_use)
        value->last_use = time;
    value->live = true;
    value->kept |= value->level != level;
    value->spread |= !single && is_single(draft, value, level);
    if (value->in_memory && time > draft->last_read)
        draft->last_read = time;
}

/* Backwards from the stores, so that values without users are not computed. */
static void find_uses(tile_draft *draft)
{
    for (int p = draft->ninsts - 1; p >= 0; --p) {
        tile_value *value = &draft->values[p];
        if (value->root != p || value->absorbed || (!value->live && !ends_tile(draft, p)))
            continue;
        int level = tile_reduces_at(draft, p) ? value->level - 1 : value->level;
        tile_call call = tile_value_call(draft, p);
        for (int i = 0; i < call.count; ++i)
            note_use(draft, call.operands[i], p, level, call.singles >> i & 1);
    }
}

void tile_values_learn(tile_draft *draft)
{
    classify(draft);
    find_pairs(draft);
    find_uses(draft);
}
