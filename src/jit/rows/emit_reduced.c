/* SPDX-License-Identifier: Apache-2.0 */
/* Code for whole rows that are reduced and passed over again, as in a softmax or a norm: a loop
 * over rows, in it the passes one after the other.
 *
 * The length of a row is part of the code, so there is a loop for what is whole blocks, and what is
 * left follows without one. The last vector of a row begins early enough to be a whole one: then
 * some elements are computed twice, which changes nothing, as no result lies in the memory of an
 * operand where rows are passed over several times. */
#include "jit/rows/rows.h"
#include <string.h>

enum { MAX_FOLDS = 16 };

typedef struct reduced_emission {
    row_emission e;
    row_passes passes;
    LLVMValueRef kept; /* what is kept of the row */
    int pass, nfolds;  /* the pass that is emitted, and its reductions */
    row_fold folds[MAX_FOLDS];
} reduced_emission;

static LLVMValueRef constant(const row_emission *e, int64_t value)
{
    return LLVMConstInt(e->module->i64, (unsigned long long)value, 0);
}

static LLVMValueRef plus(const row_emission *e, LLVMValueRef x, int64_t distance)
{
    return distance == 0 ? x : LLVMBuildNSWAdd(e->module->builder, x, constant(e, distance), "");
}

static const program_inst *inst_at(const reduced_emission *r, int position)
{
    return &r->e.program->insts[position];
}

static bool reduces(const reduced_emission *r, int position)
{
    return program_is_reduction((program_op)inst_at(r, position)->op);
}

/* The address of a kept value's element. */
static LLVMValueRef kept_at(const reduced_emission *r, int position, LLVMValueRef at)
{
    const row_emission *e = &r->e;
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef stored = module_stored_type(e->module, (jg_dtype)inst_at(r, position)->to);
    LLVMValueRef offset = constant(e, r->passes.values[position].kept);
    LLVMValueRef row = LLVMBuildInBoundsGEP2(builder, e->module->i8, r->kept, &offset, 1, "");
    return LLVMBuildInBoundsGEP2(builder, stored, row, &at, 1, "");
}

static void keep(const reduced_emission *r, int position)
{
    const row_emission *e = &r->e;
    jg_dtype dtype = (jg_dtype)inst_at(r, position)->to;
    LLVMValueRef stored = emit_row_as_stored(e, dtype, e->values[position]);
    LLVMValueRef address = kept_at(r, position, e->at);
    LLVMSetAlignment(LLVMBuildStore(e->module->builder, stored, address),
                     (unsigned)dtype_itemsize(dtype));
}

static LLVMValueRef take_kept(const reduced_emission *r, int position)
{
    const row_emission *e = &r->e;
    jg_dtype dtype = (jg_dtype)inst_at(r, position)->to;
    LLVMTypeRef type = emit_row_stored_type(e, dtype);
    LLVMValueRef stored = LLVMBuildLoad2(e->module->builder, type, kept_at(r, position, e->at), "");
    LLVMSetAlignment(stored, (unsigned)dtype_itemsize(dtype));
    return emit_row_as_value(e, dtype, stored);
}

/* The values for each element that the pass needs, of the lanes at e.at. */
static jg_status emit_elements(reduced_emission *r)
{
    for (int p = 0; p < r->e.program->ninsts; ++p) {
        const row_value *value = &r->passes.values[p];
        if (value->rank != RANK_ELEMENT || inst_at(r, p)->op == PROGRAM_STORE ||
            !(value->uses >> r->pass & 1))
            continue;
        if (!jit_row_passes_makes(value, r->pass)) {
            r->e.values[p] = take_kept(r, p);
            r->e.starts[p] = NULL;
            continue;
        }
        JG_TRY(emit_row_inst(&r->e, p));
        if (value->keeps)
            keep(r, p);
    }
    return JG_OK;
}

