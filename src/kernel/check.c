/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of single instructions: the number, scope and types of operands, and what the
 * instruction refers to. verify.c makes the pass. No index is trusted. */
#include "kernel/check.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool verify_break(verification *v, jg_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->fault->message, sizeof v->fault->message, format, arguments);
    va_end(arguments);
    v->fault->status = status;
    v->fault->position = v->position;
    return false;
}

bool verify_is_word(const char *name, size_t length)
{
    bool holds = length > 0 && length <= LEXER_MAX_NAME && !(name[0] >= '0' && name[0] <= '9');
    for (size_t i = 0; i < length; ++i)
        holds &= lexer_is_word_character(name[i]);
    return holds;
}

/* Names must be valid in the text form, so that a kernel can be printed and read back. */
bool verify_enter_name(verification *v, uint32_t text, name_kind kind, uint32_t index)
{
    const char *name = verify_name(v, text);
    lexer_name entered = {name, (uint32_t)strlen(name)};
    if (!verify_is_word(name, entered.length))
        return verify_break(v, JG_ERR_VALUE, "\"%s\" is no name", name);
    if (names_taken(&v->names, entered, kind))
        return verify_break(v, JG_ERR_VALUE, "%s is defined already", name);
    if (names_enter(&v->names, entered, kind, index) != JG_OK)
        return verify_break(v, JG_ERR_NOMEM, "out of memory while it was checked");
    return true;
}

/* Once verify_count has held. Its type only once verify_alive has, too. */
static uint32_t operand(const verification *v, uint32_t i)
{
    return kernel_operands(v->kernel, v->inst)[i];
}

static jg_dtype operand_type(const verification *v, uint32_t i)
{
    return (jg_dtype)kernel_value_at(v->kernel, operand(v, i))->type;
}

bool verify_count(verification *v, uint32_t least, uint32_t most)
{
    uint32_t total = (uint32_t)(v->kernel->operands.nbytes / sizeof(uint32_t));
    if (v->inst->operands > total || v->inst->noperands > total - v->inst->operands)
        return verify_break(v, JG_ERR_VALUE, "operands outside the kernel");
    if (v->inst->noperands >= least && v->inst->noperands <= most)
        return true;
    return verify_break(v, JG_ERR_VALUE,
                        "got %" PRIu32 " operands, allowed %" PRIu32 " to %" PRIu32,
                        v->inst->noperands, least, most);
}

/* Defined before, and in a block that is still open. */
bool verify_alive(verification *v)
{
    for (uint32_t i = 0; i < v->inst->noperands; ++i) {
        uint32_t value = operand(v, i);
        if (value >= v->nvalues)
            return verify_break(v, JG_ERR_VALUE,
                                "operand %" PRIu32 " is not defined before its use", i + 1);
        if (!v->alive[value])
            return verify_break(v, JG_ERR_VALUE,
                                "operand %" PRIu32 " was defined in a block that has ended", i + 1);
    }
    return true;
}

bool verify_type(verification *v, uint32_t i, jg_dtype type)
{
    if (operand_type(v, i) == type)
        return true;
    return verify_break(v, JG_ERR_TYPE, "operand %" PRIu32 " is %s, it must be %s", i + 1,
                        jg_dtype_name((jg_dtype)operand_type(v, i)), jg_dtype_name((jg_dtype)type));
}

static bool check_index(verification *v, uint32_t i)
{
    if (dtype_is_integer(operand_type(v, i)))
        return true;
    return verify_break(v, JG_ERR_TYPE, "index %" PRIu32 " is %s, it must be an integer", i + 1,
                        jg_dtype_name((jg_dtype)operand_type(v, i)));
}

bool verify_value_type(verification *v, jg_dtype type)
{
    if (v->inst->to == type)
        return true;
    return verify_break(v, JG_ERR_TYPE, "the value is declared as %s, it is %s",
                        jg_dtype_name((jg_dtype)v->inst->to), jg_dtype_name((jg_dtype)type));
}

/* The type that the instruction gives for its elements or operands. */
static bool check_recorded_type(verification *v, jg_dtype type)
{
    return v->inst->type == type || verify_break(v, JG_ERR_VALUE, "its type is recorded otherwise");
}

/* The bytes above the value's own are zero. */
bool verify_const(verification *v)
{
    uint64_t bits = (uint64_t)v->inst->immediate;
    unsigned width = v->inst->to == JG_DTYPE_BOOL ? 1 : dtype_rows[v->inst->to].bits;
    if (width < 64 && bits >> width != 0)
        return verify_break(v, JG_ERR_VALUE, "its bits do not fit %s",
                            jg_dtype_name((jg_dtype)v->inst->to));
    return verify_count(v, 0, 0);
}

