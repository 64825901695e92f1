/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of prepare share: nest.c chooses the loops, values.c learns about values,
 * assign.c gives them places and makes the steps, prepare.c puts the code together. */
#ifndef JG_TILE_PREPARE_H
#define JG_TILE_PREPARE_H

#include "tile/code.h"

/* How often a value changes, and so in which list of steps it is computed. */
typedef enum tile_level { LEVEL_RUN, LEVEL_ROW, LEVEL_TILE, LEVEL_LAST, LEVEL_COUNT } tile_level;

#define NO_BUFFER 0xff
#define NO_VALUE 0xffff

typedef struct tile_value {
    uint16_t root; /* itself, or the value that it is a mere copy of */
    uint16_t slot;
    uint16_t uses;     /* by how many instructions, dead ones included */
    uint16_t partner;  /* the operand that is computed by the same kernel, or NO_VALUE */
    uint16_t last_use; /* when, as use_time gives it */
    uint8_t level, size_log;
    uint8_t output; /* the buffer that it is computed into, or NO_BUFFER */
    bool live;      /* a store depends on it */
    bool kept;      /* used at a later level: its register is never used again */
    bool spread;    /* one element, used as a tile */
    bool absorbed;  /* computed by its one user's kernel */
    bool in_memory; /* a load whose buffer is read in place */
} tile_value;

typedef struct tile_draft {
    tile_code *code;
    const jg_program *program;
    const program_space *space;
    int reduction; /* position of the REDUCE_ instruction if any loop is reduced, else -1 */
    int nregisters, nfree;
    uint16_t last_read; /* when a buffer is last read in place */
    int max_size_log;
    tile_step *next;
    uint16_t free[PROGRAM_MAX_INSTS]; /* registers, the latest freed last */
    tile_value values[PROGRAM_MAX_INSTS];
    bool addressed[PROGRAM_MAX_BUFFERS]; /* steps use the buffer's slot */
} tile_draft;

/* ---- nest.c ---- */

/* Form, nests without their tiles. */
void nest_choose(tile_draft *draft);

/* Tiles and units, once it is known how many registers a tile takes. */
void nest_divide(tile_draft *draft);

/* Whether the buffer's elements under a tile of the nest lie side by side. */
bool nest_is_dense(const tile_draft *draft, const tile_nest *nest, int buffer);

/* Whether the buffer moves with the loops that a tile covers; and whether with any loop. */
bool nest_moves_in_tile(const tile_draft *draft, int buffer);
bool nest_moves(const tile_draft *draft, int buffer);

/* ---- values.c ---- */

/* The kernel that computes an instruction, and what it reads: the operands, or those of its
 * partner and the one that is left. */
typedef struct tile_call {
    tile_kernel kernel; /* NULL for an instruction that has none: a source, a store, a reduction */
    int count;
    tile_value *operands[3];
    unsigned singles; /* bit i: operand i is read as one element for the whole tile */
} tile_call;

/* Levels, partners and uses of all values. */
void values_learn(tile_draft *draft);

tile_call value_call(tile_draft *draft, int position);

/* Operand i of the instruction, copies looked through. */
tile_value *value_source(tile_draft *draft, int position, int i);

/* The order of steps: by level, within it by position, and what ends a tile after everything
 * else. */
uint16_t use_time(tile_level level, int position, bool at_end);

static inline const program_inst *inst_at(const tile_draft *draft, int position)
{
    return &draft->program->insts[position];
}

static inline tile_level store_level(const tile_draft *draft)
{
    return draft->reduction < 0 ? LEVEL_TILE : LEVEL_LAST;
}

/* ---- assign.c ---- */

/* Slots of all values, and the steps. code->run to code->last point into the steps that start at
 * draft->next. */
void assign_values(tile_draft *draft);

#endif
