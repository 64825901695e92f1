/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as vector code: a function that takes a row, some lanes at a time.
 *
 * A row's elements lie side by side, so a load is a vector, and each instruction one of LLVM's or
 * one of scalar.c's functions of lanes, which clang made a vector of when the library was built. So
 * nothing is left for LLVM but to put them together, and compiling takes a fraction of what it
 * takes to make vectors of loops. What is the same for the whole row is computed before its loop.
 * Values are vectors of lanes, truth of i1; functions find theirs in memory, which becomes
 * registers when they are inlined. */
#include "jit/rows/rows.h"
#include <string.h>

_Static_assert(2 * JIT_MIN_LANES * sizeof(uint64_t) <= JIT_GROUP_NBYTES,
               "what is left of a row is computed in memory for a group");

/* Halves go through float32. */
static unsigned computed_bits(jg_dtype dtype)
{
    return dtype_is_half(dtype) ? dtype_rows[JG_DTYPE_FLOAT32].bits : dtype_rows[dtype].bits;
}

static bool is_random(const program_inst *inst)
{
    return inst->op == PROGRAM_THREEFRY || inst->op == PROGRAM_THREEFRY_HALF;
}

/* Random words are two of 32 bits to their rounds, so that counters count as 32 bits beside them;
 * float64 does not. */
static unsigned widest_bits(const jg_program *program)
{
    unsigned widest = 8, floats = 0;
    bool random = false;
    for (int p = 0; p < program->ninsts; ++p) {
        jg_dtype to = (jg_dtype)program->insts[p].to;
        random |= is_random(&program->insts[p]);
        widest = uint_max(widest, computed_bits(to));
        floats = uint_max(floats, dtype_is_floating(to) ? computed_bits(to) : 0);
    }
    for (int b = 0; b < program->nbuffers; ++b)
        widest = uint_max(widest, computed_bits((jg_dtype)program->buffers[b].dtype));
    return random && floats == 32 ? 32 : widest;
}

/* At most as many as fill a cache line with the widest dtype. */
unsigned jit_rows_count_lanes(const jg_program *program)
{
    unsigned widest = widest_bits(program), width = target_vector_width();
    /* If vectors are short, two of them share each load of a constant. */
    unsigned lanes = (width < 512 ? 2 * width : width) / widest;
    return uint_max(lanes, JIT_MIN_LANES);
}

void emit_row_bases(row_emission *e)
{
    for (int b = 0; b < e->program->nbuffers; ++b) {
        bool index = e->program->buffers[b].role == PROGRAM_ROLE_INDEX;
        int64_t offset = (int64_t)sizeof(int64_t) * b;
        e->bases[b] = emit_row_parameter(e, ROW_ADDRESSES,
                                         index ? e->module->i64 : e->module->pointer, offset);
        if (index)
            e->steps[b] = emit_row_parameter(e, ROW_STEPS, e->module->i64, offset);
    }
}

void emit_row_move_bases(row_emission *e, const LLVMValueRef *first, LLVMValueRef row)
{
    LLVMBuilderRef builder = e->module->builder;
    for (int b = 0; b < e->program->nbuffers; ++b) {
        LLVMValueRef step =
            emit_row_parameter(e, ROW_ROW_STEPS, e->module->i64, (int64_t)sizeof(int64_t) * b);
        LLVMValueRef distance = LLVMBuildMul(builder, row, step, "");
        e->bases[b] = e->program->buffers[b].role == PROGRAM_ROLE_INDEX
                          ? LLVMBuildAdd(builder, first[b], distance, "")
                          : LLVMBuildGEP2(builder, e->module->i8, first[b], &distance, 1, "");
    }
}

static LLVMValueRef load_scalar(const row_emission *e, const program_inst *inst)
{
    jg_dtype dtype = (jg_dtype)inst->to;
    LLVMValueRef value = emit_row_parameter(e, ROW_SCALARS, module_stored_type(e->module, dtype),
                                            (int64_t)sizeof(jg_scalar) * inst->buffer);
    return emit_row_as_value(e, dtype, emit_row_splat(e, value));
}

