/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rules of derivative.def and appends them as a kernel's instructions.
 *
 * A rule is an expression in prefix form: the name of an instruction and as many operands as it
 * has, those that are more than a word in parentheses. The rules are few and short, so they are
 * read each time they are used; a test reads all of them. */
#include "derive/passes.h"
#include <stdlib.h>
#include <string.h>

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
#define JG_KERNEL_STATEMENT(NAME, name, value, meaning)
#include "kernel/inst.def"
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST
};

static const rule_row rules[] = {
#define JG_DERIVATIVE(NAME, operand, rule) {RULE_##NAME, operand, rule},
#define JG_CONSTANT(NAME) {RULE_##NAME, 0, NULL},
#include "derive/derivative.def"
};

/* The numbers that rules call by name. */
static const struct {
    const char *name;
    double value;
} numbers[] = {
#define JG_NUMBER(name, value) {#name, value},
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

typedef struct word {
    const char *text;
    size_t length;
} word;

static word take_word(const char **at)
{
    *at += strspn(*at, " ");
    word taken = {*at, strcspn(*at, " ()")};
    *at += taken.length;
    return taken;
}

static bool is_word(word taken, const char *text)
{
    return strlen(text) == taken.length && memcmp(text, taken.text, taken.length) == 0;
}

/* 0 to 2 for x, y, z, 3 for v; -1 if it is none of them. */
static int operand_of(word taken)
{
    static const char letters[] = "xyzv";
    const char *found = taken.length == 1 ? strchr(letters, *taken.text) : NULL;
    return found == NULL ? -1 : (int)(found - letters);
}

/* Names of instructions have more than one letter, so a word of one letter is an operand, or g. */
unsigned derivative_reads(const char *rule)
{
    unsigned reads = 0;
    while (*rule != '\0') {
        rule += strspn(rule, " ()");
        int operand = operand_of(take_word(&rule));
        reads |= operand < 0 ? 0 : 1u << operand;
    }
    return reads;
}

typedef struct spelling {
    kernel_program *to;
    const char *at;
    jg_dtype type;
    const uint32_t *operands;
    uint32_t g;
} spelling;

static jg_status spell(spelling *s, uint32_t *out);

static jg_status spell_number(spelling *s, word taken, uint32_t *out)
{
    for (size_t i = 0; i < JG_COUNT_OF(numbers); ++i)
        if (is_word(taken, numbers[i].name))
            return rewrite_number(s->to, s->type, numbers[i].value, out);
    if (*taken.text < '0' || *taken.text > '9')
        return jg_fail(JG_ERR_INTERNAL, "derivative.def: %.*s is nothing that a rule may name",
                       (int)taken.length, taken.text);
    return rewrite_number(s->to, s->type, (double)strtol(taken.text, NULL, 10), out);
}

/* A word, or an expression in parentheses, which end directly after it. */
static jg_status spell_operand(spelling *s, uint32_t *out)
{
    s->at += strspn(s->at, " ");
    if (*s->at == '(') {
        s->at += 1;
        JG_TRY(spell(s, out));
        s->at += 1;
        return JG_OK;
    }
    word taken = take_word(&s->at);
    int operand = operand_of(taken);
    if (operand < 0 && !is_word(taken, "g"))
        return spell_number(s, taken, out);
    *out = operand < 0 ? s->g : s->operands[operand];
    return JG_OK;
}

/* An instruction with its operands, or a single operand. */
static jg_status spell(spelling *s, uint32_t *out)
{
    const char *start = s->at;
    word name = take_word(&s->at);
    uint32_t op = kernel_op_named(name.text, name.length), operands[3];
    if (op == KERNEL_NONE) {
        s->at = start;
        return spell_operand(s, out);
    }
    for (uint32_t i = 0; i < kernel_row((uint16_t)op)->arity; ++i)
        JG_TRY(spell_operand(s, &operands[i]));
    return kernel_apply(s->to, (uint16_t)op, kernel_row((uint16_t)op)->arity, operands, out);
}

jg_status derivative_emit(kernel_program *to, const char *rule, jg_dtype type,
                          const uint32_t operands[4], uint32_t g, uint32_t *out)
{
    spelling s = {to, rule, type, operands, g};
    return spell(&s, out);
}
