/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions in code for rows, with the bits that the tiles give (src/tile/loops/sum.inc.h).
 *
 * A block is 64 elements. Those of a sum are added to 64 lanes, which at the end of a tile become
 * 16 and are added to 16 lanes of float64; a tile ends with fewer elements than a block, which go
 * into lanes of their own. The 16 lanes become one number where the tile ends or, if the row is
 * taken at once, where the row does.
 *
 * Extrema are taken lane by lane, in any order. That leaves open which zero is the largest of 0 and
 * -0, and it passes over NaN; so where the result is zero or a lane has met a NaN, which is seldom,
 * a function looks at the row in memory as the tiles do. */
#include "jit/rows/rows.h"

static LLVMTypeRef float_type(const row_emission *e)
{
    return module_type(e->module, JG_DTYPE_FLOAT32);
}

static LLVMTypeRef double_type(const row_emission *e)
{
    return module_type(e->module, JG_DTYPE_FLOAT64);
}

static program_op op_of(const row_emission *e, const row_fold *fold)
{
    return (program_op)e->program->insts[fold->position].op;
}

static bool is_sum(const row_emission *e, const row_fold *fold)
{
    return op_of(e, fold) == PROGRAM_REDUCE_ADD;
}

static unsigned count_copies(const row_emission *e)
{
    return ROW_BLOCK / e->lanes;
}

static LLVMValueRef load_slot(const row_emission *e, LLVMValueRef slot)
{
    return LLVMBuildLoad2(e->module->builder, LLVMGetAllocatedType(slot), slot, "");
}

static void set_slot(const row_emission *e, LLVMValueRef slot, LLVMValueRef value)
{
    LLVMBuildStore(e->module->builder, value, slot);
}

static void clear_slot(const row_emission *e, LLVMValueRef slot)
{
    set_slot(e, slot, LLVMConstNull(LLVMGetAllocatedType(slot)));
}

static LLVMValueRef add(const row_emission *e, LLVMValueRef x, LLVMValueRef y)
{
    return LLVMBuildFAdd(e->module->builder, x, y, "");
}

/* Lanes first to first + count - 1 of x and, behind them, of y. */
static LLVMValueRef pick(const row_emission *e, LLVMValueRef x, LLVMValueRef y, unsigned first,
                         unsigned count)
{
    LLVMValueRef mask[ROW_BLOCK];
    for (unsigned i = 0; i < count; ++i)
        mask[i] = LLVMConstInt(e->module->i32, first + i, 0);
    return LLVMBuildShuffleVector(e->module->builder, x, y, LLVMConstVector(mask, count), "");
}

static LLVMValueRef lane(const row_emission *e, LLVMValueRef x, unsigned i)
{
    return LLVMBuildExtractElement(e->module->builder, x, LLVMConstInt(e->module->i32, i, 0), "");
}

void fold_begin(const row_emission *e, row_fold *fold)
{
    LLVMTypeRef type = LLVMVectorType(float_type(e), e->lanes);
    double least = op_of(e, fold) == PROGRAM_REDUCE_MAXIMUM ? -__builtin_inf() : __builtin_inf();
    for (unsigned i = 0; i < count_copies(e); ++i)
        fold->lanes[i] = emit_row_slot(e, type);
    if (is_sum(e, fold)) {
        fold->wide = emit_row_slot(e, LLVMVectorType(double_type(e), ROW_SUM_LANES));
        fold->total = emit_row_slot(e, double_type(e));
        clear_slot(e, fold->wide);
        clear_slot(e, fold->total);
        return;
    }
    fold->odd = emit_row_slot(e, LLVMVectorType(e->module->i32, e->lanes));
    clear_slot(e, fold->odd);
    for (unsigned i = 0; i < count_copies(e); ++i)
        set_slot(e, fold->lanes[i], emit_row_splat(e, LLVMConstReal(float_type(e), least)));
}

