/* SPDX-License-Identifier: Apache-2.0 */
/* The derivatives of primitives: the column RULES of op/primitive.def (rules.c), and the rules that
 * many of them share, by formulas (formula.c), by linearity (linear.c) and of views (view.c). */
#ifndef JG_TRANSFORM_RULE_H
#define JG_TRANSFORM_RULE_H

#include "op/op.h"
#include "transform/passes.h"

typedef enum rule_way {
    DERIVATIVE_MISSING,  /* there is none: asking for it is an error */
    DERIVATIVE_NONE,     /* no change of an input changes the value, but in jumps */
    DERIVATIVE_FORMULA,  /* formula.c reads it from derivative.def */
    DERIVATIVE_LINEAR,   /* in its floating inputs together: the tangent is the node of tangents */
    DERIVATIVE_BILINEAR, /* in each of its floating inputs */
    DERIVATIVE_RULE,     /* two functions */
    DERIVATIVE_TANGENT,  /* a function, whose graph is differentiated for the other direction */
    DERIVATIVE_SPELL     /* the node is spelled in others, and those are differentiated */
} rule_way;

/* tangents: one for each input, of its shape and dtype, NULL for zero; one at least is not NULL.
 * gives: *out, +1, of node's shape and dtype; NULL for zero | raises: what building raises */
typedef jg_status tangent_rule(jg_array *node, jg_array *const *tangents, jg_array **out);

/* Gives shares of the cotangent, which has node's shape and dtype, to node's inputs.
 * raises: what building raises */
typedef jg_status cotangent_rule(reverse_pass *pass, jg_array *node, jg_array *cotangent);

/* The node's value from inputs of the same shapes and dtypes.
 * gives: *out, +1 | raises: what building raises */
typedef jg_status spell_rule(jg_array *node, jg_array *const *inputs, jg_array **out);

typedef struct transform_row {
    uint8_t way; /* rule_way */
    tangent_rule *tangent;
    cotangent_rule *cotangent;
    spell_rule *spell;
} transform_row;

extern const transform_row transform_rows[PRIMITIVE_COUNT];

/* The failure of a node whose primitive has no derivative. raises: UNSUPPORTED, always */
JG_COLD jg_status transform_fail_missing(const jg_array *node);

/* Borrowed, valid forever. */
static inline const transform_row *transform_row_of(const jg_array *node)
{
    return &transform_rows[node->primitive];
}

/* FORMULA, by derivative.def: formula.c */
tangent_rule formula_tangent;
cotangent_rule formula_cotangent;

/* Whether the shares of passes on this thread are 0 where what a formula is given is 0, even where
 * its factor is infinite. Passes within a pass have it as well. gives: what it was */
bool formula_set_strong_zero(bool on);
bool formula_has_strong_zero(void);

/* LINEAR and BILINEAR forward, TANGENT and SPELL both ways: linear.c */
tangent_rule tangent_linear;
tangent_rule tangent_bilinear;
cotangent_rule tangent_cotangent;
tangent_rule transform_spell_tangent;
cotangent_rule transform_spell_cotangent;

/* Rules of views: view.c */
tangent_rule tangent_view;

/* Adds the cotangent of a view to that of its root, in the root's own memory where it can.
 * takes: *root (NULL for zero; on JG_OK) | gives: *root, +1 | raises: NOMEM */
jg_status cotangent_view(const jg_array *view, jg_array *cotangent, jg_array **root);

/* The view's layout over another value of its root's shape. gives: *out, +1 | raises: NOMEM */
jg_status transform_view_apply(const jg_array *view, jg_array *root, jg_array **out);

/* The node again, a view included, from other inputs of the same shapes and dtypes. The root of a
 * view must be row-major. gives: *out, +1 | raises: NOMEM */
jg_status transform_replay(const jg_array *node, jg_array *const *inputs, jg_array **out);

#endif
