/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the memory of each value, and the steps that compute it.
 *
 * Registers are assigned by a linear scan in the order of the steps: a value's register is free
 * after its last use, and an instruction may take over the register of an operand whose last use it
 * is. A value that is stored densely is computed directly in the output, unless a buffer is read in
 * place later: the output may be that buffer's memory. For the same reason all other stores come
 * last. */
#include "tile/prepare/prepare.h"

/* A nest without loops has one element, which lies dense anywhere. */
static bool store_is_dense(const tile_draft *draft, int buffer)
{
    const tile_nest *nest =
        tile_stores_results(draft, buffer) ? &draft->code->results : &draft->code->nest;
    return nest->ndim == 0 || tile_nest_is_dense(draft, nest, buffer);
}

/* Large dense results are written past the caches: they would be evicted before they are read, and
 * reading a line before it is written would be a third of a copy's traffic. Not results of a
 * reduction, which are few, nor what is written over what a cache holds. */
static bool store_streams(const tile_draft *draft, int position)
{
    const tile_value *value = &draft->values[position];
    int buffer = tile_inst_at(draft, position)->buffer;
    return !draft->program->buffers[buffer].cached && !tile_stores_results(draft, buffer) &&
           store_is_dense(draft, buffer) &&
           tile_nest_count(draft) >= EXECUTOR_STREAM_NBYTES >> value->size_log;
}

/* A bool as it lies in foreign memory or came with the launch, where any byte but 0 is true. */
static bool is_raw_bool(const tile_draft *draft, const tile_value *value)
{
    const program_inst *inst = tile_inst_at(draft, (int)(value - draft->values));
    return (inst->op == PROGRAM_LOAD || inst->op == PROGRAM_SCALAR) && inst->to == JG_DTYPE_BOOL;
}

/* Lets values be computed directly into the outputs that they are stored to. Not if the value is of
 * another level or has a slot already, must be made 0 or 1 first, or a buffer that shares the
 * output's memory is still to be read. */
static void choose_outputs(tile_draft *draft)
{
    for (int p = 0; p < draft->ninsts; ++p) {
        const program_inst *inst = tile_inst_at(draft, p);
        int level = draft->values[p].level;
        if (inst->op != PROGRAM_STORE || !tile_is_tiled(draft, level) ||
            !store_is_dense(draft, inst->buffer) || store_streams(draft, p))
            continue;
        tile_value *value = tile_value_source(draft, p, 0);
        int made = (int)(value - draft->values);
        if (value->level != level || value->in_memory || is_raw_bool(draft, value) ||
            value->output != NO_BUFFER || tile_reduces_at(draft, made) ||
            tile_use_time(level, made, false) < draft->last_read)
            continue;
        value->output = inst->buffer;
        draft->addressed[inst->buffer] = true;
    }
}

static uint16_t new_register(tile_draft *draft)
{
    return (uint16_t)(draft->program->nbuffers + draft->nregisters++);
}

/* Takes the register freed last: it is most likely in the cache. */
static uint16_t take_register(tile_draft *draft)
{
    return draft->nfree > 0 ? draft->free[--draft->nfree] : new_register(draft);
}

/* Whether a later pass uses the value: then its register is as long as a row, in its own itemsize,
 * and was never another value's. */
static bool is_kept_of_row(const tile_draft *draft, const tile_value *value)
{
    return draft->code->form == TILE_ROWS && value->kept && tile_is_tiled(draft, value->level) &&
           !value->in_memory;
}

/* Frees the registers of operands that end at this time. equal: only those that have the itemsize,
 * otherwise only those that do not. */
static void end_operands(tile_draft *draft, int position, uint32_t time, int size_log, bool equal)
{
    tile_call call = tile_value_call(draft, position);
    for (int i = 0; i < call.count; ++i) {
        tile_value *value = call.operands[i];
        /* Buffers' slots are no registers, and what is kept lives beyond the level. */
        if (value->last_use != time || value->kept || value->slot < draft->program->nbuffers ||
            (value->size_log == size_log) != equal)
            continue;
        value->last_use = UINT32_MAX; /* once, even if it is two operands */
        draft->free[draft->nfree++] = value->slot;
    }
}

/* Operands of the result's itemsize end before it begins: loops may compute in place. */
static void assign_value(tile_draft *draft, int position)
{
    tile_value *value = &draft->values[position];
    uint32_t time = tile_use_time(value->level, position, false);
    if (value->size_log > draft->max_size_log)
        draft->max_size_log = value->size_log;
    end_operands(draft, position, time, value->size_log, true);
    if (value->output != NO_BUFFER)
        value->slot = value->output;
    else
        value->slot = is_kept_of_row(draft, value) ? new_register(draft) : take_register(draft);
    end_operands(draft, position, time, value->size_log, false);
}

