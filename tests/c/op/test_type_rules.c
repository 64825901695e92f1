/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of op makes of its operands' dtypes. */
#include "../support.h"
#include "op/op.h"

#define T(NAME) JG_DTYPE_##NAME
#define NONE JG_DTYPE_COUNT /* as result: refused */

typedef struct type_case {
    jg_op op;
    jg_dtype inputs[3];
    jg_dtype operand, result; /* of the last operand */
} type_case;

static const type_case cases[] = {
    /* arithmetic: promoted, bool stays */
    {JG_OP_add, {T(INT8), T(INT16), NONE}, T(INT16), T(INT16)},
    {JG_OP_add, {T(BOOL), T(BOOL), NONE}, T(BOOL), T(BOOL)},
    {JG_OP_square, {T(BOOL), NONE, NONE}, T(BOOL), T(BOOL)},
    {JG_OP_add, {T(UINT64), T(INT8), NONE}, T(FLOAT64), T(FLOAT64)},
    {JG_OP_multiply, {T(FLOAT16), T(BFLOAT16), NONE}, T(FLOAT32), T(FLOAT32)},
    {JG_OP_multiply, {T(COMPLEX64), T(FLOAT64), NONE}, T(COMPLEX128), T(COMPLEX128)},
    {JG_OP_add, {T(FLOAT32), T(FLOAT8_E4M3), NONE}, NONE, NONE},
    {JG_OP_add, {T(OPAQUE), T(FLOAT32), NONE}, NONE, NONE},
    /* numeric: two bools are refused */
    {JG_OP_subtract, {T(BOOL), T(BOOL), NONE}, NONE, NONE},
    {JG_OP_subtract, {T(BOOL), T(INT32), NONE}, T(INT32), T(INT32)},
    {JG_OP_negative, {T(BOOL), NONE, NONE}, NONE, NONE},
    {JG_OP_negative, {T(UINT8), NONE, NONE}, T(UINT8), T(UINT8)},
    {JG_OP_matmul, {T(INT8), T(INT64), NONE}, T(INT64), T(INT64)},
    {JG_OP_matmul, {T(BOOL), T(BOOL), NONE}, NONE, NONE},
    /* real: complex is refused */
    {JG_OP_floor_divide, {T(INT8), T(UINT8), NONE}, T(INT16), T(INT16)},
    {JG_OP_remainder, {T(FLOAT32), T(COMPLEX64), NONE}, NONE, NONE},
    {JG_OP_pow, {T(INT32), T(FLOAT32), NONE}, T(FLOAT32), T(FLOAT32)},
    {JG_OP_pow, {T(BOOL), T(BOOL), NONE}, NONE, NONE},
    {JG_OP_floor, {T(INT16), NONE, NONE}, T(INT16), T(INT16)},
    {JG_OP_floor, {T(BOOL), NONE, NONE}, NONE, NONE},
    /* divide and the functions: whole numbers become the default float */
    {JG_OP_divide, {T(INT64), T(INT64), NONE}, T(FLOAT32), T(FLOAT32)},
    {JG_OP_divide, {T(BOOL), T(UINT8), NONE}, T(FLOAT32), T(FLOAT32)},
    {JG_OP_divide, {T(INT64), T(FLOAT64), NONE}, T(FLOAT64), T(FLOAT64)},
    {JG_OP_divide, {T(COMPLEX64), T(INT8), NONE}, T(COMPLEX64), T(COMPLEX64)},
    {JG_OP_exp, {T(INT32), NONE, NONE}, T(FLOAT32), T(FLOAT32)},
    {JG_OP_log, {T(FLOAT16), NONE, NONE}, T(FLOAT16), T(FLOAT16)},
    {JG_OP_sqrt, {T(COMPLEX64), NONE, NONE}, T(COMPLEX64), T(COMPLEX64)},
    {JG_OP_mean, {T(BOOL), NONE, NONE}, T(FLOAT32), T(FLOAT32)},
    /* comparison gives bool */
    {JG_OP_less, {T(INT8), T(FLOAT64), NONE}, T(FLOAT64), T(BOOL)},
    {JG_OP_less, {T(COMPLEX64), T(COMPLEX64), NONE}, NONE, NONE},
    {JG_OP_equal, {T(COMPLEX64), T(INT8), NONE}, T(COMPLEX64), T(BOOL)},
    {JG_OP_maximum, {T(BOOL), T(BOOL), NONE}, T(BOOL), T(BOOL)},
    {JG_OP_maximum, {T(COMPLEX128), T(INT8), NONE}, NONE, NONE},
    /* logic and bits */
    {JG_OP_logical_and, {T(FLOAT32), T(INT8), NONE}, T(BOOL), T(BOOL)},
    {JG_OP_logical_not, {T(COMPLEX64), NONE, NONE}, T(BOOL), T(BOOL)},
    {JG_OP_bitwise_xor, {T(BOOL), T(BOOL), NONE}, T(BOOL), T(BOOL)},
    {JG_OP_bitwise_xor, {T(BOOL), T(INT8), NONE}, T(INT8), T(INT8)},
    {JG_OP_bitwise_and, {T(FLOAT32), T(INT8), NONE}, NONE, NONE},
    {JG_OP_bitwise_left_shift, {T(BOOL), T(INT8), NONE}, NONE, NONE},
    {JG_OP_bitwise_left_shift, {T(UINT8), T(INT8), NONE}, T(INT16), T(INT16)},
    /* select */
    {JG_OP_where, {T(FLOAT32), T(INT8), T(INT16)}, T(INT16), T(INT16)},
    {JG_OP_where, {T(BOOL), T(COMPLEX64), T(BOOL)}, T(COMPLEX64), T(COMPLEX64)},
    {JG_OP_where, {T(FLOAT8_E5M2), T(INT8), T(INT8)}, NONE, NONE},
    /* reductions */
    {JG_OP_sum, {T(BOOL), NONE, NONE}, T(INT64), T(INT64)},
    {JG_OP_sum, {T(INT8), NONE, NONE}, T(INT64), T(INT64)},
    {JG_OP_sum, {T(UINT16), NONE, NONE}, T(UINT64), T(UINT64)},
    {JG_OP_sum, {T(FLOAT16), NONE, NONE}, T(FLOAT16), T(FLOAT16)},
    {JG_OP_sum, {T(COMPLEX64), NONE, NONE}, T(COMPLEX64), T(COMPLEX64)},
    {JG_OP_max, {T(BOOL), NONE, NONE}, T(BOOL), T(BOOL)},
    {JG_OP_min, {T(COMPLEX64), NONE, NONE}, NONE, NONE},
};

