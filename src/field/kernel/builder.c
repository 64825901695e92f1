/* SPDX-License-Identifier: Apache-2.0 */
/* The builder of <joggle/kernel.h> over that of kernel/kernel.h.
 *
 * A user's calls are checked for what the inner builder assumes, that values and places belong to
 * this kernel; the rules of the language are checked once, at the end. The first failure is kept
 * and everything after it ignored. */
#include "field/kernel.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOCAL_PLACE (1u << 31) /* of a jg_place: the rest numbers a local and not an array */

/* Once something went wrong the functions give value or place 0 and change nothing, so that callers
 * need one check, at the end. */
struct jg_kernel_builder {
    kernel_program kernel;
    jg_error error; /* status JG_OK as long as nothing went wrong */
};

/* Keeps a copy of the thread's message, which later calls would overwrite. */
static void remember(jg_kernel_builder *b, jg_status status)
{
    if (status != JG_OK)
        error_capture(&b->error, status);
}

static bool has_failed(const jg_kernel_builder *b)
{
    return b->error.status != JG_OK;
}

jg_status jg_builder_new(const char *name, unsigned flags, jg_kernel_builder **out)
{
    jg_kernel_builder *b = base_alloc_zeroed(sizeof *b);
    if (b == NULL)
        return base_nomem(sizeof *b, "a kernel's builder");
    jg_status status = kernel_init(&b->kernel, name, (flags & JG_KERNEL_FAST_MATH) != 0);
    if (status != JG_OK) {
        base_free(b);
        return status;
    }
    *out = b;
    return JG_OK;
}

void jg_builder_release(jg_kernel_builder *builder)
{
    if (builder == NULL)
        return;
    kernel_clear(&builder->kernel);
    base_free(builder);
}

jg_status jg_builder_finish(jg_kernel_builder *builder, jg_kernel **out)
{
    if (has_failed(builder))
        return error_raise(&builder->error);
    JG_TRY(kernel_verify(&builder->kernel));
    JG_TRY(field_kernel_take_program(&builder->kernel, out));
    jg_builder_release(builder);
    return JG_OK;
}

void jg_builder_set_line(jg_kernel_builder *builder, int line)
{
    builder->kernel.line = line > 0 ? (uint32_t)line : 0;
}

jg_place jg_builder_array_of(jg_kernel_builder *builder, const char *name, jg_dtype dtype, int ndim,
                             const int64_t *extents, const int64_t *strides)
{
    jg_place place = {0};
    if (!has_failed(builder))
        remember(builder, kernel_add_array(&builder->kernel, name, dtype, ndim, extents, strides,
                                           &place.id));
    return place;
}

/* An ndim that is not allowed is refused by kernel_add_array, before it reads the extents. */
jg_place jg_builder_array(jg_kernel_builder *builder, const char *name, jg_dtype dtype, int ndim)
{
    int64_t given[KERNEL_MAX_NDIM];
    for (int d = 0; d < KERNEL_MAX_NDIM; ++d)
        given[d] = KERNEL_GIVEN;
    return jg_builder_array_of(builder, name, dtype, ndim, given, given);
}

jg_value jg_builder_scalar(jg_kernel_builder *builder, const char *name, jg_dtype dtype)
{
    jg_value value = {0};
    if (!has_failed(builder))
        remember(builder, kernel_add_scalar(&builder->kernel, name, dtype, &value.id));
    return value;
}

void jg_builder_result(jg_kernel_builder *builder, jg_dtype dtype)
{
    if (!has_failed(builder))
        remember(builder, kernel_add_result(&builder->kernel, dtype));
}

jg_place jg_builder_local(jg_kernel_builder *builder, const char *name, jg_dtype dtype, int length)
{
    jg_place place = {0};
    if (has_failed(builder))
        return place;
    if (length < 0)
        remember(builder, base_fail(JG_ERR_VALUE, "local %s: length: got %d, allowed 0 and more",
                                    name, length));
    else
        remember(builder,
                 kernel_add_local(&builder->kernel, name, dtype, (uint32_t)length, &place.id));
    place.id |= LOCAL_PLACE;
    return place;
}

