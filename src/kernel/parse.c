/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels from their text form, one statement a line.
 *
 * A name is known from its definition to the end of its block, and free again after that. Faults of
 * the kernel, not of its text, are left to kernel_check and are reported at the line of their
 * instruction. */
#include "kernel/lexer.h"
#include <inttypes.h>
#include <string.h>

typedef struct parser {
    lexer in;
    kernel_program *kernel;
    base_vec text_lines; /* uint32_t for each instruction: its line of the text, for messages */
    kernel_names names;
} parser;

/* Names are entered when their line has been read: a definition cannot use itself. */
static jg_status enter(parser *p, lexer_name name, name_kind kind, uint32_t index)
{
    if (names_taken(&p->names, name, kind))
        return lexer_fail_at(&p->in, name.text, "%.*s is defined already", (int)name.length,
                             name.text);
    return names_enter(&p->names, name, kind, index);
}

/* A name that has been defined, as its number. */
static jg_status read_name(parser *p, name_kind kind, uint32_t *out)
{
    static const char *const kinds[] = {"value", "array", "local"};
    lexer_name name;
    JG_TRY(kind == NAME_VALUE ? lexer_value_name(&p->in, &name) : lexer_word(&p->in, &name));
    *out = names_find(&p->names, name, kind);
    if (*out == KERNEL_NONE)
        return lexer_fail_at(&p->in, name.text, "%.*s is no %s in reach", (int)name.length,
                             name.text, kinds[kind]);
    return JG_OK;
}

/* On the stack of each line's reader; values are not cleared, which would cost more than
 * reading. */
typedef struct operand_list {
    uint32_t values[KERNEL_MAX_RESULTS];
    uint32_t count;
} operand_list;

static jg_status read_operand(parser *p, operand_list *list)
{
    if (list->count == JG_COUNT_OF(list->values))
        return lexer_fail(&p->in, "more than %d operands", KERNEL_MAX_RESULTS);
    JG_TRY(read_name(p, NAME_VALUE, &list->values[list->count]));
    list->count += 1;
    return JG_OK;
}

static jg_status read_operands(parser *p, operand_list *list)
{
    while (lexer_sees(&p->in, '%'))
        JG_TRY(read_operand(p, list));
    return JG_OK;
}

/* "[%i, %k]", "[]" or, where optional, nothing. */
static jg_status read_indices(parser *p, bool optional, operand_list *list)
{
    if (optional && !lexer_sees(&p->in, '['))
        return JG_OK;
    JG_TRY(lexer_expect(&p->in, '['));
    if (lexer_takes(&p->in, ']'))
        return JG_OK;
    do
        JG_TRY(read_operand(p, list));
    while (lexer_takes(&p->in, ','));
    return lexer_expect(&p->in, ']');
}

/* Reads what ends the line, and appends. Faults of appending are reported with the line, as others
 * are. */
static jg_status finish_inst(parser *p, const kernel_inst *inst, const operand_list *list,
                             uint32_t *out)
{
    uint32_t line = p->in.line;
    JG_TRY(lexer_source_line(&p->in, &p->kernel->line));
    JG_TRY(lexer_end_of_line(&p->in));
    JG_TRY(lexer_pass_on(kernel_append(p->kernel, inst, list->count, list->values, out), line));
    return vec_append(&p->text_lines, &line, sizeof line);
}

/* A name of digits only is the number of a value in its text, not a name that the kernel keeps. */
static jg_status enter_value(parser *p, lexer_name name, uint32_t value)
{
    JG_TRY(enter(p, name, NAME_VALUE, value));
    if (name.text[0] >= '0' && name.text[0] <= '9')
        return JG_OK;
    return kernel_add_text(p->kernel, name.text, name.length,
                           &kernel_value_at(p->kernel, value)->name);
}

static jg_status read_const(parser *p, kernel_inst *inst)
{
    uint64_t bits = 0;
    inst->op = KERNEL_CONST;
    JG_TRY(lexer_number(&p->in, (jg_dtype)inst->to, &bits));
    inst->immediate = (int64_t)bits;
    return JG_OK;
}

