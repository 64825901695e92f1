/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of program/inst.def and kernel/inst.def in one table, and queries about an instruction
 * by its number. */
#include "kernel/kernel.h"
#include <string.h>

#define JG_KERNEL_INST(NAME, name, arity, result, takes, meaning)                                  \
    [KERNEL_##NAME - PROGRAM_OP_COUNT] = {#name, arity, RESULT_##result, TAKES_##takes},
#define JG_KERNEL_STATEMENT(NAME, name, value, effect, meaning)                                    \
    [KERNEL_##NAME - PROGRAM_OP_COUNT] = {#name, 0, RESULT_TO, TAKES_NONE},
static const program_inst_row kernel_rows[KERNEL_OP_COUNT - PROGRAM_OP_COUNT] = {
#include "kernel/inst.def"
};
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST

const kernel_atomic_row kernel_atomic_rows[KERNEL_ATOMIC_COUNT] = {
#define JG_KERNEL_ATOMIC(NAME, name, INST, meaning)                                                \
    [KERNEL_ATOMIC_##NAME] = {#name, PROGRAM_##INST},
#include "kernel/atomic.def"
#undef JG_KERNEL_ATOMIC
};

const program_inst_row *kernel_row(uint16_t op)
{
    return op < PROGRAM_OP_COUNT ? &program_inst_rows[op] : &kernel_rows[op - PROGRAM_OP_COUNT];
}

uint32_t kernel_op_named(const char *name, size_t length)
{
    for (uint32_t op = 0; op < KERNEL_OP_COUNT; ++op) {
        const program_inst_row *row = kernel_row((uint16_t)op);
        if (row->takes != TAKES_NONE && strncmp(row->name, name, length) == 0 &&
            row->name[length] == '\0')
            return op;
    }
    return KERNEL_NONE;
}

bool kernel_has_type(jg_dtype type)
{
    return type < JG_DTYPE_COUNT && dtype_rows[type].computable && !dtype_is_complex(type);
}

bool kernel_takes(uint16_t op, jg_dtype type)
{
    if (!kernel_has_type(type))
        return false;
    switch (kernel_row(op)->takes) {
    case TAKES_ANY: return true;
    case TAKES_NUMBER: return type != JG_DTYPE_BOOL;
    case TAKES_FLOAT: return dtype_is_floating(type);
    case TAKES_INTEGER: return dtype_is_integer(type);
    case TAKES_BITS: return !dtype_is_floating(type);
    case TAKES_UINT64: return type == JG_DTYPE_UINT64;
    default: return false;
    }
}

bool kernel_atomic_takes(kernel_atomic atomic, jg_dtype type)
{
    if (!kernel_has_type(type) || atomic >= KERNEL_ATOMIC_COUNT)
        return false;
    if (atomic == KERNEL_ATOMIC_EXCHANGE)
        return true;
    if (atomic == KERNEL_ATOMIC_COMPARE_EXCHANGE)
        return type != JG_DTYPE_BOOL && !dtype_is_floating(type);
    bool bitwise = atomic >= KERNEL_ATOMIC_AND && atomic <= KERNEL_ATOMIC_XOR;
    return bitwise ? !dtype_is_floating(type) : type != JG_DTYPE_BOOL;
}

kernel_effect kernel_effect_of(uint16_t op)
{
#define JG_KERNEL_INST(NAME, name, arity, result, takes, meaning) KERNEL_EFFECT_NOTHING,
#define JG_KERNEL_STATEMENT(NAME, name, value, effect, meaning) KERNEL_EFFECT_##effect,
    static const uint8_t effects[] = {
#include "kernel/inst.def"
    };
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST
    return op < PROGRAM_OP_COUNT ? KERNEL_EFFECT_NOTHING
                                 : (kernel_effect)effects[op - PROGRAM_OP_COUNT];
}

/* It relies on the order of program/inst.def: LESS, LESS_EQUAL, EQUAL, NOT_EQUAL. */
bool kernel_is_comparison(uint16_t op)
{
    return op >= PROGRAM_LESS && op <= PROGRAM_NOT_EQUAL;
}

bool kernel_is_linear(const kernel_inst *inst)
{
    if (dtype_rows[inst->to].kind != JG_KIND_INT)
        return false;
    if (inst->op == PROGRAM_CAST)
        return dtype_rows[inst->type].kind == JG_KIND_INT &&
               dtype_rows[inst->type].bits <= dtype_rows[inst->to].bits;
    return inst->op == PROGRAM_ADD || inst->op == PROGRAM_SUBTRACT || inst->op == PROGRAM_MULTIPLY;
}

/* It relies on the order of inst.def: PARALLEL, FOR, LOOP, IF, ELSE. */
bool kernel_opens(uint16_t op)
{
    return op >= KERNEL_PARALLEL && op <= KERNEL_ELSE;
}

bool kernel_is_loop(uint16_t op)
{
    return op >= KERNEL_PARALLEL && op <= KERNEL_LOOP;
}

/* It reads the column `value` of inst.def. */
uint8_t kernel_count_values(uint16_t op, uint32_t noperands)
{
    enum { NONE, ONE, RANGES };
#define JG_KERNEL_INST(NAME, name, arity, result, takes, meaning) ONE,
#define JG_KERNEL_STATEMENT(NAME, name, value, effect, meaning) value,
    static const uint8_t counts[] = {
#include "kernel/inst.def"
    };
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST
    uint8_t count = op < PROGRAM_OP_COUNT ? ONE : counts[op - PROGRAM_OP_COUNT];
    return count == RANGES ? (uint8_t)(noperands / 2) : count;
}
