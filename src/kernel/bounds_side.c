/* SPDX-License-Identifier: Apache-2.0 */
/* Why an index is in bounds: by the ends of loops, by comparisons that hold where it is used, or as
 * a choice, a remainder or a quotient. */
#include "kernel/bounds_analysis.h"

typedef struct explanation {
    const bounds_analysis *s;
    const bounds_form *form;
    bounds_side *side;
} explanation;

/* A comparison that holds: form is not negative, if each operand has the number of its sum. */
typedef struct bounds_guard {
    bounds_form form, operands[2];
} bounds_guard;

/* Whether the condition can be tested before the outermost loop. */
static bool is_testable(const bounds_analysis *s, const bounds_form *form)
{
    if (s->outermost == KERNEL_NONE || form->constant > INT64_MAX / 4 ||
        form->constant < INT64_MIN / 4 || !bounds_is_known_before(s, form, s->outermost))
        return false;
    for (uint32_t t = 0; t < form->count; ++t)
        if (!bounds_is_signed((jg_dtype)form->terms[t].type) || form->terms[t].factor > 1 << 20 ||
            form->terms[t].factor < -(1 << 20))
            return false;
    return true;
}

/* gives: false if nothing that is known before the loop shows that the form is not negative */
static bool add_condition(const bounds_analysis *s, bounds_form form, bounds_case *to)
{
    if (!bounds_leave_loops(s, &form))
        return false;
    if (bounds_is_rest_positive(s, &form))
        return true;
    if (to->count == BOUNDS_MAX_CONDITIONS || form.count == 0 || !is_testable(s, &form))
        return false;
    to->forms[to->count++] = form;
    return true;
}

/* The numbers of a sum lie in 32 bits, so that it has not wrapped. */
static bool add_exactness(const bounds_analysis *s, const bounds_form *form, bounds_case *to)
{
    bounds_form above = bounds_constant(INT32_MAX), below = *form;
    below.constant -= INT32_MIN;
    return bounds_is_exact(s, form) || (bounds_add(&above, form, -1) &&
                                        add_condition(s, above, to) && add_condition(s, below, to));
}

static void add_case(const bounds_case *found, bounds_side *side)
{
    side->proven |= found->count == 0;
    if (!side->proven && side->count < BOUNDS_MAX_CASES)
        side->cases[side->count++] = *found;
}

/* How many of the form's terms change in the outermost loop. */
static uint32_t count_varying(const bounds_analysis *s, const bounds_form *form)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < form->count; ++t) {
        bounds_form term = {0, 1, {form->terms[t]}};
        count += s->outermost != KERNEL_NONE && !bounds_is_known_before(s, &term, s->outermost);
    }
    return count;
}

/* A comparison of other numbers proves nothing in general, so testing it would be useless. */
static void try_guard(const explanation *x, const bounds_guard *guard)
{
    bounds_case found = {0};
    bounds_form rest = *x->form;
    if (!bounds_add(&rest, &guard->form, -1) || !add_condition(x->s, rest, &found) ||
        !add_exactness(x->s, &guard->operands[0], &found) ||
        !add_exactness(x->s, &guard->operands[1], &found))
        return;
    uint32_t left = count_varying(x->s, &rest);
    if (found.count == 0 || left == 0 || left < count_varying(x->s, x->form))
        add_case(&found, x->side);
}

/* operands[above] - operands[1 - above] - less is not negative. */
static void try_order(const explanation *x, const bounds_form *operands, int above, int64_t less)
{
    bounds_guard guard = {operands[above], {operands[0], operands[1]}};
    bounds_form one = bounds_constant(1);
    if (bounds_add(&guard.form, &operands[1 - above], -1) && bounds_add(&guard.form, &one, -less))
        try_guard(x, &guard);
}

/* Two numbers differ: by at least one, if it is known which is the larger. */
static void try_difference(const explanation *x, const bounds_form *operands)
{
    for (int above = 0; above < 2; ++above) {
        bounds_form difference = operands[above];
        if (bounds_add(&difference, &operands[1 - above], -1) &&
            bounds_is_never_negative(x->s, &difference))
            try_order(x, operands, above, 1);
    }
}