static LLVMValueRef at_start(row_emission *e, int position, LLVMValueRef start,
                             LLVMValueRef distances)
{
    e->starts[position] = start;
    e->distances[position] = distances;
    return LLVMBuildAdd(e->module->builder, emit_row_splat(e, start), distances, "");
}

/* offset + step * at, and step * lane, which stays the same. */
static LLVMValueRef load_index(row_emission *e, int position)
{
    const program_inst *inst = &e->program->insts[position];
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef lanes[JIT_MAX_LANES];
    for (unsigned i = 0; i < e->lanes; ++i)
        lanes[i] = LLVMConstInt(e->module->i64, i, 0);
    LLVMValueRef step = e->steps[inst->buffer];
    LLVMBasicBlockRef here = emit_row_enter(e);
    LLVMValueRef distances =
        LLVMBuildMul(builder, LLVMConstVector(lanes, e->lanes), emit_row_splat(e, step), "");
    emit_row_return(e, here);
    LLVMValueRef start = LLVMBuildMul(builder, e->at, step, "");
    start = LLVMBuildAdd(builder, start, e->bases[inst->buffer], "");
    return at_start(e, position, start, distances);
}

/* An index times and plus numbers that are the same for the row is a start and distances between
 * lanes, of which only the start changes: there are no products of 64 bits in the loop. gives: the
 * value, or NULL where it is none such */
static LLVMValueRef keep_start(row_emission *e, int position)
{
    const program_inst *inst = &e->program->insts[position];
    LLVMBuilderRef builder = e->module->builder;
    int x = inst->src[0], y = inst->src[1];
    bool is_word = inst->to == JG_DTYPE_INT64 || inst->to == JG_DTYPE_UINT64;
    if (!is_word || program_inst_rows[inst->op].arity == 0)
        return NULL;
    if (inst->op == PROGRAM_CAST)
        return e->starts[x] == NULL ? NULL : at_start(e, position, e->starts[x], e->distances[x]);
    if (inst->op != PROGRAM_ADD && inst->op != PROGRAM_MULTIPLY)
        return NULL;
    if (e->starts[x] == NULL)
        x = inst->src[1], y = inst->src[0];
    if (e->starts[x] == NULL || !e->uniform[y])
        return NULL;
    LLVMBasicBlockRef here = emit_row_enter(e);
    LLVMValueRef start = e->starts[x], distances = e->distances[x];
    LLVMValueRef number = emit_row_first(e, e->values[y]);
    if (inst->op == PROGRAM_MULTIPLY)
        distances = LLVMBuildMul(builder, distances, e->values[y], "");
    emit_row_return(e, here);
    start = inst->op == PROGRAM_MULTIPLY ? LLVMBuildMul(builder, start, number, "")
                                         : LLVMBuildAdd(builder, start, number, "");
    return at_start(e, position, start, distances);
}

static LLVMValueRef address_of(const row_emission *e, const program_inst *inst)
{
    LLVMValueRef at = e->at;
    return LLVMBuildInBoundsGEP2(e->module->builder,
                                 module_stored_type(e->module, (jg_dtype)inst->to),
                                 e->bases[inst->buffer], &at, 1, "");
}

static LLVMValueRef load_lanes(const row_emission *e, const program_inst *inst)
{
    LLVMBuilderRef builder = e->module->builder;
    jg_dtype dtype = (jg_dtype)inst->to;
    LLVMValueRef stored;
    if (e->rows->still[inst->buffer]) {
        LLVMTypeRef type = module_stored_type(e->module, dtype);
        stored = emit_row_splat(e, LLVMBuildLoad2(builder, type, e->bases[inst->buffer], ""));
    } else {
        stored = LLVMBuildLoad2(builder, emit_row_stored_type(e, dtype), address_of(e, inst), "");
        LLVMSetAlignment(stored, (unsigned)dtype_itemsize(dtype));
    }
    return emit_row_as_value(e, dtype, stored);
}