static jg_status read_extent(parser *p, kernel_inst *inst)
{
    inst->op = KERNEL_EXTENT;
    JG_TRY(read_name(p, NAME_ARRAY, &inst->target));
    return lexer_integer(&p->in, &inst->immediate);
}

static jg_status read_load(parser *p, kernel_inst *inst, operand_list *list)
{
    inst->op = KERNEL_LOAD;
    JG_TRY(read_name(p, NAME_ARRAY, &inst->target));
    return read_indices(p, false, list);
}

static jg_status read_get(parser *p, kernel_inst *inst, operand_list *list)
{
    inst->op = KERNEL_GET;
    JG_TRY(read_name(p, NAME_LOCAL, &inst->target));
    return read_indices(p, true, list);
}

static jg_status read_pop(parser *p, kernel_inst *inst)
{
    inst->op = KERNEL_POP;
    return read_name(p, NAME_LOCAL, &inst->target);
}

/* "add x [%i] %v", "compare_exchange x [%i] %expected %v": on an array or a local, an update on an
 * array. */
static jg_status read_atomic(parser *p, bool updates, kernel_inst *inst, operand_list *list)
{
    lexer_name name;
    inst->immediate = updates;
    JG_TRY(lexer_word(&p->in, &name));
    while (inst->atomic < KERNEL_ATOMIC_COUNT &&
           !lexer_is(name, kernel_atomic_rows[inst->atomic].name))
        inst->atomic += 1;
    if (inst->atomic == KERNEL_ATOMIC_COUNT)
        return lexer_fail_at(&p->in, name.text, "%.*s is no atomic", (int)name.length, name.text);
    bool local =
        !updates && names_find(&p->names, lexer_peek_word(&p->in), NAME_LOCAL) != KERNEL_NONE;
    inst->op = local ? KERNEL_ATOMIC_LOCAL : KERNEL_ATOMIC;
    JG_TRY(read_name(p, local ? NAME_LOCAL : NAME_ARRAY, &inst->target));
    JG_TRY(read_indices(p, local, list));
    for (uint32_t left = kernel_nstored(inst); left > 1; --left)
        JG_TRY(read_operand(p, list));
    return read_operand(p, list);
}

/* The operands' type is that of the deciding one; kernel_check compares the others to it. */
static jg_status read_scalar_inst(parser *p, lexer_name name, kernel_inst *inst, operand_list *list)
{
    uint32_t op = kernel_op_named(name.text, name.length);
    if (op == KERNEL_NONE)
        return lexer_fail_at(&p->in, name.text, "%.*s is no instruction that makes a value",
                             (int)name.length, name.text);
    inst->op = (uint16_t)op;
    JG_TRY(read_operands(p, list));
    uint32_t decisive = op == PROGRAM_SELECT;
    if (decisive < list->count)
        inst->type = kernel_value_at(p->kernel, list->values[decisive])->type;
    return JG_OK;
}

/* inst has the declared type; instructions that take the type from an operand set it again. */
static jg_status read_right_side(parser *p, kernel_inst *inst, operand_list *list)
{
    lexer_name name;
    JG_TRY(lexer_word(&p->in, &name));
    if (lexer_is(name, "const"))
        return read_const(p, inst);
    if (lexer_is(name, "extent"))
        return read_extent(p, inst);
    if (lexer_is(name, "load"))
        return read_load(p, inst, list);
    if (lexer_is(name, "get"))
        return read_get(p, inst, list);
    if (lexer_is(name, "pop"))
        return read_pop(p, inst);
    if (lexer_is(name, "atomic") || lexer_is(name, "update"))
        return read_atomic(p, lexer_is(name, "update"), inst, list);
    if (lexer_is(name, "random")) {
        inst->op = KERNEL_RANDOM;
        return JG_OK;
    }
    return read_scalar_inst(p, name, inst, list);
}

