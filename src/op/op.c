/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups in the op table: names, forms, primitives and the type rule of each row. */
#include "op/op.h"
#include "op/type_rules.h"

typedef struct op_row {
    const char *name;
    op_form form;
    type_rule *types;
} op_row;

/* The documentation is for tools/optable.py alone. */
#define TYPES(rule) type_rule_##rule
#define DOC(text)
static const op_row rows[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, node, doc) [JG_OP_##name] = {#name, OP_FORM_##form, types},
#include "op/op.def"
#undef JG_OP
    /* The first have no rule: the function that makes one gives its dtype. */
    [JG_OP_leaf] = {"leaf", OP_FORM_NONE, NULL},
    [JG_OP_view] = {"view", OP_FORM_NONE, NULL},
    [JG_OP_full] = {"full", OP_FORM_NONE, NULL},
    [JG_OP_arange] = {"arange", OP_FORM_NONE, NULL},
    [JG_OP_marker] = {"argument", OP_FORM_NONE, type_rule_same},
    [JG_OP_custom] = {"custom_function", OP_FORM_NONE, type_rule_same},
};

#define NODE(primitive) PRIMITIVE_##primitive
const uint8_t op_primitives[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, node, doc) [JG_OP_##name] = node,
#include "op/op.def"
#undef JG_OP
    [JG_OP_leaf] = PRIMITIVE_leaf,     [JG_OP_view] = PRIMITIVE_view,
    [JG_OP_marker] = PRIMITIVE_marker, [JG_OP_custom] = PRIMITIVE_custom,
    [JG_OP_full] = PRIMITIVE_full,     [JG_OP_arange] = PRIMITIVE_arange,
};

const char *op_name(jg_op op)
{
    return rows[op].name;
}

op_form op_form_of(jg_op op)
{
    return rows[op].form;
}

jg_status op_resolve_types(jg_op op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return rows[op].types(rows[op].name, ninputs, inputs, out);
}
