/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are being traced: run on markers or placeholders, so that the graph tells which
 * nodes depend on their arguments (traced.c). A part of graph.h, which includes it at its end:
 * others include that. */
#ifndef JG_GRAPH_TRACED_H
#define JG_GRAPH_TRACED_H

/* The marker of x while a function of x is traced: a root that shares x's memory if x is row-major
 * and in memory, otherwise a node that copies x. keeps: x | gives: *out, +1, traced
 * raises: NOMEM */
jg_status node_mark_argument(jg_array *x, jg_array **out);

/* A root of that layout without storage, traced: what depends on it cannot be evaluated.
 * gives: *out, +1 | raises: NOMEM */
jg_status node_placeholder(unsigned device, jg_dtype dtype, const jg_layout *layout,
                           jg_array **out);

/* Between traced_begin and traced_end a function is being traced: nodes that are traced keep their
 * inputs when they get storage. Tracings nest and overlap; the end of the last one gives the nodes
 * whose inputs traced_drop is to drop. The caller of traced_end and traced_drop holds the
 * evaluation lock. */
void traced_begin(void);
bool traced_is_any(void);        /* whether a function is being traced, on any thread */
void traced_end(base_vec *kept); /* kept: jg_array *, +1 each, for traced_drop; may stay empty */
void traced_drop(base_vec *kept);

/* A function that this thread runs on placeholders. What it asks for depends on the innermost one:
 * the names for messages, and where draws without a key get theirs. */
typedef struct traced_call {
    const char *caller, *name, *does; /* "vmap"; of the function; "batched" */
    bool recorded;                    /* side effects would not be repeated: traced_refuse */
    /* Draws a key; NULL: as outside of the function.
     * gives: *out, +1 | raises: VALUE where the function must get one; what building raises */
    jg_status (*key)(struct traced_call *call, jg_array **out);
    /* Asked before a write; NULL: none is refused.
     * raises: UNSUPPORTED for a write to the memory of an argument */
    jg_status (*write)(struct traced_call *call, const void *low, const void *high);
    jg_array *argument;        /* of a recorded function, a placeholder; NULL: it has none */
    struct traced_call *outer; /* of traced_enter, as is the next */
    uint32_t number;           /* of the function; not 0 */
} traced_call;

/* Borrows the call, until it is left on the same thread; others may have been entered and not left
 * since. Leaving one that is not entered there does nothing. */
void traced_enter(traced_call *call);
void traced_leave(traced_call *call);
traced_call *traced_innermost(void); /* borrowed from who entered it; NULL: none */
bool traced_is_recorded(void);       /* whether a recording is under way on this thread */
traced_call *traced_recorded(void);  /* that one, the innermost, borrowed likewise; NULL: none */

bool traced_keep(jg_array *node);   /* for node_drop_inputs */
void traced_forget(jg_array *node); /* for a node that dies: before it is on another list */
void traced_install_hooks(void);    /* as reads_install_hooks */

/* The failure of evaluating a placeholder. raises: VALUE, always, with the name of the function
 * that it was made for if that is known */
JG_COLD jg_status traced_fail_placeholder(const jg_array *node);

/* Fails while a recording is under way, for an action that a recorded function cannot repeat. what:
 * "a write to a field". raises: UNSUPPORTED */
jg_status traced_refuse(const char *what);

/* Refuses a write to memory from low up to high that a function on placeholders cannot make.
 * raises: UNSUPPORTED */
jg_status traced_before_write(const void *low, const void *high);

/* The nodes that are kept and listed as readers of places. out: jg_array *, +1 each, also those
 * taken before a failure | raises: NOMEM */
jg_status traced_collect(base_vec *out);

/* A node that copies place and has copy's memory, of the same dtype and shape. It is traced if
 * place is. keeps: place, copy's buffer | gives: *out, +1 | raises: NOMEM */
jg_status node_version(jg_array *place, jg_array *copy, jg_array **out);

#endif