/* "%name:type = ..." */
static jg_status read_definition(parser *p)
{
    lexer_name name;
    jg_dtype type = JG_DTYPE_INT64; /* of an extent, where it may be left out */
    operand_list list;
    uint32_t value, offset;
    list.count = 0;
    JG_TRY(lexer_value_name(&p->in, &name));
    bool typed = lexer_takes(&p->in, ':');
    if (typed)
        JG_TRY(lexer_dtype(&p->in, &type));
    JG_TRY(lexer_expect(&p->in, '='));
    if (!typed && !lexer_is(lexer_peek_word(&p->in), "extent"))
        return lexer_fail_at(&p->in, name.text, "%.*s has no type", (int)name.length, name.text);
    kernel_inst inst = {.type = (uint8_t)type, .to = (uint8_t)type};
    JG_TRY(read_right_side(p, &inst, &list));
    JG_TRY(lexer_frame_bytes(&p->in, "at", &offset));
    JG_TRY(finish_inst(p, &inst, &list, &value));
    kernel_value_at(p->kernel, value)->frame_offset = offset;
    return enter_value(p, name, value);
}

static jg_status read_store(parser *p, uint16_t op)
{
    kernel_inst inst = {.op = op};
    operand_list list;
    uint32_t nothing;
    list.count = 0;
    bool local = op == KERNEL_SET;
    JG_TRY(read_name(p, local ? NAME_LOCAL : NAME_ARRAY, &inst.target));
    inst.type = inst.to = local ? kernel_local_at(p->kernel, inst.target)->dtype
                                : kernel_array_at(p->kernel, inst.target)->dtype;
    JG_TRY(read_indices(p, local, &list));
    JG_TRY(lexer_expect(&p->in, '='));
    JG_TRY(read_operand(p, &list));
    return finish_inst(p, &inst, &list, &nothing);
}

/* out can hold LEXER_MAX_NAME characters and a zero; lexer_word has seen to the length. */
static void copy_name(lexer_name name, char *out)
{
    memcpy(out, name.text, name.length);
    out[name.length] = '\0';
}

static jg_status read_push(parser *p)
{
    kernel_inst inst = {.op = KERNEL_PUSH};
    operand_list list;
    uint32_t nothing;
    list.count = 0;
    JG_TRY(read_name(p, NAME_LOCAL, &inst.target));
    inst.type = inst.to = kernel_local_at(p->kernel, inst.target)->dtype;
    JG_TRY(read_operand(p, &list));
    return finish_inst(p, &inst, &list, &nothing);
}

/* The line is read to its end before the local is made, so that its LOCAL has the line of the
 * source. */
static jg_status read_local(parser *p, bool stack)
{
    lexer_name name;
    jg_dtype dtype;
    int64_t length = 0;
    char text[LEXER_MAX_NAME + 1];
    uint32_t local, offset, line = p->in.line;
    JG_TRY(lexer_word(&p->in, &name));
    JG_TRY(lexer_dtype(&p->in, &dtype));
    bool is_array = !stack && lexer_sees_digit(&p->in);
    if (is_array)
        JG_TRY(lexer_integer(&p->in, &length));
    if (is_array && (length < 1 || length > KERNEL_MAX_LOCAL_NBYTES))
        return lexer_fail(&p->in, "length: got %" PRId64 ", allowed 1 to %d", length,
                          KERNEL_MAX_LOCAL_NBYTES);
    JG_TRY(lexer_frame_bytes(&p->in, "at", &offset));
    JG_TRY(lexer_source_line(&p->in, &p->kernel->line));
    JG_TRY(lexer_end_of_line(&p->in));
    copy_name(name, text);
    JG_TRY(stack ? kernel_add_stack(p->kernel, text, dtype, &local)
                 : kernel_add_local(p->kernel, text, dtype, (uint32_t)length, &local));
    kernel_local_at(p->kernel, local)->frame_offset = offset;
    JG_TRY(vec_append(&p->text_lines, &line, sizeof line));
    return enter(p, name, NAME_LOCAL, local);
}

/* The failure that an assertion raises: "index", "value", or no word for ASSERT. */
static uint8_t read_raised_status(parser *p)
{
    if (lexer_takes_word(&p->in, "index"))
        return JG_ERR_INDEX;
    return lexer_takes_word(&p->in, "value") ? JG_ERR_VALUE : JG_ERR_ASSERT;
}

