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

/* Whether the call's function is run again where what was recorded is called: custom.c */
bool custom_runs_again(const custom_call *call);

/* tape.c */

/* A node between markers and results, and where in the tape's slots those of its inputs begin. */
typedef struct tape_entry {
    jg_array *node; /* +1 */
    size_t inputs;
} tape_entry;

/* Slots number markers first and then entries. Inputs that depend on no marker have slot -1. The
 * nodes' inputs must be kept while the tape is in use, so its user traces a function. All zero is
 * an empty tape.
 *
 * A result of a call of a function with rules depends on what tape_arrays gives, in the way that
 * custom_way says; behind the slots of these its entry has custom_links. */
typedef struct transform_tape {
    int nmarkers;
    base_vec entries; /* tape_entry */
    base_vec slots;   /* int32_t, for each input of each entry */
} transform_tape;

/* What a tape is for: derivatives pass floating numbers alone. */
typedef enum tape_kind {
    TAPE_REVERSE,
    TAPE_FORWARD,
    TAPE_BATCH,
    TAPE_RECORD,
    TAPE_VALUES /* a record without the rules of functions: what they did is all there is */
} tape_kind;

/* Collects the nodes between the markers and the outputs. A marker that is met again among the
 * markers counts as the first one. out_slots: one for each output, -1 for one that depends on no
 * marker.
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

/* The arrays of an entry's slots: the inputs of its node, or of a call its inputs and values. */
static inline int tape_ninputs(const jg_array *node)
{
    const custom_call *call = node_custom_call(node);
    return call != NULL ? call->ninputs + call->noutputs : node->ninputs;
}
static inline jg_array *const *tape_arrays(const jg_array *node)
{
    const custom_call *call = node_custom_call(node);
    return call != NULL ? call->arrays : node->inputs;
}

/* How many of these a recorded function depends on: a call that is run again depends on inputs. */
static inline int tape_nrecorded(const jg_array *node)
{
    const custom_call *call = node_custom_call(node);
    return call != NULL && custom_runs_again(call) ? call->ninputs : tape_ninputs(node);
}

/* Called with each rebuilt entry before later entries use it.
 * takes: *value | gives: *value, +1 | raises: what building raises */
typedef jg_status replay_hook(void *context, int entry, jg_array **value);

/* replay.c: all entries built again. values: by slot; those of the markers are set, the others
 * NULL. hook: NULL for none. gives: values of the entries, +1 each, also some after a failure
 * | raises: what building raises, and what the hook raises */
jg_status tape_replay(const transform_tape *tape, jg_array **values, replay_hook *hook,
                      void *context);

/* record.c */

/* The tape of a recorded function that has no calls of functions with rules: a result of one has
 * one input, the value that the function gave. slots: of the record's outputs.
 * gives: *out, for tape_clear, also after a failure | raises: NOMEM */
jg_status transform_record_values_tape(const jg_record *record, transform_tape *out,
                                       int32_t *slots);

/* forward.c */

/* Tangents of the slots asked for. tangents: one for each marker, of its shape and dtype; NULL for
 * zero. gives: out, nslots of them, +1 each, NULL for zero | raises: what building raises;
 * UNSUPPORTED for a primitive without derivative */
jg_status forward_run(const transform_tape *tape, jg_array *const *tangents, int nslots,
                      const int32_t *slots, jg_array **out);

/* reverse.c */

/* Cotangents of the markers. slots and cotangents: of the results, slot -1 is passed over, NULL is
 * zero. gives: out, nmarkers of them, +1 each, NULL for zero | raises: as forward_run */
jg_status reverse_run(const transform_tape *tape, int nresults, const int32_t *slots,
                      jg_array *const *cotangents, jg_array **out);

/* shares.c */

/* The pass at one node, for its rule. */
typedef struct reverse_pass {
    const transform_tape *tape;
    const tape_entry *entry;
    jg_array **values; /* by slot, NULL for zero */
} reverse_pass;

/* Whether input i depends on a marker: its cotangent is asked for. */
bool reverse_wants(const reverse_pass *pass, int input);

/* Adds x to the cotangent of input i, if that is asked for: summed over axes along which the input
 * was broadcast, and cast to its dtype. keeps: x | raises: what building raises */
jg_status reverse_give(reverse_pass *pass, int input, jg_array *x);

/* Adds x to a cotangent, which may be NULL. takes: x | raises: NOMEM, what adding raises */
jg_status reverse_add(jg_array **value, jg_array *x);

/* rules.c: the column of the table */

typedef enum derivative_way {
    DERIVATIVE_MISSING,  /* not implemented: asking for it is an error */
    DERIVATIVE_NONE,     /* no change of an input changes the value, but in jumps */
    DERIVATIVE_FORMULA,  /* formula.c reads it from derivative.def */
    DERIVATIVE_LINEAR,   /* in its floating inputs together: the tangent is the node of tangents */
    DERIVATIVE_BILINEAR, /* in each of its floating inputs */
    DERIVATIVE_RULE,     /* two functions */
    DERIVATIVE_TANGENT,  /* a function, whose graph is differentiated for the other direction */
    DERIVATIVE_SPELL     /* the node is spelled in others, and those are differentiated */
} derivative_way;

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
    uint8_t way; /* derivative_way */
    tangent_rule *tangent;
    cotangent_rule *cotangent;
    spell_rule *spell;
} transform_row;

