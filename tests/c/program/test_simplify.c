/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of simplify.def as texts, and what becomes of a program around what they change. Their
 * values are tested in tile/simplified. */
#include "steps.h"
#include <string.h>

static jg_program program;

static int cast(int x, jg_dtype to)
{
    int value;
    assert_ok(program_cast(&program, x, to, &value));
    return value;
}

/* The last instruction is the store of what is looked at. */
static const program_inst *stored(void)
{
    return &program.insts[program.insts[program.ninsts - 1].src[0]];
}

typedef struct pattern_content {
    int length; /* instructions and values */
    unsigned values;
} pattern_content;

static const uint8_t *read_pattern(const uint8_t *at, pattern_content *content)
{
    int name = *at++;
    content->length += 1;
    if (name >= PROGRAM_OP_COUNT) {
        assert_true(name < PROGRAM_OP_COUNT + PROGRAM_RULE_VALUES);
        content->values |= 1u << (name - PROGRAM_OP_COUNT);
        return at;
    }
    for (int i = 0; i < program_inst_rows[name].arity; ++i)
        at = read_pattern(at, content);
    return at;
}

TEST(a_rule_makes_its_pattern_shorter_and_keeps_its_values)
{
    for (int r = 0; r < program_nrules; ++r) {
        const program_rule *rule = &program_rules[r];
        pattern_content from = {0}, to = {0};
        assert_true(read_pattern(rule->from, &from) <= rule->from + sizeof rule->from);
        assert_true(read_pattern(rule->to, &to) <= rule->to + sizeof rule->to);
        if (to.length >= from.length || to.values != from.values)
            fail_msg("rule %d of simplify.def makes %d names of %d", r, to.length, from.length);
    }
}

TEST(rules_are_applied_until_none_fits)
{
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_FLOAT32), y = add_load(&program, JG_DTYPE_FLOAT32);
    int negated = y;
    for (int i = 0; i < 7; ++i)
        negated = apply(&program, PROGRAM_NEGATE, negated, 0, 0);
    store(&program, apply(&program, PROGRAM_ADD, x, negated, 0));
    assert_int_equal(program_simplify(&program), 4); /* three pairs, and x + -y */
    assert_ok(program_verify(&program));
    assert_int_equal(program.ninsts, 4);
    assert_int_equal(stored()->op, PROGRAM_SUBTRACT);
    assert_int_equal(stored()->src[0], 0);
    assert_int_equal(stored()->src[1], 1);
    assert_int_equal(program_simplify(&program), 0);
}

TEST(what_another_instruction_takes_stays)
{
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_INT32);
    int negated = apply(&program, PROGRAM_NEGATE, x, 0, 0);
    store(&program, negated);
    store(&program, apply(&program, PROGRAM_ABS, negated, 0, 0));
    assert_int_equal(program_simplify(&program), 1);
    assert_ok(program_verify(&program));
    assert_int_equal(program.ninsts, 5);
    assert_int_equal(stored()->op, PROGRAM_ABS);
    assert_int_equal(program.insts[stored()->src[0]].op, PROGRAM_LOAD);
}

TEST(a_program_that_no_rule_fits_stays_as_it_is)
{
    static jg_program before;
    program_init(&program);
    int x = add_load(&program, JG_DTYPE_FLOAT32), y = add_load(&program, JG_DTYPE_FLOAT32);
    int less = apply(&program, PROGRAM_LESS, x, y, 0);
    store(&program, apply(&program, PROGRAM_NOT, less, 0, 0)); /* not y <= x where one is NaN */
    store(&program, apply(&program, PROGRAM_MAXIMUM, x, y, 0));
    memcpy(&before, &program, sizeof program);
    assert_int_equal(program_simplify(&program), 0);
    assert_memory_equal(&before, &program, sizeof program);
}

/* x as a value of the type between, then of the type at the end. */
static int casts_after(jg_dtype x, jg_dtype between, jg_dtype end)
{
    program_init(&program);
    int load = add_load(&program, x);
    store(&program, apply(&program, PROGRAM_COPY, cast(cast(load, between), end), 0, 0));
    (void)program_simplify(&program);
    assert_ok(program_verify(&program));
    return program.ninsts - 2;
}

TEST(casts_that_lose_nothing_are_left_out)
{
    assert_int_equal(casts_after(JG_DTYPE_FLOAT16, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT16), 0);
    assert_int_equal(casts_after(JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32, JG_DTYPE_BFLOAT16), 0);
    assert_int_equal(casts_after(JG_DTYPE_BOOL, JG_DTYPE_FLOAT32, JG_DTYPE_BOOL), 0);
    assert_int_equal(casts_after(JG_DTYPE_INT32, JG_DTYPE_FLOAT64, JG_DTYPE_INT32), 0);
    assert_int_equal(casts_after(JG_DTYPE_INT32, JG_DTYPE_FLOAT64, JG_DTYPE_FLOAT32), 1);
    assert_int_equal(casts_after(JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_BFLOAT16), 1);
}

TEST(casts_that_round_or_wrap_stay)
{
    assert_int_equal(casts_after(JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT16, JG_DTYPE_FLOAT32), 2);
    assert_int_equal(casts_after(JG_DTYPE_FLOAT16, JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT16), 2);
    assert_int_equal(casts_after(JG_DTYPE_INT32, JG_DTYPE_FLOAT32, JG_DTYPE_INT32), 2);
    assert_int_equal(casts_after(JG_DTYPE_INT64, JG_DTYPE_FLOAT64, JG_DTYPE_INT64), 2);
    assert_int_equal(casts_after(JG_DTYPE_INT8, JG_DTYPE_UINT64, JG_DTYPE_INT8), 2);
    assert_int_equal(casts_after(JG_DTYPE_INT32, JG_DTYPE_BOOL, JG_DTYPE_INT32), 2);
    assert_int_equal(casts_after(JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64, JG_DTYPE_INT32), 2);
    assert_int_equal(casts_after(JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128, JG_DTYPE_FLOAT32), 2);
}