void fold_begin_block(const row_emission *e, row_fold *fold)
{
    for (unsigned i = 0; is_sum(e, fold) && i < count_copies(e); ++i)
        clear_slot(e, fold->lanes[i]);
}

/* Whether a lane of either is NaN. */
static void search_odd(const row_emission *e, row_fold *fold, LLVMValueRef x, LLVMValueRef y)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef odd = LLVMBuildFCmp(builder, LLVMRealUNO, x, y, "");
    odd = LLVMBuildSExt(builder, odd, LLVMGetAllocatedType(fold->odd), "");
    set_slot(e, fold->odd, LLVMBuildOr(builder, load_slot(e, fold->odd), odd, ""));
    fold->pending = NULL;
}

static LLVMValueRef choose(const row_emission *e, const row_fold *fold, LLVMValueRef x,
                           LLVMValueRef best)
{
    LLVMRealPredicate relation =
        op_of(e, fold) == PROGRAM_REDUCE_MAXIMUM ? LLVMRealOGT : LLVMRealOLT;
    LLVMValueRef better = LLVMBuildFCmp(e->module->builder, relation, x, best, "");
    return LLVMBuildSelect(e->module->builder, better, x, best, "");
}

static void fold_extremum(const row_emission *e, row_fold *fold, unsigned copy, LLVMValueRef x)
{
    set_slot(e, fold->lanes[copy], choose(e, fold, x, load_slot(e, fold->lanes[copy])));
    if (fold->pending != NULL)
        search_odd(e, fold, fold->pending, x);
    else
        fold->pending = x;
}

void fold_lanes(const row_emission *e, row_fold *fold, unsigned copy, unsigned rest)
{
    LLVMValueRef x = e->values[e->program->insts[fold->position].src[0]];
    if (!is_sum(e, fold)) {
        fold_extremum(e, fold, copy, x);
        return;
    }
    if (rest > 0)
        x = pick(e, x, LLVMConstNull(LLVMTypeOf(x)), e->lanes - rest, e->lanes);
    set_slot(e, fold->lanes[copy], add(e, load_slot(e, fold->lanes[copy]), x));
}

/* The block's quarter, which is one or two vectors, as one. */
static LLVMValueRef quarter(const row_emission *e, const row_fold *fold, unsigned i)
{
    unsigned parts = ROW_SUM_LANES / e->lanes;
    LLVMValueRef first = load_slot(e, fold->lanes[i * parts]);
    return parts == 1 ? first
                      : pick(e, first, load_slot(e, fold->lanes[i * parts + 1]), 0, ROW_SUM_LANES);
}

void fold_end_loop(const row_emission *e, row_fold *fold)
{
    if (fold->pending != NULL)
        search_odd(e, fold, fold->pending, fold->pending);
}

void fold_end_block(const row_emission *e, row_fold *fold)
{
    fold_end_loop(e, fold);
    if (!is_sum(e, fold))
        return;
    LLVMValueRef sum = add(e, add(e, quarter(e, fold, 0), quarter(e, fold, 1)),
                           add(e, quarter(e, fold, 2), quarter(e, fold, 3)));
    sum = LLVMBuildFPExt(e->module->builder, sum, LLVMGetAllocatedType(fold->wide), "");
    set_slot(e, fold->wide, add(e, load_slot(e, fold->wide), sum));
}

static void add_wide(const row_emission *e, row_fold *fold)
{
    LLVMValueRef wide = load_slot(e, fold->wide), parts[4];
    for (unsigned i = 0; i < 4; ++i)
        parts[i] = pick(e, wide, wide, 4 * i, 4);
    LLVMValueRef four = add(e, add(e, parts[0], parts[2]), add(e, parts[1], parts[3]));
    LLVMValueRef two = add(e, pick(e, four, four, 0, 2), pick(e, four, four, 2, 2));
    LLVMValueRef sum = add(e, lane(e, two, 0), lane(e, two, 1));
    set_slot(e, fold->total, add(e, load_slot(e, fold->total), sum));
    clear_slot(e, fold->wide);
}

