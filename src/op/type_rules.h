/* SPDX-License-Identifier: Apache-2.0 */
/* The type rules that op.def names. A rule gives the dtype that each operand is cast to, and the
 * result's dtype; type_rule.def describes it in words. */
#ifndef JG_OP_TYPE_RULES_H
#define JG_OP_TYPE_RULES_H

#include "op/op.h"

/* op: the name, for messages. inputs: any dtypes, those that are only stored among them. gives:
 * *out, whose operands beyond ninputs are not set | raises: TYPE */
typedef jg_status type_rule(const char *op, int ninputs, const jg_dtype *inputs, op_types *out);

#define JG_TYPE_RULE(name, text) type_rule type_rule_##name;
#include "op/type_rule.def"
#undef JG_TYPE_RULE

#endif
