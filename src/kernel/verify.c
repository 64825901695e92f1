/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of kernel.h as checks, in one pass over the instructions.
 *
 * The pass keeps the open blocks on a stack of its own and trusts no index, so that a kernel from
 * anywhere may be checked. A value is alive from its definition to the end of its block; the values
 * alive are a stack too, cut back where a block closes. */
#include "kernel/check.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool open_block(verification *v)
{
    if (v->depth == KERNEL_MAX_DEPTH)
        return verify_break(v, JG_ERR_VALUE, "blocks more than %d deep", KERNEL_MAX_DEPTH);
    v->blocks[v->depth++] = (verified_block){v->position, v->nvalues, v->nlocals};
    names_open_scope(&v->names);
    return true;
}

static bool check_ranges(verification *v, uint32_t most)
{
    if (!verify_count(v, 2, 2 * most) || !verify_alive(v))
        return false;
    if (v->inst->noperands % 2 != 0)
        return verify_break(v, JG_ERR_VALUE, "a range without an end");
    if (!kernel_has_type((jg_dtype)v->inst->type) || !dtype_is_integer((jg_dtype)v->inst->type))
        return verify_break(v, JG_ERR_TYPE, "its index is %s, it must be an integer",
                            jg_dtype_name((jg_dtype)v->inst->type));
    for (uint32_t i = 0; i < v->inst->noperands; ++i)
        if (!verify_type(v, i, (jg_dtype)v->inst->type))
            return false;
    return verify_value_type(v, (jg_dtype)v->inst->type) && open_block(v);
}

/* Parallel loops are in the outermost block only. */
static bool check_parallel(verification *v)
{
    if (v->depth != 0)
        return verify_break(v, JG_ERR_VALUE, "not in the outermost block");
    if (v->inst->immediate < 0)
        return verify_break(v, JG_ERR_VALUE, "block: got %" PRId64 ", allowed 1 and more",
                            v->inst->immediate);
    return check_ranges(v, KERNEL_MAX_RANGES);
}

/* Steps fit the index's type, and so do their negatives: the code counts with both. */
static bool check_step_fits(verification *v, const dtype_row *row)
{
    int64_t step = v->inst->immediate, limit = INT64_MAX >> (64 - row->bits);
    if (row->kind == JG_KIND_UINT && step < 0)
        return verify_break(v, JG_ERR_VALUE, "step: got %" PRId64 " for the unsigned %s", step,
                            row->name);
    if (step == 0 || step > limit || step < -limit)
        return verify_break(v, JG_ERR_VALUE,
                            "step: got %" PRId64 ", allowed -%" PRId64 " to %" PRId64 " but not 0",
                            step, limit, limit);
    return true;
}

static bool check_for(verification *v)
{
    return check_ranges(v, 1) && check_step_fits(v, &dtype_rows[v->inst->type]);
}

static bool check_loop(verification *v)
{
    return verify_count(v, 0, 0) && open_block(v);
}

static bool check_if(verification *v)
{
    return verify_count(v, 1, 1) && verify_alive(v) && verify_type(v, 0, JG_DTYPE_BOOL) &&
           open_block(v);
}

/* The end of the innermost block: the values that were defined inside are out of scope from here
 * on. */
static bool close_block(verification *v, const verified_block *closed)
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
        return verify_break(v, JG_ERR_VALUE, "no block is open");
    const verified_block *closed = &v->blocks[--v->depth];
    uint32_t opener = closed->opener;
    if (v->inst->match != opener || kernel_inst_at(v->kernel, opener)->match != v->position)
        return verify_break(v, JG_ERR_VALUE, "the ends of the block do not point at each other");
    return verify_count(v, 0, 0) && close_block(v, closed);
}

/* Closes the block of the IF and opens its own, with the ELSE for opener. */
static bool check_else(verification *v)
{
    if (v->depth == 0 || kernel_inst_at(v->kernel, v->blocks[v->depth - 1].opener)->op != KERNEL_IF)
        return verify_break(v, JG_ERR_VALUE, "not in the block of an if");
    const verified_block *closed = &v->blocks[--v->depth];
    if (kernel_inst_at(v->kernel, closed->opener)->match != v->position)
        return verify_break(v, JG_ERR_VALUE, "the if does not point at its else");
    return verify_count(v, 0, 0) && close_block(v, closed) && open_block(v);
}

/* A jump may leave any number of ifs, but no other loop. */
static bool check_jump(verification *v)
{
    int at = v->depth - 1;
    while (at >= 0 && !kernel_is_loop(kernel_inst_at(v->kernel, v->blocks[at].opener)->op))
        at -= 1;
    if (at < 0)
        return verify_break(v, JG_ERR_VALUE, "outside a loop");
    uint32_t loop = v->blocks[at].opener;
    if (v->inst->match != loop)
        return verify_break(v, JG_ERR_VALUE, "it does not point at the innermost loop");
    if (v->inst->op == KERNEL_BREAK && kernel_inst_at(v->kernel, loop)->op == KERNEL_PARALLEL)
        return verify_break(v, JG_ERR_VALUE, "a parallel loop cannot be left");
    v->ended = true;
    return verify_count(v, 0, 0);
}