static bool stores_elements(const reduced_emission *r, int position)
{
    const program_inst *inst = inst_at(r, position);
    return inst->op == PROGRAM_STORE && !r->e.program->buffers[inst->buffer].per_row;
}

/* One vector of lanes. rest: as fold_lanes has it. */
static jg_status emit_vector(reduced_emission *r, LLVMValueRef at, unsigned copy, unsigned rest)
{
    uint32_t streams = r->e.streams;
    r->e.at = at;
    JG_TRY(emit_elements(r));
    for (int i = 0; i < r->nfolds; ++i)
        fold_lanes(&r->e, &r->folds[i], copy, rest);
    if (rest > 0)
        r->e.streams = 0; /* it does not begin at a line */
    for (int p = 0; p < r->e.program->ninsts; ++p)
        if (r->pass == r->passes.npasses - 1 && stores_elements(r, p))
            emit_row_store(&r->e, inst_at(r, p));
    r->e.streams = streams;
    return JG_OK;
}

static void begin_block(reduced_emission *r)
{
    for (int i = 0; i < r->nfolds; ++i)
        fold_begin_block(&r->e, &r->folds[i]);
}

static void end_block(reduced_emission *r)
{
    for (int i = 0; i < r->nfolds; ++i)
        fold_end_block(&r->e, &r->folds[i]);
}

static jg_status emit_block(reduced_emission *r, LLVMValueRef at)
{
    unsigned lanes = r->e.lanes;
    for (unsigned copy = 0; copy < ROW_BLOCK / lanes; ++copy)
        JG_TRY(emit_vector(r, plus(&r->e, at, copy * lanes), copy, 0));
    return JG_OK;
}

static jg_status emit_blocks(reduced_emission *r, LLVMValueRef start, int64_t n)
{
    const row_emission *e = &r->e;
    if (n == ROW_BLOCK)
        return emit_block(r, start);
    row_loop loop = emit_row_begin_loop(e);
    JG_TRY(emit_block(r, LLVMBuildNSWAdd(e->module->builder, start, loop.at, "")));
    for (int i = 0; i < r->nfolds; ++i)
        fold_end_loop(e, &r->folds[i]);
    emit_row_end_loop(e, &loop, ROW_BLOCK, constant(e, n));
    return JG_OK;
}

/* Fewer elements than a block, which end at that index. */
static jg_status emit_rest(reduced_emission *r, LLVMValueRef end, unsigned n)
{
    unsigned lanes = r->e.lanes;
    for (unsigned copy = 0; copy * lanes < n; ++copy) {
        unsigned left = n - copy * lanes;
        if (left >= lanes)
            JG_TRY(emit_vector(r, plus(&r->e, end, -(int64_t)left), copy, 0));
        else
            JG_TRY(emit_vector(r, plus(&r->e, end, -(int64_t)lanes), copy, left));
    }
    return JG_OK;
}

static jg_status emit_tile(reduced_emission *r, LLVMValueRef start, int64_t n)
{
    int64_t rest = n % ROW_BLOCK;
    if (n > rest) {
        begin_block(r);
        JG_TRY(emit_blocks(r, start, n - rest));
        end_block(r);
    }
    if (rest > 0) {
        begin_block(r);
        JG_TRY(emit_rest(r, plus(&r->e, start, n), (unsigned)rest));
        end_block(r);
    }
    for (int i = 0; i < r->nfolds; ++i)
        fold_end_tile(&r->e, &r->folds[i]);
    return JG_OK;
}

/* Without reductions a row is one tile. */
static jg_status emit_tiles(reduced_emission *r)
{
    const row_emission *e = &r->e;
    int64_t count = e->rows->reduced, rest = count % ROW_TILE;
    if (r->nfolds == 0 || count <= ROW_TILE)
        return emit_tile(r, constant(e, 0), count);
    row_loop loop = emit_row_begin_loop(e);
    JG_TRY(emit_tile(r, loop.at, ROW_TILE));
    emit_row_end_loop(e, &loop, ROW_TILE, constant(e, count - rest));
    return rest > 0 ? emit_tile(r, constant(e, count - rest), rest) : JG_OK;
}

