/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the files that emit rows of flat programs: a program on its way to LLVM's IR, whose
 * values are vectors of lanes. */
#ifndef JG_JIT_ROWS_H
#define JG_JIT_ROWS_H

#include "jit/llvm/llvm.h"

typedef struct row_emission {
    const jit_module *module;
    const jg_program *program;
    const jit_rows *rows;
    unsigned lanes;
    uint32_t streams;          /* the buffers that are written past the caches here, as bits */
    LLVMValueRef function, at; /* at: the first lane's element */
    LLVMBasicBlockRef frame;   /* the function's first block */
    LLVMBasicBlockRef entry; /* makes what stays the same: for a row, or for all that are reduced */
    LLVMValueRef values[PROGRAM_MAX_INSTS], bases[PROGRAM_MAX_BUFFERS];
    LLVMValueRef steps[PROGRAM_MAX_BUFFERS]; /* of an INDEX from element to element */
    /* For values that grow by the same step from lane to lane: the first lane's value, and the
     * vector of the other lanes' distances from it, which is the same throughout the row. */
    LLVMValueRef starts[PROGRAM_MAX_INSTS], distances[PROGRAM_MAX_INSTS];
    bool uniform[PROGRAM_MAX_INSTS]; /* of each instruction: made in the entry */
} row_emission;

/* A loop on its way: at is its counter. */
typedef struct row_loop {
    LLVMBasicBlockRef before, body;
    LLVMValueRef at;
} row_loop;

/* Parameters of the emitted function, as of jit_row_entry; the last is not there if rows are
 * reduced. */
enum { ROW_ADDRESSES, ROW_STEPS, ROW_SCALARS, ROW_ROWS, ROW_ROW_STEPS, ROW_COUNT };

/* row_values.c */

/* The type of a dtype's lanes as values and as they lie in memory; a stored value as those. */
LLVMTypeRef emit_row_value_type(const row_emission *e, jg_dtype dtype);
LLVMTypeRef emit_row_stored_type(const row_emission *e, jg_dtype dtype);
LLVMValueRef emit_row_as_value(const row_emission *e, jg_dtype dtype, LLVMValueRef stored);
LLVMValueRef emit_row_as_stored(const row_emission *e, jg_dtype dtype, LLVMValueRef value);

/* All lanes alike. */
LLVMValueRef emit_row_splat(const row_emission *e, LLVMValueRef scalar);
LLVMValueRef emit_row_first(const row_emission *e, LLVMValueRef x); /* one of them */

/* Memory in the function's frame, which becomes a register where it can. e->frame must have an
 * instruction. */
LLVMValueRef emit_row_slot(const row_emission *e, LLVMTypeRef type);

/* From here on, until emit_row_return, instructions come to the end of the entry. gives: where they
 * came before */
LLVMBasicBlockRef emit_row_enter(const row_emission *e);
void emit_row_return(const row_emission *e, LLVMBasicBlockRef here);

LLVMBasicBlockRef emit_row_block(const row_emission *e); /* a new one, at the function's end */

/* The code between begin and end runs for counters from 0 in steps of `step` to below `end`, and
 * always for 0. */
row_loop emit_row_begin_loop(const row_emission *e);
void emit_row_end_loop(const row_emission *e, const row_loop *loop, unsigned step,
                       LLVMValueRef end);

/* Loads a parameter's word at the offset in bytes. */
LLVMValueRef emit_row_parameter(const row_emission *e, unsigned number, LLVMTypeRef type,
                                int64_t offset);

/* The value of an instruction or of a cast by scalar.c's function of lanes. */
LLVMValueRef emit_row_call(const row_emission *e, uint8_t op, jg_dtype type,
                           const LLVMValueRef *operands);
LLVMValueRef emit_row_call_cast(const row_emission *e, jg_dtype from, jg_dtype to,
                                LLVMValueRef value);

/* emit_rows.c */

/* Sets each buffer's address, or an INDEX's value, in the first row; from those, in another. */
void emit_row_bases(row_emission *e);
void emit_row_move_bases(row_emission *e, const LLVMValueRef *first, LLVMValueRef row);

