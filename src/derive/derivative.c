/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of derivative.def, appended as a kernel's instructions. They are few and short, so they
 * are read each time they are used. */
#include "derive/passes.h"

enum { VALUE = 3 }; /* the index of the instruction's value, after its operands */

typedef struct rule_row {
    uint16_t op;
    uint8_t operand;
    const char *rule; /* NULL: JG_CONSTANT */
} rule_row;

/* Rows name instructions of inst.def and of kernel/inst.def; these give both one prefix. */
enum {
#define JG_INST(NAME, name, arity, result, takes, meaning) RULE_##NAME = PROGRAM_##NAME,
#include "program/inst.def"
#undef JG_INST
#define JG_KERNEL_INST(NAME, name, arity, result, takes, meaning) RULE_##NAME = KERNEL_##NAME,
#define JG_KERNEL_STATEMENT(NAME, name, value, effect, meaning)
#include "kernel/inst.def"
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST
};

static const rule_row rules[] = {
#define JG_DERIVATIVE(NAME, operand, rule) {RULE_##NAME, operand, rule},
#define JG_CONSTANT(NAME) {RULE_##NAME, 0, NULL},
#include "derive/derivative.def"
};

derivative_kind derivative_of(uint16_t op)
{
    for (size_t i = 0; i < JG_COUNT_OF(rules); ++i)
        if (rules[i].op == op)
            return rules[i].rule == NULL ? DERIVATIVE_CONSTANT : DERIVATIVE_RULE;
    return DERIVATIVE_NONE;
}

const char *derivative_rule(uint16_t op, uint32_t operand)
{
    for (size_t i = 0; i < JG_COUNT_OF(rules); ++i)
        if (rules[i].op == op && rules[i].operand == operand)
            return rules[i].rule;
    return NULL;
}

unsigned derivative_reads(const char *text)
{
    derive_rule rule;
    unsigned reads = 0;
    if (derive_read_rule(text, &rule) != JG_OK)
        return 0; /* derivative_emit tells */
    for (int i = 0; i < rule.count; ++i) {
        if (rule.steps[i].kind == DERIVE_OPERAND)
            reads |= 1u << rule.steps[i].op;
        if (rule.steps[i].kind == DERIVE_VALUE)
            reads |= 1u << VALUE;
    }
    return reads;
}

jg_status derivative_emit(kernel_program *to, const char *text, jg_dtype type,
                          const uint32_t operands[4], uint32_t g, uint32_t *out)
{
    derive_rule rule;
    uint32_t stack[JG_COUNT_OF(rule.steps)];
    int top = 0;
    JG_TRY(derive_read_rule(text, &rule));
    for (int i = 0; i < rule.count; ++i) {
        const derive_step *step = &rule.steps[i];
        uint32_t made = KERNEL_NONE;
        switch ((derive_step_kind)step->kind) {
        case DERIVE_OPERAND: made = operands[step->op]; break;
        case DERIVE_VALUE: made = operands[VALUE]; break;
        case DERIVE_CARRIED: made = g; break;
        case DERIVE_NUMBER: JG_TRY(rewrite_number(to, type, step->number, &made)); break;
        case DERIVE_INSTRUCTION:
            top -= step->arity;
            JG_TRY(kernel_apply(to, step->op, step->arity, &stack[top], &made));
            break;
        }
        stack[top++] = made;
    }
    *out = stack[0];
    return JG_OK;
}