static jg_status read_message(parser *p, uint16_t op)
{
    kernel_inst inst = {.op = op, .type = JG_DTYPE_BOOL, .to = JG_DTYPE_BOOL};
    operand_list list;
    uint32_t nothing;
    list.count = 0;
    if (op == KERNEL_ASSERT)
        JG_TRY(read_operand(p, &list));
    inst.status = op == KERNEL_ASSERT ? read_raised_status(p) : JG_OK;
    JG_TRY(lexer_quoted(&p->in, p->kernel, &inst.target));
    JG_TRY(read_operands(p, &list));
    return finish_inst(p, &inst, &list, &nothing);
}

static jg_status read_return(parser *p)
{
    kernel_inst inst = {.op = KERNEL_RETURN};
    operand_list list;
    uint32_t nothing;
    list.count = 0;
    JG_TRY(read_operands(p, &list));
    return finish_inst(p, &inst, &list, &nothing);
}

/* Reads "{" and what ends the line, appends the opener and enters its values. */
static jg_status finish_opener(parser *p, const kernel_inst *inst, const operand_list *list,
                               const lexer_name *names)
{
    uint32_t first; /* its values are in scope inside the block only, so they are entered there */
    JG_TRY(lexer_expect(&p->in, '{'));
    JG_TRY(finish_inst(p, inst, list, &first));
    names_open_scope(&p->names);
    for (uint32_t i = 0; names != NULL && i < list->count / 2; ++i)
        JG_TRY(enter_value(p, names[i], first + i));
    return JG_OK;
}

/* "%i:int32 = %low to %high" */
static jg_status read_range(parser *p, lexer_name *name, jg_dtype *type, operand_list *list)
{
    JG_TRY(lexer_value_name(&p->in, name));
    JG_TRY(lexer_expect(&p->in, ':'));
    JG_TRY(lexer_dtype(&p->in, type));
    JG_TRY(lexer_expect(&p->in, '='));
    JG_TRY(read_operand(p, list));
    JG_TRY(lexer_expect_word(&p->in, "to"));
    return read_operand(p, list);
}

static jg_status read_parallel(parser *p)
{
    lexer_name names[KERNEL_MAX_RANGES];
    jg_dtype type, other;
    operand_list list;
    list.count = 0;
    JG_TRY(read_range(p, &names[0], &type, &list));
    while (lexer_takes(&p->in, ',')) {
        if (list.count == 2 * KERNEL_MAX_RANGES)
            return lexer_fail(&p->in, "more than %d ranges", KERNEL_MAX_RANGES);
        JG_TRY(read_range(p, &names[list.count / 2], &other, &list));
        if (other != type)
            return lexer_fail(&p->in, "the indices of a parallel loop are of one type");
    }
    kernel_inst inst = {.op = KERNEL_PARALLEL, .type = (uint8_t)type, .to = (uint8_t)type};
    if (lexer_takes_word(&p->in, "block"))
        JG_TRY(lexer_integer(&p->in, &inst.immediate));
    return finish_opener(p, &inst, &list, names);
}

static jg_status read_for(parser *p)
{
    lexer_name name;
    jg_dtype type;
    operand_list list;
    list.count = 0;
    JG_TRY(read_range(p, &name, &type, &list));
    kernel_inst inst = {.op = KERNEL_FOR, .type = (uint8_t)type, .to = (uint8_t)type};
    inst.immediate = 1;
    if (lexer_takes_word(&p->in, "step"))
        JG_TRY(lexer_integer(&p->in, &inst.immediate));
    return finish_opener(p, &inst, &list, &name);
}

static jg_status read_block(parser *p, uint16_t op)
{
    kernel_inst inst = {.op = op, .type = JG_DTYPE_BOOL, .to = JG_DTYPE_BOOL};
    operand_list list;
    list.count = 0;
    if (op == KERNEL_IF)
        JG_TRY(read_operand(p, &list));
    return finish_opener(p, &inst, &list, NULL);
}

static jg_status read_plain(parser *p, uint16_t op)
{
    kernel_inst inst = {.op = op};
    operand_list list;
    uint32_t nothing;
    list.count = 0;
    return finish_inst(p, &inst, &list, &nothing);
}

/* "}", "} else {"; *done at the end of the kernel. */
static jg_status read_close(parser *p, bool *done)
{
    *done = p->names.depth == 1;
    if (*done)
        return lexer_end_of_line(&p->in);
    names_close_scope(&p->names);
    if (lexer_takes_word(&p->in, "else"))
        return read_block(p, KERNEL_ELSE);
    return read_plain(p, KERNEL_END);
}

