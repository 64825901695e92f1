/* SPDX-License-Identifier: Apache-2.0 */
/* Building a kernel, instruction by instruction.
 *
 * The open blocks form a list through the match fields of what opened them; closing one takes it
 * off the list and lets both ends point at each other. Text 0 is the empty one. */
#include "kernel/kernel.h"
#include <string.h>

jg_status kernel_add_text(kernel_program *kernel, const char *text, size_t length, uint32_t *out)
{
    void *to;
    if (kernel->texts.nbytes + length >= UINT32_MAX)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "kernel: got %zu bytes of text, allowed are fewer than 4 GiB",
                         kernel->texts.nbytes + length);
    uint32_t position = (uint32_t)kernel->texts.nbytes;
    JG_TRY(vec_grow(&kernel->texts, length + 1, &to));
    if (length != 0) /* an empty text may have no memory */
        memcpy(to, text, length);
    ((char *)to)[length] = '\0';
    *out = position;
    return JG_OK;
}

jg_status kernel_init(kernel_program *out, const char *name, bool fast_math)
{
    uint32_t empty;
    memset(out, 0, sizeof *out);
    out->fast_math = fast_math;
    out->open = KERNEL_NONE;
    jg_status status = kernel_add_text(out, "", 0, &empty);
    if (status == JG_OK)
        status = kernel_add_text(out, name, strlen(name), &out->name);
    if (status != JG_OK)
        kernel_clear(out);
    return status;
}

void kernel_clear(kernel_program *kernel)
{
    vec_clear(&kernel->insts);
    vec_clear(&kernel->values);
    vec_clear(&kernel->arrays);
    vec_clear(&kernel->locals);
    vec_clear(&kernel->operands);
    vec_clear(&kernel->texts);
    vec_clear(&kernel->parameters);
}

/* Members that are no vectors are copied with the struct; vectors must not share memory, so they
 * are emptied before anything can fail. */
jg_status kernel_copy(const kernel_program *from, kernel_program *out)
{
    const base_vec *vecs[] = {&from->insts,    &from->values, &from->arrays,    &from->locals,
                              &from->operands, &from->texts,  &from->parameters};
    kernel_program copy = *from;
    base_vec *copies[] = {&copy.insts,    &copy.values, &copy.arrays,    &copy.locals,
                          &copy.operands, &copy.texts,  &copy.parameters};
    for (size_t i = 0; i < JG_COUNT_OF(copies); ++i)
        *copies[i] = (base_vec){0};
    for (size_t i = 0; i < JG_COUNT_OF(copies); ++i) {
        jg_status status = vec_append(copies[i], vecs[i]->data, vecs[i]->nbytes);
        if (status != JG_OK) {
            kernel_clear(&copy);
            return status;
        }
    }
    *out = copy;
    return JG_OK;
}

static jg_status add_name(kernel_program *kernel, const char *name, uint32_t *out)
{
    return kernel_add_text(kernel, name, strlen(name), out);
}

static jg_status add_parameter(kernel_program *kernel, bool is_array, uint32_t index)
{
    kernel_parameter parameter = {is_array, index};
    return vec_append(&kernel->parameters, &parameter, sizeof parameter);
}

jg_status kernel_add_array(kernel_program *kernel, const char *name, jg_dtype dtype, int ndim,
                           const int64_t *extents, const int64_t *strides, uint32_t *out)
{
    kernel_array array = {.dtype = (uint8_t)dtype, .ndim = (uint8_t)ndim, .dense = strides == NULL};
    if (ndim < 0 || ndim > KERNEL_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "array %s: ndim: got %d, allowed 0 to %d", name, ndim,
                         KERNEL_MAX_NDIM);
    if (kernel->narrays == KERNEL_MAX_ARRAYS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "kernel: got one more array than the %d that are allowed",
                         KERNEL_MAX_ARRAYS);
    for (int d = 0; d < ndim; ++d) {
        array.extents[d] = extents[d];
        array.strides[d] = strides == NULL ? 0 : strides[d];
    }
    JG_TRY(add_name(kernel, name, &array.name));
    JG_TRY(vec_append(&kernel->arrays, &array, sizeof array));
    JG_TRY(add_parameter(kernel, true, kernel->narrays));
    *out = kernel->narrays++;
    return JG_OK;
}

static jg_status add_value(kernel_program *kernel, jg_dtype type, uint32_t definition,
                           uint32_t name)
{
    kernel_value value = {(uint8_t)type, definition, name, 0};
    JG_TRY(vec_append(&kernel->values, &value, sizeof value));
    kernel->nvalues += 1;
    return JG_OK;
}