static bool check_random(verification *v)
{
    return (v->inst->to != JG_DTYPE_BOOL ||
            verify_break(v, JG_ERR_TYPE, "it does not make bool")) &&
           verify_count(v, 0, 0);
}

static bool check_statement(verification *v)
{
    switch (v->inst->op) {
    case KERNEL_CONST: return verify_const(v);
    case KERNEL_EXTENT: return verify_extent(v);
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return verify_array_access(v);
    case KERNEL_STACK:
    case KERNEL_LOCAL: return verify_local(v);
    case KERNEL_GET:
    case KERNEL_PUSH:
    case KERNEL_POP:
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return verify_local_access(v);
    case KERNEL_RANDOM: return check_random(v);
    case KERNEL_ASSERT:
    case KERNEL_PRINT: return verify_message(v);
    case KERNEL_FENCE: return verify_count(v, 0, 0);
    case KERNEL_PARALLEL: return check_parallel(v);
    case KERNEL_FOR: return check_for(v);
    case KERNEL_LOOP: return check_loop(v);
    case KERNEL_IF: return check_if(v);
    case KERNEL_ELSE: return check_else(v);
    case KERNEL_END: return check_end(v);
    case KERNEL_RETURN: return verify_return(v);
    case KERNEL_BREAK:
    case KERNEL_CONTINUE: return check_jump(v);
    default: return verify_break(v, JG_ERR_INTERNAL, "no rule checks instruction %d", v->inst->op);
    }
}

/* The values are numbered in the order of their definitions and have the type that is written
 * there. */
static bool define_values(verification *v)
{
    const kernel_inst *inst = v->inst;
    if (inst->nvalues != kernel_count_values(inst->op, inst->noperands) ||
        inst->nvalues > v->kernel->nvalues - v->nvalues)
        return verify_break(v, JG_ERR_VALUE, "it has values that are not the kernel's");
    if (inst->nvalues > 0 && inst->first != v->nvalues)
        return verify_break(v, JG_ERR_VALUE, "values are not numbered in their order");
    for (uint32_t i = 0; i < inst->nvalues; ++i) {
        const kernel_value *value = kernel_value_at(v->kernel, v->nvalues);
        if (value->type != inst->to || value->definition != v->position)
            return verify_break(v, JG_ERR_VALUE, "its values are recorded otherwise");
        if (value->name != 0 && !verify_enter_name(v, value->name, NAME_VALUE, v->nvalues))
            return false;
        v->alive[v->nvalues++] = 1;
    }
    return true;
}

/* Type and number of the values come first, as the rules of single instructions look them up. */
static bool check_inst(verification *v)
{
    uint16_t op = v->inst->op;
    if (op >= KERNEL_OP_COUNT)
        return verify_break(v, JG_ERR_VALUE, "no such instruction");
    if (v->inst->line > INT32_MAX)
        return verify_break(v, JG_ERR_VALUE, "a line outside 1 to 2147483647");
    if (v->ended && op != KERNEL_END && op != KERNEL_ELSE)
        return verify_break(v, JG_ERR_VALUE, "nothing can follow a break, continue or return");
    if (v->inst->nvalues > 0 && !kernel_has_type((jg_dtype)v->inst->to))
        return verify_break(v, JG_ERR_TYPE, "kernels do not compute with %s",
                            jg_dtype_name((jg_dtype)v->inst->to));
    if (!(kernel_op_is_statement(op) ? check_statement(v) : verify_scalar_inst(v)))
        return false;
    return define_values(v);
}

static bool check_array(verification *v, uint32_t index)
{
    kernel_array *array = kernel_array_at(v->kernel, index);
    const char *name = verify_name(v, array->name);
    array->read = array->write = false;
    if (!verify_enter_name(v, array->name, NAME_ARRAY, index))
        return false;
    if (!kernel_has_type((jg_dtype)array->dtype))
        return verify_break(v, JG_ERR_TYPE, "array %s: kernels do not compute with %s", name,
                            jg_dtype_name((jg_dtype)array->dtype));
    if (array->ndim > KERNEL_MAX_NDIM)
        return verify_break(v, JG_ERR_VALUE, "array %s: ndim: got %d, allowed 0 to %d", name,
                            array->ndim, KERNEL_MAX_NDIM);
    for (int d = 0; d < array->ndim; ++d)
        if (array->extents[d] < 0 && array->extents[d] != KERNEL_GIVEN)
            return verify_break(v, JG_ERR_VALUE, "array %s: the extent of axis %d is %" PRId64,
                                name, d, array->extents[d]);
    return true;
}

