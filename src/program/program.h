/* SPDX-License-Identifier: Apache-2.0 */
/* program: the IR that a fused group becomes, and the interface of the tiers that run it
 * (executor.h).
 *
 * A flat program is one loop nest over an index space with a straight line of typed instructions in
 * it. Instructions are in SSA form: an instruction's value is named by its position, and operands
 * stand before their users. A program knows nothing of extents or addresses; a program_space gives
 * the loop nest and each buffer's strides through it, and a launch gives addresses and scalar
 * values. So one program serves every size, and every tier runs the same text.
 *
 * With REDUCE_ instructions the innermost nreduced loops are reduced, and an index of the outer
 * loops is a row. Every value then has a rank: what is made of SCALARs alone is uniform; what a
 * REDUCE_ makes, or a LOAD from a buffer marked per_row, is one value for the row; every other LOAD
 * makes one for each element of it. Other instructions have the highest rank of their operands, so
 * a row's value may be used for each of its elements; the executor then passes over the row several
 * times. What is stored to a buffer per row must not be of rank element.
 *
 * Simplifications, and what each requires so that it keeps bits (but as told), types and the order
 * of stores:
 *   a cast to the type that a value has   gives the value (program_cast, build.c)
 *   equal instructions of equal operands  are one: all but a STORE are functions of their operands
 *                                         (program_merge, merge.c); equal numbers count as equal
 *   instructions that fit a rule          become fewer or cheaper ones: simplify.def has the rules,
 *                                         the types that each needs, and why it holds
 *                                         (program_simplify, simplify.c)
 *   loops of extent 1, loops that every   are dropped, become one, are sorted: kept loops stay
 *   buffer walks as one, all others       outside reduced ones. The order in which a reduction adds
 *                                         may change (program_space_simplify, space.c)
 *   a value of another launch             is computed here again: by at most eight simple
 *                                         instructions on one array in memory (plan/group/remake.c)
 *   powers by known numbers               are products, quotients and roots, rounded as those are
 *                                         (compose/elementwise/power.c); before there is a program
 * After the first three program_verify holds, after the fourth program_space_verify. Both are asked
 * in every build, before a tier sees a program and its space. A plan that is found again was
 * verified when it was made, so an evaluation that finds its plan pays nothing. */
#ifndef JG_PROGRAM_H
#define JG_PROGRAM_H

#include "base/base.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

typedef enum program_op {
#define JG_INST(NAME, name, arity, result, takes, meaning) PROGRAM_##NAME,
#include "program/inst.def"
#undef JG_INST
    PROGRAM_OP_COUNT
} program_op;

typedef struct program_inst_row {
    const char *name;
    uint8_t arity;
    enum { RESULT_SAME, RESULT_REAL, RESULT_BOOL, RESULT_TO } result;
    enum {
        TAKES_NONE,
        TAKES_ANY,
        TAKES_NUMBER,
        TAKES_FLOAT,
        TAKES_INTEGER,
        TAKES_BITS,
        TAKES_UINT64,
        TAKES_COMPLEX
    } takes; /* in a kernel */
} program_inst_row;

extern const program_inst_row program_inst_rows[PROGRAM_OP_COUNT];

/* The type of an instruction's value where its operands have type. Not for RESULT_TO. */
static inline jg_dtype program_result_type(program_op op, jg_dtype type)
{
    switch (program_inst_rows[op].result) {
    case RESULT_BOOL: return JG_DTYPE_BOOL;
    case RESULT_REAL: return dtype_real_part(type);
    default: return type;
    }
}

static inline bool program_is_reduction(program_op op)
{
    return op >= PROGRAM_REDUCE_ADD && op <= PROGRAM_REDUCE_MINIMUM;
}

/* The instruction that combines two values of a reduction: ADD for REDUCE_ADD. Only for
 * reductions. */
program_op program_combining(program_op reduction);

#define PROGRAM_REDUCTIONS (PROGRAM_REDUCE_MINIMUM - PROGRAM_REDUCE_ADD + 1)
/* Sets of buffers fit 32 bits; plan cuts its groups so that programs keep to these limits. */
#define PROGRAM_MAX_INSTS 512
#define PROGRAM_MAX_BUFFERS 32
#define PROGRAM_MAX_SCALARS 32