/* Whether the values are some of the kernel's; whether they are in scope is for the verifier. */
static jg_status check_values(const jg_kernel_builder *b, int count, const uint32_t *values)
{
    for (int i = 0; i < count; ++i)
        if (values[i] >= b->kernel.nvalues)
            return base_fail(JG_ERR_VALUE,
                             "kernel %s: operand %d is no value of the kernel; allowed are those "
                             "that its builder gave",
                             kernel_text(&b->kernel, b->kernel.name), i + 1);
    return JG_OK;
}

/* The first value that the instruction defines; 0 after a failure. */
static jg_value append(jg_kernel_builder *b, const kernel_inst *inst, int count,
                       const uint32_t *operands)
{
    jg_value value = {0};
    if (has_failed(b))
        return value;
    jg_status status = check_values(b, count, operands);
    if (status == JG_OK)
        status = kernel_append(&b->kernel, inst, (uint32_t)count, operands, &value.id);
    remember(b, status);
    return value;
}

/* An instruction without operands and type. */
static jg_value append_plain(jg_kernel_builder *b, uint16_t op)
{
    return append(b, &(kernel_inst){.op = op}, 0, NULL);
}

/* Whether the number is one of the dtype's; floats round others. */
static bool is_exact(jg_dtype dtype, jg_scalar value, jg_dtype_kind kind)
{
    bool is_float = kind == JG_KIND_FLOAT, is_bool = dtype == JG_DTYPE_BOOL;
    if (is_bool)
        return is_float ? value.f64 == 0 || value.f64 == 1 : value.u64 <= 1;
    if (dtype_is_integer(dtype) && is_float && value.f64 != trunc(value.f64))
        return false;
    return scalar_fits(value, kind, dtype);
}

static jg_status fail_const(jg_dtype dtype, jg_scalar value, jg_dtype_kind kind)
{
    char text[32];
    if (kind == JG_KIND_FLOAT)
        snprintf(text, sizeof text, "%.17g", value.f64);
    else
        snprintf(text, sizeof text, "%" PRId64, value.i64);
    return base_fail(JG_ERR_VALUE, "value: got %s for a constant, allowed are numbers of %s", text,
                     dtype_rows[dtype].name);
}

/* kind: in which member of value the number is. Constants are converted here, as they are stored in
 * the dtype's bytes. */
static jg_value add_const(jg_kernel_builder *b, jg_dtype dtype, jg_scalar value, jg_dtype_kind kind)
{
    jg_value made = {0};
    if (has_failed(b))
        return made;
    if (!kernel_has_type(dtype))
        remember(b, base_fail(
                        JG_ERR_TYPE,
                        "dtype: got %s for a constant, allowed are those that kernels compute with",
                        jg_dtype_name(dtype)));
    else if (!is_exact(dtype, value, kind))
        remember(b, fail_const(dtype, value, kind));
    else
        remember(b, kernel_const(&b->kernel, dtype, value, kind, &made.id));
    return made;
}

jg_value jg_builder_int(jg_kernel_builder *builder, jg_dtype dtype, int64_t value)
{
    return add_const(builder, dtype, (jg_scalar){.i64 = value}, JG_KIND_INT);
}

jg_value jg_builder_float(jg_kernel_builder *builder, jg_dtype dtype, double value)
{
    return add_const(builder, dtype, (jg_scalar){.f64 = value}, JG_KIND_FLOAT);
}

