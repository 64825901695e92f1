/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what kernel_bounds.h describes, in one pass over the instructions.
 *
 * Sums are exact, as those of addresses are (kernel.h). What is proven may be proven with more room
 * than there is. What is looked at before a loop must come true in it, as it makes the kernel fail:
 * so no branch, no jump and no range that depends on another stands between. */
#include "program/kernel_bounds.h"
#include <string.h>

enum { MAX_DEPTH_OF_SUMS = 24, MAX_FACTOR = 1 << 28 };

typedef struct open_block {
    uint32_t opener;
    bool otherwise; /* an IF's second part */
} open_block;

typedef struct bounds_scan {
    const kernel_program *kernel;
    uint8_t *jumps; /* of each instruction: a loop that is left or cut short */
    open_block blocks[KERNEL_MAX_DEPTH + 1];
    int depth;
    base_vec *out;
} bounds_scan;

static const kernel_inst *definition(const bounds_scan *s, uint32_t value)
{
    uint32_t position = kernel_value_at(s->kernel, value)->definition;
    return position == KERNEL_NONE ? NULL : kernel_inst_at(s->kernel, position);
}

static bool is_signed(jg_dtype type)
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

/* *into += factor * term. gives: false where there is no room */
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

static bool add_form(bounds_form *into, const bounds_form *form, int64_t factor)
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

static bounds_form constant_form(int64_t constant)
{
    bounds_form form;
    memset(&form, 0, sizeof form);
    form.constant = constant;
    return form;
}

static bounds_form value_form(const bounds_scan *s, uint32_t value)
{
    bounds_form form = constant_form(0);
    form.count = 1;
    form.terms[0] =
        (bounds_term){1, value, KERNEL_NONE, 0, kernel_value_at(s->kernel, value)->type};
    return form;
}

/* An extent, which is not negative; in a narrower type it is as large or wraps to less. */
static bounds_form extent_form(const bounds_scan *s, uint32_t array, uint32_t axis, jg_dtype type)
{
    int64_t known = kernel_array_at(s->kernel, array)->extents[axis];
    bounds_form form = constant_form(0);
    if (known != KERNEL_GIVEN && (known <= INT32_MAX || type == JG_DTYPE_INT64))
        return constant_form(known);
    form.count = 1;
    form.terms[0] = (bounds_term){1, KERNEL_NONE, array, axis, (uint8_t)type};
    return form;
}

static bool form_of(const bounds_scan *s, uint32_t value, int depth, bounds_form *out);

static bool cast_form(const bounds_scan *s, const kernel_inst *inst, int depth, bounds_form *out)
{
    uint32_t operand = kernel_operands(s->kernel, inst)[0];
    const kernel_inst *from = definition(s, operand);
    if (!is_signed((jg_dtype)inst->type) || !is_signed((jg_dtype)inst->to))
        return false;
    if (dtype_rows[inst->type].bits <= dtype_rows[inst->to].bits)
        return form_of(s, operand, depth + 1, out);
    if (from == NULL || from->op != KERNEL_EXTENT || inst->to != JG_DTYPE_INT32)
        return false;
    *out = extent_form(s, from->target, (uint32_t)from->immediate, JG_DTYPE_INT32);
    return true;
}

/* gives: false where the instruction makes no sum */
static bool sum_form(const bounds_scan *s, const kernel_inst *inst, int depth, bounds_form *out)
{
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    bounds_form other;
    if (!is_signed((jg_dtype)inst->to))
        return false;
    if (inst->op != PROGRAM_ADD && inst->op != PROGRAM_SUBTRACT && inst->op != PROGRAM_MULTIPLY)
        return false;
    if (!form_of(s, operands[0], depth + 1, out) || !form_of(s, operands[1], depth + 1, &other))
        return false;
    if (inst->op != PROGRAM_MULTIPLY)
        return add_form(out, &other, inst->op == PROGRAM_ADD ? 1 : -1);
    const bounds_form *scaled = other.count == 0 ? out : &other;
    int64_t factor = other.count == 0 ? other.constant : out->constant;
    bounds_form product = constant_form(0);
    if ((out->count > 0 && other.count > 0) || !add_form(&product, scaled, factor))
        return false;
    *out = product;
    return true;
}

