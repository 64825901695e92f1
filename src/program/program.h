/* SPDX-License-Identifier: Apache-2.0 */
/* program: the IR that a fused group becomes, and the interface of the tiers that run it
 * (executor.h).
 *
 * A flat program is one loop nest over an index space with a straight line of typed instructions
 * in it. Instructions are in SSA form: an instruction's value is named by its position, and
 * operands stand before their users. A program knows nothing of extents or addresses; a
 * program_space gives the loop nest and each buffer's strides through it, and a launch gives
 * addresses and scalar values. So one program serves every size, and every tier runs the same
 * text.
 *
 * With a REDUCE_ instruction the innermost nreduced loops are reduced: what stands before it
 * runs for every index, and what follows it runs once per index of the outer loops. There is at
 * most one. What follows reads no memory: its operands are the reduced value, what is made of
 * it, and what is made of SCALARs alone. A reducing program stores only what follows the
 * REDUCE_. */
#ifndef JG_PROGRAM_H
#define JG_PROGRAM_H

#include "base/base.h"
#include "tensor/tensor.h"
#include <stdatomic.h>

typedef enum program_op {
#define JG_INST(NAME, name, arity, result, meaning) PROGRAM_##NAME,
#include "inst.def"
#undef JG_INST
    PROGRAM_OP_COUNT
} program_op;

typedef struct program_inst_row {
    const char *name;
    uint8_t arity;
    enum { RESULT_SAME, RESULT_BOOL, RESULT_TO } result;
} program_inst_row;

extern const program_inst_row program_inst_rows[PROGRAM_OP_COUNT];

static inline bool program_is_reduction(program_op op)
{
    return op == PROGRAM_REDUCE_ADD || op == PROGRAM_REDUCE_MAXIMUM || op == PROGRAM_REDUCE_MINIMUM;
}

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
    PROGRAM_ROLE_INDEX
} program_role;

typedef struct program_buffer {
    uint8_t role;  /* program_role; an INDEX buffer has strides and an offset but no memory */
    uint8_t dtype; /* jg_dtype */
} program_buffer;

typedef struct jg_program {
    int ninsts, nbuffers, nscalars;
    bool reduces;
    program_inst insts[PROGRAM_MAX_INSTS];
    program_buffer buffers[PROGRAM_MAX_BUFFERS];
    uint8_t scalars[PROGRAM_MAX_SCALARS]; /* jg_dtype of each */
} jg_program;

/* ---- build.c: each appends one instruction and gives its position. raises: UNSUPPORTED when
 * full ---- */

void program_init(jg_program *program);
jg_status program_add_buffer(jg_program *program, program_role role, jg_dtype dtype, int *out);
jg_status program_add_scalar(jg_program *program, jg_dtype dtype,
                             int *out); /* gives the scalar's index */
jg_status program_load(jg_program *program, int buffer, int *out);
jg_status program_index(jg_program *program, int buffer, int *out);
jg_status program_scalar(jg_program *program, int scalar, int *out);
jg_status program_apply(jg_program *program, program_op op, int nsrc, const int *src, int *out);
jg_status program_cast(jg_program *program, int src, jg_dtype to,
                       int *out); /* src itself if equal */
jg_status program_store(jg_program *program, int src, int buffer);
jg_dtype program_type_of(const jg_program *program, int value);

/* ---- verify.c ---- */

/* Checks every rule of this header. raises: INTERNAL, naming the instruction | waits: never */
jg_status program_verify(const jg_program *program);

/* ---- print.c ---- */

/* A line for each buffer, scalar and instruction: "%3:float32 = add %1, %2". keeps: nothing */
void program_print(const jg_program *program, base_text *out);

/* ---- the index space ---- */

/* The loop nest of one launch and each buffer's way through it. Loops run from outer to inner.
 * The struct is one block of memory; strides are in bytes (in steps for INDEX buffers), buffer
 * by buffer: strides[buffer * ndim + loop]. Buffers of role WRITE of a reducing program have
 * stride 0 in the reduced loops. */
typedef struct program_space {
    int ndim;     /* loops, at least 1 */
    int nreduced; /* how many of the innermost are reduced */
    int nbuffers;
    int64_t extents[JG_MAX_NDIM];
    int64_t strides[]; /* nbuffers * ndim */
} program_space;

/* Merges loops that every buffer walks as one, drops loops of extent 1, and sorts the outer and
 * the reduced loops by the stride of the first written buffer and then of the reads, so that the
 * innermost
 * moves least in memory; changes the space in place. */
void space_simplify(program_space *space, const jg_program *program);

#endif
