/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of kernel.h as checks, in one pass over the instructions.
 *
 * The pass keeps the open blocks on a stack of its own and trusts no index, so that a kernel from
 * anywhere may be checked. A value is alive from its definition to the end of its block; the values
 * alive are a stack too, cut back where a block closes. */
#include "program/kernel_scan.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct block {
    uint32_t opener;
    uint32_t values, locals; /* how many had been defined before */
} block;

typedef struct verification {
    kernel_program *kernel;
    kernel_inst *inst; /* under test */
    uint32_t position;
    uint32_t nvalues, nlocals; /* defined so far */
    size_t local_nbytes;
    bool ended; /* the block ends here: nothing may follow */
    int depth;
    block blocks[KERNEL_MAX_DEPTH + 1];
    uint8_t *alive;     /* of each value, then of each local */
    kernel_names names; /* in reach: the text form has to tell which is meant */
    kernel_fault *fault;
} verification;

static bool broken(verification *v, jg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

static bool broken(verification *v, jg_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->fault->message, sizeof v->fault->message, format, arguments);
    va_end(arguments);
    v->fault->status = status;
    v->fault->position = v->position;
    return false;
}

static const char *name_of(const verification *v, uint32_t text)
{
    return text < v->kernel->texts.nbytes ? kernel_text(v->kernel, text) : "?";
}

static const char *type_name(unsigned type)
{
    return type < JG_DTYPE_COUNT ? dtype_rows[type].name : "?";
}

/* ---- names ---- */

static bool is_word(const char *name, size_t length)
{
    bool holds = length > 0 && length <= SCAN_MAX_NAME && !(name[0] >= '0' && name[0] <= '9');
    for (size_t i = 0; i < length; ++i)
        holds &= scan_is_word_character(name[i]);
    return holds;
}

static bool enter_name(verification *v, uint32_t text, name_kind kind, uint32_t index)
{
    const char *name = name_of(v, text);
    scan_name entered = {name, (uint32_t)strlen(name)};
    if (!is_word(name, entered.length))
        return broken(v, JG_ERR_VALUE, "\"%s\" is no name", name);
    if (names_taken(&v->names, entered, kind))
        return broken(v, JG_ERR_VALUE, "%s is defined already", name);
    if (names_enter(&v->names, entered, kind, index) != JG_OK)
        return broken(v, JG_ERR_NOMEM, "out of memory while it was checked");
    return true;
}

/* ---- operands ---- */

static uint32_t operand(const verification *v, uint32_t i)
{
    return kernel_operands(v->kernel, v->inst)[i];
}

static jg_dtype operand_type(const verification *v, uint32_t i)
{
    return (jg_dtype)kernel_value_at(v->kernel, operand(v, i))->type;
}

static bool check_count(verification *v, uint32_t least, uint32_t most)
{
    uint32_t total = (uint32_t)(v->kernel->operands.nbytes / sizeof(uint32_t));
    if (v->inst->operands > total || v->inst->noperands > total - v->inst->operands)
        return broken(v, JG_ERR_VALUE, "operands outside the kernel");
    if (v->inst->noperands >= least && v->inst->noperands <= most)
        return true;
    return broken(v, JG_ERR_VALUE, "got %" PRIu32 " operands, allowed %" PRIu32 " to %" PRIu32,
                  v->inst->noperands, least, most);
}

static bool check_alive(verification *v)
{
    for (uint32_t i = 0; i < v->inst->noperands; ++i) {
        uint32_t value = operand(v, i);
        if (value >= v->nvalues)
            return broken(v, JG_ERR_VALUE, "operand %" PRIu32 " is not defined before its use",
                          i + 1);
        if (!v->alive[value])
            return broken(v, JG_ERR_VALUE,
                          "operand %" PRIu32 " was defined in a block that has ended", i + 1);
    }
    return true;
}

static bool check_type(verification *v, uint32_t i, jg_dtype type)
{
    if (operand_type(v, i) == type)
        return true;
    return broken(v, JG_ERR_TYPE, "operand %" PRIu32 " is %s, it must be %s", i + 1,
                  type_name(operand_type(v, i)), type_name(type));
}

static bool check_index(verification *v, uint32_t i)
{
    if (dtype_is_integer(operand_type(v, i)))
        return true;
    return broken(v, JG_ERR_TYPE, "index %" PRIu32 " is %s, it must be an integer", i + 1,
                  type_name(operand_type(v, i)));
}

