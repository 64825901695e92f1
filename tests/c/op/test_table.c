/* SPDX-License-Identifier: Apache-2.0 */
/* The op table: every row is whole, and its rule stands up to every dtype. */
#include "../support.h"
#include "op/op.h"

static int arity_of(op_form form)
{
    return form == OP_FORM_TERNARY ? 3 : form == OP_FORM_BINARY ? 2 : 1;
}

TEST(every_op_has_a_name_of_its_own)
{
    for (int i = 0; i < JG_OP_COUNT; ++i) {
        assert_non_null(op_name((jg_op)i));
        for (int j = 0; j < i; ++j)
            assert_string_not_equal(op_name((jg_op)i), op_name((jg_op)j));
    }
}

TEST(forms_are_those_of_the_prototypes)
{
    assert_int_equal(op_form_of(JG_OP_add), OP_FORM_BINARY);
    assert_int_equal(op_form_of(JG_OP_where), OP_FORM_TERNARY);
    assert_int_equal(op_form_of(JG_OP_max), OP_FORM_REDUCTION);
    assert_int_equal(op_form_of(JG_OP_leaf), OP_FORM_NONE);
}

/* Whatever the dtypes: a result that can be computed in or moved, or a failure of the type. */
static void check_pair(jg_op op, jg_dtype a, jg_dtype b)
{
    const jg_dtype inputs[3] = {a, b, b};
    op_types types;
    int arity = arity_of(op_form_of(op));
    jg_status status = op_resolve_types(op, arity, inputs, &types);
    if (status != JG_OK) {
        assert_int_equal(status, JG_ERR_TYPE);
        return;
    }
    bool sends = op == JG_OP_distributed_all_gather || op == JG_OP_distributed_send ||
                 op == JG_OP_distributed_recv;
    bool moves = op == JG_OP_copy || op == JG_OP_astype || sends; /* also what is only stored */
    assert_true(moves ? dtype_is_castable(a) : dtype_rows[types.result].computable);
    for (int i = 0; i < arity && !moves; ++i) {
        assert_true(dtype_rows[inputs[i]].computable);
        assert_true(dtype_rows[types.operand[i]].computable);
    }
}

TEST(every_rule_answers_for_every_dtype)
{
    for (int op = 0; op < JG_OP_leaf; ++op)
        for (int a = 0; a < JG_DTYPE_COUNT; ++a)
            for (int b = 0; b < JG_DTYPE_COUNT; ++b)
                check_pair((jg_op)op, (jg_dtype)a, (jg_dtype)b);
}

TEST(operands_may_change_places)
{
    for (int op = 0; op < JG_OP_leaf; ++op) {
        for (int a = 0; op_form_of((jg_op)op) == OP_FORM_BINARY && a < JG_DTYPE_COUNT; ++a) {
            for (int b = 0; b < a; ++b) {
                const jg_dtype ab[] = {(jg_dtype)a, (jg_dtype)b}, ba[] = {(jg_dtype)b, (jg_dtype)a};
                op_types first, second;
                jg_status status = op_resolve_types((jg_op)op, 2, ab, &first);
                assert_int_equal(op_resolve_types((jg_op)op, 2, ba, &second), status);
                if (status == JG_OK)
                    assert_int_equal(first.result, second.result);
            }
        }
    }
}
