/* SPDX-License-Identifier: Apache-2.0 */
/* Building one kernel from another: copies of instructions with mapped operands, and the
 * instructions that the passes append most. Lines of the source are kept. */
#include "derive/passes.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint32_t *derive_new_indices(uint32_t count)
{
    size_t nbytes = ((size_t)count + 1) * sizeof(uint32_t);
    uint32_t *made = base_alloc(nbytes);
    if (made == NULL)
        base_nomem(nbytes, "the rewriting of a kernel");
    else
        memset(made, 0xff, nbytes);
    return made;
}

static jg_status copy_arrays(const kernel_program *from, kernel_program *to)
{
    uint32_t array;
    for (uint32_t a = 0; a < from->narrays; ++a) {
        const kernel_array *source = kernel_array_at(from, a);
        JG_TRY(kernel_add_array(to, kernel_text(from, source->name), (jg_dtype)source->dtype,
                                source->ndim, source->extents,
                                source->dense ? NULL : source->strides, &array));
    }
    return JG_OK;
}

static jg_status copy_scalars(derive_rewrite *rewrite)
{
    for (uint32_t s = 0; s < rewrite->from->nscalars; ++s) {
        const kernel_value *scalar = kernel_value_at(rewrite->from, s);
        JG_TRY(kernel_add_scalar(rewrite->to, kernel_text(rewrite->from, scalar->name),
                                 (jg_dtype)scalar->type, &rewrite->values[s]));
    }
    return JG_OK;
}

/* In this order, as scalars must be the first values. */
static jg_status copy_declarations(derive_rewrite *rewrite, bool results)
{
    rewrite->values = derive_new_indices(rewrite->from->nvalues);
    rewrite->locals = derive_new_indices(rewrite->from->nlocals);
    if (rewrite->values == NULL || rewrite->locals == NULL)
        return JG_ERR_NOMEM;
    JG_TRY(copy_arrays(rewrite->from, rewrite->to));
    JG_TRY(copy_scalars(rewrite));
    for (uint32_t r = 0; results && r < rewrite->from->nresults; ++r)
        JG_TRY(kernel_add_result(rewrite->to, (jg_dtype)rewrite->from->results[r]));
    return JG_OK;
}

jg_status rewrite_begin(const kernel_program *from, bool results, kernel_program *to,
                        derive_rewrite *out)
{
    derive_rewrite rewrite = {from, to, NULL, NULL};
    JG_TRY(kernel_init(to, kernel_text(from, from->name), from->fast_math));
    to->checked = from->checked;
    to->checked_all = from->checked_all;
    to->alone = from->alone;
    jg_status status = copy_declarations(&rewrite, results);
    if (status != JG_OK) {
        rewrite_end(&rewrite);
        kernel_clear(to);
        return status;
    }
    *out = rewrite;
    return JG_OK;
}

void rewrite_end(derive_rewrite *rewrite)
{
    base_free(rewrite->values);
    base_free(rewrite->locals);
}

bool derive_has_array(const kernel_program *kernel, const char *name)
{
    for (uint32_t a = 0; a < kernel->narrays; ++a)
        if (strcmp(kernel_text(kernel, kernel_array_at(kernel, a)->name), name) == 0)
            return true;
    return false;
}

/* The name with a new number instead of the one that an earlier pass may have appended. Locals and
 * arrays share their names (kernel/names.c), and arrays are all there before. */
static void name_local(const kernel_program *to, const char *name, size_t nbytes, char *out)
{
    size_t length = strlen(name), digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits += 1;
    if (digits > 0 && digits + 1 < length && name[length - 1 - digits] == '_')
        length -= digits + 1;
    snprintf(out, nbytes, "%.*s_%" PRIu32, length < 200 ? (int)length : 200, name, to->nlocals);
    for (length = strlen(out); derive_has_array(to, out) && length + 1 < nbytes; ++length)
        memcpy(out + length, "_", 2);
}

jg_status rewrite_add_local(kernel_program *to, const char *name, jg_dtype dtype, uint32_t length,
                            uint32_t *out)
{
    char unique[256];
    name_local(to, name, sizeof unique, unique);
    return kernel_add_local(to, unique, dtype, length, out);
}

jg_status rewrite_add_stack(kernel_program *to, const char *name, jg_dtype dtype, uint32_t *out)
{
    char unique[256];
    name_local(to, name, sizeof unique, unique);
    return kernel_add_stack(to, unique, dtype, out);
}

static jg_status copy_local(derive_rewrite *rewrite, uint32_t number)
{
    const kernel_local *local = kernel_local_at(rewrite->from, number);
    if (local->stack)
        return rewrite_add_stack(rewrite->to, kernel_text(rewrite->from, local->name),
                                 (jg_dtype)local->dtype, &rewrite->locals[number]);
    return rewrite_add_local(rewrite->to, kernel_text(rewrite->from, local->name),
                             (jg_dtype)local->dtype, local->length, &rewrite->locals[number]);
}

static bool uses_local(uint16_t op)
{
    return op == KERNEL_GET || op == KERNEL_SET || op == KERNEL_ATOMIC_LOCAL || op == KERNEL_PUSH ||
           op == KERNEL_POP;
}

/* Arrays keep their numbers: a rewrite begins with all of them. */
static jg_status copy_target(derive_rewrite *rewrite, kernel_inst *inst)
{
    const char *text = kernel_text(rewrite->from, inst->target);
    if (inst->op == KERNEL_ASSERT || inst->op == KERNEL_PRINT)
        return kernel_add_text(rewrite->to, text, strlen(text), &inst->target);
    if (uses_local(inst->op))
        inst->target = rewrite->locals[inst->target];
    return JG_OK;
}