/* Appends a step; there is memory for two of each instruction (alloc_code). */
static tile_step *emit(tile_draft *draft, tile_action action, int size_log, int buffer)
{
    *draft->next = (tile_step){
        .action = (uint8_t)action, .size_log = (uint8_t)size_log, .buffer = (uint8_t)buffer};
    return draft->next++;
}

/* tiled: a whole tile is brought, else one element. */
static tile_action source_action(const program_inst *inst, bool tiled)
{
    if (inst->op == PROGRAM_SCALAR)
        return TILE_FETCH_SCALAR;
    if (inst->op == PROGRAM_LOAD)
        return tiled ? TILE_GATHER : TILE_FETCH;
    return tiled ? TILE_SEQUENCE : TILE_FETCH_SEQUENCE;
}

/* Loads of dense memory need no step: their slot is the buffer itself. */
static void emit_value(tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    tile_value *value = &draft->values[position];
    if (value->in_memory) {
        value->slot = inst->buffer;
        draft->addressed[inst->buffer] = true;
        return;
    }
    assign_value(draft, position);
    tile_call call = tile_value_call(draft, position);
    if (call.count == 0) {
        tile_action action = source_action(inst, tile_is_tiled(draft, value->level));
        emit(draft, action, value->size_log, inst->buffer)->dst = value->slot;
        return;
    }
    tile_step *step = emit(draft, TILE_APPLY, value->size_log, 0);
    uint16_t *slots[] = {&step->a, &step->b, &step->c};
    step->loop = call.loop;
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
    step->loop = draft->code->loops->apply[PROGRAM_COPY][JG_DTYPE_BOOL];
    step->a = value->slot;
    step->dst = take_register(draft);
    return step->dst;
}

/* From cheap to expensive: nothing, if the value was computed in the output; one element for a
 * level without tiles; a scatter where the output is not dense; a stream past the caches where it
 * is large; a copy otherwise. Those that move bytes first turn bools into 0 or 1, as they may hold
 * any byte but 0 for true. */
static void emit_store(tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    const tile_value *value = tile_value_source(draft, position, 0);
    if (value->output == inst->buffer)
        return;
    if (!tile_is_tiled(draft, draft->values[position].level)) {
        uint16_t from = clean_bool(draft, value);
        emit(draft, TILE_PUT, value->size_log, inst->buffer)->a = from;
        return;
    }
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
    step->loop = draft->code->loops->apply[PROGRAM_COPY][inst->type];
    step->dst = inst->buffer;
    step->a = value->slot;
}

/* Whether the value is one of the level's, and no other value's alias or half. */
static bool is_of_level(const tile_draft *draft, int position, int level)
{
    const tile_value *value = &draft->values[position];
    return value->live && !value->absorbed && value->root == position && value->level == level;
}

/* Values in their order, then what spreads single values, then stores: an output may be the memory
 * of a buffer that any of the values reads. */
static void emit_level(tile_draft *draft, int level, tile_steps *list)
{
    list->steps = draft->next;
    for (int p = 0; p < draft->ninsts; ++p)
        if (is_of_level(draft, p, level) && !tile_reduces_at(draft, p))
            emit_value(draft, p);
    for (int p = 0; p < draft->ninsts; ++p)
        if (is_of_level(draft, p, level) && draft->values[p].spread)
            emit(draft, TILE_FILL, draft->values[p].size_log, 0)->dst = draft->values[p].slot;
    for (int p = 0; p < draft->ninsts; ++p)
        if (tile_inst_at(draft, p)->op == PROGRAM_STORE && draft->values[p].level == level)
            emit_store(draft, p);
    list->count = (int)(draft->next - list->steps);
}

static const tile_reduction *reduction_at(const tile_draft *draft, int position)
{
    const program_inst *inst = tile_inst_at(draft, position);
    return &draft->code->loops->reductions[inst->op - PROGRAM_REDUCE_ADD][inst->type];
}

/* Results keep their registers: they are used across the tile steps of what follows. */
static void assign_results(tile_draft *draft)
{
    for (int p = 0; p < draft->ninsts; ++p) {
        tile_value *value = &draft->values[p];
        if (!tile_reduces_at(draft, p))
            continue;
        if (value->size_log > draft->max_size_log)
            draft->max_size_log = value->size_log;
        value->slot = take_register(draft);
        value->kept = true;
    }
}

