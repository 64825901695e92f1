/* SPDX-License-Identifier: Apache-2.0 */
/* Where each value lives, and the steps that compute it.
 *
 * Registers are given out by a linear scan in the order of the steps: a value's register is free for
 * others after its last use, and an instruction may take over that of an operand that ends with it. A
 * value that is stored densely is computed right into the output, unless a buffer is read in place
 * later on: the output may be that buffer's memory. For the same reason all other stores come last. */
#include "tile/prepare.h"

/* Outputs of this size and more will not be found in the cache again (half of a last-level cache). */
#define STREAM_NBYTES ((int64_t)16 << 20)

enum { TIMES_PER_LEVEL = 2 * PROGRAM_MAX_INSTS };

/* The order of steps: by level, within it by position, and stores after everything else. */
static uint16_t use_time(tile_level level, int position, bool stores)
{
    return (uint16_t)((int)level * TIMES_PER_LEVEL + (stores ? PROGRAM_MAX_INSTS : 0) + position);
}

static const program_inst *inst_at(const tile_draft *draft, int position)
{
    return &draft->program->insts[position];
}

static int arity_of(const tile_draft *draft, int position)
{
    return program_inst_rows[inst_at(draft, position)->op].arity;
}

static tile_value *source(tile_draft *draft, int position, int i)
{
    return &draft->values[draft->values[inst_at(draft, position)->src[i]].root];
}

static bool ends_tile(const tile_draft *draft, int position)
{
    return inst_at(draft, position)->op == PROGRAM_STORE || position == draft->reduction;
}

static tile_level store_level(const tile_draft *draft)
{
    return draft->reduction < 0 ? LEVEL_TILE : LEVEL_LAST;
}

/* ---- levels and uses ---- */

/* A copy is its operand, but for bool: foreign bytes become 0 or 1. A reduction over no loop is a copy. */
static bool is_alias(const tile_draft *draft, int position)
{
    const program_inst *inst = inst_at(draft, position);
    bool copies = inst->op == PROGRAM_COPY ||
                  (program_is_reduction((program_op)inst->op) && draft->reduction < 0);
    return copies && inst->type != JG_DTYPE_BOOL;
}

static tile_level level_of(tile_draft *draft, int position)
{
    const program_inst *inst = inst_at(draft, position);
    tile_level level = LEVEL_RUN;
    if (position == draft->reduction)
        return LEVEL_LAST;
    if (inst->op == PROGRAM_STORE)
        return store_level(draft);
    if (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_INDEX)
        return nest_moves_in_tile(draft, inst->buffer) ? LEVEL_TILE
               : nest_moves(draft, inst->buffer)       ? LEVEL_ROW
                                                       : LEVEL_RUN;
    for (int i = 0; i < arity_of(draft, position); ++i)
        if (source(draft, position, i)->level > level)
            level = (tile_level)source(draft, position, i)->level;
    return level;
}

static void classify(tile_draft *draft)
{
    for (int p = 0; p < draft->program->ninsts; ++p) {
        const program_inst *inst = inst_at(draft, p);
        tile_value *value = &draft->values[p];
        *value = (tile_value){.root = (uint16_t)p, .partner = NO_VALUE, .output = NO_BUFFER};
        value->size_log = (uint8_t)__builtin_ctzll(dtype_itemsize((jg_dtype)inst->to));
        if (is_alias(draft, p))
            value->root = draft->values[inst->src[0]].root;
        value->level = (uint8_t)level_of(draft, p);
        value->in_memory = inst->op == PROGRAM_LOAD && value->level == LEVEL_TILE &&
                           nest_is_dense(draft, &draft->code->nest, inst->buffer);
    }
}

/* ---- kernels ---- */

/* The kernel that computes an instruction, and what it reads. */
typedef struct tile_call {
    tile_kernel kernel; /* NULL for an instruction that has none: a source, a store, a reduction */
    int count;
    tile_value *operands[3];
    unsigned singles; /* bit i: operand i is read as one element for the whole tile */
} tile_call;

/* Which half of a pair the instruction can be, or TILE_PAIR_COUNT. */
static tile_pair pair_of(const program_inst *inst)
{
    switch (inst->op) {
    case PROGRAM_ADD: return TILE_PAIR_ADD;
    case PROGRAM_SUBTRACT: return TILE_PAIR_SUBTRACT;
    case PROGRAM_MULTIPLY: return TILE_PAIR_MULTIPLY;
    default: return TILE_PAIR_COUNT;
    }
}

static bool is_commutative(program_op op)
{
    return op == PROGRAM_ADD || op == PROGRAM_MULTIPLY || op == PROGRAM_MAXIMUM ||
           op == PROGRAM_MINIMUM || op == PROGRAM_EQUAL || op == PROGRAM_NOT_EQUAL;
}

