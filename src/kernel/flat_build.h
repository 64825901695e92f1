/* SPDX-License-Identifier: Apache-2.0 */
/* Private to flat*.c: a flat program on its way to a kernel.
 *
 * Functions that append give the value they make. The first failure stays in `status`; after it
 * they append nothing and give 0, so that formulas read as such. */
#ifndef JG_KERNEL_FLAT_BUILD_H
#define JG_KERNEL_FLAT_BUILD_H

#include "kernel/flat.h"

/* A number: of a complex one both parts, of a real one im is KERNEL_NONE. */
typedef struct flat_number {
    uint32_t re, im;
} flat_number;

typedef struct flat_making {
    const jg_program *program;
    const program_space *space;
    kernel_program *kernel;
    jg_status status;
    uint32_t arguments[PROGRAM_MAX_BUFFERS]; /* the array of each buffer, the scalar of an INDEX */
    flat_number scalars[PROGRAM_MAX_SCALARS];
    uint32_t indices[JG_MAX_NDIM]; /* of each loop; zero where its loop is not open */
    flat_number values[PROGRAM_MAX_INSTS];
    uint32_t sums[PROGRAM_MAX_INSTS]; /* of each reduction: its first local */
    uint8_t ranks[PROGRAM_MAX_INSTS];
    uint16_t levels[PROGRAM_MAX_INSTS]; /* how many nested reductions precede it */
    bool wanted[PROGRAM_MAX_INSTS];     /* in the pass at hand */
} flat_making;

/* flat_value.c */

/* Each appends an instruction, or a constant, to the kernel. gives: its value | raises: NOMEM, in
 * m->status */
uint32_t flat_one(flat_making *m, uint16_t op, uint32_t x);
uint32_t flat_two(flat_making *m, uint16_t op, uint32_t x, uint32_t y);
uint32_t flat_select(flat_making *m, uint32_t condition, uint32_t x, uint32_t y);
uint32_t flat_cast(flat_making *m, uint32_t x, jg_dtype to);
uint32_t flat_bitcast(flat_making *m, uint32_t x, jg_dtype to);
uint32_t flat_real(flat_making *m, jg_dtype type, double number);
uint32_t flat_whole(flat_making *m, jg_dtype type, int64_t number);
uint32_t flat_append(flat_making *m, const kernel_inst *inst, uint32_t noperands,
                     const uint32_t *operands);

/* The value of the program's instruction, which is neither a store nor a reduction; and a store. */
flat_number flat_value(flat_making *m, int position);
void flat_store(flat_making *m, int position);

/* Whether the value is the operand: whole numbers are rounded already, and a bool is its size. */
bool flat_is_same(const program_inst *inst);

/* The type that a kernel has a dtype's elements in, and the parts of complex ones; BOOL for what it
 * has none for (flat_is_stored says so). */
jg_dtype flat_part(jg_dtype dtype);
bool flat_has_parts(jg_dtype dtype);

/* flat_complex.c */

/* Whether an instruction of complex numbers is spelled in instructions of real ones. */
bool flat_spells(program_op op);
flat_number flat_complex(flat_making *m, const program_inst *inst, const flat_number *operands);

/* flat_storage.c: dtypes that are stored and not computed with */

bool flat_is_stored(jg_dtype dtype);                                /* and has a spelling */
uint32_t flat_decode(flat_making *m, jg_dtype from, uint32_t code); /* as float64 */
uint32_t flat_encode(flat_making *m, jg_dtype to, uint32_t x);      /* from float64 */

/* flat_reduce.c */

/* The parts of a reduction: before its loop, for an element in it, and after it. raises: NOMEM, in
 * m->status */
void flat_begin_reduction(flat_making *m, int position);
void flat_step_reduction(flat_making *m, int position);
void flat_finish_reduction(flat_making *m, int position);

#endif
