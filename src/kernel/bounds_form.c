/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of a kernel as sums of multiples of other values, and the ranges of loops.
 *
 * Sums are exact, as those of addresses are (kernel.h). */
#include "kernel/bounds_analysis.h"
#include <string.h>

enum { MAX_FACTOR = 1 << 28 };

static bool form_of(const bounds_analysis *s, uint32_t value, int depth, bounds_form *out);

const kernel_inst *bounds_definition(const bounds_analysis *s, uint32_t value)
{
    uint32_t position = kernel_value_at(s->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(s->kernel, position);
}

bool bounds_is_signed(jg_dtype type)
{
    return dtype_rows[type].kind == JG_KIND_INT;
}

static int64_t number_of(const kernel_inst *constant)
{
    unsigned shift = 64 - dtype_rows[constant->to].bits;
    return (int64_t)((uint64_t)constant->immediate << shift) >> shift;
}

static bool same_atom(const bounds_term *a, const bounds_term *b)
{
    return a->value == b->value && a->array == b->array && a->axis == b->axis && a->type == b->type;
}

/* *into += factor * term. gives: false if it is full */
static bool add_term(bounds_form *into, const bounds_term *term, int64_t factor)
{
    int64_t product;
    if (__builtin_mul_overflow(term->factor, factor, &product))
        return false;
    for (uint32_t t = 0; t < into->count; ++t) {
        if (!same_atom(&into->terms[t], term))
            continue;
        if (__builtin_add_overflow(into->terms[t].factor, product, &into->terms[t].factor))
            return false;
        if (into->terms[t].factor == 0)
            into->terms[t] = into->terms[--into->count];
        return true;
    }
    if (product == 0)
        return true;
    if (into->count == BOUNDS_MAX_TERMS)
        return false;
    into->terms[into->count] = *term;
    into->terms[into->count++].factor = product;
    return true;
}

bool bounds_add(bounds_form *into, const bounds_form *form, int64_t factor)
{
    int64_t product;
    if (__builtin_mul_overflow(form->constant, factor, &product) ||
        __builtin_add_overflow(into->constant, product, &into->constant))
        return false;
    for (uint32_t t = 0; t < form->count; ++t)
        if (!add_term(into, &form->terms[t], factor))
            return false;
    return true;
}

bounds_form bounds_constant(int64_t constant)
{
    bounds_form form;
    memset(&form, 0, sizeof form);
    form.constant = constant;
    return form;
}

static bounds_form value_form(const bounds_analysis *s, uint32_t value)
{
    bounds_form form = bounds_constant(0);
    form.count = 1;
    form.terms[0] =
        (bounds_term){1, value, KERNEL_NONE, 0, kernel_value_at(s->kernel, value)->type};
    return form;
}

/* An extent, which is not negative; in a narrower type it is as large or wraps to less. */
bounds_form bounds_extent(const bounds_analysis *s, uint32_t array, uint32_t axis, jg_dtype type)
{
    int64_t extent = kernel_array_at(s->kernel, array)->extents[axis];
    bounds_form form = bounds_constant(0);
    if (extent != KERNEL_GIVEN && (extent <= INT32_MAX || type == JG_DTYPE_INT64))
        return bounds_constant(extent);
    if (s->narrow)
        type = JG_DTYPE_INT64;
    form.count = 1;
    form.terms[0] = (bounds_term){1, KERNEL_NONE, array, axis, (uint8_t)type};
    return form;
}

static bool cast_form(const bounds_analysis *s, const kernel_inst *inst, int depth,
                      bounds_form *out)
{
    uint32_t operand = kernel_operands(s->kernel, inst)[0];
    const kernel_inst *from = bounds_definition(s, operand);
    if (!bounds_is_signed((jg_dtype)inst->type) || !bounds_is_signed((jg_dtype)inst->to))
        return false;
    if (dtype_rows[inst->type].bits <= dtype_rows[inst->to].bits)
        return form_of(s, operand, depth + 1, out);
    if (from == NULL || from->op != KERNEL_EXTENT || inst->to != JG_DTYPE_INT32)
        return false;
    *out = bounds_extent(s, from->target, (uint32_t)from->immediate, JG_DTYPE_INT32);
    return true;
}

/* -x as 0 - x. */
static bool negated_form(const bounds_analysis *s, const kernel_inst *inst, int depth,
                         bounds_form *out)
{
    bounds_form operand;
    *out = bounds_constant(0);
    return bounds_is_signed((jg_dtype)inst->to) &&
           form_of(s, kernel_operands(s->kernel, inst)[0], depth + 1, &operand) &&
           bounds_add(out, &operand, -1);
}

/* gives: false if the instruction is no sum */
static bool sum_form(const bounds_analysis *s, const kernel_inst *inst, int depth, bounds_form *out)
{
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    bounds_form other;
    if (!bounds_is_signed((jg_dtype)inst->to))
        return false;
    if (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT && inst->op != PROGRAM_MULTIPLY)
        return false;
    if (!form_of(s, operands[0], depth + 1, out) || !form_of(s, operands[1], depth + 1, &other))
        return false;
    if (inst->op != PROGRAM_MULTIPLY)
        return bounds_add(out, &other, inst->op == PROGRAM_ADD ? 1 : -1);
    const bounds_form *scaled = other.count == 0 ? out : &other;
    int64_t factor = other.count == 0 ? other.constant : out->constant;
    bounds_form product = bounds_constant(0);
    if ((out->count > 0 && other.count > 0) || !bounds_add(&product, scaled, factor))
        return false;
    *out = product;
    return true;
}

static bool form_of(const bounds_analysis *s, uint32_t value, int depth, bounds_form *out)
{
    const kernel_inst *inst = bounds_definition(s, value);
    bool known = false;
    if (inst != NULL && depth < BOUNDS_MAX_DEPTH) {
        if (inst->op == KERNEL_CONST && bounds_is_signed((jg_dtype)inst->to)) {
            *out = bounds_constant(number_of(inst));
            known = true;
        } else if (inst->op == KERNEL_EXTENT) {
            *out = bounds_extent(s, inst->target, (uint32_t)inst->immediate, JG_DTYPE_INT64);
            known = true;
        } else if (inst->op == PROGRAM_NEGATE) {
            known = negated_form(s, inst, depth, out);
        } else if (inst->op == PROGRAM_CAST) {
            known = cast_form(s, inst, depth, out);
        } else {
            known = sum_form(s, inst, depth, out);
        }
    }
    if (!known)
        *out = value_form(s, value);
    return true;
}

bounds_form bounds_form_of(const bounds_analysis *s, uint32_t value)
{
    bounds_form form;
    (void)form_of(s, value, 0, &form);
    return form;
}

int64_t bounds_factor(const bounds_form *form, uint32_t value)
{
    for (uint32_t t = 0; t < form->count; ++t)
        if (form->terms[t].value == value)
            return form->terms[t].factor;
    return 0;
}

/* Replaces a value by a form. */
static bool replace_value(const bounds_analysis *s, bounds_form *form, uint32_t value,
                          const bounds_form *by)
{
    int64_t factor = bounds_factor(form, value);
    bounds_form own = value_form(s, value);
    return factor == 0 || (bounds_add(form, &own, -factor) && bounds_add(form, by, factor));
}

/* The bounds of a loop have the bits of its type. */
static bounds_form end_form(const bounds_analysis *s, uint32_t value)
{
    bounds_form form = bounds_form_of(s, value);
    return bounds_is_exact(s, &form) ? form : value_form(s, value);
}

bool bounds_range_of(const bounds_analysis *s, const kernel_inst *loop, uint32_t k,
                     bounds_range *out, bool *steps)
{
    const uint32_t *operands = kernel_operands(s->kernel, loop);
    int64_t step = loop->op == KERNEL_FOR ? loop->immediate : 1;
    bounds_form one = bounds_constant(1);
    *steps = step != 1;
    if (!bounds_is_signed((jg_dtype)loop->type))
        return false;
    out->low = end_form(s, operands[2 * k]);
    out->high = end_form(s, operands[2 * k + 1]);
    if (step > 0)
        return true;
    bounds_range down = {out->high, out->low};
    *out = down;
    return bounds_add(&out->low, &one, 1) && bounds_add(&out->high, &one, 1);
}

bool bounds_put_end(const bounds_analysis *s, bounds_form *form, uint32_t index,
                    const bounds_range *range, bool greatest)
{
    bounds_form last = range->high, one = bounds_constant(1);
    if (!bounds_add(&last, &one, -1))
        return false;
    bool at_last = (bounds_factor(form, index) > 0) == greatest;
    return replace_value(s, form, index, at_last ? &last : &range->low);
}

/* Extents are not negative, and numbers have the range of their type, which helps only if the type
 * is narrow enough. */
bool bounds_is_rest_positive(const bounds_analysis *s, const bounds_form *form)
{
    int64_t least = form->constant;
    if (least > INT64_MAX / 4 || least < INT64_MIN / 4)
        return false;
    for (uint32_t t = 0; t < form->count; ++t) {
        const bounds_term *term = &form->terms[t];
        bool extent = term->value == KERNEL_NONE && term->type == JG_DTYPE_INT64;
        bool narrow = extent ? s->narrow : dtype_rows[term->type].bits <= 32;
        if (extent && term->factor > 0)
            continue;
        if (!narrow || !bounds_is_signed((jg_dtype)term->type) || term->factor > MAX_FACTOR ||
            term->factor < -MAX_FACTOR)
            return false;
        least += term->factor * (term->factor > 0 ? INT32_MIN : INT32_MAX);
    }
    return least >= 0;
}

bool bounds_leave_loops(const bounds_analysis *s, bounds_form *form)
{
    for (int d = s->depth; d-- > 0;) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, s->blocks[d].opener);
        for (uint32_t k = inst->nvalues; kernel_is_loop(inst->op) && k-- > 0;) {
            bounds_range range;
            bool steps;
            if (bounds_factor(form, inst->first + k) == 0)
                continue;
            if (!bounds_range_of(s, inst, k, &range, &steps) ||
                !bounds_put_end(s, form, inst->first + k, &range, false))
                return false;
        }
    }
    return true;
}

