/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with rules of their own: what passes and batches do at the results of their calls
 * (custom.c, custom_batch.c). */
#ifndef JG_TRANSFORM_CUSTOM_H
#define JG_TRANSFORM_CUSTOM_H

#include "transform/passes.h"

/* The ways in which a transformation handles a result of a call. */
typedef enum custom_way {
    CUSTOM_RULE,  /* asks the rule: it depends on the call's inputs */
    CUSTOM_VALUE, /* goes through what the function did: it depends on its value */
    CUSTOM_ALL    /* builds the call again: it depends on both */
} custom_way;
custom_way custom_way_of(const graph_custom_call *call, tape_kind kind);

/* Stored after a result's slots: the index of the call's next entry, or -1, and of its first. */
typedef struct custom_links {
    int32_t next, first;
} custom_links;
/* Borrowed from the tape. */
custom_links *custom_links_of(const transform_tape *tape, const tape_entry *entry);

/* A call's rules as a buffer holds them. takes: rules->context | gives: *out, +1 | raises: NOMEM */
jg_status custom_rules_new(const jg_custom_rules *rules, jg_buffer **out);
/* The context is the caller's again. */
void custom_rules_give_back(jg_buffer *rules);
/* Borrowed from the call. */
const jg_custom_rules *custom_rules_of(const graph_custom_call *call);

/* The passes at entry number `at`, a result of a call. Where the rule is asked, it is asked once
 * for all results of the call that the tape has, at the first of them. gives: shares, or values of
 * those results, +1 each | raises: what the rule raises */
jg_status custom_reverse(reverse_pass *pass, int at);
jg_status custom_forward(const transform_tape *tape, int at, jg_array **values);

/* Rebuilds the entry from other values, with its call if what the call depends on is traced.
 * gives: values' slot of the entry, +1 | raises: what the rule or building raises */
jg_status custom_replay(const transform_tape *tape, int at, jg_array **values);

/* The same for batches, all results of a call at the first of them. Values have the batch as
 * their first axis. gives: their slots of values, +1 | raises: what the rule raises */
jg_status custom_batch(const transform_tape *tape, int at, int64_t extent, jg_array **values);

#endif