typedef struct program_inst {
    uint8_t op;      /* program_op */
    uint8_t type;    /* jg_dtype of the operands (of y and z for SELECT; of the source for CAST) */
    uint8_t to;      /* jg_dtype of the value; for STORE that of the buffer */
    uint8_t buffer;  /* LOAD, INDEX, STORE: index into buffers; SCALAR: index into scalars */
    uint16_t src[3]; /* operands: positions of earlier instructions */
} program_inst;

typedef enum program_role {
    PROGRAM_ROLE_READ,
    PROGRAM_ROLE_WRITE,
    PROGRAM_ROLE_INDEX,
    PROGRAM_ROLE_LOOK_UP
} program_role;

typedef struct program_buffer {
    uint8_t role;  /* program_role; an INDEX buffer has strides and an offset but no memory; a
                      LOOK_UP buffer is read by LOAD_AT, which the tiers of the host do not have */
    uint8_t dtype; /* jg_dtype */
    bool per_row;  /* of a reducing program: does not vary in the reduced loops */
    bool cached;   /* written, and read again at once: it is never written past the caches */
} program_buffer;

typedef struct jg_program {
    int ninsts, nbuffers, nscalars;
    bool reduces;
    program_inst insts[PROGRAM_MAX_INSTS];
    program_buffer buffers[PROGRAM_MAX_BUFFERS];
    uint8_t scalars[PROGRAM_MAX_SCALARS]; /* jg_dtype of each */
} jg_program;

/* inst.c */

/* Whether the instruction takes no longer than reading what it takes from a cache does. */
bool program_is_simple(program_op op);

/* Whether it gives the same floats from the same operands, however it is compiled. */
bool program_is_exact(program_op op);

/* Whether it only moves, negates or compares its operands. */
bool program_only_moves(program_op op);

/* build.c */

/* Makes the program empty. */
void program_init(jg_program *program);

/* Takes out the instructions that are not kept; those that are take only values of others that are.
 * moved: of the program's size, where each that is kept is now */
void program_keep(jg_program *program, const bool *kept, uint16_t *moved);

/* Adds a buffer or a scalar argument. gives: *out, its index | raises: UNSUPPORTED when full */
jg_status program_add_buffer(jg_program *program, program_role role, jg_dtype dtype, int *out);
jg_status program_add_scalar(jg_program *program, jg_dtype dtype, int *out);

/* Each appends one instruction; a cast to the type that src has gives src itself.
 * gives: *out, the instruction's position | raises: UNSUPPORTED when full */
jg_status program_load(jg_program *program, int buffer, int *out);
jg_status program_load_at(jg_program *program, int buffer, int nbytes, int *out);
jg_status program_index(jg_program *program, int buffer, int *out);
jg_status program_scalar(jg_program *program, int scalar, int *out);
jg_status program_apply(jg_program *program, program_op op, int nsrc, const int *src, int *out);
jg_status program_cast(jg_program *program, int src, jg_dtype to, int *out);
jg_status program_store(jg_program *program, int src, int buffer);

/* The dtype of the value of the instruction at the position. */
jg_dtype program_type_of(const jg_program *program, int value);

/* verify.c */

typedef enum program_rank { RANK_UNIFORM, RANK_ROW, RANK_ELEMENT } program_rank;

/* The rank of the instruction's value (for a STORE: of the stored value), given those of all
 * instructions before it. */
program_rank program_rank_of(const jg_program *program, int position, const uint8_t *ranks);

/* Checks every rule of this header. raises: INTERNAL, naming the instruction | waits: never */
jg_status program_verify(const jg_program *program);

/* Whether one pass over the elements of a row is enough: there is one reduction, and nothing that
 * is made or stored for each element depends on its result. waits: never */
bool program_reduces_once(const jg_program *program);

/* merge.c */

/* Takes out every instruction that makes the value of an earlier one. gives: how many, without
 * those that only load or name a source */
int program_merge(jg_program *program);

/* simplify.c */