static void end_fold(reduced_emission *r, row_fold *fold)
{
    row_emission *e = &r->e;
    int operand = inst_at(r, fold->position)->src[0];
    int buffer = jit_row_passes_source(e->program, &r->passes, operand);
    row_operand where = {.count = e->rows->reduced,
                         .tile = fold->whole ? e->rows->reduced : ROW_TILE};
    where.address = buffer >= 0                       ? e->bases[buffer]
                    : r->passes.values[operand].keeps ? kept_at(r, operand, constant(e, 0))
                                                      : NULL;
    e->values[fold->position] = fold_end(e, fold, &where);
}

static jg_status begin_folds(reduced_emission *r)
{
    r->nfolds = 0;
    for (int p = 0; p < r->e.program->ninsts; ++p) {
        if (!reduces(r, p) || r->passes.values[p].stage != r->pass + 1)
            continue;
        if (r->nfolds == MAX_FOLDS)
            return base_fail(JG_ERR_UNSUPPORTED,
                             "rows: got one more reduction of a pass than the %d that are allowed",
                             MAX_FOLDS);
        r->folds[r->nfolds] = (row_fold){.position = p, .whole = r->passes.whole >> r->pass & 1};
        fold_begin(&r->e, &r->folds[r->nfolds++]);
    }
    return JG_OK;
}

/* Whether all that goes past the caches begins at lines. */
static LLVMValueRef is_aligned(const row_emission *e)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef bits = constant(e, 0);
    for (int b = 0; b < e->program->nbuffers; ++b)
        if (e->rows->streams >> b & 1)
            bits = LLVMBuildOr(builder, bits,
                               LLVMBuildPtrToInt(builder, e->bases[b], e->module->i64, ""), "");
    bits = LLVMBuildAnd(builder, bits, constant(e, JIT_LINE_NBYTES - 1), "");
    return LLVMBuildICmp(builder, LLVMIntEQ, bits, constant(e, 0), "");
}

/* The pass that stores, once past the caches and once into them. */
static jg_status emit_streaming(reduced_emission *r)
{
    row_emission *e = &r->e;
    LLVMBuilderRef builder = e->module->builder;
    LLVMBasicBlockRef past = emit_row_block(e), into = emit_row_block(e), after = emit_row_block(e);
    LLVMBuildCondBr(builder, is_aligned(e), past, into);
    LLVMPositionBuilderAtEnd(builder, past);
    e->streams = e->rows->streams;
    JG_TRY(emit_tiles(r));
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, into);
    e->streams = 0;
    JG_TRY(emit_tiles(r));
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    return JG_OK;
}

static jg_status emit_pass(reduced_emission *r)
{
    bool last = r->pass == r->passes.npasses - 1;
    JG_TRY(begin_folds(r));
    /* Results of reductions would be known on one way only. */
    bool streams = last && r->nfolds == 0 && r->e.rows->streams != 0;
    JG_TRY(streams ? emit_streaming(r) : emit_tiles(r));
    for (int i = 0; i < r->nfolds; ++i)
        end_fold(r, &r->folds[i]);
    return JG_OK;
}

/* Emits the values that are the same for the whole row and depend on that many passes, or the same
 * for all rows. */
static jg_status emit_single(reduced_emission *r, program_rank rank, int stage)
{
    r->e.at = constant(&r->e, 0);
    for (int p = 0; p < r->e.program->ninsts; ++p) {
        const row_value *value = &r->passes.values[p];
        if (value->rank == rank && value->stage == stage && value->uses != 0 && !reduces(r, p) &&
            inst_at(r, p)->op != PROGRAM_STORE)
            JG_TRY(emit_row_inst(&r->e, p));
    }
    return JG_OK;
}