/* A definition, or one of the words that inst.def has for what defines no value. */
static jg_status read_statement(parser *p)
{
    lexer_name name;
    if (lexer_sees(&p->in, '%'))
        return read_definition(p);
    JG_TRY(lexer_word(&p->in, &name));
    uint16_t op = KERNEL_CONST; /* the first statement of the table */
    while (op < KERNEL_OP_COUNT && !lexer_is(name, kernel_row(op)->name))
        op += 1;
    switch (op) {
    case KERNEL_STORE:
    case KERNEL_SET: return read_store(p, op);
    case KERNEL_LOCAL: return read_local(p, false);
    case KERNEL_STACK: return read_local(p, true);
    case KERNEL_PUSH: return read_push(p);
    case KERNEL_ASSERT:
    case KERNEL_PRINT: return read_message(p, op);
    case KERNEL_PARALLEL: return read_parallel(p);
    case KERNEL_FOR: return read_for(p);
    case KERNEL_LOOP:
    case KERNEL_IF: return read_block(p, op);
    case KERNEL_FENCE:
    case KERNEL_BREAK:
    case KERNEL_CONTINUE: return read_plain(p, op);
    case KERNEL_RETURN: return read_return(p);
    default:
        return lexer_fail_at(&p->in, name.text, "%.*s begins no statement", (int)name.length,
                             name.text);
    }
}

/* "[*, 3]". gives: how many */
static jg_status read_extents(parser *p, int64_t *values, int *count)
{
    *count = 0;
    JG_TRY(lexer_expect(&p->in, '['));
    if (lexer_takes(&p->in, ']'))
        return JG_OK;
    do {
        if (*count == KERNEL_MAX_NDIM)
            return lexer_fail(&p->in, "more than %d axes", KERNEL_MAX_NDIM);
        if (lexer_takes(&p->in, '*'))
            values[*count] = KERNEL_GIVEN;
        else
            JG_TRY(lexer_integer(&p->in, &values[*count]));
        *count += 1;
    } while (lexer_takes(&p->in, ','));
    return lexer_expect(&p->in, ']');
}

static jg_status read_array(parser *p)
{
    lexer_name name;
    jg_dtype dtype;
    int ndim, nstrides, nlowest = 0;
    int64_t extents[KERNEL_MAX_NDIM], strides[KERNEL_MAX_NDIM], lowest[KERNEL_MAX_NDIM];
    char text[LEXER_MAX_NAME + 1];
    uint32_t array;
    JG_TRY(lexer_word(&p->in, &name));
    JG_TRY(lexer_dtype(&p->in, &dtype));
    JG_TRY(read_extents(p, extents, &ndim));
    bool dense = !lexer_sees(&p->in, '[');
    nstrides = ndim;
    if (!dense)
        JG_TRY(read_extents(p, strides, &nstrides));
    if (nstrides != ndim)
        return lexer_fail(&p->in, "%d strides for %d axes", nstrides, ndim);
    if (lexer_takes_word(&p->in, "from"))
        JG_TRY(read_extents(p, lowest, &nlowest));
    if (nlowest != 0 && nlowest != ndim)
        return lexer_fail(&p->in, "%d lowest indices for %d axes", nlowest, ndim);
    JG_TRY(lexer_end_of_line(&p->in));
    copy_name(name, text);
    JG_TRY(kernel_add_array(p->kernel, text, dtype, ndim, extents, dense ? NULL : strides, &array));
    for (int d = 0; d < nlowest; ++d)
        kernel_array_at(p->kernel, array)->lowest[d] = lowest[d] == KERNEL_GIVEN ? 0 : lowest[d];
    return enter(p, name, NAME_ARRAY, array);
}

static jg_status read_scalar(parser *p)
{
    lexer_name name;
    jg_dtype dtype;
    char text[LEXER_MAX_NAME + 1];
    uint32_t value;
    JG_TRY(lexer_word(&p->in, &name));
    JG_TRY(lexer_dtype(&p->in, &dtype));
    JG_TRY(lexer_end_of_line(&p->in));
    copy_name(name, text);
    JG_TRY(kernel_add_scalar(p->kernel, text, dtype, &value));
    return enter(p, name, NAME_VALUE, value);
}

