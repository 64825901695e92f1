/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of prepare's files: nest.c chooses the loops, passes.c divides a program into
 * passes if it needs several, walk.c tells how buffers lie under the loops, values.c analyses
 * values, assign.c assigns slots and makes the steps, prepare.c assembles the code. */
#ifndef JG_TILE_PREPARE_H
#define JG_TILE_PREPARE_H

#include "tile/code.h"

/* How often a value changes, and so in which list of steps it is computed. With passes, LEVEL_ROW +
 * 2k is the level of what is computed once a row before pass k, LEVEL_TILE + 2k that of the
 * pass. */
typedef enum tile_level { LEVEL_RUN, LEVEL_ROW, LEVEL_TILE, LEVEL_LAST } tile_level;

#define NO_BUFFER 0xff
#define NO_VALUE 0xffff

typedef struct tile_value {
    uint16_t root; /* itself, or the value that it is a copy of */
    uint16_t slot;
    uint16_t uses;     /* by how many instructions, dead ones included */
    uint16_t partner;  /* the operand that is computed by the same loop, or NO_VALUE */
    uint32_t last_use; /* when, as tile_use_time gives it */
    uint8_t level, size_log;
    uint8_t output; /* the buffer that it is computed into, or NO_BUFFER */
    bool live;      /* a store depends on it */
    bool kept;      /* used at a later level: its register is never used again */
    bool spread;    /* one element, used as a tile */
    bool absorbed;  /* computed by its one user's loop */
    bool in_memory; /* a load whose buffer is read in place */
} tile_value;

/* The state while code is made; it lies on tile_prepare's stack. */
typedef struct tile_draft {
    tile_code *code;
    const jg_program *program;
    const program_space *space;
    const program_inst *insts; /* the program's instructions, or those that passes.c made of them */
    int ninsts;
    int reduction; /* position of the first REDUCE_ instruction if any loop is reduced, else -1 */
    int nregisters, nfree;
    uint32_t last_read; /* when a buffer is last read in place */
    int max_size_log;
    tile_step *next;
    tile_value *values;                  /* one for each instruction */
    uint16_t *free;                      /* registers, the latest freed last */
    void *memory;                        /* of these arrays */
    bool addressed[PROGRAM_MAX_BUFFERS]; /* steps use the buffer's slot */
} tile_draft;

/* walk.c */

static inline int64_t tile_stride_at(const tile_draft *draft, int buffer, int loop)
{
    return draft->space->strides[buffer * draft->space->ndim + loop];
}

static inline int64_t tile_itemsize_of(const tile_draft *draft, int buffer)
{
    return (int64_t)dtype_itemsize((jg_dtype)draft->program->buffers[buffer].dtype);
}

static inline int64_t tile_extent_product(const int64_t *extents, int first, int last)
{
    int64_t size = 1;
    for (int d = first; d < last; ++d)
        size *= extents[d];
    return size;
}

/* Whether the buffer's elements under a tile of the nest lie side by side. */
bool tile_nest_is_dense(const tile_draft *draft, const tile_nest *nest, int buffer);

/* Whether the buffer moves with the loops that a tile covers; and whether with any loop. */
bool tile_nest_moves_in_tile(const tile_draft *draft, int buffer);
bool tile_nest_moves(const tile_draft *draft, int buffer);

/* The number of elements of the whole space. */
int64_t tile_nest_count(const tile_draft *draft);

/* passes.c */

/* Gives the draft instructions in order of their levels, and the levels. raises: NOMEM,
 * UNSUPPORTED */
jg_status tile_passes_write(tile_draft *draft);

/* nest.c */

/* Form, nests without their tiles. */
void tile_nest_choose(tile_draft *draft);

/* Tiles and units, once it is known how many registers a tile takes. */
void tile_nest_divide(tile_draft *draft);

/* grid.c */

/* Makes a grid of a map that is better run as one; its tiles, once their longest length is
 * known. */
void tile_grid_choose(tile_draft *draft);
void tile_grid_divide(tile_draft *draft, int64_t longest);

/* values.c */

/* The loop that computes an instruction, and its operands: those of the instruction, or those of
 * its partner and the remaining one. They are in the order in which the loop takes them. */
typedef struct tile_call {
    tile_loop loop; /* NULL for an instruction that has none: a source, a store, a reduction */
    int count;
    tile_value *operands[3];
    unsigned singles; /* bit i: operand i is read as one element for the whole tile */
} tile_call;

/* Memory for the facts about `count` instructions, and for as many new instructions; the caller
 * counts them in draft->ninsts. gives: *out, in draft->memory | raises: NOMEM */
jg_status tile_draft_alloc(tile_draft *draft, int count, program_inst **out);

/* Levels, partners and uses of all values. */
void tile_values_learn(tile_draft *draft);

/* How the instruction is computed. It is cheap, so it is computed again wherever it is needed. */
tile_call tile_value_call(tile_draft *draft, int position);

/* Operand i of the instruction, copies looked through. It is borrowed from the draft. */
tile_value *tile_value_source(tile_draft *draft, int position, int i);

/* The order of steps: by level, within a level by position; steps that end a tile come after all
 * others. */
uint32_t tile_use_time(int level, int position, bool at_end);

/* Borrowed from the draft. */
static inline const program_inst *tile_inst_at(const tile_draft *draft, int position)
{
    return &draft->insts[position];
}

static inline bool tile_reduces_at(const tile_draft *draft, int position)
{
    return draft->reduction >= 0 && program_is_reduction((program_op)draft->insts[position].op);
}

/* Whether the buffer takes results of a reduction, which are stored by themselves unless each row
 * is at hand while it is done. */
static inline bool tile_stores_results(const tile_draft *draft, int buffer)
{
    return draft->reduction >= 0 && draft->code->form != TILE_ROWS &&
           draft->program->buffers[buffer].per_row;
}

/* Whether values of the level are tiles rather than one element. */
static inline bool tile_is_tiled(const tile_draft *draft, int level)
{
    return level >= LEVEL_TILE && (level % 2 == 0 || draft->code->form != TILE_ROWS);
}

/* assign.c */

/* Slots of all values, and the steps. code->run to code->last point into the steps that start at
 * draft->next. */
void tile_assign_values(tile_draft *draft);

#endif