extern const transform_row transform_rows[PRIMITIVE_COUNT];

/* The failure of a node whose primitive has no derivative. raises: UNSUPPORTED, always */
JG_COLD jg_status transform_fail_missing(const jg_array *node);

static inline const transform_row *transform_row_of(const jg_array *node)
{
    return &transform_rows[node->primitive];
}

/* custom.c: functions with rules of their own */

/* What a transformation does with a result of a call. */
typedef enum custom_way {
    CUSTOM_RULE,  /* asks the rule: it depends on the call's inputs */
    CUSTOM_VALUE, /* goes through what the function did: it depends on its value */
    CUSTOM_ALL    /* builds the call again: it depends on both */
} custom_way;
custom_way custom_way_of(const custom_call *call, tape_kind kind);

/* Stored after a result's slots: the index of the call's next entry, or -1, and of its first. */
typedef struct custom_links {
    int32_t next, first;
} custom_links;
custom_links *custom_links_of(const transform_tape *tape, const tape_entry *entry);

/* A call's rules as a buffer holds them. takes: rules->context, also after a failure
 * | gives: *out, +1 | raises: NOMEM */
jg_status custom_rules_new(const jg_custom_rules *rules, jg_buffer **out);
const jg_custom_rules *custom_rules_of(const custom_call *call);

/* The passes at entry number `at`, a result of a call. Where the rule is asked, it is asked once
 * for all results of the call that the tape has, at the first of them. gives: shares, or values of
 * those results, +1 each | raises: what the rule raises */
jg_status custom_reverse(reverse_pass *pass, int at);
jg_status custom_forward(const transform_tape *tape, int at, jg_array **values);

/* Rebuilds the entry from other values, with its call if what the call depends on is traced.
 * gives: values' slot of the entry, +1 | raises: what the rule or building raises */
jg_status custom_replay(const transform_tape *tape, int at, jg_array **values);

/* custom_batch.c: the same for batches, all results of a call at the first of them. Values have the
 * batch as their first axis. gives: their slots of values, +1 | raises: what the rule raises */
jg_status custom_batch(const transform_tape *tape, int at, int64_t extent, jg_array **values);

/* formula.c */
tangent_rule formula_tangent;
cotangent_rule formula_cotangent;

/* Whether the shares of passes on this thread are 0 where what a formula is given is 0, even where
 * its factor is infinite. Passes within a pass have it as well. gives: what it was */
bool formula_set_strong_zero(bool on);
bool formula_has_strong_zero(void);

/* linear.c: LINEAR and BILINEAR forward, TANGENT and SPELL both ways */
tangent_rule tangent_linear;
tangent_rule tangent_bilinear;
cotangent_rule tangent_cotangent;
tangent_rule transform_spell_tangent;
cotangent_rule transform_spell_cotangent;

/* view.c */
tangent_rule tangent_view;

/* Adds the cotangent of a view to that of its root, in the root's own memory where it can.
 * takes: *root (NULL for zero) | gives: *root, +1 | raises: NOMEM */
jg_status cotangent_view(const jg_array *view, jg_array *cotangent, jg_array **root);

/* The view's layout over another value of its root's shape. gives: *out, +1 | raises: NOMEM */
jg_status transform_view_apply(const jg_array *view, jg_array *root, jg_array **out);

/* The node again, a view included, from other inputs of the same shapes and dtypes. The root of a
 * view must be row-major. gives: *out, +1 | raises: NOMEM */
jg_status transform_replay(const jg_array *node, jg_array *const *inputs, jg_array **out);

/* values.c */

/* x summed to the shape, of which x's shape is a broadcast. gives: *out, +1 | raises: NOMEM */
jg_status transform_unbroadcast(jg_array *x, int ndim, const int64_t *shape, jg_array **out);

/* x in another dtype; of a complex x in a real one the real part. gives: *out, +1 | raises:
 * NOMEM */
jg_status transform_cast(jg_array *x, jg_dtype dtype, jg_array **out);

/* Zeros of like's shape and dtype, on its device. gives: *out, +1 | raises: NOMEM */
jg_status transform_zeros(const jg_array *like, jg_array **out);

/* Replaces each NULL by zeros. like: of their shapes and dtypes | gives: arrays, +1 each, those
 * made before a failure as well | raises: NOMEM */
jg_status transform_fill_zeros(int count, jg_array *const *like, jg_array **arrays);

/* x, or a copy that is row-major if like is: routines rely on the layout that their node was built
 * for. gives: *out, +1 | raises: NOMEM */
jg_status transform_fit(const jg_array *like, jg_array *x, jg_array **out);

/* Whether values of the dtype have derivatives. */
static inline bool transform_has_derivative(jg_dtype dtype)
{
    return dtype_is_floating(dtype) || dtype_is_complex(dtype);
}

#endif
