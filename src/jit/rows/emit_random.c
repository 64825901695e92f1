/* SPDX-License-Identifier: Apache-2.0 */
/* Random words in code for rows: tensor/threefry.h as LLVM's instructions, on lanes of 32 bits and
 * with a key that is the same for all, so that what is made of it alone is made once.
 *
 * Two neighbouring counters share a word where a draw takes halves. Whether lanes are neighbours is
 * known only as the code runs; where they are not, or begin with the second half of a word, each
 * lane makes its own. */
#include "jit/rows/rows.h"
#include "tensor/threefry.h"
#include <string.h>

enum { KEY_WORDS = 3, GROUPS = 5, GROUP_ROUNDS = 4, SLOW = 1 };

/* Words of `lanes` counters, in halves. */
typedef struct words {
    const row_emission *e;
    unsigned lanes;
    LLVMValueRef low, high;
} words;

static LLVMValueRef splat_to(const row_emission *e, LLVMValueRef scalar, unsigned lanes)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef first = LLVMConstNull(LLVMVectorType(e->module->i32, lanes));
    LLVMValueRef one = LLVMBuildInsertElement(builder, LLVMGetPoison(type), scalar,
                                              LLVMConstNull(e->module->i32), "");
    return LLVMBuildShuffleVector(builder, one, LLVMGetPoison(type), first, "");
}

/* 0, 1, 2 and so on. */
static LLVMValueRef sequence(const row_emission *e, unsigned lanes)
{
    LLVMValueRef all[JIT_MAX_LANES];
    for (unsigned i = 0; i < lanes; ++i)
        all[i] = LLVMConstInt(e->module->i64, i, 0);
    return LLVMConstVector(all, lanes);
}

/* The lower or the upper 32 bits of each. */
static LLVMValueRef half_of(const row_emission *e, LLVMValueRef x, bool upper)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef from = LLVMTypeOf(x), to = e->module->i32;
    if (LLVMGetTypeKind(from) == LLVMVectorTypeKind)
        to = LLVMVectorType(to, LLVMGetVectorSize(from));
    if (upper) {
        LLVMValueRef bits = LLVMConstInt(e->module->i64, 32, 0);
        if (LLVMGetTypeKind(from) == LLVMVectorTypeKind)
            bits = splat_to(e, bits, LLVMGetVectorSize(from));
        x = LLVMBuildLShr(builder, x, bits, "");
    }
    return LLVMBuildTrunc(builder, x, to, "");
}

static LLVMValueRef rotate(const words *w, LLVMValueRef x, unsigned bits)
{
    LLVMBuilderRef builder = w->e->module->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned id = LLVMLookupIntrinsicID("llvm.fshl", strlen("llvm.fshl"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(w->e->module->module, id, &type, 1);
    LLVMValueRef count = splat_to(w->e, LLVMConstInt(w->e->module->i32, bits, 0), w->lanes);
    LLVMValueRef operands[] = {x, x, count};
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, operands, 3, "");
}

/* The key's words k[0] to k[2], of which each group takes the next two. */
static void make_key(const row_emission *e, LLVMValueRef key, LLVMValueRef k[KEY_WORDS])
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef parity = LLVMConstInt(e->module->i32, THREEFRY_PARITY, 0);
    key = emit_row_first(e, key);
    k[0] = half_of(e, key, false);
    k[1] = half_of(e, key, true);
    k[2] = LLVMBuildXor(builder, LLVMBuildXor(builder, parity, k[0], ""), k[1], "");
}

static LLVMValueRef key_sum(const words *w, LLVMValueRef word, unsigned number)
{
    LLVMValueRef more = LLVMConstInt(w->e->module->i32, number, 0);
    return splat_to(w->e, LLVMBuildAdd(w->e->module->builder, word, more, ""), w->lanes);
}

/* Makes the words that are added before the first group and after each group. */
static void make_sums(const words *w, LLVMValueRef key, LLVMValueRef sums[GROUPS + 1][2])
{
    LLVMBasicBlockRef here = emit_row_enter(w->e);
    LLVMValueRef k[KEY_WORDS];
    make_key(w->e, key, k);
    for (unsigned group = 0; group <= GROUPS; ++group) {
        sums[group][0] = key_sum(w, k[group % KEY_WORDS], 0);
        sums[group][1] = key_sum(w, k[(group + 1) % KEY_WORDS], group);
    }
    emit_row_return(w->e, here);
}

static void add_key(words *w, LLVMValueRef sums[2])
{
    w->low = LLVMBuildAdd(w->e->module->builder, w->low, sums[0], "");
    w->high = LLVMBuildAdd(w->e->module->builder, w->high, sums[1], "");
}

