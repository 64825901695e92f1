/* SPDX-License-Identifier: Apache-2.0 */
/* transform: derivatives of graphs, forward and reverse. It builds nodes and computes nothing.
 *
 * A function is traced on markers, nodes that stand for its arguments. From its results the tape is
 * made: the nodes between markers and results, inputs first. A pass goes along the tape and spells,
 * in public ops, what each node's rule says; so its results can be transformed again.
 *
 * The rules are the column RULES of op/primitive.def. Vectors of the reverse pass, cotangents, have
 * the dtype and shape of the node that they belong to; that of a function f of complex numbers is
 * the cotangent of the result times conj(f'), as PyTorch and MLX have it. */
#ifndef JG_TRANSFORM_H
#define JG_TRANSFORM_H

#include "base/base.h"
#include "compose/compose.h"
#include "graph/graph.h"
#include "op/op.h"
#include "run/run.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

/* ---- tape.c ---- */

/* A node between markers and results, and where in the tape's slots those of its inputs begin. */
typedef struct tape_entry {
    jg_array *node; /* +1 */
    size_t inputs;
} tape_entry;

/* Slots number markers first and then entries. Inputs that depend on no marker have slot -1. The
 * nodes' inputs must be kept while the tape is in use: a trace is under way. All zero is an empty
 * tape. */
typedef struct transform_tape {
    int nmarkers;
    base_vec entries; /* tape_entry */
    base_vec slots;   /* int32_t, for each input of each entry */
} transform_tape;

/* What a tape is for: derivatives pass floating numbers alone. */
typedef enum tape_kind { TAPE_DERIVATIVE, TAPE_ALL } tape_kind;

/* All nodes that the outputs depend on the markers by. A marker that is met again among the markers
 * counts as the first one. out_slots: one for each output, -1 for one that depends on no marker.
 * gives: *out, for tape_clear, also after a failure | raises: NOMEM */
jg_status tape_build(tape_kind kind, int nmarkers, jg_array *const *markers, int noutputs,
                     jg_array *const *outputs, transform_tape *out, int32_t *out_slots);
void tape_clear(transform_tape *tape);

static inline int tape_count(const transform_tape *tape)
{
    return (int)(tape->entries.nbytes / sizeof(tape_entry));
}
static inline tape_entry *tape_entries(const transform_tape *tape)
{
    return (tape_entry *)(void *)tape->entries.data;
}
static inline const int32_t *tape_inputs(const transform_tape *tape, const tape_entry *entry)
{
    return (const int32_t *)(const void *)tape->slots.data + entry->inputs;
}

/* ---- forward.c ---- */

/* Tangents of the slots asked for. tangents: one for each marker, of its shape and dtype; NULL for
 * zero. gives: out, nslots of them, +1 each, NULL for zero | raises: what building raises;
 * UNSUPPORTED for a primitive without derivative */
jg_status forward_run(const transform_tape *tape, jg_array *const *tangents, int nslots,
                      const int32_t *slots, jg_array **out);

/* ---- reverse.c ---- */

/* Cotangents of the markers. slots and cotangents: of the results, slot -1 is passed over, NULL is
 * zero. gives: out, nmarkers of them, +1 each, NULL for zero | raises: as forward_run */
jg_status reverse_run(const transform_tape *tape, int nresults, const int32_t *slots,
                      jg_array *const *cotangents, jg_array **out);

/* The pass at one node, for its rule. */
typedef struct reverse_pass reverse_pass;

/* Whether input i depends on a marker: its cotangent is asked for. */
bool reverse_wants(const reverse_pass *pass, int input);

/* Adds x to the cotangent of input i, if that is asked for: summed over axes along which the input
 * was broadcast, and cast to its dtype. keeps: x | raises: what building raises */
jg_status reverse_give(reverse_pass *pass, int input, jg_array *x);

/* ---- rules.c: the column of the table ---- */