jg_status kernel_add_scalar(kernel_program *kernel, const char *name, jg_dtype dtype, uint32_t *out)
{
    uint32_t text;
    if (kernel->nvalues != kernel->nscalars)
        return base_fail(JG_ERR_VALUE,
                         "scalar %s: comes late, allowed are scalars before all instructions",
                         name);
    JG_TRY(add_name(kernel, name, &text));
    JG_TRY(add_value(kernel, dtype, KERNEL_NONE, text));
    JG_TRY(add_parameter(kernel, false, kernel->nscalars));
    *out = kernel->nscalars++;
    return JG_OK;
}

void kernel_order_parameters(kernel_program *kernel)
{
    kernel_parameter *parameters = (kernel_parameter *)(void *)kernel->parameters.data;
    for (uint32_t i = 0; i < kernel->narrays + kernel->nscalars; ++i) {
        bool is_array = i < kernel->narrays;
        parameters[i] = (kernel_parameter){is_array, is_array ? i : i - kernel->narrays};
    }
}

jg_status kernel_add_result(kernel_program *kernel, jg_dtype dtype)
{
    if (kernel->nresults == KERNEL_MAX_RESULTS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "kernel: got one more result than the %d that are allowed",
                         KERNEL_MAX_RESULTS);
    kernel->results[kernel->nresults++] = (uint8_t)dtype;
    return JG_OK;
}

/* The local and the instruction at which it begins, whose position is the next. */
static jg_status declare(kernel_program *kernel, const char *name, kernel_local local,
                         uint32_t *out)
{
    kernel_inst inst = {.op = local.stack ? KERNEL_STACK : KERNEL_LOCAL,
                        .type = local.dtype,
                        .to = local.dtype,
                        .target = kernel->nlocals};
    uint32_t nothing;
    local.declaration = kernel->ninsts;
    JG_TRY(add_name(kernel, name, &local.name));
    JG_TRY(vec_append(&kernel->locals, &local, sizeof local));
    *out = kernel->nlocals++;
    return kernel_append(kernel, &inst, 0, NULL, &nothing);
}

jg_status kernel_add_local(kernel_program *kernel, const char *name, jg_dtype dtype,
                           uint32_t length, uint32_t *out)
{
    return declare(kernel, name, (kernel_local){.dtype = (uint8_t)dtype, .length = length}, out);
}

jg_status kernel_add_stack(kernel_program *kernel, const char *name, jg_dtype dtype, uint32_t *out)
{
    return declare(kernel, name, (kernel_local){.dtype = (uint8_t)dtype, .stack = true}, out);
}

/* The innermost loop around the next instruction; a break leaves only blocks inside that loop. An
 * ELSE replaces its IF among the open blocks, and has its link to the enclosing block. */
static jg_status find_loop(const kernel_program *kernel, uint16_t op, uint32_t *out)
{
    uint32_t at = kernel->open;
    while (at != KERNEL_NONE && !kernel_is_loop(kernel_inst_at(kernel, at)->op))
        at = kernel_inst_at(kernel, at)->match;
    if (at == KERNEL_NONE)
        return base_fail(JG_ERR_VALUE, "%s: outside a loop, allowed is inside one",
                         kernel_row(op)->name);
    *out = at;
    return JG_OK;
}

/* Each of these sets inst->match for an instruction that is to be appended at ninsts, and changes
 * the list of open blocks; after a failure nothing has changed. */
static jg_status open_block(kernel_program *kernel, kernel_inst *inst)
{
    if (kernel->depth == KERNEL_MAX_DEPTH)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "%s: blocks are one deeper than the %d that are allowed",
                         kernel_row(inst->op)->name, KERNEL_MAX_DEPTH);
    inst->match = kernel->open;
    kernel->open = kernel->ninsts;
    kernel->depth += 1;
    return JG_OK;
}

/* The ELSE replaces its IF among the open blocks. */
static jg_status change_block(kernel_program *kernel, kernel_inst *inst)
{
    kernel_inst *opener = kernel->open == KERNEL_NONE ? NULL : kernel_inst_at(kernel, kernel->open);
    if (opener == NULL || opener->op != KERNEL_IF)
        return base_fail(JG_ERR_VALUE, "else: not in the block of an if, allowed is once there");
    inst->match = opener->match;
    opener->match = kernel->ninsts;
    kernel->open = kernel->ninsts;
    return JG_OK;
}