static void mark_streaming(const row_emission *e, LLVMValueRef store, unsigned nbytes)
{
    LLVMContextRef context = e->module->context;
    LLVMMetadataRef one = LLVMValueAsMetadata(LLVMConstInt(e->module->i32, 1, 0));
    LLVMSetAlignment(store, uint_min(nbytes, JIT_LINE_NBYTES));
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(context, "nontemporal", 11),
                    LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &one, 1)));
}

void emit_row_store(const row_emission *e, const program_inst *inst)
{
    jg_dtype dtype = (jg_dtype)inst->to;
    unsigned itemsize = (unsigned)dtype_itemsize(dtype);
    LLVMValueRef stored = emit_row_as_stored(e, dtype, e->values[inst->src[0]]);
    LLVMValueRef store = LLVMBuildStore(e->module->builder, stored, address_of(e, inst));
    LLVMSetAlignment(store, itemsize);
    if (e->streams >> inst->buffer & 1)
        mark_streaming(e, store, itemsize * e->lanes);
}

/* The integer operations for which LLVM has one instruction; 0 for the others. is_of_bits: the
 * instruction is correct for bool, too. */
static const struct {
    LLVMOpcode opcode;
    bool is_of_bits;
} integer_insts[PROGRAM_OP_COUNT] = {
    [PROGRAM_AND] = {LLVMAnd, true},       [PROGRAM_OR] = {LLVMOr, true},
    [PROGRAM_XOR] = {LLVMXor, true},       [PROGRAM_ADD] = {LLVMAdd, false},
    [PROGRAM_SUBTRACT] = {LLVMSub, false}, [PROGRAM_MULTIPLY] = {LLVMMul, false},
};

static LLVMOpcode integer_opcode(uint8_t op, jg_dtype type)
{
    bool takes = dtype_is_integer(type) || (type == JG_DTYPE_BOOL && integer_insts[op].is_of_bits);
    return takes ? integer_insts[op].opcode : (LLVMOpcode)0;
}

static LLVMValueRef build_comparison(LLVMBuilderRef builder, uint8_t op, jg_dtype type,
                                     const LLVMValueRef *operands)
{
    static const LLVMRealPredicate floats[] = {LLVMRealOLT, LLVMRealOLE, LLVMRealOEQ, LLVMRealUNE};
    static const LLVMIntPredicate integers[][4] = {{LLVMIntULT, LLVMIntULE, LLVMIntEQ, LLVMIntNE},
                                                   {LLVMIntSLT, LLVMIntSLE, LLVMIntEQ, LLVMIntNE}};
    int row = op - PROGRAM_LESS;
    if (dtype_is_single_or_double(type))
        return LLVMBuildFCmp(builder, floats[row], operands[0], operands[1], "");
    LLVMIntPredicate predicate = integers[dtype_rows[type].kind == JG_KIND_INT][row];
    return LLVMBuildICmp(builder, predicate, operands[0], operands[1], "");
}

/* Whether LLVM has an instruction with the same meaning as ours. So the most frequent programs need
 * no function, and the library of functions is not opened. */
static bool is_plain(uint8_t op, jg_dtype type)
{
    if (op == PROGRAM_SELECT || op == PROGRAM_COPY || integer_opcode(op, type) != 0)
        return true;
    return (kernel_is_comparison(op) &&
            (dtype_is_single_or_double(type) || dtype_is_integer(type))) ||
           (dtype_is_single_or_double(type) && module_builds_float(op));
}

static LLVMValueRef build_plain(const row_emission *e, uint8_t op, jg_dtype type,
                                const LLVMValueRef *operands)
{
    LLVMBuilderRef builder = e->module->builder;
    if (op == PROGRAM_COPY)
        return operands[0];
    if (op == PROGRAM_SELECT)
        return LLVMBuildSelect(builder, operands[0], operands[1], operands[2], "");
    if (kernel_is_comparison(op))
        return build_comparison(builder, op, type, operands);
    return dtype_is_single_or_double(type)
               ? module_build_float(e->module, op, operands)
               : LLVMBuildBinOp(builder, integer_opcode(op, type), operands[0], operands[1], "");
}

