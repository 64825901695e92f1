/* SPDX-License-Identifier: Apache-2.0 */
/* Results of one call of a routine with several (siblings.c). A part of graph.h, which includes it:
 * others include that. */
#ifndef JG_GRAPH_SIBLINGS_H
#define JG_GRAPH_SIBLINGS_H

/* Makes nodes that are not complete results 0 to count - 1 of one call; NULL for one that there is
 * not. They do not hold each other, and do not find each other before the end, as each may be
 * evaluated by another thread once it is complete. gives: *out, for siblings_end | raises: NOMEM */
jg_status siblings_begin(int count, jg_array *const *results, node_family **out);
void siblings_end(node_family *family);

/* The same for nodes that were built again, of the results that they say they are.
 * raises: NOMEM; INTERNAL for nodes of several calls */
jg_status siblings_join(int count, jg_array *const *nodes);

/* The sibling of that number that is alive. gives: it, +1, or NULL */
jg_array *siblings_find(jg_array *node, unsigned result);

/* Makes a complete node that is alone one of node's call, unless node has storage or another is
 * that result already. raises: NOMEM */
jg_status siblings_add(jg_array *node, jg_array *made);

void siblings_leave(jg_array *node); /* when one of several results gets storage or dies */

/* Appends node's siblings that are alive and not marked `but`. The evaluation lock must be held.
 * out: jg_array *, +1 each, also those taken before a failure | raises: NOMEM */
jg_status siblings_collect(jg_array *node, uint64_t but, base_vec *out);
void siblings_install_hooks(void); /* as reads_install_hooks */

#endif
