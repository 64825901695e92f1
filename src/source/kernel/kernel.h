/* SPDX-License-Identifier: Apache-2.0 */
/* Private to source: a kernel's text under construction.
 *
 * text.c puts texts together, part.c prints loops and branches, value.c
 * scalar instructions, memory.c accesses and their checks, atomic.c atomics. A value
 * is v<id> there; as a number that leads to an element it also is w<id>, in 64 bits, where its own
 * type might wrap. */
#ifndef JG_SOURCE_KERNEL_H
#define JG_SOURCE_KERNEL_H

#include "kernel/bounds.h"
#include "kernel/cut.h"
#include "kernel/printer.h"
#include "source/draft.h"

typedef struct port_draft {
    source_draft *d;
    const kernel_program *kernel;
    unsigned flags; /* KERNEL_PRINT_ */
    kernel_printed *text;
    uint32_t frame; /* where the frame begins in the launch's memory */
    bounds_plan bounds;
    int *first_axes;  /* of each array */
    uint8_t *indexes; /* of each value: whether it leads to elements */
    uint8_t *used;    /* of each value: whether it is an operand */
    uint8_t *taken;   /* of each array, and of the launch's memory: whether the part takes it */
    uint32_t *made;   /* of each value: the part, from 1, that has declared it at its start */
    const kernel_part *part;
    uint32_t number; /* of the part, from 1 */
} port_draft;

/* A name or an expression of one value. */
typedef struct port_name {
    char text[64];
} port_name;

/* The instruction that defines the value, borrowed from the kernel; NULL for a scalar argument. */
static inline const kernel_inst *source_port_definition(const port_draft *k, uint32_t value)
{
    uint32_t position = kernel_value_at(k->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(k->kernel, position);
}

static inline jg_dtype source_port_type(const port_draft *k, uint32_t value)
{
    return (jg_dtype)kernel_value_at(k->kernel, value)->type;
}

/* Whether the text's part has the instruction. */
static inline bool source_port_is_here(const port_draft *k, uint32_t position)
{
    return position >= k->part->first && position < k->part->last;
}

/* value.c */

/* Whether all values and their computations can be printed. gives: false and *refusal */
bool source_port_values_are_taken(const device_facts *facts, const kernel_program *kernel,
                                  device_refusal *refusal);

/* Finds which values lead to elements, and which are used. */
void source_port_values_look(port_draft *k);

/* The value as a number of 64 bits, exact where it leads to an element. */
port_name source_port_value_index(const port_draft *k, uint32_t value);

/* The extent of an array's axis: an expression. */
port_name source_port_value_extent(const port_draft *k, uint32_t array, int axis);

/* Bits of a value of the type in the low end of an unsigned number as wide as it, and back. */
port_name source_port_value_bits(jg_dtype type, const char *name);
void source_port_value_of_bits(jg_dtype type, const char *bits, char *out, size_t nbytes);

/* Declares v<id> of what every part makes itself, or takes from the frame. */
void source_port_value_take(port_draft *k, uint32_t value);

/* Behind its declaration: declares w<id> where there is one, and writes the value into the
 * frame. */
void source_port_value_keep(port_draft *k, const kernel_inst *inst);

/* Declares the value of a scalar instruction, and of a RANDOM. */
void source_port_value_print(port_draft *k, const kernel_inst *inst);
void source_port_value_print_random(port_draft *k, const kernel_inst *inst);

/* The expression that combines x and y, of the type. */
void source_port_value_combine(port_draft *k, uint16_t op, jg_dtype type, const char *x,
                               const char *y, char *out, size_t nbytes);

/* memory.c */

/* Prints the functions for failures and for the ring of printed texts. */
void source_port_memory_print_functions(port_draft *k);

/* Declares a<position>, the address that an access leads to, of an element of an array or, in the
 * frame, of a local. */
void source_port_memory_address(port_draft *k, uint32_t position);

/* The element that an access of a local's leads to, as an expression for either side of an
 * assignment; in the frame through a<position>, which is declared. */
void source_port_memory_local(port_draft *k, uint32_t position, char *out, size_t nbytes);

static inline bool source_port_memory_is_framed(const port_draft *k, const kernel_inst *inst)
{
    return kernel_local_at(k->kernel, inst->target)->frame_offset != 0;
}

/* Checks of indices that are made before the instruction. */
void source_port_memory_check(port_draft *k, uint32_t position);

void source_port_memory_print(port_draft *k, uint32_t position); /* LOAD, STORE, GET, SET, LOCAL */
void source_port_memory_print_message(port_draft *k, uint32_t position); /* ASSERT, PRINT */

/* atomic.c */

/* Functions of atomics, where the kernel has any that need them; and whether the device can run
 * them. */
bool source_port_atomics_are_taken(const device_facts *facts, const kernel_program *kernel,
                                   device_refusal *refusal);
void source_port_atomic_print(port_draft *k, uint32_t position);

/* Combinations that a body's item makes of its own and adds once: their declarations before its
 * loop, and what follows it. */
void source_port_atomic_open(port_draft *k);
void source_port_atomic_close(port_draft *k);

/* part.c */

/* Finds which arrays the part takes. gives: how many; and taken, one byte for each of the kernel's
 */
uint32_t source_port_part_arrays(const kernel_program *kernel, const kernel_part *part,
                                 uint8_t *taken);

/* Whether the part does anything. */
bool source_port_part_acts(const kernel_program *kernel, const kernel_part *part);

/* Prints one kernel of the text. */
void source_port_part_print(port_draft *k, const kernel_parts *parts, uint32_t number);

#endif
