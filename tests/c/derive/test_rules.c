/* SPDX-License-Identifier: Apache-2.0 */
/* The language of derivatives' rules: every rule in the tables can be read, and what is none is
 * refused. */
#include "../support.h"
#include "derive/derive.h"
#include <stdio.h>
#include <string.h>

static const char *const rules[] = {
#define JG_DERIVATIVE(NAME, operand, rule) rule,
#include "derive/derivative.def"
#undef JG_DERIVATIVE
#define JG_FORMULA(NAME, operand, rule) rule,
#include "transform/formula.def"
#undef JG_FORMULA
};

/* Values on the stack after all steps; -1 if a step finds too few. */
static int depth_after(const derive_rule *rule)
{
    int depth = 0;
    for (int i = 0; i < rule->count; ++i) {
        depth -= rule->steps[i].kind == DERIVE_INSTRUCTION ? rule->steps[i].arity : 0;
        if (depth < 0)
            return -1;
        ++depth;
    }
    return depth;
}

TEST(every_rule_leaves_one_value)
{
    for (size_t i = 0; i < JG_COUNT_OF(rules); ++i) {
        derive_rule rule;
        assert_ok(derive_read_rule(rules[i], &rule));
        assert_int_equal(depth_after(&rule), 1);
    }
}

TEST(operands_come_before_what_takes_them)
{
    derive_rule rule;
    assert_ok(derive_read_rule("multiply g (add v ln2)", &rule));
    static const uint8_t kinds[] = {DERIVE_CARRIED, DERIVE_VALUE, DERIVE_NUMBER, DERIVE_INSTRUCTION,
                                    DERIVE_INSTRUCTION};
    assert_int_equal(rule.count, JG_COUNT_OF(kinds));
    for (int i = 0; i < rule.count; ++i)
        assert_int_equal(rule.steps[i].kind, kinds[i]);
    assert_true(rule.steps[2].number == 0x1.62e42fefa39efp-1);
    assert_int_equal(rule.steps[3].op, PROGRAM_ADD);
    assert_int_equal(rule.steps[4].op, PROGRAM_MULTIPLY);
}

static void assert_refused(const char *text, const char *told)
{
    derive_rule rule;
    assert_fails_saying(JG_ERR_INTERNAL, told, derive_read_rule(text, &rule));
}

TEST(what_is_no_rule_is_refused)
{
    assert_refused("multiply g ln3", "\"ln3\", which names nothing");
    assert_refused("negatee g", "\"negatee\", which names nothing");
    assert_refused("add g 1x", "\"1x\", which names nothing");
    assert_refused("add g", "\"\", which names nothing");
    assert_refused("negate (add g 1", "lacks a parenthesis");
    assert_refused("negate g x", "goes on after its end");
    char text[256] = "";
    for (int i = 0; i < 20; ++i)
        strcat(text, "add x (");
    assert_refused(text, "names nothing");
    strcpy(text, "x");
    for (int i = 0; i < 13; ++i) {
        char longer[sizeof text + 16];
        snprintf(longer, sizeof longer, i == 12 ? "add x %s" : "(add x %s)", text);
        strcpy(text, longer);
    }
    assert_refused(text, "too long");
}