/* The value as a sum; by itself where it is none. */
static bool form_of(const bounds_scan *s, uint32_t value, int depth, bounds_form *out)
{
    const kernel_inst *inst = definition(s, value);
    bool known = false;
    if (inst != NULL && depth < MAX_DEPTH_OF_SUMS) {
        if (inst->op == KERNEL_CONST && is_signed((jg_dtype)inst->to)) {
            *out = constant_form(number_of(inst));
            known = true;
        } else if (inst->op == KERNEL_EXTENT) {
            *out = extent_form(s, inst->target, (uint32_t)inst->immediate, JG_DTYPE_INT64);
            known = true;
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

static int64_t factor_of(const bounds_form *form, uint32_t value)
{
    for (uint32_t t = 0; t < form->count; ++t)
        if (form->terms[t].value == value)
            return form->terms[t].factor;
    return 0;
}

/* Puts a form in the place of a value. */
static bool replace_value(const bounds_scan *s, bounds_form *form, uint32_t value,
                          const bounds_form *by)
{
    int64_t factor = factor_of(form, value);
    bounds_form own = value_form(s, value);
    return factor == 0 || (add_form(form, &own, -factor) && add_form(form, by, factor));
}

/* Range k of the loop: the first index, and one past the last. steps: whether others are between */
static bool range_of(const bounds_scan *s, const kernel_inst *loop, uint32_t k, bounds_range *out,
                     bool *steps)
{
    const uint32_t *operands = kernel_operands(s->kernel, loop);
    int64_t step = loop->op == KERNEL_FOR ? loop->immediate : 1;
    bounds_form one = constant_form(1);
    *steps = step != 1;
    if (!is_signed((jg_dtype)loop->type))
        return false;
    form_of(s, operands[2 * k], 0, &out->low);
    form_of(s, operands[2 * k + 1], 0, &out->high);
    if (step > 0)
        return true;
    bounds_range down = {out->high, out->low};
    *out = down;
    return add_form(&out->low, &one, 1) && add_form(&out->high, &one, 1);
}

/* The least value, or the greatest, over one loop's range. */
static bool put_end(const bounds_scan *s, bounds_form *form, uint32_t index,
                    const bounds_range *range, bool greatest)
{
    bounds_form last = range->high, one = constant_form(1);
    if (!add_form(&last, &one, -1))
        return false;
    bool at_last = (factor_of(form, index) > 0) == greatest;
    return replace_value(s, form, index, at_last ? &last : &range->low);
}

/* What is left of a form when loops' indices are out of it: extents are not negative, and numbers
 * have the range of their type, which is only of use where it is as narrow as that. */
static bool is_rest_positive(const bounds_form *form, bool by_types)
{
    int64_t least = form->constant;
    for (uint32_t t = 0; t < form->count; ++t) {
        const bounds_term *term = &form->terms[t];
        bool extent = term->value == KERNEL_NONE && term->type == JG_DTYPE_INT64;
        if (extent && term->factor > 0)
            continue;
        if (!by_types || dtype_rows[term->type].bits > 32 || !is_signed((jg_dtype)term->type) ||
            term->factor > MAX_FACTOR || term->factor < -MAX_FACTOR)
            return false;
        least += term->factor * (term->factor > 0 ? INT32_MIN : INT32_MAX);
    }
    return least >= 0;
}

/* Whether the form is not negative, wherever in the loops around. */
static bool is_never_negative(const bounds_scan *s, bounds_form form, bool by_types)
{
    for (int d = s->depth; d-- > 0;) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, s->blocks[d].opener);
        for (uint32_t k = inst->nvalues; kernel_is_loop(inst->op) && k-- > 0;) {
            bounds_range range;
            bool steps;
            if (factor_of(&form, inst->first + k) == 0)
                continue;
            if (!range_of(s, inst, k, &range, &steps) ||
                !put_end(s, &form, inst->first + k, &range, false))
                return false;
        }
    }
    return is_rest_positive(&form, by_types);
}

/* Whether what the value has in its type is surely what its sum is: indices are exact, other uses
 * of the same numbers wrap. */
static bool is_exact(const bounds_scan *s, const bounds_form *form)
{
    bounds_form above = constant_form(INT32_MAX), below = *form;
    bool alone = form->count == 1 && form->constant == 0 && form->terms[0].factor == 1;
    below.constant -= INT32_MIN;
    return alone || (add_form(&above, form, -1) && is_never_negative(s, above, true) &&
                     is_never_negative(s, below, true));
}

/* Whether a condition that holds says that the form is not negative. */
static bool follows_from(const bounds_scan *s, uint32_t condition, const bounds_form *form,
                         int depth)
{
    const kernel_inst *inst = definition(s, condition);
    if (inst == NULL || depth > MAX_DEPTH_OF_SUMS)
        return false;
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    if (inst->op == PROGRAM_AND && inst->type == JG_DTYPE_BOOL)
        return follows_from(s, operands[0], form, depth + 1) ||
               follows_from(s, operands[1], form, depth + 1);
    if ((inst->op != PROGRAM_LESS && inst->op != PROGRAM_LESS_EQUAL) ||
        !is_signed((jg_dtype)inst->type))
        return false;
    bounds_form below, above, rest = *form;
    form_of(s, operands[0], 0, &below);
    form_of(s, operands[1], 0, &above);
    if (!is_exact(s, &below) || !is_exact(s, &above))
        return false;
    rest.constant += inst->op == PROGRAM_LESS; /* above - below - 1 is not negative */
    return add_form(&rest, &above, -1) && add_form(&rest, &below, 1) &&
           is_never_negative(s, rest, false);
}

static bool holds(const bounds_scan *s, const bounds_form *form)
{
    if (is_never_negative(s, *form, false))
        return true;
    for (int d = 0; d < s->depth; ++d) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, s->blocks[d].opener);
        if (inst->op == KERNEL_IF && !s->blocks[d].otherwise &&
            follows_from(s, kernel_operands(s->kernel, inst)[0], form, 0))
            return true;
    }
    return false;
}