/* The instruction of that name on operands of one type. Conversions have functions of their own. */
static jg_value apply(jg_kernel_builder *b, const char *name, int count, const uint32_t *operands)
{
    jg_value value = {0};
    uint32_t op = kernel_op_named(name, strlen(name));
    if (has_failed(b))
        return value;
    jg_status status = check_values(b, count, operands);
    if (status == JG_OK && (op == KERNEL_NONE || kernel_row((uint16_t)op)->result == RESULT_TO))
        status = base_fail(
            JG_ERR_VALUE,
            "kernel %s: there is no instruction %s, allowed are those of docs/kernel-text.md",
            kernel_text(&b->kernel, b->kernel.name), name);
    if (status == JG_OK)
        status = kernel_apply(&b->kernel, (uint16_t)op, (uint32_t)count, operands, &value.id);
    remember(b, status);
    return value;
}

jg_value jg_builder_unary(jg_kernel_builder *builder, const char *op, jg_value x)
{
    return apply(builder, op, 1, &x.id);
}

jg_value jg_builder_binary(jg_kernel_builder *builder, const char *op, jg_value x, jg_value y)
{
    return apply(builder, op, 2, (uint32_t[]){x.id, y.id});
}

jg_value jg_builder_ternary(jg_kernel_builder *builder, const char *op, jg_value x, jg_value y,
                            jg_value z)
{
    return apply(builder, op, 3, (uint32_t[]){x.id, y.id, z.id});
}

/* A conversion to the type that x has is x. */
static jg_value convert(jg_kernel_builder *b, uint16_t op, jg_value x, jg_dtype dtype)
{
    kernel_inst inst = {.op = op, .to = (uint8_t)dtype};
    if (has_failed(b) || x.id >= b->kernel.nvalues) /* append writes the message */
        return append(b, &inst, 1, &x.id);
    inst.type = kernel_value_at(&b->kernel, x.id)->type;
    return inst.type == inst.to ? x : append(b, &inst, 1, &x.id);
}

jg_value jg_builder_cast(jg_kernel_builder *builder, jg_value x, jg_dtype dtype)
{
    return convert(builder, PROGRAM_CAST, x, dtype);
}

jg_value jg_builder_bitcast(jg_kernel_builder *builder, jg_value x, jg_dtype dtype)
{
    return convert(builder, KERNEL_BITCAST, x, dtype);
}

jg_value jg_builder_random(jg_kernel_builder *builder, jg_dtype dtype)
{
    return append(builder, &(kernel_inst){.op = KERNEL_RANDOM, .to = (uint8_t)dtype}, 0, NULL);
}

jg_value jg_builder_extent(jg_kernel_builder *builder, jg_place array, int axis)
{
    kernel_inst inst = {
        .op = KERNEL_EXTENT, .to = JG_DTYPE_INT64, .target = array.id, .immediate = axis};
    return append(builder, &inst, 0, NULL);
}

/* The instruction that does for the place what array_op does for an array. gives: *out, which a
 * failure leaves as it was | raises: VALUE for a place of another kernel */
static jg_status aim(const jg_kernel_builder *b, jg_place place, uint16_t array_op,
                     uint16_t local_op, kernel_inst *out)
{
    bool local = (place.id & LOCAL_PLACE) != 0;
    uint32_t target = place.id & ~LOCAL_PLACE;
    if (target >= (local ? b->kernel.nlocals : b->kernel.narrays))
        return base_fail(
            JG_ERR_VALUE,
            "kernel %s: %s: no such place; allowed are arrays and locals of the kernel",
            kernel_text(&b->kernel, b->kernel.name), kernel_row(array_op)->name);
    uint8_t dtype = local ? kernel_local_at(&b->kernel, target)->dtype
                          : kernel_array_at(&b->kernel, target)->dtype;
    *out = (kernel_inst){
        .op = local ? local_op : array_op, .type = dtype, .to = dtype, .target = target};
    return JG_OK;
}

/* Indices, and after them what is stored: at most two values. aimed: the status of aim for inst,
 * checked here so that callers need not. */
