/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between processes as nodes. A part of graph.h, which includes it at its end: others
 * include that. */
#ifndef JG_GRAPH_GROUPS_H
#define JG_GRAPH_GROUPS_H

/* Makes sure that a group of processes has a stream: its messages run there in order, and other
 * work goes on meanwhile. Before the first message. raises: NOMEM, UNSUPPORTED */
jg_status graph_group_open(int64_t group);
uint16_t graph_group_stream(int64_t group); /* of one that is open. raises: never */

/* The first of `count` numbers of messages, which are greater than all that were given before.
 * Messages of a group run in the order of their numbers, which they get when they are built.
 * raises: never */
uint64_t graph_group_order(uint64_t count);

bool graph_group_any(void); /* whether a message was ever built. raises: never */

/* The word behind the attributes of a message node, which holds the message's number. Borrowed
 * from x. */
static inline uint64_t *node_message_order(jg_array *x)
{
    _Static_assert(sizeof(message_attributes) <= NODE_FEW_BYTES - sizeof(uint64_t),
                   "there is room");
    return &x->attributes.words[JG_COUNT_OF(x->attributes.words) - 1];
}

/* In that word: the message has failed to be scheduled, and was skipped. */
#define MESSAGE_IS_SKIPPED (UINT64_C(1) << 63)

static inline bool node_is_message(const jg_array *x)
{
    return x->primitive == PRIMITIVE_message;
}

/* The number without that. raises: never */
static inline uint64_t node_message_rank(jg_array *x)
{
    return *node_message_order(x) & ~MESSAGE_IS_SKIPPED;
}

#endif