static jg_status read_result(parser *p)
{
    jg_dtype dtype;
    JG_TRY(lexer_dtype(&p->in, &dtype));
    JG_TRY(lexer_end_of_line(&p->in));
    return kernel_add_result(p->kernel, dtype);
}

static jg_status read_head(parser *p)
{
    lexer_name name;
    uint32_t frame_nbytes;
    char text[LEXER_MAX_NAME + 1];
    JG_TRY(lexer_expect_word(&p->in, "kernel"));
    JG_TRY(lexer_word(&p->in, &name));
    bool fast_math = lexer_takes_word(&p->in, "fast_math");
    bool checked = lexer_takes_word(&p->in, "checked");
    bool all = checked && lexer_takes_word(&p->in, "all");
    bool alone = lexer_takes_word(&p->in, "alone");
    JG_TRY(lexer_frame_bytes(&p->in, "frame", &frame_nbytes));
    JG_TRY(lexer_end_of_line(&p->in));
    copy_name(name, text);
    JG_TRY(kernel_init(p->kernel, text, fast_math));
    p->kernel->checked = checked;
    p->kernel->checked_all = all;
    p->kernel->alone = alone;
    p->kernel->frame_nbytes = frame_nbytes;
    return JG_OK;
}

static jg_status read_declarations(parser *p)
{
    while (!lexer_takes(&p->in, '{')) {
        lexer_name name;
        JG_TRY(lexer_word(&p->in, &name));
        if (lexer_is(name, "array"))
            JG_TRY(read_array(p));
        else if (lexer_is(name, "scalar"))
            JG_TRY(read_scalar(p));
        else if (lexer_is(name, "result"))
            JG_TRY(read_result(p));
        else
            return lexer_fail_at(&p->in, name.text, "got %.*s, allowed array, scalar, result and {",
                                 (int)name.length, name.text);
    }
    return lexer_end_of_line(&p->in);
}

/* The kernel's own block is a scope, so that read_close knows it from those inside. */
static jg_status read_kernel(parser *p)
{
    bool done = false;
    JG_TRY(read_head(p));
    JG_TRY(read_declarations(p));
    names_open_scope(&p->names);
    while (!done)
        JG_TRY(lexer_takes(&p->in, '}') ? read_close(p, &done) : read_statement(p));
    return lexer_end_of_text(&p->in);
}

/* The message names the line of the user's source first, if the text has it, and then the line of
 * the text. */
static jg_status check(const parser *p)
{
    kernel_fault fault;
    if (kernel_check(p->kernel, &fault))
        return JG_OK;
    const char *name = kernel_text(p->kernel, p->kernel->name);
    if (fault.position == KERNEL_NONE)
        return base_fail(fault.status, "kernel %s: %s", name, fault.message);
    uint32_t source = kernel_inst_at(p->kernel, fault.position)->line;
    uint32_t line = ((const uint32_t *)(const void *)p->text_lines.data)[fault.position];
    const char *op = kernel_row(kernel_inst_at(p->kernel, fault.position)->op)->name;
    if (source != 0)
        return base_fail(fault.status,
                         "kernel %s: line %" PRIu32 ": %s: %s (line %" PRIu32 " of its text)", name,
                         source, op, fault.message, line);
    return base_fail(fault.status, "kernel %s: line %" PRIu32 " of its text: %s: %s", name, line,
                     op, fault.message);
}

jg_status kernel_parse(const char *text, kernel_program *out)
{
    kernel_program kernel = {0}; /* which kernel_clear may take if its head is wrong */
    parser p = {.kernel = &kernel};
    names_init(&p.names);
    lexer_begin(&p.in, text);
    jg_status status = read_kernel(&p);
    if (status == JG_OK)
        status = check(&p);
    if (status == JG_OK) {
        kernel.line = 0;
        *out = kernel;
    } else {
        kernel_clear(&kernel);
    }
    names_clear(&p.names);
    vec_clear(&p.text_lines);
    return status;
}