typedef enum derivative_way {
    DERIVATIVE_MISSING,  /* there is one that nobody has written: asking for it is an error */
    DERIVATIVE_NONE,     /* no change of an input changes the value, but in jumps */
    DERIVATIVE_FORMULA,  /* formula.c reads it from derivative.def */
    DERIVATIVE_LINEAR,   /* in its floating inputs together: the tangent is the node of tangents */
    DERIVATIVE_BILINEAR, /* in each of its floating inputs */
    DERIVATIVE_RULE,     /* two functions */
    DERIVATIVE_TANGENT,  /* a function, whose graph is differentiated for the other direction */
    DERIVATIVE_SPELL     /* the node is spelled in others, and those are differentiated */
} derivative_way;

/* tangents: one for each input, of its shape and dtype, NULL for zero; one at least is not NULL.
 * gives: *out, +1, of node's shape and dtype; NULL for zero */
typedef jg_status tangent_rule(jg_array *node, jg_array *const *tangents, jg_array **out);

/* Gives shares of the cotangent, which has node's shape and dtype, to node's inputs. */
typedef jg_status cotangent_rule(reverse_pass *pass, jg_array *node, jg_array *cotangent);

/* The node's value from inputs of the same shapes and dtypes. gives: *out, +1 */
typedef jg_status spell_rule(jg_array *node, jg_array *const *inputs, jg_array **out);

typedef struct transform_row {
    uint8_t way; /* derivative_way */
    tangent_rule *tangent;
    cotangent_rule *cotangent;
    spell_rule *spell;
} transform_row;

extern const transform_row transform_rows[PRIMITIVE_COUNT];

/* raises: UNSUPPORTED, always */
JG_COLD jg_status transform_fail_missing(const jg_array *node);

static inline const transform_row *transform_row_of(const jg_array *node)
{
    return &transform_rows[node->primitive];
}

/* ---- formula.c ---- */
tangent_rule formula_tangent;
cotangent_rule formula_cotangent;

/* ---- linear.c: LINEAR and BILINEAR forward, TANGENT and SPELL both ways ---- */
tangent_rule linear_tangent;
tangent_rule bilinear_tangent;
cotangent_rule tangent_cotangent;
tangent_rule spell_tangent;
cotangent_rule spell_cotangent;

/* ---- view.c ---- */
tangent_rule tangent_view;

/* Adds the cotangent of a view to that of its root, in the root's own memory where it can.
 * takes: *root (NULL for zero) | gives: *root, +1 */
jg_status view_cotangent(const jg_array *view, jg_array *cotangent, jg_array **root);

/* The view's layout over another value of its root's shape. gives: *out, +1 */
jg_status view_apply(const jg_array *view, jg_array *root, jg_array **out);

/* ---- values.c ---- */

/* x summed to the shape, of which x's shape is a broadcast. gives: *out, +1 */
jg_status transform_unbroadcast(jg_array *x, int ndim, const int64_t *shape, jg_array **out);

/* x in another dtype; of a complex x in a real one the real part. gives: *out, +1 */
jg_status transform_cast(jg_array *x, jg_dtype dtype, jg_array **out);

/* Zeros of like's shape and dtype, on its device. gives: *out, +1 */
jg_status transform_zeros(const jg_array *like, jg_array **out);

/* x, or a copy that is row-major if like is: routines rely on the layout that their node was built
 * for. gives: *out, +1 */
jg_status transform_fit(const jg_array *like, jg_array *x, jg_array **out);

/* The node again, a view included, from other inputs of the same shapes and dtypes. The root of a
 * view must be row-major. gives: *out, +1 */
jg_status transform_replay(const jg_array *node, jg_array *const *inputs, jg_array **out);

/* Whether values of the dtype have derivatives. */
static inline bool transform_has_derivative(jg_dtype dtype)
{
    return dtype_is_floating(dtype) || dtype_is_complex(dtype);
}

#endif