static int count_inputs(const type_case *c)
{
    int count = 0;
    while (count < 3 && c->inputs[count] != NONE)
        count += 1;
    return count;
}

TEST(the_rules_give_what_the_table_says)
{
    for (size_t i = 0; i < JG_COUNT_OF(cases); ++i) {
        const type_case *c = &cases[i];
        int count = count_inputs(c);
        op_types types = {.result = NONE};
        jg_status status = op_resolve_types(c->op, count, c->inputs, &types);
        jg_status expected = c->result == NONE ? JG_ERR_TYPE : JG_OK;
        if (status != expected)
            fail_msg("case %zu (%s): %s", i, op_name(c->op), jg_error_message());
        if (status != JG_OK)
            continue;
        if (types.result != c->result || types.operand[count - 1] != c->operand)
            fail_msg("case %zu (%s): operand %s, result %s", i, op_name(c->op),
                     jg_dtype_name(types.operand[count - 1]), jg_dtype_name(types.result));
    }
}

TEST(the_condition_of_a_select_becomes_bool)
{
    const jg_dtype inputs[] = {T(INT32), T(INT8), T(FLOAT32)};
    op_types types;
    assert_ok(op_resolve_types(JG_OP_where, 3, inputs, &types));
    assert_int_equal(types.operand[0], T(BOOL));
    assert_int_equal(types.operand[1], T(FLOAT32));
}

TEST(a_component_of_a_complex_number_is_real)
{
    const jg_dtype complex = T(COMPLEX128), whole = T(INT8);
    op_types types;
    assert_ok(op_resolve_types(JG_OP_abs, 1, &complex, &types));
    assert_int_equal(types.operand[0], T(COMPLEX128));
    assert_int_equal(types.result, T(FLOAT64));
    assert_ok(op_resolve_types(JG_OP_abs, 1, &whole, &types));
    assert_int_equal(types.result, T(INT8));
}

TEST(failures_name_the_op_and_the_argument)
{
    const jg_dtype floats[] = {T(INT8), T(FLOAT32)}, stored[] = {T(FLOAT8_E4M3)},
                   complex = T(COMPLEX64);
    op_types types;
    assert_fails_saying(JG_ERR_TYPE, "[bitwise_and] x2: got float32, allowed are bool and integers",
                        op_resolve_types(JG_OP_bitwise_and, 2, floats, &types));
    assert_fails_saying(JG_ERR_TYPE, "[exp] x: float8_e4m3 is stored and exchanged only",
                        op_resolve_types(JG_OP_exp, 1, stored, &types));
    assert_fails_saying(JG_ERR_TYPE, "[floor] x: got complex64",
                        op_resolve_types(JG_OP_floor, 1, &complex, &types));
}