static bool is_single(const tile_value *operand, tile_level level)
{
    return operand->level < LEVEL_TILE && level >= LEVEL_TILE;
}

/* Kernels take their one single operand on the right where it may stand on either side. */
static void put_single_right(tile_call *call, program_op op, tile_level level)
{
    tile_value *first = call->operands[0];
    if (!is_commutative(op) || !is_single(first, level))
        return;
    call->operands[0] = call->operands[1];
    call->operands[1] = first;
}

/* The pair of an instruction and the operand at partner; its kernel is NULL if there is none. */
static tile_call pair_call(tile_draft *draft, int position, int partner)
{
    const program_inst *first = inst_at(draft, partner), *second = inst_at(draft, position);
    tile_level level = (tile_level)draft->values[position].level;
    tile_pair before = pair_of(first), after = pair_of(second);
    tile_call call = {.count = 3};
    if (before == TILE_PAIR_COUNT || after == TILE_PAIR_COUNT)
        return call;
    bool on_the_right = source(draft, position, 1) == &draft->values[partner];
    call.operands[0] = source(draft, partner, 0);
    call.operands[1] = source(draft, partner, 1);
    call.operands[2] = source(draft, position, on_the_right ? 0 : 1);
    put_single_right(&call, (program_op)first->op, level);
    bool b = is_single(call.operands[1], level), c = is_single(call.operands[2], level);
    tile_pair_scalars singles = b && c ? TILE_PAIR_SCALARS
                                : b    ? TILE_PAIR_SCALAR_B
                                : c    ? TILE_PAIR_SCALAR_C
                                       : TILE_PAIR_VECTORS;
    if (after == TILE_PAIR_SUBTRACT && on_the_right)
        after = TILE_PAIR_SUBTRACT_FROM;
    call.kernel = draft->code->kernels->pairs[before][after][singles][second->type];
    call.singles = (unsigned)b << 1 | (unsigned)c << 2;
    return call;
}

static tile_kernel plain_kernel(const tile_draft *draft, const program_inst *inst)
{
    const tile_kernels *kernels = draft->code->kernels;
    if (inst->op == PROGRAM_CAST)
        return kernels->cast[inst->type][inst->to];
    if (program_is_reduction((program_op)inst->op)) /* over no loop */
        return kernels->apply[PROGRAM_COPY][inst->type];
    return kernels->apply[inst->op][inst->type];
}

static tile_call call_of(tile_draft *draft, int position)
{
    const program_inst *inst = inst_at(draft, position);
    const tile_value *value = &draft->values[position];
    tile_level level = (tile_level)value->level;
    if (value->partner != NO_VALUE)
        return pair_call(draft, position, value->partner);
    tile_call call = {.count = arity_of(draft, position)};
    for (int i = 0; i < call.count; ++i)
        call.operands[i] = source(draft, position, i);
    if (call.count == 0 || ends_tile(draft, position))
        return call;
    call.kernel = plain_kernel(draft, inst);
    put_single_right(&call, (program_op)inst->op, level);
    for (int i = 0; i < call.count && call.singles == 0; ++i) {
        tile_kernel kernel = draft->code->kernels->with_scalar[i][inst->op][inst->type];
        if (kernel == NULL || !is_single(call.operands[i], level))
            continue;
        call.kernel = kernel;
        call.singles = 1u << i;
    }
    return call;
}

/* A value with one user is computed by that user's kernel if there is one for both. */
static void find_pairs(tile_draft *draft)
{
    for (int p = 0; p < draft->program->ninsts; ++p)
        for (int i = 0; i < arity_of(draft, p); ++i)
            source(draft, p, i)->uses += 1;
    for (int p = 0; p < draft->program->ninsts; ++p) {
        tile_value *value = &draft->values[p];
        for (int i = 0; i < arity_of(draft, p) && value->partner == NO_VALUE; ++i) {
            tile_value *operand = source(draft, p, i);
            int partner = (int)(operand - draft->values);
            if (operand->uses != 1 || operand->partner != NO_VALUE || operand->level != value->level ||
                pair_call(draft, p, partner).kernel == NULL)
                continue;
            value->partner = (uint16_t)partner;
            operand->absorbed = true;
        }
    }
}

/* One use of an operand by the live instruction at position. */
static void note_use(tile_draft *draft, tile_value *value, int position, tile_level level, bool single)
{
    bool at_end = ends_tile(draft, position);
    uint16_t time = use_time(level, position, at_end);
    if (time > value->last_use)
        value->last_use = time;
    value->live = true;
    value->kept |= value->level != level;
    value->spread |= !single && is_single(value, level);
    if (value->in_memory && time > draft->last_read)
        draft->last_read = time;
}