/* Sets the value of the instruction, which is neither a store nor a reduction, at e->at; stores a
 * value there. raises: UNSUPPORTED */
jg_status emit_row_inst(row_emission *e, int position);
void emit_row_store(const row_emission *e, const program_inst *inst);

/* emit_random.c */

/* THREEFRY of the counters under a key that is the same for the row. */
LLVMValueRef emit_row_words(const row_emission *e, LLVMValueRef counters, LLVMValueRef key);

/* THREEFRY_HALF at the position, whose counter has a start and whose key is the same for the
 * row. */
LLVMValueRef emit_row_halves(const row_emission *e, int position);

/* row_passes.c: what is computed in which pass over a row */

/* The tiles add floats in lanes of blocks, blocks of a tile in float64, and tiles one after the
 * other, and so does code for rows: the sums have the same bits. */
enum { ROW_TILE = 1024, ROW_BLOCK = 64, ROW_SUM_LANES = 16 };
enum { ROW_MAX_PASSES = 16, ROW_MAX_COPIES = ROW_BLOCK / JIT_MIN_LANES };

typedef struct row_value {
    uint8_t rank;  /* program_rank */
    uint8_t stage; /* the number of passes that must have been before it is known */
    uint8_t cost;  /* of computing it once more, in simple instructions */
    bool keeps;    /* computed in one pass, and kept in memory from there on */
    uint32_t uses; /* of rank element: the passes that need it; else whether it is needed */
    int64_t kept;  /* where, in bytes into what is kept of a row */
} row_value;

typedef struct row_passes {
    int npasses;
    uint32_t
        whole; /* passes whose sums are taken over the row at once, not tile by tile, as bits */
    int64_t kept_nbytes;
    row_value values[PROGRAM_MAX_INSTS];
} row_passes;

/* Cuts the program into passes. gives: *out | raises: UNSUPPORTED for what is not compiled, or
 * could have other bits than the tiles give */
jg_status jit_row_passes_find(const jg_program *program, const jit_rows *rows, row_passes *out);

/* Whether the pass computes the value itself. */
static inline bool jit_row_passes_makes(const row_value *value, int pass)
{
    uint32_t first = value->uses & (~value->uses + 1);
    return (value->keeps ? first : value->uses) >> pass & 1;
}

/* The buffer whose elements a value is, as they are; -1 if it is computed. */
int jit_row_passes_source(const jg_program *program, const row_passes *passes, int position);

/* fold.c: reductions within a pass */

typedef struct row_fold {
    int position;                       /* of the instruction */
    bool whole;                         /* of row_passes */
    LLVMValueRef lanes[ROW_MAX_COPIES]; /* slots of a block's sums, or of extrema */
    LLVMValueRef wide, total;           /* slots of a sum: 16 float64, one float64 */
    LLVMValueRef odd;                   /* slot of an extremum: lanes that met a NaN are not 0 */
    LLVMValueRef pending;               /* an extremum's vector that was not searched for NaN yet */
} row_fold;

/* The place of a fold's operand in memory, and its division into tiles. */
typedef struct row_operand {
    LLVMValueRef address;
    int64_t count, tile;
} row_operand;

void fold_begin(const row_emission *e, row_fold *fold);
void fold_begin_block(const row_emission *e, row_fold *fold);

/* Folds copy number `copy` of a block. rest: 0, or how many of the last lanes alone count, which
 * are moved to the first; the others were folded before. */
void fold_lanes(const row_emission *e, row_fold *fold, unsigned copy, unsigned rest);
void fold_end_loop(const row_emission *e, row_fold *fold); /* in the body of a loop over blocks */
void fold_end_block(const row_emission *e, row_fold *fold);
void fold_end_tile(const row_emission *e, row_fold *fold);

/* gives: the result in all lanes */
LLVMValueRef fold_end(const row_emission *e, row_fold *fold, const row_operand *operand);

/* emit_reduced.c */

/* Like jit_rows_emit, for a program that passes over its rows several times. raises: NOMEM,
 * UNSUPPORTED */
jg_status jit_reduced_emit(const jit_module *module, const jg_program *program,
                           const jit_rows *rows, const char *symbol);

#endif