/* A constant operand of an instruction of signed whole numbers. */
static bool constant_operand(const bounds_scan *s, const kernel_inst *inst, uint32_t i,
                             int64_t *out)
{
    bounds_form form;
    if (!is_signed((jg_dtype)inst->type))
        return false;
    form_of(s, kernel_operands(s->kernel, inst)[i], 0, &form);
    *out = form.constant;
    return form.count == 0;
}

/* The value lies in 0 to limit - 1, as a mask or a remainder does. */
static bool has_limit(const bounds_scan *s, const kernel_inst *inst, int64_t *limit)
{
    if (inst->op == PROGRAM_REMAINDER)
        return constant_operand(s, inst, 1, limit) && *limit > 0;
    if (inst->op != PROGRAM_AND)
        return false;
    bool found = (constant_operand(s, inst, 1, limit) || constant_operand(s, inst, 0, limit)) &&
                 *limit >= 0 && *limit < INT64_MAX;
    *limit += found;
    return found;
}

/* An operand of what chooses between two has the numbers of its type. */
static bool is_exact_operand(const bounds_scan *s, uint32_t value)
{
    bounds_form form;
    form_of(s, value, 0, &form);
    return is_exact(s, &form);
}

static bool chooses(const bounds_scan *s, const kernel_inst *inst)
{
    const uint32_t *operands = kernel_operands(s->kernel, inst);
    return (inst->op == PROGRAM_MINIMUM || inst->op == PROGRAM_MAXIMUM) &&
           is_exact_operand(s, operands[0]) && is_exact_operand(s, operands[1]);
}

static bool has_least(const bounds_scan *s, uint32_t value, int depth)
{
    const kernel_inst *inst = definition(s, value);
    bounds_form form;
    int64_t limit;
    if (inst != NULL && depth < MAX_DEPTH_OF_SUMS && is_signed((jg_dtype)inst->type)) {
        const uint32_t *operands = kernel_operands(s->kernel, inst);
        if (chooses(s, inst) && inst->op == PROGRAM_MINIMUM)
            return has_least(s, operands[0], depth + 1) && has_least(s, operands[1], depth + 1);
        if (chooses(s, inst))
            return has_least(s, operands[0], depth + 1) || has_least(s, operands[1], depth + 1);
        if (has_limit(s, inst, &limit))
            return true;
    }
    form_of(s, value, 0, &form);
    return holds(s, &form);
}