static void try_comparison(const explanation *x, const kernel_inst *inst, bool holds)
{
    const uint32_t *values = kernel_operands(x->s->kernel, inst);
    if (!bounds_is_signed((jg_dtype)inst->type))
        return;
    bounds_form operands[2] = {bounds_form_of(x->s, values[0]), bounds_form_of(x->s, values[1])};
    bool equal = inst->op == PROGRAM_EQUAL || inst->op == PROGRAM_NOT_EQUAL;
    if (equal && holds == (inst->op == PROGRAM_EQUAL)) {
        try_order(x, operands, 0, 0);
        try_order(x, operands, 1, 0);
    } else if (equal) {
        try_difference(x, operands);
    } else {
        bool strict = (inst->op == PROGRAM_LESS) == holds;
        try_order(x, operands, holds, strict);
    }
}

/* holds: whether the condition does, or its opposite */
static void try_condition(const explanation *x, uint32_t condition, bool holds, int depth)
{
    const kernel_inst *inst = bounds_definition(x->s, condition);
    if (inst == NULL || depth > BOUNDS_MAX_DEPTH || x->side->proven)
        return;
    const uint32_t *operands = kernel_operands(x->s->kernel, inst);
    bool of_bools = inst->type == JG_DTYPE_BOOL;
    if (of_bools && inst->op == PROGRAM_NOT) {
        try_condition(x, operands[0], !holds, depth + 1);
    } else if (of_bools && inst->op == (holds ? PROGRAM_AND : PROGRAM_OR)) {
        try_condition(x, operands[0], holds, depth + 1);
        try_condition(x, operands[1], holds, depth + 1);
    } else if (inst->op >= PROGRAM_LESS && inst->op <= PROGRAM_NOT_EQUAL) {
        try_comparison(x, inst, holds);
    }
}

void bounds_explain(const bounds_analysis *s, const bounds_form *form, bounds_side *side)
{
    explanation x = {s, form, side};
    bounds_case plain = {0};
    if (add_condition(s, *form, &plain))
        add_case(&plain, side);
    for (int d = s->depth; d-- > 0 && !side->proven;) {
        const kernel_inst *inst = kernel_inst_at(s->kernel, s->blocks[d].opener);
        if (inst->op == KERNEL_IF)
            try_condition(&x, kernel_operands(s->kernel, inst)[0], !s->blocks[d].otherwise, 0);
    }
}

/* A constant operand of an instruction of signed whole numbers. */
static bool constant_operand(const bounds_analysis *s, const kernel_inst *inst, uint32_t i,
                             int64_t *out)
{
    if (!bounds_is_signed((jg_dtype)inst->type))
        return false;
    bounds_form form = bounds_form_of(s, kernel_operands(s->kernel, inst)[i]);
    *out = form.constant;
    return form.count == 0;
}

/* The value lies in 0 to *limit - 1, as a mask does. */
static bool has_limit(const bounds_analysis *s, const kernel_inst *inst, int64_t *limit)
{
    if (inst->op != PROGRAM_AND)
        return false;
    bool found = (constant_operand(s, inst, 1, limit) || constant_operand(s, inst, 0, limit)) &&
                 *limit >= 0 && *limit < INT64_MAX;
    *limit += found;
    return found;
}

static bool is_exact_operand(const bounds_analysis *s, const kernel_inst *inst, uint32_t i)
{
    bounds_form form = bounds_form_of(s, kernel_operands(s->kernel, inst)[i]);
    return bounds_is_exact(s, &form);
}

/* A choice between two: one alternative is enough to bound one end; the other end needs both. */
static void join_sides(const bounds_side *a, const bounds_side *b, bool either, bounds_side *side)
{
    if (either ? a->proven || b->proven : a->proven && b->proven) {
        side->proven = true;
        return;
    }
    for (uint32_t i = 0; i < a->count && (either || b->proven); ++i)
        add_case(&a->cases[i], side);
    for (uint32_t i = 0; i < b->count && (either || a->proven); ++i)
        add_case(&b->cases[i], side);
}