static bool check_value_type(verification *v, jg_dtype type)
{
    if (v->inst->to == type)
        return true;
    return broken(v, JG_ERR_TYPE, "the value is declared as %s, it is %s", type_name(v->inst->to),
                  type_name(type));
}

/* What the instruction says of the elements or operands that it is about. */
static bool check_recorded_type(verification *v, jg_dtype type)
{
    return v->inst->type == type || broken(v, JG_ERR_VALUE, "its type is recorded otherwise");
}

/* ---- scalar instructions ---- */

/* The bytes above the value's own are zero. */
static bool check_const(verification *v)
{
    uint64_t bits = (uint64_t)v->inst->immediate;
    unsigned width = v->inst->to == JG_DTYPE_BOOL ? 1 : dtype_rows[v->inst->to].bits;
    if (width < 64 && bits >> width != 0)
        return broken(v, JG_ERR_VALUE, "its bits do not fit %s", type_name(v->inst->to));
    return check_count(v, 0, 0);
}

static bool check_bitcast(verification *v)
{
    jg_dtype from = (jg_dtype)v->inst->type, to = (jg_dtype)v->inst->to;
    bool truth = from == JG_DTYPE_BOOL || to == JG_DTYPE_BOOL;
    if (!truth && dtype_rows[from].bits == dtype_rows[to].bits)
        return true;
    return broken(v, JG_ERR_TYPE, "%s and %s do not have as many bits as each other",
                  type_name(from), type_name(to));
}

static bool check_scalar_inst(verification *v)
{
    const program_inst_row *row = kernel_row(v->inst->op);
    jg_dtype type = (jg_dtype)v->inst->type;
    bool selects = v->inst->op == PROGRAM_SELECT;
    if (row->takes == TAKES_NONE)
        return broken(v, JG_ERR_VALUE, "kernels do not have the instruction");
    if (!check_count(v, row->arity, row->arity) || !check_alive(v))
        return false;
    for (uint32_t i = 0; i < row->arity; ++i)
        if (!check_type(v, i, selects && i == 0 ? JG_DTYPE_BOOL : type))
            return false;
    if (!kernel_takes(v->inst->op, type))
        return broken(v, JG_ERR_TYPE, "it does not take %s", type_name(type));
    if (v->inst->op == KERNEL_BITCAST)
        return check_bitcast(v);
    if (row->result == RESULT_TO)
        return true;
    return check_value_type(v, row->result == RESULT_BOOL ? JG_DTYPE_BOOL : type);
}

/* ---- memory ---- */

static bool check_indices(verification *v, const char *name, uint32_t expected, uint32_t others)
{
    if (v->inst->noperands != expected + others)
        return broken(v, JG_ERR_VALUE, "%s: got %d indices, it has %" PRIu32, name,
                      (int)v->inst->noperands - (int)others, expected);
    if (!check_alive(v))
        return false;
    for (uint32_t i = 0; i < expected; ++i)
        if (!check_index(v, i))
            return false;
    return true;
}

/* The operands after the indices: the value that is stored, which has the elements' type. */
static bool check_memory(verification *v, const char *name, jg_dtype dtype, uint32_t nindices)
{
    uint16_t op = v->inst->op;
    uint32_t stored = op != KERNEL_LOAD && op != KERNEL_GET && op != KERNEL_POP;
    bool atomic = op == KERNEL_ATOMIC || op == KERNEL_ATOMIC_LOCAL;
    if (!check_count(v, 0, KERNEL_MAX_NDIM + 1) || !check_indices(v, name, nindices, stored))
        return false;
    if (stored && !check_type(v, nindices, dtype))
        return false;
    if (atomic && !kernel_atomic_takes((kernel_atomic)v->inst->atomic, dtype))
        return broken(v, JG_ERR_TYPE, "%s: the atomic does not take %s", name, type_name(dtype));
    if (v->inst->nvalues > 0 && !check_value_type(v, dtype))
        return false;
    return check_recorded_type(v, dtype);
}

static bool check_array_access(verification *v)
{
    uint16_t op = v->inst->op;
    if (v->inst->target >= v->kernel->narrays)
        return broken(v, JG_ERR_VALUE, "no such array");
    kernel_array *array = kernel_array_at(v->kernel, v->inst->target);
    array->read |= op != KERNEL_STORE;
    array->write |= op != KERNEL_LOAD;
    return check_memory(v, name_of(v, array->name), (jg_dtype)array->dtype, array->ndim);
}