/* rest: what is one less than the extent */
static bool has_greatest(const bounds_scan *s, uint32_t value, const bounds_form *rest, int depth)
{
    const kernel_inst *inst = definition(s, value);
    bounds_form form, difference = *rest;
    int64_t limit;
    if (inst != NULL && depth < MAX_DEPTH_OF_SUMS && is_signed((jg_dtype)inst->type)) {
        const uint32_t *operands = kernel_operands(s->kernel, inst);
        if (chooses(s, inst) && inst->op == PROGRAM_MINIMUM)
            return has_greatest(s, operands[0], rest, depth + 1) ||
                   has_greatest(s, operands[1], rest, depth + 1);
        if (chooses(s, inst))
            return has_greatest(s, operands[0], rest, depth + 1) &&
                   has_greatest(s, operands[1], rest, depth + 1);
        if (has_limit(s, inst, &limit) && rest->count == 0 && limit - 1 <= rest->constant)
            return true;
    }
    form_of(s, value, 0, &form);
    return add_form(&difference, &form, -1) && holds(s, &difference);
}

/* A cut extent is no larger than the whole. */
static bool is_proven(const bounds_scan *s, const kernel_inst *inst, uint32_t axis, uint32_t value)
{
    bounds_form one = constant_form(1), rest;
    if (!is_signed((jg_dtype)kernel_value_at(s->kernel, value)->type) || !has_least(s, value, 0))
        return false;
    if (kernel_bounds_local(inst->op)) {
        rest = constant_form((int64_t)kernel_local_at(s->kernel, inst->target)->length - 1);
        return has_greatest(s, value, &rest, 0);
    }
    rest = extent_form(s, inst->target, axis, JG_DTYPE_INT64);
    if (add_form(&rest, &one, -1) && has_greatest(s, value, &rest, 0))
        return true;
    rest = extent_form(s, inst->target, axis, JG_DTYPE_INT32);
    return add_form(&rest, &one, -1) && has_greatest(s, value, &rest, 0);
}

static bool is_sum(const bounds_scan *s, uint32_t value)
{
    const kernel_inst *inst = definition(s, value);
    return inst != NULL && (inst->op == PROGRAM_ADD || inst->op == PROGRAM_SUBTRACT ||
                            inst->op == PROGRAM_MULTIPLY);
}

/* In 64 bits the sum cannot wrap more than once, and then it is seen to be no index. */
static bool is_small(const bounds_scan *s, const bounds_form *form)
{
    int wide = 0;
    for (uint32_t t = 0; t < form->count; ++t) {
        int64_t factor = form->terms[t].factor;
        bool whole = form->terms[t].type == JG_DTYPE_INT64;
        if (whole && form->terms[t].value != KERNEL_NONE && is_sum(s, form->terms[t].value))
            return false;
        wide += whole;
        if (!is_signed((jg_dtype)form->terms[t].type) || factor > MAX_FACTOR ||
            factor < -MAX_FACTOR || (whole && factor != 1 && factor != -1))
            return false;
    }
    return wide <= 1 && form->constant < INT64_MAX / 4 && form->constant > INT64_MIN / 4;
}

static bool is_known_before(const bounds_scan *s, const bounds_form *form, uint32_t position)
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

/* Goes on to the ends of one more loop. gives: false where the check stays inside of it */
static bool leave_loop(const bounds_scan *s, const kernel_inst *loop, uint32_t opener,
                       bounds_check *check)
{
    uint32_t inner = check->nranges;
    for (uint32_t k = loop->nvalues; k-- > 0;) {
        bounds_range *range = &check->ranges[check->nranges];
        uint32_t index = loop->first + k;
        bool steps;
        if (check->nranges == BOUNDS_MAX_RANGES || !range_of(s, loop, k, range, &steps) || steps ||
            !is_small(s, &range->low) || !is_small(s, &range->high) ||
            !is_known_before(s, &range->low, opener) || !is_known_before(s, &range->high, opener))
            return false;
        for (uint32_t i = 0; i < inner; ++i)
            if (factor_of(&check->ranges[i].low, index) != 0 ||
                factor_of(&check->ranges[i].high, index) != 0 ||
                !is_known_before(s, &check->ranges[i].low, opener) ||
                !is_known_before(s, &check->ranges[i].high, opener))
                return false;
        check->nranges += 1;
        if (!put_end(s, &check->least, index, range, false) ||
            !put_end(s, &check->greatest, index, range, true))
            return false;
    }
    return is_small(s, &check->least) && is_small(s, &check->greatest) &&
           is_known_before(s, &check->least, opener) &&
           is_known_before(s, &check->greatest, opener);
}