/* Bool is stored in a byte, of which only two values are allowed. */
static bool check_bitcast(verification *v)
{
    jg_dtype from = (jg_dtype)v->inst->type, to = (jg_dtype)v->inst->to;
    bool truth = from == JG_DTYPE_BOOL || to == JG_DTYPE_BOOL;
    if (!truth && dtype_rows[from].bits == dtype_rows[to].bits)
        return true;
    return verify_break(v, JG_ERR_TYPE, "%s and %s do not have as many bits as each other",
                        jg_dtype_name((jg_dtype)from), jg_dtype_name((jg_dtype)to));
}

bool verify_scalar_inst(verification *v)
{
    const program_inst_row *row = kernel_row(v->inst->op);
    jg_dtype type = (jg_dtype)v->inst->type;
    bool selects = v->inst->op == PROGRAM_SELECT;
    if (row->takes == TAKES_NONE)
        return verify_break(v, JG_ERR_VALUE, "kernels do not have the instruction");
    if (!verify_count(v, row->arity, row->arity) || !verify_alive(v))
        return false;
    for (uint32_t i = 0; i < row->arity; ++i)
        if (!verify_type(v, i, selects && i == 0 ? JG_DTYPE_BOOL : type))
            return false;
    if (!kernel_takes(v->inst->op, type))
        return verify_break(v, JG_ERR_TYPE, "it does not take %s", jg_dtype_name((jg_dtype)type));
    if (v->inst->op == KERNEL_BITCAST)
        return check_bitcast(v);
    if (row->result == RESULT_TO)
        return true;
    return verify_value_type(v, row->result == RESULT_BOOL ? JG_DTYPE_BOOL : type);
}

/* others: operands behind the indices */
static bool check_indices(verification *v, const char *name, uint32_t expected, uint32_t others)
{
    if (v->inst->noperands != expected + others)
        return verify_break(v, JG_ERR_VALUE, "%s: got %d indices, it has %" PRIu32, name,
                            (int)v->inst->noperands - (int)others, expected);
    if (!verify_alive(v))
        return false;
    for (uint32_t i = 0; i < expected; ++i)
        if (!check_index(v, i))
            return false;
    return true;
}

/* The operands after the indices: what is stored, or compared, which has the elements' type. */
static bool check_memory(verification *v, const char *name, jg_dtype dtype, uint32_t nindices)
{
    uint16_t op = v->inst->op;
    bool reads = op == KERNEL_LOAD || op == KERNEL_GET || op == KERNEL_POP;
    uint32_t stored = reads ? 0 : kernel_nstored(v->inst);
    bool atomic = op == KERNEL_ATOMIC || op == KERNEL_ATOMIC_LOCAL;
    if (!verify_count(v, 0, KERNEL_MAX_NDIM + 2) || !check_indices(v, name, nindices, stored))
        return false;
    for (uint32_t i = 0; i < stored; ++i)
        if (!verify_type(v, nindices + i, dtype))
            return false;
    if (atomic && (uint64_t)v->inst->immediate > (op == KERNEL_ATOMIC))
        return verify_break(v, JG_ERR_VALUE, "%s: neither an atomic nor an update", name);
    if (atomic && !kernel_atomic_takes((kernel_atomic)v->inst->atomic, dtype))
        return verify_break(v, JG_ERR_TYPE, "%s: the atomic does not take %s", name,
                            jg_dtype_name((jg_dtype)dtype));
    if (v->inst->nvalues > 0 && !verify_value_type(v, dtype))
        return false;
    return check_recorded_type(v, dtype);
}

bool verify_array_access(verification *v)
{
    uint16_t op = v->inst->op;
    if (v->inst->target >= v->kernel->narrays)
        return verify_break(v, JG_ERR_VALUE, "no such array");
    kernel_array *array = kernel_array_at(v->kernel, v->inst->target);
    array->read |= op != KERNEL_STORE; /* an atomic reads and writes */
    array->write |= op != KERNEL_LOAD;
    return check_memory(v, verify_name(v, array->name), (jg_dtype)array->dtype, array->ndim);
}

bool verify_local_access(verification *v)
{
    if (v->inst->target >= v->nlocals)
        return verify_break(v, JG_ERR_VALUE, "the local is not declared before its use");
    const kernel_local *local = kernel_local_at(v->kernel, v->inst->target);
    if (!v->alive[v->kernel->nvalues + v->inst->target])
        return verify_break(v, JG_ERR_VALUE, "local %s: its block has ended",
                            verify_name(v, local->name));
    if (local->stack != (v->inst->op == KERNEL_PUSH || v->inst->op == KERNEL_POP))
        return verify_break(v, JG_ERR_VALUE,
                            "%s: a stack is pushed and popped, another local is not",
                            verify_name(v, local->name));
    /* Parallel loops are in the outermost block only, so the first open block tells. */
    if (local->stack && v->depth > 0 && local->declaration < v->blocks[0].opener &&
        kernel_inst_at(v->kernel, v->blocks[0].opener)->op == KERNEL_PARALLEL)
        return verify_break(v, JG_ERR_VALUE, "stack %s: not declared in the parallel loop",
                            verify_name(v, local->name));
    return check_memory(v, verify_name(v, local->name), (jg_dtype)local->dtype, local->length > 0);
}