static jg_value access_place(jg_kernel_builder *b, kernel_inst *inst, jg_status aimed, int nindices,
                             const jg_value *indices, int nstored, const jg_value *stored)
{
    uint32_t operands[KERNEL_MAX_NDIM + 2];
    if (has_failed(b) || aimed != JG_OK || nindices < 0 || nindices > KERNEL_MAX_NDIM) {
        if (!has_failed(b))
            remember(b, aimed != JG_OK
                            ? aimed
                            : base_fail(JG_ERR_VALUE, "%s: nindices: got %d, allowed 0 to %d",
                                        kernel_row(inst->op)->name, nindices, KERNEL_MAX_NDIM));
        return (jg_value){0};
    }
    for (int i = 0; i < nindices; ++i)
        operands[i] = indices[i].id;
    for (int i = 0; i < nstored; ++i)
        operands[nindices + i] = stored[i].id;
    return append(b, inst, nindices + nstored, operands);
}

jg_value jg_builder_load(jg_kernel_builder *builder, jg_place place, int nindices,
                         const jg_value *indices)
{
    kernel_inst inst = {0};
    jg_status aimed = aim(builder, place, KERNEL_LOAD, KERNEL_GET, &inst);
    return access_place(builder, &inst, aimed, nindices, indices, 0, NULL);
}

void jg_builder_store(jg_kernel_builder *builder, jg_place place, int nindices,
                      const jg_value *indices, jg_value value)
{
    kernel_inst inst = {0};
    jg_status aimed = aim(builder, place, KERNEL_STORE, KERNEL_SET, &inst);
    access_place(builder, &inst, aimed, nindices, indices, 1, &value);
}

jg_value jg_builder_atomic(jg_kernel_builder *builder, const char *op, jg_place place, int nindices,
                           const jg_value *indices, jg_value value)
{
    kernel_inst inst = {0}; /* of the first atomic, from which the name is looked for */
    jg_status aimed = aim(builder, place, KERNEL_ATOMIC, KERNEL_ATOMIC_LOCAL, &inst);
    while (inst.atomic < KERNEL_ATOMIC_COUNT &&
           strcmp(kernel_atomic_rows[inst.atomic].name, op) != 0)
        inst.atomic += 1;
    if (aimed == JG_OK && inst.atomic >= KERNEL_ATOMIC_COMPARE_EXCHANGE)
        aimed = base_fail(
            JG_ERR_VALUE,
            "kernel %s: there is no atomic %s of one value, allowed are those of jg_builder_atomic",
            kernel_text(&builder->kernel, builder->kernel.name), op);
    return access_place(builder, &inst, aimed, nindices, indices, 1, &value);
}

jg_value jg_builder_compare_exchange(jg_kernel_builder *builder, jg_place place, int nindices,
                                     const jg_value *indices, jg_value expected, jg_value value)
{
    kernel_inst inst = {0};
    jg_status aimed = aim(builder, place, KERNEL_ATOMIC, KERNEL_ATOMIC_LOCAL, &inst);
    inst.atomic = KERNEL_ATOMIC_COMPARE_EXCHANGE;
    return access_place(builder, &inst, aimed, nindices, indices, 2, (jg_value[]){expected, value});
}

void jg_builder_parallel(jg_kernel_builder *builder, int nranges, const jg_value *low,
                         const jg_value *high, int64_t block, jg_value *indices)
{
    uint32_t operands[2 * KERNEL_MAX_RANGES] = {0};
    for (int i = 0; i < nranges; ++i) /* set also after a failure: the caller continues to use
                                         them */
        indices[i].id = 0;
    if (nranges < 1 || nranges > KERNEL_MAX_RANGES) {
        if (!has_failed(builder))
            remember(builder, base_fail(JG_ERR_VALUE, "parallel: nranges: got %d, allowed 1 to %d",
                                        nranges, KERNEL_MAX_RANGES));
        return;
    }
    for (int i = 0; i < nranges; ++i) {
        operands[2 * i] = low[i].id;
        operands[2 * i + 1] = high[i].id;
    }
    kernel_inst inst = {.op = KERNEL_PARALLEL, .immediate = block};
    /* The indices have the bounds' type; append refuses what is no value, the verifier the rest. */
    if (low[0].id < builder->kernel.nvalues)
        inst.type = inst.to = kernel_value_at(&builder->kernel, low[0].id)->type;
    jg_value first = append(builder, &inst, 2 * nranges, operands);
    for (int i = 0; i < nranges; ++i) /* the values of one instruction have ascending numbers */
        indices[i].id = first.id + (uint32_t)i;
}

