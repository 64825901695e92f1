/* SPDX-License-Identifier: Apache-2.0 */
/* Rewrites instructions by the rules of simplify.def, and takes out those whose values nothing
 * takes any more. */
#include "program/program.h"
#include <string.h>

/* The names that the rules use: instructions, and the values of a pattern. */
enum {
#define JG_INST(NAME, name, arity, result, takes, meaning) NAME = PROGRAM_##NAME,
#include "program/inst.def"
#undef JG_INST
    X = PROGRAM_OP_COUNT,
    Y,
    Z
};

enum { NEEDS_ALL, NEEDS_REAL, NEEDS_SIGNED, NEEDS_TOTAL_ORDER, NEEDS_SAME_TYPE, NEEDS_WIDENED };

#define FROM(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define TO(...)                                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define JG_SIMPLIFY(needs, from, to, reason) {NEEDS_##needs, from, to},
const program_rule program_rules[] = {
#include "program/simplify.def"
};
const int program_nrules = (int)JG_COUNT_OF(program_rules);

/* An attempt to match a rule: the values that its names stand for, once they are met. */
typedef struct rule_match {
    const jg_program *program;
    int values[PROGRAM_RULE_VALUES]; /* positions; -1 for a name that is not met yet */
} rule_match;

static bool match_value(rule_match *match, int name, int value)
{
    int *met = &match->values[name - X];
    if (*met < 0)
        *met = value;
    return *met == value;
}

/* Whether the value is made as the pattern says. Moves *pattern behind what it has compared. */
static bool match_pattern(rule_match *match, const uint8_t **pattern, int value)
{
    int wanted = *(*pattern)++;
    if (wanted >= X)
        return match_value(match, wanted, value);
    const program_inst *inst = &match->program->insts[value];
    if (inst->op != wanted)
        return false;
    for (int i = 0; i < program_inst_rows[wanted].arity; ++i)
        if (!match_pattern(match, pattern, inst->src[i]))
            return false;
    return true;
}

/* Whether the second cast of a type, to one that holds all its values, changes nothing: what comes
 * out of it is of the first type or another that has them, or a float, which rounds them once. */
static bool is_widened(const jg_program *program, const program_inst *outer)
{
    const program_inst *inner = &program->insts[outer->src[0]];
    jg_dtype type = (jg_dtype)inner->type, to = (jg_dtype)outer->to;
    bool rounds = dtype_is_floating(to) && jg_dtype_is_computable(to) && !dtype_is_complex(type);
    return dtype_holds((jg_dtype)inner->to, type) && (rounds || dtype_holds(to, type));
}

static bool meets_needs(const rule_match *match, const program_rule *rule, const program_inst *inst)
{
    jg_dtype type = program_type_of(match->program, match->values[0]);
    switch (rule->needs) {
    case NEEDS_REAL: return !dtype_is_complex(type);
    case NEEDS_SIGNED: return !dtype_is_complex(type) && dtype_rows[type].kind != JG_KIND_UINT;
    case NEEDS_TOTAL_ORDER: return dtype_is_integer(type) || type == JG_DTYPE_BOOL;
    case NEEDS_SAME_TYPE: return inst->type == inst->to;
    case NEEDS_WIDENED: return is_widened(match->program, inst);
    default: return true;
    }
}

/* Changes the instruction to the rule's, which has the values that were matched for operands. Its
 * value has the same type as before. */
static void write_inst(const rule_match *match, const uint8_t *to, program_inst *inst)
{
    program_op op = (program_op)to[0];
    inst->op = (uint8_t)op;
    memset(inst->src, 0, sizeof inst->src);
    for (int i = 0; i < program_inst_rows[op].arity; ++i)
        inst->src[i] = (uint16_t)match->values[to[1 + i] - X];
    inst->type = (uint8_t)program_type_of(match->program, inst->src[op == PROGRAM_SELECT ? 1 : 0]);
}

/* What the instruction at the position is by a rule that fits. gives: *value, which is position for
 * an instruction that has been changed to a shorter one, else the value that it is; false if no
 * rule fits */
static bool apply_rule(jg_program *program, int position, int *value)
{
    program_inst *inst = &program->insts[position];
    for (int r = 0; r < program_nrules; ++r) {
        const program_rule *rule = &program_rules[r];
        const uint8_t *pattern = rule->from, *to = rule->to;
        rule_match match = {program, {-1, -1, -1}};
        if (inst->op != *pattern || !match_pattern(&match, &pattern, position) ||
            !meets_needs(&match, rule, inst))
            continue;
        *value = *to >= X ? match.values[*to - X] : position;
        if (*to < X)
            write_inst(&match, to, inst);
        return true;
    }
    return false;
}

/* Takes out the instructions whose values nothing takes. Reductions stay: they make the program one
 * that reduces. */
static void drop_unused(jg_program *program)
{
    bool is_used[PROGRAM_MAX_INSTS] = {false};
    uint16_t moved[PROGRAM_MAX_INSTS];
    for (int i = program->ninsts - 1; i >= 0; --i) {
        const program_inst *inst = &program->insts[i];
        is_used[i] |= inst->op == PROGRAM_STORE || program_is_reduction((program_op)inst->op);
        for (int j = 0; is_used[i] && j < program_inst_rows[inst->op].arity; ++j)
            is_used[inst->src[j]] = true;
    }
    program_keep(program, is_used, moved);
}

/* Operands stand before their users, so they are as simple as they become when a rule looks at
 * them. Every rule makes what it replaces shorter, so this ends. */
int program_simplify(jg_program *program)
{
    uint16_t values[PROGRAM_MAX_INSTS]; /* what each instruction's value is now */
    int nsimplified = 0;
    for (int i = 0; i < program->ninsts; ++i) {
        program_inst *inst = &program->insts[i];
        int value = i;
        for (int j = 0; j < program_inst_rows[inst->op].arity; ++j)
            inst->src[j] = values[inst->src[j]];
        while (value == i && apply_rule(program, i, &value))
            ++nsimplified;
        values[i] = (uint16_t)value;
    }
    if (nsimplified > 0)
        drop_unused(program);
    return nsimplified;
}