/* Backwards from the stores, so that what nobody needs is not computed. */
static void find_uses(tile_draft *draft)
{
    for (int p = draft->program->ninsts - 1; p >= 0; --p) {
        tile_value *value = &draft->values[p];
        if (value->root != p || value->absorbed || (!value->live && inst_at(draft, p)->op != PROGRAM_STORE))
            continue;
        tile_level level = p == draft->reduction ? LEVEL_TILE : (tile_level)value->level;
        tile_call call = call_of(draft, p);
        for (int i = 0; i < call.count; ++i)
            note_use(draft, call.operands[i], p, level, call.singles >> i & 1);
    }
}

/* ---- stores ---- */

static const tile_nest *store_nest(const tile_draft *draft)
{
    return draft->reduction < 0 ? &draft->code->nest : &draft->code->results;
}

static bool store_is_dense(const tile_draft *draft, int buffer)
{
    const tile_nest *nest = store_nest(draft);
    return nest->ndim == 0 || nest_is_dense(draft, nest, buffer);
}

static bool store_streams(const tile_draft *draft, int position)
{
    const tile_value *value = &draft->values[position];
    return draft->reduction < 0 && store_is_dense(draft, inst_at(draft, position)->buffer) &&
           draft->code->nest.size >= STREAM_NBYTES >> value->size_log;
}

/* A bool as it lies in foreign memory or came with the launch, where any byte but 0 is true. */
static bool is_raw_bool(const tile_draft *draft, const tile_value *value)
{
    const program_inst *inst = inst_at(draft, (int)(value - draft->values));
    return (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_SCALAR) && inst->to == JG_DTYPE_BOOL;
}

/* Lets values be computed into the outputs they are stored to. */
static void choose_outputs(tile_draft *draft)
{
    for (int p = 0; p < draft->program->ninsts; ++p) {
        const program_inst *inst = inst_at(draft, p);
        if (inst->op != PROGRAM_STORE || !store_is_dense(draft, inst->buffer) || store_streams(draft, p))
            continue;
        tile_value *value = source(draft, p, 0);
        int made = (int)(value - draft->values);
        if (value->level != store_level(draft) || value->in_memory || is_raw_bool(draft, value) ||
            value->output != NO_BUFFER || made == draft->reduction ||
            use_time((tile_level)value->level, made, false) < draft->last_read)
            continue;
        value->output = inst->buffer;
        draft->addressed[inst->buffer] = true;
    }
}

/* ---- registers ---- */

static uint16_t take_register(tile_draft *draft)
{
    if (draft->nfree > 0)
        return draft->free[--draft->nfree];
    return (uint16_t)(draft->program->nbuffers + draft->nregisters++);
}

/* Frees the registers of operands that end at this time, of those that have (or not) that itemsize. */
static void end_operands(tile_draft *draft, int position, uint16_t time, int size_log, bool equal)
{
    tile_call call = call_of(draft, position);
    for (int i = 0; i < call.count; ++i) {
        tile_value *value = call.operands[i];
        if (value->last_use != time || value->kept || value->slot < draft->program->nbuffers ||
            (value->size_log == size_log) != equal)
            continue;
        value->last_use = UINT16_MAX; /* once, though it be two operands */
        draft->free[draft->nfree++] = value->slot;
    }
}

/* Operands of the result's itemsize end before it begins: kernels may compute in place. */
static void place_value(tile_draft *draft, int position)
{
    tile_value *value = &draft->values[position];
    uint16_t time = use_time((tile_level)value->level, position, false);
    if (value->size_log > draft->max_size_log)
        draft->max_size_log = value->size_log;
    end_operands(draft, position, time, value->size_log, true);
    if (value->output != NO_BUFFER)
        value->slot = value->output;
    else
        value->slot = take_register(draft);
    end_operands(draft, position, time, value->size_log, false);
}

/* ---- steps ---- */

static tile_step *emit(tile_draft *draft, tile_action action, int size_log, int buffer)
{
    *draft->next = (tile_step){
        .action = (uint8_t)action, .size_log = (uint8_t)size_log, .buffer = (uint8_t)buffer};
    return draft->next++;
}

static tile_action source_action(const program_inst *inst, tile_level level)
{
    if (inst->op == PROGRAM_SCALAR)
        return TILE_FETCH_SCALAR;
    if (inst->op == PROGRAM_LOAD)
        return level == LEVEL_TILE ? TILE_GATHER : TILE_FETCH;
    return level == LEVEL_TILE ? TILE_SEQUENCE : TILE_FETCH_SEQUENCE;
}