static void move_out(const bounds_scan *s, uint32_t value, bounds_check *check)
{
    bounds_check at = *check;
    form_of(s, value, 0, &at.least);
    at.greatest = at.least;
    for (int d = s->depth; d-- > 0;) {
        uint32_t opener = s->blocks[d].opener;
        const kernel_inst *inst = kernel_inst_at(s->kernel, opener);
        if ((inst->op != KERNEL_FOR && inst->op != KERNEL_PARALLEL) || s->jumps[opener] ||
            !leave_loop(s, inst, opener, &at))
            return;
        at.loop = opener;
        *check = at;
    }
}

static bool is_same_check(const kernel_program *kernel, const bounds_check *a,
                          const bounds_check *b)
{
    const kernel_inst *x = kernel_inst_at(kernel, a->access),
                      *y = kernel_inst_at(kernel, b->access);
    bool local_x = kernel_bounds_local(x->op), local_y = kernel_bounds_local(y->op);
    return a->loop != KERNEL_NONE && a->loop == b->loop && a->axis == b->axis &&
           x->target == y->target && local_x == local_y && a->nranges == b->nranges &&
           memcmp(&a->least, &b->least, sizeof a->least) == 0 &&
           memcmp(&a->greatest, &b->greatest, sizeof a->greatest) == 0 &&
           memcmp(a->ranges, b->ranges, a->nranges * sizeof a->ranges[0]) == 0;
}

static bool is_known(const bounds_scan *s, const bounds_check *check)
{
    const bounds_check *all = (const bounds_check *)(const void *)s->out->data;
    for (size_t i = s->out->nbytes / sizeof *all; i-- > 0;)
        if (is_same_check(s->kernel, &all[i], check))
            return true;
    return false;
}

static uint32_t count_axes(const bounds_scan *s, const kernel_inst *inst)
{
    switch (inst->op) {
    case KERNEL_LOAD:
    case KERNEL_STORE:
    case KERNEL_ATOMIC: return kernel_array_at(s->kernel, inst->target)->ndim;
    case KERNEL_GET:
    case KERNEL_SET:
    case KERNEL_ATOMIC_LOCAL: return kernel_local_at(s->kernel, inst->target)->length > 0;
    default: return 0;
    }
}

static jg_status look_at(bounds_scan *s, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(s->kernel, position);
    uint32_t count = count_axes(s, inst);
    for (uint32_t axis = 0; axis < count; ++axis) {
        uint32_t value = kernel_operands(s->kernel, inst)[axis];
        bounds_check check;
        if (is_proven(s, inst, axis, value))
            continue;
        memset(&check, 0, sizeof check);
        check.access = position;
        check.axis = axis;
        check.loop = KERNEL_NONE;
        move_out(s, value, &check);
        if (!is_known(s, &check))
            JG_TRY(vec_append(s->out, &check, sizeof check));
    }
    return JG_OK;
}

static void follow_blocks(bounds_scan *s, uint32_t position)
{
    const kernel_inst *inst = kernel_inst_at(s->kernel, position);
    if (inst->op == KERNEL_END)
        s->depth -= 1;
    else if (inst->op == KERNEL_ELSE)
        s->blocks[s->depth - 1].otherwise = true;
    else if (kernel_opens(inst->op))
        s->blocks[s->depth++] = (open_block){position, false};
}

jg_status kernel_find_bounds(const kernel_program *kernel, base_vec *out)
{
    bounds_scan s = {.kernel = kernel, .out = out};
    jg_status status = JG_OK;
    *out = (base_vec){0};
    s.jumps = base_alloc_zeroed(kernel->ninsts + 1);
    if (s.jumps == NULL)
        return base_nomem(kernel->ninsts, "a kernel");
    for (uint32_t p = 0; p < kernel->ninsts; ++p) {
        const kernel_inst *inst = kernel_inst_at(kernel, p);
        if (inst->op == KERNEL_BREAK || inst->op == KERNEL_CONTINUE)
            s.jumps[inst->match] = 1;
    }
    for (uint32_t p = 0; p < kernel->ninsts && status == JG_OK; ++p) {
        follow_blocks(&s, p);
        status = look_at(&s, p);
    }
    base_free(s.jumps);
    return status;
}
