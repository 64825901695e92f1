/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule of simplify.def at every type that it takes: the program that it makes computes the
 * same bits, on values that include infinities, zeros of both signs, NaN and the least integer. */
#include "../support.h"
#include "launch.h"

enum { LENGTH = 500 };

/* What a rule's pattern is built with. */
typedef struct pattern_types {
    jg_dtype x, inner, outer; /* the two others: what casts make, the inner one first */
} pattern_types;

/* Loads of the values that the pattern names; -1 before they are met. X is bool where SELECT takes
 * it, the others have the type of X else. */
static int value_named(launch *l, int name, jg_dtype dtype, int *loads)
{
    int *load = &loads[name - PROGRAM_OP_COUNT];
    if (*load < 0)
        *load = load_of(l, dtype);
    return *load;
}

static bool is_taken(program_op op, jg_dtype dtype)
{
    switch (program_inst_rows[op].takes) {
    case TAKES_NUMBER: return dtype != JG_DTYPE_BOOL;
    case TAKES_FLOAT: return dtype_is_floating(dtype);
    case TAKES_INTEGER: return dtype_is_integer(dtype);
    case TAKES_BITS: return dtype_is_integer(dtype) || dtype == JG_DTYPE_BOOL;
    case TAKES_COMPLEX: return dtype_is_complex(dtype);
    default: return true;
    }
}

/* Complex numbers have no order, and their size is rounded. */
static bool takes_complex(program_op op)
{
    return op != PROGRAM_LESS && op != PROGRAM_LESS_EQUAL && op != PROGRAM_MAXIMUM &&
           op != PROGRAM_MINIMUM && op != PROGRAM_SIGN && op != PROGRAM_ABS;
}

/* program_cast leaves out a cast to the type that x has; here it is an instruction. */
static int cast_to(launch *l, int x, jg_dtype to)
{
    bool is_same = program_type_of(&l->program, x) == to;
    int position = cast_of(l, x,
                           !is_same              ? to
                           : to == JG_DTYPE_BOOL ? JG_DTYPE_INT8
                                                 : JG_DTYPE_BOOL);
    l->program.insts[position].to = (uint8_t)to;
    return position;
}

/* gives: the position of the pattern's value, -1 where an instruction does not take the types */
static int build(launch *l, const uint8_t **pattern, const pattern_types *types, bool is_outermost,
                 bool is_condition, int *loads)
{
    int op = *(*pattern)++, operands[3] = {0};
    if (op >= PROGRAM_OP_COUNT)
        return value_named(l, op, is_condition ? JG_DTYPE_BOOL : types->x, loads);
    bool takes_condition = op == PROGRAM_SELECT || (is_condition && op == PROGRAM_NOT);
    for (int i = 0; i < program_inst_rows[op].arity; ++i) {
        bool condition = takes_condition && i == 0;
        operands[i] = build(l, pattern, types, false, condition, loads);
        if (operands[i] < 0)
            return -1;
    }
    if (op == PROGRAM_CAST)
        return cast_to(l, operands[0], is_outermost ? types->outer : types->inner);
    jg_dtype type = program_type_of(&l->program, operands[op == PROGRAM_SELECT]);
    if (!is_taken((program_op)op, type) ||
        (dtype_is_complex(type) && !takes_complex((program_op)op)))
        return -1;
    return apply_to(l, (program_op)op, operands[0], operands[1], operands[2]);
}

static bool is_nan(const char *element, jg_dtype dtype)
{
    value x = load_value(element, dtype);
    return !dtype_is_integer(dtype) && (x.re != x.re || x.im != x.im);
}

static void compare_bits(const launch *l, int buffer)
{
    jg_dtype dtype = (jg_dtype)l->program.buffers[buffer].dtype;
    size_t itemsize = dtype_itemsize(dtype);
    for (size_t i = 0; i < LENGTH; ++i) {
        const char *got = l->memory[buffer] + i * itemsize;
        const char *wanted = l->copies[buffer] + i * itemsize;
        if (memcmp(got, wanted, itemsize) == 0 || (is_nan(got, dtype) && is_nan(wanted, dtype)))
            continue;
        print_launch(l);
        value g = load_value(got, dtype), w = load_value(wanted, dtype);
        fail_msg("element %zu: got %g %g %ld, the longer program gives %g %g %ld", i, g.re, g.im,
                 (long)g.i, w.re, w.im, (long)w.i);
    }
}

/* The program as it is, then what the rules make of it. */
static bool check_program(launch *l)
{
    int64_t extent = LENGTH, strides[PROGRAM_MAX_BUFFERS];
    int last = l->program.nbuffers - 1, ninsts = l->program.ninsts;
    for (int b = 0; b <= last; ++b)
        strides[b] = 1;
    must(program_verify(&l->program));
    launch_space(l, 1, 0, &extent, strides);
    launch_alloc(l, 7, false);
    launch_tile(l, false);
    memcpy(l->copies[last], l->memory[last], l->nbytes[last]);
    bool fits = program_simplify(&l->program) > 0;
    if (fits) {
        assert_true(l->program.ninsts < ninsts);
        assert_int_equal(program_simplify(&l->program), 0);
        must(program_verify(&l->program));
        forget_results(l);
        launch_tile(l, false);
        compare_bits(l, last);
    }
    launch_free(l);
    return fits;
}

/* gives: whether the rule has an effect for the types */
static bool check_rule(const program_rule *rule, const pattern_types *types)
{
    static launch l;
    int loads[PROGRAM_RULE_VALUES] = {-1, -1, -1};
    const uint8_t *pattern = rule->from;
    program_init(&l.program);
    int position = build(&l, &pattern, types, true, false, loads);
    if (position < 0)
        return false;
    store_of(&l, position);
    return tile_executor.accepts(&l.program) && check_program(&l);
}

/* gives: for how many types it has an effect */
static int check_types(const program_rule *rule)
{
    int count = 0;
    for (int x = 0; x < JG_DTYPE_COUNT; ++x) {
        pattern_types types = {(jg_dtype)x, (jg_dtype)x, (jg_dtype)x};
        if (!jg_dtype_is_computable(types.x))
            continue;
        if (rule->from[0] != PROGRAM_CAST) {
            count += check_rule(rule, &types);
            continue;
        }
        for (int between = 0; between < JG_DTYPE_COUNT; ++between)
            for (int to = 0; to < JG_DTYPE_COUNT; ++to) {
                types.inner = (jg_dtype)between, types.outer = (jg_dtype)to;
                if (jg_dtype_is_computable(types.inner) && jg_dtype_is_computable(types.outer) &&
                    between != x && between != to)
                    count += check_rule(rule, &types);
            }
    }
    return count;
}

TEST(every_rule_keeps_every_bit_at_every_type)
{
    for (int r = 0; r < program_nrules; ++r)
        if (check_types(&program_rules[r]) == 0)
            fail_msg("rule %d of simplify.def has an effect for no type", r);
}