jg_value jg_builder_for(jg_kernel_builder *builder, jg_value low, jg_value high, int64_t step)
{
    kernel_inst inst = {.op = KERNEL_FOR, .immediate = step};
    if (low.id < builder->kernel.nvalues)
        inst.type = inst.to = kernel_value_at(&builder->kernel, low.id)->type;
    return append(builder, &inst, 2, (uint32_t[]){low.id, high.id});
}

void jg_builder_loop(jg_kernel_builder *builder)
{
    append_plain(builder, KERNEL_LOOP);
}

void jg_builder_if(jg_kernel_builder *builder, jg_value condition)
{
    append(builder, &(kernel_inst){.op = KERNEL_IF}, 1, &condition.id);
}

void jg_builder_else(jg_kernel_builder *builder)
{
    append_plain(builder, KERNEL_ELSE);
}

void jg_builder_end(jg_kernel_builder *builder)
{
    append_plain(builder, KERNEL_END);
}

void jg_builder_break(jg_kernel_builder *builder)
{
    append_plain(builder, KERNEL_BREAK);
}

void jg_builder_continue(jg_kernel_builder *builder)
{
    append_plain(builder, KERNEL_CONTINUE);
}

/* leading: a condition before the values, or NULL. It counts toward KERNEL_MAX_RESULTS. */
static void append_values(jg_kernel_builder *b, const kernel_inst *inst, const jg_value *leading,
                          int nvalues, const jg_value *values)
{
    uint32_t operands[KERNEL_MAX_RESULTS];
    int count = 0;
    if (nvalues < 0 || nvalues >= KERNEL_MAX_RESULTS) {
        if (!has_failed(b))
            remember(b, base_fail(JG_ERR_VALUE, "%s: nvalues: got %d, allowed 0 to %d",
                                  kernel_row(inst->op)->name, nvalues, KERNEL_MAX_RESULTS - 1));
        return;
    }
    if (leading != NULL)
        operands[count++] = leading->id;
    for (int i = 0; i < nvalues; ++i)
        operands[count++] = values[i].id;
    append(b, inst, count, operands);
}

static void append_message(jg_kernel_builder *b, kernel_inst *inst, const jg_value *condition,
                           const char *text, int nvalues, const jg_value *values)
{
    if (has_failed(b))
        return;
    remember(b, kernel_add_text(&b->kernel, text, strlen(text), &inst->target));
    append_values(b, inst, condition, nvalues, values);
}

void jg_builder_assert(jg_kernel_builder *builder, jg_value condition, const char *text,
                       int nvalues, const jg_value *values)
{
    kernel_inst inst = {.op = KERNEL_ASSERT, .status = JG_ERR_ASSERT};
    append_message(builder, &inst, &condition, text, nvalues, values);
}

void jg_builder_print(jg_kernel_builder *builder, const char *text, int nvalues,
                      const jg_value *values)
{
    kernel_inst inst = {.op = KERNEL_PRINT};
    append_message(builder, &inst, NULL, text, nvalues, values);
}

void jg_builder_return(jg_kernel_builder *builder, int nvalues, const jg_value *values)
{
    append_values(builder, &(kernel_inst){.op = KERNEL_RETURN}, NULL, nvalues, values);
}