#define PROGRAM_RULE_VALUES 3 /* the names X, Y and Z */

/* A row of simplify.def. In from and to, a number below PROGRAM_OP_COUNT is an instruction; that
 * number is the value X, and the next ones are Y and Z. */
typedef struct program_rule {
    uint8_t needs;
    uint8_t from[8], to[4];
} program_rule;

extern const program_rule program_rules[];
extern const int program_nrules;

/* Rewrites the program's instructions until no rule fits, and takes out what is not used then.
 * gives: how often a rule was applied */
int program_simplify(jg_program *program);

/* print.c */

/* Appends a line for each buffer, scalar and instruction: "%3:float32 = add %1, %2". raises:
 * never */
void program_print(const jg_program *program, base_text *out);

/* space.c: the loop nest of one launch and the strides of each buffer in it. Loops are ordered from
 * the outermost to the innermost. The struct is one block of memory; strides are in bytes (in steps
 * for INDEX buffers), buffer by buffer: strides[buffer * ndim + loop]. Buffers that are marked
 * per_row have stride 0 in the reduced loops. */
typedef struct program_space {
    int ndim;     /* loops, at least 1 */
    int nreduced; /* how many of the innermost are reduced */
    int nbuffers;
    int64_t extents[JG_MAX_NDIM];
    int64_t strides[]; /* nbuffers * ndim */
} program_space;

/* The size of a space's block for that number of buffers and loops. */
static inline size_t program_space_nbytes(int nbuffers, int ndim)
{
    return sizeof(program_space) + (size_t)(nbuffers * ndim) * sizeof(int64_t);
}

/* How many steps the loops first to last - 1 have together. */
int64_t program_space_size(const program_space *space, int first, int last);

/* Merges loops that every buffer walks as one, drops loops of extent 1, and sorts the outer and
 * the reduced loops by the stride of the first written buffer and then of the reads, so that the
 * innermost moves least in memory; changes the space in place. The space is verified before and
 * after. raises: INTERNAL | waits: never */
jg_status program_space_simplify(program_space *space, const jg_program *program);

/* space_verify.c */

/* The steps and addresses that a space covers. They do not depend on the order and the number of
 * its loops. */
typedef enum program_loops { LOOPS_KEPT, LOOPS_REDUCED, LOOPS_CLASSES } program_loops;
typedef struct program_reach {
    int64_t steps[LOOPS_CLASSES]; /* of the kept loops together, and of the reduced ones */
    /* How far before and behind a buffer's first element they lead, in units of its strides. */
    int64_t before[LOOPS_CLASSES][PROGRAM_MAX_BUFFERS];
    int64_t behind[LOOPS_CLASSES][PROGRAM_MAX_BUFFERS];
} program_reach;

/* Checks what tiers and printers rely on: loops and extents are in range; all steps together and
 * all distances in memory fit an int64, with the extents of 0 left out as in a shape's size;
 * strides are whole elements; only a program that reduces has reduced loops; and a buffer per row
 * stands still in them.
 * gives: *out, what the space covers | raises: INTERNAL, naming the loop or the buffer
 * waits: never */
jg_status program_space_verify(const program_space *space, const jg_program *program,
                               program_reach *out);

/* The same for a space that a pass has changed: it must also cover what it did before the pass.
 * raises: INTERNAL, naming the class of loops or the buffer | waits: never */
jg_status program_space_verify_again(const program_space *space, const jg_program *program,
                                     const program_reach *before);

/* overwrite.c */

/* Whether the written buffer may lie in the memory of the read one, from the same address on. So a
 * tier has to bring all operands of some elements before it stores any result of theirs, but may
 * store a value that is only loaded straight from where it lies. The caller must ensure that no
 * other buffer lies in the read buffer's memory. In rows that are passed over several times an
 * operand may be needed again after something was written. */
bool program_may_overwrite(const jg_program *program, const program_space *space, int written,
                           int read);

/* inst.c: about how many simple operations an element takes; a function of floats is several. */
int64_t program_steps(const jg_program *program);

/* Whether it stores values of rows, besides or instead of values of elements. */
bool program_stores_rows(const jg_program *program);

#endif