/* Integers wrap; as floats they become the nearest one. */
static bool is_plain_cast(jg_dtype from, jg_dtype to)
{
    bool counts = dtype_is_integer(from) || from == JG_DTYPE_BOOL;
    return from == to || (counts && (dtype_is_integer(to) || dtype_is_single_or_double(to))) ||
           (dtype_is_single_or_double(from) && dtype_is_single_or_double(to));
}

static LLVMValueRef build_plain_cast(const row_emission *e, jg_dtype from, jg_dtype to,
                                     LLVMValueRef value)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef type = emit_row_value_type(e, to);
    bool is_signed = dtype_rows[from].kind == JG_KIND_INT;
    if (from == to)
        return value;
    if (dtype_is_single_or_double(from))
        return LLVMBuildFPCast(builder, value, type, "");
    if (dtype_is_integer(to))
        return LLVMBuildIntCast2(builder, value, type, is_signed, "");
    return is_signed ? LLVMBuildSIToFP(builder, value, type, "")
                     : LLVMBuildUIToFP(builder, value, type, "");
}

static bool calls_function(const program_inst *inst)
{
    if (inst->op == PROGRAM_CAST)
        return !is_plain_cast((jg_dtype)inst->type, (jg_dtype)inst->to);
    return program_inst_rows[inst->op].arity > 0 && inst->op != PROGRAM_STORE &&
           !program_is_reduction((program_op)inst->op) && !is_plain(inst->op, (jg_dtype)inst->type);
}

unsigned jit_rows_library(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p)
        if (calls_function(&program->insts[p]))
            return jit_rows_count_lanes(program);
    return 0;
}

static LLVMValueRef cast_lanes(const row_emission *e, jg_dtype from, jg_dtype to,
                               LLVMValueRef value)
{
    if (is_plain_cast(from, to))
        return build_plain_cast(e, from, to, value);
    return emit_row_call_cast(e, from, to, value);
}

static jg_status apply(const row_emission *e, uint8_t op, jg_dtype type,
                       const LLVMValueRef *operands, LLVMValueRef *out);

/* Halves are computed in float32 and rounded after each instruction. */
static jg_status apply_half(const row_emission *e, uint8_t op, jg_dtype type,
                            const LLVMValueRef *operands, LLVMValueRef *out)
{
    LLVMValueRef wide[3], result;
    for (int i = 0; i < program_inst_rows[op].arity; ++i)
        wide[i] = cast_lanes(e, type, JG_DTYPE_FLOAT32, operands[i]);
    JG_TRY(apply(e, op, JG_DTYPE_FLOAT32, wide, &result));
    *out = program_inst_rows[op].result == RESULT_BOOL
               ? result
               : cast_lanes(e, JG_DTYPE_FLOAT32, type, result);
    return JG_OK;
}

static jg_status apply(const row_emission *e, uint8_t op, jg_dtype type,
                       const LLVMValueRef *operands, LLVMValueRef *out)
{
    if (is_plain(op, type)) {
        *out = build_plain(e, op, type, operands);
        return JG_OK;
    }
    if (!module_has_scalar(e->module, op, type)) {
        if (dtype_is_half(type))
            return apply_half(e, op, type, operands, out);
        return base_fail(JG_ERR_UNSUPPORTED,
                         "%s of %s is not compiled, allowed are the dtypes that it has code for",
                         program_inst_rows[op].name, dtype_rows[type].name);
    }
    *out = emit_row_call(e, op, type, operands);
    return JG_OK;
}

/* Random words under one key; halves of counters that mostly follow one another. */
static LLVMValueRef draw(row_emission *e, int position)
{
    const program_inst *inst = &e->program->insts[position];
    int counter = inst->src[0], key = inst->src[1];
    if (!is_random(inst) || !e->uniform[key])
        return NULL;
    if (inst->op == PROGRAM_THREEFRY)
        return emit_row_words(e, e->values[counter], e->values[key]);
    return e->starts[counter] == NULL ? NULL : emit_row_halves(e, position);
}