/* The levels in the order in which they run. `reduced` is the operand's slot: a register, or a
 * buffer. */
static void assign_one_reduction(tile_draft *draft)
{
    tile_code *code = draft->code;
    emit_level(draft, LEVEL_ROW, &code->row);
    emit_level(draft, LEVEL_TILE, &code->tile);
    emit_level(draft, LEVEL_LAST, &code->last);
    if (draft->reduction < 0)
        return;
    const tile_value *value = &draft->values[draft->reduction];
    tile_call call = tile_value_call(draft, draft->reduction);
    const tile_value *operand = call.operands[0], *last = call.operands[call.count - 1];
    jg_dtype dtype = (jg_dtype)tile_inst_at(draft, draft->reduction)->type;
    code->reduction = reduction_at(draft, draft->reduction);
    if (call.count == 2) {
        code->product = code->loops->fold_products[dtype];
        code->each_product = code->loops->each_products[dtype];
    } else if (value->partner != NO_VALUE) {
        code->counts = code->loops->fold_true;
    }
    code->reduced_size_log = operand->size_log;
    code->result_size_log = value->size_log;
    code->result = value->slot;
    code->reduced = operand->slot;
    code->other = last->slot;
    code->only_reduces = operand->in_memory && last->in_memory && code->tile.count == 0;
}

/* The reductions that the pass feeds have their results at the next level. A sum of products that
 * one loop folds needs no register for the products. */
static void list_folds(tile_draft *draft, int level, tile_pass *pass)
{
    tile_code *code = draft->code;
    pass->first_fold = code->nfolds;
    pass->whole = pass->tile.count == 0;
    for (int p = 0; p < draft->ninsts; ++p) {
        if (!tile_reduces_at(draft, p) || draft->values[p].level != level + 1)
            continue;
        tile_fold *fold = &code->folds[code->nfolds++];
        tile_call call = tile_value_call(draft, p);
        const tile_value *last = call.operands[call.count - 1];
        *fold = (tile_fold){.reduction = reduction_at(draft, p), .to = draft->values[p].slot};
        fold->from = call.operands[0]->slot;
        fold->other = last->slot;
        if (call.count == 2)
            fold->product = code->loops->fold_products[tile_inst_at(draft, p)->type];
        fold->acc = (uint32_t)code->acc_nbytes;
        code->acc_nbytes += size_whole_lines((size_t)fold->reduction->acc_nbytes);
        pass->whole = pass->whole && call.operands[0]->in_memory && last->in_memory;
    }
    pass->nfolds = code->nfolds - pass->first_fold;
}

/* Values that later passes use lie in the frame's `kept`, a row of each; their slots are pointed
 * there tile by tile (rows.c). */
static void list_kept(tile_draft *draft)
{
    tile_code *code = draft->code;
    for (int p = 0; p < draft->ninsts; ++p) {
        const tile_value *value = &draft->values[p];
        size_t itemsize = (size_t)1 << value->size_log;
        if (!is_kept_of_row(draft, value) || !is_of_level(draft, p, value->level))
            continue;
        code->kept[code->nkept++] = (tile_kept){value->slot, (uint16_t)itemsize, code->kept_nbytes};
        code->kept_nbytes += size_whole_lines((size_t)code->nest.row * itemsize);
    }
}

/* The level of rows before each pass and behind the last, the level of tiles within: npasses of
 * those, one more of these. */
static void assign_passes(tile_draft *draft)
{
    tile_code *code = draft->code;
    for (int i = 0; i <= code->npasses; ++i) {
        emit_level(draft, LEVEL_ROW + 2 * i, &code->passes[i].before);
        if (i == code->npasses)
            break;
        emit_level(draft, LEVEL_TILE + 2 * i, &code->passes[i].tile);
        list_folds(draft, LEVEL_TILE + 2 * i, &code->passes[i]);
    }
    list_kept(draft);
}

/* Results get their slots before anything else, as no other value may take those. */
void tile_assign_values(tile_draft *draft)
{
    tile_values_learn(draft);
    choose_outputs(draft);
    assign_results(draft);
    emit_level(draft, LEVEL_RUN, &draft->code->run);
    if (draft->code->form == TILE_ROWS)
        assign_passes(draft);
    else
        assign_one_reduction(draft);
    draft->code->nslots = draft->program->nbuffers + draft->nregisters;
}