void fold_end_tile(const row_emission *e, row_fold *fold)
{
    if (is_sum(e, fold) && !fold->whole)
        add_wide(e, fold);
}

/* The lanes are compared by halves until one is left. */
static LLVMValueRef best_of(const row_emission *e, const row_fold *fold)
{
    LLVMValueRef all[ROW_MAX_COPIES], best;
    unsigned copies = count_copies(e);
    for (unsigned i = 0; i < copies; ++i)
        all[i] = load_slot(e, fold->lanes[i]);
    for (; copies > 1; copies /= 2)
        for (unsigned i = 0; i < copies / 2; ++i)
            all[i] = choose(e, fold, all[i + copies / 2], all[i]);
    best = all[0];
    for (unsigned half = e->lanes / 2; half > 0; half /= 2)
        best = choose(e, fold, pick(e, best, best, half, half), pick(e, best, best, 0, half));
    return lane(e, best, 0);
}

static LLVMValueRef any_odd(const row_emission *e, const row_fold *fold)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef odd = load_slot(e, fold->odd);
    LLVMTypeRef bits = LLVMIntTypeInContext(e->module->context, e->lanes);
    odd = LLVMBuildICmp(builder, LLVMIntNE, odd, LLVMConstNull(LLVMTypeOf(odd)), "");
    odd = LLVMBuildBitCast(builder, odd, bits, "");
    return LLVMBuildICmp(builder, LLVMIntNE, odd, LLVMConstNull(bits), "");
}

static LLVMValueRef call_search(const row_emission *e, const row_fold *fold,
                                const row_operand *operand)
{
    const jit_module *module = e->module;
    bool most = op_of(e, fold) == PROGRAM_REDUCE_MAXIMUM;
    const char *name = most ? "jit_rows_maximum" : "jit_rows_minimum";
    LLVMTypeRef parameters[] = {module->pointer, module->i64, module->i64};
    LLVMTypeRef type = LLVMFunctionType(float_type(e), parameters, 3, 0);
    LLVMValueRef function = LLVMGetNamedFunction(module->module, name);
    if (function == NULL)
        function = LLVMAddFunction(module->module, name, type);
    LLVMValueRef arguments[] = {operand->address,
                                LLVMConstInt(module->i64, (unsigned long long)operand->count, 0),
                                LLVMConstInt(module->i64, (unsigned long long)operand->tile, 0)};
    return LLVMBuildCall2(module->builder, type, function, arguments, 3, "");
}

static LLVMValueRef end_extremum(const row_emission *e, const row_fold *fold,
                                 const row_operand *operand)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMContextRef context = e->module->context;
    LLVMBasicBlockRef search = LLVMAppendBasicBlockInContext(context, e->function, ""),
                      after = LLVMAppendBasicBlockInContext(context, e->function, "");
    LLVMValueRef result = emit_row_slot(e, float_type(e)), best = best_of(e, fold);
    LLVMValueRef zero = LLVMBuildFCmp(builder, LLVMRealOEQ, best, LLVMConstNull(float_type(e)), "");
    LLVMValueRef unclear = LLVMBuildOr(builder, zero, any_odd(e, fold), "");
    set_slot(e, result, best);
    module_mark_rare(e->module, LLVMBuildCondBr(builder, unclear, search, after));
    LLVMPositionBuilderAtEnd(builder, search);
    set_slot(e, result, call_search(e, fold, operand));
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    return load_slot(e, result);
}

LLVMValueRef fold_end(const row_emission *e, row_fold *fold, const row_operand *operand)
{
    if (!is_sum(e, fold))
        return emit_row_splat(e, end_extremum(e, fold, operand));
    if (fold->whole)
        add_wide(e, fold);
    LLVMValueRef total = load_slot(e, fold->total);
    return emit_row_splat(e, LLVMBuildFPTrunc(e->module->builder, total, float_type(e), ""));
}