jg_status emit_row_inst(row_emission *e, int position)
{
    const program_inst *inst = &e->program->insts[position];
    LLVMValueRef *value = &e->values[position], operands[3];
    switch (inst->op) {
    case PROGRAM_LOAD: *value = load_lanes(e, inst); return JG_OK;
    case PROGRAM_SCALAR: *value = load_scalar(e, inst); return JG_OK;
    case PROGRAM_INDEX: *value = load_index(e, position); return JG_OK;
    case PROGRAM_STORE: return JG_OK; /* behind all loads */
    default: break;
    }
    *value = keep_start(e, position);
    if (*value == NULL)
        *value = draw(e, position);
    if (*value != NULL)
        return JG_OK;
    if (inst->op == PROGRAM_CAST) {
        *value = cast_lanes(e, (jg_dtype)inst->type, (jg_dtype)inst->to, e->values[inst->src[0]]);
        return JG_OK;
    }
    for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
        operands[i] = e->values[inst->src[i]];
    return apply(e, inst->op, (jg_dtype)inst->type, operands, value);
}

static void find_uniform(row_emission *e)
{
    for (int p = 0; p < e->program->ninsts; ++p) {
        const program_inst *inst = &e->program->insts[p];
        bool same = inst->op != PROGRAM_INDEX && inst->op != PROGRAM_STORE;
        if (inst->op == PROGRAM_LOAD)
            same = e->rows->still[inst->buffer];
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            same &= e->uniform[inst->src[i]];
        e->uniform[p] = same;
    }
}

static jg_status emit_insts(row_emission *e, bool uniform)
{
    for (int p = 0; p < e->program->ninsts; ++p)
        if (e->uniform[p] == uniform)
            JG_TRY(emit_row_inst(e, p));
    return JG_OK;
}

/* A result may lie where an operand does that is only loaded further on, so results are stored
 * last. */
static void emit_stores(const row_emission *e)
{
    for (int p = 0; p < e->program->ninsts; ++p)
        if (e->program->insts[p].op == PROGRAM_STORE)
            emit_row_store(e, &e->program->insts[p]);
}

static jg_status emit_row(row_emission *e)
{
    JG_TRY(emit_insts(e, true));
    row_loop loop = emit_row_begin_loop(e);
    e->at = loop.at;
    JG_TRY(emit_insts(e, false));
    emit_stores(e);
    emit_row_end_loop(e, &loop, e->lanes, LLVMGetParam(e->function, ROW_COUNT));
    return JG_OK;
}

static jg_status emit_loop_over_rows(row_emission *e)
{
    LLVMValueRef first[PROGRAM_MAX_BUFFERS];
    emit_row_bases(e);
    memcpy(first, e->bases, sizeof first);
    row_loop loop = emit_row_begin_loop(e);
    e->entry = loop.body;
    emit_row_move_bases(e, first, loop.at);
    JG_TRY(emit_row(e));
    emit_row_end_loop(e, &loop, 1, LLVMGetParam(e->function, ROW_ROWS));
    LLVMBuildRetVoid(e->module->builder);
    return JG_OK;
}

jg_status jit_rows_emit(const jit_module *module, const jg_program *program, const jit_rows *rows,
                        const char *symbol)
{
    row_emission e = {.module = module,
                      .program = program,
                      .rows = rows,
                      .lanes = jit_rows_count_lanes(program),
                      .streams = rows->streams};
    LLVMTypeRef parameters[] = {module->pointer, module->pointer, module->pointer,
                                module->i64,     module->pointer, module->i64};
    e.function = module_function(module, symbol, LLVMFunctionType(module->none, parameters, 6, 0));
    LLVMSetLinkage(e.function, LLVMExternalLinkage);
    e.frame = emit_row_block(&e);
    LLVMPositionBuilderAtEnd(module->builder, e.frame);
    find_uniform(&e);
    return emit_loop_over_rows(&e);
}