static bool check_local_access(verification *v)
{
    if (v->inst->target >= v->nlocals)
        return broken(v, JG_ERR_VALUE, "the local is not declared before its use");
    const kernel_local *local = kernel_local_at(v->kernel, v->inst->target);
    if (!v->alive[v->kernel->nvalues + v->inst->target])
        return broken(v, JG_ERR_VALUE, "local %s: its block has ended", name_of(v, local->name));
    if (local->stack != (v->inst->op == KERNEL_PUSH || v->inst->op == KERNEL_POP))
        return broken(v, JG_ERR_VALUE, "%s: a stack is pushed and popped, another local is not",
                      name_of(v, local->name));
    if (local->stack && v->depth > 0 && local->declaration < v->blocks[0].opener &&
        kernel_inst_at(v->kernel, v->blocks[0].opener)->op == KERNEL_PARALLEL)
        return broken(v, JG_ERR_VALUE, "stack %s: not declared in the parallel loop",
                      name_of(v, local->name));
    return check_memory(v, name_of(v, local->name), (jg_dtype)local->dtype, local->length > 0);
}

static bool check_local(verification *v)
{
    if (v->inst->target != v->nlocals || v->nlocals >= v->kernel->nlocals)
        return broken(v, JG_ERR_VALUE, "locals are not declared in their order");
    const kernel_local *local = kernel_local_at(v->kernel, v->nlocals);
    if (!kernel_has_type((jg_dtype)local->dtype))
        return broken(v, JG_ERR_TYPE, "local %s: kernels do not compute with %s",
                      name_of(v, local->name), type_name(local->dtype));
    if (local->stack != (v->inst->op == KERNEL_STACK) || local->declaration != v->position)
        return broken(v, JG_ERR_VALUE, "local %s: recorded otherwise", name_of(v, local->name));
    if (local->length > (local->stack ? 0 : KERNEL_MAX_LOCAL_NBYTES))
        return broken(v, JG_ERR_VALUE, "local %s: its length is %" PRIu32, name_of(v, local->name),
                      local->length);
    v->local_nbytes += dtype_itemsize((jg_dtype)local->dtype) * (local->length ? local->length : 1);
    if (v->local_nbytes > KERNEL_MAX_LOCAL_NBYTES)
        return broken(v, JG_ERR_VALUE, "local %s: the locals take more than %d bytes",
                      name_of(v, local->name), KERNEL_MAX_LOCAL_NBYTES);
    v->alive[v->kernel->nvalues + v->nlocals] = 1;
    v->nlocals += 1;
    return check_count(v, 0, 0) && check_recorded_type(v, (jg_dtype)local->dtype) &&
           enter_name(v, local->name, NAME_LOCAL, v->nlocals - 1);
}

static bool check_extent(verification *v)
{
    if (v->inst->target >= v->kernel->narrays)
        return broken(v, JG_ERR_VALUE, "no such array");
    const kernel_array *array = kernel_array_at(v->kernel, v->inst->target);
    if (v->inst->immediate < 0 || v->inst->immediate >= array->ndim)
        return broken(v, JG_ERR_VALUE, "%s: axis: got %" PRId64 ", allowed 0 to %d",
                      name_of(v, array->name), v->inst->immediate, array->ndim - 1);
    return check_count(v, 0, 0) && check_value_type(v, JG_DTYPE_INT64);
}

/* ---- messages and results ---- */

static uint32_t count_places(const char *text)
{
    uint32_t count = 0;
    while ((text = strstr(text, "{}")) != NULL) {
        count += 1;
        text += 2;
    }
    return count;
}

static bool check_message(verification *v)
{
    uint32_t conditions = v->inst->op == KERNEL_ASSERT;
    if (v->inst->target >= v->kernel->texts.nbytes)
        return broken(v, JG_ERR_VALUE, "no such text");
    if (!check_count(v, conditions, KERNEL_MAX_RESULTS) || !check_alive(v))
        return false;
    if (conditions && !check_type(v, 0, JG_DTYPE_BOOL))
        return false;
    if (conditions && v->inst->status != JG_ERR_ASSERT && v->inst->status != JG_ERR_INDEX &&
        v->inst->status != JG_ERR_VALUE)
        return broken(v, JG_ERR_VALUE, "it raises status %d", v->inst->status);
    uint32_t places = count_places(kernel_text(v->kernel, v->inst->target));
    if (places == v->inst->noperands - conditions)
        return true;
    return broken(v, JG_ERR_VALUE, "the text has %" PRIu32 " places {} for %" PRIu32 " values",
                  places, v->inst->noperands - conditions);
}

