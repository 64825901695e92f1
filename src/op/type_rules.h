/* SPDX-License-Identifier: Apache-2.0 */
/* The type rules that op.def names. A rule says what each operand is cast to and what comes out. */
#ifndef JG_OP_TYPE_RULES_H
#define JG_OP_TYPE_RULES_H

#include "op/op.h"

typedef jg_status type_rule(const char *op, int ninputs, const jg_dtype *inputs, op_types *out);

type_rule type_rule_same;       /* anything computable, unchanged */
type_rule type_rule_castable;   /* unchanged; anything of whole bytes */
type_rule type_rule_arithmetic; /* promoted; bool stays bool */
type_rule type_rule_numeric;    /* promoted; bool is refused */
type_rule type_rule_real;       /* promoted; bool and complex are refused */
type_rule
    type_rule_component;      /* unchanged; complex gives the dtype of its parts; bool is refused */
type_rule type_rule_whole;    /* unchanged; bool and complex are refused */
type_rule type_rule_divide;   /* promoted; bool and integers become the default float */
type_rule type_rule_floating; /* the same, complex refused */
type_rule type_rule_phase;    /* as divide; complex gives the dtype of its parts */
type_rule type_rule_extremum; /* promoted; complex is refused */
type_rule type_rule_order;    /* compared when promoted, gives bool; complex is refused */
type_rule type_rule_compare;  /* compared when promoted, gives bool */
type_rule type_rule_logical;  /* compared with zero, gives bool */
type_rule type_rule_bitwise;  /* promoted; bool and integers only */
type_rule type_rule_integer;  /* promoted; integers only */
type_rule type_rule_select;   /* the first becomes bool, the others are promoted */
type_rule type_rule_random;   /* integers as 64 bits, gives uint64 */
type_rule type_rule_sum;      /* bool and small integers become 64 bits wide */
type_rule type_rule_factored; /* as divide; half precision is refused */

#endif