static void emit_value(tile_draft *draft, int position)
{
    const program_inst *inst = inst_at(draft, position);
    tile_value *value = &draft->values[position];
    if (value->in_memory) {
        value->slot = inst->buffer;
        draft->addressed[inst->buffer] = true;
        return;
    }
    place_value(draft, position);
    tile_call call = call_of(draft, position);
    if (call.count == 0) {
        tile_action action = source_action(inst, (tile_level)value->level);
        emit(draft, action, value->size_log, inst->buffer)->dst = value->slot;
        return;
    }
    tile_step *step = emit(draft, TILE_APPLY, value->size_log, 0);
    uint16_t *slots[] = {&step->a, &step->b, &step->c};
    step->kernel = call.kernel;
    step->dst = value->slot;
    for (int i = 0; i < call.count; ++i)
        *slots[i] = call.operands[i]->slot;
}

/* The value's slot, or that of a register with 0s and 1s for it. */
static uint16_t clean_bool(tile_draft *draft, const tile_value *value)
{
    if (!is_raw_bool(draft, value))
        return value->slot;
    tile_step *step = emit(draft, TILE_APPLY, 0, 0);
    step->kernel = draft->code->kernels->apply[PROGRAM_COPY][JG_DTYPE_BOOL];
    step->a = value->slot;
    step->dst = take_register(draft);
    return step->dst;
}

static void emit_store(tile_draft *draft, int position)
{
    const program_inst *inst = inst_at(draft, position);
    const tile_value *value = source(draft, position, 0);
    if (value->output == inst->buffer)
        return;
    if (!store_is_dense(draft, inst->buffer)) {
        uint16_t from = clean_bool(draft, value);
        emit(draft, TILE_SCATTER, value->size_log, inst->buffer)->a = from;
        return;
    }
    draft->addressed[inst->buffer] = true;
    if (store_streams(draft, position)) {
        uint16_t from = clean_bool(draft, value);
        emit(draft, TILE_STREAM, value->size_log, inst->buffer)->a = from;
        draft->code->streams = true;
        return;
    }
    tile_step *step = emit(draft, TILE_APPLY, value->size_log, inst->buffer);
    step->kernel = draft->code->kernels->apply[PROGRAM_COPY][inst->type];
    step->dst = inst->buffer;
    step->a = value->slot;
}

static bool is_computed(const tile_draft *draft, int position, tile_level level)
{
    const tile_value *value = &draft->values[position];
    return value->live && !value->absorbed && value->root == position && value->level == level &&
           position != draft->reduction;
}

static void emit_level(tile_draft *draft, tile_level level, tile_steps *list)
{
    list->steps = draft->next;
    for (int p = 0; p < draft->program->ninsts; ++p)
        if (is_computed(draft, p, level))
            emit_value(draft, p);
    for (int p = 0; p < draft->program->ninsts; ++p)
        if (is_computed(draft, p, level) && draft->values[p].spread)
            emit(draft, TILE_FILL, draft->values[p].size_log, 0)->dst = draft->values[p].slot;
    for (int p = 0; p < draft->program->ninsts; ++p)
        if (inst_at(draft, p)->op == PROGRAM_STORE && level == store_level(draft))
            emit_store(draft, p);
    list->count = (int)(draft->next - list->steps);
}

static void place_reduction(tile_draft *draft)
{
    tile_code *code = draft->code;
    const program_inst *inst = inst_at(draft, draft->reduction);
    tile_value *value = &draft->values[draft->reduction];
    code->reduction = &code->kernels->reductions[inst->op - PROGRAM_REDUCE_ADD][inst->type];
    code->result_size_log = value->size_log;
    draft->max_size_log = value->size_log;
    value->slot = code->result = take_register(draft);
    value->kept = true; /* it lives across the tile steps of many results */
}

void assign_values(tile_draft *draft)
{
    tile_code *code = draft->code;
    classify(draft);
    find_pairs(draft);
    find_uses(draft);
    choose_outputs(draft);
    if (draft->reduction >= 0)
        place_reduction(draft);
    emit_level(draft, LEVEL_RUN, &code->run);
    emit_level(draft, LEVEL_ROW, &code->row);
    emit_level(draft, LEVEL_TILE, &code->tile);
    emit_level(draft, LEVEL_LAST, &code->last);
    if (draft->reduction >= 0) {
        const tile_value *operand = source(draft, draft->reduction, 0);
        code->reduced = operand->slot;
        code->only_reduces = operand->in_memory && code->tile.count == 0;
    }
    code->nslots = draft->program->nbuffers + draft->nregisters;
}