/* Like threefry_words. */
static void encrypt(words *w, LLVMValueRef key)
{
    static const uint8_t rotations[2][GROUP_ROUNDS] = {{THREEFRY_ROTATIONS_EVEN},
                                                       {THREEFRY_ROTATIONS_ODD}};
    LLVMBuilderRef builder = w->e->module->builder;
    LLVMValueRef sums[GROUPS + 1][2];
    make_sums(w, key, sums);
    add_key(w, sums[0]);
    for (unsigned group = 1; group <= GROUPS; ++group) {
        for (unsigned round = 0; round < GROUP_ROUNDS; ++round) {
            w->low = LLVMBuildAdd(builder, w->low, w->high, "");
            w->high = rotate(w, w->high, rotations[(group - 1) % 2][round]);
            w->high = LLVMBuildXor(builder, w->high, w->low, "");
        }
        add_key(w, sums[group]);
    }
}

LLVMValueRef emit_row_words(const row_emission *e, LLVMValueRef counters, LLVMValueRef key)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef type = LLVMTypeOf(counters);
    LLVMValueRef bits = splat_to(e, LLVMConstInt(e->module->i64, 32, 0), e->lanes);
    words w = {.e = e,
               .lanes = e->lanes,
               .low = half_of(e, counters, false),
               .high = half_of(e, counters, true)};
    encrypt(&w, key);
    LLVMValueRef high = LLVMBuildShl(builder, LLVMBuildZExt(builder, w.high, type, ""), bits, "");
    return LLVMBuildOr(builder, LLVMBuildZExt(builder, w.low, type, ""), high, "");
}

/* Half as many words as lanes, from the even counter on. */
static LLVMValueRef draw_pairs(const row_emission *e, LLVMValueRef start, LLVMValueRef key)
{
    LLVMBuilderRef builder = e->module->builder;
    unsigned pairs = e->lanes / 2;
    LLVMValueRef order[JIT_MAX_LANES];
    start = LLVMBuildLShr(builder, start, LLVMConstInt(e->module->i64, 1, 0), "");
    LLVMValueRef counters =
        LLVMBuildAdd(builder, splat_to(e, start, pairs), sequence(e, pairs), "");
    words w = {.e = e,
               .lanes = pairs,
               .low = half_of(e, counters, false),
               .high = half_of(e, counters, true)};
    encrypt(&w, key);
    for (unsigned i = 0; i < e->lanes; ++i)
        order[i] = LLVMConstInt(e->module->i32, i / 2 + (i % 2) * pairs, 0);
    LLVMValueRef all =
        LLVMBuildShuffleVector(builder, w.low, w.high, LLVMConstVector(order, e->lanes), "");
    return LLVMBuildZExt(builder, all, LLVMVectorType(e->module->i64, e->lanes), "");
}

/* Whether lanes follow one another. */
static LLVMValueRef are_neighbours(const row_emission *e, int counter)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMTypeRef bits = LLVMIntTypeInContext(e->module->context, e->lanes);
    LLVMBasicBlockRef here = emit_row_enter(e);
    LLVMValueRef apart =
        LLVMBuildICmp(builder, LLVMIntNE, e->distances[counter], sequence(e, e->lanes), "");
    apart = LLVMBuildBitCast(builder, apart, bits, "");
    LLVMValueRef follow = LLVMBuildICmp(builder, LLVMIntEQ, apart, LLVMConstNull(bits), "");
    emit_row_return(e, here);
    return follow;
}

/* Whether lanes have both halves of words. */
static LLVMValueRef are_pairs(const row_emission *e, int counter)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMValueRef one = LLVMConstInt(e->module->i64, 1, 0);
    LLVMValueRef odd = LLVMBuildAnd(builder, e->starts[counter], one, "");
    LLVMValueRef even = LLVMBuildICmp(builder, LLVMIntEQ, odd, LLVMConstNull(e->module->i64), "");
    return LLVMBuildAnd(builder, even, are_neighbours(e, counter), "");
}

LLVMValueRef emit_row_halves(const row_emission *e, int position)
{
    LLVMBuilderRef builder = e->module->builder;
    LLVMContextRef context = e->module->context;
    const program_inst *inst = &e->program->insts[position];
    LLVMValueRef operands[] = {e->values[inst->src[0]], e->values[inst->src[1]]}, values[2];
    LLVMBasicBlockRef from[2] = {LLVMAppendBasicBlockInContext(context, e->function, ""),
                                 LLVMAppendBasicBlockInContext(context, e->function, "")};
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(context, e->function, "");
    /* The rare way is the first of the two, as the mark requires. */
    LLVMValueRef apart = LLVMBuildNot(builder, are_pairs(e, inst->src[0]), "");
    module_mark_rare(e->module, LLVMBuildCondBr(builder, apart, from[SLOW], from[0]));
    LLVMPositionBuilderAtEnd(builder, from[0]);
    values[0] = draw_pairs(e, e->starts[inst->src[0]], operands[1]);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, from[SLOW]);
    values[SLOW] = emit_row_call(e, inst->op, JG_DTYPE_UINT64, operands);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderAtEnd(builder, after);
    LLVMValueRef result = LLVMBuildPhi(builder, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(result, values, from, 2);
    return result;
}