/* Locals are declared in the order of their numbers, as values are. Their bytes are summed over the
 * whole kernel: the compiler finds which of them live at the same time. */
bool verify_local(verification *v)
{
    if (v->inst->target != v->nlocals || v->nlocals >= v->kernel->nlocals)
        return verify_break(v, JG_ERR_VALUE, "locals are not declared in their order");
    const kernel_local *local = kernel_local_at(v->kernel, v->nlocals);
    if (!kernel_has_type((jg_dtype)local->dtype))
        return verify_break(v, JG_ERR_TYPE, "local %s: kernels do not compute with %s",
                            verify_name(v, local->name), jg_dtype_name((jg_dtype)local->dtype));
    if (local->stack != (v->inst->op == KERNEL_STACK) || local->declaration != v->position)
        return verify_break(v, JG_ERR_VALUE, "local %s: recorded otherwise",
                            verify_name(v, local->name));
    if (local->length > (local->stack ? 0 : KERNEL_MAX_LOCAL_NBYTES))
        return verify_break(v, JG_ERR_VALUE, "local %s: its length is %" PRIu32,
                            verify_name(v, local->name), local->length);
    v->local_nbytes += dtype_itemsize((jg_dtype)local->dtype) * (local->length ? local->length : 1);
    if (v->local_nbytes > KERNEL_MAX_LOCAL_NBYTES)
        return verify_break(v, JG_ERR_VALUE, "local %s: the locals take more than %d bytes",
                            verify_name(v, local->name), KERNEL_MAX_LOCAL_NBYTES);
    v->alive[v->kernel->nvalues + v->nlocals] = 1;
    v->nlocals += 1;
    return verify_count(v, 0, 0) && check_recorded_type(v, (jg_dtype)local->dtype) &&
           verify_enter_name(v, local->name, NAME_LOCAL, v->nlocals - 1);
}

bool verify_extent(verification *v)
{
    if (v->inst->target >= v->kernel->narrays)
        return verify_break(v, JG_ERR_VALUE, "no such array");
    const kernel_array *array = kernel_array_at(v->kernel, v->inst->target);
    if (v->inst->immediate < 0 || v->inst->immediate >= array->ndim)
        return verify_break(v, JG_ERR_VALUE, "%s: axis: got %" PRId64 ", allowed 0 to %d",
                            verify_name(v, array->name), v->inst->immediate, array->ndim - 1);
    return verify_count(v, 0, 0) && verify_value_type(v, JG_DTYPE_INT64);
}

static uint32_t count_placeholders(const char *text)
{
    uint32_t count = 0;
    kernel_piece piece;
    while (kernel_next_piece(&text, &piece))
        count += piece.is_placeholder;
    return count;
}

bool verify_message(verification *v)
{
    uint32_t conditions = v->inst->op == KERNEL_ASSERT;
    if (v->inst->target >= v->kernel->texts.nbytes)
        return verify_break(v, JG_ERR_VALUE, "no such text");
    if (!verify_count(v, conditions, KERNEL_MAX_RESULTS) || !verify_alive(v))
        return false;
    if (conditions && !verify_type(v, 0, JG_DTYPE_BOOL))
        return false;
    if (conditions && v->inst->status != JG_ERR_ASSERT && v->inst->status != JG_ERR_INDEX &&
        v->inst->status != JG_ERR_VALUE)
        return verify_break(v, JG_ERR_VALUE, "it raises status %d", v->inst->status);
    uint32_t placeholders = count_placeholders(kernel_text(v->kernel, v->inst->target));
    if (placeholders == v->inst->noperands - conditions)
        return true;
    return verify_break(v, JG_ERR_VALUE,
                        "the text has %" PRIu32 " placeholders {} for %" PRIu32 " values",
                        placeholders, v->inst->noperands - conditions);
}

/* The last instruction: `ended` lets nothing follow it. */
bool verify_return(verification *v)
{
    uint32_t expected = v->kernel->nresults;
    if (v->depth != 0)
        return verify_break(v, JG_ERR_VALUE, "not in the outermost block");
    if (expected == 0)
        return verify_break(v, JG_ERR_VALUE, "the kernel has no results");
    if (!verify_count(v, expected, expected) || !verify_alive(v))
        return false;
    for (uint32_t i = 0; i < expected; ++i)
        if (!verify_type(v, i, (jg_dtype)v->kernel->results[i]))
            return false;
    v->ended = true;
    return true;
}
