/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rules of derivatives into steps of a stack machine: operands first, then the instruction
 * that takes them. Rules are few and short; a test reads all of them. */
#include "derive/derive.h"
#include <stdlib.h>
#include <string.h>

/* The numbers that rules call by name. */
static const struct {
    const char *name;
    double value;
} numbers[] = {
#define JG_NUMBER(name, value) {#name, value},
#include "derive/derivative.def"
};

typedef struct word {
    const char *text;
    size_t length;
} word;

typedef struct reader {
    const char *text, *at;
    derive_rule *to;
} reader;

static word take_word(reader *r)
{
    r->at += strspn(r->at, " ");
    word taken = {r->at, strcspn(r->at, " ()")};
    r->at += taken.length;
    return taken;
}

static bool is_word(word taken, const char *text)
{
    return strlen(text) == taken.length && memcmp(text, taken.text, taken.length) == 0;
}

static jg_status add_step(reader *r, derive_step step)
{
    if (r->to->count == (int)JG_COUNT_OF(r->to->steps))
        return base_fail(JG_ERR_INTERNAL, "the rule \"%s\" is too long", r->text);
    r->to->steps[r->to->count++] = step;
    return JG_OK;
}

static jg_status read_number(reader *r, word taken)
{
    for (size_t i = 0; i < JG_COUNT_OF(numbers); ++i)
        if (is_word(taken, numbers[i].name))
            return add_step(r, (derive_step){.kind = DERIVE_NUMBER, .number = numbers[i].value});
    char *end;
    double number = strtod(taken.text, &end);
    if (taken.length == 0 || end != taken.text + taken.length)
        return base_fail(JG_ERR_INTERNAL, "the rule \"%s\" has \"%.*s\", which names nothing",
                         r->text, (int)taken.length, taken.text);
    return add_step(r, (derive_step){.kind = DERIVE_NUMBER, .number = number});
}

/* Names of instructions have more than one letter, so a word of one letter is an operand, or v or
 * g. */
static jg_status read_word(reader *r, word taken)
{
    static const char letters[] = "xyzvg";
    const char *found = taken.length == 1 ? strchr(letters, *taken.text) : NULL;
    if (found == NULL)
        return read_number(r, taken);
    uint16_t operand = (uint16_t)(found - letters);
    if (operand < 3)
        return add_step(r, (derive_step){.kind = DERIVE_OPERAND, .op = operand});
    return add_step(r, (derive_step){.kind = operand == 3 ? DERIVE_VALUE : DERIVE_CARRIED});
}

static jg_status read_expression(reader *r);

/* A word, or an expression in parentheses, which end directly after it. */
static jg_status read_operand(reader *r)
{
    r->at += strspn(r->at, " ");
    if (*r->at != '(')
        return read_word(r, take_word(r));
    r->at += 1;
    JG_TRY(read_expression(r));
    if (*r->at != ')')
        return base_fail(JG_ERR_INTERNAL, "the rule \"%s\" lacks a parenthesis", r->text);
    r->at += 1;
    return JG_OK;
}

/* An instruction with its operands, or a single operand. */
static jg_status read_expression(reader *r)
{
    const char *start = r->at;
    word name = take_word(r);
    uint32_t op = kernel_op_named(name.text, name.length);
    if (op == KERNEL_NONE) {
        r->at = start;
        return read_operand(r);
    }
    uint8_t arity = (uint8_t)kernel_row((uint16_t)op)->arity;
    for (int i = 0; i < arity; ++i)
        JG_TRY(read_operand(r));
    return add_step(r,
                    (derive_step){.kind = DERIVE_INSTRUCTION, .arity = arity, .op = (uint16_t)op});
}

jg_status derive_read_rule(const char *text, derive_rule *out)
{
    reader r = {text, text, out};
    out->count = 0;
    JG_TRY(read_expression(&r));
    if (*r.at != '\0')
        return base_fail(JG_ERR_INTERNAL, "the rule \"%s\" goes on after its end", text);
    return JG_OK;
}