/* Copies the instruction first, as appending to a kernel that is rewritten into itself would move
 * it; a jump finds its loop in the new kernel by itself (kernel_append). */
jg_status rewrite_copy(derive_rewrite *rewrite, uint32_t position)
{
    kernel_inst inst = *kernel_inst_at(rewrite->from, position);
    const uint32_t *operands = kernel_operands(rewrite->from, &inst);
    uint32_t mapped[KERNEL_MAX_RESULTS], first;
    rewrite->to->line = inst.line;
    if (inst.op == KERNEL_LOCAL || inst.op == KERNEL_STACK)
        return copy_local(rewrite, inst.target);
    JG_TRY(copy_target(rewrite, &inst));
    for (uint32_t i = 0; i < inst.noperands; ++i)
        mapped[i] = rewrite->values[operands[i]];
    JG_TRY(kernel_append(rewrite->to, &inst, inst.noperands, mapped, &first));
    for (uint32_t i = 0; i < inst.nvalues; ++i)
        rewrite->values[inst.first + i] = first + i;
    return JG_OK;
}

jg_status rewrite_plain(kernel_program *to, uint16_t op)
{
    uint32_t nothing;
    to->line = 0; /* an END that the source does not have has no line of it */
    return kernel_append(to, &(kernel_inst){.op = op}, 0, NULL, &nothing);
}

jg_status rewrite_if(kernel_program *to, uint32_t condition)
{
    uint32_t nothing;
    kernel_inst inst = {.op = KERNEL_IF, .type = JG_DTYPE_BOOL, .to = JG_DTYPE_BOOL};
    return kernel_append(to, &inst, 1, &condition, &nothing);
}

jg_status rewrite_number(kernel_program *to, jg_dtype type, double number, uint32_t *out)
{
    return kernel_const(to, type, (jg_scalar){.f64 = number}, JG_KIND_FLOAT, out);
}

jg_status rewrite_integer(kernel_program *to, int64_t number, uint32_t *out)
{
    return kernel_const(to, JG_DTYPE_INT64, (jg_scalar){.i64 = number}, JG_KIND_INT, out);
}

/* Appends an access to an element of an array or a local. The operands are the indices, then the
 * value if there is one. */
static jg_status access_element(kernel_program *to, uint16_t op, uint8_t type, uint32_t target,
                                uint32_t nindices, const uint32_t *indices, const uint32_t *value,
                                uint32_t *out)
{
    uint32_t operands[KERNEL_MAX_NDIM + 1] = {0};
    kernel_inst inst = {.op = op, .type = type, .to = type, .target = target};
    for (uint32_t i = 0; i < nindices; ++i)
        operands[i] = indices[i];
    if (value != NULL)
        operands[nindices] = *value;
    return kernel_append(to, &inst, nindices + (value != NULL), operands, out);
}

jg_status rewrite_get(kernel_program *to, uint32_t local, uint32_t nindices,
                      const uint32_t *indices, uint32_t *out)
{
    return access_element(to, KERNEL_GET, kernel_local_at(to, local)->dtype, local, nindices,
                          indices, NULL, out);
}

jg_status rewrite_set(kernel_program *to, uint32_t local, uint32_t nindices,
                      const uint32_t *indices, uint32_t value)
{
    uint32_t nothing;
    return access_element(to, KERNEL_SET, kernel_local_at(to, local)->dtype, local, nindices,
                          indices, &value, &nothing);
}

jg_status rewrite_store(kernel_program *to, uint32_t array, uint32_t nindices,
                        const uint32_t *indices, uint32_t value)
{
    uint32_t nothing;
    return access_element(to, KERNEL_STORE, kernel_array_at(to, array)->dtype, array, nindices,
                          indices, &value, &nothing);
}

jg_status rewrite_atomic_add(kernel_program *to, uint16_t op, uint32_t target, uint32_t nindices,
                             const uint32_t *indices, uint32_t value)
{
    uint32_t nothing;
    uint8_t type = kernel_value_at(to, value)->type;
    return access_element(to, op, type, target, nindices, indices, &value, &nothing);
}

jg_status rewrite_push(kernel_program *to, uint32_t stack, uint32_t value)
{
    uint32_t nothing;
    return access_element(to, KERNEL_PUSH, kernel_local_at(to, stack)->dtype, stack, 0, NULL,
                          &value, &nothing);
}

jg_status rewrite_pop(kernel_program *to, uint32_t stack, uint32_t *out)
{
    return access_element(to, KERNEL_POP, kernel_local_at(to, stack)->dtype, stack, 0, NULL, NULL,
                          out);
}

uint32_t derive_last_of(const kernel_program *kernel, uint32_t position)
{
    uint32_t last = kernel_inst_at(kernel, position)->match;
    return kernel_inst_at(kernel, last)->op == KERNEL_ELSE ? kernel_inst_at(kernel, last)->match
                                                           : last;
}

uint32_t derive_next_after(const kernel_program *kernel, uint32_t position)
{
    bool opens = kernel_opens(kernel_inst_at(kernel, position)->op);
    return (opens ? derive_last_of(kernel, position) : position) + 1;
}

/* BREAK, END of its IF, END of the loop are the last three; the match keeps a break of an inner
 * loop, which cannot stand there, from being taken for one. */
bool derive_has_break(const kernel_program *kernel, uint32_t position)
{
    uint32_t end = kernel_inst_at(kernel, position)->match;
    return end >= position + 3 && kernel_inst_at(kernel, end - 2)->op == KERNEL_BREAK &&
           kernel_inst_at(kernel, end - 2)->match == position;
}