bool bounds_is_never_negative(const bounds_analysis *s, const bounds_form *form)
{
    bounds_form rest = *form;
    return bounds_leave_loops(s, &rest) && bounds_is_rest_positive(s, &rest);
}

bool bounds_is_exact(const bounds_analysis *s, const bounds_form *form)
{
    bounds_form above = bounds_constant(INT32_MAX), below = *form;
    bool alone = form->count == 1 && form->constant == 0 && form->terms[0].factor == 1;
    below.constant -= INT32_MIN;
    return alone || (bounds_add(&above, form, -1) && bounds_is_never_negative(s, &above) &&
                     bounds_is_never_negative(s, &below));
}

static bool is_sum(const bounds_analysis *s, uint32_t value)
{
    const kernel_inst *inst = bounds_definition(s, value);
    return inst != NULL && (inst->op == PROGRAM_ADD || inst->op == PROGRAM_SUBTRACT ||
                            inst->op == PROGRAM_MULTIPLY);
}

bool bounds_is_small(const bounds_analysis *s, const bounds_form *form)
{
    int wide = 0;
    for (uint32_t t = 0; t < form->count; ++t) {
        int64_t factor = form->terms[t].factor;
        bool whole = form->terms[t].type == JG_DTYPE_INT64;
        if (whole && form->terms[t].value != KERNEL_NONE && is_sum(s, form->terms[t].value))
            return false;
        wide += whole;
        if (!bounds_is_signed((jg_dtype)form->terms[t].type) || factor > MAX_FACTOR ||
            factor < -MAX_FACTOR || (whole && factor != 1 && factor != -1))
            return false;
    }
    return wide <= 1 && form->constant < INT64_MAX / 4 && form->constant > INT64_MIN / 4;
}

bool bounds_is_known_before(const bounds_analysis *s, const bounds_form *form, uint32_t position)
{
    for (uint32_t t = 0; t < form->count; ++t) {
        uint32_t value = form->terms[t].value;
        if (value == KERNEL_NONE)
            continue;
        uint32_t defined = kernel_value_at(s->kernel, value)->definition;
        if (defined != KERNEL_NONE && defined >= position)
            return false;
    }
    return true;
}