static bool chooses(const bounds_analysis *s, const kernel_inst *inst)
{
    return (inst->op == PROGRAM_MINIMUM || inst->op == PROGRAM_MAXIMUM) &&
           is_exact_operand(s, inst, 0) && is_exact_operand(s, inst, 1);
}

/* Signed integers, not nested too deep. */
static bool is_taken_apart(const kernel_inst *inst, int depth)
{
    return inst != NULL && depth < BOUNDS_MAX_DEPTH && bounds_is_signed((jg_dtype)inst->type) &&
           bounds_is_signed((jg_dtype)inst->to);
}

/* A remainder lies in 0 to divisor - 1 if the divisor is above 0. rest NULL: of the first */
static void explain_remainder(const bounds_analysis *s, const kernel_inst *inst,
                              const bounds_form *rest, bounds_side *side)
{
    bounds_form divisor = bounds_form_of(s, kernel_operands(s->kernel, inst)[1]);
    bounds_form least = divisor, one = bounds_constant(1), above;
    bounds_case found = {0};
    if (!bounds_add(&least, &one, -1) || !add_condition(s, least, &found) ||
        !add_exactness(s, &divisor, &found))
        return;
    above = rest != NULL ? *rest : one;
    if (rest == NULL || (bounds_add(&above, &least, -1) && add_condition(s, above, &found)))
        add_case(&found, side);
}

/* A quotient by a constant above 0, rounded down. */
static bool divides(const bounds_analysis *s, const kernel_inst *inst, int64_t *divisor)
{
    return inst->op == PROGRAM_FLOOR_DIVIDE && constant_operand(s, inst, 1, divisor) &&
           *divisor > 0 && *divisor <= INT32_MAX && is_exact_operand(s, inst, 0);
}

void bounds_explain_least(const bounds_analysis *s, uint32_t value, int depth, bounds_side *side)
{
    const kernel_inst *inst = bounds_definition(s, value);
    int64_t number;
    if (is_taken_apart(inst, depth)) {
        const uint32_t *operands = kernel_operands(s->kernel, inst);
        if (chooses(s, inst)) {
            bounds_side sides[2] = {0};
            for (int i = 0; i < 2; ++i)
                bounds_explain_least(s, operands[i], depth + 1, &sides[i]);
            join_sides(&sides[0], &sides[1], inst->op == PROGRAM_MAXIMUM, side);
        } else if (has_limit(s, inst, &number)) {
            side->proven = true;
        } else if (inst->op == PROGRAM_REMAINDER) {
            explain_remainder(s, inst, NULL, side);
        } else if (divides(s, inst, &number)) {
            bounds_explain_least(s, operands[0], depth + 1, side);
        }
    }
    bounds_form form = bounds_form_of(s, value);
    if (!side->proven)
        bounds_explain(s, &form, side);
}

void bounds_explain_greatest(const bounds_analysis *s, uint32_t value, const bounds_form *rest,
                             int depth, bounds_side *side)
{
    const kernel_inst *inst = bounds_definition(s, value);
    bounds_form difference = *rest, form = bounds_form_of(s, value);
    int64_t number;
    if (is_taken_apart(inst, depth)) {
        const uint32_t *operands = kernel_operands(s->kernel, inst);
        if (chooses(s, inst)) {
            bounds_side sides[2] = {0};
            for (int i = 0; i < 2; ++i)
                bounds_explain_greatest(s, operands[i], rest, depth + 1, &sides[i]);
            join_sides(&sides[0], &sides[1], inst->op == PROGRAM_MINIMUM, side);
        } else if (has_limit(s, inst, &number)) {
            side->proven |= rest->count == 0 && number - 1 <= rest->constant;
        } else if (inst->op == PROGRAM_REMAINDER) {
            explain_remainder(s, inst, rest, side);
        } else if (divides(s, inst, &number)) { /* below (rest + 1) * number */
            bounds_form whole = bounds_constant(number - 1);
            if (bounds_add(&whole, rest, number))
                bounds_explain_greatest(s, operands[0], &whole, depth + 1, side);
        }
    }
    if (!side->proven && bounds_add(&difference, &form, -1))
        bounds_explain(s, &difference, side);
}