static bool check_scalar(verification *v, uint32_t index)
{
    const kernel_value *scalar = kernel_value_at(v->kernel, index);
    if (!kernel_has_type((jg_dtype)scalar->type))
        return verify_break(v, JG_ERR_TYPE, "scalar %s: kernels do not compute with %s",
                            verify_name(v, scalar->name), jg_dtype_name((jg_dtype)scalar->type));
    return verify_enter_name(v, scalar->name, NAME_VALUE, index);
}

/* The counts equal those of the tables, on which all further checks rely. */
static bool check_tables(verification *v)
{
    const kernel_program *kernel = v->kernel;
    bool right = kernel->insts.nbytes == kernel->ninsts * sizeof(kernel_inst) &&
                 kernel->values.nbytes == kernel->nvalues * sizeof(kernel_value) &&
                 kernel->arrays.nbytes == kernel->narrays * sizeof(kernel_array) &&
                 kernel->locals.nbytes == kernel->nlocals * sizeof(kernel_local) &&
                 kernel->nscalars <= kernel->nvalues && kernel->nresults <= KERNEL_MAX_RESULTS;
    return right || verify_break(v, JG_ERR_VALUE, "its tables are not as long as it says");
}

/* Each array and each scalar is a parameter, once. */
static bool check_parameters(verification *v)
{
    const kernel_program *kernel = v->kernel;
    uint32_t count = (uint32_t)(kernel->parameters.nbytes / sizeof(kernel_parameter)), arrays = 0;
    if (count != kernel->narrays + kernel->nscalars)
        return verify_break(v, JG_ERR_VALUE, "its parameters are not its arrays and scalars");
    for (uint32_t p = 0; p < count; ++p) {
        const kernel_parameter *parameter = kernel_parameter_at(kernel, p);
        if (parameter->index != (parameter->is_array ? arrays : p - arrays))
            return verify_break(v, JG_ERR_VALUE, "parameter %" PRIu32 " is out of order", p + 1);
        arrays += parameter->is_array;
    }
    return arrays == kernel->narrays ||
           verify_break(v, JG_ERR_VALUE, "its parameters are not its arrays and scalars");
}

/* Faults here have no position. Arrays and scalars are entered for the whole kernel: no block ends
 * their scope. */
static bool check_declarations(verification *v)
{
    const kernel_program *kernel = v->kernel;
    const char *name = verify_name(v, kernel->name);
    v->position = KERNEL_NONE;
    if (!verify_is_word(name, strlen(name)))
        return verify_break(v, JG_ERR_VALUE, "\"%s\" is no name", name);
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        if (!check_array(v, a))
            return false;
    for (uint32_t s = 0; s < kernel->nscalars; ++s)
        if (!check_scalar(v, s))
            return false;
    for (uint32_t r = 0; r < kernel->nresults; ++r)
        if (!kernel_has_type((jg_dtype)kernel->results[r]))
            return verify_break(v, JG_ERR_TYPE, "a result is %s, which no kernel computes with",
                                jg_dtype_name((jg_dtype)kernel->results[r]));
    return true;
}

/* A kernel with results must end in a RETURN: `ended` is that of the outermost block then. */
static bool check_all(verification *v)
{
    if (!check_parameters(v) || !check_declarations(v))
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
        return verify_break(v, JG_ERR_VALUE, "a block is not closed");
    if (v->nvalues != v->kernel->nvalues || v->nlocals != v->kernel->nlocals)
        return verify_break(v, JG_ERR_VALUE, "values or locals that nothing defines");
    if (v->kernel->nresults > 0 && !v->ended)
        return verify_break(v, JG_ERR_VALUE, "it has results and does not return them");
    return verify_cut(v);
}

bool kernel_check(kernel_program *kernel, kernel_fault *fault)
{
    verification v = {.kernel = kernel, .position = KERNEL_NONE, .fault = fault};
    names_init(&v.names);
    if (!check_tables(&v))
        return false;
    v.alive = base_alloc_zeroed((size_t)kernel->nvalues + kernel->nlocals + 1);
    if (v.alive == NULL)
        return verify_break(&v, JG_ERR_NOMEM, "out of memory while it was checked");
    bool holds = check_all(&v);
    base_free(v.alive);
    names_clear(&v.names);
    return holds;
}

/* The instruction as text goes with the message: kernels that were built by calls have no source to
 * look into. raises: fault->status, or NOMEM for that text */
static jg_status report(const kernel_program *kernel, const kernel_fault *fault)
{
    const char *name = kernel_text(kernel, kernel->name);
    if (fault->position == KERNEL_NONE)
        return base_fail(fault->status, "kernel %s: %s", name, fault->message);
    const kernel_inst *inst = kernel_inst_at(kernel, fault->position);
    char line[32] = "";
    if (inst->line != 0)
        snprintf(line, sizeof line, "line %" PRIu32 ": ", inst->line);
    base_text text = {0};
    kernel_print_inst(kernel, fault->position, &text);
    jg_status status = text_status(&text);
    if (status == JG_OK)
        status =
            base_fail(fault->status, "kernel %s: %s%s: %s (instruction %" PRIu32 ": %.*s)", name,
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