static bool check_return(verification *v)
{
    uint32_t expected = v->kernel->nresults;
    if (v->depth != 0)
        return broken(v, JG_ERR_VALUE, "not in the outermost block");
    if (expected == 0)
        return broken(v, JG_ERR_VALUE, "the kernel has no results");
    if (!check_count(v, expected, expected) || !check_alive(v))
        return false;
    for (uint32_t i = 0; i < expected; ++i)
        if (!check_type(v, i, (jg_dtype)v->kernel->results[i]))
            return false;
    v->ended = true;
    return true;
}

/* ---- blocks ---- */

static bool open_block(verification *v)
{
    if (v->depth == KERNEL_MAX_DEPTH)
        return broken(v, JG_ERR_VALUE, "blocks more than %d deep", KERNEL_MAX_DEPTH);
    v->blocks[v->depth++] = (block){v->position, v->nvalues, v->nlocals};
    names_open_scope(&v->names);
    return true;
}

static bool check_ranges(verification *v, uint32_t most)
{
    if (!check_count(v, 2, 2 * most) || !check_alive(v))
        return false;
    if (v->inst->noperands % 2 != 0)
        return broken(v, JG_ERR_VALUE, "a range without an end");
    if (!kernel_has_type((jg_dtype)v->inst->type) || !dtype_is_integer((jg_dtype)v->inst->type))
        return broken(v, JG_ERR_TYPE, "its index is %s, it must be an integer",
                      type_name(v->inst->type));
    for (uint32_t i = 0; i < v->inst->noperands; ++i)
        if (!check_type(v, i, (jg_dtype)v->inst->type))
            return false;
    return check_value_type(v, (jg_dtype)v->inst->type) && open_block(v);
}

static bool check_parallel(verification *v)
{
    if (v->depth != 0)
        return broken(v, JG_ERR_VALUE, "not in the outermost block");
    if (v->inst->immediate < 0)
        return broken(v, JG_ERR_VALUE, "block: got %" PRId64 ", allowed 1 and more",
                      v->inst->immediate);
    return check_ranges(v, KERNEL_MAX_RANGES);
}

static bool check_step(verification *v)
{
    const dtype_row *row = &dtype_rows[v->inst->type < JG_DTYPE_COUNT ? v->inst->type : 0];
    int64_t step = v->inst->immediate, limit = INT64_MAX >> (64 - row->bits);
    if (row->kind == JG_KIND_UINT && step < 0)
        return broken(v, JG_ERR_VALUE, "step: got %" PRId64 " for the unsigned %s", step,
                      row->name);
    if (step == 0 || step > limit || step < -limit)
        return broken(v, JG_ERR_VALUE,
                      "step: got %" PRId64 ", allowed -%" PRId64 " to %" PRId64 " but not 0", step,
                      limit, limit);
    return check_ranges(v, 1);
}

static bool check_if(verification *v)
{
    return check_count(v, 1, 1) && check_alive(v) && check_type(v, 0, JG_DTYPE_BOOL) &&
           open_block(v);
}

/* The end of what was opened last: what was defined inside is out of reach from here on. */
static bool close_block(verification *v, const block *closed)
{
    memset(v->alive + closed->values, 0, v->nvalues - closed->values);
    memset(v->alive + v->kernel->nvalues + closed->locals, 0, v->nlocals - closed->locals);
    v->ended = false;
    names_close_scope(&v->names);
    return true;
}

static bool check_end(verification *v)
{
    if (v->depth == 0)
        return broken(v, JG_ERR_VALUE, "no block is open");
    const block *closed = &v->blocks[--v->depth];
    uint32_t opener = closed->opener;
    if (v->inst->match != opener || kernel_inst_at(v->kernel, opener)->match != v->position)
        return broken(v, JG_ERR_VALUE, "the ends of the block do not point at each other");
    return check_count(v, 0, 0) && close_block(v, closed);
}

static bool check_else(verification *v)
{
    if (v->depth == 0 || kernel_inst_at(v->kernel, v->blocks[v->depth - 1].opener)->op != KERNEL_IF)
        return broken(v, JG_ERR_VALUE, "not in the block of an if");
    const block *closed = &v->blocks[--v->depth];
    if (kernel_inst_at(v->kernel, closed->opener)->match != v->position)
        return broken(v, JG_ERR_VALUE, "the if does not point at its else");
    return check_count(v, 0, 0) && close_block(v, closed) && open_block(v);
}