static void store_row_values(const reduced_emission *r)
{
    const row_emission *e = &r->e;
    LLVMBuilderRef builder = e->module->builder;
    for (int p = 0; p < e->program->ninsts; ++p) {
        const program_inst *inst = inst_at(r, p);
        if (inst->op != PROGRAM_STORE || stores_elements(r, p))
            continue;
        jg_dtype dtype = (jg_dtype)inst->to;
        LLVMValueRef stored = emit_row_as_stored(e, dtype, e->values[inst->src[0]]);
        stored = LLVMBuildExtractElement(builder, stored, LLVMConstNull(e->module->i32), "");
        LLVMSetAlignment(LLVMBuildStore(builder, stored, e->bases[inst->buffer]),
                         (unsigned)dtype_itemsize(dtype));
    }
}

static jg_status emit_row(reduced_emission *r)
{
    for (r->pass = 0; r->pass < r->passes.npasses; ++r->pass) {
        JG_TRY(emit_single(r, RANK_ROW, r->pass));
        JG_TRY(emit_pass(r));
    }
    JG_TRY(emit_single(r, RANK_ROW, r->passes.npasses));
    store_row_values(r);
    return JG_OK;
}

static jg_status emit_loop_over_rows(reduced_emission *r)
{
    row_emission *e = &r->e;
    LLVMValueRef first[PROGRAM_MAX_BUFFERS];
    memcpy(first, e->bases, sizeof first);
    row_loop loop = emit_row_begin_loop(e);
    emit_row_move_bases(e, first, loop.at);
    JG_TRY(emit_row(r));
    emit_row_end_loop(e, &loop, 1, LLVMGetParam(e->function, ROW_ROWS));
    LLVMBuildRetVoid(e->module->builder);
    return JG_OK;
}

/* Reserves the memory of kept values. It takes several pages of the stack, which are touched in
 * their order. */
static void make_kept(reduced_emission *r)
{
    const row_emission *e = &r->e;
    if (r->passes.kept_nbytes == 0)
        return;
    LLVMTypeRef bytes = LLVMArrayType2(e->module->i8, (uint64_t)r->passes.kept_nbytes);
    r->kept = emit_row_slot(e, bytes);
    LLVMSetAlignment(r->kept, JIT_LINE_NBYTES);
    module_add_text_attribute(e->module, e->function, "probe-stack", "inline-asm");
}

static void begin_function(row_emission *e, const char *symbol)
{
    const jit_module *module = e->module;
    LLVMTypeRef parameters[] = {module->pointer, module->pointer, module->pointer, module->i64,
                                module->pointer};
    e->function = module_function(module, symbol, LLVMFunctionType(module->none, parameters, 5, 0));
    LLVMSetLinkage(e->function, LLVMExternalLinkage);
    e->frame = e->entry = emit_row_block(e);
    LLVMPositionBuilderAtEnd(module->builder, e->entry);
    emit_row_bases(e);
}

jg_status jit_reduced_emit(const jit_module *module, const jg_program *program,
                           const jit_rows *rows, const char *symbol)
{
    reduced_emission r = {.e = {.module = module,
                                .program = program,
                                .rows = rows,
                                .lanes = jit_rows_count_lanes(program)}};
    if (r.e.lanes > ROW_SUM_LANES || rows->reduced < r.e.lanes)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "rows: got %lld elements and %d lanes, allowed are at least as many "
                         "elements and up to %d lanes",
                         (long long)rows->reduced, r.e.lanes, ROW_SUM_LANES);
    JG_TRY(jit_row_passes_find(program, rows, &r.passes));
    for (int p = 0; p < program->ninsts; ++p)
        r.e.uniform[p] = r.passes.values[p].rank == RANK_UNIFORM;
    begin_function(&r.e, symbol);
    make_kept(&r);
    JG_TRY(emit_single(&r, RANK_UNIFORM, 0));
    return emit_loop_over_rows(&r);
}
