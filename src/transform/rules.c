/* SPDX-License-Identifier: Apache-2.0 */
/* The column RULES of the table of primitives. */
#include "transform/rules/rules.h"

const transform_row transform_rows[PRIMITIVE_COUNT] = {
#define FORMULA .way = DERIVATIVE_FORMULA
#define MISSING .way = DERIVATIVE_MISSING
#define NONE .way = DERIVATIVE_NONE
#define LINEAR(name) .way = DERIVATIVE_LINEAR, .cotangent = cotangent_##name
#define BILINEAR(name) .way = DERIVATIVE_BILINEAR, .cotangent = cotangent_##name
#define RULE(name) .way = DERIVATIVE_RULE, .tangent = tangent_##name, .cotangent = cotangent_##name
#define TANGENT(name) .way = DERIVATIVE_TANGENT, .tangent = tangent_##name
#define SPELL(name) .way = DERIVATIVE_SPELL, .spell = transform_spell_##name
#define RULES(derivative, batch) derivative
#define JG_PRIMITIVE(name, kind, ...) [PRIMITIVE_##name] = {__VA_ARGS__},
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

jg_status transform_fail_missing(const jg_array *node)
{
    const char *name = op_name((jg_op)node->label);
    return base_fail(JG_ERR_UNSUPPORTED,
                     "[%s] %s has no derivative; give it one by a custom function, or use other "
                     "ops",
                     name, name);
}