static jg_status close_block(kernel_program *kernel, kernel_inst *inst)
{
    if (kernel->open == KERNEL_NONE)
        return base_fail(JG_ERR_VALUE, "end: no block is open, allowed is one for each");
    kernel_inst *opener = kernel_inst_at(kernel, kernel->open);
    inst->match = kernel->open;
    kernel->open = opener->match;
    kernel->depth -= 1;
    opener->match = kernel->ninsts;
    return JG_OK;
}

static jg_status put_in_block(kernel_program *kernel, kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_PARALLEL:
    case KERNEL_FOR:
    case KERNEL_LOOP:
    case KERNEL_IF: return open_block(kernel, inst);
    case KERNEL_ELSE: return change_block(kernel, inst);
    case KERNEL_END: return close_block(kernel, inst);
    case KERNEL_BREAK:
    case KERNEL_CONTINUE: return find_loop(kernel, inst->op, &inst->match);
    default: inst->match = KERNEL_NONE; return JG_OK;
    }
}

/* Memory first, so that a failure leaves the blocks as they were. Operands and values of a failed
 * one may remain: after a failure the kernel can only be cleared. */
jg_status kernel_append(kernel_program *kernel, const kernel_inst *inst, uint32_t noperands,
                        const uint32_t *operands, uint32_t *out)
{
    kernel_inst made = *inst;
    if (kernel->ninsts == KERNEL_MAX_INSTS)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "kernel: got one more instruction than the %d that are allowed",
                         KERNEL_MAX_INSTS);
    if (noperands > KERNEL_MAX_RESULTS)
        return base_fail(JG_ERR_UNSUPPORTED, "%s: got %u operands, allowed are %d",
                         kernel_row(inst->op)->name, noperands, KERNEL_MAX_RESULTS);
    made.operands = (uint32_t)(kernel->operands.nbytes / sizeof *operands);
    made.noperands = noperands;
    made.nvalues = kernel_count_values(inst->op, noperands);
    made.first = made.nvalues ? kernel->nvalues : KERNEL_NONE;
    made.line = kernel->line;
    JG_TRY(vec_append(&kernel->operands, operands, noperands * sizeof *operands));
    for (int i = 0; i < made.nvalues; ++i)
        JG_TRY(add_value(kernel, (jg_dtype)made.to, kernel->ninsts, 0));
    void *added;
    JG_TRY(vec_grow(&kernel->insts, sizeof made, &added));
    jg_status status = put_in_block(kernel, &made);
    if (status != JG_OK) {
        kernel->insts.nbytes -= sizeof made;
        return status;
    }
    memcpy(added, &made, sizeof made);
    kernel->ninsts += 1;
    *out = made.first;
    return JG_OK;
}

jg_status kernel_const(kernel_program *kernel, jg_dtype type, jg_scalar value, jg_dtype_kind kind,
                       uint32_t *out)
{
    kernel_inst inst = {.op = KERNEL_CONST, .type = (uint8_t)type, .to = (uint8_t)type};
    scalar_store(value, kind, type, &inst.immediate);
    return kernel_append(kernel, &inst, 0, NULL, out);
}

/* Operands are values of the kernel, at least one. */
jg_status kernel_apply(kernel_program *kernel, uint16_t op, uint32_t noperands,
                       const uint32_t *operands, uint32_t *out)
{
    uint32_t decisive = operands[op == PROGRAM_SELECT && noperands > 1 ? 1 : 0];
    jg_dtype type = (jg_dtype)kernel_value_at(kernel, decisive)->type;
    bool to_bool = kernel_row(op)->result == RESULT_BOOL;
    kernel_inst inst = {
        .op = op, .type = (uint8_t)type, .to = (uint8_t)(to_bool ? JG_DTYPE_BOOL : type)};
    return kernel_append(kernel, &inst, noperands, operands, out);
}

jg_status kernel_cast(kernel_program *kernel, uint32_t value, jg_dtype to, uint32_t *out)
{
    uint8_t type = kernel_value_at(kernel, value)->type;
    kernel_inst inst = {.op = PROGRAM_CAST, .type = type, .to = (uint8_t)to};
    if (type == to) {
        *out = value;
        return JG_OK;
    }
    return kernel_append(kernel, &inst, 1, &value, out);
}

jg_status kernel_load(kernel_program *kernel, uint32_t array, uint32_t nindices,
                      const uint32_t *indices, uint32_t *out)
{
    uint8_t type = kernel_array_at(kernel, array)->dtype;
    kernel_inst inst = {.op = KERNEL_LOAD, .type = type, .to = type, .target = array};
    return kernel_append(kernel, &inst, nindices, indices, out);
}