static bool check_jump(verification *v)
{
    int at = v->depth - 1;
    while (at >= 0 && !kernel_is_loop(kernel_inst_at(v->kernel, v->blocks[at].opener)->op))
        at -= 1;
    if (at < 0)
        return broken(v, JG_ERR_VALUE, "outside a loop");
    uint32_t loop = v->blocks[at].opener;
    if (v->inst->match != loop)
        return broken(v, JG_ERR_VALUE, "it does not point at the innermost loop");
    if (v->inst->op == KERNEL_BREAK && kernel_inst_at(v->kernel, loop)->op == KERNEL_PARALLEL)
        return broken(v, JG_ERR_VALUE, "a parallel loop cannot be left");
    v->ended = true;
    return check_count(v, 0, 0);
}

/* ---- the whole ---- */

static bool check_statement(verification *v)
{
    switch (v->inst->op) {
    case KERNEL_CONST: return check_const(v);
    case KERNEL_EXTENT: return check_extent(v);
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return check_array_access(v);
    case KERNEL_STACK:
    case KERNEL_LOCAL: return check_local(v);
    case KERNEL_GET:
    case KERNEL_PUSH:
    case KERNEL_POP:
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return check_local_access(v);
    case KERNEL_RANDOM:
        return (v->inst->to != JG_DTYPE_BOOL || broken(v, JG_ERR_TYPE, "it does not make bool")) &&
               check_count(v, 0, 0);
    case KERNEL_ASSERT:
    case KERNEL_PRINT: return check_message(v);
    case KERNEL_PARALLEL: return check_parallel(v);
    case KERNEL_FOR: return check_step(v);
    case KERNEL_LOOP: return check_count(v, 0, 0) && open_block(v);
    case KERNEL_IF: return check_if(v);
    case KERNEL_ELSE: return check_else(v);
    case KERNEL_END: return check_end(v);
    case KERNEL_RETURN: return check_return(v);
    default: return check_jump(v);
    }
}

/* The values are numbered in the order of their definitions and have the type that is written there. */
static bool define_values(verification *v)
{
    const kernel_inst *inst = v->inst;
    uint32_t ranges = inst->noperands / 2;
    uint32_t expected = inst->op == KERNEL_PARALLEL ? ranges : inst->nvalues;
    if (inst->nvalues != expected || inst->nvalues > v->kernel->nvalues - v->nvalues)
        return broken(v, JG_ERR_VALUE, "it has values that are not the kernel's");
    if (inst->nvalues > 0 && inst->first != v->nvalues)
        return broken(v, JG_ERR_VALUE, "values are not numbered in their order");
    for (uint32_t i = 0; i < inst->nvalues; ++i) {
        const kernel_value *value = kernel_value_at(v->kernel, v->nvalues);
        if (value->type != inst->to || value->definition != v->position)
            return broken(v, JG_ERR_VALUE, "its values are recorded otherwise");
        if (value->name != 0 && !enter_name(v, value->name, NAME_VALUE, v->nvalues))
            return false;
        v->alive[v->nvalues++] = 1;
    }
    return true;
}

static bool check_inst(verification *v)
{
    uint16_t op = v->inst->op;
    if (op >= KERNEL_OP_COUNT)
        return broken(v, JG_ERR_VALUE, "no such instruction");
    if (v->inst->line > INT32_MAX)
        return broken(v, JG_ERR_VALUE, "a line outside 1 to 2147483647");
    if (v->ended && op != KERNEL_END && op != KERNEL_ELSE)
        return broken(v, JG_ERR_VALUE, "nothing can follow a break, continue or return");
    if (v->inst->nvalues > 0 && !kernel_has_type((jg_dtype)v->inst->to))
        return broken(v, JG_ERR_TYPE, "kernels do not compute with %s", type_name(v->inst->to));
    if (!(kernel_op_is_statement(op) ? check_statement(v) : check_scalar_inst(v)))
        return false;
    return define_values(v);
}

