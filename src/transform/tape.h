/* SPDX-License-Identifier: Apache-2.0 */
/* Tapes: the nodes between the markers of a function and its results, inputs first (tape.c); built
 * again from other values (replay.c); those of recorded functions (record.c). */
#ifndef JG_TRANSFORM_TAPE_H
#define JG_TRANSFORM_TAPE_H

#include "graph/graph.h"
#include <joggle/transform.h>

/* Whether the call's function is run again where what was recorded is called: custom.c */
bool custom_runs_again(const graph_custom_call *call);

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

/* The use of a tape. Derivatives follow only floating numbers. */
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
/* The entries, and the slots of the inputs of one, borrowed from the tape. */
static inline tape_entry *tape_entries(const transform_tape *tape)
{
    return (tape_entry *)(void *)tape->entries.data;
}
static inline const int32_t *tape_inputs(const transform_tape *tape, const tape_entry *entry)
{
    return (const int32_t *)(const void *)tape->slots.data + entry->inputs;
}

/* The arrays of an entry's slots: the inputs of its node, or of a call its inputs and values. They
 * are borrowed from the node. */
static inline int tape_ninputs(const jg_array *node)
{
    const graph_custom_call *call = node_custom_call(node);
    return call != NULL ? call->ninputs + call->noutputs : node->ninputs;
}
static inline jg_array *const *tape_arrays(const jg_array *node)
{
    const graph_custom_call *call = node_custom_call(node);
    return call != NULL ? call->arrays : node->inputs;
}

/* How many of these a recorded function depends on: a call that is run again depends on inputs. */
static inline int tape_nrecorded(const jg_array *node)
{
    const graph_custom_call *call = node_custom_call(node);
    return call != NULL && custom_runs_again(call) ? call->ninputs : tape_ninputs(node);
}

/* Called with each rebuilt entry before later entries use it.
 * takes: *value | gives: *value, +1 | raises: what building raises */
typedef jg_status replay_hook(void *context, int entry, jg_array **value);

/* All entries built again. values: by slot; those of the markers are set, the others NULL. hook:
 * NULL for none. gives: values of the entries, +1 each, also some after a failure | raises: what
 * building raises, and what the hook raises */
jg_status tape_replay(const transform_tape *tape, jg_array **values, replay_hook *hook,
                      void *context);

/* The tape of a recorded function that has no calls of functions with rules: a result of one has
 * one input, the value that the function gave. slots: of the record's outputs.
 * gives: *out, for tape_clear, also after a failure | raises: NOMEM */
jg_status transform_record_values_tape(const jg_record *record, transform_tape *out,
                                       int32_t *slots);

#endif