static bool check_array(verification *v, uint32_t index)
{
    kernel_array *array = kernel_array_at(v->kernel, index);
    const char *name = name_of(v, array->name);
    array->read = array->write = false;
    if (!enter_name(v, array->name, NAME_ARRAY, index))
        return false;
    if (!kernel_has_type((jg_dtype)array->dtype))
        return broken(v, JG_ERR_TYPE, "array %s: kernels do not compute with %s", name,
                      type_name(array->dtype));
    if (array->ndim > KERNEL_MAX_NDIM)
        return broken(v, JG_ERR_VALUE, "array %s: ndim: got %d, allowed 0 to %d", name, array->ndim,
                      KERNEL_MAX_NDIM);
    for (int d = 0; d < array->ndim; ++d)
        if (array->extents[d] < 0 && array->extents[d] != KERNEL_GIVEN)
            return broken(v, JG_ERR_VALUE, "array %s: the extent of axis %d is %" PRId64, name, d,
                          array->extents[d]);
    return true;
}

static bool check_scalar(verification *v, uint32_t index)
{
    const kernel_value *scalar = kernel_value_at(v->kernel, index);
    if (!kernel_has_type((jg_dtype)scalar->type))
        return broken(v, JG_ERR_TYPE, "scalar %s: kernels do not compute with %s",
                      name_of(v, scalar->name), type_name(scalar->type));
    return enter_name(v, scalar->name, NAME_VALUE, index);
}

static bool check_declarations(verification *v)
{
    const kernel_program *kernel = v->kernel;
    const char *name = name_of(v, kernel->name);
    v->position = KERNEL_NONE;
    if (!is_word(name, strlen(name)))
        return broken(v, JG_ERR_VALUE, "\"%s\" is no name", name);
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        if (!check_array(v, a))
            return false;
    for (uint32_t s = 0; s < kernel->nscalars; ++s)
        if (!check_scalar(v, s))
            return false;
    for (uint32_t r = 0; r < kernel->nresults; ++r)
        if (!kernel_has_type((jg_dtype)kernel->results[r]))
            return broken(v, JG_ERR_TYPE, "a result is %s, which no kernel computes with",
                          type_name(kernel->results[r]));
    return true;
}

static bool check_all(verification *v)
{
    if (!check_declarations(v))
        return false;
    memset(v->alive, 1, v->kernel->nscalars);
    v->nvalues = v->kernel->nscalars;
    for (v->position = 0; v->position < v->kernel->ninsts; ++v->position) {
        v->inst = kernel_inst_at(v->kernel, v->position);
        if (!check_inst(v))
            return false;
    }
    v->position = KERNEL_NONE;
    if (v->depth != 0)
        return broken(v, JG_ERR_VALUE, "a block is not closed");
    if (v->nvalues != v->kernel->nvalues || v->nlocals != v->kernel->nlocals)
        return broken(v, JG_ERR_VALUE, "values or locals that nothing defines");
    if (v->kernel->nresults > 0 && !v->ended)
        return broken(v, JG_ERR_VALUE, "it has results and does not return them");
    return true;
}

bool kernel_check(kernel_program *kernel, kernel_fault *fault)
{
    verification v = {.kernel = kernel, .position = KERNEL_NONE, .fault = fault};
    names_init(&v.names);
    v.alive = base_alloc_zeroed((size_t)kernel->nvalues + kernel->nlocals + 1);
    if (v.alive == NULL)
        return broken(&v, JG_ERR_NOMEM, "out of memory while it was checked");
    bool holds = check_all(&v);
    base_free(v.alive);
    names_clear(&v.names);
    return holds;
}

static jg_status report(const kernel_program *kernel, const kernel_fault *fault)
{
    const char *name = kernel_text(kernel, kernel->name);
    if (fault->position == KERNEL_NONE)
        return jg_fail(fault->status, "kernel %s: %s", name, fault->message);
    const kernel_inst *inst = kernel_inst_at(kernel, fault->position);
    char line[32] = "";
    if (inst->line != 0)
        snprintf(line, sizeof line, "line %" PRIu32 ": ", inst->line);
    base_text text = {0};
    kernel_print_inst(kernel, fault->position, &text);
    jg_status status = text_status(&text);
    if (status == JG_OK)
        status = jg_fail(fault->status, "kernel %s: %s%s: %s (instruction %" PRIu32 ": %.*s)", name,
                         line, inst->op < KERNEL_OP_COUNT ? kernel_row(inst->op)->name : "?",
                         fault->message, fault->position, (int)text.bytes.nbytes, text.bytes.data);
    text_clear(&text);
    return status;
}

jg_status kernel_verify(kernel_program *kernel)
{
    kernel_fault fault;
    return kernel_check(kernel, &fault) ? JG_OK : report(kernel, &fault);
}
